//! TCP segments. Sequence numbers count segments, not bytes, as in ns-2 and the papers' figures.

use std::num::NonZeroU32;

use super::{EcnFlags, FlowId};
use crate::kernel::Instant;

/// Bytes of an IPv4 and a TCP header without options (RFC 791, RFC 9293).
pub const TCP_IP_HEADER_BYTES: u32 = 40;
/// Bytes of the timestamps option and its padding (RFC 7323, appendix A).
pub const TIMESTAMPS_BYTES: u32 = 12;
/// Blocks that an acknowledgment has room for (RFC 2018, section 3); one less with timestamps.
pub const SACK_BLOCKS: usize = 4;

/// Runs of segments that have arrived, each from its first segment up to, but not including, the
/// next missing one. Small, as every segment has room for it: of a run of more than 65,535 segments
/// only the first so many are told.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SackBlocks {
    starts: [u32; SACK_BLOCKS],
    /// 0 where there is no run.
    lengths: [u16; SACK_BLOCKS],
}

impl SackBlocks {
    /// The runs, in their order.
    pub fn iter(&self) -> impl Iterator<Item = (u32, u32)> {
        let runs = self.starts.into_iter().zip(self.lengths).take_while(|&(_, length)| length > 0);
        runs.map(|(start, length)| (start, start + u32::from(length)))
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.lengths[0] == 0
    }
}

impl FromIterator<(u32, u32)> for SackBlocks {
    /// Those of `runs` that there is room for, the first ones. None is empty.
    fn from_iter<T: IntoIterator<Item = (u32, u32)>>(runs: T) -> SackBlocks {
        let mut blocks = SackBlocks::default();
        for (place, (from, to)) in runs.into_iter().take(SACK_BLOCKS).enumerate() {
            blocks.starts[place] = from;
            blocks.lengths[place] = u16::try_from(to - from).unwrap_or(u16::MAX);
        }
        blocks
    }
}

/// The windows in the headers of a flow's segments (RFC 9293 section 3.1), as far as they don't
/// change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WindowFields {
    /// Shift count of the window scale option (RFC 7323 section 2.2); no option if it is 0.
    pub scale: u8,
    /// Window of a SYN and of its answer, which is never scaled.
    pub first: u16,
    /// Window of an end that has not got any data.
    pub idle: u16,
}

impl Default for WindowFields {
    /// The largest window without scaling.
    fn default() -> WindowFields {
        WindowFields { scale: 0, first: u16::MAX, idle: u16::MAX }
    }
}

/// A TCP segment of a one-way flow.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Segment {
    /// The flow it belongs to.
    pub flow: FlowId,
    /// What it is.
    pub kind: SegmentKind,
    /// ECE and CWR.
    pub flags: EcnFlags,
    /// Whether it has the timestamps option.
    pub timestamps: bool,
}

/// Data from the sender or an acknowledgment from the receiver.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum SegmentKind {
    /// Segment `number`: 0 is the SYN without payload, data are 1, 2, ...
    Data {
        /// Segment number.
        number: u32,
        /// Payload \[bytes\].
        payload_bytes: u32,
        /// Whether this is a retransmission.
        retransmission: bool,
        /// Whether it probes a route that has broken (ELFN), without bytes of its own.
        probe: bool,
        /// When the last acknowledgment was sent that its sender had got (the timestamp option's
        /// echo, as in `Ack`); `Instant::FAR` before, and from senders that have no use for it.
        echo: Instant,
        /// The acknowledgment of data of the other direction that it carries.
        piggybacked: Option<PiggybackedAck>,
    },
    /// Cumulative acknowledgment: every segment up to and including `number` has arrived.
    Ack {
        /// Highest segment number received in order.
        number: u32,
        /// Whether it answers a probe.
        probe: bool,
        /// When the segment that it acknowledges was sent (the timestamp option's echo, RFC 7323,
        /// without bytes of its own).
        sent: Instant,
        /// The receiver's window as it is in the header: scaled by the option of the SYN, but in
        /// the SYN's answer.
        window: u16,
    },
    /// Acknowledgment of segment `number` alone, which arrived out of order (semi-TCP).
    SelectiveAck {
        /// Segment number.
        number: u32,
    },
    /// Cumulative acknowledgment with the blocks that have arrived beyond it, and so with the holes
    /// before them (RFC 2018; semi-TCP).
    ///
    /// Deviation: the lowest blocks, where RFC 2018 puts the newest first; the sender repairs from
    /// below.
    Sack {
        /// Highest segment number received in order.
        number: u32,
        /// Whether it answers a probe.
        probe: bool,
        /// As in `Ack`.
        sent: Instant,
        /// As in `Ack`.
        window: u16,
        /// What has arrived beyond it.
        blocks: SackBlocks,
    },
}

