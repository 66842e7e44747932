//! The names of the PHYs, which `mac.phy` chooses among.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

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
    pub(in crate::mac) const HIGH: [PhyName; 3] =
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
