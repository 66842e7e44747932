//! Access to the medium in slots of a table (time division multiple access).
//!
//! Source: none; the plainest scheme of its kind. Time is cut into slots of equal length, and the
//! slots of the table follow each other again and again from the start of the run, the same for all
//! stations: clocks do not drift. In its slots a station sends as many frames as fit, SIFS apart,
//! and never senses the carrier; outside it sends nothing but ACKs. A unicast frame is acknowledged
//! after SIFS within its slot, as in DCF without RTS. One that stays without an ACK is sent again
//! in the same slot or the next, up to `mac.short_retry_limit` times. A frame fits if it and its
//! ACK end before the guard time at the end of the slot; one that fits in no slot is given up at
//! once.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toml::Value;

use super::access::{Access, Defers, Gathers};
use super::categories::Category;
use super::context::{Leaving, MacContext, TimerChange};
use super::repeats::Repeats;
use super::timing::Timing;
use crate::capture::State;
use crate::config::{ConfigError, within};
use crate::kernel::{Duration, Instant};
use crate::wire::{Frame, FrameKind, NodeId, Packet, Payload, Rate};

/// Slots of a table at most.
const MOST_SLOTS: usize = 10_000;

/// The table of slots (`mac.access = "tdma"`).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TdmaConfig {
    /// Length of a slot (s).
    pub slot_s: f64,
    /// At the end of each slot nothing is on the air for so long (s): at least the time that a
    /// signal takes to the farthest neighbour and back.
    #[serde(default = "default_guard_s")]
    pub guard_s: f64,
    /// The slots of a frame, in order: the node that each is given to, or the list of nodes that
    /// share it.
    pub slots: Vec<Given>,
}

/// To whom a slot is given.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged, try_from = "Value")]
#[schemars(!try_from)]
pub enum Given {
    /// To one node.
    One(u32),
    /// To several, which send at the same time.
    Several(Vec<u32>),
}

/// There and back over 3 km.
fn default_guard_s() -> f64 {
    20e-6
}

impl TdmaConfig {
    /// Checks every key against its bounds and the others.
    ///
    /// # Errors
    /// The first key that is out of bounds.
    pub fn check(&self) -> Result<(), ConfigError> {
        within("tdma.slot_s", self.slot_s, 1e-5, 10.0)?;
        within("tdma.guard_s", self.guard_s, 0.0, self.slot_s / 2.0)?;
        let count = self.slots.len();
        if count == 0 || count > MOST_SLOTS {
            let fault = format!("must be 1 to {MOST_SLOTS} slots (got {count})");
            return Err(ConfigError::new("tdma.slots", fault));
        }
        Ok(())
    }

    /// Checks that `stations`, nodes by their numbers, have slots, and no others of `nodes` nodes.
    ///
    /// # Errors
    /// The first slot or node that is wrong.
    pub fn check_nodes(&self, nodes: usize) -> Result<(), ConfigError> {
        let fault = |fault| Err(ConfigError::new("tdma.slots", fault));
        let mut has_slot = vec![false; nodes];
        for (place, given) in self.slots.iter().enumerate() {
            for &node in given.nodes() {
                match has_slot.get_mut(node as usize) {
                    Some(has_slot) => *has_slot = true,
                    None => {
                        return fault(format!(
                            "must be nodes, 0 to {} (got {node} in slot {place})",
                            nodes - 1
                        ));
                    }
                }
            }
        }
        match has_slot.iter().position(|has_slot| !has_slot) {
            Some(node) => fault(format!("must give every node a slot (none for node {node})")),
            None => Ok(()),
        }
    }

    /// The turns of `node`.
    pub fn turns(&self, node: NodeId) -> Turns {
        let slots = (0..).zip(&self.slots);
        Turns {
            slot: Duration::from_secs_f64(self.slot_s),
            guard: Duration::from_secs_f64(self.guard_s),
            slots: self.slots.len() as u64,
            own: slots.filter(|(_, given)| given.nodes().contains(&node.0)).map(|s| s.0).collect(),
        }
    }
}

impl TryFrom<Value> for Given {
    type Error = String;

    fn try_from(value: Value) -> Result<Given, String> {
        let node = |value: &Value| value.as_integer().and_then(|node| u32::try_from(node).ok());
        let given = match &value {
            Value::Array(nodes) => {
                nodes.iter().map(node).collect::<Option<_>>().map(Given::Several)
            }
            one => node(one).map(Given::One),
        };
        given.ok_or_else(|| format!("must be a node or a list of nodes (got {value})"))
    }
}

impl Given {
    fn nodes(&self) -> &[u32] {
        match self {
            Given::One(node) => std::slice::from_ref(node),
            Given::Several(nodes) => nodes,
        }
    }
}

