//! Files read, positions in between, and files written.

mod dialects;

use std::path::Path;

use proptest::prelude::*;

use super::super::random_waypoint::{RandomWaypoint, Waypoints};
use super::*;
use crate::kernel::{Duration, Purpose, Rng};

const TWO: Limits = Limits {
    nodes: 2,
    area_m: Some([100.0, 50.0]),
    area_follows: false,
    max_metres: 1e7,
    max_speed_mps: 1e4,
};

const PLACES: &str = "$node_(0) set X_ 10.0\n$node_(0) set Y_ 20.0\n$node_(0) set Z_ 0.0
$node_(1) set X_ 100\n$node_(1) set Y_ 50\n";

fn movement(text: &str, limits: &Limits) -> Movement {
    let file = Setdest::parse(text, limits).unwrap();
    file.movement(&file.positions().unwrap(), Instant::ZERO).unwrap().unwrap()
}

fn at(course: &Course, seconds: f64) -> (f64, f64) {
    let now = Instant::from_secs_f64(seconds);
    let leg = course.clone().take_while(|leg| leg.start <= now).last().unwrap();
    let place = leg.position(now);
    (place.x_m, place.y_m)
}

#[test]
fn a_node_waits_goes_and_stays() {
    let text = format!(
        "# a comment\n\n{PLACES}$god_ set-dist 0 1 2\n$ns_ at 3.5 \"$god_ set-dist 0 1 1\"
        $ns_ at 2.0 \"$node_(0) setdest 40.0 20.0 3.0\"\n#"
    );
    let movement = movement(&text, &TWO);
    assert_eq!(movement.max_speed_mps, 3.0);
    let expected = [(0.0, 10.0), (2.0, 10.0), (7.0, 25.0), (12.0, 40.0), (100.0, 40.0)];
    for (seconds, x) in expected {
        assert_eq!(at(&movement.courses[0], seconds), (x, 20.0), "{seconds}");
        assert_eq!(at(&movement.courses[1], seconds), (100.0, 50.0));
    }
}

#[test]
fn a_new_destination_replaces_the_one_before() {
    let text = format!(
        "{PLACES}$ns_ at 0.0 \"$node_(0) setdest 40.0 20.0 3.0\"
        $ns_ at 5.0 \"$node_(0) setdest 25.0 40.0 2.0\"
        $ns_ at 8.0 \"$node_(0) setdest 30.0 40.0 0.0\"
        $ns_ at 9.0 \"$node_(0) setdest 0.0 0.0 1.0\"
        $ns_ at 9.0 \"$node_(0) setdest 25.0 0.0 1.0\""
    );
    let course = &movement(&text, &TWO).courses[0];
    assert_eq!(
        course.clone().map(|leg| leg.start.as_secs_f64()).collect::<Vec<_>>(),
        [0.0, 5.0, 8.0, 9.0]
    );
    let expected = [(5.0, 20.0), (7.5, 25.0), (8.5, 26.0), (9.0, 26.0), (20.0, 15.0), (50.0, 0.0)];
    for (seconds, y) in expected {
        assert_eq!(at(course, seconds), (25.0, y), "{seconds}");
    }
}

#[test]
fn a_file_without_movement_has_none() {
    let text = format!("{PLACES}$ns_ at 1.0 \"$node_(0) setdest 40.0 20.0 0.0\"");
    let file = Setdest::parse(&text, &TWO).unwrap();
    assert!(file.movement(&file.positions().unwrap(), Instant::ZERO).unwrap().is_none());
}

#[test]
fn a_file_without_places_moves_nodes_from_where_they_are() {
    let text = "$ns_ at 1.0 \"$node_(1) setdest 40.0 20.0 1.0\"";
    let file = Setdest::parse(text, &TWO).unwrap();
    let places = [Position { x_m: 1.0, y_m: 2.0 }, Position { x_m: 3.0, y_m: 20.0 }];
    let movement = file.movement(&places, Instant::ZERO).unwrap().unwrap();
    assert_eq!(at(&movement.courses[1], 11.0), (13.0, 20.0));
}

