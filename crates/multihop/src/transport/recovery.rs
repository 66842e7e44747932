//! Fast recovery without SACK (RFC 5681 section 3.2, RFC 6582 section 3.2): the window is inflated
//! by the segments that duplicate acknowledgments show to have left the network.
//!
//! It is no [`LossDetection`](super::sack::LossDetection), and can't be one: a detection names lost
//! segments on a scoreboard, and without selective acknowledgments there is none. A sender then
//! knows the first segment not acknowledged and how many duplicates have come. These say that one
//! segment is lost, always the first; how many may leave meanwhile is the same count again, as
//! inflation of the window; and after a timeout everything is sent again in order. So what is lost,
//! what may leave and what is sent next are one rule here, where the scoreboard's sender asks
//! three. Reno and NewReno differ in when a recovery ends alone.
//!
//! Deviation (`ns2` profile): with NewReno one duplicate acknowledgment releases at most two
//! segments; a partial acknowledgment beyond the inflation takes the rest off the window itself.

use super::congestion::window::Window;
use super::rules::Rules;

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
