//! Losses by numbers: a segment is lost once so many behind it have arrived (RFC 6675). A lost
//! retransmission is not noticed.

use super::detection::{Circumstances, Detected, LossDetection};
use super::scoreboard::Scoreboard;

/// What RFC 6675 remembers of one connection.
#[derive(Clone, Debug, Default)]
pub struct Threshold {
    /// No rescue leaves before more than this segment is acknowledged (RescueRxt).
    rescued: u32,
}

impl LossDetection for Threshold {
    /// The segments that have at least `threshold` arrived ones behind them (IsLost); of those sent
    /// again only the first transmission.
    fn detect(&mut self, board: &Scoreboard, cx: Circumstances) -> Detected {
        let mut detected = Detected::default();
        if board.sacked() < cx.threshold {
            return detected;
        }
        let mut behind = 0;
        let end = board
            .iter()
            .rev()
            .find(|(_, segment)| {
                behind += u32::from(segment.sacked);
                behind >= cx.threshold
            })
            .map_or(board.first(), |(number, _)| number);
        let before = board.iter().take_while(|&(number, _)| number < end);
        for (number, segment) in before.filter(|(_, segment)| !segment.sacked && !segment.lost) {
            match segment.resent {
                true => detected.superseded.push(number),
                false => detected.lost.push(number),
            }
        }
        detected
    }

    fn on_recovery(&mut self, first: u32) {
        self.rescued = first;
    }

    /// The lowest missing segment behind which something has arrived, or once in a recovery the
    /// highest of all (section 4, NextSeg, rules 3 and 4).
    fn last_resort(&mut self, board: &Scoreboard, recover: u32) -> Option<u32> {
        let mut missing = board.iter().filter(|(_, segment)| !segment.sacked);
        let forward = board.forward();
        let unrepaired = missing
            .clone()
            .take_while(|&(number, _)| number < forward)
            .find(|(_, segment)| !segment.resent);
        if let Some((number, _)) = unrepaired {
            return Some(number);
        }
        let (highest, _) = missing.next_back().filter(|_| board.first() > self.rescued + 1)?;
        self.rescued = recover - 1;
        Some(highest)
    }
}
