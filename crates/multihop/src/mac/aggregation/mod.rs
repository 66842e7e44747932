//! Aggregation: several data frames for one neighbour in an A-MPDU, answered by one BlockAck (IEEE
//! Std 802.11n-2009, 9.7c and 9.10).
//!
//! [`Window`] is a sender's part, [`Reorder`] a receiver's. `dcf/aggregates.rs` has the exchange
//! of frames.
//!
//! Deviation: every A-MPDU tells where the sender's window starts, in place of BlockAckReq frames,
//! and agreements on block acknowledgments need no frames. A receiver waits for what is missing for
//! 100 ms at most, which the standard leaves open.

mod reorder;
#[cfg(test)]
mod tests;
mod window;

use crate::kernel::{Duration, Instant};
use crate::wire::{NodeId, Packet};
pub use reorder::{HOLD, Reorder};
pub use window::{Waiting, Window};

/// Sequence numbers that may be under way at once, and MPDUs in an A-MPDU at most.
pub const WINDOW: u16 = 64;
/// The same with 802.11ax, if A-MPDUs may be larger than [`WINDOW`].
pub const LARGEST_WINDOW: u16 = 256;
/// Size of an A-MPDU at most with 802.11n, ac and ax \[bytes\].
pub const MOST_BYTES: [u32; 3] = [65_535, 1_048_575, 6_500_631];
/// What that may be limited to: two of the smallest packets fit \[bytes\].
pub const LEAST_BYTES: u32 = 120;
/// Duration of an A-MPDU at most \[s\]: what the SIGNAL field of the mixed format can announce.
pub const MOST_S: f64 = 5.484e-3;

/// How large A-MPDUs may be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limits {
    /// MPDUs.
    pub mpdus: usize,
    /// Bytes, delimiters and padding included.
    pub bytes: u32,
    /// Duration, PHY header included.
    pub time: Duration,
}

impl Limits {
    /// Sequence numbers that may be under way at once.
    pub fn window(&self) -> u16 {
        if self.mpdus > usize::from(WINDOW) { LARGEST_WINDOW } else { WINDOW }
    }
}

/// Packets that leave a MAC together. Whoever calls the MAC takes them.
#[derive(Debug, Default)]
pub struct Several {
    /// What has come, each with the neighbour that it comes from, in order.
    pub received: Vec<(Packet, NodeId)>,
    /// What could not be delivered, each with the neighbour that it was to go to, in order.
    pub given_up: Vec<(Packet, NodeId)>,
    /// Call [`Gathers::on_hold_over`](super::access::Gathers::on_hold_over) then: packets are held
    /// for one that is missing.
    pub hold_until: Option<Instant>,
}

/// What the packets in service leave room for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Room {
    /// The neighbour that they are for.
    pub next_hop: NodeId,
    /// The largest packet that fits \[bytes\].
    pub bytes: u32,
    /// Whether it may overtake packets for others. Packets that join those that are sent again may
    /// not, so that others have their turn.
    pub may_overtake: bool,
}
