//! AODV messages as bytes (RFC 3561 section 5) with extensions (section 9) for what the model's
//! carry beyond it.
//!
//! | type | length | what |
//! |---:|---:|---|
//! | 3 | 8 | when the request was sent, as an NTP timestamp; in requests and replies |
//! | 128 | 4 or 8 | the path's metric and, in requests that have it, the metric of the last transmitter |
//! | 129 | 4 | ROUTE_ID |
//! | 130 | 0 | the reply is on its way back |
//! | a scheme's own | | its fields in a HELLO; more than 248 bytes are split over several extensions |
//!
//! Nodes that do not know an extension of type 128 or above skip it.

use super::{Message, Reply, Request, SequenceNumber};
use crate::kernel::{Duration, Instant};
use crate::wire::put::Put;
use crate::wire::{NodeId, Packet, RouteId};

/// Of RFC 3561 section 9, type 1 is the Hello Interval; Wireshark takes 2 for that, too, and 3 for
/// this.
const TIMESTAMP: u8 = 3;
const METRIC: u8 = 128;
const ROUTE_ID: u8 = 129;
const RETURNED: u8 = 130;

/// Longest extension: a multiple of 8, as long lists are made of.
const LONGEST: usize = 248;
/// From NTP's epoch to that of the capture's times, 1970 \[s\].
const NTP_EPOCH_S: u64 = 2_208_988_800;
/// Flag of a request: the destination's sequence number is not known.
const UNKNOWN: u8 = 0x08;

/// Appends `message`, which `packet` carries.
pub fn put_message(out: &mut Vec<u8>, message: &Message, packet: &Packet) {
    match message {
        Message::Request(request) => put_request(out, request),
        Message::Reply(reply) | Message::Returned(reply) => {
            let numbers = (reply.hop_count, reply.destination_sequence);
            put_reply(out, reply.destination, numbers, reply.originator, reply.lifetime);
            put_timestamp(out, reply.request_sent_at);
        }
        Message::Hello { sequence, lifetime, .. } => {
            put_reply(out, packet.source, (0, *sequence), packet.source, *lifetime);
        }
        Message::Error(error) => {
            // As many as the field can count.
            let listed = &error.unreachable[..error.unreachable.len().min(255)];
            out.extend([3, 0, 0, listed.len() as u8]);
            for (node, sequence) in listed {
                out.put_node(*node);
                out.put32(sequence.0);
            }
        }
    }
    put_extensions(out, message, packet);
}

fn put_request(out: &mut Vec<u8>, request: &Request) {
    let Request { hop_count, destination_sequence, originator_sequence, .. } = *request;
    let is_unknown = destination_sequence == SequenceNumber(0);
    out.extend([1, if is_unknown { UNKNOWN } else { 0 }, 0, so_far(hop_count)]);
    out.put32(request.id);
    out.put_node(request.destination);
    out.put32(destination_sequence.0);
    out.put_node(request.originator);
    out.put32(originator_sequence.0);
    put_timestamp(out, request.sent_at);
}

fn put_reply(
    out: &mut Vec<u8>,
    destination: NodeId,
    (hop_count, sequence): (u8, SequenceNumber),
    originator: NodeId,
    lifetime: Duration,
) {
    out.extend([2, 0, 0, so_far(hop_count)]);
    out.put_node(destination);
    out.put32(sequence.0);
    out.put_node(originator);
    out.put32(u32::try_from(lifetime.as_nanos() / 1_000_000).unwrap_or(u32::MAX));
}

/// The hop count as the RFC has it, which is incremented where a message arrives: the model's
/// counts that hop.
fn so_far(hop_count: u8) -> u8 {
    hop_count.saturating_sub(1)
}

fn put_timestamp(out: &mut Vec<u8>, at: Instant) {
    let (seconds, nanos) = (at.as_nanos() / 1_000_000_000, at.as_nanos() % 1_000_000_000);
    out.extend([TIMESTAMP, 8]);
    out.put32((NTP_EPOCH_S + seconds) as u32);
    out.put32(((nanos << 32) / 1_000_000_000) as u32);
}

/// Appends what schemes add.
fn put_extensions(out: &mut Vec<u8>, message: &Message, packet: &Packet) {
    let route_id_bytes = packet.route_id.map_or(0, |_| RouteId::BYTES);
    let added = packet.size_bytes.saturating_sub(message.size_bytes() + route_id_bytes);
    match message {
        Message::Request(Request { metric, transmitter_metric, .. }) if added > 0 => {
            let has_both = added >= 8;
            out.extend([METRIC, if has_both { 8 } else { 4 }]);
            out.put32(*metric);
            if has_both {
                out.put32(*transmitter_metric);
            }
        }
        Message::Reply(Reply { metric, .. }) if added > 0 => {
            out.extend([METRIC, 4]);
            out.put32(*metric);
        }
        Message::Hello { extension: Some(extension), .. } => {
            let mut fields = Vec::new();
            extension.write(&mut fields);
            for part in fields.chunks(LONGEST) {
                out.extend([extension.kind(), part.len() as u8]);
                out.extend(part);
            }
        }
        _ => {}
    }
    if let Some(id) = packet.route_id {
        out.extend([ROUTE_ID, 4]);
        out.put32(id.bits());
    }
    if matches!(message, Message::Returned(_)) {
        out.extend([RETURNED, 0]);
    }
}
