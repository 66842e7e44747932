//! Multipath AODV: several paths from one discovery (Ye, Krishnamurthy and Tripathi, "Effects of
//! Multipath Routing on TCP Performance in Ad Hoc Networks", IEEE WoWMoM 2005, sections II and
//! III).
//!
//! It uses AODV's flood, send buffer and messages; the differences are here. `mod.rs` has the entry
//! points and forwards packets along the path of their ROUTE_ID; `requests.rs` is the RREQ table,
//! `discovery.rs` answers copies of requests and sends replies back over disjoint paths, `paths.rs`
//! has a node's paths and forwarding entries, `failure.rs` handles broken paths. Between TCP and
//! routing, `scheduler.rs` chooses the path of each packet by the round-trip times that
//! `stopwatch.rs` measures. Keys are in `config.rs`.
//!
//! What the paper leaves open:
//! - Paths do not expire: they end only with a route error, so that alternates are available when
//!   needed.
//! - If two replies of a discovery cross a link in opposite directions, the one with the higher
//!   number is dropped.
//! - An acknowledgment whose own reverse path is broken takes the shortest other path; without any,
//!   its sender starts a discovery. Reverse paths are usable once a packet has arrived over them.
//!   They carry data if this node's own paths are all broken.
//! - A node's own packets queued for a broken link move to another path, if there is one.

pub mod config;
mod discovery;
mod failure;
pub mod forwarding;
pub mod log;
pub mod path;
pub mod paths;
mod requests;
pub mod scheduler;
mod scheme;
mod stopwatch;

pub use config::{MultipathConfig, PathPolicy, PathsConfig};
pub use path::PathLoad;
pub use scheme::MultipathReport;

use rustc_hash::FxHashMap;

use super::aodv::{Aodv, REQUEST_CACHE_PURGE};
use super::{Context, DropReason, Protocol, Shared, Timer};
use crate::kernel::{Duration, Instant, seconds};
use crate::profile::Profile;
use crate::wire::aodv::Message;
use crate::wire::tcp::{Segment, SegmentKind};
use crate::wire::{Body, FlowId, NodeId, Packet, RouteId};
use forwarding::ForwardingTable;
use log::PathLog;
pub use log::{PathReport, PathTotals};
use paths::Peer;
use requests::RequestTable;
use stopwatch::Stopwatch;

/// One node's multipath AODV.
#[derive(Debug)]
pub struct MultipathAodv {
    node: NodeId,
    config: PathsConfig,
    /// Floods, buffers packets and repeats requests.
    aodv: Aodv,
    requests: RequestTable,
    forwarding: ForwardingTable,
    peers: FxHashMap<NodeId, Peer>,
    /// The path of the last segment received, for its acknowledgment.
    last_path: FxHashMap<FlowId, RouteId>,
    stopwatch: Stopwatch,
}

impl MultipathAodv {
    /// Multipath AODV on `node`.
    pub fn new(node: NodeId, config: &MultipathConfig, profile: Profile) -> MultipathAodv {
        MultipathAodv {
            node,
            aodv: Aodv::new(node, &config.aodv, profile),
            requests: RequestTable::new(seconds(config.paths.request_table_life_s)),
            forwarding: ForwardingTable::default(),
            peers: FxHashMap::default(),
            last_path: FxHashMap::default(),
            stopwatch: Stopwatch::default(),
            config: config.paths.clone(),
        }
    }
}

impl Protocol for MultipathAodv {
    fn on_start(&mut self, cx: &mut Context) {
        self.aodv.on_start(cx);
    }

    fn on_send(&mut self, cx: &mut Context, mut packet: Packet) {
        self.aodv.add_ip_header(&mut packet);
        packet.size_bytes += RouteId::BYTES;
        if let Some(packet) = self.send_on_path(cx, packet, Duration::ZERO) {
            self.aodv.wait_for_route(cx, packet);
        }
    }

