//! AODV messages (RFC 3561 section 5) and their sizes.
//!
//! Deviation: as in ns-2, requests, replies and HELLOs carry a timestamp, 4 bytes more.

mod octets;

use super::{Extension, IP_HEADER_BYTES, NodeId, Packet, Part, Parts};
use crate::kernel::{Duration, Instant};

/// The UDP port of AODV (RFC 3561 section 10).
const PORT: u16 = 654;

/// A destination sequence number (RFC 3561 section 6.1): circular, so it has no order of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct SequenceNumber(pub u32);

impl SequenceNumber {
    /// Whether `self` is newer than `other` by signed 32-bit difference.
    pub const fn is_newer_than(self, other: SequenceNumber) -> bool {
        (self.0.wrapping_sub(other.0) as i32) > 0
    }

    /// The newer of the two.
    pub const fn newer(self, other: SequenceNumber) -> SequenceNumber {
        if other.is_newer_than(self) { other } else { self }
    }

    /// The number `steps` later.
    pub const fn plus(self, steps: u32) -> SequenceNumber {
        SequenceNumber(self.0.wrapping_add(steps))
    }
}

/// An AODV message.
#[derive(Clone, Debug, PartialEq)]
pub enum Message {
    /// Route request.
    Request(Request),
    /// Route reply.
    Reply(Reply),
    /// A reply that could not go on, on its way back to the node that sent it on (multipath AODV).
    Returned(Reply),
    /// Route error.
    Error(Error),
    /// HELLO: a reply for the sender itself, with time to live 1 (section 6.9).
    Hello {
        /// The sender's own sequence number.
        sequence: SequenceNumber,
        /// How long the link may be considered alive.
        lifetime: Duration,
        /// What a scheme adds; plain AODV adds nothing.
        extension: Option<Extension>,
    },
}

/// Route request (section 5.1).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Request {
    /// Hops from the originator to the receiver of this copy.
    pub hop_count: u8,
    /// With the originator, identifies the request.
    pub id: u32,
    /// The node sought.
    pub destination: NodeId,
    /// Newest sequence number known for the destination.
    pub destination_sequence: SequenceNumber,
    /// The node that looks for the destination.
    pub originator: NodeId,
    /// The originator's own sequence number.
    pub originator_sequence: SequenceNumber,
    /// When the originator sent it (ns-2 measures the discovery's latency with it).
    pub sent_at: Instant,
    /// The path metric so far; plain AODV leaves it at 0 and spends no bytes on it.
    pub metric: u32,
    /// The metric of the node that sent this copy; unused, like `metric`, in plain AODV.
    pub transmitter_metric: u32,
}

/// Route reply (section 5.2).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reply {
    /// Hops from the receiver of this copy to the destination.
    pub hop_count: u8,
    /// The node that was sought.
    pub destination: NodeId,
    /// Its sequence number.
    pub destination_sequence: SequenceNumber,
    /// The originator of the request, to which the reply goes.
    pub originator: NodeId,
    /// How long the route may be used.
    pub lifetime: Duration,
    /// `sent_at` of the request answered.
    pub request_sent_at: Instant,
    /// Whether the sender passes it on for another node. Only counters look at it: the message on
    /// the air has no such field.
    pub is_passed_on: bool,
    /// What the request answered had gathered, unless the scheme gathers anew on the way back; like
    /// it in plain AODV.
    pub metric: u32,
}

/// Route error (section 5.3).
#[derive(Clone, Debug, PartialEq)]
pub struct Error {
    /// Destinations no longer reachable through the sender, with their sequence numbers.
    pub unreachable: Vec<(NodeId, SequenceNumber)>,
    /// Whether the sender answers a neighbour's error with it (section 6.11, case iii). Only
    /// counters look at it: the message on the air has no such field.
    pub is_passed_on: bool,
}

impl Message {
    /// Size \[bytes\] with the IP header, without what a scheme adds.
    pub fn size_bytes(&self) -> u32 {
        IP_HEADER_BYTES
            + match self {
                Message::Request(_) => 28,
                Message::Reply(_) | Message::Returned(_) | Message::Hello { .. } => 24,
                Message::Error(error) => 4 + 8 * error.unreachable.len() as u32,
            }
    }
}

/// Relays send requests, replies and errors on in packets of their own.
impl super::Message for Message {
    fn parts(&self, packet: &Packet) -> Parts {
        let part = |is_renewed| match is_renewed {
            true => Part::Renewed,
            false => Part::after(packet.hops),
        };
        let none = Parts::default();
        match self {
            Message::Request(request) => {
                Parts { request: part(request.originator != packet.source), ..none }
            }
            Message::Reply(reply) => Parts { reply: part(reply.is_passed_on), ..none },
            Message::Returned(_) => Parts { reply: Part::Renewed, ..none },
            Message::Error(error) => Parts { error: part(error.is_passed_on), ..none },
            Message::Hello { .. } => Parts { hello: true, ..none },
        }
    }

    fn number(&self) -> Option<u32> {
        match self {
            Message::Request(request) => Some(request.id),
            _ => None,
        }
    }

    fn ends(&self) -> Option<(NodeId, NodeId)> {
        match self {
            Message::Request(request) => Some((request.originator, request.destination)),
            Message::Reply(reply) | Message::Returned(reply) => {
                Some((reply.originator, reply.destination))
            }
            Message::Error(_) | Message::Hello { .. } => None,
        }
    }

    fn port(&self) -> Option<u16> {
        Some(PORT)
    }

    fn write(&self, packet: &Packet, out: &mut Vec<u8>) {
        octets::put_message(out, self, packet);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_the_rfcs_behind_an_ip_header_and_with_a_time_stamp() {
        let request = Request {
            hop_count: 1,
            id: 1,
            destination: NodeId(1),
            destination_sequence: SequenceNumber(0),
            originator: NodeId(0),
            originator_sequence: SequenceNumber(2),
            sent_at: Instant::ZERO,
            metric: 0,
            transmitter_metric: 0,
        };
        // RFC 3561: six words (5.1) and five (5.2), here with a timestamp each; one word and two
        // more for each destination (5.3).
        assert_eq!(Message::Request(request).size_bytes(), 20 + 6 * 4 + 4);
        let hello = Message::Hello {
            sequence: SequenceNumber(2),
            lifetime: Duration::ZERO,
            extension: None,
        };
        assert_eq!(hello.size_bytes(), 20 + 5 * 4 + 4);
        let error = |n| {
            Message::Error(Error {
                unreachable: vec![(NodeId(1), SequenceNumber(1)); n],
                is_passed_on: false,
            })
        };
        assert_eq!([1, 3].map(|n| error(n).size_bytes()), [20 + 4 + 8, 20 + 4 + 24]);
    }

    #[test]
    fn newer_wraps_around() {
        assert!(SequenceNumber(2).is_newer_than(SequenceNumber(1)));
        assert!(SequenceNumber(1).is_newer_than(SequenceNumber(u32::MAX)));
        assert!(!SequenceNumber(5).is_newer_than(SequenceNumber(5)));
    }
}
