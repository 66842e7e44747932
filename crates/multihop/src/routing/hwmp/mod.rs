//! HWMP, the Hybrid Wireless Mesh Protocol of 802.11s (IEEE Std 802.11-2012 sections 13.9 and
//! 13.10): paths are found on demand by PREQs and PREPs, or kept by a root; PERRs announce broken
//! ones; links are rated by airtime.
//!
//! Deviation: a PREQ has one target; there are no proxies, gates, groups or external addresses.
//! Broadcasts are forwarded after a random time, and a PERR has at most as many destinations as fit
//! its length.

mod config;
pub mod frames;
mod peers;
mod perr;
mod prep;
mod preq;
mod root;
mod scheme;
pub mod table;

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

pub use config::{HwmpConfig, RootMode};
pub use scheme::HwmpReport;

use self::config::of_tu;
use self::frames::{MeshFrame, Reason, Unreachable};
use self::peers::Peers;
use self::perr::Errors;
use self::root::Root;
use self::table::Paths;
use super::metric::Metric;
use super::relaying::{give_up, originated, relayed};
use super::{Action, Context, DropReason, Protocol, Timer};
use crate::kernel::{Duration, Instant};
use crate::wire::aodv::SequenceNumber;
use crate::wire::{Body, Extension, NodeId, Packet};

/// Timer: the next beacon.
const BEACON: &str = "beacon";
/// Timer: the time for an answer to an Open is over.
const PEERING: &str = "peering";
/// Timer: a PREQ for a destination may leave, or the time for an answer is over.
const DISCOVERY: &str = "discovery";
/// Timer: the root makes itself known.
const ROOT: &str = "root";
/// Timer: PERRs may leave again.
const ERRORS: &str = "errors";

/// Metric of the path that an element told of as `metric`, with the link that it came over.
fn over(link: u32, metric: u32) -> u32 {
    // The highest number is that of a broken path.
    metric.saturating_add(link).min(u32::MAX - 1)
}

/// HWMP on one node.
#[derive(Debug)]
pub struct Hwmp {
    node: NodeId,
    config: Arc<HwmpConfig>,
    /// What a data frame has more than others \[bytes\].
    data_header_bytes: u32,
    /// This node's own sequence number.
    sequence: SequenceNumber,
    /// The number of its last PREQ, and when it was sent.
    last_preq: (u32, Option<Instant>),
    metric: Metric,
    peers: Peers,
    paths: Paths,
    /// Destinations that are sought.
    discoveries: BTreeMap<NodeId, Discovery>,
    /// When a path in use is sought anew.
    maintained: BTreeMap<NodeId, Instant>,
    root: Root,
    errors: Errors,
    waiting: VecDeque<Packet>,
    /// What the node did.
    pub counts: HwmpReport,
}

/// A search for a destination.
#[derive(Clone, Copy, Debug)]
struct Discovery {
    /// PREQs sent.
    tries: u32,
    /// When to look at it again.
    due: Instant,
}

impl Hwmp {
    /// HWMP on `node`, which adds `data_header_bytes` to data. At a fixed rate an attempt at a test
    /// frame takes `test_attempts`, by kind of station.
    pub fn new(
        node: NodeId,
        config: &Arc<HwmpConfig>,
        test_attempts: &[Duration],
        data_header_bytes: u32,
    ) -> Hwmp {
        Hwmp {
            node,
            config: Arc::clone(config),
            data_header_bytes,
            sequence: SequenceNumber::default(),
            last_preq: (0, None),
            metric: Metric::default(),
            peers: Peers::new(config, test_attempts),
            paths: Paths::default(),
            discoveries: BTreeMap::new(),
            maintained: BTreeMap::new(),
            root: Root::default(),
            errors: Errors::default(),
            waiting: VecDeque::new(),
            counts: HwmpReport::default(),
        }
    }

    /// The same with this metric.
    #[must_use]
    pub fn with_metric(self, metric: Metric) -> Hwmp {
        Hwmp { metric, ..self }
    }

    /// The node's paths.
    pub fn paths(&self) -> &Paths {
        &self.paths
    }

    /// The node's peers.
    pub fn peers(&self, now: Instant) -> impl Iterator<Item = NodeId> {
        self.peers.established(now)
    }

