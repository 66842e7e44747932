//! Whole networks.

use super::harness::{chain, network, network_of, next_hop, quality, route};
use crate::routing::DropReason;
use crate::routing::batman::BatmanConfig;

#[test]
fn data_take_the_chain_from_end_to_end_behind_a_header_of_batman_adv() {
    let mut network = network(6, &chain(6));
    network.run_to(20.0);
    assert_eq!(route(&network, 0, 5), [0, 1, 2, 3, 4, 5]);
    network.send(20.0, 0, 5, 1);
    network.run_to(21.0);
    assert_eq!(network.arrived(), [1]);
    // 40 bytes, 10 of the header of unicast packets, 14 of Ethernet's.
    assert_eq!(network.delivered[0].1.size_bytes, 64);
}

#[test]
fn without_a_route_a_packet_is_dropped() {
    let mut network = network(3, &chain(2));
    network.send(20.0, 0, 2, 1);
    assert_eq!(network.drops(0), [(1, DropReason::NoRoute)]);
}

#[test]
fn quality_falls_by_the_hop_penalty() {
    let mut network = network(4, &chain(4));
    network.run_to(100.0);
    let qualities = [1, 2, 3].map(|to| quality(&network, 0, to));
    // 255; then 255 -> 240 -> 225; then 225 -> 211 -> 198.
    assert_eq!(qualities, [255, 225, 198]);
}

#[test]
fn without_a_penalty_longer_ways_are_as_good() {
    let config = BatmanConfig { hop_penalty: 0, ..BatmanConfig::default() };
    let mut network = network_of(4, &chain(4), &config);
    network.run_to(100.0);
    assert_eq!([1, 2, 3].map(|to| quality(&network, 0, to)), [255; 3]);
}

#[test]
fn a_direct_link_that_loses_little_beats_a_way_around() {
    let mut network = network(3, &[(0, 1), (1, 2), (0, 2)]);
    network.run_to(100.0);
    assert_eq!(next_hop(&network, 0, 2), Some(2));
}

#[test]
fn a_direct_link_that_loses_much_is_avoided() {
    let mut network = network(3, &[(0, 1), (1, 2), (0, 2)]);
    network.lose(0, 2, 3, 4);
    network.lose(2, 0, 3, 4);
    network.run_to(150.0);
    assert_eq!((next_hop(&network, 0, 2), next_hop(&network, 2, 0)), (Some(1), Some(1)));
}

#[test]
fn of_an_asymmetric_link_the_direction_that_data_take_decides() {
    // "Handling Asymmetric Links": 0 hears 2 well, 2 hears 0 badly.
    let mut network = network(3, &[(0, 1), (1, 2), (0, 2)]);
    network.lose(0, 2, 4, 5);
    network.run_to(150.0);
    assert_eq!(next_hop(&network, 0, 2), Some(1));
}

#[test]
fn a_way_that_is_cut_is_left_within_a_few_intervals() {
    let mut network = network(4, &[(0, 1), (1, 3), (0, 2), (2, 3)]);
    network.run_to(100.0);
    let first = next_hop(&network, 0, 3).expect("a route");
    network.cut(first, 3);
    network.run_to(108.0);
    assert_eq!(route(&network, 0, 3), [0, 3 - first, 3]);
}
