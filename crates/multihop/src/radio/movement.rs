//! How nodes move: each along straight legs at constant speed, exactly and without time steps.

use super::Position;
use super::random_waypoint::RandomWaypoint;
use crate::kernel::Instant;

/// A straight piece of a node's way: from `from` towards `to` at a constant speed, then waiting there
/// until the next leg starts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Leg {
    /// When it starts.
    pub start: Instant,
    /// Where the node is at `start`.
    pub from: Position,
    /// Where it goes.
    pub to: Position,
    /// How fast \[m/s\]; 0 for a node that stays at `from`.
    pub speed_mps: f64,
}

/// A node's legs in the order of their starts; the first starts at 0.
#[derive(Clone, Debug)]
pub enum Course {
    /// Known from the start.
    Listed(std::vec::IntoIter<Leg>),
    /// Drawn as the node goes.
    RandomWaypoint(RandomWaypoint),
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
    /// Each node's way.
    pub courses: Vec<Course>,
    /// No leg is faster \[m/s\].
    pub max_speed_mps: f64,
}
