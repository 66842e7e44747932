//! EZ-Flow: a relay's contention window follows the backlog of its successor, which it estimates
//! from what it overhears.
//!
//! Source: Aziz, Starobinski, Thiran, El Fawal, "EZ-Flow: removing turbulence in IEEE 802.11
//! wireless mesh networks without message passing", CoNEXT 2009.
//!
//! - *Buffer occupancy estimation.* A station keeps the last 1,000 packets that it sent to a
//!   successor. When it overhears the successor send one of them on, those sent after it are what
//!   the successor has: queues are first in, first out.
//! - *Channel access adaptation.* Of 50 such samples it takes the mean. Above `most_packets` the
//!   window doubles, but the larger it is, the more means in a row that takes: log2 of it. Below
//!   `least_packets` it is halved, after 15 less log2 of it. So a relay reaches a large window
//!   slowly and leaves it fast.
//!
//! Deviation:
//! - Packets are told apart by what they are, not by a checksum of 16 bits, which mistakes one in
//!   65,536.
//! - A station with several successors has a window for each, but one queue.

use std::collections::VecDeque;

use rustc_hash::FxHashMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::rule::{Link, Needs, WindowRule, Windows};
use crate::config::{ConfigError, within};
use crate::kernel::Instant;
use crate::measure::Counts;
use crate::wire::tcp::SegmentKind;
use crate::wire::{Body, FlowId, Frame, NodeId, Packet};

/// Its name in `mac.access`.
pub const NAME: &str = "ez-flow";
/// What it has to be told.
pub const NEEDS: Needs = Needs { backlog: false, overhearing: true, order: false };

/// Packets to each successor that a station keeps in mind.
const KEPT: usize = 1000;
/// The largest exponent of a window: 802.11 has no window above 2^15.
const LARGEST_EXPONENT: u32 = 15;

/// EZ-Flow (`mac.access = "ez-flow"`).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct EzFlowConfig {
    /// b_min: with fewer packets at the successor, on the mean, the window shrinks (packets).
    pub least_packets: f64,
    /// b_max: with more it grows (packets).
    pub most_packets: f64,
    /// Samples of the successor's backlog in a mean.
    pub samples: u32,
    /// The smallest window is 2 to this power (slots).
    pub least_exponent: u32,
    /// The largest window is 2 to this power (slots).
    pub most_exponent: u32,
}

impl Default for EzFlowConfig {
    fn default() -> Self {
        EzFlowConfig {
            least_packets: 0.05,
            most_packets: 20.0,
            samples: 50,
            least_exponent: 4,
            most_exponent: LARGEST_EXPONENT,
        }
    }
}

impl EzFlowConfig {
    /// Checks every key against its bounds and the others.
    ///
    /// # Errors
    /// The first key that is out of bounds.
    pub fn check(&self) -> Result<(), ConfigError> {
        within("ez_flow.most_packets", self.most_packets, 0.0, KEPT as f64)?;
        within("ez_flow.least_packets", self.least_packets, 0.0, self.most_packets)?;
        within("ez_flow.samples", self.samples.into(), 1.0, 1e6)?;
        let most = LARGEST_EXPONENT.into();
        within("ez_flow.most_exponent", self.most_exponent.into(), 0.0, most)?;
        let most = self.most_exponent.into();
        within("ez_flow.least_exponent", self.least_exponent.into(), 0.0, most)
    }
}

/// What all stations have done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct EzFlowCounters {
    /// Samples of a successor's backlog, one each time that it was overheard to send on a packet.
    pub samples: u64,
    /// Their sum \[packets\].
    pub sampled_packets: u64,
    /// How often a window doubled.
    pub raised: u64,
    /// How often a window was halved.
    pub lowered: u64,
}

/// EZ-Flow of one station.
#[derive(Debug)]
pub struct EzFlow {
    config: EzFlowConfig,
    /// The window of a successor that was not heard yet \[slots\].
    first: u32,
    successors: FxHashMap<NodeId, Successor>,
    counters: EzFlowCounters,
}

