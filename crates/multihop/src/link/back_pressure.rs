//! Back-pressure in a node: its own transports may send only while few packets are in the node.
//!
//! Source: the paper on semi-TCP, section 3.1. While fewer data packets than a threshold are in a
//! node (eq. 3), the flows with an endpoint there are asked for a packet, round-robin. If the rules
//! say so, packets that a transport sends unasked wait here for their turn.

use std::collections::VecDeque;

use crate::mac::BackPressureRules;
use crate::wire::{FlowId, NodeId, Packet};

/// The back-pressure of all nodes on their own transports.
#[derive(Debug)]
pub struct BackPressure {
    rules: BackPressureRules,
    flows: Vec<Flow>,
    /// Packets waiting at the source and at the destination of each flow.
    stores: Vec<[Store; 2]>,
    /// The flows with an endpoint at each node.
    flows_at: Vec<Vec<FlowId>>,
    /// Index of the flow to ask first next time, for each node.
    turns: Vec<usize>,
    /// Data packets in a handover between the layers of each node, except those for its own
    /// transport.
    between_layers: Vec<u32>,
    /// A change of occupancy is being handled.
    is_busy: bool,
}

/// What back-pressure needs to know of a flow.
#[derive(Debug)]
pub struct Flow {
    /// Source node.
    pub source: NodeId,
    /// Destination node.
    pub destination: NodeId,
    /// How its transport is asked for packets; none if it sends unasked.
    pub asking: Option<Asking>,
}

/// How a transport is asked for packets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Asking {
    /// Segments leave only while no data packet is in the source.
    pub wants_empty_node: bool,
    /// Acknowledgments that can wait at the receiver; beyond that the oldest is dropped.
    pub stored_acks: usize,
}

/// Packets of a flow that wait at one of its endpoints.
#[derive(Debug, Default)]
struct Store {
    packets: VecDeque<Packet>,
}

/// What an endpoint does with a packet that it may have to hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Waiting {
    /// It sends the packet at once.
    Not,
    /// At most this many wait; beyond that the newest is dropped.
    Newest(usize),
    /// At most this many wait; beyond that the oldest is dropped.
    Oldest(usize),
}

/// What becomes of a packet that a transport sends.
#[derive(Debug, PartialEq)]
pub enum Sent {
    /// It goes to routing.
    On(Packet),
    /// It waits.
    Waits {
        /// A packet was dropped for it, or the packet itself.
        is_dropping: bool,
    },
}

impl BackPressure {
    /// Back-pressure in `nodes` nodes, if their MACs or one of `flows` need it.
    pub fn new(rules: BackPressureRules, flows: Vec<Flow>, nodes: usize) -> Option<BackPressure> {
        if !rules.is_admitting && flows.iter().all(|flow| flow.asking.is_none()) {
            return None;
        }
        let mut flows_at = vec![Vec::new(); nodes];
        for (id, flow) in (0..).map(FlowId).zip(&flows) {
            flows_at[flow.source.index()].push(id);
            flows_at[flow.destination.index()].push(id);
        }
        Some(BackPressure {
            rules,
            stores: flows.iter().map(|_| Default::default()).collect(),
            flows,
            turns: vec![0; nodes],
            between_layers: vec![0; nodes],
            flows_at,
            is_busy: false,
        })
    }

    /// The rules.
    pub fn rules(&self) -> &BackPressureRules {
        &self.rules
    }

    /// `packet` begins its handover between two layers of `node`.
    pub fn on_handover_begin(&mut self, node: NodeId, packet: &Packet) {
        self.between_layers[node.index()] += u32::from(is_outbound(node, packet));
    }

    /// The handover of `packet` between two layers of `node` is over.
    pub fn on_handover_end(&mut self, node: NodeId, packet: &Packet) {
        self.between_layers[node.index()] -= u32::from(is_outbound(node, packet));
    }

    /// Data packets in a handover between the layers of `node`.
    pub fn between_layers(&self, node: NodeId) -> u32 {
        self.between_layers[node.index()]
    }

