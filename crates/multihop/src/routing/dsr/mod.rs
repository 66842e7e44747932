//! DSR (RFC 4728), as ns-2.35 runs it.
//!
//! `mod.rs` has the entry points; `send.rs` gives packets their routes and buffers those without
//! one; `discovery.rs` handles requests and replies, `forward.rs` forwarding, `failure.rs` broken
//! links and route errors, `overhear.rs` overheard packets. The state is in `cache.rs` (routes),
//! `flows.rs` (flow state), `requests.rs` and `buffer.rs`. `policy.rs` has the choices that other
//! schemes make differently, `config.rs` the keys.
//!
//! Scope: sections 3, 4 and 8 with link-layer acknowledgments, flow state included; without
//! network-layer acknowledgments, multicast and link caches. A node with several interfaces has one
//! address, and `HeardStations` has the stations behind those of neighbours.
//!
//! Deviation:
//! - In the `ns2` profile nodes cache no way back to the sources of what they forward or overhear
//!   (section 3.3.1).
//! - Errors carried in requests are addressed to node 0 in the `ns2` profile, which takes them as
//!   its own.
//! - In the `ns2` profile TCP segments, whose size already includes an IP header, get a second one.

mod buffer;
pub mod cache;
pub mod config;
mod discovery;
mod failure;
mod flows;
mod forward;
mod headers;
mod outside;
mod overhear;
pub mod policy;
mod requests;
pub(in crate::routing) mod scheme;
mod send;

use buffer::SendBuffer;
use cache::PathCache;
use discovery::Reply;
use flows::FlowTable;
use headers::Headers;
pub use outside::OutsidePolicy;
use overhear::{Heard, Shortened};
pub use policy::{FewestHops, Order, Policy};
use requests::RequestTable;

pub use config::DsrConfig;

use super::heard_stations::HeardStations;
use super::{Context, Protocol, Timer};
use crate::kernel::{Duration, Instant, seconds};
use crate::profile::Profile;
use crate::wire::dsr::{Header, RouteErrorKind};
use crate::wire::{Body, IP_HEADER_BYTES, NodeId, Packet};

/// Time to live of DSR's own packets.
const DSR_TTL: u8 = 255;

/// Timer: check the packets that wait for a route.
const BUFFER_CHECK: &str = "buffer-check";

/// One node's DSR.
#[derive(Debug)]
pub struct Dsr<P: ?Sized = FewestHops> {
    node: NodeId,
    config: DsrConfig,
    profile: Profile,
    policy: Box<P>,
    routes: PathCache,
    flows: FlowTable,
    headers: Headers,
    requests: RequestTable,
    buffer: SendBuffer,
    /// Time of the next check of the buffer, if any packet waits.
    next_check: Instant,
    check_is_set: bool,
    /// A route error that the next request will carry, and since when it is held.
    held_error: Option<(RouteErrorKind, Instant)>,
    heard: Heard,
    shortened: Shortened,
    stations: HeardStations,
    next_request_id: u32,
    next_packet_id: u32,
}

impl Dsr {
    /// Plain DSR on `node`.
    pub fn new(node: NodeId, config: &DsrConfig, profile: Profile) -> Dsr {
        Dsr::with_policy(node, config, profile, FewestHops)
    }
}

impl<P: Policy> Dsr<P> {
    /// DSR on `node` with `policy`.
    pub fn with_policy(node: NodeId, config: &DsrConfig, profile: Profile, policy: P) -> Self {
        Dsr::governed(node, config, profile, Box::new(policy))
    }
}

impl<P: Policy + ?Sized> Dsr<P> {
    /// DSR on `node` governed by `policy`.
    pub fn governed(node: NodeId, config: &DsrConfig, profile: Profile, policy: Box<P>) -> Self {
        let (primary, secondary) = (config.primary_paths as usize, config.secondary_paths as usize);
        let buffer_timeout = seconds(config.buffer_timeout_s);
        Dsr {
            node,
            policy,
            routes: PathCache::new(node, primary, secondary),
            flows: FlowTable::default(),
            headers: Headers::default(),
            requests: RequestTable::new(config.request_table_nodes as usize, profile),
            buffer: SendBuffer::new(config.buffer_packets as usize, buffer_timeout),
            next_check: Instant::ZERO,
            check_is_set: false,
            held_error: None,
            heard: Heard::default(),
            shortened: Shortened::default(),
            stations: HeardStations::default(),
            next_request_id: 1,
            next_packet_id: 0,
            config: config.clone(),
            profile,
        }
    }
}

impl<P: Policy + ?Sized> Protocol for Dsr<P> {
    fn on_start(&mut self, cx: &mut Context) {
        self.policy.on_start(cx);
    }

    fn on_send(&mut self, cx: &mut Context, mut packet: Packet) {
        let has_ip_header = matches!(packet.body, Body::Tcp(_));
        if !has_ip_header || self.profile == Profile::Ns2 {
            packet.size_bytes += IP_HEADER_BYTES;
        }
        packet.ttl = self.config.time_to_live(self.profile);
        self.send_or_hold(cx, packet);
    }

    fn on_receive(&mut self, cx: &mut Context, packet: Packet, from: NodeId) {
        let from = self.stations.hear(cx, from);
        self.process(cx, packet, from);
        self.release_learned(cx);
    }

    fn on_delivered(&mut self, cx: &mut Context, packet: &Packet) {
        let Some(header) = &packet.dsr else { return };
        let order = self.policy.on_delivered(cx, packet, header);
        self.obey(cx, order);
    }

