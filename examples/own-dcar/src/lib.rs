//! DCAR, distributed congestion-aware routing (Z. Ye, S. V. Krishnamurthy, S. K. Tripathi, "Use of
//! Congestion-Aware Routing to Spatially Separate TCP Connections in Wireless Ad Hoc Networks",
//! section V), once more from outside: its runs are those of the package's `dcar`.
//!
//! A node weighs the TCP connections through itself and through its neighbours, which HELLOs tell
//! (eq. 1). A link weighs as much as its heavier end, and one more (eq. 2); a path is the sum of
//! its links. Requests add it up, and each node waits for copies and goes on with the lightest.
//!
//! Deviation: the paper leaves open how long copies are collected; here 20 ms for each connection
//! nearby, and one more; at the destination 100 ms. It gives no sizes: 8 bytes more in HELLOs and
//! requests, 4 in replies.

mod connections;

use std::collections::{BTreeMap, HashMap};

use multihop::api::config::document::read;
use multihop::api::config::{ConfigError, Error, Named, Table};
use multihop::api::kernel::{Duration, Instant, Rng};
use multihop::api::profile::Profile;
use multihop::api::routing::aodv::policy::{Copy, Greeting};
use multihop::api::routing::aodv::table::{Offer, Route};
use multihop::api::routing::aodv::{Aodv, AodvConfig, Policy};
use multihop::api::routing::{Context, Layer, Nodes, Scheme, Setting, Timer, World};
use multihop::api::schemes::Schemes;
use multihop::api::wire::aodv::{Message, Request};
use multihop::api::wire::{Extension, NodeId, Octets, Packet};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use connections::Connections;

/// Every scheme of the package, and this one.
fn schemes() -> Schemes {
    Schemes::standard().with_routing::<OwnDcarConfig>()
}

#[cfg(not(test))]
multihop_python::engine!(schemes);

/// Timer: the collection of a request's copies ends.
const COLLECTED: &str = "own-dcar-collected";
/// Weights are whole thousandths, so that equal paths weigh the same.
const ONE: u32 = 1000;
const RELAY_COLLECTION: Duration = Duration::from_millis(20);
const DESTINATION_COLLECTION: Duration = Duration::from_millis(100);

/// The `[routing]` table: AODV's keys that the paper varies.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct OwnDcarConfig {
    /// Time from one HELLO to the next, within a tenth (s).
    pub hello_interval_s: f64,
}

impl Default for OwnDcarConfig {
    fn default() -> Self {
        OwnDcarConfig { hello_interval_s: 1.0 }
    }
}

impl OwnDcarConfig {
    /// Requests flood the network, the destination alone answers, and nobody repairs.
    fn aodv(&self) -> AodvConfig {
        AodvConfig {
            expanding_ring: false,
            intermediate_replies: false,
            local_repair: false,
            hello_interval_s: self.hello_interval_s,
            ..AodvConfig::default()
        }
    }
}

impl Scheme for OwnDcarConfig {
    const NAME: &'static str = "own-dcar";
    const ABOUT: &'static str = "DCAR: AODV that routes around congestion.";
    const NAMED: &'static [Named] = &[Named::new(
        "own-dcar",
        "AODV that routes around congestion announced in HELLOs, TCP NewReno, standby",
        &[
            ("routing", "{scheme = \"own-dcar\"}"),
            ("transport.scheme", "\"newreno\""),
            ("transport.link_failure", "\"standby\""),
        ],
    )];

    fn read(table: Table) -> Result<OwnDcarConfig, Error> {
        read("routing", table.into())
    }

    fn check(&self, _: &Setting) -> Result<(), ConfigError> {
        multihop::api::config::positive("hello_interval_s", self.hello_interval_s, 1e3)
    }

    fn build(&self, world: &World) -> Box<dyn Layer> {
        let aodv = self.aodv();
        let node = |node| Aodv::with_policy(node, &aodv, world.profile, OwnDcar::new(node, &aodv));
        Box::new(Nodes::new(world, node))
    }
}

/// The load that a HELLO announces.
#[derive(Clone, Debug, PartialEq)]
struct Load {
    connections: u32,
    weight: u32,
}

impl Octets for Load {
    const KIND: u8 = 202;

    fn write(&self, out: &mut Vec<u8>) {
        out.extend(self.connections.to_be_bytes());
        out.extend(self.weight.to_be_bytes());
    }
}

/// The copies of one request at one node.
#[derive(Debug)]
struct Collection {
    /// The node's weight at the first copy.
    weight: u32,
    /// The lightest copy; the earliest of equal ones.
    best: Copy,
    closed: bool,
    started: Instant,
}

/// The choices on one node.
#[derive(Debug)]
pub struct OwnDcar {
    node: NodeId,
    hello_life: Duration,
    request_life: Duration,
    connections: Connections,
    /// Connections that neighbours have announced, and when.
    heard: BTreeMap<NodeId, (Instant, u32)>,
    collections: HashMap<(NodeId, u32), Collection>,
}

