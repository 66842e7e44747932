//! Links that are cut and nodes that are off: no signal passes, whatever the distance.

use rustc_hash::FxHashSet;

use super::stations::StationLayout;
use crate::wire::{Interface, NodeId};

/// What no signal passes.
#[derive(Clone, Debug, Default)]
pub struct Cuts {
    links: FxHashSet<(NodeId, NodeId)>,
    /// By one kind of station alone.
    wires: FxHashSet<(NodeId, NodeId, Interface)>,
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

    /// Cuts the wire that has ports of this kind between `a` and `b`, or restores it.
    pub fn set_wire(&mut self, (a, b): (NodeId, NodeId), wire: Interface, is_cut: bool) {
        let link = (a.min(b), a.max(b), wire);
        match is_cut {
            true => self.wires.insert(link),
            false => self.wires.remove(&link),
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
        let kind = self.stations.kind(a);
        let [a, b] = [a, b].map(|station| self.stations.node(station));
        let (low, high) = (a.min(b), a.max(b));
        let is_off = |node| self.nodes.contains(&node);
        let is_cut = self.links.contains(&(low, high)) || self.wires.contains(&(low, high, kind));
        !is_off(a) && !is_off(b) && !is_cut
    }
}
