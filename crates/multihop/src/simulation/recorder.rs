//! What a run records on request beyond its counters.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;

use super::result::recorded::{FrameReport, LinkReport, RouteReport};
use crate::capture::Watch;
use crate::kernel::{Duration, Instant};
use crate::measure::{Progress, Series};
use crate::radio::StationLayout;
use crate::scenario::Error;
use crate::wire::udp::NO_FLOW;
use crate::wire::{Body, FlowId, Frame, NodeId, Packet};

/// What to record: the `[record]` table of a study, and arguments of Python's `run`.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Recording {
    /// Interval at which the state of each flow and of `queues` is sampled \[s\]; in `series`.
    pub series_interval_s: Option<f64>,
    /// Nodes whose interface queues are sampled, if series are.
    pub queues: Vec<u32>,
    /// What each interface queue held by class of packet, in `queues`; with series, the queue of
    /// the fullest relay is sampled too.
    pub queue_classes: bool,
    /// Data packets of each flow over each link, in `links`.
    pub links: bool,
    /// Length of the intervals in each of which such packets are counted \[s\]; in `routes`, and
    /// the nodes' trajectories in `movement`.
    pub routes_interval_s: Option<f64>,
    /// Every path that discoveries found, where they find several, and every choice of paths, in
    /// `schemes`; memory grows with the run.
    pub paths: bool,
    /// Every transmission, in `frames`; memory grows with the run.
    pub frames: bool,
    /// Events, in a record of their own.
    #[serde(skip)]
    pub events: Option<Watch>,
}

impl Recording {
    /// Its JSON Schema.
    pub fn schema() -> serde_json::Value {
        schemars::schema_for!(Recording).to_value()
    }
}

/// Packets by interval, flow and link.
#[derive(Clone, Debug)]
struct Routes {
    interval: Duration,
    packets: BTreeMap<(u64, u32, NodeId, NodeId), u64>,
}

/// Records what was asked for.
#[derive(Debug)]
pub struct Recorder {
    interval: Option<Duration>,
    queues: Vec<u32>,
    /// Of all queues sampled, the result has those of these nodes and of the fullest relay.
    wanted: Option<Vec<u32>>,
    links: Option<BTreeMap<(u32, NodeId, NodeId), u64>>,
    routes: Option<Routes>,
    frames: Option<Vec<FrameReport>>,
    /// The nodes' stations, which frames go between.
    stations: StationLayout,
    series: Series,
    sampled: Vec<Sampled>,
}

/// What is kept of a flow's samples.
#[derive(Clone, Copy, Debug, Default)]
struct Sampled {
    /// Its payload up to the last one \[bytes\].
    bytes: u64,
    /// Samples of its congestion window while it lasted, and their sum.
    cwnds: u32,
    cwnd_sum: f64,
}

impl Recorder {
    /// A recorder that has recorded nothing.
    ///
    /// # Errors
    /// If an interval is not positive or a node to record is not among `nodes`.
    pub fn new(recording: &Recording, stations: &StationLayout) -> Result<Recorder, Error> {
        let nodes = stations.nodes();
        let interval = interval_of("series", recording.series_interval_s)?;
        let routes_interval = interval_of("routes", recording.routes_interval_s)?;
        if let Some(node) = recording.queues.iter().find(|&&node| node as usize >= nodes) {
            let fault = format!("must be a node, 0 to {} (got {node})", nodes - 1);
            return Err(Error::new("queue", fault));
        }
        Ok(Recorder {
            interval,
            queues: match recording.queue_classes {
                true => (0..nodes as u32).collect(),
                false => recording.queues.clone(),
            },
            wanted: recording.queue_classes.then(|| recording.queues.clone()),
            links: recording.links.then(BTreeMap::new),
            routes: routes_interval.map(|interval| Routes { interval, packets: BTreeMap::new() }),
            frames: recording.frames.then(Vec::new),
            stations: stations.clone(),
            series: Series::default(),
            sampled: Vec::new(),
        })
    }

    /// How often to sample.
    pub fn interval(&self) -> Option<Duration> {
        self.interval
    }

    /// Whether [`Recorder::on_link`] matters.
    #[inline]
    pub fn minds_links(&self) -> bool {
        self.links.is_some() || self.routes.is_some()
    }

    /// The MAC of `to` has accepted `packet` from `from` at `now`.
    pub fn on_link(&mut self, now: Instant, from: NodeId, to: NodeId, packet: &Packet) {
        let flow = match &packet.body {
            Body::Tcp(segment) if !segment.is_ack() => segment.flow,
            Body::Udp(datagram) if !datagram.is_answer() && datagram.flow != NO_FLOW => {
                datagram.flow
            }
            _ => return,
        };
        if let Some(links) = &mut self.links {
            *links.entry((flow.0, from, to)).or_default() += 1;
        }
        if let Some(Routes { interval, packets }) = &mut self.routes {
            let number = now.as_nanos() / interval.as_nanos();
            *packets.entry((number, flow.0, from, to)).or_default() += 1;
        }
    }

    /// `frame` is sent at `now` for `airtime`.
    pub fn on_frame(&mut self, now: Instant, frame: &Frame, airtime: Duration) {
        let Some(frames) = &mut self.frames else { return };
        let has_kinds = self.stations.have_kinds();
        frames.push(FrameReport {
            time_ns: now.as_nanos(),
            airtime_ns: airtime.as_nanos(),
            transmitter: self.stations.node(frame.transmitter).0,
            receiver: (!frame.receiver.is_broadcast())
                .then(|| self.stations.node(frame.receiver).0),
            interface: has_kinds.then(|| self.stations.kind(frame.transmitter).0),
            kind: frame.kind,
            duration_us: frame.duration_us,
            notice: frame.notice,
            packet: frame.packets().next().map(Packet::kind),
            mpdus: frame.aggregate().map(|aggregate| aggregate.mpdus.len() as u32),
        });
    }

