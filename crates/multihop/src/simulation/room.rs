//! Room in a node for packets of its own transports: the signal that semi-TCP sends by.
//!
//! Source: the paper on semi-TCP, section 3.1. Whenever the number of data packets in a node changes, its
//! MAC is told, and while there is room (eq. 3) the flows that end there are asked in turn for a packet. What
//! a transport sends unasked waits here for its turn, if `mac.semi.hold_sources` says so.

use std::collections::VecDeque;

use super::Simulation;
use super::event::Event;
use super::flows::Flow;
use crate::mac::Dcf;
use crate::mac::config::MacScheme;
use crate::mac::semi::Rules;
use crate::scenario::Scenario;
use crate::transport::semi::SourceRule;
use crate::wire::{FlowId, NodeId, Packet};

/// What a network needs to tell transports of room.
#[derive(Debug)]
pub struct Room {
    rules: Rules,
    /// The MACs keep the rules, too.
    is_admitting: bool,
    /// The flows that end at each node.
    ends: Vec<Vec<FlowId>>,
    /// Which of them is asked first next time.
    turns: Vec<usize>,
    /// Data packets on their way between the layers of each node, those for its transport apart.
    between_layers: Vec<u32>,
    /// A change is being dealt with.
    is_busy: bool,
}

/// Packets of a flow that wait for room at one of its ends.
#[derive(Debug, Default)]
pub struct Store {
    packets: VecDeque<Packet>,
}

/// What a flow's end does with a packet for which there may be no room.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Waiting {
    /// It sends it all the same.
    Not,
    /// At most so many wait; a further one is dropped.
    Newest(usize),
    /// At most so many wait; for a further one the oldest is dropped.
    Oldest(usize),
}

impl Room {
    /// Room is told of if the MACs or a flow of `flows` ask for it.
    pub fn new(scenario: &Scenario, flows: &[Flow], nodes: usize) -> Option<Box<Room>> {
        let is_admitting = scenario.mac.scheme == MacScheme::SemiTcp;
        if !is_admitting && flows.iter().all(|flow| flow.semi.is_none()) {
            return None;
        }
        let mut ends = vec![Vec::new(); nodes];
        for flow in flows {
            ends[flow.source.index()].push(flow.id);
            ends[flow.destination.index()].push(flow.id);
        }
        Some(Box::new(Room {
            rules: scenario.mac.semi.rules(),
            is_admitting,
            turns: vec![0; nodes],
            between_layers: vec![0; nodes],
            ends,
            is_busy: false,
        }))
    }

    /// Whether a packet of `flow` waits for room at its source.
    fn waiting(&self, flow: &Flow, packet: &Packet) -> Waiting {
        match &flow.semi {
            // Segments leave only when asked for.
            Some(_) if packet.source == flow.source => Waiting::Not,
            Some(semi) => Waiting::Oldest(semi.stored_acks as usize),
            None if self.is_admitting && self.rules.hold_sources => {
                Waiting::Newest(self.rules.source_buffer_packets)
            }
            None => Waiting::Not,
        }
    }

