//! The connections that all nodes count. In the real protocol each node reads only its own here;
//! the idealised versions also read those of others, see [`Knowledge`].

use rustc_hash::FxHashMap;

use super::connections::{AliveTimer, Connections};
use super::scheme::DcarReport;
use crate::kernel::{Duration, Instant};
use crate::routing::{Context, Shared};
use crate::wire::{Body, FlowId, NodeId, Packet};

/// What a node knows of others' connections without exchanging packets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Knowledge {
    /// Nothing: it learns them from HELLOs.
    Heard,
    /// The contents of its neighbours' HELLOs (Ideal I, "magical hello").
    Said,
    /// Its neighbours' connections at every instant (Ideal II, "magical update").
    Current,
    /// The connections of all nodes within sensing range at every instant (Ideal III).
    CurrentInSensingRange,
}

impl Knowledge {
    /// The knowledge of idealised version `ideal`.
    pub fn of_ideal(ideal: u8) -> Knowledge {
        match ideal {
            0 => Knowledge::Heard,
            1 => Knowledge::Said,
            2 => Knowledge::Current,
            _ => Knowledge::CurrentInSensingRange,
        }
    }
}

/// All nodes' connections.
#[derive(Debug, Default)]
pub struct Ledger {
    nodes: Vec<Page>,
    /// Connections with a route, and since when. With free knowledge of broken routes, only packets
    /// created since then count.
    routed_since: FxHashMap<FlowId, Instant>,
    /// Counters for the result.
    pub report: DcarReport,
}

#[derive(Debug, Default)]
struct Page {
    connections: Connections,
    /// The connections at the time of the last HELLO, and that time.
    said: Option<(Instant, u32)>,
}

impl Ledger {
    /// The ledger of the network.
    pub fn of<'a>(cx: &'a mut Context) -> &'a mut Ledger {
        Ledger::within(cx.oracle.shared)
    }

    /// The ledger in `shared`.
    pub fn within(shared: &mut Shared) -> &mut Ledger {
        shared.get_or_default()
    }

    /// The connections through `node`.
    pub fn connections(&mut self, node: NodeId) -> &mut Connections {
        &mut self.page(node).connections
    }

    /// The number of connections that `node` counts at `now`.
    pub fn count(&self, node: NodeId, now: Instant) -> u32 {
        self.nodes.get(node.index()).map_or(0, |page| page.connections.count(now))
    }

    /// `node` would send a HELLO now.
    pub fn say(&mut self, node: NodeId, now: Instant) {
        let count = self.count(node, now);
        self.page(node).said = Some((now, count));
    }

    /// The count in the last HELLO of `node`; 0 if it is older than `life`.
    pub fn said(&self, node: NodeId, now: Instant, life: Duration) -> u32 {
        let said = self.nodes.get(node.index()).and_then(|page| page.said);
        said.filter(|(at, _)| *at + life > now).map_or(0, |(_, count)| count)
    }

    /// `packet` passed `node`, which counts its connection unless the packet was sent over a route
    /// that has since broken. A packet that its source hands to the link shows that there is a
    /// route.
    pub fn see_routed(&mut self, node: NodeId, now: Instant, packet: &Packet, timer: &AliveTimer) {
        let Body::Tcp(segment) = &packet.body else { return };
        if packet.source == node && !segment.is_ack() {
            self.routed_since.entry(segment.flow).or_insert(packet.created);
        }
        let since = self.routed_since.get(&segment.flow);
        if since.is_some_and(|since| *since <= packet.created) {
            self.connections(node).see(now, packet, timer);
        }
    }

    /// Every node forgets connection `flow`.
    pub fn forget(&mut self, flow: FlowId) {
        self.routed_since.remove(&flow);
        self.nodes.iter_mut().for_each(|page| page.connections.remove(flow));
    }

    fn page(&mut self, node: NodeId) -> &mut Page {
        if self.nodes.len() <= node.index() {
            self.nodes.resize_with(node.index() + 1, Page::default);
        }
        &mut self.nodes[node.index()]
    }
}
