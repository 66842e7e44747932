//! What slices and instants are called.

use std::fmt::{self, Display, Formatter};

use crate::capture::NONE;
use crate::capture::note::SentFrame;
use crate::capture::row::{Detail, Row};
use crate::wire::FrameKind;

/// The name of a slice or an instant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Name {
    /// A word of the record.
    Word(&'static str),
    /// Two of them: what, and why.
    Words(&'static str, &'static str),
    /// A frame.
    Frame(FrameName),
    /// A frame that was lost, why, and the frame that it was lost to.
    Lost(FrameName, Detail, Option<FrameName>),
}

impl Name {
    /// What happened in `row`, and why.
    pub fn of(row: &Row) -> Name {
        let (what, why) = (row.happening.word(), row.detail.word());
        if why.is_empty() { Name::Word(what) } else { Name::Words(what, why) }
    }
}

impl Display for Name {
    fn fmt(&self, to: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Name::Word(word) => to.write_str(word),
            Name::Words(what, why) => write!(to, "{what}: {why}"),
            Name::Frame(frame) => frame.fmt(to),
            Name::Lost(frame, why, by) => {
                write!(to, "{frame} lost: {}", why.word())?;
                let Some(by) = by else { return Ok(()) };
                let preposition = if *why == Detail::Collided { "with" } else { "by" };
                write!(to, " {preposition} {by}")
            }
        }
    }
}

/// What a frame carries, from where to where.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FrameName {
    what: &'static str,
    transmitter: u32,
    receiver: u32,
}

impl FrameName {
    /// The name of `frame`, whose packet is a `content`.
    pub fn of(frame: &SentFrame, content: &'static str) -> FrameName {
        let what = match frame.kind {
            FrameKind::Rts => "RTS",
            FrameKind::Cts => "CTS",
            FrameKind::Ack => "ACK",
            FrameKind::BlockAck => "BlockAck",
            FrameKind::Tone => "tone",
            FrameKind::Data | FrameKind::Aggregate | FrameKind::Ethernet => content,
        };
        FrameName { what, transmitter: frame.transmitter.0, receiver: frame.packet.peer }
    }
}

impl Display for FrameName {
    fn fmt(&self, to: &mut Formatter<'_>) -> fmt::Result {
        let FrameName { what, transmitter, receiver } = self;
        match *receiver {
            NONE => write!(to, "{what} {transmitter} → all"),
            receiver => write!(to, "{what} {transmitter} → {receiver}"),
        }
    }
}
