//! The routing table (RFC 3626 section 10, RFC 7181 section 19), worked out when a packet needs it.

use std::collections::BTreeMap;
use std::fmt::Debug;

use crate::routing::Context;
use crate::routing::shortest_paths::ShortestPaths;
use crate::wire::NodeId;

/// A symmetric neighbour as the first step of paths.
#[derive(Clone, Copy, Debug)]
pub struct Near<C> {
    /// The neighbour.
    pub node: NodeId,
    /// Its station that packets go to.
    pub hop: NodeId,
    /// The cost of the link to it.
    pub cost: C,
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
struct Scratch<C>(Option<ShortestPaths<C>>);

impl Routes {
    /// No route yet, in a network of `nodes` nodes.
    pub fn new(nodes: usize) -> Routes {
        Routes { are_stale: false, nodes, next_hops: BTreeMap::new() }
    }

    /// The next hop to `destination`.
    pub fn next_hop(&self, destination: NodeId) -> Option<NodeId> {
        self.next_hops.get(&destination).copied()
    }

    /// Works the table of `node` out from its neighbours, in the order in which they are preferred,
    /// and the links known of others: of a node and the cost of reaching it `links` says where they
    /// lead, each with the cost of reaching that end so. What none of these reaches goes by `last`, if
    /// that has it: a destination, the cost of reaching it, its next hop. Returns how many
    /// destinations have another next hop, or none, or one anew.
    pub fn find<C, L>(
        &mut self,
        cx: &mut Context,
        node: NodeId,
        near: &[Near<C>],
        links: impl Fn(NodeId, C) -> L,
        last: impl Iterator<Item = (NodeId, C, NodeId)>,
    ) -> u64
    where
        C: Copy + Debug + Default + Ord + Send + Sync + 'static,
        L: Iterator<Item = (NodeId, C)>,
    {
        let Scratch(paths) = cx.oracle.shared.get_or_default();
        let paths = paths.get_or_insert_with(|| ShortestPaths::new(self.nodes));
        paths.search(node, None, |from, cost| {
            let first = if from == node { near } else { &[] };
            let far = (from != node).then(|| links(from, cost)).into_iter().flatten();
            first.iter().map(|near| (near.node, near.cost)).chain(far)
        });
        let has_others = near.iter().any(|near| near.hop != near.node);
        let hop = |to: NodeId| match has_others {
            true => near.iter().find(|near| near.node == to).map_or(to, |near| near.hop),
            false => to,
        };
        let mut next_hops: BTreeMap<NodeId, NodeId> = BTreeMap::new();
        for &to in paths.reached() {
            if let Some(previous) = paths.previous(to) {
                let next_hop = if previous == node { hop(to) } else { next_hops[&previous] };
                next_hops.insert(to, next_hop);
            }
        }
        let mut beyond: BTreeMap<NodeId, (C, NodeId)> = BTreeMap::new();
        for (to, cost, next_hop) in last.filter(|last| paths.cost(last.0).is_none()) {
            let best = beyond.entry(to).or_insert((cost, next_hop));
            if cost < best.0 {
                *best = (cost, next_hop);
            }
        }
        next_hops.extend(beyond.into_iter().map(|(to, (_, next_hop))| (to, next_hop)));
        let gone = self.next_hops.keys().filter(|to| !next_hops.contains_key(to)).count();
        let new = next_hops.iter().filter(|(to, hop)| self.next_hops.get(to) != Some(hop)).count();
        self.next_hops = next_hops;
        self.are_stale = false;
        (gone + new) as u64
    }
}
