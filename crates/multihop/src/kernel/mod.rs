//! The simulation kernel: time, the pending-event queue, deadlines, timers and random streams.

mod calendar;
pub mod deadlines;
mod heap;
pub mod order;
pub mod queue;
pub mod random;
pub mod slab;
pub mod time;
pub mod timers;

pub use deadlines::Deadlines;
pub use order::EventKey;
pub use queue::EventQueue;
pub use random::{Purpose, Rng, mix};
pub use slab::Slab;
pub use time::{Duration, Instant, seconds};
pub use timers::Timers;
