//! Who hears whom where kinds of station have a power, a frequency or an antenna of their own.

use std::collections::BTreeMap;

use smallvec::SmallVec;

use super::antenna::{Aim, Antenna};
use super::leakage::Leakage;
use super::neighbours::{Neighbour, Neighbours, Reach};
use super::position::Position;
use super::propagation::PathLoss;
use super::stations::StationLayout;
use crate::config::Decibels;
use crate::wire::NodeId;

/// What the stations of a kind send and receive with.
#[derive(Clone, Debug, PartialEq)]
pub struct Equipment {
    /// How the power that they send falls with distance, between isotropic antennas.
    pub path_loss: PathLoss,
    /// The weakest signal that they decode \[W\].
    pub decoded_w: f64,
    /// The weakest signal that counts \[W\].
    pub sensed_w: f64,
    /// Their antenna.
    pub antenna: Antenna,
}

/// Relative tolerance of a power, so that a node placed exactly at a range is within it.
const ROUNDING: f64 = 1e-8;

impl Neighbours {
    /// Neighbours among the stations of `layout`, whose kinds have this `equipment` and which are
    /// aimed as `aims` says, by station: those on one channel or, if `leakage` is given, what of
    /// the others falls into it, which none decodes. `shadowing` is by what the power between two
    /// nodes is multiplied, `luck` the most of it that is reckoned with.
    pub fn of_equipment(
        positions: &[Position],
        layout: &StationLayout,
        equipment: &[Equipment],
        aims: &[Aim],
        leakage: Option<&Leakage>,
        (shadowing, luck): (impl Fn(NodeId, NodeId) -> f64, f64),
    ) -> Neighbours {
        let most = equipment.iter().map(|kind| kind.antenna.gain_dbi).fold(0.0, f64::max);
        let least_w = equipment.iter().map(|kind| kind.sensed_w).fold(f64::INFINITY, f64::min);
        let by_kind: Vec<Neighbours> = equipment
            .iter()
            .map(|kind| {
                let peaks = Decibels(kind.antenna.gain_dbi + most).ratio() * luck;
                let far_m = kind.path_loss.range_m(least_w / peaks);
                let reach = Reach { receive_m: far_m, sense_m: far_m };
                Neighbours::of_static(positions, reach, &kind.path_loss)
            })
            .collect();
        let kind_of = |station| usize::from(layout.kind(station).0);
        let gain_dbi = |from: NodeId, to: NodeId| {
            let [here, there] = [from, to].map(|station| &positions[layout.node(station).index()]);
            let antenna = &equipment[kind_of(from)].antenna;
            let height_m = aims[to.index()].height_m;
            aims[from.index()].gain_dbi(antenna, here, there, height_m)
        };
        let heard = |station: NodeId, other: &Neighbour, (peer, share): (NodeId, f64)| {
            let node = layout.node(station);
            let gains = Decibels(gain_dbi(station, peer) + gain_dbi(peer, station)).ratio();
            let power_w = other.power_w * gains * shadowing(node, other.node) * share;
            let receiver = &equipment[kind_of(peer)];
            let is_at_least = |level_w: f64| power_w >= level_w * (1.0 - ROUNDING);
            let heard = other.as_node(peer).with_power(power_w);
            let decodes = leakage.is_none() && is_at_least(receiver.decoded_w);
            is_at_least(receiver.sensed_w).then_some((heard, decodes))
        };
        let peers = |station: NodeId, node: NodeId| -> SmallVec<[(NodeId, f64); 4]> {
            match leakage {
                None => layout.peer(station, node).map(|peer| (peer, 1.0)).into_iter().collect(),
                Some(leakage) => leakage.at(layout, station, node).collect(),
            }
        };
        let stations = (0..layout.count() as u32).map(NodeId);
        Neighbours::of_lists(stations.map(|station| {
            // Ports of wires have no radio.
            let of_kind = by_kind.get(kind_of(station));
            let near = of_kind.map_or(&[][..], |kind| kind.sensing(layout.node(station)));
            let pairs = near.iter().flat_map(|other| {
                peers(station, other.node).into_iter().map(move |peer| (other, peer))
            });
            pairs.filter_map(|(other, peer)| heard(station, other, peer)).collect()
        }))
    }