    fn on_receive(&mut self, cx: &mut Context, mut packet: Packet, from: NodeId) {
        packet.ttl = packet.ttl.saturating_sub(1);
        match (&packet.body, packet.route_id) {
            (Body::Aodv(Message::Request(request)), _) => {
                self.on_request(cx, *request, packet.ttl, from);
            }
            (Body::Aodv(Message::Reply(reply)), Some(id)) => {
                self.on_reply(cx, *reply, id, packet.ttl, from);
            }
            (Body::Aodv(Message::Returned(reply)), Some(id)) => {
                self.on_returned(cx, *reply, id, packet.ttl, from);
            }
            (Body::Aodv(Message::Error(_)), Some(id)) => self.on_error(cx, packet, id),
            (Body::Aodv(_), _) => {}
            _ if packet.ttl == 0 => cx.drop(packet, DropReason::TimeToLive),
            (_, Some(id)) => self.forward(cx, packet, id, from),
            (_, None) => cx.drop(packet, DropReason::NoRoute),
        }
    }

    fn on_link_failure(&mut self, cx: &mut Context, packet: Packet, next_hop: NodeId) {
        self.end_paths_over(cx, packet, next_hop);
    }

    fn on_timer(&mut self, cx: &mut Context, timer: Timer) {
        self.aodv.on_timer(cx, timer);
        if timer.kind == REQUEST_CACHE_PURGE {
            self.requests.purge(cx.now);
        }
    }

    fn sweep_interval(&self) -> Option<Duration> {
        self.aodv.sweep_interval()
    }

    fn needs_sweep(&self) -> bool {
        self.aodv.needs_sweep()
    }

    fn on_sweep(&mut self, cx: &mut Context) {
        self.aodv.on_sweep(cx);
    }

    fn sees_deliveries(&self) -> bool {
        true
    }

    fn on_delivered(&mut self, cx: &mut Context, packet: &Packet) {
        let Some(id) = packet.route_id else { return };
        let hops = u8::try_from(packet.hops).unwrap_or(u8::MAX);
        self.on_reverse_path_used(cx, packet.source, id, hops);
        let Body::Tcp(Segment { flow, kind, .. }) = packet.body else { return };
        match kind {
            SegmentKind::Data { .. } => {
                self.last_path.insert(flow, id);
            }
            SegmentKind::Ack { number, .. } | SegmentKind::Sack { number, .. } => {
                let sample = self.stopwatch.on_ack(cx.now, flow, number, id);
                let path = self.peers.get_mut(&packet.source).and_then(|peer| peer.path_mut(id));
                if let (Some(sample), Some(path)) = (sample, path) {
                    path.add_rtt(sample, self.config.rtt_weight);
                }
            }
            SegmentKind::SelectiveAck { .. } => {}
        }
    }

    /// Ignores only copies of this node's own requests: all others are kept.
    fn will_ignore(&self, packet: &Packet, _: Instant) -> bool {
        matches!(&packet.body, Body::Aodv(Message::Request(request))
            if request.originator == self.node)
    }

    fn may_overhear(&self) -> bool {
        self.config.overhears_replies()
    }

    fn overhears(&self, packet: &Packet) -> bool {
        let is_reply = matches!(packet.body, Body::Aodv(Message::Reply(_)));
        self.config.overhears_replies() && is_reply && packet.route_id.is_some()
    }

    /// The neighbour that sends a reply is on a path.
    fn on_overheard(&mut self, cx: &mut Context, packet: &Packet, _: NodeId) {
        if let Some(id) = packet.route_id
            && let Some(heard) = self.requests.get_mut(cx.now, id.discovery())
        {
            heard.delete(packet.source);
        }
    }

    fn waiting_packets(&self) -> usize {
        self.aodv.waiting_packets()
    }

