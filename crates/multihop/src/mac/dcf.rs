//! The 802.11 distributed coordination function (IEEE Std 802.11-1999 9.2), as ns-2.35 runs it.
//!
//! One station's frame exchanges: RTS, CTS, DATA, ACK, retries and their limits.
//! [`Contention`](super::Contention) has carrier sense and the backoff timer.
//!
//! Deviation (`ns2` profile, each with its effect):
//! - A backoff is drawn for every packet, even if the medium has long been idle: +15 slots at light
//!   load.
//! - A backoff is uniform on 0..CW-1, not 0..CW: half a slot less.
//! - A CTS is withheld if the medium is busy at the receiver after SIFS, not only if the NAV is
//!   set, and the NAV is checked after SIFS, not when the RTS arrives: more unanswered RTS.
//! - After a CTS, DATA is not sent if the medium is busy; the RTS is repeated with CW doubled.
//! - After a packet is given up, no backoff is drawn unless another packet waits.
//! - The long retry counter is not reset when a packet is given up for lack of a CTS.

mod admission;
mod admitting;
mod aggregates;
mod aggregating;
mod category;
mod outgoing;
mod role;
mod sending;
mod window;

use super::Admission;
use super::access::{Access, Defers};
use super::admission::Answer;
use super::context::{Leaving, MacContext, Phase, TimerChange};
use super::rates::RateControl;
use super::repeats::Repeats;
use super::timing::Timing;
use crate::capture::State;
use crate::kernel::Duration;
use crate::measure::{BackoffCause, BackoffCounts};
use crate::profile::Profile;
use crate::wire::{Frame, FrameKind, NodeId, Notice, Packet};
use admitting::Admitting;
use aggregating::Aggregating;
use outgoing::{Outgoing, reached};
use role::{Role, Sole};

pub(in crate::mac) use category::OneCategory;
pub(in crate::mac) use window::UnderRule;

/// One station's DCF, or that of one of its access categories.
#[derive(Debug)]
pub struct Dcf<R = Sole> {
    role: R,
    node: NodeId,
    phase: Phase,
    outgoing: Option<Outgoing>,
    /// The CTS or ACK to send after SIFS.
    response: Option<Frame>,
    sifs_running: bool,
    /// The current step began with a missing response.
    response_missing: bool,
    cw: u32,
    short_retries: u32,
    long_retries: u32,
    next_sequence: u16,
    backoffs: BackoffCounts,
    repeats: Repeats,
    /// Payload of the packets that were acknowledged \[bytes\].
    delivered_payload_bytes: u64,
    /// Hop-by-hop admission, if this station uses it.
    admitting: Option<Box<Admitting>>,
    /// The choice of rates, if they are not fixed.
    rates: Option<Box<RateControl>>,
    /// What A-MPDUs need, if frames are aggregated.
    aggregating: Option<Box<Aggregating>>,
}

impl<R: Role> Dcf<R> {
    /// An idle station, whose rates `rates` chooses if they are not fixed, under the rules of
    /// `admission` if it has any.
    pub fn new(
        node: NodeId,
        timing: &Timing,
        rates: Option<RateControl>,
        admission: Option<Admission>,
    ) -> Dcf<R> {
        Dcf {
            role: R::default(),
            node,
            phase: Phase::None,
            outgoing: None,
            response: None,
            sifs_running: false,
            response_missing: false,
            cw: timing.cw_min,
            short_retries: 0,
            long_retries: 0,
            next_sequence: 1,
            backoffs: BackoffCounts::default(),
            repeats: Repeats::default(),
            delivered_payload_bytes: 0,
            admitting: admission.map(|admission| Box::new(Admitting::new(admission))),
            rates: rates.map(Box::new),
            aggregating: timing.aggregation.map(|_| Box::default()),
        }
    }
}

impl<R: Role> Access for Dcf<R> {
    fn is_free(&self) -> bool {
        self.outgoing.is_none()
    }

