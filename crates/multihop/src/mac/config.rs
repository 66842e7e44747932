//! The keys of the scenario's `[mac]` table.

mod build;
mod of_phy;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use super::access_kind::AccessKind;
use super::admission::BackPressureRules;
use super::categories::CategoriesConfig;
pub use super::phy::PhyName;
use super::phy::{Dsss, GuardInterval, MacDefaults, Preamble, Protection, dsss};
pub use super::rates::RateChoice;
use super::reservation::ReservationConfig;
use super::semi::{self, SemiConfig};
use super::tdma::TdmaConfig;
use super::windows::adaptive_csma::AdaptiveCsmaConfig;
use super::windows::diffq::DiffqConfig;
use super::windows::ez_flow::EzFlowConfig;
pub use crate::config::Limit as RetryLimit;
use crate::config::{ConfigError, within};

/// The MAC's parameters, with a PHY; the defaults are IEEE 802.11-1999 DSSS at 2 Mbit/s.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct MacConfig {
    /// The medium access protocol.
    pub scheme: MacScheme,
    /// How stations take turns on the medium.
    pub access: AccessKind,
    /// Four access categories, each with a queue, in place of one; `802.11n`, `802.11ac`,
    /// `802.11ax` with access `dcf` in profile "standard" only. Flows say by `class` which is
    /// theirs.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub edca: bool,
    /// The parameters of the categories; with `edca` only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "CategoriesConfig")]
    pub categories: Option<CategoriesConfig>,
    /// Adaptive CSMA; access `adaptive-csma` only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "AdaptiveCsmaConfig")]
    pub adaptive_csma: Option<AdaptiveCsmaConfig>,
    /// EZ-Flow; access `ez-flow` only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "EzFlowConfig")]
    pub ez_flow: Option<EzFlowConfig>,
    /// DiffQ; access `diffq` only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "DiffqConfig")]
    pub diffq: Option<DiffqConfig>,
    /// The table of slots; access `tdma` only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "TdmaConfig")]
    pub tdma: Option<TdmaConfig>,
    /// Slots that are reserved; access `slot-reservation` only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "ReservationConfig")]
    pub slot_reservation: Option<ReservationConfig>,
    /// Which PHY; rates, slot, SIFS and contention window are its own unless given.
    pub phy: PhyName,
    /// How the rate of a data frame is chosen.
    pub rate: RateChoice,
    /// Rate of unicast data frames (bit/s); the highest that is tried where rates are not fixed.
    pub data_rate_bps: f64,
    /// Rate of RTS, CTS, ACK and broadcast frames (bit/s).
    pub basic_rate_bps: f64,
    /// Rates that every station has (bit/s): a CTS or ACK goes at the highest of them that is not
    /// above that of the frame it answers. Unless given `basic_rate_bps` and, of OFDM, those that
    /// the standard demands.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Vec<f64>")]
    pub basic_rates_bps: Option<Vec<f64>>,
    /// The data rate by its number, in place of `data_rate_bps`; `802.11n`, `802.11ac`, `802.11ax`
    /// only, of the last two with as many streams as `streams` says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "u8")]
    pub mcs: Option<u8>,
    /// Width of the channel, 20, 40 or from `802.11ac` on 80 (MHz); `802.11n`, `802.11ac`,
    /// `802.11ax` only, 20 unless given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "u32")]
    pub channel_mhz: Option<u32>,
    /// Spatial streams at most, 1 to 4, of `802.11n` 1 or 2; `802.11n`, `802.11ac`, `802.11ax` only,
    /// 1 unless given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "u32")]
    pub streams: Option<u32>,
    /// The guard interval, long or short, of `802.11ax` also medium; `802.11n`, `802.11ac`,
    /// `802.11ax` only, long unless given, of `802.11ax` short.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "GuardInterval")]
    pub guard_interval: Option<GuardInterval>,
    /// The band, 2.4 or 5 (GHz); `802.11n`, `802.11ax` only, 5 unless given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "f64")]
    pub band_ghz: Option<f64>,
    /// Data frames that are sent as one A-MPDU at most, 1 to 64, of `802.11ax` 1 to 256; `802.11n`,
    /// `802.11ac`, `802.11ax` only, 1 unless given, that is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "u32")]
    pub aggregate: Option<u32>,
    /// Size of an A-MPDU at most (bytes); `802.11n`, `802.11ac`, `802.11ax` only, 65535, 1048575
    /// and 6500631 unless given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "u32")]
    pub aggregate_bytes: Option<u32>,
    /// Duration of an A-MPDU at most (s); `802.11n`, `802.11ac`, `802.11ax` only, 5.484e-3 unless
    /// given, the most that SIGNAL can announce.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "f64")]
    pub aggregate_s: Option<f64>,
    /// How frames are kept from stations of 802.11b; `802.11g` only, none unless given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Protection")]
    pub protection: Option<Protection>,
    /// Preamble and header of the PHY, long or short; `802.11b` and `802.11g` only, long unless
    /// given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Preamble")]
    pub preamble: Option<Preamble>,
    /// Rate of the PLCP preamble and header before every frame (bit/s); `dsss-1999` only, 1e6
    /// unless given.
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
    /// The longest link over which answers are waited for (m): beyond what the PHY allows for, slot
    /// and response timeouts grow by 3 µs for each 450 m. Unless given, the longest link of the
    /// network in profile "standard", and nothing more in "ns2".
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "f64")]
    pub coverage_m: Option<f64>,
    /// Smallest contention window (slots).
    pub cw_min: u32,
    /// Largest contention window (slots).
    pub cw_max: u32,
    /// Unicast frames of at least this size use RTS and CTS (bytes); 0: all frames; `inf`: none.
    pub rts_threshold_bytes: RetryLimit,
    /// Attempts to send an RTS, or a frame without RTS, before the packet is given up; `inf`:
    /// never.
    pub short_retry_limit: RetryLimit,
    /// Attempts to send a data frame after its RTS was answered, before the packet is given up;
    /// `inf`: never.
    pub long_retry_limit: RetryLimit,
    /// Size of the interface queue (packets); as in ns-2 it holds one packet less.
    pub queue_packets: u32,
    /// Report packets given up at a retry limit to routing as link failures. Otherwise they are
    /// dropped silently, and routes end only by their lifetimes.
    pub report_failures: bool,
    /// Semi-TCP's hop-by-hop admission.
    pub semi: SemiConfig,
}

