//! RACK: a segment is lost if one sent sufficiently later has arrived (RFC 8985 section 6).

use super::scoreboard::{Arrived, Scoreboard};
use crate::kernel::{Duration, Instant};

/// Recoveries after which a widened reordering window is reset (section 6.2, step 4).
const PERSIST: u32 = 16;

/// RACK's state of one connection.
#[derive(Clone, Debug)]
pub struct Rack {
    /// When the most recently sent segment that has arrived was sent, and its number.
    newest: (Instant, u32),
    /// Its round trip.
    rtt: Duration,
    /// The round trip is that of the last segment acknowledged with all before it, if there is one, though another may
    /// have been sent later and arrived.
    times_in_order: bool,
    reordering_seen: bool,
    /// Segments in flight end here when a duplicate was last reported (dsack_round).
    dsack_round: Option<u32>,
    /// The reordering window in quarters of the shortest round trip.
    quarters: u32,
    persist: u32,
}

/// What RACK needs to know of the connection.
#[derive(Clone, Copy, Debug)]
pub struct Circumstances {
    /// The time.
    pub now: Instant,
    /// Shortest round trip so far.
    pub min_rtt: Option<Duration>,
    /// Smoothed round trip.
    pub smoothed_rtt: Option<Duration>,
    /// Losses are being repaired.
    pub in_recovery: bool,
    /// Segments behind a missing one that count as its loss while no reordering is known (DupThresh).
    pub threshold: u32,
}

impl Rack {
    /// Nothing has arrived yet. Linux `times_in_order`.
    pub fn new(times_in_order: bool) -> Rack {
        Rack {
            newest: (Instant::ZERO, 0),
            rtt: Duration::ZERO,
            times_in_order,
            reordering_seen: false,
            dsack_round: None,
            quarters: 1,
            persist: PERSIST,
        }
    }

    /// `arrived` are known to have arrived by an acknowledgment of all below `below`, which echoes a segment sent at `echo`; before,
    /// the highest that had arrived was below `forward` (steps 2 and 3). The echo tells nothing of segments behind a
    /// missing one: it is that of the last in order then (RFC 7323 section 4.3).
    pub fn on_arrival(
        &mut self,
        now: Instant,
        arrived: &[Arrived],
        echo: Instant,
        below: u32,
        mut forward: u32,
        min_rtt: Option<Duration>,
    ) {
        let is_clear = |&&Arrived { number, segment }: &&Arrived| {
            let rtt = now.saturating_since(segment.sent);
            !segment.retransmitted
                || ((number >= below || echo >= segment.sent)
                    && min_rtt.is_none_or(|least| rtt >= least))
        };
        let newest = |a: &&Arrived| (a.segment.sent, a.number);
        if let Some(last) = arrived.iter().filter(is_clear).max_by_key(newest) {
            self.newest = self.newest.max((last.segment.sent, last.number));
            let in_order = arrived.iter().filter(is_clear).filter(|a| a.number < below);
            let timed = in_order.last().filter(|_| self.times_in_order).unwrap_or(last);
            self.rtt = now.saturating_since(timed.segment.sent);
        }
        for &Arrived { number, segment } in arrived {
            if number + 1 > forward {
                forward = number + 1;
            } else if number + 1 < forward && !segment.retransmitted {
                self.reordering_seen = true;
            }
        }
    }

    /// A duplicate was reported, with segments up to `end` sent and those below `first` acknowledged.
    pub fn on_duplicate_report(&mut self, first: u32, end: u32) {
        self.dsack_round = self.dsack_round.filter(|&round| first < round);
        if self.dsack_round.is_none() {
            self.dsack_round = Some(end);
            self.quarters += 1;
            self.persist = PERSIST;
        }
    }

    /// A recovery has ended.
    pub fn on_recovered(&mut self) {
        self.persist = self.persist.saturating_sub(1);
        if self.persist == 0 {
            self.quarters = 1;
        }
    }

    /// The reordering window (step 4).
    fn window(&self, board: &Scoreboard, cx: Circumstances) -> Duration {
        let is_sure = cx.in_recovery || board.sacked() >= cx.threshold;
        match cx.min_rtt {
            Some(least) if self.reordering_seen || !is_sure => {
                let widened = least * u64::from(self.quarters) / 4;
                widened.min(cx.smoothed_rtt.unwrap_or(widened))
            }
            _ => Duration::ZERO,
        }
    }

    /// Marks what is lost by now (step 5). Returns the segments newly lost, and the time after which to look
    /// again.
    pub fn detect(&self, board: &mut Scoreboard, cx: Circumstances) -> (u32, Option<Duration>) {
        let patience = self.rtt + self.window(board, cx);
        let mut wait = None;
        let mut lost = 0;
        for number in board.first()..board.end() {
            let Some(segment) = board.get(number) else { break };
            if segment.sacked || (segment.lost && !segment.resent) {
                continue;
            }
            if (segment.sent, number) >= self.newest {
                // Nothing sent for the first time lies beyond a segment that was.
                if !segment.retransmitted {
                    break;
                }
                continue;
            }
            let left = (segment.sent + patience).saturating_since(cx.now);
            if left == Duration::ZERO {
                lost += u32::from(board.lose(number));
            } else {
                wait = wait.max(Some(left));
            }
        }
        (lost, wait)
    }

    /// The retransmission timer has expired: the first segment is lost, and those sent a round trip ago
    /// (section 6.3).
    pub fn on_timeout(&self, board: &mut Scoreboard, cx: Circumstances) {
        let patience = self.rtt + self.window(board, cx);
        for number in board.first()..board.end() {
            let is_due = board.get(number).is_some_and(|s| s.sent + patience <= cx.now);
            if number == board.first() || is_due {
                board.lose(number);
            }
        }
    }
}
