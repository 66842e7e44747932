//! DCF under hop-by-hop admission: how a scheme's rules change the frame exchange.
//!
//! `dcf.rs` calls in here wherever the rules may decide; without admission each call costs one
//! test. A deferred packet leaves contention and is held apart, so that routing and ARP packets
//! overtake it.

use super::Dcf;
use super::outgoing::Outgoing;
use super::role::Role;
use crate::kernel::{Duration, Instant};
use crate::mac::access::Defers;
use crate::mac::admission::{AdmissionCounters, Answer, FirstPacket};
use crate::mac::context::{Leaving, MacContext, Phase, TimerChange};
use crate::mac::timing::Timing;
use crate::measure::BackoffCause;
use crate::wire::{Frame, FrameKind, NodeId, Notice};

impl<R: Role> Defers for Dcf<R> {
    fn is_holding(&self) -> bool {
        self.admitting.as_ref().is_some_and(|state| state.held.is_some())
    }

    fn deferral_end(&self) -> Option<Instant> {
        let state = self.admitting.as_ref().filter(|state| state.held.is_some())?;
        Some(state.end).filter(|&end| end != Instant::FAR)
    }

    fn on_deferral_end(&mut self, cx: &mut MacContext) {
        self.reconsider(cx);
    }

    fn on_overheard(&mut self, cx: &mut MacContext, frame: &Frame) {
        self.hear(cx, frame);
    }

    fn on_occupancy(&mut self, cx: &mut MacContext) {
        let packets = self.occupancy(cx);
        let Some(state) = &mut self.admitting else { return };
        state.admission.on_occupancy(packets);
        let now = cx.now;
        let counters = admission_counters(cx);
        counters.max_packets = counters.max_packets.max(packets);
        match (state.admission.is_congested(packets), state.congested_since) {
            (true, None) => {
                state.congested_since = Some(now);
                counters.congestions += 1;
            }
            (false, Some(since)) => {
                state.congested_since = None;
                counters.congested_s += (now - since).as_secs_f64();
            }
            _ => {}
        }
        self.reconsider(cx);
    }
}

impl<R: Role> Dcf<R> {
    /// Data packets in service or deferred, without those that only aggregation has.
    pub(super) fn plain_data_packets(&self) -> u32 {
        let held = self.admitting.as_ref().and_then(|state| state.held.as_ref());
        let all = self.outgoing.iter().chain(held);
        all.filter(|outgoing| outgoing.is_data()).count() as u32
    }

    /// Tells the rules of `frame`, addressed to any station.
    pub(super) fn hear(&mut self, cx: &mut MacContext, frame: &Frame) {
        let Some(state) = &mut self.admitting else { return };
        if state.admission.on_heard(cx.now, frame) {
            admission_counters(cx).marks_set += 1;
        }
        let asked = self.outgoing.as_ref().map(|outgoing| outgoing.next_hop);
        let refuses = frame.kind == FrameKind::Rts && frame.notice != Notice::None;
        if self.phase == Phase::Rts && refuses && asked == Some(frame.transmitter) {
            self.on_refusal(cx, frame.transmitter);
        } else {
            self.reconsider(cx);
        }
    }

    /// A new packet has been handed over; if it is data, its service begins.
    fn on_handed_over(&mut self, cx: &mut MacContext) {
        let is_data = self.outgoing.as_ref().is_some_and(Outgoing::is_data);
        if let (Some(state), true) = (&mut self.admitting, is_data) {
            state.first_since = cx.now;
            state.is_repeating = false;
        }
    }

    /// A packet has been handed over. Returns whether it is deferred at once.
    #[cold]
    pub(super) fn defers_at_first(&mut self, cx: &mut MacContext) -> bool {
        self.on_handed_over(cx);
        self.defers(cx)
    }

    /// Defers the packet in service if Algorithm 1 says so. Returns whether it does.
    fn defers(&mut self, cx: &mut MacContext) -> bool {
        let packets = self.occupancy(cx);
        let (Some(state), Some(outgoing)) = (&self.admitting, &self.outgoing) else { return false };
        if !outgoing.is_data() {
            return false;
        }
        let Some(end) = state.admission.defers_until(cx.now, outgoing.next_hop, packets) else {
            return false;
        };
        self.defer(cx, end);
        true
    }

