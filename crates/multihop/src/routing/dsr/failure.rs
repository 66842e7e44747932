//! Route maintenance (RFC 4728 sections 3.2, 3.4 and 8.3): broken links, salvaging, route errors.

use super::{Dsr, Policy};
use crate::kernel::Duration;
use crate::routing::{Context, DropReason};
use crate::wire::dsr::{Header, Path, RouteError, RouteErrorKind, SourceRoute};
use crate::wire::{NodeId, Packet};

/// Maximum number of route errors in one packet.
const MAX_ERRORS: usize = 3;

impl<P: Policy> Dsr<P> {
    /// The link could not deliver `packet` to `next_hop`.
    pub(super) fn on_undelivered(&mut self, cx: &mut Context, packet: Packet, next_hop: NodeId) {
        let Some((packet, route)) = self.with_route(cx, packet) else { return };
        // Before the link is removed, and with it the flows over it.
        let mut queued = Vec::new();
        for packet in cx.queue.take(next_hop) {
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
        let earlier = packet.dsr.as_ref().map(|header| header.errors.clone()).unwrap_or_default();
        self.salvage(cx, packet, Some(failed));
        for (packet, _) in queued {
            self.salvage(cx, packet, Some(failed));
        }
        self.report_broken_link(cx, &route, next_hop, destination, earlier);
    }

    /// `packet` with its source route; a packet of a flow gets it from the flow state. None if this node no
    /// longer knows the flow.
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

    /// Sends `packet` on another route, or buffers it until there is one. `failed` is the link that broke.
    pub(super) fn salvage(
        &mut self,
        cx: &mut Context,
        mut packet: Packet,
        failed: Option<(NodeId, NodeId)>,
    ) {
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
        if is_bad_reply || !self.parameters.salvaging || salvages >= self.parameters.max_salvages {
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
                cx.send(packet, found.nodes()[1], Duration::ZERO);
            }
            None => self.hold(cx, packet, salvages + 1),
        }
    }

    /// Sends a route error to the node that chose `route`: the link from here to `to` is broken.
    fn report_broken_link(
        &mut self,
        cx: &mut Context,
        route: &Path,
        to: NodeId,
        destination: NodeId,
        earlier: Vec<RouteError>,
    ) {
        let here = route.iter().position(|node| *node == self.node).unwrap_or(0);
        if here == 0 || earlier.len() >= MAX_ERRORS {
            return;
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
        cx.send(packet, back[1], Duration::ZERO);
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
