//! Who can reach whom in the first place: the graph of nodes within receiving range.

use crate::radio::{Neighbours, Position, Reach, TwoRayGround};
use crate::wire::NodeId;

/// The graph of a placement.
pub struct Graph {
    /// Whether its links last; if nodes move, whoever has no path now may get one.
    pub is_lasting: bool,
    nodes: usize,
    neighbours: Neighbours,
}

impl Graph {
    /// Lasting links between nodes within `range_m`.
    pub fn new(positions: &[Position], range_m: f64) -> Graph {
        let reach = Reach { receive_m: range_m, sense_m: range_m };
        let path = TwoRayGround::new(1.0, 1e9, 1.0);
        Graph {
            is_lasting: true,
            nodes: positions.len(),
            neighbours: Neighbours::of_static(positions, reach, &path),
        }
    }

    /// Hops from `source` to every node, none where there is no path.
    pub fn hops_from(&self, source: NodeId) -> Vec<Option<u32>> {
        let mut hops = vec![None; self.nodes];
        let mut queue = std::collections::VecDeque::from([source]);
        hops[source.index()] = Some(0);
        while let Some(node) = queue.pop_front() {
            let next = hops[node.index()].map(|h| h + 1);
            for neighbour in self.neighbours.decoding(node) {
                let place = &mut hops[neighbour.node.index()];
                if place.is_none() {
                    *place = next;
                    queue.push_back(neighbour.node);
                }
            }
        }
        hops
    }

    /// Whether every node can reach every other.
    pub fn is_connected(&self) -> bool {
        self.hops_from(NodeId(0)).iter().all(Option::is_some)
    }
}
