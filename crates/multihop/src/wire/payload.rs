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
    Bitmap(MpduSet),
    /// Nothing any more: the packet has been taken out.
    Taken,
}

/// What an A-MPDU carries.
#[derive(Clone, Debug, PartialEq)]
pub struct Aggregate {
    /// The MPDUs in order.
    pub mpdus: Vec<Mpdu>,
    /// Which of them the node at hand has received.
    pub received: MpduSet,
}

impl Aggregate {
    /// Whether the MPDU at `place` has been received.
    pub fn has(&self, place: u32) -> bool {
        self.received.has(place)
    }
}

/// Some of the MPDUs of an A-MPDU, or of the sequence numbers of a window, by their places.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MpduSet([u64; 4]);

impl MpduSet {
    /// All there can be.
    pub const ALL: MpduSet = MpduSet([u64::MAX; 4]);

    /// Whether `place` is in it.
    pub fn has(&self, place: u32) -> bool {
        self.0.get(place as usize / 64).is_some_and(|word| word >> (place % 64) & 1 == 1)
    }

    /// Adds `place`.
    pub fn insert(&mut self, place: u32) {
        if let Some(word) = self.0.get_mut(place as usize / 64) {
            *word |= 1 << (place % 64);
        }
    }

    /// Whether nothing is in it.
    pub fn is_empty(&self) -> bool {
        *self == MpduSet::default()
    }

    /// A bit a place, the first in the lowest bit of the first word.
    pub fn words(&self) -> [u64; 4] {
        self.0
    }
}

impl From<u64> for MpduSet {
    /// That of the first 64 places.
    fn from(bits: u64) -> MpduSet {
        MpduSet([bits, 0, 0, 0])
    }
}

impl FromIterator<u32> for MpduSet {
    fn from_iter<I: IntoIterator<Item = u32>>(places: I) -> MpduSet {
        let mut set = MpduSet::default();
        places.into_iter().for_each(|place| set.insert(place));
        set
    }
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
    pub fn mark_received(&mut self, received: MpduSet) {
        if let Some(Payload::Aggregate(aggregate)) = self.payload.as_deref_mut() {
            aggregate.received = received;
        }
    }

    /// What a BlockAck says.
    #[cold]
    pub fn bitmap(&self) -> Option<MpduSet> {
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
    fn there_are_256_places_in_a_set() {
        let set: MpduSet = [1, 63, 64, 255, 256].into_iter().collect();
        assert!([1, 63, 64, 255].iter().all(|&place| set.has(place)));
        assert!(![0, 65, 254, 256, 320].iter().any(|&place| set.has(place)));
        assert_eq!(set.words(), [1 << 63 | 2, 1, 0, 1 << 63]);
        assert!(!MpduSet::ALL.has(256) && MpduSet::default().is_empty() && !set.is_empty());
    }
}
