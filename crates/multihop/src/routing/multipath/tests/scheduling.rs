//! How data is split over paths with known round-trip times.

use super::harness::{Multipath, keys};
use crate::kernel::Duration;
use crate::routing::multipath::{PathPolicy, PathsConfig};

/// Disjoint paths of these lengths from 0 to 1. Links have a delay of one millisecond.
fn strings(hops: &[u32]) -> (u32, Vec<(u32, u32)>) {
    let mut next = 2;
    let mut links = Vec::new();
    for &hops in hops {
        let mut last = 0;
        for _ in 1..hops {
            links.push((last, next));
            (last, next) = (next, next + 1);
        }
        links.push((last, 1));
    }
    (next, links)
}

/// What each path carried and its mean round-trip time, shortest first.
fn split(hops: &[u32], paths: PathsConfig) -> Vec<(u64, Option<Duration>)> {
    let (n, links) = strings(hops);
    let wide = PathsConfig { length_factor: 100.0, ..paths };
    let mut network = Multipath::multipath(n, &links, wide);
    network.run_to(1.0);
    network.converse(0, 1, 1, 300);
    let mut paths: Vec<_> = network.nodes[0].paths().collect();
    assert_eq!(paths.len(), hops.len());
    paths.sort_by_key(|path| network.nodes_on(0, path.0, path.1).len());
    paths
        .iter()
        .map(|(_, _, load)| {
            (load.packets, (load.rtt_samples > 0).then(|| load.rtt_total / load.rtt_samples))
        })
        .collect()
}

#[test]
fn packets_are_split_inversely_to_round_trip_times() {
    // 4 and 10 ms: a weight of 2.5, so two packets to one.
    let [(fast, fast_rtt), (slow, slow_rtt)] = split(&[2, 5], keys(PathPolicy::Edm))[..] else {
        panic!("two paths")
    };
    let ratio = slow_rtt.unwrap().as_secs_f64() / fast_rtt.unwrap().as_secs_f64();
    assert!((2.4..2.6).contains(&ratio), "{ratio}");
    assert!((197..=203).contains(&fast) && (97..=103).contains(&slow), "{fast} {slow}");
}

#[test]
fn the_weight_bound_leaves_the_slowest_path_a_share() {
    // 12 times as long counts as 5 times: 250 of 300.
    let split = split(&[1, 12], keys(PathPolicy::Ndm));
    assert!((247..=252).contains(&split[0].0), "{split:?}");
}

#[test]
fn a_larger_weight_factor_reduces_rounding() {
    let keys = PathsConfig { weight_factor: 3.0, ..keys(PathPolicy::Edm) };
    let split = split(&[2, 5], keys);
    // 7.5 and 3: seven packets for three.
    assert!((205..=215).contains(&split[0].0), "{split:?}");
}

#[test]
fn ap_does_not_split_packets() {
    let [(all, _), (none, rtt)] = split(&[2, 4], keys(PathPolicy::Ap))[..] else {
        panic!("two paths")
    };
    assert_eq!((all, none, rtt), (300, 0, None));
}
