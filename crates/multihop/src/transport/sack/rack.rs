//! RACK: a segment is lost if one sent sufficiently later has arrived (RFC 8985 section 6).

use super::detection::{Circumstances, Detected, LossDetection};
use super::report::Report;
use super::scoreboard::{Arrived, Outstanding, Scoreboard};
use crate::kernel::{Duration, Instant};

/// Recoveries after which a widened reordering window is reset (section 6.2, step 4).
const PERSIST: u32 = 16;

/// RACK's state of one connection.
#[derive(Clone, Debug)]
pub struct Rack {
    /// When the most recently sent segment that has arrived was sent, and its number.
    newest: (Instant, u32),
    /// Round trip of the segment delivered last.
    rtt: Duration,
    /// As [`Departures::times_in_order`](super::departures::Departures::times_in_order).
    times_in_order: bool,
    reordering_seen: bool,
    /// Segments in flight end here when a duplicate was last reported (dsack_round).
    dsack_round: Option<u32>,
    /// The reordering window in quarters of the shortest round trip.
    quarters: u32,
    persist: u32,
}

impl Rack {
    /// Nothing has arrived yet. `times_in_order`: [`Rack`]'s round trip is that of the last segment
    /// acknowledged in order, if one is, not of the one sent last.
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

    /// A duplicate was reported, with segments up to `end` sent and those below `first`
    /// acknowledged.
    fn on_duplicate_report(&mut self, first: u32, end: u32) {
        self.dsack_round = self.dsack_round.filter(|&round| first < round);
        if self.dsack_round.is_none() {
            self.dsack_round = Some(end);
            self.quarters += 1;
            self.persist = PERSIST;
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
}

impl LossDetection for Rack {
    /// Steps 2 and 3. What has arrived behind a hole is not what is echoed (RFC 7323 section 4.3,
    /// B): of it the echo tells nothing.
    fn on_arrival(
        &mut self,
        arrived: &[Arrived],
        report: &Report,
        board: &Scoreboard,
        cx: Circumstances,
    ) {
        let Report { below, echo, mut forward, .. } = *report;
        let (now, min_rtt) = (cx.now, cx.min_rtt);
        let is_valid = |&&Arrived { number, segment }: &&Arrived| {
            let rtt = now.saturating_since(segment.sent);
            let answers_another = number < below && echo < segment.sent;
            !segment.retransmitted || !(answers_another || min_rtt.is_some_and(|least| rtt < least))
        };
        let latest = arrived.iter().filter(is_valid).map(|a| (a.segment.sent, a.number)).max();
        if let Some(latest) = latest {
            let in_order = arrived.iter().filter(is_valid).rfind(|a| a.number < below);
            let timed = in_order.filter(|_| self.times_in_order).map(|a| a.segment.sent);
            self.rtt = now.saturating_since(timed.unwrap_or(latest.0));
            self.newest = self.newest.max(latest);
        }
        for &Arrived { number, segment } in arrived {
            if number + 1 > forward {
                forward = number + 1;
            } else if number + 1 < forward && !segment.retransmitted {
                self.reordering_seen = true;
            }
        }
        if report.duplicate.is_some() {
            self.on_duplicate_report(report.below, board.end());
        }
    }

    /// Step 5.
    fn detect(&mut self, board: &Scoreboard, cx: Circumstances) -> Detected {
        let patience = self.rtt + self.window(board, cx);
        let mut detected = Detected::default();
        for (number, segment) in board.iter() {
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
                detected.lost.push(number);
            } else {
                detected.again_after = detected.again_after.max(Some(left));
            }
        }
        detected
    }

    /// The first segment is lost, and those sent a round trip ago (section 6.3).
    fn on_timeout(&mut self, board: &Scoreboard, cx: Circumstances) -> Vec<u32> {
        let patience = self.rtt + self.window(board, cx);
        let is_due = |&(number, segment): &(u32, &Outstanding)| {
            number == board.first() || segment.sent + patience <= cx.now
        };
        board.iter().filter(is_due).map(|(number, _)| number).collect()
    }

    fn on_recovered(&mut self) {
        self.persist = self.persist.saturating_sub(1);
        if self.persist == 0 {
            self.quarters = 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transport::sack::snapshot::Snapshot;
    use crate::wire::tcp::SackBlocks;

    fn ms(ms: u64) -> Instant {
        Instant::from_nanos(ms * 1_000_000)
    }

    /// The wait for a segment sent at 0, with one sent behind it whose round trip of 100 ms ends
    /// now.
    fn reordering_window(rack: &mut Rack) -> Duration {
        let mut board = Scoreboard::default();
        let mut arrived = Vec::new();
        (0..2).for_each(|_| board.send_new(ms(0), Snapshot::default()));
        let blocks: SackBlocks = [(1, 2)].into_iter().collect();
        board.acknowledge(0, &blocks, &mut arrived);
        let round_trip = Duration::from_millis(100);
        let cx = Circumstances {
            now: ms(100),
            min_rtt: Some(round_trip),
            smoothed_rtt: Some(round_trip),
            in_recovery: false,
            threshold: 3,
        };
        let report = Report {
            echo: ms(0),
            before: 0,
            below: 0,
            forward: 0,
            duplicate: None,
            is_bare: false,
        };
        rack.on_arrival(&arrived, &report, &board, cx);
        rack.detect(&board, cx).again_after.expect("a wait")
    }

    #[test]
    fn a_widened_window_lasts_for_sixteen_recoveries() {
        let mut rack = Rack::new(false);
        assert_eq!(reordering_window(&mut rack), Duration::from_millis(25));
        rack.on_duplicate_report(0, 10);
        (0..15).for_each(|_| rack.on_recovered());
        assert_eq!(reordering_window(&mut rack), Duration::from_millis(50));
        rack.on_recovered();
        assert_eq!(reordering_window(&mut rack), Duration::from_millis(25));
    }

    #[test]
    fn a_report_starts_the_count_anew() {
        let mut rack = Rack::new(false);
        rack.on_duplicate_report(0, 10);
        (0..15).for_each(|_| rack.on_recovered());
        rack.on_duplicate_report(10, 20);
        (0..15).for_each(|_| rack.on_recovered());
        assert_eq!(reordering_window(&mut rack), Duration::from_millis(75));
    }
}
