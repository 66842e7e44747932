//! What a run gives back of what it was asked to record.

use schemars::JsonSchema;
use serde::Serialize;

use crate::wire::{FrameKind, Notice, PacketKind};

/// Traffic of one flow over one link.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct LinkReport {
    /// The flow.
    pub flow: u32,
    /// Transmitting node.
    pub from: u32,
    /// Receiving node.
    pub to: u32,
    /// Data packets that the receiver's MAC accepted.
    pub packets: u64,
}

/// Traffic of one flow over one link in one interval of time.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct RouteReport {
    /// Start of the interval \[s\].
    pub time_s: f64,
    /// The flow.
    pub flow: u32,
    /// Transmitting node.
    pub from: u32,
    /// Receiving node.
    pub to: u32,
    /// Data packets that the receiver's MAC accepted.
    pub packets: u64,
}

/// One transmission.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct FrameReport {
    /// When its first bit leaves the transmitter \[ns\].
    pub time_ns: u64,
    /// How long it lasts \[ns\].
    pub airtime_ns: u64,
    /// Transmitting node.
    pub transmitter: u32,
    /// The node it is for; none for a broadcast.
    pub receiver: Option<u32>,
    /// The place of their interface in `[[interfaces]]`, if the scenario has any; wires follow.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub interface: Option<u8>,
    /// RTS, CTS, DATA, ACK, BlockAck, A-MPDU or a frame on a wire.
    pub kind: FrameKind,
    /// Duration field \[µs\].
    pub duration_us: u16,
    /// What an RTS or CTS says besides: `congested` makes it an RTSC or CTSC.
    pub notice: Notice,
    /// What a data frame carries, or the first one of an A-MPDU.
    pub packet: Option<PacketKind>,
    /// Data frames in it, of an A-MPDU.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mpdus: Option<u32>,
}
