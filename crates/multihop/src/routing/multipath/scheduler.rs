//! The packet-scheduling layer: which path takes the next packet (Ye, Krishnamurthy and Tripathi,
//! section III-B).
//!
//! Equations (1) to (3): the number of packets of a path in its turn is W = min(RTT_max / RTT, U) *
//! R, rounded down, where RTT_max is the longest round-trip time.

use smallvec::SmallVec;

use super::path::Path;
use crate::kernel::Duration;
use crate::wire::RouteId;

/// U and R of equation (3).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Weights {
    /// U: upper bound of RTT_max / RTT.
    pub bound: f64,
    /// R: packets of the slowest path in its turn.
    pub factor: f64,
}

impl Weights {
    /// Packets of each path in its turn, given the round-trip times. A path not measured yet counts
    /// as the slowest.
    pub fn packets(&self, rtts: &[Option<Duration>]) -> SmallVec<[u32; 3]> {
        let longest = rtts.iter().flatten().max().map_or(0.0, |rtt| rtt.as_nanos() as f64);
        let weight = |rtt: &Option<Duration>| {
            let weight = match rtt {
                // Multiplied first, so that whole weights stay whole.
                Some(rtt) if rtt.as_nanos() > 0 => longest * self.factor / rtt.as_nanos() as f64,
                _ => self.factor,
            };
            weight.min(self.bound * self.factor).max(1.0) as u32
        };
        rtts.iter().map(weight).collect()
    }
}

/// Whose turn it is among the paths to one destination.
#[derive(Clone, Copy, Debug, Default)]
pub struct Turn {
    path: Option<RouteId>,
    place: usize,
    left: u32,
}

impl Turn {
    /// The index in `paths`, shortest first, of the path for the next packet. Paths take turns; the
    /// number of packets of a turn is computed when it starts. None if there is no path.
    pub fn next(&mut self, paths: &[Path], weights: &Weights) -> Option<usize> {
        let current = paths.iter().position(|path| Some(path.id) == self.path);
        let place = match current {
            Some(place) if self.left > 0 => place,
            // A removed path leaves its index to the next one.
            _ => current.map_or(self.place, |place| place + 1).checked_rem(paths.len())?,
        };
        if current != Some(place) || self.left == 0 {
            let rtts: SmallVec<[_; 3]> = paths.iter().map(|path| path.rtt).collect();
            self.left = weights.packets(&rtts)[place];
        }
        (self.path, self.place) = (Some(paths[place].id), place);
        self.left -= 1;
        Some(place)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::{DiscoveryId, NodeId};

    const PAPER: Weights = Weights { bound: 5.0, factor: 1.0 };

    fn packets(weights: Weights, millis: &[u64]) -> Vec<u32> {
        let rtts: Vec<_> = millis.iter().map(|&ms| Some(Duration::from_millis(ms))).collect();
        weights.packets(&rtts).to_vec()
    }

    fn path(number: u32, millis: Option<u64>) -> Path {
        let discovery = DiscoveryId { originator: NodeId(0), request: 1 };
        let mut path = Path::new(RouteId::new(discovery, number), NodeId(number), 4);
        path.rtt = millis.map(Duration::from_millis);
        path
    }

    fn sequence(turn: &mut Turn, paths: &[Path], count: usize) -> Vec<usize> {
        (0..count).map(|_| turn.next(paths, &PAPER).expect("a path")).collect()
    }

    #[test]
    fn a_weight_is_the_longest_rtt_by_its_own() {
        assert_eq!(packets(PAPER, &[100, 200, 400]), [4, 2, 1]);
    }

    #[test]
    fn weights_are_bounded_and_rounded_down() {
        assert_eq!(packets(PAPER, &[50, 150, 400]), [5, 2, 1]);
        assert_eq!(packets(Weights { factor: 3.0, ..PAPER }, &[50, 150, 400]), [15, 8, 3]);
    }

    #[test]
    fn a_path_without_rtt_counts_as_the_slowest() {
        let rtts = [None, Some(Duration::from_millis(100)), Some(Duration::from_millis(300))];
        assert_eq!(PAPER.packets(&rtts).to_vec(), [1, 3, 1]);
        assert_eq!(PAPER.packets(&[None, None]).to_vec(), [1, 1]);
    }

    #[test]
    fn paths_take_turns_shortest_first() {
        let paths = [path(1, Some(100)), path(2, Some(200)), path(3, Some(400))];
        let mut turn = Turn::default();
        assert_eq!(sequence(&mut turn, &paths, 9), [0, 0, 0, 0, 1, 1, 2, 0, 0]);
    }

    #[test]
    fn weights_are_those_of_the_moment_a_turn_begins() {
        let mut paths = [path(1, Some(100)), path(2, Some(400))];
        let mut turn = Turn::default();
        assert_eq!(sequence(&mut turn, &paths, 1), [0]);
        paths[0].rtt = Some(Duration::from_millis(400));
        assert_eq!(sequence(&mut turn, &paths, 6), [0, 0, 0, 1, 0, 1]);
    }

    #[test]
    fn a_path_that_is_gone_leaves_its_turn_to_the_next() {
        let paths = [path(1, None), path(2, None), path(3, None)];
        let mut turn = Turn::default();
        assert_eq!(sequence(&mut turn, &paths, 2), [0, 1]);
        assert_eq!(sequence(&mut turn, &[path(1, None), path(3, None)], 3), [1, 0, 1]);
        assert_eq!(turn.next(&[], &PAPER), None);
    }
}
