//! DCF under admission hop by hop: what a scheme's rules make of a frame exchange.
//!
//! `dcf.rs` calls in here where the rules have a say; without them each call is one test. A packet that is
//! deferred leaves contention for a place of its own, where routing and ARP packets overtake it.

use super::{Dcf, MacContext, Outgoing, Phase, ResponseTimer};
use crate::kernel::{Duration, Instant};
use crate::mac::admission::{Admission, AdmissionCounters, Answer, FirstPacket};
use crate::mac::timing::Timing;
use crate::measure::BackoffCause;
use crate::wire::{Frame, FrameKind, NodeId, Notice};

/// The rules at one station, and the packet that they keep waiting.
#[derive(Debug)]
pub(super) struct Admitting {
    admission: Box<dyn Admission>,
    held: Option<Outgoing>,
    /// When the held packet was put aside.
    held_since: Instant,
    /// When its deferral ends at the latest.
    end: Instant,
    /// It lasts until then or until data frames clear the marks, and not for as long as it has a reason.
    is_fixed: bool,
    /// Since when the node has been congested, if it is.
    congested_since: Option<Instant>,
    /// When the MAC got the data packet that it has.
    first_since: Instant,
    /// An RTS for the packet in service was not answered.
    is_repeating: bool,
}

impl Dcf {
    /// An idle station under the rules of `admission`.
    pub fn with_admission(node: NodeId, timing: &Timing, admission: Box<dyn Admission>) -> Dcf {
        let admitting = Admitting {
            admission,
            held: None,
            held_since: Instant::ZERO,
            end: Instant::FAR,
            is_fixed: false,
            congested_since: None,
            first_since: Instant::ZERO,
            is_repeating: false,
        };
        Dcf { admitting: Some(Box::new(admitting)), ..Dcf::new(node, timing) }
    }

    /// Whether a data packet is deferred: only routing and ARP packets may be handed over.
    pub fn is_holding(&self) -> bool {
        self.admitting.as_ref().is_some_and(|this| this.held.is_some())
    }

    /// When [`Dcf::on_deferral_end`] is to be called, if a packet is deferred.
    pub fn deferral_end(&self) -> Option<Instant> {
        let this = self.admitting.as_ref().filter(|this| this.held.is_some())?;
        Some(this.end).filter(|&end| end != Instant::FAR)
    }

    /// Data packets that this MAC has in service or holds back.
    pub fn data_packets(&self) -> u32 {
        let held = self.admitting.as_ref().and_then(|this| this.held.as_ref());
        let all = self.outgoing.iter().chain(held);
        all.filter(|outgoing| outgoing.is_data()).count() as u32
    }

    /// A frame for another station was overheard. Only under admission.
    pub fn on_overheard(&mut self, cx: &mut MacContext, frame: &Frame) {
        self.hear(cx, frame);
    }

    /// The number of packets in the node has changed.
    pub fn on_occupancy(&mut self, cx: &mut MacContext) {
        let packets = self.occupancy(cx);
        let Some(this) = &mut self.admitting else { return };
        this.admission.on_occupancy(packets);
        let now = cx.now;
        let counters = admission_counters(cx);
        counters.max_packets = counters.max_packets.max(packets);
        match (this.admission.is_congested(packets), this.congested_since) {
            (true, None) => {
                this.congested_since = Some(now);
                counters.congestions += 1;
            }
            (false, Some(since)) => {
                this.congested_since = None;
                counters.congested_s += (now - since).as_secs_f64();
            }
            _ => {}
        }
        self.reconsider(cx);
    }

    /// The time of a deferral is over.
    pub fn on_deferral_end(&mut self, cx: &mut MacContext) {
        self.reconsider(cx);
    }

