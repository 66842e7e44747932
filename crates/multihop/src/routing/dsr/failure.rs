//! Route maintenance (RFC 4728 sections 3.2, 3.4 and 8.3): broken links, salvaging, route errors.

use super::{Dsr, Policy};
use crate::kernel::Duration;
use crate::profile::Profile;
use crate::routing::{Context, DropReason};
use crate::wire::dsr::{Header, Path, RouteError, RouteErrorKind, SourceRoute};
use crate::wire::{NodeId, Packet};

/// Maximum number of route errors in one packet.
const MAX_ERRORS: usize = 3;

/// What a route error tells of a packet that a link lost.
struct Lost {
    route: Path,
    destination: NodeId,
    /// The route errors that it carried.
    earlier: Vec<RouteError>,
}

impl Lost {
    fn of(packet: &Packet, route: Path) -> Lost {
        let header = packet.dsr.as_ref();
        let earlier = header.map(|header| header.errors.clone()).unwrap_or_default();
        Lost { route, destination: packet.destination, earlier }
    }
}

impl<P: Policy + ?Sized> Dsr<P> {
    /// The link to the station `station` could not deliver `packet`, nor has another.
    pub(super) fn on_undelivered(&mut self, cx: &mut Context, packet: Packet, station: NodeId) {
        let next_hop = cx.stations.node(station);
        let Some((packet, route)) = self.with_route(cx, packet) else { return };
        // Before the link is removed, and with it the flows over it.
        let mut queued = Vec::new();
        for packet in cx.queue.take(station) {
            if packet.dsr.is_none() && !packet.is_transport() {
                cx.drop(packet, DropReason::LinkFailure);
            } else {
                queued.extend(self.with_route(cx, packet));
            }
        }
        self.forget_link(cx, self.node, next_hop);
        let failed = (self.node, next_hop);
        let (is_own, destination) = (packet.source == self.node, packet.destination);
        if is_own
            && packet.is_transport()
            && self.policy.tells_transport(destination, Some(&packet))
        {
            cx.report_broken_route(destination);
        }
        let mut lost = vec![Lost::of(&packet, route)];
        if self.profile == Profile::Standard {
            // Each source once (section 3.4.2), and before its packets go on (section 8.3.6).
            for (packet, route) in &queued {
                if lost.iter().all(|known| known.route[0] != route[0]) {
                    lost.push(Lost::of(packet, route.clone()));
                }
            }
            self.report_broken_link(cx, next_hop, std::mem::take(&mut lost));
        }
        self.salvage(cx, packet, Some(failed));
        for (packet, _) in queued {
            self.salvage(cx, packet, Some(failed));
        }
        self.report_broken_link(cx, next_hop, lost);
    }

    /// `packet` with its source route; a packet of a flow gets it from the flow state. None if this
    /// node no longer knows the flow.
    fn with_route(&mut self, cx: &mut Context, mut packet: Packet) -> Option<(Packet, Path)> {
        let header = packet.dsr.as_deref();
        if let Some(route) = header.and_then(|header| header.route.as_ref()) {
            let nodes = route.nodes.clone();
            return Some((packet, nodes));
        }
        let (source, destination) = (packet.source, packet.destination);
        let flow = match header.and_then(|header| header.flow) {
            Some(flow) => self.flows.get(source, destination, flow.id),
            None => self.flows.default_flow(source, destination),
        };
        let Some(flow) = flow.filter(|flow| flow.is_alive(cx.now)) else {
            cx.drop(packet, DropReason::NoRoute);
            return None;
        };
        let nodes = flow.route.clone();
        let header = Header::along(self.new_packet_id(), nodes.clone());
        self.set_header(&mut packet, Some(header));
        Some((packet, nodes))
    }

