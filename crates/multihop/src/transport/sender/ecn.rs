//! The sender and ECN (`transport/ecn.rs`).

use super::Sender;
use crate::kernel::Instant;
use crate::transport::Acknowledgment;
use crate::transport::congestion::Loss;

impl Sender {
    /// `ack` may echo a mark. The window is reduced once a window of data, and not in recovery,
    /// which has reduced it.
    pub(super) fn heed_echo(&mut self, now: Instant, ack: &Acknowledgment) {
        let below = ack.number + 1;
        if !ack.echo || self.in_recovery || below <= self.recover || !self.ecn.reduces(below) {
            return;
        }
        let in_flight = self.unsent - below.max(self.unacknowledged);
        self.control.on_congestion(&mut self.window, &Loss { now, in_flight, duplicates: 0 });
        self.window.on_mark(in_flight);
        self.window.cwnd = self.window.cwnd.max(1.0);
        self.counters.ecn_reductions += 1;
        self.ecn.on_reduction(self.unsent);
    }
}
