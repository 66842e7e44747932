//! A routing scheme: its keys, and the nodes' protocols built from them.

use std::fmt::Debug;
use std::ops::Deref;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Serialize, Serializer};
use serde_json::Value;
use toml::Table;

use super::Layer;
use crate::config::{ConfigError, Error, Named};
use crate::kernel::{Duration, Instant};
use crate::link::QueueDiscipline;
use crate::profile::Profile;
use crate::radio::{Neighbours, Position, StationLayout};
use crate::wire::NodeId;

/// A routing scheme with its parameters: the `[routing]` table of a scenario that chooses it. A
/// scheme is one folder, and one line in the list of [`crate::schemes`]; another crate can add its
/// own.
///
/// ```
/// use multihop::api::config::{ConfigError, Error, Table, document::read};
/// use multihop::api::profile::Profile;
/// use multihop::api::routing::aodv::{Aodv, AodvConfig};
/// use multihop::api::routing::{Layer, Nodes, Scheme, Setting, World};
/// use multihop::api::schemes::Schemes;
///
/// /// AODV as RFC 3561 has it, whatever the profile. Its keys are none.
/// #[derive(Clone, Debug, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
/// #[serde(deny_unknown_fields)]
/// struct ByTheBook {}
///
/// impl Scheme for ByTheBook {
///     const NAME: &'static str = "by-the-book";
///     const ABOUT: &'static str = "AODV as RFC 3561 has it.";
///
///     fn read(table: Table) -> Result<Self, Error> {
///         read("routing", table.into())
///     }
///
///     fn check(&self, _: &Setting) -> Result<(), ConfigError> {
///         Ok(())
///     }
///
///     fn build(&self, world: &World) -> Box<dyn Layer> {
///         let (keys, profile) = (AodvConfig::default(), Profile::Standard);
///         Box::new(Nodes::new(world, |node| Aodv::new(node, &keys, profile)))
///     }
/// }
///
/// let schemes = Schemes::standard().with_routing::<ByTheBook>();
/// ```
pub trait Scheme: Clone + Debug + JsonSchema + Serialize + Send + Sync + 'static {
    /// Its name in `routing.scheme`.
    const NAME: &'static str;

    /// One line that describes it.
    const ABOUT: &'static str;

    /// Named schemes that use it.
    const NAMED: &'static [Named] = &[];

    /// The names that its messages have ([`Octets::NAME`](crate::wire::Octets::NAME)), and what
    /// each is. The record of events has them for messages that are no request, reply, error or
    /// HELLO.
    const MESSAGES: &'static [(&'static str, &'static str)] = &[];

    /// Whether its nodes keep routes to all others, whatever they have to send.
    const KEEPS_ROUTES: bool = false;

    /// Reads the `[routing]` table without its `scheme` key.
    ///
    /// # Errors
    /// The first key that is unknown or has the wrong shape.
    fn read(table: Table) -> Result<Self, Error>;

    /// Checks every key against its bounds and the others, and against the setting.
    ///
    /// # Errors
    /// The first key that is out of bounds or contradicts another.
    fn check(&self, setting: &Setting) -> Result<(), ConfigError>;

    /// The same with every default filled in that depends on the profile or on other keys, as a
    /// result shows it.
    #[must_use]
    fn resolved(&self, _: Profile) -> Self {
        self.clone()
    }

    /// The default of `link.queue`.
    fn queue_discipline(&self) -> QueueDiscipline {
        QueueDiscipline::RoutingFirst
    }

    /// Whether packets reach nodes that are not neighbours. Without, who sends to a neighbour knows
    /// its address.
    fn is_multi_hop(&self) -> bool {
        true
    }

    /// Whether it works below IP, by link addresses: then none is resolved.
    fn is_below_ip(&self) -> bool {
        false
    }

    /// Whether its paths are worked out from [`World::neighbours`], so that only links that carry
    /// data well are in them.
    fn is_planned(&self) -> bool {
        false
    }

    /// Why no node may have several stations; none if they may. Whoever knows each neighbour by the
    /// address of a station ([`Protocol`](super::Protocol)) and broadcasts by all needs no more.
    fn needs_one_interface(&self) -> Option<&'static str> {
        Some("its nodes know each neighbour by one address")
    }

    /// Whether it carries packets of an access point's clients as those of the access point: it
    /// adds nothing to data packets but UDP's IP header.
    fn carries_clients(&self) -> bool {
        false
    }

    /// The hops that a packet can go at most, if the scheme limits them.
    fn most_hops(&self, _: Profile) -> Option<u32> {
        None
    }

    /// Builds the protocols of all nodes.
    fn build(&self, world: &World) -> Box<dyn Layer>;

    /// The schema of the scheme's entry in `schemes` of a result; none if it adds nothing.
    fn report_schema(_: &mut SchemaGenerator) -> Option<Schema> {
        None
    }
}

/// What a scheme's keys are checked against besides each other.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Setting<'a> {
    /// Whether nodes move.
    pub is_mobile: bool,
    /// The nodes' stations.
    pub stations: &'a StationLayout,
}

