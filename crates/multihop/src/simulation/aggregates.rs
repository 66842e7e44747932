//! A-MPDUs between the layers: packets that join those in service, and those that leave the MAC
//! together.

use super::Simulation;
use super::event::Event;
use crate::mac::Room;
use crate::wire::{Aggregate, Frame, Mpdu, NodeId, Packet};

impl Simulation {
    /// It is the turn of `node`: has more packets join those that its MAC has in service.
    #[cold]
    pub(super) fn gather(&mut self, node: NodeId) {
        self.stations.begin_gathering(node, self.clock.now());
        let timing = self.stations[node].timing.clone();
        while let Some(room) = self.stations[node].mac.room(&timing)
            && let Some(packet) = self.more_packets(node, &room)
        {
            self.stations[node].mac.on_more(packet);
        }
        self.stations[node].mac.prepare(&timing);
    }

    /// Takes a packet of `node` that fits.
    fn more_packets(&mut self, node: NodeId, room: &Room) -> Option<Packet> {
        let this = &mut self.stations[node];
        let before = this.queue.len();
        let queue = this.queue.of(this.mac.category());
        let next = self.service.more(self.clock.now(), node, room, queue);
        self.on_taken(node, before, next).map(|(_, packet)| packet)
    }

    /// The MAC of `node` has given up several packets at once.
    #[cold]
    pub(super) fn give_up_several(&mut self, node: NodeId) {
        let Some(several) = self.stations[node].mac.several() else { return };
        let all = std::mem::take(&mut several.given_up);
        for (packet, next_hop) in &all {
            self.note_given_up(node, *next_hop, packet);
        }
        // What waits for another turn goes to the head of the queue: the last first.
        let mut lost = Vec::with_capacity(all.len());
        for (packet, next_hop) in all.into_iter().rev() {
            let given_up = self.undelivered(node, next_hop, packet);
            lost.extend(given_up.map(|packet| (packet, next_hop)));
        }
        for (packet, next_hop) in lost.into_iter().rev() {
            self.on_undelivered(node, next_hop, packet);
        }
    }

    /// The MAC of `node` has accepted several packets at once.
    #[cold]
    pub(super) fn receive_several(&mut self, node: NodeId) {
        let Some(several) = self.stations[node].mac.several() else { return };
        let hold_until = several.hold_until.take();
        let mut all = std::mem::take(&mut several.received);
        if let Some(at) = hold_until {
            self.clock.schedule(at, Event::HoldOver(node));
        }
        for (packet, from) in all.drain(..) {
            self.on_packet_from_mac(node, from, packet);
        }
        if let Some(several) = self.stations[node].mac.several() {
            several.received = all;
        }
    }

    pub(super) fn on_hold_over(&mut self, node: NodeId) {
        self.drive(node, |mac, cx| mac.on_hold_over(cx));
    }

    /// `node` has overheard `frame`, an A-MPDU.
    #[cold]
    pub(super) fn on_aggregate_overheard(
        &mut self,
        node: NodeId,
        frame: &Frame,
        aggregate: &Aggregate,
    ) {
        for (place, Mpdu { packet, .. }) in (0..).zip(&aggregate.mpdus) {
            if aggregate.has(place) {
                self.on_packet_overheard(node, frame, packet);
            }
        }
    }
}
