//! Flow state (RFC 4728 sections 3.5 and 8.6), which lets packets omit their source route.
//!
//! Deviation: relays keep every flow, and there is no automatic route shortening for flows. In the
//! `ns2` profile relays do not check a flow's age when they forward.

use rustc_hash::FxHashMap;

use crate::kernel::{Duration, Instant};
use crate::wire::NodeId;
use crate::wire::dsr::Path;

/// One node's flows: those it originates and those it forwards.
#[derive(Debug, Default)]
pub struct FlowTable {
    pairs: FxHashMap<(NodeId, NodeId), Pair>,
    next_id: u16,
}

/// The flows between two nodes.
#[derive(Debug, Default)]
struct Pair {
    flows: Vec<EstablishedFlow>,
}

/// A flow.
#[derive(Clone, Debug)]
pub struct EstablishedFlow {
    /// Its flow ID, chosen by the source.
    pub id: u16,
    /// Its route, from its source to its destination.
    pub route: Path,
    /// The next hop from here.
    pub next_hop: NodeId,
    /// Time to live of its packets here.
    pub ttl: u8,
    /// When it expires.
    pub expires: Instant,
    /// Packets with the source route that this node has sent since the flow was last established.
    pub established: u32,
    /// When the last of them was sent.
    pub last_established: Instant,
}

impl EstablishedFlow {
    /// Whether it is alive.
    pub fn is_alive(&self, now: Instant) -> bool {
        self.expires >= now
    }
}

impl FlowTable {
    /// A new flow ID: odd, as for flows that can be a default flow.
    pub fn new_id(&mut self) -> u16 {
        let id = self.next_id.wrapping_add(1);
        self.next_id = id.wrapping_add(1);
        id
    }

    /// The default flow from `source` to `destination`: the newest, to which packets without a DSR
    /// header belong.
    pub fn default_flow(
        &mut self,
        source: NodeId,
        destination: NodeId,
    ) -> Option<&mut EstablishedFlow> {
        self.pairs.get_mut(&(source, destination))?.flows.last_mut()
    }

    /// The flow `id` from `source` to `destination`.
    pub fn get(
        &mut self,
        source: NodeId,
        destination: NodeId,
        id: u16,
    ) -> Option<&mut EstablishedFlow> {
        let pair = self.pairs.get_mut(&(source, destination))?;
        pair.flows.iter_mut().rev().find(|flow| flow.id == id)
    }

    /// The flow with exactly this route, if it is alive.
    pub fn along(&mut self, route: &[NodeId], now: Instant) -> Option<&mut EstablishedFlow> {
        let (source, destination) = (*route.first()?, *route.last()?);
        let pair = self.pairs.get_mut(&(source, destination))?;
        pair.flows.iter_mut().rev().find(|flow| flow.is_alive(now) && flow.route[..] == *route)
    }

    /// Adds `flow`, or replaces the one with its ID. Flows are ordered by age, which their IDs
    /// show.
    pub fn put(&mut self, source: NodeId, destination: NodeId, flow: EstablishedFlow) {
        let flows = &mut self.pairs.entry((source, destination)).or_default().flows;
        if let Some(known) = flows.iter_mut().find(|known| known.id == flow.id) {
            *known = flow;
            return;
        }
        let place = flows.partition_point(|known| {
            // Circular, so that IDs may wrap around.
            (flow.id.wrapping_sub(known.id) as i16) > 0
        });
        flows.insert(place, flow);
    }

    /// The link from `from` to `to` is broken: ends the flows of `source` over it.
    pub fn end_over_link(&mut self, source: NodeId, from: NodeId, to: NodeId, now: Instant) {
        for (_, pair) in self.pairs.iter_mut().filter(|((first, _), _)| *first == source) {
            for flow in &mut pair.flows {
                if flow.is_alive(now) && flow.route.windows(2).any(|link| link == [from, to]) {
                    flow.expires = Instant::ZERO;
                }
            }
            // Dead flows are never used again; the newest stays, because packets in flight without
            // a DSR header belong to it.
            let newest = pair.flows.last().map(|flow| flow.id);
            pair.flows.retain(|flow| flow.is_alive(now) || Some(flow.id) == newest);
        }
    }

    /// The next packet of flow `id` has to establish it again.
    pub fn forget_established(&mut self, source: NodeId, destination: NodeId, id: Option<u16>) {
        let flow = match id {
            Some(id) => self.get(source, destination, id),
            None => self.default_flow(source, destination),
        };
        if let Some(flow) = flow {
            flow.established = 0;
        }
    }
}

/// Whether the next packet of `flow` carries the source route: the first few, and one after each
/// `refresh`.
pub fn establishes(flow: &EstablishedFlow, packets: u32, refresh: Duration, now: Instant) -> bool {
    flow.established < packets || flow.last_established + refresh < now
}
