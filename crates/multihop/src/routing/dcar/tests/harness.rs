//! Networks of DCAR nodes, and connections through them.

use crate::kernel::Instant;
use crate::profile::Profile;
use crate::routing::Protocol;
use crate::routing::aodv::Aodv;
use crate::routing::dcar::{Dcar, DcarTable, Ledger};
use crate::routing::harness::{Network, data, packet};
use crate::wire::{Body, FlowId, NodeId, Packet, tcp};

/// An acknowledgment of `flow`.
pub fn ack(flow: u32, from: u32, to: u32, created: Instant) -> Packet {
    let kind = tcp::SegmentKind::Ack { number: 1, probe: false, sent: created, window: 0 };
    packet(from, to, created, Body::Tcp(tcp::Segment::new(FlowId(flow), kind)), 40)
}

pub type Dcars = Network<Aodv<Dcar>>;

/// Weights are in thousandths.
pub const ONE: u32 = 1000;

impl Dcars {
    pub(crate) fn dcar(nodes: u32, links: &[(u32, u32)], table: &DcarTable, seed: u64) -> Self {
        let dcar = |i| Aodv::congestion_aware(NodeId(i), table, Profile::Ns2);
        Network::of_seed((0..nodes).map(dcar).collect(), links, seed)
    }

    /// At `seconds`, a data segment of `flow` leaves `source` for `destination`.
    pub fn data_of(&mut self, flow: u32, seconds: f64, source: u32, destination: u32) {
        self.run_to(seconds);
        let mut packet = data(source, destination, 1, self.now);
        if let Body::Tcp(segment) = &mut packet.body {
            segment.flow = FlowId(flow);
        }
        self.call(source, |node, cx| node.on_send(cx, packet));
    }

    /// At `seconds`, an acknowledgment of `flow` leaves `from`, its destination, for `to`, its
    /// source.
    pub fn ack_of(&mut self, flow: u32, seconds: f64, from: u32, to: u32) {
        self.run_to(seconds);
        let packet = ack(flow, from, to, self.now);
        self.call(from, |node, cx| node.on_send(cx, packet));
    }

    /// Data of `flow` every 0.1 s from `start` to `end` \[s\].
    pub fn stream(&mut self, flow: u32, start: f64, end: f64, source: u32, destination: u32) {
        let count = ((end - start) / 0.1).round() as u32;
        (0..=count).for_each(|i| {
            self.data_of(flow, start + 0.1 * f64::from(i), source, destination);
        });
    }

    /// The nodes' weights now, in units.
    pub fn weights(&mut self, nodes: impl IntoIterator<Item = u32>) -> Vec<u32> {
        let weight = |node| {
            let mut weight = 0;
            self.call(node, |dcar, cx| weight = dcar.policy().weight(cx) / ONE);
            weight
        };
        nodes.into_iter().map(weight).collect()
    }

    /// The connections that the nodes now count through themselves.
    pub fn through(&mut self, nodes: impl IntoIterator<Item = u32>) -> Vec<u32> {
        let ledger = Ledger::within(&mut self.shared);
        nodes.into_iter().map(|node| ledger.count(NodeId(node), self.now)).collect()
    }

    /// The path from `source` to `destination` by the route tables; ends where there is no next
    /// hop.
    pub fn path(&self, source: u32, destination: u32) -> Vec<u32> {
        let mut path = vec![source];
        let mut here = source;
        while let Some(next) = self.nodes[here as usize].next_hop(NodeId(destination)) {
            here = next.0;
            path.push(here);
            assert!(path.len() <= self.nodes.len(), "a loop: {path:?}");
        }
        path
    }

    /// The path weight in the last reply that `replier` sent, in units.
    pub fn path_weight(&self, replier: u32) -> Option<u32> {
        self.replies(replier).last().map(|(_, reply)| reply.metric / ONE)
    }
}
