//! Requests seen recently (RFC 3561 section 6.5).
//!
//! Deviation: as in ns-2, only a periodic purge checks the age of entries, so requests are
//! remembered for one to two lifetimes.

use std::collections::hash_map::Entry;

use rustc_hash::FxHashMap;

use crate::kernel::Instant;
use crate::wire::NodeId;

/// How many of the latest requests are at hand: as many as fill a line of the cache.
const LATEST: usize = 4;

/// The requests one node has seen.
#[derive(Debug, Default)]
pub struct SeenRequests {
    latest: Latest,
    /// The next of them to be overwritten.
    oldest: usize,
    expiry: FxHashMap<(NodeId, u32), Instant>,
}

/// The latest requests whose copies count for nothing. They follow soon, from all neighbours, and
/// cost one read each.
#[derive(Debug)]
#[repr(align(64))]
struct Latest([Seen; LATEST]);

#[derive(Clone, Copy, Debug)]
struct Seen {
    originator: NodeId,
    id: u32,
    expires: Instant,
}

impl Default for Latest {
    fn default() -> Self {
        Latest([Seen { originator: NodeId::BROADCAST, id: 0, expires: Instant::ZERO }; LATEST])
    }
}

impl SeenRequests {
    /// Whether the request is new. Records it until `expires` at least.
    pub fn check_in(&mut self, originator: NodeId, id: u32, expires: Instant) -> bool {
        match self.expiry.entry((originator, id)) {
            Entry::Occupied(_) => false,
            Entry::Vacant(place) => {
                place.insert(expires);
                true
            }
        }
    }

    /// Copies of a request that was new are to be found by [`SeenRequests::is_latest`].
    pub fn expect_copies(&mut self, originator: NodeId, id: u32, expires: Instant) {
        self.latest.0[self.oldest] = Seen { originator, id, expires };
        self.oldest = (self.oldest + 1) % LATEST;
    }

    /// Whether the request is one of the latest, and no purge up to `at` will forget it.
    #[inline]
    pub fn is_latest(&self, originator: NodeId, id: u32, at: Instant) -> bool {
        let lives =
            |seen: &Seen| seen.originator == originator && seen.id == id && seen.expires > at;
        self.latest.0.iter().any(lives)
    }

    /// Whether the request was seen and no purge up to `at` will forget it.
    pub fn is_remembered(&self, originator: NodeId, id: u32, at: Instant) -> bool {
        self.expiry.get(&(originator, id)).is_some_and(|expires| *expires > at)
    }

    /// Forgets expired requests, and frees unused memory.
    pub fn purge(&mut self, now: Instant) {
        self.expiry.retain(|_, expires| *expires > now);
        if self.expiry.len() < self.expiry.capacity() / 4 {
            self.expiry.shrink_to_fit();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_are_remembered_for_their_lifetime_and_the_last_four_are_at_hand() {
        let mut seen = SeenRequests::default();
        let at = Instant::from_secs_f64;
        for id in 1..=10 {
            assert!(seen.check_in(NodeId(7), id, at(6.0)));
            assert!(!seen.check_in(NodeId(7), id, at(7.0)));
            seen.expect_copies(NodeId(7), id, at(6.0));
        }
        for id in 1..=10 {
            assert!(seen.is_remembered(NodeId(7), id, at(5.9)), "{id}");
            assert_eq!(seen.is_latest(NodeId(7), id, at(5.9)), id > 6, "{id}");
            for (originator, instant) in [(8, 5.9), (7, 6.0)] {
                assert!(!seen.is_remembered(NodeId(originator), id, at(instant)), "{id}");
                assert!(!seen.is_latest(NodeId(originator), id, at(instant)), "{id}");
            }
        }
        assert!(![0, 11].iter().any(|&id| seen.is_remembered(NodeId(7), id, at(0.0))));
        assert!(
            !SeenRequests::default().is_latest(NodeId::BROADCAST, 0, at(0.0)),
            "an empty slot is not a request"
        );
    }
}
