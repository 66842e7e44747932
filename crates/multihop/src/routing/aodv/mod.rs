//! AODV (RFC 3561), as ns-2.35 runs it.
//!
//! `mod.rs` has the entry points and the forwarding of data; `discovery.rs` sends requests and
//! sweeps the table, `request.rs` and `reply.rs` handle received requests and replies, `failure.rs`
//! broken links and route errors, `hello.rs` the optional HELLO messages; `parts.rs` is for
//! protocols built on this one. `policy.rs` has the choices that other schemes make differently,
//! `config.rs` the keys; `limits.rs` bounds what a node sends and believes.
//!
//! Scope: sections 5 and 6 without gratuitous replies, reply acknowledgments, multicast and reboot.
//! evidence/rfc3561.md has the rules that `standard` is held to, each with its test, and what is
//! left out.
//!
//! Deviation (`ns2` profile; RFC behaviour in `standard`): docs/model/aodv.md lists them. Those
//! that matter most:
//! - A destination never reached before is searched for in the whole network at once.
//! - A route in repair answers requests, and a reply with the same sequence number is accepted only
//!   with fewer hops. The neighbour beyond the broken link replies from its table with an equal hop
//!   count, so a repair often fails until that neighbour's entry has expired: stalls of 10 to 12 s.
//! - The timer of a local repair takes an absolute time as a delay.
//! - Route errors are broadcast even if no neighbour is known to use the route.

mod buffer;
mod by_metric;
pub mod config;
mod discovery;
mod failure;
mod hello;
mod limits;
mod outside;
mod parts;
mod places;
pub mod policy;
mod reply;
mod request;
pub(in crate::routing) mod scheme;
mod seen;
pub mod table;

use std::collections::BTreeSet;
use std::sync::Arc;

use buffer::SendBuffer;
pub use by_metric::{ByMetric, Measure, UNUSABLE};
use limits::{HeldErrors, OneWay, RateLimit};
pub use outside::OutsidePolicy;
use policy::Greeting;
pub use policy::{HopCount, Policy};
use seen::SeenRequests;
use table::{RouteState, RouteTable};

pub use config::AodvConfig;

use super::neighbour_table::NeighbourTable;
use super::{Context, DropReason, Protocol, Timer};
use crate::kernel::{Duration, Instant, seconds};
use crate::profile::Profile;
use crate::wire::aodv::{Message, SequenceNumber};
use crate::wire::{Body, NodeId, Packet};

/// Timer: purge the cache of seen requests.
pub(super) const REQUEST_CACHE_PURGE: &str = "request-cache-purge";
/// Timer: the wait for a reply to a request for a node is over (`standard`; in ns-2 the sweep
/// looks).
const REQUEST_WAIT: &str = "request-wait";
/// Timer: route errors that were held back may leave.
const ERRORS_HELD: &str = "errors-held";
/// Timer: a local repair of the route to a node has taken too long.
const LOCAL_REPAIR: &str = "local-repair";
/// Timer: the next HELLO.
const HELLO: &str = "hello";
/// Timer: check for neighbours whose HELLOs have stopped.
const NEIGHBOUR_CHECK: &str = "neighbour-check";

/// One node's AODV.
#[derive(Debug)]
pub struct Aodv<P: ?Sized = HopCount> {
    node: NodeId,
    config: Arc<AodvConfig>,
    profile: Profile,
    policy: Box<P>,
    routes: RouteTable,
    seen: SeenRequests,
    buffer: SendBuffer,
    /// Those whose HELLOs arrive.
    neighbours: NeighbourTable<()>,
    one_way: OneWay,
    request_limit: RateLimit,
    error_limit: RateLimit,
    held_errors: HeldErrors,
    /// Nodes without routing that are reached by this one.
    clients: BTreeSet<NodeId>,
    sequence: SequenceNumber,
    next_request_id: u32,
}

impl Aodv {
    /// Hop-count AODV on `node`.
    pub fn new(node: NodeId, config: impl Into<Arc<AodvConfig>>, profile: Profile) -> Aodv {
        Aodv::with_policy(node, config, profile, HopCount)
    }
}

impl<P: Policy> Aodv<P> {
    /// AODV on `node` with `policy`.
    pub fn with_policy(
        node: NodeId,
        config: impl Into<Arc<AodvConfig>>,
        profile: Profile,
        policy: P,
    ) -> Self {
        Aodv::governed(node, config, profile, Box::new(policy))
    }
}

impl<P: Policy + ?Sized> Aodv<P> {
    /// AODV on `node` governed by `policy`.
    pub fn governed(
        node: NodeId,
        config: impl Into<Arc<AodvConfig>>,
        profile: Profile,
        policy: Box<P>,
    ) -> Self {
        let config = config.into();
        let buffer_timeout = seconds(config.buffer_timeout_s);
        Aodv {
            node,
            policy,
            routes: RouteTable::new(profile),
            seen: SeenRequests::default(),
            buffer: SendBuffer::new(config.buffer_packets as usize, buffer_timeout, profile),
            neighbours: NeighbourTable::default(),
            one_way: OneWay::default(),
            request_limit: RateLimit::new(config.request_rate_limit(profile)),
            error_limit: RateLimit::new(config.error_rate_limit(profile)),
            held_errors: HeldErrors::default(),
            clients: BTreeSet::new(),
            sequence: SequenceNumber(2),
            next_request_id: 1,
            config,
            profile,
        }
    }
}

