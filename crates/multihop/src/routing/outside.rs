//! A protocol with a policy from outside that only a name tells: of a file that a scenario names.

use std::fmt::{self, Debug, Formatter};

use serde::de::DeserializeOwned;
use serde_json::Value;
use toml::Table;

use super::scheme::AnyScheme;
use super::{Layer, Nodes, Protocol, Routing, Scheme, Setting, World};
use crate::config::document::read;
use crate::config::{ConfigError, Error};
use crate::link::QueueDiscipline;
use crate::measure::Counts;
use crate::profile::Profile;
use crate::wire::NodeId;

/// The keys of a protocol that leaves decisions to a policy.
pub trait TakesPolicy: Scheme + DeserializeOwned {
    /// What decides for a node.
    type Policy: ?Sized + 'static;
    /// The protocol of a node.
    type Node: Protocol;

    /// The keys that such a policy needs, whatever the table says.
    #[must_use]
    fn governed(self) -> Self {
        self
    }

    /// Makes the protocol of a node with a policy.
    fn make(&self, world: &World) -> impl Fn(NodeId, Box<Self::Policy>) -> Self::Node;

    /// What the policy of a node has counted.
    fn counts(node: &Self::Node) -> Counts;
}

/// Makes the policy of a node, of a run with this seed.
type Make<P> = dyn Fn(NodeId, u64) -> Box<P> + Send + Sync;

/// A policy from outside, of the protocol with keys `C`. It is kept as long as the process lives.
pub struct OutsidePolicy<C: TakesPolicy> {
    name: &'static str,
    make: &'static Make<C::Policy>,
}

impl<C: TakesPolicy> OutsidePolicy<C> {
    /// The policy that scenarios call `name`; `make` makes that of a node, of a run with a seed.
    pub fn new(
        name: &str,
        make: impl Fn(NodeId, u64) -> Box<C::Policy> + Send + Sync + 'static,
    ) -> Self {
        OutsidePolicy { name: name.to_owned().leak(), make: Box::leak(Box::new(make)) }
    }

    /// The protocol with this policy and the keys of a `[routing]` table.
    ///
    /// # Errors
    /// The first key that the protocol does not have, or that has the wrong shape.
    pub fn routing(self, table: Table) -> Result<Routing, Error> {
        let keys: C = read("routing", table.into())?;
        Ok(Routing::any(Governed { policy: self, keys: keys.governed() }))
    }
}

impl<C: TakesPolicy> Clone for OutsidePolicy<C> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<C: TakesPolicy> Copy for OutsidePolicy<C> {}

impl<C: TakesPolicy> Debug for OutsidePolicy<C> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.debug_tuple("OutsidePolicy").field(&self.name).finish()
    }
}

/// A protocol's keys, and the policy.
#[derive(Clone, Debug)]
struct Governed<C: TakesPolicy> {
    policy: OutsidePolicy<C>,
    keys: C,
}

impl<C: TakesPolicy> AnyScheme for Governed<C> {
    fn name(&self) -> &'static str {
        self.policy.name
    }

    fn check(&self, setting: &Setting) -> Result<(), ConfigError> {
        Scheme::check(&self.keys, setting)
    }

    fn resolved(&self, profile: Profile) -> Routing {
        Routing::any(Governed { policy: self.policy, keys: Scheme::resolved(&self.keys, profile) })
    }

    fn queue_discipline(&self) -> QueueDiscipline {
        Scheme::queue_discipline(&self.keys)
    }

    fn is_multi_hop(&self) -> bool {
        true
    }

    fn is_below_ip(&self) -> bool {
        Scheme::is_below_ip(&self.keys)
    }

    fn is_planned(&self) -> bool {
        false
    }

    fn needs_one_interface(&self) -> Option<&'static str> {
        Scheme::needs_one_interface(&self.keys)
    }

    fn carries_clients(&self) -> bool {
        Scheme::carries_clients(&self.keys)
    }

    fn build(&self, world: &World) -> Box<dyn Layer> {
        let made = self.keys.make(world);
        let node = |node| made(node, (self.policy.make)(node, world.seed));
        Box::new(Nodes::new(world, node).summing(C::counts))
    }

    fn keys(&self) -> Value {
        serde_json::to_value(&self.keys).expect("a configuration is plain data")
    }

    fn copy(&self) -> Routing {
        Routing::any(self.clone())
    }
}