    /// The notice in the RTS that is about to be sent.
    pub(super) fn rts_notice(&self, cx: &mut MacContext) -> Notice {
        let (Some(state), Some(outgoing)) = (&self.admitting, &self.outgoing) else {
            return Notice::None;
        };
        let notice = state.admission.notice(outgoing.is_data(), self.occupancy(cx));
        match notice {
            Notice::None | Notice::Backlog(_) => {}
            Notice::Congested => admission_counters(cx).rtsc_sent += 1,
            Notice::Urgent => admission_counters(cx).urgent_rts_sent += 1,
        }
        notice
    }

    /// Algorithm 2: the answer to `rts`.
    pub(super) fn answer_to(&mut self, cx: &mut MacContext, rts: &Frame) -> Answer {
        let packets = self.occupancy(cx);
        let first = self.first_packet();
        let Some(state) = &mut self.admitting else { return Answer::Cts };
        let answer = state.admission.answer(rts.transmitter, rts.notice, first, packets);
        let window = state.admission.urgent_window();
        if answer == Answer::Silence {
            admission_counters(cx).requests_ignored += 1;
            self.cw = window.map_or(self.cw, |window| self.cw.min(window));
        }
        answer
    }

    /// The smallest contention window.
    pub(super) fn cw_min(&self, timing: &Timing) -> u32 {
        let urgent = self.admitting.as_ref().and_then(|state| state.admission.urgent_window());
        urgent.map_or(timing.cw_min, |window| window.min(timing.cw_min))
    }

    /// How much longer than in DCF the response to an RTS may take: it may be an RTS, which is
    /// longer than a CTS.
    pub(super) fn longer_answer(&self, timing: &Timing) -> Duration {
        match self.admitting {
            Some(_) => {
                let rate = timing.rts_rate();
                timing.rts(rate).saturating_sub(timing.cts(timing.response_rate(rate)))
            }
            None => Duration::ZERO,
        }
    }

    /// SIFS after a request that is refused: sends the station's own RTS, or the broadcast in
    /// service.
    pub(super) fn send_refusal(&mut self, cx: &mut MacContext) {
        if self.outgoing.is_none() {
            self.resume(cx);
        }
        let Some(outgoing) = &self.outgoing else { return };
        let rts_due = outgoing.rts_due;
        let is_ready = rts_due || outgoing.next_hop.is_broadcast();
        if !is_ready || !cx.contention.is_idle(cx.now) {
            return;
        }
        admission_counters(cx).refusals_sent += 1;
        cx.contention.stop_backoff();
        match rts_due {
            true => self.send_rts(cx),
            false => self.send_data(cx),
        }
    }

    /// A response was withheld because the medium is busy: the packet that waited for the end of
    /// the exchange contends again.
    pub(super) fn contend_instead(&mut self, cx: &mut MacContext) {
        if self.admitting.is_some() && self.outgoing.is_some() {
            self.contend(cx);
        }
    }

    /// A CTS or CTSC goes to `to`.
    pub(super) fn on_cts_sent(&mut self, cx: &mut MacContext, to: NodeId, notice: Notice) {
        let Some(state) = &mut self.admitting else { return };
        if notice == Notice::Congested {
            state.admission.on_ctsc_sent(to);
            admission_counters(cx).ctsc_sent += 1;
        }
    }

    /// `by` has answered the RTS with a CTS or CTSC.
    pub(super) fn on_granted(&mut self, by: NodeId, notice: Notice) {
        let Some(state) = &mut self.admitting else { return };
        state.is_repeating = false;
        if notice == Notice::Congested {
            state.admission.on_ctsc(by);
        }
    }

    /// The data frame after a CTS or CTSC has arrived.
    pub(super) fn on_granted_data(&mut self) {
        if let Some(state) = &mut self.admitting {
            state.admission.on_granted_data();
        }
    }

    /// No data frame followed a CTS or CTSC.
    pub(super) fn on_grant_unused(&mut self) {
        if let Some(state) = &mut self.admitting {
            state.admission.on_grant_unused();
        }
    }

    /// An RTS was not answered.
    pub(super) fn on_no_answer(&mut self) {
        if let Some(state) = &mut self.admitting {
            state.is_repeating = true;
        }
    }