    /// Whether there is room for a packet of `flow` beside `in_mac` and `waiting` others.
    fn admits(&self, flow: &Flow, is_source: bool, in_mac: u32, waiting: u32) -> bool {
        let rule = flow.semi.as_ref().map(|semi| semi.source_rule());
        match rule {
            Some(SourceRule::EmptyQueue) if is_source => in_mac + waiting == 0,
            Some(SourceRule::EmptyQueue) => waiting < self.rules.threshold,
            Some(SourceRule::Threshold) | None => in_mac + waiting < self.rules.threshold,
        }
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

impl Simulation {
    /// Whether the MACs keep semi-TCP's rules.
    #[inline]
    pub(super) fn is_under_admission(&self) -> bool {
        self.room.as_ref().is_some_and(|room| room.is_admitting)
    }

    /// Whether transports send by the room in their nodes.
    #[inline]
    pub(super) fn tells_room(&self) -> bool {
        self.room.is_some()
    }

    /// Data packets of `node` that are not its MAC's, as far as the MAC's rules count them.
    #[inline]
    pub(super) fn waiting_for_mac(&self, node: NodeId) -> u32 {
        if self.room.is_some() { self.waiting_packets(node, true) } else { 0 }
    }

    /// `packet` begins its way between two layers of `node`.
    #[inline]
    pub(super) fn on_handover_begin(&mut self, node: NodeId, packet: &Packet) {
        if let Some(room) = &mut self.room {
            room.between_layers[node.index()] += u32::from(goes_on(node, packet));
        }
    }

    /// `packet` has come from one layer of `node` to another.
    #[inline]
    pub(super) fn on_handover_end(&mut self, node: NodeId, packet: &Packet) {
        if let Some(room) = &mut self.room {
            room.between_layers[node.index()] -= u32::from(goes_on(node, packet));
        }
    }

    /// The number of data packets in `node` may have changed.
    #[inline]
    pub(super) fn on_occupancy(&mut self, node: NodeId) {
        if self.room.is_some() {
            self.settle(node, true);
        }
    }

    /// A transport has a packet, or reason for one, that it did not have before: what waits for an ARP
    /// reply, which may have been lost, does not count this time.
    pub(super) fn on_demand(&mut self, node: NodeId) {
        if self.room.is_some() {
            self.settle(node, false);
        }
    }

    /// Keeps nodes from being asked for packets: what routing has still to send is not counted anywhere.
    /// Returns what [`Simulation::release_room`] wants.
    #[inline]
    pub(super) fn hold_room(&mut self) -> bool {
        self.room.as_mut().is_some_and(|room| std::mem::replace(&mut room.is_busy, true))
    }

    /// Nodes may be asked again, unless they might not before.
    #[inline]
    pub(super) fn release_room(&mut self, was_busy: bool) {
        if let Some(room) = &mut self.room {
            room.is_busy = was_busy;
        }
    }

    /// Sends a packet of flow `id`, or lets it wait for room.
    pub(super) fn send_when_room(&mut self, id: FlowId, packet: Packet) {
        let node = packet.source;
        let Some(room) = &self.room else { return self.send_from_transport(node, packet) };
        let flow = &mut self.flows[id.index()];
        let waiting = room.waiting(flow, &packet);
        if waiting == Waiting::Not {
            return self.send_from_transport(node, packet);
        }
        let counters = self.mac.admission.get_or_insert_default();
        counters.source_waits += 1;
        if flow.store(node).push(packet, waiting).is_some() {
            counters.source_drops += 1;
        }
        self.on_demand(node);
    }

    /// Tells the MAC of `node` how full the node is and asks for packets while there is room.
    #[cold]
    fn settle(&mut self, node: NodeId, count_arp: bool) {
        let Some(room) = &mut self.room else { return };
        if std::mem::replace(&mut room.is_busy, true) {
            return;
        }
        if room.is_admitting {
            self.medium.catch_up(node, self.queue.now(), &self.timing);
            self.drive(node, Dcf::on_occupancy);
            self.rearm_backoff(node);
        }
        while self.ask(node, count_arp) {}
        self.set_deferral(node);
        if let Some(room) = &mut self.room {
            room.is_busy = false;
        }
    }

    /// Has the MAC of `node` woken when the deferral of its packet ends.
    fn set_deferral(&mut self, node: NodeId) {
        let slot = self.deferral_slot(node);
        match self.nodes[node.index()].mac.deferral_end() {
            Some(at) if at != self.timers.deadline(slot) => {
                self.timers.set(&mut self.queue, slot, at, Event::Deferral(node));
            }
            Some(_) => {}
            None => self.timers.cancel(slot),
        }
    }

    /// Asks the flows that end at `node` in turn for a packet until one sends. Returns whether that packet
    /// is in the node now, not lost at once for lack of a route.
    fn ask(&mut self, node: NodeId, count_arp: bool) -> bool {
        let Some(room) = &self.room else { return false };
        if !self.nodes[node.index()].queue.has_place() {
            return false;
        }
        let (ends, first) = (room.ends[node.index()].len(), room.turns[node.index()]);
        for i in 0..ends {
            let place = (first + i) % ends;
            let waiting = self.waiting_packets(node, count_arp);
            let in_mac = self.nodes[node.index()].mac.data_packets();
            let Some(room) = &mut self.room else { return false };
            let id = room.ends[node.index()][place];
            let flow = &self.flows[id.index()];
            if !room.admits(flow, flow.source == node, in_mac, waiting) {
                continue;
            }
            if self.take_packet(id, node) {
                if let Some(room) = &mut self.room {
                    room.turns[node.index()] = place + 1;
                }
                return self.waiting_packets(node, count_arp) > waiting;
            }
        }
        false
    }

    /// Asks flow `id` for a packet at its end `node`. Returns whether it had one.
    fn take_packet(&mut self, id: FlowId, node: NodeId) -> bool {
        let flow = &mut self.flows[id.index()];
        if let Some(packet) = flow.store(node).packets.pop_front() {
            self.send_from_transport(node, packet);
            return true;
        }
        if flow.semi.is_none() || flow.source != node {
            return false;
        }
        let before = flow.sent_segments();
        self.with_sender(id, |sender, now, out| sender.on_room(now, out));
        self.flows[id.index()].sent_segments() > before
    }

    /// Data packets in all nodes.
    pub(super) fn packets_left(&self) -> u32 {
        let nodes = self.nodes.iter().zip((0..).map(NodeId));
        nodes.map(|(this, node)| this.mac.data_packets() + self.waiting_packets(node, true)).sum()
    }

    /// Data packets of `node` that are not its MAC's, or all packets if the rules say so.
    #[cold]
    fn waiting_packets(&self, node: NodeId, count_arp: bool) -> u32 {
        let Some(room) = &self.room else { return 0 };
        let this = &self.nodes[node.index()];
        let queued = match room.rules.count_control {
            true => this.queue.len(),
            false => this.queue.data_packets(),
        };
        let arp = if count_arp { this.arp.held() } else { 0 };
        let between = room.between_layers[node.index()];
        (queued + this.routing.waiting_packets()) as u32 + between + arp
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
