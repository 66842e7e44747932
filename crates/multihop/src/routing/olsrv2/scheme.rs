//! OLSRv2 among the routing schemes, and what it adds to a result.

use std::sync::Arc;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};
use toml::Table;

use super::messages::Olsr2Packet;
use super::{Olsr2, Olsr2Config};
use crate::config::document::read;
use crate::config::{ConfigError, Error, Named};
use crate::profile::Profile;
use crate::routing::{Layer, Nodes, Scheme, Setting, World};
use crate::wire::Octets;

/// What OLSRv2 did and knew, all nodes together.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Olsr2Report {
    /// HELLOs sent.
    pub hellos_sent: u64,
    /// TCs that nodes wrote.
    pub tcs_originated: u64,
    /// Those among them before their time, since what they advertise had changed.
    pub tcs_triggered: u64,
    /// TCs of others that relays passed on.
    pub tcs_forwarded: u64,
    /// Packets in which these were sent.
    pub packets_sent: u64,
    /// Their size with the headers of IP and UDP \[bytes\].
    pub control_bytes: u64,
    /// Destinations whose next hop changed, came or went when a table was worked out anew.
    pub route_changes: u64,
    /// Data packets dropped because they had gone round: they came back to their source, or their
    /// time to live was over.
    pub loops_seen: u64,
    /// Relays for messages chosen at the end of the run, a node's counted once for each node that
    /// chose it.
    pub flooding_mprs: u64,
    /// Relays for data.
    pub routing_mprs: u64,
    /// Links advertised to a node at the end of the run, summed over nodes.
    pub links_known: u64,
}

impl Olsr2 {
    /// What this node has counted, and what it knows.
    fn report(&self) -> Olsr2Report {
        Olsr2Report {
            flooding_mprs: self.flooding_mprs.len() as u64,
            routing_mprs: self.routing_mprs.len() as u64,
            links_known: self.topology.len() as u64,
            ..self.counts.clone()
        }
    }
}

impl Scheme for Olsr2Config {
    const NAME: &'static str = "olsrv2";
    const ABOUT: &'static str = "OLSRv2 (RFC 7181): relays for messages and for data, metrics.";
    const MESSAGES: &'static [(&'static str, &'static str)] =
        &[(Olsr2Packet::NAME, "A packet of OLSRv2 without a HELLO.")];
    const NAMED: &'static [Named] = &[
        Named::new(
            "olsrv2",
            "OLSRv2 (RFC 7181) by hops, TCP NewReno",
            &[("routing", "{scheme = \"olsrv2\"}"), ("transport.scheme", "\"newreno\"")],
        ),
        Named::new(
            "olsrv2-dat",
            "OLSRv2 by directional airtime (RFC 7779), TCP NewReno",
            &[
                ("routing", "{scheme = \"olsrv2\", metric = \"dat\"}"),
                ("transport.scheme", "\"newreno\""),
            ],
        ),
    ];

    const KEEPS_ROUTES: bool = true;

    fn read(table: Table) -> Result<Olsr2Config, Error> {
        read("routing", table.into())
    }

    fn check(&self, _: &Setting) -> Result<(), ConfigError> {
        Olsr2Config::check(self)
    }

    fn resolved(&self, _: Profile) -> Olsr2Config {
        Olsr2Config::resolved(self)
    }

    fn needs_one_interface(&self) -> Option<&'static str> {
        Some("its HELLOs tell of one address a node")
    }

    fn build(&self, world: &World) -> Box<dyn Layer> {
        let config = Arc::new(self.resolved());
        let node = |node| Olsr2::new(node, world.nodes, &config, world.data_rate_bps);
        Box::new(Nodes::new(world, node).summing(Olsr2::report))
    }

    fn report_schema(generator: &mut SchemaGenerator) -> Option<Schema> {
        Some(generator.subschema_for::<Olsr2Report>())
    }
}
