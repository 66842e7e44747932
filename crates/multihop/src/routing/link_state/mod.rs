//! What OLSR (RFC 3626) and OLSRv2 (RFC 7181) share: relays, the messages seen, the nodes two hops
//! away, what others advertise, the routes that follow, messages that wait and their jitter.

mod duplicates;
mod jitter;
mod mpr;
mod routes;
mod sequence;
mod topology;
mod two_hop;
mod waiting;

pub use duplicates::Duplicates;
pub use jitter::{delayed, periodic};
pub use mpr::{Candidate, NEVER, select};
pub use routes::{Near, Routes};
pub use sequence::is_newer;
pub use topology::{Tc, Topology};
pub use two_hop::TwoHop;
pub use waiting::{Waiting, packed};

#[cfg(test)]
mod tests;
