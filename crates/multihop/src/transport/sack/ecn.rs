//! The sender and ECN (`transport/ecn.rs`).

use super::sender::{Phase, SackSender};
use crate::kernel::Instant;
use crate::transport::Acknowledgment;
use crate::transport::congestion::Loss;

impl SackSender {
    /// `ack` may echo a mark. The window is reduced once a window of data, and not while losses are
    /// repaired, for which it has been.
    pub(super) fn heed_echo(&mut self, now: Instant, ack: &Acknowledgment) {
        let below = ack.number + 1;
        if !ack.echo || !matches!(self.phase, Phase::Open) || !self.ecn.reduces(below) {
            return;
        }
        let in_flight = self.board.end() - below.max(self.board.first());
        self.control.on_congestion(&mut self.window, &Loss { now, in_flight, duplicates: 0 });
        self.window.on_mark(in_flight);
        self.window.cwnd = self.window.cwnd.max(1.0);
        self.window.discount();
        self.counters.ecn_reductions += 1;
        self.ecn.on_reduction(self.board.end());
    }
}
