//! HWMP among the routing schemes, and what it adds to a result.

use std::sync::Arc;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};
use toml::Table;

use super::{Hwmp, HwmpConfig};
use crate::config::document::read;
use crate::config::{ConfigError, Error, Named};
use crate::kernel::Instant;
use crate::profile::Profile;
use crate::routing::{Layer, Nodes, Scheme, Setting, Shared, World};

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
    /// Bytes of all these, without MAC headers.
    pub control_bytes: u64,
    /// Destinations given up since nobody answered.
    pub discoveries_failed: u64,
    /// Paths that came, changed their next hop, or broke.
    pub path_changes: u64,
    /// Packets that came back to their source.
    pub loops_seen: u64,
    /// Peers at the end of the run, summed over nodes.
    pub peers: u64,
}

impl HwmpReport {
    fn new(nodes: &[Hwmp], end: Instant) -> HwmpReport {
        let mut all = HwmpReport::default();
        for node in nodes {
            let counts = &node.counts;
            all.beacons_sent += counts.beacons_sent;
            all.peering_frames_sent += counts.peering_frames_sent;
            all.preqs_originated += counts.preqs_originated;
            all.proactive_preqs_originated += counts.proactive_preqs_originated;
            all.preqs_forwarded += counts.preqs_forwarded;
            all.preps_originated += counts.preps_originated;
            all.intermediate_preps += counts.intermediate_preps;
            all.preps_forwarded += counts.preps_forwarded;
            all.perrs_sent += counts.perrs_sent;
            all.ranns_sent += counts.ranns_sent;
            all.control_bytes += counts.control_bytes;
            all.discoveries_failed += counts.discoveries_failed;
            all.path_changes += node.paths.changes;
            all.loops_seen += counts.loops_seen;
            all.peers += node.peers.established(end).count() as u64;
        }
        all
    }
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
        Ok(())
    }

    fn is_below_ip(&self) -> bool {
        true
    }

    fn build(&self, world: &World) -> Box<dyn Layer> {
        let config = Arc::new(self.clone());
        let (attempt, header) = (world.test_attempt, data_header_bytes(world.profile));
        let report = |nodes: &[Hwmp], _: &Shared, end: Instant| HwmpReport::new(nodes, end);
        let node = |node| Hwmp::new(node, &config, attempt, header);
        Box::new(Nodes::new(world, node).reporting(report))
    }

    fn report_schema(generator: &mut SchemaGenerator) -> Option<Schema> {
        Some(generator.subschema_for::<HwmpReport>())
    }
}
