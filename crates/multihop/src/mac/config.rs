//! The keys of the scenario's `[mac]` table.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use toml::{Table, Value};

use super::admission::{Admission, BackPressureRules};
use super::phy::{Dsss, HrDsss, MacDefaults, Phy, Preamble, dsss};
use super::semi::{self, SemiConfig, SemiTcp};
pub use crate::config::Limit as RetryLimit;
use crate::config::{ConfigError, within};

/// The MAC's parameters, with a PHY; the defaults are IEEE 802.11-1999 DSSS at 2 Mbit/s.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct MacConfig {
    /// The medium access protocol.
    pub scheme: MacScheme,
    /// Which PHY; rates, slot, SIFS and contention window are its own unless given.
    pub phy: PhyName,
    /// How the rate of a data frame is chosen.
    pub rate: RateChoice,
    /// Rate of unicast data frames (bit/s).
    pub data_rate_bps: f64,
    /// Rate of RTS, CTS, ACK and broadcast frames (bit/s).
    pub basic_rate_bps: f64,
    /// Preamble and header of the PHY, long or short; `802.11b` only, long unless given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Preamble")]
    pub preamble: Option<Preamble>,
    /// Rate of the PLCP preamble and header before every frame (bit/s); `dsss-1999` only, 1e6 unless given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "f64")]
    pub plcp_rate_bps: Option<f64>,
    /// Bits of the PLCP preamble; `dsss-1999` only, 144 unless given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "u32")]
    pub preamble_bits: Option<u32>,
    /// Bits of the PLCP header; `dsss-1999` only, 48 unless given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "u32")]
    pub plcp_header_bits: Option<u32>,
    /// Slot time (s).
    pub slot_s: f64,
    /// Short interframe space (s).
    pub sifs_s: f64,
    /// Smallest contention window (slots).
    pub cw_min: u32,
    /// Largest contention window (slots).
    pub cw_max: u32,
    /// Unicast frames of at least this size use RTS and CTS (bytes); 0: all frames; `inf`: none.
    pub rts_threshold_bytes: RetryLimit,
    /// Attempts to send an RTS, or a frame without RTS, before the packet is given up; `inf`: never.
    pub short_retry_limit: RetryLimit,
    /// Attempts to send a data frame after its RTS was answered, before the packet is given up; `inf`: never.
    pub long_retry_limit: RetryLimit,
    /// Size of the interface queue (packets); as in ns-2 it holds one packet less.
    pub queue_packets: u32,
    /// Report packets given up at a retry limit to routing as link failures. Otherwise they are dropped
    /// silently, and routes end only by their lifetimes.
    pub report_failures: bool,
    /// Semi-TCP's hop-by-hop admission.
    pub semi: SemiConfig,
}

/// The scheme with admission hop by hop.
pub const ADMISSION_SCHEME: &str = semi::NAME;

/// The medium access protocol.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum MacScheme {
    /// The 802.11 distributed coordination function.
    #[default]
    Dcf,
    /// DCF with RTSC and CTSC: congested nodes announce it, and neighbours defer to them.
    SemiTcp,
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
}

impl PhyName {
    /// As the scenario names it.
    fn name(self) -> &'static str {
        match self {
            PhyName::Dsss1999 => "dsss-1999",
            PhyName::Ieee80211b => "802.11b",
        }
    }

    /// What the PHY gives the MAC.
    fn mac_defaults(self) -> MacDefaults {
        match self {
            PhyName::Dsss1999 => Dsss::MAC_DEFAULTS,
            PhyName::Ieee80211b => HrDsss::MAC_DEFAULTS,
        }
    }
}

/// How the rate of a data frame is chosen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum RateChoice {
    /// Always `data_rate_bps`.
    #[default]
    Fixed,
}

impl Default for MacConfig {
    fn default() -> Self {
        let phy = PhyName::default();
        let MacDefaults { data_rate_bps, basic_rate_bps, slot_s, sifs_s, cw_min, cw_max } =
            phy.mac_defaults();
        MacConfig {
            scheme: MacScheme::default(),
            phy,
            rate: RateChoice::default(),
            data_rate_bps,
            basic_rate_bps,
            preamble: None,
            plcp_rate_bps: Some(dsss::PLCP_RATE_BPS),
            preamble_bits: Some(dsss::PREAMBLE_BITS),
            plcp_header_bits: Some(dsss::PLCP_HEADER_BITS),
            slot_s,
            sifs_s,
            cw_min,
            cw_max,
            rts_threshold_bytes: RetryLimit::Finite(0),
            short_retry_limit: RetryLimit::Finite(7),
            long_retry_limit: RetryLimit::Finite(4),
            queue_packets: 50,
            report_failures: true,
            semi: SemiConfig::default(),
        }
    }
}

impl MacConfig {
    /// Hop-by-hop admission of one station, if the scheme has it.
    pub fn admission(&self) -> Option<Box<dyn Admission>> {
        match self.scheme {
            MacScheme::Dcf => None,
            MacScheme::SemiTcp => Some(Box::new(SemiTcp::new(&self.semi.rules()))),
        }
    }

