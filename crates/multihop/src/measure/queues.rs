//! Occupancy of each interface queue by class, recorded on request.

use rustc_hash::FxHashSet;
use schemars::JsonSchema;
use serde::Serialize;

use crate::kernel::Instant;
use crate::radio::StationLayout;
use crate::wire::NodeId;

/// A queue filled to at least this share of its size counts as nearly full.
const NEARLY_FULL: f64 = 0.9;

/// Occupancy of one node's interface queue over the run. *Data* is everything except routing
/// packets and TCP acknowledgments, so it includes ARP: the normal class of ns-2's priority queue.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
pub struct NodeQueueReport {
    /// The node.
    pub node: u32,
    /// Whether it is neither source nor destination of a flow.
    pub is_relay: bool,
    /// Whether it is a flow's source.
    pub is_source: bool,
    /// Time average of the packets waiting.
    pub mean_packets: f64,
    /// Time average of the routing packets waiting.
    pub mean_routing: f64,
    /// Time average of the TCP acknowledgments waiting.
    pub mean_acks: f64,
    /// Time average of the data packets waiting.
    pub mean_data: f64,
    /// Maximum number of packets waiting.
    pub max_packets: u32,
    /// Maximum number of routing packets waiting.
    pub max_routing: u32,
    /// Maximum number of data packets waiting.
    pub max_data: u32,
    /// Share of the time in which at least one routing packet waited.
    pub routing_share: f64,
    /// Share of the time in which data packets filled at least nine tenths of the queue's size.
    pub nearly_full_share: f64,
    /// Growth rate of the data packets waiting (arrivals minus departures) while a routing packet
    /// waited \[packets/s\]; none if none ever waited.
    pub growth_with_routing_per_s: Option<f64>,
    /// Growth rate of the data packets waiting while no routing packet waited \[packets/s\].
    pub growth_without_routing_per_s: Option<f64>,
}

/// Every node's queue over time.
#[derive(Clone, Debug)]
pub struct QueueMeters {
    /// The nodes' stations, whose queues count together.
    stations: StationLayout,
    /// What each station's queue holds.
    waiting: Vec<[u32; 3]>,
    nodes: Vec<NodeMeter>,
    /// With this many data packets a queue is nearly full.
    nearly_full: u32,
}

#[derive(Clone, Debug, Default)]
struct NodeMeter {
    since: Instant,
    /// Routing packets, acknowledgments and data waiting.
    waiting: [u32; 3],
    packet_seconds: [f64; 3],
    most: [u32; 3],
    most_packets: u32,
    nearly_full_s: f64,
    /// Seconds without and with a routing packet waiting.
    seconds: [f64; 2],
    /// Change of the data waiting in these times.
    growth: [i64; 2],
}

impl QueueMeters {
    /// Empty queues of these stations, each for `size` packets of a class.
    pub fn new(stations: &StationLayout, size: usize) -> QueueMeters {
        let nearly_full = (size as f64 * NEARLY_FULL).ceil() as u32;
        QueueMeters {
            waiting: vec![[0; 3]; stations.count()],
            nodes: vec![NodeMeter::default(); stations.nodes()],
            stations: stations.clone(),
            nearly_full,
        }
    }

    /// The queue of `station` holds these routing packets, acknowledgments and data from `now` on.
    pub fn change(&mut self, now: Instant, station: NodeId, holds: [u32; 3]) {
        let nearly_full = self.nearly_full;
        let meter = &mut self.nodes[self.stations.node(station).index()];
        let before = std::mem::replace(&mut self.waiting[station.index()], holds);
        let mut waiting = meter.waiting;
        for ((sum, before), holds) in waiting.iter_mut().zip(before).zip(holds) {
            *sum = *sum - before + holds;
        }
        if waiting != meter.waiting {
            meter.pass(now, nearly_full);
            let has_routing = usize::from(meter.waiting[0] > 0);
            meter.growth[has_routing] += i64::from(waiting[2]) - i64::from(meter.waiting[2]);
            meter.waiting = waiting;
            for (most, waiting) in meter.most.iter_mut().zip(waiting) {
                *most = waiting.max(*most);
            }
            meter.most_packets = meter.most_packets.max(waiting.iter().sum());
        }
    }

