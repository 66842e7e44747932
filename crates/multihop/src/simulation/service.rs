//! Serves the nodes' links: hands packets to free MACs and asks transports for packets while a node
//! has room. What may go, and when, is [`crate::link::LinkService`]'s to say.

use super::Simulation;
use super::event::{Event, Timer};
use crate::capture::Detail;
use crate::kernel::Duration;
use crate::link::back_pressure::Admission;
use crate::wire::{FlowId, NodeId, Packet};

/// A packet on its way between a node's layers: the node, the neighbour it goes to or comes from,
/// and the packet.
pub type Handover = (NodeId, NodeId, Packet);

impl Simulation {
    /// Passes a packet from one layer of its node to another; `event` comes after `delay`.
    pub(super) fn hand_over(
        &mut self,
        handover: Handover,
        delay: Duration,
        event: fn(u32) -> Event,
    ) {
        self.service.on_handover_begin(handover.0, &handover.2);
        let number = self.pending.handovers.insert(handover);
        self.clock.schedule(self.clock.now() + delay, event(number));
    }

    /// The packet of handover `number` has arrived.
    #[inline(always)]
    pub(super) fn take_handover(&mut self, number: u32) -> Handover {
        let handover = self.pending.handovers.remove(number);
        self.service.on_handover_end(handover.0, &handover.2);
        handover
    }

    /// Gives a free MAC at `node` what may be sent, or has the node woken when something may.
    pub(super) fn serve_queue(&mut self, node: NodeId) {
        if !self.stations[node].mac.is_free() {
            return;
        }
        match self.next_packet(node) {
            Some((next_hop, packet)) => {
                self.act(node, |mac, cx| mac.on_packet(cx, next_hop, packet));
            }
            None => self.set_release(node),
        }
    }

    /// Takes the packet that the MAC of `node` is to send next, if one may go.
    pub(super) fn next_packet(&mut self, node: NodeId) -> Option<(NodeId, Packet)> {
        let this = &mut self.stations[node];
        let (before, is_holding) = (this.queue.len(), this.mac.is_holding());
        let mac = &this.mac;
        let queue = this.queue.of(mac.category());
        let rank = |next_hop, packet: &Packet| mac.rank(next_hop, packet);
        let next = self.service.next(self.clock.now(), node, is_holding, queue, rank);
        self.on_taken(node, before, next)
    }

    /// The MAC of `node` gets `next`, if that is a packet, from the queue, which held `before`
    /// packets.
    #[inline(always)]
    pub(super) fn on_taken(
        &mut self,
        node: NodeId,
        before: usize,
        next: Option<(NodeId, Packet)>,
    ) -> Option<(NodeId, Packet)> {
        let queue = &self.stations[node].queue;
        let has_dropped = queue.has_dropped();
        if next.is_some() || has_dropped {
            self.monitor.on_queue_change(self.clock.now(), node, before, queue);
        }
        if has_dropped {
            self.on_dropped(node, before, next.is_none());
        }
        if let Some((next_hop, packet)) = &next {
            self.note_serve(node, *next_hop, packet);
        }
        next
    }

    /// The queue of `node`, which held `before` packets, has dropped some to make packets wait
    /// less. `is_all`: none leaves.
    #[cold]
    pub(super) fn on_dropped(&mut self, node: NodeId, before: usize, is_all: bool) {
        let queue = &mut self.stations[node].queue;
        let why = if queue.has_rule() { Detail::QueueRule } else { Detail::Codel };
        for packet in queue.take_dropped() {
            self.drop_at(node, &packet, why);
        }
        if is_all {
            self.note_queue(node, before);
        }
    }

    /// The MAC of `node` has given up `packet` for `next_hop`.
    pub(super) fn on_given_up(&mut self, node: NodeId, next_hop: NodeId, packet: Packet) {
        self.note_given_up(node, next_hop, &packet);
        if let Some(packet) = self.undelivered(node, next_hop, packet) {
            self.on_undelivered(node, next_hop, packet);
        }
    }

    /// `packet`, which the MAC of `node` has given up, waits for no other turn.
    pub(super) fn on_undelivered(&mut self, node: NodeId, next_hop: NodeId, packet: Packet) {
        match self.link.reports_failures {
            true => self.on_link_failure(node, packet, next_hop),
            false => self.drop_at(node, &packet, Detail::Retries),
        }
    }

    /// The MAC of `node` has given up `packet` for `next_hop`. Returns the packet unless it waits
    /// for another turn.
    pub(super) fn undelivered(
        &mut self,
        node: NodeId,
        next_hop: NodeId,
        packet: Packet,
    ) -> Option<Packet> {
        let now = self.clock.now();
        let queue = &mut self.stations[node].queue;
        let before = queue.len();
        let failed = self.service.on_undelivered(now, node, next_hop, packet, queue);
        if failed.is_none() {
            self.monitor.on_queue_change(now, node, before, queue);
            self.note_queue(node, before);
        }
        failed
    }

    /// Has `node` woken when a waiting packet may go even if nothing is heard.
    pub(super) fn set_release(&mut self, node: NodeId) {
        if !self.service.queues_all() {
            return;
        }
        let timer = Timer::Release(node);
        match self.service.first_release(node, &self.stations[node].queue) {
            Some(at) => {
                let at = at.max(self.clock.now());
                self.clock.set(timer, at);
            }
            None => self.clock.cancel(timer),
        }
    }

