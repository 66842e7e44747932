//! The countdown of one backoff.

use crate::kernel::{Duration, Instant};

/// The backoff timer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Backoff {
    Off,
    /// None, and a station that has the medium watched all the same.
    Watching,
    /// This much is left; the medium has been busy since the last update.
    Frozen(Duration),
    /// This much was left at this instant, and it is counting down.
    Counting(Duration, Instant),
    /// One of each access category, beside this: none of them is of this kind. With them in here
    /// each change of a backoff would look whether there is something to drop.
    Several,
}