/// What a station knows of one successor.
#[derive(Debug)]
struct Successor {
    /// The last packets sent to it, oldest first.
    sent: VecDeque<Identity>,
    /// Samples since the last mean, and their sum.
    samples: u32,
    sum: u64,
    /// Means in a row above the higher and below the lower threshold.
    above: u32,
    below: u32,
    window: u32,
}

/// What tells packets apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Identity {
    source: NodeId,
    flow: FlowId,
    number: u32,
    created: Instant,
}

impl EzFlow {
    /// A station that has sent nothing, with the windows that are usual.
    pub fn new(config: &EzFlowConfig, usual: Windows) -> EzFlow {
        let [least, most] = [config.least_exponent, config.most_exponent].map(|it| 1 << it);
        EzFlow {
            config: config.clone(),
            first: (usual.least + 1).next_power_of_two().clamp(least, most),
            successors: FxHashMap::default(),
            counters: EzFlowCounters::default(),
        }
    }
}

impl WindowRule for EzFlow {
    fn name(&self) -> &'static str {
        NAME
    }

    fn windows(&self, link: Link, usual: Windows) -> Windows {
        let successor = self.successors.get(&link.next_hop);
        let choices = successor.map_or(self.first, |successor| successor.window);
        Windows { least: choices - 1, most: usual.most.max(choices - 1) }
    }

    fn on_sent(&mut self, next_hop: NodeId, packet: &Packet) {
        let Some(identity) = Identity::of(packet) else { return };
        let first = self.first;
        let successor = self.successors.entry(next_hop).or_insert_with(|| Successor::new(first));
        if successor.sent.back() == Some(&identity) {
            return;
        }
        if successor.sent.len() == KEPT {
            successor.sent.pop_front();
        }
        successor.sent.push_back(identity);
    }

    fn on_overheard(&mut self, frame: &Frame, packet: &Packet) {
        self.on_heard(frame.transmitter, packet);
    }

    fn report(&self, counts: &mut Counts) {
        counts.add("samples", self.counters.samples);
        counts.add("sampled_packets", self.counters.sampled_packets);
        counts.add("raised", self.counters.raised);
        counts.add("lowered", self.counters.lowered);
    }
}

impl EzFlow {
    /// `from` was overheard to send `packet`.
    fn on_heard(&mut self, from: NodeId, packet: &Packet) {
        let Some(successor) = self.successors.get_mut(&from) else { return };
        let Some(identity) = Identity::of(packet) else { return };
        let after = successor.sent.iter().rev().position(|sent| *sent == identity);
        if let Some(backlog) = after {
            self.counters.samples += 1;
            self.counters.sampled_packets += backlog as u64;
            successor.on_sample(backlog as u64, &self.config, &mut self.counters);
        }
    }
}

impl Successor {
    fn new(window: u32) -> Successor {
        Successor { sent: VecDeque::new(), samples: 0, sum: 0, above: 0, below: 0, window }
    }

    fn on_sample(&mut self, backlog: u64, config: &EzFlowConfig, counters: &mut EzFlowCounters) {
        self.samples += 1;
        self.sum += backlog;
        if self.samples < config.samples {
            return;
        }
        let mean = self.sum as f64 / f64::from(self.samples);
        (self.samples, self.sum) = (0, 0);
        let exponent = self.window.ilog2();
        if mean > config.most_packets {
            (self.above, self.below) = (self.above + 1, 0);
            if self.above >= exponent {
                self.above = 0;
                counters.raised += u64::from(exponent < config.most_exponent);
                self.window = (self.window * 2).min(1 << config.most_exponent);
            }
        } else if mean < config.least_packets {
            (self.above, self.below) = (0, self.below + 1);
            if self.below >= LARGEST_EXPONENT - exponent {
                self.below = 0;
                counters.lowered += u64::from(exponent > config.least_exponent);
                self.window = (self.window / 2).max(1 << config.least_exponent);
            }
        } else {
            (self.above, self.below) = (0, 0);
        }
    }
}

