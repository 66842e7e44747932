//! Which copies of a request a node takes up: the first, and better ones up to a limit.

use rustc_hash::FxHashMap;

use crate::kernel::{Duration, Instant};
use crate::wire::NodeId;
use crate::wire::aodv::Request;

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
    /// None yet. Of each request `limit` better copies are taken up after the first; it is remembered
    /// for `life`.
    pub fn new(limit: u32, life: Duration) -> Copies {
        Copies { limit, life, best: FxHashMap::default() }
    }

    /// Whether this copy of `request` is taken up.
    pub fn takes_up(&mut self, now: Instant, request: &Request) -> bool {
        let id = (request.originator, request.id);
        let Some(best) = self.best.get_mut(&id) else {
            let life = self.life;
            self.best.retain(|_, best| best.first_at + life > now);
            let first = Best { metric: request.metric, improvements: 0, first_at: now };
            self.best.insert(id, first);
            return true;
        };
        let improves = request.metric < best.metric && best.improvements < self.limit;
        if improves {
            best.metric = request.metric;
            best.improvements += 1;
        }
        improves
    }
}