    /// How full a node may be before its own transports have to wait.
    pub fn back_pressure(&self) -> BackPressureRules {
        self.semi.rules().back_pressure(self.scheme == MacScheme::SemiTcp)
    }

    /// Fills in what the chosen PHY gives where `table`, as read from a scenario, does not set it.
    pub fn fill_in_phy(table: &mut Table) {
        let phy = match table.get("phy") {
            None => PhyName::default(),
            Some(name) => match name.clone().try_into() {
                Ok(phy) => phy,
                // Reading the table says what is wrong with it.
                Err(_) => return,
            },
        };
        let defaults = phy.mac_defaults();
        let mut fill = |key: &str, value: Value| {
            table.entry(key).or_insert(value);
        };
        fill("data_rate_bps", defaults.data_rate_bps.into());
        fill("basic_rate_bps", defaults.basic_rate_bps.into());
        fill("slot_s", defaults.slot_s.into());
        fill("sifs_s", defaults.sifs_s.into());
        fill("cw_min", defaults.cw_min.into());
        fill("cw_max", defaults.cw_max.into());
        match phy {
            PhyName::Dsss1999 => {
                fill("plcp_rate_bps", dsss::PLCP_RATE_BPS.into());
                fill("preamble_bits", dsss::PREAMBLE_BITS.into());
                fill("plcp_header_bits", dsss::PLCP_HEADER_BITS.into());
            }
            PhyName::Ieee80211b => fill("preamble", "long".into()),
        }
    }

    /// Checks every key against its bounds.
    ///
    /// # Errors
    /// The first key that is out of bounds.
    pub fn check(&self) -> Result<(), ConfigError> {
        within("data_rate_bps", self.data_rate_bps, 1.0, 1e12)?;
        within("basic_rate_bps", self.basic_rate_bps, 1.0, 1e12)?;
        within("plcp_rate_bps", self.plcp_rate_bps.unwrap_or(1.0), 1.0, 1e12)?;
        within("slot_s", self.slot_s, 1e-9, 1e-2)?;
        within("sifs_s", self.sifs_s, 1e-9, 1e-2)?;
        if self.basic_rate_bps > self.data_rate_bps {
            let fault = format!(
                "must be at most data_rate_bps, {} (got {})",
                self.data_rate_bps, self.basic_rate_bps
            );
            return Err(ConfigError::new("basic_rate_bps", fault));
        }
        for (key, limit) in [
            ("short_retry_limit", self.short_retry_limit),
            ("long_retry_limit", self.long_retry_limit),
        ] {
            if limit == RetryLimit::Finite(0) {
                return Err(ConfigError::new(key, "must be 1 or more, or inf (got 0)"));
            }
        }
        for (key, value, low) in [
            ("preamble_bits", self.preamble_bits.unwrap_or(0), 0),
            ("plcp_header_bits", self.plcp_header_bits.unwrap_or(0), 0),
            ("cw_min", self.cw_min, 1),
            ("cw_max", self.cw_max, self.cw_min),
            ("queue_packets", self.queue_packets, 2),
        ] {
            if value < low || value > 1_000_000 {
                let fault = format!("must be {low} to 1000000 (got {value})");
                return Err(ConfigError::new(key, fault));
            }
        }
        self.check_phy()?;
        if self.scheme == MacScheme::SemiTcp && self.rts_threshold_bytes != RetryLimit::Finite(0) {
            let fault =
                "must be 0 with scheme \"semi-tcp\", whose congestion control is in RTS and CTS";
            return Err(ConfigError::new("rts_threshold_bytes", fault));
        }
        self.semi.check(self.queue_packets)
    }

    /// Checks that the PHY has the rates, and that the keys of no other PHY are given.
    fn check_phy(&self) -> Result<(), ConfigError> {
        let owners = [
            ("preamble", self.preamble.is_some(), PhyName::Ieee80211b),
            ("plcp_rate_bps", self.plcp_rate_bps.is_some(), PhyName::Dsss1999),
            ("preamble_bits", self.preamble_bits.is_some(), PhyName::Dsss1999),
            ("plcp_header_bits", self.plcp_header_bits.is_some(), PhyName::Dsss1999),
        ];
        for (key, is_given, owner) in owners {
            if is_given && self.phy != owner {
                return Err(ConfigError::only_with(key, "phy", owner.name(), self.phy.name()));
            }
        }
        let phy = Phy::new(self);
        for (key, rate_bps) in
            [("data_rate_bps", self.data_rate_bps), ("basic_rate_bps", self.basic_rate_bps)]
        {
            if phy.rate(rate_bps).is_none() {
                let own: Vec<String> = phy.rates_bps().iter().map(f64::to_string).collect();
                let fault = format!(
                    "must be one of {} with phy \"{}\" (got {rate_bps})",
                    own.join(", "),
                    self.phy.name()
                );
                return Err(ConfigError::new(key, fault));
            }
        }
        Ok(())
    }
}
