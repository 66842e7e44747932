//! Neighbours in a static network: for each node those within sensing range, nearest first.

use std::collections::BTreeMap;

use super::cuts::Cuts;
use super::grid::Grid;
use super::position::Position;
use super::propagation::{PathLoss, SPEED_OF_LIGHT_MPS};
use super::stations::StationLayout;
use crate::kernel::Duration;
use crate::wire::NodeId;

/// A node within sensing range of another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Neighbour {
    /// The node.
    pub node: NodeId,
    /// Propagation delay \[ns\], rounded up so that a signal relayed by a third node is never ahead
    /// of the direct one.
    delay_ns: u32,
    /// Power \[W\] of a signal between the two.
    pub power_w: f64,
}

/// 2^52: of a number added to it, up to as much, the whole part is the low bits.
const EXPONENT_OF_WHOLE: f64 = 4_503_599_627_370_496.0;

impl Neighbour {
    /// The neighbour `node` at this distance.
    pub(super) fn new(node: NodeId, distance_m: f64, path_loss: &PathLoss) -> Neighbour {
        Neighbour::at(node, distance_m, path_loss.received_w(distance_m))
    }

    /// Appends neighbours at their distances \[m\] to `list`. The model is chosen once for them
    /// all: with moving nodes this runs for every transmission.
    // Not inlined: the loop needs all the registers.
    #[inline(never)]
    pub(super) fn extend(
        list: &mut Vec<Neighbour>,
        found: impl Iterator<Item = (NodeId, f64)>,
        path_loss: &PathLoss,
    ) {
        // By value, so that the compiler keeps the model's parameters in registers.
        match *path_loss {
            PathLoss::TwoRayGround(model) => {
                list.extend(found.map(|(node, d)| Neighbour::at(node, d, model.received_w(d))));
            }
            PathLoss::FreeSpace(model) => {
                list.extend(found.map(|(node, d)| Neighbour::at(node, d, model.received_w(d))));
            }
            PathLoss::LogDistance(model) => {
                list.extend(found.map(|(node, d)| Neighbour::at(node, d, model.received_w(d))));
            }
        }
    }

    #[inline]
    fn at(node: NodeId, distance_m: f64, power_w: f64) -> Neighbour {
        let delay_ns = distance_m / SPEED_OF_LIGHT_MPS * 1e9;
        // `ceil` would be a call into the maths library, and conversion takes twice as many
        // instructions: beside 2^52 only whole numbers are left, as the low bits.
        let shifted = delay_ns + EXPONENT_OF_WHOLE;
        let nearest_ns = shifted - EXPONENT_OF_WHOLE;
        let delay_ns = shifted.to_bits() as u32 + u32::from(nearest_ns < delay_ns);
        Neighbour { node, delay_ns, power_w }
    }

    /// The same with this power \[W\].
    #[inline]
    pub fn with_power(&self, power_w: f64) -> Neighbour {
        Neighbour { power_w, ..*self }
    }

    /// The same for the station or node `node`.
    pub(super) fn as_node(&self, node: NodeId) -> Neighbour {
        Neighbour { node, ..*self }
    }

    /// Propagation delay.
    pub fn delay(&self) -> Duration {
        Duration::from_nanos(u64::from(self.delay_ns))
    }
}

/// Relative tolerance of a range, so that a node placed exactly at the range is within it however
/// its coordinates round.
const ROUNDING: f64 = 1e-9;

/// How far signals reach.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reach {
    /// A frame from within this distance can be decoded \[m\].
    pub receive_m: f64,
    /// A frame from within this distance makes the medium busy \[m\].
    pub sense_m: f64,
}

impl Reach {
    /// The reach with that tolerance added.
    pub(super) fn rounded_up(self) -> Reach {
        let [receive_m, sense_m] = [self.receive_m, self.sense_m].map(|m| m * (1.0 + ROUNDING));
        Reach { receive_m, sense_m }
    }
}

/// The neighbours of every node, in one array.
#[derive(Clone, Debug)]
pub struct Neighbours {
    all: Vec<Neighbour>,
    ranges: Vec<Range>,
}

#[derive(Clone, Copy, Debug)]
struct Range {
    start: u32,
    decoding_end: u32,
    end: u32,
}

impl Neighbours {
    /// Neighbours of static nodes at `positions`, found through a grid of cells as wide as the
    /// sensing range.
    pub fn of_static(positions: &[Position], reach: Reach, path_loss: &PathLoss) -> Neighbours {
        Neighbours::within(positions, reach.rounded_up(), path_loss)
    }

