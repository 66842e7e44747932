//! One station that reserves slots.

use super::config::ReservationConfig;
use super::held::{Store, bit};
use super::timeline::{Mark, Timeline};
use crate::capture::State;
use crate::kernel::{Duration, Instant};
use crate::mac::access::{Access, Defers, Gathers};
use crate::mac::context::{Leaving, MacContext, TimerChange};
use crate::mac::timing::Timing;
use crate::wire::{Frame, FrameKind, NodeId, Packet, Payload, Rate};

/// A packet that has just come counts as one that has waited so long (s).
const LEAST_PACKET_S: f64 = 0.01;
/// Backoffs of broadcasts are drawn from so many slots of the PHY, as the DCF's first ones by DSSS
/// (IEEE Std 802.11-1999, 15.3.3: CWmin is 31).
const OPEN_WINDOW: u32 = 32;

/// What a station is in the slot that is under way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    /// None yet: it may ask.
    Free,
    /// It has won the countdown of this round, and asks this neighbour.
    Asking { next_hop: NodeId, is_granted: bool },
    /// It is to send.
    Sender { next_hop: NodeId, is_granted: bool },
    /// It is to receive.
    Receiver { from: NodeId, is_asked: bool, is_new: bool },
    /// The slot is open here: it is for broadcasts, by random access.
    Open,
}

/// What the timer is set for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Next {
    /// Nothing.
    Nothing,
    /// The slot begins.
    Slot,
    /// The calls for an open slot are made.
    Called,
    /// They have been passed on.
    Told,
    /// A round begins.
    Begin(u32),
    /// The countdown for a neighbour ends.
    Tone(u32, NodeId),
    /// Time to ask.
    Request(u32),
    /// What has come of requests is known.
    Object(u32),
    /// Who objects is known.
    Settle(u32),
    /// A data frame may begin.
    Data,
    /// The acknowledgment is due.
    Ack,
    /// The packet of this number may be returned to the sender.
    Return(u32),
    /// The acknowledgment of what was returned is due.
    Confirm,
    /// The slot in which frames were sent is over.
    End,
    /// A broadcast is over.
    Broadcast,
}

/// One station that reserves slots.
#[derive(Debug)]
pub struct Reserving {
    station: NodeId,
    timeline: Timeline,
    store: Store,
    /// How the countdown follows what waits.
    backlog_s: f64,
    power: f64,
    /// The probability with which it leaves the first round to others after a slot of its own.
    yields: f64,
    /// The last slot in which it has sent.
    last_sent: Option<u64>,
    /// The slot that `role` is of.
    slot: u64,
    role: Role,
    next: Next,
    /// What has come in this slot.
    received: u16,
    delivered_payload_bytes: u64,
}

impl Reserving {
    /// The idle station of address `station`.
    pub fn new(station: NodeId, config: &ReservationConfig, timing: &Timing) -> Reserving {
        // Clocks are off as their stations' numbers, scattered, have it.
        let share = f64::from(station.0.wrapping_mul(0x9e37_79b9)) / f64::from(u32::MAX);
        Reserving {
            station,
            timeline: config.timeline(timing).late(share, config),
            store: Store::default(),
            backlog_s: config.backlog_s,
            power: config.power,
            yields: config.yields,
            last_sent: None,
            slot: 0,
            role: Role::Free,
            next: Next::Nothing,
            received: 0,
            delivered_payload_bytes: 0,
        }
    }

    fn wait(&mut self, cx: &mut MacContext, next: Next, at: Instant) {
        self.next = next;
        cx.out.timer = Some(TimerChange::Set(at.max(cx.now)));
    }

    /// A new slot, if it is one.
    fn catch_up(&mut self, cx: &mut MacContext) {
        let slot = self.timeline.slot_at(cx.now);
        if slot != self.slot {
            (self.slot, self.role, self.received) = (slot, Role::Free, 0);
            cx.contention.stop_backoff();
        }
        cx.contention.watch();
    }

