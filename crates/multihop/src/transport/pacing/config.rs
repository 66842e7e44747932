//! The keys of the `[transport.pacing]` table.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::config::{ConfigError, positive, within};

/// What spaces segments.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum PacingScheme {
    /// Nothing: segments leave as the windows admit them.
    #[default]
    None,
    /// Adaptive pacing: the delay over four hops.
    TcpAp,
    /// The congestion control's rate: the window over the smoothed round trip, unless it states
    /// another.
    Rate,
}

impl PacingScheme {
    /// The key that selects it.
    pub const KEY: &str = "transport.pacing.scheme";

    /// Its name there.
    pub fn name(self) -> &'static str {
        match self {
            PacingScheme::None => "none",
            PacingScheme::TcpAp => "tcp-ap",
            PacingScheme::Rate => "rate",
        }
    }
}

/// The delay over four hops when a path has fewer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ShortPaths {
    /// That over all hops of the path.
    #[default]
    AllHops,
    /// That over one hop, as in the published agent.
    OneHop,
}

/// A measure of spread.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Spread {
    /// Standard deviation over mean: the coefficient of variation, as in the paper.
    #[default]
    StandardDeviation,
    /// Mean absolute deviation over mean, as in the published agent.
    MeanDeviation,
}

/// Pacing. All keys but `scheme` are adaptive pacing's.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct PacingConfig {
    /// What spaces segments, over any congestion control. Default: what `transport.scheme` brings
    /// along, else `none`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scheme: Option<PacingScheme>,
    /// Rate at which a hop is assumed to carry packets, whatever the MAC's (bit/s).
    pub rate_bps: f64,
    /// Bytes assumed for all headers of a segment, and for an acknowledgment.
    pub header_bytes: u32,
    /// What stands for the delay over four hops on a shorter path.
    pub short_paths: ShortPaths,
    /// How the spread of recent delays is measured, relative to their mean.
    pub spread: Spread,
    /// How much the spread widens the spacing: it is (1 + factor × spread) × average delay.
    pub spread_factor: f64,
    /// Recent delays that the spread is taken over.
    pub history_samples: u32,
    /// Weight of the old value in the average delay.
    pub average_weight: f64,
    /// Weight of the old value in the average queueing delay of a hop.
    pub queueing_weight: f64,
    /// Queueing delays above this are replaced by their average, and delays above it ignored (s).
    pub max_delay_s: f64,
    /// Spacing before the first estimate (s).
    pub first_interval_s: f64,
}

impl Default for PacingConfig {
    fn default() -> Self {
        PacingConfig {
            scheme: None,
            rate_bps: 2e6,
            header_bytes: 112,
            short_paths: ShortPaths::default(),
            spread: Spread::default(),
            spread_factor: 2.0,
            history_samples: 50,
            average_weight: 0.7,
            queueing_weight: 0.5,
            max_delay_s: 0.5,
            first_interval_s: 0.05,
        }
    }
}

impl PacingConfig {
    /// Checks every key against its bounds.
    ///
    /// # Errors
    /// The first key that is out of bounds.
    pub fn check(&self) -> Result<(), ConfigError> {
        within("pacing.rate_bps", self.rate_bps, 1.0, 1e12)?;
        within("pacing.header_bytes", self.header_bytes.into(), 0.0, 65_535.0)?;
        within("pacing.spread_factor", self.spread_factor, 0.0, 1000.0)?;
        within("pacing.history_samples", self.history_samples.into(), 1.0, 1e6)?;
        within("pacing.average_weight", self.average_weight, 0.0, 1.0)?;
        within("pacing.queueing_weight", self.queueing_weight, 0.0, 1.0)?;
        positive("pacing.max_delay_s", self.max_delay_s, 3600.0)?;
        positive("pacing.first_interval_s", self.first_interval_s, 3600.0)
    }
}
