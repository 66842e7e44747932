//! One node under test, node 0, whose peers say what a test has them say; and whole networks.

use std::sync::Arc;

use crate::kernel::{Duration, Instant};
use crate::routing::Protocol;
use crate::routing::harness::{Network, packet};
use crate::routing::hwmp::frames::{MeshFrame, Prep, Preq};
use crate::routing::hwmp::{Hwmp, HwmpConfig, config};
use crate::wire::aodv::SequenceNumber;
use crate::wire::{Body, Extension, NodeId};

/// The metric of a link that loses nothing: an attempt at a test frame takes a hundred units.
pub const LINK: u32 = 100;
/// What an attempt takes: a hundred times a hundredth of a TU.
pub const ATTEMPT: Duration = Duration::from_micros(1024);

pub fn network(nodes: u32, links: &[(u32, u32)]) -> Network<Hwmp> {
    network_of(nodes, links, &HwmpConfig::default())
}

pub fn network_of(nodes: u32, links: &[(u32, u32)], config: &HwmpConfig) -> Network<Hwmp> {
    config.check().expect("the keys are fine");
    let config = Arc::new(config.clone());
    let node = |node| Hwmp::new(NodeId(node), &config, &[ATTEMPT], 8);
    Network::of((0..nodes).map(node).collect(), links)
}

pub fn chain(nodes: u32) -> Vec<(u32, u32)> {
    (1..nodes).map(|node| (node - 1, node)).collect()
}

/// Node 0 of ten with peers 1 to 3, at 5 s.
pub fn met() -> Network<Hwmp> {
    met_with(&HwmpConfig::default())
}

pub fn met_with(config: &HwmpConfig) -> Network<Hwmp> {
    let mut network = network_of(10, &[(0, 1), (0, 2), (0, 3)], config);
    network.run_to(5.0);
    assert_eq!(peers(&network, 0), [1, 2, 3]);
    network
}

pub fn peers(network: &Network<Hwmp>, node: usize) -> Vec<u32> {
    network.nodes[node].peers(network.now).map(|peer| peer.0).collect()
}

/// `node` gets `frame` from `from`.
pub fn hear(network: &mut Network<Hwmp>, node: u32, from: u32, frame: MeshFrame) {
    let bytes = frame.bytes();
    let body = Body::Routing(Extension::new(frame));
    let packet = packet(from, NodeId::BROADCAST.0, Instant::ZERO, body, bytes);
    network.call(node, |hwmp, cx| hwmp.on_receive(cx, packet, NodeId(from)));
}

/// The path of `node` to `destination`, if it is active: next hop, metric, hops.
pub fn path(network: &Network<Hwmp>, node: usize, destination: u32) -> Option<(u32, u32, u8)> {
    let path = network.nodes[node].paths().active(network.now, NodeId(destination))?;
    Some((path.next_hop.0, path.metric, path.hops))
}

/// The route from `source` to `destination` along the nodes' paths.
pub fn route(network: &Network<Hwmp>, source: u32, destination: u32) -> Vec<u32> {
    let mut route = vec![source];
    while route[route.len() - 1] != destination && route.len() < 30 {
        let here = route[route.len() - 1] as usize;
        let Some((next, ..)) = path(network, here, destination) else { break };
        route.push(next);
    }
    route
}

/// The frames of path selection that `node` sent from `since` on: when (s), to whom, which.
pub fn sent(network: &Network<Hwmp>, node: u32, since: f64) -> Vec<(f64, NodeId, MeshFrame)> {
    let of_node = network.sent().filter(|entry| entry.1 == node);
    let frames = of_node.filter_map(|(at, _, to, delay, packet)| match &packet.body {
        Body::Routing(message) => {
            Some(((at + delay).as_secs_f64(), to, message.get::<MeshFrame>()?.clone()))
        }
        _ => None,
    });
    let is_of_paths = |frame: &MeshFrame| {
        let is_of_peers =
            matches!(frame, MeshFrame::Beacon { .. } | MeshFrame::Open(_) | MeshFrame::Confirm(..));
        !is_of_peers
    };
    frames.filter(|(at, _, frame)| *at >= since && is_of_paths(frame)).collect()
}

pub fn preqs(network: &Network<Hwmp>, node: u32, since: f64) -> Vec<(f64, NodeId, Preq)> {
    let all = sent(network, node, since).into_iter();
    all.filter_map(|(at, to, frame)| match frame {
        MeshFrame::Preq(preq) => Some((at, to, preq)),
        _ => None,
    })
    .collect()
}

pub fn preps(network: &Network<Hwmp>, node: u32, since: f64) -> Vec<(f64, NodeId, Prep)> {
    let all = sent(network, node, since).into_iter();
    all.filter_map(|(at, to, frame)| match frame {
        MeshFrame::Prep(prep) => Some((at, to, prep)),
        _ => None,
    })
    .collect()
}

/// A PREQ of `originator` for `target` that has come `hops` links of [`LINK`], with number
/// `sequence`.
pub fn preq(originator: u32, target: u32, sequence: u32, hops: u8) -> Preq {
    Preq {
        is_individual: false,
        wants_prep: false,
        hops,
        ttl: 31 - hops,
        id: sequence,
        originator: NodeId(originator),
        sequence: SequenceNumber(sequence),
        lifetime_tu: config::tu(5.12),
        metric: LINK * u32::from(hops),
        target: NodeId(target),
        target_only: true,
        target_sequence: None,
    }
}

/// A PREP of `target` for `originator` that has come `hops` links of [`LINK`], with the target's
/// number.
pub fn prep(target: u32, originator: u32, target_sequence: u32, hops: u8) -> Prep {
    Prep {
        hops,
        ttl: 31 - hops,
        target: NodeId(target),
        target_sequence: SequenceNumber(target_sequence),
        lifetime_tu: config::tu(5.12),
        metric: LINK * u32::from(hops),
        originator: NodeId(originator),
        sequence: SequenceNumber(1),
    }
}

pub fn hear_preq(network: &mut Network<Hwmp>, node: u32, from: u32, preq: Preq) {
    hear(network, node, from, MeshFrame::Preq(preq));
}

pub fn hear_prep(network: &mut Network<Hwmp>, node: u32, from: u32, prep: Prep) {
    hear(network, node, from, MeshFrame::Prep(prep));
}
