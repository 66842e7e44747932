//! Lightest paths through the true network; of several, one at random.

use std::collections::BTreeSet;

use super::weights::{Weight, Weights};
use crate::kernel::Rng;
use crate::radio::Neighbours;
use crate::routing::shortest_paths::ShortestPaths;
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

    /// The lightest path from `source` to `destination`, if there is a path. Ties go to fewer hops,
    /// then to each path with the same probability.
    pub fn lightest(
        &self,
        source: NodeId,
        destination: NodeId,
        rng: &mut Rng,
    ) -> Option<Vec<NodeId>> {
        let paths = self.to(source, destination);
        paths.cost(destination)?;
        let counts = self.counts(source, &paths);
        let mut path = vec![destination];
        let mut here = destination;
        while here != source {
            here = self.pick_before(here, &paths, &counts, rng)?;
            path.push(here);
        }
        path.reverse();
        Some(path)
    }

    /// Hops of the path that [`Search::lightest`] would find.
    pub fn hops(&self, source: NodeId, destination: NodeId) -> Option<u32> {
        self.to(source, destination).cost(destination).map(|(_, hops)| hops)
    }

    /// Up to `count` edge-disjoint paths: the lightest, then the lightest without the links of the
    /// first, and so on.
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

    /// The paths from `source` to the nodes that are no farther than `destination`.
    fn to(&self, source: NodeId, destination: NodeId) -> ShortestPaths<Cost> {
        let mut paths = ShortestPaths::new(self.nodes);
        paths.search(source, Some(destination), |node, cost| {
            self.links(node).map(move |next| (next, self.beyond(cost, node, next)))
        });
        paths
    }

    /// For each node, the number of `paths` to it.
    fn counts(&self, source: NodeId, paths: &ShortestPaths<Cost>) -> Vec<f64> {
        let mut counts = vec![0.0; self.nodes];
        counts[source.index()] = 1.0;
        for &node in &paths.reached()[1..] {
            counts[node.index()] =
                self.before(node, paths).map(|previous| counts[previous.index()]).sum();
        }
        counts
    }

    /// The nodes before `node` on one of `paths`.
    fn before(&self, node: NodeId, paths: &ShortestPaths<Cost>) -> impl Iterator<Item = NodeId> {
        self.links(node).filter(move |&previous| {
            let cost = paths.cost(previous).map(|cost| self.beyond(cost, previous, node));
            cost.is_some() && cost == paths.cost(node)
        })
    }

    /// One of the nodes before `node`, drawn so that all paths are equally likely.
    fn pick_before(
        &self,
        node: NodeId,
        paths: &ShortestPaths<Cost>,
        counts: &[f64],
        rng: &mut Rng,
    ) -> Option<NodeId> {
        let mut choices = self.before(node, paths);
        let mut picked = choices.next()?;
        let mut rest = choices.peekable();
        if rest.peek().is_some() {
            let mut left = rng.unit() * counts[node.index()] - counts[picked.index()];
            for previous in rest {
                if left < 0.0 {
                    break;
                }
                picked = previous;
                left -= counts[previous.index()];
            }
        }
        Some(picked)
    }

    fn beyond(&self, cost: Cost, node: NodeId, next: NodeId) -> Cost {
        (cost.0 + self.weights.link(node, next), cost.1 + 1)
    }

    fn links(&self, node: NodeId) -> impl Iterator<Item = NodeId> {
        let linked = self.neighbours.linked(node);
        linked.filter(move |&next| !self.taken.contains(&link_of(node, next)))
    }
}

fn link_of(a: NodeId, b: NodeId) -> (NodeId, NodeId) {
    (a.min(b), a.max(b))
}
