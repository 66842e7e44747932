//! The simulation kernel: time, the pending-event queue, timers and random streams.

pub mod random;
pub mod time;

pub use random::{Purpose, Rng};
pub use time::{Duration, Instant};
