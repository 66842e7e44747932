//! DCAR: distributed congestion-aware routing, a [`Policy`] of AODV (Z. Ye, S. V. Krishnamurthy, S.
//! K. Tripathi, "Use of Congestion-Aware Routing to Spatially Separate TCP Connections in Wireless
//! Ad Hoc Networks", section V).
//!
//! The weight of a node is `w_tcp` times the sum of the connections through itself and through each
//! of its neighbours (eq. 1). The weight of a link is that of its heavier end plus `w_p` (eq. 2),
//! and the weight of a path is the sum over its links. A node counts connections by the packets
//! that it sees (`connections.rs`) and learns those of its neighbours from HELLOs (`heard.rs`).
//! Requests accumulate the weight of the path; a node collects the copies of a request for a while
//! and processes the lightest (`collection.rs`).
//!
//! The idealised versions differ in which of this knowledge is free (`ledger.rs`,
//! [`DcarConfig::ideal`]).
//!
//! Deviation: the paper leaves open how long copies are collected; see [`Collect`].
//!
//! Deviation: the sizes added are 8 bytes to a HELLO (count and weight), 8 to a request (weights of
//! the path and of the transmitter), 4 to a reply (weight of the path); the paper gives none.

mod collection;
mod config;
mod connections;
mod heard;
mod ledger;
mod scheme;

use collection::{Collections, id_of};
pub use config::{Collect, DcarConfig, DcarTable};
use connections::AliveTimer;
use heard::{AnnouncedLoad, Heard};
use ledger::Knowledge;
pub use ledger::Ledger;
pub use scheme::DcarReport;

use super::aodv::policy::{Copy, Greeting};
use super::aodv::table::{Offer, Route};
use super::aodv::{Aodv, Policy};
use super::{Context, Oracle, Timer};
use crate::kernel::{Duration, Rng, seconds};
use crate::profile::Profile;
use crate::wire::aodv::{Message, Request};
use crate::wire::{Extension, NodeId, Packet};

/// Bytes added to AODV's HELLO: connections and weight; for each neighbour listed, its address and
/// connections.
const HELLO_BYTES: u32 = 8;
const LISTED_NEIGHBOUR_BYTES: u32 = 8;
/// Bytes added to AODV's request: the weights of the path and of the transmitter.
const REQUEST_BYTES: u32 = 8;
/// Bytes added to AODV's reply: the weight of the path.
const REPLY_BYTES: u32 = 4;

/// Timer: the collection of a request's copies ends.
const COLLECTION_END: &str = "collection-end";

/// DCAR's policy on one node. Weights are in thousandths.
#[derive(Debug)]
pub struct Dcar {
    node: NodeId,
    config: DcarConfig,
    /// How long a request is remembered.
    request_life: Duration,
    wide_hello: bool,
    knowledge: Knowledge,
    alive_timer: AliveTimer,
    /// How long a HELLO is valid.
    hello_life: Duration,
    heard: Heard,
    collections: Collections,
}

impl Aodv<Dcar> {
    /// DCAR on `node`.
    pub fn congestion_aware(node: NodeId, table: &DcarTable, profile: Profile) -> Self {
        Aodv::with_policy(node, &table.aodv, profile, Dcar::new(node, table))
    }
}

impl Dcar {
    fn new(node: NodeId, table: &DcarTable) -> Dcar {
        let DcarTable { aodv, dcar } = table;
        let hello_interval = Duration::from_secs_f64(aodv.hello_interval_s);
        let hello_life = hello_interval * u64::from(aodv.allowed_hello_loss);
        Dcar {
            node,
            config: dcar.clone(),
            request_life: seconds(aodv.request_id_life_s),
            wide_hello: dcar.wide_hello,
            knowledge: Knowledge::of_ideal(dcar.ideal),
            alive_timer: AliveTimer::new(dcar),
            hello_life,
            heard: Heard::new(node, hello_life),
            collections: Collections::default(),
        }
    }

