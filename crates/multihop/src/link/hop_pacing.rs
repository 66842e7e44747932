//! Hop-by-hop rate control: a node sends a flow's packets no faster than the next hop forwards
//! them.
//!
//! Source: Monks, Sinha, Bharghavan, "Limitations of TCP-ELFN for ad hoc networks", section 4.3,
//! argues for such a control but builds none. The mechanism is ours
//! (docs/model/schemes/hop-by-hop-rate.md): a node overhears the next hop forward a packet, or the
//! destination acknowledge it, pauses for as long as that took to leave the medium to others, and
//! then sends the flow's next packet. A packet that is not overheard within a multiple of the mean
//! time counts as forwarded.
//!
//! With `keep_s`, a neighbour that was heard lately is not taken for lost: what the MAC could not
//! deliver to it waits for another turn instead of going back to routing.
//!
//! With `lead`, a flow is at most so many times as fast as the slowest that its node hears.
//!
//! [`HopPacer`] is one node's part. It sends nothing, holds no packets and has no clock: packets
//! wait in the interface queue, and the pacer chooses which may leave.

pub mod config;
mod neighbourhood;
#[cfg(test)]
mod tests;

pub use config::HopPacingConfig;

use std::collections::VecDeque;

use rustc_hash::FxHashMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use self::neighbourhood::Neighbourhood;
use super::InterfaceQueue;
use crate::kernel::{Duration, Instant};
use crate::measure::Counts;
use crate::wire::tcp::SegmentKind;
use crate::wire::udp::ProgramTcp;
use crate::wire::{Body, FlowId, NodeId, Packet};

/// The key that selects it.
pub const KEY: &str = "link.pacing";
/// Its name there, and in results.
pub const NAME: &str = "hop-by-hop";

/// Weight of a new sample in the mean.
const GAIN: f64 = 1.0 / 8.0;
/// The timeout doubles at most this many times.
const MAX_DOUBLINGS: i32 = 6;

/// What the pacers of all nodes did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PacingCounters {
    /// Packets that a node overheard its next hop forward or acknowledge.
    pub heard: u64,
    /// Packets that it did not overhear in time, and so sent the next one.
    pub unheard: u64,
    /// How often a node's MAC was free and data waited, but none was allowed to leave yet.
    pub holds: u64,
    /// Packets that the MAC gave up and that went back to their queue, because their next hop had
    /// been heard lately.
    pub kept: u64,
}

/// One node's pacing of all flows through it.
#[derive(Clone, Debug)]
pub struct HopPacer {
    config: HopPacingConfig,
    flows: FxHashMap<FlowId, Downstream>,
    /// Packets released so far, over all flows.
    turns: u64,
    /// When each neighbour was last heard, if that matters.
    last_heard: FxHashMap<NodeId, Instant>,
    /// The flows within hearing, if that matters.
    neighbourhood: Neighbourhood,
    counters: PacingCounters,
}

/// What a node knows about one flow at its next hop.
#[derive(Clone, Debug)]
struct Downstream {
    next_hop: NodeId,
    /// Packets sent there and, as far as is known, not forwarded yet: number and time of sending.
    ahead: VecDeque<(u32, Instant)>,
    /// Mean time from sending a packet until it was overheard being forwarded \[s\].
    mean_s: Option<f64>,
    /// Timeouts in a row.
    doublings: i32,
    /// End of the pause in which the flow leaves the medium to others.
    rests_until: Instant,
    /// The turn at which the flow's last packet was released.
    last_turn: u64,
}

impl HopPacer {
    /// A node that has sent nothing.
    pub fn new(config: &HopPacingConfig) -> HopPacer {
        HopPacer {
            config: config.clone(),
            flows: FxHashMap::default(),
            turns: 0,
            last_heard: FxHashMap::default(),
            neighbourhood: Neighbourhood::default(),
            counters: PacingCounters::default(),
        }
    }

    /// Takes the packet to send next: routing packets, ARP and acknowledgments in the order of the
    /// queue, then data of the flow that may send and has waited longest for its turn.
    pub fn take(&mut self, now: Instant, queue: &mut InterfaceQueue) -> Option<(NodeId, Packet)> {
        let taken = self.take_if(now, queue, |_, _| true);
        self.counters.holds += u64::from(taken.is_none() && !queue.is_empty());
        taken
    }

