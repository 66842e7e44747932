//! The routing table (RFC 3626 section 10), worked out when a packet needs it.

use std::collections::BTreeMap;

use crate::routing::Context;
use crate::routing::shortest_paths::ShortestPaths;
use crate::wire::NodeId;

/// A symmetric neighbour as the first step of paths.
#[derive(Clone, Copy, Debug)]
pub struct Near {
    /// The neighbour.
    pub node: NodeId,
    /// The cost of the link to it.
    pub cost: u32,
    /// Its willingness to relay: without, no path leads on from it.
    pub willingness: u8,
    /// Whether it chose this node as relay.
    pub is_selector: bool,
}

/// One node's next hops.
#[derive(Debug)]
pub struct Routes {
    /// What they were worked out from has changed since.
    pub are_stale: bool,
    nodes: usize,
    next_hops: BTreeMap<NodeId, NodeId>,
}

/// Where paths are searched, one node after another.
#[derive(Debug, Default)]
struct Scratch(Option<ShortestPaths<u32>>);

impl Routes {
    /// No route yet, in a network of `nodes` nodes.
    pub fn new(nodes: usize) -> Routes {
        Routes { are_stale: false, nodes, next_hops: BTreeMap::new() }
    }

    /// The next hop to `destination`.
    pub fn next_hop(&self, destination: NodeId) -> Option<NodeId> {
        self.next_hops.get(&destination).copied()
    }

    /// Works the table of `node` out from its neighbours, the nodes `behind` each of them, and those
    /// that TCs advertise. Returns how many destinations have another next hop, or none, or one anew.
    pub fn find<B: Iterator<Item = (NodeId, u32)>, A: Iterator<Item = (NodeId, u32)>>(
        &mut self,
        cx: &mut Context,
        node: NodeId,
        near: &[Near],
        behind: impl Fn(NodeId) -> B,
        advertised: impl Fn(NodeId) -> A,
    ) -> u64 {
        let Scratch(paths) = cx.oracle.shared.get_or_default();
        let paths = paths.get_or_insert_with(|| ShortestPaths::new(self.nodes));
        let unwilling = near.iter().filter(|near| near.willingness == super::mpr::NEVER);
        let unwilling: Vec<NodeId> = unwilling.map(|near| near.node).collect();
        let leads_on = |from: NodeId| !unwilling.contains(&from);
        paths.search(node, None, |from, cost| {
            let first = if from == node { near } else { &[] };
            let first = first.iter().map(|near| (near.node, near.cost));
            let far = (from != node && leads_on(from)).then_some(from).into_iter();
            let second = far.clone().flat_map(&behind);
            let third = far.flat_map(&advertised);
            let links = first.chain(second).chain(third);
            links.map(move |(to, more)| (to, cost.saturating_add(more)))
        });
        let mut next_hops: BTreeMap<NodeId, NodeId> = BTreeMap::new();
        for &to in paths.reached() {
            if let Some(previous) = paths.previous(to) {
                let next_hop = if previous == node { to } else { next_hops[&previous] };
                next_hops.insert(to, next_hop);
            }
        }
        let gone = self.next_hops.keys().filter(|to| !next_hops.contains_key(to)).count();
        let new = next_hops.iter().filter(|(to, hop)| self.next_hops.get(to) != Some(hop)).count();
        self.next_hops = next_hops;
        self.are_stale = false;
        (gone + new) as u64
    }
}