    /// Goes on in an open slot, or waits for the next one, if there is something to send.
    fn rest(&mut self, cx: &mut MacContext) {
        if self.role == Role::Open {
            self.contend(cx);
        }
        if self.store.is_empty() {
            self.next = Next::Nothing;
        } else {
            let begin = self.timeline.begin(self.timeline.slot_at(cx.now) + 1);
            self.wait(cx, Next::Slot, begin);
        }
    }

    /// Calls for an open slot if it has a broadcast.
    fn begin_slot(&mut self, cx: &mut MacContext) {
        self.give_up(cx);
        if self.store.has_broadcast() {
            self.role = Role::Open;
            self.send_tone(cx);
        }
        self.wait(cx, Next::Called, self.timeline.begin(self.slot) + self.timeline.place);
    }

    /// Passes on a call that it has sensed: those that would disturb the caller's neighbours are
    /// not all in the caller's reach.
    fn pass_on_call(&mut self, cx: &mut MacContext) {
        if self.role == Role::Free && self.is_called(cx) {
            self.role = Role::Open;
            self.send_tone(cx);
        }
        self.wait(cx, Next::Told, self.timeline.mark(self.slot, 0, Mark::Begin));
    }

    fn is_called(&self, cx: &MacContext) -> bool {
        !cx.contention.has_been_silent_since(self.timeline.begin(self.slot))
    }

    /// The slot is open if anyone nearby has said so.
    fn begin_rounds(&mut self, cx: &mut MacContext) {
        if self.role == Role::Open || self.is_called(cx) {
            self.role = Role::Open;
            return self.rest(cx);
        }
        self.begin_round(cx, 0);
    }

    /// Draws a backoff for the next broadcast, if there is one and time for it.
    fn contend(&mut self, cx: &mut MacContext) {
        if !cx.contention.is_backing_off() && self.store.has_broadcast() {
            let places = cx.rng.below(OPEN_WINDOW);
            cx.contention.start_backoff(cx.now, cx.timing.difs, places, cx.timing);
        }
    }

    /// The backoff of a broadcast is over.
    fn send_broadcast(&mut self, cx: &mut MacContext) {
        let left = self.timeline.begin(self.slot + 1).saturating_since(cx.now + self.timeline.gap);
        let rate = cx.timing.data_rate(NodeId::BROADCAST);
        let timing = cx.timing;
        let airtime = |packet: &Packet| timing.data(packet.size_bytes, rate);
        let Some(held) = self.store.take_broadcast(|held| airtime(&held.packet) <= left) else {
            return;
        };
        let over = cx.now + airtime(&held.packet);
        cx.contention.begin_exchange(cx.now, timing);
        cx.counters.broadcast_sent += 1;
        let payload = Some(cx.payloads.hold(Payload::Packet(held.packet)));
        let frame = self.frame(FrameKind::Data, rate, NodeId::BROADCAST);
        cx.out.transmit = Some(Frame { sequence: held.sequence, payload, ..frame });
        self.wait(cx, Next::Broadcast, over);
    }

    fn begin_round(&mut self, cx: &mut MacContext, round: u32) {
        let slot = self.slot;
        match self.role {
            Role::Free if round == 0 && self.gives_way(cx) => self.wait_for_next_round(cx, round),
            Role::Free => match self.draw(cx) {
                Some((place, next_hop)) => {
                    let at = self.timeline.mark(slot, round, Mark::Begin)
                        + self.timeline.place * u64::from(place);
                    self.wait(cx, Next::Tone(round, next_hop), at);
                }
                None => self.rest(cx),
            },
            Role::Sender { .. } => {
                let at = self.timeline.mark(slot, round, Mark::Request);
                self.wait(cx, Next::Request(round), at);
            }
            Role::Receiver { .. } => self.judge_later(cx, round),
            Role::Open | Role::Asking { .. } => self.rest(cx),
        }
    }

