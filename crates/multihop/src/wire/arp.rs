//! ARP messages (RFC 826). Network and link addresses are the same [`NodeId`].

use super::NodeId;

/// Bytes of an ARP packet for IPv4 over 802 (RFC 826).
pub const ARP_BYTES: u32 = 28;

/// An ARP message. Every receiver learns the sender's address from it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Message {
    /// Who has `target`? Broadcast.
    Request {
        /// The address in question.
        target: NodeId,
    },
    /// The target's answer. Unicast.
    Reply,
}
