//! The physical layers: the rates of each, how long a frame lasts at a rate, and what it gives the
//! MAC.
//!
//! | `mac.phy` | rates \[Mbit/s\] | preamble and header | payload |
//! |---|---|---|---|
//! | `dsss-1999` | any, as in ns-2; 1 and 2 unless given | 192 bits at 1 Mbit/s | bits over rate |
//! | `802.11b` | 1, 2, 5.5, 11 | long or short, by rate | bits over rate, whole microseconds |
//! | `802.11a` | 6 to 54 | 20 µs | symbols of 4 µs |
//! | `802.11g` | those of b and a | those of b and a | those of b and a, 6 µs after symbols |
//! | `802.11n` | those of a; 6.5 to 300 by MCS | 20 µs; 36 µs, 40 µs with two streams | symbols of 4 or 3.6 µs |
//! | `802.11ac` | those of a; 6.5 to 1733 by MCS | 20 µs; 40 to 52 µs by streams | symbols of 4 or 3.6 µs |
//! | `802.11ax` | those of a; 7.3 to 2402 by MCS | 20 µs; 43 to 100 µs by streams and guard interval | symbols of 13.6, 14.4 or 16 µs |
//!
//! All but the first are tables (`table.rs`). Each file names the source of its numbers.

mod defaults;
pub(super) mod dsss;
pub(super) mod he;
pub(super) mod hr_dsss;
pub(super) mod ht;
mod mcs;
pub(super) mod name;
pub(super) mod ofdm;
pub(super) mod table;
pub(super) mod vht;

use crate::kernel::Duration;
use crate::wire::{Format, Modulation, Rate};
pub use defaults::MacDefaults;
pub use dsss::Dsss;
pub use hr_dsss::Preamble;
use ht::Choices;
pub use ht::GuardInterval;
pub use name::PhyName;
pub use ofdm::Protection;
pub use table::{RateTable, Row};

/// A physical layer with its parameters.
#[derive(Clone, Debug, PartialEq)]
pub enum Phy {
    /// `dsss-1999`.
    Dsss(Dsss),
    /// Any other.
    Table(RateTable),
}

/// How far a rate may be from the one meant: `72.2e6` is 72.222.. Mbit/s.
const ROUNDED: f64 = 1e-3;

impl Phy {
    /// The PHY of this name if it is of high throughput, with these choices.
    pub(super) fn of_choices(name: PhyName, choices: &Choices) -> Option<Phy> {
        let rows = match name {
            PhyName::Ieee80211n => ht::rows(choices),
            PhyName::Ieee80211ac => vht::rows(choices),
            PhyName::Ieee80211ax => he::rows(choices),
            _ => return None,
        };
        Some(Phy::Table(RateTable::new(rows)))
    }

    /// Its rates \[bit/s\]; a [`Rate`] is a place in this list.
    pub fn rates_bps(&self) -> &[f64] {
        match self {
            Phy::Dsss(phy) => phy.rates_bps(),
            Phy::Table(phy) => phy.rates_bps(),
        }
    }

    /// What each rate is, if they are those of a table.
    pub fn rows(&self) -> &[Row] {
        match self {
            Phy::Dsss(_) => &[],
            Phy::Table(phy) => phy.rows(),
        }
    }

    /// The rate of `rate_bps` \[bit/s\], if the PHY has it; where two have it, that of the simpler
    /// frames.
    pub fn rate(&self, rate_bps: f64) -> Option<Rate> {
        let is_meant = |own: f64| match self {
            Phy::Dsss(_) => own == rate_bps,
            Phy::Table(_) => (own / rate_bps - 1.0).abs() < ROUNDED,
        };
        self.rates_bps().iter().position(|&own| is_meant(own)).map(|place| Rate(place as u8))
    }

    /// The rate of MCS number `mcs` if the PHY has it: with this many `streams`, where the number
    /// does not tell.
    pub fn rate_of_mcs(&self, mcs: u8, streams: u32) -> Option<Rate> {
        let is_meant = |row: &Row| {
            row.high_throughput.is_some_and(|it| {
                it.mcs == mcs && (it.format == Format::Ht || u32::from(it.streams) == streams)
            })
        };
        self.rows().iter().position(is_meant).map(|place| Rate(place as u8))
    }

    /// What a data frame alone has more at `rate` than in 802.11a \[bytes\].
    #[inline]
    pub fn lone_bytes(&self, rate: Rate) -> u32 {
        match self {
            Phy::Dsss(_) => 0,
            Phy::Table(phy) => phy.row(rate).lone_bytes(),
        }
    }

    /// The rate at which EIFS allows for an ACK: the lowest that every station has.
    pub fn lowest_mandatory_rate(&self) -> Rate {
        match self {
            Phy::Dsss(phy) => phy.plcp_rate(),
            Phy::Table(_) => Rate(0),
        }
    }

    /// The basic rates where none are given \[bit/s\]: those that every station has, or for the
    /// PHYs of DSSS `basic_rate_bps` alone.
    pub fn basic_rates_bps(&self, basic_rate_bps: f64) -> Vec<f64> {
        let all_have = self.rows().iter().filter(|row| row.coding.is_ofdm() && row.is_mandatory);
        let mut rates: Vec<f64> = all_have.map(|row| row.rate_bps).collect();
        if !rates.contains(&basic_rate_bps) {
            rates.push(basic_rate_bps);
        }
        rates
    }

    /// The rate of the response to a frame at rate `answered`: the highest of the `basic` ones that
    /// is not above it, of its kind: DSSS or OFDM. If there is none, the frame's own.
    pub fn response_rate(&self, answered: Rate, basic: &[Rate]) -> Rate {
        let rate_bps = |rate: &Rate| self.rates_bps()[rate.index()];
        let may_answer = |rate: &Rate| match self {
            Phy::Dsss(_) => *rate <= answered,
            Phy::Table(phy) => {
                let (frame, answer) = (phy.row(answered), phy.row(*rate));
                answer.rate_bps <= frame.reference_bps
                    && answer.coding.is_ofdm() == frame.coding.is_ofdm()
            }
        };
        let allowed = basic.iter().copied().filter(may_answer);
        allowed.max_by(|a, b| rate_bps(a).total_cmp(&rate_bps(b))).unwrap_or(answered)
    }

    /// What each rate is, as a sniffer would tell it.
    pub fn modulations(&self) -> Vec<Modulation> {
        match self {
            Phy::Dsss(phy) => {
                let (preamble, is_ofdm, high_throughput) = (phy.preamble(), false, None);
                let modulation =
                    |&rate_bps| Modulation { rate_bps, preamble, is_ofdm, high_throughput };
                phy.rates_bps().iter().map(modulation).collect()
            }
            Phy::Table(phy) => phy.rows().iter().map(Row::modulation).collect(),
        }
    }

    /// Air time of the preamble and PHY header before a frame at `rate`.
    pub fn preamble(&self, rate: Rate) -> Duration {
        match self {
            Phy::Dsss(phy) => phy.preamble(),
            Phy::Table(phy) => phy.row(rate).preamble,
        }
    }

    /// Air time of a frame of `bytes` from the MAC header to the checksum, preamble and PHY header
    /// included.
    #[inline]
    pub fn airtime(&self, rate: Rate, bytes: u32) -> Duration {
        match self {
            Phy::Dsss(phy) => phy.airtime(rate, bytes),
            Phy::Table(phy) => phy.airtime(rate, bytes),
        }
    }
}

#[cfg(test)]
mod tests;