    /// What the node did and knows; of peers those that it has not forgotten yet.
    fn report(&self) -> HwmpReport {
        HwmpReport {
            path_changes: self.paths.changes,
            peers: self.peers.established(Instant::ZERO).count() as u64,
            ..self.counts.clone()
        }
    }

    fn path_life(&self) -> Duration {
        Duration::from_secs_f64(self.config.active_path_timeout_s)
    }

    fn jitter(&self, cx: &mut Context) -> Duration {
        cx.rng.duration_below(Duration::from_secs_f64(self.config.max_jitter_s))
    }

    /// Sends `frame` to a peer, or to all, after `delay`.
    fn send(&mut self, cx: &mut Context, frame: MeshFrame, to: NodeId, delay: Duration) {
        let size_bytes = frame.bytes();
        self.counts.control_bytes += u64::from(size_bytes);
        let body = Body::Routing(Extension::new(frame));
        let packet = Packet { size_bytes, ttl: 1, ..Packet::new(self.node, to, cx.now, body) };
        cx.send(packet, to, delay);
    }

    fn on_frame(&mut self, cx: &mut Context, frame: &MeshFrame, from: NodeId) {
        match frame {
            MeshFrame::Beacon { .. } => {
                let open = self.peers.on_beacon(cx.now, from);
                self.open(cx, from, open);
            }
            &MeshFrame::Open(link) => {
                let (confirm, open) = self.peers.on_open(cx.now, from, link);
                self.counts.peering_frames_sent += 1;
                self.open(cx, from, open);
                self.send(cx, confirm, from, Duration::ZERO);
            }
            &MeshFrame::Confirm(_, link) => self.peers.on_confirm(cx.now, from, link),
            // Elements of stations that are no peers do not count (section 13.10.8.2).
            _ if !self.peers.is_peer(cx.now, from) => {}
            MeshFrame::Perr(perr) => self.on_perr(cx, perr, from),
            // Nor those that come over a link which is not to be used.
            _ => {
                let Some(link) = self.peers.metric(cx, from, &self.metric) else { return };
                match frame {
                    MeshFrame::Preq(preq) => self.on_preq(cx, preq, from, link),
                    MeshFrame::Prep(prep) => self.on_prep(cx, prep, from, link),
                    MeshFrame::Rann(rann) => self.on_rann(cx, rann, from, link),
                    _ => {}
                }
            }
        }
    }

    /// Opens a peering with `with` by this number, if one is to be opened.
    fn open(&mut self, cx: &mut Context, with: NodeId, open: Option<u16>) {
        if let Some(link) = open {
            self.counts.peering_frames_sent += 1;
            self.send(cx, MeshFrame::Open(link), with, Duration::ZERO);
            let wait = Duration::from_secs_f64(self.config.peering_retry_timeout_s);
            cx.set_timer(Timer::about(PEERING, with), cx.now + wait);
        }
    }

    fn send_beacon(&mut self, cx: &mut Context) {
        for lost in self.peers.expire(cx.now) {
            self.lose(cx, lost);
        }
        let interval_tu = config::tu(self.config.beacon_interval_s) as u16;
        let peers = self.peers.established(cx.now).count().min(255) as u8;
        self.counts.beacons_sent += 1;
        let beacon = MeshFrame::Beacon { interval_tu, peers };
        self.send(cx, beacon, NodeId::BROADCAST, Duration::ZERO);
        let interval = Duration::from_secs_f64(self.config.beacon_interval_s);
        cx.set_timer(Timer::of(BEACON), cx.now + interval);
    }

    /// An element came from peer `from` over a link of this metric, which is a path to it.
    fn meet(&mut self, cx: &Context, from: NodeId, link: u32) {
        self.paths.meet(cx.now, from, link, cx.now + self.path_life());
    }