impl<P: Policy + ?Sized> Protocol for Aodv<P> {
    fn may_overhear(&self) -> bool {
        false
    }

    fn on_start(&mut self, cx: &mut Context) {
        let first_purge = cx.now + seconds(self.config.request_id_life_s);
        cx.set_timer(Timer::of(REQUEST_CACHE_PURGE), first_purge);
        if seconds(self.config.hello_interval_s) > Duration::ZERO {
            self.start_hello(cx);
        }
        self.policy.on_start(cx);
    }

    fn on_send(&mut self, cx: &mut Context, mut packet: Packet) {
        self.add_ip_header(&mut packet);
        self.forward(cx, packet, None);
    }

    fn on_receive(&mut self, cx: &mut Context, mut packet: Packet, from: NodeId) {
        match packet.body {
            Body::Aodv(message) => {
                let ttl = packet.ttl.saturating_sub(1);
                return self.on_message(cx, message, ttl, from);
            }
            Body::Routing(message) => return self.policy.on_message(cx, from, &message),
            _ => {}
        }
        if packet.source == self.node {
            cx.drop(packet, DropReason::Loop);
            return;
        }
        packet.ttl = packet.ttl.saturating_sub(1);
        if packet.ttl == 0 {
            cx.drop(packet, DropReason::TimeToLive);
        } else {
            self.forward(cx, packet, Some(from));
        }
    }

    /// Answers requests for its clients with its own number, as the router of a subnet does for the
    /// nodes in it (section 7), and tells of one that is gone by a route error.
    fn on_client(&mut self, cx: &mut Context, client: NodeId, is_here: bool) {
        if is_here {
            self.clients.insert(client);
        } else if self.clients.remove(&client) {
            let unreachable = vec![(client, self.sequence.plus(1))];
            self.send_error(cx, unreachable, Duration::ZERO);
        }
    }

    fn on_link_failure(&mut self, cx: &mut Context, packet: Packet, next_hop: NodeId) {
        self.on_undelivered(cx, packet, next_hop);
    }

    fn on_timer(&mut self, cx: &mut Context, timer: Timer) {
        match timer.kind {
            REQUEST_CACHE_PURGE => {
                self.seen.purge(cx.now);
                cx.set_timer(timer, cx.now + seconds(self.config.request_id_life_s));
            }
            REQUEST_WAIT => self.on_request_wait(cx, timer.node),
            ERRORS_HELD => self.send_held_errors(cx),
            LOCAL_REPAIR => self.on_repair_timeout(cx, timer.node),
            HELLO => self.send_hello(cx),
            NEIGHBOUR_CHECK => self.check_neighbours(cx),
            _ => {
                if let Some(copy) = self.policy.on_timer(cx, timer) {
                    self.take_up(cx, copy);
                }
            }
        }
    }

    fn sweep_interval(&self) -> Option<Duration> {
        Some(seconds(self.config.sweep_interval_s))
    }

    fn needs_sweep(&self) -> bool {
        self.routes.count() > 0 || !self.buffer.needs_none()
    }

    fn on_sweep(&mut self, cx: &mut Context) {
        self.sweep(cx);
    }

    fn sees_deliveries(&self) -> bool {
        self.policy.sees_deliveries()
    }

    fn on_delivered(&mut self, cx: &mut Context, packet: &Packet) {
        self.policy.on_data(cx, packet);
    }

    /// Ignores copies of requests that this node sent or has seen: most packets of a flood.
    fn will_ignore(&self, packet: &Packet, at: Instant) -> bool {
        let Body::Aodv(Message::Request(request)) = &packet.body else { return false };
        if self.seen.is_latest(request.originator, request.id, at) {
            return true;
        }
        if self.meets_neighbours() {
            return false;
        }
        request.originator == self.node
            || self.policy.ignores_copies()
                && self.seen.is_remembered(request.originator, request.id, at)
    }

    fn waiting_packets(&self) -> usize {
        self.buffer.len()
    }
}

impl<P: Policy + ?Sized> Aodv<P> {
    /// The next hop to `destination`, if there is a route.
    pub fn next_hop(&self, destination: NodeId) -> Option<NodeId> {
        self.routes.get(destination).filter(|route| route.is_up()).map(|route| route.next_hop)
    }

    /// Hops to `destination`, if there is a route.
    pub fn hops(&self, destination: NodeId) -> Option<u8> {
        self.routes.get(destination).filter(|route| route.is_up()).map(|route| route.hops)
    }

    /// This node's policy.
    pub fn policy(&self) -> &P {
        &self.policy
    }

    /// The route table.
    pub fn routes(&self) -> &RouteTable {
        &self.routes
    }

