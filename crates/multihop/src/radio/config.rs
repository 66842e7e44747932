//! The keys of the scenario's `[radio]` table.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::TwoRayGround;
use crate::config::{ConfigError, Decibels, positive};

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
    /// Height of all antennas (m).
    pub antenna_height_m: f64,
    /// Carrier frequency (Hz).
    pub frequency_hz: f64,
    /// Transmit power (W); only ratios of powers matter, since thresholds are given as ranges.
    pub transmit_power_w: f64,
}

/// How power falls with distance.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Propagation {
    /// Two-ray ground, with Friis' law below the crossover distance.
    #[default]
    TwoRayGround,
}

impl Default for RadioConfig {
    fn default() -> Self {
        RadioConfig {
            propagation: Propagation::default(),
            receive_range_m: 250.0,
            sense_range_m: 550.0,
            capture_db: Decibels(10.0),
            antenna_height_m: 1.5,
            frequency_hz: 914e6,
            transmit_power_w: 0.281_838_15,
        }
    }
}

impl RadioConfig {
    /// How power falls with distance.
    pub fn path(&self) -> TwoRayGround {
        TwoRayGround::new(self.transmit_power_w, self.frequency_hz, self.antenna_height_m)
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
        positive("antenna_height_m", self.antenna_height_m, 1e4)?;
        positive("frequency_hz", self.frequency_hz, 1e12)?;
        positive("transmit_power_w", self.transmit_power_w, 1e6)
    }
}