    fn on_packet(&mut self, cx: &mut MacContext, next_hop: NodeId, packet: Packet) {
        let uses_rts = !next_hop.is_broadcast() && cx.timing.uses_rts(packet.size_bytes);
        let sequence = self.next_sequence;
        self.next_sequence = sequence.wrapping_add(1);
        let rate = match &mut self.rates {
            Some(rates) if !next_hop.is_broadcast() => rates.first(next_hop, cx.now),
            _ => cx.timing.data_rate(next_hop),
        };
        let airtime = cx.timing.data(packet.size_bytes, rate);
        let own_cts = !uses_rts && cx.timing.is_protected(rate);
        let uses_rts = uses_rts || own_cts;
        self.outgoing = Some(Outgoing {
            packet,
            next_hop,
            sequence,
            rate,
            airtime,
            uses_rts,
            rts_due: uses_rts,
            own_cts,
            longer_answer: Duration::ZERO,
        });
        if self.aggregating.is_some() {
            self.begin_window();
        }
        if cx.timing.profile == Profile::Standard {
            (self.short_retries, self.long_retries) = (0, 0);
        }
        if self.admitting.is_some() && self.defers_at_first(cx) {
            return;
        }
        self.contend(cx);
    }

    fn on_frame(&mut self, cx: &mut MacContext, mut frame: Frame) {
        cx.contention.on_received();
        if self.admitting.is_some() {
            self.hear(cx, &frame);
        }
        match frame.kind {
            FrameKind::Rts => self.on_rts(cx, &frame),
            FrameKind::Cts => self.on_cts(cx, &frame),
            FrameKind::Data => self.on_data(cx, &mut frame),
            FrameKind::Ack => self.on_ack(cx),
            FrameKind::BlockAck => self.on_block_ack(cx, &frame),
            FrameKind::Aggregate => self.on_aggregate(cx, &frame),
            FrameKind::Ethernet | FrameKind::Tone => {}
        }
        cx.payloads.recycle(frame.payload);
    }

    fn on_timer(&mut self, cx: &mut MacContext) {
        match self.phase {
            Phase::Rts => self.on_missing_cts(cx),
            Phase::Data => self.on_data_over(cx),
            Phase::Cts => self.on_grant_unused(),
            Phase::OwnCts => self.on_own_cts_over(),
            Phase::Ack => {}
            Phase::None => return,
        }
        cx.out.step = true;
    }

    fn on_sifs(&mut self, cx: &mut MacContext) {
        self.sifs_running = false;
        match self.response.take() {
            Some(cts) if cts.kind == FrameKind::Cts => self.send_cts(cx, cts),
            Some(rts) if rts.kind == FrameKind::Rts => self.send_refusal(cx),
            Some(answer) if answer.kind == FrameKind::BlockAck => self.send_block_ack(cx, answer),
            Some(ack) => self.send_ack(cx, ack),
            None if self.outgoing.is_some() => self.send_data(cx),
            None => {}
        }
    }

    fn on_turn(&mut self, cx: &mut MacContext) {
        match &self.outgoing {
            Some(outgoing) if outgoing.rts_due && outgoing.own_cts => self.send_own_cts(cx),
            Some(outgoing) if outgoing.rts_due => self.send_rts(cx),
            Some(_) => self.send_data(cx),
            None => {}
        }
    }

    fn next_step(&mut self, cx: &mut MacContext) -> bool {
        let wants_packet = self.go_on(cx);
        if !wants_packet {
            self.end_step(cx);
        }
        wants_packet
    }

    fn end_step(&mut self, cx: &mut MacContext) {
        self.phase = Phase::None;
        let idle_from = match (cx.timing.profile, std::mem::take(&mut self.response_missing)) {
            (Profile::Standard, true) => cx.now - self.role.overdue(cx.timing),
            _ => cx.now,
        };
        cx.contention.end_exchange(idle_from);
    }

    fn wants(&self, packet: &Packet) -> bool {
        self.outgoing.is_none() && !(self.is_holding() && packet.is_transport())
    }

    fn data_packets(&self) -> u32 {
        let more = self.aggregating.as_ref().map_or(0, |state| state.data_packets());
        self.plain_data_packets() + more
    }

    fn delivered_payload_bytes(&self) -> u64 {
        self.delivered_payload_bytes
    }

    fn state(&self) -> (State, u32, u32) {
        let state = match self.phase {
            Phase::None if self.is_free() => State::Idle,
            Phase::None => State::Contending,
            Phase::Rts => State::AwaitingCts,
            Phase::Cts | Phase::OwnCts => State::AwaitingData,
            Phase::Data => State::AwaitingAck,
            Phase::Ack => State::SendingAck,
        };
        (state, self.short_retries + self.long_retries, self.cw)
    }

    fn backoffs(&self) -> BackoffCounts {
        self.backoffs
    }

    fn rates(&self) -> Option<&RateControl> {
        self.rates.as_deref()
    }

