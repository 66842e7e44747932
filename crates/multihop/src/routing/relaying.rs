//! What a data packet goes through where each node has a table of next hops: at its source, at a
//! relay, and when a link fails. Protocols that search for routes have rules of their own.

use super::{Context, DropReason};
use crate::wire::{Body, IP_HEADER_BYTES, Packet};

/// IP time to live of a packet at its source (RFC 1700).
const TIME_TO_LIVE: u8 = 64;

/// `packet` of this node's transport, as it leaves: routing adds UDP's IP header.
pub(crate) fn originated(mut packet: Packet) -> Packet {
    if let Body::Udp(_) = packet.body {
        packet.size_bytes += IP_HEADER_BYTES;
    }
    packet.ttl = TIME_TO_LIVE;
    packet
}

/// `packet` of another node, with one hop less to live. Dropped if none is left, or if it has come
/// back to its source.
///
/// # Errors
/// Why it was dropped.
pub(super) fn relayed(cx: &mut Context, mut packet: Packet) -> Result<Packet, DropReason> {
    let reason = match packet.ttl.saturating_sub(1) {
        _ if packet.source == cx.node => DropReason::Loop,
        0 => DropReason::TimeToLive,
        ttl => {
            packet.ttl = ttl;
            return Ok(packet);
        }
    };
    cx.drop(packet, reason);
    Err(reason)
}

/// Drops `packet`, which the link could not deliver; its source's transport is told.
pub(super) fn give_up(cx: &mut Context, packet: Packet) {
    if packet.source == cx.node && packet.is_transport() {
        cx.report_broken_route(packet.destination);
    }
    cx.drop(packet, DropReason::LinkFailure);
}
