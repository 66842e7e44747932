//! Links that are cut and nodes that are off: no signal passes, whatever the distance.

use rustc_hash::FxHashSet;

use super::stations::StationLayout;
use crate::wire::NodeId;

/// What no signal passes.
#[derive(Clone, Debug, Default)]
pub struct Cuts {
    links: FxHashSet<(NodeId, NodeId)>,
    nodes: FxHashSet<NodeId>,
    /// Whose stations they are.
    stations: StationLayout,
}

impl Cuts {
    /// Nothing is cut between these stations.
    pub fn of(stations: StationLayout) -> Cuts {
        Cuts { stations, ..Cuts::default() }
    }

    /// Cuts the link between `a` and `b`, or restores it.
    pub fn set_link(&mut self, a: NodeId, b: NodeId, is_cut: bool) {
        let link = (a.min(b), a.max(b));
        match is_cut {
            true => self.links.insert(link),
            false => self.links.remove(&link),
        };
    }

    /// Switches the radio of `node` off, or on again.
    pub fn set_node(&mut self, node: NodeId, is_off: bool) {
        match is_off {
            true => self.nodes.insert(node),
            false => self.nodes.remove(&node),
        };
    }

    /// Whether signals pass between stations `a` and `b`.
    pub fn passes(&self, a: NodeId, b: NodeId) -> bool {
        let [a, b] = [a, b].map(|station| self.stations.node(station));
        let is_off = |node| self.nodes.contains(&node);
        !is_off(a) && !is_off(b) && !self.links.contains(&(a.min(b), a.max(b)))
    }
}
