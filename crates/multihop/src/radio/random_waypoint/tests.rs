//! Legs and their distributions against closed forms.

use proptest::prelude::*;

use super::*;
use crate::kernel::{Purpose, Rng};

const AREA_M: [f64; 2] = [1500.0, 300.0];

fn waypoints(speed_mps: [f64; 2], pause_s: u64) -> Waypoints {
    Waypoints { area_m: AREA_M, speed_mps, pause: Duration::from_secs(pause_s) }
}

fn rng(node: u64) -> Rng {
    Rng::stream(1, Purpose::Mobility, node)
}

fn stationary(node: u64, waypoints: Waypoints) -> RandomWaypoint {
    RandomWaypoint::stationary(waypoints, rng(node))
}

/// A node that starts the usual way, at a uniform place.
fn plain(node: u64, waypoints: Waypoints) -> RandomWaypoint {
    let mut rng = rng(node);
    RandomWaypoint::starting_at(waypoints.place(&mut rng), waypoints, rng)
}

/// Where the node is at `now`, and how fast it goes.
fn state(legs: impl Iterator<Item = Leg>, now: Instant) -> (Position, f64) {
    let leg = legs.take_while(|leg| leg.start <= now).last().unwrap();
    let moving = now < leg.arrival();
    (leg.position(now), if moving { leg.speed_mps } else { 0.0 })
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// Asserts that the mean of `values` is `expected` within five standard errors.
fn assert_mean(values: &[f64], expected: f64) {
    let mean = mean(values);
    let squares = values.iter().map(|v| (v - mean) * (v - mean)).sum::<f64>();
    let error = (squares / values.len() as f64).sqrt() / (values.len() as f64).sqrt();
    assert!((mean - expected).abs() < 5.0 * error, "{mean} ± {error}, expected {expected}");
}

/// Asserts that `values` come from the distribution function `cdf` (Kolmogorov-Smirnov, p = 1e-6).
fn assert_distribution(mut values: Vec<f64>, cdf: impl Fn(f64) -> f64) {
    values.sort_by(f64::total_cmp);
    let n = values.len() as f64;
    let apart = values.iter().enumerate().map(|(i, &v)| {
        let expected = cdf(v);
        (expected - i as f64 / n).abs().max((expected - (i as f64 + 1.0) / n).abs())
    });
    let statistic = apart.fold(0.0, f64::max) * n.sqrt();
    assert!(statistic < 2.7, "{statistic}");
}

#[test]
fn known_mean_distances() {
    assert!((mean_distance_m([1500.0, 300.0]) - 524.64).abs() < 0.005);
    assert!((mean_distance_m([300.0, 1500.0]) - 524.64).abs() < 0.005);
    assert!((mean_distance_m([1.0, 1.0]) - 0.521_405_433).abs() < 1e-9);
    assert!((mean_distance_m([1e7, 1.0]) - 1e7 / 3.0).abs() < 1.0);
    // Both sides of where a rectangle becomes a line.
    assert!((mean_distance_m([1e6, 10.1]) / mean_distance_m([1e6, 9.9]) - 1.0).abs() < 1e-5);
}

#[test]
fn mean_slowness_of_equal_and_of_distinct_bounds() {
    assert_eq!(mean_slowness_s_per_m([4.0, 4.0]), 0.25);
    assert!((mean_slowness_s_per_m([1.0, 20.0]) - 20f64.ln() / 19.0).abs() < 1e-15);
    assert!((mean_slowness_s_per_m([4.0, 4.0 + 1e-12]) - 0.25).abs() < 1e-12);
}

#[test]
fn legs_are_uniform_in_place_and_speed() {
    let legs: Vec<Leg> = plain(0, waypoints([1.0, 20.0], 0)).take(20_000).collect();
    let lengths: Vec<f64> = legs.iter().map(|leg| leg.from.distance_m(&leg.to)).collect();
    assert_mean(&lengths, mean_distance_m(AREA_M));
    assert_distribution(legs.iter().map(|leg| leg.to.x_m).collect(), |x| x / 1500.0);
    assert_distribution(legs.iter().map(|leg| leg.to.y_m).collect(), |y| y / 300.0);
    assert_distribution(legs.iter().map(|leg| leg.speed_mps).collect(), |v| (v - 1.0) / 19.0);
}

#[test]
fn a_least_speed_of_zero_is_never_drawn() {
    let legs = plain(0, waypoints([0.0, 20.0], 0)).take(10_000);
    assert!(legs.into_iter().all(|leg| leg.speed_mps > 0.0 && leg.speed_mps <= 20.0));
}

#[test]
fn a_plain_start_pauses_first() {
    let place = Position { x_m: 7.0, y_m: 8.0 };
    let mut legs = RandomWaypoint::starting_at(place, waypoints([1.0, 20.0], 30), rng(0));
    assert_eq!(legs.place(), place);
    assert_eq!(legs.next(), Some(Leg::stay(Instant::ZERO, place)));
    let first = legs.next().unwrap();
    assert_eq!((first.start, first.from), (Instant::from_secs_f64(30.0), place));
    let mut legs = RandomWaypoint::starting_at(place, waypoints([1.0, 20.0], 0), rng(0));
    let first = legs.next().unwrap();
    assert_eq!((first.start, first.from), (Instant::ZERO, place));
    assert!(first.speed_mps >= 1.0);
}

#[test]
fn stationary_speeds_have_a_density_of_one_over_v() {
    let speeds = (0..20_000).map(|node| stationary(node, waypoints([1.0, 20.0], 0)).next.speed_mps);
    let speeds: Vec<f64> = speeds.collect();
    assert_mean(&speeds, 19.0 / 20f64.ln());
    assert_distribution(speeds, |v| v.ln() / 20f64.ln());
}

#[test]
fn the_stationary_share_of_pausing_nodes_and_their_rest() {
    let waypoints = waypoints([1.0, 20.0], 60);
    let travel_s = mean_distance_m(AREA_M) * 20f64.ln() / 19.0;
    let share = 60.0 / (60.0 + travel_s);
    let nodes: Vec<RandomWaypoint> = (0..20_000).map(|node| stationary(node, waypoints)).collect();
    let pausing = |node: &RandomWaypoint| node.next.speed_mps == 0.0;
    let paused: Vec<f64> = nodes.iter().map(|n| f64::from(u8::from(pausing(n)))).collect();
    assert_mean(&paused, share);
    let resting: Vec<&RandomWaypoint> = nodes.iter().filter(|n| pausing(n)).collect();
    assert_distribution(resting.iter().map(|n| n.rest.as_secs_f64()).collect(), |t| t / 60.0);
    assert_distribution(resting.iter().map(|n| n.next.from.x_m).collect(), |x| x / 1500.0);
}

/// On a line of length 1 a place x is passed by every path with an end on either side of it, so the
/// density is 6 x (1 - x).
#[test]
fn stationary_places_on_a_line_have_a_density_of_six_x_times_one_minus_x() {
    let line = Waypoints { area_m: [10_000.0, 1.0], ..waypoints([1.0, 20.0], 0) };
    let places = (0..20_000).map(|node| stationary(node, line).place().x_m / 10_000.0);
    assert_distribution(places.collect(), |x| x * x * (3.0 - 2.0 * x));
}

/// What a stationary start is for: the law of places and speeds at time 0 is that of any later
/// time.
#[test]
fn a_stationary_start_stays_as_it_is() {
    let waypoints = waypoints([1.0, 20.0], 20);
    for seconds in [0.0, 40.0, 500.0] {
        let now = Instant::from_secs_f64(seconds);
        let states: Vec<(Position, f64)> =
            (0..8_000).map(|node| state(stationary(node, waypoints), now)).collect();
        let speeds: Vec<f64> = states.iter().map(|&(_, speed_mps)| speed_mps).collect();
        let moving = 1.0 - waypoints.pause_share();
        assert_mean(&speeds, moving * 19.0 / 20f64.ln());
        // Against places drawn from the law by another way: a run of one node, sampled over time.
        let spread: Vec<f64> = states.iter().map(|(p, _)| (p.x_m - 750.0).powi(2)).collect();
        assert_mean(&spread, long_run_spread(waypoints));
    }
}

/// Time average of the squared distance from the middle, along x: the integral over each leg is
/// exact.
fn long_run_spread(waypoints: Waypoints) -> f64 {
    let pause_s = waypoints.pause.as_secs_f64();
    let (mut time_s, mut total) = (0.0, 0.0);
    for leg in plain(0, waypoints).skip(1).take(400_000) {
        let travel_s = leg.arrival().saturating_since(leg.start).as_secs_f64();
        let (from, to) = (leg.from.x_m - 750.0, leg.to.x_m - 750.0);
        total += travel_s * (from * from + from * to + to * to) / 3.0 + pause_s * to * to;
        time_s += travel_s + pause_s;
    }
    total / time_s
}

#[test]
fn a_plain_start_slows_down() {
    let waypoints = waypoints([0.1, 20.0], 0);
    let speeds_at = |seconds| {
        let now = Instant::from_secs_f64(seconds);
        (0..4_000).map(|node| state(plain(node, waypoints), now).1).collect::<Vec<f64>>()
    };
    assert_mean(&speeds_at(0.0), 10.05);
    let late = mean(&speeds_at(1000.0));
    let stationary = 19.9 / 200f64.ln();
    assert!(late < 6.0 && late > stationary, "{late}");
}

proptest! {
    #[test]
    fn legs_follow_each_other_without_gap(
        seed in any::<u64>(),
        least in 0.0f64..20.0,
        more in 0.0f64..30.0,
        pause_ms in prop_oneof![Just(0u64), 1u64..100_000],
        is_stationary in any::<bool>(),
    ) {
        let pause = Duration::from_millis(pause_ms);
        let speed_mps = [least + 0.01, least + 0.01 + more];
        let waypoints = Waypoints { area_m: AREA_M, speed_mps, pause };
        let rng = Rng::stream(seed, Purpose::Mobility, 0);
        let course = match is_stationary {
            true => RandomWaypoint::stationary(waypoints, rng),
            false => RandomWaypoint::starting_at(Position::default(), waypoints, rng),
        };
        let legs: Vec<Leg> = course.take(50).collect();
        prop_assert_eq!(legs[0].start, Instant::ZERO);
        for (i, pair) in legs.windows(2).enumerate() {
            prop_assert_eq!(pair[0].position(pair[1].start), pair[1].from);
            let rest = pair[1].start.saturating_since(pair[0].arrival());
            prop_assert!(rest == pause || i == 0 && rest <= pause, "{:?}", rest);
            prop_assert!(pair[1].start > pair[0].start);
        }
        for leg in &legs {
            prop_assert!((0.0..AREA_M[0]).contains(&leg.to.x_m));
            prop_assert!((0.0..AREA_M[1]).contains(&leg.to.y_m));
            prop_assert!(leg.speed_mps <= speed_mps[1]);
        }
    }
}
