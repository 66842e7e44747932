//! Several packets as one. An A-MPDU is several data frames behind one PHY header (IEEE Std 802.11n-2009, 7.4a and
//! 9.7c).

use std::sync::Arc;

use super::{Body, Extension, Frame, NodeId, Octets, Packet};
use crate::kernel::{Duration, Instant};

/// What MACs treat as one packet. It is in a packet's place, as an extension, so that frames and calls with one
/// packet are as small as without it. It never leaves MACs and the air.
#[derive(Clone, Debug, PartialEq)]
pub enum Bundle {
    /// Data frames, in an A-MPDU.
    Aggregate(Aggregate),
    /// In a BlockAck, which sequence numbers have been received, from the frame's own on.
    Bitmap(u64),
    /// Packets that leave a MAC together.
    Several(Several),
}

impl Bundle {
    /// A bundle in the place of a packet.
    #[cold]
    pub fn into_packet(self) -> Packet {
        let nobody = NodeId::BROADCAST;
        Packet::new(nobody, nobody, Instant::ZERO, Body::Routing(Extension::new(self)))
    }
}

/// Captures have its packets one by one.
impl Octets for Bundle {
    const KIND: u8 = 0;

    fn write(&self, _: &mut Vec<u8>) {}
}

/// What an A-MPDU carries.
#[derive(Clone, Debug, PartialEq)]
pub struct Aggregate {
    /// The MPDUs in order; shared by the copies of a frame.
    pub mpdus: Arc<[Mpdu]>,
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

/// Packets that leave a MAC together.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Several {
    /// Each with the neighbour that it comes from or was to go to, in order.
    pub packets: Vec<(Packet, NodeId)>,
    /// Until when others are held for one that is missing.
    pub hold_until: Option<Instant>,
}

impl Packet {
    /// The bundle that it stands for, if it is none itself.
    #[inline]
    pub fn bundle(&self) -> Option<&Bundle> {
        match &self.body {
            Body::Routing(extension) => extension.get(),
            _ => None,
        }
    }
}

impl Frame {
    /// What an A-MPDU carries.
    #[inline]
    pub fn aggregate(&self) -> Option<&Aggregate> {
        match self.packet.as_ref()?.bundle()? {
            Bundle::Aggregate(aggregate) => Some(aggregate),
            _ => None,
        }
    }

    /// Marks which MPDUs the node at hand has received, if it is an A-MPDU.
    #[cold]
    pub fn mark_received(&mut self, received: u64) {
        if let Some(Aggregate { mpdus, .. }) = self.aggregate() {
            let aggregate = Aggregate { mpdus: Arc::clone(mpdus), received };
            self.packet = Some(Box::new(Bundle::Aggregate(aggregate).into_packet()));
        }
    }

    /// What a BlockAck says.
    #[cold]
    pub fn bitmap(&self) -> Option<u64> {
        match self.packet.as_ref()?.bundle()? {
            Bundle::Bitmap(bitmap) => Some(*bitmap),
            _ => None,
        }
    }

    /// Every packet in it.
    pub fn packets(&self) -> impl Iterator<Item = &Packet> {
        let mpdus = self.aggregate().into_iter().flat_map(|aggregate| aggregate.mpdus.iter());
        let own = self.packet.as_deref().into_iter().filter(|packet| packet.bundle().is_none());
        own.chain(mpdus.map(|mpdu| &mpdu.packet))
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
