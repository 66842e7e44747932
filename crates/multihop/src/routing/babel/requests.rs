//! Explicit requests (section 3.8).

use super::address::{Prefix, RouterId};
use super::diversity::Channels;
use super::seqno::{INFINITY, Seqno};
use super::tlv::{SeqnoRequest, Tlv, Update};
use super::{Babel, REQUEST};
use crate::kernel::{Duration, Instant, seconds};
use crate::routing::{Context, Timer};
use crate::wire::NodeId;

/// A seqno request without an answer (section 3.2.7).
#[derive(Clone, Debug)]
pub struct Pending {
    place: usize,
    router_id: RouterId,
    seqno: Seqno,
    /// What becomes of it.
    origin: Origin,
    /// When it was sent.
    sent: Instant,
    /// When it is sent again, or forgotten.
    due: Instant,
}

/// Whose request it is.
#[derive(Clone, Debug)]
enum Origin {
    /// This node's, which has no route: how often it is sent again, and the wait then.
    Starving { retries: u8, wait: Duration },
    /// This node's, whose route has got worse, or that knows of a better one.
    Unfeasible,
    /// A neighbour's.
    Forwarded,
}

impl Pending {
    fn is_for(&self, place: usize, router_id: RouterId) -> bool {
        self.place == place && self.router_id == router_id
    }
}

impl Babel {
    /// `from` wants an update for `prefix`, or for all (section 3.8.1.1).
    pub(super) fn on_route_request(
        &mut self,
        cx: &mut Context,
        from: NodeId,
        prefix: Option<Prefix>,
    ) {
        let delay = self.urgent_delay(cx);
        let Some(prefix) = prefix else {
            // One update of all routes a Hello interval is enough for many who ask.
            let last = self.outbox.last_dump;
            if last.is_none_or(|last| cx.now >= last + seconds(self.config.hello_interval_s)) {
                self.announce_all(cx);
                self.hasten_all(cx, delay);
            }
            return;
        };
        match self.table.find(&prefix) {
            Some(place) => self.announce(cx, place, 1, delay),
            None => {
                let interval = super::to_centiseconds(self.config.update_interval());
                let retraction = Update {
                    prefix: Some(prefix),
                    router_id: None,
                    next_hop: None,
                    interval,
                    seqno: Seqno(0),
                    metric: INFINITY,
                    channels: Channels::default(),
                };
                self.send_to(cx, from, Tlv::Update(retraction), delay);
            }
        }
    }

    /// `from` wants a newer sequence number (section 3.8.1.2).
    pub(super) fn on_seqno_request(
        &mut self,
        cx: &mut Context,
        from: NodeId,
        request: &SeqnoRequest,
    ) {
        self.counts.seqno_requests_received += 1;
        let Some(place) = self.table.find(&request.prefix) else { return };
        let Some(destination) = self.table.all.get(place) else { return };
        let at_present = match destination.is_own {
            true => Some((self.router_id, self.seqno)),
            false => destination.selected().map(|route| (route.router_id, route.seqno)),
        };
        let is_own = destination.is_own;
        let satisfies = |(id, seqno): (RouterId, Seqno)| {
            id != request.router_id || !seqno.is_less_than(request.seqno)
        };
        let is_satisfied = at_present.is_some_and(satisfies);
        if is_own && !is_satisfied {
            self.seqno = self.seqno.plus(1);
            self.counts.seqno_increases += 1;
        }
        if is_own || is_satisfied {
            let delay = self.urgent_delay(cx);
            return self.announce(cx, place, 1, delay);
        }
        if request.router_id == self.router_id || request.hop_count < 2 {
            return;
        }
        // Its originator sends it again after a while, and then it may go another way.
        let recent = seconds(self.config.request_timeout_s) / 2;
        let is_redundant = |pending: &Pending| {
            pending.is_for(place, request.router_id)
                && !pending.seqno.is_less_than(request.seqno)
                && cx.now < pending.sent + recent
        };
        if self.pending.iter().any(is_redundant) {
            return;
        }
        let routes = destination.routes.iter();
        let usable = routes.filter(|route| route.neighbour != from && route.metric != INFINITY);
        let best = usable.min_by_key(|route| {
            (!destination.is_feasible(route.router_id, route.distance()), route.metric)
        });
        let Some(to) = best.map(|route| route.neighbour) else { return };
        let forwarded = SeqnoRequest { hop_count: request.hop_count - 1, ..*request };
        self.counts.seqno_requests_forwarded += 1;
        let delay = self.urgent_delay(cx);
        self.send_to(cx, to, Tlv::SeqnoRequest(forwarded), delay);
        self.await_answer(
            cx,
            Pending {
                place,
                router_id: request.router_id,
                seqno: request.seqno,
                origin: Origin::Forwarded,
                sent: cx.now,
                due: cx.now + seconds(self.config.request_timeout_s),
            },
        );
    }