    /// Whether it leaves the first round to others.
    fn gives_way(&self, cx: &mut MacContext) -> bool {
        let has_just_sent = self.last_sent.is_some_and(|slot| slot + 1 == self.slot);
        self.timeline.rounds > 1 && has_just_sent && cx.rng.unit() < self.yields
    }

    /// Which neighbour to ask, and after how many places of the countdown: the sooner the more
    /// packets wait for it and the longer the first of them has.
    fn draw(&mut self, cx: &mut MacContext) -> Option<(u32, NodeId)> {
        let places = f64::from(self.timeline.places);
        let drawn = self.store.backlogs(cx.now).into_iter().map(|backlog| {
            let packet_s = f64::from(backlog.packets) * backlog.waited.as_secs_f64();
            let rate = ((packet_s + LEAST_PACKET_S) / self.backlog_s).powf(self.power);
            (cx.rng.exponential() / rate, backlog.next_hop)
        });
        let (time, next_hop) = drawn.min_by(|a, b| a.0.total_cmp(&b.0))?;
        let place = places * (1.0 - (-2.0 * time).exp());
        Some((place.min(places - 1.0) as u32, next_hop))
    }

    /// The countdown is over, and nobody was sooner: a tone tells so.
    fn on_tone(&mut self, cx: &mut MacContext, round: u32, next_hop: NodeId) {
        if self.role != Role::Free {
            return self.judge_later(cx, round);
        }
        let begun = self.timeline.mark(self.slot, round, Mark::Begin);
        if !cx.contention.has_been_silent_since(begun) {
            return self.wait_for_next_round(cx, round);
        }
        self.role = Role::Asking { next_hop, is_granted: false };
        let at = self.timeline.mark(self.slot, round, Mark::Request);
        self.wait(cx, Next::Request(round), at);
        self.send_tone(cx);
    }

    fn request(&mut self, cx: &mut MacContext, round: u32) {
        if let Role::Asking { next_hop, is_granted } | Role::Sender { next_hop, is_granted } =
            &mut self.role
        {
            *is_granted = false;
            let receiver = *next_hop;
            let rate = cx.timing.rts_rate();
            cx.counters.rts_sent += 1;
            cx.out.transmit = Some(self.frame(FrameKind::Rts, rate, receiver));
        }
        self.judge_later(cx, round);
    }

    fn judge_later(&mut self, cx: &mut MacContext, round: u32) {
        let at = self.timeline.mark(self.slot, round, Mark::Object);
        self.wait(cx, Next::Object(round), at);
    }

    /// All requests and grants of the round have been made.
    fn judge(&mut self, cx: &mut MacContext, round: u32) {
        let settled = self.timeline.mark(self.slot, round, Mark::Object) + self.timeline.place;
        self.wait(cx, Next::Settle(round), settled);
        match self.role {
            Role::Asking { next_hop, is_granted: false } => {
                self.store.on_unanswered(cx.now, next_hop);
                self.role = Role::Free;
            }
            Role::Sender { is_granted: false, .. } => self.send_tone(cx),
            Role::Receiver { is_asked: false, is_new: false, .. } => {
                // With nothing on the air its sender has withdrawn.
                let asked = self.timeline.mark(self.slot, round, Mark::Request);
                match cx.contention.has_been_silent_since(asked) {
                    true => self.role = Role::Free,
                    false => self.send_tone(cx),
                }
            }
            _ => {}
        }
    }

    /// All objections of the round have been made.
    fn settle(&mut self, cx: &mut MacContext, round: u32) {
        let since = self.timeline.mark(self.slot, round, Mark::Object);
        let is_quiet = cx.contention.has_been_silent_since(since);
        self.role = match self.role {
            Role::Asking { next_hop, is_granted: true } if is_quiet => {
                Role::Sender { next_hop, is_granted: true }
            }
            Role::Asking { .. } => Role::Free,
            Role::Receiver { is_new: true, .. } if !is_quiet => Role::Free,
            Role::Receiver { from, .. } => Role::Receiver { from, is_asked: false, is_new: false },
            other => other,
        };
        self.wait_for_next_round(cx, round);
    }

