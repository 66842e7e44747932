//! A node's routing protocol: the closed set of those there are.

use super::{Context, FixedRoutes, Timer};
use crate::wire::{NodeId, Packet};

/// A node's routing protocol.
#[derive(Debug)]
pub enum Agent {
    /// Fixed shortest paths.
    Static(FixedRoutes),
}

impl Agent {
    /// The run starts.
    pub fn on_start(&mut self, _cx: &mut Context) {}

    /// This node's transport sends `packet`.
    pub fn on_send(&mut self, cx: &mut Context, packet: Packet) {
        match self { Agent::Static(routes) => routes.on_send(cx, packet), }
    }

    /// `packet` has come from the neighbour `from`: a message of the protocol, or data to forward.
    pub fn on_receive(&mut self, cx: &mut Context, packet: Packet, _from: NodeId) {
        match self { Agent::Static(routes) => routes.on_receive(cx, packet), }
    }

    /// The link could not deliver `packet` to `next_hop`.
    pub fn on_link_failure(&mut self, cx: &mut Context, packet: Packet, _next_hop: NodeId) {
        match self { Agent::Static(routes) => routes.on_link_failure(cx, packet), }
    }

    /// A timer that the protocol set is due.
    pub fn on_timer(&mut self, _cx: &mut Context, _timer: Timer) {}
}
