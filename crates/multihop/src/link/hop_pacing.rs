//! Hop-by-hop rate control: a node sends a flow's packets no faster than the next hop passes them on.
//!
//! Source: Monks, Sinha, Bharghavan, "Limitations of TCP-ELFN for ad hoc networks", section 4.3, argues for
//! such a control and builds none. The mechanism is ours (docs/schemes/hop-by-hop-rate.md): a node hears the
//! next hop send a packet on, or the destination answer it, rests as long as that took to leave the medium
//! to others, and then sends the flow's next one. What is not heard for some multiple of the time that it
//! usually takes counts as sent on.
//!
//! [`HopPacer`] is one node's part. It sends nothing, holds no packet and knows no clock: packets wait in
//! the interface queue, which asks it for the one that may go.

pub mod config;
#[cfg(test)]
mod tests;

pub use config::HopPacingConfig;

use std::collections::VecDeque;

use rustc_hash::FxHashMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::InterfaceQueue;
use crate::kernel::{Duration, Instant};
use crate::wire::tcp::SegmentKind;
use crate::wire::{Body, FlowId, NodeId, Packet};

/// What results call it.
pub const NAME: &str = "hop-by-hop";

/// Weight of a new measurement in the mean.
const GAIN: f64 = 1.0 / 8.0;
/// Patience is doubled so many times at most.
const MAX_DOUBLINGS: i32 = 6;

/// What the pacers of all nodes did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PacingCounters {
    /// Packets that a node heard its next hop pass on or answer.
    pub heard: u64,
    /// Packets that it did not hear of in time, and so sent the next one.
    pub unheard: u64,
    /// How often a node's MAC was free and data waited, none of which might go yet.
    pub holds: u64,
}

/// One node's pacing of all flows through it.
#[derive(Clone, Debug)]
pub struct HopPacer {
    config: HopPacingConfig,
    flows: FxHashMap<FlowId, Downstream>,
    /// Packets let go so far, all flows together.
    turns: u64,
    counters: PacingCounters,
}

/// What a node knows of one flow at its next hop.
#[derive(Clone, Debug)]
struct Downstream {
    next_hop: NodeId,
    /// Packets that have gone there and, for all that is known, not on from there: number and when.
    ahead: VecDeque<(u32, Instant)>,
    /// Mean time from a packet's going there until it was heard going on \[s\].
    mean_s: Option<f64>,
    /// How often in a row nothing was heard in time.
    doublings: i32,
    /// Until when the flow leaves the medium to others.
    rests_until: Instant,
    /// The turn at which a packet of the flow went last.
    last_turn: u64,
}

impl HopPacer {
    /// A node that has sent nothing.
    pub fn new(config: &HopPacingConfig) -> HopPacer {
        HopPacer {
            config: config.clone(),
            flows: FxHashMap::default(),
            turns: 0,
            counters: PacingCounters::default(),
        }
    }

    /// Takes the packet that is to be sent next: routing packets, ARP and acknowledgments as the queue has
    /// them, then data of the flow that may send and has waited longest for its turn.
    pub fn take(&mut self, now: Instant, queue: &mut InterfaceQueue) -> Option<(NodeId, Packet)> {
        let taken = queue.pop_least(|next_hop, packet| match paced(next_hop, packet) {
            Some((flow, _)) => (self.release(flow, next_hop) <= now).then(|| self.turn_of(flow)),
            None => Some(0),
        });
        match &taken {
            Some((next_hop, packet)) => {
                if let Some((flow, number)) = paced(*next_hop, packet) {
                    self.on_sent(now, *next_hop, flow, number);
                }
            }
            None => self.counters.holds += u64::from(!queue.is_empty()),
        }
        taken
    }

    /// When the first of the waiting packets may go, if none may before something is heard.
    pub fn first_release(&self, queue: &InterfaceQueue) -> Option<Instant> {
        let waiting = queue.packets();
        waiting
            .filter_map(|(next_hop, packet)| Some((paced(next_hop, packet)?.0, next_hop)))
            .map(|(flow, next_hop)| self.release(flow, next_hop))
            .min()
    }

