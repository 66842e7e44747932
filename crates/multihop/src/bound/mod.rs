//! What a bound on the rates of a network's flows is worked out from: what limits them, and the
//! heaviest sets of links that can be in use together.

mod capacity;
mod exchange;
mod packing;
mod periods;

pub use capacity::{Capacity, Demand, Kind, Slot};
pub use exchange::Exchange;
pub use packing::{Heaviest, Packing};
pub use periods::Period;
