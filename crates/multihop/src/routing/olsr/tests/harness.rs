//! Networks of OLSR nodes, and messages made by hand.

use std::sync::Arc;

use crate::kernel::{Duration, Instant};
use crate::routing::Protocol;
use crate::routing::harness::{Network, packet};
use crate::routing::olsr::messages::{
    Content, Hello, LinkType, Listed, NeighbourType, OlsrMessage, OlsrPacket, Tc, TimeCode,
};
use crate::routing::olsr::{Olsr, OlsrConfig};
use crate::wire::{Body, Extension, NodeId};

/// Nodes by RFC 3626 without hysteresis, so that a link counts as soon as both have said that they
/// hear each other.
pub fn network(nodes: u32, links: &[(u32, u32)]) -> Network<Olsr> {
    network_of(nodes, links, &OlsrConfig { hysteresis: Some(false), ..OlsrConfig::default() })
}

pub fn network_of(nodes: u32, links: &[(u32, u32)], config: &OlsrConfig) -> Network<Olsr> {
    config.check().expect("the keys are fine");
    let config = Arc::new(config.resolved());
    let nodes: Vec<Olsr> =
        (0..nodes).map(|node| Olsr::new(NodeId(node), nodes as usize, &config)).collect();
    Network::of(nodes, links)
}

pub fn chain(nodes: u32) -> Vec<(u32, u32)> {
    (1..nodes).map(|node| (node - 1, node)).collect()
}

/// The next hop of `node` to `destination`.
pub fn next_hop(network: &mut Network<Olsr>, node: u32, destination: u32) -> Option<u32> {
    let mut next_hop = None;
    network.call(node, |olsr, cx| next_hop = olsr.next_hop(cx, NodeId(destination)));
    next_hop.map(|hop| hop.0)
}

pub fn mprs(network: &Network<Olsr>, node: usize) -> Vec<u32> {
    network.nodes[node].mprs().iter().map(|node| node.0).collect()
}

pub fn symmetric(network: &Network<Olsr>, node: usize) -> Vec<u32> {
    network.nodes[node].symmetric_neighbours().iter().map(|node| node.0).collect()
}

pub fn selectors(network: &Network<Olsr>, node: usize) -> Vec<u32> {
    network.nodes[node].selectors().map(|node| node.0).collect()
}

/// OLSR's packets that `node` sent from `since` on, each with its time.
pub fn sent(network: &Network<Olsr>, node: u32, since: f64) -> Vec<(f64, OlsrPacket)> {
    network.messages(node, since)
}

/// The TCs that `node` sent from `since` on.
pub fn tcs(network: &Network<Olsr>, node: u32, since: f64) -> Vec<(f64, OlsrMessage)> {
    let is_tc = |message: &OlsrMessage| matches!(message.content, Content::Tc(_));
    let packets = sent(network, node, since).into_iter();
    packets
        .flat_map(|(at, packet)| packet.messages.into_iter().map(move |message| (at, message)))
        .filter(|(_, message)| is_tc(message))
        .collect()
}

/// The last HELLO of `node`: each neighbour with what is said of it.
pub fn last_hello(network: &Network<Olsr>, node: u32) -> Vec<(u32, LinkType, NeighbourType)> {
    let hellos = sent(network, node, 0.0).into_iter().flat_map(|(_, packet)| packet.messages);
    let hello = hellos.filter_map(|message| match message.content {
        Content::Hello(hello) => Some(hello),
        Content::Tc(_) | Content::Mid(_) | Content::Hna(_) => None,
    });
    let links = hello.last().map_or(Vec::new(), |hello| hello.links.clone());
    links.into_iter().map(|listed| (listed.node.0, listed.link, listed.neighbour)).collect()
}

/// A HELLO of `from` that states these links, for six seconds.
pub fn hello(from: u32, number: u16, links: &[(u32, LinkType, NeighbourType)]) -> OlsrMessage {
    let listed = |&(node, link, neighbour): &(u32, LinkType, NeighbourType)| Listed {
        node: NodeId(node),
        link,
        neighbour,
        quality: None,
    };
    let interval = TimeCode::of(Duration::from_secs(2));
    let hello = Hello { interval, willingness: 3, links: links.iter().map(listed).collect() };
    message(from, number, 6, 1, Content::Hello(Arc::new(hello)))
}

/// A TC of `originator` that advertises these, for fifteen seconds.
pub fn tc(originator: u32, number: u16, ansn: u16, advertised: &[u32]) -> OlsrMessage {
    let neighbours = advertised.iter().map(|&node| (NodeId(node), None)).collect();
    message(originator, number, 15, 255, Content::Tc(Arc::new(Tc { ansn, neighbours })))
}

fn message(from: u32, number: u16, seconds: u64, ttl: u8, content: Content) -> OlsrMessage {
    let validity = TimeCode::of(Duration::from_secs(seconds));
    OlsrMessage { validity, originator: NodeId(from), ttl, hops: 0, number, content }
}

/// `node` hears packet `number` of `from` with these messages.
pub fn hear(
    network: &mut Network<Olsr>,
    node: u32,
    from: u32,
    number: u16,
    messages: &[OlsrMessage],
) {
    let olsr = OlsrPacket { number, messages: messages.to_vec() };
    let bytes = olsr.bytes();
    let body = Body::Routing(Extension::new(olsr));
    let packet = packet(from, NodeId::BROADCAST.0, Instant::ZERO, body, bytes);
    network.call(node, |olsr, cx| olsr.on_receive(cx, packet, NodeId(from)));
}
