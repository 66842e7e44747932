//! OLSR's keys in the scenario's `[routing]` table, named as RFC 3626 names its parameters.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::config::{ConfigError, interval, within};
use crate::kernel::Duration;

/// The most packets over which the quality of a link is measured.
pub(super) const MOST_WINDOW: u32 = 64;
/// The longest time that a message can state (section 18.3) \[s\].
const LONGEST_S: f64 = 3968.0;

/// What a link costs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum OlsrMetric {
    /// One, as RFC 3626 has it.
    #[default]
    Hops,
    /// Expected transmissions, by the share of OLSR's packets that come: the link quality extension
    /// that community networks use, which is no part of the RFC.
    Etx,
}

/// The keys of OLSR. All defaults are those of RFC 3626 section 18.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct OlsrConfig {
    /// What a link costs.
    pub metric: OlsrMetric,
    /// The longest time between a node's HELLOs (s).
    pub hello_interval_s: f64,
    /// The longest time between a node's TCs (s).
    pub tc_interval_s: f64,
    /// How long a neighbour counts after its last HELLO (s). Default: three times
    /// `hello_interval_s`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub neighb_hold_time_s: Option<f64>,
    /// How long a TC is valid (s). Default: three times `tc_interval_s`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub top_hold_time_s: Option<f64>,
    /// How long a message is remembered, so that it is not passed on again (s).
    pub dup_hold_time_s: f64,
    /// Messages are sent earlier than their interval, and passed on later, by a random time of at
    /// most this (s). Default: a quarter of `hello_interval_s`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_jitter_s: Option<f64>,
    /// How willing nodes are to relay: 0 never, 3 as usual, 7 always.
    pub willingness: u8,
    /// By how many relays each node two hops away is reached, where that can be.
    pub mpr_coverage: u32,
    /// Which links nodes advertise: 0 those to nodes that chose them as relay, 1 also those to
    /// their relays, 2 all. Default: 0; 2 by `etx`, whose better routes are found only so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tc_redundancy: Option<u8>,
    /// Whether a link counts only once enough packets in a row have come over it. Default: true;
    /// false by `etx`, which judges links itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hysteresis: Option<bool>,
    /// The quality above which a link is established.
    pub hyst_threshold_high: f64,
    /// The quality below which it is no longer.
    pub hyst_threshold_low: f64,
    /// The weight of the latest packet in the quality.
    pub hyst_scaling: f64,
    /// Whether a neighbour that the MAC could not reach is a lost one at once.
    pub link_layer_notification: bool,
    /// By `etx`: the packets of a neighbour over which its link is measured.
    pub link_quality_window: u32,
}

impl Default for OlsrConfig {
    fn default() -> Self {
        OlsrConfig {
            metric: OlsrMetric::Hops,
            hello_interval_s: 2.0,
            tc_interval_s: 5.0,
            neighb_hold_time_s: None,
            top_hold_time_s: None,
            dup_hold_time_s: 30.0,
            max_jitter_s: None,
            willingness: 3,
            mpr_coverage: 1,
            tc_redundancy: None,
            hysteresis: None,
            hyst_threshold_high: 0.8,
            hyst_threshold_low: 0.3,
            hyst_scaling: 0.5,
            link_layer_notification: false,
            link_quality_window: 20,
        }
    }
}

impl OlsrConfig {
    /// The same with every default filled in.
    pub(in crate::routing) fn resolved(&self) -> OlsrConfig {
        OlsrConfig {
            neighb_hold_time_s: Some(self.neighb_hold_time_s()),
            top_hold_time_s: Some(self.top_hold_time_s()),
            max_jitter_s: Some(self.max_jitter_s()),
            tc_redundancy: Some(self.tc_redundancy()),
            hysteresis: Some(self.hysteresis()),
            ..self.clone()
        }
    }

    fn neighb_hold_time_s(&self) -> f64 {
        self.neighb_hold_time_s.unwrap_or(3.0 * self.hello_interval_s)
    }

    fn top_hold_time_s(&self) -> f64 {
        self.top_hold_time_s.unwrap_or(3.0 * self.tc_interval_s)
    }

    fn max_jitter_s(&self) -> f64 {
        self.max_jitter_s.unwrap_or(self.hello_interval_s / 4.0)
    }

    pub(super) fn tc_redundancy(&self) -> u8 {
        let usual = match self.metric {
            OlsrMetric::Hops => 0,
            OlsrMetric::Etx => 2,
        };
        self.tc_redundancy.unwrap_or(usual)
    }

    pub(super) fn hysteresis(&self) -> bool {
        self.hysteresis.unwrap_or(self.metric == OlsrMetric::Hops)
    }

    /// Whether the packets that come over a link and those that are lost decide about it.
    pub(super) fn measures_links(&self) -> bool {
        self.hysteresis() || self.metric == OlsrMetric::Etx
    }

    pub(super) fn neighb_hold_time(&self) -> Duration {
        Duration::from_secs_f64(self.neighb_hold_time_s())
    }

    pub(super) fn top_hold_time(&self) -> Duration {
        Duration::from_secs_f64(self.top_hold_time_s())
    }

    pub(super) fn max_jitter(&self) -> Duration {
        Duration::from_secs_f64(self.max_jitter_s())
    }

    /// Checks every key against its bounds and the others.
    ///
    /// # Errors
    /// The first key that is out of bounds or contradicts another.
    pub fn check(&self) -> Result<(), ConfigError> {
        interval("hello_interval_s", self.hello_interval_s, 1e3)?;
        interval("tc_interval_s", self.tc_interval_s, 1e3)?;
        let (hello_s, tc_s) = (self.hello_interval_s, self.tc_interval_s);
        within("neighb_hold_time_s", self.neighb_hold_time_s(), hello_s, LONGEST_S)?;
        within("top_hold_time_s", self.top_hold_time_s(), tc_s, LONGEST_S)?;
        within("dup_hold_time_s", self.dup_hold_time_s, 0.0, LONGEST_S)?;
        within("max_jitter_s", self.max_jitter_s(), 0.0, hello_s.min(tc_s) / 2.0)?;
        within("willingness", self.willingness.into(), 0.0, 7.0)?;
        within("mpr_coverage", self.mpr_coverage.into(), 1.0, 1e3)?;
        within("tc_redundancy", self.tc_redundancy().into(), 0.0, 2.0)?;
        within("hyst_threshold_high", self.hyst_threshold_high, 0.0, 1.0)?;
        within("hyst_threshold_low", self.hyst_threshold_low, 0.0, self.hyst_threshold_high)?;
        within("hyst_scaling", self.hyst_scaling, 0.0, 1.0)?;
        let window = f64::from(self.link_quality_window);
        within("link_quality_window", window, 1.0, MOST_WINDOW.into())?;
        if self.metric == OlsrMetric::Hops
            && self.link_quality_window != OlsrConfig::default().link_quality_window
        {
            let fault = "has no effect unless metric = \"etx\"";
            return Err(ConfigError::new("link_quality_window", fault));
        }
        Ok(())
    }
}
