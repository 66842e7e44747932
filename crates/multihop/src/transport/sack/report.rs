//! What an acknowledgment tells, beside the segments that have arrived.

use super::scoreboard::Scoreboard;
use crate::kernel::Instant;
use crate::transport::Acknowledgment;
use crate::wire::tcp::SackBlocks;

/// An acknowledgment against what was known before it.
#[derive(Clone, Copy, Debug)]
pub struct Report {
    /// When the segment was sent that it echoes.
    pub echo: Instant,
    /// The lowest segment that was not acknowledged before it (SND.UNA).
    pub before: u32,
    /// Every segment below this one has arrived.
    pub below: u32,
    /// One above the highest segment that was known to have arrived before it (RACK.fack).
    pub forward: u32,
    /// The segment that it reports to have arrived twice (D-SACK).
    pub duplicate: Option<u32>,
    /// It has no blocks.
    pub is_bare: bool,
}

impl Report {
    /// `ack` with `blocks`, which `board` does not know yet.
    pub fn new(ack: &Acknowledgment, blocks: &SackBlocks, board: &Scoreboard) -> Report {
        let below = ack.number + 1;
        Report {
            echo: ack.sent,
            before: board.first(),
            below,
            forward: board.forward(),
            duplicate: duplicate(below, blocks),
            is_bare: blocks.is_empty(),
        }
    }

    /// Whether it acknowledges new data with all before them.
    pub fn advances(&self) -> bool {
        self.below > self.before
    }

    /// Segments that it newly acknowledges with all before them.
    pub fn acknowledged(&self) -> u32 {
        self.below.saturating_sub(self.before)
    }
}

/// The segment that the first of `blocks` reports to have arrived twice (RFC 2883 section 4): one
/// below `below`, the lowest not acknowledged, or one within the second block.
fn duplicate(below: u32, blocks: &SackBlocks) -> Option<u32> {
    let mut blocks = blocks.iter();
    let (from, to) = blocks.next()?;
    let is_within = blocks.next().is_some_and(|wider| wider.0 <= from && to <= wider.1);
    (to <= below || is_within).then(|| to - 1)
}
