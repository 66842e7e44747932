//! A-MPDUs: several data frames behind one PHY header (IEEE Std 802.11n-2009, 7.4a and 9.7c).

use super::Packet;
use crate::kernel::Duration;

/// What an A-MPDU carries, and what the BlockAck that answers it says.
#[derive(Clone, Debug, PartialEq)]
pub struct Aggregate {
    /// The MPDUs in order; none in a BlockAck.
    pub mpdus: Vec<Mpdu>,
    /// In an A-MPDU, which of them the node at hand has received, the first in the lowest bit. In a BlockAck,
    /// which sequence numbers have been received, from the frame's own on.
    pub bitmap: u64,
}

impl Aggregate {
    /// The packets that the node at hand has received.
    pub fn received(&self) -> impl Iterator<Item = &Mpdu> {
        (0..).zip(&self.mpdus).filter(|&(place, _)| self.has(place)).map(|(_, mpdu)| mpdu)
    }

    /// Whether the bit of `place` is set.
    pub fn has(&self, place: u32) -> bool {
        self.bitmap.checked_shr(place).is_some_and(|bits| bits & 1 == 1)
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
