//! AODV by a metric in place of hops: requests and replies gather what the links that they cross
//! cost, and of two routes as new the cheaper one wins.
//!
//! A node takes up copies of a request that are better than those before. Only the node sought
//! answers: an answer on the way would add what was measured now to what was measured then.
//!
//! Deviation: a request has 4 bytes more than RFC 3561's, a reply 4, for the metric.

use std::fmt::Debug;

use super::policy::Copy;
use super::table::{Offer, Route};
use super::{AodvConfig, Policy};
use crate::kernel::seconds;
use crate::profile::Profile;
use crate::routing::copies::Copies;
use crate::routing::{Context, Timer};
use crate::wire::aodv::{Message, Reply, Request};
use crate::wire::{Extension, NodeId};

/// The metric of a link or a path that is not known to work.
pub const UNUSABLE: u32 = u32::MAX;
/// What a request or a reply has beyond AODV's: the metric \[bytes\].
const METRIC_BYTES: u32 = 4;

/// What one node knows of its links.
pub trait Measure: Debug + Send + Sync + 'static {
    /// The run starts.
    fn on_start(&mut self, _cx: &mut Context) {}

    /// A message of its own has come from neighbour `from`.
    fn on_message(&mut self, _cx: &mut Context, _from: NodeId, _message: &Extension) {}

    /// A timer has expired.
    fn on_timer(&mut self, _cx: &mut Context, _timer: Timer) {}

    /// `metric`, which a message of neighbour `from` has gathered, and the cost of the link to
    /// there; [`UNUSABLE`] if that is not known to work.
    fn over(&mut self, cx: &mut Context, from: NodeId, metric: u32) -> u32;
}

/// AODV's choices on one node.
#[derive(Debug)]
pub struct ByMetric<M> {
    /// What the node knows of its links.
    pub measure: M,
    copies: Copies,
}

impl<M: Measure> ByMetric<M> {
    /// By `measure`, under AODV's keys. Of each request `improve_limit` better copies are taken up
    /// after the first.
    pub fn new(measure: M, improve_limit: u32, aodv: &AodvConfig) -> ByMetric<M> {
        let copies = Copies::new(improve_limit, seconds(aodv.request_id_life_s));
        ByMetric { measure, copies }
    }
}

impl<M: Measure> Policy for ByMetric<M> {
    fn on_start(&mut self, cx: &mut Context) {
        self.measure.on_start(cx);
    }

    fn on_message(&mut self, cx: &mut Context, from: NodeId, message: &Extension) {
        self.measure.on_message(cx, from, message);
    }

    fn on_timer(&mut self, cx: &mut Context, timer: Timer) -> Option<Copy> {
        self.measure.on_timer(cx, timer);
        None
    }

    fn gather(&mut self, cx: &mut Context, request: &mut Request, from: NodeId) {
        request.metric = self.measure.over(cx, from, request.metric);
    }

    fn originate_reply(&mut self, _: &mut Context, reply: &mut Reply) {
        reply.metric = 0;
    }

    fn gather_reply(&mut self, cx: &mut Context, reply: &mut Reply, from: NodeId) {
        reply.metric = self.measure.over(cx, from, reply.metric);
    }

    fn counts(&mut self, request: &Request, _: bool) -> bool {
        request.metric < UNUSABLE
    }

    fn ignores_copies(&self) -> bool {
        false
    }

    fn collect(&mut self, cx: &mut Context, copy: Copy) -> Option<Copy> {
        let Copy { request, .. } = copy;
        let takes_up =
            self.copies.takes_up(cx.now, (request.originator, request.id), request.metric);
        takes_up.then_some(copy)
    }

    fn may_answer(&self, _: &Route, _: &Request, _: Profile) -> bool {
        false
    }

    fn meets_neighbours(&self) -> bool {
        false
    }

    fn prefers(&self, route: &Route, offer: &Offer, profile: Profile) -> bool {
        let renewed = profile == Profile::Standard && !route.is_up();
        let same = offer.sequence == route.sequence;
        let lighter = offer.metric < route.metric;
        offer.sequence.is_newer_than(route.sequence) || same && (renewed || lighter)
    }

    fn added_bytes(&self, message: &Message) -> u32 {
        match message {
            Message::Request(_) | Message::Reply(_) => METRIC_BYTES,
            Message::Hello { .. } | Message::Returned(_) | Message::Error(_) => 0,
        }
    }
}
