//! A TCP receiver: a cumulative acknowledgment for every segment that arrives.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use std::collections::VecDeque;

use super::ecn::Echo;
use crate::wire::tcp::SackBlocks;
use crate::wire::{Ecn, EcnFlags};

/// Segments held beyond the in-order point at most; no sender's window is larger.
const HELD_SEGMENTS: usize = 1 << 20;

/// How an arriving segment relates to those that have arrived.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Received {
    /// It is the lowest that was missing.
    InOrder,
    /// A lower one is still missing.
    OutOfOrder,
    /// It has arrived before.
    Duplicate,
}

/// A receiver of one flow. Segment 0 is the SYN and carries nothing.
#[derive(Clone, Debug, Default)]
pub struct Receiver {
    /// The lowest missing segment.
    next: u32,
    /// Payloads of the out-of-order segments, from `next` on.
    held: VecDeque<Option<u32>>,
    delivered_bytes: u64,
    duplicates: u64,
    out_of_order: u64,
    unique_segments: u64,
    unique_bytes: u64,
    echo: Echo,
}

impl Receiver {
    /// A receiver whose end has opened the connection: no SYN is to come.
    pub fn accepted() -> Receiver {
        Receiver { next: 1, ..Receiver::default() }
    }

    /// Segment `number` has arrived. Returns the number to acknowledge, as
    /// [`Receiver::cumulative`].
    pub fn on_data(&mut self, number: u32, payload_bytes: u32) -> u32 {
        self.on_segment(number, payload_bytes);
        self.cumulative()
    }

    /// Segment `number` has arrived.
    pub fn on_segment(&mut self, number: u32, payload_bytes: u32) -> Received {
        let ahead = number.wrapping_sub(self.next) as usize;
        if number < self.next || ahead >= HELD_SEGMENTS {
            self.duplicates += 1;
            return Received::Duplicate;
        }
        self.out_of_order += u64::from(ahead > 0);
        if self.held.len() <= ahead {
            self.held.resize(ahead + 1, None);
        }
        let is_new = self.held[ahead].replace(payload_bytes).is_none();
        self.duplicates += u64::from(!is_new);
        if is_new {
            self.unique_segments += u64::from(number > 0);
            self.unique_bytes += u64::from(payload_bytes);
        }
        while let Some(Some(bytes)) = self.held.front() {
            self.delivered_bytes += u64::from(*bytes);
            self.next += 1;
            self.held.pop_front();
        }
        match (is_new, ahead) {
            (false, _) => Received::Duplicate,
            (true, 0) => Received::InOrder,
            (true, _) => Received::OutOfOrder,
        }
    }

    /// The last segment had `flags` and came in a packet with codepoint `ecn`.
    pub fn on_ecn(&mut self, ecn: Ecn, flags: EcnFlags) {
        self.echo.on_segment(ecn, flags);
    }

    /// The flags of the acknowledgment that leaves. It answers a segment with `flags`, or one that
    /// came before.
    pub fn ack_flags(&mut self, flags: EcnFlags) -> EcnFlags {
        self.echo.answer(self.cumulative(), flags)
    }

    /// The number to acknowledge: the highest segment up to which none is missing, or 0 while the
    /// SYN is.
    pub fn cumulative(&self) -> u32 {
        self.next.saturating_sub(1)
    }

    /// The lowest runs of segments that have arrived behind missing ones; none if nothing is
    /// missing.
    pub fn blocks(&self) -> Option<SackBlocks> {
        let held = (self.next..).zip(&self.held);
        let starts = held.filter(|&(number, held)| held.is_some() && !self.holds(number - 1));
        let blocks: SackBlocks = starts.filter_map(|(number, _)| self.run_around(number)).collect();
        (!blocks.is_empty()).then_some(blocks)
    }

    /// Whether segment `number` has arrived behind a missing one.
    fn holds(&self, number: u32) -> bool {
        let place = number.checked_sub(self.next);
        place.and_then(|place| self.held.get(place as usize)).is_some_and(Option::is_some)
    }

    /// Whether a segment is missing behind which another has arrived.
    pub fn has_holes(&self) -> bool {
        !self.held.is_empty()
    }

