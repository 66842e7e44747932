//! The sender while its route is broken: the steps that every reaction of `link_failure.rs` shares.

use super::sender::SackSender;
use crate::kernel::Instant;
use crate::transport::{Acknowledgment, SenderActions, TimerChange};

impl SackSender {
    /// Routing reports that the route has broken.
    pub(super) fn route_broken(&mut self, now: Instant, out: &mut SenderActions) {
        let rto = self.rtt.timeout();
        let left = self.timers.timeout.map_or(rto, |at| at.saturating_since(now));
        let can_probe = self.board.flight_size() > 0;
        let Some(first) = self.link_failure.on_route_error(now, can_probe, left, rto) else {
            return;
        };
        self.timers.stop();
        out.pacing = Some(TimerChange::Cancel);
        if first > now {
            out.timer = Some(TimerChange::Set(first));
        } else {
            self.send_route_probe(now, out);
        }
    }

    /// Sends the lowest unacknowledged segment as a probe, or a new one if all have been
    /// acknowledged meanwhile; nothing if the application has stopped by then.
    pub(super) fn send_route_probe(&mut self, now: Instant, out: &mut SenderActions) {
        let number = self.board.first();
        if number >= self.supply.end() {
            return;
        }
        let Some((mark, next)) = self.link_failure.on_probe(now) else { return };
        self.emit(now, number, mark, out);
        out.timer = Some(TimerChange::Set(next));
    }

    /// Whether `ack`, received while suspended, ends the suspension. If not, it tells which
    /// segments have arrived, and nothing else.
    pub(super) fn resumes(&mut self, now: Instant, ack: &Acknowledgment) -> bool {
        let rto = self.rtt.timeout();
        let Some((lasted, left)) = self.link_failure.on_ack(now, ack, rto) else {
            self.note_while_suspended(now, ack.number + 1);
            return false;
        };
        self.control.on_resume(lasted);
        self.timers.timeout = Some(now + left);
        self.paced_until = now;
        true
    }
}
