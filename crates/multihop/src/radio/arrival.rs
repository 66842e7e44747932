//! A frame as it reaches a receiver.

use crate::kernel::{Duration, Instant};
use crate::wire::Rate;

/// A frame on its way through this receiver.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Arrival {
    /// First bit.
    pub start: Instant,
    /// Last bit.
    pub end: Instant,
    /// Received power \[W\].
    pub power_w: f64,
    /// The frame's number in the medium's table.
    pub frame: u32,
    /// The frame's duration field \[µs\].
    pub duration_us: u16,
    /// Its other properties.
    pub traits: Traits,
}

impl Arrival {
    /// The duration field.
    #[inline]
    pub fn announced(&self) -> Duration {
        Duration::from_micros(u64::from(self.duration_us))
    }
}

/// Properties of an arriving frame, packed because nothing is copied more often than arrivals.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Traits(u16);

impl Traits {
    /// Strong enough to be decoded.
    pub const DECODABLE: Traits = Traits(1);
    /// For this node (or broadcast) and decodable: losing it to a collision is counted.
    pub const FOR_HERE: Traits = Traits(16);
    /// The same, and [`super::Reception::finish`] will be called at its end.
    pub const WANTED: Traits = Traits(2 | 16);
    /// It is an RTS.
    pub const RTS: Traits = Traits(4);
    /// For another node, decodable, and of interest here: [`super::Reception::overheard`] will be called
    /// at its end.
    pub const TAPPED: Traits = Traits(8);

    /// It is an A-MPDU, for receivers by signal and noise.
    pub const AGGREGATE: Traits = Traits(32);

    /// These traits of a frame at `rate`, for receivers that ask for it.
    #[inline]
    pub const fn with_rate(self, rate: Rate) -> Traits {
        Traits(self.0 & 0xff | (rate.0 as u16) << 8)
    }

    /// The rate that they were given.
    #[inline]
    pub const fn rate(self) -> Rate {
        Rate((self.0 >> 8) as u8)
    }

    /// These traits and, if `condition`, those of `other`.
    #[inline]
    pub const fn with_if(self, condition: bool, other: Traits) -> Traits {
        if condition { Traits(self.0 | other.0) } else { self }
    }

    /// Whether all of `other` are among these.
    #[inline]
    pub const fn has(self, other: Traits) -> bool {
        self.0 & other.0 == other.0
    }
}