    fn order_rate(&mut self, most_bps: f64) {
        if let Some(rates) = &mut self.rates {
            rates.order(most_bps);
        }
    }

    fn on_power(&mut self, neighbour: NodeId, power_w: f64) {
        if let Some(rates) = &mut self.rates {
            rates.on_heard(neighbour, power_w);
        }
    }
}

impl<R: Role> Dcf<R> {
    /// Makes sure that the packet in service contends, now or after the SIFS in progress.
    fn contend(&mut self, cx: &mut MacContext) {
        if cx.contention.is_backing_off() {
            return;
        }
        if !cx.contention.is_idle(cx.now) {
            self.start_backoff(cx, Duration::ZERO, BackoffCause::Busy);
        } else if !self.sifs_running {
            match cx.timing.profile {
                Profile::Standard if cx.contention.has_been_idle(cx.now, cx.timing) => {
                    cx.contention.start_backoff(cx.now, Duration::ZERO, 0, cx.timing);
                }
                _ => self.start_backoff(cx, cx.timing.difs, BackoffCause::Idle),
            }
        } else if cx.timing.profile == Profile::Standard {
            self.start_backoff(cx, cx.timing.difs, BackoffCause::Busy);
        }
    }

    /// Starts the next response, attempt or packet. Returns whether there is none.
    fn go_on(&mut self, cx: &mut MacContext) -> bool {
        if self.response.is_some() {
            self.start_sifs(cx);
            return false;
        }
        if self.outgoing.is_none() && self.is_holding() {
            self.reconsider(cx);
        }
        let Some(outgoing) = &self.outgoing else { return true };
        if !cx.contention.is_backing_off() {
            if outgoing.uses_rts && !outgoing.rts_due {
                self.start_sifs(cx);
            } else {
                // It waited for an exchange with a neighbour to end.
                self.start_backoff(cx, cx.timing.difs, BackoffCause::Busy);
            }
        }
        false
    }

    fn on_rts(&mut self, cx: &mut MacContext, rts: &Frame) {
        if self.phase != Phase::None || self.response.is_some() {
            return;
        }
        if cx.timing.profile == Profile::Standard && cx.contention.nav_is_set(cx.now) {
            return;
        }
        let (kind, notice) = match self.answer_to(cx, rts) {
            Answer::Cts => (FrameKind::Cts, Notice::None),
            Answer::Ctsc => (FrameKind::Cts, Notice::Congested),
            Answer::OwnRts => (FrameKind::Rts, Notice::None),
            Answer::Silence => return,
        };
        let rate = cx.timing.response_rate(rts.rate);
        let duration_us = cx.timing.cts_duration_us(rts.duration_us, rate);
        self.response = Some(self.control(kind, rate, rts.transmitter, duration_us, notice));
        cx.out.step = true;
    }

    fn on_cts(&mut self, cx: &mut MacContext, cts: &Frame) {
        if self.phase != Phase::Rts {
            return;
        }
        self.on_granted(cts.transmitter, cts.notice);
        let outgoing = self.outgoing.as_mut().expect("an RTS was sent for a packet");
        outgoing.rts_due = false;
        self.short_retries = 0;
        cx.out.timer = Some(TimerChange::Cancel);
        cx.out.step = true;
    }

    fn on_data(&mut self, cx: &mut MacContext, frame: &mut Frame) {
        let mut packet = frame.take_packet().expect("a data frame carries a packet");
        if !frame.receiver.is_broadcast() {
            let answers_cts = self.phase == Phase::Cts;
            let expected =
                answers_cts || self.phase == Phase::None && !cx.timing.uses_rts(packet.size_bytes);
            if !expected || self.response.is_some() {
                return;
            }
            if answers_cts {
                self.on_granted_data();
                cx.out.timer = Some(TimerChange::Cancel);
            }
            let rate = cx.timing.response_rate(frame.rate);
            let ack = self.control(FrameKind::Ack, rate, frame.transmitter, 0, Notice::None);
            self.response = Some(ack);
            cx.out.step = true;
            if self.aggregating.is_some() {
                return self.take_in_order(cx, (frame.transmitter, frame.sequence), packet);
            }
            if self.repeats.is_one((frame.transmitter, self.role.category()), frame.sequence) {
                return;
            }
        }
        packet.hops += 1;
        cx.out.received = Some(Leaving::One(packet, frame.transmitter));
    }

