//! What stations on neighbouring channels hear of each other.

use super::neighbours::{Neighbour, Neighbours};
use super::stations::StationLayout;
use crate::wire::NodeId;

/// Which share of the power that stations of a kind send falls into the receivers of each kind on
/// another channel: by kind of sender, then of receiver; 0 where nothing counts.
#[derive(Clone, Debug, PartialEq)]
pub struct Leakage(pub Vec<Vec<f64>>);

impl Leakage {
    /// The stations of `node` into which some of what `station` sends falls, with the share.
    pub fn at<'a>(
        &'a self,
        layout: &'a StationLayout,
        station: NodeId,
        node: NodeId,
    ) -> impl Iterator<Item = (NodeId, f64)> + 'a {
        let shares = &self.0[usize::from(layout.kind(station).0)];
        let all = layout.all_of(node);
        all.map(|other| (other, shares[usize::from(layout.kind(other).0)]))
            .filter(|&(_, share)| share > 0.0)
    }
}

impl Neighbours {
    /// Among the stations of these nodes, what leaks from one channel to another: pairs of at least
    /// `weakest_w`. None of it can be decoded.
    pub fn leaking(&self, layout: &StationLayout, leakage: &Leakage, weakest_w: f64) -> Neighbours {
        let of_station = |station: NodeId| -> Vec<(Neighbour, bool)> {
            let nodes = self.sensing(layout.node(station)).iter();
            let pairs = nodes.flat_map(|other| {
                let shares = leakage.at(layout, station, other.node);
                shares.map(|(to, share)| other.as_node(to).with_power(other.power_w * share))
            });
            let strong = pairs.filter(|other| other.power_w >= weakest_w);
            strong.map(|other| (other, false)).collect()
        };
        Neighbours::of_lists((0..layout.count() as u32).map(NodeId).map(of_station))
    }
}
