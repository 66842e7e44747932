//! What frames carry. An A-MPDU is several data frames behind one PHY header (IEEE Std 802.11n-2009, 7.4a and 9.7c).

use super::Packet;
use crate::kernel::{Duration, Rare};

/// What a frame carries.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Load {
    /// Nothing.
    #[default]
    None,
    /// A packet, in a data frame.
    Packet(Packet),
    /// Data frames, in an A-MPDU; always there.
    Aggregate(Rare<Aggregate>),
    /// In a BlockAck, which sequence numbers have been received, from the frame's own on.
    Bitmap(u64),
}

impl Load {
    /// The packet, if it is one.
    #[inline]
    pub fn packet(&self) -> Option<&Packet> {
        match self {
            Load::Packet(packet) => Some(packet),
            _ => None,
        }
    }

    /// What an A-MPDU carries.
    #[inline]
    pub fn aggregate(&self) -> Option<&Aggregate> {
        match self {
            Load::Aggregate(aggregate) => aggregate.as_deref(),
            _ => None,
        }
    }

    /// Every packet in it.
    pub fn packets(&self) -> impl Iterator<Item = &Packet> {
        let mpdus = self.aggregate().into_iter().flat_map(|aggregate| &aggregate.mpdus);
        self.packet().into_iter().chain(mpdus.map(|mpdu| &mpdu.packet))
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_load_is_as_small_as_a_packet() {
        assert_eq!(size_of::<Load>(), size_of::<Option<Packet>>());
    }

    #[test]
    fn there_are_64_places_in_a_bitmap() {
        assert!(has(1 << 63, 63) && !has(u64::MAX, 64) && !has(0b10, 0) && has(0b10, 1));
    }
}
