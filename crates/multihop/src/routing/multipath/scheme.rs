//! Multipath AODV as a routing scheme: its named policies, and its report in a result.

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};
use toml::Table;

use super::log::{PathLog, PathReport, PathTotals};
use super::{MultipathAodv, MultipathConfig, PathPolicy, PathsConfig};
use crate::config::table::read_beside;
use crate::config::{ConfigError, Error, Named};
use crate::profile::Profile;
use crate::routing::aodv::Aodv;
use crate::routing::{Layer, Nodes, Scheme, Setting, Shared, World};
use crate::wire::NodeId;

/// The keys of the named schemes: this routing, and one TCP for all.
const fn multipath(routing: &'static str) -> [(&'static str, &'static str); 6] {
    [
        ("routing", routing),
        ("transport.scheme", "\"newreno\""),
        ("transport.segment_bytes", "1460"),
        ("transport.window_segments", "8"),
        ("transport.duplicate_ack_threshold", "5"),
        ("transport.link_failure", "\"standby\""),
    ]
}

/// The paths that discoveries found.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MultipathReport {
    /// Totals of all discoveries.
    pub totals: PathTotals,
    /// Totals of the discoveries from each flow's source to its destination, in the order of the
    /// flows.
    pub flows: Vec<PathTotals>,
    /// Every path found, if paths are recorded.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub paths: Vec<PathReport>,
}

impl Scheme for MultipathConfig {
    const NAME: &'static str = "multipath-aodv";
    const ABOUT: &'static str = "AODV that finds several paths in one discovery.";
    const NAMED: &'static [Named] = &[
        Named::new(
            "sp",
            "AODV with one path, TCP NewReno with standby and a duplicate-ACK threshold of 5",
            &multipath("{scheme = \"multipath-aodv\", policy = \"sp\"}"),
        ),
        Named::new(
            "ap",
            "multipath AODV, edge-disjoint paths one after another",
            &multipath("{scheme = \"multipath-aodv\", policy = \"ap\"}"),
        ),
        Named::new(
            "edm",
            "multipath AODV, edge-disjoint paths in parallel",
            &multipath("{scheme = \"multipath-aodv\", policy = \"edm\"}"),
        ),
        Named::new(
            "ndm",
            "multipath AODV, node-disjoint paths in parallel",
            &multipath("{scheme = \"multipath-aodv\", policy = \"ndm\"}"),
        ),
    ];

    fn read(table: Table) -> Result<MultipathConfig, Error> {
        let (paths, aodv) = read_beside("routing", table, PathsConfig::default_aodv)?;
        Ok(MultipathConfig { paths, aodv })
    }

    fn check(&self, _: &Setting) -> Result<(), ConfigError> {
        MultipathConfig::check(self)
    }

    fn resolved(&self, profile: Profile) -> MultipathConfig {
        MultipathConfig { aodv: self.aodv.resolved(profile), ..self.clone() }
    }

    fn needs_one_interface(&self) -> Option<&'static str> {
        Some("disjoint paths are told apart by one address a node")
    }

    fn build(&self, world: &World) -> Box<dyn Layer> {
        if self.paths.policy == PathPolicy::Sp {
            return Box::new(Nodes::new(world, |i| Aodv::new(i, &self.aodv, world.profile)));
        }
        let ends = |flow: &crate::routing::FlowPlan| (flow.source, flow.destination);
        let flows: Vec<(NodeId, NodeId)> = world.flows.iter().map(ends).collect();
        let report = move |nodes: &[MultipathAodv], shared: &Shared, _| {
            shared.get().map(|log: &PathLog| report(nodes, log, &flows)).unwrap_or_default()
        };
        let nodes = Nodes::new(world, |i| MultipathAodv::new(i, self, world.profile));
        let log = PathLog::new(world.keeps_paths);
        Box::new(nodes.sharing(Shared::new(log)).reporting(report))
    }

    fn report_schema(generator: &mut SchemaGenerator) -> Option<Schema> {
        Some(generator.subschema_for::<MultipathReport>())
    }
}

/// The report as if the run ended now.
fn report(nodes: &[MultipathAodv], log: &PathLog, flows: &[(NodeId, NodeId)]) -> MultipathReport {
    let log = log.closed(nodes);
    MultipathReport {
        totals: log.all_totals(),
        flows: flows.iter().map(|&(source, destination)| log.totals(source, destination)).collect(),
        paths: log.into_paths(),
    }
}