    /// This node has heard `from` send `packet`. Returns whether a flow may send that might not.
    pub fn on_heard(&mut self, now: Instant, from: NodeId, packet: &Packet) -> bool {
        let (flow, number, is_answer) = match &packet.body {
            // Only the destination's own acknowledgment tells of a packet that ends there.
            Body::Tcp(segment) => match segment.kind {
                SegmentKind::Data { number, .. } => (segment.flow, number, false),
                SegmentKind::Ack { number, .. }
                | SegmentKind::Sack { number, .. }
                | SegmentKind::SelectiveAck { number }
                    if packet.source == from =>
                {
                    (segment.flow, number, true)
                }
                _ => return false,
            },
            Body::Udp(datagram) => (datagram.flow, datagram.number, false),
            _ => return false,
        };
        let Some(downstream) = self.flows.get_mut(&flow) else { return false };
        if downstream.next_hop != from {
            return false;
        }
        let place = downstream.ahead.iter().rposition(|&(ahead, _)| ahead == number);
        // An acknowledgment of anything else, for want of an earlier segment, still answers the oldest.
        let Some(place) = place.or_else(|| is_answer.then_some(0)) else { return false };
        if place >= downstream.ahead.len() {
            return false;
        }
        for (_, sent) in downstream.ahead.drain(..=place) {
            let sample_s = (now - sent).as_secs_f64();
            let mean_s = downstream.mean_s.get_or_insert(sample_s);
            *mean_s += GAIN * (sample_s - *mean_s);
            downstream.rests_until = now + Duration::from_secs_f64(sample_s * self.config.rest);
            self.counters.heard += 1;
        }
        downstream.doublings = 0;
        true
    }

    /// The link to `next_hop` has failed: what was there tells nothing of what comes.
    pub fn on_link_failure(&mut self, next_hop: NodeId) {
        self.flows.retain(|_, downstream| downstream.next_hop != next_hop);
    }

    /// What it did.
    pub fn counters(&self) -> PacingCounters {
        self.counters
    }

    /// When `flow` may send its next packet to `next_hop` if nothing more is heard until then.
    fn release(&self, flow: FlowId, next_hop: NodeId) -> Instant {
        let downstream = self.flows.get(&flow).filter(|known| known.next_hop == next_hop);
        let Some(downstream) = downstream else { return Instant::ZERO };
        match downstream.ahead.front() {
            Some(&(_, sent)) if downstream.ahead.len() >= self.config.packets_ahead as usize => {
                sent + self.patience(downstream)
            }
            _ => downstream.rests_until,
        }
    }

    /// How long a packet is waited for.
    fn patience(&self, downstream: &Downstream) -> Duration {
        let HopPacingConfig { patience, patience_s: [least_s, most_s], .. } = self.config;
        let usual_s = downstream.mean_s.map_or(self.config.initial_patience_s, |s| s * patience);
        let doubled_s = usual_s.max(least_s) * f64::from(2).powi(downstream.doublings);
        Duration::from_secs_f64(doubled_s.min(most_s))
    }

    /// When `flow` had its last turn, after what is not paced.
    fn turn_of(&self, flow: FlowId) -> u64 {
        1 + self.flows.get(&flow).map_or(0, |downstream| downstream.last_turn)
    }

    /// Packet `number` of `flow` goes to `next_hop`.
    fn on_sent(&mut self, now: Instant, next_hop: NodeId, flow: FlowId, number: u32) {
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
            downstream.doublings = (downstream.doublings + 1).min(MAX_DOUBLINGS);
            self.counters.unheard += 1;
        }
        downstream.ahead.push_back((number, now));
        downstream.last_turn = self.turns;
    }
}

/// Flow and number of a packet that is paced: of data that will be heard of from the next hop. A datagram
/// has no answer, so one that ends at its next hop is not.
fn paced(next_hop: NodeId, packet: &Packet) -> Option<(FlowId, u32)> {
    match &packet.body {
        Body::Tcp(segment) => match segment.kind {
            SegmentKind::Data { number, .. } => Some((segment.flow, number)),
            _ => None,
        },
        Body::Udp(datagram) if packet.destination != next_hop => {
            Some((datagram.flow, datagram.number))
        }
        _ => None,
    }
}
