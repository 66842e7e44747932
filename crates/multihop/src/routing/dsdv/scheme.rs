//! DSDV among the routing schemes, and what it adds to a result.

use std::sync::Arc;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};
use toml::Table;

use super::{Dsdv, DsdvConfig};
use crate::config::document::read;
use crate::config::{ConfigError, Error, Named};
use crate::kernel::Instant;
use crate::routing::{Layer, Nodes, Scheme, Setting, Shared, World};

/// What DSDV did, all nodes together.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DsdvReport {
    /// Periodic updates sent.
    pub full_updates_sent: u64,
    /// Updates that changes triggered.
    pub changes_sent: u64,
    /// Routes that came, changed their next hop or length, or broke.
    pub route_changes: u64,
    /// Links found broken that routes led over.
    pub broken_links: u64,
    /// Packets that came back to their source.
    pub loops_seen: u64,
}

impl DsdvReport {
    fn new(nodes: &[Dsdv]) -> DsdvReport {
        let mut all = DsdvReport::default();
        for node in nodes {
            let counts = &node.counts;
            all.full_updates_sent += counts.full_updates_sent;
            all.changes_sent += counts.changes_sent;
            all.route_changes += counts.route_changes;
            all.broken_links += counts.broken_links;
            all.loops_seen += counts.loops_seen;
        }
        all
    }
}

impl Scheme for DsdvConfig {
    const NAME: &'static str = "dsdv";
    const ABOUT: &'static str = "DSDV (1994): distance vectors with numbers of the destinations.";
    const NAMED: &'static [Named] = &[Named::new(
        "dsdv",
        "destination-sequenced distance vectors, TCP NewReno",
        &[("routing", "{scheme = \"dsdv\"}"), ("transport.scheme", "\"newreno\"")],
    )];

    fn read(table: Table) -> Result<DsdvConfig, Error> {
        read("routing", table.into())
    }

    fn check(&self, _: &Setting) -> Result<(), ConfigError> {
        DsdvConfig::check(self)
    }

    fn build(&self, world: &World) -> Box<dyn Layer> {
        let config = Arc::new(self.clone());
        let report = |nodes: &[Dsdv], _: &Shared, _: Instant| DsdvReport::new(nodes);
        Box::new(Nodes::new(world, |node| Dsdv::new(node, &config)).reporting(report))
    }

    fn report_schema(generator: &mut SchemaGenerator) -> Option<Schema> {
        Some(generator.subschema_for::<DsdvReport>())
    }
}