    /// `node` has heard neighbour `from` send `packet`.
    #[inline]
    pub(super) fn on_neighbour_sent(&mut self, node: NodeId, from: NodeId, packet: &Packet) {
        if self.service.on_heard(self.clock.now(), node, from, packet) {
            self.serve_queue(node);
        }
    }

    /// Data packets of `node` outside its MAC, as the MAC's rules count them.
    #[inline]
    pub(super) fn waiting_for_mac(&mut self, node: NodeId) -> u32 {
        if self.service.needs().backlog { self.tell_backlog(node) } else { 0 }
    }

    /// The same, once the MAC of `node` has been told what waits in its queue.
    #[cold]
    fn tell_backlog(&mut self, node: NodeId) -> u32 {
        let this = &mut self.stations[node];
        this.mac.on_backlog(&mut this.queue.packets());
        self.waiting_packets(node, true)
    }

    /// The number of data packets in `node` may have changed.
    #[inline]
    pub(super) fn on_occupancy(&mut self, node: NodeId) {
        if self.service.back_pressure.is_some() {
            self.settle(node, true);
        }
    }

    /// A transport has a packet, or a reason to send one, that it did not have before. What waits
    /// for an ARP reply, which may have been lost, is not counted this time.
    pub(super) fn on_demand(&mut self, node: NodeId) {
        if self.service.back_pressure.is_some() {
            self.settle(node, false);
        }
    }

    /// Sends a packet of flow `id`, or lets it wait for room.
    pub(super) fn send_when_room(&mut self, id: FlowId, packet: Packet) {
        let node = packet.source;
        let Some(back_pressure) = &mut self.service.back_pressure else {
            return self.send_from_transport(node, packet);
        };
        match back_pressure.send(id, packet) {
            Admission::On(packet) => self.send_from_transport(node, packet),
            Admission::Waits { is_dropping } => {
                self.stations.admission.source_waits += 1;
                self.stations.admission.source_drops += u64::from(is_dropping);
                self.endpoints.on_held(id, node, true);
                self.on_demand(node);
            }
        }
    }

    /// Tells the MAC of `node` how full the node is and asks for packets while there is
    /// room.
    #[cold]
    fn settle(&mut self, node: NodeId, count_arp: bool) {
        let Some(back_pressure) = &mut self.service.back_pressure else { return };
        if back_pressure.begin() {
            return;
        }
        if back_pressure.rules().is_admitting {
            self.act(node, |mac, cx| mac.on_occupancy(cx));
        }
        while self.ask(node, count_arp) {}
        self.set_deferral(node);
        if let Some(back_pressure) = &mut self.service.back_pressure {
            back_pressure.end(false);
        }
    }

    /// Has the MAC of `node` woken when the deferral of its packet ends.
    fn set_deferral(&mut self, node: NodeId) {
        let end = self.stations[node].mac.deferral_end();
        self.clock.keep(Timer::Deferral(node), end);
    }

    /// Asks the flows that start or end at `node` in turn for a packet until one sends. Returns
    /// whether that packet is in the node now; it may have been dropped at once for lack of a
    /// route.
    fn ask(&mut self, node: NodeId, count_arp: bool) -> bool {
        if !self.stations[node].queue.has_place() {
            return false;
        }
        for place in 0.. {
            let waiting = self.waiting_packets(node, count_arp);
            let in_mac = self.stations[node].mac.data_packets();
            let Some(back_pressure) = &self.service.back_pressure else { return false };
            let Some(id) = back_pressure.asked(node, place) else { return false };
            if back_pressure.admits(id, node, in_mac, waiting) && self.take_packet(id, node) {
                if let Some(back_pressure) = &mut self.service.back_pressure {
                    back_pressure.on_turn(node, id);
                }
                return self.waiting_packets(node, count_arp) > waiting;
            }
        }
        false
    }

    /// Asks flow `id` for a packet at its end `node`. Returns whether it had one.
    fn take_packet(&mut self, id: FlowId, node: NodeId) -> bool {
        let Some(back_pressure) = &mut self.service.back_pressure else { return false };
        let can_ask = back_pressure.can_ask(id, node);
        if let Some(packet) = back_pressure.take(id, node) {
            self.endpoints.on_held(id, node, false);
            self.send_from_transport(node, packet);
            return true;
        }
        if !can_ask {
            return false;
        }
        let before = self.endpoints.sent(id);
        self.at_ends(|ends, shared| ends.on_room(shared, id));
        self.endpoints.sent(id) > before
    }

    /// Data packets in all nodes.
    pub(super) fn packets_left(&self) -> u32 {
        let nodes = self.stations.iter().zip((0..).map(NodeId));
        nodes.map(|(this, node)| this.mac.data_packets() + self.waiting_packets(node, true)).sum()
    }

    /// Data packets of `node` outside its MAC, or all packets if the rules count those.
    #[cold]
    fn waiting_packets(&self, node: NodeId, count_arp: bool) -> u32 {
        let Some(back_pressure) = &self.service.back_pressure else { return 0 };
        let this = &self.stations[node];
        let queued = match back_pressure.rules().counts_control {
            true => this.queue.len(),
            false => this.queue.data_packets(),
        };
        let arp = if count_arp { this.arp.held() } else { 0 };
        let routing = self.routing.layer.waiting_packets(node);
        (queued + routing) as u32 + back_pressure.between_layers(node) + arp
    }
}
