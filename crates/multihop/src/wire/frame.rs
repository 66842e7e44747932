//! 802.11 frames (IEEE Std 802.11-1999 clause 7), and those of wires.

use schemars::JsonSchema;
use serde::Serialize;

use super::{NodeId, Payload};
use crate::kernel::Duration;

/// A frame on the air.
#[derive(Clone, Debug, PartialEq)]
pub struct Frame {
    /// Its kind.
    pub kind: FrameKind,
    /// The rate it is sent at.
    pub rate: Rate,
    /// The sending station.
    pub transmitter: NodeId,
    /// The receiving station, or broadcast.
    pub receiver: NodeId,
    /// Duration field \[µs\]: how long the exchange goes on after this frame.
    pub duration_us: u16,
    /// Sequence control of a data frame, to recognise retransmissions; of an A-MPDU and a BlockAck
    /// the start of the window.
    pub sequence: u16,
    /// Signalled in unused header bits.
    pub notice: Notice,
    /// What a data frame carries, an A-MPDU or a BlockAck. Boxed, as every frame is moved about and
    /// most carry nothing.
    pub payload: Option<Box<Payload>>,
}

impl Frame {
    /// One that announces, numbers and carries nothing.
    #[inline]
    pub fn new(kind: FrameKind, rate: Rate, transmitter: NodeId, receiver: NodeId) -> Frame {
        let (duration_us, sequence) = (0, 0);
        let (notice, payload) = (Notice::None, None);
        Frame { kind, rate, transmitter, receiver, duration_us, sequence, notice, payload }
    }
}

/// A rate, as its index in the PHY's ascending list of rates.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Rate(pub u8);

impl Rate {
    /// The index, for tables by rate.
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// What a rate is, as a sniffer would tell it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Modulation {
    /// Bits a second.
    pub rate_bps: f64,
    /// How long the preamble and the PHY header take.
    pub preamble: Duration,
    /// Whether it is OFDM.
    pub is_ofdm: bool,
    /// What of high throughput it is, if it is.
    pub high_throughput: Option<HighThroughput>,
}

/// A rate of high throughput.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HighThroughput {
    /// Which standard's.
    pub format: Format,
    /// Its number; of 802.11n it tells the streams, too.
    pub mcs: u8,
    /// Spatial streams.
    pub streams: u8,
    /// Width of the channel \[MHz\].
    pub width_mhz: u8,
    /// Guard interval before each symbol \[ns\].
    pub guard_ns: u16,
}

/// The formats of frames of high throughput.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// 802.11n.
    Ht,
    /// 802.11ac.
    Vht,
    /// 802.11ax.
    He,
}

/// The kinds of frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum FrameKind {
    /// Request to send.
    Rts,
    /// Clear to send.
    Cts,
    /// Data.
    Data,
    /// Acknowledgment.
    Ack,
    /// Acknowledgment of an A-MPDU, frame by frame.
    BlockAck,
    /// An A-MPDU: several data frames in one.
    Aggregate,
    /// A frame on a wire.
    Ethernet,
    /// Energy on the air that says nothing but that it is there.
    Tone,
}

/// What an RTS or CTS signals about its sender under admission hop by hop, and data where backlogs
/// are told; always `None` in plain DCF.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Notice {
    /// Nothing.
    #[default]
    None,
    /// The sender is congested: the frame is an RTSC or a CTSC.
    Congested,
    /// The sender has a routing or ARP packet to send, which must not be refused.
    Urgent,
    /// So many data packets for the destination of this one are at the sender, 255 at most.
    Backlog(u8),
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Frames are handed from the MAC to the medium and to their receivers by value.
    #[test]
    fn frames_stay_small() {
        assert_eq!(size_of::<Frame>(), 24);
    }
}