    /// As [`Neighbours::of_static`], without the tolerance.
    pub(super) fn within(positions: &[Position], reach: Reach, path_loss: &PathLoss) -> Neighbours {
        let mut grid = Grid::default();
        grid.fill(positions, reach.sense_m);
        let mut all: Vec<Neighbour> = Vec::new();
        let mut found: Vec<(f64, u32)> = Vec::new();
        let ranges = (0..positions.len())
            .map(|i| {
                near(positions, &grid, i, reach.sense_m, &mut found);
                let start = all.len() as u32;
                let decoding = found.partition_point(|&(d, _)| d <= reach.receive_m) as u32;
                let found = found.iter().map(|&(distance_m, j)| (NodeId(j), distance_m));
                Neighbour::extend(&mut all, found, path_loss);
                Range { start, decoding_end: start + decoding, end: all.len() as u32 }
            })
            .collect();
        Neighbours { all, ranges }
    }

    /// How many neighbours a node has on average, from `nodes` of them taken evenly from all, or
    /// fewer where they have more than `most` already. Second, how many were looked at.
    pub fn mean_count(
        positions: &[Position],
        reach: Reach,
        nodes: usize,
        most: usize,
    ) -> (f64, usize) {
        let sense_m = reach.rounded_up().sense_m;
        let mut grid = Grid::default();
        grid.fill(positions, sense_m);
        let mut found = Vec::new();
        let (mut sum, mut looked_at) = (0, 0);
        for i in (0..nodes).map(|i| i * positions.len() / nodes) {
            near(positions, &grid, i, sense_m, &mut found);
            sum += found.len();
            looked_at += 1;
            if sum > most {
                break;
            }
        }
        (sum as f64 / looked_at as f64, looked_at)
    }

    /// Neighbours as given, whatever the positions. `links` join nodes that decode each other, as
    /// if `reach.receive_m` apart; `sensed` join nodes that only sense each other, as if
    /// `reach.sense_m` apart.
    pub fn of_links(
        nodes: usize,
        links: &[(u32, u32)],
        sensed: &[(u32, u32)],
        reach: Reach,
        path_loss: &PathLoss,
    ) -> Neighbours {
        let both_ways = |pairs: &[(u32, u32)]| {
            let mut found = vec![Vec::new(); nodes];
            for &(a, b) in pairs {
                found[a as usize].push(b);
                found[b as usize].push(a);
            }
            for list in &mut found {
                list.sort_unstable();
                list.dedup();
            }
            found
        };
        let mut all = Vec::new();
        let ranges = std::iter::zip(both_ways(links), both_ways(sensed))
            .map(|(near, far)| {
                let start = all.len() as u32;
                let decoding_end = start + near.len() as u32;
                let at =
                    |distance_m| move |j: &u32| Neighbour::new(NodeId(*j), distance_m, path_loss);
                all.extend(near.iter().map(at(reach.receive_m)));
                all.extend(far.iter().filter(|j| !near.contains(j)).map(at(reach.sense_m)));
                Range { start, decoding_end, end: all.len() as u32 }
            })
            .collect();
        Neighbours { all, ranges }
    }

    /// Neighbours by measured gains \[dB\] of links from a node to another; those of the way back
    /// are the same unless listed too. Those from `decoded_w` on decode each other and come first;
    /// links below `weakest_w` are left out.
    pub fn of_gains(
        positions: &[Position],
        gains_db: &[(u32, u32, f64)],
        transmit_power_w: f64,
        decoded_w: f64,
        weakest_w: f64,
    ) -> Neighbours {
        let mut links = BTreeMap::new();
        for &(from, to, gain_db) in gains_db {
            links.insert((from, to), gain_db);
        }
        for &(from, to, gain_db) in gains_db {
            links.entry((to, from)).or_insert(gain_db);
        }
        let mut all = Vec::new();
        let ranges = (0..positions.len() as u32)
            .map(|node| {
                let start = all.len() as u32;
                let mut found: Vec<Neighbour> = links
                    .range((node, 0)..=(node, u32::MAX))
                    .map(|(&(_, other), gain_db)| {
                        let (here, there) = (&positions[node as usize], &positions[other as usize]);
                        let power_w = transmit_power_w * libm::pow(10.0, gain_db / 10.0);
                        Neighbour::at(NodeId(other), here.distance_m(there), power_w)
                    })
                    .filter(|other| other.power_w >= weakest_w)
                    .collect();
                found.sort_by_key(|other| (other.power_w < decoded_w, other.delay_ns, other.node));
                let near = found.iter().filter(|other| other.power_w >= decoded_w).count();
                all.extend(found);
                Range { start, decoding_end: start + near as u32, end: all.len() as u32 }
            })
            .collect();
        Neighbours { all, ranges }
    }

