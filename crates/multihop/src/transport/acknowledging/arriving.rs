//! A segment as it reaches a receiver.

use crate::kernel::Instant;

/// A segment as it reaches a receiver.
#[derive(Clone, Copy, Debug)]
pub struct Arriving {
    /// When it arrives.
    pub now: Instant,
    /// Its number.
    pub number: u32,
    /// Its payload \[bytes\].
    pub payload_bytes: u32,
    /// It probes a route.
    pub probe: bool,
    /// When it was sent.
    pub sent: Instant,
    /// When the last acknowledgment was sent that its sender had got; `Instant::FAR` before.
    pub echo: Instant,
}
