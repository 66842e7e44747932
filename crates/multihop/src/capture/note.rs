//! Events as they are kept: what most of them share, and apart from it what is known of packets and
//! frames.

use super::row::{Detail, Happening, NONE, Row, State};
use crate::kernel::Instant;
use crate::wire::{Content, Frame, FrameKind, NodeId, Packet};

/// An event. Runs make millions: it is as small as it can be.
#[derive(Clone, Copy, Debug)]
pub struct Note {
    /// When.
    pub at: Instant,
    /// Where.
    pub node: NodeId,
    /// The frame, in the order of transmission (`transmit`, `receive`, `miss`), what [`MacState`]
    /// packs (`mac`), or the place of what it is about.
    pub subject: u32,
    /// What the happening says it is.
    pub extent: u32,
    /// What.
    pub happening: Happening,
    /// Why, or how.
    pub detail: Detail,
    /// The state that a MAC or a sender is in.
    pub state: State,
}

impl Note {
    /// An event that has nothing to add.
    pub const fn new(at: Instant, happening: Happening, node: NodeId, subject: u32) -> Note {
        let (detail, state) = (Detail::None, State::None);
        Note { at, node, subject, extent: NONE, happening, detail, state }
    }

    /// The row of an event that is about `subject`.
    pub fn row(&self, subject: &Subject) -> Row {
        Row {
            time_ns: self.at.as_nanos(),
            happening: self.happening,
            detail: self.detail,
            state: self.state,
            kind: None,
            content: subject.content,
            named: subject.named,
            node: self.node.0,
            interface: NONE,
            peer: subject.peer,
            frame: NONE,
            packet: subject.packet,
            bytes: subject.bytes,
            flow: subject.flow,
            number: subject.number,
            origin: subject.origin,
            target: subject.target,
            extent: self.extent,
            backoff: NONE,
        }
    }

    /// The row of a MAC's state.
    pub fn mac_row(&self) -> Row {
        let (number, backoff) = MacState::unpacked(self.subject);
        Row { number, backoff, ..self.row(&Subject::NOTHING) }
    }
}

/// The state that a MAC comes into.
#[derive(Clone, Copy, Debug)]
pub struct MacState {
    /// What it does.
    pub state: State,
    /// Attempts in vain so far.
    pub retries: u32,
    /// Contention window \[slots\].
    pub cw: u32,
    /// Slots of its backoff that are left.
    pub backoff: u32,
}

impl MacState {
    const RETRY_BITS: u32 = 8;
    const MOST_RETRIES: u32 = (1 << Self::RETRY_BITS) - 1;
    const MOST_SLOTS: u32 = u32::MAX >> Self::RETRY_BITS;

    /// Retries and backoff in one number; of more than fits the most.
    pub fn packed(self) -> u32 {
        let slots = self.backoff.min(Self::MOST_SLOTS);
        slots << Self::RETRY_BITS | self.retries.min(Self::MOST_RETRIES)
    }

    /// Retries and backoff of what [`MacState::packed`] gave.
    fn unpacked(packed: u32) -> (u32, u32) {
        (packed & Self::MOST_RETRIES, packed >> Self::RETRY_BITS)
    }
}

/// What an event is about. What it has no use for is [`NONE`].
#[derive(Clone, Copy, Debug)]
pub struct Subject {
    /// The neighbour, or the node that it is about.
    pub peer: u32,
    /// The packet.
    pub packet: u32,
    /// Its size \[bytes\].
    pub bytes: u32,
    /// The flow.
    pub flow: u32,
    /// Number of the segment, datagram or route request.
    pub number: u32,
    /// Where the packet, or the message in it, comes from.
    pub origin: u32,
    /// Where it is going.
    pub target: u32,
    /// What the packet is.
    pub content: Content,
    /// As [`Row::named`].
    pub named: u8,
}

impl Subject {
    /// Nothing yet.
    pub const NOTHING: Subject = Subject {
        peer: NONE,
        packet: NONE,
        bytes: NONE,
        flow: NONE,
        number: NONE,
        origin: NONE,
        target: NONE,
        content: Content::None,
        named: 0,
    };

    /// `packet`, which has this number in the record.
    pub fn of(packet: &Packet, number: u32) -> Subject {
        let (origin, target) = packet.ends();
        Subject {
            peer: NONE,
            packet: number,
            bytes: packet.size_bytes,
            flow: packet.flow().map_or(NONE, |flow| flow.0),
            number: packet.number().unwrap_or(NONE),
            origin: origin.0,
            target: target.0,
            content: Content::of(packet),
            named: 0,
        }
    }
}

/// A frame that was sent.
#[derive(Clone, Copy, Debug)]
pub struct SentFrame {
    /// Who sent it.
    pub transmitter: NodeId,
    /// The packet in it; its peer is the frame's receiver, [`NONE`] for a broadcast.
    pub packet: Subject,
    /// How long it takes \[ns\].
    pub airtime_ns: u32,
    /// Its kind.
    pub kind: FrameKind,
}

impl SentFrame {
    /// `frame` with this packet in it.
    pub fn new(frame: &Frame, packet: Subject, airtime_ns: u32) -> SentFrame {
        let receiver = frame.receiver;
        let peer = if receiver.is_broadcast() { NONE } else { receiver.0 };
        let packet = Subject { peer, ..packet };
        SentFrame { transmitter: frame.transmitter, packet, airtime_ns, kind: frame.kind }
    }

    /// Whether it is for `node`, or for all.
    pub fn is_for(&self, node: NodeId) -> bool {
        self.packet.peer == node.0 || self.packet.peer == NONE
    }

    /// The row of an event of this frame.
    pub fn row(&self, note: &Note) -> Row {
        let peer = match note.happening {
            Happening::Transmit => self.packet.peer,
            _ => self.transmitter.0,
        };
        let subject = Subject { peer, ..self.packet };
        Row { kind: Some(self.kind), frame: note.subject, ..note.row(&subject) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn retries_and_backoff_share_a_number() {
        let mac = |retries, backoff| MacState { state: State::Idle, retries, cw: 31, backoff };
        for (retries, backoff) in [(0, 0), (7, 1023), (255, MacState::MOST_SLOTS)] {
            assert_eq!(MacState::unpacked(mac(retries, backoff).packed()), (retries, backoff));
        }
        assert_eq!(MacState::unpacked(mac(300, 5).packed()), (255, 5));
    }

    #[test]
    fn what_runs_make_millions_of_is_small() {
        assert_eq!(size_of::<Note>(), 24);
        assert!(size_of::<SentFrame>() <= 44);
    }
}
