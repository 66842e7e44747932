//! The weights of nodes, links and paths (Ye, Krishnamurthy and Tripathi, equations 1 and 2).
//!
//! `W_node(i) = W_TCP Σ n_T(j)` over the nodes j within sensing range of i and i itself, where
//! `n_T(j)` is the number of connections through j; `W_link(i, j) = max(W_node(i), W_node(j)) +
//! W_p`; the weight of a path is the sum over its links. The paper's sentence allows two readings:
//! a connection counts once, or once for each node near i that it passes. Its examples follow the
//! second.
//!
//! Weights are whole numbers of parts of `W_TCP`, so that equal weights compare as equal.

use crate::radio::Neighbours;
use crate::wire::NodeId;

/// A weight in parts of `W_TCP`.
pub type Weight = u128;

/// Parts of `W_TCP`: the least common multiple of all lengths up to 30 hops, for shares of
/// 1/length.
pub const PARTS: Weight = 2_329_089_562_800;

/// `weight`, given in units of `W_TCP`.
pub fn parts(weight: f64) -> Weight {
    (weight * PARTS as f64).round() as Weight
}

/// `weight` in units of `W_TCP`.
pub fn in_units(weight: Weight) -> f64 {
    weight as f64 / PARTS as f64
}

/// The connections through each node: `n_T`, in parts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Passing(Vec<Weight>);

impl Passing {
    /// No connections.
    pub fn nowhere(nodes: usize) -> Passing {
        Passing(vec![0; nodes])
    }

    /// Adds a connection, or several, of this total share along `path`.
    pub fn add(&mut self, path: &[NodeId], share: Weight) {
        for node in path {
            self.0[node.index()] += share;
        }
    }

    /// The weights that result.
    pub fn weights(&self, neighbours: &Neighbours, link_penalty: Weight) -> Weights {
        let sum_near = |(i, &own): (usize, &Weight)| {
            let near = neighbours.sensing(NodeId(i as u32));
            own + near.iter().map(|neighbour| self.0[neighbour.node.index()]).sum::<Weight>()
        };
        Weights { nodes: self.0.iter().enumerate().map(sum_near).collect(), link_penalty }
    }
}

/// The weights of all nodes, and the penalty of a link.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Weights {
    nodes: Vec<Weight>,
    link_penalty: Weight,
}

impl Weights {
    /// Equation 1.
    pub fn node(&self, node: NodeId) -> Weight {
        self.nodes[node.index()]
    }

    /// Equation 2.
    pub fn link(&self, a: NodeId, b: NodeId) -> Weight {
        self.node(a).max(self.node(b)) + self.link_penalty
    }

    /// The weight of `path`: the sum over its links.
    pub fn path(&self, path: &[NodeId]) -> Weight {
        path.windows(2).map(|link| self.link(link[0], link[1])).sum()
    }

    /// The weight of the heaviest link of `path`.
    pub fn bottleneck(&self, path: &[NodeId]) -> Weight {
        path.windows(2).map(|link| self.link(link[0], link[1])).max().unwrap_or(0)
    }

    /// The total weight of all nodes.
    pub fn total(&self) -> Weight {
        self.nodes.iter().sum()
    }
}
