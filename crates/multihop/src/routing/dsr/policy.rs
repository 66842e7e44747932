//! DSR's choices in one place, so that another scheme can make them differently.
//!
//! What DSR does (discover, reply, forward, salvage, report errors) is the same for every scheme
//! built on it. What it chooses is here: what a request collects, which copies the target answers,
//! when and with what, how a source picks a route, what packets collect along the path, and when
//! the transport is told of a broken route. The policy also sees the requests, replies, packets and
//! broken links of its node, and returns [`Order`]s.

use std::fmt::Debug;

use super::cache::{Found, PathCache};
use crate::kernel::Instant;
use crate::measure::Counts;
use crate::routing::{Context, Timer};
use crate::wire::dsr::{Direction, Header, Path, Replaces, Request};
use crate::wire::{Extension, NodeId, Packet};

/// What a policy asks of its node's DSR.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Order {
    /// Answer a request that arrived along `asked` (from its originator to the last node before
    /// this one): that path is a route for the packets of `direction`.
    Answer {
        /// The path of the request.
        asked: Path,
        /// Which packets the route is for, if the scheme distinguishes them.
        direction: Option<Direction>,
        /// What the answer tells of each node of the route but the first.
        gathered: Vec<f32>,
    },
    /// Search for routes to `target`, unless a search is in progress.
    Discover {
        /// The node searched for.
        target: NodeId,
    },
    /// Ask `target` to use another path to this node.
    AskToReplace {
        /// The node that sends on the path.
        target: NodeId,
        /// What the request says about the path to replace.
        replaces: Replaces,
    },
}

impl Order {
    /// Answers a request that arrived along `asked` with a route for the packets of `direction`.
    pub fn answer(asked: &Path, direction: Direction) -> Order {
        let direction = Some(direction);
        Order::Answer { asked: asked.clone(), direction, gathered: Vec::new() }
    }
}

/// The choices; the defaults are plain DSR's.
///
/// ```
/// use multihop::api::profile::Profile;
/// use multihop::api::routing::dsr::{Dsr, DsrConfig, Policy};
/// use multihop::api::routing::harness::Network;
/// use multihop::api::wire::NodeId;
///
/// /// Changes nothing.
/// #[derive(Debug)]
/// struct Plain;
///
/// impl Policy for Plain {}
///
/// let node = |i| Dsr::with_policy(NodeId(i), &DsrConfig::default(), Profile::Ns2, Plain);
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

    /// A timer of the policy has expired.
    fn on_timer(&mut self, _cx: &mut Context, _timer: Timer) -> Vec<Order> {
        Vec::new()
    }

    /// This node sends a request for `target`.
    fn on_asking(&mut self, _now: Instant, _target: NodeId) {}

    /// Whether copies of a request after the first are never passed on, so that the link may skip
    /// them.
    fn ignores_copies(&self) -> bool {
        true
    }

    /// Whether to pass on a copy of a request for another node that has just arrived; `is_first`:
    /// no earlier copy has.
    fn passes_on(&mut self, _cx: &Context, _request: &Request, is_first: bool) -> bool {
        is_first
    }

    /// This node forwards `request` with its own address added: adds what the request collects
    /// here.
    fn gather(&mut self, _cx: &Context, _request: &mut Request) {}

    /// Whether to answer the copy of a request for this node that has just arrived; `is_first`: no
    /// earlier copy has; `every_copy`: the configuration says to answer every copy. A policy may
    /// keep the copy instead and answer at a timer.
    fn answers(
        &mut self,
        _cx: &mut Context,
        _request: &Request,
        is_first: bool,
        every_copy: bool,
    ) -> bool {
        is_first || every_copy
    }

    /// What the answer to `request` tells its originator of each node of the route but the first.
    fn gathered(&mut self, _cx: &Context, _request: &Request) -> Vec<f32> {
        Vec::new()
    }

    /// The route for `packet` of this node. With `keep` the packet is sent on it now.
    fn pick(
        &mut self,
        _cx: &Context,
        routes: &mut PathCache,
        packet: &Packet,
        keep: bool,
    ) -> Option<Found> {
        routes.find(packet.destination, keep)
    }

    /// A reply for this node has arrived: `path` is a route, for the packets of `direction` if
    /// given, and `gathered` what it tells of the nodes.
    fn on_reply(
        &mut self,
        _now: Instant,
        _path: &Path,
        _direction: Option<Direction>,
        _gathered: &[f32],
    ) {
    }

    /// What this node writes into each transport packet that it forwards along a source route, on
    /// which `previous` was before it.
    fn piggyback(&self, _cx: &Context, _previous: NodeId) -> Option<f32> {
        None
    }

    /// Whether [`Policy::on_delivered`] is called.
    fn sees_deliveries(&self) -> bool {
        false
    }

    /// A transport packet with this header has arrived at this node, its destination.
    fn on_delivered(
        &mut self,
        _cx: &mut Context,
        _packet: &Packet,
        _header: &Header,
    ) -> Option<Order> {
        None
    }

    /// The link from `from` to `to`, in this direction, is broken.
    fn on_broken_link(&mut self, _now: Instant, _from: NodeId, _to: NodeId) -> Vec<Order> {
        Vec::new()
    }

    /// Whether the transport is told that the route of its `packet`, or of one like it, has broken.
    fn tells_transport(&self, _destination: NodeId, _packet: Option<&Packet>) -> bool {
        true
    }

    /// Adds what it has counted of its own to the result, where it stands under the name that
    /// scenarios have for it.
    fn report(&self, _counts: &mut Counts) {}
}

/// DSR by fewest hops.
#[derive(Clone, Copy, Debug, Default)]
pub struct FewestHops;

impl Policy for FewestHops {}