    /// The TCP connections through this node and through each nearby node that it knows of, summed
    /// (n of eq. 1).
    pub fn nearby_connections(&self, cx: &mut Context) -> u32 {
        let (now, life) = (cx.now, self.hello_life);
        let own = Ledger::of(cx).count(self.node, now);
        own + match self.knowledge {
            Knowledge::Heard => self.heard.sum(now),
            Knowledge::Said => self.sum(cx, |ledger, node| ledger.said(node, now, life)),
            Knowledge::Current | Knowledge::CurrentInSensingRange => {
                self.sum(cx, |ledger, node| ledger.count(node, now))
            }
        }
    }

    /// This node's weight (eq. 1).
    pub fn weight(&self, cx: &mut Context) -> u32 {
        self.nearby_connections(cx).saturating_mul(self.config.connection_weight())
    }

    /// The sum of `count` over the other nodes of eq. 1.
    fn sum(&self, cx: &mut Context, count: impl Fn(&Ledger, NodeId) -> u32) -> u32 {
        let Oracle { hearers, shared } = &mut cx.oracle;
        let ledger = Ledger::within(shared);
        let nodes = match self.knowledge {
            Knowledge::CurrentInSensingRange => hearers.sensing_at(self.node, cx.now),
            _ => hearers.decoding_at(self.node, cx.now),
        };
        let near: u32 = nodes.iter().map(|node| count(ledger, *node)).sum();
        if !self.wide_hello {
            return near;
        }
        let mut behind: Vec<NodeId> = nodes
            .iter()
            .flat_map(|near| hearers.decoding_at(*near, cx.now))
            .filter(|node| *node != self.node && !nodes.contains(node))
            .collect();
        behind.sort_unstable();
        behind.dedup();
        near + behind.into_iter().map(|node| count(ledger, node)).sum::<u32>()
    }

    /// By how many connections the `nearby` that this node uses differs from what the nodes count
    /// now.
    fn staleness(&self, cx: &mut Context, nearby: u32) -> u32 {
        let now = cx.now;
        let own = Ledger::of(cx).count(self.node, now);
        nearby.abs_diff(own + self.sum(cx, |ledger, node| ledger.count(node, now)))
    }

    /// How long this node collects copies of `request`, whose first copy has just arrived.
    fn collection_time(&self, request: &Request, nearby: u32) -> Duration {
        if request.destination == self.node {
            return seconds(self.config.destination_collection_s());
        }
        let relay_collection = seconds(self.config.relay_collection_s);
        match self.config.rreq_collect {
            Collect::Fixed | Collect::Improve => relay_collection,
            Collect::Proportional => relay_collection * (1 + u64::from(nearby)),
        }
    }

    /// The first copy of a request has arrived: its source no longer has a route.
    fn start_collection(&mut self, cx: &mut Context, copy: Copy) {
        let nearby = self.nearby_connections(cx);
        let weight = self.weight(cx);
        let stale_connections = self.staleness(cx, nearby);
        let report = &mut Ledger::of(cx).report;
        report.weights_used += 1;
        report.weights_stale_connections += u64::from(stale_connections);
        self.on_new_route_sought(cx, &copy.request);
        let first = weighed(copy, weight, self.config.link_weight());
        self.collections.start(cx.now, self.request_life, weight, first);
        let (originator, id) = id_of(&copy.request);
        let at = cx.now + self.collection_time(&copy.request, nearby);
        cx.set_timer(Timer { kind: COLLECTION_END, node: originator, number: id }, at);
    }

    /// The connections from the originator of `request` to its destination no longer have a route.
    fn on_new_route_sought(&self, cx: &mut Context, request: &Request) {
        let connections = Ledger::of(cx).connections(self.node);
        connections.remove_between(request.originator, request.destination);
    }
}

/// Adds to `copy` the weight of the link that it arrived over, at a node of this `weight` (eq. 2).
fn weighed(mut copy: Copy, weight: u32, of_links: u32) -> Copy {
    let request = &mut copy.request;
    let link = request.transmitter_metric.max(weight).saturating_add(of_links);
    request.metric = request.metric.saturating_add(link);
    copy
}

impl Policy for Dcar {
    fn originate(&mut self, cx: &mut Context, request: &mut Request) {
        self.on_new_route_sought(cx, request);
        request.transmitter_metric = self.weight(cx);
    }

    fn counts(&mut self, _: &Request, _: bool) -> bool {
        true
    }

    fn ignores_copies(&self) -> bool {
        false
    }

