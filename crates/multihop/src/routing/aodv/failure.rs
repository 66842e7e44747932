//! Broken links: route errors (RFC 3561 section 6.11) and local repair (section 6.12).

use super::table::{RouteState, UNREACHABLE};
use super::{Aodv, ERRORS_HELD, LOCAL_REPAIR, Policy};
use crate::kernel::{Duration, seconds};
use crate::profile::Profile;
use crate::routing::{Context, DropReason, Timer};
use crate::wire::aodv::{Error, Message, SequenceNumber};
use crate::wire::{Body, NodeId, Packet};

impl<P: Policy + ?Sized> Aodv<P> {
    /// The link could not deliver `packet` to `next_hop`.
    pub(super) fn on_undelivered(&mut self, cx: &mut Context, packet: Packet, next_hop: NodeId) {
        if !packet.is_transport() {
            let is_reply = matches!(packet.body, Body::Aodv(Message::Reply(_)));
            if is_reply && self.profile == Profile::Standard {
                let until = cx.now + self.config.blacklist_life(self.profile);
                self.one_way.blacklist(next_hop, until);
            }
            cx.drop(packet, DropReason::LinkFailure);
            return;
        }
        if let Some(route) = self.routes.get_mut(packet.destination) {
            self.policy.on_undelivered(cx, &packet, route);
        }
        let repairs = self.config.local_repair
            && self
                .routes
                .get(packet.destination)
                .is_some_and(|route| self.policy.repairs(route, &packet));
        if repairs {
            self.repair(cx, packet);
            return;
        }
        cx.drop(packet, DropReason::LinkFailure);
        self.drop_queued(cx, next_hop);
        self.break_link(cx, next_hop);
    }

    /// The link to `neighbour` is broken: takes down every route over it and sends a route error.
    pub(super) fn break_link(&mut self, cx: &mut Context, neighbour: NodeId) {
        if self.profile == Profile::Ns2 {
            self.sequence = self.sequence.plus(2);
        }
        let mut unreachable = Vec::new();
        let mut used_by_others = false;
        for route in self.routes.newest_first() {
            if route.hops != UNREACHABLE && route.next_hop == neighbour {
                route.sequence = route.sequence.plus(1);
                used_by_others |= !route.precursors().is_empty();
                unreachable.push((route.destination, route.sequence));
                self.policy.on_route_lost(cx, route);
                route.take_down();
                cx.report_broken_route(route.destination);
            }
            route.remove_precursor(neighbour);
        }
        if used_by_others || self.config.error_without_precursors(self.profile) {
            self.send_error(cx, unreachable, Duration::ZERO);
        }
    }

    /// A route error has arrived from neighbour `from`.
    pub(super) fn on_error(&mut self, cx: &mut Context, error: &Error, from: NodeId) {
        let mut unreachable = Vec::new();
        for &(destination, sequence) in &error.unreachable {
            let Some(route) = self.routes.get_mut(destination) else { continue };
            let through = route.hops != UNREACHABLE && route.next_hop == from;
            if !through || !self.policy.believes(route, sequence) {
                continue;
            }
            route.sequence = sequence;
            route.has_sequence = true;
            self.policy.on_route_lost(cx, route);
            route.take_down();
            if !route.precursors().is_empty() {
                route.clear_precursors();
                unreachable.push((destination, sequence));
            }
            cx.report_broken_route(destination);
            match self.profile {
                Profile::Ns2 => self.drop_queued(cx, from),
                Profile::Standard => self.drop_queued_for(cx, from, destination),
            }
        }
        let jitter = cx.rng.duration_below(seconds(self.config.error_jitter_s));
        self.broadcast_error(cx, Error { unreachable, is_passed_on: true }, jitter);
    }

    /// Broadcasts a route error for these destinations, if there are any.
    pub(super) fn send_error(
        &mut self,
        cx: &mut Context,
        unreachable: Vec<(NodeId, SequenceNumber)>,
        delay: Duration,
    ) {
        self.broadcast_error(cx, Error { unreachable, is_passed_on: false }, delay);
    }

    fn broadcast_error(&mut self, cx: &mut Context, error: Error, delay: Duration) {
        if error.unreachable.is_empty() {
            return;
        }
        if self.held_errors.is_waiting() {
            self.held_errors.add(error);
        } else if let Err(next) = self.error_limit.admit(cx.now) {
            self.held_errors.add(error);
            cx.set_timer(Timer::of(ERRORS_HELD), next);
        } else {
            let packet = self.message(cx, NodeId::BROADCAST, 1, Message::Error(error));
            cx.send(packet, NodeId::BROADCAST, delay);
        }
    }

    /// Sends what the limit held back, in one route error.
    pub(super) fn send_held_errors(&mut self, cx: &mut Context) {
        let error = self.held_errors.take();
        self.broadcast_error(cx, error, Duration::ZERO);
    }

    /// Local repair: searches for another route for `packet` from here.
    fn repair(&mut self, cx: &mut Context, packet: Packet) {
        let destination = packet.destination;
        self.hold(cx, packet);
        let route = self.routes.entry(destination);
        route.state = RouteState::InRepair;
        if self.profile == Profile::Standard {
            // So that no node whose route leads through here can reply.
            route.sequence = route.sequence.plus(1);
        }
        self.request(cx, destination);
        let patience = self.routes.entry(destination).next_request();
        let at = match self.profile {
            Profile::Ns2 => cx.now + Duration::from_nanos(patience.as_nanos()),
            Profile::Standard => patience.max(cx.now),
        };
        cx.set_timer(Timer::about(LOCAL_REPAIR, destination), at);
    }

    /// A local repair has taken too long.
    pub(super) fn on_repair_timeout(&mut self, cx: &mut Context, destination: NodeId) {
        let route = self.routes.entry(destination);
        if route.state != RouteState::InRepair {
            return;
        }
        if self.profile == Profile::Standard {
            let unreachable = vec![(destination, route.sequence)];
            route.take_down();
            self.give_up(cx, destination);
            cx.report_broken_route(destination);
            self.send_error(cx, unreachable, Duration::ZERO);
        } else {
            route.take_down();
        }
    }

    /// Drops the queued packets for `destination` over `next_hop`.
    fn drop_queued_for(&mut self, cx: &mut Context, next_hop: NodeId, destination: NodeId) {
        for packet in cx.queue.take_for(next_hop, destination) {
            cx.drop(packet, DropReason::LinkFailure);
        }
    }

    fn drop_queued(&mut self, cx: &mut Context, next_hop: NodeId) {
        for packet in cx.queue.take(next_hop) {
            cx.drop(packet, DropReason::LinkFailure);
        }
    }
}
