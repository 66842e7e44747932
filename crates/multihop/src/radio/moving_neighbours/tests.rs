use proptest::prelude::*;

use super::*;
use crate::radio::{Course, Leg, RadioConfig};

const REACH: Reach = Reach { receive_m: 250.0, sense_m: 550.0 };

fn path_loss() -> PathLoss {
    RadioConfig::default().path_loss()
}

fn at(x_m: f64, y_m: f64) -> Position {
    Position { x_m, y_m }
}

fn moving(ways: &[Vec<Leg>]) -> MovingNeighbours {
    let speeds = ways.iter().flatten().map(|leg| leg.speed_mps);
    let movement = Movement {
        max_speed_mps: speeds.fold(0.0, f64::max),
        courses: ways.iter().map(|legs| Course::Listed(legs.clone().into_iter())).collect(),
    };
    MovingNeighbours::new(movement, REACH, path_loss())
}

fn nodes(list: &[Neighbour]) -> Vec<u32> {
    list.iter().map(|n| n.node.0).collect()
}

/// Two nodes on a line, the second going from `from_m` to `to_m` at 20 m/s and staying there.
fn pair(from_m: f64, to_m: f64) -> MovingNeighbours {
    let leg = |from_m, to_m, speed_mps| {
        vec![Leg { start: Instant::ZERO, from: at(from_m, 7.3), to: at(to_m, 7.3), speed_mps }]
    };
    moving(&[leg(0.1, 0.1, 0.0), leg(0.1 + from_m, 0.1 + to_m, 20.0)])
}

/// Whether the second of a pair senses and decodes the first at this time.
fn hears(pair: &mut MovingNeighbours, at_s: f64) -> (bool, bool) {
    pair.update(NodeId(0), 0, Instant::from_secs_f64(at_s));
    (!pair.sensing(0).is_empty(), !pair.decoding(0).is_empty())
}

#[test]
fn nodes_come_into_range_and_leave_it_at_the_exact_instant() {
    // At 650 m and 20 m/s towards the other: in sensing range after 5 s, in receive range after 20
    // s. A microsecond is 20 µm of way.
    let mut coming = pair(650.0, 10.0);
    let seen: Vec<_> =
        [0.0, 4.999_999, 5.0, 19.999_999, 20.0, 100.0].map(|at_s| hears(&mut coming, at_s)).into();
    let (out, sensing, decoding) = ((false, false), (true, false), (true, true));
    assert_eq!(seen, [out, out, sensing, sensing, decoding, decoding]);
    assert_eq!(coming.sensing(0)[0], Neighbour::new(NodeId(1), 10.0, &path_loss()));

    let mut going = pair(240.0, 560.0);
    let seen: Vec<_> =
        [0.0, 0.5, 0.500_001, 15.5, 15.500_001, 100.0].map(|at_s| hears(&mut going, at_s)).into();
    assert_eq!(seen, [decoding, decoding, sensing, sensing, out, out]);
}

#[test]
fn two_that_run_towards_each_other_are_not_missed() {
    // A centimetre too far apart to be candidates at first, and as fast as any.
    let apart_m = 550.0 * (1.0 + SLACK) + 0.01;
    let leg = |from_m, to_m| {
        let (from, to) = (at(from_m, 0.0), at(to_m, 0.0));
        vec![Leg { start: Instant::ZERO, from, to, speed_mps: 20.0 }]
    };
    let mut pair = moving(&[leg(0.0, 300.0), leg(apart_m, 300.0)]);
    assert_eq!(hears(&mut pair, 0.0), (false, false));
    let meet_s = (apart_m - 550.0) / 40.0;
    assert_eq!(hears(&mut pair, meet_s - 1e-6), (false, false));
    assert_eq!(hears(&mut pair, meet_s + 1e-6), (true, false));
}

#[test]
fn a_node_that_is_put_elsewhere_is_heard_there_at_once() {
    // No leg has a speed: candidates would be good for ever.
    let put = |start_s, x_m| Leg::stay(Instant::from_secs_f64(start_s), at(x_m, 0.0));
    let mut pair = moving(&[
        vec![put(0.0, 0.0)],
        vec![put(0.0, 9000.0), put(5.0, 200.0), put(7.0, -9000.0), put(8.0, 500.0)],
    ]);
    let seen: Vec<_> =
        [0.0, 4.999_999, 5.0, 6.999_999, 7.0, 8.0].map(|at_s| hears(&mut pair, at_s)).into();
    let (out, sensing, decoding) = ((false, false), (true, false), (true, true));
    assert_eq!(seen, [out, out, decoding, decoding, out, sensing]);
    // Also if nobody sends between two jumps.
    let mut pair =
        moving(&[vec![put(0.0, 0.0)], vec![put(0.0, 9000.0), put(5.0, 8000.0), put(6.0, 200.0)]]);
    assert_eq!([0.0, 7.0].map(|at_s| hears(&mut pair, at_s)), [out, decoding]);
}

