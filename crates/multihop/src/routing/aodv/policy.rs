//! AODV's choices in one place, so that another scheme can make them differently.
//!
//! What AODV does (discover, reply, forward, repair, report errors) is the same for every scheme
//! built on it. What it chooses is here: what a request collects, which copies are processed and
//! when, who may reply, which of two routes is better, which route data takes, whether a broken
//! link is repaired locally, and what a HELLO contains and implies. The policy also sees the data,
//! the replies and the lost routes of its node.

use std::fmt::Debug;

use super::table::{Offer, Route, UNREACHABLE};
use crate::kernel::{Duration, Rng};
use crate::measure::Counts;
use crate::profile::Profile;
use crate::routing::{Context, Timer};
use crate::wire::aodv::{Message, Reply, Request, SequenceNumber};
use crate::wire::{Extension, NodeId, Packet};

/// A copy of a request at a node.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Copy {
    /// The request as it arrived, with what it collected here.
    pub request: Request,
    /// Remaining time to live.
    pub ttl: u8,
    /// The neighbour that it came from.
    pub from: NodeId,
}

/// Additions to AODV's HELLO.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Greeting {
    /// The policy's own fields.
    pub extension: Option<Extension>,
}

/// The choices; the defaults are those of hop-count AODV.
///
/// ```
/// use multihop::api::profile::Profile;
/// use multihop::api::routing::aodv::{Aodv, AodvConfig, Policy};
/// use multihop::api::routing::harness::Network;
/// use multihop::api::wire::{NodeId, aodv::Request};
///
/// /// Looks at every copy of a request.
/// #[derive(Debug)]
/// struct Curious;
///
/// impl Policy for Curious {
///     fn counts(&mut self, _: &Request, _seen: bool) -> bool {
///         true
///     }
/// }
///
/// let node = |i| Aodv::with_policy(NodeId(i), &AodvConfig::default(), Profile::Ns2, Curious);
/// let mut network = Network::of((0..2).map(node).collect(), &[(0, 1)]);
/// network.send(1.0, 0, 1, 7);
/// network.run_to(2.0);
/// assert_eq!(network.arrived(), [7]);
/// ```
pub trait Policy: Debug + Send + Sync + 'static {
    /// The run starts.
    fn on_start(&mut self, _cx: &mut Context) {}

    /// A message of the policy's own has arrived from neighbour `from`.
    fn on_message(&mut self, _cx: &mut Context, _from: NodeId, _message: &Extension) {}

    /// This node originates `request`.
    fn originate(&mut self, _cx: &mut Context, _request: &mut Request) {}

    /// A copy of `request` has arrived from neighbour `from`: adds what it collects here.
    fn gather(&mut self, _cx: &mut Context, _request: &mut Request, _from: NodeId) {}

    /// This node answers a request with `reply`, whose metric is what the request gathered.
    fn originate_reply(&mut self, _cx: &mut Context, _reply: &mut Reply) {}

    /// `reply` has come from neighbour `from`: what it gathers here.
    fn gather_reply(&mut self, _cx: &mut Context, _reply: &mut Reply, _from: NodeId) {}

    /// Whether this copy of `request` is processed; `seen`: an earlier copy has arrived.
    fn counts(&mut self, _request: &Request, seen: bool) -> bool {
        !seen
    }

    /// Whether copies after the first are never processed, so that the link may skip them.
    fn ignores_copies(&self) -> bool {
        true
    }

    /// The copy to answer or forward now that `copy` has arrived. A policy may keep it instead, and
    /// return one at a timer.
    fn collect(&mut self, _cx: &mut Context, copy: Copy) -> Option<Copy> {
        Some(copy)
    }

    /// A timer of the policy has expired: the copy to answer or forward now, if any.
    fn on_timer(&mut self, _cx: &mut Context, _timer: Timer) -> Option<Copy> {
        None
    }

    /// Whether an intermediate node may answer `request` with its `route`.
    fn may_answer(&self, route: &Route, request: &Request, profile: Profile) -> bool {
        let usable = match profile {
            // A route in repair qualifies, because it keeps its hop count.
            Profile::Ns2 => route.hops != UNREACHABLE,
            Profile::Standard => route.is_up() && route.has_sequence,
        };
        usable && !request.destination_sequence.is_newer_than(route.sequence)
    }

    /// Whether `offer` should replace `route` (RFC 3561 section 6.2 and 6.7).
    fn prefers(&self, route: &Route, offer: &Offer, profile: Profile) -> bool {
        let is_standard = profile == Profile::Standard;
        if is_standard && !route.has_sequence {
            return true;
        }
        let renewed = is_standard && !route.is_up();
        let same = offer.sequence == route.sequence;
        offer.sequence.is_newer_than(route.sequence) || same && (renewed || offer.hops < route.hops)
    }

    /// Whether a request or reply makes a route to the neighbour that it came from (RFC 3561
    /// sections 6.5 and 6.7). Not where routes have a metric, of which such a message says nothing.
    fn meets_neighbours(&self) -> bool {
        true
    }

    /// Whether this relay should attempt a local repair when the link to the next hop of `packet`
    /// breaks: if the packet is past half of its path.
    fn repairs(&self, route: &Route, packet: &Packet) -> bool {
        packet.hops > u16::from(route.hops)
    }

    /// Whether this node's own data for `destination` may go over a route that is up.
    fn may_send(&self, _cx: &Context, _destination: NodeId) -> bool {
        true
    }

    /// Data `packet` is about to be sent over `route`: the policy may change the route, or take it
    /// down so that this node requests one.
    fn direct(&mut self, _cx: &mut Context, _packet: &mut Packet, _route: &mut Route) {}

    /// The link could not deliver `packet`, sent over `route`.
    fn on_undelivered(&mut self, _cx: &Context, _packet: &Packet, _route: &mut Route) {}

    /// A reply to this node's request for `destination` has arrived.
    fn on_reply(&mut self, _cx: &mut Context, _destination: NodeId) {}

    /// Whether to accept a route error for the destination of `route` from its next hop.
    fn believes(&self, route: &Route, sequence: SequenceNumber) -> bool {
        !route.sequence.is_newer_than(sequence)
    }

    /// `route` is lost: its link broke at this node, or a route error was accepted.
    fn on_route_lost(&mut self, _cx: &mut Context, _route: &Route) {}

    /// Whether [`Policy::on_data`] is called for packets that this node receives as their
    /// destination.
    fn sees_deliveries(&self) -> bool {
        false
    }

    /// This node has handed `packet`, a transport packet, to the link or received it as its
    /// destination.
    fn on_data(&mut self, _cx: &mut Context, _packet: &Packet) {}

    /// A HELLO is due: its additions, or none if no HELLO is to be sent.
    fn greet(&mut self, _cx: &mut Context) -> Option<Greeting> {
        Some(Greeting::default())
    }

    /// A HELLO of neighbour `from` has arrived.
    fn on_greeting(&mut self, _cx: &mut Context, _from: NodeId, _greeting: Greeting) {}

    /// Time to the next HELLO, `interval` on average: ns-2 draws it within a quarter of `interval`.
    fn hello_spacing(&self, interval: Duration, rng: &mut Rng) -> Duration {
        interval * 3 / 4 + rng.duration_below(interval / 2)
    }

    /// Whether a link works if and only if HELLOs arrive over it.
    fn hello_proves_link(&self) -> bool {
        true
    }

    /// Bytes that the policy adds to `message`.
    fn added_bytes(&self, _message: &Message) -> u32 {
        0
    }

    /// Adds what it has counted of its own to the result, where it stands under the name that
    /// scenarios have for it.
    fn report(&self, _counts: &mut Counts) {}
}

/// AODV by hop count.
#[derive(Clone, Copy, Debug, Default)]
pub struct HopCount;

impl Policy for HopCount {}
