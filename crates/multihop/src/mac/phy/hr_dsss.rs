//! `802.11b`: the High Rate direct sequence PHY of IEEE Std 802.11b-1999, DSSS at 1 and 2 Mbit/s and CCK
//! at 5.5 and 11 Mbit/s.
//!
//! A frame is a PLCP preamble, a PLCP header and the MAC's bits. Long: 144 bits and 48 bits at 1 Mbit/s,
//! 192 µs. Short: 72 bits at 1 Mbit/s and 48 bits at 2 Mbit/s, 96 µs; a frame at 1 Mbit/s always has the
//! long one. The MAC's bits last bits over rate, rounded up to a microsecond, in which the PLCP header
//! counts a frame's length. Slot 20 µs, SIFS 10 µs, contention window 31 to 1023.
//!
//! Left out: PBCC.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::MacDefaults;
use crate::kernel::Duration;
use crate::wire::Rate;

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

/// High Rate DSSS with one of its preambles.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HrDsss {
    preamble: Preamble,
}

impl HrDsss {
    /// Its rates \[bit/s\].
    pub const RATES_BPS: [f64; 4] = [1e6, 2e6, 5.5e6, 11e6];

    /// What it gives the MAC: its highest rate for data, its lowest for control.
    pub const MAC_DEFAULTS: MacDefaults = MacDefaults {
        data_rate_bps: 11e6,
        basic_rate_bps: 1e6,
        slot_s: 20e-6,
        sifs_s: 10e-6,
        cw_min: 31,
        cw_max: 1023,
    };

    /// The PHY with this preamble.
    pub fn new(preamble: Preamble) -> HrDsss {
        HrDsss { preamble }
    }

    pub(super) fn preamble(&self, rate: Rate) -> Duration {
        match self.preamble {
            Preamble::Short if rate != Rate(0) => SHORT,
            _ => LONG,
        }
    }

    // Not inlined: the default PHY's callers stay small.
    #[inline(never)]
    pub(super) fn airtime(&self, rate: Rate, bytes: u32) -> Duration {
        let payload_us = f64::from(bytes) * 8.0 / (Self::RATES_BPS[rate.index()] / 1e6);
        self.preamble(rate) + Duration::from_micros(payload_us.ceil() as u64)
    }
}
