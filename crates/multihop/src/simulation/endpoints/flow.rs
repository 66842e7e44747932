//! A flow: what the scenario says of it, and what is counted of it whatever its transport.

use crate::kernel::{Duration, Instant, Purpose, Rng};
use crate::measure::{Delays, Listener, Steadiness, Transfers, VoiceReport};
use crate::scenario::{self, FlowLoad};
use crate::simulation::LINK_DELAY;
use crate::traffic::{Application, VOICE_FRAME, Way};
use crate::transport::LinkFailureCounters;
use crate::wire::{Body, FlowId, NodeId, Packet};

/// Data in one direction.
#[derive(Debug)]
pub struct Flow {
    pub id: FlowId,
    pub source: NodeId,
    pub destination: NodeId,
    pub start: Instant,
    pub stop: Instant,
    /// The kind and the name of its table.
    pub kind: &'static str,
    pub name: Option<String>,
    /// Its place in its table's Poisson process.
    pub arrival: Option<u32>,
    /// The flow that opened the connection, if this one carries what goes back over it.
    pub answers: Option<FlowId>,
    /// Where its ends are, in the list of all.
    pub ends: usize,
    /// What it carries; the application has the state of it, if there is any.
    pub load: FlowLoad,
    pub application: Option<Box<dyn Application>>,
    pub transfers: Transfers,
    /// The listener of a call.
    pub listener: Option<Box<Listener>>,
    pub shortest_hops: Option<u32>,
    pub least_hops: Option<u32>,
    /// Route discoveries of either end for the other.
    pub discoveries: u64,
    /// Data packets that arrived, their delays and hops added up.
    pub arrivals: Arrivals,
    /// How steadily data are delivered.
    pub steadiness: Steadiness,
    /// What the flow had achieved when it stopped.
    pub at_stop: Option<Tally>,
}

#[derive(Clone, Debug, Default)]
pub struct Arrivals {
    pub packets: u64,
    pub delays: Delays,
    pub mac_delay_s: f64,
    pub hops: u64,
    /// Fewest hops of any of them.
    pub least_hops: Option<u32>,
}

/// Counts at one moment.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Tally {
    pub delivered_bytes: u64,
    pub delivered_segments: u64,
    pub unique_segments: u64,
    pub unique_bytes: u64,
    pub out_of_order_segments: u64,
    pub acks_sent: Option<u64>,
    pub acked_segments: Option<u64>,
    pub given_up: Option<Instant>,
    pub sent_segments: u64,
    pub retransmits: u64,
    pub timeouts: u64,
    pub fast_retransmits: u64,
    pub ecn_reductions: u64,
    pub link_failure: LinkFailureCounters,
    pub mean_rtt_s: Option<f64>,
}

impl Flow {
    /// The flow `id` as the scenario has it, with its ends at place `ends`, not started.
    pub fn new(id: FlowId, spec: &scenario::FlowSpec, ends: usize, seed: u64) -> Flow {
        let answers = (spec.load == FlowLoad::Answers).then(|| FlowId(id.0 - 1));
        let listener = match &spec.load {
            FlowLoad::Voice(voice) => {
                let playout = Duration::from_secs_f64(voice.playout_s);
                let codec = voice.codec;
                Some(Box::new(Listener::new(codec.impairment(), codec.delay(), playout)))
            }
            _ => None,
        };
        let rng = Rng::stream(seed, Purpose::Traffic, u64::from(id.0));
        Flow {
            id,
            source: spec.source,
            destination: spec.destination,
            start: spec.start,
            stop: spec.stop,
            kind: spec.kind,
            name: spec.name.clone(),
            arrival: spec.arrival,
            answers,
            ends,
            application: spec.load.application(rng),
            load: spec.load.clone(),
            transfers: Transfers::default(),
            listener,
            shortest_hops: spec.shortest_hops,
            least_hops: spec.least_hops,
            discoveries: 0,
            arrivals: Arrivals::default(),
            steadiness: Steadiness::new(spec.start, spec.stop),
            at_stop: None,
        }
    }

    /// Which of the flows of its connection it is.
    pub fn way(&self) -> Way {
        if self.answers.is_none() { Way::Forth } else { Way::Back }
    }

    /// The flow that opened its connection, which has the application.
    pub fn opener(&self) -> FlowId {
        self.answers.unwrap_or(self.id)
    }

    /// A packet of the flow that leaves its source, or its destination, now.
    pub fn packet(&self, now: Instant, from_source: bool, size_bytes: u32, body: Body) -> Packet {
        let (source, destination) = match from_source {
            true => (self.source, self.destination),
            false => (self.destination, self.source),
        };
        Packet { size_bytes, ..Packet::new(source, destination, now, body) }
    }

    /// How the call was up to `now`, if it is one.
    pub fn voice_report(&self, now: Instant) -> Option<VoiceReport> {
        let (FlowLoad::Voice(voice), Some(listener)) = (&self.load, &self.listener) else {
            return None;
        };
        // Packets are sent from the start on, before the stop; those sent too near the end are not
        // due.
        let due = now.saturating_since(self.start + Duration::from_secs_f64(voice.playout_s));
        let count = |time: Duration| time.as_nanos().div_ceil(VOICE_FRAME.as_nanos());
        let sent = count(self.stop.min(now).saturating_since(self.start));
        listener.report(sent.min(count(due)))
    }
}

impl Arrivals {
    /// `packet` arrives at `now`.
    pub fn count(&mut self, now: Instant, packet: &Packet) {
        self.packets += 1;
        self.delays.note(now - packet.created);
        self.mac_delay_s += now.saturating_since(packet.queued + LINK_DELAY).as_secs_f64();
        self.hops += u64::from(packet.hops);
        let least = self.least_hops.unwrap_or(u32::MAX);
        self.least_hops = Some(least.min(u32::from(packet.hops)));
    }
}
