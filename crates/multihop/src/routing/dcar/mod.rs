//! DCAR: distributed congestion-aware routing, AODV with another [`Policy`] (Z. Ye, S. V. Krishnamurthy,
//! S. K. Tripathi, "Use of Congestion-Aware Routing to Spatially Separate TCP Connections in Wireless Ad
//! Hoc Networks", section V).
//!
//! A node weighs `w_tcp` times the connections through itself and its neighbours, each of these nodes
//! counted for itself (eq. 1); a link weighs as much as the heavier of its ends, and `w_p` (eq. 2); a path
//! as much as its links. A node counts connections by the packets that it sees (`connections.rs`) and
//! hears of its neighbours' in HELLOs (`heard.rs`). Requests gather the weight of the path; a node
//! collects the copies of a request for a while and takes up the lightest (`collection.rs`).
//!
//! The idealised versions differ by which of this knowledge is free, see [`DcarConfig::ideal`].
//!
//! Deviation: the paper leaves open how long copies are collected; see [`Collect`].
//!
//! Deviation: the sizes added are 8 bytes to a HELLO (count and weight), 8 to a request (weights of the
//! path and of the transmitter), 4 to a reply (weight of the path); the paper gives none.

mod collection;
mod config;
mod connections;
mod heard;

use std::sync::Arc;

use collection::{Collections, id_of};
use config::Parameters;
pub use config::{Collect, DcarConfig, DcarTable};
use connections::Connections;
use heard::Heard;

use super::aodv::policy::{Copy, Greeting, Offer};
use super::aodv::table::Route;
use super::aodv::{Aodv, Policy};
use super::{Action, Context, Timer};
use crate::kernel::{Duration, Instant, Rng};
use crate::profile::Profile;
use crate::wire::aodv::{Load, Message, Request};
use crate::wire::{NodeId, Packet};

/// What a HELLO has beyond AODV's: connections and weight; and for each neighbour listed, its address and
/// connections \[bytes\].
const HELLO_BYTES: u32 = 8;
const LISTED_NEIGHBOUR_BYTES: u32 = 8;
/// What a request has beyond AODV's: the weights of the path and of the transmitter \[bytes\].
const REQUEST_BYTES: u32 = 8;
/// What a reply has beyond AODV's: the weight of the path \[bytes\].
const REPLY_BYTES: u32 = 4;

/// The choices of DCAR on one node. Weights are in thousandths.
#[derive(Debug)]
pub struct Dcar {
    node: NodeId,
    parameters: Parameters,
    wide_hello: bool,
    connections: Connections,
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
        Dcar {
            node,
            parameters: Parameters::new(table),
            wide_hello: dcar.wide_hello,
            connections: Connections::new(dcar),
            heard: Heard::new(node, hello_interval * u64::from(aodv.allowed_hello_loss)),
            collections: Collections::default(),
        }
    }

    /// TCP connections through this node.
    pub fn own_connections(&self, now: Instant) -> u32 {
        self.connections.count(now)
    }

    /// The sum over this node and those it knows of, of the TCP connections through each.
    pub fn nearby_connections(&self, now: Instant) -> u32 {
        self.own_connections(now) + self.heard.sum(now)
    }

    /// This node's weight (eq. 1).
    pub fn weight(&self, now: Instant) -> u32 {
        self.nearby_connections(now).saturating_mul(self.parameters.w_tcp)
    }

    /// How long this node collects copies of `request`, whose first has just come.
    fn collection_time(&self, request: &Request, nearby: u32) -> Duration {
        let Parameters { collect, relay_collection, destination_collection, .. } = self.parameters;
        match collect {
            _ if request.destination == self.node => destination_collection,
            Collect::Fixed | Collect::Improve => relay_collection,
            Collect::Proportional => relay_collection * (1 + u64::from(nearby)),
        }
    }

    /// The first copy of a request has come: its source has no route any more.
    fn start_collection(&mut self, cx: &mut Context, copy: Copy) {
        let nearby = self.nearby_connections(cx.now);
        let weight = self.weight(cx.now);
        self.connections.forget(copy.request.originator, copy.request.destination);
        let first = self.weighed(copy, weight);
        self.collections.start(cx.now, self.parameters.request_life, weight, first);
        let (originator, id) = id_of(&copy.request);
        let at = cx.now + self.collection_time(&copy.request, nearby);
        cx.set_timer(Timer::Policy(originator, id), at);
    }

    /// `copy` with the link that it came over, to this node of this `weight` (eq. 2).
    fn weighed(&self, mut copy: Copy, weight: u32) -> Copy {
        let request = &mut copy.request;
        let link = request.transmitter_metric.max(weight).saturating_add(self.parameters.w_p);
        request.metric = request.metric.saturating_add(link);
        copy
    }

    /// Whether a copy better than the one taken up is taken up too.
    fn improves(&self, request: &Request, improvements: u32) -> bool {
        self.parameters.collect == Collect::Improve
            && request.destination != self.node
            && improvements < self.parameters.improve_limit
    }
}

