//! Neighbours of moving nodes: exact at the start of each transmission, without comparing all
//! pairs.
//!
//! From time to time all nodes are sorted into a grid. A sender's candidates are the nodes that
//! were within sensing range plus some slack of it then; until two nodes can have approached each
//! other by more than the slack, no other node can hear it. Each transmission checks the exact
//! positions of its sender's candidates only.

use super::cuts::Cuts;
use super::grid::Grid;
use super::motion::Motion;
use super::movement::Movement;
use super::neighbours::{Neighbour, Neighbours, Reach};
use super::{PathLoss, Position};
use crate::kernel::Instant;
use crate::wire::NodeId;

/// Slack as a share of the sensing range. With more, more candidates turn out to be out of range;
/// with less, the grid is refilled more often.
const SLACK: f64 = 0.125;
/// The share of the slack that movement may use up; the rest covers rounding.
const USABLE_SLACK: f64 = 1.0 - 1e-6;

/// Finds the nodes that hear each transmission in a network of moving nodes.
#[derive(Debug)]
pub struct MovingNeighbours {
    motion: Motion,
    max_speed_mps: f64,
    reach: Reach,
    path_loss: PathLoss,
    grid: Grid,
    /// Where the nodes were when the grid was filled.
    then: Vec<Position>,
    /// How often the grid has been filled.
    epoch: u64,
    /// Until when no pair of nodes can have used up the slack.
    good_until: Instant,
    /// When nodes are put elsewhere at once, the latest first: what is yet to come.
    jumps: Vec<Instant>,
    /// For each sender.
    candidates: Vec<Candidates>,
    /// For each transmission, by its number.
    lists: Vec<List>,
    /// Where no signal passes, if there is any such place.
    cuts: Option<Box<Cuts>>,
    /// The last snapshot and its instant.
    snapshot: Option<(Instant, Neighbours)>,
}

/// The nodes that may hear a sender.
#[derive(Clone, Debug, Default)]
struct Candidates {
    /// The epoch of the grid they come from.
    epoch: u64,
    /// Nearest first, as of the sender's last transmission.
    nodes: Vec<Candidate>,
}

impl Candidates {
    fn within(&self, range_m: f64) -> &[Candidate] {
        &self.nodes[..self.nodes.partition_point(|c| c.distance_m <= range_m)]
    }
}

#[derive(Clone, Copy, Debug)]
struct Candidate {
    distance_m: f64,
    node: u32,
}

/// The nodes that hear a transmission, nearest first.
#[derive(Clone, Debug, Default)]
struct List {
    sensing: Vec<Neighbour>,
    /// How many of them can decode it.
    decoding: usize,
}

impl MovingNeighbours {
    /// Neighbours of nodes that move as `movement` says.
    pub fn new(movement: Movement, reach: Reach, path_loss: PathLoss) -> MovingNeighbours {
        let max_speed_mps = movement.max_speed_mps;
        let mut jumps = movement.jumps();
        jumps.reverse();
        let motion = Motion::new(movement);
        let candidates = vec![Candidates::default(); motion.nodes()];
        let mut neighbours = MovingNeighbours {
            motion,
            max_speed_mps,
            reach: reach.rounded_up(),
            path_loss,
            grid: Grid::default(),
            then: Vec::new(),
            epoch: 0,
            good_until: Instant::ZERO,
            jumps,
            candidates,
            lists: Vec::new(),
            cuts: None,
            snapshot: None,
        };
        neighbours.fill_grid(Instant::ZERO);
        neighbours
    }

    /// From now on no signal passes these.
    pub fn cut(&mut self, cuts: &Cuts) {
        self.cuts = Some(Box::new(cuts.clone()));
        self.snapshot = None;
    }

    /// Finds the nodes that hear the transmission that `sender` starts at `now`, never earlier than
    /// in the previous call. It goes by `number` until another transmission takes that number.
    pub fn update(&mut self, sender: NodeId, number: u32, now: Instant) {
        self.find(sender, now);
        if self.lists.len() <= number as usize {
            self.lists.resize(number as usize + 1, List::default());
        }
        let candidates = &self.candidates[sender.index()];
        let List { sensing, decoding } = &mut self.lists[number as usize];
        *decoding = candidates.within(self.reach.receive_m).len();
        sensing.clear();
        let found = candidates.within(self.reach.sense_m).iter();
        let found = found.map(|c| (NodeId(c.node), c.distance_m));
        Neighbour::extend(sensing, found, &self.path_loss);
        if let Some(cuts) = &self.cuts {
            let passes = |other: &Neighbour| cuts.passes(sender, other.node);
            *decoding = sensing[..*decoding].iter().filter(|other| passes(other)).count();
            sensing.retain(passes);
        }
    }

    /// The nodes that would sense a transmission of `node` at `now`, nearest first, and how many of
    /// them could decode it. Never earlier than in the previous call.
    pub fn hearers_at(&mut self, node: NodeId, now: Instant) -> (Vec<NodeId>, usize) {
        self.find(node, now);
        let candidates = &self.candidates[node.index()];
        let passes = |other: &NodeId| self.passes(node, *other);
        let within =
            |range_m: f64| candidates.within(range_m).iter().map(|c| NodeId(c.node)).filter(passes);
        (within(self.reach.sense_m).collect(), within(self.reach.receive_m).count())
    }

