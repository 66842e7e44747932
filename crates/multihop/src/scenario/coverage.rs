//! How far apart the ends of links are, and whether stations wait long enough for answers from
//! there.

use super::Scenario;
use super::topology::Topology;
use crate::kernel::{Duration, Instant};
use crate::mac::config::MOST_COVERAGE_M;
use crate::mac::{Coverage, Timing};
use crate::profile::Profile;
use crate::radio::propagation::SPEED_OF_LIGHT_MPS;
use crate::radio::sinr::Needs;
use crate::radio::{Movement, Neighbours, Position, Reach};
use crate::wire::NodeId;

/// The longest way that data may go at once.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Longest {
    delay: Duration,
    /// The nodes that it joins; none where any two may come to be so far apart.
    ends: Option<(NodeId, NodeId)>,
    /// How many links are so long that answers come too late.
    late: usize,
}

impl Scenario {
    /// The coverage class of the stations in a network whose nodes begin at `positions`, and a
    /// warning if answers over its longest link come too late for it. By signal and noise it takes
    /// what data need, and between whom they pass then.
    pub(super) fn coverage(
        &self,
        positions: &[Position],
        movement: Option<&Movement>,
        signal: Option<(Needs, &Neighbours)>,
        seed: u64,
    ) -> (Coverage, Option<String>) {
        let plain = Timing::new(&self.mac, self.profile);
        let given = self.mac.coverage_m.map(|distance_m| plain.coverage_of(delay(distance_m)));
        if self.is_near(&plain, signal.is_some()) {
            return (given.unwrap_or_default(), None);
        }
        let longest = |timing: &Timing| match movement {
            None => self.longest_link(timing, positions, signal.map(|(_, carried)| carried), seed),
            Some(movement) => self.widest_reach(timing, movement, signal.map(|(needs, _)| needs)),
        };
        let class = given.unwrap_or_else(|| match self.profile {
            Profile::Ns2 => Coverage::default(),
            Profile::Standard => {
                plain.coverage_of(longest(&plain).map_or(Duration::ZERO, |found| found.delay))
            }
        });
        let timing = Timing::covering(&self.mac, self.profile, class);
        let found = longest(&timing).filter(|found| found.late > 0);
        (class, found.map(|found| self.too_far(&timing, &found)))
    }

    /// Whether signals can't come from so far that an answer would be late: the usual case, found
    /// quickly.
    fn is_near(&self, timing: &Timing, is_by_signal: bool) -> bool {
        let farthest_m = match &*self.topology {
            Topology::Links(links) => links.link_m,
            _ if is_by_signal => return false,
            _ => self.radio.receive_range_m,
        };
        timing.is_covered(delay(farthest_m))
    }

    /// The longest link between static nodes over which data pass: by signal and noise, where nodes
    /// decode each other in `carried`.
    fn longest_link(
        &self,
        timing: &Timing,
        positions: &[Position],
        carried: Option<&Neighbours>,
        seed: u64,
    ) -> Option<Longest> {
        let receive_m = self.radio.receive_range_m;
        let reach = Reach { receive_m, sense_m: receive_m };
        let in_range = match carried {
            Some(_) => None,
            None => Some(self.neighbours(positions, reach, seed)),
        };
        let neighbours = carried.or(in_range.as_ref())?;
        let mut longest: Option<Longest> = None;
        let mut late = 0;
        for node in (0..positions.len() as u32).map(NodeId) {
            for other in neighbours.decoding(node) {
                let delay = other.delay();
                late += usize::from(!timing.is_covered(delay));
                if longest.is_none_or(|found| found.delay < delay) {
                    longest = Some(Longest { delay, ends: Some((node, other.node)), late: 0 });
                }
            }
        }
        longest.map(|found| Longest { late, ..found })
    }

    /// How far apart two moving nodes may be and get data from each other.
    fn widest_reach(
        &self,
        timing: &Timing,
        movement: &Movement,
        needs: Option<Needs>,
    ) -> Option<Longest> {
        let reach_m = match needs {
            None => self.radio.receive_range_m,
            Some(needs) => self.radio.path_loss().range_m(needs.carried_w),
        };
        let trails = movement.trails(Instant::from_secs_f64(self.duration_s));
        let side_m = |axis: usize| {
            let along = trails.iter().flatten().map(|knot| knot[axis]);
            let (low, high) = along.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), at| {
                (low.min(at), high.max(at))
            });
            high - low
        };
        let delay = delay(reach_m.min(side_m(1).hypot(side_m(2))));
        Some(Longest { delay, ends: None, late: usize::from(!timing.is_covered(delay)) })
    }

    fn too_far(&self, timing: &Timing, found: &Longest) -> String {
        let metres = |delay: Duration| delay.as_secs_f64() * SPEED_OF_LIGHT_MPS;
        let (far_m, allowed_m) = (metres(found.delay), metres(timing.response_margin()) / 2.0);
        let told = |node| self.topology.names.told(node);
        let what = match found.ends {
            None => format!("nodes may be {far_m:.0} m apart and in range"),
            Some((a, b)) if found.late > 2 => format!(
                "{} links are too long, up to {far_m:.0} m from node {} to node {}",
                found.late.div_ceil(2),
                told(a),
                told(b)
            ),
            Some((a, b)) => {
                format!("the link from node {} to node {} is {far_m:.0} m long", told(a), told(b))
            }
        };
        let late = format!(
            "{what}: answers over {allowed_m:.0} m or more come after their timeout, so that every frame to one \
             neighbour fails"
        );
        match far_m.ceil() {
            needed_m if needed_m <= MOST_COVERAGE_M => {
                format!("{late}; mac.coverage_m = {needed_m:.0} waits for them")
            }
            _ => format!("{late}; no mac.coverage_m allows for that"),
        }
    }
}

/// How long a signal takes.
fn delay(distance_m: f64) -> Duration {
    Duration::from_nanos((distance_m / SPEED_OF_LIGHT_MPS * 1e9).ceil() as u64)
}
