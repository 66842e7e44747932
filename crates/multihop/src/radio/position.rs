//! Positions of nodes.

use serde::{Deserialize, Serialize};

/// A point in the plane.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Position {
    /// Metres east.
    pub x_m: f64,
    /// Metres north.
    pub y_m: f64,
}

impl Position {
    /// Distance \[m\] to another point.
    pub fn distance_m(&self, other: &Position) -> f64 {
        let (dx, dy) = (self.x_m - other.x_m, self.y_m - other.y_m);
        (dx * dx + dy * dy).sqrt()
    }
}
