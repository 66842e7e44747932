//! DCF with A-MPDUs: how several packets for one neighbour are sent, answered and received
//! together.
//!
//! `dcf.rs` calls in here where a station may have more than one packet in service; without
//! aggregation each call costs one test. The first packet in service is DCF's own, with the
//! station's retry counters; the others are in the [`Window`]. One packet alone goes as plain data,
//! with an ACK.
//!
//! Each packet counts its own attempts in vain, against the limit of its size. An RTS without a CTS
//! counts for all of them: at the limit all are given up. Packets join those in service when the
//! station's turn comes, unless the last attempt stayed without any answer.

use super::Dcf;
use super::aggregating::Aggregating;
use super::outgoing::{Outgoing, reached};
use super::role::Role;
use crate::kernel::Duration;
use crate::mac::access::Gathers;
use crate::mac::aggregation::{Room, Several, Waiting};
use crate::mac::context::{Leaving, MacContext, Phase, TimerChange};
use crate::mac::timing::Timing;
use crate::measure::BackoffCause;
use crate::profile::Profile;
use crate::wire::{Aggregate, Frame, FrameKind, Mpdu, MpduSet, NodeId, Notice, Packet, Payload};

impl<R: Role> Gathers for Dcf<R> {
    #[cold]
    fn room(&self, timing: &Timing) -> Option<Room> {
        let state = self.aggregating.as_ref()?;
        let window = &state.window;
        let outgoing = self.outgoing.as_ref().filter(|first| !first.next_hop.is_broadcast())?;
        let limits = timing.aggregation?;
        if !window.has_room(outgoing.next_hop, outgoing.sequence, &limits) {
            return None;
        }
        let sizes = window.others.iter().map(|other| other.packet.size_bytes);
        let sizes = std::iter::once(outgoing.packet.size_bytes).chain(sizes);
        let before = sizes.fold(0, |before, bytes| timing.aggregate_bytes(before, bytes));
        Some(Room {
            next_hop: outgoing.next_hop,
            bytes: timing.aggregate_room(before, outgoing.rate, state.most_time)?,
            may_overtake: !window.is_begun,
        })
    }

    fn on_more(&mut self, packet: Packet) {
        let (Some(state), Some(outgoing)) = (&mut self.aggregating, &self.outgoing) else { return };
        let sequence = state.window.number(outgoing.next_hop);
        state.window.others.push_back(Waiting { sequence, attempts: 0, packet });
    }

    #[cold]
    fn prepare(&mut self, timing: &Timing) {
        let (Some(state), Some(outgoing)) = (&mut self.aggregating, &mut self.outgoing) else {
            return;
        };
        let most_time = state.most_time;
        let window = &mut state.window;
        window.in_frame = 1;
        outgoing.longer_answer = Duration::ZERO;
        if window.others.is_empty() {
            return;
        }
        let most = timing.aggregation.map_or(1, |limits| limits.mpdus);
        let rate = outgoing.rate;
        let first = outgoing.packet.size_bytes;
        let mut bytes = timing.aggregate_bytes(0, first);
        for other in window.others.iter().take(most - 1) {
            let size = other.packet.size_bytes;
            if timing.aggregate_room(bytes, rate, most_time).is_none_or(|room| room < size) {
                break;
            }
            bytes = timing.aggregate_bytes(bytes, size);
            window.in_frame += 1;
        }
        (outgoing.airtime, outgoing.uses_rts) = match window.in_frame {
            1 => (timing.data(first, rate), timing.uses_rts(first)),
            _ => (timing.aggregate_airtime(bytes, rate), timing.aggregate_uses_rts(bytes)),
        };
        outgoing.longer_answer = match window.in_frame {
            1 => Duration::ZERO,
            _ => timing.longer_block_ack(rate),
        };
        outgoing.rts_due = outgoing.uses_rts;
    }

    fn several(&mut self) -> Option<&mut Several> {
        self.aggregating.as_mut().map(|state| &mut state.several)
    }

    fn on_hold_over(&mut self, cx: &mut MacContext) {
        let Some(state) = &mut self.aggregating else { return };
        for place in 0..state.reorders.len() {
            let ((neighbour, _), reorder) = &mut state.reorders[place];
            reorder.on_hold_over(cx.now, &mut state.up);
            let (neighbour, due) = (*neighbour, reorder.due());
            state.hand_up(neighbour, due);
        }
        cx.out.received = Some(Leaving::Several);
    }
}

impl<R: Role> Dcf<R> {
    /// A packet has been handed over for a neighbour: it is the first of those in service.
    #[cold]
    pub(super) fn begin_window(&mut self) {
        let (Some(state), Some(outgoing)) = (&mut self.aggregating, &mut self.outgoing) else {
            return;
        };
        state.window.is_begun = false;
        state.window.is_unanswered = false;
        state.window.in_frame = 1;
        if !outgoing.next_hop.is_broadcast() {
            outgoing.sequence = state.window.number(outgoing.next_hop);
        }
    }

    /// Whether the present frame is an A-MPDU.
    pub(super) fn is_aggregate(&self) -> bool {
        self.aggregating.as_ref().is_some_and(|state| state.is_aggregate())
    }

