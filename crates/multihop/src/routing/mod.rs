//! Routing: finds next hops for packets. One folder or file a protocol.
//!
//! A protocol is a state machine. Calls: `on_start` once at time 0; then `on_send` for a packet of
//! this node's own transport, `on_receive` for a packet from the link, `on_link_failure` when the link
//! could not deliver, `on_timer` when a timer it set comes due. Each gets a [`Context`] and leaves
//! what it wants done in it; it is called again only after those actions have been carried out.
//! A data packet that has reached its destination goes to transport; a protocol that counts deliveries is
//! only shown it.

mod agent;
pub mod aodv;
pub mod ccar;
mod context;
pub mod copas;
pub mod dcar;
pub mod dsr;
mod fixed;
#[cfg(test)]
mod harness;
pub mod multipath;
pub mod oracle;

pub use agent::Agent;
pub use context::{Action, Context, DropReason, Timer};
pub use fixed::FixedRoutes;
pub use oracle::{Connection, Oracle, Shared};
