//! The alive timer of connections.

use proptest::prelude::*;

use super::harness::ack;
use crate::kernel::{Duration, Instant};
use crate::routing::dcar::DcarConfig;
use crate::routing::dcar::connections::{AliveTimer, Connections};
use crate::routing::harness::{data, datagram};
use crate::wire::NodeId;

fn at(seconds: f64) -> Instant {
    Instant::from_secs_f64(seconds)
}

fn timer() -> AliveTimer {
    AliveTimer::new(&DcarConfig::default())
}

/// Connections after packets of one connection at these times, and the time of the last.
fn seen(intervals_s: &[f64]) -> (Connections, Instant) {
    let mut connections = Connections::default();
    let mut now = at(1.0);
    connections.see(now, &data(0, 9, 1, now), &timer());
    for &interval_s in intervals_s {
        now += Duration::from_secs_f64(interval_s);
        connections.see(now, &data(0, 9, 1, now), &timer());
    }
    (connections, now)
}

/// How long the connection counts after its last packet \[s\].
fn alive_s(intervals_s: &[f64]) -> f64 {
    let (connections, last) = seen(intervals_s);
    let counts = |ms: u64| connections.count(last + Duration::from_millis(ms)) == 1;
    assert!(counts(0), "{intervals_s:?}");
    (1..20_000).find(|&ms| !counts(ms)).expect("an end") as f64 / 1e3
}

#[test]
fn a_connection_counts_for_six_mean_intervals() {
    assert_eq!(alive_s(&[0.2; 5]), 1.2);
    assert_eq!(alive_s(&[1.0; 2]), 6.0);
    // The mean moves by an eighth of the difference.
    assert_eq!(alive_s(&[1.0, 1.8]), 6.6);
}

#[test]
fn the_timer_has_a_first_value_and_bounds() {
    assert_eq!(alive_s(&[]), 3.0);
    assert_eq!(alive_s(&[0.01; 9]), 0.5);
    assert_eq!(alive_s(&[2.5]), 10.0);
}

#[test]
fn a_connection_that_resumes_starts_anew() {
    assert_eq!(alive_s(&[0.1, 0.1, 5.0]), 3.0);
}

#[test]
fn data_and_acknowledgments_of_a_connection_count_once_and_datagrams_never() {
    let mut connections = Connections::default();
    let ack = |flow| ack(flow, 9, 0, at(1.1));
    connections.see(at(1.0), &data(0, 9, 1, at(1.0)), &timer());
    connections.see(at(1.1), &ack(0), &timer());
    connections.see(at(1.1), &datagram(0, 9), &timer());
    assert_eq!(connections.count(at(1.1)), 1);
    connections.see(at(1.1), &ack(1), &timer());
    assert_eq!(connections.count(at(1.1)), 2, "another connection with the same ends");
    connections.remove_between(NodeId(9), NodeId(0));
    assert_eq!(connections.count(at(1.1)), 2, "their source is the other end");
    connections.remove_between(NodeId(0), NodeId(9));
    assert_eq!(connections.count(at(1.1)), 0);
}

proptest! {
    #[test]
    fn the_timer_is_six_means_within_its_bounds(
        intervals_s in prop::collection::vec(0.001..0.4f64, 1..40),
    ) {
        let mean_s = intervals_s[1..]
            .iter()
            .fold(intervals_s[0], |mean_s, interval_s| mean_s + (interval_s - mean_s) / 8.0);
        // No interval outlives the least bound, so the connection never starts anew.
        let expected = (6.0 * mean_s).clamp(0.5, 10.0);
        prop_assert!((alive_s(&intervals_s) - expected).abs() <= 0.001 + 1e-9);
    }
}