    /// Sends the present frame, which is an A-MPDU.
    #[cold]
    pub(super) fn send_aggregate(&mut self, cx: &mut MacContext) {
        let first_attempts = self.first_attempts(cx.timing);
        let (Some(state), Some(first)) = (&self.aggregating, &self.outgoing) else { return };
        let (window, rate, airtime) = (&state.window, first.rate, first.airtime);
        let others =
            window.others.iter().map(|other| (other.sequence, other.attempts, &other.packet));
        let all = std::iter::once((first.sequence, first_attempts, &first.packet)).chain(others);
        let mut bytes = 0;
        let mpdus = all.take(window.in_frame).map(|(sequence, attempts, packet)| {
            bytes = cx.timing.aggregate_bytes(bytes, packet.size_bytes);
            let end = cx.timing.aggregate_end(bytes, rate);
            Mpdu { sequence, attempts, end, packet: packet.clone() }
        });
        let mut list = cx.payloads.list();
        list.extend(mpdus);
        cx.counters.data_sent += 1;
        cx.counters.aggregates_sent += 1;
        cx.counters.aggregated_sent += list.len() as u64;
        let aggregate = Payload::Aggregate(Aggregate { mpdus: list, received: MpduSet::ALL });
        let frame = Frame {
            kind: FrameKind::Aggregate,
            rate,
            transmitter: self.node,
            receiver: first.next_hop,
            duration_us: cx.timing.aggregate_duration_us(rate),
            sequence: first.sequence,
            notice: Notice::None,
            payload: Some(cx.payloads.hold(aggregate)),
        };
        self.send(cx, Phase::Data, frame, cx.timing.block_ack_timeout(rate, airtime));
    }

    /// An A-MPDU for this station has been received, or some of its MPDUs.
    #[cold]
    pub(super) fn on_aggregate(&mut self, cx: &mut MacContext, frame: &Frame) {
        let (Some(state), Some(aggregate)) = (&mut self.aggregating, frame.aggregate()) else {
            return;
        };
        let answers_cts = self.phase == Phase::Cts;
        if !answers_cts && self.phase != Phase::None || self.response.is_some() {
            return;
        }
        let mut up = std::mem::take(&mut state.up);
        let reorder = state.reorder((frame.transmitter, self.role.category()), frame.sequence);
        reorder.move_to(cx.now, frame.sequence, &mut up);
        for (place, Mpdu { sequence, packet, .. }) in (0..).zip(aggregate.mpdus.iter()) {
            if aggregate.has(place) {
                let packet = Packet { hops: packet.hops + 1, ..packet.clone() };
                reorder.accept(cx.now, *sequence, packet, &mut up);
            }
        }
        let bitmap = reorder.bitmap(frame.sequence, cx.timing.window());
        let (from, due) = (frame.transmitter, reorder.due());
        state.up = up;
        state.hand_up(from, due);
        cx.out.received = Some(Leaving::Several);
        if answers_cts {
            cx.out.timer = Some(TimerChange::Cancel);
        }
        let rate = cx.timing.response_rate(frame.rate);
        let answer = self.control(FrameKind::BlockAck, rate, from, 0, Notice::None);
        let payload = Some(cx.payloads.hold(Payload::Bitmap(bitmap)));
        self.response = Some(Frame { sequence: frame.sequence, payload, ..answer });
        cx.out.step = true;
    }

    /// A plain data frame has come, which is its sender's only one: its window starts with it.
    #[cold]
    pub(super) fn take_in_order(
        &mut self,
        cx: &mut MacContext,
        (from, sequence): (NodeId, u16),
        mut packet: Packet,
    ) {
        let Some(state) = &mut self.aggregating else { return };
        let mut up = std::mem::take(&mut state.up);
        let reorder = state.reorder((from, self.role.category()), sequence);
        packet.hops += 1;
        reorder.move_to(cx.now, sequence, &mut up);
        reorder.accept(cx.now, sequence, packet, &mut up);
        let due = reorder.due();
        state.up = up;
        state.hand_up(from, due);
        cx.out.received = Some(Leaving::Several);
    }

    #[cold]
    pub(super) fn send_block_ack(&mut self, cx: &mut MacContext, answer: Frame) {
        cx.counters.block_acks_sent += 1;
        let airtime = cx.timing.block_ack(answer.rate);
        self.send(cx, Phase::Ack, answer, airtime);
    }

    #[cold]
    pub(super) fn on_block_ack(&mut self, cx: &mut MacContext, answer: &Frame) {
        let is_awaited = self.phase == Phase::Data && self.is_aggregate();
        let (true, Some(bitmap)) = (is_awaited, answer.bitmap()) else { return };
        let start = answer.sequence;
        let acked = |sequence: u16| bitmap.has(sequence.wrapping_sub(start).into());
        self.settle(cx, acked);
        self.cw = self.cw_min(cx.timing);
        cx.out.timer = Some(TimerChange::Cancel);
        self.start_backoff(cx, Duration::ZERO, BackoffCause::Post);
        cx.out.step = true;
    }

