//! Data packets: along the selected routes.

use super::Babel;
use crate::kernel::Duration;
use crate::routing::relaying::{originated, relayed};
use crate::routing::{Context, DropReason};
use crate::wire::Packet;

impl Babel {
    /// This node's transport sends `packet`.
    pub(super) fn originate(&mut self, cx: &mut Context, packet: Packet) {
        self.hand_on(cx, originated(packet));
    }

    /// A neighbour has sent `packet`, which is for another node.
    pub(super) fn forward(&mut self, cx: &mut Context, packet: Packet) {
        match relayed(cx, packet) {
            Ok(packet) => self.hand_on(cx, packet),
            // One of its own that comes back has gone round, as has one whose time is over.
            Err(_) => self.counts.looped_packets += 1,
        }
    }

    fn hand_on(&mut self, cx: &mut Context, packet: Packet) {
        match self.next_hop(packet.destination) {
            Some(next_hop) => cx.send(packet, next_hop, Duration::ZERO),
            None => cx.drop(packet, DropReason::NoRoute),
        }
    }
}
