//! Which outstanding segments are lost.

use super::outside::LossDetection;
use super::rack::{Circumstances, Rack};
use super::report::Report;
use super::scoreboard::{Arrived, Scoreboard};
use crate::kernel::Duration;

/// How losses are noticed.
#[derive(Debug)]
pub enum Detection {
    /// So many segments behind a missing one have arrived (RFC 6675, IsLost). A lost retransmission is not noticed.
    Threshold {
        /// No rescue leaves before more than this segment is acknowledged (RescueRxt).
        rescued: u32,
    },
    /// One sent sufficiently later has arrived (RFC 8985).
    Rack(Rack),
    /// As a rule of another crate has it.
    Outside(Box<dyn LossDetection>),
}

impl Detection {
    /// `arrived` are known to have arrived by an acknowledgment that tells `report`, with segments up to `end` sent.
    pub fn on_arrival(
        &mut self,
        arrived: &[Arrived],
        report: &Report,
        end: u32,
        cx: Circumstances,
    ) {
        match self {
            Detection::Threshold { .. } => {}
            Detection::Rack(rack) => {
                rack.on_arrival(arrived, report, cx);
                if report.duplicate.is_some() {
                    rack.on_duplicate_report(report.below, end);
                }
            }
            Detection::Outside(rule) => rule.on_arrival(arrived, report, cx),
        }
    }

    /// Marks what is lost by now. Returns the segments newly lost, and the time after which to look again.
    pub fn detect(&mut self, board: &mut Scoreboard, cx: Circumstances) -> (u32, Option<Duration>) {
        match self {
            Detection::Threshold { .. } => (beyond_threshold(board, cx.threshold), None),
            Detection::Rack(rack) => rack.detect(board, cx),
            Detection::Outside(rule) => {
                let detected = rule.detect(board, cx);
                (lose(board, detected.lost), detected.again_after)
            }
        }
    }

    /// The retransmission timer has expired.
    pub fn on_timeout(&mut self, board: &mut Scoreboard, cx: Circumstances) {
        match self {
            // All that has not arrived is sent again in turn. What has is not, as RFC 6675 section 5.1 allows where
            // receivers keep what they have reported, which they do here (RFC 2018 section 8).
            Detection::Threshold { .. } => {
                lose(board, (board.first()..board.end()).collect());
            }
            Detection::Outside(rule) => {
                let lost = rule.on_timeout(board, cx);
                lose(board, lost);
            }
            Detection::Rack(rack) => rack.on_timeout(board, cx),
        }
    }

    /// A recovery begins with segment `first` sent again.
    pub fn on_recovery(&mut self, first: u32) {
        match self {
            Detection::Threshold { rescued } => *rescued = first,
            Detection::Rack(_) => {}
            Detection::Outside(rule) => rule.on_recovery(first),
        }
    }

    /// The segment to send again in a recovery, up to below `recover`, when none is lost and none is new: the lowest missing one
    /// behind which something has arrived, or once in a recovery the highest of all (RFC 6675 section 4, NextSeg, rules 3 and
    /// 4). The board counts both transmissions as being in the network.
    pub fn last_resort(&mut self, board: &Scoreboard, recover: u32) -> Option<u32> {
        let rescued = match self {
            Detection::Threshold { rescued } => rescued,
            Detection::Rack(_) => return None,
            Detection::Outside(rule) => return rule.last_resort(board, recover),
        };
        let mut missing = board.iter().filter(|(_, segment)| !segment.sacked);
        let forward = board.forward();
        let unrepaired = missing
            .clone()
            .take_while(|&(number, _)| number < forward)
            .find(|(_, segment)| !segment.resent);
        if let Some((number, _)) = unrepaired {
            return Some(number);
        }
        let (highest, _) = missing.next_back().filter(|_| board.first() > *rescued + 1)?;
        *rescued = recover - 1;
        Some(highest)
    }

    /// A recovery has ended.
    pub fn on_recovered(&mut self) {
        match self {
            Detection::Threshold { .. } => {}
            Detection::Rack(rack) => rack.on_recovered(),
            Detection::Outside(rule) => rule.on_recovered(),
        }
    }
}

/// Loses these segments, but for those that are not outstanding or have arrived. Returns how many of which that is news.
fn lose(board: &mut Scoreboard, numbers: Vec<u32>) -> u32 {
    let outstanding = board.first()..board.end();
    let is_news = |&number: &u32| outstanding.contains(&number) && board.lose(number);
    numbers.iter().copied().filter(is_news).count() as u32
}

/// Loses the segments that have at least `threshold` arrived ones behind them; of those sent again only the first
/// transmission. Returns how many are to be sent again.
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
        .filter(|&number| match board.get(number) {
            Some(segment) if segment.resent => {
                board.lose_original(number);
                false
            }
            _ => board.lose(number),
        })
        .count() as u32
}
