//! DSR with a policy from outside.

use super::{Dsr, DsrConfig, Policy};
use crate::config::ConfigError;
use crate::link::QueueDiscipline;
use crate::measure::Counts;
use crate::profile::Profile;
use crate::routing::outside::{self, TakesPolicy};
use crate::routing::{Layer, Nodes, World};
use crate::wire::NodeId;

/// A policy of DSR from outside.
pub type OutsidePolicy = outside::OutsidePolicy<DsrConfig>;

impl TakesPolicy for DsrConfig {
    type Policy = dyn Policy;

    const QUEUE: QueueDiscipline = QueueDiscipline::PriorityClasses;

    fn check(&self) -> Result<(), ConfigError> {
        DsrConfig::check(self)
    }

    fn resolved(&self, profile: Profile) -> DsrConfig {
        DsrConfig::resolved(self, profile)
    }

    fn build(&self, world: &World, policy: &dyn Fn(NodeId) -> Box<dyn Policy>) -> Box<dyn Layer> {
        let node = |node| Dsr::governed(node, self, world.profile, policy(node));
        Box::new(
            Nodes::new(world, node)
                .summing(|node| Counts::of(|counts| node.policy().report(counts))),
        )
    }
}
