//! The keys of the scenario's `[mac]` table.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::admission::{Admission, BackPressureRules};
use super::semi::{SemiConfig, SemiTcp};
pub use crate::config::Limit as RetryLimit;
use crate::config::{ConfigError, within};

/// The MAC's parameters: IEEE 802.11-1999 DSSS at 2 Mbit/s.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct MacConfig {
    /// The medium access protocol.
    pub scheme: MacScheme,
    /// Rate of unicast data frames (bit/s).
    pub data_rate_bps: f64,
    /// Rate of RTS, CTS, ACK and broadcast frames (bit/s).
    pub basic_rate_bps: f64,
    /// Rate of the PLCP preamble and header before every frame (bit/s).
    pub plcp_rate_bps: f64,
    /// Bits of the PLCP preamble.
    pub preamble_bits: u32,
    /// Bits of the PLCP header.
    pub plcp_header_bits: u32,
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
        MacConfig {
            scheme: MacScheme::default(),
            data_rate_bps: 2e6,
            basic_rate_bps: 1e6,
            plcp_rate_bps: 1e6,
            preamble_bits: 144,
            plcp_header_bits: 48,
            slot_s: 20e-6,
            sifs_s: 10e-6,
            cw_min: 31,
            cw_max: 1023,
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

    /// Whether the scheme itself holds packets back.
    pub fn holds_packets(&self) -> bool {
        self.admission().is_some()
    }

    /// Checks every key against its bounds.
    ///
    /// # Errors
    /// The first key that is out of bounds.
    pub fn check(&self) -> Result<(), ConfigError> {
        within("data_rate_bps", self.data_rate_bps, 1.0, 1e12)?;
        within("basic_rate_bps", self.basic_rate_bps, 1.0, 1e12)?;
        within("plcp_rate_bps", self.plcp_rate_bps, 1.0, 1e12)?;
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
            ("preamble_bits", self.preamble_bits, 0),
            ("plcp_header_bits", self.plcp_header_bits, 0),
            ("cw_min", self.cw_min, 1),
            ("cw_max", self.cw_max, self.cw_min),
            ("queue_packets", self.queue_packets, 2),
        ] {
            if value < low || value > 1_000_000 {
                let fault = format!("must be {low} to 1000000 (got {value})");
                return Err(ConfigError::new(key, fault));
            }
        }
        if self.scheme == MacScheme::SemiTcp && self.rts_threshold_bytes != RetryLimit::Finite(0) {
            let fault =
                "must be 0 with scheme \"semi-tcp\", whose congestion control is in RTS and CTS";
            return Err(ConfigError::new("rts_threshold_bytes", fault));
        }
        self.semi.check(self.queue_packets)
    }
}
