//! Fast recovery without SACK (RFC 5681 section 3.2, RFC 6582 section 3.2): the window is inflated
//! by the segments that duplicate acknowledgments show to have left the network.
//!
//! Deviation (`ns2` profile): with NewReno one duplicate acknowledgment releases at most two
//! segments; a partial acknowledgment beyond the inflation takes the rest off the window itself.

use super::config::Rules;
use super::congestion::Window;

/// Segments that ns-2 sends at most on one duplicate acknowledgment.
const NS2_BURST: u32 = 2;

/// How losses are repaired once duplicate acknowledgments have shown one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Recovery {
    /// The first new acknowledgment ends it (RFC 5681).
    Reno,
    /// It lasts until all that was outstanding is acknowledged; each partial acknowledgment shows
    /// one more loss (RFC 6582).
    NewReno,
}

impl Recovery {
    /// Whether a partial acknowledgment leaves the sender in recovery.
    pub fn outlasts_partial_acks(self) -> bool {
        self == Recovery::NewReno
    }

    /// Segments that one duplicate acknowledgment may release at most.
    pub fn burst(self, rules: Rules) -> u32 {
        match (self, rules) {
            (Recovery::NewReno, Rules::Ns2) => NS2_BURST,
            _ => u32::MAX,
        }
    }

    /// Takes `segments`, acknowledged by a partial acknowledgment, off the inflated window, but for
    /// the one about to be sent again (RFC 6582 section 3.2, step 3).
    pub fn deflate(self, window: &mut Window, segments: u32) {
        if window.inflation > segments {
            window.inflation -= segments - 1;
        } else {
            window.cwnd = (window.cwnd - f64::from(segments - window.inflation)).max(1.0);
            window.inflation = 1;
        }
    }
}
