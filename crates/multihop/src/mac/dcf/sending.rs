//! The frames of a DCF's exchanges, each with what its Duration field announces and how long its
//! sender waits for an answer.

use super::Dcf;
use super::role::Role;
use crate::kernel::Duration;
use crate::mac::context::{MacContext, Phase, TimerChange};
use crate::measure::BackoffCause;
use crate::profile::Profile;
use crate::wire::{Frame, FrameKind, NodeId, Notice, Payload, Rate};

impl<R: Role> Dcf<R> {
    pub(super) fn send_rts(&mut self, cx: &mut MacContext) {
        if !cx.contention.is_idle(cx.now) {
            self.back_off_longer(cx, BackoffCause::Busy);
            return;
        }
        let outgoing = self.outgoing.as_ref().expect("an RTS is for a packet");
        let next_hop = outgoing.next_hop;
        let rate = cx.timing.rts_rate();
        let airtime = outgoing.airtime + outgoing.longer_answer;
        let duration_us = cx.timing.rts_duration_us(rate, outgoing.rate, airtime);
        cx.counters.rts_sent += 1;
        let notice = self.rts_notice(cx);
        let rts = self.control(FrameKind::Rts, rate, next_hop, duration_us, notice);
        let timeout = cx.timing.cts_timeout(rate) + self.longer_answer(cx.timing);
        self.send(cx, Phase::Rts, rts, timeout);
    }

    #[cold]
    pub(super) fn send_own_cts(&mut self, cx: &mut MacContext) {
        if !cx.contention.is_idle(cx.now) {
            self.back_off_longer(cx, BackoffCause::Busy);
            return;
        }
        let outgoing = self.outgoing.as_ref().expect("a CTS is for a packet");
        let rate = cx.timing.rts_rate();
        let duration_us = cx.timing.own_cts_duration_us(outgoing.rate, outgoing.airtime);
        cx.counters.cts_sent += 1;
        let cts = self.control(FrameKind::Cts, rate, self.node, duration_us, Notice::None);
        let airtime = cx.timing.cts(rate);
        self.send(cx, Phase::OwnCts, cts, airtime);
    }

    pub(super) fn send_cts(&mut self, cx: &mut MacContext, cts: Frame) {
        if cx.timing.profile == Profile::Ns2 && !cx.contention.is_idle(cx.now) {
            self.contend_instead(cx);
            return;
        }
        cx.counters.cts_sent += 1;
        self.on_cts_sent(cx, cts.receiver, cts.notice);
        let timeout = cx.timing.data_timeout(cts.rate, cts.duration_us);
        self.send(cx, Phase::Cts, cts, timeout);
    }

    pub(super) fn send_ack(&mut self, cx: &mut MacContext, ack: Frame) {
        cx.counters.ack_sent += 1;
        let airtime = cx.timing.ack(ack.rate);
        self.send(cx, Phase::Ack, ack, airtime);
    }

    pub(super) fn send_data(&mut self, cx: &mut MacContext) {
        let outgoing = self.outgoing.as_mut().expect("data to send");
        let must_be_idle = cx.timing.profile == Profile::Ns2 || !outgoing.uses_rts;
        if must_be_idle && !cx.contention.is_idle(cx.now) {
            outgoing.rts_due = outgoing.uses_rts;
            self.back_off_longer(cx, BackoffCause::Busy);
            return;
        }
        if self.aggregating.is_some() && self.is_aggregate() {
            return self.send_aggregate(cx);
        }
        let outgoing = self.outgoing.as_ref().expect("data to send");
        let broadcast = outgoing.next_hop.is_broadcast();
        let (rate, airtime) = (outgoing.rate, outgoing.airtime);
        let frame = Frame {
            kind: FrameKind::Data,
            rate,
            transmitter: self.node,
            receiver: outgoing.next_hop,
            duration_us: if broadcast { 0 } else { cx.timing.data_duration_us(rate) },
            sequence: outgoing.sequence,
            notice: Notice::None,
            payload: Some(cx.payloads.hold(Payload::Packet(outgoing.packet.clone()))),
        };
        if broadcast {
            cx.counters.broadcast_sent += 1;
            self.send(cx, Phase::Data, frame, airtime);
        } else {
            cx.counters.data_sent += 1;
            self.send(cx, Phase::Data, frame, cx.timing.ack_timeout(rate, airtime));
        }
    }

    pub(super) fn send(
        &mut self,
        cx: &mut MacContext,
        phase: Phase,
        frame: Frame,
        timeout: Duration,
    ) {
        self.role.on_send(cx.timing, &frame, timeout);
        self.phase = phase;
        cx.contention.begin_exchange(cx.now, cx.timing);
        cx.out.transmit = Some(frame);
        cx.out.timer = Some(TimerChange::Set(cx.now + timeout));
    }

    pub(super) fn control(
        &self,
        kind: FrameKind,
        rate: Rate,
        receiver: NodeId,
        duration_us: u16,
        notice: Notice,
    ) -> Frame {
        Frame {
            kind,
            rate,
            transmitter: self.node,
            receiver,
            duration_us,
            sequence: 0,
            notice,
            payload: None,
        }
    }
}
