//! AODV on hand-driven networks.

use crate::profile::Profile;
use crate::routing::aodv::{Aodv, AodvConfig, Policy};
pub use crate::routing::harness::{Network, data, datagram, packet};
use crate::wire::aodv::{Error, Message, Reply, Request};
use crate::wire::{Body, NodeId};

impl Network<Aodv> {
    pub(crate) fn plain(
        n: u32,
        links: &[(u32, u32)],
        config: &AodvConfig,
        profile: Profile,
    ) -> Self {
        let nodes = (0..n).map(|i| Aodv::new(NodeId(i), config, profile)).collect();
        Network::of(nodes, links)
    }

    pub(crate) fn chain(hops: u32) -> Self {
        Network::chain_with(hops, &AodvConfig::default(), Profile::Ns2)
    }

    pub(crate) fn chain_with(hops: u32, config: &AodvConfig, profile: Profile) -> Self {
        let links: Vec<_> = (0..hops).map(|i| (i, i + 1)).collect();
        Network::plain(hops + 1, &links, config, profile)
    }
}

impl<P: Policy> Network<Aodv<P>> {
    /// Requests that `node` sent or forwarded: time, time to live, and the request.
    pub fn requests(&self, node: u32) -> Vec<(f64, u8, Request)> {
        let by_node = self.sent().filter(|sent| sent.1 == node);
        by_node
            .filter_map(|(at, _, _, _, packet)| match packet.body {
                Body::Aodv(Message::Request(request)) => {
                    Some((at.as_secs_f64(), packet.ttl, request))
                }
                _ => None,
            })
            .collect()
    }

    /// Replies that `node` sent or forwarded: next hop, and the reply.
    pub fn replies(&self, node: u32) -> Vec<(u32, Reply)> {
        let by_node = self.sent().filter(|sent| sent.1 == node);
        by_node
            .filter_map(|(_, _, next_hop, _, packet)| match packet.body {
                Body::Aodv(Message::Reply(reply)) => Some((next_hop.0, reply)),
                _ => None,
            })
            .collect()
    }

    /// Route errors that `node` sent: destinations and sequence numbers.
    pub fn errors(&self, node: u32) -> Vec<Vec<(u32, u32)>> {
        let by_node = self.sent().filter(|sent| sent.1 == node);
        by_node
            .filter_map(|(_, _, _, _, packet)| match &packet.body {
                Body::Aodv(Message::Error(Error { unreachable, .. })) => {
                    Some(unreachable.iter().map(|(node, sequence)| (node.0, sequence.0)).collect())
                }
                _ => None,
            })
            .collect()
    }
}
