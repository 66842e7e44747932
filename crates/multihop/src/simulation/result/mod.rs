//! What a run gives back: the JSON object of `multihop run --json`.

mod flow;
pub(super) mod recorded;
mod schema;

use std::collections::BTreeMap;

use rustc_hash::FxHashSet;
use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::Simulation;
use super::cells::ClientReport;
use super::energy::EnergyReport;
use super::wires::WireReport;
use crate::measure::{
    DataCounters, MacCounters, NodeQueueReport, PartCounts, QueueCounters, RoutingCounters, Series,
};
use crate::radio::Position;
use crate::wire::NodeId;

pub use flow::FlowReport;
pub use recorded::{FrameReport, LinkReport, RouteReport};
pub use schema::schema;

/// The result of one run.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct RunResult {
    /// The scenario with every default filled in.
    #[schemars(with = "serde_json::Map<String, Value>")]
    pub scenario: Value,
    /// The seed of the run.
    pub seed: u64,
    /// The version of the engine.
    pub version: &'static str,
    /// Warnings: found before the run, and no reason not to run.
    pub warnings: Vec<String>,
    /// About the simulation itself.
    pub engine: EngineReport,
    /// Where the nodes stood at the start, as (x, y) \[m\].
    pub positions_m: Vec<[f64; 2]>,
    /// Each node's number in the file of movement or positions, if nodes were taken in the order of
    /// other numbers than theirs.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub node_numbers: Vec<u64>,
    /// Each node's trajectory as points (time \[s\], x \[m\], y \[m\]) with straight lines between
    /// them, if nodes move and routes are recorded.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub movement: Vec<Vec<[f64; 3]>>,
    /// Each flow, in the scenario's order.
    pub flows: Vec<FlowReport>,
    /// All MACs together.
    pub mac: MacCounters,
    /// All routing protocols together.
    pub routing: RoutingCounters,
    /// What the schemes of the run did, by their names; only those that count something of their
    /// own.
    pub schemes: BTreeMap<String, Value>,
    /// All interface queues together.
    pub queue: QueueCounters,
    /// What became of the transports' packets.
    pub data: DataReport,
    /// The busiest relay, unless every node is the end of a flow.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bottleneck: Option<BottleneckReport>,
    /// What each node's radios have used, if `radio.energy` is given.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub energy: Vec<EnergyReport>,
    /// Each client of an access point, if there are any.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub clients: Vec<ClientReport>,
    /// What each port of a wire has sent, if there are any.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub wires: Vec<WireReport>,
    /// What each interface queue held, if recorded.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub queues: Vec<NodeQueueReport>,
    /// The relay whose queue held most data in the mean, if `queues` are recorded; without relays,
    /// the node.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fullest_relay: Option<u32>,
    /// Data packets of each flow over each link, if recorded.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub links: Vec<LinkReport>,
    /// The same by interval of time, if recorded.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub routes: Vec<RouteReport>,
    /// Every transmission, if recorded.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub frames: Vec<FrameReport>,
    /// Time series, if recorded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub series: Option<Series>,
}

/// What became of the packets of all transports, acknowledgments apart.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct DataReport {
    /// Counts.
    #[serde(flatten)]
    pub counters: DataCounters,
    /// Dropped packets to those that were transmitted or dropped before they could be.
    pub dropping_ratio: f64,
}

/// The relay that transmitted for the longest time.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct BottleneckReport {
    /// The node.
    pub node: u32,
    /// Share of the time from the first flow's start in which it transmitted.
    pub sending_share: f64,
    /// Payload of data packets that its neighbours acknowledged, in that time: the effective
    /// throughput of its MAC \[bit/s\].
    pub effective_throughput_bps: f64,
}

/// How the simulation went.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct EngineReport {
    /// Events run.
    pub events: u64,
    /// Frames sent.
    pub transmissions: u64,
    /// Wall time of building the network \[s\].
    pub build_s: f64,
    /// Wall time of the run \[s\].
    pub wall_s: f64,
    /// Digest of every transmission and delivery, as 16 hexadecimal digits: equal digests, equal
    /// runs.
    pub fingerprint: String,
    /// The crates that it is made of, with versions and digests of their sources, if one with
    /// schemes of its own is among them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub crates: Option<Vec<String>>,
}

/// Positions as pairs.
pub fn pairs(positions: &[Position]) -> Vec<[f64; 2]> {
    positions.iter().map(|p| [p.x_m, p.y_m]).collect()
}

impl RunResult {
    /// What the scheme called `name` adds to the result, if it took part and its report is a `T`.
    pub fn scheme<T: DeserializeOwned>(&self, name: &str) -> Option<T> {
        self.schemes.get(name).and_then(|report| serde_json::from_value(report.clone()).ok())
    }
}

