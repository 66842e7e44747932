//! Who hears whom over time, by bounds that hold throughout a period.

use serde::Serialize;

use crate::kernel::Instant;
use crate::radio::{PathLoss, Reach, StationLayout};
use crate::scenario::{Network, Role, Scenario};
use crate::wire::NodeId;

/// Before and after each period, so that a frame in the air when it ends belongs to it \[s\].
const MARGIN_S: f64 = 0.05;
/// Relative slack of distances between moving nodes.
const SLACK: f64 = 1e-6;

/// A time in which who hears whom is given by bounds that hold throughout.
#[derive(Clone, Debug, Serialize)]
pub struct Period {
    /// Start \[s\].
    pub start_s: f64,
    /// End \[s\].
    pub end_s: f64,
    /// What one station hears of another: sender, hearer. Ports of a wire hear the others of it.
    pub ends: Vec<[u32; 2]>,
    /// The strongest and the weakest that it is then \[W\].
    pub power_w: Vec<[f64; 2]>,
    /// Whether packets can ever pass, and whether it is always sensed.
    pub certain: Vec<[bool; 2]>,
}

pub(super) fn periods(
    scenario: &Scenario,
    (network, layout): (&Network, &StationLayout),
    seed: u64,
    step_s: f64,
) -> Vec<Period> {
    let radio = &scenario.radio;
    let reach = Reach { receive_m: radio.receive_range_m, sense_m: radio.sense_range_m };
    let Some(movement) = &network.movement else {
        return vec![lasting(scenario, (network, layout), reach, seed)];
    };
    let trails = movement.trails(Instant::from_secs_f64(scenario.duration_s));
    let path_loss = radio.path_loss();
    let count = (scenario.duration_s / step_s).ceil() as usize;
    (0..count)
        .map(|number| {
            let start_s = number as f64 * step_s;
            let end_s = (start_s + step_s).min(scenario.duration_s);
            moving_period(&trails, start_s, end_s, reach, &path_loss)
        })
        .collect()
}

/// The only period of a network that does not change.
fn lasting(
    scenario: &Scenario,
    (network, layout): (&Network, &StationLayout),
    reach: Reach,
    seed: u64,
) -> Period {
    let of_nodes = scenario.neighbours(&network.positions, reach, seed);
    let neighbours = scenario
        .station_neighbours(layout, &of_nodes, &network.positions, seed)
        .unwrap_or(of_nodes);
    let mut period = Period::empty(0.0, scenario.duration_s);
    for station in (0..layout.count() as u32).map(NodeId) {
        let decoding = neighbours.decoding(station).len();
        for (place, other) in neighbours.sensing(station).iter().enumerate() {
            let (power_w, is_heard) = match layout.is_wire(station) {
                true => (0.0, false),
                false => (other.power_w, true),
            };
            let passes = place < decoding && may_pass(scenario, layout, station, other.node);
            period.note(station.0, other.node.0, [power_w; 2], [passes, is_heard]);
        }
    }
    period
}

/// Whether packets may go from one station to another: in cells, between clients and access points
/// alone.
fn may_pass(scenario: &Scenario, layout: &StationLayout, from: NodeId, to: NodeId) -> bool {
    if !layout.is_in_cell(from) {
        return !layout.is_in_cell(to);
    }
    let kind = |station| usize::from(layout.kind(station).0);
    let role = |station| scenario.interfaces.get(kind(station)).and_then(|table| table.role);
    let (client, access) = match (role(from), role(to)) {
        (Some(Role::Client), Some(Role::AccessPoint)) => (from, to),
        (Some(Role::AccessPoint), Some(Role::Client)) => (to, from),
        _ => return false,
    };
    let table = &scenario.interfaces[kind(client)];
    let place = scenario.members(table).iter().position(|&node| node == layout.node(client).0);
    place
        .and_then(|place| table.access_point(place))
        .is_none_or(|chosen| chosen == layout.node(access))
}

