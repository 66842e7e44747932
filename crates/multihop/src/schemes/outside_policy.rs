//! Policies of routing protocols from outside: `routing.scheme` calls them, and their protocol's
//! keys stand beside it.

use toml::Table;

use crate::config::Error;
use crate::routing::{Routing, aodv, dsr};

/// A policy of one of the protocols.
#[derive(Clone, Copy, Debug)]
pub enum OutsidePolicy {
    /// Of AODV.
    Aodv(aodv::OutsidePolicy),
    /// Of DSR.
    Dsr(dsr::OutsidePolicy),
}

impl OutsidePolicy {
    /// Its protocol with this policy and the keys of a `[routing]` table.
    ///
    /// # Errors
    /// The first key that the protocol does not have, or that has the wrong shape.
    pub(super) fn routing(self, table: Table) -> Result<Routing, Error> {
        match self {
            OutsidePolicy::Aodv(policy) => policy.routing(table),
            OutsidePolicy::Dsr(policy) => policy.routing(table),
        }
    }
}