    /// The same with the power of each pair multiplied by `factor`. Those from `decoded_w` on
    /// decode each other and come first; pairs below `weakest_w` are left out.
    pub fn with_factors(
        &self,
        factor: impl Fn(NodeId, NodeId) -> f64,
        decoded_w: f64,
        weakest_w: f64,
    ) -> Neighbours {
        let mut all = Vec::with_capacity(self.all.len());
        let ranges = (0..self.ranges.len() as u32)
            .map(|node| {
                let start = all.len() as u32;
                let with_factor = |other: &Neighbour| {
                    other.with_power(other.power_w * factor(NodeId(node), other.node))
                };
                let found = self.sensing(NodeId(node)).iter().map(with_factor);
                let (near, far): (Vec<_>, Vec<_>) = found
                    .filter(|other| other.power_w >= weakest_w)
                    .partition(|other| other.power_w >= decoded_w);
                let decoding_end = start + near.len() as u32;
                all.extend(near.into_iter().chain(far));
                Range { start, decoding_end, end: all.len() as u32 }
            })
            .collect();
        Neighbours { all, ranges }
    }

    /// The same without pairs between which no signal passes.
    pub fn without(&self, cuts: &Cuts) -> Neighbours {
        self.among(|a, b| cuts.passes(a, b))
    }

    /// The same of pairs for which `passes` holds.
    pub fn among(&self, passes: impl Fn(NodeId, NodeId) -> bool) -> Neighbours {
        let mut all = Vec::with_capacity(self.all.len());
        let ranges = (0..self.ranges.len() as u32)
            .map(|node| {
                let node = NodeId(node);
                let passes = |other: &&Neighbour| passes(node, other.node);
                let start = all.len() as u32;
                let decoding = self.decoding(node).iter().filter(passes).count() as u32;
                all.extend(self.sensing(node).iter().filter(passes).copied());
                Range { start, decoding_end: start + decoding, end: all.len() as u32 }
            })
            .collect();
        Neighbours { all, ranges }
    }

    /// The same of the nodes' `stations`: those on one channel hear each other as their nodes
    /// would.
    pub fn of_stations(&self, stations: &StationLayout) -> Neighbours {
        let mut all = Vec::with_capacity(self.all.len());
        let ranges = (0..stations.count() as u32)
            .map(|station| {
                let (station, node) = (NodeId(station), stations.node(NodeId(station)));
                let on_channel = |other: &Neighbour| {
                    let peer = stations.peer(station, other.node)?;
                    Some(Neighbour { node: peer, ..*other })
                };
                let start = all.len() as u32;
                all.extend(self.decoding(node).iter().filter_map(on_channel));
                let decoding_end = all.len() as u32;
                let far = &self.sensing(node)[self.decoding(node).len()..];
                all.extend(far.iter().filter_map(on_channel));
                Range { start, decoding_end, end: all.len() as u32 }
            })
            .collect();
        Neighbours { all, ranges }
    }

    /// The same, and each node beside those that `others` says wires join it to: near and strong.
    pub fn joined(&self, others: impl Fn(NodeId) -> Vec<u32>) -> Neighbours {
        let of_node = |node: u32| {
            let node = NodeId(node);
            let decoding = self.decoding(node).len();
            let heard = self.sensing(node).iter().enumerate();
            let mut list: Vec<_> = heard.map(|(place, other)| (*other, place < decoding)).collect();
            for other in others(node).into_iter().map(NodeId) {
                match list.iter_mut().find(|(known, _)| known.node == other) {
                    Some((_, decodes)) => *decodes = true,
                    None => list.push((Neighbour { node: other, delay_ns: 0, power_w: 1.0 }, true)),
                }
            }
            list
        };
        Neighbours::of_lists((0..self.ranges.len() as u32).map(of_node))
    }

    /// Neighbours by a list for each node of those that sense it, and which of them decode it;
    /// these come first.
    pub(super) fn of_lists(lists: impl Iterator<Item = Vec<(Neighbour, bool)>>) -> Neighbours {
        let mut all = Vec::new();
        let ranges = lists
            .map(|list| {
                let start = all.len() as u32;
                let of = |wanted| {
                    let is_wanted = move |item: &&(Neighbour, bool)| item.1 == wanted;
                    list.iter().filter(is_wanted).map(|(neighbour, _)| *neighbour)
                };
                all.extend(of(true));
                let decoding_end = all.len() as u32;
                all.extend(of(false));
                Range { start, decoding_end, end: all.len() as u32 }
            })
            .collect();
        Neighbours { all, ranges }
    }

