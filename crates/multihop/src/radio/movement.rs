//! How nodes move: each along straight legs at constant speed, exactly and without time steps.

use super::Position;
use super::leg::Leg;
use super::random_waypoint::RandomWaypoint;
use crate::kernel::Instant;

/// A node's legs by start; the first starts at 0.
#[derive(Clone, Debug)]
pub enum Course {
    /// Known in advance.
    Listed(std::vec::IntoIter<Leg>),
    /// Drawn as the node goes.
    RandomWaypoint(RandomWaypoint),
}

impl Course {
    /// The course of a node that stays at `place`.
    pub fn stay(place: Position) -> Course {
        Course::Listed(vec![Leg::stay(Instant::ZERO, place)].into_iter())
    }

    /// Where the next leg starts; none if no leg is left.
    pub fn place(&self) -> Option<Position> {
        match self {
            Course::Listed(legs) => legs.as_slice().first().map(|leg| leg.from),
            Course::RandomWaypoint(waypoints) => Some(waypoints.place()),
        }
    }

    /// When the node is put elsewhere at once.
    fn jumps(&self) -> Vec<Instant> {
        match self {
            Course::Listed(legs) => {
                let pairs = legs.as_slice().windows(2);
                let jumps = pairs.filter(|pair| pair[0].is_left_at_once(&pair[1]));
                jumps.map(|pair| pair[1].start).collect()
            }
            Course::RandomWaypoint(_) => Vec::new(),
        }
    }
}

impl Iterator for Course {
    type Item = Leg;

    fn next(&mut self) -> Option<Leg> {
        match self {
            Course::Listed(legs) => legs.next(),
            Course::RandomWaypoint(waypoints) => waypoints.next(),
        }
    }
}

/// How all nodes move.
#[derive(Clone, Debug)]
pub struct Movement {
    /// Each node's course.
    pub courses: Vec<Course>,
    /// The highest speed of any leg \[m/s\].
    pub max_speed_mps: f64,
}

impl Movement {
    /// Each node's course until `end` as points (time \[s\], x \[m\], y \[m\]), joined by straight
    /// lines at constant speed.
    pub fn trails(&self, end: Instant) -> Vec<Vec<[f64; 3]>> {
        self.courses.iter().map(|course| trail(course.clone(), end)).collect()
    }

    /// When nodes are put elsewhere at once, in the order of time.
    pub fn jumps(&self) -> Vec<Instant> {
        let mut jumps: Vec<Instant> = self.courses.iter().flat_map(Course::jumps).collect();
        jumps.sort_unstable();
        jumps.dedup();
        jumps
    }
}

fn trail(mut course: Course, end: Instant) -> Vec<[f64; 3]> {
    let knot = |at: Instant, place: Position| [at.as_secs_f64(), place.x_m, place.y_m];
    let mut trail = Vec::new();
    let mut next = course.next();
    while let Some(leg) = next.filter(|leg| leg.start <= end) {
        next = course.next();
        let until = next.map_or(end, |next| next.start.min(end));
        trail.push(knot(leg.start, leg.from));
        let arrival = leg.arrival();
        if leg.start < arrival && arrival < until {
            trail.push(knot(arrival, leg.to));
        }
        if next.is_some_and(|next| next.start < end && leg.is_left_at_once(&next)) {
            // The nanosecond before: no two knots have one time.
            let before = Instant::from_nanos(until.as_nanos() - 1);
            if before > leg.start && (arrival >= until || before > arrival) {
                trail.push(knot(before, leg.position(before)));
            }
        }
        if until == end {
            trail.push(knot(end, leg.position(end)));
        }
    }
    trail
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(x_m: f64, y_m: f64) -> Position {
        Position { x_m, y_m }
    }

    #[test]
    fn a_node_goes_straight_then_waits() {
        let start = Instant::from_secs_f64(10.0);
        let leg = Leg { start, from: at(1.0, 2.0), to: at(7.0, 10.0), speed_mps: 2.0 };
        assert_eq!(leg.arrival(), Instant::from_secs_f64(15.0));
        assert_eq!(leg.position(start), leg.from);
        let half = leg.position(Instant::from_secs_f64(12.5));
        assert!(half.distance_m(&at(4.0, 6.0)) < 1e-12);
        assert_eq!(leg.position(Instant::from_secs_f64(15.0)), leg.to);
        assert_eq!(leg.position(Instant::FAR), leg.to);
    }

    #[test]
    fn a_trail_has_a_knot_wherever_the_velocity_changes() {
        let leg = |start_s, from, to, speed_mps| Leg {
            start: Instant::from_secs_f64(start_s),
            from,
            to,
            speed_mps,
        };
        let legs = vec![
            leg(0.0, at(0.0, 0.0), at(4.0, 0.0), 2.0),
            leg(5.0, at(4.0, 0.0), at(4.0, 9.0), 1.0),
            leg(50.0, at(4.0, 9.0), at(0.0, 0.0), 1.0),
        ];
        let courses = vec![Course::Listed(legs.into_iter())];
        let movement = Movement { courses, max_speed_mps: 2.0 };
        let expected = [[0.0, 0.0, 0.0], [2.0, 4.0, 0.0], [5.0, 4.0, 0.0], [8.0, 4.0, 3.0]];
        assert_eq!(movement.trails(Instant::from_secs_f64(8.0)), [expected]);
    }

    #[test]
    fn an_arrival_between_two_nanoseconds_is_at_the_later() {
        let leg =
            Leg { start: Instant::ZERO, from: at(0.0, 0.0), to: at(1.0, 0.0), speed_mps: 3.0 };
        assert_eq!(leg.arrival().as_nanos(), 333_333_334);
        assert!(leg.position(Instant::from_nanos(333_333_333)).x_m < 1.0);
        assert_eq!(leg.position(Instant::from_nanos(333_333_334)), leg.to);
    }

    #[test]
    fn a_speed_of_zero_keeps_a_node_where_it_is() {
        let leg =
            Leg { start: Instant::ZERO, from: at(3.0, 0.0), to: at(9.0, 0.0), speed_mps: 0.0 };
        assert_eq!(leg.position(Instant::FAR), leg.from);
    }
}