    fn wait_for_next_round(&mut self, cx: &mut MacContext, round: u32) {
        if round + 1 < self.timeline.rounds {
            let at = self.timeline.mark(self.slot, round + 1, Mark::Begin);
            return self.wait(cx, Next::Begin(round + 1), at);
        }
        match self.role {
            Role::Sender { .. } => self.wait(cx, Next::Data, self.timeline.data(self.slot)),
            Role::Receiver { .. } => self.wait(cx, Next::Ack, self.timeline.acks(self.slot)),
            _ => self.rest(cx),
        }
    }

    /// Sends the next packet for the neighbour that has granted it, if one fits.
    fn send_data(&mut self, cx: &mut MacContext) {
        let Role::Sender { next_hop, .. } = self.role else { return self.rest(cx) };
        let Some(part_end) = self.timeline.part_end(self.slot, cx.now) else {
            return match self.timeline.confirms(self.slot) {
                Some(at) => self.wait(cx, Next::Confirm, at),
                None => self.wait_for_end(cx),
            };
        };
        let room = part_end.saturating_since(cx.now + self.timeline.gap);
        let Some(airtime) = self.send_next(cx, next_hop, room) else {
            // Frames begin together with those of others, as the requests did: one that begins
            // amid them could find its receiver following another.
            return self.wait(cx, Next::Data, part_end);
        };
        self.last_sent = Some(self.slot);
        let over = cx.now + airtime + cx.timing.sifs;
        self.wait(cx, Next::Data, over);
    }

    /// Sends the next packet for `peer` that takes `room` at most, and says how long it takes.
    fn send_next(&mut self, cx: &mut MacContext, peer: NodeId, room: Duration) -> Option<Duration> {
        let (rate, timing) = (cx.timing.data_rate(peer), cx.timing);
        let airtime = |packet: &Packet| timing.data(packet.size_bytes, rate);
        let held = self.store.next(peer, |held| airtime(&held.packet) <= room)?;
        held.is_sent = true;
        let (sequence, packet) = (held.sequence, held.packet.clone());
        let taken = airtime(&packet);
        cx.counters.data_sent += 1;
        let payload = Some(cx.payloads.hold(Payload::Packet(packet)));
        let frame = Frame { sequence, payload, ..self.frame(FrameKind::Data, rate, peer) };
        cx.out.transmit = Some(frame);
        Some(taken)
    }

    fn wait_for_end(&mut self, cx: &mut MacContext) {
        self.wait(cx, Next::End, self.timeline.begin(self.slot + 1));
    }

    fn send_ack(&mut self, cx: &mut MacContext) {
        let Role::Receiver { from, .. } = self.role else { return self.rest(cx) };
        self.acknowledge(cx, from);
        match self.timeline.returns(self.slot, 0) {
            Some(at) => self.wait(cx, Next::Return(0), at),
            None => self.rest(cx),
        }
    }

    /// Says which frames of `peer` have come in this slot, if any.
    fn acknowledge(&self, cx: &mut MacContext, peer: NodeId) {
        if self.received != 0 {
            let rate = cx.timing.response_rate(cx.timing.data_rate(peer));
            let ack = self.frame(FrameKind::Ack, rate, peer);
            cx.counters.ack_sent += 1;
            cx.out.transmit = Some(Frame { sequence: self.received, ..ack });
        }
    }

