//! What a bound on the rates of a network's flows is worked out from: what limits them, and the
//! heaviest sets of links that can be in use together.

mod capacity;
mod packing;

pub use capacity::{Capacity, Demand, Exchange, Period};
pub use packing::{Heaviest, Packing};