    /// An A-MPDU has been sent, and no BlockAck has come.
    #[cold]
    pub(super) fn on_aggregate_over(&mut self, cx: &mut MacContext) {
        self.response_missing = true;
        self.on_unanswered();
        self.settle(cx, |_| false);
        if self.outgoing.is_some() {
            self.back_off_longer(cx, BackoffCause::Retry);
            return;
        }
        self.cw = self.cw_min(cx.timing);
        if cx.timing.profile == Profile::Standard {
            self.start_backoff(cx, Duration::ZERO, BackoffCause::Post);
        }
    }

    /// Attempts in vain so far at the first packet in service.
    fn first_attempts(&mut self, timing: &Timing) -> u32 {
        let bytes = self.outgoing.as_ref().map_or(0, |first| first.packet.size_bytes);
        *self.retries_of(timing, bytes)
    }

    /// The present attempt stays without an answer.
    pub(super) fn on_unanswered(&mut self) {
        if let Some(state) = &mut self.aggregating {
            state.window.is_unanswered = true;
        }
    }

    /// It is known which packets of the A-MPDU have come. The others stay in service, up to their
    /// limits.
    fn settle(&mut self, cx: &mut MacContext, acked: impl Fn(u16) -> bool) {
        let attempts = self.first_attempts(cx.timing);
        let (Some(state), Some(first)) = (&mut self.aggregating, self.outgoing.take()) else {
            return;
        };
        let in_frame = state.window.in_frame;
        let Outgoing { packet, next_hop, sequence, rate, .. } = first;
        state.window.others.push_front(Waiting { sequence, attempts, packet });
        let mut good = 0;
        for place in 0..state.window.others.len() {
            let Some(mut waiting) = state.window.others.pop_front() else { break };
            if place >= in_frame {
                state.window.others.push_back(waiting);
                continue;
            }
            if acked(waiting.sequence) {
                good += 1;
                let payload = waiting.packet.payload_bytes().unwrap_or(0);
                self.delivered_payload_bytes += u64::from(payload);
                continue;
            }
            waiting.attempts += 1;
            if reached(waiting.attempts, cx.timing.retry_limit(waiting.packet.size_bytes)) {
                cx.counters.retry_drops += 1;
                state.several.given_up.push((waiting.packet, next_hop));
                cx.out.failed = Some(Leaving::Several);
            } else {
                state.window.others.push_back(waiting);
            }
        }
        let is_answered = good > 0;
        state.window.is_unanswered &= !is_answered;
        state.window.is_begun |= is_answered;
        if let Some(rates) = &mut self.rates {
            rates.on_results(next_hop, rate, good, in_frame as u32 - good);
        }
        self.promote(cx, next_hop, is_answered);
    }

    /// The first packet in service is the next one of those that are left, if any are.
    /// `is_answered`: the last attempt was.
    fn promote(&mut self, cx: &mut MacContext, next_hop: NodeId, is_answered: bool) {
        let Some(state) = &mut self.aggregating else { return };
        let Some(Waiting { sequence, attempts, packet }) = state.window.others.pop_front() else {
            return;
        };
        let rate = match &mut self.rates {
            Some(rates) if is_answered => rates.first(next_hop, cx.now),
            Some(rates) => rates.again(next_hop),
            None => cx.timing.data_rate(next_hop),
        };
        let uses_rts = cx.timing.uses_rts(packet.size_bytes);
        (self.short_retries, self.long_retries) = (0, 0);
        *self.retries_of(cx.timing, packet.size_bytes) = attempts;
        self.outgoing = Some(Outgoing {
            airtime: cx.timing.data(packet.size_bytes, rate),
            packet,
            next_hop,
            sequence,
            rate,
            uses_rts,
            rts_due: uses_rts,
            own_cts: false,
            longer_answer: Duration::ZERO,
        });
    }

    /// The first packet in service has been acknowledged by itself.
    #[cold]
    pub(super) fn on_first_delivered(&mut self, cx: &mut MacContext, next_hop: NodeId) {
        if let Some(state) = &mut self.aggregating {
            state.window.is_unanswered = false;
            state.window.is_begun = true;
        }
        self.promote(cx, next_hop, true);
    }

    /// The first packet in service has been given up: alone, or all of them if not even a CTS has
    /// come.
    #[cold]
    pub(super) fn on_first_given_up(&mut self, cx: &mut MacContext, next_hop: NodeId) {
        self.on_unanswered();
        if self.phase != Phase::Rts {
            return self.promote(cx, next_hop, false);
        }
        let Some(state) = &mut self.aggregating else { return };
        let Aggregating { window, several, .. } = &mut **state;
        if !window.others.is_empty() {
            cx.counters.retry_drops += window.others.len() as u64;
            if let Some(Leaving::One(first, _)) = cx.out.failed.replace(Leaving::Several) {
                several.given_up.push((first, next_hop));
            }
            several.given_up.extend(window.others.drain(..).map(|other| (other.packet, next_hop)));
        }
    }
}

#[cfg(test)]
mod tests;
