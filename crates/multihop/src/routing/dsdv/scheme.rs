//! DSDV among the routing schemes, and what it adds to a result.

use std::sync::Arc;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};
use toml::Table;

use super::message::Update;
use super::{Dsdv, DsdvConfig};
use crate::config::document::read;
use crate::config::{ConfigError, Error, Named};
use crate::routing::{Layer, Nodes, Scheme, Setting, World};
use crate::wire::Octets;

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
    /// Data packets dropped because they had gone round: they came back to their source, or their
    /// time to live was over.
    pub loops_seen: u64,
}

impl Scheme for DsdvConfig {
    const NAME: &'static str = "dsdv";
    const ABOUT: &'static str = "DSDV (1994): distance vectors with numbers of the destinations.";
    const MESSAGES: &'static [(&'static str, &'static str)] =
        &[(Update::NAME, "An update of DSDV.")];
    const NAMED: &'static [Named] = &[Named::new(
        "dsdv",
        "destination-sequenced distance vectors, TCP NewReno",
        &[("routing", "{scheme = \"dsdv\"}"), ("transport.scheme", "\"newreno\"")],
    )];

    const KEEPS_ROUTES: bool = true;

    fn read(table: Table) -> Result<DsdvConfig, Error> {
        read("routing", table.into())
    }

    fn check(&self, _: &Setting) -> Result<(), ConfigError> {
        DsdvConfig::check(self)
    }

    fn needs_one_interface(&self) -> Option<&'static str> {
        None
    }

    fn build(&self, world: &World) -> Box<dyn Layer> {
        let config = Arc::new(self.clone());
        let nodes = Nodes::new(world, |node| Dsdv::new(node, &config, world.profile));
        Box::new(nodes.summing(|node| node.counts.clone()))
    }

    fn report_schema(generator: &mut SchemaGenerator) -> Option<Schema> {
        Some(generator.subschema_for::<DsdvReport>())
    }
}
