//! What keys of the scenario's `[mac]` table choose among.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::rates::Outside;
use super::reservation;
use super::windows::{adaptive_csma, diffq, ez_flow};
use crate::config::outside::one_of;

/// How stations take turns on the medium.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum AccessKind {
    /// They contend for it: the 802.11 distributed coordination function.
    #[default]
    Dcf,
    /// They contend, sooner or for longer the more packets wait: adaptive CSMA.
    AdaptiveCsma,
    /// They contend, later the more packets wait at the next hop: EZ-Flow.
    EzFlow,
    /// They contend, sooner the more packets wait than at the next hop: DiffQ.
    Diffq,
    /// They send in slots of a table.
    Tdma,
    /// They send in slots that they reserve anew each time.
    SlotReservation,
}

impl AccessKind {
    /// As the scenario names it.
    pub fn name(self) -> &'static str {
        match self {
            AccessKind::Dcf => "dcf",
            AccessKind::AdaptiveCsma => adaptive_csma::NAME,
            AccessKind::EzFlow => ez_flow::NAME,
            AccessKind::Diffq => diffq::NAME,
            AccessKind::Tdma => "tdma",
            AccessKind::SlotReservation => reservation::NAME,
        }
    }

    /// Whether data go in slots, in which nobody senses the carrier before.
    pub fn is_slotted(self) -> bool {
        matches!(self, AccessKind::Tdma | AccessKind::SlotReservation)
    }
}

/// Which PHY.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum PhyName {
    /// IEEE 802.11-1999 DSSS, 1 and 2 Mbit/s, as ns-2 has it: any other rate goes too.
    #[default]
    #[serde(rename = "dsss-1999")]
    Dsss1999,
    /// IEEE 802.11b: 1, 2, 5.5 and 11 Mbit/s.
    #[serde(rename = "802.11b")]
    Ieee80211b,
    /// IEEE 802.11a: OFDM, 6 to 54 Mbit/s.
    #[serde(rename = "802.11a")]
    Ieee80211a,
    /// IEEE 802.11g: the same in the 2.4 GHz band, beside the rates of 802.11b.
    #[serde(rename = "802.11g")]
    Ieee80211g,
    /// IEEE 802.11n: one or two streams in 20 or 40 MHz, 6.5 to 300 Mbit/s.
    #[serde(rename = "802.11n")]
    Ieee80211n,
    /// IEEE 802.11ac: one to four streams in 20, 40 or 80 MHz, 6.5 to 1733 Mbit/s.
    #[serde(rename = "802.11ac")]
    Ieee80211ac,
    /// IEEE 802.11ax: one to four streams in 20, 40 or 80 MHz, 7.3 to 2402 Mbit/s.
    #[serde(rename = "802.11ax")]
    Ieee80211ax,
}

impl PhyName {
    /// Those for which [`PhyName::is_high`] holds.
    pub(super) const HIGH: [PhyName; 3] =
        [PhyName::Ieee80211n, PhyName::Ieee80211ac, PhyName::Ieee80211ax];

    /// Whether it has frames of high throughput: streams, widths, A-MPDUs and access categories.
    pub fn is_high(self) -> bool {
        PhyName::HIGH.contains(&self)
    }

    /// As the scenario names it.
    pub fn name(self) -> &'static str {
        match self {
            PhyName::Dsss1999 => "dsss-1999",
            PhyName::Ieee80211b => "802.11b",
            PhyName::Ieee80211a => "802.11a",
            PhyName::Ieee80211g => "802.11g",
            PhyName::Ieee80211n => "802.11n",
            PhyName::Ieee80211ac => "802.11ac",
            PhyName::Ieee80211ax => "802.11ax",
        }
    }
}

/// How the rate of a data frame is chosen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(transform = one_of)]
pub enum RateChoice {
    /// Always `data_rate_bps`.
    #[default]
    Fixed,
    /// Automatic rate fallback: up after ten successes, down after two failures.
    Arf,
    /// The rate of the highest throughput, with one packet in ten to look around.
    Minstrel,
    /// The fastest that the power of the last frame from the neighbour allows; radio.reception
    /// "sinr" only.
    Ideal,
    /// One of another crate, or of a file of Python: `FILE.py:CLASS`.
    #[serde(untagged)]
    Outside(Outside),
}
