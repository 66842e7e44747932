//! Requests seen recently (RFC 3561 section 6.5).
//!
//! Deviation: as in ns-2, only a periodic purge checks the age of entries, so requests are
//! remembered for one to two lifetimes.

use rustc_hash::FxHashMap;

use crate::kernel::{Duration, Instant};
use crate::wire::NodeId;

/// Latest requests, kept outside the table so that copies are found without a lookup: as many as
/// fill a cache line.
const LATEST: usize = 4;

/// The requests one node has seen.
#[derive(Debug)]
pub struct SeenRequests {
    /// The latest new requests. Copies of a request follow soon, from all neighbours.
    latest: [Seen; LATEST],
    /// The next of them to be overwritten.
    oldest: usize,
    expiry: FxHashMap<(NodeId, u32), Instant>,
}

#[derive(Clone, Copy, Debug)]
struct Seen {
    originator: NodeId,
    id: u32,
    expires: Instant,
}

impl Default for SeenRequests {
    fn default() -> Self {
        let none = Seen { originator: NodeId::BROADCAST, id: 0, expires: Instant::ZERO };
        SeenRequests { latest: [none; LATEST], oldest: 0, expiry: FxHashMap::default() }
    }
}

impl SeenRequests {
    /// Whether the request was seen before. Records it for at least `life`.
    pub fn check_in(&mut self, originator: NodeId, id: u32, now: Instant, life: Duration) -> bool {
        match self.expiry.entry((originator, id)) {
            std::collections::hash_map::Entry::Occupied(_) => true,
            std::collections::hash_map::Entry::Vacant(place) => {
                let expires = now + life;
                place.insert(expires);
                self.latest[self.oldest] = Seen { originator, id, expires };
                self.oldest = (self.oldest + 1) % LATEST;
                false
            }
        }
    }

    /// Whether the request was seen and no purge up to `at` will forget it.
    pub fn is_remembered(&self, originator: NodeId, id: u32, at: Instant) -> bool {
        let lives =
            |seen: &Seen| seen.originator == originator && seen.id == id && seen.expires > at;
        self.latest.iter().any(lives)
            || self.expiry.get(&(originator, id)).is_some_and(|expires| *expires > at)
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
    fn requests_are_remembered_for_their_lifetime_among_the_latest_or_not() {
        let mut seen = SeenRequests::default();
        let at = Instant::from_secs_f64;
        for id in 1..=10 {
            assert!(!seen.check_in(NodeId(7), id, at(0.0), Duration::from_secs(6)));
        }
        for id in 1..=10 {
            assert!(seen.is_remembered(NodeId(7), id, at(5.9)), "{id}");
            assert!(!seen.is_remembered(NodeId(8), id, at(5.9)), "{id}");
            assert!(!seen.is_remembered(NodeId(7), id, at(6.0)), "{id}");
        }
        assert!(
            !seen.is_remembered(NodeId(7), 0, at(0.0))
                && !seen.is_remembered(NodeId(7), 11, at(0.0))
        );
        assert!(
            !seen.is_remembered(NodeId::BROADCAST, 0, at(0.0)),
            "an empty slot is not a request"
        );
    }
}