    /// Returns the next short packet to the sender, at the same time as others do.
    fn send_return(&mut self, cx: &mut MacContext, number: u32) {
        let Role::Receiver { from, .. } = self.role else { return self.rest(cx) };
        let is_sent = self.send_next(cx, from, self.timeline.return_room()).is_some();
        match self.timeline.returns(self.slot, number + 1).filter(|_| is_sent) {
            Some(at) => self.wait(cx, Next::Return(number + 1), at),
            None => self.wait_for_end(cx),
        }
    }

    /// Acknowledges what was returned.
    fn confirm(&mut self, cx: &mut MacContext) {
        if let Role::Sender { next_hop, .. } = self.role {
            self.acknowledge(cx, next_hop);
        }
        self.wait_for_end(cx);
    }

    /// The slot in which the station has sent data is over.
    fn end_slot(&mut self, cx: &mut MacContext) {
        self.store.end_slot();
        cx.out.step = true;
        if self.store.is_empty() {
            self.next = Next::Nothing;
        } else {
            self.begin_slot(cx);
        }
    }

    fn end_broadcast(&mut self, cx: &mut MacContext) {
        cx.contention.end_exchange(cx.now);
        cx.out.step = true;
        self.rest(cx);
    }

    fn send_tone(&self, cx: &mut MacContext) {
        cx.out.transmit = Some(self.frame(FrameKind::Tone, cx.timing.rts_rate(), self.station));
    }

    fn frame(&self, kind: FrameKind, rate: Rate, receiver: NodeId) -> Frame {
        Frame::new(kind, rate, self.station, receiver)
    }

    /// `transmitter` asks this station.
    fn on_request(&mut self, cx: &mut MacContext, transmitter: NodeId) {
        let Some(round) = self.timeline.round_at(self.slot, cx.now) else { return };
        match &mut self.role {
            Role::Free => {
                self.role = Role::Receiver { from: transmitter, is_asked: true, is_new: true };
                self.judge_later(cx, round);
                cx.out.sifs = Some(self.timeline.mark(self.slot, round, Mark::Grant).max(cx.now));
            }
            Role::Receiver { from, is_asked, .. } if *from == transmitter => {
                *is_asked = true;
                cx.out.sifs = Some(self.timeline.mark(self.slot, round, Mark::Grant).max(cx.now));
            }
            _ => {}
        }
    }

    fn on_grant(&mut self, transmitter: NodeId) {
        if let Role::Asking { next_hop, is_granted, .. } | Role::Sender { next_hop, is_granted, .. } =
            &mut self.role
            && *next_hop == transmitter
        {
            *is_granted = true;
            self.store.on_granted(transmitter);
        }
    }

    fn on_data(&mut self, cx: &mut MacContext, frame: &mut Frame) {
        let Some(mut packet) = frame.take_packet() else { return };
        if frame.receiver.is_broadcast() {
            // One that had nothing to send, and listened to no call.
            if self.role == Role::Free {
                self.role = Role::Open;
            }
        } else {
            self.received |= bit(frame.sequence);
            if self.store.is_repeat(frame.transmitter, frame.sequence) {
                return;
            }
        }
        packet.hops += 1;
        cx.out.received = Some(Leaving::One(packet, frame.transmitter));
    }

    fn on_ack(&mut self, cx: &mut MacContext, transmitter: NodeId, bitmap: u16) {
        for held in self.store.remove_acknowledged(transmitter, bitmap) {
            let payload = held.packet.payload_bytes().unwrap_or(0);
            self.delivered_payload_bytes += u64::from(payload);
        }
        cx.out.step = true;
    }

    /// Gives up a packet that has failed, if there is one.
    fn give_up(&mut self, cx: &mut MacContext) {
        if cx.out.failed.is_some() {
            return;
        }
        if let Some(held) = self.store.take_failed(cx.now, cx.timing.short_retry_limit) {
            cx.counters.retry_drops += 1;
            self.store.forget(held.next_hop);
            cx.out.failed = Some(Leaving::One(held.packet, held.next_hop));
            cx.out.step = true;
        }
    }
}

