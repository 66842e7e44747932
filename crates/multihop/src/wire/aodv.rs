//! AODV messages (RFC 3561 section 5) and their sizes.

use super::{IP_HEADER_BYTES, NodeId};
use crate::kernel::{Duration, Instant};

/// A destination sequence number (RFC 3561 section 6.1): circular, so it has no order of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct SequenceNumber(pub u32);

impl SequenceNumber {
    /// Whether `self` is newer than `other` by signed 32-bit difference.
    pub const fn is_newer_than(self, other: SequenceNumber) -> bool {
        (self.0.wrapping_sub(other.0) as i32) > 0
    }
}

/// An AODV message.
#[derive(Clone, Debug, PartialEq)]
pub enum Message {
    /// Route request.
    Request(Request),
    /// Route reply.
    Reply(Reply),
    /// Route error.
    Error(Error),
    /// HELLO: a reply for the sender itself, with time to live 1 (section 6.9).
    Hello {
        /// The sender's own sequence number.
        sequence: SequenceNumber,
        /// How long the link may be taken to live.
        lifetime: Duration,
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
    /// The node that seeks.
    pub originator: NodeId,
    /// The originator's own sequence number.
    pub originator_sequence: SequenceNumber,
    /// When the originator sent it (ns-2 measures the discovery's latency with it).
    pub sent_at: Instant,
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
    /// The node that seeks, where the reply goes.
    pub originator: NodeId,
    /// How long the route may be used.
    pub lifetime: Duration,
    /// `sent_at` of the request answered.
    pub request_sent_at: Instant,
}

/// Route error (section 5.3).
#[derive(Clone, Debug, PartialEq)]
pub struct Error {
    /// Destinations no longer reachable through the sender, with their sequence numbers.
    pub unreachable: Vec<(NodeId, SequenceNumber)>,
}

impl Message {
    /// Size \[bytes\] with the IP header.
    pub fn size_bytes(&self) -> u32 {
        IP_HEADER_BYTES
            + match self {
                Message::Request(_) => 28,
                Message::Reply(_) | Message::Hello { .. } => 24,
                Message::Error(error) => 4 + 8 * error.unreachable.len() as u32,
            }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn newer_wraps_around() {
        assert!(SequenceNumber(2).is_newer_than(SequenceNumber(1)));
        assert!(SequenceNumber(1).is_newer_than(SequenceNumber(u32::MAX)));
        assert!(!SequenceNumber(5).is_newer_than(SequenceNumber(5)));
    }
}
