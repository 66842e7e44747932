//! HWMP among the routing schemes, and what it adds to a result.

use std::sync::Arc;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};
use toml::Table;

use super::frames::MeshFrame;
use super::{Hwmp, HwmpConfig};
use crate::config::document::read;
use crate::config::{ConfigError, Error, Named};
use crate::measure::Counts;
use crate::profile::Profile;
use crate::routing::metric::{LinkMetric, Metric};
use crate::routing::outside::TakesPolicy;
use crate::routing::{Layer, Nodes, Scheme, Setting, World};
use crate::wire::{NodeId, Octets};

/// What HWMP did and knew, all nodes together.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct HwmpReport {
    /// Beacons sent.
    pub beacons_sent: u64,
    /// Opens and Confirms of peerings sent.
    pub peering_frames_sent: u64,
    /// PREQs that nodes wrote for destinations, and to confirm paths.
    pub preqs_originated: u64,
    /// PREQs that a root wrote for all.
    pub proactive_preqs_originated: u64,
    /// PREQs of others passed on.
    pub preqs_forwarded: u64,
    /// PREPs written.
    pub preps_originated: u64,
    /// Those among them of nodes that were not sought, but knew a path.
    pub intermediate_preps: u64,
    /// PREPs of others passed on.
    pub preps_forwarded: u64,
    /// PERRs sent.
    pub perrs_sent: u64,
    /// Root announcements sent.
    pub ranns_sent: u64,
    /// The size of all these, without MAC headers \[bytes\].
    pub control_bytes: u64,
    /// Destinations given up since nobody answered.
    pub discoveries_failed: u64,
    /// Paths that came, changed their next hop, or broke.
    pub path_changes: u64,
    /// Data packets dropped because they had gone round: they came back to their source, or their
    /// time to live was over.
    pub loops_seen: u64,
    /// Peers at the end of the run, summed over nodes.
    pub peers: u64,
}

/// What a data frame has more than the MAC's header of three addresses: the fourth, QoS control and
/// the Mesh Control field without extension \[bytes\]. ns-2's MAC always has the fourth address.
fn data_header_bytes(profile: Profile) -> u32 {
    let fourth_address = match profile {
        Profile::Ns2 => 0,
        Profile::Standard => 6,
    };
    fourth_address + 2 + 6
}

impl Scheme for HwmpConfig {
    const NAME: &'static str = "hwmp";
    const ABOUT: &'static str = "HWMP of 802.11s: paths on demand or from a root, by airtime.";
    const MESSAGES: &'static [(&'static str, &'static str)] =
        &[(MeshFrame::NAME, "An Open or Confirm of a peering of HWMP, or a root announcement.")];
    const NAMED: &'static [Named] = &[
        Named::new(
            "hwmp",
            "HWMP of 802.11s, paths on demand, TCP NewReno",
            &[("routing", "{scheme = \"hwmp\"}"), ("transport.scheme", "\"newreno\"")],
        ),
        Named::new(
            "hwmp-root",
            "HWMP of 802.11s, node 0 a root that keeps paths to all, TCP NewReno",
            &[
                ("routing", "{scheme = \"hwmp\", root_mode = \"preq-with-prep\"}"),
                ("transport.scheme", "\"newreno\""),
            ],
        ),
    ];

    fn read(table: Table) -> Result<HwmpConfig, Error> {
        read("routing", table.into())
    }

    fn check(&self, setting: &Setting) -> Result<(), ConfigError> {
        HwmpConfig::check(self)?;
        let nodes = setting.stations.nodes();
        if self.root as usize >= nodes {
            let fault = format!("must be a node, 0 to {} (got {})", nodes - 1, self.root);
            return Err(ConfigError::new("root", fault));
        }
        if setting.stations.have_wires() {
            let fault =
                "must be another with [[wires]]: HWMP's frames are 802.11's, which go by the air";
            return Err(ConfigError::new("scheme", fault));
        }
        Ok(())
    }

    fn is_below_ip(&self) -> bool {
        true
    }

    fn needs_one_interface(&self) -> Option<&'static str> {
        None
    }

    fn build(&self, world: &World) -> Box<dyn Layer> {
        Box::new(Nodes::new(world, self.node(world)).summing(Hwmp::report))
    }

    fn report_schema(generator: &mut SchemaGenerator) -> Option<Schema> {
        Some(generator.subschema_for::<HwmpReport>())
    }
}

impl HwmpConfig {
    /// Makes the protocol of each node.
    fn node(&self, world: &World) -> impl Fn(NodeId) -> Hwmp + use<> {
        let config = Arc::new(self.clone());
        let (attempts, header) = (world.test_attempts.to_vec(), data_header_bytes(world.profile));
        move |node| Hwmp::new(node, &config, &attempts, header)
    }
}

impl TakesPolicy for HwmpConfig {
    type Policy = dyn LinkMetric;
    type Node = Hwmp;

    fn make(&self, world: &World) -> impl Fn(NodeId, Box<dyn LinkMetric>) -> Hwmp {
        let made = self.node(world);
        move |node, metric| made(node).with_metric(Metric::outside(metric))
    }

    fn counts(node: &Hwmp) -> Counts {
        node.metric.counts()
    }
}