    /// The same of the packets that are `meant`.
    pub fn take_if(
        &mut self,
        now: Instant,
        queue: &mut InterfaceQueue,
        meant: impl Fn(NodeId, &Packet) -> bool,
    ) -> Option<(NodeId, Packet)> {
        let rank = |next_hop, packet: &Packet| match paced(next_hop, packet) {
            Some((flow, _)) => (self.release(flow, next_hop) <= now).then(|| self.turn_of(flow)),
            None => Some(0),
        };
        let taken = queue.pop_least(now, |next_hop, packet| {
            rank(next_hop, packet).filter(|_| meant(next_hop, packet))
        });
        if let Some((next_hop, packet)) = &taken
            && let Some((flow, number)) = paced(*next_hop, packet)
        {
            self.on_sent(now, *next_hop, flow, number);
        }
        taken
    }

    /// When the first waiting packet may leave if nothing is overheard until then.
    pub fn first_release(&self, queue: &InterfaceQueue) -> Option<Instant> {
        let waiting = queue.packets();
        waiting
            .filter_map(|(next_hop, packet)| Some((paced(next_hop, packet)?.0, next_hop)))
            .map(|(flow, next_hop)| self.release(flow, next_hop))
            .min()
    }

    /// This node has overheard `from` send `packet`. Returns whether that may release a packet.
    pub fn on_heard(&mut self, now: Instant, from: NodeId, packet: &Packet) -> bool {
        let Some(Told { flow, number, is_answer }) = told(from, packet) else { return false };
        if !is_answer && let Some(number) = number {
            self.on_progress(now, flow, number);
        }
        let Some(downstream) = self.flows.get_mut(&flow) else { return false };
        if downstream.next_hop != from {
            return false;
        }
        let place = downstream.ahead.iter().rposition(|&(ahead, _)| Some(ahead) == number);
        // A duplicate acknowledgment, sent because an earlier segment is missing, still answers the
        // oldest packet.
        let Some(place) = place.or_else(|| is_answer.then_some(0)) else { return false };
        if place >= downstream.ahead.len() {
            return false;
        }
        let spacing_s = match self.config.lead {
            0.0 => 0.0,
            lead => self.neighbourhood.slowest_s(now, flow, self.config.memory_s) / lead,
        };
        for (_, sent) in downstream.ahead.drain(..=place) {
            let sample_s = (now - sent).as_secs_f64();
            let mean_s = downstream.mean_s.get_or_insert(sample_s);
            *mean_s += GAIN * (sample_s - *mean_s);
            let rests_s = (sample_s * self.config.rest).max(spacing_s - sample_s);
            downstream.rests_until = now + Duration::from_secs_f64(rests_s);
            self.counters.heard += 1;
        }
        downstream.doublings = 0;
        true
    }

    /// The link to `next_hop` has failed: forget what was measured there.
    pub fn on_link_failure(&mut self, next_hop: NodeId) {
        self.flows.retain(|_, downstream| downstream.next_hop != next_hop);
    }

    /// This node has decoded a frame of neighbour `from`, whatever the frame brought.
    #[inline]
    pub fn on_decoded(&mut self, now: Instant, from: NodeId) {
        if self.config.keep_s > 0.0 {
            self.last_heard.insert(from, now);
        }
    }

    /// The MAC has given up `packet` for `next_hop`. Returns whether the packet is to wait for
    /// another turn, since `next_hop` was heard lately; its flow then rests as if the packet had
    /// not been heard going on. What is not paced has no rest.
    pub fn keeps(&mut self, now: Instant, next_hop: NodeId, packet: &Packet) -> bool {
        let heard = self.last_heard.get(&next_hop);
        let is_kept = packet.is_transport()
            && heard.is_some_and(|&at| (now - at).as_secs_f64() <= self.config.keep_s);
        if !is_kept {
            return false;
        }
        self.counters.kept += 1;
        let Some((flow, number)) = paced(next_hop, packet) else { return true };
        if let Some(downstream) = self.flows.get_mut(&flow)
            && downstream.next_hop == next_hop
        {
            downstream.ahead.retain(|&(ahead, _)| ahead != number);
            downstream.rests_until = now + downstream.patience(&self.config);
            downstream.on_unheard();
        }
        true
    }

    /// Adds what it has counted.
    pub fn report(&self, counts: &mut Counts) {
        let PacingCounters { heard, unheard, holds, kept } = self.counters;
        let all = [("heard", heard), ("unheard", unheard), ("holds", holds), ("kept", kept)];
        all.into_iter().for_each(|(name, count)| counts.add(name, count));
    }

