//! Data packets: along the selected routes.

use super::Babel;
use crate::kernel::Duration;
use crate::routing::{Context, DropReason};
use crate::wire::{Body, IP_HEADER_BYTES, Packet};

/// IP time to live of a packet at its source (RFC 1700).
const TIME_TO_LIVE: u8 = 64;

impl Babel {
    /// This node's transport sends `packet`.
    pub(super) fn originate(&mut self, cx: &mut Context, mut packet: Packet) {
        if let Body::Udp(_) = packet.body {
            packet.size_bytes += IP_HEADER_BYTES;
        }
        packet.ttl = TIME_TO_LIVE;
        self.hand_on(cx, packet);
    }

    /// A neighbour has sent `packet`, which is for another node.
    pub(super) fn forward(&mut self, cx: &mut Context, mut packet: Packet) {
        // A packet of its own that comes back has gone round, as has one whose time is over.
        if packet.source == self.node {
            self.counts.looped_packets += 1;
            return cx.drop(packet, DropReason::Loop);
        }
        packet.ttl = packet.ttl.saturating_sub(1);
        if packet.ttl == 0 {
            self.counts.looped_packets += 1;
            return cx.drop(packet, DropReason::TimeToLive);
        }
        self.hand_on(cx, packet);
    }

    fn hand_on(&mut self, cx: &mut Context, packet: Packet) {
        match self.next_hop(packet.destination) {
            Some(next_hop) => cx.send(packet, next_hop, Duration::ZERO),
            None => cx.drop(packet, DropReason::NoRoute),
        }
    }
}