#[test]
fn what_is_wrong_is_said_with_its_line() {
    let go = "$ns_ at 1.0 \"$node_(0) setdest 4.0 5.0 6.0\"";
    let flat = "Z_ must be the same for all nodes, for the network is flat";
    let cut =
        "is no line of a setdest file, or is cut short; understood are $node_(N) set X_ METRES, ";
    for (spoilt, expected) in [
        (
            "$node_(2) set X_ 3",
            "must name a node, 0 to 1 (got 2); others are taken in the order of",
        ),
        ("$node_(-1) set X_ 3", "must name a node, 0 to 1 (got -1)"),
        ("$node_(car) set X_ 3", "must name a node, 0 to 1 (got car)"),
        ("$node_(0 set X_ 3", cut),
        ("node_(0) set X_ 3", cut),
        ("$node_(0) set X_", cut),
        ("$node_(0) set W_ 3", "sets W_; only X_, Y_ and Z_ are known"),
        ("$node_(0) set Z_ 3", &format!("{flat} (got 3, and 0 on line 3)")),
        (&go.replace("6.0", "2.0 6.0"), &format!("{flat} (got 2, and 0 on line 3)")),
        ("$node_(0) set X_ nan", "X_ must be a number (got nan)"),
        ("$node_(0) set X_ 1e999", "X_ must be a number (got 1e999)"),
        ("$node_(0) set X_ $x", "X_ must be a number (got $x)"),
        ("$node_(0) set X_ 11", "sets X_ of node 0 to 11, after 10 before"),
        ("$node_(0) random-motion 1", cut),
        ("exec 3", cut),
        (&go[..30], cut),
        (&go[..go.len() - 1], cut),
        ("$ns_ at 1.0 \"\"", cut),
        ("$ns_ at 1.0 \"$cbr_(0) start\"", cut),
        ("$ns_ at 1.0 \"$god_ set-dist 1", cut),
        (&go.replace("1.0", "-1.0"), "time must be 0 to 9000000000 seconds (got -1.0)"),
        (&go.replace("1.0", "inf"), "time must be a number (got inf)"),
        (&go.replace("6.0", "-6.0"), "speed must be 0 to 10000 m/s (got -6.0)"),
        (&go.replace("6.0", "NaN"), "speed must be a number (got NaN)"),
        (&go.replace("4.0", "x"), "x must be a number (got x)"),
        (
            &go.replace("4.0", "100.5"),
            "puts node 0 at (100.5, 5), outside the area of 100 m by 50 m",
        ),
        (&go.replace("4.0", "-0.5"), "puts node 0 at (-0.5, 5), outside the area of 100 m by 50 m"),
        (&go.replace("(0)", "(7)"), "must name a node, 0 to 1 (got 7)"),
    ] {
        let fault = Setdest::parse(&format!("{PLACES}{spoilt}"), &TWO).unwrap_err();
        assert!(fault.text.starts_with(expected), "{spoilt}: {}", fault.text);
        assert_eq!(fault.line, Some(5 + spoilt.lines().count()), "{spoilt}");
    }
}

#[test]
fn places_must_be_whole_and_those_of_the_topology() {
    let places = |text: &str| Setdest::parse(text, &TWO).unwrap().positions().unwrap_err().text;
    assert_eq!(places("$node_(0) set X_ 1\n$node_(0) set Y_ 1"), "gives node 1 no X_");
    assert_eq!(places("$node_(0) set X_ 1"), "gives node 0 no Y_");
    let elsewhere = [Position { x_m: 10.0, y_m: 20.0 }, Position { x_m: 100.0, y_m: 49.0 }];
    let fault =
        Setdest::parse(PLACES, &TWO).unwrap().movement(&elsewhere, Instant::ZERO).unwrap_err();
    assert_eq!(fault.text, "puts node 1 elsewhere than the topology: (100, 49)");
    // The whole point, not what is known of it on the line that sets its first coordinate.
    let beyond = Setdest::parse("$node_(0) set X_ 780\n$node_(0) set Y_ 28", &TWO).unwrap_err();
    let text = "puts node 0 at (780, 28), outside the area of 100 m by 50 m";
    assert_eq!(beyond, Fault { line: Some(2), text: text.to_owned() });
    let raised = "$node_(0) set Z_ 3\n$node_(0) set X_ 1\n$node_(1) set X_ 1";
    let fault = Setdest::parse(raised, &TWO).unwrap_err();
    assert!(fault.text.ends_with("(node 1 has none, which is 0, and line 1 has 3)"), "{fault:?}");
}