    /// The run of segments behind missing ones that `number` is in; none if it has not arrived or
    /// nothing before it is missing.
    pub fn run_around(&self, number: u32) -> Option<(u32, u32)> {
        let is_held = |number: &u32| self.holds(*number);
        let from = (self.next..=number).rev().take_while(is_held).last()?;
        let to = (number..).take_while(is_held).last()?;
        Some((from, to + 1))
    }

    /// Distinct data segments that have arrived, without the SYN.
    pub fn unique_segments(&self) -> u64 {
        self.unique_segments
    }

    /// Their payload \[bytes\].
    pub fn unique_bytes(&self) -> u64 {
        self.unique_bytes
    }

    /// Data segments delivered in order, without the SYN.
    pub fn delivered_segments(&self) -> u64 {
        u64::from(self.next.saturating_sub(1))
    }

    /// Payload delivered in order \[bytes\].
    pub fn delivered_bytes(&self) -> u64 {
        self.delivered_bytes
    }

    /// Segments that arrived while a lower one was missing.
    pub fn out_of_order(&self) -> u64 {
        self.out_of_order
    }

    /// Segments that had arrived before, or lie beyond any window.
    pub fn duplicates(&self) -> u64 {
        self.duplicates
    }
}

/// How an out-of-order segment is acknowledged.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum OutOfOrderAcks {
    /// Not at all.
    #[default]
    Silent,
    /// By an acknowledgment of that segment alone.
    Selective,
    /// By repeating the cumulative acknowledgment, which the sender ignores.
    Duplicate,
}

impl OutOfOrderAcks {
    /// The acknowledgment of segment `number`: its number, and whether it is selective. None if it
    /// is not acknowledged. All segments up to `cumulative` have arrived.
    pub fn answer(self, received: Received, number: u32, cumulative: u32) -> Option<(u32, bool)> {
        match (received, self) {
            (Received::OutOfOrder, OutOfOrderAcks::Silent) => None,
            (Received::OutOfOrder, OutOfOrderAcks::Selective) => Some((number, true)),
            _ => Some((cumulative, false)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_acknowledgment_is_cumulative() {
        let mut receiver = Receiver::default();
        let acks: Vec<u32> = [0, 1, 3, 4, 2, 2, 5].map(|n| receiver.on_data(n, 100 * n)).into();
        assert_eq!(acks, [0, 1, 1, 1, 4, 4, 5]);
        assert_eq!(receiver.delivered_segments(), 5);
        assert_eq!(receiver.delivered_bytes(), 100 * (1 + 2 + 3 + 4 + 5));
        assert_eq!((receiver.duplicates(), receiver.out_of_order()), (1, 2));
    }

    #[test]
    fn blocks_are_the_lowest_runs_behind_holes() {
        let mut receiver = Receiver::default();
        let blocks =
            |receiver: &Receiver| receiver.blocks().map(|blocks| blocks.iter().collect::<Vec<_>>());
        assert_eq!(blocks(&receiver), None);
        for number in [0, 1, 2, 4, 5, 8, 10, 12, 13] {
            receiver.on_segment(number, 1);
        }
        assert_eq!(blocks(&receiver), Some(vec![(4, 6), (8, 9), (10, 11), (12, 14)]));
        receiver.on_segment(15, 1);
        assert_eq!(
            blocks(&receiver),
            Some(vec![(4, 6), (8, 9), (10, 11), (12, 14)]),
            "room for four"
        );
        receiver.on_segment(3, 1);
        assert_eq!(blocks(&receiver), Some(vec![(8, 9), (10, 11), (12, 14), (15, 16)]));
        for number in [6, 7, 9, 11, 14] {
            receiver.on_segment(number, 1);
        }
        assert_eq!((blocks(&receiver), receiver.cumulative()), (None, 15));
    }

    #[test]
    fn a_segment_beyond_any_window_takes_no_memory() {
        let mut receiver = Receiver::default();
        assert_eq!(receiver.on_data(u32::MAX, 1), 0);
        assert!(receiver.held.is_empty());
    }
}