    /// Begins to handle a change of occupancy. Returns whether another change is already being
    /// handled; the caller then does nothing.
    pub fn begin(&mut self) -> bool {
        std::mem::replace(&mut self.is_busy, true)
    }

    /// Ends the handling of a change; `was_busy` is what [`BackPressure::begin`] returned.
    pub fn end(&mut self, was_busy: bool) {
        self.is_busy = was_busy;
    }

    /// A transport sends `packet` of flow `id`.
    pub fn send(&mut self, id: FlowId, packet: Packet) -> Sent {
        let waiting = self.waiting(id, &packet);
        if waiting == Waiting::Not {
            return Sent::On(packet);
        }
        let node = packet.source;
        Sent::Waits { is_dropping: self.store(id, node).push(packet, waiting).is_some() }
    }

    /// The flow that is asked for a packet at `node` as number `place`, from 0; none if fewer flows
    /// have an endpoint there.
    pub fn asked(&self, node: NodeId, place: usize) -> Option<FlowId> {
        let (flows, first) = (&self.flows_at[node.index()], self.turns[node.index()]);
        (place < flows.len()).then(|| flows[(first + place) % flows.len()])
    }

    /// Flow `id` has had its turn at `node`.
    pub fn on_turn(&mut self, node: NodeId, id: FlowId) {
        let place = self.flows_at[node.index()].iter().position(|&other| other == id);
        self.turns[node.index()] = place.map_or(0, |place| place + 1);
    }

    /// Whether `node` accepts a packet of flow `id` while its MAC has `in_mac` data packets and
    /// `waiting` others wait in the node.
    pub fn admits(&self, id: FlowId, node: NodeId, in_mac: u32, waiting: u32) -> bool {
        let flow = &self.flows[id.index()];
        match flow.asking {
            Some(Asking { wants_empty_node: true, .. }) if node == flow.source => {
                in_mac + waiting == 0
            }
            Some(Asking { wants_empty_node: true, .. }) => waiting < self.rules.threshold,
            Some(_) | None => in_mac + waiting < self.rules.threshold,
        }
    }

    /// Takes the next packet of flow `id` that waits at its endpoint `node`.
    pub fn take(&mut self, id: FlowId, node: NodeId) -> Option<Packet> {
        self.store(id, node).packets.pop_front()
    }

    /// Whether the sender of flow `id` can be asked for a segment at `node`.
    pub fn can_ask(&self, id: FlowId, node: NodeId) -> bool {
        let flow = &self.flows[id.index()];
        flow.asking.is_some() && flow.source == node
    }

    /// Whether `packet` of flow `id` has to wait, and what is dropped if too many do.
    fn waiting(&self, id: FlowId, packet: &Packet) -> Waiting {
        // Those of programs, which come up during the run, send as they like.
        let Some(flow) = self.flows.get(id.index()) else { return Waiting::Not };
        match (flow.asking, self.rules.source_buffer_packets) {
            // Segments leave only when asked for.
            (Some(_), _) if packet.source == flow.source => Waiting::Not,
            (Some(asking), _) => Waiting::Oldest(asking.stored_acks),
            (None, Some(most)) => Waiting::Newest(most),
            (None, None) => Waiting::Not,
        }
    }

    fn store(&mut self, id: FlowId, node: NodeId) -> &mut Store {
        let is_source = node == self.flows[id.index()].source;
        &mut self.stores[id.index()][usize::from(!is_source)]
    }
}

impl Store {
    /// Adds `packet`. Returns the packet dropped for it, if any.
    fn push(&mut self, packet: Packet, waiting: Waiting) -> Option<Packet> {
        match waiting {
            Waiting::Newest(most) if self.packets.len() >= most => return Some(packet),
            _ => self.packets.push_back(packet),
        }
        match waiting {
            Waiting::Oldest(most) if self.packets.len() > most => self.packets.pop_front(),
            _ => None,
        }
    }
}

/// Whether `packet` is data that `node` has to send on.
fn is_outbound(node: NodeId, packet: &Packet) -> bool {
    packet.is_transport() && packet.destination != node
}

#[cfg(test)]
mod tests;
