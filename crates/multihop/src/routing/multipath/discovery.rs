//! Discovery of several paths (Ye, Krishnamurthy and Tripathi, section II).
//!
//! Every node keeps all copies of a request and forwards the first. The destination answers copies
//! as they arrive, each with a reply with its own ROUTE_ID; a relay sends each reply back over the
//! shortest copy that no other reply has used. With `replies_go_back` a reply that cannot go on
//! returns to the node that sent it, which tries its next copy.

use super::forwarding::ForwardingEntry;
use super::log::{PathLog, PathNote};
use super::path::Path;
use super::paths::PathSet;
use super::requests::HeardRequest;
use super::{MultipathAodv, PathsConfig};
use crate::kernel::{Duration, Instant, seconds};
use crate::routing::{Context, DropReason};
use crate::wire::aodv::{Message, Reply, Request};
use crate::wire::{DiscoveryId, NodeId, Packet, RouteId};

impl MultipathAodv {
    /// A copy of a request has arrived from neighbour `from`, with `ttl` left.
    pub(super) fn on_request(&mut self, cx: &mut Context, request: Request, ttl: u8, from: NodeId) {
        if request.originator == self.node {
            return;
        }
        let is_first = self.aodv.is_first_copy(cx.now, &request);
        let heard = self.requests.record(cx.now, &request, from);
        if request.destination != self.node {
            if is_first {
                self.aodv.pass_on(cx, request, ttl);
            }
        } else if answers(heard, &request, cx.now, &self.config) {
            let id = RouteId::new(DiscoveryId::of(&request), heard.replies() + 1);
            heard.take_last(id);
            let entry = ForwardingEntry { next_hop: from, previous: self.node, from: self.node };
            self.forwarding.insert(request.originator, id, entry);
            let reply = self.aodv.reply_for_self(&request);
            let packet = self.reply_packet(cx, reply, id, self.aodv.time_to_live());
            cx.send(packet, from, Duration::ZERO);
        }
    }

    /// A reply for path `id` has arrived from neighbour `from`, with `ttl` left.
    pub(super) fn on_reply(
        &mut self,
        cx: &mut Context,
        reply: Reply,
        id: RouteId,
        ttl: u8,
        from: NodeId,
    ) {
        if reply.originator == self.node {
            self.on_path_found(cx, &reply, id, from);
            return;
        }
        let reverse_hop = self
            .requests
            .get_mut(cx.now, id.discovery())
            .and_then(|heard| reply_next_hop(heard, id, from, &self.config));
        let onward = Reply { hop_count: reply.hop_count.saturating_add(1), ..reply };
        match reverse_hop {
            Some(previous) => self.lead_on(cx, onward, id, ttl, (from, previous)),
            None if self.config.replies_go_back => self.send_back(cx, reply, id, from),
            None => {
                let packet = self.reply_packet(cx, onward, id, ttl);
                cx.drop(packet, DropReason::NoRoute);
            }
        }
    }

    /// Sends a reply for path `id`, which has come from the first of two neighbours, to the second.
    fn lead_on(
        &mut self,
        cx: &mut Context,
        reply: Reply,
        id: RouteId,
        ttl: u8,
        (from, previous): (NodeId, NodeId),
    ) {
        let (source, destination) = (reply.originator, reply.destination);
        self.forwarding.insert(
            destination,
            id,
            ForwardingEntry { next_hop: from, previous, from: source },
        );
        let back = ForwardingEntry { next_hop: previous, previous: from, from: destination };
        self.forwarding.insert(source, id, back);
        let packet = self.reply_packet(cx, reply, id, ttl);
        cx.send(packet, previous, Duration::ZERO);
    }

    /// Sends a reply for path `id` back to the neighbour that it came from.
    fn send_back(&self, cx: &mut Context, reply: Reply, id: RouteId, from: NodeId) {
        let message = Message::Returned(reply);
        let packet = self.aodv.message(cx, from, self.aodv.time_to_live(), message);
        cx.send(with_route_id(packet, id), from, Duration::ZERO);
    }

    /// The reply for path `id` that this node sent to neighbour `from` has come back. Every way is
    /// tried once, so a reply comes to an end; the destination then answers a later copy in its
    /// place.
    pub(super) fn on_returned(
        &mut self,
        cx: &mut Context,
        reply: Reply,
        id: RouteId,
        ttl: u8,
        from: NodeId,
    ) {
        let (source, destination) = (reply.originator, reply.destination);
        let is_own = destination == self.node;
        let Some(heard) = self.requests.get_mut(cx.now, id.discovery()) else { return };
        if !heard.give_up(id, from) {
            return;
        }
        let longest = match is_own {
            true => self.config.longest(heard.shortest_hops),
            false => u8::MAX,
        };
        let next = heard.take_other(id, longest);
        match (next, is_own) {
            (None, true) => heard.note_failed_reply(),
            (None, false) => heard.forget_reply(id),
            (Some(_), _) => {}
        }
        let entry = self.forwarding.get(destination, id).copied();
        match (next, entry) {
            (Some(next_hop), _) if is_own => {
                let entry = ForwardingEntry { next_hop, previous: self.node, from: self.node };
                self.forwarding.insert(source, id, entry);
                let packet = self.reply_packet(cx, reply, id, self.aodv.time_to_live());
                cx.send(packet, next_hop, Duration::ZERO);
            }
            (Some(next), Some(entry)) => self.lead_on(cx, reply, id, ttl, (entry.next_hop, next)),
            (_, entry) => {
                self.forwarding.remove(source, id);
                self.forwarding.remove(destination, id);
                if let Some(entry) = entry {
                    let hop_count = reply.hop_count.saturating_sub(1);
                    self.send_back(cx, Reply { hop_count, ..reply }, id, entry.next_hop);
                } else {
                    let packet = self.reply_packet(cx, reply, id, ttl);
                    cx.drop(packet, DropReason::NoRoute);
                }
            }
        }
    }

