//! Hand-driven networks whose nodes have two stations each, `a` on channel 1 with the node's number
//! and `b` on channel 6: every protocol that takes them.

use std::sync::Arc;

use crate::kernel::Duration;
use crate::profile::Profile;
use crate::radio::StationLayout;
use crate::routing::aodv::{Aodv, AodvConfig};
use crate::routing::babel::cost::Metric as LinkCost;
use crate::routing::babel::diversity::Diversity;
use crate::routing::babel::{Babel, BabelConfig};
use crate::routing::batman::{Batman, BatmanConfig};
use crate::routing::dsdv::{Dsdv, DsdvConfig};
use crate::routing::dsr::{Dsr, DsrConfig};
use crate::routing::etx::EtxTable;
use crate::routing::harness::Network;
use crate::routing::hwmp::{Hwmp, HwmpConfig, RootMode};
use crate::routing::olsr::{Olsr, OlsrConfig, OlsrMetric};
use crate::routing::{Action, Protocol};
use crate::wire::{Interface, NodeId};

const NODES: u32 = 4;

/// The station of `node` on channel 6.
const fn b(node: u32) -> u32 {
    NODES + node
}

fn layout() -> StationLayout {
    let kinds = [("a".to_owned(), 1, None), ("b".to_owned(), 6, None)];
    StationLayout::of_kinds(NODES as usize, &kinds).unwrap()
}

fn network<N: Protocol>(node: impl Fn(NodeId) -> N, links: &[(u32, u32)]) -> Network<N> {
    let nodes = (0..NODES).map(NodeId).map(node).collect();
    Network::of_stations(nodes, layout(), links, 1)
}

/// The stations that data of `node` went to, in order.
fn hops<N: Protocol>(network: &Network<N>, node: u32) -> Vec<u32> {
    let own = network.sent().filter(|sent| sent.1 == node && sent.4.is_transport());
    own.map(|sent| sent.2.0).collect()
}

/// Packets go over a chain whose hops are on channels 1, 6 and 1, both ways, each to the next
/// node's station on the channel of the hop.
fn check_alternating<N: Protocol>(name: &str, node: impl Fn(NodeId) -> N) {
    let mut chain = network(node, &[(0, 1), (b(1), b(2)), (2, 3)]);
    for (at, from, to, number) in
        [(150.0, 0, 3, 1), (151.0, 0, 3, 2), (155.0, 3, 0, 11), (156.0, 3, 0, 12)]
    {
        chain.send(at, from, to, number);
    }
    chain.run_to(170.0);
    assert_eq!(chain.arrived(), [1, 2, 11, 12], "{name}");
    let forward = [0, 1, 2].map(|at| hops(&chain, at));
    assert_eq!(forward[0], [1, 1], "{name}");
    assert!(forward[1].contains(&b(2)) && forward[1].contains(&0), "{name}: {forward:?}");
    assert!(forward[2].contains(&3) && forward[2].contains(&b(1)), "{name}: {forward:?}");
}

/// Nodes 0 and 1 hear each other on both channels: when the one that data go by fails, they go by
/// the other.
fn check_failover<N: Protocol>(name: &str, patience_s: f64, node: impl Fn(NodeId) -> N) {
    let mut pair = network(&node, &[(0, 1), (b(0), b(1)), (1, 2)]);
    pair.send(150.0, 0, 2, 1);
    pair.run_to(155.0);
    assert_eq!(pair.arrived(), [1], "{name}");
    let used = hops(&pair, 0)[0];
    assert!(used == 1 || used == b(1), "{name}: {used}");
    pair.cut(used - 1, used);
    pair.send(155.0, 0, 2, 2);
    pair.run_to(155.0 + patience_s);
    pair.send(155.0 + patience_s, 0, 2, 3);
    pair.run_to(165.0 + patience_s);
    assert_eq!(pair.arrived().last(), Some(&3), "{name}");
    let other = if used == 1 { b(1) } else { 1 };
    assert_eq!(hops(&pair, 0).last(), Some(&other), "{name}");
}

