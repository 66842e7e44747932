//! Random waypoint movement.

use super::movement::Leg;

/// One node's random ways.
#[derive(Clone, Debug)]
pub struct RandomWaypoint;

impl Iterator for RandomWaypoint {
    type Item = Leg;

    fn next(&mut self) -> Option<Leg> {
        None
    }
}
