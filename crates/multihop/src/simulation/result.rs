//! What a run gives back: the JSON object of `multihop run --json`.

use serde::Serialize;
use serde_json::Value;

use super::paths::{PathReport, PathTotals};
use super::queues::NodeQueueReport;
use crate::link::PacingCounters;
use crate::measure::{DataCounters, MacCounters, QueueCounters, RoutingCounters, Series};
use crate::radio::Position;
use crate::routing::ccar::CentreReport;
use crate::routing::copas::CopasCounters;
use crate::wire::{FrameKind, Notice, PacketKind};

/// The result of one run.
#[derive(Clone, Debug, Serialize)]
pub struct RunResult {
    /// The scenario with every default filled in.
    pub scenario: Value,
    /// The seed of the run.
    pub seed: u64,
    /// The version of the engine.
    pub version: &'static str,
    /// What was noticed before the run and does not stop it.
    pub warnings: Vec<String>,
    /// About the simulation itself.
    pub engine: EngineReport,
    /// Where the nodes stood at the start.
    pub positions_m: Vec<[f64; 2]>,
    /// Each node's way as (time \[s\], x \[m\], y \[m\]), straight between one and the next, if nodes move and
    /// routes are recorded.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub movement: Vec<Vec<[f64; 3]>>,
    /// Each flow, in the scenario's order.
    pub flows: Vec<FlowReport>,
    /// All MACs together.
    pub mac: MacCounters,
    /// All routing protocols together.
    pub routing: RoutingCounters,
    /// What the centre of an idealised scheme chose, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub centre: Option<CentreReport>,
    /// All discoveries together, where they find several paths.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub multipath: Option<PathTotals>,
    /// All nodes' COPAS together.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub copas: Option<CopasCounters>,
    /// All interface queues together.
    pub queue: QueueCounters,
    /// The transports' packets on their way.
    pub data: DataReport,
    /// The busiest relay; none if every node is the end of a flow.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bottleneck: Option<BottleneckReport>,
    /// What hop-by-hop rate control did, with `link.pacing = "hop-by-hop"`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pacing: Option<PacingCounters>,
    /// What each interface queue held, if recorded.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub queues: Vec<NodeQueueReport>,
    /// The relay whose queue held most data in the mean, if queues were recorded; without relays, the node.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fullest_relay: Option<u32>,
    /// Data packets of each flow over each link, if recorded.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub links: Vec<LinkReport>,
    /// The same by interval of time, if recorded.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub routes: Vec<RouteReport>,
    /// Every path that discoveries found, if recorded.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub paths: Vec<PathReport>,
    /// Every transmission, if recorded.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub frames: Vec<FrameReport>,
    /// Time series, if recorded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub series: Option<Series>,
}

/// What became of the packets of all transports, acknowledgments apart.
#[derive(Clone, Debug, Serialize)]
pub struct DataReport {
    /// Counts.
    #[serde(flatten)]
    pub counters: DataCounters,
    /// Dropped to transmitted packets.
    pub dropping_ratio: f64,
}

/// The node that is no flow's end and sent for the longest time.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct BottleneckReport {
    /// The node.
    pub node: u32,
    /// Share of the time from the first flow's start in which it sent.
    pub sending_share: f64,
    /// Payload of data packets that its neighbours acknowledged, in that time: the effective throughput of
    /// its MAC \[bit/s\].
    pub effective_throughput_bps: f64,
}

/// How the simulation went.
#[derive(Clone, Debug, Serialize)]
pub struct EngineReport {
    /// Events run.
    pub events: u64,
    /// Frames sent.
    pub transmissions: u64,
    /// Wall time of building the network \[s\].
    pub build_s: f64,
    /// Wall time of the run \[s\].
    pub wall_s: f64,
    /// Digest of every transmission and delivery, as 16 hexadecimal digits: equal digests, equal runs.
    pub fingerprint: String,
}

