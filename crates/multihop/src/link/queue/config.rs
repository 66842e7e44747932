//! The keys of the scenario's `[link.codel]` table.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::config::{ConfigError, positive, within};

/// CoDel, of `queue = "codel"` and of each queue of `"fq-codel"`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct CodelConfig {
    /// TARGET: how long packets may wait (s).
    pub target_s: f64,
    /// INTERVAL: when they have waited longer for so long, the first is dropped (s).
    pub interval_s: f64,
    /// Mark packets that are capable of ECN in place of dropping them.
    pub ecn: bool,
    /// With `"fq-codel"`: what a flow may send before it is another's turn (bytes).
    pub quantum_bytes: u32,
    /// With `"fq-codel"`: queues that flows are spread over.
    pub flows: u32,
}

impl Default for CodelConfig {
    fn default() -> Self {
        CodelConfig {
            target_s: 0.005,
            interval_s: 0.1,
            ecn: true,
            quantum_bytes: 1514,
            flows: 1024,
        }
    }
}

impl CodelConfig {
    /// Checks every key against its bounds.
    ///
    /// # Errors
    /// The first key that is out of bounds.
    pub fn check(&self) -> Result<(), ConfigError> {
        let whole = |key, value: u32, low: u32, high: u32| match (low..=high).contains(&value) {
            true => Ok(()),
            false => Err(ConfigError::new(key, format!("must be {low} to {high} (got {value})"))),
        };
        positive("codel.target_s", self.target_s, 60.0)?;
        within("codel.interval_s", self.interval_s, self.target_s, 3600.0)?;
        whole("codel.quantum_bytes", self.quantum_bytes, 1, 1_000_000)?;
        whole("codel.flows", self.flows, 1, 65_536)
    }
}
