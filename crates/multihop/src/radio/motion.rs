//! Positions of moving nodes at any instant, exact along each leg.

use super::Position;
use super::leg::Leg;
use super::movement::{Course, Movement};
use crate::kernel::Instant;

/// The movement of all nodes over time.
#[derive(Debug)]
pub(super) struct Motion {
    /// What each node is doing now. Small and contiguous, as every position query reads it.
    stretches: Vec<Stretch>,
    ways: Vec<Way>,
    /// When the first of these stretches ends.
    good_until: Instant,
}

/// A part of a leg over which the velocity is constant: the motion itself, or the wait that
/// follows.
#[derive(Clone, Copy, Debug)]
struct Stretch {
    start: Instant,
    /// When it ends.
    until: Instant,
    /// Where the node is at `start`.
    from: Position,
    /// Velocity \[m/ns\] east and north.
    velocity: (f64, f64),
}

/// A node's current leg and those that follow.
#[derive(Debug)]
struct Way {
    leg: Leg,
    next: Option<Leg>,
    course: Course,
}

impl Motion {
    /// The motion over `courses` from the start of the run.
    pub(super) fn new(movement: Movement) -> Motion {
        let mut ways: Vec<Way> = movement.courses.into_iter().map(Way::new).collect();
        let stretches = ways.iter_mut().map(|way| way.stretch_at(Instant::ZERO)).collect();
        Motion { stretches, ways, good_until: Instant::ZERO }
    }

    /// How many nodes there are.
    pub(super) fn nodes(&self) -> usize {
        self.stretches.len()
    }

    /// Moves on to `now`, never earlier than before.
    #[inline]
    pub(super) fn advance(&mut self, now: Instant) {
        if now >= self.good_until {
            self.change_stretches(now);
        }
    }

    #[cold]
    fn change_stretches(&mut self, now: Instant) {
        self.good_until = Instant::FAR;
        for (stretch, way) in self.stretches.iter_mut().zip(&mut self.ways) {
            if now >= stretch.until {
                *stretch = way.stretch_at(now);
            }
            self.good_until = self.good_until.min(stretch.until);
        }
    }

    /// The position of `node` at `now`, the instant of the last [`Motion::advance`] or the start.
    #[inline]
    pub(super) fn position(&self, node: u32, now: Instant) -> Position {
        self.stretches[node as usize].position_at(now)
    }
}

impl Stretch {
    #[inline]
    fn position_at(&self, now: Instant) -> Position {
        // Signed: processors convert only signed integers in one instruction.
        let elapsed_ns = now.saturating_since(self.start).as_nanos() as i64 as f64;
        Position {
            x_m: self.from.x_m + self.velocity.0 * elapsed_ns,
            y_m: self.from.y_m + self.velocity.1 * elapsed_ns,
        }
    }
}

impl Way {
    fn new(mut course: Course) -> Way {
        let leg = course.next().expect("a course has a leg that starts at 0");
        let next = course.next();
        Way { leg, next, course }
    }

    /// Advances to the leg of `now`; returns the stretch of it that applies then.
    #[cold]
    fn stretch_at(&mut self, now: Instant) -> Stretch {
        while let Some(next) = self.next
            && next.start <= now
        {
            self.leg = next;
            self.next = self.course.next();
        }
        let Leg { start, from, to, speed_mps } = self.leg;
        let until = self.next.map_or(Instant::FAR, |next| next.start);
        let still = |start, from| Stretch { start, until, from, velocity: (0.0, 0.0) };
        if speed_mps == 0.0 {
            return still(start, from);
        }
        let travel_ns = from.distance_m(&to) / speed_mps * 1e9;
        let arrival = start.as_nanos().saturating_add(travel_ns.ceil() as u64);
        let arrival = Instant::from_nanos(arrival);
        if now >= arrival {
            return still(arrival, to);
        }
        let velocity = ((to.x_m - from.x_m) / travel_ns, (to.y_m - from.y_m) / travel_ns);
        Stretch { start, until: until.min(arrival), from, velocity }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn leg(start_s: f64, from: f64, to: f64, speed_mps: f64) -> Leg {
        let at = |x_m| Position { x_m, y_m: 2.0 * x_m };
        // Along a line with slope 2, so that a metre east is sqrt(5) metres of way.
        let speed_mps = speed_mps * 5.0_f64.sqrt();
        Leg { start: Instant::from_secs_f64(start_s), from: at(from), to: at(to), speed_mps }
    }

    fn motion(legs: Vec<Leg>) -> Motion {
        let max_speed_mps = legs.iter().map(|leg| leg.speed_mps).fold(0.0, f64::max);
        Motion::new(Movement { courses: vec![Course::Listed(legs.into_iter())], max_speed_mps })
    }

    fn x_m(motion: &mut Motion, at_s: f64) -> f64 {
        let at = Instant::from_secs_f64(at_s);
        motion.advance(at);
        let p = motion.position(0, at);
        assert!((p.y_m - 2.0 * p.x_m).abs() < 1e-9);
        p.x_m
    }

    #[test]
    fn a_node_goes_waits_and_goes_on() {
        let legs =
            vec![leg(0.0, 5.0, 5.0, 0.0), leg(1.0, 5.0, 25.0, 10.0), leg(9.0, 25.0, 0.0, 5.0)];
        let mut node = motion(legs);
        for (at_s, expected) in [
            (0.0, 5.0),
            (1.0, 5.0),
            (1.5, 10.0),
            (2.999, 24.99),
            (3.0, 25.0),
            (8.0, 25.0),
            (10.0, 20.0),
        ] {
            assert!((x_m(&mut node, at_s) - expected).abs() < 1e-9, "at {at_s} s");
        }
        assert_eq!(x_m(&mut node, 1e6), 0.0, "the last leg's end is for good, and exact");
    }

    #[test]
    fn a_new_leg_cuts_the_old_one_short() {
        let mut node = motion(vec![leg(0.0, 0.0, 100.0, 1.0), leg(2.0, 2.0, -8.0, 10.0)]);
        assert!((x_m(&mut node, 1.0) - 1.0).abs() < 1e-9);
        assert!((x_m(&mut node, 2.5) + 3.0).abs() < 1e-9);
        let mut late = motion(vec![leg(0.0, 0.0, 100.0, 1.0), leg(2.0, 2.0, -8.0, 10.0)]);
        assert_eq!(x_m(&mut late, 50.0), -8.0, "legs without a query are skipped");
    }

    #[test]
    fn of_legs_that_start_together_the_last_counts() {
        let legs =
            vec![leg(0.0, 0.0, 9.0, 3.0), leg(1.0, 3.0, 50.0, 1.0), leg(1.0, 3.0, -7.0, 2.0)];
        assert!((x_m(&mut motion(legs), 2.0) - 1.0).abs() < 1e-9);
    }

    #[test]
    fn extreme_speeds_are_no_trouble() {
        assert_eq!(x_m(&mut motion(vec![leg(0.0, 1.0, 2.0, 0.0)]), 1e7), 1.0);
        assert_eq!(x_m(&mut motion(vec![leg(0.0, 1.0, 2.0, f64::MIN_POSITIVE)]), 1e7), 1.0);
        assert_eq!(x_m(&mut motion(vec![leg(0.0, 1.0, 2.0, f64::INFINITY)]), 0.0), 2.0);
        assert_eq!(x_m(&mut motion(vec![leg(0.0, 3.0, 3.0, 1.0)]), 5.0), 3.0);
    }
}
