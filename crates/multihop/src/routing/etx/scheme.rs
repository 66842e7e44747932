//! AODV by ETX among the routing schemes, and what it adds to a result.

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};
use toml::Table;

use super::{Etx, EtxConfig, EtxTable};
use crate::config::table::read_beside;
use crate::config::{ConfigError, Error, Named};
use crate::kernel::Instant;
use crate::routing::aodv::Aodv;
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
    fn new(nodes: &[Aodv<Etx>], end: Instant) -> EtxReport {
        let policies = || nodes.iter().map(Aodv::policy);
        let known: Vec<u32> = policies().flat_map(|etx| etx.links.known(end)).collect();
        let thousandths: u64 = known.iter().copied().map(u64::from).sum();
        let mean = |links: usize| thousandths as f64 / 1e3 / links as f64;
        EtxReport {
            probes_sent: policies().map(|etx| etx.probes_sent).sum(),
            probe_bytes: policies().map(|etx| etx.probe_bytes_sent).sum(),
            links_known: known.len() as u64,
            mean_etx: (!known.is_empty()).then(|| mean(known.len())),
        }
    }
}

impl Scheme for EtxTable {
    const NAME: &'static str = "aodv-etx";
    const ABOUT: &'static str = "AODV by expected transmissions (ETX), measured with probes.";
    const NAMED: &'static [Named] = &[Named::new(
        "aodv-etx",
        "AODV by expected transmissions, TCP NewReno",
        &[("routing", "{scheme = \"aodv-etx\"}"), ("transport.scheme", "\"newreno\"")],
    )];

    fn read(table: Table) -> Result<EtxTable, Error> {
        let usual = |_: &EtxConfig| EtxTable::default().aodv;
        let (etx, aodv) = read_beside("routing", table, usual)?;
        Ok(EtxTable { aodv, etx })
    }

    fn check(&self, _: &Setting) -> Result<(), ConfigError> {
        EtxTable::check(self)
    }

    fn build(&self, world: &World) -> Box<dyn Layer> {
        let node = |node| Aodv::with_policy(node, &self.aodv, world.profile, Etx::new(self));
        let report = |nodes: &[_], _: &Shared, end| EtxReport::new(nodes, end);
        Box::new(Nodes::new(world, node).reporting(report))
    }

    fn report_schema(generator: &mut SchemaGenerator) -> Option<Schema> {
        Some(generator.subschema_for::<EtxReport>())
    }
}