impl OwnDcar {
    /// The choices of `node` over AODV with these keys.
    pub fn new(node: NodeId, aodv: &AodvConfig) -> OwnDcar {
        let hello_interval = Duration::from_secs_f64(aodv.hello_interval_s);
        OwnDcar {
            node,
            hello_life: hello_interval * u64::from(aodv.allowed_hello_loss),
            request_life: Duration::from_secs_f64(aodv.request_id_life_s),
            connections: Connections::default(),
            heard: BTreeMap::new(),
            collections: HashMap::new(),
        }
    }

    /// The connections through this node and its neighbours, summed (n of eq. 1).
    fn nearby(&self, now: Instant) -> u32 {
        let recent = self.heard.values().filter(|(at, _)| *at + self.hello_life > now);
        self.connections.count(now) + recent.map(|(_, connections)| connections).sum::<u32>()
    }

    /// This node's weight (eq. 1).
    fn weight(&self, now: Instant) -> u32 {
        self.nearby(now) * ONE
    }

    /// The first copy of a request has arrived: its originator has no route any more.
    fn start(&mut self, cx: &mut Context, copy: Copy) {
        let (nearby, weight) = (self.nearby(cx.now), self.weight(cx.now));
        let request = &copy.request;
        self.connections.remove_between(request.originator, request.destination);
        self.collections.retain(|_, collection| collection.started + self.request_life > cx.now);
        let (best, id) = (weighed(copy, weight), (request.originator, request.id));
        let collection = Collection { weight, best, closed: false, started: cx.now };
        self.collections.insert(id, collection);
        let time = match request.destination == self.node {
            true => DESTINATION_COLLECTION,
            false => RELAY_COLLECTION * (1 + u64::from(nearby)),
        };
        cx.set_timer(Timer { kind: COLLECTED, node: id.0, number: id.1 }, cx.now + time);
    }
}

/// Adds to `copy` the weight of the link that it came over, at a node of this `weight` (eq. 2).
fn weighed(mut copy: Copy, weight: u32) -> Copy {
    copy.request.metric += copy.request.transmitter_metric.max(weight) + ONE;
    copy
}

impl Policy for OwnDcar {
    fn originate(&mut self, cx: &mut Context, request: &mut Request) {
        self.connections.remove_between(request.originator, request.destination);
        request.transmitter_metric = self.weight(cx.now);
    }

    fn counts(&mut self, _: &Request, _: bool) -> bool {
        true
    }

    fn ignores_copies(&self) -> bool {
        false
    }

    fn collect(&mut self, cx: &mut Context, copy: Copy) -> Option<Copy> {
        let id = (copy.request.originator, copy.request.id);
        match self.collections.get_mut(&id) {
            None => self.start(cx, copy),
            Some(collection) if !collection.closed => {
                let copy = weighed(copy, collection.weight);
                if copy.request.metric < collection.best.request.metric {
                    collection.best = copy;
                }
            }
            Some(_) => {}
        }
        None
    }

    fn on_timer(&mut self, _: &mut Context, timer: Timer) -> Option<Copy> {
        let collection = self.collections.get_mut(&(timer.node, timer.number))?;
        collection.closed = true;
        let mut best = collection.best;
        best.request.transmitter_metric = collection.weight;
        Some(best)
    }

    fn may_answer(&self, _: &Route, _: &Request, _: Profile) -> bool {
        false
    }

    /// What gets here is the lightest of its request.
    fn prefers(&self, route: &Route, offer: &Offer, _: Profile) -> bool {
        !route.sequence.is_newer_than(offer.sequence)
    }

    fn sees_deliveries(&self) -> bool {
        true
    }

    fn on_data(&mut self, cx: &mut Context, packet: &Packet) {
        self.connections.see(cx.now, packet);
    }

    fn on_route_lost(&mut self, _: &mut Context, route: &Route) {
        self.connections.remove_to(route.destination);
    }

    fn greet(&mut self, cx: &mut Context) -> Option<Greeting> {
        let (connections, weight) = (self.connections.count(cx.now), self.weight(cx.now));
        Some(Greeting { extension: Some(Extension::new(Load { connections, weight })) })
    }

    fn on_greeting(&mut self, cx: &mut Context, from: NodeId, greeting: Greeting) {
        let load: Option<&Load> = greeting.extension.as_ref().and_then(Extension::get);
        if let Some(load) = load {
            self.heard.insert(from, (cx.now, load.connections));
        }
    }

    fn hello_spacing(&self, interval: Duration, rng: &mut Rng) -> Duration {
        let spread = Duration::from_secs_f64(interval.as_secs_f64() * 0.1);
        interval.saturating_sub(spread) + rng.duration_below(spread * 2)
    }

    /// Many HELLOs are lost between nodes that stay, where the medium is congested.
    fn hello_proves_link(&self) -> bool {
        false
    }

    fn added_bytes(&self, message: &Message) -> u32 {
        match message {
            Message::Request(_) | Message::Hello { .. } => 8,
            Message::Reply(_) => 4,
            Message::Returned(_) | Message::Error(_) => 0,
        }
    }
}

#[cfg(test)]
mod tests;
