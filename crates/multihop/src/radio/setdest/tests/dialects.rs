//! Files as programs and people write them: the same movement in other words.

use super::*;

/// Node 1 goes from (110, 20) to (150, 20) between 1 and 9 s, and node 0 stays at (10, 20).
const PLAIN: &str = "$node_(0) set X_ 10.0
$node_(0) set Y_ 20.0
$node_(0) set Z_ 0.0
$node_(1) set X_ 110.0
$node_(1) set Y_ 20.0
$node_(1) set Z_ 0.0
$ns_ at 1.0 \"$node_(1) setdest 150.0 20.0 5.0\"
";

const WIDE: Limits = Limits { area_m: Some([500.0, 500.0]), area_follows: true, ..TWO };

fn read(text: &str) -> Setdest {
    Setdest::parse(text, &WIDE).unwrap_or_else(|fault| panic!("{fault:?} in:\n{text}"))
}

/// Where node 1 is at these times \[s\].
fn east(text: &str, times_s: &[f64]) -> Vec<f64> {
    let file = read(text);
    let places = file.positions().unwrap();
    let movement = file.movement(&places, Instant::ZERO).unwrap().unwrap();
    assert_eq!(at(&movement.courses[0], 99.0), (10.0, 20.0));
    times_s.iter().map(|&seconds| at(&movement.courses[1], seconds).0).collect()
}

#[test]
fn dialects_say_the_same() {
    let go = "$ns_ at 1.0 \"$node_(1) setdest 150.0 20.0 5.0\"";
    for text in [
        PLAIN.to_owned(),
        PLAIN.replace(".0\n", ".0;\n"),
        PLAIN.replace('\n', ";  # west\n"),
        PLAIN.replace('\n', " ;# east\n"),
        PLAIN.replace('\n', "\t# east, without a semicolon\n"),
        format!("\u{feff}{}", PLAIN.replace('\n', "\r\n")),
        PLAIN.replace('\n', "\r"),
        PLAIN.replace(' ', "\t ").replace('$', "  $").replace('\n', " \n\n"),
        PLAIN.trim_end().to_owned(),
        PLAIN.replace(".0\n", ".0; ").replace("\" ;", "\"\n"),
        PLAIN.replace("$ns_", "$ns").replace("$node_", "$n"),
        PLAIN.replace("$ns_", "$sim").replace("$node_", "$mobile"),
        PLAIN.replace("$node_(0)", "$n0").replace("$node_(1)", "$n1"),
        PLAIN.replace("(0)", "(00)").replace("(1)", "(01)"),
        PLAIN.replace("\"$", "{$").replace("5.0\"", "5.0}"),
        PLAIN.replace("\"$", "{\n  $").replace("5.0\"", "5.0\n}"),
        PLAIN.replace("\"$", "“$").replace("5.0\"", "5.0”"),
        PLAIN.replace('"', ""),
        PLAIN.replace("110.0", "1.1e2").replace("150.0", "15E+1").replace("5.0\"", ".5e1\""),
        PLAIN.replace("150.0 20.0", "\\\n150.0 20.0"),
        PLAIN.replace(" Z_ 0.0", " Z_ 1.5").replace("20.0 5.0", "20.0 1.5 5.0"),
        format!(
            "set god_ [God instance]\nset val(nn) 2\n$god_ set-dist 0 1 1\n{PLAIN}\
             $ns_ at 2.0 \"$god_ set-dist 0 1 2\"\n$ns_ initial_node_pos $node_(0) 20\n"
        ),
        format!(
            "{PLAIN}$ns_ at 200.0 \"$node_(1) reset\";\n$ns_ at 200.0 \"stop\"\n\
             $ns_ at 200.01 \"puts \\\"NS EXITING...\\\" ; $ns_ halt\"\nputs \"Starting; now\"\n"
        ),
        // Standing still, as traces of cars say it, and two commands at a time.
        PLAIN.replace(go, "$ns_ at 0.0 \"$node_(0) setdest 10.0 20.0 0.00\"\n") + go,
        PLAIN.replace(go, "$ns_ at 1 {$node_(0) setdest 1 1 0; $node_(1) setdest 150 20 5}"),
    ] {
        assert_eq!(east(&text, &[0.0, 1.0, 5.0, 9.0, 99.0]), [110.0, 110.0, 130.0, 150.0, 150.0]);
    }
}

#[test]
fn the_order_of_times_counts_and_not_that_of_lines() {
    let text = format!("{PLAIN}$ns_ at 0.5 \"$node_(1) setdest 130.0 20.0 4.0\"\n");
    assert_eq!(east(&text, &[0.5, 1.0, 5.0, 10.0]), [110.0, 112.0, 132.0, 150.0]);
}

#[test]
fn a_coordinate_set_at_a_time_moves_the_node_at_once() {
    let jump = "$ns_ at 4.0 \"$node_(1) set X_ 300.0\"\n";
    let text = format!("{PLAIN}{jump}$ns_ at 6 {{$node_(1) setdest 310 20 10}}");
    assert_eq!(east(&text, &[3.9, 4.0, 5.0, 6.5, 8.0]), [124.5, 300.0, 300.0, 305.0, 310.0]);
    // At 0 it is where the node begins.
    let later = format!("{PLAIN}$ns_ at 0.0 \"$node_(1) set X_ 400.0\"\n");
    assert_eq!(read(&later).positions().unwrap()[1].x_m, 400.0);
    // Without any other movement, too.
    let file = read(&PLAIN.replace("setdest 150.0 20.0 5.0", "set X_ 120.0"));
    let movement = file.movement(&file.positions().unwrap(), Instant::ZERO).unwrap().unwrap();
    assert_eq!(movement.jumps(), [Instant::from_secs_f64(1.0)]);
    assert_eq!(at(&movement.courses[1], 2.0), (120.0, 20.0));
}

