//! The next hops that agents of nodes can choose from.
//!
//! For each destination of a flow, or source for what comes back, a node's neighbours that are no
//! farther from it than the node itself, nearest first, over links that work at the start. So
//! packets never go away from where they are to go; between equally near nodes agents can send them
//! in circles, until their time to live is over.

use super::Simulation;
use crate::radio::{Hearers, Neighbours};
use crate::routing::shortest_paths::ShortestPaths;
use crate::wire::NodeId;

/// What all nodes can choose from.
#[derive(Debug)]
pub(super) struct NextHopChoices {
    /// By destination: for each node, its neighbours, nearest to the destination first.
    choices: Vec<(NodeId, Vec<Vec<NodeId>>)>,
    /// Whether nodes off the paths of flows have routes, too.
    has_filled: bool,
}

impl NextHopChoices {
    /// Those of `simulation`, if its nodes do not move and its routing can be told.
    pub fn of(simulation: &Simulation) -> Option<NextHopChoices> {
        let Hearers::Static(neighbours) = &simulation.stations.medium.hearers else { return None };
        if simulation.routing.name != "static" || simulation.stations.layout.are_several() {
            return None;
        }
        let flows = &simulation.endpoints.flows;
        let mut ends: Vec<NodeId> =
            flows.iter().flat_map(|flow| [flow.source, flow.destination]).collect();
        ends.sort_unstable();
        ends.dedup();
        let nodes = simulation.node_count();
        let mut paths = ShortestPaths::new(nodes);
        let choices =
            ends.into_iter().map(|end| (end, nearer(&mut paths, neighbours, end, nodes))).collect();
        Some(NextHopChoices { choices, has_filled: false })
    }

    /// From now on `node` sends by the next hop at `place`, whatever the destination.
    pub fn choose(&mut self, simulation: &mut Simulation, node: NodeId, place: usize) {
        if !std::mem::replace(&mut self.has_filled, true) {
            for other in (0..simulation.node_count() as u32).map(NodeId) {
                self.write(simulation, other, |known, _| known.is_none().then_some(0));
            }
        }
        self.write(simulation, node, |_, count| Some(place.min(count - 1)));
    }

    /// Gives `node` the next hop at the `place` among so many, where that says one, for each
    /// destination.
    fn write(
        &self,
        simulation: &mut Simulation,
        node: NodeId,
        place: impl Fn(Option<NodeId>, usize) -> Option<usize>,
    ) {
        let Some(next_hops) = simulation.routing.layer.node(node).0.next_hops() else { return };
        for (end, choices) in &self.choices {
            let own = &choices[node.index()];
            if own.is_empty() {
                continue;
            }
            let known = next_hops.get(end).map(|&(next_hop, _)| next_hop);
            if let Some(place) = place(known, own.len()) {
                next_hops.entry(*end).or_default().0 = own[place];
            }
        }
    }
}

/// For each node its neighbours that are no farther from `end`, nearest first, then by number.
fn nearer(
    paths: &mut ShortestPaths<u32>,
    neighbours: &Neighbours,
    end: NodeId,
    nodes: usize,
) -> Vec<Vec<NodeId>> {
    paths.search(end, None, |node, hops| neighbours.linked(node).map(move |next| (next, hops + 1)));
    let own = |node| {
        let mut found: Vec<(u32, NodeId)> = neighbours
            .linked(node)
            .filter_map(|next| Some((paths.cost(next)?, next)))
            .filter(|&(hops, _)| node != end && paths.cost(node).is_some_and(|own| hops <= own))
            .collect();
        found.sort_unstable();
        found.into_iter().map(|(_, next)| next).collect()
    };
    (0..nodes as u32).map(NodeId).map(own).collect()
}
