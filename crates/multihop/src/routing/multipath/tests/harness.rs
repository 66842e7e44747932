//! Multipath AODV on hand-driven networks.

use crate::profile::Profile;
pub use crate::routing::harness::{Network, Protocol, packet};
use crate::routing::multipath::{MultipathAodv, MultipathConfig, PathPolicy, PathsConfig};
use crate::routing::{Action, Context, Timer};
use crate::wire::aodv::{Message, Reply};
use crate::wire::tcp::{Segment, SegmentKind};
use crate::wire::{Body, FlowId, NodeId, Packet, RouteId};

impl Protocol for MultipathAodv {
    fn on_start(&mut self, cx: &mut Context) {
        self.on_start(cx);
    }

    fn on_send(&mut self, cx: &mut Context, packet: Packet) {
        self.on_send(cx, packet);
    }

    fn on_receive(&mut self, cx: &mut Context, packet: Packet, from: NodeId) {
        self.on_receive(cx, packet, from);
    }

    fn on_delivered(&mut self, cx: &mut Context, packet: &Packet) {
        self.on_delivered(cx, packet);
    }

    fn on_overheard(&mut self, cx: &mut Context, packet: &Packet, _receiver: NodeId) {
        if self.is_promiscuous() && packet.concerns_bystanders() {
            self.on_overheard(cx, packet);
        }
    }

    fn on_link_failure(&mut self, cx: &mut Context, packet: Packet, next_hop: NodeId) {
        self.on_link_failure(cx, packet, next_hop);
    }

    fn on_timer(&mut self, cx: &mut Context, timer: Timer) {
        self.on_timer(cx, timer);
    }

    fn gets_back(_packet: &Packet) -> bool {
        true
    }
}

pub type Multipath = Network<MultipathAodv>;

/// The usual keys with this policy.
pub fn keys(policy: PathPolicy) -> PathsConfig {
    PathsConfig { policy, ..PathsConfig::default() }
}

impl Multipath {
    pub fn multipath(n: u32, links: &[(u32, u32)], paths: PathsConfig) -> Multipath {
        let aodv = paths.usual_aodv();
        let config = MultipathConfig { paths, aodv };
        config.check().expect("good keys");
        let node = |i| MultipathAodv::new(NodeId(i), &config, Profile::Ns2);
        Network::of((0..n).map(node).collect(), links)
    }

    /// Paths that `source` has found: to where, which, and how long it was told that they are.
    pub fn found(&self, source: u32) -> Vec<(NodeId, RouteId, u8)> {
        let by_source = self.log.iter().filter(|entry| entry.1 == source);
        by_source
            .filter_map(|entry| match entry.2 {
                Action::PathFound { destination, route_id, hops } => {
                    Some((destination, route_id, hops))
                }
                _ => None,
            })
            .collect()
    }

    /// The nodes on a path, as packets from `source` would pass them.
    pub fn nodes_on(&self, source: u32, destination: NodeId, id: RouteId) -> Vec<u32> {
        let mut nodes = vec![source];
        while let Some(next) = self.nodes[nodes[nodes.len() - 1] as usize].next_hop(destination, id)
        {
            nodes.push(next.0);
            if next == destination || nodes.len() > self.nodes.len() {
                break;
            }
        }
        nodes
    }

    /// The node lists of all paths that `source` has found.
    pub fn paths_from(&self, source: u32) -> Vec<Vec<u32>> {
        let found = self.found(source).into_iter();
        found.map(|(destination, id, _)| self.nodes_on(source, destination, id)).collect()
    }

    /// Paths that `source` has lost.
    pub fn lost(&self, source: u32) -> Vec<RouteId> {
        let by_source = self.log.iter().filter(|entry| entry.1 == source);
        by_source
            .filter_map(|entry| match entry.2 {
                Action::PathLost { route_id, .. } => Some(route_id),
                _ => None,
            })
            .collect()
    }

    /// Requests that `node` sent or passed on.
    pub fn requests_of(&self, node: u32) -> usize {
        let is_request = |packet: &Packet| matches!(packet.body, Body::Aodv(Message::Request(_)));
        self.sent().filter(|sent| sent.1 == node && is_request(sent.4)).count()
    }

    /// Replies that `node` sent or passed on: next hop, path, and the reply.
    pub fn replies(&self, node: u32) -> Vec<(u32, RouteId, Reply)> {
        let by_node = self.sent().filter(|sent| sent.1 == node);
        by_node
            .filter_map(|(_, _, next_hop, _, packet)| match packet.body {
                Body::Aodv(Message::Reply(reply)) => {
                    Some((next_hop.0, packet.route_id.expect("a reply has one"), reply))
                }
                _ => None,
            })
            .collect()
    }

    /// Every hop of TCP segments, data or acknowledgments: transmitter, next hop, path.
    pub fn segments(&self, acks: bool) -> Vec<(u32, u32, RouteId)> {
        self.sent()
            .filter_map(|(_, node, next_hop, _, packet)| match packet.body {
                Body::Tcp(segment) if segment.is_ack() == acks => {
                    Some((node, next_hop.0, packet.route_id.expect("a segment has one")))
                }
                _ => None,
            })
            .collect()
    }

    /// The receiver acknowledges up to segment `number`.
    pub fn acknowledge(&mut self, from: u32, to: u32, number: u32) {
        let ack = Segment {
            flow: FlowId(0),
            kind: SegmentKind::Ack { number, probe: false, sent: self.now },
        };
        let packet = packet(from, to, self.now, Body::Tcp(ack), ack.size_bytes());
        self.call(from, |node, cx| node.on_send(cx, packet));
    }

    /// Sends segments numbered from `first`, one each 50 ms, each acknowledged when it arrives.
    pub fn converse(&mut self, source: u32, destination: u32, first: u32, count: u32) {
        for number in first..first + count {
            let before = self.delivered.len();
            self.send(self.now.as_secs_f64(), source, destination, number);
            for _ in 0..50 {
                self.run_to(self.now.as_secs_f64() + 0.001);
                if self.delivered.len() > before && self.arrived().last() == Some(&number) {
                    self.acknowledge(destination, source, number);
                    break;
                }
            }
            self.run_to(self.now.as_secs_f64() + 0.05);
        }
    }
}
