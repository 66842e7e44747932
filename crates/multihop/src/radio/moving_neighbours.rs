//! Who hears whom while nodes move: exact at the start of each transmission, without looking at all
//! pairs.
//!
//! Now and then all nodes are sorted into a grid. A sender's candidates are those that were within
//! sensing range and some slack of it then; as long as no two nodes can have come closer to each other
//! by more than the slack, nobody else can hear it. Each transmission looks at the exact positions of
//! the candidates only.

use super::grid::Grid;
use super::motion::Motion;
use super::movement::Movement;
use super::neighbours::{Neighbour, Neighbours, Reach};
use super::{PathLoss, Position};
use crate::kernel::Instant;
use crate::wire::NodeId;

/// Slack as a share of the sensing range. More of it means more candidates that do not hear, less of it
/// means a new grid more often.
const SLACK: f64 = 0.125;
/// Two nodes use up this share of the slack at most; the rest is for roundings.
const USABLE_SLACK: f64 = 1.0 - 1e-6;

/// Finds who hears each transmission in a network of moving nodes.
#[derive(Debug)]
pub struct MovingNeighbours {
    motion: Motion,
    max_speed_mps: f64,
    reach: Reach,
    path_loss: PathLoss,
    grid: Grid,
    /// Where the nodes were when the grid was filled.
    then: Vec<Position>,
    /// How often it has been filled.
    epoch: u64,
    /// Until when nobody can have used up the slack.
    good_until: Instant,
    /// For each sender.
    candidates: Vec<Candidates>,
    /// For each transmission, by its number.
    lists: Vec<List>,
    /// The last snapshot, and of when it is.
    snapshot: Option<(Instant, Neighbours)>,
}

/// Those who may hear a sender.
#[derive(Clone, Debug, Default)]
struct Candidates {
    /// Which filling of the grid they are from.
    epoch: u64,
    /// Nearest first, at the sender's last transmission.
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

/// Those who hear a transmission, nearest first.
#[derive(Clone, Debug, Default)]
struct List {
    sensing: Vec<Neighbour>,
    /// How many of them can decode it.
    decoding: usize,
}

impl MovingNeighbours {
    /// Neighbours of nodes moving like this.
    pub fn new(movement: Movement, reach: Reach, path_loss: PathLoss) -> MovingNeighbours {
        let max_speed_mps = movement.max_speed_mps;
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
            candidates,
            lists: Vec::new(),
            snapshot: None,
        };
        neighbours.fill_grid(Instant::ZERO);
        neighbours
    }

    /// Finds who hears the transmission that `sender` starts at `now`, never earlier than in the call
    /// before. It is known by `number` from then on, until another gets the same number.
    pub fn update(&mut self, sender: NodeId, number: u32, now: Instant) {
        self.find(sender, now);
        if self.lists.len() <= number as usize {
            self.lists.resize(number as usize + 1, List::default());
        }
        let candidates = &self.candidates[sender.index()];
        let List { sensing, decoding } = &mut self.lists[number as usize];
        *decoding = candidates.within(self.reach.receive_m).len();
        sensing.clear();
        sensing.extend(
            candidates
                .within(self.reach.sense_m)
                .iter()
                .map(|c| Neighbour::new(NodeId(c.node), c.distance_m, &self.path_loss)),
        );
    }

    /// Who would sense a transmission of `node` at `now`, and as the first of them who could decode it:
    /// how many. Never earlier than in the call before.
    pub fn hearers_at(&mut self, node: NodeId, now: Instant) -> (Vec<NodeId>, usize) {
        self.find(node, now);
        let candidates = &self.candidates[node.index()];
        let sensing =
            candidates.within(self.reach.sense_m).iter().map(|c| NodeId(c.node)).collect();
        (sensing, candidates.within(self.reach.receive_m).len())
    }

    /// Brings the candidates of `sender` up to date, nearest first.
    fn find(&mut self, sender: NodeId, now: Instant) {
        if now > self.good_until {
            self.fill_grid(now);
        }
        let here = self.motion.position(sender.0, now);
        if self.candidates[sender.index()].epoch != self.epoch {
            self.find_candidates(sender);
        }
        let candidates = &mut self.candidates[sender.index()].nodes;
        for candidate in candidates.iter_mut() {
            candidate.distance_m = here.distance_m(&self.motion.position(candidate.node, now));
        }
        sort_nearly_sorted(candidates);
    }

    /// Everyone who senses transmission `number`, nearest first.
    #[inline]
    pub fn sensing(&self, number: u32) -> &[Neighbour] {
        &self.lists[number as usize].sensing
    }

    /// Everyone who can decode transmission `number`: the first of [`MovingNeighbours::sensing`].
    #[inline]
    pub fn decoding(&self, number: u32) -> &[Neighbour] {
        let List { sensing, decoding } = &self.lists[number as usize];
        &sensing[..*decoding]
    }

    /// Where all nodes are at `now`, never earlier than in the call before.
    pub fn positions_at(&mut self, now: Instant) -> Vec<Position> {
        (0..self.motion.nodes() as u32).map(|node| self.motion.position(node, now)).collect()
    }

    /// Whether two nodes are within receiving range of each other at `now`.
    pub fn is_in_reach(&mut self, a: NodeId, b: NodeId, now: Instant) -> bool {
        let [a, b] = [a, b].map(|node| self.motion.position(node.0, now));
        a.distance_m(&b) <= self.reach.receive_m
    }

    /// Everyone's neighbours at `now`, never earlier than in the call before.
    pub fn snapshot(&mut self, now: Instant) -> &Neighbours {
        let (then, neighbours) = match self.snapshot.take() {
            Some((then, neighbours)) if then == now => (then, neighbours),
            _ => (now, Neighbours::within(&self.positions_at(now), self.reach, &self.path_loss)),
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

/// Insertion sort by distance, then number: few nodes overtake each other between two transmissions,
/// and the slack bounds how far any can go before the candidates are found anew.
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
