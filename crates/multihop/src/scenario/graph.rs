//! Connectivity: the graph of nodes within receive range.

use crate::radio::{Neighbours, Position};
use crate::wire::NodeId;

/// The graph of a placement.
pub struct Graph {
    /// Whether its links last. If nodes move, two nodes without a path may get one later.
    pub is_lasting: bool,
    links: Links,
    /// The component of each node: the nodes of a component can reach each other.
    components: Vec<u32>,
    /// Number of the last search that reached each node. One array serves all searches: it is never cleared,
    /// and a short search in a large network touches little of it.
    reached_by: Vec<u64>,
    searches: u64,
}

impl Graph {
    /// Lasting links between nodes within `range_m`.
    pub fn new(positions: &[Position], range_m: f64) -> Graph {
        Graph::with(Links::within(positions, range_m), positions.len())
    }

    /// Lasting links between `nodes` nodes that decode each other.
    pub fn of(neighbours: &Neighbours, nodes: usize) -> Graph {
        Graph::with(Links::of(neighbours, nodes), nodes)
    }

    fn with(links: Links, nodes: usize) -> Graph {
        let components = components(&links, nodes);
        Graph { is_lasting: true, links, components, reached_by: vec![0; nodes], searches: 0 }
    }

    /// Whether every node can reach every other.
    pub fn is_connected(&self) -> bool {
        self.components.iter().all(|&component| component == 0)
    }

    /// Hops of a shortest path between two nodes; none if there is no path. A bidirectional search: each step
    /// advances the smaller frontier by one hop.
    pub fn hops_between(&mut self, a: NodeId, b: NodeId) -> Option<u32> {
        if a == b {
            return Some(0);
        }
        if self.components[a.index()] != self.components[b.index()] {
            return None;
        }
        let mut near = Frontier { search: self.new_search(a), nodes: vec![a] };
        let mut far = Frontier { search: self.new_search(b), nodes: vec![b] };
        for hops in 1.. {
            if near.nodes.len() > far.nodes.len() {
                std::mem::swap(&mut near, &mut far);
            }
            if self.advance(&mut near, Some(far.search)) {
                return Some(hops);
            }
        }
        None
    }

    /// The nodes with a shortest path of `least` to `greatest` hops from `source`, nearest first, each
    /// with its hops.
    pub fn nodes_at(&mut self, source: NodeId, least: u32, greatest: u32) -> Vec<(NodeId, u32)> {
        let mut frontier = Frontier { search: self.new_search(source), nodes: vec![source] };
        let mut found = Vec::new();
        for hops in 1..=greatest {
            self.advance(&mut frontier, None);
            if frontier.nodes.is_empty() {
                break;
            }
            if hops >= least {
                found.extend(frontier.nodes.iter().map(|&node| (node, hops)));
            }
        }
        found
    }

    fn new_search(&mut self, source: NodeId) -> u64 {
        self.searches += 1;
        self.reached_by[source.index()] = self.searches;
        self.searches
    }

    /// Advances `frontier` by one hop. Returns whether it has met the search `other`.
    fn advance(&mut self, frontier: &mut Frontier, other: Option<u64>) -> bool {
        let mut next = Vec::new();
        for &node in &frontier.nodes {
            for &neighbour in self.links.from(node) {
                let reached_by = &mut self.reached_by[neighbour.index()];
                if Some(*reached_by) == other {
                    return true;
                }
                if *reached_by != frontier.search {
                    *reached_by = frontier.search;
                    next.push(neighbour);
                }
            }
        }
        frontier.nodes = next;
        false
    }
}

/// Which nodes decode each other, and nothing more: cheaper than [`Neighbours`] for a graph that is used
/// once.
struct Links {
    /// Index of each node's first neighbour, and the end of the last node's.
    begins: Vec<usize>,
    neighbours: Vec<NodeId>,
}

impl Links {
    fn of(neighbours: &Neighbours, nodes: usize) -> Links {
        let mut links = Links { begins: vec![0], neighbours: Vec::new() };
        for node in (0..nodes as u32).map(NodeId) {
            links.neighbours.extend(neighbours.decoding(node).iter().map(|other| other.node));
            links.begins.push(links.neighbours.len());
        }
        links
    }

    /// Sweeps the nodes from left to right.
    fn within(positions: &[Position], range_m: f64) -> Links {
        let mut order: Vec<usize> = (0..positions.len()).collect();
        order.sort_unstable_by(|&a, &b| positions[a].x_m.total_cmp(&positions[b].x_m));
        let mut pairs = Vec::new();
        for (place, &a) in order.iter().enumerate() {
            for &b in &order[place + 1..] {
                let (along_m, across_m) =
                    (positions[b].x_m - positions[a].x_m, positions[b].y_m - positions[a].y_m);
                if along_m > range_m {
                    break;
                }
                if along_m * along_m + across_m * across_m <= range_m * range_m {
                    pairs.push((a, b));
                }
            }
        }
        let mut begins = vec![0; positions.len() + 1];
        for end in pairs.iter().flat_map(|&(a, b)| [a, b]) {
            begins[end + 1] += 1;
        }
        for node in 0..positions.len() {
            begins[node + 1] += begins[node];
        }
        let (mut next, mut neighbours) = (begins.clone(), vec![NodeId(0); 2 * pairs.len()]);
        for (node, other) in pairs.into_iter().flat_map(|(a, b)| [(a, b), (b, a)]) {
            neighbours[next[node]] = NodeId(other as u32);
            next[node] += 1;
        }
        Links { begins, neighbours }
    }

    fn from(&self, node: NodeId) -> &[NodeId] {
        &self.neighbours[self.begins[node.index()]..self.begins[node.index() + 1]]
    }
}

/// The nodes at the frontier of a search.
struct Frontier {
    search: u64,
    nodes: Vec<NodeId>,
}

/// The component of each of `nodes` nodes; components are numbered in the order of their first nodes.
fn components(links: &Links, nodes: usize) -> Vec<u32> {
    const NONE: u32 = u32::MAX;
    let mut components = vec![NONE; nodes];
    let mut waiting = Vec::new();
    let mut number = 0;
    for first in 0..nodes as u32 {
        if components[first as usize] != NONE {
            continue;
        }
        components[first as usize] = number;
        waiting.push(NodeId(first));
        while let Some(node) = waiting.pop() {
            for &neighbour in links.from(node) {
                let component = &mut components[neighbour.index()];
                if *component == NONE {
                    *component = number;
                    waiting.push(neighbour);
                }
            }
        }
        number += 1;
    }
    components
}
