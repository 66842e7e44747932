//! The nodes that a node's symmetric neighbours reach: the 2-hop neighbour set of RFC 3626 section
//! 4.3.2.

use std::collections::BTreeMap;

use super::messages::{Hello, NeighbourType, Quality};
use crate::kernel::Instant;
use crate::wire::NodeId;

/// Of each symmetric neighbour, its own.
#[derive(Debug, Default)]
pub struct TwoHop {
    of: BTreeMap<NodeId, BTreeMap<NodeId, Entry>>,
    /// Nothing expires before.
    next_change: Instant,
}

/// The link between a neighbour and one of its own.
#[derive(Clone, Copy, Debug)]
struct Entry {
    until: Instant,
    /// As the metric has it.
    cost: u32,
}

/// What a HELLO changed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Change {
    /// Who is reached.
    pub is_of_nodes: bool,
    /// At what cost.
    pub is_of_costs: bool,
}

impl TwoHop {
    /// Symmetric neighbour `from` has sent `hello`, valid until `until` (section 8.2.1); `node` is
    /// this node, and `cost` says what the link to a node of this quality costs.
    pub fn hear(
        &mut self,
        node: NodeId,
        from: NodeId,
        hello: &Hello,
        until: Instant,
        cost: impl Fn(NodeId, Option<Quality>) -> Option<u32>,
    ) -> Change {
        let behind = self.of.entry(from).or_default();
        self.next_change = self.next_change.min(until);
        let mut change = Change::default();
        for listed in hello.links.iter().filter(|listed| listed.node != node) {
            let cost = cost(listed.node, listed.quality);
            match (listed.neighbour, cost) {
                (NeighbourType::Symmetric | NeighbourType::Mpr, Some(cost)) => {
                    let before = behind.insert(listed.node, Entry { until, cost });
                    change.is_of_nodes |= before.is_none();
                    change.is_of_costs |= before.is_some_and(|before| before.cost != cost);
                }
                _ => change.is_of_nodes |= behind.remove(&listed.node).is_some(),
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
    pub fn behind(&self, neighbour: NodeId) -> impl Iterator<Item = (NodeId, u32)> + Clone {
        let entries = self.of.get(&neighbour).into_iter().flatten();
        entries.map(|(&node, entry)| (node, entry.cost))
    }
}
