//! A straight piece of a node's movement.

use super::Position;
use crate::kernel::Instant;

/// Positions at most this far apart \[m\] are the same: files have 12 decimals.
pub(super) const SAME_PLACE_M: f64 = 1e-6;

/// A straight piece of a node's path: from `from` to `to` at constant speed, then a wait until the
/// next leg starts.
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

impl Leg {
    /// A node that stays at `place` from `start` on.
    pub fn stay(start: Instant, place: Position) -> Leg {
        Leg { start, from: place, to: place, speed_mps: 0.0 }
    }

    /// When the node reaches its destination, rounded up to a nanosecond; its start if it stays.
    pub fn arrival(&self) -> Instant {
        let distance_m = self.from.distance_m(&self.to);
        if self.speed_mps == 0.0 || distance_m == 0.0 {
            return self.start;
        }
        let nanos = (distance_m / self.speed_mps * 1e9).ceil() as u64;
        Instant::from_nanos(self.start.as_nanos().saturating_add(nanos))
    }

    /// Whether the node is put elsewhere where `next` begins.
    pub fn is_left_at_once(&self, next: &Leg) -> bool {
        self.position(next.start).distance_m(&next.from) > SAME_PLACE_M
    }

    /// The position at `now`, which is not before the leg's start.
    pub fn position(&self, now: Instant) -> Position {
        if self.speed_mps == 0.0 {
            return self.from;
        }
        if now >= self.arrival() {
            return self.to;
        }
        let gone_m = self.speed_mps * (now - self.start).as_secs_f64();
        let share = (gone_m / self.from.distance_m(&self.to)).min(1.0);
        Position {
            x_m: self.from.x_m + (self.to.x_m - self.from.x_m) * share,
            y_m: self.from.y_m + (self.to.y_m - self.from.y_m) * share,
        }
    }
}