#[test]
fn the_files_of_the_reference_cases_are_read_whole() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../python/multihop/validation/ns2");
    let limits = Limits { nodes: 50, area_m: Some([1500.0, 300.0]), ..TWO };
    for number in 1..=10 {
        let path = folder.join(format!("move-50n-20mps-{number:03}.setdest.tcl"));
        let text = std::fs::read_to_string(path).unwrap();
        let movement = movement(&text, &limits);
        let commands = text.lines().filter(|line| line.contains(" setdest ")).count();
        let legs = movement.courses.iter().flat_map(Clone::clone).count();
        assert_eq!(legs, commands);
        // Every node starts at 0, without pauses: a new leg starts where the last one ended.
        for course in &movement.courses {
            let legs: Vec<Leg> = course.clone().collect();
            for pair in legs.windows(2) {
                assert!(pair[0].to.distance_m(&pair[1].from) < 1e-6);
                // A leg may begin half a nanosecond of 20 m/s short: 10 ns at 1 m/s.
                assert!(pair[0].arrival().as_nanos().abs_diff(pair[1].start.as_nanos()) <= 12);
            }
        }
    }
}

#[test]
fn what_is_written_is_as_setdest_writes_it() {
    let text = format!(
        "{PLACES}$ns_ at 1.5 \"$node_(1) setdest 40.0 20.0 3.0\"
        $ns_ at 0.25 \"$node_(0) setdest 4.0 2.0 1.0\"\n$ns_ at 9.0 \"$node_(0) setdest 4.0 3.0 1\""
    );
    let file = Setdest::parse(&text, &TWO).unwrap();
    let places = file.positions().unwrap();
    let movement = file.movement(&places, Instant::ZERO).unwrap();
    let written = write(&places, movement.as_ref(), Instant::from_secs_f64(9.0));
    let expected = "\
#
# nodes: 2, max speed: 3.00, time: 9.00
#
$node_(0) set X_ 10.000000000000
$node_(0) set Y_ 20.000000000000
$node_(0) set Z_ 0.000000000000
$node_(1) set X_ 100.000000000000
$node_(1) set Y_ 50.000000000000
$node_(1) set Z_ 0.000000000000
$ns_ at 0.250000000000 \"$node_(0) setdest 4.000000000000 2.000000000000 1.000000000000\"
$ns_ at 1.500000000000 \"$node_(1) setdest 40.000000000000 20.000000000000 3.000000000000\"
";
    assert_eq!(written, expected);
}

#[test]
fn a_file_cut_within_a_command_is_refused() {
    let go = "$ns_ at 0.0 \"$node_(0) setdest 40.0 20.0 3.0\"";
    let text = format!("{PLACES}{go}\n{}", go.replace("at 0.0", "at 5.0"));
    let last = text.len() - go.len();
    for cut in last + 1..text.len() {
        let fault = Setdest::parse(&text[..cut], &TWO).unwrap_err();
        assert_eq!(fault.line, Some(7), "{:?}", &text[last..cut]);
    }
    assert!(Setdest::parse(&text, &TWO).is_ok());
}

proptest! {
    #[test]
    fn what_is_written_reads_back(seed in any::<u64>(), pause_s in 0u64..30, least in 0.1f64..9.0) {
        let waypoints = Waypoints {
            area_m: [100.0, 50.0],
            speed_mps: [least, 10.0],
            pause: Duration::from_secs(pause_s),
        };
        let stream = |node| Rng::stream(seed, Purpose::Mobility, node);
        let random = (0..2).map(|node| RandomWaypoint::stationary(waypoints, stream(node)));
        let random: Vec<RandomWaypoint> = random.collect();
        let places: Vec<Position> = random.iter().map(RandomWaypoint::place).collect();
        let courses: Vec<Course> = random.into_iter().map(Course::RandomWaypoint).collect();
        let movement = Movement { courses, max_speed_mps: 10.0 };
        let end = Instant::from_secs_f64(500.0);
        let back = self::movement(&write(&places, Some(&movement), end), &TWO);
        for (before, after) in movement.courses.iter().zip(&back.courses) {
            for quarter in 0..2000 {
                let seconds = f64::from(quarter) * 0.25;
                let (before, after) = (at(before, seconds), at(after, seconds));
                let apart_m = (before.0 - after.0).hypot(before.1 - after.1);
                prop_assert!(apart_m < 1e-7, "{} m at {} s", apart_m, seconds);
            }
        }
    }

    #[test]
    fn junk_is_no_panic(text in "([$a-zX_0-9(). \"#\n-]|set|setdest|\\$ns_ at|\\$node_\\(0\\)){0,60}") {
        let _ = Setdest::parse(&text, &TWO).map(|file| file.positions());
    }
}
