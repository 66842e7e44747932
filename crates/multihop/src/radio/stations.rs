//! Which stations the nodes have, and on which channels.
//!
//! A station is a radio on a channel, or a port of a wire, which is a channel of its own. It has an
//! address of its own: the first station of a node has the number of the node, the others follow
//! after those of all nodes. Stations on different channels never hear each other, and a node has
//! one at most on a channel.

use std::fmt::Debug;

use crate::wire::{Interface, NodeId};

/// The stations of all nodes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StationLayout {
    nodes: usize,
    /// One of each kind of station, in the order of the scenario's `[[interfaces]]`.
    kinds: Vec<Kind>,
    /// The node and the kind of each station, if there are kinds.
    all: Vec<(NodeId, Interface)>,
    /// The stations of each node by kind, if there are kinds.
    of_nodes: Vec<Vec<(Interface, NodeId)>>,
}

/// A kind of station.
#[derive(Clone, Debug, PartialEq)]
struct Kind {
    name: String,
    channel: u32,
    is_in_cell: bool,
    is_wire: bool,
}

impl StationLayout {
    /// One station for each of `nodes` nodes, all on one channel.
    pub fn alike(nodes: usize) -> StationLayout {
        StationLayout { nodes, ..StationLayout::default() }
    }

    /// The stations of `nodes` nodes of these kinds: name, channel, and the nodes that have one;
    /// none if all do.
    ///
    /// # Errors
    /// What is wrong, with the number of the kind if it is in one.
    pub fn of_kinds(
        nodes: usize,
        kinds: &[(String, u32, Option<Vec<u32>>)],
    ) -> Result<StationLayout, (Option<usize>, String)> {
        let mut of_nodes: Vec<Vec<(Interface, NodeId)>> = vec![Vec::new(); nodes];
        let mut all: Vec<_> = (0..nodes as u32).map(|node| (NodeId(node), Interface(0))).collect();
        for (place, (name, channel, members)) in kinds.iter().enumerate() {
            let kind = Interface(place as u8);
            let every: Vec<u32> = (0..nodes as u32).collect();
            for &node in members.as_ref().unwrap_or(&every) {
                let own = &mut of_nodes[node as usize];
                let other = own.iter().map(|&(other, _)| &kinds[usize::from(other.0)]);
                if let Some((other, ..)) = { other }.find(|(_, taken, _)| taken == channel) {
                    let fault = format!(
                        "must be other than that of interface \"{other}\", which node {node} has too (got \
                         {channel})"
                    );
                    return Err((Some(place), fault));
                }
                let station = match own.is_empty() {
                    true => NodeId(node),
                    false => {
                        all.push((NodeId(node), kind));
                        NodeId(all.len() as u32 - 1)
                    }
                };
                all[station.index()].1 = kind;
                own.push((kind, station));
            }
            debug_assert!(!name.is_empty());
        }
        if let Some(node) = of_nodes.iter().position(Vec::is_empty) {
            return Err((None, format!("must give every node one (none for node {node})")));
        }
        let kinds = kinds.iter();
        let kinds = kinds.map(|(name, channel, _)| Kind {
            name: name.clone(),
            channel: *channel,
            is_in_cell: false,
            is_wire: false,
        });
        Ok(StationLayout { nodes, kinds: kinds.collect(), all, of_nodes })
    }

    /// The same, of which these kinds are access points and clients.
    #[must_use]
    pub fn with_cells(mut self, in_cells: Vec<bool>) -> StationLayout {
        for (kind, is_in_cell) in self.kinds.iter_mut().zip(in_cells) {
            kind.is_in_cell = is_in_cell;
        }
        self
    }

    /// The same, of which the kinds from number `first` on are wires.
    #[must_use]
    pub fn with_wires(mut self, first: usize) -> StationLayout {
        self.kinds.iter_mut().skip(first).for_each(|kind| kind.is_wire = true);
        self
    }

    /// Whether `station` is a port of a wire.
    #[inline]
    pub fn is_wire(&self, station: NodeId) -> bool {
        self.is_wire_kind(self.kind(station))
    }

    /// Whether stations of this kind are ports of a wire.
    pub fn is_wire_kind(&self, kind: Interface) -> bool {
        self.kinds.get(usize::from(kind.0)).is_some_and(|kind| kind.is_wire)
    }

    /// Whether there are wires.
    pub fn have_wires(&self) -> bool {
        self.kinds.last().is_some_and(|kind| kind.is_wire)
    }

