//! What the others' TCs tell of links far away: the topology set of RFC 3626 section 4.4.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::messages::{Tc, is_newer};
use crate::kernel::Instant;
use crate::wire::NodeId;

/// The latest advertisement of each originator.
#[derive(Debug, Default)]
pub struct Topology {
    of: BTreeMap<NodeId, Advertised>,
    /// Nothing expires before.
    next_change: Instant,
}

#[derive(Debug)]
struct Advertised {
    tc: Arc<Tc>,
    until: Instant,
}

impl Topology {
    /// A TC of `originator` has come, valid until `until` (section 9.5). Returns whether it changed
    /// the links that are known.
    pub fn hear(&mut self, originator: NodeId, tc: &Arc<Tc>, until: Instant) -> bool {
        let advertised = Advertised { tc: Arc::clone(tc), until };
        self.next_change = self.next_change.min(until);
        let Some(known) = self.of.get_mut(&originator) else {
            self.of.insert(originator, advertised);
            return !tc.neighbours.is_empty();
        };
        if is_newer(known.tc.ansn, tc.ansn) {
            return false;
        }
        let is_change = known.tc.neighbours != tc.neighbours;
        *known = advertised;
        is_change
    }

    /// Forgets what has expired; whether anything had.
    pub fn expire(&mut self, now: Instant) -> bool {
        if now < self.next_change {
            return false;
        }
        let before = self.of.len();
        self.of.retain(|_, advertised| advertised.until > now);
        let ends = self.of.values().map(|advertised| advertised.until);
        self.next_change = ends.min().unwrap_or(Instant::FAR);
        self.of.len() < before
    }

    /// Nothing expires before.
    pub fn next_change(&self) -> Instant {
        self.next_change
    }

    /// The links that `originator` advertises.
    pub fn links(&self, originator: NodeId) -> Option<&Tc> {
        self.of.get(&originator).map(|advertised| &*advertised.tc)
    }

    /// How many links are known.
    pub fn len(&self) -> usize {
        self.of.values().map(|advertised| advertised.tc.neighbours.len()).sum()
    }
}