    fn record(nodes: &[MultipathAodv], now: Instant, shared: &mut Shared) {
        if let Some(log) = shared.get_mut::<PathLog>() {
            log.record(nodes, now);
        }
    }
}

impl MultipathAodv {
    /// The next hop for `destination` on path `id`, if that path leads through this node.
    pub fn next_hop(&self, destination: NodeId, id: RouteId) -> Option<NodeId> {
        self.forwarding.get(destination, id).map(|entry| entry.next_hop)
    }

    /// The usable paths from this node: destination, ROUTE_ID, and what they have carried.
    pub fn paths(&self) -> impl Iterator<Item = (NodeId, RouteId, PathLoad)> {
        self.peers.iter().flat_map(|(&destination, peer)| {
            peer.paths().map(move |path| (destination, path.id, path.load))
        })
    }

    /// Sends a packet of this node on its path. Returns the packet if there is none.
    fn send_on_path(
        &mut self,
        cx: &mut Context,
        mut packet: Packet,
        delay: Duration,
    ) -> Option<Packet> {
        let (id, next_hop) = match self.reverse_of_segment(&packet) {
            Some(hop) => hop,
            None => match self.choose(&packet) {
                Some(hop) => hop,
                None => return Some(packet),
            },
        };
        packet.route_id = Some(id);
        if let Body::Tcp(Segment {
            flow,
            kind: SegmentKind::Data { number, retransmission, .. },
            ..
        }) = packet.body
        {
            self.stopwatch.on_departure(cx.now, flow, number, retransmission, id);
        }
        if let Some(path) = self.peers.get_mut(&packet.destination).and_then(|p| p.path_mut(id)) {
            path.load.packets += 1;
        }
        cx.send(packet, next_hop, delay);
        None
    }

    /// For an acknowledgment: the reverse of its segment's path, if it still works.
    fn reverse_of_segment(&self, packet: &Packet) -> Option<(RouteId, NodeId)> {
        let Body::Tcp(Segment { flow, kind, .. }) = packet.body else { return None };
        if !matches!(kind, SegmentKind::Ack { .. } | SegmentKind::Sack { .. }) {
            return None;
        }
        let id = *self.last_path.get(&flow)?;
        let entry = self.forwarding.get(packet.destination, id)?;
        Some((id, entry.next_hop))
    }

    /// The path that the policy chooses for a packet of this node.
    fn choose(&mut self, packet: &Packet) -> Option<(RouteId, NodeId)> {
        let peer = self.peers.get_mut(&packet.destination)?;
        let is_ack = matches!(&packet.body, Body::Tcp(segment) if segment.is_ack());
        let path = match self.config.policy {
            PathPolicy::Edm | PathPolicy::Ndm if !is_ack => {
                peer.next_by_turn(&self.config.weights())
            }
            _ => peer.usable().first_mut(),
        };
        path.map(|path| (path.id, path.next_hop))
    }

    /// Forwards a packet of another node, received from neighbour `from`, along path `id`.
    fn forward(&mut self, cx: &mut Context, packet: Packet, id: RouteId, from: NodeId) {
        match self.forwarding.get(packet.destination, id) {
            Some(entry) => {
                let next_hop = entry.next_hop;
                cx.send(packet, next_hop, Duration::ZERO);
            }
            None => {
                self.send_error(cx, (packet.destination, id), packet.source, from);
                cx.drop(packet, DropReason::NoRoute);
            }
        }
    }

    /// Sends the packets that wait for `destination`, which now has a path.
    fn release(&mut self, cx: &mut Context, destination: NodeId) {
        let spacing = self.aodv.release_spacing();
        let mut delay = Duration::ZERO;
        while let Some(packet) = self.aodv.take_waiting(cx.now, destination) {
            if let Some(packet) = self.send_on_path(cx, packet, delay) {
                cx.drop(packet, DropReason::NoRoute);
            }
            delay += spacing;
        }
    }
}

#[cfg(test)]
mod tests;