    /// Sends `packet` on another route. Without one it is lost; in ns-2 it waits for one, as own
    /// packets do. `failed` is the link that broke.
    pub(super) fn salvage(
        &mut self,
        cx: &mut Context,
        mut packet: Packet,
        failed: Option<(NodeId, NodeId)>,
    ) {
        let is_standard = self.profile == Profile::Standard;
        if is_standard && packet.dsr.as_ref().is_some_and(|header| header.reply.is_some()) {
            // A reply has to test the way that its request came (sections 8.2.4 and 8.3.6).
            cx.drop(packet, DropReason::LinkFailure);
            return;
        }
        if packet.source == self.node {
            self.strip(&mut packet);
            self.send_or_hold(cx, packet);
            return;
        }
        let header = packet.dsr.as_deref();
        let route = header.and_then(|header| header.route.as_ref());
        let salvages = route.map_or(0, |route| route.salvages);
        let is_bad_reply = failed.is_some_and(|(from, to)| {
            let reply = header.and_then(|header| header.reply.as_ref());
            reply.is_some_and(|path| path.windows(2).any(|link| link == [from, to]))
        });
        if is_bad_reply || !self.config.salvaging || salvages >= self.config.max_salvages {
            cx.drop(packet, DropReason::LinkFailure);
            return;
        }
        self.strip(&mut packet);
        match self.routes.find(packet.destination, false) {
            Some(found) => {
                let mut header = packet.dsr.as_deref().cloned().unwrap_or_default();
                if header.id == 0 {
                    header.id = self.new_packet_id();
                }
                header.route = Some(SourceRoute { nodes: found.path(), salvages: salvages + 1 });
                self.set_header(&mut packet, Some(header));
                self.send(cx, packet, found.nodes()[1], Duration::ZERO);
            }
            None if is_standard => cx.drop(packet, DropReason::NoRoute),
            None => self.hold(cx, packet, salvages + 1),
        }
    }

    /// Sends each node that chose a route of `lost` a route error: the link from here to `to` is
    /// broken.
    fn report_broken_link(&mut self, cx: &mut Context, to: NodeId, lost: Vec<Lost>) {
        for Lost { route, destination, mut earlier } in lost {
            let here = route.iter().position(|node| *node == self.node).unwrap_or(0);
            if self.profile == Profile::Standard {
                // Those left out are the last (section 8.3.4); ns-2 then sends no error.
                earlier.truncate(MAX_ERRORS - 1);
            }
            if here == 0 || earlier.len() >= MAX_ERRORS {
                continue;
            }
            let back: Path = route[..=here].iter().rev().copied().collect();
            let addressee = route[0];
            let kind = RouteErrorKind::NodeUnreachable {
                from: self.node,
                to,
                packet_destination: Some(destination),
            };
            let mut errors = vec![RouteError { addressee, kind }];
            errors.extend(earlier);
            let header = Header { errors, ..Header::along(self.new_packet_id(), back.clone()) };
            let packet = self.message(cx, addressee, header);
            self.send(cx, packet, back[1], Duration::ZERO);
        }
    }

    /// Processes route errors, received or overheard.
    pub(super) fn handle_errors(&mut self, cx: &mut Context, errors: &[RouteError]) {
        for error in errors {
            let is_for_me = error.addressee == self.node;
            match error.kind {
                RouteErrorKind::NodeUnreachable { from, to, packet_destination } => {
                    self.forget_link(cx, from, to);
                    if is_for_me {
                        let kind =
                            RouteErrorKind::NodeUnreachable { from, to, packet_destination: None };
                        self.held_error = Some((kind, cx.now));
                        if let Some(destination) = packet_destination
                            && self.policy.tells_transport(destination, None)
                        {
                            cx.report_broken_route(destination);
                        }
                    }
                }
                RouteErrorKind::UnknownFlow { destination, id, .. } if is_for_me => {
                    self.flows.forget_established(self.node, destination, Some(id));
                }
                RouteErrorKind::DefaultFlowUnknown { destination, .. } if is_for_me => {
                    self.flows.forget_established(self.node, destination, None);
                }
                RouteErrorKind::UnknownFlow { .. } | RouteErrorKind::DefaultFlowUnknown { .. } => {}
            }
        }
    }

    /// The link from `from` to `to` is broken: removes it from routes and ends own flows over it.
    fn forget_link(&mut self, cx: &mut Context, from: NodeId, to: NodeId) {
        self.routes.remove_link(from, to);
        self.flows.end_over_link(self.node, from, to, cx.now);
        let orders = self.policy.on_broken_link(cx.now, from, to);
        self.obey(cx, orders);
    }
}
