//! AODV by the metric of measured links.

use super::EtxTable;
use super::copies::Copies;
use super::probing::{Probing, UNUSABLE};
use crate::kernel::Duration;
use crate::profile::Profile;
use crate::routing::aodv::Policy;
use crate::routing::aodv::policy::Copy;
use crate::routing::aodv::table::{Offer, Route};
use crate::routing::{Context, Timer};
use crate::wire::aodv::{Message, Reply, Request};
use crate::wire::{Extension, NodeId};

/// What a request or a reply has beyond AODV's: the metric \[bytes\].
const METRIC_BYTES: u32 = 4;

/// Whether `offer` is newer than `route`, or as new and of a smaller metric.
pub(in crate::routing) fn is_lighter(route: &Route, offer: &Offer, profile: Profile) -> bool {
    let renewed = profile == Profile::Standard && !route.is_up();
    let same = offer.sequence == route.sequence;
    let lighter = offer.metric < route.metric;
    offer.sequence.is_newer_than(route.sequence) || same && (renewed || lighter)
}

/// What the metric adds to `message` \[bytes\].
pub(in crate::routing) fn metric_bytes(message: &Message) -> u32 {
    match message {
        Message::Request(_) | Message::Reply(_) => METRIC_BYTES,
        Message::Hello { .. } | Message::Returned(_) | Message::Error(_) => 0,
    }
}

/// AODV's choices on one node. Metrics are in thousandths.
#[derive(Debug)]
pub struct Etx {
    probing: Probing,
    copies: Copies,
}

impl Etx {
    /// The choices with these keys; `test_attempts` as in [`Probing::new`].
    pub fn new(table: &EtxTable, test_attempts: &[Duration]) -> Etx {
        let EtxTable { aodv, etx } = table;
        let request_life = Duration::from_secs_f64(aodv.request_id_life_s);
        Etx {
            probing: Probing::new(etx, test_attempts),
            copies: Copies::new(etx.improve_limit, request_life),
        }
    }

    /// What this node knows of its links.
    pub fn probing(&self) -> &Probing {
        &self.probing
    }
}

impl Policy for Etx {
    fn on_start(&mut self, cx: &mut Context) {
        self.probing.start(cx);
    }

    fn on_message(&mut self, cx: &mut Context, from: NodeId, message: &Extension) {
        self.probing.hear(cx, from, message);
    }

    fn on_timer(&mut self, cx: &mut Context, timer: Timer) -> Option<Copy> {
        self.probing.on_timer(cx, timer);
        None
    }

    fn gather(&mut self, cx: &mut Context, request: &mut Request, from: NodeId) {
        request.metric = self.probing.over(cx, from, request.metric);
    }

    fn originate_reply(&mut self, _: &mut Context, reply: &mut Reply) {
        reply.metric = 0;
    }

    fn gather_reply(&mut self, cx: &mut Context, reply: &mut Reply, from: NodeId) {
        reply.metric = self.probing.over(cx, from, reply.metric);
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
        is_lighter(route, offer, profile)
    }

    fn added_bytes(&self, message: &Message) -> u32 {
        metric_bytes(message)
    }
}
