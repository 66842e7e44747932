//! What the sender sends when, within its window and the receiver's.

use super::sender::{Phase, SackSender};
use crate::kernel::Instant;
use crate::transport::congestion::{LimitedBy, SentSegment};
use crate::transport::{SenderActions, TimerChange};
use crate::wire::tcp::SegmentKind;

/// Segments sent before any is paced, the SYN among them
/// ([`Departures::paces_late`](super::departures::Departures::paces_late)).
const UNPACED: u64 = 10;

impl SackSender {
    /// Sends what is allowed; if a recovery `begins`, the first lost segment whatever the window,
    /// unless congestion control rules that.
    pub(super) fn send_repair(&mut self, now: Instant, begins: bool, out: &mut SenderActions) {
        if let Some(first) =
            self.board.next_lost().filter(|_| begins && !self.control.rules_recovery())
        {
            self.send(now, first, out);
        }
        self.send_allowed(now, out);
    }

    /// What keeps the sender from having more in flight.
    pub(super) fn limited_by(&self) -> LimitedBy {
        let in_flight = self.board.in_flight();
        if in_flight >= self.window.cwnd as u32 {
            LimitedBy::Window
        } else if self.board.flight_size() >= self.window.limit || self.is_window_full() {
            LimitedBy::Receiver
        } else if self.board.end() >= self.supply.end() {
            LimitedBy::Application
        } else if self.spacing.is_some() {
            LimitedBy::Pacing
        } else {
            LimitedBy::Window
        }
    }

    /// The first segment that neither the receiver has room for nor the application has.
    pub(super) fn sendable_end(&self) -> u32 {
        let end = match &self.offered {
            None => self.board.first().saturating_add(self.window.limit),
            Some(offered) => {
                let next = self.board.end();
                next.saturating_add(offered.room(self.supply.payload_bytes(next)))
            }
        };
        end.min(self.supply.end())
    }

    /// Whether the window that the receiver sizes has no room for the next segment.
    fn is_window_full(&self) -> bool {
        let next_bytes = || self.supply.payload_bytes(self.board.end());
        self.offered.as_ref().is_some_and(|offered| offered.room(next_bytes()) == 0)
    }

    /// Sends what window and pacing allow: what is lost first, then what is new.
    pub(super) fn send_allowed(&mut self, now: Instant, out: &mut SenderActions) {
        while self.board.in_flight() < (self.window.cwnd as u32).max(1) {
            let Some(next) = self.next_segment() else { break };
            if self.must_wait(now, out) {
                return;
            }
            self.send(now, next, out);
        }
        let has_room = self.board.in_flight() < self.window.cwnd as u32;
        if has_room && self.board.end() >= self.supply.end() && self.board.lost() == 0 {
            self.rate.on_application_limited(self.board.in_flight());
        }
    }

    /// The segment to send next: what is lost first, then what is new, then in recovery what may be
    /// lost (RFC 6675, NextSeg).
    fn next_segment(&mut self) -> Option<u32> {
        if let Some(lost) = self.board.next_lost() {
            return Some(lost);
        }
        let new = self.board.end();
        // Without limited transmit duplicates make no room for new segments.
        let is_full = !self.limited_transmit
            && matches!(self.phase, Phase::Open)
            && self.board.flight_size() >= (self.window.cwnd as u32).max(1);
        if new < self.sendable_end() && !is_full {
            return Some(new);
        }
        match self.phase {
            Phase::Recovery(_) => self.detection.last_resort(&self.board, self.recover),
            Phase::Open | Phase::Loss(_) => None,
        }
    }

    /// Sends at most `most` new segments, whatever the window.
    pub(super) fn send_new(&mut self, now: Instant, most: u32, out: &mut SenderActions) {
        for number in self.board.end()..self.sendable_end().min(self.board.end() + most) {
            self.send(now, number, out);
        }
    }

    /// Whether the pacing clock holds the next segment back; it is set then.
    fn must_wait(&mut self, now: Instant, out: &mut SenderActions) -> bool {
        let Some(spacing) = &self.spacing else { return false };
        if now < self.paced_until {
            out.pacing = Some(TimerChange::Set(self.paced_until));
            return true;
        }
        let rtt = self.rtt.smoothed();
        let Some(interval) = spacing.interval(&*self.control, &self.window, rtt) else {
            return false;
        };
        if !self.departures.paces_late {
            self.paced_until = now + interval;
        } else if self.counters.sent_segments >= UNPACED {
            let late = now.saturating_since(self.paced_until);
            self.paced_until = now + interval - late.min(interval / 2);
        }
        false
    }

    /// Sends segment `number`, and takes note of it for the timers.
    pub(super) fn send(&mut self, now: Instant, number: u32, out: &mut SenderActions) {
        if self.board.flight_size() == 0 {
            self.restart_after_idle(now);
        }
        let is_first_again = number == self.board.first() && self.departures.waits_for_head;
        if self.timers.timeout.is_none() || self.board.flight_size() == 0 || is_first_again {
            self.timers.timeout = Some(now + self.rtt.timeout());
        }
        self.emit(now, number, false, out);
        if let Phase::Recovery(reduction) = &mut self.phase {
            reduction.on_send();
        }
    }

    /// All segments below `below` are acknowledged: the window is validated by it.
    pub(super) fn validate(&mut self, now: Instant, below: u32) {
        if self.window.is_under_validation() {
            let (first, limited_by) = (self.board.first(), self.limited_by());
            self.window.validate(now, self.rtt.smoothed(), first, below, limited_by);
        }
    }

    /// A sender that has been silent for longer than its timeout does not trust its window (RFC
    /// 5681, section 4.1), unless it is validated instead.
    fn restart_after_idle(&mut self, now: Instant) {
        if self.window.is_under_validation() {
            return self.validate(now, self.board.first());
        }
        let idle = now.saturating_since(self.last_sent);
        if self.board.end() > 1 && idle > self.rtt.timeout() && !self.control.rules_recovery() {
            self.window.cwnd = self.window.cwnd.min(f64::from(self.initial_window));
        }
    }

    /// Transmits segment `number`, which is outstanding or the next new one.
    pub(super) fn emit(&mut self, now: Instant, number: u32, probe: bool, out: &mut SenderActions) {
        let in_flight = self.board.in_flight();
        let retransmission = number < self.board.end();
        self.control.on_send(&SentSegment { now, number, retransmission, in_flight });
        let snapshot = self.rate.on_send(now, in_flight, self.board.flight_size() == 0);
        if retransmission {
            self.board.resend(number, now, snapshot);
            self.window.on_resend(number);
            let repairs = !matches!(self.phase, Phase::Open);
            if let Some(reduced) = self.reduced.as_mut().filter(|_| repairs) {
                reduced.on_resend(now, number);
            }
        } else {
            self.board.send_new(now, snapshot);
        }
        self.window.on_send(self.board.in_flight(), self.board.first(), self.board.end());
        self.last_sent = now;
        let payload_bytes = self.supply.payload_bytes(number);
        if let Some(offered) = self.offered.as_mut().filter(|_| !retransmission) {
            offered.on_send(payload_bytes);
        }
        let (echo, piggybacked) = (self.acked_at.unwrap_or(Instant::FAR), None);
        out.send.push(SegmentKind::Data {
            number,
            payload_bytes,
            retransmission,
            probe,
            echo,
            piggybacked,
        });
        self.counters.sent_segments += 1;
        self.counters.retransmits += u64::from(retransmission);
    }
}
