//! The keys of the scenario's `[radio]` table.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{FreeSpace, LogDistance, PathLoss, TwoRayGround};
use crate::config::{ConfigError, Decibels, positive, within};

/// The radio's parameters; the defaults are those of the papers and of ns-2's classic card.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct RadioConfig {
    /// How power falls with distance.
    pub propagation: Propagation,
    /// Frames from within this distance can be decoded (m).
    pub receive_range_m: f64,
    /// Frames from within this distance make the medium busy (m).
    pub sense_range_m: f64,
    /// A frame being received survives a later one that is weaker by this much (dB); `inf`: none does.
    pub capture_db: Decibels,
    /// Height of all antennas (m); two-ray ground only, 1.5 unless given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "f64")]
    pub antenna_height_m: Option<f64>,
    /// How power falls with distance beyond 1 m; log-distance only, 3 unless given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "f64")]
    pub path_loss_exponent: Option<f64>,
    /// Carrier frequency (Hz).
    pub frequency_hz: f64,
    /// Transmit power (W); only ratios of powers matter, since thresholds are given as ranges.
    pub transmit_power_w: f64,
}

/// How power falls with distance.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Propagation {
    /// Two-ray ground, with free space below the crossover distance.
    #[default]
    TwoRayGround,
    /// Free space: Friis' law at every distance.
    FreeSpace,
    /// Log-distance: free space up to 1 m, then with `path_loss_exponent`.
    LogDistance,
}

impl Propagation {
    /// As the scenario names it.
    fn name(self) -> &'static str {
        match self {
            Propagation::TwoRayGround => "two-ray-ground",
            Propagation::FreeSpace => "free-space",
            Propagation::LogDistance => "log-distance",
        }
    }
}

/// Height of all antennas \[m\] where it matters and is not given: ns-2's.
const ANTENNA_HEIGHT_M: f64 = 1.5;
/// Path loss exponent where it matters and is not given: a city's.
const PATH_LOSS_EXPONENT: f64 = 3.0;

impl Default for RadioConfig {
    fn default() -> Self {
        RadioConfig {
            propagation: Propagation::default(),
            receive_range_m: 250.0,
            sense_range_m: 550.0,
            capture_db: Decibels(10.0),
            antenna_height_m: Some(ANTENNA_HEIGHT_M),
            path_loss_exponent: None,
            frequency_hz: 914e6,
            transmit_power_w: 0.281_838_15,
        }
    }
}

impl RadioConfig {
    /// This table with the defaults of the chosen propagation's own keys filled in.
    pub fn with_defaults(mut self) -> RadioConfig {
        match self.propagation {
            Propagation::TwoRayGround => {
                self.antenna_height_m.get_or_insert(ANTENNA_HEIGHT_M);
            }
            Propagation::FreeSpace => {}
            Propagation::LogDistance => {
                self.path_loss_exponent.get_or_insert(PATH_LOSS_EXPONENT);
            }
        }
        self
    }

    /// How power falls with distance.
    pub fn path_loss(&self) -> PathLoss {
        let (power_w, frequency_hz) = (self.transmit_power_w, self.frequency_hz);
        match self.propagation {
            Propagation::TwoRayGround => {
                let height_m = self.antenna_height_m.unwrap_or(ANTENNA_HEIGHT_M);
                PathLoss::TwoRayGround(TwoRayGround::new(power_w, frequency_hz, height_m))
            }
            Propagation::FreeSpace => PathLoss::FreeSpace(FreeSpace::new(power_w, frequency_hz)),
            Propagation::LogDistance => {
                let exponent = self.path_loss_exponent.unwrap_or(PATH_LOSS_EXPONENT);
                PathLoss::LogDistance(LogDistance::new(power_w, frequency_hz, exponent))
            }
        }
    }

    /// Checks every key against its bounds.
    ///
    /// # Errors
    /// The first key that is out of bounds.
    pub fn check(&self) -> Result<(), ConfigError> {
        positive("receive_range_m", self.receive_range_m, 1e5)?;
        positive("sense_range_m", self.sense_range_m, 1e5)?;
        if self.sense_range_m < self.receive_range_m {
            let fault = format!(
                "must be at least receive_range_m, {} (got {})",
                self.receive_range_m, self.sense_range_m
            );
            return Err(ConfigError::new("sense_range_m", fault));
        }
        let capture = self.capture_db.0;
        if capture.is_nan() || capture < 0.0 {
            return Err(ConfigError::new(
                "capture_db",
                format!("must be 0 or more, or inf (got {capture})"),
            ));
        }
        let owners = [
            ("antenna_height_m", self.antenna_height_m, Propagation::TwoRayGround),
            ("path_loss_exponent", self.path_loss_exponent, Propagation::LogDistance),
        ];
        for (key, value, owner) in owners {
            if value.is_some() && self.propagation != owner {
                let chosen = self.propagation.name();
                return Err(ConfigError::only_with(key, "propagation", owner.name(), chosen));
            }
        }
        if let Some(height_m) = self.antenna_height_m {
            positive("antenna_height_m", height_m, 1e4)?;
        }
        if let Some(exponent) = self.path_loss_exponent {
            within("path_loss_exponent", exponent, 1.0, 10.0)?;
        }
        positive("frequency_hz", self.frequency_hz, 1e12)?;
        positive("transmit_power_w", self.transmit_power_w, 1e6)
    }
}