    fn on_ack(&mut self, cx: &mut MacContext) {
        if self.phase != Phase::Data {
            return;
        }
        let outgoing = self.outgoing.take().expect("a data frame was sent");
        if let Some(rates) = &mut self.rates {
            rates.on_result(outgoing.next_hop, outgoing.rate, true);
        }
        *self.retries_of(cx.timing, outgoing.packet.size_bytes) = 0;
        self.delivered_payload_bytes += u64::from(outgoing.packet.payload_bytes().unwrap_or(0));
        self.on_done(cx, &outgoing, true);
        if self.aggregating.is_some() {
            self.on_first_delivered(cx, outgoing.next_hop);
        }
        self.cw = self.cw_min(cx.timing);
        cx.out.timer = Some(TimerChange::Cancel);
        self.start_backoff(cx, Duration::ZERO, BackoffCause::Post);
        cx.out.step = true;
    }

    fn on_missing_cts(&mut self, cx: &mut MacContext) {
        self.response_missing = true;
        self.short_retries += 1;
        self.on_unanswered();
        self.on_no_answer();
        if reached(self.short_retries, cx.timing.short_retry_limit) {
            self.short_retries = 0;
            self.give_up(cx);
        } else {
            self.back_off_longer(cx, BackoffCause::Retry);
        }
    }

    /// A data frame has been sent and no ACK has come; none was due for a broadcast.
    fn on_data_over(&mut self, cx: &mut MacContext) {
        let outgoing = self.outgoing.as_mut().expect("a data frame was sent");
        if outgoing.next_hop.is_broadcast() {
            self.outgoing = None;
            self.cw = self.cw_min(cx.timing);
            self.start_backoff(cx, Duration::ZERO, BackoffCause::Post);
            return;
        }
        if self.aggregating.is_some() {
            if self.is_aggregate() {
                return self.on_aggregate_over(cx);
            }
            self.on_unanswered();
        }
        let outgoing = self.outgoing.as_mut().expect("a data frame was sent");
        self.response_missing = true;
        outgoing.rts_due = outgoing.uses_rts;
        if let Some(rates) = &mut self.rates {
            rates.on_result(outgoing.next_hop, outgoing.rate, false);
            outgoing.rate = rates.again(outgoing.next_hop);
            outgoing.airtime = cx.timing.data(outgoing.packet.size_bytes, outgoing.rate);
        }
        let size = outgoing.packet.size_bytes;
        let limit = cx.timing.retry_limit(size);
        let retries = self.retries_of(cx.timing, size);
        *retries += 1;
        if reached(*retries, limit) {
            *retries = 0;
            self.give_up(cx);
        } else {
            self.back_off_longer(cx, BackoffCause::Retry);
        }
    }

    #[cold]
    fn on_own_cts_over(&mut self) {
        if let Some(outgoing) = &mut self.outgoing {
            outgoing.rts_due = false;
        }
    }

    fn give_up(&mut self, cx: &mut MacContext) {
        cx.counters.retry_drops += 1;
        self.cw = self.cw_min(cx.timing);
        if cx.timing.profile == Profile::Standard {
            self.start_backoff(cx, Duration::ZERO, BackoffCause::Post);
        }
        let outgoing = self.outgoing.take().expect("a packet to give up");
        self.on_done(cx, &outgoing, false);
        cx.out.failed = Some(Leaving::One(outgoing.packet, outgoing.next_hop));
        if self.aggregating.is_some() {
            self.on_first_given_up(cx, outgoing.next_hop);
        }
    }

    fn start_sifs(&mut self, cx: &mut MacContext) {
        self.sifs_running = true;
        cx.out.sifs = Some(cx.now + cx.timing.sifs);
    }

    fn back_off_longer(&mut self, cx: &mut MacContext, cause: BackoffCause) {
        self.cw = (2 * self.cw + 1).min(cx.timing.cw_max);
        self.start_backoff(cx, Duration::ZERO, cause);
    }

    #[inline]
    fn start_backoff(&mut self, cx: &mut MacContext, lead: Duration, cause: BackoffCause) {
        let choices = self.choices(cx.timing.profile);
        cx.counters.backoffs += 1;
        self.backoffs.count(cause);
        cx.contention.start_backoff(cx.now, lead, cx.rng.below(choices), cx.timing);
    }

    fn retries_of(&mut self, timing: &Timing, packet_bytes: u32) -> &mut u32 {
        if timing.counts_as_long(packet_bytes) {
            &mut self.long_retries
        } else {
            &mut self.short_retries
        }
    }
}

#[cfg(test)]
mod tests;
