//! What a routing protocol sees of its node, and the actions it can ask for.

use super::{Action, DropReason, Oracle};
use crate::kernel::{Duration, Instant, Rng};
use crate::link::InterfaceQueue;
use crate::mac::RateControl;
use crate::measure::BackoffCounts;
use crate::radio::StationLayout;
use crate::wire::{Body, Extension, Interface, NodeId, Packet};

/// The node as a routing protocol sees it during one call.
#[derive(Debug)]
#[non_exhaustive]
pub struct Context<'a> {
    /// The present time.
    pub now: Instant,
    /// The node the protocol runs on.
    pub node: NodeId,
    /// The station of the node by which the packet has come, was overheard or could not be
    /// delivered; the first where a call is about none.
    pub interface: Interface,
    /// The stations of all nodes.
    pub stations: &'a StationLayout,
    /// The node's random stream for routing.
    pub rng: &'a mut Rng,
    /// The interface queue of that station, from which packets for a broken next hop can be taken
    /// back.
    pub queue: &'a mut InterfaceQueue,
    /// How often the MAC below has backed off since the start of the run, for measures of
    /// contention.
    pub backoffs: BackoffCounts,
    /// The MAC's choice of rates and what it knows of the links; none if the rate is fixed.
    pub rates: Option<&'a RateControl>,
    /// What idealised schemes know without exchanging packets.
    pub oracle: Oracle<'a>,
    /// What the protocol wants done, carried out in order after the call.
    pub actions: &'a mut Vec<Action>,
}

/// A timer of a routing protocol. The engine hands it back unchanged; only the protocol interprets
/// it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Timer {
    /// Which of the protocol's timers it is. A policy of AODV or DSR gets those that its base does
    /// not know.
    pub kind: &'static str,
    /// The node it is about; the broadcast address if none.
    pub node: NodeId,
    /// What else it is about, such as the number of a request.
    pub number: u32,
}

impl Timer {
    /// A timer without a node or number.
    pub const fn of(kind: &'static str) -> Timer {
        Timer { kind, node: NodeId::BROADCAST, number: 0 }
    }

    /// A timer about `node`.
    pub const fn about(kind: &'static str, node: NodeId) -> Timer {
        Timer { kind, node, number: 0 }
    }
}

impl Context<'_> {
    /// Hands `packet` to the link for the station `next_hop` of a neighbour after `delay`, by the
    /// station of this node on its channel; by all stations if it is a broadcast.
    pub fn send(&mut self, packet: Packet, next_hop: NodeId, delay: Duration) {
        self.actions.push(Action::Send { packet, next_hop, interface: None, delay });
    }

    /// The same by the station `interface` of this node alone. `next_hop` may be a neighbour's node.
    pub fn send_by(
        &mut self,
        interface: Interface,
        packet: Packet,
        next_hop: NodeId,
        delay: Duration,
    ) {
        let interface = Some(interface);
        self.actions.push(Action::Send { packet, next_hop, interface, delay });
    }

    /// The address of the node's station that the call is about.
    pub fn address(&self) -> NodeId {
        self.stations.of(self.node, self.interface)
    }

    /// The kinds of the node's stations.
    pub fn interfaces(&self) -> impl Iterator<Item = Interface> + use<'_> {
        self.stations.all_of(self.node).map(|station| self.stations.kind(station))
    }

    /// Broadcasts `message` of the scheme's own to the neighbours at once, in a packet of
    /// `size_bytes` \[bytes\], IP header included.
    pub fn broadcast(&mut self, message: Extension, size_bytes: u32) {
        let packet = self.broadcast_packet(message, size_bytes);
        self.send(packet, NodeId::BROADCAST, Duration::ZERO);
    }

    /// The same by the station `interface` of this node alone.
    pub fn broadcast_by(&mut self, interface: Interface, message: Extension, size_bytes: u32) {
        let packet = self.broadcast_packet(message, size_bytes);
        self.send_by(interface, packet, NodeId::BROADCAST, Duration::ZERO);
    }

    fn broadcast_packet(&self, message: Extension, size_bytes: u32) -> Packet {
        Packet {
            size_bytes,
            ttl: 1,
            ..Packet::new(self.node, NodeId::BROADCAST, self.now, Body::Routing(message))
        }
    }

    /// Drops `packet`.
    pub fn drop(&mut self, packet: Packet, reason: DropReason) {
        self.actions.push(Action::Drop { packet, reason });
    }

    /// Asks for `on_timer(timer)` at `at`.
    pub fn set_timer(&mut self, timer: Timer, at: Instant) {
        self.actions.push(Action::SetTimer { timer, at });
    }

    /// Tells this node's transport that the route to `destination` has broken.
    pub fn report_broken_route(&mut self, destination: NodeId) {
        self.actions.push(Action::RouteError { destination });
    }
}