    fn collect(&mut self, cx: &mut Context, copy: Copy) -> Option<Copy> {
        let id = id_of(&copy.request);
        let Some(collection) = self.collections.get_mut(id) else {
            self.start_collection(cx, copy);
            return None;
        };
        let copy = weighed(copy, collection.weight, self.config.link_weight());
        if copy.request.metric >= collection.best.request.metric {
            return None;
        }
        if !collection.closed {
            collection.best = copy;
            return None;
        }
        let is_relay = copy.request.destination != self.node;
        if is_relay && collection.improvements < self.config.improvements() {
            collection.best = copy;
            collection.improvements += 1;
            return Some(collection.stamped());
        }
        Ledger::of(cx).report.late_requests += 1;
        None
    }

    fn on_timer(&mut self, _: &mut Context, timer: Timer) -> Option<Copy> {
        let collection = self.collections.get_mut((timer.node, timer.number))?;
        collection.closed = true;
        Some(collection.stamped())
    }

    fn may_answer(&self, _: &Route, _: &Request, _: Profile) -> bool {
        false
    }

    fn meets_neighbours(&self) -> bool {
        false
    }

    fn prefers(&self, route: &Route, offer: &Offer, _: Profile) -> bool {
        // Copies that were not the best of their discovery never get here.
        !route.sequence.is_newer_than(offer.sequence)
    }

    fn sees_deliveries(&self) -> bool {
        true
    }

    fn on_data(&mut self, cx: &mut Context, packet: &Packet) {
        let now = cx.now;
        let ledger = Ledger::of(cx);
        match self.knowledge {
            Knowledge::Heard | Knowledge::Said => {
                ledger.connections(self.node).see(now, packet, &self.alive_timer);
            }
            Knowledge::Current | Knowledge::CurrentInSensingRange => {
                ledger.see_routed(self.node, now, packet, &self.alive_timer);
            }
        }
    }

    fn on_route_lost(&mut self, cx: &mut Context, route: &Route) {
        let ledger = Ledger::of(cx);
        for flow in ledger.connections(self.node).over_route_to(route.destination) {
            match self.knowledge {
                Knowledge::Heard | Knowledge::Said => ledger.connections(self.node).remove(flow),
                Knowledge::Current | Knowledge::CurrentInSensingRange => ledger.forget(flow),
            }
        }
    }

    fn greet(&mut self, cx: &mut Context) -> Option<Greeting> {
        let now = cx.now;
        match self.knowledge {
            Knowledge::Heard => {}
            Knowledge::Said => {
                Ledger::of(cx).say(self.node, now);
                return None;
            }
            Knowledge::Current | Knowledge::CurrentInSensingRange => return None,
        }
        let neighbours = match self.wide_hello {
            true => self.heard.neighbours(now).collect(),
            false => Vec::new(),
        };
        let metric = self.weight(cx);
        let connections = Ledger::of(cx).count(self.node, now);
        let load = AnnouncedLoad { connections, metric, neighbours };
        Some(Greeting { extension: Some(Extension::new(load)) })
    }

    fn on_greeting(&mut self, cx: &mut Context, from: NodeId, greeting: Greeting) {
        if let Some(load) = greeting.extension.as_ref().and_then(Extension::get) {
            self.heard.hear(cx.now, from, load);
        }
    }

    fn hello_spacing(&self, interval: Duration, rng: &mut Rng) -> Duration {
        let spread = Duration::from_secs_f64(interval.as_secs_f64() * self.config.hello_jitter);
        interval.saturating_sub(spread) + rng.duration_below(spread * 2)
    }

    fn hello_proves_link(&self) -> bool {
        // Many HELLOs are lost between static nodes when the medium is congested.
        false
    }

    fn added_bytes(&self, message: &Message) -> u32 {
        match message {
            Message::Request(_) => REQUEST_BYTES,
            Message::Reply(_) => REPLY_BYTES,
            Message::Hello { extension, .. } => {
                let load = extension.as_ref().and_then(Extension::get);
                let listed = load.map_or(0, |load: &AnnouncedLoad| load.neighbours.len() as u32);
                HELLO_BYTES + LISTED_NEIGHBOUR_BYTES * listed
            }
            Message::Returned(_) | Message::Error(_) => 0,
        }
    }
}

#[cfg(test)]
mod tests;