impl Access for Reserving {
    fn is_free(&self) -> bool {
        self.store.is_empty()
    }

    fn on_packet(&mut self, cx: &mut MacContext, next_hop: NodeId, packet: Packet) {
        self.catch_up(cx);
        let airtime = cx.timing.data(packet.size_bytes, cx.timing.data_rate(next_hop));
        self.store.add(cx.now, packet, next_hop, airtime <= self.timeline.room());
        if self.next == Next::Nothing {
            self.rest(cx);
        } else if self.role == Role::Open && self.next == Next::Slot {
            self.contend(cx);
        }
    }

    fn on_frame(&mut self, cx: &mut MacContext, mut frame: Frame) {
        self.catch_up(cx);
        self.store.on_heard(cx.now, frame.transmitter);
        match frame.kind {
            FrameKind::Rts => self.on_request(cx, frame.transmitter),
            FrameKind::Cts => self.on_grant(frame.transmitter),
            FrameKind::Data => self.on_data(cx, &mut frame),
            FrameKind::Ack => self.on_ack(cx, frame.transmitter, frame.sequence),
            _ => {}
        }
        cx.payloads.recycle(frame.payload);
    }

    fn on_timer(&mut self, cx: &mut MacContext) {
        self.catch_up(cx);
        match std::mem::replace(&mut self.next, Next::Nothing) {
            Next::Nothing => {}
            Next::Slot => self.begin_slot(cx),
            Next::Called => self.pass_on_call(cx),
            Next::Told => self.begin_rounds(cx),
            Next::Begin(round) => self.begin_round(cx, round),
            Next::Tone(round, next_hop) => self.on_tone(cx, round, next_hop),
            Next::Request(round) => self.request(cx, round),
            Next::Object(round) => self.judge(cx, round),
            Next::Settle(round) => self.settle(cx, round),
            Next::Data => self.send_data(cx),
            Next::Ack => self.send_ack(cx),
            Next::Return(number) => self.send_return(cx, number),
            Next::Confirm => self.confirm(cx),
            Next::End => self.end_slot(cx),
            Next::Broadcast => self.end_broadcast(cx),
        }
    }

    fn on_sifs(&mut self, cx: &mut MacContext) {
        if let Role::Receiver { from, is_asked: true, .. } = self.role {
            let rate = cx.timing.rts_rate();
            cx.counters.cts_sent += 1;
            cx.out.transmit = Some(self.frame(FrameKind::Cts, rate, from));
        }
    }

    fn on_turn(&mut self, cx: &mut MacContext) {
        self.catch_up(cx);
        // A backoff that runs out as the slot ends is void.
        if self.role == Role::Open {
            self.send_broadcast(cx);
        }
    }

    fn next_step(&mut self, cx: &mut MacContext) -> bool {
        if self.next == Next::Nothing {
            self.rest(cx);
        }
        self.store.has_room()
    }

    fn wants(&self, _: &Packet) -> bool {
        self.store.has_room()
    }

    fn data_packets(&self) -> u32 {
        self.store.packets().filter(|held| held.packet.is_transport()).count() as u32
    }

    fn delivered_payload_bytes(&self) -> u64 {
        self.delivered_payload_bytes
    }

    fn state(&self) -> (State, u32, u32) {
        let state = match self.role {
            _ if self.next == Next::Nothing => State::Idle,
            Role::Sender { .. } => State::AwaitingAck,
            Role::Receiver { .. } => State::SendingAck,
            _ => State::Contending,
        };
        let attempts = self.store.packets().map(|held| held.attempts).max();
        (state, attempts.unwrap_or(0), 0)
    }
}

impl Defers for Reserving {
    fn on_overheard(&mut self, cx: &mut MacContext, frame: &Frame) {
        self.store.on_heard(cx.now, frame.transmitter);
    }
}

impl Gathers for Reserving {}
