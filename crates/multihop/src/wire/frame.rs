//! 802.11 frames (IEEE Std 802.11-1999 clause 7).

use serde::Serialize;

use super::{NodeId, Packet};

/// A frame on the air.
#[derive(Clone, Debug, PartialEq)]
pub struct Frame {
    /// What it is.
    pub kind: FrameKind,
    /// What it is sent at.
    pub rate: Rate,
    /// Who sends it.
    pub transmitter: NodeId,
    /// Who it is for; may be broadcast.
    pub receiver: NodeId,
    /// Duration field \[µs\]: how long the exchange goes on after this frame.
    pub duration_us: u16,
    /// Sequence control of a data frame, to tell retransmissions.
    pub sequence: u16,
    /// What an RTS or CTS says in bits that 802.11 leaves idle.
    pub notice: Notice,
    /// What a data frame carries.
    pub packet: Option<Packet>,
}

/// A rate of the PHY: its place among them all, ascending.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Rate(pub u8);

impl Rate {
    /// The place, to look something up by rate.
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// The kinds of frame that DCF uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
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
}

/// What an RTS or CTS says of its sender besides (semi-TCP); always none under plain DCF.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Notice {
    /// Nothing.
    #[default]
    None,
    /// It is congested: the frame is an RTSC or a CTSC.
    Congested,
    /// It has a routing or ARP packet to send, which is not to be refused.
    Urgent,
}
