//! NewReno (RFC 6582): recovery lasts until all that was outstanding is acknowledged, and each partial
//! acknowledgment shows one more loss.
//!
//! Deviation (`ns2` profile): one duplicate acknowledgment releases at most two segments; a partial
//! acknowledgment beyond the inflation takes the rest off the window itself.

use super::{CongestionControl, Window};
use crate::profile::Profile;

/// Segments that ns-2 sends at most on one duplicate acknowledgment.
const NS2_BURST: u32 = 2;

/// NewReno.
#[derive(Clone, Copy, Debug)]
pub struct NewReno {
    profile: Profile,
}

impl NewReno {
    /// NewReno by this profile's rules.
    pub fn new(profile: Profile) -> NewReno {
        NewReno { profile }
    }
}

impl CongestionControl for NewReno {
    fn on_partial_ack(&mut self, window: &mut Window, segments: u32) {
        // Deflate by what was acknowledged, but for the one segment about to be sent again.
        if window.inflation > segments {
            window.inflation -= segments - 1;
        } else {
            window.cwnd = (window.cwnd - f64::from(segments - window.inflation)).max(1.0);
            window.inflation = 1;
        }
    }

    fn stays_in_recovery(&self) -> bool {
        true
    }

    fn burst(&self) -> u32 {
        match self.profile {
            Profile::Ns2 => NS2_BURST,
            Profile::Standard => u32::MAX,
        }
    }
}
