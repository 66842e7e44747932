//! `802.11a` and `802.11g`: OFDM in 20 MHz, of IEEE Std 802.11a-1999, and the extended rates of
//! IEEE Std 802.11g-2003, which are the same in the 2.4 GHz band, beside those of 802.11b.
//!
//! A frame is a preamble of 16 µs, a header (SIGNAL) of 4 µs, and symbols of 4 µs with the service
//! bits, the MAC's and the tail. In the 2.4 GHz band 6 µs without a signal follow and count as part
//! of the frame. Slot 9 µs, SIFS 16 µs (802.11g: 10 µs), contention window 15 to 1023 (M. Gast,
//! 802.11 Wireless Networks, 2nd edition, tables of both PHYs' parameters). Every station has 6, 12
//! and 24 Mbit/s.
//!
//! With `protection`, as where stations of 802.11b are heard, slots of 802.11g last 20 µs, and
//! before an OFDM frame its sender sets the others' NAV with a CTS to itself, at a rate of 802.11b.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::defaults::MacDefaults;
use super::hr_dsss::{self, Preamble};
use super::table::{Payload, Row, TAIL_BITS, ofdm_defaults};
use crate::kernel::Duration;
use crate::radio::{CodeRate, Coding, Constellation};

/// How 802.11g frames are kept from stations that know only 802.11b.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Protection {
    /// Not at all: all stations have 802.11g. Slots of 9 µs unless given.
    #[default]
    None,
    /// A CTS to the sender itself, at `basic_rate_bps`. Slots of 20 µs unless given.
    CtsToSelf,
}

/// After a frame in the 2.4 GHz band.
pub(super) const SIGNAL_EXTENSION: Duration = Duration::from_micros(6);
/// Preamble and SIGNAL.
pub(in crate::mac) const PREAMBLE: Duration = Duration::from_micros(16 + 4);

/// Constellation, code, data bits a symbol and sensitivity \[dBm\] of each rate.
pub(super) const MODULATIONS: [(Constellation, CodeRate, u32, f64); 8] = [
    (Constellation::Bpsk, CodeRate::Half, 24, -82.0),
    (Constellation::Bpsk, CodeRate::ThreeQuarters, 36, -81.0),
    (Constellation::Qpsk, CodeRate::Half, 48, -79.0),
    (Constellation::Qpsk, CodeRate::ThreeQuarters, 72, -77.0),
    (Constellation::Qam16, CodeRate::Half, 96, -74.0),
    (Constellation::Qam16, CodeRate::ThreeQuarters, 144, -70.0),
    (Constellation::Qam64, CodeRate::TwoThirds, 192, -66.0),
    (Constellation::Qam64, CodeRate::ThreeQuarters, 216, -65.0),
];

/// Symbol with the long guard interval \[ns\].
pub(super) const SYMBOL_NS: u32 = 4_000;

/// What 802.11a gives the MAC.
pub const MAC_DEFAULTS: MacDefaults = ofdm_defaults(54e6, 16e-6);

/// What 802.11g gives the MAC with this protection.
pub fn extended_defaults(protection: Protection) -> MacDefaults {
    let alone = ofdm_defaults(54e6, 10e-6);
    match protection {
        Protection::None => alone,
        Protection::CtsToSelf => MacDefaults { basic_rate_bps: 1e6, slot_s: 20e-6, ..alone },
    }
}

/// The rates of 802.11a.
pub fn rows() -> Vec<Row> {
    with_extension(Duration::ZERO)
}

/// The rates of 802.11g: those of 802.11b with this preamble, and OFDM.
pub fn extended_rows(preamble: Preamble) -> Vec<Row> {
    let mut rows = with_extension(SIGNAL_EXTENSION);
    rows.extend(hr_dsss::rows(preamble));
    rows.sort_by(|a, b| a.rate_bps.total_cmp(&b.rate_bps));
    rows
}

/// OFDM with this much silence after each frame.
pub(super) fn with_extension(extension: Duration) -> Vec<Row> {
    let row = |&(constellation, code_rate, bits, sensitivity_dbm)| {
        let rate_bps = f64::from(bits) * 1e9 / f64::from(SYMBOL_NS);
        Row {
            rate_bps,
            high_throughput: None,
            preamble: PREAMBLE,
            payload: Payload::Symbols {
                bits,
                tail_bits: TAIL_BITS,
                symbol_ns: SYMBOL_NS,
                grid_ns: SYMBOL_NS,
            },
            extension,
            reference_bps: rate_bps,
            coding: Coding::Ofdm(constellation, code_rate),
            width: 1.0,
            sensitivity_dbm,
            is_mandatory: [24, 48, 96].contains(&bits),
        }
    };
    MODULATIONS.iter().map(row).collect()
}
