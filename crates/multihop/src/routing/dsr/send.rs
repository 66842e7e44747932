//! Gives packets their routes (RFC 4728 section 8.1.1), and buffers those without one (section
//! 4.2).

use super::cache::Found;
use super::flows::{EstablishedFlow, establishes};
use super::{BUFFER_CHECK, Dsr, Policy};
use crate::kernel::{Duration, seconds};
use crate::profile::Profile;
use crate::routing::{Context, DropReason, Timer};
use crate::wire::dsr::{FlowState, Header, SourceRoute};
use crate::wire::{NodeId, Packet};

impl<P: Policy + ?Sized> Dsr<P> {
    /// Sends a packet of this node, which has no source route yet, or buffers it and starts a
    /// search.
    pub(super) fn send_or_hold(&mut self, cx: &mut Context, packet: Packet) {
        if let Err(packet) = self.try_send(cx, packet, 0, Duration::ZERO) {
            self.discover(cx, packet.destination, true);
            self.hold(cx, packet, 0);
        }
    }

    /// Sends a packet without a source route after `delay` if a route is known; else returns it.
    pub(super) fn try_send(
        &mut self,
        cx: &mut Context,
        mut packet: Packet,
        salvages: u8,
        delay: Duration,
    ) -> Result<(), Packet> {
        let is_own = packet.source == self.node;
        let Some(found) = self.route_of(cx, &packet, true) else { return Err(packet) };
        if is_own && packet.is_transport() && self.config.flow_state {
            self.send_in_flow(cx, packet, found.nodes(), delay);
            return Ok(());
        }
        let mut header = self.header_of(&packet);
        header.route = Some(SourceRoute { nodes: found.path(), salvages });
        self.set_header(&mut packet, Some(header));
        self.send(cx, packet, found.nodes()[1], delay);
        Ok(())
    }

    /// A route for `packet`; with `keep` the packet is sent on it now.
    fn route_of(&mut self, cx: &Context, packet: &Packet, keep: bool) -> Option<Found> {
        match packet.source == self.node {
            true => self.policy.pick(cx, &mut self.routes, packet, keep),
            false => self.routes.find(packet.destination, keep),
        }
    }

    /// Sends an own packet along `route`, or along the default flow to its destination if that is
    /// not longer: with the source route while the flow is being established, else without.
    fn send_in_flow(
        &mut self,
        cx: &mut Context,
        mut packet: Packet,
        route: &[NodeId],
        delay: Duration,
    ) {
        let (source, destination) = (packet.source, packet.destination);
        let default = self.flows.default_flow(source, destination);
        let default = default.filter(|flow| flow.is_alive(cx.now));
        let reused = default
            .filter(|flow| flow.route.len() <= route.len() && flow.route[..] != *route)
            .map(|flow| flow.id);
        let known = reused.or_else(|| self.flows.along(route, cx.now).map(|flow| flow.id));
        let id = known.unwrap_or_else(|| self.new_flow(cx, &packet, route));
        let default = self.flows.default_flow(source, destination).map(|flow| flow.id);
        let packet_id = self.new_packet_id();
        let Some(flow) = self.flows.get(source, destination, id) else { return };
        flow.expires = cx.now + seconds(self.config.flow_life_s);
        let packets = self.config.flow_establishing_packets;
        let next_hop = flow.next_hop;
        let header = if establishes(flow, packets, seconds(self.config.flow_refresh_s), cx.now) {
            flow.established += 1;
            flow.last_established = cx.now;
            let flow_state = Some(FlowState { id, establishes: true });
            Some(Header { flow: flow_state, ..Header::along(packet_id, flow.route.clone()) })
        } else if default == Some(id) && flow.ttl == packet.ttl {
            None
        } else {
            let flow = Some(FlowState { id, establishes: false });
            Some(Header { id: packet_id, flow, ..Header::default() })
        };
        self.set_header(&mut packet, header);
        self.send(cx, packet, next_hop, delay);
    }