    /// Sends data on, or keeps it while a path is sought. Frames of others that there is no path
    /// for are dropped, and peer `from`, which sent them, is told.
    fn forward(&mut self, cx: &mut Context, packet: Packet, from: Option<NodeId>) {
        let (now, destination) = (cx.now, packet.destination);
        if let Some(path) = self.paths.active(now, destination) {
            let next_hop = path.next_hop;
            let until = now + self.path_life();
            // Section 9.32.4: use keeps the paths to both ends and to the peers on the way.
            for node in [destination, next_hop].into_iter().chain(from).chain([packet.source]) {
                self.paths.refresh(now, node, until);
            }
            cx.send(packet, next_hop, Duration::ZERO);
        } else if let Some(from) = from {
            cx.drop(packet, DropReason::NoRoute);
            let sequence = self.paths.known(destination).and_then(|path| path.sequence);
            let reason = Reason::NoForwardingInformation;
            let lost = vec![Unreachable { node: destination, sequence, reason }];
            self.tell(cx, lost, from);
        } else {
            self.wait(cx, packet);
            self.search(cx, destination);
        }
    }

    /// Keeps `packet` until there is a path; the oldest gives way.
    fn wait(&mut self, cx: &mut Context, packet: Packet) {
        self.waiting.push_back(packet);
        if self.waiting.len() > self.config.buffer_packets
            && let Some(oldest) = self.waiting.pop_front()
        {
            cx.drop(oldest, DropReason::BufferFull);
        }
    }

    /// A path to `destination` may have come: sends what waits for it.
    fn send_waiting(&mut self, cx: &mut Context, destination: NodeId) {
        if self.paths.active(cx.now, destination).is_none() {
            return;
        }
        self.discoveries.remove(&destination);
        for packet in self.take_waiting(destination) {
            self.forward(cx, packet, None);
        }
    }

    fn take_waiting(&mut self, destination: NodeId) -> Vec<Packet> {
        let all = std::mem::take(&mut self.waiting);
        let (found, others): (Vec<_>, Vec<_>) =
            all.into_iter().partition(|packet| packet.destination == destination);
        self.waiting = others.into();
        found
    }
}

impl Protocol for Hwmp {
    fn may_overhear(&self) -> bool {
        false
    }

    fn waiting_packets(&self) -> usize {
        self.waiting.len()
    }

    fn on_start(&mut self, cx: &mut Context) {
        let interval = Duration::from_secs_f64(self.config.beacon_interval_s);
        let first = cx.rng.duration_below(interval);
        cx.set_timer(Timer::of(BEACON), cx.now + first);
        if self.config.root_mode != RootMode::None && self.node.0 == self.config.root {
            let interval = Duration::from_secs_f64(self.config.root_interval_s);
            cx.set_timer(Timer::of(ROOT), cx.now + interval);
        }
    }

    fn on_send(&mut self, cx: &mut Context, packet: Packet) {
        let mut packet = originated(packet);
        packet.size_bytes += self.data_header_bytes;
        self.answer_root(cx, packet.destination);
        self.maintain(cx, packet.destination);
        self.forward(cx, packet, None);
    }

    fn on_receive(&mut self, cx: &mut Context, packet: Packet, from: NodeId) {
        self.peers.hear(cx.now, from);
        if let Body::Routing(message) = &packet.body {
            if let Some(frame) = message.get::<MeshFrame>() {
                self.on_frame(cx, frame, from);
            }
            return;
        }
        match relayed(cx, packet) {
            Ok(packet) => self.forward(cx, packet, Some(from)),
            Err(_) => self.counts.loops_seen += 1,
        }
    }

    /// Paths over the link are broken, and what waits for it is dropped; the peering stays.
    fn on_link_failure(&mut self, cx: &mut Context, packet: Packet, next_hop: NodeId) {
        if self.peers.is_peer(cx.now, next_hop) {
            self.lose(cx, next_hop);
            for waiting in cx.queue.take(next_hop) {
                give_up(cx, waiting);
            }
        }
        give_up(cx, packet);
    }

    fn on_timer(&mut self, cx: &mut Context, timer: Timer) {
        match timer.kind {
            BEACON => self.send_beacon(cx),
            PEERING => {
                let open = self.peers.on_retry(cx.now, timer.node);
                self.open(cx, timer.node, open);
            }
            DISCOVERY => self.on_discovery(cx, timer.node),
            ROOT => self.make_root_known(cx),
            ERRORS => self.send_errors(cx),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests;