/// An acknowledgment piggybacked on data that go the same way. It takes no bytes: every header has
/// room for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PiggybackedAck {
    /// When the segment that it acknowledges was sent.
    pub sent: Instant,
    /// Highest segment of the other direction received in order.
    pub number: NonZeroU32,
    /// The receiver's window, as in [`SegmentKind::Ack`].
    pub window: u16,
}

impl SegmentKind {
    /// A data segment that echoes and carries nothing.
    pub const fn data(
        number: u32,
        payload_bytes: u32,
        retransmission: bool,
        probe: bool,
    ) -> SegmentKind {
        let (echo, piggybacked) = (Instant::FAR, None);
        SegmentKind::Data { number, payload_bytes, retransmission, probe, echo, piggybacked }
    }
}

impl Segment {
    /// A segment without flags of ECN and timestamps.
    pub const fn new(flow: FlowId, kind: SegmentKind) -> Segment {
        Segment { flow, kind, flags: EcnFlags::NONE, timestamps: false }
    }

    /// Whether it is an acknowledgment.
    pub fn is_ack(&self) -> bool {
        !matches!(self.kind, SegmentKind::Data { .. })
    }

    /// The number of the segment, or that which it acknowledges.
    pub fn number(&self) -> u32 {
        match self.kind {
            SegmentKind::Data { number, .. }
            | SegmentKind::Ack { number, .. }
            | SegmentKind::SelectiveAck { number }
            | SegmentKind::Sack { number, .. } => number,
        }
    }

    /// Size \[bytes\] with TCP and IP headers.
    pub fn size_bytes(&self) -> u32 {
        let header = TCP_IP_HEADER_BYTES + if self.timestamps { TIMESTAMPS_BYTES } else { 0 };
        match self.kind {
            SegmentKind::Data { payload_bytes, .. } => header + payload_bytes,
            SegmentKind::Ack { .. } | SegmentKind::SelectiveAck { .. } => header,
            SegmentKind::Sack { blocks, .. } => header + 2 + 8 * blocks.iter().count() as u32,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_block_takes_eight_bytes_and_the_option_two() {
        let ack = |blocks| SegmentKind::Sack {
            number: 3,
            probe: false,
            sent: Instant::ZERO,
            window: 0,
            blocks,
        };
        let segment = |count: u32| {
            let blocks = (0..count).map(|place| (5 + 2 * place, 6 + 2 * place)).collect();
            Segment::new(FlowId(0), ack(blocks))
        };
        assert_eq!([1, 2, 3, 4].map(|count| segment(count).size_bytes()), [50, 58, 66, 74]);
        assert!(segment(4).is_ack());
    }

    #[test]
    fn blocks_are_given_back_in_their_order_as_far_as_there_is_room() {
        let runs = [(9, 12), (4, 5), (20, 21), (30, 40), (50, 51)];
        let blocks: SackBlocks = runs.into_iter().collect();
        assert_eq!(blocks.iter().collect::<Vec<_>>(), runs[..SACK_BLOCKS]);
        assert!(!blocks.is_empty() && SackBlocks::default().is_empty());
        let long: SackBlocks = [(1, 100_000)].into_iter().collect();
        assert_eq!(long.iter().collect::<Vec<_>>(), [(1, 65_536)], "a part of a long run");
    }
}