impl Identity {
    /// That of a packet of a transport.
    fn of(packet: &Packet) -> Option<Identity> {
        let (flow, number) = match &packet.body {
            Body::Tcp(segment) => (segment.flow, number_of(&segment.kind)),
            Body::Udp(datagram) => (datagram.flow, datagram.number),
            _ => return None,
        };
        Some(Identity { source: packet.source, flow, number, created: packet.created })
    }
}

fn number_of(kind: &SegmentKind) -> u32 {
    match *kind {
        SegmentKind::Data { number, .. }
        | SegmentKind::Ack { number, .. }
        | SegmentKind::SelectiveAck { number }
        | SegmentKind::Sack { number, .. } => number,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::udp;

    const NEXT: NodeId = NodeId(1);

    const LINK: Link = Link { next_hop: NEXT, destination: NodeId(9), backlog: 1 };
    const USUAL: Windows = Windows { least: 31, most: 1023 };

    fn packet(number: u32) -> Packet {
        let datagram = udp::Datagram { flow: FlowId(0), number, payload_bytes: 500, carried: None };
        Packet::new(NodeId(0), NodeId(9), Instant::ZERO, Body::Udp(datagram))
    }

    /// A station with this window that takes the mean of two samples.
    fn station() -> EzFlow {
        EzFlow::new(&EzFlowConfig { samples: 2, ..EzFlowConfig::default() }, USUAL)
    }

    fn window(station: &EzFlow) -> u32 {
        station.windows(LINK, USUAL).least
    }

    /// `station` finds this backlog in `times` samples.
    fn find(station: &mut EzFlow, backlog: u32, times: u32) {
        for _ in 0..times {
            station.successors.clear_backlog();
            for number in 0..=backlog {
                station.on_sent(NEXT, &packet(number));
            }
            station.on_heard(NEXT, &packet(0));
        }
    }

    trait ClearBacklog {
        fn clear_backlog(&mut self);
    }

    impl ClearBacklog for FxHashMap<NodeId, Successor> {
        fn clear_backlog(&mut self) {
            self.values_mut().for_each(|successor| successor.sent.clear());
        }
    }

    #[test]
    fn the_backlog_is_what_was_sent_after_the_packet_that_the_successor_sends_on() {
        let mut station = station();
        for number in 0..5 {
            station.on_sent(NEXT, &packet(number));
            station.on_sent(NEXT, &packet(number));
        }
        station.on_heard(NEXT, &packet(1));
        assert_eq!(station.counters.sampled_packets, 3, "2, 3 and 4; repetitions do not count");
        station.on_heard(NodeId(2), &packet(2));
        station.on_heard(NEXT, &packet(7));
        assert_eq!(station.counters.samples, 1, "of another, or not sent by this station");
    }

    #[test]
    fn the_window_doubles_after_as_many_large_means_as_its_logarithm() {
        let mut station = station();
        find(&mut station, 21, 2 * 4);
        assert_eq!(window(&station), 31, "four means above 20; 32 needs five");
        find(&mut station, 20, 2);
        find(&mut station, 21, 2 * 4);
        assert_eq!(window(&station), 31, "a mean of 20 starts the count again");
        find(&mut station, 21, 2);
        assert_eq!(window(&station), 63);
        assert_eq!((station.counters.raised, station.counters.lowered), (1, 0));
    }

    #[test]
    fn a_large_window_is_left_after_fewer_small_means_than_a_small_one() {
        let mut station = station();
        find(&mut station, 0, 2 * 10);
        assert_eq!(window(&station), 15, "15 less five means of 0");
        find(&mut station, 0, 2 * 40);
        assert_eq!(window(&station), 15, "no smaller");
        station.successors.get_mut(&NEXT).unwrap().window = 1 << 13;
        find(&mut station, 0, 2 * 2);
        assert_eq!(window(&station), (1 << 12) - 1);
    }

    #[test]
    fn no_window_is_above_the_largest() {
        let mut station = station();
        station.successors.insert(NEXT, Successor::new(1 << 15));
        find(&mut station, 50, 2 * 15);
        let largest = (1 << 15) - 1;
        assert_eq!(station.windows(LINK, USUAL), Windows { least: largest, most: largest });
    }
}
