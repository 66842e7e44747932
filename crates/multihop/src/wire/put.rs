//! Fields in network byte order.

use super::NodeId;

/// What fields are appended to.
pub trait Put {
    /// Appends 16 bits.
    fn put16(&mut self, value: u16);
    /// Appends 32 bits.
    fn put32(&mut self, value: u32);
    /// Appends the IPv4 address of a node.
    fn put_node(&mut self, node: NodeId);
    /// Writes 16 bits over those at `place`.
    fn put16_at(&mut self, place: usize, value: u16);
}

impl Put for Vec<u8> {
    fn put16(&mut self, value: u16) {
        self.extend(value.to_be_bytes());
    }

    fn put32(&mut self, value: u32) {
        self.extend(value.to_be_bytes());
    }

    fn put_node(&mut self, node: NodeId) {
        self.extend(node.address());
    }

    fn put16_at(&mut self, place: usize, value: u16) {
        self[place..place + 2].copy_from_slice(&value.to_be_bytes());
    }
}