/// The distance that the highest coverage class allows for at least: 31 times 450 m.
pub const MOST_COVERAGE_M: f64 = 13_950.0;

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

impl Default for MacConfig {
    fn default() -> Self {
        let phy = PhyName::default();
        let MacDefaults { data_rate_bps, basic_rate_bps, slot_s, sifs_s, cw_min, cw_max } =
            Dsss::MAC_DEFAULTS;
        MacConfig {
            scheme: MacScheme::default(),
            access: AccessKind::default(),
            edca: false,
            categories: None,
            adaptive_csma: None,
            ez_flow: None,
            diffq: None,
            tdma: None,
            slot_reservation: None,
            phy,
            rate: RateChoice::default(),
            data_rate_bps,
            basic_rate_bps,
            basic_rates_bps: None,
            mcs: None,
            channel_mhz: None,
            streams: None,
            guard_interval: None,
            band_ghz: None,
            aggregate: None,
            aggregate_bytes: None,
            aggregate_s: None,
            protection: None,
            preamble: None,
            plcp_rate_bps: Some(dsss::PLCP_RATE_BPS),
            preamble_bits: Some(dsss::PREAMBLE_BITS),
            plcp_header_bits: Some(dsss::PLCP_HEADER_BITS),
            slot_s,
            sifs_s,
            coverage_m: None,
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
    /// The same with the defaults filled in that depend on other keys.
    #[must_use]
    pub fn resolved(self) -> MacConfig {
        MacConfig { semi: self.semi.resolved(), ..self }
    }

    /// Whether the scheme has hop-by-hop admission.
    pub fn is_admitting(&self) -> bool {
        self.scheme == MacScheme::SemiTcp
    }

    /// How stations reserve slots, if they do.
    pub fn reservation(&self) -> Option<ReservationConfig> {
        let is_one = self.access == AccessKind::SlotReservation;
        is_one.then(|| self.slot_reservation.clone().unwrap_or_default())
    }

    /// Whether the contention window follows backlogs.
    pub fn is_windowed(&self) -> bool {
        self.access != AccessKind::Dcf && !self.access.is_slotted()
    }

    /// Whether nodes may have several stations, and stations access categories.
    pub fn has_stations_of_any_kind(&self) -> bool {
        matches!(self.access, AccessKind::Dcf | AccessKind::Tdma)
    }

    /// What of the link's work the MACs do themselves, if anything: the key that says so, and what.
    pub fn does_itself(&self) -> Option<(&'static str, &'static str)> {
        match (self.scheme, self.access) {
            (MacScheme::SemiTcp, _) => Some(("mac.scheme \"semi-tcp\"", "holds packets back")),
            (_, AccessKind::Diffq) => Some(("mac.access \"diffq\"", "orders packets")),
            _ => None,
        }
    }

    /// How full a node may be before its own transports have to wait.
    pub fn back_pressure(&self) -> BackPressureRules {
        self.semi.rules().back_pressure(self.is_admitting())
    }

    /// Whether OFDM frames follow a CTS of their sender to itself.
    pub(super) fn is_protected(&self) -> bool {
        self.protection == Some(Protection::CtsToSelf)
    }

    /// Checks every key against its bounds.
    ///
    /// # Errors
    /// The first key that is out of bounds.
    pub fn check(&self) -> Result<(), ConfigError> {
        within("data_rate_bps", self.data_rate_bps, 1.0, 1e12)?;
        within("basic_rate_bps", self.basic_rate_bps, 1.0, 1e12)?;
        within("plcp_rate_bps", self.plcp_rate_bps.unwrap_or(1.0), 1.0, 1e12)?;
        within("slot_s", self.slot_s, 1e-6, 1e-2)?;
        within("sifs_s", self.sifs_s, 1e-6, 1e-2)?;
        within("coverage_m", self.coverage_m.unwrap_or(0.0), 0.0, MOST_COVERAGE_M)?;
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
        if self.rate != RateChoice::Fixed && self.phy == PhyName::Dsss1999 {
            let fault = "must be \"fixed\" with phy \"dsss-1999\", which has one rate for data";
            return Err(ConfigError::new("rate", fault));
        }
        if self.is_admitting() && self.rts_threshold_bytes != RetryLimit::Finite(0) {
            let fault =
                "must be 0 with scheme \"semi-tcp\", whose congestion control is in RTS and CTS";
            return Err(ConfigError::new("rts_threshold_bytes", fault));
        }
        self.check_aggregates()?;
        self.check_access()?;
        self.check_categories()?;
        self.semi.check(self.queue_packets)
    }

    /// Checks that the table of the access that is chosen is there if it is needed, and no other,
    /// and nothing that does not go with it.
    fn check_access(&self) -> Result<(), ConfigError> {
        let mine = self.access.name();
        for (key, owner, is_given) in [
            ("tdma", AccessKind::Tdma, self.tdma.is_some()),
            ("adaptive_csma", AccessKind::AdaptiveCsma, self.adaptive_csma.is_some()),
            ("ez_flow", AccessKind::EzFlow, self.ez_flow.is_some()),
            ("diffq", AccessKind::Diffq, self.diffq.is_some()),
            ("slot_reservation", AccessKind::SlotReservation, self.slot_reservation.is_some()),
        ] {
            if is_given && self.access != owner {
                return Err(ConfigError::only_with(key, "access", owner.name(), mine));
            }
        }
        if self.access == AccessKind::Dcf {
            return Ok(());
        }
        let in_slots = matches!(self.access, AccessKind::Tdma | AccessKind::SlotReservation);
        if self.access == AccessKind::Tdma && self.tdma.is_none() {
            let fault = "\"tdma\" needs a table of slots: [mac.tdma]";
            return Err(ConfigError::new("access", fault));
        }
        for (key, is_wrong, allowed) in [
            ("scheme", self.is_admitting(), "\"dcf\""),
            ("rate", in_slots && self.rate != RateChoice::Fixed, "\"fixed\""),
            ("aggregate", self.aggregation().is_some(), "1"),
            ("protection", in_slots && self.is_protected(), "\"none\""),
        ] {
            if is_wrong {
                let fault = format!("must be {allowed} with access \"{mine}\"");
                return Err(ConfigError::new(key, fault));
            }
        }
        self.tdma.as_ref().map_or(Ok(()), TdmaConfig::check)?;
        self.slot_reservation.as_ref().map_or(Ok(()), ReservationConfig::check)?;
        self.adaptive_csma.as_ref().map_or(Ok(()), AdaptiveCsmaConfig::check)?;
        self.ez_flow.as_ref().map_or(Ok(()), EzFlowConfig::check)?;
        self.diffq.as_ref().map_or(Ok(()), DiffqConfig::check)
    }
}
