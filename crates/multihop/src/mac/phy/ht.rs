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
//! 802.11b in the 2.4 GHz band, EDCA (one access category with DCF's windows and interframe space).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::MacDefaults;
use super::ofdm::{self, SIGNAL_EXTENSION};
use super::table::{Payload, Row, ofdm_defaults};
use crate::kernel::Duration;
use crate::radio::{CodeRate, Coding, Constellation};

/// The pause before a symbol in which echoes of the last one fade.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum GuardInterval {
    /// 0.8 µs: symbols of 4 µs.
    #[default]
    Long,
    /// 0.4 µs: symbols of 3.6 µs.
    Short,
}

/// What is chosen of the PHY.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Choices {
    /// Width of the channel \[MHz\]: 20 or 40.
    pub channel_mhz: u32,
    /// Spatial streams at most: 1 or 2.
    pub streams: u32,
    /// Before every symbol of the HT rates.
    pub guard_interval: GuardInterval,
    /// Whether it is in the 2.4 GHz band.
    pub is_low_band: bool,
}

/// Of each number of one stream: constellation, code, data bits a symbol in 20 and 40 MHz, and the
/// place of the rate of 802.11a by which answers are chosen.
const MODULATIONS: [(Constellation, CodeRate, [u32; 2], usize); 8] = [
    (Constellation::Bpsk, CodeRate::Half, [26, 54], 0),
    (Constellation::Qpsk, CodeRate::Half, [52, 108], 2),
    (Constellation::Qpsk, CodeRate::ThreeQuarters, [78, 162], 3),
    (Constellation::Qam16, CodeRate::Half, [104, 216], 4),
    (Constellation::Qam16, CodeRate::ThreeQuarters, [156, 324], 5),
    (Constellation::Qam64, CodeRate::TwoThirds, [208, 432], 6),
    (Constellation::Qam64, CodeRate::ThreeQuarters, [234, 486], 7),
    (Constellation::Qam64, CodeRate::FiveSixths, [260, 540], 7),
];

/// Sensitivities of these numbers in 20 MHz \[dBm\]; 3 dB more in 40 MHz.
const SENSITIVITIES_DBM: [f64; 8] = [-82.0, -79.0, -77.0, -74.0, -70.0, -66.0, -65.0, -64.0];

const SHORT_SYMBOL_NS: u32 = 3_600;

/// What the PHY gives the MAC.
pub fn mac_defaults(choices: &Choices) -> MacDefaults {
    let fastest = rows(choices).last().map_or(0.0, |row| row.rate_bps);
    ofdm_defaults(fastest, if choices.is_low_band { 10e-6 } else { 16e-6 })
}

/// Its rates: those of 802.11a, then those of one stream, then those of two.
pub fn rows(choices: &Choices) -> Vec<Row> {
    let extension = if choices.is_low_band { SIGNAL_EXTENSION } else { Duration::ZERO };
    let mut rows = ofdm::with_extension(extension);
    let symbol_ns = match choices.guard_interval {
        GuardInterval::Long => ofdm::SYMBOL_NS,
        GuardInterval::Short => SHORT_SYMBOL_NS,
    };
    let is_wide = choices.channel_mhz == 40;
    for streams in 1..=choices.streams {
        for (mcs, (modulation, sensitivity_dbm)) in
            (0..).zip(MODULATIONS.iter().zip(SENSITIVITIES_DBM))
        {
            let &(constellation, code_rate, bits, reference) = modulation;
            let bits = bits[usize::from(is_wide)] * streams;
            let training = Duration::from_micros(u64::from(8 + 4 + 4 * streams));
            let row = Row {
                rate_bps: f64::from(bits) * 1e9 / f64::from(symbol_ns),
                mcs: Some(mcs + 8 * (streams as u8 - 1)),
                preamble: ofdm::PREAMBLE + training,
                payload: Payload::Symbols { bits, symbol_ns },
                extension,
                reference_bps: rows[reference].rate_bps,
                coding: Coding::Ofdm(constellation, code_rate),
                width: if is_wide { 2.0 } else { 1.0 },
                sensitivity_dbm: sensitivity_dbm + if is_wide { 3.0 } else { 0.0 },
                is_mandatory: false,
            };
            rows.push(row);
        }
    }
    rows
}
