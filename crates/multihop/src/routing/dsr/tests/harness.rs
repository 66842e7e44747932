//! DSR on hand-driven networks.

use crate::kernel::Instant;
use crate::profile::Profile;
use crate::routing::dsr::{Dsr, DsrConfig, Policy};
pub use crate::routing::harness::{Network, data};
use crate::wire::NodeId;
use crate::wire::dsr::Header;

/// A packet that a node handed to its link: time, node, next hop, size and header.
pub struct Sent {
    pub at: Instant,
    pub node: u32,
    pub next_hop: NodeId,
    pub size_bytes: u32,
    pub header: Header,
    pub is_data: bool,
}

impl Network<Dsr> {
    pub(crate) fn dsr(n: u32, links: &[(u32, u32)], config: &DsrConfig) -> Network<Dsr> {
        Network::dsr_of(n, links, config, Profile::Ns2)
    }

    pub(crate) fn dsr_of(
        n: u32,
        links: &[(u32, u32)],
        config: &DsrConfig,
        profile: Profile,
    ) -> Network<Dsr> {
        let nodes = (0..n).map(|i| Dsr::new(NodeId(i), config, profile)).collect();
        Network::of(nodes, links)
    }

    pub(crate) fn dsr_chain(hops: u32) -> Network<Dsr> {
        let links: Vec<_> = (0..hops).map(|i| (i, i + 1)).collect();
        Network::dsr(hops + 1, &links, &DsrConfig::default())
    }

    /// The route that `node` would take to `destination`.
    pub fn route(&mut self, node: u32, destination: u32) -> Option<Vec<u32>> {
        let found = self.nodes[node as usize].routes.find(NodeId(destination), false)?;
        Some(numbers(found.nodes()))
    }
}

impl<P: Policy> Network<Dsr<P>> {
    /// What all nodes sent, in order.
    pub fn all_sent(&self) -> Vec<Sent> {
        self.sent()
            .map(|(at, node, next_hop, delay, packet)| Sent {
                at: at + delay,
                node,
                next_hop,
                size_bytes: packet.size_bytes,
                header: packet.dsr.as_deref().cloned().unwrap_or_default(),
                is_data: packet.is_transport(),
            })
            .collect()
    }

    /// The requests that `node` sent or forwarded.
    pub fn requests_of(&self, node: u32) -> Vec<Sent> {
        let is_request = |sent: &Sent| sent.node == node && sent.header.request.is_some();
        self.all_sent().into_iter().filter(is_request).collect()
    }

    /// The replies that `node` sent or forwarded.
    pub fn replies_of(&self, node: u32) -> Vec<Sent> {
        let is_reply = |sent: &Sent| sent.node == node && sent.header.reply.is_some();
        self.all_sent().into_iter().filter(is_reply).collect()
    }

    /// The packets with route errors that `node` sent or forwarded.
    pub fn errors_of(&self, node: u32) -> Vec<Sent> {
        let is_error = |sent: &Sent| sent.node == node && !sent.header.errors.is_empty();
        self.all_sent().into_iter().filter(is_error).collect()
    }

    /// The sizes of the data packets that `node` sent or forwarded.
    pub fn data_sizes(&self, node: u32) -> Vec<u32> {
        let is_data = |sent: &Sent| sent.node == node && sent.is_data;
        self.all_sent().iter().filter(|sent| is_data(sent)).map(|sent| sent.size_bytes).collect()
    }
}

pub fn numbers(path: &[NodeId]) -> Vec<u32> {
    path.iter().map(|node| node.0).collect()
}
