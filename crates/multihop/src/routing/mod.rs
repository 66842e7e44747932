//! Routing: finds next hops for packets. One folder per scheme.
//!
//! [`Protocol`] is one node's routing, a state machine; [`actions`] carries out what it asks for.
//! [`Scheme`] is a protocol's keys and builds the [`Layer`] of all nodes from them; the list of
//! schemes is in [`crate::schemes`]. A scheme that differs from AODV or DSR only in its choices is
//! a policy of theirs ([`aodv::Policy`], [`dsr::Policy`]).
//!
//! A data packet that has reached its destination goes to transport; a protocol that counts
//! deliveries only sees it.

pub mod actions;
pub mod aodv;
pub mod babel;
pub mod batman;
pub mod ccar;
mod context;
pub mod copas;
mod copies;
pub mod dcar;
pub mod direct;
pub mod dsdv;
pub mod dsr;
pub mod etx;
pub mod fixed;
pub mod harness;
mod heard_stations;
pub mod hwmp;
pub mod iru;
mod layer;
mod link_state;
pub mod metric;
pub mod multipath;
pub(crate) mod neighbour_table;
pub mod olsr;
pub mod olsrv2;
pub mod oracle;
pub mod outside;
mod protocol;
mod relaying;
mod scheme;
pub(crate) mod shortest_paths;
#[cfg(test)]
mod storm;
#[cfg(test)]
mod tests;

pub use actions::{Action, DropReason};
pub use context::{Context, Timer};
pub use layer::{ByStation, Layer, Listeners, Nodes};
pub use oracle::{Oracle, Shared};
pub use protocol::{NextHops, Protocol};
pub(crate) use relaying::originated;
pub use scheme::{FlowPlan, Routing, Scheme, Setting, World};
