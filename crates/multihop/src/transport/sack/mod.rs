//! A TCP sender with a scoreboard of every outstanding segment: selective acknowledgments (RFC
//! 2018, 6675, 2883), RACK-TLP (RFC 8985), proportional rate reduction (RFC 6937), and reductions
//! taken back once they prove needless (RFC 3522, 4015, 5682). Congestion control, pacing and the
//! reactions to broken routes are those of the sender without.
//!
//! The scoreboard (`scoreboard.rs`) knows what is in the network, a [`LossDetection`] what is lost
//! (`detection.rs`; ours are in `threshold.rs` and `rack.rs`), `prr.rs` how much may be sent
//! meanwhile, `probe.rs` and `undo.rs` when a loss was none or is not yet told; `sender.rs` puts
//! them together: `sending.rs` sends, `recovering.rs` repairs, `expiring.rs` has the timers,
//! `reversal.rs` takes reductions back. `rate.rs` measures the delivery rate for congestion
//! control; `departures.rs` lists where Linux differs.
//!
//! Sequence numbers count segments. Segment 0 is the SYN, without payload.

pub(super) mod config;
mod departures;
mod detection;
mod ecn;
mod expiring;
mod outside;
mod probe;
mod prr;
mod rack;
mod rate;
mod recovering;
mod report;
mod reversal;
mod scoreboard;
mod sender;
mod sending;
mod snapshot;
mod suspension;
#[cfg(test)]
mod tests;
mod threshold;
mod timers;
mod undo;

pub use config::{RecoveryConfig, RecoveryScheme};
pub use detection::{Circumstances, Detected, LossDetection};
pub use outside::Outside;
pub use rack::Rack;
pub use report::Report;
pub use scoreboard::{Arrived, Outstanding, Scoreboard};
pub use sender::SackSender;
pub use snapshot::Snapshot;
pub use threshold::Threshold;