fn moving_period(
    trails: &[Vec<[f64; 3]>],
    start_s: f64,
    end_s: f64,
    reach: Reach,
    path_loss: &PathLoss,
) -> Period {
    let mut period = Period::empty(start_s, end_s);
    let (from_s, to_s) = (start_s - MARGIN_S, end_s + MARGIN_S);
    let pieces: Vec<Vec<[f64; 3]>> =
        trails.iter().map(|trail| piece(trail, from_s, to_s)).collect();
    for a in 0..pieces.len() {
        for b in 0..a {
            let (near_m, far_m) = distances_m(&pieces[a], &pieces[b]);
            let (near_m, far_m) = (near_m * (1.0 - SLACK), far_m * (1.0 + SLACK));
            if near_m > reach.sense_m {
                continue;
            }
            let power_w = [near_m, far_m].map(|distance_m| path_loss.received_w(distance_m));
            let certain = [near_m <= reach.receive_m, far_m <= reach.sense_m];
            period.note(a as u32, b as u32, power_w, certain);
            period.note(b as u32, a as u32, power_w, certain);
        }
    }
    period
}

impl Period {
    fn empty(start_s: f64, end_s: f64) -> Period {
        let (ends, power_w, certain) = (Vec::new(), Vec::new(), Vec::new());
        Period { start_s, end_s, ends, power_w, certain }
    }

    fn note(&mut self, sender: u32, hearer: u32, power_w: [f64; 2], certain: [bool; 2]) {
        self.ends.push([sender, hearer]);
        self.power_w.push(power_w);
        self.certain.push(certain);
    }
}

/// A node's way between two times, as points (time, x, y) joined by straight lines.
fn piece(trail: &[[f64; 3]], from_s: f64, to_s: f64) -> Vec<[f64; 3]> {
    let inner = trail.iter().copied().filter(|knot| from_s < knot[0] && knot[0] < to_s);
    let mut points = vec![place(trail, from_s)];
    points.extend(inner);
    points.push(place(trail, to_s));
    points
}

/// Where a node is: before its trail at its start, after it at its end.
fn place(trail: &[[f64; 3]], at_s: f64) -> [f64; 3] {
    let next = trail.partition_point(|knot| knot[0] <= at_s);
    match (next.checked_sub(1).and_then(|last| trail.get(last)), trail.get(next)) {
        (Some(a), Some(b)) => {
            let share = (at_s - a[0]) / (b[0] - a[0]);
            [at_s, a[1] + (b[1] - a[1]) * share, a[2] + (b[2] - a[2]) * share]
        }
        (Some(&[_, x, y]), None) | (None, Some(&[_, x, y])) => [at_s, x, y],
        (None, None) => [at_s, 0.0, 0.0],
    }
}

/// The least and the greatest distance of two nodes \[m\] on ways over the same time.
fn distances_m(a: &[[f64; 3]], b: &[[f64; 3]]) -> (f64, f64) {
    let mut times: Vec<f64> = a.iter().chain(b).map(|knot| knot[0]).collect();
    times.sort_unstable_by(f64::total_cmp);
    let apart = times.iter().map(|&at_s| {
        let ([_, ax, ay], [_, bx, by]) = (place(a, at_s), place(b, at_s));
        [ax - bx, ay - by]
    });
    let apart: Vec<[f64; 2]> = apart.collect();
    let length = |[x, y]: [f64; 2]| x.hypot(y);
    let far_m = apart.iter().map(|&point| length(point)).fold(0.0, f64::max);
    let near_m = apart.windows(2).map(|ends| from_origin(ends[0], ends[1]));
    let near_m =
        near_m.fold(apart.iter().map(|&point| length(point)).fold(far_m, f64::min), f64::min);
    (near_m, far_m)
}

/// How far the line between two points is from the origin.
fn from_origin([x, y]: [f64; 2], [to_x, to_y]: [f64; 2]) -> f64 {
    let (dx, dy) = (to_x - x, to_y - y);
    let length = dx * dx + dy * dy;
    let share = if length > 0.0 { (-(x * dx + y * dy) / length).clamp(0.0, 1.0) } else { 0.0 };
    (x + dx * share).hypot(y + dy * share)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_of_nodes_that_pass_each_other() {
        let a = [[0.0, -30.0, 0.0], [10.0, 30.0, 0.0]];
        let b = [[0.0, 0.0, 40.0], [10.0, 0.0, 40.0]];
        let (near_m, far_m) = distances_m(&piece(&a, -1.0, 11.0), &piece(&b, -1.0, 11.0));
        assert!((near_m - 40.0).abs() < 1e-9 && (far_m - 50.0).abs() < 1e-9);
    }
}