    /// Starts a flow along `route` for packets like this one. Returns its ID.
    fn new_flow(&mut self, cx: &Context, packet: &Packet, route: &[NodeId]) -> u16 {
        let id = self.flows.new_id();
        let flow = EstablishedFlow {
            id,
            route: route.into(),
            next_hop: route[1],
            ttl: packet.ttl,
            expires: cx.now + seconds(self.config.flow_life_s),
            established: 0,
            last_established: cx.now,
        };
        self.flows.put(packet.source, packet.destination, flow);
        id
    }

    /// The header of `packet` without any route, or a new one.
    fn header_of(&mut self, packet: &Packet) -> Header {
        match packet.dsr.as_deref() {
            Some(header) => Header { route: None, flow: None, ..header.clone() },
            None => Header { id: self.new_packet_id(), ..Header::default() },
        }
    }

    /// Removes the route from `packet`.
    pub(super) fn strip(&mut self, packet: &mut Packet) {
        let header = match packet.is_transport() {
            true => None,
            false => Some(self.header_of(packet)),
        };
        self.set_header(packet, header);
    }

    /// Buffers `packet` until there is a route.
    pub(super) fn hold(&mut self, cx: &mut Context, packet: Packet, salvages: u8) {
        if let Some(displaced) = self.buffer.push(cx.now, packet, salvages) {
            cx.drop(displaced, DropReason::BufferFull);
        }
        self.set_check(cx);
    }

    /// Sets the timer of the buffer check if any packet waits. Checks take place at random
    /// intervals even if no packet waits, so the intervals of those that would have found nothing
    /// are drawn here.
    fn set_check(&mut self, cx: &mut Context) {
        if self.check_is_set || self.buffer.is_empty() {
            return;
        }
        while self.next_check <= cx.now {
            let interval = self.check_interval(cx);
            self.next_check += interval;
        }
        cx.set_timer(Timer::of(BUFFER_CHECK), self.next_check);
        self.check_is_set = true;
    }

    /// Sends the packets that have a route by now, drops those that have waited too long, and
    /// continues to search for routes for the rest.
    pub(super) fn check_buffer(&mut self, cx: &mut Context) {
        for slot in 0..self.buffer.slots() {
            let Some(destination) = self.buffer.destination(slot) else { continue };
            if self.buffer.is_expired(slot, cx.now) {
                self.give_up(cx, slot, DropReason::BufferTimeout);
                continue;
            }
            if self.release(cx, slot, Duration::ZERO) {
                continue;
            }
            let is_own = self.buffer.is_own(slot, self.node);
            if !self.discover(cx, destination, is_own) {
                self.give_up(cx, slot, DropReason::NoRoute);
            }
        }
        self.set_check(cx);
    }

    /// Sends every packet that has a route by now, spaced out.
    pub(super) fn release_all(&mut self, cx: &mut Context) {
        let mut delay = Duration::ZERO;
        for slot in 0..self.buffer.slots() {
            if !self.buffer.is_empty() && self.release(cx, slot, delay) {
                delay += seconds(self.config.release_spacing_s);
            }
        }
    }

    /// After a packet from which routes may have been learned: sends those that waited for one
    /// (section 4.1). In ns-2 they wait for the next check.
    pub(super) fn release_learned(&mut self, cx: &mut Context) {
        if self.profile == Profile::Standard && !self.buffer.is_empty() {
            self.release_all(cx);
        }
    }

    /// Sends the packet in `slot` after `delay` if there is one and a route for it.
    fn release(&mut self, cx: &mut Context, slot: usize, delay: Duration) -> bool {
        let Some(waiting) = self.buffer.take(slot) else { return false };
        if self.route_of(cx, &waiting.packet, false).is_none() {
            self.buffer.put_back(slot, waiting);
            return false;
        }
        match self.try_send(cx, waiting.packet, waiting.salvages, delay) {
            Ok(()) => true,
            Err(packet) => {
                self.hold(cx, packet, waiting.salvages);
                false
            }
        }
    }

    fn give_up(&mut self, cx: &mut Context, slot: usize, reason: DropReason) {
        if let Some(waiting) = self.buffer.take(slot) {
            cx.drop(waiting.packet, reason);
        }
    }
}