#[test]
fn the_delay_is_of_the_distance_at_the_start_rounded_up() {
    let mut pair = pair(300.0, 0.0);
    // 290.01 m after 0.4995 s: 966.7 ns.
    pair.update(NodeId(0), 0, Instant::from_secs_f64(0.4995));
    assert_eq!(pair.sensing(0)[0].delay().as_nanos(), 967);
    pair.update(NodeId(1), 0, Instant::from_secs_f64(0.5));
    assert_eq!(pair.sensing(0)[0].delay().as_nanos(), 967, "290 m: 966.67 ns");
    pair.update(NodeId(1), 0, Instant::from_secs_f64(20.0));
    assert_eq!(pair.sensing(0)[0].delay().as_nanos(), 0);
}

#[test]
fn a_transmission_keeps_its_hearers_while_its_sender_starts_others() {
    let mut pair = pair(240.0, 900.0);
    pair.update(NodeId(0), 3, Instant::ZERO);
    let before = pair.sensing(3).to_vec();
    pair.update(NodeId(0), 5, Instant::from_secs_f64(1.0));
    pair.update(NodeId(0), 0, Instant::from_secs_f64(40.0));
    assert_eq!((pair.sensing(3), pair.decoding(3)), (&before[..], &before[..]));
    assert_eq!((nodes(pair.sensing(5)), nodes(pair.decoding(5))), (vec![1], vec![]));
    assert!(pair.sensing(0).is_empty());
}

#[test]
fn nodes_at_one_place_are_in_the_order_of_their_numbers() {
    let still = |x_m| {
        vec![Leg { start: Instant::ZERO, from: at(x_m, 0.0), to: at(x_m, 0.0), speed_mps: 0.0 }]
    };
    let mut neighbours = moving(&[still(9.0), still(5.0), still(0.0), still(5.0), still(5.0)]);
    neighbours.update(NodeId(2), 0, Instant::from_secs_f64(1e6));
    assert_eq!(nodes(neighbours.decoding(0)), [1, 3, 4, 0]);
}

/// A random way: where it starts and, for each leg, how long it lasts \[s\], where it goes and
/// whether it ends there, on the way or in a wait.
#[derive(Clone, Debug)]
struct Turn {
    lasts_s: f64,
    to: (f64, f64),
    speed_mps: f64,
}

fn turns(fastest_mps: f64) -> impl Strategy<Value = Vec<Turn>> {
    let speed = prop_oneof![1 => Just(0.0), 1 => Just(fastest_mps), 4 => 0.0..=fastest_mps];
    let turn = (0.0..60.0f64, place(), speed);
    let turn = turn.prop_map(|(lasts_s, to, speed_mps)| Turn { lasts_s, to, speed_mps });
    prop::collection::vec(turn, 1..6)
}

fn place() -> impl Strategy<Value = (f64, f64)> {
    (-1500.0..1500.0f64, -400.0..400.0f64)
}

/// Where a node on `leg` is at `now`, said differently than in the code under test.
fn on_leg(leg: &Leg, now: Instant) -> Position {
    let way_m = leg.from.distance_m(&leg.to);
    let gone_m = leg.speed_mps * (now.as_secs_f64() - leg.start.as_secs_f64());
    let share = if leg.speed_mps == 0.0 { 0.0 } else { (gone_m / way_m).min(1.0) };
    let between = |a: f64, b: f64| if share == 1.0 { b } else { a + (b - a) * share };
    at(between(leg.from.x_m, leg.to.x_m), between(leg.from.y_m, leg.to.y_m))
}

fn legs(start: (f64, f64), turns: &[Turn]) -> Vec<Leg> {
    let mut legs: Vec<Leg> = Vec::new();
    let mut start_s = 0.0;
    for turn in turns {
        let start_at = Instant::from_secs_f64(start_s);
        let from = legs.last().map_or(at(start.0, start.1), |leg| on_leg(leg, start_at));
        let to = at(turn.to.0, turn.to.1);
        legs.push(Leg { start: start_at, from, to, speed_mps: turn.speed_mps });
        start_s += turn.lasts_s;
    }
    legs
}

fn position(legs: &[Leg], now: Instant) -> Position {
    on_leg(legs.iter().rfind(|leg| leg.start <= now).expect("a leg from the start"), now)
}

