//! What frames carry. An A-MPDU is several data frames behind one PHY header (IEEE Std
//! 802.11n-2009, 7.4a and 9.7c).

use super::{Frame, Packet};
use crate::kernel::Duration;

/// What a frame carries.
#[derive(Clone, Debug, PartialEq)]
pub enum Payload {
    /// A packet, of a data frame.
    Packet(Packet),
    /// Data frames, of an A-MPDU.
    Aggregate(Aggregate),
    /// Which sequence numbers have been received, from the frame's own on, of a BlockAck.
    Bitmap(u64),
    /// Nothing any more: the packet has been taken out.
    Taken,
}

/// What an A-MPDU carries.
#[derive(Clone, Debug, PartialEq)]
pub struct Aggregate {
    /// The MPDUs in order.
    pub mpdus: Vec<Mpdu>,
    /// Which of them the node at hand has received, the first in the lowest bit.
    pub received: u64,
}

impl Aggregate {
    /// Whether the MPDU at `place` has been received.
    pub fn has(&self, place: u32) -> bool {
        has(self.received, place)
    }
}

/// Whether the bit of `place` is set.
pub fn has(bitmap: u64, place: u32) -> bool {
    bitmap.checked_shr(place).is_some_and(|bits| bits & 1 == 1)
}

/// A data frame in an A-MPDU.
#[derive(Clone, Debug, PartialEq)]
pub struct Mpdu {
    /// Its sequence number.
    pub sequence: u16,
    /// How often it has been sent before.
    pub attempts: u32,
    /// From the first instant of the A-MPDU to the last bit of this frame.
    pub end: Duration,
    /// What it carries.
    pub packet: Packet,
}

impl Frame {
    /// The packet of a data frame.
    #[inline]
    pub fn packet(&self) -> Option<&Packet> {
        match self.payload.as_deref()? {
            Payload::Packet(packet) => Some(packet),
            _ => None,
        }
    }

    /// Takes the packet out of a data frame.
    #[inline]
    pub fn take_packet(&mut self) -> Option<Packet> {
        let payload = self.payload.as_deref_mut()?;
        if !matches!(payload, Payload::Packet(_)) {
            return None;
        }
        match std::mem::replace(payload, Payload::Taken) {
            Payload::Packet(packet) => Some(packet),
            _ => None,
        }
    }

    /// What an A-MPDU carries.
    #[inline]
    pub fn aggregate(&self) -> Option<&Aggregate> {
        match self.payload.as_deref()? {
            Payload::Aggregate(aggregate) => Some(aggregate),
            _ => None,
        }
    }

    /// Marks which MPDUs the node at hand has received, if it is an A-MPDU.
    #[cold]
    pub fn mark_received(&mut self, received: u64) {
        if let Some(Payload::Aggregate(aggregate)) = self.payload.as_deref_mut() {
            aggregate.received = received;
        }
    }

    /// What a BlockAck says.
    #[cold]
    pub fn bitmap(&self) -> Option<u64> {
        match self.payload.as_deref()? {
            Payload::Bitmap(bitmap) => Some(*bitmap),
            _ => None,
        }
    }

    /// Every packet in it.
    pub fn packets(&self) -> impl Iterator<Item = &Packet> {
        let mpdus = self.aggregate().into_iter().flat_map(|aggregate| aggregate.mpdus.iter());
        self.packet().into_iter().chain(mpdus.map(|mpdu| &mpdu.packet))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_are_64_places_in_a_bitmap() {
        assert!(has(1 << 63, 63) && !has(u64::MAX, 64) && !has(0b10, 0) && has(0b10, 1));
    }
}
