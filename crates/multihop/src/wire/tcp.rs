//! TCP segments. Sequence numbers count segments, not bytes, as in ns-2 and the papers' figures.

use super::{EcnFlags, FlowId};
use crate::kernel::Instant;

/// Bytes of an IPv4 and a TCP header without options (RFC 791, RFC 9293).
pub const TCP_IP_HEADER_BYTES: u32 = 40;
/// Bytes of the timestamps option and its padding (RFC 7323, appendix A).
pub const TIMESTAMPS_BYTES: u32 = 12;
/// Blocks that an acknowledgment has room for (RFC 2018, section 3); one less with timestamps.
pub const SACK_BLOCKS: usize = 4;

/// Runs of segments that have arrived behind missing ones, the lowest first: each from its first segment up
/// to, but not including, the next missing one. Unused places are empty.
pub type SackBlocks = [(u32, u32); SACK_BLOCKS];

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
    },
    /// Cumulative acknowledgment: every segment up to and including `number` has arrived.
    Ack {
        /// Highest segment number received in order.
        number: u32,
        /// Whether it answers a probe.
        probe: bool,
        /// When the segment that it acknowledges was sent (the timestamp option's echo, RFC 7323, without
        /// bytes of its own).
        sent: Instant,
    },
    /// Acknowledgment of segment `number` alone, which arrived out of order (semi-TCP).
    SelectiveAck {
        /// Segment number.
        number: u32,
    },
    /// Cumulative acknowledgment with the blocks that have arrived beyond it, and so with the holes before
    /// them (RFC 2018; semi-TCP).
    ///
    /// Deviation: the lowest blocks, where RFC 2018 puts the newest first; the sender repairs from below.
    Sack {
        /// Highest segment number received in order.
        number: u32,
        /// Whether it answers a probe.
        probe: bool,
        /// As in `Ack`.
        sent: Instant,
        /// What has arrived beyond it.
        blocks: SackBlocks,
    },
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

    /// Size \[bytes\] with TCP and IP headers.
    pub fn size_bytes(&self) -> u32 {
        let header = TCP_IP_HEADER_BYTES + if self.timestamps { TIMESTAMPS_BYTES } else { 0 };
        match self.kind {
            SegmentKind::Data { payload_bytes, .. } => header + payload_bytes,
            SegmentKind::Ack { .. } | SegmentKind::SelectiveAck { .. } => header,
            SegmentKind::Sack { blocks, .. } => {
                let used = blocks.iter().filter(|(from, to)| from < to).count() as u32;
                header + 2 + 8 * used
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_block_takes_eight_bytes_and_the_option_two() {
        let mut blocks = SackBlocks::default();
        let ack =
            |blocks| SegmentKind::Sack { number: 3, probe: false, sent: Instant::ZERO, blocks };
        let size = |blocks| Segment::new(FlowId(0), ack(blocks));
        let sizes = [0, 1, 2, 3].map(|place: usize| {
            blocks[place] = (5 + 2 * place as u32, 6 + 2 * place as u32);
            size(blocks).size_bytes()
        });
        assert_eq!(sizes, [50, 58, 66, 74]);
        assert!(size(blocks).is_ack());
    }
}
