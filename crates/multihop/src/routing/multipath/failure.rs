//! Broken links, with a route error for each broken path (Ye, Krishnamurthy and Tripathi, section
//! II).

use super::MultipathAodv;
use super::config::TellOn;
use super::discovery::with_route_id;
use super::forwarding::{ForwardingEntry, ForwardingKey};
use super::log::{PathLog, PathNote};
use crate::kernel::Duration;
use crate::routing::{Context, DropReason};
use crate::wire::aodv::{Error, Message, SequenceNumber};
use crate::wire::{Body, NodeId, Packet, RouteId};

impl MultipathAodv {
    /// The link could not deliver `packet` to `next_hop`: every path over the link is broken.
    pub(super) fn end_paths_over(&mut self, cx: &mut Context, packet: Packet, next_hop: NodeId) {
        if !packet.is_transport() {
            cx.drop(packet, DropReason::LinkFailure);
            return;
        }
        for (key, entry) in self.forwarding.break_link(next_hop) {
            self.tell(cx, key, entry);
        }
        let queued = cx.queue.take(next_hop);
        for packet in std::iter::once(packet).chain(queued) {
            let is_own = packet.is_transport() && packet.source == self.node;
            let left = match is_own {
                true => self.send_on_path(cx, packet, Duration::ZERO),
                false => Some(packet),
            };
            if let Some(packet) = left {
                cx.drop(packet, DropReason::LinkFailure);
            }
        }
    }

    /// `packet` with a route error for path `id` has arrived.
    pub(super) fn on_error(&mut self, cx: &mut Context, packet: Packet, id: RouteId) {
        let Body::Aodv(Message::Error(error)) = &packet.body else { return };
        let Some(&(destination, _)) = error.unreachable.first() else { return };
        let broken = self.forwarding.remove(destination, id);
        if packet.destination == self.node {
            self.lose_path(cx, destination, id);
        } else if let Some(entry) = broken {
            cx.send(packet, entry.previous, Duration::ZERO);
        } else {
            cx.drop(packet, DropReason::NoRoute);
        }
    }

    /// The forwarding entry `broken` is gone: tells the end node whose packets used it.
    fn tell(&mut self, cx: &mut Context, broken: ForwardingKey, entry: ForwardingEntry) {
        if entry.from == self.node {
            self.lose_path(cx, broken.0, broken.1);
        } else {
            self.send_error(cx, broken, entry.from, entry.previous);
        }
    }

    /// Sends `end` a route error for `destination` on path `id`, through the neighbour `previous`
    /// that its packets come from. It does not use the reverse path, which may be broken, too, or
    /// seem so: the link that failed was in the other direction.
    pub(super) fn send_error(
        &mut self,
        cx: &mut Context,
        (destination, id): ForwardingKey,
        end: NodeId,
        previous: NodeId,
    ) {
        // A path is identified by its ROUTE_ID; sequence numbers are not used.
        let unreachable = vec![(destination, SequenceNumber(0))];
        let error = Message::Error(Error { unreachable, is_passed_on: false });
        let packet = with_route_id(self.aodv.message(cx, end, self.aodv.time_to_live(), error), id);
        cx.send(packet, previous, Duration::ZERO);
    }

    /// The path `id` from this node to `destination` is broken.
    fn lose_path(&mut self, cx: &mut Context, destination: NodeId, id: RouteId) {
        let Some(peer) = self.peers.get_mut(&destination) else { return };
        let Some(path) = peer.remove(id) else { return };
        let is_last = peer.usable().is_empty();
        PathLog::note(cx, destination, id, PathNote::Lost { load: path.load });
        if is_last {
            self.aodv.close_route(destination);
        }
        if is_last || self.config.standby_on == TellOn::Any {
            cx.report_broken_route(destination);
        }
    }
}
