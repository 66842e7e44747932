//! What a routing protocol sees of its node and what it can ask of it.

use super::Oracle;
use super::multipath::PathLoad;
use crate::kernel::{Duration, Instant, Rng};
use crate::link::InterfaceQueue;
use crate::mac::BackoffCounts;
use crate::wire::{NodeId, Packet, RouteId};

/// The node as a routing protocol sees it during one call.
#[derive(Debug)]
pub struct Context<'a> {
    /// The present.
    pub now: Instant,
    /// The node the protocol runs on.
    pub node: NodeId,
    /// The node's random stream for routing.
    pub rng: &'a mut Rng,
    /// The interface queue below, for taking back what waits for a broken next hop.
    pub queue: &'a mut InterfaceQueue,
    /// How often the MAC below has backed off since the start of the run, for measures of contention.
    pub backoffs: BackoffCounts,
    /// What idealised schemes know without a packet.
    pub oracle: Oracle<'a>,
    /// What the protocol wants done, carried out in order after the call.
    pub actions: &'a mut Vec<Action>,
}

/// Something a routing protocol wants done.
#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    /// Hand `packet` to the link for `next_hop` (may be broadcast) after `delay`.
    Send {
        /// The packet; its size includes the IP header.
        packet: Packet,
        /// The neighbour it goes to.
        next_hop: NodeId,
        /// Jitter or spacing before the link gets it.
        delay: Duration,
    },
    /// Give up on `packet`.
    Drop {
        /// The packet.
        packet: Packet,
        /// Why.
        reason: DropReason,
    },
    /// Call `on_timer(timer)` at `at`. Timers are not cancelled: the protocol ignores stale ones.
    SetTimer {
        /// Which timer.
        timer: Timer,
        /// When.
        at: Instant,
    },
    /// Tell this node's transport that the route to `destination` has broken.
    RouteError {
        /// The destination that cannot be reached.
        destination: NodeId,
    },
    /// Count a route discovery: this node originates requests for a destination it has none for.
    Discovery {
        /// The destination.
        destination: NodeId,
    },
    /// One of several paths to `destination` has been found.
    PathFound {
        /// Where it leads.
        destination: NodeId,
        /// Its name.
        route_id: RouteId,
        /// Its hops.
        hops: u8,
    },
    /// A path found before is too long beside one found now, and does not count.
    PathWithdrawn {
        /// Where it leads.
        destination: NodeId,
        /// Its name.
        route_id: RouteId,
    },
    /// One of several paths to `destination` has broken.
    PathLost {
        /// Where it led.
        destination: NodeId,
        /// Its name.
        route_id: RouteId,
        /// What it had carried.
        load: PathLoad,
    },
    /// Count a weight that this node gave to a request.
    Weighed {
        /// By how many connections it differs from what the nodes count.
        stale_connections: u32,
    },
    /// Count a copy of a request that came after a worse one had been chosen.
    LateRequest,
}

/// Why a routing protocol dropped a packet; ns-2's trace name in brackets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DropReason {
    /// The link to the next hop broke \[CBK\].
    LinkFailure,
    /// No route, and none was found \[NRTE\].
    NoRoute,
    /// A packet of this node's own came back to it \[LOOP\].
    Loop,
    /// Time to live used up \[TTL\].
    TimeToLive,
    /// The send buffer was full \[IFQ at the routing layer\].
    BufferFull,
    /// It waited too long in the send buffer \[TOUT\].
    BufferTimeout,
}

/// Timers of routing protocols.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Timer {
    /// AODV: periodic look through the route table.
    Sweep,
    /// AODV: periodic purge of the cache of seen requests.
    RequestCachePurge,
    /// AODV: a local repair of the route to this destination has taken too long.
    LocalRepair(NodeId),
    /// AODV: time for the next HELLO.
    Hello,
    /// AODV: look for neighbours whose HELLOs have stopped.
    NeighbourCheck,
    /// A timer of AODV's or DSR's policy, for the request with this originator and number.
    Policy(NodeId, u32),
    /// COPAS: an interval in which backoffs are counted ends.
    BackoffInterval,
    /// DSR: look through the packets that wait for a route.
    BufferCheck,
}

impl Context<'_> {
    /// Hands `packet` to the link for `next_hop` after `delay`.
    pub fn send(&mut self, packet: Packet, next_hop: NodeId, delay: Duration) {
        self.actions.push(Action::Send { packet, next_hop, delay });
    }

    /// Gives up on `packet`.
    pub fn drop(&mut self, packet: Packet, reason: DropReason) {
        self.actions.push(Action::Drop { packet, reason });
    }

    /// Asks for `on_timer(timer)` at `at`.
    pub fn set_timer(&mut self, timer: Timer, at: Instant) {
        self.actions.push(Action::SetTimer { timer, at });
    }
}
