//! Requests seen lately (RFC 3561 section 6.5).
//!
//! Deviation: as in ns-2, an entry's age is not looked at but in a periodic purge, so requests are
//! remembered for one to two lives.

use rustc_hash::FxHashMap;

use crate::kernel::{Duration, Instant};
use crate::wire::NodeId;

/// Requests kept beside the table, to be found without it: as many as fill a cache line.
const LATEST: usize = 4;

/// The requests one node has seen.
#[derive(Debug)]
pub struct SeenRequests {
    /// The last new ones. Copies of a request come soon after it, from all neighbours.
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
    /// Whether the request was seen before; from now on it is, for at least `life`.
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

    /// Forgets what is past its life, and gives back the memory of a busier time.
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
    fn requests_are_remembered_for_their_life_whether_among_the_latest_or_not() {
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
        assert!(!seen.is_remembered(NodeId::BROADCAST, 0, at(0.0)), "an empty place is no request");
    }
}
