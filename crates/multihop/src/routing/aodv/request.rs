//! Handling route requests (RFC 3561 sections 6.5 and 6.6).

use super::policy::Copy;
use super::table::Offer;
use super::{Aodv, Policy};
use crate::kernel::{Duration, Instant, seconds};
use crate::profile::Profile;
use crate::routing::{Context, DropReason};
use crate::wire::NodeId;
use crate::wire::aodv::{Message, Reply, Request};

impl<P: Policy + ?Sized> Aodv<P> {
    /// A copy of a request has arrived from neighbour `from`, with `ttl` left.
    pub(super) fn on_request(
        &mut self,
        cx: &mut Context,
        mut request: Request,
        ttl: u8,
        from: NodeId,
    ) {
        if self.one_way.is_blacklisted(cx.now, from) {
            return;
        }
        self.meet(cx, from);
        if request.originator == self.node {
            return;
        }
        self.policy.gather(cx, &mut request, from);
        let seen = !self.is_first_copy(cx.now, &request);
        if !self.policy.counts(&request, seen) {
            return;
        }
        if let Some(copy) = self.policy.collect(cx, Copy { request, ttl, from }) {
            self.take_up(cx, copy);
        }
    }

    /// Learns from a copy of a request, and answers or forwards it.
    pub(super) fn take_up(&mut self, cx: &mut Context, copy: Copy) {
        let Copy { request, ttl, from } = copy;
        self.learn_reverse_route(cx, &request, from);
        if request.destination == self.node || self.clients.contains(&request.destination) {
            let reply = self.reply_for_self(&request);
            self.send_reply(cx, reply);
        } else if !self.answer_from_table(cx, &request) {
            self.pass_on(cx, request, ttl);
        }
    }

    /// Sets up the reverse route to the request's originator.
    fn learn_reverse_route(&mut self, cx: &mut Context, request: &Request, from: NodeId) {
        let offer = Offer {
            sequence: request.originator_sequence,
            hops: request.hop_count,
            metric: request.metric,
        };
        let route = self.routes.entry(request.originator);
        route.keep_until(cx.now + self.config.reverse_life(request.hop_count, self.profile));
        if !self.policy.prefers(route, &offer, self.profile) {
            return;
        }
        let expires = route.expires;
        route.set(&offer, from, expires);
        if route.next_request() > Instant::ZERO {
            route.end_discovery();
            let expires = cx.now + seconds(self.config.active_route_timeout_s(self.profile));
            match self.profile {
                Profile::Ns2 => route.expires = expires,
                Profile::Standard => route.keep_until(expires),
            }
        }
        self.release(cx, request.originator, Duration::ZERO, Duration::ZERO);
    }

    /// This node's reply to a request for itself, or for a client of it.
    pub(in crate::routing) fn reply_for_self(&mut self, request: &Request) -> Reply {
        let asked = request.destination_sequence;
        match self.profile {
            Profile::Ns2 => {
                self.sequence = self.sequence.newer(asked).plus(1);
                self.sequence = self.sequence.plus(self.sequence.0 % 2);
            }
            Profile::Standard => self.sequence = self.sequence.newer(asked),
        }
        Reply {
            hop_count: 1,
            destination: request.destination,
            destination_sequence: self.sequence,
            originator: request.originator,
            lifetime: seconds(self.config.my_route_timeout_s(self.profile)),
            request_sent_at: request.sent_at,
            is_passed_on: false,
            metric: request.metric,
        }
    }

    /// Replies from the route table, if the policy allows and there is a route. Returns whether it
    /// did.
    fn answer_from_table(&mut self, cx: &mut Context, request: &Request) -> bool {
        if !self.config.intermediate_replies {
            return false;
        }
        let profile = self.profile;
        let Some(reverse_hop) = self.routes.get(request.originator).map(|route| route.next_hop)
        else {
            return false;
        };
        let Some(route) = self.routes.get_mut(request.destination) else { return false };
        if !self.policy.may_answer(route, request, profile) {
            return false;
        }
        let reply = Reply {
            hop_count: route.hops.saturating_add(1),
            destination: request.destination,
            destination_sequence: route.sequence,
            originator: request.originator,
            lifetime: remaining_life(route.expires, cx.now, profile),
            request_sent_at: request.sent_at,
            is_passed_on: false,
            metric: request.metric,
        };
        route.add_precursor(reverse_hop);
        let forward_hop = route.next_hop;
        self.routes.entry(request.originator).add_precursor(forward_hop);
        self.send_reply(cx, reply);
        true
    }

    /// Whether every request and reply makes a route to the neighbour that it came from; not in
    /// ns-2.
    pub(super) fn meets_neighbours(&self) -> bool {
        self.profile == Profile::Standard && self.policy.meets_neighbours()
    }

    /// A request or a reply has come from neighbour `from`, which makes a route to it (sections
    /// 6.5, 6.7).
    pub(super) fn meet(&mut self, cx: &mut Context, from: NodeId) {
        if !self.meets_neighbours() || from == self.node {
            return;
        }
        let route = self.routes.entry(from);
        if route.meet(cx.now + seconds(self.config.active_route_timeout_s(self.profile))) {
            route.end_discovery();
            self.release(cx, from, Duration::ZERO, seconds(self.config.release_spacing_s));
        }
    }

    /// Broadcasts `request` again, with `ttl` left.
    pub(in crate::routing) fn pass_on(&mut self, cx: &mut Context, mut request: Request, ttl: u8) {
        if let Some(route) = self.routes.get(request.destination) {
            request.destination_sequence = request.destination_sequence.newer(route.sequence);
        }
        request.hop_count = request.hop_count.saturating_add(1);
        let packet = self.message(cx, NodeId::BROADCAST, ttl, Message::Request(request));
        if ttl == 0 {
            cx.drop(packet, DropReason::TimeToLive);
            return;
        }
        let jitter = cx.rng.duration_below(seconds(self.config.request_jitter_s));
        cx.send(packet, NodeId::BROADCAST, jitter);
    }

    /// Sends a reply on the reverse route to the originator.
    pub(super) fn send_reply(&mut self, cx: &mut Context, mut reply: Reply) {
        let Some(next_hop) = self.routes.get(reply.originator).map(|route| route.next_hop) else {
            return;
        };
        self.policy.originate_reply(cx, &mut reply);
        let packet = self.message(
            cx,
            reply.originator,
            self.config.time_to_live(self.profile),
            Message::Reply(reply),
        );
        cx.send(packet, next_hop, Duration::ZERO);
    }
}

/// The remaining lifetime of a route, in milliseconds (section 6.6.2) or, in ns-2, whole seconds.
/// There a lifetime that ended a second ago or more (a route in repair) wraps around to the largest
/// number of seconds.
fn remaining_life(expires: Instant, now: Instant, profile: Profile) -> Duration {
    const MILLISECOND: Duration = Duration::from_millis(1);
    const SECOND: Duration = Duration::from_secs(1);
    if profile == Profile::Standard {
        return MILLISECOND * (expires.saturating_since(now) / MILLISECOND);
    }
    if now.saturating_since(expires) >= SECOND {
        return SECOND * u64::from(u32::MAX);
    }
    SECOND * (expires.saturating_since(now) / SECOND)
}
