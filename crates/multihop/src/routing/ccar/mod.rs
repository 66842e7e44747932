//! CCAR: centralised congestion-aware routing (Ye, Krishnamurthy and Tripathi, "Use of
//! Congestion-Aware Routing to Spatially Separate TCP Connections in Wireless Ad Hoc Networks",
//! section IV).
//!
//! An idealised scheme: a centre knows the network and every connection's path without exchanging
//! packets, and chooses paths away from other connections. Requests and replies travel as in AODV,
//! and no node uses a path before the reply to its request has arrived, but their contents are
//! ignored. Data carries the centre's path as a source route that costs no bytes.
//!
//! So CCAR is AODV whose data takes other paths ([`CentralPaths`]), plus the centre: `centre.rs`
//! has its knowledge and choices, `weights.rs` the weights, `paths.rs` the search for lightest
//! paths, `orders.rs` heuristic II, and `config.rs` the keys.
//!
//! What the paper leaves open, and our choices:
//! - A path is chosen when the reply arrives, with the weights of that moment. The connection
//!   itself does not count, nor one whose path an end node knows to be broken, nor one whose flows
//!   are not running.
//! - A connection is a pair of nodes: all flows between the two, data and acknowledgments, take one
//!   path.
//! - Either end node may find the path broken; the next reply to either of them gives both the new
//!   path.
//! - Only destinations answer requests, and only end nodes send them: no relay knows the centre's
//!   path. So the flood after a failure reaches as far as in AODV, where nodes downstream have no
//!   fresh enough route.
//! - Packets beyond a failed link continue on their source route.
//! - Relays note the next hop of the data that they forward, so that route errors travel back as in
//!   AODV. Of two connections to the same destination through a relay, the last packet decides.

pub mod centre;
mod config;
pub mod orders;
pub mod paths;
mod scheme;
pub mod weights;

pub use centre::{Centre, CentreReport, Choice, Connection, Demanded};
pub use config::{CcarConfig, Variant};
pub use scheme::CcarTable;

use rustc_hash::FxHashMap;

use super::Context;
use super::aodv::Policy;
use super::aodv::policy::HopCount;
use super::aodv::table::{Offer, Route, RouteState, UNREACHABLE};
use crate::profile::Profile;
use crate::wire::aodv::SequenceNumber;
use crate::wire::{NodeId, Packet};

/// AODV whose data takes the centre's paths.
#[derive(Debug, Default)]
pub struct CentralPaths {
    /// For each destination, the version of the path that was broken.
    broken: FxHashMap<NodeId, u32>,
}

impl Policy for CentralPaths {
    fn meets_neighbours(&self) -> bool {
        false
    }

    /// Contents are ignored: a node without a route takes any offer.
    fn prefers(&self, route: &Route, offer: &Offer, profile: Profile) -> bool {
        route.is_being_discovered() || !route.is_up() || HopCount.prefers(route, offer, profile)
    }

    fn may_send(&self, cx: &Context, destination: NodeId) -> bool {
        let Some(centre) = cx.oracle.shared.get::<Centre>() else { return false };
        let version = centre.version(Connection::between(cx.node, destination));
        version > self.broken.get(&destination).copied().unwrap_or(0)
    }

    fn direct(&mut self, cx: &mut Context, packet: &mut Packet, route: &mut Route) {
        if packet.source == cx.node {
            if !route.is_up() || !self.may_send(cx, packet.destination) {
                route.state = RouteState::Down;
                return;
            }
            let Some(centre) = cx.oracle.shared.get::<Centre>() else { return };
            let connection = Connection::between(cx.node, packet.destination);
            packet.dsr = centre.route(connection, cx.node).cloned();
        }
        point_along(packet, cx.node, route);
        // A source route cannot loop, so no path is too long.
        packet.ttl = packet.ttl.max(route.hops.saturating_add(1));
    }

    fn on_undelivered(&mut self, cx: &Context, packet: &Packet, route: &mut Route) {
        point_along(packet, cx.node, route);
    }

    fn on_reply(&mut self, cx: &mut Context, destination: NodeId) {
        let neighbours = cx.oracle.hearers.neighbours_at(cx.now);
        let Some(centre) = cx.oracle.shared.get_mut::<Centre>() else { return };
        centre.on_reply(cx.now, Connection::between(cx.node, destination), neighbours);
    }

    /// Along a source route, the nodes' sequence numbers are unrelated.
    fn believes(&self, _: &Route, _: SequenceNumber) -> bool {
        true
    }

    fn on_route_lost(&mut self, cx: &mut Context, route: &Route) {
        let connection = Connection::between(cx.node, route.destination);
        let Some(centre) = cx.oracle.shared.get_mut::<Centre>() else { return };
        let path = centre.route(connection, cx.node).and_then(|header| header.route.as_ref());
        if path.is_some_and(|path| path.nodes.get(1) == Some(&route.next_hop)) {
            self.broken.insert(route.destination, centre.version(connection));
            centre.on_failure(connection);
        }
    }
}

/// Sets `route` of `node` to the next hop in the source route of `packet`.
fn point_along(packet: &Packet, node: NodeId, route: &mut Route) {
    let source_route = packet.dsr.as_ref().and_then(|header| header.route.as_ref());
    let Some(nodes) = source_route.map(|source_route| &source_route.nodes) else { return };
    let Some(here) = nodes.iter().position(|&other| other == node) else { return };
    if let Some(&next_hop) = nodes.get(here + 1) {
        let hops = (nodes.len() - 1 - here).min(usize::from(UNREACHABLE) - 1) as u8;
        route.lead_over(hops, next_hop);
    }
    if here > 0 {
        route.add_precursor(nodes[here - 1]);
    }
}

#[cfg(test)]
mod tests;
