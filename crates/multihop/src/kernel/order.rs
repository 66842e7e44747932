//! The total order of events.
//!
//! Events run in the order of `(time, rank)`. The rank is drawn when the event is scheduled, so
//! that events at the same time run first come, first served. Nothing else matters, so a run is the
//! same on every machine. Backoffs, whose moment of scheduling has no meaning, are no events: at an
//! instant they come first, by node ([`super::Deadlines`]). The tie rules for what is not an event
//! are where they apply: carrier sense in [`crate::radio::Receiver`], backoff in
//! [`crate::mac::Contention`].

use std::cmp::Ordering;

use super::time::Instant;

/// An event's place in the total order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EventKey {
    /// When it runs.
    pub at: Instant,
    /// Its rank among events of the same instant.
    pub rank: u64,
}

impl Ord for EventKey {
    /// Time, then rank, as one number that compares without a branch.
    #[inline]
    fn cmp(&self, other: &Self) -> Ordering {
        self.packed().cmp(&other.packed())
    }
}

impl PartialOrd for EventKey {
    #[inline]
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }

    #[inline]
    fn lt(&self, other: &Self) -> bool {
        self.packed() < other.packed()
    }

    #[inline]
    fn le(&self, other: &Self) -> bool {
        self.packed() <= other.packed()
    }
}

impl EventKey {
    #[inline]
    fn packed(self) -> u128 {
        u128::from(self.at.as_nanos()) << 64 | u128::from(self.rank)
    }

    /// After every event.
    pub const NEVER: EventKey = EventKey { at: Instant::FAR, rank: u64::MAX };
}