    /// A reply for path `id` has reached its originator, this node. It is too late if there are
    /// paths of another discovery, or were paths of a later one.
    fn on_path_found(&mut self, cx: &mut Context, reply: &Reply, id: RouteId, from: NodeId) {
        let (destination, hops) = (reply.destination, reply.hop_count);
        let peer = self.peers.entry(destination).or_default();
        let discovery = id.discovery();
        if peer.found.discovery != Some(discovery) {
            if !peer.found.is_empty() || peer.found.discovery > Some(discovery) {
                return;
            }
            peer.found = PathSet::of(discovery);
        }
        let shortest = peer.found.shortest_hops.min(hops);
        let longest = self.config.longest(shortest);
        if hops > longest {
            return;
        }
        let was_closed = peer.usable().is_empty();
        peer.found.add(Path::new(id, from, hops));
        PathLog::note(cx, destination, id, PathNote::Found { hops });
        while let Some(path) = peer.found.remove_longer(longest) {
            self.forwarding.remove(destination, path.id);
            PathLog::note(cx, destination, path.id, PathNote::Withdrawn);
        }
        let entry = ForwardingEntry { next_hop: from, previous: self.node, from: self.node };
        self.forwarding.insert(destination, id, entry);
        self.aodv.note_latency(cx.now, reply);
        if was_closed {
            self.aodv.open_route(destination, hops, from);
        }
        self.release(cx, destination);
    }

    /// A packet from node `from` has arrived on path `id` after `hops` hops: if this node sent the
    /// reply for that path, the reverse path works.
    pub(super) fn on_reverse_path_used(
        &mut self,
        cx: &mut Context,
        from: NodeId,
        id: RouteId,
        hops: u8,
    ) {
        let discovery = id.discovery();
        if discovery.originator != from {
            return;
        }
        let Some(&ForwardingEntry { next_hop, .. }) = self.forwarding.get(from, id) else { return };
        let peer = self.peers.entry(from).or_default();
        if peer.path_mut(id).is_some() || peer.given.discovery > Some(discovery) {
            return;
        }
        if peer.given.discovery != Some(discovery) {
            peer.given = PathSet::of(discovery);
        }
        let was_closed = peer.usable().is_empty();
        peer.given.add(Path::new(id, next_hop, hops));
        if was_closed {
            self.aodv.open_route(from, hops, next_hop);
            self.release(cx, from);
        }
    }

    /// A packet of this node with a reply for path `id`.
    fn reply_packet(&self, cx: &Context, reply: Reply, id: RouteId, ttl: u8) -> Packet {
        let reply = Reply { is_passed_on: reply.destination != self.node, ..reply };
        let packet = self.aodv.message(cx, reply.originator, ttl, Message::Reply(reply));
        with_route_id(packet, id)
    }
}

/// `packet` with the ROUTE_ID field.
pub(super) fn with_route_id(mut packet: Packet, id: RouteId) -> Packet {
    packet.route_id = Some(id);
    packet.size_bytes += RouteId::BYTES;
    packet
}

/// Whether the destination answers the copy of `request` that has just arrived, the last one in
/// `heard`.
fn answers(heard: &HeardRequest, request: &Request, now: Instant, config: &PathsConfig) -> bool {
    let is_short = heard.first_hops < config.single_path_below_hops;
    let most = if is_short { 1 } else { config.max_paths };
    heard.hopeful_replies() < most
        && heard.replies() < RouteId::MAX_PATHS
        && now - heard.first_at <= seconds(config.accept_copies_s)
        && request.hop_count <= config.longest(heard.shortest_hops)
}

/// The neighbour to which a relay sends reply `id` of neighbour `from`; none if it drops the reply.
pub(super) fn reply_next_hop(
    heard: &mut HeardRequest,
    id: RouteId,
    from: NodeId,
    config: &PathsConfig,
) -> Option<NodeId> {
    heard.delete(from);
    let visited = heard.has_passed(id);
    let crossed = heard.sent_to(from).is_some_and(|other| other < id);
    let on_a_path = config.replies_once() && heard.replies() > 0;
    if visited || crossed || on_a_path { None } else { heard.take_shortest(id) }
}