    /// `outgoing` has left the MAC: delivered or given up.
    pub(super) fn on_done(&mut self, cx: &mut MacContext, outgoing: &Outgoing, delivered: bool) {
        let packets = self.occupancy(cx);
        let Some(state) = &mut self.admitting else { return };
        state.is_repeating = false;
        if delivered {
            state.admission.on_delivered(outgoing.next_hop, packets);
        } else {
            state.admission.on_occupancy(packets);
        }
        if outgoing.is_data() {
            let served_s = (cx.now - state.first_since).as_secs_f64();
            let counters = admission_counters(cx);
            counters.longest_service_s = counters.longest_service_s.max(served_s);
        }
    }

    /// Defers the packet in service, or resumes the deferred one, as the rules now say. A deferred
    /// packet resumes once no packet is in service.
    pub(super) fn reconsider(&mut self, cx: &mut MacContext) {
        let packets = self.occupancy(cx);
        let Some(state) = &mut self.admitting else { return };
        let Some(held) = &state.held else {
            if state.admission.fixed_deferral(cx.now).is_none() && self.is_contending() {
                self.defers(cx);
            }
            return;
        };
        let end = match state.is_fixed {
            true => Some(state.end).filter(|&end| end > cx.now && !state.admission.is_clear()),
            false => state.admission.defers_until(cx.now, held.next_hop, packets),
        };
        match end {
            Some(end) => state.end = end,
            None if self.outgoing.is_none() => {
                if state.is_fixed {
                    state.admission.on_deferral_over();
                }
                self.resume(cx);
                self.contend(cx);
            }
            // It resumes when the packet in service has left.
            None => state.end = Instant::FAR,
        }
    }

    /// Whether the packet in service is contending, outside any exchange.
    fn is_contending(&self) -> bool {
        let waits = self.outgoing.as_ref().is_some_and(|outgoing| outgoing.rts_due);
        waits && self.phase == Phase::None
    }

    /// The next hop has refused the RTS. For a station that is not congested this is not a failed
    /// attempt.
    fn on_refusal(&mut self, cx: &mut MacContext, by: NodeId) {
        self.phase = Phase::None;
        cx.out.timer = Some(TimerChange::Cancel);
        cx.out.step = true;
        admission_counters(cx).refusals_heard += 1;
        let packets = self.occupancy(cx);
        let Some(state) = &mut self.admitting else { return };
        if state.admission.on_refused(cx.now, by, packets) {
            return self.on_missing_cts(cx);
        }
        match state.admission.fixed_deferral(cx.now) {
            Some(end) => self.defer(cx, end),
            None if self.defers(cx) => {}
            None => self.start_backoff(cx, Duration::ZERO, BackoffCause::Retry),
        }
    }

    fn defer(&mut self, cx: &mut MacContext, end: Instant) {
        let Some(state) = &mut self.admitting else { return };
        let fixed_end = state.admission.fixed_deferral(cx.now);
        state.is_fixed = fixed_end.is_some();
        state.end = fixed_end.unwrap_or(end);
        state.held = self.outgoing.take();
        state.held_since = cx.now;
        cx.contention.stop_backoff();
        admission_counters(cx).deferrals += 1;
    }

    /// Puts the deferred packet, if there is one, back into service.
    fn resume(&mut self, cx: &mut MacContext) {
        let Some(state) = &mut self.admitting else { return };
        let Some(held) = state.held.take() else { return };
        admission_counters(cx).deferred_s += (cx.now - state.held_since).as_secs_f64();
        self.outgoing = Some(held);
    }

    /// Data packets in the node, including one just given up, which routing may keep.
    fn occupancy(&self, cx: &MacContext) -> u32 {
        let given_up = matches!(&cx.out.failed,
            Some(Leaving::One(packet, _)) if packet.is_transport());
        cx.waiting + self.plain_data_packets() + u32::from(given_up)
    }

    fn first_packet(&self) -> Option<FirstPacket> {
        let state = self.admitting.as_ref()?;
        self.outgoing.as_ref().or(state.held.as_ref()).map(|outgoing| FirstPacket {
            next_hop: outgoing.next_hop,
            is_data: outgoing.is_data(),
            is_repeating: state.is_repeating && outgoing.rts_due,
        })
    }
}

fn admission_counters<'a>(cx: &'a mut MacContext) -> &'a mut AdmissionCounters {
    cx.admission
}

#[cfg(test)]
mod tests;
