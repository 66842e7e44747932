//! AODV with a policy from outside.

use super::policy::{Copy, Greeting};
use super::table::{Offer, Route};
use super::{Aodv, AodvConfig, Policy};
use crate::config::ConfigError;
use crate::kernel::{Duration, Rng};
use crate::link::QueueDiscipline;
use crate::profile::Profile;
use crate::routing::outside::{self, TakesPolicy};
use crate::routing::{Context, Layer, Nodes, Timer, World};
use crate::wire::aodv::{Message, Reply, Request, SequenceNumber};
use crate::wire::{Extension, NodeId, Packet};

/// A policy of AODV from outside.
pub type OutsidePolicy = outside::OutsidePolicy<AodvConfig>;

impl TakesPolicy for AodvConfig {
    type Policy = dyn Policy;

    const QUEUE: QueueDiscipline = QueueDiscipline::RoutingFirst;

    fn check(&self) -> Result<(), ConfigError> {
        AodvConfig::check(self)
    }

    fn resolved(&self, profile: Profile) -> AodvConfig {
        AodvConfig::resolved(self, profile)
    }

    fn build(&self, world: &World, policy: &dyn Fn(NodeId) -> Box<dyn Policy>) -> Box<dyn Layer> {
        let node = |node| Aodv::with_policy(node, self, world.profile, policy(node));
        Box::new(Nodes::new(world, node))
    }
}

impl Policy for Box<dyn Policy> {
    fn on_start(&mut self, cx: &mut Context) {
        (**self).on_start(cx);
    }

    fn on_message(&mut self, cx: &mut Context, from: NodeId, message: &Extension) {
        (**self).on_message(cx, from, message);
    }

    fn originate(&mut self, cx: &mut Context, request: &mut Request) {
        (**self).originate(cx, request);
    }

    fn gather(&mut self, cx: &mut Context, request: &mut Request, from: NodeId) {
        (**self).gather(cx, request, from);
    }

    fn originate_reply(&mut self, cx: &mut Context, reply: &mut Reply) {
        (**self).originate_reply(cx, reply);
    }

    fn gather_reply(&mut self, cx: &mut Context, reply: &mut Reply, from: NodeId) {
        (**self).gather_reply(cx, reply, from);
    }

    fn counts(&mut self, request: &Request, seen: bool) -> bool {
        (**self).counts(request, seen)
    }

    fn ignores_copies(&self) -> bool {
        (**self).ignores_copies()
    }

    fn collect(&mut self, cx: &mut Context, copy: Copy) -> Option<Copy> {
        (**self).collect(cx, copy)
    }

    fn on_timer(&mut self, cx: &mut Context, timer: Timer) -> Option<Copy> {
        (**self).on_timer(cx, timer)
    }

    fn may_answer(&self, route: &Route, request: &Request, profile: Profile) -> bool {
        (**self).may_answer(route, request, profile)
    }

    fn prefers(&self, route: &Route, offer: &Offer, profile: Profile) -> bool {
        (**self).prefers(route, offer, profile)
    }

    fn meets_neighbours(&self) -> bool {
        (**self).meets_neighbours()
    }

    fn repairs(&self, route: &Route, packet: &Packet) -> bool {
        (**self).repairs(route, packet)
    }

    fn may_send(&self, cx: &Context, destination: NodeId) -> bool {
        (**self).may_send(cx, destination)
    }

    fn direct(&mut self, cx: &mut Context, packet: &mut Packet, route: &mut Route) {
        (**self).direct(cx, packet, route);
    }

    fn on_undelivered(&mut self, cx: &Context, packet: &Packet, route: &mut Route) {
        (**self).on_undelivered(cx, packet, route);
    }

    fn on_reply(&mut self, cx: &mut Context, destination: NodeId) {
        (**self).on_reply(cx, destination);
    }

    fn believes(&self, route: &Route, sequence: SequenceNumber) -> bool {
        (**self).believes(route, sequence)
    }

    fn on_route_lost(&mut self, cx: &mut Context, route: &Route) {
        (**self).on_route_lost(cx, route);
    }

    fn sees_deliveries(&self) -> bool {
        (**self).sees_deliveries()
    }

    fn on_data(&mut self, cx: &mut Context, packet: &Packet) {
        (**self).on_data(cx, packet);
    }

    fn greet(&mut self, cx: &mut Context) -> Option<Greeting> {
        (**self).greet(cx)
    }

    fn on_greeting(&mut self, cx: &mut Context, from: NodeId, greeting: Greeting) {
        (**self).on_greeting(cx, from, greeting);
    }

    fn hello_spacing(&self, interval: Duration, rng: &mut Rng) -> Duration {
        (**self).hello_spacing(interval, rng)
    }

    fn hello_proves_link(&self) -> bool {
        (**self).hello_proves_link()
    }

    fn added_bytes(&self, message: &Message) -> u32 {
        (**self).added_bytes(message)
    }
}