    /// Brings the candidates of `sender` up to date, nearest first.
    fn find(&mut self, sender: NodeId, now: Instant) {
        self.motion.advance(now);
        if now > self.good_until {
            self.fill_grid(now);
        }
        let here = self.motion.position(sender.0, now);
        if self.candidates[sender.index()].epoch != self.epoch {
            self.find_candidates(sender);
        }
        let candidates = &mut self.candidates[sender.index()].nodes;
        let (mut last_m, mut is_sorted) = (-1.0, true);
        for candidate in candidates.iter_mut() {
            let distance_m = here.distance_m(&self.motion.position(candidate.node, now));
            candidate.distance_m = distance_m;
            is_sorted &= distance_m > last_m;
            last_m = distance_m;
        }
        // Since the last transmission hardly any have changed places.
        if !is_sorted {
            sort_nearly_sorted(candidates);
        }
    }

    /// The nodes that sense transmission `number`, nearest first.
    #[inline]
    pub fn sensing(&self, number: u32) -> &[Neighbour] {
        &self.lists[number as usize].sensing
    }

    /// The nodes that can decode transmission `number`: a prefix of [`MovingNeighbours::sensing`].
    #[inline]
    pub fn decoding(&self, number: u32) -> &[Neighbour] {
        let List { sensing, decoding } = &self.lists[number as usize];
        &sensing[..*decoding]
    }

    /// The nodes that can decode transmission `number`, and those that only sense it.
    #[inline]
    pub fn near_and_far(&self, number: u32) -> (&[Neighbour], &[Neighbour]) {
        let List { sensing, decoding } = &self.lists[number as usize];
        sensing.split_at(*decoding)
    }

    /// All positions at `now`, never earlier than in the previous call.
    pub fn positions_at(&mut self, now: Instant) -> Vec<Position> {
        self.motion.advance(now);
        (0..self.motion.nodes() as u32).map(|node| self.motion.position(node, now)).collect()
    }

    /// Whether two nodes are within receiving range of each other at `now`.
    pub fn is_in_reach(&mut self, a: NodeId, b: NodeId, now: Instant) -> bool {
        self.motion.advance(now);
        let [here, there] = [a, b].map(|node| self.motion.position(node.0, now));
        here.distance_m(&there) <= self.reach.receive_m && self.passes(a, b)
    }

    /// The power \[W\] of signals between two nodes at `now`; none out of sensing range.
    pub fn power_w(&mut self, a: NodeId, b: NodeId, now: Instant) -> Option<f64> {
        self.motion.advance(now);
        let [here, there] = [a, b].map(|node| self.motion.position(node.0, now));
        let distance_m = here.distance_m(&there);
        let counts = distance_m <= self.reach.sense_m && self.passes(a, b);
        counts.then(|| self.path_loss.received_w(distance_m))
    }

    fn passes(&self, a: NodeId, b: NodeId) -> bool {
        self.cuts.as_ref().is_none_or(|cuts| cuts.passes(a, b))
    }

    /// The neighbours of every node at `now`, never earlier than in the previous call.
    pub fn snapshot(&mut self, now: Instant) -> &Neighbours {
        let (then, neighbours) = match self.snapshot.take() {
            Some((then, neighbours)) if then == now => (then, neighbours),
            _ => {
                let all = Neighbours::within(&self.positions_at(now), self.reach, &self.path_loss);
                (now, self.cuts.as_ref().map(|cuts| all.without(cuts)).unwrap_or(all))
            }
        };
        &self.snapshot.insert((then, neighbours)).1
    }

    fn fill_grid(&mut self, now: Instant) {
        self.then.clear();
        for node in 0..self.motion.nodes() as u32 {
            self.then.push(self.motion.position(node, now));
        }
        let slack_m = self.reach.sense_m * SLACK;
        self.grid.fill(&self.then, self.reach.sense_m + slack_m);
        self.epoch += 1;
        let good_ns = slack_m * USABLE_SLACK / (2.0 * self.max_speed_mps) * 1e9;
        let good_until = now.as_nanos().saturating_add(good_ns as u64);
        self.good_until = Instant::from_nanos(good_until);
        while self.jumps.last().is_some_and(|&jump| jump <= now) {
            self.jumps.pop();
        }
        if let Some(jump) = self.jumps.last() {
            self.good_until = self.good_until.min(Instant::from_nanos(jump.as_nanos() - 1));
        }
    }

    /// Takes the candidates of `sender` from the grid.
    fn find_candidates(&mut self, sender: NodeId) {
        let candidates = &mut self.candidates[sender.index()];
        candidates.epoch = self.epoch;
        candidates.nodes.clear();
        let here = self.then[sender.index()];
        let near_m = self.reach.sense_m * (1.0 + SLACK);
        self.grid.for_each_near(&here, |node| {
            let distance_m = here.distance_m(&self.then[node as usize]);
            if node != sender.0 && distance_m <= near_m {
                candidates.nodes.push(Candidate { distance_m, node });
            }
        });
        candidates.nodes.sort_unstable_by(|a, b| {
            a.distance_m.total_cmp(&b.distance_m).then(a.node.cmp(&b.node))
        });
    }
}

/// Insertion sort by distance, then number: few nodes change places between two transmissions, and
/// the slack bounds how far any can move before the candidates are collected again.
fn sort_nearly_sorted(candidates: &mut [Candidate]) {
    for i in 1..candidates.len() {
        let moved = candidates[i];
        let key = (moved.distance_m, moved.node);
        let mut place = i;
        while place > 0 && key < (candidates[place - 1].distance_m, candidates[place - 1].node) {
            candidates[place] = candidates[place - 1];
            place -= 1;
        }
        candidates[place] = moved;
    }
}

#[cfg(test)]
mod tests;