impl Policy for Dcar {
    fn originate(&mut self, cx: &mut Context, request: &mut Request) {
        self.connections.forget(request.originator, request.destination);
        request.transmitter_metric = self.weight(cx.now);
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
        let (weight, closed) = (collection.weight, collection.closed);
        let improvements = collection.improvements;
        let may_improve = !closed || self.improves(&copy.request, improvements);
        let copy = self.weighed(copy, weight);
        if closed {
            cx.actions.push(Action::LateRequest);
        }
        let collection = self.collections.get_mut(id).filter(|_| may_improve)?;
        if !collection.offer(copy) || !closed {
            return None;
        }
        collection.improvements += 1;
        Some(collection.stamped())
    }

    fn on_timer(&mut self, _: &mut Context, timer: Timer) -> Option<Copy> {
        let Timer::Policy(originator, id) = timer else { return None };
        let collection = self.collections.get_mut((originator, id))?;
        collection.closed = true;
        Some(collection.stamped())
    }

    fn may_answer(&self, _: &Route, _: &Request, _: Profile) -> bool {
        false
    }

    fn prefers(&self, route: &Route, offer: &Offer, _: Profile) -> bool {
        // What was not the best of its discovery never comes this far.
        !route.sequence.is_newer_than(offer.sequence)
    }

    fn on_data(&mut self, cx: &mut Context, packet: &Packet) {
        self.connections.see(cx.now, packet);
    }

    fn on_route_lost(&mut self, _: &mut Context, destination: NodeId) {
        self.connections.lose_route(destination);
    }

    fn greet(&mut self, cx: &mut Context) -> Option<Greeting> {
        let neighbours = match self.wide_hello {
            true => self.heard.neighbours(cx.now).collect(),
            false => Vec::new(),
        };
        let connections = self.own_connections(cx.now);
        let load = Load { connections, metric: self.weight(cx.now), neighbours };
        Some(Greeting { load: Some(Arc::new(load)) })
    }

    fn on_greeting(&mut self, cx: &mut Context, from: NodeId, greeting: Greeting) {
        if let Some(load) = greeting.load {
            self.heard.hear(cx.now, from, &load);
        }
    }

    fn hello_spacing(&self, interval: Duration, rng: &mut Rng) -> Duration {
        let spread = Duration::from_secs_f64(interval.as_secs_f64() * self.parameters.hello_jitter);
        interval.saturating_sub(spread) + rng.duration_below(spread * 2)
    }

    fn hello_proves_link(&self) -> bool {
        // Many are lost where nodes stand still but the medium is full.
        false
    }

    fn added_bytes(&self, message: &Message) -> u32 {
        match message {
            Message::Request(_) => REQUEST_BYTES,
            Message::Reply(_) => REPLY_BYTES,
            Message::Hello { load, .. } => {
                let listed = load.as_ref().map_or(0, |load| load.neighbours.len() as u32);
                HELLO_BYTES + LISTED_NEIGHBOUR_BYTES * listed
            }
            Message::Error(_) => 0,
        }
    }
}

#[cfg(test)]
mod tests;
