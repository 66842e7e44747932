//! What is kept of a segment for the delivery rate.

use crate::kernel::Instant;

/// The connection's state of delivery when a segment was sent.
#[derive(Clone, Copy, Debug, Default)]
pub struct Snapshot {
    /// Segments delivered by then.
    pub delivered: u32,
    /// When the last of them was known to be.
    pub delivered_at: Instant,
    /// When the segment was sent whose delivery that was, or the first after a pause.
    pub first_sent: Instant,
    /// The application had nothing more to send.
    pub is_application_limited: bool,
    /// Segments in flight, it included.
    pub in_flight: u32,
    /// Segments lost by then.
    pub lost: u32,
}