/// The network that a scheme is built for.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct World<'a> {
    /// Whose rules apply where ns-2 and the standards differ.
    pub profile: Profile,
    /// The seed of the run.
    pub seed: u64,
    /// The number of nodes.
    pub nodes: usize,
    /// The flows, for idealised schemes.
    pub flows: &'a [FlowPlan],
    /// Packets may go from any node to any other, whatever the flows: programs outside the
    /// simulation send them.
    pub is_open: bool,
    /// The neighbours at the start, for idealised schemes.
    pub neighbours: &'a Neighbours,
    /// The nodes' stations.
    pub stations: &'a StationLayout,
    /// Where the nodes are at the start, for schemes that know it; all in one place where links are
    /// given.
    pub positions: &'a [Position],
    /// How long an attempt at a test frame of 8192 bits takes at the rate of data frames if it is
    /// fixed, by kind of station.
    pub test_attempts: &'a [Duration],
    /// That rate of the first kind \[bit/s\].
    pub data_rate_bps: f64,
    /// Whether to record every path found and every choice made; memory grows with the run.
    pub keeps_paths: bool,
}

/// What routing needs to know of a flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FlowPlan {
    /// Source node.
    pub source: NodeId,
    /// Destination node.
    pub destination: NodeId,
    /// When it starts.
    pub start: Instant,
    /// When it stops.
    pub stop: Instant,
}

/// The routing of a scenario: some scheme with its parameters.
#[derive(Debug)]
pub struct Routing(Box<dyn AnyScheme>);

/// [`Scheme`] with its type erased: each method is as the one there.
pub trait AnyScheme: Debug + Send + Sync {
    /// Its name in `routing.scheme`.
    fn name(&self) -> &'static str;

    /// See [`Scheme::check`].
    ///
    /// # Errors
    /// The first key that is out of bounds or contradicts another.
    fn check(&self, setting: &Setting) -> Result<(), ConfigError>;

    /// See [`Scheme::resolved`].
    fn resolved(&self, profile: Profile) -> Routing;

    /// See [`Scheme::queue_discipline`].
    fn queue_discipline(&self) -> QueueDiscipline;

    /// See [`Scheme::is_multi_hop`].
    fn is_multi_hop(&self) -> bool;

    /// See [`Scheme::is_below_ip`].
    fn is_below_ip(&self) -> bool {
        false
    }

    /// See [`Scheme::is_planned`].
    fn is_planned(&self) -> bool;

    /// See [`Scheme::needs_one_interface`].
    fn needs_one_interface(&self) -> Option<&'static str>;

    /// See [`Scheme::carries_clients`].
    fn carries_clients(&self) -> bool;

    /// See [`Scheme::most_hops`].
    fn most_hops(&self, _: Profile) -> Option<u32> {
        None
    }

    /// See [`Scheme::build`].
    fn build(&self, world: &World) -> Box<dyn Layer>;

    /// Its keys, without its name.
    fn keys(&self) -> Value;

    /// The same once more.
    fn copy(&self) -> Routing;

    /// Its keys and its name.
    fn to_json(&self) -> Value {
        let mut table = self.keys();
        table["scheme"] = self.name().into();
        table
    }
}

impl<S: Scheme> AnyScheme for S {
    fn name(&self) -> &'static str {
        S::NAME
    }

    fn check(&self, setting: &Setting) -> Result<(), ConfigError> {
        Scheme::check(self, setting)
    }

    fn resolved(&self, profile: Profile) -> Routing {
        Routing::of(Scheme::resolved(self, profile))
    }

    fn queue_discipline(&self) -> QueueDiscipline {
        Scheme::queue_discipline(self)
    }

    fn is_multi_hop(&self) -> bool {
        Scheme::is_multi_hop(self)
    }

    fn is_below_ip(&self) -> bool {
        Scheme::is_below_ip(self)
    }

    fn is_planned(&self) -> bool {
        Scheme::is_planned(self)
    }

    fn needs_one_interface(&self) -> Option<&'static str> {
        Scheme::needs_one_interface(self)
    }

    fn carries_clients(&self) -> bool {
        Scheme::carries_clients(self)
    }

    fn most_hops(&self, profile: Profile) -> Option<u32> {
        Scheme::most_hops(self, profile)
    }

    fn build(&self, world: &World) -> Box<dyn Layer> {
        Scheme::build(self, world)
    }

    fn keys(&self) -> Value {
        serde_json::to_value(self).expect("a configuration is plain data")
    }

    fn copy(&self) -> Routing {
        Routing::of(self.clone())
    }
}

impl Routing {
    /// Routing by `scheme`.
    pub fn of(scheme: impl Scheme) -> Routing {
        Routing(Box::new(scheme))
    }

    pub(super) fn any(scheme: impl AnyScheme + 'static) -> Routing {
        Routing(Box::new(scheme))
    }
}

impl Deref for Routing {
    type Target = dyn AnyScheme;

    fn deref(&self) -> &(dyn AnyScheme + 'static) {
        &*self.0
    }
}

impl Clone for Routing {
    fn clone(&self) -> Routing {
        self.0.copy()
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
