//! The sender while its route is broken: the steps that every reaction of `link_failure.rs` shares.

use super::Sender;
use crate::kernel::{Duration, Instant};
use crate::transport::{Acknowledgment, SenderActions, TimerChange};

impl Sender {
    /// Routing reports that the route has broken.
    pub(super) fn route_broken(&mut self, now: Instant, out: &mut SenderActions) {
        let rto = self.rtt.timeout();
        let left = self.timer.map_or(rto, |at| at.saturating_since(now));
        let can_probe = self.unacknowledged < self.unsent;
        let Some(first) = self.link_failure.on_route_error(now, can_probe, left, rto) else {
            return;
        };
        self.timer = None;
        self.stop_pacing(out);
        // The probe may repeat the timed segment, and the wait would count as a round trip (Karn).
        self.timed = None;
        if first > now {
            out.timer = Some(TimerChange::Set(first));
        } else {
            self.send_probe(now, out);
        }
    }

    /// Sends the lowest unacknowledged segment as a probe, or a new one if all have been
    /// acknowledged meanwhile; nothing if the application has none.
    pub(super) fn send_probe(&mut self, now: Instant, out: &mut SenderActions) {
        let number = self.unacknowledged;
        if number >= self.supply.end() {
            return;
        }
        let Some((mark, next)) = self.link_failure.on_probe(now) else { return };
        self.emit(now, number, mark, out);
        self.next = self.next.max(number + 1);
        out.timer = Some(TimerChange::Set(next));
    }

    /// Whether `ack`, received while suspended, ends the suspension. If not, only its number
    /// counts.
    pub(super) fn resumes(
        &mut self,
        now: Instant,
        ack: &Acknowledgment,
        out: &mut SenderActions,
    ) -> bool {
        let rto = self.rtt.timeout();
        if let Some((lasted, left)) = self.link_failure.on_ack(now, ack, rto) {
            self.control.on_resume(lasted);
            self.resume_timer(now, left, out);
            return true;
        }
        self.unacknowledged = self.unacknowledged.max(ack.number + 1);
        self.next = self.next.max(self.unacknowledged);
        self.supply.release(self.unacknowledged);
        false
    }

    fn resume_timer(&mut self, now: Instant, left: Duration, out: &mut SenderActions) {
        if self.unacknowledged < self.unsent {
            self.set_timer(now + left, out);
        } else {
            self.stop_timer(out);
        }
    }
}
