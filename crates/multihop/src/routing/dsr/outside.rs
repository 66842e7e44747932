//! DSR with a policy from outside that only a name tells: of a file that a scenario names.

use std::fmt::{self, Debug, Formatter};

use serde_json::Value;
use toml::Table;

use super::cache::{Found, PathCache};
use super::{Dsr, DsrConfig, Order, Policy};
use crate::config::document::read;
use crate::config::{ConfigError, Error};
use crate::kernel::Instant;
use crate::link::QueueDiscipline;
use crate::routing::scheme::AnyScheme;
use crate::routing::{Context, Layer, Nodes, Routing, Setting, Timer, World};
use crate::wire::dsr::{Direction, Header, Path, Request};
use crate::wire::{Extension, NodeId, Packet};

/// Makes the policy of a node, of a run with this seed.
type Make = dyn Fn(NodeId, u64) -> Box<dyn Policy> + Send + Sync;

/// A policy of DSR from outside. It is kept as long as the process lives.
#[derive(Clone, Copy)]
pub struct OutsidePolicy {
    name: &'static str,
    make: &'static Make,
}

impl OutsidePolicy {
    /// The policy that scenarios call `name`; `make` makes that of a node, of a run with a seed.
    pub fn new(
        name: &str,
        make: impl Fn(NodeId, u64) -> Box<dyn Policy> + Send + Sync + 'static,
    ) -> OutsidePolicy {
        OutsidePolicy { name: name.to_owned().leak(), make: Box::leak(Box::new(make)) }
    }

    /// DSR with this policy and the keys of a `[routing]` table.
    ///
    /// # Errors
    /// The first key that DSR does not have, or that has the wrong shape.
    pub fn routing(self, table: Table) -> Result<Routing, Error> {
        let dsr = read("routing", table.into())?;
        Ok(Routing::any(OutsideDsr { policy: self, dsr }))
    }
}

impl Debug for OutsidePolicy {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.debug_tuple("OutsidePolicy").field(&self.name).finish()
    }
}

/// DSR's keys, and the policy.
#[derive(Clone, Debug)]
struct OutsideDsr {
    policy: OutsidePolicy,
    dsr: DsrConfig,
}

impl AnyScheme for OutsideDsr {
    fn name(&self) -> &'static str {
        self.policy.name
    }

    fn check(&self, _: &Setting) -> Result<(), ConfigError> {
        self.dsr.check()
    }

    fn queue_discipline(&self) -> QueueDiscipline {
        QueueDiscipline::PriorityClasses
    }

    fn is_multi_hop(&self) -> bool {
        true
    }

    fn build(&self, world: &World) -> Box<dyn Layer> {
        let policy = |node| (self.policy.make)(node, world.seed);
        let node = |node| Dsr::with_policy(node, &self.dsr, world.profile, policy(node));
        Box::new(Nodes::new(world, node))
    }

    fn keys(&self) -> Value {
        serde_json::to_value(&self.dsr).expect("a configuration is plain data")
    }

    fn copy(&self) -> Box<dyn AnyScheme> {
        Box::new(self.clone())
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