    /// Each node's report at `end`, given the flows' sources and destinations.
    pub fn reports(&self, end: Instant, ends: [&FxHashSet<NodeId>; 2]) -> Vec<NodeQueueReport> {
        let [sources, destinations] = ends;
        let meters = (0u32..).map(NodeId).zip(&self.nodes);
        let report = |(node, meter): (NodeId, &NodeMeter)| {
            let is_source = sources.contains(&node);
            let is_relay = !is_source && !destinations.contains(&node);
            meter.clone().report(node, end, self.nearly_full, is_relay, is_source)
        };
        meters.map(report).collect()
    }
}

impl NodeMeter {
    /// Advances the time to `now`.
    fn pass(&mut self, now: Instant, nearly_full: u32) {
        let passed_s = now.saturating_since(self.since).as_secs_f64();
        self.since = now;
        for (sum, waiting) in self.packet_seconds.iter_mut().zip(self.waiting) {
            *sum += f64::from(waiting) * passed_s;
        }
        let [routing, _, data] = self.waiting;
        self.seconds[usize::from(routing > 0)] += passed_s;
        self.nearly_full_s += if data >= nearly_full { passed_s } else { 0.0 };
    }

    fn report(
        mut self,
        node: NodeId,
        end: Instant,
        nearly_full: u32,
        is_relay: bool,
        is_source: bool,
    ) -> NodeQueueReport {
        self.pass(end, nearly_full);
        let end_s = end.as_secs_f64();
        let [mean_routing, mean_acks, mean_data] = self.packet_seconds.map(|sum| sum / end_s);
        let growth = |which: usize| {
            (self.seconds[which] > 0.0).then(|| self.growth[which] as f64 / self.seconds[which])
        };
        NodeQueueReport {
            node: node.0,
            is_relay,
            is_source,
            mean_packets: mean_routing + mean_acks + mean_data,
            mean_routing,
            mean_acks,
            mean_data,
            max_packets: self.most_packets,
            max_routing: self.most[0],
            max_data: self.most[2],
            routing_share: self.seconds[1] / end_s,
            nearly_full_share: self.nearly_full_s / end_s,
            growth_with_routing_per_s: growth(1),
            growth_without_routing_per_s: growth(0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: u64) -> Instant {
        Instant::from_nanos(seconds * 1_000_000_000)
    }

    #[test]
    fn classes_are_averaged_and_growth_is_split_by_waiting_routing_packets() {
        let mut meters = QueueMeters::new(&StationLayout::alike(2), 10);
        let node = NodeId(1);
        for (second, waiting) in
            [(1, [0, 1, 4]), (2, [2, 1, 4]), (3, [2, 1, 9]), (6, [0, 0, 9]), (8, [0, 0, 3])]
        {
            meters.change(at(second), node, waiting);
        }
        let none = FxHashSet::default();
        let sources = FxHashSet::from_iter([node]);
        let reports = meters.reports(at(10), [&sources, &none]);
        assert!(reports[0].is_relay && !reports[1].is_relay && reports[1].is_source);
        assert_eq!(reports[0].mean_packets, 0.0);
        assert_eq!(reports[0].growth_with_routing_per_s, None);
        let report = reports[1];
        assert!((report.mean_routing - 0.8).abs() < 1e-12);
        assert!((report.mean_acks - 0.5).abs() < 1e-12);
        assert!((report.mean_data - (4.0 + 4.0 + 27.0 + 18.0 + 6.0) / 10.0).abs() < 1e-12);
        assert_eq!((report.max_packets, report.max_routing, report.max_data), (12, 2, 9));
        assert!((report.routing_share - 0.4).abs() < 1e-12);
        assert!((report.nearly_full_share - 0.5).abs() < 1e-12);
        assert_eq!(report.growth_with_routing_per_s, Some(5.0 / 4.0));
        assert_eq!(report.growth_without_routing_per_s, Some((4.0 - 6.0) / 6.0));
    }
}
