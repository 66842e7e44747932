//! `802.11b`: the High Rate direct sequence PHY of IEEE Std 802.11b-1999, DSSS at 1 and 2 Mbit/s
//! and CCK at 5.5 and 11 Mbit/s.
//!
//! A frame is a PLCP preamble, a PLCP header and the MAC's bits. Long: 144 bits and 48 bits at 1
//! Mbit/s, 192 µs. Short: 72 bits at 1 Mbit/s and 48 bits at 2 Mbit/s, 96 µs; a frame at 1 Mbit/s
//! always has the long one. The MAC's bits last bits over rate, rounded up to a microsecond, in
//! which the PLCP header counts a frame's length. Slot 20 µs, SIFS 10 µs, contention window 31 to
//! 1023.
//!
//! A receiver has to understand 11 Mbit/s at -76 dBm and 2 Mbit/s at -80 dBm; for the other two
//! rates, which the standard does not name, the same values are taken.
//!
//! Left out: PBCC.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::defaults::MacDefaults;
use super::table::{Payload, Row};
use crate::kernel::Duration;
use crate::radio::Coding;

const LONG: Duration = Duration::from_micros(144 + 48);
const SHORT: Duration = Duration::from_micros(72 + 48 / 2);

/// The PLCP preamble and header of 802.11b.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Preamble {
    /// 192 µs.
    #[default]
    Long,
    /// 96 µs, but 192 µs at 1 Mbit/s.
    Short,
}

/// What the PHY gives the MAC: its highest rate for data, its lowest for control.
pub const MAC_DEFAULTS: MacDefaults = MacDefaults {
    data_rate_bps: 11e6,
    basic_rate_bps: 1e6,
    slot_s: 20e-6,
    sifs_s: 10e-6,
    cw_min: 31,
    cw_max: 1023,
};

/// Its rates with this preamble.
pub fn rows(preamble: Preamble) -> [Row; 4] {
    let rates = [
        (1e6, Coding::Dbpsk, -80.0),
        (2e6, Coding::Dqpsk, -80.0),
        (5.5e6, Coding::Cck4, -76.0),
        (11e6, Coding::Cck8, -76.0),
    ];
    rates.map(|(rate_bps, coding, sensitivity_dbm)| Row {
        rate_bps,
        high_throughput: None,
        preamble: match preamble {
            Preamble::Short if coding != Coding::Dbpsk => SHORT,
            _ => LONG,
        },
        payload: Payload::Microseconds,
        extension: Duration::ZERO,
        reference_bps: rate_bps,
        coding,
        width: 1.0,
        sensitivity_dbm,
        is_mandatory: true,
    })
}
