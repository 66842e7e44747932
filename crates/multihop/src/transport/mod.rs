//! Transport: TCP senders and receivers.
//!
//! A sender is a state machine ([`FlowSender`]): `on_start` once, then `on_ack`, `on_timeout`,
//! `on_route_error`, `on_pacing_tick` and `on_stop` as they happen. Each leaves in
//! [`SenderActions`] the segments to send, in order, and changes to its timers. How much may be in
//! the network is decided in `congestion.rs`, how losses are repaired in `recovery.rs`, what
//! happens on a broken route in `link_failure.rs`; `pacing.rs` spaces what the window admits.
//! `scheme.rs` puts these together.
//!
//! `acknowledging.rs` is the receiver's side. There are two senders: `sender.rs` counts duplicate
//! acknowledgments, as the papers' TCP does; `sack/` keeps a scoreboard of selective
//! acknowledgments, as today's does. `supply.rs` has what the application gives them: segments that
//! are full but at the ends of messages.
//!
//! `receive_window.rs` has what receivers advertise. `quic/` has no part of this: its connections
//! bring state machines of their own for both ends, and `scheme.rs` only names it.
//!
//! Omitted: Nagle, zero windows, connection release.

pub mod acknowledging;
pub mod config;
pub mod congestion;
pub mod ecn;
pub mod link_failure;
pub mod pacing;
pub mod quic;
pub mod receive_window;
mod receiver;
pub mod recovery;
pub mod rtt;
pub mod sack;
pub mod scheme;
pub mod semi;
mod sender;
mod supply;
mod tcp_sender;
pub mod wire;

pub use acknowledging::{Acknowledger, Arriving};
pub use config::{FirstProbe, Rules, TcpConfig};
pub use congestion::Flavour;
pub use link_failure::{LinkFailure, LinkFailureCounters};
pub use pacing::PacingConfig;
pub use quic::{Account, Connection, End, QuicConfig};
pub use receive_window::{ReceiveBufferConfig, ReceiveWindow};
pub use receiver::{OutOfOrderAcks, Received, Receiver};
pub use scheme::Pull;
pub use semi::{SemiSender, SemiTcpConfig};
pub use sender::{Sender, SenderCounters};
pub use supply::Supply;
pub use tcp_sender::{FlowSender, Glance, SenderCounts, Setting, Stage, TcpSender};

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

#[cfg(test)]
mod tests;