    /// The kinds that are radios.
    fn radios(&self) -> impl Iterator<Item = &Kind> {
        self.kinds.iter().filter(|kind| !kind.is_wire)
    }

    /// Whether `station` is an access point or a client, and no part of the mesh.
    pub fn is_in_cell(&self, station: NodeId) -> bool {
        self.kinds.get(usize::from(self.kind(station).0)).is_some_and(|kind| kind.is_in_cell)
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        if self.all.is_empty() { self.nodes } else { self.all.len() }
    }

    /// How many nodes have them.
    pub fn nodes(&self) -> usize {
        self.nodes
    }

    /// How many kinds of station there are.
    pub fn kinds(&self) -> usize {
        self.kinds.len().max(1)
    }

    /// Whether the scenario names kinds.
    pub fn have_kinds(&self) -> bool {
        !self.kinds.is_empty()
    }

    /// Whether some node has more than one.
    pub fn are_several(&self) -> bool {
        self.count() > self.nodes
    }

    /// Whether all are on one channel.
    pub fn share_a_channel(&self) -> bool {
        self.kinds.windows(2).all(|pair| pair[0].channel == pair[1].channel)
    }

    /// The other ports of the wire that `station` is a port of; none if it is a radio.
    pub fn wired_to(&self, station: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        let kind = self.kind(station);
        let all = if self.is_wire_kind(kind) { &self.all[..] } else { &[] };
        let ports = (0..).map(NodeId).zip(all);
        let others = ports.filter(move |&(other, &(_, own))| own == kind && other != station);
        others.map(|(other, _)| other)
    }

    /// The kind that the scenario calls `name`.
    pub fn named(&self, name: &str) -> Option<Interface> {
        let place = self.kinds.iter().position(|kind| kind.name == name)?;
        Some(Interface(place as u8))
    }

    /// The channel of `station`; 0 without kinds.
    pub fn channel(&self, station: NodeId) -> u32 {
        self.kinds.get(usize::from(self.kind(station).0)).map_or(0, |kind| kind.channel)
    }

    /// The channels of the kinds of radio.
    pub fn channels(&self) -> impl Iterator<Item = u32> {
        self.radios().map(|kind| kind.channel)
    }

    /// What the scenario calls the interface that `station` is; nothing without kinds.
    pub fn name(&self, station: NodeId) -> &str {
        self.kinds.get(usize::from(self.kind(station).0)).map_or("", |kind| &kind.name)
    }

    /// The node that `station` belongs to; the broadcast address is that of all.
    #[inline]
    pub fn node(&self, station: NodeId) -> NodeId {
        if station.index() < self.nodes { station } else { self.other_node(station) }
    }

    #[inline(never)]
    fn other_node(&self, station: NodeId) -> NodeId {
        self.all.get(station.index()).map_or(station, |&(node, _)| node)
    }

    /// The kind of `station`.
    pub fn kind(&self, station: NodeId) -> Interface {
        self.all.get(station.index()).map_or(Interface::default(), |&(_, kind)| kind)
    }

    /// A station of this kind, if there is one.
    pub fn any_of_kind(&self, kind: Interface) -> Option<NodeId> {
        if self.all.is_empty() {
            return (self.nodes > 0).then_some(NodeId(0));
        }
        let place = self.all.iter().position(|&(_, other)| other == kind)?;
        Some(NodeId(place as u32))
    }

    /// The station of `node` of this kind; its first if there is none.
    #[inline]
    pub fn of(&self, node: NodeId, kind: Interface) -> NodeId {
        match self.of_nodes.get(node.index()) {
            None => node,
            Some(own) => own.iter().find(|&&(other, _)| other == kind).map_or(node, |own| own.1),
        }
    }

    /// The stations of `node`.
    pub fn all_of(&self, node: NodeId) -> impl Iterator<Item = NodeId> {
        let own = self.of_nodes.get(node.index()).map_or(&[][..], Vec::as_slice);
        let only = own.is_empty().then_some(node);
        only.into_iter().chain(own.iter().map(|&(_, station)| station))
    }

    /// The station of `node` on the channel of `station`.
    #[inline]
    pub fn peer(&self, station: NodeId, node: NodeId) -> Option<NodeId> {
        if self.all.is_empty() { Some(node) } else { self.on_channel(self.kind(station), node) }
    }

    /// The station on the channel of `station` of the node that has the address `to`, which is
    /// itself where nodes have one each.
    #[inline]
    pub fn reached(&self, station: NodeId, to: NodeId) -> Option<NodeId> {
        if self.all.is_empty() { Some(to) } else { self.peer(station, self.node(to)) }
    }

