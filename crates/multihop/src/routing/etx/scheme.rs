//! AODV and DSR by ETX among the routing schemes, and what they add to a result.

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};
use toml::Table;

use super::{DsrEtxTable, EtxConfig, EtxTable, Probing, SourceEtx};
use crate::config::table::read_beside;
use crate::config::{ConfigError, Error, Named};
use crate::kernel::{Duration, Instant};
use crate::link::QueueDiscipline;
use crate::profile::Profile;
use crate::routing::aodv::{Aodv, ByMetric};
use crate::routing::dsr::Dsr;
use crate::routing::dsr::scheme::over_dsr;
use crate::routing::{Layer, Nodes, Scheme, Setting, Shared, World};

/// What ETX did and knew, all nodes together.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct EtxReport {
    /// Probes sent.
    pub probes_sent: u64,
    /// Their size, IP headers included \[bytes\].
    pub probe_bytes: u64,
    /// Links with an ETX at the end of the run. A link counts at each end that knows it.
    pub links_known: u64,
    /// The mean ETX of these; none if there are none.
    pub mean_etx: Option<f64>,
}

impl EtxReport {
    fn new(nodes: &[&Probing], end: Instant) -> EtxReport {
        let known: Vec<u32> = nodes.iter().flat_map(|node| node.links.known(end)).collect();
        let thousandths: u64 = known.iter().copied().map(u64::from).sum();
        let mean = |links: usize| thousandths as f64 / 1e3 / links as f64;
        EtxReport {
            probes_sent: nodes.iter().map(|node| node.probes_sent).sum(),
            probe_bytes: nodes.iter().map(|node| node.probe_bytes_sent).sum(),
            links_known: known.len() as u64,
            mean_etx: (!known.is_empty()).then(|| mean(known.len())),
        }
    }
}

impl EtxTable {
    /// One node's choices; `test_attempts` as in [`Probing::new`].
    pub(in crate::routing) fn policy(&self, test_attempts: &[Duration]) -> ByMetric<Probing> {
        let EtxTable { aodv, etx } = self;
        ByMetric::new(Probing::new(etx, test_attempts), etx.improve_limit, aodv)
    }
}

impl Scheme for EtxTable {
    const NAME: &'static str = "aodv-etx";
    const ABOUT: &'static str =
        "AODV by expected transmissions (ETX), measured with probes, or by airtime (802.11s).";
    const NAMED: &'static [Named] = &[
        Named::new(
            "aodv-etx",
            "AODV by expected transmissions, TCP NewReno",
            &[("routing", "{scheme = \"aodv-etx\"}"), ("transport.scheme", "\"newreno\"")],
        ),
        Named::new(
            "aodv-airtime",
            "AODV by the airtime metric of 802.11s, TCP NewReno",
            &[
                ("routing", "{scheme = \"aodv-etx\", metric = \"airtime\"}"),
                ("transport.scheme", "\"newreno\""),
            ],
        ),
    ];

    fn read(table: Table) -> Result<EtxTable, Error> {
        let usual = |_: &EtxConfig| EtxTable::default().aodv;
        let (etx, aodv) = read_beside("routing", table, usual)?;
        Ok(EtxTable { aodv, etx })
    }

    fn check(&self, _: &Setting) -> Result<(), ConfigError> {
        EtxTable::check(self)
    }

    fn resolved(&self, profile: Profile) -> EtxTable {
        EtxTable { aodv: self.aodv.resolved(profile), ..self.clone() }
    }

    fn carries_clients(&self) -> bool {
        true
    }

    fn needs_one_interface(&self) -> Option<&'static str> {
        None
    }

    fn build(&self, world: &World) -> Box<dyn Layer> {
        let etx = || self.policy(world.test_attempts);
        let node = |node| Aodv::with_policy(node, &self.aodv, world.profile, etx());
        let report = |nodes: &[Aodv<ByMetric<Probing>>], _: &Shared, end| {
            let probing: Vec<_> = nodes.iter().map(|node| &node.policy().measure).collect();
            EtxReport::new(&probing, end)
        };
        Box::new(Nodes::new(world, node).reporting(report))
    }

    fn report_schema(generator: &mut SchemaGenerator) -> Option<Schema> {
        Some(generator.subschema_for::<EtxReport>())
    }
}

impl Scheme for DsrEtxTable {
    const NAME: &'static str = "dsr-etx";
    const ABOUT: &'static str = "DSR by the same metrics: link-quality source routing (LQSR).";
    const NAMED: &'static [Named] = &[
        Named::new(
            "dsr-etx",
            "DSR by expected transmissions, with the TCP of `dsr`",
            &over_dsr("{scheme = \"dsr-etx\"}"),
        ),
        Named::new(
            "dsr-airtime",
            "DSR by the airtime metric of 802.11s, with the TCP of `dsr`",
            &over_dsr("{scheme = \"dsr-etx\", metric = \"airtime\"}"),
        ),
    ];

    fn read(table: Table) -> Result<DsrEtxTable, Error> {
        let usual = |_: &EtxConfig| DsrEtxTable::default().dsr;
        let (etx, dsr) = read_beside("routing", table, usual)?;
        Ok(DsrEtxTable { dsr, etx })
    }

    fn check(&self, _: &Setting) -> Result<(), ConfigError> {
        DsrEtxTable::check(self)
    }

    fn queue_discipline(&self) -> QueueDiscipline {
        QueueDiscipline::PriorityClasses
    }

    fn resolved(&self, profile: Profile) -> DsrEtxTable {
        DsrEtxTable { dsr: self.dsr.resolved(profile), ..self.clone() }
    }

    fn needs_one_interface(&self) -> Option<&'static str> {
        Some("its source routes name nodes, not the channels between them")
    }

    fn build(&self, world: &World) -> Box<dyn Layer> {
        let etx = || SourceEtx::new(self, world.test_attempts);
        let node = |node| Dsr::with_policy(node, &self.dsr, world.profile, etx());
        let report = |nodes: &[Dsr<SourceEtx>], _: &Shared, end| {
            let probing: Vec<_> = nodes.iter().map(|node| node.policy().probing()).collect();
            EtxReport::new(&probing, end)
        };
        Box::new(Nodes::new(world, node).reporting(report))
    }

    fn report_schema(generator: &mut SchemaGenerator) -> Option<Schema> {
        Some(generator.subschema_for::<EtxReport>())
    }
}
