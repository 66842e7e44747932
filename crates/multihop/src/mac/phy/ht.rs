//! `802.11n`: the High Throughput PHY of IEEE Std 802.11n-2009 with one or two spatial streams,
//! channels of 20 or 40 MHz and long or short guard intervals, in the mixed format.
//!
//! A frame is the preamble and SIGNAL of 802.11a (20 µs), the HT header (8 µs), its training field
//! (4 µs) and one of 4 µs a stream, and symbols of 4 µs, or 3.6 µs with the short guard interval;
//! the frame ends on a multiple of 4 µs after its preamble. RTS, CTS, ACK and broadcasts go at
//! rates of 802.11a. In the 2.4 GHz band 6 µs without a signal follow every frame, and SIFS is 10
//! µs, otherwise 16 µs. Slot 9 µs, contention window 15 to 1023.
//!
//! Left out: greenfield format, LDPC, STBC, more than two streams, unequal modulation, the rates of
//! 802.11b in the 2.4 GHz band.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::defaults::MacDefaults;
use super::mcs::{Form, Symbol};
use super::ofdm::{self, SIGNAL_EXTENSION};
use super::table::{Row, TAIL_BITS, ofdm_defaults};
use crate::kernel::Duration;
use crate::wire::{Format, HighThroughput};

/// The pause before a symbol in which echoes of the last one fade.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum GuardInterval {
    /// 0.8 µs; `802.11ax`: 3.2 µs.
    #[default]
    Long,
    /// `802.11ax` only: 1.6 µs.
    Medium,
    /// 0.4 µs; `802.11ax`: 0.8 µs.
    Short,
}

impl GuardInterval {
    /// As the scenario names it.
    pub fn name(self) -> &'static str {
        match self {
            GuardInterval::Long => "long",
            GuardInterval::Medium => "medium",
            GuardInterval::Short => "short",
        }
    }
}

/// What is chosen of a PHY of high throughput.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Choices {
    /// Width of the channel \[MHz\].
    pub channel_mhz: u32,
    /// Spatial streams at most.
    pub streams: u32,
    /// Before every symbol of its own rates.
    pub guard_interval: GuardInterval,
    /// Whether it is in the 2.4 GHz band.
    pub is_low_band: bool,
}

/// Subcarriers with data in 20 and 40 MHz.
const SUBCARRIERS: [u32; 2] = [52, 108];

/// The numbers of one stream.
const NUMBERS: u8 = 8;

/// What the PHY gives the MAC.
pub fn mac_defaults(choices: &Choices) -> MacDefaults {
    choices.mac_defaults(&rows(choices))
}

/// Before a symbol of 3.2 µs \[ns\].
pub(super) fn guard_ns(guard_interval: GuardInterval) -> u16 {
    if guard_interval == GuardInterval::Short { 400 } else { 800 }
}

/// A symbol without its guard interval \[ns\].
pub(super) const BARE_SYMBOL_NS: u32 = 3_200;

/// Its rates: those of 802.11a, then those of one stream, then those of two.
pub fn rows(choices: &Choices) -> Vec<Row> {
    let extension = choices.extension();
    let guard_ns = guard_ns(choices.guard_interval);
    let row = |(streams, number): (u32, u8)| {
        let symbol = Symbol::new(number, SUBCARRIERS[choices.doublings()], streams);
        symbol.row(Form {
            high_throughput: HighThroughput {
                format: Format::Ht,
                mcs: number + NUMBERS * (symbol.streams() - 1),
                streams: symbol.streams(),
                width_mhz: choices.channel_mhz as u8,
                guard_ns,
            },
            training: Duration::from_micros(8 + 4) + Duration::from_micros(4) * streams.into(),
            tail_bits: TAIL_BITS,
            symbol_ns: BARE_SYMBOL_NS + u32::from(guard_ns),
            grid_ns: ofdm::SYMBOL_NS,
            extension,
        })
    };
    let numbers = (1..=choices.streams).flat_map(|streams| (0..NUMBERS).map(move |n| (streams, n)));
    ofdm::with_extension(extension).into_iter().chain(numbers.map(row)).collect()
}

impl Choices {
    /// What a PHY of these rates gives the MAC.
    pub(super) fn mac_defaults(&self, rows: &[Row]) -> MacDefaults {
        let fastest = rows.last().map_or(0.0, |row| row.rate_bps);
        ofdm_defaults(fastest, if self.is_low_band { 10e-6 } else { 16e-6 })
    }

    /// How often the width of 20 MHz is doubled.
    pub(super) fn doublings(&self) -> usize {
        (self.channel_mhz / 20).max(1).ilog2() as usize
    }

    /// Silence after each frame.
    pub(super) fn extension(&self) -> Duration {
        if self.is_low_band { SIGNAL_EXTENSION } else { Duration::ZERO }
    }
}
