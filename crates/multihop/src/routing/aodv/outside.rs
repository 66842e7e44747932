//! AODV with a policy from outside.

use std::sync::Arc;

use super::{Aodv, AodvConfig, Policy};
use crate::measure::Counts;
use crate::routing::World;
use crate::routing::outside::{self, TakesPolicy};
use crate::wire::NodeId;

/// A policy of AODV from outside.
pub type OutsidePolicy = outside::OutsidePolicy<AodvConfig>;

impl TakesPolicy for AodvConfig {
    type Policy = dyn Policy;
    type Node = Aodv<dyn Policy>;

    fn make(&self, world: &World) -> impl Fn(NodeId, Box<dyn Policy>) -> Aodv<dyn Policy> {
        let (config, profile): (Arc<AodvConfig>, _) = (self.into(), world.profile);
        move |node, policy| Aodv::governed(node, Arc::clone(&config), profile, policy)
    }

    fn counts(node: &Aodv<dyn Policy>) -> Counts {
        Counts::of(|counts| node.policy().report(counts))
    }
}
