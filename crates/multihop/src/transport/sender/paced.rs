//! The sender under a [`Pacer`]: each tick releases one segment that the window admits.

use super::Sender;
use crate::kernel::Instant;
use crate::transport::pacing::Pacer;
use crate::transport::{Acknowledgment, SenderActions};

impl Sender {
    /// A tick of the pacer's clock.
    pub(super) fn tick(&mut self, now: Instant, out: &mut SenderActions) {
        let Some(pacer) = &mut self.pacer else { return };
        if self.unacknowledged >= self.supply.end() {
            pacer.wait();
        } else if pacer.spacing().ticks_on() {
            self.start_interval(now, out);
            self.send_next_allowed(now, out);
        } else {
            pacer.wait();
            self.send_paced(now, out);
        }
    }

    /// Whether segments leave by a pacer's clock now.
    pub(super) fn is_paced(&self) -> bool {
        self.pacer.as_ref().is_some_and(Pacer::paces)
    }

    /// The first segment leaves at once, the others at ticks.
    pub(super) fn send_paced(&mut self, now: Instant, out: &mut SenderActions) {
        while self.pacer.as_ref().is_some_and(Pacer::is_ready) && self.send_next_allowed(now, out) {
            self.start_interval(now, out);
        }
    }

    /// The next segment may leave an interval from now.
    fn start_interval(&mut self, now: Instant, out: &mut SenderActions) {
        if let Some(pacer) = &mut self.pacer {
            let rtt = self.rtt.smoothed();
            let interval = pacer.spacing().interval(&*self.control, &self.window, rtt);
            pacer.tick_after(interval, now, out);
        }
    }

    /// `ack` shows the pacer how long a segment takes.
    pub(super) fn measure_delay(&mut self, now: Instant, ack: &Acknowledgment) {
        if let Some(pacer) = &mut self.pacer {
            pacer.on_ack(now.saturating_since(ack.sent), ack.hops);
        }
    }

    /// No paced segment leaves until the next acknowledgment.
    pub(super) fn stop_pacing(&mut self, out: &mut SenderActions) {
        if let Some(pacer) = &mut self.pacer {
            pacer.stop(out);
        }
    }

    /// Segments are not paced until the next acknowledgment.
    pub(super) fn switch_pacing_off(&mut self, out: &mut SenderActions) {
        if let Some(pacer) = &mut self.pacer {
            pacer.switch_off(out);
        }
    }

    /// Sends the next segment if the window or limited transmit admits it. Returns whether it did.
    fn send_next_allowed(&mut self, now: Instant, out: &mut SenderActions) -> bool {
        let allowed = self.next < self.window_end() || self.may_send_beyond_window();
        if allowed {
            self.send(now, self.next, out);
            self.next += 1;
        }
        allowed
    }
}
