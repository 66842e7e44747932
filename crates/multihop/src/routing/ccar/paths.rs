//! Lightest paths through the true network (Dijkstra 1959).

use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap};

use super::weights::{Weight, Weights};
use crate::kernel::Rng;
use crate::radio::Neighbours;
use crate::wire::NodeId;

/// Weight and hops of a path: the lighter is better, then the one with fewer hops.
type Cost = (Weight, u32);

/// A search in a network with weights, some of whose links may be excluded.
#[derive(Debug)]
pub struct Search<'a> {
    neighbours: &'a Neighbours,
    weights: &'a Weights,
    nodes: usize,
    /// Excluded links, the node with the smaller number first.
    taken: BTreeSet<(NodeId, NodeId)>,
}

impl<'a> Search<'a> {
    /// All links of `neighbours` may be used.
    pub fn new(neighbours: &'a Neighbours, weights: &'a Weights, nodes: usize) -> Self {
        Search { neighbours, weights, nodes, taken: BTreeSet::new() }
    }

    /// The lightest path from `source` to `destination`, if there is a path. Ties go to fewer hops, then to
    /// each path with the same probability.
    pub fn lightest(
        &self,
        source: NodeId,
        destination: NodeId,
        rng: &mut Rng,
    ) -> Option<Vec<NodeId>> {
        let costs = self.costs(source, destination)?;
        let mut path = vec![destination];
        let mut here = destination;
        while here != source {
            here = self.pick_before(here, &costs, rng)?;
            path.push(here);
        }
        path.reverse();
        Some(path)
    }

    /// Hops of the path that [`Search::lightest`] would find.
    pub fn hops(&self, source: NodeId, destination: NodeId) -> Option<u32> {
        let reached = self.costs(source, destination)?[destination.index()]?;
        Some(reached.cost.1)
    }

    /// Up to `count` edge-disjoint paths: the lightest, then the lightest without the links of the first, and
    /// so on.
    pub fn disjoint(
        mut self,
        source: NodeId,
        destination: NodeId,
        count: u32,
        rng: &mut Rng,
    ) -> Vec<Vec<NodeId>> {
        let mut paths = Vec::new();
        while paths.len() < count as usize
            && let Some(path) = self.lightest(source, destination, rng)
        {
            self.taken.extend(path.windows(2).map(|link| link_of(link[0], link[1])));
            paths.push(path);
        }
        paths
    }

    /// For each node that is no farther than `destination`: the cost of reaching it from `source`, and the
    /// number of paths with that cost.
    fn costs(&self, source: NodeId, destination: NodeId) -> Option<Vec<Option<Reached>>> {
        let mut reached: Vec<Option<Reached>> = vec![None; self.nodes];
        let mut waiting = BinaryHeap::from([Reverse(((0, 0), source))]);
        let mut best: Vec<Option<Cost>> = vec![None; self.nodes];
        best[source.index()] = Some((0, 0));
        while let Some(Reverse((cost, node))) = waiting.pop() {
            if reached[node.index()].is_some() {
                continue;
            }
            let paths = match node == source {
                true => 1.0,
                false => self.before(node, cost, &reached).map(|(_, paths)| paths).sum(),
            };
            reached[node.index()] = Some(Reached { cost, paths });
            if node == destination {
                return Some(reached);
            }
            for next in self.links(node) {
                let cost = self.beyond(cost, node, next);
                if best[next.index()].is_none_or(|known| cost < known) {
                    best[next.index()] = Some(cost);
                    waiting.push(Reverse((cost, next)));
                }
            }
        }
        None
    }

    /// The nodes from which `node` is reached at `cost`, each with the number of paths to it.
    fn before(
        &self,
        node: NodeId,
        cost: Cost,
        reached: &[Option<Reached>],
    ) -> impl Iterator<Item = (NodeId, f64)> {
        self.links(node).filter_map(move |previous| {
            let there = reached[previous.index()]?;
            (self.beyond(there.cost, previous, node) == cost).then_some((previous, there.paths))
        })
    }

    /// One of the nodes before `node`, drawn so that all paths are equally likely.
    fn pick_before(
        &self,
        node: NodeId,
        reached: &[Option<Reached>],
        rng: &mut Rng,
    ) -> Option<NodeId> {
        let Reached { cost, paths } = reached[node.index()]?;
        let mut choices = self.before(node, cost, reached);
        let (mut picked, first) = choices.next()?;
        let mut rest = choices.peekable();
        if rest.peek().is_some() {
            let mut left = rng.unit() * paths - first;
            for (previous, paths) in rest {
                if left < 0.0 {
                    break;
                }
                picked = previous;
                left -= paths;
            }
        }
        Some(picked)
    }

    fn beyond(&self, cost: Cost, node: NodeId, next: NodeId) -> Cost {
        (cost.0 + self.weights.link(node, next), cost.1 + 1)
    }

    fn links(&self, node: NodeId) -> impl Iterator<Item = NodeId> {
        let neighbours = self.neighbours.decoding(node).iter().map(|neighbour| neighbour.node);
        neighbours.filter(move |&next| !self.taken.contains(&link_of(node, next)))
    }
}

/// A node that a search has reached.
#[derive(Clone, Copy, Debug)]
struct Reached {
    cost: Cost,
    paths: f64,
}

fn link_of(a: NodeId, b: NodeId) -> (NodeId, NodeId) {
    (a.min(b), a.max(b))
}