    /// Ignores copies of requests that this node sent or has seen: most packets of a flood.
    fn will_ignore(&self, packet: &Packet, _: Instant) -> bool {
        let Some(header) = &packet.dsr else { return false };
        let Some(request) = &header.request else { return false };
        header.errors.is_empty()
            && request.target != self.node
            && (request.path[0] == self.node
                || self.policy.ignores_copies()
                    && self.requests.has_seen(request.path[0], request.id))
    }

    fn sees_deliveries(&self) -> bool {
        self.policy.sees_deliveries()
    }

    fn on_link_failure(&mut self, cx: &mut Context, packet: Packet, next_hop: NodeId) {
        match self.stations.fail(cx, next_hop) {
            None => self.on_undelivered(cx, packet, next_hop),
            Some(other) => {
                let queued = cx.queue.take(next_hop);
                for packet in std::iter::once(packet).chain(queued) {
                    cx.send(packet, other, Duration::ZERO);
                }
            }
        }
    }

    fn on_overheard(&mut self, cx: &mut Context, packet: &Packet, receiver: NodeId) {
        self.learn_from(cx, packet, cx.stations.node(receiver));
        self.release_learned(cx);
    }

    fn may_overhear(&self) -> bool {
        self.config.promiscuous
    }

    fn overhears(&self, packet: &Packet) -> bool {
        self.config.promiscuous && packet.dsr.is_some()
    }

    fn waiting_packets(&self) -> usize {
        self.buffer.len()
    }

    fn on_timer(&mut self, cx: &mut Context, timer: Timer) {
        if timer.kind == BUFFER_CHECK {
            self.check_is_set = false;
            self.check_buffer(cx);
        } else {
            let orders = self.policy.on_timer(cx, timer);
            self.obey(cx, orders);
        }
    }
}

impl<P: Policy + ?Sized> Dsr<P> {
    /// A packet for this node, or to be forwarded, has arrived.
    fn process(&mut self, cx: &mut Context, packet: Packet, from: NodeId) {
        let Some(header) = packet.dsr.clone() else {
            if let Body::Routing(message) = &packet.body {
                return self.policy.on_message(cx, from, message);
            }
            self.forward_along_flow(cx, packet, None);
            return;
        };
        self.handle_errors(cx, &header.errors);
        if let Some(request) = &header.request {
            self.on_request(cx, &packet, &header, request);
        } else if packet.destination == self.node {
            if let Some(path) = &header.reply {
                self.on_reply(cx, path, &header);
            }
        } else if let Some(route) = &header.route {
            self.forward_along_route(cx, packet, &header, route);
        } else {
            let flow = header.flow.map(|flow| flow.id);
            self.forward_along_flow(cx, packet, flow);
        }
    }

    /// Carries out the policy's orders.
    fn obey(&mut self, cx: &mut Context, orders: impl IntoIterator<Item = Order>) {
        for order in orders {
            match order {
                Order::Answer { asked, direction, gathered } => {
                    let found = [&asked[..], &[self.node]].concat();
                    let reply = Reply { found: found.into(), direction, gathered };
                    // Without jitter nothing is drawn: other draws stay as they are.
                    let jitter = match seconds(self.config.reply_jitter_s) {
                        Duration::ZERO => Duration::ZERO,
                        longest => cx.rng.duration_below(longest),
                    };
                    self.reply(cx, reply, &asked, jitter);
                }
                Order::Discover { target } => {
                    self.discover(cx, target, true);
                }
                Order::AskToReplace { target, replaces } => {
                    let everyone = self.config.max_route_nodes;
                    self.send_request(cx, target, everyone, Some(replaces));
                }
            }
        }
    }

    /// This node's policy.
    pub fn policy(&self) -> &P {
        &self.policy
    }

    /// The route cache.
    pub fn routes(&self) -> &PathCache {
        &self.routes
    }

    /// Sends `packet` to the neighbour `next_hop` after `delay`.
    fn send(&self, cx: &mut Context, packet: Packet, next_hop: NodeId, delay: Duration) {
        let station = self.stations.station(cx, next_hop);
        cx.send(packet, station, delay);
    }

    /// A packet of this node with only `header`.
    fn message(&mut self, cx: &Context, destination: NodeId, header: Header) -> Packet {
        let mut packet = Packet {
            size_bytes: IP_HEADER_BYTES,
            ttl: DSR_TTL,
            ..Packet::new(self.node, destination, cx.now, Body::Dsr)
        };
        self.set_header(&mut packet, Some(header));
        packet
    }

    /// Replaces the DSR header of `packet` and counts its bytes.
    fn set_header(&mut self, packet: &mut Packet, header: Option<Header>) {
        let size =
            |header: Option<&Header>| header.map_or(0, |header| header.size_bytes(self.profile));
        packet.size_bytes -= size(packet.dsr.as_deref());
        packet.size_bytes += size(header.as_ref());
        packet.dsr = header.map(|header| self.headers.share(header));
    }

    /// An ID that no other packet has.
    fn new_packet_id(&mut self) -> u64 {
        self.next_packet_id = self.next_packet_id.wrapping_add(1);
        u64::from(self.node.0) << 32 | u64::from(self.next_packet_id)
    }

    /// A random time until the next check of the buffer.
    fn check_interval(&self, cx: &mut Context) -> Duration {
        let [shortest, longest] = self.config.buffer_check_s.map(seconds);
        shortest + cx.rng.duration_below(longest.saturating_sub(shortest))
    }
}

#[cfg(test)]
pub(super) mod tests;
