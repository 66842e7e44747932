//! By which stations neighbours are reached, for protocols that know nodes by one address each (in
//! RFC 4728 a node with several interfaces has one home address).

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::Context;
use crate::wire::NodeId;

/// The stations by which neighbours were heard; nothing where nodes have one each.
#[derive(Debug, Default)]
pub struct HeardStations {
    /// Of each neighbour, the one in use first; whether it has failed since it was heard last.
    of: FxHashMap<NodeId, SmallVec<[(NodeId, bool); 2]>>,
}

impl HeardStations {
    /// The station `from` was heard. Returns whose it is.
    pub fn hear(&mut self, cx: &Context, from: NodeId) -> NodeId {
        let node = cx.stations.node(from);
        if cx.stations.are_several() {
            let ways = self.of.entry(node).or_default();
            match ways.iter_mut().find(|way| way.0 == from) {
                Some(way) => way.1 = false,
                None => ways.push((from, false)),
            }
        }
        node
    }

    /// The station that packets for `neighbour` go to: the one that was heard first and has not
    /// failed since; of one not heard the first on a channel in common.
    pub fn station(&self, cx: &Context, neighbour: NodeId) -> NodeId {
        if !cx.stations.are_several() || neighbour.is_broadcast() {
            return neighbour;
        }
        let heard = self.of.get(&neighbour).and_then(|ways| ways.first());
        let shared = || {
            let kind = cx.stations.shared(cx.node, neighbour)?;
            cx.stations.on_channel(kind, neighbour)
        };
        heard.map(|way| way.0).or_else(shared).unwrap_or(neighbour)
    }

    /// The link to `station` has failed. Returns another station of the same node that has not, to
    /// which packets go from now on.
    pub fn fail(&mut self, cx: &Context, station: NodeId) -> Option<NodeId> {
        let ways = self.of.get_mut(&cx.stations.node(station))?;
        ways.iter_mut().filter(|way| way.0 == station).for_each(|way| way.1 = true);
        let place = ways.iter().position(|way| !way.1)?;
        ways.rotate_left(place);
        Some(ways[0].0)
    }
}
