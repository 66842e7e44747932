//! Which copies of a request a node takes up: the first, and better ones up to a limit.

use rustc_hash::FxHashMap;

use crate::kernel::{Duration, Instant};
use crate::wire::NodeId;

/// The requests that a node has taken up lately.
#[derive(Debug)]
pub struct Copies {
    limit: u32,
    life: Duration,
    /// By originator and number.
    best: FxHashMap<(NodeId, u32), Best>,
}

/// The best copy of a request so far.
#[derive(Debug)]
struct Best {
    metric: u32,
    /// Copies taken up after the first.
    improvements: u32,
    first_at: Instant,
}

impl Copies {
    /// None yet. Of each request `limit` better copies are taken up after the first; it is
    /// remembered for `life`.
    pub fn new(limit: u32, life: Duration) -> Copies {
        Copies { limit, life, best: FxHashMap::default() }
    }

    /// Whether this copy of request `id`, by originator and number, is taken up.
    pub fn takes_up(&mut self, now: Instant, id: (NodeId, u32), metric: u32) -> bool {
        let Some(best) = self.best.get_mut(&id) else {
            let life = self.life;
            self.best.retain(|_, best| best.first_at + life > now);
            let first = Best { metric, improvements: 0, first_at: now };
            self.best.insert(id, first);
            return true;
        };
        let improves = metric < best.metric && best.improvements < self.limit;
        if improves {
            best.metric = metric;
            best.improvements += 1;
        }
        improves
    }
}