    /// When `flow` may send its next packet to `next_hop` if nothing more is overheard until then.
    fn release(&self, flow: FlowId, next_hop: NodeId) -> Instant {
        let downstream = self.flows.get(&flow).filter(|known| known.next_hop == next_hop);
        let Some(downstream) = downstream else { return Instant::ZERO };
        match downstream.ahead.front() {
            Some(&(_, sent)) if downstream.ahead.len() >= self.config.packets_ahead as usize => {
                sent + downstream.patience(&self.config)
            }
            _ => downstream.rests_until,
        }
    }

    /// The last turn of `flow`; unpaced packets rank before it.
    fn turn_of(&self, flow: FlowId) -> u64 {
        1 + self.flows.get(&flow).map_or(0, |downstream| downstream.last_turn)
    }

    /// Packet `number` of `flow` was sent within hearing, or here.
    fn on_progress(&mut self, now: Instant, flow: FlowId, number: u32) {
        if self.config.lead > 0.0 {
            self.neighbourhood.on_packet(now, flow, number);
        }
    }

    /// Packet `number` of `flow` goes to `next_hop`.
    fn on_sent(&mut self, now: Instant, next_hop: NodeId, flow: FlowId, number: u32) {
        self.on_progress(now, flow, number);
        self.turns += 1;
        let most = self.config.packets_ahead as usize;
        let fresh = || Downstream {
            next_hop,
            ahead: VecDeque::new(),
            mean_s: None,
            doublings: 0,
            rests_until: Instant::ZERO,
            last_turn: 0,
        };
        let downstream = self.flows.entry(flow).or_insert_with(fresh);
        if downstream.next_hop != next_hop {
            *downstream = fresh();
        }
        if downstream.ahead.len() >= most {
            downstream.ahead.pop_front();
            downstream.on_unheard();
            self.counters.unheard += 1;
        }
        downstream.ahead.push_back((number, now));
        downstream.last_turn = self.turns;
    }
}

impl Downstream {
    /// How long a packet is waited for.
    fn patience(&self, config: &HopPacingConfig) -> Duration {
        let HopPacingConfig { patience, patience_s: [least_s, most_s], .. } = *config;
        let usual_s = self.mean_s.map_or(config.initial_patience_s, |s| s * patience);
        let doubled_s = usual_s.max(least_s) * f64::from(2).powi(self.doublings);
        Duration::from_secs_f64(doubled_s.min(most_s))
    }

    /// One more packet in a row was not heard of.
    fn on_unheard(&mut self) {
        self.doublings = (self.doublings + 1).min(MAX_DOUBLINGS);
    }
}

/// What an overheard packet tells of a flow.
struct Told {
    flow: FlowId,
    /// The packet that goes on or is answered, if that can be known.
    number: Option<u32>,
    is_answer: bool,
}

/// What `packet`, which `from` was overheard to send, tells.
fn told(from: NodeId, packet: &Packet) -> Option<Told> {
    let forwarded = |flow, number| Told { flow, number: Some(number), is_answer: false };
    // Only an acknowledgment sent by the destination itself shows that a packet arrived there.
    let answered =
        |flow, number| (packet.source == from).then_some(Told { flow, number, is_answer: true });
    match &packet.body {
        Body::Tcp(segment) => match segment.kind {
            SegmentKind::Data { number, .. } => Some(forwarded(segment.flow, number)),
            SegmentKind::Ack { number, .. }
            | SegmentKind::Sack { number, .. }
            | SegmentKind::SelectiveAck { number } => answered(segment.flow, Some(number)),
        },
        Body::Udp(datagram) => match datagram.program_tcp() {
            Some(ProgramTcp::Acknowledgment(flow)) => answered(flow, None),
            _ if datagram.is_answer() => None,
            _ => Some(forwarded(datagram.flow, datagram.number)),
        },
        _ => None,
    }
}

/// Flow and number of a paced packet: data that the next hop will be overheard forwarding or
/// acknowledging. A datagram that is not a segment of a program's TCP is not acknowledged, so it is
/// not paced on its last hop.
fn paced(next_hop: NodeId, packet: &Packet) -> Option<(FlowId, u32)> {
    match &packet.body {
        Body::Tcp(segment) => match segment.kind {
            SegmentKind::Data { number, .. } => Some((segment.flow, number)),
            _ => None,
        },
        Body::Udp(datagram) => {
            let is_paced = match datagram.program_tcp() {
                Some(ProgramTcp::Acknowledged) => true,
                Some(ProgramTcp::Acknowledgment(_)) => false,
                None => packet.destination != next_hop && !datagram.is_answer(),
            };
            is_paced.then_some((datagram.flow, datagram.number))
        }
        _ => None,
    }
}
