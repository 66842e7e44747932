//! Connectivity: the graph of nodes within receive range.

use crate::radio::{Neighbours, Position};
use crate::routing::shortest_paths::ShortestPaths;
use crate::wire::NodeId;

/// The graph of a placement.
pub struct Graph {
    /// Whether its links last. If nodes move, two nodes without a path may get one later.
    pub is_lasting: bool,
    /// Whether every link leads both ways, once it has been asked.
    is_two_way: Option<bool>,
    links: Links,
    /// By hops.
    paths: ShortestPaths<u32>,
}

impl Graph {
    /// Lasting links between nodes within `range_m`.
    pub fn new(positions: &[Position], range_m: f64) -> Graph {
        Graph::with(Links::within(positions, range_m), positions.len())
    }

    /// Lasting links between `nodes` nodes that decode each other.
    pub fn of(neighbours: &Neighbours, nodes: usize) -> Graph {
        Graph { is_two_way: None, ..Graph::with(Links::of(neighbours, nodes), nodes) }
    }

    fn with(links: Links, nodes: usize) -> Graph {
        Graph { is_lasting: true, is_two_way: Some(true), links, paths: ShortestPaths::new(nodes) }
    }

    /// Whether every node can be reached from the first, and so from every other if links lead both
    /// ways.
    pub fn is_connected(&mut self) -> bool {
        let others = self.nodes_at(NodeId(0), 1, u32::MAX).len();
        others + 1 == self.links.nodes()
    }

    /// Hops of a shortest path from `source` to `destination`; none if there is no path.
    pub fn hops_between(&mut self, source: NodeId, destination: NodeId) -> Option<u32> {
        self.search(source, Some(destination), u32::MAX);
        self.paths.cost(destination)
    }

    /// The nodes with a shortest path of `least` to `greatest` hops from `source`, nearest first,
    /// each with its hops.
    pub fn nodes_at(&mut self, source: NodeId, least: u32, greatest: u32) -> Vec<(NodeId, u32)> {
        self.search(source, None, greatest);
        let reached = self.paths.reached().iter().map(|&node| (node, self.paths.cost(node)));
        let hops = reached.filter_map(|(node, hops)| Some((node, hops?)));
        hops.filter(|&(_, hops)| hops >= least).collect()
    }

    /// The nodes to which `one`, a flow's source or its destination, can be the other end, so that
    /// data go over `least` to `greatest` hops and there is a way back; each with these hops.
    pub fn other_ends(
        &mut self,
        one: NodeId,
        is_source: bool,
        (least, greatest): (u32, u32),
    ) -> Vec<(NodeId, u32)> {
        if *self.is_two_way.get_or_insert_with(|| self.links.lead_both_ways()) {
            return self.nodes_at(one, least, greatest);
        }
        let reached = self.nodes_at(one, 1, u32::MAX);
        let ends = reached.into_iter().filter_map(|(node, hops)| {
            let hops_back = self.hops_between(node, one)?;
            Some((node, if is_source { hops } else { hops_back }))
        });
        ends.filter(|(_, hops)| (least..=greatest).contains(hops)).collect()
    }

    fn search(&mut self, source: NodeId, destination: Option<NodeId>, greatest: u32) {
        let Graph { links, paths, .. } = self;
        paths.search(source, destination, |node, hops| {
            let next = if hops < greatest { links.from(node) } else { &[] };
            next.iter().map(move |&next| (next, hops + 1))
        });
    }
}

/// Which nodes decode each other, and nothing more: cheaper than [`Neighbours`] for a graph that is
/// used once.
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

    fn lead_both_ways(&self) -> bool {
        let mut nodes = (0..self.nodes() as u32).map(NodeId);
        nodes.all(|node| self.from(node).iter().all(|&other| self.from(other).contains(&node)))
    }

    fn nodes(&self) -> usize {
        self.begins.len() - 1
    }

    fn from(&self, node: NodeId) -> &[NodeId] {
        &self.neighbours[self.begins[node.index()]..self.begins[node.index() + 1]]
    }
}
