//! Requests seen lately (RFC 3561 section 6.5).
//!
//! Deviation: as in ns-2, an entry's age is not looked at but in a periodic purge, so requests are
//! remembered for one to two lives.

use rustc_hash::FxHashMap;

use crate::kernel::{Duration, Instant};
use crate::wire::NodeId;

/// The requests one node has seen.
#[derive(Debug, Default)]
pub struct SeenRequests {
    expiry: FxHashMap<(NodeId, u32), Instant>,
}

impl SeenRequests {
    /// Whether the request was seen before; from now on it is, for at least `life`.
    pub fn check_in(&mut self, originator: NodeId, id: u32, now: Instant, life: Duration) -> bool {
        match self.expiry.entry((originator, id)) {
            std::collections::hash_map::Entry::Occupied(_) => true,
            std::collections::hash_map::Entry::Vacant(place) => {
                place.insert(now + life);
                false
            }
        }
    }

    /// Whether the request was seen and no purge up to `at` will forget it.
    pub fn is_remembered(&self, originator: NodeId, id: u32, at: Instant) -> bool {
        self.expiry.get(&(originator, id)).is_some_and(|expires| *expires > at)
    }

    /// Forgets what is past its life.
    pub fn purge(&mut self, now: Instant) {
        self.expiry.retain(|_, expires| *expires > now);
    }
}