    /// Every transmission that was recorded.
    pub fn frames(&self) -> Vec<FrameReport> {
        self.frames.clone().unwrap_or_default()
    }

    /// Each flow's packets over each link by interval, in the order of time.
    pub fn routes(&self) -> Vec<RouteReport> {
        let Some(Routes { interval, packets }) = &self.routes else { return Vec::new() };
        let rows = packets.iter().map(|(&(number, flow, from, to), &packets)| RouteReport {
            time_s: Instant::from_nanos(number * interval.as_nanos()).as_secs_f64(),
            flow,
            from: from.0,
            to: to.0,
            packets,
        });
        rows.collect()
    }

    /// Mean congestion window of a flow \[segments\], by the samples.
    pub fn mean_cwnd(&self, flow: FlowId) -> Option<f64> {
        let Sampled { cwnds, cwnd_sum, .. } = self.sampled.get(flow.index())?;
        (*cwnds > 0).then(|| cwnd_sum / f64::from(*cwnds))
    }

    /// The sample of `flow` at `now`; the window's counts while the flow `lasts`.
    pub fn sample_flow(&mut self, now: Instant, flow: FlowId, progress: Progress, lasts: bool) {
        let Some(interval) = self.interval else { return };
        if self.sampled.len() <= flow.index() {
            self.sampled.resize(flow.index() + 1, Sampled::default());
        }
        let Progress { packets: sequence, bytes, cwnd } = progress;
        let before = &mut self.sampled[flow.index()];
        if lasts {
            before.cwnds += 1;
            before.cwnd_sum += cwnd;
        }
        let series = &mut self.series.flows;
        series.time_s.push(now.as_secs_f64());
        series.flow.push(flow.0);
        series.sequence.push(sequence);
        series.cwnd.push(cwnd);
        series.goodput_bps.push((bytes - before.bytes) as f64 * 8.0 / interval.as_secs_f64());
        before.bytes = bytes;
    }

    /// The samples of the queues at `now`: of a node, packets of routing, acknowledgments and data
    /// that wait.
    pub fn sample_queues(&mut self, now: Instant, waiting: impl Fn(NodeId) -> [u32; 3]) {
        for &node in &self.queues {
            let series = &mut self.series.queues;
            let [routing, acks, data] = waiting(NodeId(node));
            series.time_s.push(now.as_secs_f64());
            series.node.push(node);
            series.packets.push(routing + acks + data);
            series.routing.push(routing);
            series.acks.push(acks);
            series.data.push(data);
        }
    }

    /// The links and series that were recorded; of queues, if all were sampled, the fullest
    /// relay's.
    pub fn finish(&self, fullest_relay: Option<u32>) -> (Vec<LinkReport>, Option<Series>) {
        let links = self.links.iter().flatten().map(|(&(flow, from, to), &packets)| LinkReport {
            flow,
            from: from.0,
            to: to.0,
            packets,
        });
        let series = self.interval.map(|_| {
            let mut series = self.series.clone();
            if let Some(wanted) = &self.wanted {
                series.queues.retain(|node| wanted.contains(&node) || Some(node) == fullest_relay);
            }
            series
        });
        (links.collect(), series)
    }
}

/// The interval of what is recorded as `name`, if any.
fn interval_of(name: &str, length_s: Option<f64>) -> Result<Option<Duration>, Error> {
    match length_s {
        Some(length_s) if !(1e-6..=1e7).contains(&length_s) => {
            let fault = format!("must be 0.000001 to 10000000 seconds (got {length_s})");
            Err(Error::new(name, fault))
        }
        _ => Ok(length_s.map(Duration::from_secs_f64)),
    }
}

/// The time average of the number of packets waiting in all queues.
#[derive(Debug, Default)]
pub struct QueueMeter {
    waiting: i64,
    since: Instant,
    packet_seconds: f64,
}

impl QueueMeter {
    /// One queue's length changes at `now`.
    pub fn change(&mut self, now: Instant, before: usize, after: usize) {
        if before != after {
            self.packet_seconds += self.waiting as f64 * (now - self.since).as_secs_f64();
            self.since = now;
            self.waiting += after as i64 - before as i64;
        }
    }

    /// Mean packets waiting per node, from the start to `end`.
    pub fn mean(&self, end: Instant, nodes: usize) -> f64 {
        let rest = self.waiting as f64 * end.saturating_since(self.since).as_secs_f64();
        (self.packet_seconds + rest) / end.as_secs_f64() / nodes as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::document::read_json;

    #[test]
    fn what_to_record_is_read_with_its_names_and_shapes_checked() {
        let recording: Recording = read_json(r#"{"links": true, "queues": [3]}"#).unwrap();
        assert_eq!(recording, Recording { links: true, queues: vec![3], ..Recording::default() });
        let fault = |text| read_json::<Recording>(text).unwrap_err().to_string();
        assert_eq!(fault(r#"{"lynks": true}"#), "lynks: unknown key; did you mean `links`?");
        let negative = "queues.0: must be a whole number, 0 or more (got -1)";
        assert_eq!(fault(r#"{"queues": [-1]}"#), negative);
    }

    #[test]
    fn the_queue_meter_averages_over_time_and_nodes() {
        let mut meter = QueueMeter::default();
        meter.change(Instant::from_nanos(1_000_000_000), 0, 4);
        meter.change(Instant::from_nanos(3_000_000_000), 4, 1);
        assert_eq!(meter.mean(Instant::from_nanos(4_000_000_000), 3), (8.0 + 1.0) / 4.0 / 3.0);
    }
}