    /// How many nodes there are.
    pub fn nodes(&self) -> usize {
        self.ranges.len()
    }

    /// The nodes that sense a transmission of `node`, nearest first.
    pub fn sensing(&self, node: NodeId) -> &[Neighbour] {
        let range = self.ranges[node.index()];
        &self.all[range.start as usize..range.end as usize]
    }

    /// The nodes that can decode a transmission of `node`: a prefix of [`Neighbours::sensing`].
    pub fn decoding(&self, node: NodeId) -> &[Neighbour] {
        let range = self.ranges[node.index()];
        &self.all[range.start as usize..range.decoding_end as usize]
    }

    /// The nodes that can decode a transmission of `node`, and those that only sense it.
    pub fn near_and_far(&self, node: NodeId) -> (&[Neighbour], &[Neighbour]) {
        let range = self.ranges[node.index()];
        let sensing = &self.all[range.start as usize..range.end as usize];
        sensing.split_at((range.decoding_end - range.start) as usize)
    }

    /// The nodes that `node` has a link with: each can decode the other, as exchanges of data and
    /// acknowledgment need. Nearest first.
    pub fn linked(&self, node: NodeId) -> impl Iterator<Item = NodeId> {
        let hearers = self.decoding(node).iter().map(|hearer| hearer.node);
        hearers.filter(move |&hearer| self.decoding(hearer).iter().any(|back| back.node == node))
    }
}

