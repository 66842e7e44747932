//! A-MPDUs between the layers: packets that join those in service, and those that leave the MAC together.

use super::Simulation;
use super::event::Event;
use crate::capture::Detail;
use crate::mac::{Dcf, Room};
use crate::wire::{Bundle, Mpdu, NodeId, Packet};

impl Simulation {
    /// It is the turn of `node`: has more packets join those that its MAC has in service.
    #[cold]
    pub(super) fn gather(&mut self, node: NodeId) {
        while let Some(room) = self.nodes[node.index()].mac.room(&self.timing)
            && let Some(packet) = self.more_packets(node, &room)
        {
            self.nodes[node.index()].mac.on_more(packet);
        }
        self.nodes[node.index()].mac.prepare(&self.timing);
    }

    /// Takes a packet of `node` that fits.
    fn more_packets(&mut self, node: NodeId, room: &Room) -> Option<Packet> {
        let queue = &mut self.nodes[node.index()].queue;
        let before = queue.len();
        let next = self.service.more(self.queue.now(), node, room, queue);
        self.on_taken(node, before, next).map(|(_, packet)| packet)
    }

    /// The MAC of `node` could not deliver `packet`, or several in its place.
    #[cold]
    pub(super) fn on_undeliverable(&mut self, node: NodeId, next_hop: NodeId, packet: Packet) {
        let all = match packet.bundle() {
            Some(Bundle::Several(several)) => several.packets.clone(),
            _ => vec![(packet, next_hop)],
        };
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
            match self.link.reports_failures {
                true => self.on_link_failure(node, packet, next_hop),
                false => self.drop_at(node, &packet, Detail::Retries),
            }
        }
    }

    /// The MAC of `node` has accepted several packets, in the place of this one.
    #[cold]
    pub(super) fn receive_several(&mut self, node: NodeId, packet: &Packet) {
        let Some(Bundle::Several(several)) = packet.bundle() else { return };
        if let Some(at) = several.hold_until {
            self.queue.schedule(at, Event::HoldOver(node));
        }
        for (packet, from) in &several.packets {
            self.on_packet_from_mac(node, *from, packet.clone());
        }
    }

    pub(super) fn on_hold_over(&mut self, node: NodeId) {
        self.drive(node, Dcf::on_hold_over);
    }

    /// `node` has overheard transmission `number`, an A-MPDU.
    #[cold]
    pub(super) fn on_aggregate_overheard(&mut self, node: NodeId, number: u32) {
        let frame = self.medium.frame(number);
        let (transmitter, receiver) = (frame.transmitter, frame.receiver);
        let Some(aggregate) = frame.aggregate().cloned() else { return };
        self.service.on_decoded(self.queue.now(), node, transmitter);
        for (place, Mpdu { packet, .. }) in (0..).zip(aggregate.mpdus.iter()) {
            if !aggregate.has(place) {
                continue;
            }
            self.on_neighbour_sent(node, transmitter, packet);
            if self.routing.layer.overhears(node, packet) {
                self.route(node, |protocol, cx| protocol.on_overheard(cx, packet, receiver));
            }
        }
    }
}
