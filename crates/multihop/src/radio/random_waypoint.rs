//! Random waypoint movement: go to a uniform place at a uniform speed, pause, repeat.
//!
//! The usual start is that of ns-2's `setdest` version 1: a given place (uniform over the area), a
//! full pause if there are pauses, then the first leg. Such a network is not in its steady state:
//! slow legs last longer, so the mean speed decays for a long time (Yoon, Liu, Noble 2003). The
//! stationary start follows Navidi and Camp, "Stationary distributions for the random waypoint
//! mobility model" (2004): with probability `E[pause] / (E[pause] + E[distance] E[1/speed])` a node
//! pauses, at a uniform place, for a uniform rest of its pause; otherwise it is at a uniform point
//! of a path whose ends are drawn with a density proportional to the path's length, at a speed of
//! density proportional to 1/v.
//!
//! Deviation: ns-2's `setdest` version 2 starts moving nodes from uniform places, and pausing ones
//! with a full pause; neither is stationary.

use super::Position;
use super::leg::Leg;
use crate::kernel::{Duration, Instant, Rng};

/// Parameters of random waypoint movement.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Waypoints {
    /// Width and height of the area \[m\], with one corner at the origin.
    pub area_m: [f64; 2],
    /// Least and greatest speed \[m/s\]; a least speed of 0 is itself never drawn.
    pub speed_mps: [f64; 2],
    /// Pause at each destination.
    pub pause: Duration,
}

impl Waypoints {
    /// Long-run share of time that a node spends pausing.
    pub fn pause_share(&self) -> f64 {
        let pause_s = self.pause.as_secs_f64();
        let travel_s = mean_distance_m(self.area_m) * mean_slowness_s_per_m(self.speed_mps);
        pause_s / (pause_s + travel_s)
    }

    fn place(&self, rng: &mut Rng) -> Position {
        Position { x_m: rng.unit() * self.area_m[0], y_m: rng.unit() * self.area_m[1] }
    }

    /// Uniform on (least, greatest].
    fn speed_mps(&self, rng: &mut Rng) -> f64 {
        let [least, greatest] = self.speed_mps;
        greatest - rng.unit() * (greatest - least)
    }

    /// Density proportional to 1/v, by inversion of its distribution function.
    fn stationary_speed_mps(&self, rng: &mut Rng) -> f64 {
        let [least, greatest] = self.speed_mps;
        (least * (greatest / least).powf(rng.unit())).clamp(least, greatest)
    }

    /// Ends of a path, with a density proportional to its length: by rejection against the
    /// diagonal.
    fn stationary_path(&self, rng: &mut Rng) -> [Position; 2] {
        let diagonal_m = self.area_m[0].hypot(self.area_m[1]);
        loop {
            let ends = [self.place(rng), self.place(rng)];
            if rng.unit() * diagonal_m < ends[0].distance_m(&ends[1]) {
                return ends;
            }
        }
    }
}

/// One node's random legs: an endless iterator that keeps only the next.
#[derive(Clone, Debug)]
pub struct RandomWaypoint {
    waypoints: Waypoints,
    rng: Rng,
    /// The next leg.
    next: Leg,
    /// How long the node pauses after it.
    rest: Duration,
}

impl RandomWaypoint {
    /// A node that starts at `place`, with a pause if there are pauses.
    pub fn starting_at(place: Position, waypoints: Waypoints, mut rng: Rng) -> RandomWaypoint {
        let next = match waypoints.pause {
            Duration::ZERO => leg(&waypoints, Instant::ZERO, place, &mut rng),
            _ => Leg::stay(Instant::ZERO, place),
        };
        RandomWaypoint { waypoints, rng, next, rest: waypoints.pause }
    }

    /// A node in the steady state; the least speed must be above 0.
    pub fn stationary(waypoints: Waypoints, mut rng: Rng) -> RandomWaypoint {
        if rng.unit() < waypoints.pause_share() {
            let rest = rng.duration_below(waypoints.pause);
            let next = Leg::stay(Instant::ZERO, waypoints.place(&mut rng));
            return RandomWaypoint { waypoints, rng, next, rest };
        }
        let [begin, to] = waypoints.stationary_path(&mut rng);
        let speed_mps = waypoints.stationary_speed_mps(&mut rng);
        let gone = rng.unit();
        let from = Position {
            x_m: begin.x_m + (to.x_m - begin.x_m) * gone,
            y_m: begin.y_m + (to.y_m - begin.y_m) * gone,
        };
        let next = Leg { start: Instant::ZERO, from, to, speed_mps };
        RandomWaypoint { waypoints, rng, next, rest: waypoints.pause }
    }

    /// Where the next leg starts.
    pub fn place(&self) -> Position {
        self.next.from
    }
}

impl Iterator for RandomWaypoint {
    type Item = Leg;

    fn next(&mut self) -> Option<Leg> {
        let now = self.next;
        let start = now.arrival().as_nanos().saturating_add(self.rest.as_nanos());
        self.next = leg(&self.waypoints, Instant::from_nanos(start), now.to, &mut self.rng);
        self.rest = self.waypoints.pause;
        Some(now)
    }
}

fn leg(waypoints: &Waypoints, start: Instant, from: Position, rng: &mut Rng) -> Leg {
    let to = waypoints.place(rng);
    Leg { start, from, to, speed_mps: waypoints.speed_mps(rng) }
}

/// Mean distance \[m\] of two uniform points of a rectangle (Ghosh 1951).
pub fn mean_distance_m(area_m: [f64; 2]) -> f64 {
    let [a, b] = [area_m[0].max(area_m[1]), area_m[0].min(area_m[1])];
    if b < 1e-5 * a {
        // Practically a line; the terms of the formula would cancel.
        return a / 3.0;
    }
    let (a2, b2, g) = (a * a, b * b, a.hypot(b));
    let logarithms = b2 / a * ((a + g) / b).ln() + a2 / b * ((b + g) / a).ln();
    (a2 * a / b2 + b2 * b / a2 + g * (3.0 - a2 / b2 - b2 / a2) + 2.5 * logarithms) / 15.0
}

/// Mean of 1/v for a speed that is uniform between two bounds above 0 \[s/m\].
pub fn mean_slowness_s_per_m(speed_mps: [f64; 2]) -> f64 {
    let [least, greatest] = speed_mps;
    match greatest - least {
        0.0 => 1.0 / least,
        width => (width / least).ln_1p() / width,
    }
}

#[cfg(test)]
mod tests;
