//! The total order of events.
//!
//! Events run in the order of `(time, rank)`. The rank is drawn when the event is scheduled, so that
//! events at the same time run first come, first served. The exceptions are a few kinds of event for
//! which the moment of scheduling has no meaning: they come first, ranked by owner
//! ([`EventKey::owned`]). Nothing else matters, so a run is the same on every machine. The tie rules for
//! what is not an event are where they apply: carrier sense in [`crate::radio::Receiver`], backoff in
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

/// Lower ranks are reserved for owners.
pub(super) const FIRST_DRAWN_RANK: u64 = 1 << 32;

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

    /// The place at `at` of the one event of its kind that `owner` has.
    pub const fn owned(at: Instant, owner: u32) -> EventKey {
        EventKey { at, rank: owner as u64 }
    }
}