/// Checks the lists of all transmissions against a look at all pairs.
fn compare(ways: &[Vec<Leg>], sendings: &[(f64, u32)]) -> Result<(), TestCaseError> {
    let mut neighbours = moving(ways);
    let mut now_s = 0.0;
    for (&(wait_s, sender), number) in sendings.iter().zip([0, 1, 2].into_iter().cycle()) {
        now_s += wait_s;
        let now = Instant::from_secs_f64(now_s);
        let sender = NodeId(sender % ways.len() as u32);
        neighbours.update(sender, number, now);
        let here = position(&ways[sender.index()], now);
        let distance_m = |node: u32| here.distance_m(&position(&ways[node as usize], now));
        let within = |range_m: f64| {
            let others = (0..ways.len() as u32).filter(|&node| node != sender.0);
            others.filter(|&node| distance_m(node) <= range_m).collect::<Vec<u32>>()
        };
        let sorted = |list: &[Neighbour]| {
            let mut found = nodes(list);
            found.sort_unstable();
            found
        };
        prop_assert_eq!(sorted(neighbours.sensing(number)), within(550.0));
        prop_assert_eq!(sorted(neighbours.decoding(number)), within(250.0));
        let next = NodeId((sender.0 + 1) % ways.len() as u32);
        let (would_sense, would_decode) = neighbours.hearers_at(next, now);
        neighbours.update(next, 3, now);
        prop_assert_eq!(
            would_sense.iter().map(|n| n.0).collect::<Vec<_>>(),
            nodes(neighbours.sensing(3))
        );
        prop_assert_eq!(would_decode, neighbours.decoding(3).len());
        let sensing = neighbours.sensing(number);
        for n in sensing {
            let delay_ns = distance_m(n.node.0) / 0.3;
            prop_assert!((n.delay().as_nanos() as f64 - delay_ns - 0.5).abs() < 0.501);
        }
        let far: Vec<f64> = sensing.iter().map(|n| distance_m(n.node.0)).collect();
        prop_assert!(far.windows(2).all(|pair| pair[0] < pair[1] + 1e-6), "nearest first");
        let all = neighbours.positions_at(now);
        prop_assert!(all.iter().zip(ways).all(|(p, way)| p.distance_m(&position(way, now)) < 1e-6));
    }
    Ok(())
}

fn ways(fastest_mps: f64) -> impl Strategy<Value = Vec<Vec<Leg>>> {
    let way = (place(), turns(fastest_mps)).prop_map(|(start, turns)| legs(start, &turns));
    prop::collection::vec(way, 2..30)
}

fn sendings(longest_wait_s: f64) -> impl Strategy<Value = Vec<(f64, u32)>> {
    prop::collection::vec((0.0..longest_wait_s, 0..30u32), 1..80)
}

proptest! {
    #[test]
    fn looking_at_candidates_finds_what_looking_at_all_pairs_finds(
        ways in ways(20.0), sendings in sendings(4.0),
    ) {
        compare(&ways, &sendings)?;
    }

    #[test]
    fn so_it_does_while_one_grid_is_good(ways in ways(2.0), sendings in sendings(0.5)) {
        compare(&ways, &sendings)?;
    }

    #[test]
    fn so_it_does_at_high_speed(ways in ways(5e4), sendings in sendings(0.02)) {
        compare(&ways, &sendings)?;
    }

    #[test]
    fn nodes_that_stand_have_the_very_neighbours_of_a_static_network(
        places in prop::collection::vec(place(), 1..40), now_s in 0.0..1e6f64,
    ) {
        let positions: Vec<Position> = places.iter().map(|&(x, y)| at(x, y)).collect();
        let ways: Vec<Vec<Leg>> = positions
            .iter()
            .map(|&from| vec![Leg { start: Instant::ZERO, from, to: from, speed_mps: 0.0 }])
            .collect();
        let standing = crate::radio::Neighbours::of_static(&positions, REACH, &path_loss());
        let mut neighbours = moving(&ways);
        for node in (0..positions.len() as u32).map(NodeId) {
            neighbours.update(node, 0, Instant::from_secs_f64(now_s));
            prop_assert_eq!(neighbours.sensing(0), standing.sensing(node));
            prop_assert_eq!(neighbours.decoding(0), standing.decoding(node));
        }
    }
}

#[test]
fn a_snapshot_is_of_its_instant() {
    // 300 m apart and coming closer at 20 m/s: within receiving range after 2.5 s.
    let mut coming = pair(300.0, 10.0);
    let mut decoding =
        |at_s: f64| nodes(coming.snapshot(Instant::from_secs_f64(at_s)).decoding(NodeId(0)));
    assert_eq!([0.0, 2.499_999, 2.5, 2.5].map(&mut decoding), [vec![], vec![], vec![1], vec![1]]);
}
