//! The sender's recovery from losses that acknowledgments have shown: when it begins and ends, and
//! what it does to the window.

use super::prr::{Progress, Reduction};
use super::sender::{Phase, SackSender};
use super::undo::Reduced;
use crate::kernel::{Duration, Instant};
use crate::transport::congestion::{Ack, Loss, LostSegment};
use crate::transport::ecn::grow;

impl SackSender {
    /// Ends the recovery once all that was outstanding at its beginning is acknowledged.
    pub(super) fn finish_if_repaired(&mut self, below: u32) {
        if below < self.recover {
            return;
        }
        match self.phase {
            Phase::Open => return,
            Phase::Recovery(_) if !self.control.rules_recovery() => {
                self.window.cwnd = f64::from(self.window.ssthresh);
            }
            Phase::Recovery(_) | Phase::Loss(_) => {}
        }
        self.window.end_repair();
        self.phase = Phase::Open;
        self.control.on_recovered(&mut self.window);
        self.detection.on_recovered();
    }

    pub(super) fn start_recovery(&mut self, now: Instant, duplicates: u32) {
        self.counters.fast_retransmits += 1;
        self.recover = self.board.end();
        self.probe.reset();
        let before = self.window.cwnd;
        self.reduced = Some(Reduced::new(before, self.window.ssthresh, None));
        self.detection.on_recovery(self.board.first());
        let counted = self.react_to_loss(now, duplicates);
        self.phase = Phase::Recovery(Reduction::new(counted));
        if self.reduces_by_arrivals() {
            self.window.cwnd = before;
        }
    }

    /// Congestion control reacts to a loss, unless it has to a mark since the first missing segment
    /// left. Returns the segments in flight that count for it (RecoverFS): what limited transmit
    /// has sent beyond the window does not (RFC 5681 section 3.2, step 2).
    fn react_to_loss(&mut self, now: Instant, duplicates: u32) -> u32 {
        let in_use = (self.window.cwnd as u32).max(1);
        let in_flight = match self.departures.counts_window {
            true => in_use,
            false => self.board.flight_size().min(in_use),
        };
        let reacts = !self.ecn.has_reduced_for(self.board.first());
        if reacts {
            self.control.on_loss(&mut self.window, &Loss { now, in_flight, duplicates });
            self.window.discount();
            self.ecn.on_loss();
        }
        self.window.start_repair(in_flight, reacts);
        self.reduced_at = now;
        in_flight
    }

    /// Whether a retransmission has been lost that left since the window was last reduced. It is
    /// another sign of congestion, to which proportional rate reduction has an answer of its own
    /// (RFC 8985 section 9.3).
    fn has_lost_again(&self) -> bool {
        self.is_recovering()
            && !self.has_prr
            && !self.control.rules_recovery()
            && self.board.iter().any(|(_, segment)| {
                segment.retransmitted
                    && segment.lost
                    && !segment.resent
                    && segment.sent >= self.reduced_at
            })
    }

    /// What `event` does to the window; it `advances` if it acknowledges new data, and shows `lost`
    /// more to be so.
    pub(super) fn adapt_window(&mut self, event: &Ack, advances: bool, lost: u32, has_echo: bool) {
        match self.phase {
            Phase::Recovery(_) if self.reduces_by_arrivals() => {
                self.reduce(event.delivered, advances && lost == 0);
            }
            Phase::Recovery(_) => self.control.on_partial_ack(&mut self.window, event),
            Phase::Open | Phase::Loss(_) if advances => {
                grow(&mut *self.control, &mut self.window, event, has_echo);
            }
            Phase::Open | Phase::Loss(_) => {}
        }
    }

    /// Whether the window falls in proportion to what arrives in recovery.
    fn reduces_by_arrivals(&self) -> bool {
        self.has_prr && !self.control.rules_recovery()
    }

    /// In recovery, `arrived` segments turn out to have done so; `is_safe`: by new data
    /// acknowledged, and nothing lost.
    pub(super) fn reduce(&mut self, arrived: u32, is_safe: bool) {
        if !self.reduces_by_arrivals() {
            return;
        }
        let in_flight = self.board.in_flight();
        if let Phase::Recovery(reduction) = &mut self.phase {
            let progress = Progress { arrived, is_safe };
            let segments = reduction.window(progress, in_flight, self.window.ssthresh);
            self.window.cwnd = f64::from(segments);
        }
    }

    /// Marks what is lost by now. Returns the segments newly lost, and the time after which to look
    /// again.
    pub(super) fn detect(&mut self, now: Instant) -> (u32, Option<Duration>) {
        let cx = self.circumstances(now);
        let detected = self.detection.detect(&self.board, cx);
        let lost = self.board.mark(&detected);
        self.tell_losses(now);
        if lost > 0 && self.has_lost_again() {
            self.react_to_loss(now, self.board.sacked());
        }
        (lost, detected.again_after)
    }

    /// Tells congestion control which segments have come to count as lost.
    pub(super) fn tell_losses(&mut self, now: Instant) {
        for (number, snapshot) in self.board.take_lost() {
            let lost = LostSegment {
                now,
                number,
                in_flight: snapshot.in_flight,
                lost: self.rate.on_lost(&snapshot),
                is_application_limited: snapshot.is_application_limited,
                delivered_total: self.rate.delivered(),
            };
            self.control.on_segment_lost(&mut self.window, &lost);
        }
    }
}
