//! A node's routing protocol: the closed set of those there are.

use super::aodv::Aodv;
use super::ccar::CentralPaths;
use super::copas::{Copas, CopasCounters};
use super::dcar::Dcar;
use super::dsr::Dsr;
use super::multipath::{MultipathAodv, PathLoad};
use super::{Context, FixedRoutes, Timer};
use crate::kernel::Instant;
use crate::wire::{NodeId, Packet, RouteId};

/// A node's routing protocol.
#[derive(Debug)]
pub enum Agent {
    /// AODV (RFC 3561).
    Aodv(Box<Aodv>),
    /// CCAR: AODV whose data takes a centre's paths.
    Ccar(Box<Aodv<CentralPaths>>),
    /// AODV that goes round congestion.
    Dcar(Box<Aodv<Dcar>>),
    /// DSR (RFC 4728).
    Dsr(Box<Dsr>),
    /// DSR with two paths by contention.
    Copas(Box<Dsr<Copas>>),
    /// AODV with several paths.
    Multipath(Box<MultipathAodv>),
    /// Shortest paths known from the start.
    Static(FixedRoutes),
}

impl Agent {
    /// The run starts.
    pub fn on_start(&mut self, cx: &mut Context) {
        match self {
            Agent::Aodv(aodv) => aodv.on_start(cx),
            Agent::Ccar(aodv) => aodv.on_start(cx),
            Agent::Multipath(multipath) => multipath.on_start(cx),
            Agent::Dcar(dcar) => dcar.on_start(cx),
            Agent::Copas(copas) => copas.on_start(cx),
            Agent::Dsr(_) | Agent::Static(_) => {}
        }
    }

    /// This node's transport sends `packet`.
    pub fn on_send(&mut self, cx: &mut Context, packet: Packet) {
        match self {
            Agent::Aodv(aodv) => aodv.on_send(cx, packet),
            Agent::Ccar(aodv) => aodv.on_send(cx, packet),
            Agent::Dcar(dcar) => dcar.on_send(cx, packet),
            Agent::Dsr(dsr) => dsr.on_send(cx, packet),
            Agent::Copas(copas) => copas.on_send(cx, packet),
            Agent::Multipath(multipath) => multipath.on_send(cx, packet),
            Agent::Static(routes) => routes.on_send(cx, packet),
        }
    }

    /// `packet` has come from the neighbour `from`: a message of the protocol, or data to forward.
    pub fn on_receive(&mut self, cx: &mut Context, packet: Packet, from: NodeId) {
        match self {
            Agent::Aodv(aodv) => aodv.on_receive(cx, packet, from),
            Agent::Ccar(aodv) => aodv.on_receive(cx, packet, from),
            Agent::Dcar(dcar) => dcar.on_receive(cx, packet, from),
            Agent::Dsr(dsr) => dsr.on_receive(cx, packet),
            Agent::Copas(copas) => copas.on_receive(cx, packet),
            Agent::Multipath(multipath) => multipath.on_receive(cx, packet, from),
            Agent::Static(routes) => routes.on_receive(cx, packet),
        }
    }

    /// Whether the protocol is shown the packets that have come for this node's transport.
    pub fn sees_deliveries(&self) -> bool {
        matches!(self, Agent::Copas(_) | Agent::Dcar(_) | Agent::Multipath(_))
    }

    /// `packet` has come for this node's transport, which gets it next.
    pub fn on_delivered(&mut self, cx: &mut Context, packet: &Packet) {
        match self {
            Agent::Copas(copas) => copas.on_delivered(cx, packet),
            Agent::Dcar(dcar) => dcar.on_delivered(cx, packet),
            Agent::Multipath(multipath) => multipath.on_delivered(cx, packet),
            Agent::Aodv(_) | Agent::Ccar(_) | Agent::Dsr(_) | Agent::Static(_) => {}
        }
    }

    /// Whether `packet`, were it to come up at `at`, would be received without any effect. The link then
    /// need not bring it up.
    pub fn will_ignore(&self, packet: &Packet, at: Instant) -> bool {
        match self {
            Agent::Aodv(aodv) => aodv.will_ignore(packet, at),
            Agent::Ccar(aodv) => aodv.will_ignore(packet, at),
            Agent::Dcar(dcar) => dcar.will_ignore(packet, at),
            Agent::Dsr(dsr) => dsr.will_ignore(packet),
            Agent::Copas(copas) => copas.will_ignore(packet),
            Agent::Multipath(multipath) => multipath.will_ignore(packet),
            Agent::Static(_) => false,
        }
    }

