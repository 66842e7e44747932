//! Shortest paths from one node through any graph, by any cost that never falls along a path
//! (Dijkstra 1959).

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::wire::NodeId;

/// A search, reused for one source after another: none clears what those before have left, so a
/// short search in a large network touches little of it.
#[derive(Debug)]
pub struct ShortestPaths<C> {
    /// Number of the last search.
    search: u64,
    found: Vec<Found<C>>,
    reached: Vec<NodeId>,
    waiting: BinaryHeap<Reverse<(C, u32, NodeId)>>,
    /// How often a node was put in line.
    turns: u32,
}

/// The best way to a node so far.
#[derive(Clone, Debug)]
struct Found<C> {
    /// Of this search; others have not found the node.
    search: u64,
    cost: C,
    previous: NodeId,
    is_reached: bool,
}

impl<C: Copy + Ord + Default> ShortestPaths<C> {
    /// No search yet, in a graph of `nodes` nodes.
    pub fn new(nodes: usize) -> ShortestPaths<C> {
        let nowhere =
            Found { search: 0, cost: C::default(), previous: NodeId(0), is_reached: false };
        ShortestPaths {
            search: 0,
            found: vec![nowhere; nodes],
            reached: Vec::new(),
            waiting: BinaryHeap::new(),
            turns: 0,
        }
    }

    /// Searches from `source` until `destination` is reached, or every node that can be. Of a node
    /// and the cost of reaching it `links` says where its links lead, each with the cost of
    /// reaching that end so. Of equally near nodes, the one found first is reached first; of
    /// equally short paths, the one found first stays.
    pub fn search<L: IntoIterator<Item = (NodeId, C)>>(
        &mut self,
        source: NodeId,
        destination: Option<NodeId>,
        links: impl Fn(NodeId, C) -> L,
    ) {
        self.search += 1;
        self.turns = 0;
        self.reached.clear();
        self.waiting.clear();
        self.find(source, C::default(), source);
        while let Some(Reverse((cost, _, node))) = self.waiting.pop() {
            let found = &mut self.found[node.index()];
            if std::mem::replace(&mut found.is_reached, true) {
                continue;
            }
            self.reached.push(node);
            if Some(node) == destination {
                return;
            }
            for (next, cost) in links(node, cost) {
                self.find(next, cost, node);
            }
        }
    }

    /// Puts `node` in line if `cost`, by way of `previous`, is the least so far.
    fn find(&mut self, node: NodeId, cost: C, previous: NodeId) {
        let found = &mut self.found[node.index()];
        if found.search != self.search || cost < found.cost {
            *found = Found { search: self.search, cost, previous, is_reached: false };
            self.waiting.push(Reverse((cost, self.turns, node)));
            self.turns += 1;
        }
    }

    /// The nodes that the last search reached, nearest first.
    pub fn reached(&self) -> &[NodeId] {
        &self.reached
    }

    /// The least cost of `node`, if the last search reached it.
    pub fn cost(&self, node: NodeId) -> Option<C> {
        self.at(node).map(|found| found.cost)
    }

    /// The node before `node` on its shortest path, if the last search reached it; none of the
    /// source.
    pub fn previous(&self, node: NodeId) -> Option<NodeId> {
        self.at(node).map(|found| found.previous).filter(|&previous| previous != node)
    }

    fn at(&self, node: NodeId) -> Option<&Found<C>> {
        let found = &self.found[node.index()];
        (found.search == self.search && found.is_reached).then_some(found)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Links one way, each with its cost.
    type Links = [(u32, u32, u32)];

    fn from(links: &Links, source: u32, destination: Option<u32>) -> ShortestPaths<u32> {
        let mut paths = ShortestPaths::new(7);
        // What an earlier search found must not matter.
        paths.search(NodeId(6), None, |node, cost| {
            (0..7).filter(move |&next| next != node.0).map(move |next| (NodeId(next), cost))
        });
        paths.search(NodeId(source), destination.map(NodeId), |node, cost| {
            let own = links.iter().filter(move |link| link.0 == node.0);
            own.map(move |&(_, next, more)| (NodeId(next), cost + more))
        });
        paths
    }

    fn path(paths: &ShortestPaths<u32>, to: u32) -> Vec<u32> {
        let steps = std::iter::successors(Some(NodeId(to)), |&node| paths.previous(node));
        steps.map(|node| node.0).collect()
    }

    #[test]
    fn a_longer_way_of_less_cost_wins() {
        let links = [(0, 1, 9), (0, 2, 2), (2, 3, 3), (3, 1, 3), (1, 4, 1)];
        let paths = from(&links, 0, None);
        assert_eq!(path(&paths, 4), [4, 1, 3, 2, 0]);
        let costs = [0, 1, 2, 3, 4, 5].map(|node| paths.cost(NodeId(node)));
        assert_eq!(costs, [Some(0), Some(8), Some(2), Some(5), Some(9), None]);
        assert_eq!(paths.reached(), [0, 2, 3, 1, 4].map(NodeId));
        assert_eq!(paths.previous(NodeId(0)), None, "the source");
    }

    #[test]
    fn of_equal_paths_the_one_found_first_stays() {
        // Two ways to 3 and three to 5, all of two and three links; 2 is found before 1.
        let links = [(0, 2, 1), (0, 1, 1), (1, 3, 1), (2, 3, 1), (1, 4, 1), (4, 5, 1), (3, 5, 1)];
        let paths = from(&links, 0, None);
        assert_eq!(paths.reached(), [0, 2, 1, 3, 4, 5].map(NodeId));
        assert_eq!(path(&paths, 5), [5, 3, 2, 0]);
    }

    #[test]
    fn the_search_ends_at_its_destination_and_knows_nothing_of_what_lies_beyond() {
        let links = [(0, 1, 1), (1, 2, 1), (0, 3, 5)];
        let paths = from(&links, 0, Some(1));
        assert_eq!(paths.reached(), [0, 1].map(NodeId));
        assert_eq!((paths.cost(NodeId(3)), paths.previous(NodeId(3))), (None, None), "found only");
    }

    #[test]
    fn links_lead_one_way() {
        let paths = from(&[(0, 1, 1), (1, 2, 1)], 2, Some(0));
        assert_eq!((paths.reached(), paths.cost(NodeId(0))), (&[NodeId(2)][..], None));
    }

    proptest! {
        #[test]
        fn costs_are_those_of_relaxing_every_link_again_and_again(
            links in prop::collection::vec((0u32..7, 0u32..7, 0u32..9), 0..30),
        ) {
            let paths = from(&links, 0, None);
            let mut least = [None; 7];
            least[0] = Some(0);
            for &(from, to, cost) in std::iter::repeat_n(&links, 7).flatten() {
                let (from, to) = (from as usize, to as usize);
                let by_this = least[from].map(|before: u32| before + cost);
                least[to] = least[to].into_iter().chain(by_this).min();
            }
            for node in (0..7).map(NodeId) {
                prop_assert_eq!(paths.cost(node), least[node.index()]);
                if let Some(previous) = paths.previous(node) {
                    let by = |&(from, to, cost): &(u32, u32, u32)| {
                        (from, to) == (previous.0, node.0)
                            && paths.cost(previous).map(|before| before + cost) == paths.cost(node)
                    };
                    prop_assert!(links.iter().any(by), "{previous:?} {node:?}");
                }
            }
            prop_assert!(paths.reached().is_sorted_by_key(|&node| paths.cost(node)));
        }
    }
}
