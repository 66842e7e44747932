//! Greedy geographic forwarding (Karp, Kung, "GPSR: Greedy perimeter stateless routing for wireless
//! networks", MobiCom 2000, section 2.1): a node sends a packet to the neighbour that is nearest to
//! its destination, if that is nearer than itself. Neighbours know each other by beacons, which
//! have positions (2.4).
//!
//! As in the paper's simulations, sources know where destinations are without asking: a location
//! service is taken for granted, which costs no packets.
//!
//! Deviation: no perimeter mode (2.2). Where no neighbour is nearer, the packet is dropped, and
//! counted as `stuck`.

use std::collections::BTreeMap;
use std::sync::Arc;

use multihop::api::config::document::read;
use multihop::api::config::{ConfigError, Error, Named, Table, positive};
use multihop::api::kernel::{Duration, Instant};
use multihop::api::radio::Position;
use multihop::api::routing::{
    Context, DropReason, Layer, Nodes, Protocol, Scheme, Setting, Shared, Timer, World,
};
use multihop::api::schemes::Schemes;
use multihop::api::wire::{Body, Extension, IP_HEADER_BYTES, NodeId, Octets, Packet};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};

/// Every scheme of the package, and this one.
fn schemes() -> Schemes {
    Schemes::standard().with_routing::<GreedyConfig>()
}

#[cfg(not(test))]
multihop_python::engine!(schemes);

/// Timer: the next beacon is due.
const BEACON: Timer = Timer::of("greedy-beacon");
/// Links that a packet may cross.
const TIME_TO_LIVE: u8 = 64;
/// Size of a beacon: the IP header and two coordinates of 4 bytes.
const BEACON_BYTES: u32 = IP_HEADER_BYTES + 8;
/// A neighbour is forgotten when no beacon has come for so many intervals (section 2.4).
const SILENT_INTERVALS: f64 = 4.5;

/// The `[routing]` table.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct GreedyConfig {
    /// Time from one beacon to the next, on average (s).
    pub beacon_interval_s: f64,
}

impl Default for GreedyConfig {
    fn default() -> Self {
        GreedyConfig { beacon_interval_s: 1.0 }
    }
}

/// What it adds to a result, all nodes together.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct GreedyReport {
    /// Packets dropped because no neighbour was nearer to the destination.
    pub stuck: u64,
    /// Beacons sent.
    pub beacons: u64,
}

impl Scheme for GreedyConfig {
    const NAME: &'static str = "greedy";
    const ABOUT: &'static str = "To the neighbour nearest to the destination, as beacons tell.";
    const NAMED: &'static [Named] = &[Named::new(
        "greedy",
        "greedy geographic forwarding, TCP NewReno",
        &[("routing", "{scheme = \"greedy\"}"), ("transport.scheme", "\"newreno\"")],
    )];

    fn read(table: Table) -> Result<GreedyConfig, Error> {
        read("routing", table.into())
    }

    fn check(&self, _: &Setting) -> Result<(), ConfigError> {
        positive("beacon_interval_s", self.beacon_interval_s, 60.0)
    }

    fn build(&self, world: &World) -> Box<dyn Layer> {
        let positions: Arc<[Position]> = world.positions.into();
        let report = |nodes: &[Greedy], _: &Shared, _| GreedyReport {
            stuck: nodes.iter().map(|node| node.report.stuck).sum(),
            beacons: nodes.iter().map(|node| node.report.beacons).sum(),
        };
        Box::new(Nodes::new(world, |_| Greedy::new(self, positions.clone())).reporting(report))
    }

    fn report_schema(generator: &mut SchemaGenerator) -> Option<Schema> {
        Some(generator.subschema_for::<GreedyReport>())
    }
}

/// A node's beacon: where it is.
#[derive(Clone, Debug, PartialEq)]
struct Beacon(Position);

impl Octets for Beacon {
    const KIND: u8 = 201;

    fn write(&self, out: &mut Vec<u8>) {
        for metres in [self.0.x_m, self.0.y_m] {
            out.extend((metres as f32).to_be_bytes());
        }
    }
}