/// As many broadcasts go by one station as by the other.
fn check_broadcasts<N: Protocol>(name: &str, node: impl Fn(NodeId) -> N) {
    let mut network = network(node, &[(0, 1), (b(0), b(1))]);
    network.send(10.0, 0, 1, 1);
    network.run_to(30.0);
    let mut counts = [0; 2];
    for (_, node, action) in &network.log {
        let Action::Send { next_hop, interface, .. } = action else { continue };
        if next_hop.is_broadcast() && *node == 0 {
            for (kind, count) in (0..).zip(&mut counts) {
                *count += u32::from(interface.is_none_or(|by| by == Interface(kind)));
            }
        }
    }
    assert!(counts[0] > 0 && counts[0] == counts[1], "{name}: {counts:?}");
}

fn check<N: Protocol>(name: &str, patience_s: f64, node: impl Fn(NodeId) -> N) {
    check_alternating(name, &node);
    check_failover(name, patience_s, &node);
    check_broadcasts(name, node);
}

#[test]
fn aodv() {
    for profile in [Profile::Ns2, Profile::Standard] {
        check("aodv", 1.0, |node| Aodv::new(node, AodvConfig::default(), profile));
    }
    let hellos = AodvConfig { hello_interval_s: 1.0, ..AodvConfig::default() };
    check("aodv with HELLOs", 5.0, |node| Aodv::new(node, &hellos, Profile::Standard));
}

#[test]
fn babel() {
    check("babel", 60.0, |node| {
        Babel::new(node, 2 * NODES as usize, &BabelConfig::default(), false)
    });
}

#[test]
fn olsr() {
    for metric in [OlsrMetric::Hops, OlsrMetric::Etx] {
        let config = Arc::new(OlsrConfig { metric, ..OlsrConfig::default() }.resolved());
        check("olsr", 15.0, |node| Olsr::new(node, NODES as usize, &config));
    }
    let config = OlsrConfig { link_layer_notification: true, ..OlsrConfig::default() };
    let config = Arc::new(config.resolved());
    check("olsr told by the MAC", 1.0, |node| Olsr::new(node, NODES as usize, &config));
}

#[test]
fn dsdv() {
    for link_layer_notification in [false, true] {
        let config = Arc::new(DsdvConfig { link_layer_notification, ..DsdvConfig::default() });
        check("dsdv", 120.0, |node| Dsdv::new(node, &config, Profile::Standard));
    }
}

#[test]
fn hwmp() {
    for root_mode in [RootMode::None, RootMode::Rann, RootMode::Preq] {
        let config = Arc::new(HwmpConfig { root_mode, ..HwmpConfig::default() });
        check("hwmp", 60.0, |node| Hwmp::new(node, &config, &[Duration::from_millis(1); 2], 0));
    }
}

#[test]
fn batman() {
    let config = Arc::new(BatmanConfig::default());
    check("batman", 300.0, |node| Batman::new(node, &config));
}

#[test]
fn aodv_by_measured_links() {
    let table = EtxTable::default();
    check("aodv-etx", 30.0, |node| {
        let etx = table.policy(&[Duration::from_millis(1); 2]);
        Aodv::with_policy(node, &table.aodv, Profile::Ns2, etx)
    });
}

// Of two ways over two hops one stays on channel 1. The other one's second hop, on channel 6, loses
// some Hellos: without diversity it is the worse one.
#[test]
fn babel_goes_by_the_way_whose_channels_differ() {
    let way = |diversity| {
        let config = BabelConfig { diversity, metric: LinkCost::Etx, ..BabelConfig::default() };
        let node = |node| Babel::new(node, 2 * NODES as usize, &config, false);
        let mut diamond = network(node, &[(0, 1), (1, 2), (0, 3), (b(3), b(2))]);
        diamond.lose(b(2), b(3), 1, 6);
        diamond.run_to(120.0);
        let node = &diamond.nodes[0];
        (node.next_hop(NodeId(2)).map(|hop| hop.0), node.metric(NodeId(2)))
    };
    assert_eq!(way(Diversity::None), (Some(1), Some(512)));
    assert_eq!(way(Diversity::Channel), (Some(3), Some(307 + 128)));
    assert_eq!(way(Diversity::Path), (Some(3), Some(307 + 128)));
    assert_eq!(way(Diversity::Wcett).0, Some(3));
}

// A node has one address; which station a neighbour is reached by is known of neighbours alone.
#[test]
fn dsr() {
    for profile in [Profile::Ns2, Profile::Standard] {
        check("dsr", 1.0, |node| Dsr::new(node, &DsrConfig::default(), profile));
    }
}
