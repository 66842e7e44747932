//! B.A.T.M.A.N. IV's keys in the scenario's `[routing]` table.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::config::{ConfigError, interval, within};
use crate::kernel::Duration;

/// The keys of B.A.T.M.A.N. IV. Interval and hop penalty are those of open-mesh.org's page on
/// tweaking batman-adv; what no page names is said at its key.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct BatmanConfig {
    /// Mean time between a node's originator messages (s).
    pub originator_interval_s: f64,
    /// They come earlier or later by a random time of at most this (s). Ours.
    pub jitter_s: f64,
    /// What a hop costs, in 255ths of the transmit quality. Taken twice, since messages leave by
    /// the radio that they came by.
    pub hop_penalty: u8,
    /// The messages of a neighbour by which a link is measured (TQ_LOCAL_WINDOW_SIZE).
    pub local_window: u32,
    /// The messages of an originator over which qualities are averaged (TQ_GLOBAL_WINDOW_SIZE).
    pub global_window: u32,
    /// The hops that a message or a packet goes at most.
    pub ttl: u8,
    /// Messages of others wait for a random time of at most this, and travel with others (s). Ours.
    pub aggregation_s: f64,
    /// Whether several messages travel in a frame.
    pub aggregated_ogms: bool,
    /// Who has been silent for so long is forgotten (s). Ours.
    pub purge_timeout_s: f64,
}

impl Default for BatmanConfig {
    fn default() -> Self {
        BatmanConfig {
            originator_interval_s: 1.0,
            jitter_s: 0.02,
            hop_penalty: 15,
            local_window: 64,
            global_window: 5,
            ttl: 50,
            aggregation_s: 0.1,
            aggregated_ogms: true,
            purge_timeout_s: 200.0,
        }
    }
}

impl BatmanConfig {
    pub(super) fn interval(&self) -> Duration {
        Duration::from_secs_f64(self.originator_interval_s)
    }

    /// Checks every key against its bounds and the others.
    ///
    /// # Errors
    /// The first key that is out of bounds.
    pub fn check(&self) -> Result<(), ConfigError> {
        interval("originator_interval_s", self.originator_interval_s, 1e3)?;
        within("jitter_s", self.jitter_s, 0.0, self.originator_interval_s / 2.0)?;
        within("local_window", self.local_window.into(), 1.0, 64.0)?;
        within("global_window", self.global_window.into(), 1.0, 64.0)?;
        within("ttl", self.ttl.into(), 1.0, 255.0)?;
        within("aggregation_s", self.aggregation_s, 0.0, self.originator_interval_s)?;
        within("purge_timeout_s", self.purge_timeout_s, self.originator_interval_s, 1e5)
    }
}
