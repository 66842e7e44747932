//! COPAS as a routing scheme: its named variants, and its report in a result.

use schemars::{Schema, SchemaGenerator};
use toml::Table;

use super::{Copas, CopasConfig, CopasCounters, CopasTable};
use crate::config::table::read_beside;
use crate::config::{ConfigError, Error, Named};
use crate::kernel::Instant;
use crate::link::QueueDiscipline;
use crate::profile::Profile;
use crate::routing::dsr::Dsr;
use crate::routing::dsr::scheme::over_dsr;
use crate::routing::{Layer, Nodes, Scheme, Setting, Shared, World};

impl Scheme for CopasTable {
    const NAME: &'static str = "copas";
    const ABOUT: &'static str =
        "DSR with two paths, one for data and one for acknowledgments, chosen by contention.";
    const NAMED: &'static [Named] = &[
        Named::new(
            "copas",
            "COPAS: data and acknowledgments on disjoint paths, chosen and replaced by contention",
            &over_dsr("{scheme = \"copas\"}"),
        ),
        Named::new(
            "copas-no-replacement",
            "COPAS that keeps its paths until they break",
            &over_dsr("{scheme = \"copas\", replacement = false}"),
        ),
        Named::new(
            "copas-common-path",
            "COPAS with one path for data and acknowledgments",
            &over_dsr("{scheme = \"copas\", paths = \"common\"}"),
        ),
        Named::new(
            "copas-contention-blind",
            "disjoint paths by hops, kept until they break",
            &over_dsr("{scheme = \"copas\", path_metric = \"hops\", replacement = false}"),
        ),
    ];

    fn read(table: Table) -> Result<CopasTable, Error> {
        let defaults = |_: &CopasConfig| CopasTable::default().dsr;
        let (copas, dsr) = read_beside("routing", table, defaults)?;
        Ok(CopasTable { dsr, copas })
    }

    fn check(&self, _: &Setting) -> Result<(), ConfigError> {
        CopasTable::check(self)
    }

    fn queue_discipline(&self) -> QueueDiscipline {
        QueueDiscipline::PriorityClasses
    }

    fn resolved(&self, profile: Profile) -> CopasTable {
        CopasTable { dsr: self.dsr.resolved(profile), copas: self.copas.resolved() }
    }

    fn needs_one_interface(&self) -> Option<&'static str> {
        Some("contention is that of one medium a node")
    }

    fn build(&self, world: &World) -> Box<dyn Layer> {
        let node = |node| {
            let copas = Copas::new(node, &self.copas, world.keeps_paths);
            Dsr::with_policy(node, &self.dsr, world.profile, copas)
        };
        Box::new(Nodes::new(world, node).reporting(report))
    }

    fn report_schema(generator: &mut SchemaGenerator) -> Option<Schema> {
        Some(generator.subschema_for::<CopasCounters>())
    }
}

/// The counters of all nodes, with the choices in order of time.
fn report(nodes: &[Dsr<Copas>], _: &Shared, end: Instant) -> CopasCounters {
    let mut all = CopasCounters::default();
    nodes.iter().for_each(|node| all.merge(&node.policy().counters(end)));
    all.choices.sort_by(|one, other| one.time_s.total_cmp(&other.time_s));
    all
}
