//! What one direction of a connection has achieved.

use crate::kernel::{Duration, Instant};

/// Counts and state of one direction: its sender's, and what has arrived at its receiver.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Account {
    /// Bytes that have arrived in order on their streams.
    pub delivered_bytes: u64,
    /// Datagrams sent with data or messages of the handshake.
    pub sent: u64,
    /// Datagrams without either that the receiver sent: acknowledgments.
    pub answers_sent: u64,
    /// Packets taken for lost.
    pub lost: u64,
    /// Expiries of the probe timeout (RFC 9002 section 6.2).
    pub probe_timeouts: u64,
    /// Reductions of the window for losses.
    pub reductions: u64,
    /// Reductions of the window for marks of congested nodes.
    pub ecn_reductions: u64,
    /// Congestion window \[datagrams\].
    pub cwnd: f64,
    /// Slow-start threshold \[datagrams\].
    pub ssthresh: f64,
    /// Smoothed round-trip time, once measured.
    pub smoothed_rtt: Option<Duration>,
    /// Mean of that, as it was after each datagram that arrived at the sender \[s\].
    pub mean_rtt_s: Option<f64>,
    /// When either end has given the connection up.
    pub given_up: Option<Instant>,
}