/// When a station may send.
#[derive(Clone, Debug)]
pub struct Turns {
    slot: Duration,
    guard: Duration,
    /// Slots of a frame.
    slots: u64,
    /// Its own among them, in order.
    own: Vec<u64>,
}

impl Turns {
    /// The first instant from `now` on at which something that lasts `time` may begin; none if it
    /// fits in no slot.
    pub fn next(&self, now: Instant, time: Duration) -> Option<Instant> {
        let needed = self.guard + time;
        if needed > self.slot {
            return None;
        }
        let latest = self.slot - needed;
        let frame = self.slot * self.slots;
        let first = (now - Instant::ZERO) / frame;
        let begins = (first..=first + 1)
            .flat_map(|round| self.own.iter().map(move |slot| round * self.slots + slot))
            .map(|slot| Instant::ZERO + self.slot * slot);
        begins
            .map(|begin| (begin, begin.max(now)))
            .find(|&(begin, at)| at <= begin + latest)
            .map(|(_, at)| at)
    }
}

/// The packet that the station tries to deliver.
#[derive(Debug)]
struct Outgoing {
    packet: Packet,
    next_hop: NodeId,
    sequence: u16,
    rate: Rate,
    /// Air time of the data frame, and of the exchange with its ACK.
    airtime: Duration,
    exchange: Duration,
    /// Attempts without an ACK.
    attempts: u32,
}

/// The frame that the station is sending, or whose answer it awaits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    None,
    Data,
    Ack,
}

/// One station that sends in its slots.
#[derive(Debug)]
pub struct Tdma {
    station: NodeId,
    turns: Turns,
    phase: Phase,
    outgoing: Option<Outgoing>,
    /// The ACK to send after SIFS.
    response: Option<Frame>,
    /// SIFS after its last exchange.
    ready: Instant,
    next_sequence: u16,
    repeats: Repeats,
    delivered_payload_bytes: u64,
}

impl Tdma {
    /// The idle station of address `station`.
    pub fn new(station: NodeId, turns: Turns) -> Tdma {
        Tdma {
            station,
            turns,
            phase: Phase::None,
            outgoing: None,
            response: None,
            ready: Instant::ZERO,
            next_sequence: 1,
            repeats: Repeats::default(),
            delivered_payload_bytes: 0,
        }
    }

    /// Has the packet in service sent in the next slot in which it fits. One that fits in none is
    /// given up when the timer expires.
    fn plan(&mut self, cx: &mut MacContext) {
        let Some(outgoing) = &self.outgoing else { return };
        let from = self.ready.max(cx.now);
        let at = self.turns.next(from, outgoing.exchange).unwrap_or(cx.now);
        cx.out.timer = Some(TimerChange::Set(at));
    }

    /// Sends the packet in service if it is the station's turn.
    fn send_data(&mut self, cx: &mut MacContext) {
        let Some(outgoing) = &self.outgoing else { return };
        match self.turns.next(cx.now, outgoing.exchange) {
            Some(at) if at == cx.now => {}
            Some(_) => return self.plan(cx),
            None => return self.give_up(cx),
        }
        let Outgoing { next_hop, sequence, rate, airtime, ref packet, .. } = *outgoing;
        let is_broadcast = next_hop.is_broadcast();
        let frame = Frame {
            duration_us: if is_broadcast { 0 } else { cx.timing.data_duration_us(rate) },
            sequence,
            payload: Some(cx.payloads.hold(Payload::Packet(packet.clone()))),
            ..self.frame(FrameKind::Data, rate, next_hop)
        };
        let counter = match is_broadcast {
            true => &mut cx.counters.broadcast_sent,
            false => &mut cx.counters.data_sent,
        };
        *counter += 1;
        let until = match is_broadcast {
            true => airtime,
            false => cx.timing.ack_timeout(rate, airtime),
        };
        self.send(cx, Phase::Data, frame, until);
    }

    fn send(&mut self, cx: &mut MacContext, phase: Phase, frame: Frame, until: Duration) {
        self.phase = phase;
        cx.out.transmit = Some(frame);
        cx.out.timer = Some(TimerChange::Set(cx.now + until));
    }

    fn frame(&self, kind: FrameKind, rate: Rate, receiver: NodeId) -> Frame {
        Frame::new(kind, rate, self.station, receiver)
    }

    /// The exchange is over.
    fn end_exchange(&mut self, cx: &mut MacContext) {
        self.phase = Phase::None;
        self.ready = cx.now + cx.timing.sifs;
        cx.out.step = true;
    }

