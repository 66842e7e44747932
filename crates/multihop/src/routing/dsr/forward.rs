//! Forwarding: along the source route (RFC 4728 section 8.1.3) or the flow (section 8.6.2).

use super::flows::EstablishedFlow;
use super::{Dsr, Policy};
use crate::kernel::{Duration, Instant, seconds};
use crate::profile::Profile;
use crate::routing::{Context, DropReason};
use crate::wire::dsr::{Header, RouteError, RouteErrorKind, SourceRoute};
use crate::wire::{NodeId, Packet};

impl<P: Policy + ?Sized> Dsr<P> {
    /// Forwards a packet that carries its route.
    pub(super) fn forward_along_route(
        &mut self,
        cx: &mut Context,
        mut packet: Packet,
        header: &Header,
        route: &SourceRoute,
    ) {
        let here = route.nodes.iter().position(|node| *node == self.node);
        let Some((here, &next_hop)) = here.and_then(|i| Some((i, route.nodes.get(i + 1)?))) else {
            cx.drop(packet, DropReason::NoRoute);
            return;
        };
        if self.vouches_for_route(header) {
            self.routes.notice(&route.nodes[here..]);
        } else {
            self.notice_reply(header);
        }
        self.notice_way_back(&route.nodes[..here]);
        if let Some(flow) = header.flow.filter(|flow| flow.establishes) {
            let flow = EstablishedFlow {
                id: flow.id,
                route: route.nodes.clone(),
                next_hop,
                ttl: packet.ttl,
                expires: cx.now + seconds(self.config.flow_life_s),
                established: 0,
                last_established: Instant::ZERO,
            };
            self.flows.put(packet.source, packet.destination, flow);
        }
        if packet.is_transport()
            && let Some(before) = here.checked_sub(1)
            && let Some(gathered) = self.policy.piggyback(cx, route.nodes[before])
        {
            let mut header = header.clone();
            header.gathered.push(gathered);
            self.set_header(&mut packet, Some(header));
        }
        packet.ttl = packet.ttl.saturating_sub(1);
        if packet.ttl == 0 {
            cx.drop(packet, DropReason::TimeToLive);
        } else {
            self.send(cx, packet, next_hop, Duration::ZERO);
        }
    }

    /// Forwards a packet without a route: along flow `id`, or, if it has no DSR header, along the
    /// default flow from its source to its destination, whose packets must have the same time to
    /// live.
    pub(super) fn forward_along_flow(
        &mut self,
        cx: &mut Context,
        mut packet: Packet,
        id: Option<u16>,
    ) {
        let (source, destination) = (packet.source, packet.destination);
        let flow = match id {
            Some(id) => self.flows.get(source, destination, id),
            None => self.flows.default_flow(source, destination).filter(|f| f.ttl == packet.ttl),
        };
        // In ns-2 relays do not look at a flow's age.
        let is_kept =
            |flow: &&mut EstablishedFlow| self.profile == Profile::Ns2 || flow.is_alive(cx.now);
        let Some(flow) = flow.filter(is_kept) else {
            self.report_unknown_flow(cx, source, destination, id);
            self.salvage(cx, packet, None);
            return;
        };
        flow.expires = cx.now + seconds(self.config.flow_life_s);
        let next_hop = flow.next_hop;
        packet.ttl = packet.ttl.saturating_sub(1);
        if packet.ttl == 0 {
            cx.drop(packet, DropReason::TimeToLive);
        } else {
            self.send(cx, packet, next_hop, Duration::ZERO);
        }
    }

    /// Sends `source` a route error: this node does not know its flow to `destination`.
    fn report_unknown_flow(
        &mut self,
        cx: &mut Context,
        source: NodeId,
        destination: NodeId,
        id: Option<u16>,
    ) {
        let reporter = self.node;
        let kind = match id {
            Some(id) => RouteErrorKind::UnknownFlow { reporter, destination, id },
            None => RouteErrorKind::DefaultFlowUnknown { reporter, destination },
        };
        let header = Header {
            id: self.new_packet_id(),
            errors: vec![RouteError { addressee: source, kind }],
            ..Header::default()
        };
        let packet = self.message(cx, source, header);
        self.send_or_hold(cx, packet);
    }
}
