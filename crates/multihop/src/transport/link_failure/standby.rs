//! Standby (Ye, Krishnamurthy, Tripathi, "Use of congestion-aware routing to spatially separate TCP
//! connections in wireless ad hoc networks", section III, and "Effects of multipath routing on TCP
//! performance in ad hoc networks", section IV): the retransmission timer is off, one segment
//! leaves each timeout, and any acknowledgment ends it.
//!
//! Neither says which segment it is or when the first one leaves. Here it is the lowest
//! unacknowledged one, and it leaves at once, since an on-demand protocol looks for a new route
//! only when there is something to send. The period is the timeout as it was when the route broke.

use super::reaction::{LinkFailureCounters, LinkFailureReaction};
use crate::kernel::Duration;
use crate::transport::actions::Acknowledgment;

/// Standby.
#[derive(Clone, Copy, Debug)]
pub struct Standby {
    period: Option<Duration>,
}

impl Standby {
    /// Standby that probes at this period; the retransmission timeout if none.
    pub fn new(period: Option<Duration>) -> Standby {
        Standby { period }
    }
}

impl LinkFailureReaction for Standby {
    fn probe_interval(&self, rto: Duration) -> Duration {
        self.period.unwrap_or(rto)
    }

    fn marks_probes(&self) -> bool {
        false
    }

    fn ends_with(&self, _ack: &Acknowledgment) -> bool {
        true
    }

    fn count(&self, counters: &mut LinkFailureCounters) {
        counters.standbys += 1;
    }

    fn timer_afterwards(&self, _left: Duration, rto: Duration) -> Duration {
        rto
    }
}
