//! The total order of events.
//!
//! Events run in the order of `(time, rank)`. The rank is drawn when the event is scheduled, so that
//! among equal times it is first come, first served; but for the few kinds of event whose moment of
//! scheduling means nothing, which come first, ranked by their owner ([`EventKey::owned`]). Nothing
//! else decides, so a run is the same on every machine. Two more rules of order, for what is not an
//! event of its own, stand where they apply: carrier sense in [`crate::radio::Receiver`], backoff
//! in [`crate::mac::Contention`].

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

/// Ranks below this one belong to owners.
pub(super) const FIRST_DRAWN_RANK: u64 = 1 << 32;

impl Ord for EventKey {
    /// By time, then rank; as one number, which compares without a branch.
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
