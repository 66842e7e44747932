//! Everything that a run counts and records. Events of the network come in, and nothing here feeds
//! back into it: a run is the same whatever is watched.

use std::collections::HashSet;

use super::recorder::{QueueMeter, Recorder, Recording};
use crate::capture::Capture;
use crate::kernel::{Duration, Instant};
use crate::link::InterfaceQueue;
use crate::measure::{DataCounters, Fingerprint, QueueMeters, RoutingCounters};
use crate::radio::StationLayout;
use crate::scenario::Error;
use crate::wire::{FlowId, Frame, NodeId, Packet, PacketKind};

/// What a run counts and records.
#[derive(Debug)]
pub struct Monitor {
    pub routing: RoutingCounters,
    pub data: DataCounters,
    dropped: Dropped,
    pub queue_drops: u64,
    pub queue_meter: QueueMeter,
    /// Each node's queue by itself, if recorded.
    pub queue_meters: Option<Box<QueueMeters>>,
    pub recorder: Recorder,
    /// The record of events, if asked for.
    pub capture: Option<Box<Capture>>,
    pub fingerprint: Fingerprint,
    /// Events run.
    pub events: u64,
    /// Wall time of building the network, and of the run \[s\].
    pub build_s: f64,
    pub wall_s: f64,
}

/// What tells a data packet and its copies from others: its flow, its number, when it was created.
type Original = (FlowId, u32, Instant);

/// Data packets of which a copy has been dropped. No copy lives longer than they are remembered.
#[derive(Debug, Default)]
struct Dropped {
    recent: HashSet<Original>,
    /// Those before, of up to twice [`REMEMBERED`].
    older: HashSet<Original>,
    /// The creation of the first of the recent ones.
    since: Instant,
}

/// How long dropped packets are remembered at least: buffers of routing keep packets for 30 s.
const REMEMBERED: Duration = Duration::from_millis(300_000);

impl Dropped {
    fn contains(&self, original: &Original) -> bool {
        self.recent.contains(original) || self.older.contains(original)
    }

    fn insert(&mut self, original: Original) {
        let (.., created) = original;
        if created >= self.since + REMEMBERED {
            self.older = std::mem::take(&mut self.recent);
            self.since = created;
        }
        self.recent.insert(original);
    }
}

impl Monitor {
    /// Nothing counted yet, in a network of these stations with queues for `queue_packets`.
    ///
    /// # Errors
    /// If what is to be recorded makes no sense.
    pub fn new(
        recording: &Recording,
        stations: &StationLayout,
        queue_packets: usize,
    ) -> Result<Monitor, Error> {
        let meters = || Box::new(QueueMeters::new(stations, queue_packets));
        Ok(Monitor {
            routing: RoutingCounters::default(),
            data: DataCounters::default(),
            dropped: Dropped::default(),
            queue_drops: 0,
            queue_meter: QueueMeter::default(),
            queue_meters: recording.queue_classes.then(meters),
            recorder: Recorder::new(recording, stations)?,
            capture: None,
            fingerprint: Fingerprint::default(),
            events: 0,
            build_s: 0.0,
            wall_s: 0.0,
        })
    }

    /// `frame` is sent at `now` for `airtime`.
    #[inline]
    pub fn on_transmission(&mut self, now: Instant, frame: &Frame, airtime: Duration) {
        self.recorder.on_frame(now, frame, airtime);
        if let Some(capture) = &mut self.capture {
            capture.on_transmission(now, frame, airtime);
        }
        self.fingerprint.add(now.as_nanos());
        self.fingerprint.add(u64::from(frame.transmitter.0) << 32 | u64::from(frame.receiver.0));
        self.fingerprint.add(airtime.as_nanos() << 2 | frame.kind as u64);
    }

    /// The queue of the station `node`, which held `before` packets, may have changed.
    #[inline]
    pub fn on_queue_change(
        &mut self,
        now: Instant,
        node: NodeId,
        before: usize,
        queue: &InterfaceQueue,
    ) {
        self.queue_meter.change(now, before, queue.len());
        if let Some(meters) = &mut self.queue_meters {
            meters.change(now, node, queue.len_by_class());
        }
    }

    /// A full queue has dropped `packet`.
    pub fn on_queue_drop(&mut self, packet: &Packet) {
        self.queue_drops += 1;
        self.count_drop(packet, packet.hops > 0);
    }

    /// `packet`, of some transport or none, is dropped.
    pub fn on_drop(&mut self, packet: &Packet) {
        self.count_drop(packet, packet.queued != Instant::FAR);
    }

    /// Counts a drop: of several copies one. A packet that has never been sent is remembered for
    /// nothing.
    fn count_drop(&mut self, packet: &Packet, was_sent: bool) {
        let Some((flow, number)) = packet.data_number() else { return };
        let identity = (flow, number, packet.created);
        if self.dropped.contains(&identity) {
            return;
        }
        if was_sent {
            self.dropped.insert(identity);
        }
        self.data.dropped_packets += 1;
        self.data.unsent_packets += u64::from(packet.queued == Instant::FAR);
    }

    /// `packet` reaches the interface queue of `node`.
    #[inline]
    pub fn on_queued(&mut self, now: Instant, node: NodeId, packet: &mut Packet) {
        if packet.source == node && packet.queued == Instant::FAR {
            packet.queued = now;
            self.data.transmitted_packets += u64::from(packet.payload_bytes().is_some());
        }
    }

    /// Routing hands `packet` to the link.
    #[inline]
    pub fn on_routed(&mut self, packet: &Packet) {
        if packet.kind() == PacketKind::Routing {
            self.routing.count_sent(packet);
        } else if packet.is_transport() {
            self.routing.count_piggyback(packet);
        }
    }
}
