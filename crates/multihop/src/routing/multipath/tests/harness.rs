//! Multipath AODV on hand-driven networks.

use crate::profile::Profile;
use crate::routing::Protocol;
use crate::routing::Shared;
pub use crate::routing::harness::{Network, packet};
use crate::routing::multipath::log::{PathLog, PathNote, nodes_on_path};
use crate::routing::multipath::{MultipathAodv, MultipathConfig, PathPolicy, PathsConfig};
use crate::wire::aodv::{Message, Reply};
use crate::wire::tcp::{Segment, SegmentKind};
use crate::wire::{Body, FlowId, NodeId, Packet, RouteId};

pub type Multipath = Network<MultipathAodv>;

/// The default keys with this policy.
pub fn keys(policy: PathPolicy) -> PathsConfig {
    PathsConfig { policy, ..PathsConfig::default() }
}

impl Multipath {
    pub(crate) fn multipath(n: u32, links: &[(u32, u32)], paths: PathsConfig) -> Multipath {
        let aodv = paths.default_aodv();
        let config = MultipathConfig { paths, aodv };
        config.check().expect("good keys");
        let node = |i| MultipathAodv::new(NodeId(i), &config, Profile::Ns2);
        let mut network = Network::of((0..n).map(node).collect(), links);
        network.fails_control = true;
        network.shared = Shared::new(PathLog::new(true));
        network
    }

    /// The notes of `source` about its paths: destination, ROUTE_ID, note.
    fn notes(&self, source: u32) -> Vec<(NodeId, RouteId, PathNote)> {
        let log = self.shared.get::<PathLog>().expect("a log");
        let by_source = log.history.iter().filter(|(pair, ..)| pair.0 == NodeId(source));
        by_source.map(|&((_, destination), id, note)| (destination, id, note)).collect()
    }

    /// Paths that `source` has found: destination, ROUTE_ID, hops according to the reply.
    pub fn found(&self, source: u32) -> Vec<(NodeId, RouteId, u8)> {
        let found = |(destination, id, note)| match note {
            PathNote::Found { hops } => Some((destination, id, hops)),
            PathNote::Withdrawn | PathNote::Lost { .. } => None,
        };
        self.notes(source).into_iter().filter_map(found).collect()
    }

    /// The nodes on a path, in the order of packets from `source`.
    pub fn nodes_on(&self, source: u32, destination: NodeId, id: RouteId) -> Vec<u32> {
        nodes_on_path(&self.nodes, (NodeId(source), destination), id)
    }

    /// The node lists of all paths that `source` has found.
    pub fn paths_from(&self, source: u32) -> Vec<Vec<u32>> {
        let found = self.found(source).into_iter();
        found.map(|(destination, id, _)| self.nodes_on(source, destination, id)).collect()
    }

    /// Paths that `source` has lost.
    pub fn lost(&self, source: u32) -> Vec<RouteId> {
        let notes = self.notes(source).into_iter();
        notes
            .filter(|(.., note)| matches!(note, PathNote::Lost { .. }))
            .map(|note| note.1)
            .collect()
    }

    /// Requests that `node` sent or forwarded.
    pub fn requests_of(&self, node: u32) -> usize {
        let is_request = |packet: &Packet| matches!(packet.body, Body::Aodv(Message::Request(_)));
        self.sent().filter(|sent| sent.1 == node && is_request(sent.4)).count()
    }

    /// Replies that `node` sent or forwarded: next hop, path, and the reply.
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

    /// Every hop of TCP data or acknowledgments: transmitter, next hop, path.
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
        let ack = Segment::new(
            FlowId(0),
            SegmentKind::Ack { number, probe: false, sent: self.now, window: 0 },
        );
        let packet = packet(from, to, self.now, Body::Tcp(ack), ack.size_bytes());
        self.call(from, |node, cx| node.on_send(cx, packet));
    }

    /// Sends `count` segments numbered from `first`, one every 50 ms, each acknowledged when it
    /// arrives.
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
