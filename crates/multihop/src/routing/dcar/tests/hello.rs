//! HELLOs: their times, contents and effect.

use super::harness::{Dcars, ONE};
use crate::routing::dcar::DcarTable;
use crate::routing::dcar::heard::AnnouncedLoad;
use crate::routing::harness::LATENCY;
use crate::wire::aodv::Message;
use crate::wire::{Body, Extension, NodeId};

/// A chain of seven with a connection from N1 to N3.
const CHAIN: [(u32, u32); 6] = [(0, 1), (1, 2), (2, 3), (3, 4), (4, 5), (5, 6)];

fn chain(table: &DcarTable) -> Dcars {
    let mut network = Dcars::dcar(7, &CHAIN, table, 3);
    network.stream(1, 1.0, 5.0, 1, 3);
    network
}

fn wide() -> DcarTable {
    let mut table = DcarTable::default();
    table.dcar.wide_hello = true;
    table
}

/// HELLOs of `node`: time, size and load.
fn hellos(network: &Dcars, node: u32) -> Vec<(f64, u32, AnnouncedLoad)> {
    let sent = network.sent().filter(|sent| sent.1 == node);
    sent.filter_map(|(at, _, next_hop, _, packet)| match &packet.body {
        Body::Aodv(Message::Hello { extension, .. }) => {
            assert!(next_hop.is_broadcast() && packet.ttl == 1);
            let load: &AnnouncedLoad = extension.as_ref().and_then(Extension::get).expect("a load");
            Some((at.as_secs_f64(), packet.size_bytes, load.clone()))
        }
        _ => None,
    })
    .collect()
}

#[test]
fn every_node_announces_its_connections_and_weight_once_per_interval() {
    let mut network = chain(&DcarTable::default());
    network.stream(1, 5.1, 100.0, 1, 3);
    for node in 0..7 {
        let hellos = hellos(&network, node);
        assert!((98..=101).contains(&hellos.len()), "{}", hellos.len());
        let gaps: Vec<f64> = hellos.windows(2).map(|pair| pair[1].0 - pair[0].0).collect();
        assert!(gaps.iter().all(|gap| (0.9..1.1).contains(gap)), "{gaps:?}");
        assert!(gaps.iter().any(|gap| *gap < 0.95) && gaps.iter().any(|gap| *gap > 1.05));
        let (_, bytes, load) = hellos.last().unwrap();
        let (connections, weight) =
            [(0, 1), (1, 2), (1, 3), (1, 2), (0, 1), (0, 0), (0, 0)][node as usize];
        let expected = AnnouncedLoad { connections, metric: weight * ONE, neighbours: Vec::new() };
        assert_eq!(*load, expected, "N{node}");
        // AODV's HELLO with its time stamp, plus two words.
        assert_eq!(*bytes, 20 + 24 + 8);
    }
}

#[test]
fn wide_hellos_give_weights_over_two_hops_and_cost_bytes() {
    let mut network = chain(&wide());
    let (_, bytes, load) = hellos(&network, 4).pop().unwrap();
    assert_eq!(load.neighbours, [(NodeId(3), 1), (NodeId(5), 0)]);
    assert_eq!(bytes, 20 + 24 + 8 + 2 * 8);
    assert_eq!(network.weights(0..7), [2, 3, 3, 3, 2, 1, 0]);
}

#[test]
fn lost_hellos_break_no_link_but_the_neighbour_is_forgotten() {
    let mut network = chain(&DcarTable::default());
    assert_eq!(network.weights([2]), [3]);
    network.run_to(5.05);
    let errors_before = network.errors(2).len();
    network.cut(2, 3);
    let cut = network.now.as_secs_f64();
    let heard = hellos(&network, 3).last().unwrap().0 + LATENCY.as_secs_f64();
    // The connections of N1 and N2 are kept by their HELLOs and packets; N3's is from its last
    // HELLO.
    network.run_to(heard + 2.99);
    let with_3 = network.weights([2]);
    network.run_to(heard + 3.01);
    let without_3 = network.weights([2]);
    assert_eq!((with_3, without_3), (vec![1], vec![0]));
    network.run_to(cut + 6.0);
    assert_eq!(network.errors(2).len(), errors_before);
    assert_eq!(network.nodes[2].next_hop(NodeId(3)), Some(NodeId(3)));
}

#[test]
fn the_idealised_versions_send_no_hellos() {
    for (ideal, weights) in
        [(1, [1, 2, 3, 2, 1, 0, 0]), (2, [1, 2, 3, 2, 1, 0, 0]), (3, [1, 2, 3, 2, 1, 0, 0])]
    {
        let mut table = DcarTable::default();
        table.dcar.ideal = ideal;
        let mut network = chain(&table);
        assert!((0..7).all(|node| hellos(&network, node).is_empty()));
        assert_eq!(network.weights(0..7), weights, "ideal {ideal}");
    }
}

#[test]
fn free_hellos_are_as_old_as_real_ones_and_instant_knowledge_is_current() {
    // The connection starts at 1.0 s, independent of the times of HELLOs.
    for (ideal, at_once) in [(0, false), (1, false), (2, true)] {
        let mut table = DcarTable::default();
        table.dcar.ideal = ideal;
        let mut network = Dcars::dcar(7, &CHAIN, &table, 3);
        network.data_of(1, 5.0, 1, 3);
        let mut until = |seconds: f64| {
            network.run_to(seconds);
            network.weights([0, 1, 2, 3, 4]) == [1, 2, 3, 2, 1]
        };
        assert_eq!(until(5.3), at_once, "ideal {ideal}");
        assert!(until(6.5), "ideal {ideal}");
    }
}
