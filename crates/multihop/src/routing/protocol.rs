//! A routing protocol on one node.

use std::fmt::Debug;

use rustc_hash::FxHashMap;

use super::{Context, Shared, Timer};
use crate::kernel::{Duration, Instant};
use crate::wire::{Extension, Interface, NodeId, Packet};

/// One node's next hops, and the station that each is sent by, by destination.
pub type NextHops = FxHashMap<NodeId, (NodeId, Interface)>;

/// A routing protocol on one node: a state machine without clock, queue or randomness of its own.
///
/// `on_start` is called once, at time 0. Then, in any order: `on_send` for a packet of this node's
/// own transport, `on_receive` for a packet from the link, `on_link_failure` when the link could
/// not deliver a packet, and `on_timer` when a timer of the protocol expires. Each call gets a
/// [`Context`] and leaves its actions there; [`super::actions`] says how they are carried out. All
/// methods except these have defaults.
///
/// A neighbour is known by the address of its station (the node's number, of its first): one that
/// is heard on two channels is two neighbours, and who is sent to says by which station.
///
/// ```
/// use multihop::api::routing::harness::Network;
/// use multihop::api::routing::{Context, DropReason, Protocol, Timer};
/// use multihop::api::wire::{NodeId, Packet};
///
/// /// Sends to neighbours only.
/// #[derive(Debug)]
/// struct Neighbourly;
///
/// impl Protocol for Neighbourly {
///     fn on_send(&mut self, cx: &mut Context, packet: Packet) {
///         let next_hop = packet.destination;
///         cx.send(packet, next_hop, Default::default());
///     }
///
///     fn on_receive(&mut self, cx: &mut Context, packet: Packet, _: NodeId) {
///         cx.drop(packet, DropReason::NoRoute);
///     }
///
///     fn on_link_failure(&mut self, cx: &mut Context, packet: Packet, _: NodeId) {
///         cx.drop(packet, DropReason::LinkFailure);
///     }
///
///     fn on_timer(&mut self, _: &mut Context, _: Timer) {}
/// }
///
/// let mut network = Network::of(vec![Neighbourly, Neighbourly], &[(0, 1)]);
/// network.send(1.0, 0, 1, 7);
/// network.run_to(2.0);
/// assert_eq!(network.arrived(), [7]);
/// ```
pub trait Protocol: Debug + Send + Sync + 'static {
    /// The run starts.
    fn on_start(&mut self, _cx: &mut Context) {}

    /// This node's transport sends `packet`.
    fn on_send(&mut self, cx: &mut Context, packet: Packet);

    /// `packet` has arrived from the station `from`, by the station [`Context::interface`]: a
    /// message of the protocol, or data to forward.
    fn on_receive(&mut self, cx: &mut Context, packet: Packet, from: NodeId);

    /// `client`, which runs no routing, is reached by this node from now on, or not any more. What
    /// is for it then comes to this node as far as others learn of it.
    fn on_client(&mut self, _cx: &mut Context, _client: NodeId, _is_here: bool) {}

    /// The link could not deliver `packet` to `next_hop` by the station [`Context::interface`].
    fn on_link_failure(&mut self, cx: &mut Context, packet: Packet, next_hop: NodeId);

    /// A timer of the protocol has expired.
    fn on_timer(&mut self, cx: &mut Context, timer: Timer);

    /// The time between sweeps, if the nodes look after what they know all at once: at time 0 and
    /// after each such interval, one after another. The same on all nodes.
    fn sweep_interval(&self) -> Option<Duration> {
        None
    }

    /// Whether [`Protocol::on_sweep`] would do anything.
    fn needs_sweep(&self) -> bool {
        false
    }

    /// The node sweeps.
    fn on_sweep(&mut self, _cx: &mut Context) {}

    /// Whether [`Protocol::on_delivered`] is called for packets addressed to this node's transport.
    fn sees_deliveries(&self) -> bool {
        false
    }

    /// `packet` has arrived for this node's transport, which gets it next.
    fn on_delivered(&mut self, _cx: &mut Context, _packet: &Packet) {}

    /// Whether `packet` would have no effect if it arrived at `at`. The link may then skip it.
    fn will_ignore(&self, _packet: &Packet, _at: Instant) -> bool {
        false
    }

    /// Whether [`Protocol::on_overheard`] is called for `packet`, a unicast packet for another
    /// node. Asked when a neighbour starts to send it, and again when all of it has been overheard.
    fn overhears(&self, _packet: &Packet) -> bool {
        false
    }

    /// Whether [`Protocol::overhears`] ever says yes in this run. Who says no is not asked at every
    /// frame.
    fn may_overhear(&self) -> bool {
        true
    }

    /// `packet`, which [`Protocol::overhears`] asked for, was overheard on its way to `receiver`.
    fn on_overheard(&mut self, _cx: &mut Context, _packet: &Packet, _receiver: NodeId) {}

    /// The message of this protocol in `bytes`, a datagram to UDP port `port` that a program which
    /// speaks it has sent; none if it is none.
    fn read(&self, _port: u16, _bytes: &[u8]) -> Option<Extension> {
        None
    }

    /// The next hops of this node, where whoever steers it may change them.
    fn next_hops(&mut self) -> Option<&mut NextHops> {
        None
    }

    /// Packets that wait in this node for a route.
    fn waiting_packets(&self) -> usize {
        0
    }

    /// A node asked for [`super::Action::Record`]: completes what was noted in `shared` from the
    /// state of all nodes.
    fn record(_nodes: &[Self], _now: Instant, _shared: &mut Shared)
    where
        Self: Sized,
    {
    }
}
