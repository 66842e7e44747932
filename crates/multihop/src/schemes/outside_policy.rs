//! Policies of routing protocols from outside: `routing.scheme` calls them, and their protocol's
//! keys stand beside it.

use schemars::{Schema, SchemaGenerator};
use toml::Table;

use crate::config::Error;
use crate::routing::aodv::AodvConfig;
use crate::routing::babel::BabelConfig;
use crate::routing::batman::BatmanConfig;
use crate::routing::dsr::DsrConfig;
use crate::routing::hwmp::HwmpConfig;
use crate::routing::olsr::OlsrConfig;
use crate::routing::outside::OutsidePolicy as Of;
use crate::routing::{Routing, Scheme, aodv, dsr};

/// A policy of one of the protocols.
#[derive(Clone, Copy, Debug)]
pub enum OutsidePolicy {
    /// Of AODV.
    Aodv(aodv::OutsidePolicy),
    /// Of DSR.
    Dsr(dsr::OutsidePolicy),
    /// What links cost in Babel.
    Babel(Of<BabelConfig>),
    /// What they cost in OLSR.
    Olsr(Of<OlsrConfig>),
    /// What they cost in HWMP.
    Hwmp(Of<HwmpConfig>),
    /// How good they are in B.A.T.M.A.N. IV.
    Batman(Of<BatmanConfig>),
}

impl OutsidePolicy {
    /// The schemas of the protocols' keys.
    pub(super) fn schemas(generator: &mut SchemaGenerator) -> [Schema; 6] {
        [
            generator.subschema_for::<AodvConfig>(),
            generator.subschema_for::<DsrConfig>(),
            generator.subschema_for::<BabelConfig>(),
            generator.subschema_for::<OlsrConfig>(),
            generator.subschema_for::<HwmpConfig>(),
            generator.subschema_for::<BatmanConfig>(),
        ]
    }

    /// Whether its protocol keeps routes to all others.
    pub(super) fn keeps_routes(self) -> bool {
        match self {
            OutsidePolicy::Aodv(_) => AodvConfig::KEEPS_ROUTES,
            OutsidePolicy::Dsr(_) => DsrConfig::KEEPS_ROUTES,
            OutsidePolicy::Babel(_) => BabelConfig::KEEPS_ROUTES,
            OutsidePolicy::Olsr(_) => OlsrConfig::KEEPS_ROUTES,
            OutsidePolicy::Hwmp(_) => HwmpConfig::KEEPS_ROUTES,
            OutsidePolicy::Batman(_) => BatmanConfig::KEEPS_ROUTES,
        }
    }

    /// Its protocol with this policy and the keys of a `[routing]` table.
    ///
    /// # Errors
    /// The first key that the protocol does not have, or that has the wrong shape.
    pub(super) fn routing(self, table: Table) -> Result<Routing, Error> {
        match self {
            OutsidePolicy::Aodv(policy) => policy.routing(table),
            OutsidePolicy::Dsr(policy) => policy.routing(table),
            OutsidePolicy::Babel(metric) => metric.routing(table),
            OutsidePolicy::Olsr(metric) => metric.routing(table),
            OutsidePolicy::Hwmp(metric) => metric.routing(table),
            OutsidePolicy::Batman(metric) => metric.routing(table),
        }
    }
}
