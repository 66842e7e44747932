//! DSR with a policy from outside.

use super::{Dsr, DsrConfig, Policy};
use crate::measure::Counts;
use crate::routing::outside::{self, TakesPolicy};
use crate::routing::{Layer, Nodes, World};
use crate::wire::NodeId;

/// A policy of DSR from outside.
pub type OutsidePolicy = outside::OutsidePolicy<DsrConfig>;

impl TakesPolicy for DsrConfig {
    type Policy = dyn Policy;

    fn build_with(
        &self,
        world: &World,
        policy: &dyn Fn(NodeId) -> Box<dyn Policy>,
    ) -> Box<dyn Layer> {
        let node = |node| Dsr::governed(node, self, world.profile, policy(node));
        Box::new(
            Nodes::new(world, node)
                .summing(|node| Counts::of(|counts| node.policy().report(counts))),
        )
    }
}
