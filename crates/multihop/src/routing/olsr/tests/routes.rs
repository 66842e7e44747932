//! Routes over whole networks.

use std::collections::BTreeSet;

use proptest::prelude::*;

use super::harness::*;
use crate::routing::harness::Network;
use crate::routing::olsr::{Olsr, OlsrConfig, OlsrMetric};
use crate::routing::shortest_paths::ShortestPaths;
use crate::routing::{DropReason, Protocol};
use crate::wire::NodeId;

/// Nodes from `source` to `destination` by the tables, as far as they lead.
fn path(network: &mut Network<Olsr>, source: u32, destination: u32) -> Vec<u32> {
    let mut path = vec![source];
    while let Some(next) = next_hop(network, path[path.len() - 1], destination) {
        path.push(next);
        if next == destination || path.len() > 40 {
            break;
        }
    }
    path
}

#[test]
fn data_takes_the_chain_from_end_to_end() {
    // Section 10.
    let mut network = network(6, &chain(6));
    network.run_to(40.0);
    assert_eq!(path(&mut network, 0, 5), [0, 1, 2, 3, 4, 5]);
    network.send(40.0, 0, 5, 1);
    network.run_to(41.0);
    assert_eq!(network.arrived(), [1]);
}

#[test]
fn without_a_route_a_packet_is_dropped_at_once() {
    // Section 10: destinations without a route are not in the table.
    let mut network = network(3, &[(0, 1)]);
    network.run_to(20.0);
    network.send(20.0, 0, 2, 1);
    assert_eq!(network.drops(0), [(1, DropReason::NoRoute)]);
}

#[test]
fn the_shorter_of_two_ways_is_taken_and_the_other_when_it_breaks() {
    // Section 10.
    // 0 - 1 - 4 and 0 - 2 - 3 - 4.
    let links = [(0, 1), (1, 4), (0, 2), (2, 3), (3, 4)];
    let mut network = network(5, &links);
    network.run_to(30.0);
    assert_eq!(path(&mut network, 0, 4), [0, 1, 4]);
    network.cut(1, 4);
    network.run_to(60.0);
    assert_eq!(path(&mut network, 0, 4), [0, 2, 3, 4]);
}

#[test]
fn a_packet_that_meets_news_which_its_source_has_not_heard_goes_round_and_is_counted() {
    // Section 13 has the break noticed at one node before the others.
    let links = [(0, 1), (1, 2), (2, 3), (3, 4), (4, 5), (5, 0)];
    let config = OlsrConfig {
        hysteresis: Some(false),
        link_layer_notification: true,
        ..OlsrConfig::default()
    };
    let mut ring = network_of(6, &links, &config);
    let seen = |ring: &Network<Olsr>| ring.nodes.iter().map(|node| node.counts.loops_seen).sum();
    ring.send(60.0, 1, 3, 1);
    ring.run_to(60.1);
    assert_eq!((ring.arrived(), seen(&ring)), (vec![1], 0_u64));
    // Node 2 loses node 3, and knows of the way back; node 1 still sends by node 2.
    ring.cut(2, 3);
    ring.send(60.1, 1, 3, 2);
    ring.run_to(60.2);
    assert_eq!((ring.drops(2), seen(&ring)), (vec![(2, DropReason::LinkFailure)], 0));
    ring.send(60.2, 1, 3, 3);
    ring.run_to(60.21);
    assert_eq!((ring.drops(1), seen(&ring)), (vec![(3, DropReason::Loop)], 1));
    ring.send(90.0, 1, 3, 4);
    ring.run_to(90.1);
    assert_eq!((ring.arrived(), seen(&ring)), (vec![1, 4], 1), "by the way back");
}

