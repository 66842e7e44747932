//! What the others' TCs tell of links far away: the topology set of RFC 3626 section 4.4, the router
//! topology set of RFC 7181 section 10.2.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::is_newer;
use crate::kernel::Instant;
use crate::wire::NodeId;

/// A topology control message (RFC 3626 section 9, RFC 7181 section 16). Of each link it says `L`.
#[derive(Clone, Debug, PartialEq)]
pub struct Tc<L> {
    /// Number of the advertised set.
    pub ansn: u16,
    /// The advertised neighbours.
    pub neighbours: Vec<(NodeId, L)>,
}

/// The latest advertisement of each originator.
#[derive(Debug)]
pub struct Topology<L> {
    of: BTreeMap<NodeId, Advertised<L>>,
    /// Nothing expires before.
    next_change: Instant,
}

#[derive(Debug)]
struct Advertised<L> {
    tc: Arc<Tc<L>>,
    until: Instant,
}

impl<L> Default for Topology<L> {
    fn default() -> Self {
        Topology { of: BTreeMap::new(), next_change: Instant::ZERO }
    }
}

impl<L: PartialEq> Topology<L> {
    /// A TC of `originator` has come, valid until `until` (section 9.5; 16.3.3). Returns whether it
    /// changed the links that are known.
    pub fn hear(&mut self, originator: NodeId, tc: &Arc<Tc<L>>, until: Instant) -> bool {
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
    pub fn links(&self, originator: NodeId) -> Option<&Tc<L>> {
        self.of.get(&originator).map(|advertised| &*advertised.tc)
    }

    /// How many links are known.
    pub fn len(&self) -> usize {
        self.of.values().map(|advertised| advertised.tc.neighbours.len()).sum()
    }
}
