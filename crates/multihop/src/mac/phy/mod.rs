//! The physical layers: the rates of each, how long a frame lasts at a rate, and what it gives the MAC.
//!
//! | `mac.phy` | rates \[Mbit/s\] | preamble and header | payload |
//! |---|---|---|---|
//! | `dsss-1999` | any, as in ns-2; 1 and 2 unless given | 192 bits at 1 Mbit/s | bits over rate |
//! | `802.11b` | 1, 2, 5.5, 11 | long or short, by rate | bits over rate, whole microseconds |
//!
//! A PHY is a formula of rate and bytes, not a number of bits per second: later ones send whole symbols.
//! Each file names the source of its numbers.

pub(super) mod dsss;
mod hr_dsss;

use super::config::{MacConfig, PhyName};
use crate::kernel::Duration;
use crate::wire::Rate;
pub use dsss::Dsss;
pub use hr_dsss::{HrDsss, Preamble};

/// What a PHY gives the MAC where the scenario does not set it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MacDefaults {
    /// Rate of unicast data frames \[bit/s\].
    pub data_rate_bps: f64,
    /// Rate of RTS and broadcasts, and at most of CTS and ACK \[bit/s\].
    pub basic_rate_bps: f64,
    /// Slot time \[s\].
    pub slot_s: f64,
    /// Short interframe space \[s\].
    pub sifs_s: f64,
    /// Smallest contention window \[slots\].
    pub cw_min: u32,
    /// Largest contention window \[slots\].
    pub cw_max: u32,
}

/// A physical layer with its parameters.
#[derive(Clone, Debug, PartialEq)]
pub enum Phy {
    /// `dsss-1999`.
    Dsss(Dsss),
    /// `802.11b`.
    HrDsss(HrDsss),
}

impl Phy {
    /// The PHY that `config`, which has been checked, asks for.
    pub fn new(config: &MacConfig) -> Phy {
        match config.phy {
            PhyName::Dsss1999 => Phy::Dsss(Dsss::new(config)),
            PhyName::Ieee80211b => Phy::HrDsss(HrDsss::new(config.preamble.unwrap_or_default())),
        }
    }

    /// Its rates \[bit/s\], ascending; a [`Rate`] is a place in this list.
    pub fn rates_bps(&self) -> &[f64] {
        match self {
            Phy::Dsss(phy) => phy.rates_bps(),
            Phy::HrDsss(_) => &HrDsss::RATES_BPS,
        }
    }

    /// The rate of `rate_bps` \[bit/s\], if the PHY has it.
    pub fn rate(&self, rate_bps: f64) -> Option<Rate> {
        self.rates_bps().iter().position(|&own| own == rate_bps).map(|place| Rate(place as u8))
    }

    /// The rate at which EIFS allows for an ACK: the lowest that every station has.
    pub fn lowest_mandatory_rate(&self) -> Rate {
        match self {
            Phy::Dsss(phy) => phy.plcp_rate(),
            Phy::HrDsss(_) => Rate(0),
        }
    }

    /// The rate of the response to a frame at rate `answered`: the highest basic rate that is not above
    /// it. There is one basic rate, `basic`.
    pub fn response_rate(&self, answered: Rate, basic: Rate) -> Rate {
        basic.min(answered)
    }

    /// Air time of the preamble and PHY header before a frame at `rate`.
    pub fn preamble(&self, rate: Rate) -> Duration {
        match self {
            Phy::Dsss(phy) => phy.preamble(),
            Phy::HrDsss(phy) => phy.preamble(rate),
        }
    }

    /// Air time of a frame of `bytes` from the MAC header to the checksum, preamble and PHY header included.
    #[inline]
    pub fn airtime(&self, rate: Rate, bytes: u32) -> Duration {
        match self {
            Phy::Dsss(phy) => phy.airtime(rate, bytes),
            Phy::HrDsss(phy) => phy.airtime(rate, bytes),
        }
    }
}

#[cfg(test)]
mod tests;