#[test]
fn nodes_of_other_numbers_are_taken_in_their_order() {
    let file = read(&PLAIN.replace("(0)", "(6)").replace("(1)", "(4294967296)"));
    assert_eq!(file.numbers(), [6, 4_294_967_296]);
    let places = file.positions().unwrap();
    assert_eq!(places, read(PLAIN).positions().unwrap());
    let reversed = read(&PLAIN.replace("(1)", "(3)").replace("(0)", "(8)"));
    assert_eq!(reversed.numbers(), [3, 8]);
    assert_eq!(reversed.positions().unwrap()[0].x_m, 110.0);
    assert_eq!(read(PLAIN).numbers(), [0; 0]);
    let three = Setdest::parse(&PLAIN.replace("(1)", "(9)"), &Limits { nodes: 3, ..WIDE });
    let expected = "must name a node, 0 to 2 (got 9); others are taken in the order of their numbers \
                    where there are 3 of them (got 2)";
    assert_eq!(three.unwrap_err(), Fault { line: Some(4), text: expected.to_owned() });
}

#[test]
fn the_area_begins_where_negative_coordinates_do() {
    let west = PLAIN.replace(" 10.0", " -200.0").replace("150.0 20.0", "150.0 -3.5");
    let file = read(&west);
    assert_eq!(file.origin(), [-200.0, -3.5]);
    assert_eq!(file.positions().unwrap()[0], Position { x_m: -200.0, y_m: 20.0 });
    assert_eq!(read(PLAIN).origin(), [0.0, 0.0]);
    // From -200 m to 301 m are more than 500 m.
    let wide = Setdest::parse(&west.replace("setdest 150.0", "setdest 301.0"), &WIDE).unwrap_err();
    let text = "puts node 1 at (301, -3.5), outside the area of 500 m by 500 m";
    assert_eq!(wide, Fault { line: Some(7), text: text.to_owned() });
    let anywhere = Setdest::parse(&west, &Limits { area_m: None, ..WIDE });
    assert_eq!(anywhere.unwrap().positions(), file.positions());
}

#[test]
fn a_run_may_begin_within_the_file() {
    let text = PLAIN.replace("at 1.0", "at 1001.0")
        + "$ns_ at 1020.0 \"$node_(1) setdest 110.0 20.0 5.0\"\n";
    let file = read(&text);
    assert_eq!(file.first_move(), Some(Instant::from_secs_f64(1001.0)));
    let places = file.positions().unwrap();
    let from = |start_s: f64| {
        let start = Instant::from_secs_f64(start_s);
        let movement = file.movement(&places, start).unwrap();
        movement.map(|movement| [0.0, 4.0, 20.0].map(|s| at(&movement.courses[1], s).0))
    };
    assert_eq!(from(1001.0), Some([110.0, 130.0, 145.0]));
    assert_eq!(from(1005.0), Some([130.0, 150.0, 125.0]));
    assert_eq!(from(1019.0), Some([150.0, 135.0, 110.0]));
    // Where nothing moves any more it matters that something has.
    let ended = PLAIN.replace("at 1.0", "at 1001.0");
    let file = read(&ended);
    let movement = file.movement(&places, Instant::from_secs_f64(2000.0)).unwrap().unwrap();
    assert_eq!((movement.max_speed_mps, at(&movement.courses[1], 0.0).0), (0.0, 150.0));
}

/// A course of jumps, moves and waits.
fn course(steps: &[(u32, i32, u8)]) -> String {
    let mut time_s = 0;
    let mut text = String::new();
    for &(wait_s, x_m, speed_mps) in steps {
        time_s += wait_s;
        let what = match speed_mps {
            9 => format!("set X_ {x_m}.5"),
            _ => format!("setdest {x_m} {} {speed_mps}", x_m / 2),
        };
        text += &format!("$ns_ at {time_s}.25 \"$node_(1) {what}\"\n");
    }
    text
}

proptest! {
    #[test]
    fn jumps_are_written_and_read_back(
        steps in proptest::collection::vec((0u32..20, -200i32..200, 0u8..10), 0..12),
    ) {
        let text = format!("{}{}", PLAIN.replace("110.0", "-110.0"), course(&steps));
        let limits = Limits { area_m: None, ..WIDE };
        let file = Setdest::parse(&text, &limits).unwrap();
        let places = file.positions().unwrap();
        let movement = file.movement(&places, Instant::ZERO).unwrap().unwrap();
        let end = Instant::from_secs_f64(300.0);
        let again = Setdest::parse(&write(&places, Some(&movement), end), &limits).unwrap();
        let back = again.movement(&again.positions().unwrap(), Instant::ZERO).unwrap().unwrap();
        prop_assert_eq!(movement.jumps(), back.jumps());
        let trail = &movement.trails(end)[1];
        prop_assert!(trail.windows(2).all(|pair| pair[0][0] < pair[1][0]), "{:?}", trail);
        for tenth in 0..3000 {
            let seconds = f64::from(tenth) * 0.1 + 0.01;
            let [(here, _), (there, _)] =
                [&movement, &back].map(|movement| at(&movement.courses[1], seconds));
            prop_assert!((here - there).abs() < 1e-6, "{} and {} at {} s", here, there, seconds);
            let next = trail.partition_point(|knot| knot[0] <= seconds);
            let (from, to) = (trail[next - 1], trail[next.min(trail.len() - 1)]);
            let share = if next < trail.len() { (seconds - from[0]) / (to[0] - from[0]) } else { 0.0 };
            let drawn = from[1] + (to[1] - from[1]) * share;
            prop_assert!((here - drawn).abs() < 1e-6, "{} drawn at {} at {} s", here, drawn, seconds);
        }
    }
}
