//! AODV's choices, in one place, so that another scheme can make them differently.
//!
//! What AODV does (discover, reply, forward, repair, report errors) is the same for every scheme built on
//! it; what it chooses is here: what a request gathers, which copies of it count and when, who may
//! answer, which of two routes is better, which way data takes, whether a broken link is repaired on the
//! spot, and what a HELLO says and means. A policy that needs to know more is told of the data, the
//! replies and the lost routes of its node.

use std::fmt::Debug;

use super::table::{Offer, Route, UNREACHABLE};
use crate::kernel::{Duration, Rng};
use crate::profile::Profile;
use crate::routing::{Context, Timer};
use crate::wire::aodv::{Message, Reply, Request, SequenceNumber};
use crate::wire::{Extension, NodeId, Packet};

/// A copy of a request at a node.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Copy {
    /// The request as it came, and what it gathered here.
    pub request: Request,
    /// Time to live that is left.
    pub ttl: u8,
    /// The neighbour that it came from.
    pub from: NodeId,
}

/// What a HELLO says beyond AODV's.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Greeting {
    /// The policy's own fields.
    pub extension: Option<Extension>,
}

/// The choices; the defaults are those of hop-count AODV.
pub trait Policy: Debug + Send + Sync + 'static {
    /// The run starts.
    fn on_start(&mut self, _cx: &mut Context) {}

    /// A message of the policy's own has come from neighbour `from`.
    fn on_message(&mut self, _cx: &mut Context, _from: NodeId, _message: &Extension) {}

    /// This node originates `request`.
    fn originate(&mut self, _cx: &mut Context, _request: &mut Request) {}

    /// A copy of `request` has come from neighbour `from`: what it gathers here.
    fn gather(&mut self, _cx: &mut Context, _request: &mut Request, _from: NodeId) {}

    /// This node answers a request with `reply`, whose metric is what the request gathered.
    fn originate_reply(&mut self, _cx: &mut Context, _reply: &mut Reply) {}

    /// `reply` has come from neighbour `from`: what it gathers here.
    fn gather_reply(&mut self, _cx: &mut Context, _reply: &mut Reply, _from: NodeId) {}

    /// Whether this copy of `request` counts, given whether an earlier one was seen.
    fn counts(&mut self, _request: &Request, seen: bool) -> bool {
        !seen
    }

    /// Whether copies after the first never count, so that they need not even be looked at.
    fn ignores_copies(&self) -> bool {
        true
    }

    /// What to take up now that `copy`, which counts, has come: answer it or pass it on. A policy may keep
    /// it instead, and give back one to take up at a timer.
    fn collect(&mut self, _cx: &mut Context, copy: Copy) -> Option<Copy> {
        Some(copy)
    }

    /// A timer that the policy set is due: the copy to take up now, if any.
    fn on_timer(&mut self, _cx: &mut Context, _timer: Timer) -> Option<Copy> {
        None
    }

    /// Whether a node on the way may answer `request` with its `route`.
    fn may_answer(&self, route: &Route, request: &Request, profile: Profile) -> bool {
        let usable = match profile {
            // An entry in repair qualifies: its hop count is still there.
            Profile::Ns2 => route.hops != UNREACHABLE,
            Profile::Standard => route.is_up() && route.sequence != SequenceNumber(0),
        };
        usable && !request.destination_sequence.is_newer_than(route.sequence)
    }

    /// Whether `offer` should replace `route` (RFC 3561 section 6.2 and 6.7).
    fn prefers(&self, route: &Route, offer: &Offer, profile: Profile) -> bool {
        let renewed = profile == Profile::Standard && !route.is_up();
        let same = offer.sequence == route.sequence;
        offer.sequence.is_newer_than(route.sequence) || same && (renewed || offer.hops < route.hops)
    }

    /// Whether this node, on the way of `packet`, should look for another route itself when the link
    /// to the next hop breaks: if the packet is past half of its way.
    fn repairs(&self, route: &Route, packet: &Packet) -> bool {
        packet.hops > u16::from(route.hops)
    }

    /// Whether this node's own data for `destination` may go over a route that is up.
    fn may_send(&self, _cx: &Context, _destination: NodeId) -> bool {
        true
    }

    /// Data `packet` is about to go over `route`: the scheme may lead it elsewhere, or take the route down
    /// so that this node asks for one.
    fn direct(&mut self, _cx: &mut Context, _packet: &mut Packet, _route: &mut Route) {}

    /// The link could not deliver `packet`, which was to go over `route`.
    fn on_undelivered(&mut self, _cx: &Context, _packet: &Packet, _route: &mut Route) {}

    /// A reply to a request of this node for `destination` has come.
    fn on_reply(&mut self, _cx: &mut Context, _destination: NodeId) {}

    /// Whether a route error about the destination of `route`, from its next hop, counts.
    fn believes(&self, route: &Route, sequence: SequenceNumber) -> bool {
        !route.sequence.is_newer_than(sequence)
    }

    /// `route` has been lost: its link broke at this node, or a route error says so.
    fn on_route_lost(&mut self, _cx: &mut Context, _route: &Route) {}

    /// Whether [`Policy::on_data`] is called for packets that this node receives as their destination.
    fn sees_deliveries(&self) -> bool {
        false
    }

    /// This node has handed `packet`, a transport packet, to the link or received it as its destination.
    fn on_data(&mut self, _cx: &mut Context, _packet: &Packet) {}

    /// It is time for a HELLO: what it says, or nothing if none is to be sent.
    fn greet(&mut self, _cx: &mut Context) -> Option<Greeting> {
        Some(Greeting::default())
    }

    /// A HELLO of neighbour `from` has come.
    fn on_greeting(&mut self, _cx: &mut Context, _from: NodeId, _greeting: Greeting) {}

    /// Time from one HELLO to the next, `interval` on average: ns-2 draws it within a quarter of that.
    fn hello_spacing(&self, interval: Duration, rng: &mut Rng) -> Duration {
        interval * 3 / 4 + rng.duration_below(interval / 2)
    }

    /// Whether a link is there if and only if HELLOs come over it.
    fn hello_proves_link(&self) -> bool {
        true
    }

    /// Bytes that `message` has beyond AODV's.
    fn added_bytes(&self, _message: &Message) -> u32 {
        0
    }
}

/// AODV by hop count.
#[derive(Clone, Copy, Debug, Default)]
pub struct HopCount;

impl Policy for HopCount {}
