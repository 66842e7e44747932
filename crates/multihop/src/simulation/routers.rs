//! Nodes whose programs route for themselves, in one mesh with nodes that routing in the simulation
//! serves.
//!
//! What such a node sends goes one hop, as it is. Messages of a routing protocol in it are read by
//! the neighbours whose protocol they are of ([`Protocol::read`](crate::routing::Protocol::read));
//! these answer with the octets that real ones have. Any other node passes data on by their IP
//! destination, and a router's device gets what comes to it, whoever it is for.

use std::sync::Arc;

use super::Simulation;
use crate::wire::udp::{Carried, Datagram};
use crate::wire::{Body, NodeId, Packet, ethernet};

impl Simulation {
    /// Leaves routing at `nodes` to their programs. To be called before the run begins.
    pub fn leave_routing_to_programs(&mut self, nodes: &[NodeId]) {
        let count = if nodes.is_empty() { 0 } else { self.node_count() };
        let routes = |node: u32| nodes.contains(&NodeId(node));
        self.routing.routers = (0..count as u32).map(routes).collect();
    }

    /// Whether programs route at any node.
    pub fn has_routers(&self) -> bool {
        !self.routing.routers.is_empty()
    }

    /// Whether programs route at `node`.
    #[inline]
    pub(super) fn is_router(&self, node: NodeId) -> bool {
        self.routing.routers.get(node.index()) == Some(&true)
    }

    /// A program at `from`, which routes, sends `frame` to its neighbour `to`.
    #[cold]
    pub(super) fn send_on_link(&mut self, from: NodeId, to: NodeId, frame: Arc<[u8]>) {
        let destination = ethernet::destination(&frame, self.node_count()).unwrap_or(to);
        let (end, mut sent) = (self.end, None);
        self.at_ends(|endpoints, shared| {
            sent = endpoints.on_frame_of_router(shared, (from, destination), frame, end);
        });
        if let Some(packet) = sent {
            self.link_send(from, to, packet);
        }
    }

    /// `packet` has come to `node` from its neighbour `from`. Returns what is left to do: the
    /// packet; or the message of routing that it is, if a router has sent it; or nothing, if `node`
    /// is a router, whose device has it now.
    #[cold]
    pub(super) fn between_routers(
        &mut self,
        node: NodeId,
        from: NodeId,
        packet: Packet,
    ) -> Option<Packet> {
        if let Some(frame) = ethernet::frame_of(&packet, from, node) {
            if self.is_router(node) {
                self.endpoints.deliver_frame(self.clock.now(), node, &frame.into());
                return None;
            }
            return Some(packet);
        }
        let Body::Udp(Datagram { carried: Some(carried), .. }) = &packet.body else {
            return Some(packet);
        };
        let is_for_all = packet.destination.is_broadcast();
        if self.is_router(node) {
            if !is_for_all && packet.destination != node {
                let frame = ethernet::readdressed(&carried.bytes, from, node);
                self.endpoints.deliver_frame(self.clock.now(), node, &frame.into());
                return None;
            }
        } else if (is_for_all || packet.destination == node)
            && self.is_router(from)
            && let Some((port, bytes)) = ethernet::message(&carried.bytes)
            && let Some(message) = self.routing.layer.node(node).0.read(port, bytes)
        {
            return Some(Packet { body: Body::Routing(message), ..packet });
        }
        if is_for_all || packet.destination != node {
            return Some(packet);
        }
        // The last hop is to this node's own address.
        let bytes = ethernet::readdressed(&carried.bytes, from, node).into();
        let carried = Some(Carried { bytes, ..carried.clone() });
        let Body::Udp(datagram) = packet.body else { return None };
        let body = Body::Udp(Datagram { carried, ..datagram });
        Some(Packet { body, ..packet })
    }
}
