//! When the sender's timer is set, and what happens when it expires.

use super::probe::LossProbe;
use super::sender::{Phase, SackSender};
use super::undo::{ForwardStep, Reduced};
use crate::kernel::Instant;
use crate::transport::congestion::Loss;
use crate::transport::{SenderActions, TimerChange};

impl SackSender {
    /// Arms what is due next; a probe only if `is_fresh`: new data left or were acknowledged.
    pub(super) fn arm(&mut self, now: Instant, is_fresh: bool, out: &mut SenderActions) {
        if self.board.flight_size() == 0 {
            self.timers.stop();
        } else if let Some(timeout_at) = self.timers.timeout {
            // It may have passed while the reordering timer stood in for it (RFC 8985 section 8).
            let timeout_at = if timeout_at > now { timeout_at } else { now + self.rtt.timeout() };
            self.timers.timeout = Some(timeout_at);
            let may_probe = self.may_probe
                && matches!(self.phase, Phase::Open)
                && self.board.sacked() == 0
                && self.board.first() > 0
                && self.probe.is_allowed();
            if !may_probe {
                self.timers.probe = None;
            } else if is_fresh {
                let interval = LossProbe::interval(self.rtt.smoothed(), self.board.flight_size());
                let latest = self.latest_probe(timeout_at).filter(|&at| at > now);
                self.timers.probe = [Some(now + interval), latest].into_iter().flatten().min();
            }
        }
        self.set_timer(out);
    }

    /// When a tail loss probe leaves at the latest, the retransmission timer expiring at
    /// `timeout_at`.
    fn latest_probe(&self, timeout_at: Instant) -> Option<Instant> {
        match self.departures.probes_by_head {
            true => self.board.head().map(|head| head.sent + self.rtt.timeout()),
            false => Some(timeout_at),
        }
    }

    /// Sets the timer for what is due next.
    pub(super) fn set_timer(&mut self, out: &mut SenderActions) {
        out.timer = Some(match self.timers.next() {
            Some((at, _)) => TimerChange::Set(at),
            None => TimerChange::Cancel,
        });
    }

    /// A tail loss probe: a new segment if there is one, else the highest again.
    pub(super) fn send_loss_probe(&mut self, now: Instant, out: &mut SenderActions) {
        self.timers.probe = None;
        if self.probe.is_allowed() && self.board.flight_size() > 0 {
            let next = self.board.end();
            let is_new = next < self.sendable_end();
            self.emit(now, if is_new { next } else { next - 1 }, false, out);
            self.probe.on_send(self.board.end(), !is_new);
        }
        self.timers.timeout = Some(now + self.rtt.timeout());
        self.set_timer(out);
    }

    pub(super) fn retransmission_timeout(&mut self, now: Instant, out: &mut SenderActions) {
        self.timers.stop();
        if self.board.flight_size() == 0 {
            return;
        }
        self.counters.timeouts += 1;
        if self.board.first() > 0 {
            self.ecn.on_loss();
        } else if !self.departures.forgives_syn || self.counters.timeouts > 1 {
            self.initial_window = 1;
        }
        self.probe.reset();
        // A second timeout of the same segment reduces nothing more (RFC 5681 section 3.1).
        let reduces = match self.phase {
            Phase::Open => true,
            Phase::Recovery(_) => !self.departures.recovery_spares_threshold,
            Phase::Loss(_) => self.board.first() != self.timed_out,
        };
        self.timed_out = self.board.first();
        // Not while losses are being repaired (RFC 5682 section 3.1, step 1).
        let may_be_spurious = matches!(self.phase, Phase::Open | Phase::Loss(ForwardStep::First));
        let cx = self.circumstances(now);
        let lost = self.detection.on_timeout(&self.board, cx);
        self.board.lose_all(&lost);
        self.tell_losses(now);
        let ssthresh = self.window.ssthresh;
        if matches!(self.phase, Phase::Open) {
            let outstanding = self.board.flight_size();
            self.reduced = Some(Reduced::new(self.window.cwnd, ssthresh, Some(outstanding)));
        }
        let loss = Loss { now, in_flight: self.board.flight_size(), duplicates: 0 };
        self.control.on_timeout(&mut self.window, &loss);
        self.window.forget_use();
        self.window.discount();
        if !reduces {
            self.window.ssthresh = ssthresh;
        }
        self.recover = self.board.end();
        self.phase = Phase::Loss(match may_be_spurious {
            true => ForwardStep::First,
            false => ForwardStep::Over,
        });
        self.rtt.on_timeout();
        self.paced_until = now;
        self.timers.timeout = Some(now + self.rtt.timeout());
        self.send(now, self.board.first(), out);
        self.set_timer(out);
    }

    pub(super) fn on_reordering_timer(&mut self, now: Instant, out: &mut SenderActions) {
        self.timers.reordering = None;
        let (lost, wait) = self.detect(now);
        let begins = lost > 0 && matches!(self.phase, Phase::Open);
        if begins {
            self.start_recovery(now, self.board.sacked());
        }
        self.reduce(u32::from(self.departures.counts_awaited), false);
        self.send_repair(now, begins, out);
        self.timers.reordering = wait.map(|wait| now + wait);
        self.arm(now, false, out);
    }
}