/// One node.
#[derive(Debug)]
pub struct Greedy {
    interval: Duration,
    silence: Duration,
    /// Where all nodes were at the start.
    positions: Arc<[Position]>,
    /// Neighbours with where they were and when they said so.
    neighbours: BTreeMap<NodeId, (Position, Instant)>,
    report: GreedyReport,
}

impl Protocol for Greedy {
    fn on_start(&mut self, cx: &mut Context) {
        let jitter = cx.rng.duration_below(self.interval);
        cx.set_timer(BEACON, cx.now + jitter);
    }

    fn on_timer(&mut self, cx: &mut Context, _: Timer) {
        self.report.beacons += 1;
        let here = self.position(cx, cx.node);
        cx.broadcast(Extension::new(Beacon(here)), BEACON_BYTES);
        // Half an interval to one and a half, so that neighbours do not keep in step (section 2.4).
        let spacing = self.interval / 2 + cx.rng.duration_below(self.interval);
        cx.set_timer(BEACON, cx.now + spacing);
    }

    fn on_send(&mut self, cx: &mut Context, mut packet: Packet) {
        if let Body::Udp(_) = packet.body {
            packet.size_bytes += IP_HEADER_BYTES; // TCP's segments have theirs
        }
        packet.ttl = TIME_TO_LIVE;
        self.forward(cx, packet);
    }

    fn on_receive(&mut self, cx: &mut Context, mut packet: Packet, from: NodeId) {
        if let Body::Routing(message) = &packet.body {
            if let Some(Beacon(position)) = message.get() {
                self.neighbours.insert(from, (*position, cx.now));
            }
            return;
        }
        packet.ttl -= 1;
        if packet.ttl == 0 {
            cx.drop(packet, DropReason::TimeToLive);
        } else {
            self.forward(cx, packet);
        }
    }

    /// The MAC tells that a neighbour has gone: the packet takes another way (section 2.4).
    fn on_link_failure(&mut self, cx: &mut Context, packet: Packet, next_hop: NodeId) {
        self.neighbours.remove(&next_hop);
        if !packet.is_transport() {
            cx.drop(packet, DropReason::LinkFailure);
            return;
        }
        if packet.source == cx.node {
            cx.report_broken_route(packet.destination);
        }
        self.forward(cx, packet);
    }
}

impl Greedy {
    /// A node with these keys in a network whose nodes start at `positions`.
    pub fn new(config: &GreedyConfig, positions: Arc<[Position]>) -> Greedy {
        let interval = Duration::from_secs_f64(config.beacon_interval_s);
        let silence = Duration::from_secs_f64(config.beacon_interval_s * SILENT_INTERVALS);
        let (neighbours, report) = (BTreeMap::new(), GreedyReport::default());
        Greedy { interval, silence, positions, neighbours, report }
    }

    /// Where `node` is: nodes know it of themselves, and by the location service of destinations.
    fn position(&self, cx: &mut Context, node: NodeId) -> Position {
        let moved = cx.oracle.hearers.positions_at(cx.now);
        moved.map_or(self.positions[node.index()], |now| now[node.index()])
    }

    fn forward(&mut self, cx: &mut Context, packet: Packet) {
        let target = self.position(cx, packet.destination);
        let own_m = self.position(cx, cx.node).distance_m(&target);
        self.neighbours.retain(|_, (_, heard)| *heard + self.silence >= cx.now);
        let distance_m = |(node, (place, _)): (&NodeId, &(Position, Instant))| {
            let is_there = *node == packet.destination;
            (if is_there { 0.0 } else { place.distance_m(&target) }, *node)
        };
        let nearest = self.neighbours.iter().map(distance_m).min_by(|a, b| a.0.total_cmp(&b.0));
        match nearest.filter(|(left_m, _)| *left_m < own_m) {
            Some((_, next_hop)) => cx.send(packet, next_hop, Duration::ZERO),
            None => {
                self.report.stuck += 1;
                cx.drop(packet, DropReason::NoRoute);
            }
        }
    }
}

#[cfg(test)]
mod tests;
