//! Greedy forwarding on a network that is driven by hand: no MAC and no radio, each link takes a
//! millisecond.

use multihop::api::radio::Position;
use multihop::api::routing::DropReason;
use multihop::api::routing::harness::Network;

use super::{Greedy, GreedyConfig, schemes};

/// Two ways from N0 at the origin to N3, 600 m east: over N1, or over N2 that is less far; and N4
/// behind N0.
fn network() -> Network<Greedy> {
    let places = [(0.0, 0.0), (300.0, 50.0), (200.0, 0.0), (600.0, 0.0), (-200.0, 0.0)];
    let positions = places.map(|(x_m, y_m)| Position { x_m, y_m });
    let node = |_| Greedy::new(&GreedyConfig::default(), positions.to_vec().into());
    let links = [(0, 1), (0, 2), (1, 3), (2, 3), (0, 4)];
    Network::of((0..5).map(node).collect(), &links)
}

fn next_hops(network: &Network<Greedy>) -> Vec<u32> {
    let data = network.sent().filter(|(_, node, _, _, packet)| *node == 0 && packet.is_transport());
    data.map(|(_, _, next_hop, _, _)| next_hop.0).collect()
}

#[test]
fn packets_go_to_the_neighbour_nearest_to_their_destination() {
    let mut network = network();
    network.send(3.0, 0, 3, 7);
    network.run_to(4.0);
    assert_eq!(network.arrived(), [7]);
    assert_eq!(next_hops(&network), [1]);
}

#[test]
fn a_link_that_fails_is_left_for_the_next_best() {
    let mut network = network();
    network.run_to(3.0);
    network.cut(0, 1);
    network.send(3.0, 0, 3, 7);
    network.run_to(4.0);
    assert_eq!(next_hops(&network), [1, 2]);
    assert_eq!(network.arrived(), [7]);
}

#[test]
fn a_packet_is_stuck_where_nobody_is_nearer() {
    let mut network = network();
    network.cut(0, 1);
    network.cut(0, 2);
    network.send(10.0, 0, 3, 7);
    network.run_to(11.0);
    assert_eq!(network.drops(0), [(7, DropReason::NoRoute)]);
    assert_eq!(network.nodes[0].report.stuck, 1);
}

#[test]
fn scenarios_know_it() {
    assert!(schemes().overrides("greedy").is_some());
}
