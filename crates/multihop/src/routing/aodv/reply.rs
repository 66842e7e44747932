//! Handling route replies (RFC 3561 section 6.7).

use super::table::Offer;
use super::table::UNREACHABLE;
use super::{Aodv, Policy};
use crate::kernel::{Duration, seconds};
use crate::profile::Profile;
use crate::routing::{Context, DropReason};
use crate::wire::NodeId;
use crate::wire::aodv::{Message, Reply};

impl<P: Policy + ?Sized> Aodv<P> {
    /// A reply has come from neighbour `from`, with `ttl` left.
    pub(super) fn on_reply(&mut self, cx: &mut Context, mut reply: Reply, ttl: u8, from: NodeId) {
        // ns-2 learns a route to itself from such a reply, and forwards it.
        if reply.destination == self.node && self.profile == Profile::Standard {
            return;
        }
        self.meet(cx, from);
        self.policy.gather_reply(cx, &mut reply, from);
        let offer = Offer {
            sequence: reply.destination_sequence,
            hops: reply.hop_count,
            metric: reply.metric,
        };
        let route = self.routes.entry(reply.destination);
        if !self.policy.prefers(route, &offer, self.profile) {
            return;
        }
        route.set(&offer, from, cx.now + reply.lifetime);
        route.end_discovery();
        if reply.originator == self.node {
            self.note_latency(cx.now, &reply);
            self.policy.on_reply(cx, reply.destination);
        }
        let spacing = seconds(self.config.release_spacing_s);
        self.release(cx, reply.destination, Duration::ZERO, spacing);
        if reply.originator != self.node {
            self.forward_reply(cx, reply, ttl, from);
        }
    }

    fn forward_reply(&mut self, cx: &mut Context, mut reply: Reply, ttl: u8, from: NodeId) {
        let tells_both_ends = self.config.errors_both_ways;
        reply.hop_count = reply.hop_count.saturating_add(1);
        reply.is_passed_on = true;
        let packet = self.message(cx, reply.originator, ttl, Message::Reply(reply));
        let life = seconds(self.config.active_route_timeout_s(self.profile));
        match self.routes.get_mut(reply.originator).filter(|route| route.hops != UNREACHABLE) {
            Some(reverse) => {
                match self.profile {
                    Profile::Ns2 => reverse.expires = cx.now + life,
                    Profile::Standard => reverse.keep_until(cx.now + life),
                }
                if tells_both_ends {
                    reverse.add_precursor(from);
                }
                let next_hop = reverse.next_hop;
                self.routes.entry(reply.destination).add_precursor(next_hop);
                cx.send(packet, next_hop, Duration::ZERO);
            }
            None => cx.drop(packet, DropReason::NoRoute),
        }
    }
}
