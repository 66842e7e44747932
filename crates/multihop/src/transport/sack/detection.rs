//! Which outstanding segments are lost.

use super::rack::{Circumstances, Rack};
use super::scoreboard::{News, Scoreboard};
use crate::kernel::{Duration, Instant};

/// How losses are noticed.
#[derive(Clone, Debug)]
pub enum Detection {
    /// So many segments behind a missing one have arrived (RFC 6675, IsLost). A lost retransmission is not noticed.
    Threshold,
    /// One sent sufficiently later has arrived (RFC 8985).
    Rack(Rack),
}

/// What an acknowledgment tells of order and time.
#[derive(Clone, Copy, Debug)]
pub struct Evidence {
    /// When the segment was sent that it answers.
    pub echo: Instant,
    /// One above the highest segment that had arrived before.
    pub forward: u32,
    /// It reports a segment that had arrived before (RFC 2883).
    pub is_duplicate_report: bool,
}

impl Detection {
    /// Takes note of what an acknowledgment has told.
    pub fn on_arrival(
        &mut self,
        board: &Scoreboard,
        news: &News,
        evidence: Evidence,
        cx: Circumstances,
    ) {
        let Detection::Rack(rack) = self else { return };
        let (echo, forward) = (evidence.echo, evidence.forward);
        rack.on_arrival(cx.now, &news.arrived, echo, board.first(), forward, cx.min_rtt);
        if evidence.is_duplicate_report {
            rack.on_duplicate_report(board.first(), board.end());
        }
    }

    /// Marks what is lost by now. Returns the segments newly lost, and the time after which to look again.
    pub fn detect(&self, board: &mut Scoreboard, cx: Circumstances) -> (u32, Option<Duration>) {
        match self {
            Detection::Threshold => (beyond_threshold(board, cx.threshold), None),
            Detection::Rack(rack) => rack.detect(board, cx),
        }
    }

    /// The retransmission timer has expired.
    pub fn on_timeout(&self, board: &mut Scoreboard, cx: Circumstances) {
        match self {
            // The scoreboard's word is not taken any more; all that has not arrived is sent again in turn
            // (RFC 6675 section 5.1).
            Detection::Threshold => {
                for number in board.first()..board.end() {
                    board.lose(number);
                }
            }
            Detection::Rack(rack) => rack.on_timeout(board, cx),
        }
    }

    /// A recovery has ended.
    pub fn on_recovered(&mut self) {
        if let Detection::Rack(rack) = self {
            rack.on_recovered();
        }
    }
}

/// Loses the segments never sent again that have at least `threshold` arrived ones behind them.
fn beyond_threshold(board: &mut Scoreboard, threshold: u32) -> u32 {
    if board.sacked() < threshold {
        return 0;
    }
    let mut behind = 0;
    let end = board
        .iter()
        .rev()
        .find(|(_, segment)| {
            behind += u32::from(segment.sacked);
            behind >= threshold
        })
        .map_or(board.first(), |(number, _)| number);
    (board.first()..end)
        .filter(|&number| {
            board.get(number).is_some_and(|segment| !segment.retransmitted) && board.lose(number)
        })
        .count() as u32
}
