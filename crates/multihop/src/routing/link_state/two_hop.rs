//! The nodes that a node's neighbours reach: the 2-hop neighbour set of RFC 3626 section 4.3.2, the
//! 2-hop set of RFC 6130 section 7.2.

use std::collections::BTreeMap;

use crate::kernel::Instant;
use crate::wire::NodeId;

/// Of each neighbour, its own, and what the links between them cost.
#[derive(Debug)]
pub struct TwoHop<C> {
    of: BTreeMap<NodeId, BTreeMap<NodeId, Entry<C>>>,
    /// Nothing expires before.
    next_change: Instant,
}

impl<C> Default for TwoHop<C> {
    fn default() -> Self {
        TwoHop { of: BTreeMap::new(), next_change: Instant::ZERO }
    }
}

/// The link between a neighbour and one of its own.
#[derive(Clone, Copy, Debug)]
struct Entry<C> {
    until: Instant,
    cost: C,
}

/// What a HELLO changed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Change {
    /// Who is reached.
    pub is_of_nodes: bool,
    /// At what cost.
    pub is_of_costs: bool,
}

impl<C: Copy + PartialEq> TwoHop<C> {
    /// A HELLO of `from` lists these nodes, each with the cost of the link to it, or none if there
    /// is no link both ways; valid until `until` (section 8.2.1; 12.6).
    pub fn hear(
        &mut self,
        from: NodeId,
        listed: impl Iterator<Item = (NodeId, Option<C>)>,
        until: Instant,
    ) -> Change {
        let behind = self.of.entry(from).or_default();
        self.next_change = self.next_change.min(until);
        let mut change = Change::default();
        for (node, cost) in listed {
            match cost {
                Some(cost) => {
                    let before = behind.insert(node, Entry { until, cost });
                    change.is_of_nodes |= before.is_none();
                    change.is_of_costs |= before.is_some_and(|before| before.cost != cost);
                }
                None => change.is_of_nodes |= behind.remove(&node).is_some(),
            }
        }
        change
    }

    /// `neighbour` is no longer a symmetric one.
    pub fn lose(&mut self, neighbour: NodeId) {
        self.of.remove(&neighbour);
    }

    /// Forgets what has expired; whether anything had.
    pub fn expire(&mut self, now: Instant) -> bool {
        if now < self.next_change {
            return false;
        }
        let mut is_change = false;
        self.next_change = Instant::FAR;
        for behind in self.of.values_mut() {
            let before = behind.len();
            behind.retain(|_, entry| entry.until > now);
            is_change |= behind.len() < before;
            let ends = behind.values().map(|entry| entry.until);
            self.next_change = ends.min().unwrap_or(Instant::FAR).min(self.next_change);
        }
        is_change
    }

    /// Nothing expires before.
    pub fn next_change(&self) -> Instant {
        self.next_change
    }

    /// The nodes that `neighbour` reaches, each with the cost of the link between them.
    pub fn behind(&self, neighbour: NodeId) -> impl Iterator<Item = (NodeId, C)> + Clone {
        let entries = self.of.get(&neighbour).into_iter().flatten();
        entries.map(|(&node, entry)| (node, entry.cost))
    }
}
