//! Transport: TCP senders and receivers.
//!
//! A sender is a state machine: `on_start` once, then `on_ack`, `on_timeout`, `on_route_error` `on_pacing_tick`
//! and `on_stop` as they happen. Each leaves in [`SenderActions`] the segments to send, in order, and
//! what becomes of its timers. What it makes of losses is in `congestion.rs`, what of
//! broken routes in `link_failure.rs`; `pacing.rs` spaces what the window admits.
//!
//! Modelled: Reno, NewReno and adaptive pacing on NewReno with limited transmit, one-way flows of equal segments, an ACK for each.
//! Omitted: SACK, delayed ACK, ECN, Nagle, zero windows, connection release.

pub mod config;
pub mod congestion;
pub mod link_failure;
pub mod pacing;
mod receiver;
pub mod rtt;
pub mod semi;
mod sender;
mod tcp_sender;

pub use config::{FirstProbe, Flavour, LinkFailure, TcpConfig};
pub use link_failure::LinkFailureCounters;
pub use pacing::PacingConfig;
pub use receiver::{Received, Receiver};
pub use semi::{SemiSender, SemiTcpConfig};
pub use sender::{Sender, SenderCounters};
pub use tcp_sender::TcpSender;

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
    /// Links that it has crossed.
    pub hops: u32,
}

/// What a sender wants done.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SenderActions {
    /// Segments to send, in order.
    pub send: Vec<SegmentKind>,
    /// What becomes of the one retransmission timer; none leaves it as it is. While the sender is
    /// suspended the same timer paces its probes.
    pub timer: Option<TimerChange>,
    /// What becomes of the pacing timer; none leaves it as it is.
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

#[cfg(test)]
mod tests;