    /// Whether the protocol looks at unicast packets for others.
    pub fn is_promiscuous(&self) -> bool {
        match self {
            Agent::Dsr(dsr) => dsr.is_promiscuous(),
            Agent::Copas(copas) => copas.is_promiscuous(),
            Agent::Multipath(multipath) => multipath.is_promiscuous(),
            Agent::Aodv(_) | Agent::Ccar(_) | Agent::Dcar(_) | Agent::Static(_) => false,
        }
    }

    /// `packet`, on its way to the neighbour `receiver`, was overheard.
    pub fn on_overheard(&mut self, cx: &mut Context, packet: &Packet, receiver: NodeId) {
        match self {
            Agent::Dsr(dsr) => dsr.on_overheard(cx, packet, receiver),
            Agent::Copas(copas) => copas.on_overheard(cx, packet, receiver),
            Agent::Multipath(multipath) => multipath.on_overheard(cx, packet),
            Agent::Aodv(_) | Agent::Ccar(_) | Agent::Dcar(_) | Agent::Static(_) => {}
        }
    }

    /// The link could not deliver `packet` to `next_hop`.
    pub fn on_link_failure(&mut self, cx: &mut Context, packet: Packet, next_hop: NodeId) {
        match self {
            Agent::Aodv(aodv) => aodv.on_link_failure(cx, packet, next_hop),
            Agent::Ccar(aodv) => aodv.on_link_failure(cx, packet, next_hop),
            Agent::Dcar(dcar) => dcar.on_link_failure(cx, packet, next_hop),
            Agent::Dsr(dsr) => dsr.on_link_failure(cx, packet, next_hop),
            Agent::Copas(copas) => copas.on_link_failure(cx, packet, next_hop),
            Agent::Multipath(multipath) => multipath.on_link_failure(cx, packet, next_hop),
            Agent::Static(routes) => routes.on_link_failure(cx, packet),
        }
    }

    /// The neighbour that packets for `destination` on path `id` go to, if that path leads through here.
    pub fn next_hop_on(&self, destination: NodeId, id: RouteId) -> Option<NodeId> {
        match self {
            Agent::Multipath(multipath) => multipath.next_hop(destination, id),
            _ => None,
        }
    }

    /// The paths in use that start here, where there can be several: where they lead, which, and what
    /// they have carried.
    pub fn paths(&self) -> Vec<(NodeId, RouteId, PathLoad)> {
        match self {
            Agent::Multipath(multipath) => multipath.paths().collect(),
            _ => Vec::new(),
        }
    }

    /// What COPAS did up to `now`, if this is it.
    pub fn copas_counters(&self, now: Instant) -> Option<CopasCounters> {
        match self {
            Agent::Copas(copas) => Some(copas.policy().counters(now)),
            _ => None,
        }
    }

    /// Keeps every choice that COPAS makes from now on, if this is it.
    pub fn keep_choices(&mut self) {
        if let Agent::Copas(copas) = self {
            copas.policy_mut().keep_choices();
        }
    }

    /// Packets that wait in this node for a route.
    pub fn waiting_packets(&self) -> usize {
        match self {
            Agent::Aodv(aodv) => aodv.waiting_packets(),
            Agent::Copas(copas) => copas.waiting_packets(),
            Agent::Dsr(dsr) => dsr.waiting_packets(),
            Agent::Multipath(multipath) => multipath.waiting_packets(),
            Agent::Ccar(aodv) => aodv.waiting_packets(),
            Agent::Dcar(dcar) => dcar.waiting_packets(),
            Agent::Static(_) => 0,
        }
    }

    /// A timer that the protocol set is due.
    pub fn on_timer(&mut self, cx: &mut Context, timer: Timer) {
        match self {
            Agent::Aodv(aodv) => aodv.on_timer(cx, timer),
            Agent::Ccar(aodv) => aodv.on_timer(cx, timer),
            Agent::Dcar(dcar) => dcar.on_timer(cx, timer),
            Agent::Dsr(dsr) => dsr.on_timer(cx, timer),
            Agent::Copas(copas) => copas.on_timer(cx, timer),
            Agent::Multipath(multipath) => multipath.on_timer(cx, timer),
            Agent::Static(_) => {}
        }
    }
}
