//! B.A.T.M.A.N. IV among the routing schemes, and what it adds to a result.

use std::sync::Arc;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};
use toml::Table;

use super::message::OgmFrame;
use super::{Batman, BatmanConfig};
use crate::config::document::read;
use crate::config::{ConfigError, Error, Named};
use crate::measure::Counts;
use crate::routing::metric::{LinkMetric, Metric};
use crate::routing::outside::TakesPolicy;
use crate::routing::{Layer, Nodes, Scheme, Setting, World};
use crate::wire::{NodeId, Octets};

/// What B.A.T.M.A.N. did and knew, all nodes together.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct BatmanReport {
    /// Originator messages that nodes wrote.
    pub ogms_originated: u64,
    /// Those of others that nodes passed on with their best quality.
    pub ogms_forwarded: u64,
    /// Those of neighbours that nodes passed on for the neighbour alone, which learns of the link.
    pub echoes_forwarded: u64,
    /// Frames in which these were sent.
    pub frames_sent: u64,
    /// Their size, without MAC headers \[bytes\].
    pub control_bytes: u64,
    /// Routes that came, changed their next hop, or went.
    pub route_changes: u64,
    /// Data packets dropped because they had gone round: they came back to their source, or their
    /// time to live was over.
    pub loops_seen: u64,
    /// Nodes that a node had a route to at the end of the run, summed over nodes.
    pub routes: u64,
}

impl Scheme for BatmanConfig {
    const NAME: &'static str = "batman";
    const ABOUT: &'static str = "B.A.T.M.A.N. IV: next hops by the transmit quality of messages.";
    const MESSAGES: &'static [(&'static str, &'static str)] =
        &[(OgmFrame::NAME, "Originator messages of B.A.T.M.A.N., none of them the sender's own.")];
    const NAMED: &'static [Named] = &[Named::new(
        "batman",
        "B.A.T.M.A.N. IV as batman-adv has it, TCP NewReno",
        &[("routing", "{scheme = \"batman\"}"), ("transport.scheme", "\"newreno\"")],
    )];

    const KEEPS_ROUTES: bool = true;

    fn read(table: Table) -> Result<BatmanConfig, Error> {
        read("routing", table.into())
    }

    fn check(&self, _: &Setting) -> Result<(), ConfigError> {
        BatmanConfig::check(self)
    }

    fn is_below_ip(&self) -> bool {
        true
    }

    fn needs_one_interface(&self) -> Option<&'static str> {
        None
    }

    fn build(&self, world: &World) -> Box<dyn Layer> {
        Box::new(Nodes::new(world, self.node(world)).summing(Batman::report))
    }

    fn report_schema(generator: &mut SchemaGenerator) -> Option<Schema> {
        Some(generator.subschema_for::<BatmanReport>())
    }
}

impl BatmanConfig {
    /// Makes the protocol of each node.
    fn node(&self, _: &World) -> impl Fn(NodeId) -> Batman + use<> {
        let config = Arc::new(self.clone());
        move |node| Batman::new(node, &config)
    }
}

impl TakesPolicy for BatmanConfig {
    type Policy = dyn LinkMetric;
    type Node = Batman;

    fn make(&self, world: &World) -> impl Fn(NodeId, Box<dyn LinkMetric>) -> Batman {
        let made = self.node(world);
        move |node, metric| made(node).with_metric(Metric::outside(metric))
    }

    fn counts(node: &Batman) -> Counts {
        node.metric.counts()
    }
}