impl Simulation {
    /// The result so far; at the end of the run, the result.
    pub fn result(&self) -> RunResult {
        let queues = self.queue_reports();
        let fullest_relay = fullest_relay(&queues);
        let monitor = &self.monitor;
        let (links, series) = monitor.recorder.finish(fullest_relay);
        let report = |flow| FlowReport::new(flow, &self.endpoints, self.end, &monitor.recorder);
        RunResult {
            scenario: self.origin.scenario.clone(),
            seed: self.origin.seed,
            version: env!("CARGO_PKG_VERSION"),
            warnings: self.origin.warnings.clone(),
            engine: EngineReport {
                events: monitor.events,
                transmissions: self.stations.medium.transmissions,
                build_s: monitor.build_s,
                wall_s: monitor.wall_s,
                fingerprint: monitor.fingerprint.hex(),
                crates: None,
            },
            positions_m: pairs(&self.origin.positions),
            node_numbers: self.origin.node_numbers.clone(),
            movement: self.origin.trails.clone(),
            flows: self.endpoints.flows.iter().map(report).collect(),
            mac: self.stations.mac_counters(),
            routing: monitor.routing.clone(),
            schemes: self.scheme_reports(),
            data: DataReport {
                dropping_ratio: monitor.data.dropping_ratio(),
                counters: monitor.data.clone(),
            },
            bottleneck: self.bottleneck(),
            energy: self.energy_reports(),
            clients: self.client_reports(),
            wires: self.wire_reports(),
            queue: self.queue_counters(),
            queues,
            fullest_relay,
            links,
            routes: monitor.recorder.routes(),
            frames: monitor.recorder.frames(),
            series,
        }
    }

    fn queue_counters(&self) -> QueueCounters {
        let codel = self.stations.iter().map(|station| station.queue.drops_and_marks());
        let (codel_drops, ecn_marks) = codel
            .fold((0, 0), |(drops, marks), (more_drops, more_marks)| {
                (drops + more_drops, marks + more_marks)
            });
        QueueCounters {
            drops: self.monitor.queue_drops,
            codel_drops,
            ecn_marks,
            mean_packets: self.monitor.queue_meter.mean(self.end, self.stations.layout.nodes()),
        }
    }

    /// What routing and admission have to add, and what the other parts of the stack
    /// have counted of their own. A name that is taken already is followed by the part's key.
    fn scheme_reports(&self) -> BTreeMap<String, Value> {
        let routing = self.routing.layer.report(self.end).map(|value| (self.routing.name, value));
        let back_pressure = self.service.back_pressure.as_ref().map(|back_pressure| {
            let mut admission = self.stations.admission.clone();
            admission.packets_left = self.packets_left();
            let value = serde_json::to_value(admission).expect("counters are plain data");
            (back_pressure.rules().name, value)
        });
        let reports = routing.into_iter().chain(back_pressure);
        let mut reports: BTreeMap<String, Value> =
            reports.map(|(name, value)| (name.to_owned(), value)).collect();
        for (key, name, counts) in self.part_counts().iter() {
            let is_taken = reports.contains_key(name);
            let name = if is_taken { format!("{name} ({key})") } else { name.to_owned() };
            reports.insert(name, serde_json::to_value(counts).expect("counts are plain data"));
        }
        reports
    }

    /// What hop pacing, rate controls, queues and the parts of senders have counted of their own.
    fn part_counts(&self) -> PartCounts {
        let mut parts = PartCounts::default();
        self.service.report(&mut parts);
        for station in self.stations.iter() {
            station.queue.report(&mut parts);
            station.mac.report(&mut parts);
            if let Some(rates) = station.mac.rates() {
                rates.report(&mut parts);
            }
        }
        for flow in &self.endpoints.flows {
            let (ends, way) = self.endpoints.ends_of(flow);
            ends.report_parts(way, &mut parts);
        }
        parts
    }

    /// The relay that has sent for the longest time.
    fn bottleneck(&self) -> Option<BottleneckReport> {
        let flows = &self.endpoints.flows;
        let ends: FxHashSet<NodeId> =
            flows.iter().flat_map(|flow| [flow.source, flow.destination]).collect();
        let (busiest, sending, delivered_bytes) =
            self.stations.busiest(|node| !ends.contains(&node))?;
        let start = flows.iter().map(|flow| flow.start).min()?;
        let time_s = self.end.saturating_since(start).as_secs_f64();
        (time_s > 0.0).then(|| BottleneckReport {
            node: busiest.0,
            sending_share: sending.as_secs_f64() / time_s,
            effective_throughput_bps: delivered_bytes as f64 * 8.0 / time_s,
        })
    }

    /// Every node's queue, if kept.
    fn queue_reports(&self) -> Vec<NodeQueueReport> {
        let sources = self.endpoints.flows.iter().map(|flow| flow.source).collect();
        let destinations = self.endpoints.flows.iter().map(|flow| flow.destination).collect();
        let meters = self.monitor.queue_meters.iter();
        meters.flat_map(|meters| meters.reports(self.end, [&sources, &destinations])).collect()
    }
}

/// The relay whose queue held most data; with no relay, the node.
fn fullest_relay(queues: &[NodeQueueReport]) -> Option<u32> {
    let fullest = queues
        .iter()
        .max_by(|a, b| a.is_relay.cmp(&b.is_relay).then(a.mean_data.total_cmp(&b.mean_data)));
    fullest.map(|report| report.node)
}
