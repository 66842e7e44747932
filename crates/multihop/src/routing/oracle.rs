//! What idealised schemes know without a packet: the true network, and what they share.
//!
//! A real protocol learns through messages alone and never looks in here. Nothing is worked out before
//! it is asked for, so those that don't ask pay nothing.

use super::ccar::{Centre, CentreReport};
use super::dcar::Ledger;
use crate::radio::Hearers;
use crate::wire::NodeId;

/// The omniscient view, lent to a protocol for one call.
#[derive(Debug)]
pub struct Oracle<'a> {
    /// The true network: who is within receiving range of whom (`decoding`) and who within sensing range
    /// (`sensing`).
    pub hearers: &'a mut Hearers,
    /// What the nodes of a scheme know in common.
    pub shared: &'a mut Shared,
}

/// What the nodes of an idealised scheme know in common, one kind a scheme.
#[derive(Debug, Default)]
pub enum Shared {
    /// Nothing: each node knows what it has heard.
    #[default]
    Nothing,
    /// DCAR: the connections through each node.
    Dcar(Ledger),
    /// CCAR: the centre.
    Centre(Box<Centre>),
}

impl Shared {
    /// What a centre chose, if there is one.
    pub fn centre_report(&self) -> Option<CentreReport> {
        match self {
            Shared::Centre(centre) => Some(centre.report().clone()),
            Shared::Nothing | Shared::Dcar(_) => None,
        }
    }
}

/// A connection: its two ends, whichever of them sends. Data and acknowledgments are of one connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Connection {
    /// The end with the smaller number.
    pub low: NodeId,
    /// The other.
    pub high: NodeId,
}

impl Connection {
    /// The connection between `a` and `b`.
    pub fn between(a: NodeId, b: NodeId) -> Connection {
        Connection { low: a.min(b), high: a.max(b) }
    }
}
