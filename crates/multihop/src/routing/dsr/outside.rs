//! DSR with a policy from outside.

use super::cache::{Found, PathCache};
use super::{Dsr, DsrConfig, Order, Policy};
use crate::config::ConfigError;
use crate::kernel::Instant;
use crate::link::QueueDiscipline;
use crate::profile::Profile;
use crate::routing::outside::{self, TakesPolicy};
use crate::routing::{Context, Layer, Nodes, Timer, World};
use crate::wire::dsr::{Direction, Header, Path, Request};
use crate::wire::{Extension, NodeId, Packet};

/// A policy of DSR from outside.
pub type OutsidePolicy = outside::OutsidePolicy<DsrConfig>;

impl TakesPolicy for DsrConfig {
    type Policy = dyn Policy;

    const QUEUE: QueueDiscipline = QueueDiscipline::PriorityClasses;

    fn check(&self) -> Result<(), ConfigError> {
        DsrConfig::check(self)
    }

    fn resolved(&self, profile: Profile) -> DsrConfig {
        DsrConfig::resolved(self, profile)
    }

    fn build(&self, world: &World, policy: &dyn Fn(NodeId) -> Box<dyn Policy>) -> Box<dyn Layer> {
        let node = |node| Dsr::with_policy(node, self, world.profile, policy(node));
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

    fn on_timer(&mut self, cx: &mut Context, timer: Timer) -> Vec<Order> {
        (**self).on_timer(cx, timer)
    }

    fn on_asking(&mut self, now: Instant, target: NodeId) {
        (**self).on_asking(now, target);
    }

    fn ignores_copies(&self) -> bool {
        (**self).ignores_copies()
    }

    fn passes_on(&mut self, cx: &Context, request: &Request, is_first: bool) -> bool {
        (**self).passes_on(cx, request, is_first)
    }

    fn gather(&mut self, cx: &Context, request: &mut Request) {
        (**self).gather(cx, request);
    }

    fn answers(
        &mut self,
        cx: &mut Context,
        request: &Request,
        is_first: bool,
        every_copy: bool,
    ) -> bool {
        (**self).answers(cx, request, is_first, every_copy)
    }

    fn gathered(&mut self, cx: &Context, request: &Request) -> Vec<f32> {
        (**self).gathered(cx, request)
    }

    fn pick(
        &mut self,
        cx: &Context,
        routes: &mut PathCache,
        packet: &Packet,
        keep: bool,
    ) -> Option<Found> {
        (**self).pick(cx, routes, packet, keep)
    }

    fn on_reply(
        &mut self,
        now: Instant,
        path: &Path,
        direction: Option<Direction>,
        gathered: &[f32],
    ) {
        (**self).on_reply(now, path, direction, gathered);
    }

    fn piggyback(&self, cx: &Context, previous: NodeId) -> Option<f32> {
        (**self).piggyback(cx, previous)
    }

    fn sees_deliveries(&self) -> bool {
        (**self).sees_deliveries()
    }

    fn on_delivered(
        &mut self,
        cx: &mut Context,
        packet: &Packet,
        header: &Header,
    ) -> Option<Order> {
        (**self).on_delivered(cx, packet, header)
    }

    fn on_broken_link(&mut self, now: Instant, from: NodeId, to: NodeId) -> Vec<Order> {
        (**self).on_broken_link(now, from, to)
    }

    fn tells_transport(&self, destination: NodeId, packet: Option<&Packet>) -> bool {
        (**self).tells_transport(destination, packet)
    }
}
