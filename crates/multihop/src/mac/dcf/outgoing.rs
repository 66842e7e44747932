//! The packet in service.

use crate::kernel::Duration;
use crate::wire::{NodeId, Packet, Rate};

/// The packet that the station tries to deliver.
#[derive(Debug)]
pub struct Outgoing {
    pub packet: Packet,
    pub next_hop: NodeId,
    pub sequence: u16,
    /// Rate and air time of the data frame.
    pub rate: Rate,
    pub airtime: Duration,
    /// It is protected by RTS and CTS, or by a CTS alone.
    pub uses_rts: bool,
    /// No CTS has been received yet.
    pub rts_due: bool,
    /// That CTS is its sender's own.
    pub own_cts: bool,
    /// How much longer than an ACK the answer lasts.
    pub longer_answer: Duration,
}

impl Outgoing {
    /// Whether the rules may defer it.
    pub fn is_data(&self) -> bool {
        self.packet.is_transport()
    }
}

/// Whether so many attempts are as many as `limit` allows.
pub fn reached(attempts: u32, limit: Option<u32>) -> bool {
    limit.is_some_and(|limit| attempts >= limit)
}
