//! The sender taking reductions of its window back.

use super::report::Report;
use super::scoreboard::Arrived;
use super::sender::{Phase, SackSender};
use super::undo::{ForwardStep, Told, Verdict};

impl SackSender {
    /// Takes the reduction back if `ack` shows that nothing was lost. Returns whether it has.
    pub(super) fn undo_if_refuted(&mut self, ack: &Report) -> bool {
        let had_reports = self.reports_duplicates;
        self.reports_duplicates |= ack.duplicate.is_some();
        let heeds_every = self.departures.heeds_every_echo;
        let covers_all = ack.below >= self.board.end();
        let Some(reduced) = self.reduced.as_mut().filter(|_| self.may_undo) else { return false };
        let all_needless = ack.duplicate.is_some_and(|number| reduced.on_duplicate_report(number));
        // All acknowledgments may have been lost, and the timeout right; a receiver that reports
        // duplicates would have told (RFC 3522 section 3.3).
        let could_tell = ack.duplicate.is_none() && (had_reports || !covers_all);
        let is_refuted = ack.advances()
            && reduced.is_refuted_by(ack.echo, heeds_every)
            && (heeds_every || could_tell);
        if all_needless || is_refuted {
            self.undo(ack.acknowledged());
        }
        all_needless || is_refuted
    }

    /// Nothing was lost: window and threshold are as they were. After a timeout the window is what
    /// is outstanding and what an acknowledgment of `acknowledged` segments lets leave at once (RFC
    /// 4015, step 9).
    fn undo(&mut self, acknowledged: u32) {
        let Some(reduced) = self.reduced.take() else { return };
        let (cwnd, ssthresh) = match reduced.at_timeout {
            Some(outstanding) if !self.departures.restores_window => {
                let burst = acknowledged.min(self.initial_window);
                let cwnd = self.board.flight_size() + burst;
                (f64::from(cwnd), outstanding.max(reduced.ssthresh))
            }
            _ => (reduced.cwnd, reduced.ssthresh),
        };
        self.window.cwnd = self.window.cwnd.max(cwnd);
        self.window.ssthresh = self.window.ssthresh.max(ssthresh);
        self.control.on_undo(&mut self.window);
        self.board.lose_nothing();
        if !matches!(self.phase, Phase::Open) {
            self.phase = Phase::Open;
            self.window.forget_use();
            self.detection.on_recovered();
        }
    }

    /// F-RTO (RFC 5682 section 3.1).
    pub(super) fn judge_timeout(&mut self, ack: &Report, arrived: &[Arrived]) -> Verdict {
        let can_send = self.board.end() < self.sendable_end();
        let Phase::Loss(step) = &mut self.phase else { return Verdict::Open };
        // Old acknowledgments tell nothing; that of the SYN is not one of data.
        if !self.may_undo || ack.below < ack.before || ack.before == 0 {
            return Verdict::Open;
        }
        let recover = self.recover;
        let told = Told {
            advances: ack.advances(),
            covers_all: ack.below >= recover,
            of_originals: arrived.iter().any(|a| !a.segment.retransmitted && a.number < recover),
            of_new: self.board.forward() > recover,
        };
        match step.on_ack(told, self.departures.trusts_originals) {
            Verdict::Spurious => {
                self.undo(ack.acknowledged());
                Verdict::Spurious
            }
            Verdict::SendNew if !can_send => {
                *step = ForwardStep::Over;
                Verdict::Open
            }
            Verdict::SendNew => {
                self.recover = self.board.end();
                Verdict::SendNew
            }
            verdict => verdict,
        }
    }
}