/// What a flow achieved, at its stop (a CBR flow's packets are counted to the end of the run).
#[derive(Clone, Debug, Default, Serialize)]
pub struct FlowReport {
    /// Place in the scenario.
    pub id: u32,
    /// `ftp` or `cbr`.
    pub kind: &'static str,
    /// Source node.
    pub source: u32,
    /// Destination node.
    pub destination: u32,
    /// Start \[s\].
    pub start_s: f64,
    /// Stop \[s\].
    pub stop_s: f64,
    /// Hops of a shortest path between the initial positions; none if there is none.
    pub shortest_hops: Option<u32>,
    /// Hops of the shortest path at any whole second of the run; none if there is none then.
    pub least_hops: Option<u32>,
    /// In-order payload at the receiver per second of the flow's life \[bit/s\].
    pub goodput_bps: f64,
    /// In-order payload at the receiver \[bytes\].
    pub delivered_bytes: u64,
    /// In-order segments at the receiver, or packets received.
    pub delivered_segments: u64,
    /// Highest cumulative ACK at the sender.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub acked_segments: Option<u64>,
    /// Payload of a packet \[bytes\] (CBR).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub packet_bytes: Option<u32>,
    /// Payload sent \[bit/s\] (CBR).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rate_bps: Option<f64>,
    /// Packets received (CBR).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub received_packets: Option<u64>,
    /// Segments that arrived, each counted once, whatever their order; packets received.
    pub unique_segments: u64,
    /// Their payload per second of the flow's life \[bit/s\].
    pub unique_bps: f64,
    /// Acknowledgments that the receiver sent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub acks_sent: Option<u64>,
    /// Data segments sent, retransmissions included.
    pub sent_segments: u64,
    /// Segments sent again.
    pub retransmits: u64,
    /// Expiries of the retransmission timer.
    pub timeouts: u64,
    /// Losses noticed by duplicate acknowledgments.
    pub fast_retransmits: u64,
    /// Route errors that the sender heard, whatever it made of them.
    pub route_errors: u64,
    /// Those of them that came while it was frozen or in standby already.
    pub route_errors_suspended: u64,
    /// How often the sender froze (`link_failure = "elfn"`).
    pub freezes: u64,
    /// How often the sender went into standby (`link_failure = "standby"`).
    pub standbys: u64,
    /// Segments sent as probes of a broken route.
    pub probes: u64,
    /// Time frozen or in standby \[s\].
    pub suspended_s: f64,
    /// Data segments that arrived, duplicates included.
    pub arrived_segments: u64,
    /// Those of them that arrived before one with a lower number did (FTP).
    pub out_of_order_segments: u64,
    /// Route discoveries of either end for the other.
    pub discoveries: u64,
    /// What they found, where they find several paths.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub paths: Option<PathTotals>,
    /// Mean of the round-trip times that the TCP sender measured \[s\].
    pub mean_rtt_s: Option<f64>,
    /// Mean time from the sender's handing down a packet to its arrival \[s\].
    pub mean_delay_s: Option<f64>,
    /// Mean time of an arriving data packet from its source's interface queue to its destination's MAC \[s\].
    pub mean_mac_delay_s: Option<f64>,
    /// Mean links crossed by an arriving data packet.
    pub mean_hops: Option<f64>,
    /// Goodput sampled each second of the flow's life: standard deviation over mean.
    pub goodput_variation: Option<f64>,
    /// Share of those seconds in which nothing was delivered in order.
    pub silent_share: f64,
    /// The longest time in which nothing was \[s\].
    pub longest_silence_s: f64,
    /// Mean congestion window, of the samples if series are recorded \[segments\].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mean_cwnd_segments: Option<f64>,
}

/// Traffic of one flow over one link.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct LinkReport {
    /// The flow.
    pub flow: u32,
    /// Transmitting node.
    pub from: u32,
    /// Receiving node.
    pub to: u32,
    /// Data packets that the receiver's MAC accepted.
    pub packets: u64,
}

/// Traffic of one flow over one link in one interval of time.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct RouteReport {
    /// Start of the interval \[s\].
    pub time_s: f64,
    /// The flow.
    pub flow: u32,
    /// Transmitting node.
    pub from: u32,
    /// Receiving node.
    pub to: u32,
    /// Data packets that the receiver's MAC accepted.
    pub packets: u64,
}

/// One transmission.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct FrameReport {
    /// When its first bit leaves the transmitter \[ns\].
    pub time_ns: u64,
    /// How long it lasts \[ns\].
    pub airtime_ns: u64,
    /// Transmitting node.
    pub transmitter: u32,
    /// The node it is for; none for a broadcast.
    pub receiver: Option<u32>,
    /// RTS, CTS, DATA or ACK.
    pub kind: FrameKind,
    /// Duration field \[µs\].
    pub duration_us: u16,
    /// What an RTS or CTS says besides: `congested` makes it an RTSC or CTSC.
    pub notice: Notice,
    /// What a data frame carries.
    pub packet: Option<PacketKind>,
}

/// Positions as pairs.
pub fn pairs(positions: &[Position]) -> Vec<[f64; 2]> {
    positions.iter().map(|p| [p.x_m, p.y_m]).collect()
}
