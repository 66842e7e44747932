//! What a sender hears, and what it wants done.

use crate::kernel::Instant;
use crate::wire::tcp::SegmentKind;

/// An acknowledgment as it reaches a sender.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Acknowledgment {
    /// Every segment up to and including this one has arrived.
    pub number: u32,
    /// Whether it answers a probe.
    pub probe: bool,
    /// When the segment that it answers was sent.
    pub sent: Instant,
    /// Hops that it has travelled.
    pub hops: u32,
    /// Whether it echoes the mark of a congested node (ECE).
    pub echo: bool,
    /// When it was sent.
    pub left: Instant,
    /// The window field of its header.
    pub window: u16,
}

/// What a sender wants done.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SenderActions {
    /// Segments to send, in order.
    pub send: Vec<SegmentKind>,
    /// Change to the retransmission timer, if any. While the sender is suspended that timer
    /// paces its probes.
    pub timer: Option<TimerChange>,
    /// Change to the pacing timer, if any.
    pub pacing: Option<TimerChange>,
}

/// A change of a timer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimerChange {
    /// Expire at this instant, whatever was set before.
    Set(Instant),
    /// Switch it off.
    Cancel,
}
