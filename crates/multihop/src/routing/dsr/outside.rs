//! DSR with a policy from outside.

use super::{Dsr, DsrConfig, Policy};
use crate::measure::Counts;
use crate::routing::World;
use crate::routing::outside::{self, TakesPolicy};
use crate::wire::NodeId;

/// A policy of DSR from outside.
pub type OutsidePolicy = outside::OutsidePolicy<DsrConfig>;

impl TakesPolicy for DsrConfig {
    type Policy = dyn Policy;
    type Node = Dsr<dyn Policy>;

    fn make(&self, world: &World) -> impl Fn(NodeId, Box<dyn Policy>) -> Dsr<dyn Policy> {
        |node, policy| Dsr::governed(node, self, world.profile, policy)
    }

    fn counts(node: &Dsr<dyn Policy>) -> Counts {
        Counts::of(|counts| node.policy().report(counts))
    }
}
