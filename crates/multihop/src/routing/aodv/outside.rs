//! AODV with a policy from outside.

use super::{Aodv, AodvConfig, Policy};
use crate::measure::Counts;
use crate::routing::outside::{self, TakesPolicy};
use crate::routing::{Layer, Nodes, World};
use crate::wire::NodeId;

/// A policy of AODV from outside.
pub type OutsidePolicy = outside::OutsidePolicy<AodvConfig>;

impl TakesPolicy for AodvConfig {
    type Policy = dyn Policy;

    fn build_with(
        &self,
        world: &World,
        policy: &dyn Fn(NodeId) -> Box<dyn Policy>,
    ) -> Box<dyn Layer> {
        let node = |node| Aodv::governed(node, self, world.profile, policy(node));
        Box::new(
            Nodes::new(world, node)
                .summing(|node| Counts::of(|counts| node.policy().report(counts))),
        )
    }
}
