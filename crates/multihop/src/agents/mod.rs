//! Agents: what steers the senders of flows, or nodes, from outside their protocols.
//!
//! An agent is of one flow or of one node. At each of its instants it observes numbers of it and
//! sets others ([`FLOW`], [`NODE`]), both as shares of their ranges, so that whatever learns sees
//! numbers about 1. `policy.rs` is an agent made of weights, which a scenario names in its
//! `[[agents]]`. `simulation/steering.rs` observes and sets.

mod config;
mod learned;
mod policy;
mod quantity;

pub use config::{AgentTable, indices};
pub use learned::LEARNED;
pub use policy::{Activation, LayerTable, Policy};
pub use quantity::{FLOW, NODE, Of, Quantities, Quantity, Scale};