    /// A data frame has been sent, and no ACK has come; none was due for a broadcast.
    fn on_data_over(&mut self, cx: &mut MacContext) {
        self.end_exchange(cx);
        let Some(outgoing) = &mut self.outgoing else { return };
        if outgoing.next_hop.is_broadcast() {
            self.outgoing = None;
            return;
        }
        outgoing.attempts += 1;
        if cx.timing.short_retry_limit.is_some_and(|limit| outgoing.attempts >= limit) {
            self.give_up(cx);
        }
    }

    fn give_up(&mut self, cx: &mut MacContext) {
        let Some(outgoing) = self.outgoing.take() else { return };
        cx.counters.retry_drops += 1;
        cx.out.failed = Some(Leaving::One(outgoing.packet, outgoing.next_hop));
        cx.out.step = true;
    }

    fn on_data(&mut self, cx: &mut MacContext, frame: &mut Frame) {
        let Some(mut packet) = frame.take_packet() else { return };
        if !frame.receiver.is_broadcast() {
            if self.phase != Phase::None || self.response.is_some() {
                return;
            }
            let rate = cx.timing.response_rate(frame.rate);
            self.response = Some(self.frame(FrameKind::Ack, rate, frame.transmitter));
            cx.out.sifs = Some(cx.now + cx.timing.sifs);
            if self.repeats.is_one((frame.transmitter, Category::default()), frame.sequence) {
                return;
            }
        }
        packet.hops += 1;
        cx.out.received = Some(Leaving::One(packet, frame.transmitter));
    }

    fn on_ack(&mut self, cx: &mut MacContext) {
        if self.phase == Phase::Data
            && let Some(outgoing) = self.outgoing.take()
        {
            let payload = outgoing.packet.payload_bytes().unwrap_or(0);
            self.delivered_payload_bytes += u64::from(payload);
            cx.out.timer = Some(TimerChange::Cancel);
            self.end_exchange(cx);
        }
    }
}

impl Access for Tdma {
    fn is_free(&self) -> bool {
        self.outgoing.is_none()
    }

    fn on_packet(&mut self, cx: &mut MacContext, next_hop: NodeId, packet: Packet) {
        let sequence = self.next_sequence;
        self.next_sequence = sequence.wrapping_add(1);
        let rate = cx.timing.data_rate(next_hop);
        let airtime = cx.timing.data(packet.size_bytes, rate);
        let exchange = match next_hop.is_broadcast() {
            true => airtime,
            false => exchange(cx.timing, packet.size_bytes, rate),
        };
        self.outgoing =
            Some(Outgoing { packet, next_hop, sequence, rate, airtime, exchange, attempts: 0 });
        if self.phase == Phase::None {
            self.plan(cx);
        }
    }

    fn on_frame(&mut self, cx: &mut MacContext, mut frame: Frame) {
        match frame.kind {
            FrameKind::Data => self.on_data(cx, &mut frame),
            FrameKind::Ack => self.on_ack(cx),
            _ => {}
        }
        cx.payloads.recycle(frame.payload);
    }

    fn on_timer(&mut self, cx: &mut MacContext) {
        match self.phase {
            Phase::None if self.response.is_none() => self.send_data(cx),
            Phase::None => {}
            Phase::Data => self.on_data_over(cx),
            Phase::Ack => self.end_exchange(cx),
        }
    }

    fn on_sifs(&mut self, cx: &mut MacContext) {
        if let Some(ack) = self.response.take() {
            cx.counters.ack_sent += 1;
            let airtime = cx.timing.ack(ack.rate);
            self.send(cx, Phase::Ack, ack, airtime);
        }
    }

    fn next_step(&mut self, cx: &mut MacContext) -> bool {
        self.plan(cx);
        self.outgoing.is_none()
    }

    fn wants(&self, _: &Packet) -> bool {
        self.is_free()
    }

    fn data_packets(&self) -> u32 {
        self.outgoing.as_ref().map_or(0, |outgoing| u32::from(outgoing.packet.is_transport()))
    }

    fn delivered_payload_bytes(&self) -> u64 {
        self.delivered_payload_bytes
    }

    fn state(&self) -> (State, u32, u32) {
        let state = match self.phase {
            Phase::None if self.is_free() => State::Idle,
            Phase::None => State::Contending,
            Phase::Data => State::AwaitingAck,
            Phase::Ack => State::SendingAck,
        };
        (state, self.outgoing.as_ref().map_or(0, |outgoing| outgoing.attempts), 0)
    }
}

impl Defers for Tdma {}

impl Gathers for Tdma {}

/// From the start of a data frame with a packet of `packet_bytes` at `rate` to the end of its ACK.
pub fn exchange(timing: &Timing, packet_bytes: u32, rate: Rate) -> Duration {
    timing.data(packet_bytes, rate) + timing.sifs + timing.ack(timing.response_rate(rate))
}

#[cfg(test)]
mod tests;
