//! CCAR as a routing scheme: its keys and AODV's, its named variants, its report in a result.

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Serialize;
use toml::Table;

use super::{CcarConfig, CentralPaths, Centre, CentreReport, Connection, Demanded, Variant};
use crate::config::table::read_beside;
use crate::config::{ConfigError, Error, Named};
use crate::profile::Profile;
use crate::routing::aodv::scheme::over_aodv;
use crate::routing::aodv::{Aodv, AodvConfig};
use crate::routing::{FlowPlan, Layer, Nodes, Scheme, Setting, Shared, World};

/// The `[routing]` table of CCAR: its own keys and AODV's.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct CcarTable {
    /// Keys of the centre.
    #[serde(flatten)]
    pub ccar: CcarConfig,
    /// AODV's keys: requests, replies and route errors.
    #[serde(flatten)]
    pub aodv: AodvConfig,
}

impl CcarTable {
    /// The defaults of AODV's keys: requests flood the network, and only destinations reply.
    fn default_aodv() -> AodvConfig {
        AodvConfig {
            expanding_ring: false,
            local_repair: false,
            intermediate_replies: false,
            ..AodvConfig::default()
        }
    }
}

impl Scheme for CcarTable {
    const NAME: &'static str = "ccar";
    const ABOUT: &'static str =
        "CCAR: AODV whose data takes the paths chosen by an omniscient centre.";
    const NAMED: &'static [Named] = &[
        Named::new(
            "ccar-h1",
            "CCAR, each connection on its own lightest path, TCP NewReno, standby",
            &over_aodv("{scheme = \"ccar\", variant = \"h1\"}"),
        ),
        Named::new(
            "ccar-h2",
            "CCAR, all connections routed jointly in the best order, TCP NewReno, standby",
            &over_aodv("{scheme = \"ccar\", variant = \"h2\"}"),
        ),
        Named::new(
            "ccar-h1-mod",
            "CCAR, the lightest bottleneck among five disjoint paths, TCP NewReno, standby",
            &over_aodv("{scheme = \"ccar\", variant = \"h1-mod\"}"),
        ),
        Named::new(
            "ccar-h1-invlen",
            "ccar-h1 with connections weighing 1/length, TCP NewReno, standby",
            &over_aodv("{scheme = \"ccar\", variant = \"h1\", inverse_length = true}"),
        ),
        Named::new(
            "ccar-h2-invlen",
            "ccar-h2 with connections weighing 1/length, TCP NewReno, standby",
            &over_aodv("{scheme = \"ccar\", variant = \"h2\", inverse_length = true}"),
        ),
    ];

    fn read(table: Table) -> Result<CcarTable, Error> {
        let defaults = |_: &CcarConfig| CcarTable::default_aodv();
        let (ccar, aodv) = read_beside("routing", table, defaults)?;
        Ok(CcarTable { ccar, aodv })
    }

    fn check(&self, setting: &Setting) -> Result<(), ConfigError> {
        let CcarTable { ccar, aodv } = self;
        if aodv.local_repair {
            let fault = "must be false: only sources and destinations ask for paths";
            return Err(ConfigError::new("local_repair", fault));
        }
        if aodv.intermediate_replies {
            let fault = "must be false: relays do not know the centre's paths";
            return Err(ConfigError::new("intermediate_replies", fault));
        }
        if ccar.variant == Variant::H2 && setting.is_mobile {
            let fault = "cannot be \"h2\" if nodes move: it never changes a path";
            return Err(ConfigError::new("variant", fault));
        }
        ccar.check()?;
        aodv.check()
    }

    fn is_planned(&self) -> bool {
        true
    }

    fn resolved(&self, profile: Profile) -> CcarTable {
        CcarTable { aodv: self.aodv.resolved(profile), ..self.clone() }
    }

    fn needs_one_interface(&self) -> Option<&'static str> {
        Some("a node's weight is that of one medium")
    }

    fn build(&self, world: &World) -> Box<dyn Layer> {
        let demanded = |flow: &FlowPlan| Demanded {
            connection: Connection::between(flow.source, flow.destination),
            start: flow.start,
            stop: flow.stop,
        };
        let flows = world.flows.iter().map(demanded).collect();
        let centre = Centre::new(&self.ccar, world.nodes, flows, world.seed);
        let node =
            |node| Aodv::with_policy(node, &self.aodv, world.profile, CentralPaths::default());
        let report = |_: &[_], shared: &Shared, _| {
            shared.get().map(|centre: &Centre| centre.report().clone()).unwrap_or_default()
        };
        Box::new(Nodes::new(world, node).sharing(Shared::new(centre)).reporting(report))
    }

    fn report_schema(generator: &mut SchemaGenerator) -> Option<Schema> {
        Some(generator.subschema_for::<CentreReport>())
    }
}
