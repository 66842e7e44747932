//! Networks and scripts for tests of DSDV.

use std::sync::Arc;

use crate::kernel::Instant;
use crate::profile::Profile;
use crate::routing::Protocol;
use crate::routing::dsdv::message::{Told, Update};
use crate::routing::dsdv::{Dsdv, DsdvConfig};
use crate::routing::harness::{Network, packet};
use crate::wire::{Body, Extension, NodeId};

/// Nodes that hear of broken links from the MAC.
pub fn network(nodes: u32, links: &[(u32, u32)]) -> Network<Dsdv> {
    let config = DsdvConfig { link_layer_notification: true, ..DsdvConfig::default() };
    network_of(nodes, links, &config)
}

pub fn network_of(nodes: u32, links: &[(u32, u32)], config: &DsdvConfig) -> Network<Dsdv> {
    network_under(nodes, links, config, Profile::Standard)
}

pub fn network_under(
    nodes: u32,
    links: &[(u32, u32)],
    config: &DsdvConfig,
    profile: Profile,
) -> Network<Dsdv> {
    config.check().expect("the keys are fine");
    let config = Arc::new(config.clone());
    Network::of((0..nodes).map(|node| Dsdv::new(NodeId(node), &config, profile)).collect(), links)
}

pub fn chain(nodes: u32) -> Vec<(u32, u32)> {
    (1..nodes).map(|node| (node - 1, node)).collect()
}

pub fn told(destination: u32, hops: impl Into<Option<u16>>, sequence: u32) -> Told {
    Told { destination: NodeId(destination), hops: hops.into(), sequence }
}

/// `node` hears an update of `from`.
pub fn hear(network: &mut Network<Dsdv>, node: u32, from: u32, routes: &[Told]) {
    let update = Update { routes: routes.to_vec(), is_full: false };
    let bytes = update.bytes();
    let body = Body::Routing(Extension::new(update));
    let packet = packet(from, NodeId::BROADCAST.0, Instant::ZERO, body, bytes);
    network.call(node, |dsdv, cx| dsdv.on_receive(cx, packet, NodeId(from)));
}

/// The route of `node` to `destination`: next hop, hops, sequence number.
pub fn route(
    network: &Network<Dsdv>,
    node: usize,
    destination: u32,
) -> Option<(u32, Option<u16>, u32)> {
    let mut routes = network.nodes[node].table().routes();
    let (_, route) = routes.find(|(to, _)| to.0 == destination)?;
    Some((route.next_hop.0, route.hops, route.sequence))
}

/// The updates that `node` sent from `since` on.
pub fn updates(network: &Network<Dsdv>, node: u32, since: f64) -> Vec<(f64, Update)> {
    network.messages(node, since)
}

pub fn path(network: &Network<Dsdv>, source: u32, destination: u32) -> Vec<u32> {
    let mut path = vec![source];
    while path[path.len() - 1] != destination && path.len() < 30 {
        let here = path[path.len() - 1] as usize;
        let Some(next) = network.nodes[here].table().next_hop(NodeId(destination)) else { break };
        path.push(next.0);
    }
    path
}
