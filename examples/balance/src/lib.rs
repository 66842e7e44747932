//! AODV that balances load, by the first scheme of Dynamic Load-Aware Routing (Lee, Gerla, "Dynamic
//! load-aware routing in ad hoc networks", ICC 2001, section II): nodes add the packets in their
//! queues to a request; its destination waits, and answers the copy that came over the fewest.
//! Relays pass on the first copy and never answer.
//!
//! Deviation: the paper is of no base; here all else is AODV's. Routes in use are not watched for
//! load, so a new one is sought only when a link breaks.

use multihop::api::config::table::read_beside;
use multihop::api::config::{ConfigError, Error, Named, Table, positive};
use multihop::api::kernel::Duration;
use multihop::api::profile::Profile;
use multihop::api::routing::aodv::policy::Copy;
use multihop::api::routing::aodv::table::{Offer, Route};
use multihop::api::routing::aodv::{Aodv, AodvConfig, Policy};
use multihop::api::routing::{Context, Layer, Nodes, Scheme, Setting, Shared, Timer, World};
use multihop::api::schemes::Schemes;
use multihop::api::wire::NodeId;
use multihop::api::wire::aodv::{Message, Request};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};

/// Every scheme of the package, and this one.
fn schemes() -> Schemes {
    Schemes::standard().with_routing::<BalanceTable>()
}

#[cfg(not(test))]
multihop_python::engine!(schemes);

/// Timer: the copies of a request have been waited for.
const WAITED: &str = "balance-waited";
/// The load in a request or a reply (bytes).
const LOAD_BYTES: u32 = 4;

/// The `[routing]` table: AODV's keys and those of this scheme.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct BalanceTable {
    /// AODV's keys.
    #[serde(flatten)]
    pub aodv: AodvConfig,
    /// Its own.
    #[serde(flatten)]
    pub own: BalanceConfig,
}

/// The scheme's keys.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct BalanceConfig {
    /// How long a destination waits for further copies of a request (s). The paper has no figure.
    pub wait_s: f64,
}

impl Default for BalanceConfig {
    fn default() -> Self {
        BalanceConfig { wait_s: 0.05 }
    }
}

/// What it adds to a result, all nodes together.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct BalanceReport {
    /// Copies that took the place of one over more load.
    pub lighter_copies: u64,
}

impl Scheme for BalanceTable {
    /// What `routing.scheme` calls it.
    const NAME: &'static str = "balance";
    const ABOUT: &'static str = "AODV over relays with few packets in their queues.";
    /// What `--scheme` calls it, with all that this sets.
    const NAMED: &'static [Named] = &[Named::new(
        "balance",
        "AODV over the least loaded relays, TCP NewReno",
        &[("routing", "{scheme = \"balance\"}"), ("transport.scheme", "\"newreno\"")],
    )];

    fn read(table: Table) -> Result<BalanceTable, Error> {
        let (own, aodv) = read_beside("routing", table, |_: &BalanceConfig| AodvConfig::default())?;
        Ok(BalanceTable { aodv, own })
    }

    fn check(&self, _: &Setting) -> Result<(), ConfigError> {
        self.aodv.check()?;
        positive("wait_s", self.own.wait_s, 10.0)
    }

    fn build(&self, world: &World) -> Box<dyn Layer> {
        let node = |node| {
            Aodv::with_policy(node, &self.aodv, world.profile, Balance::new(node, &self.own))
        };
        let report = |nodes: &[Aodv<Balance>], _: &Shared, _| BalanceReport {
            lighter_copies: nodes.iter().map(|node| node.policy().lighter_copies).sum(),
        };
        Box::new(Nodes::new(world, node).reporting(report))
    }

    fn report_schema(generator: &mut SchemaGenerator) -> Option<Schema> {
        Some(generator.subschema_for::<BalanceReport>())
    }
}

/// The choices on one node.
#[derive(Debug)]
pub struct Balance {
    node: NodeId,
    wait: Duration,
    /// The best copies so far of requests for this node.
    held: Vec<Copy>,
    lighter_copies: u64,
}

impl Balance {
    /// The choices of `node` with these keys.
    pub fn new(node: NodeId, config: &BalanceConfig) -> Balance {
        let wait = Duration::from_secs_f64(config.wait_s);
        Balance { node, wait, held: Vec::new(), lighter_copies: 0 }
    }
}

fn id(request: &Request) -> (NodeId, u32) {
    (request.originator, request.id)
}

impl Policy for Balance {
    fn gather(&mut self, cx: &mut Context, request: &mut Request, _: NodeId) {
        request.metric += cx.queue.len() as u32;
    }

    /// Later copies count at the destination, while it waits.
    fn counts(&mut self, request: &Request, seen: bool) -> bool {
        !seen || self.held.iter().any(|held| id(&held.request) == id(request))
    }

    fn ignores_copies(&self) -> bool {
        false
    }

    fn collect(&mut self, cx: &mut Context, copy: Copy) -> Option<Copy> {
        if copy.request.destination != self.node {
            return Some(copy);
        }
        let same = |held: &&mut Copy| id(&held.request) == id(&copy.request);
        let Some(held) = self.held.iter_mut().find(same) else {
            let (node, number) = id(&copy.request);
            cx.set_timer(Timer { kind: WAITED, node, number }, cx.now + self.wait);
            self.held.push(copy);
            return None;
        };
        let cost = |copy: &Copy| (copy.request.metric, copy.request.hop_count);
        if cost(&copy) < cost(held) {
            *held = copy;
            self.lighter_copies += 1;
        }
        None
    }

    fn on_timer(&mut self, _: &mut Context, timer: Timer) -> Option<Copy> {
        let due = (timer.node, timer.number);
        let place = self.held.iter().position(|held| id(&held.request) == due)?;
        Some(self.held.remove(place))
    }

    /// What a relay knows of its route's load is old.
    fn may_answer(&self, _: &Route, _: &Request, _: Profile) -> bool {
        false
    }

    fn prefers(&self, route: &Route, offer: &Offer, profile: Profile) -> bool {
        let renewed = profile == Profile::Standard && !route.is_up();
        let same = offer.sequence == route.sequence;
        let lighter = (offer.metric, offer.hops) < (route.metric, route.hops);
        offer.sequence.is_newer_than(route.sequence) || same && (renewed || lighter)
    }

    fn added_bytes(&self, message: &Message) -> u32 {
        match message {
            Message::Request(_) | Message::Reply(_) => LOAD_BYTES,
            Message::Hello { .. } | Message::Returned(_) | Message::Error(_) => 0,
        }
    }
}

#[cfg(test)]
mod tests;
