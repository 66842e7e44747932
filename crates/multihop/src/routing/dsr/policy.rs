//! DSR's choices, in one place, so that another scheme can make them differently.
//!
//! What DSR does (discover, reply, forward, salvage, report errors) is the same for every scheme built
//! on it; what it chooses is here: what a request gathers, which copies the target answers and with
//! what, how a source picks a route, and what a broken route means to the transport.

use std::fmt::Debug;

use super::cache::{Found, PathCache};
use crate::wire::dsr::Request;
use crate::wire::{NodeId, Packet};

/// The choices; the defaults are plain DSR's.
pub trait Policy: Debug + Send + Sync {
    /// This node passes `request` on, its own address added: what the request gathers here.
    fn gather(&mut self, _request: &mut Request) {}

    /// A copy of a request for this node has come: whether to answer it, given whether an earlier
    /// copy has come and whether the configuration has every copy answered.
    fn answers(&mut self, _request: &Request, is_first: bool, every_copy: bool) -> bool {
        is_first || every_copy
    }

    /// The route of a packet of this node to `destination`.
    fn pick(&mut self, routes: &mut PathCache, destination: NodeId) -> Option<Found> {
        routes.find(destination, true)
    }

    /// Whether the transport is told that the route of its `packet`, or of one like it, has broken.
    fn tells_transport(&self, _destination: NodeId, _packet: Option<&Packet>) -> bool {
        true
    }
}

/// DSR by fewest hops.
#[derive(Clone, Copy, Debug, Default)]
pub struct FewestHops;

impl Policy for FewestHops {}
