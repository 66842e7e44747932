//! Contention windows that follow backlogs: how soon a station tries to send, and how much, from
//! what it knows of queues.
//!
//! [`Windowed`] is a [`Dcf`](super::Dcf) under a [`WindowRule`]: the DCF's frame exchange is as
//! ever, and the rule says from which windows its backoffs are drawn. Routing and ARP packets
//! contend by the windows of the DCF.

mod access;
pub mod adaptive_csma;
pub mod diffq;
pub mod ez_flow;
mod rule;

use schemars::{Schema, SchemaGenerator};

pub use access::Windowed;
pub use rule::{Link, Needs, WindowRule, Windows};

/// The schemas of what rules add to a result.
pub fn report_schemas(generator: &mut SchemaGenerator) -> [(&'static str, Schema); 2] {
    [
        (ez_flow::NAME, generator.subschema_for::<ez_flow::EzFlowCounters>()),
        (diffq::NAME, generator.subschema_for::<diffq::DiffqCounters>()),
    ]
}
