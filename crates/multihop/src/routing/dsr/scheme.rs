//! DSR as a routing scheme.

use toml::Table;

use super::{Dsr, DsrConfig};
use crate::config::document::read;
use crate::config::{ConfigError, Error, Named};
use crate::link::QueueDiscipline;
use crate::profile::Profile;
use crate::routing::{Layer, Nodes, Scheme, Setting, World};

impl Scheme for DsrConfig {
    const NAME: &'static str = "dsr";
    const ABOUT: &'static str = "DSR.";
    const NAMED: &'static [Named] = &[Named::new(
        "dsr",
        "DSR without flow state, TCP Reno with segments of 512 bytes and a window of 32",
        &over_dsr("{scheme = \"dsr\", flow_state = false}"),
    )];

    fn read(table: Table) -> Result<DsrConfig, Error> {
        read("routing", table.into())
    }

    fn check(&self, _: &Setting) -> Result<(), ConfigError> {
        DsrConfig::check(self)
    }

    fn queue_discipline(&self) -> QueueDiscipline {
        QueueDiscipline::PriorityClasses
    }

    fn most_hops(&self, profile: Profile) -> Option<u32> {
        Some(self.time_to_live(profile).min(self.max_route_nodes).into())
    }

    fn resolved(&self, profile: Profile) -> DsrConfig {
        DsrConfig::resolved(self, profile)
    }

    fn needs_one_interface(&self) -> Option<&'static str> {
        None
    }

    fn build(&self, world: &World) -> Box<dyn Layer> {
        Box::new(Nodes::new(world, |node| Dsr::new(node, self, world.profile)))
    }
}

/// The keys of the named schemes that compare with the DSR of 2001, which had no flow state: this
/// routing, and the same TCP for all.
pub(in crate::routing) const fn over_dsr(
    routing: &'static str,
) -> [(&'static str, &'static str); 5] {
    [
        ("routing", routing),
        ("transport.scheme", "\"reno\""),
        ("transport.segment_bytes", "512"),
        ("transport.window_segments", "32"),
        ("transport.link_failure", "\"ignore\""),
    ]
}
