//! Reno (RFC 5681): recovery ends with the first new acknowledgment.

use super::CongestionControl;

/// Reno.
#[derive(Clone, Copy, Debug)]
pub struct Reno;

impl CongestionControl for Reno {
    fn stays_in_recovery(&self) -> bool {
        false
    }
}
