//! Transport: TCP senders and receivers.
//!
//! A sender is a state machine ([`FlowSender`]): `on_start` once, then `on_ack`, `on_timeout`,
//! `on_route_error`, `on_pacing_tick` and `on_stop` as they happen. Each leaves in
//! [`SenderActions`] the segments to send, in order, and changes to its timers. How much may be in
//! the network is decided in `congestion.rs`, how losses are repaired in `recovery.rs`, what
//! happens on a broken route in `link_failure.rs`; `pacing.rs` spaces what the window admits.
//! `scheme.rs` puts these together, and `schemes.rs` says which scheme is what.
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
mod actions;
pub mod config;
pub mod congestion;
pub mod ecn;
mod flow_sender;
pub mod link_failure;
pub mod pacing;
pub mod quic;
pub mod receive_window;
mod receiver;
pub mod recovery;
pub mod rtt;
mod rules;
pub mod sack;
pub mod scheme;
mod schemes;
pub mod semi;
mod sender;
mod supply;
mod tcp_sender;
pub mod wire;

pub use acknowledging::{Acknowledger, Arriving};
pub use actions::{Acknowledgment, SenderActions, TimerChange};
pub use config::TcpConfig;
pub use congestion::Flavour;
pub use flow_sender::{FlowSender, Glance, SenderCounters, SenderCounts, Setting, Stage};
pub use link_failure::{FirstProbe, LinkFailure, LinkFailureCounters};
pub use pacing::PacingConfig;
pub use quic::{Account, Connection, End, QuicConfig};
pub use receive_window::{ReceiveBufferConfig, ReceiveWindow};
pub use receiver::{OutOfOrderAcks, Received, Receiver};
pub use rules::Rules;
pub use scheme::Pull;
pub use semi::{SemiSender, SemiTcpConfig};
pub use sender::Sender;
pub use supply::Supply;
pub use tcp_sender::TcpSender;

#[cfg(test)]
mod tests;