    /// Asks for a number of `router_id` newer than the one announced, unless that is asked for
    /// already: all neighbours if no route is left (section 3.8.2.1), or `to`, whose update was not
    /// feasible (section 3.8.2.2). Only the former is sent again: `to` announces its route again
    /// anyway.
    pub(super) fn request_seqno(
        &mut self,
        cx: &mut Context,
        place: usize,
        router_id: RouterId,
        to: Option<NodeId>,
    ) {
        let Some(destination) = self.table.all.get(place) else { return };
        let Some(source) = destination.source(router_id) else { return };
        let seqno = source.distance.seqno.plus(1);
        // Any request that is under way brings the number that `to` is asked for.
        let suffices = |origin: &Origin| to.is_some() || matches!(origin, Origin::Starving { .. });
        let is_redundant = |pending: &Pending| {
            pending.is_for(place, router_id)
                && !pending.seqno.is_less_than(seqno)
                && suffices(&pending.origin)
        };
        if self.pending.iter().any(is_redundant) {
            return;
        }
        self.counts.seqno_requests_originated += 1;
        let wait = seconds(self.config.request_timeout_s);
        let retries = self.config.request_retries;
        self.send_request(cx, (place, router_id, seqno), to);
        let origin = match to {
            Some(_) => Origin::Unfeasible,
            None => Origin::Starving { retries, wait },
        };
        let (sent, due) = (cx.now, cx.now + wait);
        self.await_answer(cx, Pending { place, router_id, seqno, origin, sent, due });
    }

    fn send_request(
        &mut self,
        cx: &mut Context,
        (place, router_id, seqno): (usize, RouterId, Seqno),
        to: Option<NodeId>,
    ) {
        let Some(destination) = self.table.all.get(place) else { return };
        let hop_count = self.config.request_hop_count;
        let request = SeqnoRequest { prefix: destination.prefix, router_id, seqno, hop_count };
        let delay = self.urgent_delay(cx);
        match to {
            Some(to) => self.send_to(cx, to, Tlv::SeqnoRequest(request), delay),
            None => self.send_all(cx, Tlv::SeqnoRequest(request), delay),
        }
    }

    fn await_answer(&mut self, cx: &mut Context, pending: Pending) {
        cx.set_timer(Timer::of(REQUEST), pending.due);
        self.pending.push(pending);
    }

    /// Sends again the requests whose time has come, or forgets them.
    pub(super) fn on_request_timer(&mut self, cx: &mut Context) {
        let now = cx.now;
        let is_due = |pending: &mut Pending| pending.due <= now;
        let due: Vec<Pending> = self.pending.extract_if(.., is_due).collect();
        for mut pending in due {
            let Origin::Starving { retries: left @ 1.., wait } = pending.origin else { continue };
            // Some route may have become feasible in another way.
            let destination = self.table.all.get(pending.place);
            if destination.is_none_or(|destination| destination.selected().is_some()) {
                continue;
            }
            let (place, router_id, seqno) = (pending.place, pending.router_id, pending.seqno);
            self.send_request(cx, (place, router_id, seqno), None);
            let wait = wait * 2;
            pending.origin = Origin::Starving { retries: left - 1, wait };
            (pending.sent, pending.due) = (now, now + wait);
            self.await_answer(cx, pending);
        }
    }

    /// The route to the prefix at `place` may be what was asked for: what neighbours have asked for
    /// is passed on to them at once.
    pub(super) fn answer_with(&mut self, cx: &mut Context, place: usize) {
        if self.pending.is_empty() {
            return;
        }
        let Some(destination) = self.table.all.get(place) else { return };
        let Some(route) = destination.selected() else { return };
        let (id, seqno) = (route.router_id, route.seqno);
        let is_answered = |pending: &mut Pending| {
            pending.place == place
                && (pending.router_id != id || !seqno.is_less_than(pending.seqno))
        };
        let answered: Vec<Pending> = self.pending.extract_if(.., is_answered).collect();
        if answered.iter().any(|pending| matches!(pending.origin, Origin::Forwarded)) {
            let delay = self.urgent_delay(cx);
            self.announce(cx, place, 1, delay);
        }
    }
}
