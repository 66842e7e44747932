//! Back-pressure in a node: its own transports send by the room that there is for their packets.
//!
//! Source: the paper on semi-TCP, section 3.1. While fewer data packets than a threshold are in a node
//! (eq. 3), the flows that end there are asked in turn for a packet. What a transport sends unasked waits
//! here for its turn, if the rules say so.

use std::collections::VecDeque;

use crate::mac::BackPressureRules;
use crate::wire::{FlowId, NodeId, Packet};

/// What a network needs to tell transports of room.
#[derive(Debug)]
pub struct BackPressure {
    rules: BackPressureRules,
    flows: Vec<Flow>,
    /// What waits at the source and at the destination of each flow.
    stores: Vec<[Store; 2]>,
    /// The flows that end at each node.
    ends: Vec<Vec<FlowId>>,
    /// Which of them is asked first next time.
    turns: Vec<usize>,
    /// Data packets on their way between the layers of each node, those for its transport apart.
    between_layers: Vec<u32>,
    /// A change is being dealt with.
    is_busy: bool,
}

/// A flow as far as back-pressure is concerned.
#[derive(Debug)]
pub struct Flow {
    /// Where it starts.
    pub source: NodeId,
    /// Where it ends.
    pub destination: NodeId,
    /// How its transport asks for room; none if it sends unasked.
    pub asking: Option<Asking>,
}

/// How a transport asks for room.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Asking {
    /// Segments leave only while no data packet is in the node.
    pub wants_empty_node: bool,
    /// Acknowledgments that can wait for room at the receiver; of more the oldest is dropped.
    pub stored_acks: usize,
}

/// Packets of a flow that wait for room at one of its ends.
#[derive(Debug, Default)]
struct Store {
    packets: VecDeque<Packet>,
}

/// What a flow's end does with a packet for which there may be no room.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Waiting {
    /// It sends it all the same.
    Not,
    /// At most so many wait; a further one is dropped.
    Newest(usize),
    /// At most so many wait; for a further one the oldest is dropped.
    Oldest(usize),
}

/// What becomes of a packet that a transport sends.
#[derive(Debug, PartialEq)]
pub enum Sent {
    /// It goes to routing.
    On(Packet),
    /// It waits for room.
    Waits {
        /// One had to go for it, or itself.
        is_dropping: bool,
    },
}

impl BackPressure {
    /// Back-pressure in `nodes` nodes, if their MACs or a flow of `flows` ask for it.
    pub fn new(rules: BackPressureRules, flows: Vec<Flow>, nodes: usize) -> Option<BackPressure> {
        if !rules.is_admitting && flows.iter().all(|flow| flow.asking.is_none()) {
            return None;
        }
        let mut ends = vec![Vec::new(); nodes];
        for (id, flow) in (0..).map(FlowId).zip(&flows) {
            ends[flow.source.index()].push(id);
            ends[flow.destination.index()].push(id);
        }
        Some(BackPressure {
            rules,
            stores: flows.iter().map(|_| Default::default()).collect(),
            flows,
            turns: vec![0; nodes],
            between_layers: vec![0; nodes],
            ends,
            is_busy: false,
        })
    }

    /// The rules.
    pub fn rules(&self) -> &BackPressureRules {
        &self.rules
    }

    /// `packet` begins its way between two layers of `node`.
    pub fn on_handover_begin(&mut self, node: NodeId, packet: &Packet) {
        self.between_layers[node.index()] += u32::from(goes_on(node, packet));
    }

    /// `packet` has come from one layer of `node` to another.
    pub fn on_handover_end(&mut self, node: NodeId, packet: &Packet) {
        self.between_layers[node.index()] -= u32::from(goes_on(node, packet));
    }

    /// Data packets on their way between the layers of `node`.
    pub fn between_layers(&self, node: NodeId) -> u32 {
        self.between_layers[node.index()]
    }

    /// A change begins to be dealt with. Returns whether another is already: then this one is not.
    pub fn begin(&mut self) -> bool {
        std::mem::replace(&mut self.is_busy, true)
    }

    /// The change has been dealt with, unless another that `was_busy` still is.
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

    /// The flow that is asked `place`-th for a packet at `node`, if so many end there.
    pub fn asked(&self, node: NodeId, place: usize) -> Option<FlowId> {
        let (ends, first) = (&self.ends[node.index()], self.turns[node.index()]);
        (place < ends.len()).then(|| ends[(first + place) % ends.len()])
    }

    /// Flow `id` has had its turn at `node`.
    pub fn on_turn(&mut self, node: NodeId, id: FlowId) {
        let place = self.ends[node.index()].iter().position(|&other| other == id);
        self.turns[node.index()] = place.map_or(0, |place| place + 1);
    }

    /// Whether `node` has room for a packet of flow `id` beside `in_mac` and `waiting` others.
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

    /// Takes a packet of flow `id` that waits at its end `node`.
    pub fn take(&mut self, id: FlowId, node: NodeId) -> Option<Packet> {
        self.store(id, node).packets.pop_front()
    }

    /// Whether the sender of flow `id` can be asked for a segment at `node`.
    pub fn can_ask(&self, id: FlowId, node: NodeId) -> bool {
        let flow = &self.flows[id.index()];
        flow.asking.is_some() && flow.source == node
    }

    /// Whether `packet` of flow `id` waits for room at its source.
    fn waiting(&self, id: FlowId, packet: &Packet) -> Waiting {
        let flow = &self.flows[id.index()];
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
    /// Puts `packet` in. Returns one that had to go.
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

/// Whether `packet` between the layers of `node` is data that will go on from there.
fn goes_on(node: NodeId, packet: &Packet) -> bool {
    packet.is_transport() && packet.destination != node
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::Instant;
    use crate::wire::{Body, udp};

    fn packet(number: u32) -> Packet {
        let datagram = udp::Datagram { flow: FlowId(0), number, payload_bytes: 100 };
        Packet {
            source: NodeId(0),
            destination: NodeId(1),
            size_bytes: number,
            ttl: 0,
            hops: 0,
            created: Instant::ZERO,
            queued: Instant::FAR,
            dsr: None,
            route_id: None,
            body: Body::Udp(datagram),
        }
    }

    #[test]
    fn a_full_store_drops_the_newest_datagram_or_the_oldest_acknowledgment() {
        for (waiting, dropped, first) in
            [(Waiting::Newest(2), packet(3), 1), (Waiting::Oldest(2), packet(1), 2)]
        {
            let mut store = Store::default();
            assert_eq!(store.push(packet(1), waiting), None);
            assert_eq!(store.push(packet(2), waiting), None);
            assert_eq!(store.push(packet(3), waiting), Some(dropped));
            assert_eq!(store.packets.front(), Some(&packet(first)));
        }
    }
}
