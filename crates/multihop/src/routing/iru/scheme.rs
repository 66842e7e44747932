//! AODV by whom a path disturbs, as a routing scheme.

use toml::Table;

use super::{IruConfig, IruTable};
use crate::config::table::read_beside;
use crate::config::{ConfigError, Error, Named};
use crate::profile::Profile;
use crate::routing::aodv::Aodv;
use crate::routing::{Layer, Nodes, Scheme, Setting, World};

impl Scheme for IruTable {
    const NAME: &'static str = "aodv-iru";
    const ABOUT: &'static str = "AODV by how many nodes a path disturbs (MIC's IRU).";
    const NAMED: &'static [Named] = &[Named::new(
        "aodv-iru",
        "AODV by how many nodes a path disturbs, TCP NewReno",
        &[("routing", "{scheme = \"aodv-iru\"}"), ("transport.scheme", "\"newreno\"")],
    )];

    fn read(table: Table) -> Result<IruTable, Error> {
        let usual = |_: &IruConfig| IruTable::default().aodv;
        let (iru, aodv) = read_beside("routing", table, usual)?;
        Ok(IruTable { aodv, iru })
    }

    fn check(&self, _: &Setting) -> Result<(), ConfigError> {
        IruTable::check(self)
    }

    fn resolved(&self, profile: Profile) -> IruTable {
        IruTable { aodv: self.aodv.resolved(profile), ..self.clone() }
    }

    fn carries_clients(&self) -> bool {
        true
    }

    fn needs_one_interface(&self) -> Option<&'static str> {
        None
    }

    fn build(&self, world: &World) -> Box<dyn Layer> {
        let node = |node| Aodv::with_policy(node, &self.aodv, world.profile, self.policy());
        Box::new(Nodes::new(world, node))
    }
}
