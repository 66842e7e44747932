//! Heuristic II: connections are routed one after the other, in every order, and the order with the
//! least total weight of all nodes wins.

use super::paths::Search;
use super::weights::{Passing, Weight};
use crate::kernel::Rng;
use crate::radio::Neighbours;
use crate::wire::NodeId;

/// One connection to be routed.
#[derive(Clone, Debug)]
pub struct Demand {
    /// One end node.
    pub source: NodeId,
    /// The other end node.
    pub destination: NodeId,
    /// Number of connections between the two.
    pub connections: u32,
}

/// What a path of this many links adds at each of its nodes, for this many connections.
pub type Share<'a> = &'a dyn Fn(usize, u32) -> Weight;

/// The best of the orders.
#[derive(Clone, Debug)]
pub struct Best {
    /// A path for each demand, if there is one.
    pub paths: Vec<Option<Vec<NodeId>>>,
    /// Total weight of all nodes.
    pub total: Weight,
    /// How many orders were tried.
    pub orders: u32,
}

/// Routes `demands` in every order, or in `max_orders` of them if there are more: the given one and
/// random others. Of equally good orders the first wins.
pub fn best_order(
    neighbours: &Neighbours,
    nodes: usize,
    demands: &[Demand],
    (link_penalty, share): (Weight, Share),
    max_orders: u32,
    rng: &mut Rng,
) -> Best {
    let mut order: Vec<usize> = (0..demands.len()).collect();
    let all = (1..=demands.len() as u64).try_fold(1u64, u64::checked_mul);
    let all = all.filter(|&all| all <= u64::from(max_orders));
    let mut best = Best { paths: vec![None; demands.len()], total: Weight::MAX, orders: 0 };
    loop {
        let mut passing = Passing::nowhere(nodes);
        let mut paths = vec![None; demands.len()];
        for &place in &order {
            let Demand { source, destination, connections } = demands[place];
            let weights = passing.weights(neighbours, link_penalty);
            let path = Search::new(neighbours, &weights, nodes).lightest(source, destination, rng);
            if let Some(path) = &path {
                passing.add(path, share(path.len() - 1, connections));
            }
            paths[place] = path;
        }
        let total = passing.weights(neighbours, link_penalty).total();
        best.orders += 1;
        if total < best.total {
            best = Best { paths, total, ..best };
        }
        let is_last = match all {
            Some(_) => !advance(&mut order),
            None => {
                shuffle(&mut order, rng);
                best.orders == max_orders
            }
        };
        if is_last {
            return best;
        }
    }
}

/// Advances `order` to the next permutation in lexicographic order. Returns false if it is the
/// last.
fn advance(order: &mut [usize]) -> bool {
    let Some(place) = order.windows(2).rposition(|pair| pair[0] < pair[1]) else { return false };
    let larger = order.iter().rposition(|&item| item > order[place]).unwrap_or(place);
    order.swap(place, larger);
    order[place + 1..].reverse();
    true
}

/// Fisher-Yates shuffle.
fn shuffle(order: &mut [usize], rng: &mut Rng) {
    for last in (1..order.len()).rev() {
        order.swap(last, rng.below(last as u32 + 1) as usize);
    }
}
