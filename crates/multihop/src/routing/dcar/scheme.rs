//! DCAR as a routing scheme: its named variants, and its report in a result.

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};
use toml::Table;

use super::{DcarConfig, DcarTable, Ledger};
use crate::config::table::read_beside;
use crate::config::{ConfigError, Error, Named};
use crate::profile::Profile;
use crate::routing::aodv::Aodv;
use crate::routing::aodv::scheme::over_aodv;
use crate::routing::{Layer, Nodes, Scheme, Setting, World};

/// Counters of DCAR over all nodes.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DcarReport {
    /// Better copies of requests that arrived after the node had chosen a worse one.
    pub late_requests: u64,
    /// Weights that nodes gave to requests, one per node and discovery.
    pub weights_used: u64,
    /// Connections by which these weights differed from what the nodes counted at the time, summed.
    pub weights_stale_connections: u64,
}

impl Scheme for DcarTable {
    const NAME: &'static str = "dcar";
    const ABOUT: &'static str = "DCAR: AODV that routes around congestion.";
    const NAMED: &'static [Named] = &[
        Named::new(
            "shortest-path-aodv",
            "AODV with flooded requests and no local repair (the papers' baseline), TCP NewReno, standby",
            &over_aodv("{scheme = \"aodv\", expanding_ring = false, local_repair = false}"),
        ),
        Named::new(
            "dcar",
            "AODV that routes around congestion announced in HELLOs, TCP NewReno, standby",
            &over_aodv("{scheme = \"dcar\"}"),
        ),
        Named::new(
            "dcar-ideal-1",
            "DCAR whose HELLOs need no packets and are never lost",
            &over_aodv("{scheme = \"dcar\", ideal = 1}"),
        ),
        Named::new(
            "dcar-ideal-2",
            "DCAR whose nodes know their neighbours' connections at every instant",
            &over_aodv("{scheme = \"dcar\", ideal = 2}"),
        ),
        Named::new(
            "dcar-ideal-3",
            "DCAR whose nodes know the connections of all nodes in sensing range at every instant",
            &over_aodv("{scheme = \"dcar\", ideal = 3}"),
        ),
        Named::new(
            "dcar-wide-hello",
            "DCAR whose HELLOs list the neighbours, so that weights span two hops",
            &over_aodv("{scheme = \"dcar\", wide_hello = true}"),
        ),
    ];

    fn read(table: Table) -> Result<DcarTable, Error> {
        let defaults = |_: &DcarConfig| DcarTable::default().aodv;
        let (dcar, aodv) = read_beside("routing", table, defaults)?;
        Ok(DcarTable { aodv, dcar })
    }

    fn check(&self, _: &Setting) -> Result<(), ConfigError> {
        DcarTable::check(self)
    }

    fn resolved(&self, profile: Profile) -> DcarTable {
        DcarTable { aodv: self.aodv.resolved(profile), dcar: self.dcar.resolved() }
    }

    fn needs_one_interface(&self) -> Option<&'static str> {
        Some("a node's weight is that of one medium")
    }

    fn build(&self, world: &World) -> Box<dyn Layer> {
        let node = |node| Aodv::congestion_aware(node, self, world.profile);
        let report = |_: &[_], shared: &crate::routing::Shared, _| {
            shared.get().map(|ledger: &Ledger| ledger.report.clone()).unwrap_or_default()
        };
        Box::new(Nodes::new(world, node).reporting(report))
    }

    fn report_schema(generator: &mut SchemaGenerator) -> Option<Schema> {
        Some(generator.subschema_for::<DcarReport>())
    }
}