#[test]
fn by_expected_transmissions_two_good_links_beat_a_bad_one() {
    // 0 - 2 loses every second packet each way: four transmissions.
    let links = [(0, 1), (1, 2), (0, 2)];
    let lossy = |config: &OlsrConfig| {
        let mut network = network_of(3, &links, config);
        network.lose(0, 2, 1, 2);
        network.lose(2, 0, 1, 2);
        network.run_to(120.0);
        path(&mut network, 0, 2)
    };
    let hops = OlsrConfig { hysteresis: Some(false), ..OlsrConfig::default() };
    assert_eq!(lossy(&hops), [0, 2]);
    let etx = OlsrConfig { metric: OlsrMetric::Etx, ..OlsrConfig::default() };
    assert_eq!(lossy(&etx), [0, 1, 2]);
}

#[test]
fn a_packet_that_has_gone_too_far_is_dropped() {
    let mut network = network(3, &chain(3));
    network.run_to(20.0);
    let mut packet = crate::routing::harness::data(5, 2, 1, network.now);
    packet.ttl = 1;
    network.call(1, |olsr, cx| {
        crate::routing::Protocol::on_receive(olsr, cx, packet, NodeId(0));
    });
    assert_eq!(network.drops(1), [(1, DropReason::TimeToLive)]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(
        std::env::var("OLSR_NETWORKS").ok().and_then(|cases| cases.parse().ok()).unwrap_or(40)
    ))]

    #[test]
    fn settled_tables_lead_along_shortest_paths_and_never_in_circles(
        pairs in prop::collection::btree_set((0u32..9, 0u32..9), 5..22),
        coverage in 1u32..3,
        seed in 0u64..1000,
    ) {
        let links: Vec<(u32, u32)> =
            pairs.iter().filter(|(a, b)| a < b).copied().collect();
        let config = std::sync::Arc::new(
            OlsrConfig { hysteresis: Some(false), mpr_coverage: coverage, ..OlsrConfig::default() }
                .resolved(),
        );
        let nodes = (0..9).map(|node| Olsr::new(NodeId(node), 9, &config)).collect();
        let mut network = Network::of_seed(nodes, &links, seed);
        network.run_to(45.0);
        let both: BTreeSet<(u32, u32)> =
            links.iter().flat_map(|&(a, b)| [(a, b), (b, a)]).collect();
        let mut search = ShortestPaths::new(9);
        for source in 0..9 {
            search.search(NodeId(source), None, |node, hops: u32| {
                let own = both.iter().filter(move |link| link.0 == node.0);
                own.map(move |&(_, to)| (NodeId(to), hops + 1))
            });
            for destination in (0..9).filter(|&node| node != source) {
                let path = path(&mut network, source, destination);
                let hops = search.cost(NodeId(destination));
                let expected = hops.map_or(0, |hops| hops as usize);
                prop_assert_eq!(path.len() - 1, expected, "{:?}", path);
            }
        }
    }
}

// Section 12.
#[test]
fn clients_are_reached_by_the_nearest_node_that_tells_of_them_for_three_intervals() {
    // Node 9 is none of the network.
    let mut network = network_of(10, &chain(5), &OlsrConfig::default());
    network.run_to(30.0);
    assert_eq!(next_hop(&mut network, 1, 9), None);
    network.call(4, |olsr, cx| olsr.on_client(cx, NodeId(9), true));
    network.run_to(40.0);
    assert_eq!([0, 1, 3].map(|from| next_hop(&mut network, from, 9)), [Some(1), Some(2), Some(4)]);
    // It is told by the other end, too: each goes to the nearer.
    network.call(0, |olsr, cx| olsr.on_client(cx, NodeId(9), true));
    network.call(4, |olsr, cx| olsr.on_client(cx, NodeId(9), false));
    network.run_to(46.0);
    assert_eq!([1, 3].map(|from| next_hop(&mut network, from, 9)), [Some(0), Some(4)]);
    network.run_to(62.0);
    assert_eq!([1, 3].map(|from| next_hop(&mut network, from, 9)), [Some(0), Some(2)]);
}
