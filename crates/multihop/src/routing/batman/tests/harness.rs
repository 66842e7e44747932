//! One node under test, node 0, whose neighbours say what a test has them say; and whole networks.

use std::sync::Arc;

use crate::kernel::Instant;
use crate::routing::Protocol;
use crate::routing::batman::message::{Ogm, OgmFrame};
use crate::routing::batman::{Batman, BatmanConfig};
use crate::routing::harness::{Network, packet};
use crate::wire::{Body, Extension, NodeId};

pub fn network(nodes: u32, links: &[(u32, u32)]) -> Network<Batman> {
    network_of(nodes, links, &BatmanConfig::default())
}

pub fn network_of(nodes: u32, links: &[(u32, u32)], config: &BatmanConfig) -> Network<Batman> {
    config.check().expect("the keys are fine");
    let config = Arc::new(config.clone());
    Network::of((0..nodes).map(|node| Batman::new(NodeId(node), &config)).collect(), links)
}

pub fn chain(nodes: u32) -> Vec<(u32, u32)> {
    (1..nodes).map(|node| (node - 1, node)).collect()
}

/// A message of `originator` as `from` has it from `previous`.
pub fn ogm(originator: u32, sequence: u32, previous: u32, tq: u8) -> Ogm {
    Ogm {
        ttl: 49,
        is_echo_only: false,
        is_direct: false,
        sequence,
        originator: NodeId(originator),
        previous: NodeId(previous),
        tq,
    }
}

/// A message as its originator sends it.
pub fn own(originator: u32, sequence: u32) -> Ogm {
    Ogm { ttl: 50, ..ogm(originator, sequence, originator, 255) }
}

/// `node` gets `ogm` from `from`.
pub fn hear(network: &mut Network<Batman>, node: u32, from: u32, ogm: Ogm) {
    let frame = OgmFrame(vec![ogm]);
    let bytes = frame.bytes();
    let body = Body::Routing(Extension::new(frame));
    let packet = packet(from, NodeId::BROADCAST.0, Instant::ZERO, body, bytes);
    network.call(node, |batman, cx| batman.on_receive(cx, packet, NodeId(from)));
}

/// Node 0 of ten after `count` messages of its own, of which `echoed` have come back from each of
/// `neighbours`, who sent `count` that all came. 1.0 s and a little more for each.
pub fn met_of(count: u32, echoed: u32, neighbours: &[u32]) -> Network<Batman> {
    met_with(&BatmanConfig { jitter_s: 0.0, ..BatmanConfig::default() }, count, echoed, neighbours)
}

pub fn met_with(
    config: &BatmanConfig,
    count: u32,
    echoed: u32,
    neighbours: &[u32],
) -> Network<Batman> {
    let mut network = network_of(10, &[], config);
    network.run_to(f64::from(count));
    for &neighbour in neighbours {
        for sequence in 1..=count {
            hear(&mut network, 0, neighbour, own(neighbour, sequence));
        }
        for sequence in 1..=echoed {
            let echo = Ogm { is_direct: true, ttl: 49, ..own(0, sequence) };
            hear(&mut network, 0, neighbour, echo);
        }
    }
    network
}

/// Node 0 with perfect links to 1, 2 and 3, and windows full, at 64 s.
pub fn met() -> Network<Batman> {
    met_of(64, 64, &[1, 2, 3])
}

/// What `node` sent of others from `since` on: when (s) and which.
pub fn passed_on(network: &Network<Batman>, node: u32, since: f64) -> Vec<(f64, Ogm)> {
    let of_node = network.sent().filter(|entry| entry.1 == node);
    let frames = of_node.filter_map(|(at, _, _, _, packet)| match &packet.body {
        Body::Routing(message) => Some((at.as_secs_f64(), message.get::<OgmFrame>()?.clone())),
        _ => None,
    });
    let ogms = frames.flat_map(|(at, frame)| frame.0.into_iter().map(move |ogm| (at, ogm)));
    ogms.filter(|(at, ogm)| *at >= since && ogm.originator != NodeId(node)).collect()
}

/// The next hop of `node` to `to`.
pub fn next_hop(network: &Network<Batman>, node: usize, to: u32) -> Option<u32> {
    network.nodes[node].next_hop(NodeId(to)).map(|next| next.0)
}

/// The quality of `node`'s route to `to`.
pub fn quality(network: &Network<Batman>, node: usize, to: u32) -> u32 {
    network.nodes[node].quality(NodeId(to))
}

/// The quality of the link from node 0 to `neighbour`.
pub fn link(network: &Network<Batman>, neighbour: u32) -> u32 {
    network.nodes[0].link_quality(network.now, NodeId(neighbour))
}

pub fn route(network: &Network<Batman>, source: u32, destination: u32) -> Vec<u32> {
    let mut route = vec![source];
    while route[route.len() - 1] != destination && route.len() < 30 {
        let Some(next) = next_hop(network, route[route.len() - 1] as usize, destination) else {
            break;
        };
        route.push(next);
    }
    route
}
