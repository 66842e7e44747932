//! Networks of OLSRv2 nodes, and messages made by hand.

use std::sync::Arc;

use crate::kernel::{Duration, Instant};
use crate::routing::Protocol;
use crate::routing::harness::{Network, packet};
use crate::routing::olsrv2::messages::{
    Content, Hello, Listed, Mprs, Olsr2Message, Olsr2Packet, Status, Tc,
};
use crate::routing::olsrv2::{Olsr2, Olsr2Config};
use crate::wire::manet::{Flooded, TimeCode};
use crate::wire::{Body, Extension, NodeId};

/// The rate of data \[bit/s\].
pub const RATE_BPS: f64 = 2e6;

/// No relay; one for messages; one for data; one for both.
pub const NO: Mprs = Mprs { flooding: false, routing: false };
pub const FLOODING: Mprs = Mprs { flooding: true, routing: false };
pub const ROUTING: Mprs = Mprs { flooding: false, routing: true };
pub const BOTH: Mprs = Mprs { flooding: true, routing: true };

pub fn network(nodes: u32, links: &[(u32, u32)]) -> Network<Olsr2> {
    network_of(nodes, links, &Olsr2Config::default())
}

pub fn network_of(nodes: u32, links: &[(u32, u32)], config: &Olsr2Config) -> Network<Olsr2> {
    config.check().expect("the keys are fine");
    let config = Arc::new(config.resolved());
    let node = |node| Olsr2::new(NodeId(node), nodes as usize, &config, RATE_BPS);
    Network::of((0..nodes).map(node).collect(), links)
}

pub fn chain(nodes: u32) -> Vec<(u32, u32)> {
    (1..nodes).map(|node| (node - 1, node)).collect()
}

/// The next hop of `node` to `destination`.
pub fn next_hop(network: &mut Network<Olsr2>, node: u32, destination: u32) -> Option<u32> {
    let mut next_hop = None;
    network.call(node, |olsr, cx| next_hop = olsr.next_hop(cx, NodeId(destination)));
    next_hop.map(|hop| hop.0)
}

/// Nodes from `source` to `destination` by the tables, as far as they lead.
pub fn path(network: &mut Network<Olsr2>, source: u32, destination: u32) -> Vec<u32> {
    let mut path = vec![source];
    while let Some(next) = next_hop(network, path[path.len() - 1], destination) {
        path.push(next);
        if next == destination || path.len() > 40 {
            break;
        }
    }
    path
}

/// The relays that `node` chose, for messages and for data.
pub fn mprs(network: &Network<Olsr2>, node: usize) -> (Vec<u32>, Vec<u32>) {
    let olsr = &network.nodes[node];
    let numbers = |nodes: &std::collections::BTreeSet<NodeId>| nodes.iter().map(|n| n.0).collect();
    (numbers(olsr.flooding_mprs()), numbers(olsr.routing_mprs()))
}

pub fn symmetric(network: &mut Network<Olsr2>, node: u32) -> Vec<u32> {
    network.call(node, |olsr, cx| olsr.update(cx));
    network.nodes[node as usize].symmetric_neighbours().iter().map(|node| node.0).collect()
}

/// OLSRv2's packets that `node` sent from `since` on, each with its time.
pub fn sent(network: &Network<Olsr2>, node: u32, since: f64) -> Vec<(f64, Olsr2Packet)> {
    network.messages(node, since)
}

/// The TCs that `node` sent from `since` on.
pub fn tcs(network: &Network<Olsr2>, node: u32, since: f64) -> Vec<(f64, Flooded, Arc<Tc>)> {
    let packets = sent(network, node, since).into_iter();
    let messages =
        packets.flat_map(|(at, packet)| packet.messages.into_iter().map(move |m| (at, m)));
    messages
        .filter_map(|(at, message)| match message.content {
            Content::Tc(header, tc) => Some((at, header, tc)),
            Content::Hello(_) => None,
        })
        .collect()
}

/// Those that it wrote itself: when, their numbers, whom they advertise.
pub fn own_tcs(network: &Network<Olsr2>, node: u32, since: f64) -> Vec<(f64, u16, Vec<u32>)> {
    let own = tcs(network, node, since).into_iter().filter(|tc| tc.1.originator.0 == node);
    own.map(|(at, _, tc)| (at, tc.ansn, tc.neighbours.iter().map(|link| link.0.0).collect()))
        .collect()
}

/// What the last HELLO of `node` says.
pub fn last_hello(network: &Network<Olsr2>, node: u32) -> Vec<Listed> {
    let messages = sent(network, node, 0.0).into_iter().flat_map(|(_, packet)| packet.messages);
    let hellos = messages.filter_map(|message| match message.content {
        Content::Hello(hello) => Some(hello.links.clone()),
        Content::Tc(..) => None,
    });
    hellos.last().unwrap_or_default()
}

/// What it says of each: its state, and whether it is a relay.
pub fn said(network: &Network<Olsr2>, node: u32) -> Vec<(u32, Status, Mprs)> {
    let links = last_hello(network, node);
    links.iter().map(|listed| (listed.node.0, listed.status, listed.mprs)).collect()
}

fn seconds(seconds: f64) -> TimeCode {
    TimeCode::of(Duration::from_secs_f64(seconds))
}

/// A link of metric 1, both ways if that is known.
pub fn listed(node: u32, status: Status, mprs: Mprs) -> Listed {
    let in_metric = (status != Status::Lost).then_some(1);
    let out_metric = (status == Status::Symmetric).then_some(1);
    Listed { node: NodeId(node), status, mprs, in_metric, out_metric }
}

pub fn symmetric_link(node: u32) -> Listed {
    listed(node, Status::Symmetric, NO)
}

/// A HELLO with these links, valid for six seconds.
pub fn hello(links: &[Listed]) -> Olsr2Message {
    willing(links, 7, 7)
}

pub fn willing(links: &[Listed], will_flooding: u8, will_routing: u8) -> Olsr2Message {
    let hello = Hello { will_flooding, will_routing, links: links.to_vec() };
    Olsr2Message::new(seconds(2.0), seconds(6.0), Content::Hello(Arc::new(hello)))
}

/// TC `number` of `originator` that advertises these by links of metric 1, for fifteen seconds.
pub fn tc(originator: u32, number: u16, ansn: u16, advertised: &[u32]) -> Olsr2Message {
    tc_with((originator, number, 255, 0), ansn, advertised)
}

/// The same with originator, number, hop limit and hop count.
pub fn tc_with(
    (originator, number, hop_limit, hop_count): (u32, u16, u8, u8),
    ansn: u16,
    advertised: &[u32],
) -> Olsr2Message {
    let neighbours = advertised.iter().map(|&node| (NodeId(node), 1)).collect();
    let header = Flooded { originator: NodeId(originator), hop_limit, hop_count, number };
    let content = Content::Tc(header, Arc::new(Tc { ansn, neighbours }));
    Olsr2Message::new(seconds(5.0), seconds(15.0), content)
}

/// `node` hears packet `number` of `from` with these messages.
pub fn hear(
    network: &mut Network<Olsr2>,
    (node, from): (u32, u32),
    number: u16,
    messages: &[Olsr2Message],
) {
    let olsr = Olsr2Packet { number, messages: messages.to_vec() };
    let bytes = olsr.bytes();
    let body = Body::Routing(Extension::new(olsr));
    let packet = packet(from, NodeId::BROADCAST.0, Instant::ZERO, body, bytes);
    network.call(node, |olsr, cx| olsr.on_receive(cx, packet, NodeId(from)));
}