    /// This node's own sequence number.
    pub fn sequence(&self) -> SequenceNumber {
        self.sequence
    }

    /// A message has arrived from neighbour `from`, with `ttl` left.
    fn on_message(&mut self, cx: &mut Context, message: Message, ttl: u8, from: NodeId) {
        match message {
            Message::Request(request) => self.on_request(cx, request, ttl, from),
            Message::Reply(reply) => self.on_reply(cx, reply, ttl, from),
            Message::Returned(_) => {}
            Message::Error(error) => self.on_error(cx, &error, from),
            Message::Hello { sequence, lifetime, extension } => {
                self.on_hello(cx, from, sequence, lifetime);
                self.policy.on_greeting(cx, from, Greeting { extension });
            }
        }
    }

    /// Forwards a data packet of this node or of neighbour `from`, buffers it until there is a
    /// route, or drops it.
    fn forward(&mut self, cx: &mut Context, mut packet: Packet, from: Option<NodeId>) {
        let is_standard = self.profile == Profile::Standard;
        let route = self.routes.entry(packet.destination);
        self.policy.direct(cx, &mut packet, route);
        match route.state {
            RouteState::Up => {
                let expires = cx.now + seconds(self.config.active_route_timeout_s(self.profile));
                let next_hop = route.next_hop;
                match is_standard {
                    false => route.expires = expires,
                    true => self.keep_routes_of(&packet, next_hop, from, expires),
                }
                self.policy.on_data(cx, &packet);
                cx.send(packet, next_hop, Duration::ZERO);
            }
            RouteState::Down if packet.source == self.node => self.wait_for_route(cx, packet),
            RouteState::Down => {
                if is_standard && route.has_sequence {
                    route.sequence = route.sequence.plus(1);
                }
                let unreachable = vec![(route.destination, route.sequence)];
                self.send_error(cx, unreachable, Duration::ZERO);
                cx.drop(packet, DropReason::NoRoute);
            }
            RouteState::InRepair => self.hold(cx, packet),
        }
    }

    /// `packet` is sent on: the routes to its ends and to the neighbours on its way are in use
    /// (section 6.2).
    fn keep_routes_of(
        &mut self,
        packet: &Packet,
        next_hop: NodeId,
        from: Option<NodeId>,
        expires: Instant,
    ) {
        for node in [Some(packet.destination), Some(packet.source), Some(next_hop), from] {
            let route = node.and_then(|node| self.routes.get_mut(node));
            if let Some(route) = route.filter(|route| route.is_up()) {
                route.keep_until(expires);
            }
        }
    }

    /// Buffers `packet` until there is a route.
    fn hold(&mut self, cx: &mut Context, packet: Packet) {
        let displaced = self.buffer.push(cx.now, packet);
        for packet in displaced.expired {
            cx.drop(packet, DropReason::BufferTimeout);
        }
        if let Some(packet) = displaced.overflow {
            cx.drop(packet, DropReason::BufferFull);
        }
    }

    /// Drops the packets that have waited too long.
    fn drop_expired(&mut self, cx: &mut Context) {
        for packet in self.buffer.take_expired(cx.now) {
            cx.drop(packet, DropReason::BufferTimeout);
        }
    }

    /// Sends the packets that wait for `destination`, the first after `delay`, then `spacing`
    /// apart. Returns the delay of the next one.
    fn release(
        &mut self,
        cx: &mut Context,
        destination: NodeId,
        mut delay: Duration,
        spacing: Duration,
    ) -> Duration {
        if !self.policy.may_send(cx, destination) && self.buffer.needs(destination) {
            self.routes.entry(destination).state = RouteState::Down;
            return delay;
        }
        let expires = cx.now + seconds(self.config.active_route_timeout_s(self.profile));
        while let Some(mut packet) = self.buffer.take(cx.now, destination) {
            let route = self.routes.entry(destination);
            self.policy.direct(cx, &mut packet, route);
            let next_hop = route.next_hop;
            match self.profile {
                Profile::Ns2 => route.expires = expires,
                Profile::Standard => self.keep_routes_of(&packet, next_hop, None, expires),
            }
            self.policy.on_data(cx, &packet);
            cx.send(packet, next_hop, delay);
            delay += spacing;
        }
        delay
    }

    /// Drops the packets that wait for `destination`, and those that have waited too long.
    fn give_up(&mut self, cx: &mut Context, destination: NodeId) {
        self.drop_expired(cx);
        while let Some(packet) = self.buffer.take(cx.now, destination) {
            cx.drop(packet, DropReason::NoRoute);
        }
    }

    /// A packet with a message of this node.
    pub(in crate::routing) fn message(
        &self,
        cx: &Context,
        destination: NodeId,
        ttl: u8,
        message: Message,
    ) -> Packet {
        Packet {
            size_bytes: message.size_bytes() + self.policy.added_bytes(&message),
            ttl,
            ..Packet::new(self.node, destination, cx.now, Body::Aodv(message))
        }
    }
}

#[cfg(test)]
pub(super) mod tests;