    /// Neighbours among the nodes whose stations of `layout` have these: a node is heard as by the
    /// station that hears it best.
    pub fn of_nodes(&self, layout: &StationLayout) -> Neighbours {
        let of_node = |node: u32| {
            let mut best: BTreeMap<NodeId, (Neighbour, bool)> = BTreeMap::new();
            for station in layout.all_of(NodeId(node)) {
                let decoding = self.decoding(station).len();
                for (place, other) in self.sensing(station).iter().enumerate() {
                    let other = other.as_node(layout.node(other.node));
                    let (known, decodes) = best.entry(other.node).or_insert((other, false));
                    *known = known.with_power(known.power_w.max(other.power_w));
                    *decodes |= place < decoding;
                }
            }
            let mut best: Vec<_> = best.into_values().collect();
            best.sort_by_key(|(other, _)| (other.delay(), other.node));
            best
        };
        Neighbours::of_lists((0..layout.nodes() as u32).map(of_node))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::radio::FreeSpace;
    use crate::radio::antenna::{Dish, Pattern};

    fn at(x_m: f64, y_m: f64) -> Position {
        Position { x_m, y_m }
    }

    /// Thresholds of ranges of 100 m and 220 m between isotropic antennas at 100 mW.
    fn kind(power_w: f64, antenna: Antenna) -> Equipment {
        let usual = PathLoss::FreeSpace(FreeSpace::new(0.1, 5e9));
        Equipment {
            path_loss: PathLoss::FreeSpace(FreeSpace::new(power_w, 5e9)),
            decoded_w: usual.received_w(100.0),
            sensed_w: usual.received_w(220.0),
            antenna,
        }
    }

    fn alone(equipment: &[Equipment], positions: &[Position], aims: &[Aim]) -> Neighbours {
        let kinds: Vec<_> = (0..equipment.len())
            .map(|kind| (format!("kind {kind}"), 1, Some(vec![kind as u32])))
            .collect();
        let layout = match equipment {
            [_] => StationLayout::alike(positions.len()),
            _ => StationLayout::of_kinds(positions.len(), &kinds).unwrap(),
        };
        Neighbours::of_equipment(positions, &layout, equipment, aims, None, (|_, _| 1.0, 1.0))
    }

    fn nodes(list: &[Neighbour]) -> Vec<u32> {
        list.iter().map(|other| other.node.0).collect()
    }

    #[test]
    fn without_gain_it_is_as_by_ranges() {
        let positions = [at(0.0, 0.0), at(100.0, 0.0), at(220.0, 0.0), at(0.0, 220.1)];
        let found = alone(&[kind(0.1, Antenna::omni(0.0))], &positions, &[Aim::default(); 4]);
        let reach = Reach { receive_m: 100.0, sense_m: 220.0 };
        let path_loss = PathLoss::FreeSpace(FreeSpace::new(0.1, 5e9));
        let by_ranges = Neighbours::of_static(&positions, reach, &path_loss);
        for node in (0..4).map(NodeId) {
            assert_eq!(found.sensing(node), by_ranges.sensing(node));
            assert_eq!(found.decoding(node), by_ranges.decoding(node));
        }
    }

    #[test]
    fn six_decibels_are_twice_the_range_and_power_counts_one_way() {
        let positions = [at(0.0, 0.0), at(199.0, 0.0), at(201.0, 0.0)];
        // 3.01 dBi at both ends are 6.02 dB, a factor of 4: twice as far.
        let gain = 10.0 * 2f64.log10();
        let both = alone(&[kind(0.1, Antenna::omni(gain))], &positions, &[Aim::default(); 3]);
        assert_eq!(nodes(both.decoding(NodeId(0))), [1]);
        // Four times the power of node 0 alone.
        let kinds = [
            kind(0.4, Antenna::omni(0.0)),
            kind(0.1, Antenna::omni(0.0)),
            kind(0.1, Antenna::omni(0.0)),
        ];
        let one_way = alone(&kinds, &positions, &[Aim::default(); 3]);
        assert_eq!(nodes(one_way.decoding(NodeId(0))), [1]);
        assert_eq!(nodes(one_way.decoding(NodeId(1))), [2], "its own power reaches 100 m");
    }

    #[test]
    fn dishes_hear_each_other_and_not_what_is_beside_them() {
        let dish = Antenna { pattern: Pattern::Dish(Dish::with_gain(23.0)), gain_dbi: 23.0 };
        // 46 dB are a factor of 199.5 in range; node 2 is to the side of 0, node 1 faces 0.
        let positions = [at(0.0, 0.0), at(10_000.0, 0.0), at(0.0, 10_000.0)];
        let towards = |bearing_deg| Aim { bearing_deg, ..Aim::default() };
        let aims = [towards(90.0), towards(-90.0), towards(180.0)];
        let found = alone(&[kind(0.1, dish)], &positions, &aims);
        assert_eq!(nodes(found.decoding(NodeId(0))), [1]);
        assert_eq!(nodes(found.sensing(NodeId(0))), [1]);
        let gain_db = 10.0
            * (found.decoding(NodeId(0))[0].power_w
                / FreeSpace::new(0.1, 5e9).received_w(10_000.0))
            .log10();
        assert!((gain_db - 46.0).abs() < 1e-9, "{gain_db}");
    }

    #[test]
    fn a_node_hears_another_as_its_best_station_does() {
        let kinds = [("a".to_owned(), 1, None), ("b".to_owned(), 6, None)];
        let layout = StationLayout::of_kinds(2, &kinds).unwrap();
        let equipment = [kind(0.1, Antenna::omni(0.0)), kind(0.4, Antenna::omni(0.0))];
        let positions = [at(0.0, 0.0), at(150.0, 0.0)];
        let aims = [Aim::default(); 4];
        let stations = Neighbours::of_equipment(
            &positions,
            &layout,
            &equipment,
            &aims,
            None,
            (|_, _| 1.0, 1.0),
        );
        let decodes = |station| nodes(stations.decoding(NodeId(station)));
        assert_eq!([decodes(0), decodes(2)], [vec![], vec![3]]);
        let of_nodes = stations.of_nodes(&layout);
        assert_eq!(nodes(of_nodes.decoding(NodeId(0))), [1]);
        assert_eq!(of_nodes.sensing(NodeId(0)).len(), 1);
    }
}
