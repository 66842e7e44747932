//! OLSR among the routing schemes, and what it adds to a result.

use std::sync::Arc;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};
use toml::Table;

use super::messages::OlsrPacket;
use super::{Olsr, OlsrConfig, OlsrMetric};
use crate::config::document::read;
use crate::config::{ConfigError, Error, Named};
use crate::measure::Counts;
use crate::profile::Profile;
use crate::routing::metric::{LinkMetric, Metric};
use crate::routing::outside::TakesPolicy;
use crate::routing::{Layer, Nodes, Scheme, Setting, World};
use crate::wire::{NodeId, Octets};

/// What OLSR did and knew, all nodes together.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct OlsrReport {
    /// HELLOs sent.
    pub hellos_sent: u64,
    /// TCs that nodes wrote.
    pub tcs_originated: u64,
    /// TCs of others that relays passed on.
    pub tcs_forwarded: u64,
    /// Destinations whose next hop changed, came or went when a table was worked out anew.
    pub route_changes: u64,
    /// Data packets dropped because they had gone round: they came back to their source, or their
    /// time to live was over.
    pub loops_seen: u64,
    /// Relays chosen at the end of the run, a node's counted once for each node that chose it.
    pub relays_chosen: u64,
    /// Links advertised to a node at the end of the run, summed over nodes.
    pub links_known: u64,
}

impl Olsr {
    /// What this node has counted, and what it knows.
    fn report(&self) -> OlsrReport {
        OlsrReport {
            relays_chosen: self.mprs.len() as u64,
            links_known: self.topology.len() as u64,
            ..self.counts.clone()
        }
    }
}

impl Scheme for OlsrConfig {
    const NAME: &'static str = "olsr";
    const ABOUT: &'static str = "OLSR (RFC 3626): links by HELLOs, relays, shortest paths.";
    const MESSAGES: &'static [(&'static str, &'static str)] =
        &[(OlsrPacket::NAME, "A packet of OLSR without a HELLO.")];
    const NAMED: &'static [Named] = &[
        Named::new(
            "olsr",
            "OLSR (RFC 3626), TCP NewReno",
            &[("routing", "{scheme = \"olsr\"}"), ("transport.scheme", "\"newreno\"")],
        ),
        Named::new(
            "olsr-etx",
            "OLSR with the link quality extension of community networks, TCP NewReno",
            &[
                ("routing", "{scheme = \"olsr\", metric = \"etx\"}"),
                ("transport.scheme", "\"newreno\""),
            ],
        ),
    ];

    const KEEPS_ROUTES: bool = true;

    fn read(table: Table) -> Result<OlsrConfig, Error> {
        read("routing", table.into())
    }

    fn check(&self, _: &Setting) -> Result<(), ConfigError> {
        OlsrConfig::check(self)
    }

    fn resolved(&self, _: Profile) -> OlsrConfig {
        OlsrConfig::resolved(self)
    }

    fn carries_clients(&self) -> bool {
        true
    }

    fn needs_one_interface(&self) -> Option<&'static str> {
        None
    }

    fn build(&self, world: &World) -> Box<dyn Layer> {
        Box::new(Nodes::new(world, self.node(world)).summing(Olsr::report))
    }

    fn report_schema(generator: &mut SchemaGenerator) -> Option<Schema> {
        Some(generator.subschema_for::<OlsrReport>())
    }
}

impl OlsrConfig {
    /// Makes the protocol of each node.
    fn node(&self, world: &World) -> impl Fn(NodeId) -> Olsr + use<> {
        let (config, nodes) = (Arc::new(self.resolved()), world.nodes);
        move |node| Olsr::new(node, nodes, &config)
    }
}

impl TakesPolicy for OlsrConfig {
    type Policy = dyn LinkMetric;
    type Node = Olsr;

    /// Links are measured, and told with their qualities.
    fn governed(self) -> OlsrConfig {
        OlsrConfig { metric: OlsrMetric::Etx, ..self }
    }

    fn make(&self, world: &World) -> impl Fn(NodeId, Box<dyn LinkMetric>) -> Olsr {
        let made = self.node(world);
        move |node, metric| made(node).with_metric(Metric::outside(metric))
    }

    fn counts(node: &Olsr) -> Counts {
        node.metric.counts()
    }
}