/// Finds the nodes within `sense_m` of node `i`: distance and node, nearest first.
fn near(positions: &[Position], grid: &Grid, i: usize, sense_m: f64, found: &mut Vec<(f64, u32)>) {
    let here = &positions[i];
    found.clear();
    grid.for_each_near(here, |j| {
        let distance_m = here.distance_m(&positions[j as usize]);
        if j as usize != i && distance_m <= sense_m {
            found.push((distance_m, j));
        }
    });
    found.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::radio::{LogDistance, RadioConfig};
    use proptest::prelude::*;

    const REACH: Reach = Reach { receive_m: 250.0, sense_m: 550.0 };

    fn path_loss() -> PathLoss {
        RadioConfig::default().path_loss()
    }

    #[test]
    fn exactly_the_range_is_in_range() {
        // 0.1 + 250 and 0.1 + 550 are not 250 and 550 from 0.1 in doubles.
        let at = |x_m: f64| Position { x_m: x_m + 0.1, y_m: 0.0 };
        let positions = [at(0.0), at(250.0), at(550.0), at(550.1)];
        let neighbours = Neighbours::of_static(&positions, REACH, &path_loss());
        let nodes = |list: &[Neighbour]| list.iter().map(|n| n.node.0).collect::<Vec<_>>();
        assert_eq!(nodes(neighbours.decoding(NodeId(0))), [1]);
        assert_eq!(nodes(neighbours.sensing(NodeId(0))), [1, 2]);
        assert_eq!(neighbours.sensing(NodeId(0))[0].delay(), Duration::from_nanos(834));
    }

    #[test]
    fn given_links_are_symmetric_and_the_only_ones() {
        let reach = Reach { receive_m: 200.0, sense_m: 400.0 };
        let neighbours =
            Neighbours::of_links(4, &[(2, 0), (0, 1)], &[(0, 3), (1, 0)], reach, &path_loss());
        let nodes = |list: &[Neighbour]| list.iter().map(|n| n.node.0).collect::<Vec<_>>();
        let of = |i| (nodes(neighbours.decoding(NodeId(i))), nodes(neighbours.sensing(NodeId(i))));
        assert_eq!(of(0), (vec![1, 2], vec![1, 2, 3]), "a link that is also sensed counts once");
        assert_eq!(of(1), (vec![0], vec![0]));
        assert_eq!(of(3), (vec![], vec![0]));
        assert_eq!(
            neighbours.sensing(NodeId(3))[0],
            Neighbour::new(NodeId(0), 400.0, &path_loss())
        );
    }

    #[test]
    fn measured_gains_decide_who_hears_whom() {
        let at = |x_m: f64| Position { x_m, y_m: 0.0 };
        let positions = [at(0.0), at(10.0), at(20.0), at(30.0)];
        let gains = [(0, 1, -90.0), (0, 2, -70.0), (2, 0, -80.0), (3, 0, -110.0)];
        // 1 W; decoded from 1e-8 W on, heard from 1e-10 W on.
        let neighbours = Neighbours::of_gains(&positions, &gains, 1.0, 1e-8, 1e-10);
        let of = |node| -> Vec<(u32, f64)> {
            let list = neighbours.sensing(NodeId(node)).iter();
            list.map(|other| (other.node.0, (10.0 * other.power_w.log10()).round())).collect()
        };
        assert_eq!(of(0), [(2, -70.0), (1, -90.0)]);
        assert_eq!(neighbours.decoding(NodeId(0)).len(), 1);
        assert_eq!(of(1), [(0, -90.0)], "the way back");
        assert_eq!(of(2), [(0, -80.0)], "the way back has a gain of its own");
        assert_eq!(of(3), [], "too weak to count");
    }

    #[test]
    fn factors_of_power_decide_who_decodes_whom() {
        let at = |x_m: f64| Position { x_m, y_m: 0.0 };
        let positions = [at(0.0), at(200.0), at(300.0)];
        let plain = Neighbours::of_static(&positions, REACH, &path_loss());
        let factor = |a: NodeId, b: NodeId| match (a.0.min(b.0), a.0.max(b.0)) {
            (0, 1) => 1e-2,
            (0, 2) => 10.0,
            _ => 1.0,
        };
        let decoded_w = path_loss().received_w(250.0);
        let neighbours = plain.with_factors(factor, decoded_w, 1e-12);
        let nodes = |list: &[Neighbour]| list.iter().map(|n| n.node.0).collect::<Vec<_>>();
        assert_eq!(nodes(neighbours.decoding(NodeId(0))), [2]);
        assert_eq!(nodes(neighbours.sensing(NodeId(0))), [2, 1]);
        assert_eq!(nodes(neighbours.decoding(NodeId(1))), [2]);
        assert_eq!(nodes(plain.with_factors(factor, decoded_w, 1e-11).sensing(NodeId(1))), [2]);
    }

    proptest! {
        #[test]
        fn the_grid_finds_what_comparing_all_pairs_finds(
            points in prop::collection::vec((-3000.0..3000.0f64, -900.0..900.0f64), 1..60),
            stretch in 0.01..100.0f64,
        ) {
            let positions: Vec<Position> =
                points.iter().map(|&(x_m, y_m)| Position { x_m: x_m * stretch, y_m }).collect();
            let neighbours = Neighbours::of_static(&positions, REACH, &path_loss());
            for (i, here) in positions.iter().enumerate() {
                let node = NodeId(i as u32);
                let mut found: Vec<u32> = neighbours.sensing(node).iter().map(|n| n.node.0).collect();
                found.sort_unstable();
                let expected: Vec<u32> = (0..positions.len() as u32)
                    .filter(|&j| j != node.0 && here.distance_m(&positions[j as usize]) <= 550.0)
                    .collect();
                prop_assert_eq!(found, expected);
                let decoding = neighbours.decoding(node).len();
                for (k, n) in neighbours.sensing(node).iter().enumerate() {
                    prop_assert_eq!(here.distance_m(&positions[n.node.index()]) <= 250.0, k < decoding);
                }
            }
        }

        #[test]
        fn in_sensing_range_is_at_or_above_the_power_at_that_range(
            points in prop::collection::vec((-900.0..900.0f64, -900.0..900.0f64), 2..30),
            exponent in 1.0..10.0f64,
        ) {
            let positions: Vec<Position> =
                points.iter().map(|&(x_m, y_m)| Position { x_m, y_m }).collect();
            let log_distance = PathLoss::LogDistance(LogDistance::new(0.1, 2.4e9, exponent));
            for model in [path_loss(), log_distance] {
                let threshold_w = model.received_w(REACH.rounded_up().sense_m);
                let neighbours = Neighbours::of_static(&positions, REACH, &model);
                for (i, here) in positions.iter().enumerate() {
                    let sensed = neighbours.sensing(NodeId(i as u32));
                    let powers = positions.iter().map(|there| model.received_w(here.distance_m(there)));
                    let strong = powers.filter(|&power_w| power_w >= threshold_w).count();
                    prop_assert_eq!(sensed.len(), strong - 1);
                    prop_assert!(sensed.iter().all(|other| other.power_w >= threshold_w));
                }
            }
        }

        #[test]
        fn a_detour_is_never_faster(a in 0.0..500.0f64, b in 0.0..500.0f64) {
            let at = |x_m| Position { x_m, y_m: 0.0 };
            let wide = Reach { receive_m: 2000.0, sense_m: 2000.0 };
            let neighbours = Neighbours::of_static(&[at(0.0), at(a), at(a + b)], wide, &path_loss());
            let delay = |i: u32, j: u32| {
                neighbours.sensing(NodeId(i)).iter().find(|n| n.node.0 == j).unwrap().delay()
            };
            prop_assert!(delay(0, 1) + delay(1, 2) >= delay(0, 2));
        }
    }
}
