//! One node's probes, and the metric of its links worked out from them.

use super::config::{EtxConfig, Metric};
use super::links::Links;
use crate::kernel::{Duration, Instant};
use crate::mac::Airtime;
use crate::routing::aodv::{Measure, UNUSABLE};
use crate::routing::{Context, Timer};
use crate::wire::{Extension, IP_HEADER_BYTES, NodeId, Octets};

/// What a probe has for each neighbour: its address and a count \[bytes\].
const LISTED_NEIGHBOUR_BYTES: u32 = 8;
/// A thousandth of 802.11s's unit, 0.01 TU of 1024 µs \[ns\].
const THOUSANDTH_NS: f64 = 10.24;

/// Timer: the next probe.
const PROBE: &str = "probe";

/// A probe: how many of each neighbour's probes its sender has received within the window.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Probe {
    pub(super) received: Vec<(NodeId, u32)>,
}

impl Octets for Probe {
    const KIND: u8 = 132;

    fn write(&self, out: &mut Vec<u8>) {
        for (neighbour, count) in &self.received {
            out.extend(neighbour.address());
            out.extend(count.to_be_bytes());
        }
    }
}

/// What a node sends to measure its links, and what it knows of them.
#[derive(Debug)]
pub struct Probing {
    metric: Metric,
    /// How long an attempt at a test frame takes if the rate is fixed, by kind of station.
    test_attempts: Vec<Duration>,
    interval: Duration,
    /// Half the range of the random departure from it.
    spread: Duration,
    least_bytes: u32,
    window: Duration,
    pub(super) links: Links,
    pub(super) probes_sent: u64,
    pub(super) probe_bytes_sent: u64,
}

impl Probing {
    /// Probing with these keys. At a fixed rate an attempt at a test frame takes `test_attempts`, by
    /// kind of station.
    pub fn new(config: &EtxConfig, test_attempts: &[Duration]) -> Probing {
        let window = Duration::from_secs_f64(config.window_s);
        Probing {
            metric: config.metric,
            test_attempts: test_attempts.to_vec(),
            interval: Duration::from_secs_f64(config.probe_interval_s),
            spread: Duration::from_secs_f64(config.probe_interval_s * config.probe_jitter),
            least_bytes: config.probe_bytes,
            window,
            links: Links::new(window, config.probes_in_window()),
            probes_sent: 0,
            probe_bytes_sent: 0,
        }
    }

    /// Sets the time for the first probe.
    pub fn start(&self, cx: &mut Context) {
        let first = cx.rng.duration_below(self.interval);
        cx.set_timer(Timer::of(PROBE), cx.now + first);
    }

    /// Counts `message` of neighbour `from`, if it is a probe.
    pub fn hear(&mut self, cx: &Context, from: NodeId, message: &Extension) {
        if let Some(Probe { received }) = message.get() {
            let of_ours = received.iter().find(|(neighbour, _)| *neighbour == cx.address());
            self.links.hear(cx.now, from, of_ours.map_or(0, |(_, count)| *count));
        }
    }

    /// If the timer is that of probes: broadcasts one by each station, which lists whom that hears,
    /// and sets the time for the next.
    pub fn probe(&mut self, cx: &mut Context, timer: Timer) {
        if timer.kind != PROBE {
            return;
        }
        let all = self.links.received(cx.now);
        for station in cx.stations.all_of(cx.node) {
            let is_own = |one: &&(NodeId, u32)| cx.stations.peer(one.0, cx.node) == Some(station);
            let received: Vec<_> = all.iter().filter(is_own).copied().collect();
            let list_bytes = LISTED_NEIGHBOUR_BYTES * received.len() as u32;
            let bytes = self.least_bytes.max(IP_HEADER_BYTES + list_bytes);
            cx.broadcast_by(cx.stations.kind(station), Extension::new(Probe { received }), bytes);
            self.probes_sent += 1;
            self.probe_bytes_sent += u64::from(bytes);
        }
        let jitter = cx.rng.duration_below(self.spread * 2);
        let spacing = self.interval.saturating_sub(self.spread) + jitter;
        cx.set_timer(Timer::of(PROBE), cx.now + spacing);
    }

    /// The metric of the link to `neighbour`, in thousandths; none if either direction delivered no
    /// probe within the window, nor data.
    pub fn link(&self, cx: &Context, neighbour: NodeId) -> Option<u32> {
        match self.metric {
            Metric::Etx => self.links.etx(cx.now, neighbour),
            Metric::Airtime => self.airtime(cx, neighbour),
        }
    }

    /// The airtime of the link: the MAC's measurement if it has one of the last window, else an
    /// attempt's time by the transmissions that probes expect.
    fn airtime(&self, cx: &Context, neighbour: NodeId) -> Option<u32> {
        let since = Instant::ZERO + cx.now.saturating_since(Instant::ZERO + self.window);
        let attempt = match cx.rates.map(|rates| rates.airtime(neighbour, since)) {
            Some(Airtime::Delivered(time)) => return Some(thousandths(time, 1.0)),
            Some(Airtime::Attempt(time)) => time,
            None => self.test_attempts[usize::from(cx.interface.0)],
        };
        let etx = self.links.etx(cx.now, neighbour)?;
        Some(thousandths(attempt, f64::from(etx) / 1e3))
    }
}

impl Measure for Probing {
    fn on_start(&mut self, cx: &mut Context) {
        self.start(cx);
    }

    fn on_message(&mut self, cx: &mut Context, from: NodeId, message: &Extension) {
        self.hear(cx, from, message);
    }

    fn on_timer(&mut self, cx: &mut Context, timer: Timer) {
        self.probe(cx, timer);
    }

    fn over(&mut self, cx: &mut Context, from: NodeId, metric: u32) -> u32 {
        self.link(cx, from).map_or(UNUSABLE, |link| metric.saturating_add(link))
    }
}

/// `times` times `time` in thousandths of 802.11s's unit.
fn thousandths(time: Duration, times: f64) -> u32 {
    // A cast keeps within bounds.
    (time.as_nanos() as f64 * times / THOUSANDTH_NS).round() as u32
}
