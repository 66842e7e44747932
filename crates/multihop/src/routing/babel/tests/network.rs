//! Babel in networks by hand: routes, data, failures.

use super::super::cost::Metric;
use super::super::{Babel, BabelConfig};
use crate::routing::harness::Network;
use crate::routing::{Action, DropReason};
use crate::wire::NodeId;

fn network(nodes: u32, links: &[(u32, u32)], config: &BabelConfig) -> Network<Babel> {
    let node = |node| Babel::new(NodeId(node), nodes as usize, config, false);
    Network::of((0..nodes).map(node).collect(), links)
}

fn hop(network: &Network<Babel>, at: u32, to: u32) -> Option<u32> {
    network.nodes[at as usize].next_hop(NodeId(to)).map(|node| node.0)
}

fn metric(network: &Network<Babel>, at: u32, to: u32) -> Option<u16> {
    network.nodes[at as usize].metric(NodeId(to))
}

#[test]
fn all_nodes_of_a_chain_find_all_others() {
    let mut chain = network(6, &[(0, 1), (1, 2), (2, 3), (3, 4), (4, 5)], &BabelConfig::default());
    chain.run_to(150.0);
    for at in 0..6_u32 {
        for to in (0..6).filter(|&to| to != at) {
            let next = if to > at { at + 1 } else { at - 1 };
            assert_eq!(hop(&chain, at, to), Some(next));
            assert_eq!(metric(&chain, at, to), Some(256 * at.abs_diff(to) as u16));
        }
    }
    chain.send(150.0, 0, 5, 7);
    chain.run_to(151.0);
    assert_eq!(chain.arrived(), [7]);
    assert_eq!(chain.delivered[0].1.ttl, 60, "64, and four relays");
}

#[test]
fn data_for_a_node_without_a_route_are_dropped() {
    let mut chain = network(3, &[(0, 1), (1, 2)], &BabelConfig::default());
    chain.send(0.5, 0, 2, 7);
    assert_eq!(chain.drops(0), [(7, DropReason::NoRoute)]);
}

// Two hops at 256 each are better than one that loses two of three Hellos each way.
#[test]
fn etx_goes_around_a_lossy_link_and_hops_go_over_it() {
    let links = [(0, 1), (1, 2), (0, 2)];
    let lossy = |config: &BabelConfig| {
        let mut network = network(3, &links, config);
        network.lose(0, 2, 1, 3);
        network.lose(2, 0, 1, 3);
        network.run_to(110.0);
        hop(&network, 0, 2)
    };
    assert_eq!(lossy(&BabelConfig::default()), Some(1));
    let hops = BabelConfig { metric: Metric::KOutOfJ, ..BabelConfig::default() };
    assert_eq!(lossy(&hops), Some(2));
}

#[test]
fn a_network_heals_around_a_broken_link_and_tells_its_source_if_it_can_not() {
    // 0 - 1 - 2 and 0 - 3 - 4 - 2.
    let links = [(0, 1), (1, 2), (0, 3), (3, 4), (4, 2)];
    let mut ring = network(5, &links, &BabelConfig::default());
    ring.run_to(120.0);
    assert_eq!(hop(&ring, 0, 2), Some(1));
    ring.cut(1, 2);
    ring.run_to(160.0);
    assert_eq!((hop(&ring, 0, 2), metric(&ring, 0, 2)), (Some(3), Some(768)));
    assert_eq!(hop(&ring, 1, 2), Some(0), "back over node 0");
    ring.cut(4, 2);
    ring.run_to(200.0);
    assert_eq!([hop(&ring, 0, 2), hop(&ring, 1, 2), hop(&ring, 3, 2)], [None; 3]);
    assert!(ring.count(0, &Action::RouteError { destination: NodeId(2) }) > 0);
    ring.join(1, 2);
    ring.run_to(300.0);
    assert_eq!(hop(&ring, 0, 2), Some(1));
}

// The starvation of section 2.5: B's route over S is not feasible for A.
#[test]
fn a_node_that_starves_gets_its_route_by_a_newer_sequence_number() {
    // S is 0, A is 1, B is 2; the link between B and S loses a half of B's Hellos.
    let mut triangle = network(3, &[(0, 1), (1, 2), (0, 2)], &BabelConfig::default());
    triangle.lose(2, 0, 1, 2);
    triangle.run_to(100.0);
    assert_eq!((hop(&triangle, 1, 0), metric(&triangle, 1, 0)), (Some(0), Some(256)));
    let requests = |network: &Network<Babel>| network.nodes[1].counts.seqno_requests_originated;
    let (seqno, before) = (triangle.nodes[0].seqno, requests(&triangle));
    triangle.cut(0, 1);
    triangle.run_to(150.0);
    assert_eq!(hop(&triangle, 1, 0), Some(2));
    assert!(requests(&triangle) > before && seqno.is_less_than(triangle.nodes[0].seqno));
}

#[test]
fn a_packet_of_its_own_that_comes_back_is_dropped_and_counted() {
    let mut chain = network(2, &[(0, 1)], &BabelConfig::default());
    let packet = crate::routing::harness::data(0, 1, 7, chain.now);
    chain.call(0, |node, cx| crate::routing::Protocol::on_receive(node, cx, packet, NodeId(1)));
    assert_eq!(chain.drops(0), [(7, DropReason::Loop)]);
    assert_eq!(chain.nodes[0].counts.looped_packets, 1);
}

#[test]
fn the_same_seed_sends_the_same_and_another_does_not() {
    let sent = |seed| {
        let config = BabelConfig::default();
        let node = |node| Babel::new(NodeId(node), 3, &config, false);
        let mut network = Network::of_seed((0..3).map(node).collect(), &[(0, 1), (1, 2)], seed);
        network.run_to(40.0);
        network.sent().map(|(at, node, ..)| (at, node)).collect::<Vec<_>>()
    };
    assert_eq!(sent(3), sent(3));
    assert_ne!(sent(3), sent(4));
}