    /// The station of `node` on the channel of kind `kind`.
    #[inline(never)]
    pub fn on_channel(&self, kind: Interface, node: NodeId) -> Option<NodeId> {
        if node.is_broadcast() {
            return Some(node);
        }
        let channel =
            |kind: Interface| self.kinds.get(usize::from(kind.0)).map(|kind| kind.channel);
        let mut own = self.of_nodes.get(node.index())?.iter();
        own.find(|&&(other, _)| channel(other) == channel(kind)).map(|&(_, station)| station)
    }

    /// Whether `node` has a station of this kind.
    pub fn has(&self, node: NodeId, kind: Interface) -> bool {
        let own = self.of_nodes.get(node.index());
        own.is_some_and(|own| own.iter().any(|&(other, _)| other == kind))
    }

    /// The kind of the first station of `a` that has one of `b` on its channel: of a wire if there
    /// is one, as radios may be out of reach; those of cells are no part of the mesh.
    pub fn shared(&self, a: NodeId, b: NodeId) -> Option<Interface> {
        let common = |is_wire: bool| {
            let mut own =
                self.all_of(a).filter(|&one| !self.is_in_cell(one) && self.is_wire(one) == is_wire);
            own.find(|&station| self.peer(station, b).is_some()).map(|one| self.kind(one))
        };
        common(true).or_else(|| common(false))
    }

    /// Whether `a` and `b` have radios on one channel.
    pub fn meet(&self, a: NodeId, b: NodeId) -> bool {
        let mut radios = self.all_of(a).filter(|&station| !self.is_wire(station));
        radios.any(|station| self.peer(station, b).is_some())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Node 0 and 1 have a and b, node 2 has b alone, on channels 1 and 6.
    fn three() -> StationLayout {
        let kinds = [("a".to_owned(), 1, Some(vec![0, 1])), ("b".to_owned(), 6, None)];
        StationLayout::of_kinds(3, &kinds).unwrap()
    }

    const A: Interface = Interface(0);
    const B: Interface = Interface(1);

    #[test]
    fn a_nodes_first_station_has_its_number_and_the_others_follow_those_of_all_nodes() {
        let stations = three();
        assert_eq!((stations.count(), stations.are_several()), (5, true));
        let of = |node: u32| stations.all_of(NodeId(node)).map(|s| s.0).collect::<Vec<_>>();
        assert_eq!([of(0), of(1), of(2)], [vec![0, 3], vec![1, 4], vec![2]]);
        let nodes = (0..5).map(|station| stations.node(NodeId(station)).0);
        assert_eq!(nodes.collect::<Vec<_>>(), [0, 1, 2, 0, 1]);
        assert_eq!([2, 3].map(|station| stations.kind(NodeId(station))), [B, B]);
        assert_eq!(stations.node(NodeId::BROADCAST), NodeId::BROADCAST);
        assert_eq!([stations.named("b"), stations.named("c")], [Some(B), None]);
    }

    #[test]
    fn a_peer_is_the_station_on_the_same_channel() {
        let stations = three();
        let peer = |station, node| stations.peer(NodeId(station), NodeId(node)).map(|s| s.0);
        assert_eq!([peer(0, 1), peer(3, 1), peer(3, 2)], [Some(1), Some(4), Some(2)]);
        assert_eq!(peer(0, 2), None, "node 2 is not on channel 1");
        assert_eq!(stations.peer(NodeId(3), NodeId::BROADCAST), Some(NodeId::BROADCAST));
        let shared = |a, b| stations.shared(NodeId(a), NodeId(b));
        assert_eq!([shared(0, 1), shared(0, 2)], [Some(A), Some(B)]);
        assert_eq!([stations.of(NodeId(1), A), stations.of(NodeId(1), B)].map(|s| s.0), [1, 4]);
        let alike = StationLayout::alike(3);
        assert_eq!(alike.peer(NodeId(0), NodeId(2)), Some(NodeId(2)));
        assert_eq!((alike.count(), alike.are_several()), (3, false));
    }

    #[test]
    fn two_stations_of_a_node_on_one_channel_and_a_node_without_any_are_wrong() {
        let of = |kinds: &[(String, u32, Option<Vec<u32>>)]| StationLayout::of_kinds(2, kinds);
        let same = [("a".to_owned(), 1, None), ("b".to_owned(), 1, Some(vec![1]))];
        assert_eq!(of(&same).unwrap_err().0, Some(1));
        assert_eq!(of(&[("a".to_owned(), 1, Some(vec![1]))]).unwrap_err().0, None);
    }
}
