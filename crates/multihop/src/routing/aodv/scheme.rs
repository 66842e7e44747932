//! AODV as a routing scheme.

use std::sync::Arc;

use toml::Table;

use super::{Aodv, AodvConfig};
use crate::config::document::read;
use crate::config::{ConfigError, Error, Named};
use crate::profile::Profile;
use crate::routing::{Layer, Nodes, Scheme, Setting, World};

impl Scheme for AodvConfig {
    const NAME: &'static str = "aodv";
    const ABOUT: &'static str = "AODV.";
    const NAMED: &'static [Named] = &[Named::new(
        "aodv",
        "AODV as ns-2.35 runs it, TCP NewReno",
        &[("routing", "{scheme = \"aodv\"}"), ("transport.scheme", "\"newreno\"")],
    )];

    fn read(table: Table) -> Result<AodvConfig, Error> {
        read("routing", table.into())
    }

    fn check(&self, _: &Setting) -> Result<(), ConfigError> {
        AodvConfig::check(self)
    }

    fn most_hops(&self, profile: Profile) -> Option<u32> {
        Some(self.time_to_live(profile).min(self.network_ttl(profile)).into())
    }

    fn resolved(&self, profile: Profile) -> AodvConfig {
        AodvConfig::resolved(self, profile)
    }

    fn carries_clients(&self) -> bool {
        true
    }

    fn needs_one_interface(&self) -> Option<&'static str> {
        None
    }

    fn build(&self, world: &World) -> Box<dyn Layer> {
        let config: Arc<AodvConfig> = self.into();
        Box::new(Nodes::new(world, |node| Aodv::new(node, Arc::clone(&config), world.profile)))
    }
}

/// The keys of schemes that are compared over one TCP, which stands by on a broken route.
pub(in crate::routing) const fn over_aodv(
    routing: &'static str,
) -> [(&'static str, &'static str); 3] {
    [
        ("routing", routing),
        ("transport.scheme", "\"newreno\""),
        ("transport.link_failure", "\"standby\""),
    ]
}
