//! Parts of AODV for a protocol with its own routes (`routing/multipath`): the flood, the send
//! buffer with repeated requests, and messages. AODV's table then only says whether there is any
//! route to a destination.

use super::table::Offer;
use super::{Aodv, Policy};
use crate::kernel::{Duration, Instant, seconds};
use crate::routing::Context;
use crate::wire::aodv::{Reply, Request};
use crate::wire::{Body, IP_HEADER_BYTES, NodeId, Packet};

impl<P: Policy + ?Sized> Aodv<P> {
    /// Gives a packet of this node's transport its IP header.
    pub(in crate::routing) fn add_ip_header(&self, packet: &mut Packet) {
        if let Body::Udp(_) = packet.body {
            packet.size_bytes += IP_HEADER_BYTES;
        }
        packet.ttl = self.config.time_to_live(self.profile);
    }

    /// Time to live of data and of messages that are not for neighbours alone.
    pub(in crate::routing) fn time_to_live(&self) -> u8 {
        self.config.time_to_live(self.profile)
    }

    /// Whether this is the first copy of `request` to arrive here.
    pub(in crate::routing) fn is_first_copy(&mut self, now: Instant, request: &Request) -> bool {
        let expires = now + seconds(self.config.request_id_life_s);
        let is_first = self.seen.check_in(request.originator, request.id, expires);
        if is_first && !self.meets_neighbours() && self.policy.ignores_copies() {
            self.seen.expect_copies(request.originator, request.id, expires);
        }
        is_first
    }

    /// Buffers `packet` of this node and requests a route.
    pub(in crate::routing) fn wait_for_route(&mut self, cx: &mut Context, packet: Packet) {
        let destination = packet.destination;
        self.hold(cx, packet);
        self.request(cx, destination);
    }

    /// Takes the next packet that waits for `destination`.
    pub(in crate::routing) fn take_waiting(
        &mut self,
        now: Instant,
        destination: NodeId,
    ) -> Option<Packet> {
        self.buffer.take(now, destination)
    }

    /// Time between packets released from the send buffer.
    pub(in crate::routing) fn release_spacing(&self) -> Duration {
        seconds(self.config.release_spacing_s)
    }

    /// There is a route to `destination` from now on, until [`Aodv::close_route`].
    pub(in crate::routing) fn open_route(&mut self, destination: NodeId, hops: u8, via: NodeId) {
        let route = self.routes.entry(destination);
        let offer = Offer { sequence: route.sequence, hops, metric: 0 };
        route.set(&offer, via, Instant::FAR);
        route.end_discovery();
    }

    /// There is no route to `destination` any more.
    pub(in crate::routing) fn close_route(&mut self, destination: NodeId) {
        self.routes.entry(destination).take_down();
    }

    /// Records the latency of the discovery that `reply` answers.
    pub(in crate::routing) fn note_latency(&mut self, now: Instant, reply: &Reply) {
        let hops = u64::from(reply.hop_count.max(1));
        let route = self.routes.entry(reply.destination);
        route.discovery().add_latency((now - reply.request_sent_at) / hops);
    }
}
