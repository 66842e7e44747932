//! A routing scheme: its keys, and the network of nodes that they make.

use std::fmt::Debug;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Serialize, Serializer};
use serde_json::Value;
use toml::Table;

use super::Layer;
use crate::config::{ConfigError, Error, Named};
use crate::kernel::Instant;
use crate::link::QueueDiscipline;
use crate::profile::Profile;
use crate::radio::Neighbours;
use crate::wire::NodeId;

/// A routing scheme with its parameters: the `[routing]` table of a scenario that chooses it. A scheme
/// is one folder, and one line in the list of [`crate::schemes`]; another crate can add its own there.
pub trait Scheme: Clone + Debug + JsonSchema + Serialize + Send + Sync + 'static {
    /// What `routing.scheme` calls it.
    const NAME: &'static str;

    /// What it is, in a line.
    const ABOUT: &'static str;

    /// Named schemes that use it.
    const NAMED: &'static [Named] = &[];

    /// Reads the `[routing]` table, whose `scheme` has been taken out.
    ///
    /// # Errors
    /// The first key that is unknown or has the wrong shape.
    fn read(table: Table) -> Result<Self, Error>;

    /// Checks every key against its bounds and the others, and against the setting.
    ///
    /// # Errors
    /// The first key that is out of bounds or contradicts another.
    fn check(&self, setting: &Setting) -> Result<(), ConfigError>;

    /// How packets wait for the MAC unless `link.queue` says so.
    fn queue_discipline(&self) -> QueueDiscipline {
        QueueDiscipline::RoutingFirst
    }

    /// The protocols of all nodes.
    fn build(&self, world: &World) -> Box<dyn Layer>;

    /// The schema of what the scheme adds to a result, if it adds anything: its entry of `schemes`.
    fn report_schema(_: &mut SchemaGenerator) -> Option<Schema> {
        None
    }
}

/// What a scheme's keys are checked against.
#[derive(Clone, Copy, Debug)]
pub struct Setting {
    /// Nodes move.
    pub is_mobile: bool,
}

/// The network that a scheme is built for.
#[derive(Clone, Copy, Debug)]
pub struct World<'a> {
    /// Whose rules apply where ns-2 and the standards differ.
    pub profile: Profile,
    /// The seed of the run.
    pub seed: u64,
    /// How many nodes there are.
    pub nodes: usize,
    /// The flows, for idealised schemes.
    pub flows: &'a [Trip],
    /// Who hears whom at the start, for idealised schemes.
    pub neighbours: &'a Neighbours,
    /// The result shall have every path found and every choice made; memory grows with the run.
    pub keeps_paths: bool,
}

/// A flow as far as routing is concerned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Trip {
    /// Where it starts.
    pub source: NodeId,
    /// Where it ends.
    pub destination: NodeId,
    /// When it starts.
    pub start: Instant,
    /// When it stops.
    pub stop: Instant,
}

/// The routing of a scenario: some scheme with its parameters.
#[derive(Debug)]
pub struct Routing(Box<dyn AnyScheme>);

/// [`Scheme`] with its type erased.
trait AnyScheme: Debug + Send + Sync {
    fn name(&self) -> &'static str;
    fn check(&self, setting: &Setting) -> Result<(), ConfigError>;
    fn queue_discipline(&self) -> QueueDiscipline;
    fn build(&self, world: &World) -> Box<dyn Layer>;
    fn to_json(&self) -> Value;
    fn copy(&self) -> Box<dyn AnyScheme>;
}

impl<S: Scheme> AnyScheme for S {
    fn name(&self) -> &'static str {
        S::NAME
    }

    fn check(&self, setting: &Setting) -> Result<(), ConfigError> {
        Scheme::check(self, setting)
    }

    fn queue_discipline(&self) -> QueueDiscipline {
        Scheme::queue_discipline(self)
    }

    fn build(&self, world: &World) -> Box<dyn Layer> {
        Scheme::build(self, world)
    }

    fn to_json(&self) -> Value {
        let mut table = serde_json::to_value(self).expect("a configuration is plain data");
        table["scheme"] = S::NAME.into();
        table
    }

    fn copy(&self) -> Box<dyn AnyScheme> {
        Box::new(self.clone())
    }
}

impl Routing {
    /// Routing by `scheme`.
    pub fn of(scheme: impl Scheme) -> Routing {
        Routing(Box::new(scheme))
    }

    /// What `routing.scheme` calls it.
    pub fn name(&self) -> &'static str {
        self.0.name()
    }

    /// See [`Scheme::check`].
    ///
    /// # Errors
    /// The first key that is out of bounds or contradicts another.
    pub fn check(&self, setting: &Setting) -> Result<(), ConfigError> {
        self.0.check(setting)
    }

    /// See [`Scheme::queue_discipline`].
    pub fn queue_discipline(&self) -> QueueDiscipline {
        self.0.queue_discipline()
    }

    /// See [`Scheme::build`].
    pub fn build(&self, world: &World) -> Box<dyn Layer> {
        self.0.build(world)
    }
}

impl Clone for Routing {
    fn clone(&self) -> Routing {
        Routing(self.0.copy())
    }
}

impl PartialEq for Routing {
    fn eq(&self, other: &Routing) -> bool {
        self.0.to_json() == other.0.to_json()
    }
}

impl Serialize for Routing {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.to_json().serialize(serializer)
    }
}
