//! Coverage classes: how much longer slots and response timeouts are for stations far apart.
//!
//! A class adds 3 µs to the air propagation time, there and back, that slots and timeouts allow for
//! (IEEE Std 802.11-2012, coverage classes). Classes here begin where the PHY's own allowance ends.

use crate::kernel::Duration;

/// A coverage class, 0 to 31.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Coverage(pub(super) u8);

impl Coverage {
    const STEP: Duration = Duration::from_micros(3);
    pub(super) const HIGHEST: u8 = 31;

    /// How much it adds to a slot.
    pub fn extra(self) -> Duration {
        Coverage::STEP * u64::from(self.0)
    }
}