    /// Takes note of `frame`, whoever it is for.
    pub(super) fn hear(&mut self, cx: &mut MacContext, frame: &Frame) {
        let Some(this) = &mut self.admitting else { return };
        if this.admission.on_heard(cx.now, frame) {
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

    /// The packet that was handed over is data for a neighbour and new here.
    fn on_handed_over(&mut self, cx: &mut MacContext) {
        let is_data = self.outgoing.as_ref().is_some_and(Outgoing::is_data);
        if let (Some(this), true) = (&mut self.admitting, is_data) {
            this.first_since = cx.now;
            this.is_repeating = false;
        }
    }

    /// A packet has been handed over. Returns whether it is put aside at once.
    #[cold]
    pub(super) fn defers_at_first(&mut self, cx: &mut MacContext) -> bool {
        self.on_handed_over(cx);
        self.defers(cx)
    }

    /// Puts the packet in service aside if Algorithm 1 says so. Returns whether it does.
    fn defers(&mut self, cx: &mut MacContext) -> bool {
        let packets = self.occupancy(cx);
        let (Some(this), Some(outgoing)) = (&self.admitting, &self.outgoing) else { return false };
        if !outgoing.is_data() {
            return false;
        }
        let Some(end) = this.admission.defers_until(cx.now, outgoing.next_hop, packets) else {
            return false;
        };
        self.defer(cx, end);
        true
    }

    /// What the RTS that is about to be sent says.
    pub(super) fn rts_notice(&self, cx: &mut MacContext) -> Notice {
        let (Some(this), Some(outgoing)) = (&self.admitting, &self.outgoing) else {
            return Notice::None;
        };
        let notice = this.admission.notice(outgoing.is_data(), self.occupancy(cx));
        match notice {
            Notice::None => {}
            Notice::Congested => admission_counters(cx).rtsc_sent += 1,
            Notice::Urgent => admission_counters(cx).urgent_rts_sent += 1,
        }
        notice
    }

    /// Algorithm 2: the answer to `rts`.
    pub(super) fn answer_to(&mut self, cx: &mut MacContext, rts: &Frame) -> Answer {
        let packets = self.occupancy(cx);
        let first = self.first_packet();
        let Some(this) = &mut self.admitting else { return Answer::Cts };
        let answer = this.admission.answer(rts.transmitter, rts.notice, first, packets);
        let window = this.admission.urgent_window();
        if answer == Answer::Silence {
            admission_counters(cx).requests_ignored += 1;
            self.cw = window.map_or(self.cw, |window| self.cw.min(window));
        }
        answer
    }

    /// The smallest contention window.
    pub(super) fn cw_min(&self, timing: &Timing) -> u32 {
        let urgent = self.admitting.as_ref().and_then(|this| this.admission.urgent_window());
        urgent.map_or(timing.cw_min, |window| window.min(timing.cw_min))
    }

    /// How much longer than in DCF the answer to an RTS may take: an RTS may come in its place.
    pub(super) fn longer_answer(&self, timing: &Timing) -> Duration {
        match self.admitting {
            Some(_) => {
                let rate = timing.rts_rate();
                timing.rts(rate).saturating_sub(timing.cts(timing.response_rate(rate)))
            }
            None => Duration::ZERO,
        }
    }

    /// SIFS after a request that is refused: the station's own RTS goes out, or the broadcast that
    /// stands before it.
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

    /// A response was withheld because the medium is busy: what waited for the end of the exchange
    /// contends again.
    pub(super) fn contend_instead(&mut self, cx: &mut MacContext) {
        if self.admitting.is_some() && self.outgoing.is_some() {
            self.contend(cx);
        }
    }

    /// A CTS or CTSC goes to `to`.
    pub(super) fn on_cts_sent(&mut self, cx: &mut MacContext, to: NodeId, notice: Notice) {
        let Some(this) = &mut self.admitting else { return };
        if notice == Notice::Congested {
            this.admission.on_ctsc_sent(to);
            admission_counters(cx).ctsc_sent += 1;
        }
    }

    /// `by` has answered the RTS with a CTS or CTSC.
    pub(super) fn on_granted(&mut self, by: NodeId, notice: Notice) {
        let Some(this) = &mut self.admitting else { return };
        this.is_repeating = false;
        if notice == Notice::Congested {
            this.admission.on_ctsc(by);
        }
    }

    /// The data that a CTS or CTSC asked for have come.
    pub(super) fn on_granted_data(&mut self) {
        if let Some(this) = &mut self.admitting {
            this.admission.on_granted_data();
        }
    }

    /// They have not.
    pub(super) fn on_grant_unused(&mut self) {
        if let Some(this) = &mut self.admitting {
            this.admission.on_grant_unused();
        }
    }

    /// An RTS was not answered.
    pub(super) fn on_no_answer(&mut self) {
        if let Some(this) = &mut self.admitting {
            this.is_repeating = true;
        }
    }

    /// `outgoing` has left the MAC: delivered or given up.
    pub(super) fn on_done(&mut self, cx: &mut MacContext, outgoing: &Outgoing, delivered: bool) {
        let packets = self.occupancy(cx);
        let Some(this) = &mut self.admitting else { return };
        this.is_repeating = false;
        if delivered {
            this.admission.on_delivered(outgoing.next_hop, packets);
        } else {
            this.admission.on_occupancy(packets);
        }
        if outgoing.is_data() {
            let served_s = (cx.now - this.first_since).as_secs_f64();
            let counters = admission_counters(cx);
            counters.longest_service_s = counters.longest_service_s.max(served_s);
        }
    }

    /// The packet that was held back goes on if the place is free and nothing keeps it.
    pub(super) fn reconsider(&mut self, cx: &mut MacContext) {
        let packets = self.occupancy(cx);
        let Some(this) = &mut self.admitting else { return };
        let Some(held) = &this.held else {
            if this.admission.fixed_deferral(cx.now).is_none() && self.is_contending() {
                self.defers(cx);
            }
            return;
        };
        let end = match this.is_fixed {
            true => Some(this.end).filter(|&end| end > cx.now && !this.admission.is_clear()),
            false => this.admission.defers_until(cx.now, held.next_hop, packets),
        };
        match end {
            Some(end) => this.end = end,
            None if self.outgoing.is_none() => {
                if this.is_fixed {
                    this.admission.on_deferral_over();
                }
                self.resume(cx);
                self.contend(cx);
            }
            // It goes on when the packet in service has gone.
            None => this.end = Instant::FAR,
        }
    }

    /// Whether the packet in service is in no exchange yet.
    fn is_contending(&self) -> bool {
        let waits = self.outgoing.as_ref().is_some_and(|outgoing| outgoing.rts_due);
        waits && self.phase == Phase::None
    }

    /// The station that was asked has refused. To one that is not congested this is no failed attempt.
    fn on_refusal(&mut self, cx: &mut MacContext, by: NodeId) {
        self.phase = Phase::None;
        cx.out.response = Some(ResponseTimer::Cancel);
        cx.out.step = true;
        admission_counters(cx).refusals_heard += 1;
        let packets = self.occupancy(cx);
        let Some(this) = &mut self.admitting else { return };
        if this.admission.on_refused(cx.now, by, packets) {
            return self.on_missing_cts(cx);
        }
        match this.admission.fixed_deferral(cx.now) {
            Some(end) => self.defer(cx, end),
            None if self.defers(cx) => {}
            None => self.start_backoff(cx, Duration::ZERO, BackoffCause::Retry),
        }
    }

    fn defer(&mut self, cx: &mut MacContext, end: Instant) {
        let Some(this) = &mut self.admitting else { return };
        let fixed_end = this.admission.fixed_deferral(cx.now);
        this.is_fixed = fixed_end.is_some();
        this.end = fixed_end.unwrap_or(end);
        this.held = self.outgoing.take();
        this.held_since = cx.now;
        cx.contention.stop_backoff();
        admission_counters(cx).deferrals += 1;
    }

    /// Takes the held packet, if there is one, into service.
    fn resume(&mut self, cx: &mut MacContext) {
        let Some(this) = &mut self.admitting else { return };
        let Some(held) = this.held.take() else { return };
        admission_counters(cx).deferred_s += (cx.now - this.held_since).as_secs_f64();
        self.outgoing = Some(held);
    }

    /// Data packets in the node, with one just given up, which routing may keep.
    fn occupancy(&self, cx: &MacContext) -> u32 {
        let given_up = cx.out.failed.as_ref().is_some_and(|(packet, _)| packet.is_transport());
        cx.waiting + self.data_packets() + u32::from(given_up)
    }

    fn first_packet(&self) -> Option<FirstPacket> {
        let this = self.admitting.as_ref()?;
        self.outgoing.as_ref().or(this.held.as_ref()).map(|outgoing| FirstPacket {
            next_hop: outgoing.next_hop,
            is_data: outgoing.is_data(),
            is_repeating: this.is_repeating && outgoing.rts_due,
        })
    }
}

impl Outgoing {
    /// Whether the rules may keep it waiting.
    fn is_data(&self) -> bool {
        self.packet.is_transport()
    }
}

fn admission_counters<'a>(cx: &'a mut MacContext) -> &'a mut AdmissionCounters {
    cx.admission
}

#[cfg(test)]
mod tests;
