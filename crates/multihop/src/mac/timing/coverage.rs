//! Coverage classes: how much longer slots and response timeouts are for stations far apart.
//!
//! A class adds 3 µs to the air propagation time, there and back, that slots and timeouts allow for
//! (IEEE Std 802.11-2012, coverage classes). Classes here begin where the PHY's own allowance ends.

use super::Timing;
use crate::kernel::Duration;

/// A coverage class, 0 to 31.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Coverage(u8);

impl Coverage {
    const STEP: Duration = Duration::from_micros(3);
    const HIGHEST: u8 = 31;

    /// How much it adds to a slot.
    pub fn extra(self) -> Duration {
        Coverage::STEP * u64::from(self.0)
    }
}

impl Timing {
    /// Whether an answer over a link with this propagation delay ends before its timeout.
    pub fn is_covered(&self, delay: Duration) -> bool {
        delay * 2 < self.round_trip
    }

    /// The lowest class with which answers over a link with this propagation delay end in time, or
    /// the highest.
    pub fn coverage_of(&self, delay: Duration) -> Coverage {
        let is_enough = |&class: &u8| delay * 2 < self.round_trip + Coverage(class).extra();
        Coverage((0..=Coverage::HIGHEST).find(is_enough).unwrap_or(Coverage::HIGHEST))
    }
}
