//! DSDV's keys in the scenario's `[routing]` table.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::config::{ConfigError, interval, within};

/// The keys of DSDV. The paper names the mechanisms; the defaults are those of the first comparison
/// in ns-2 (Broch, Maltz, Johnson, Hu, Jetcheva: "A Performance Comparison of Multi-Hop Wireless Ad
/// Hoc Network Routing Protocols", MobiCom 1998, section 4).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct DsdvConfig {
    /// The longest time between a node's full updates (s).
    pub update_interval_s: f64,
    /// An update comes earlier by a random share of the interval, at most this one.
    pub update_jitter: f64,
    /// A neighbour whose updates have not come for so many intervals is lost.
    pub missed_updates: u32,
    /// The mean time that routes take to settle, before a node has seen any (s). A route by a new
    /// sequence number is told after twice the mean.
    pub settling_time_s: f64,
    /// The weight of the past in the mean time that routes take to settle.
    pub settling_weight: f64,
    /// The shortest time between updates that changes trigger (s).
    pub trigger_spacing_s: f64,
    /// Whether a new sequence number alone triggers an update, as a changed metric does.
    pub triggers_on_sequence: bool,
    /// Packets that wait for a route, for each destination.
    pub buffer_packets: usize,
    /// Whether a neighbour that the MAC could not reach is a lost one at once. The paper allows it;
    /// in ns-2.35 the packet is dropped and the route stays.
    pub link_layer_notification: bool,
}

impl Default for DsdvConfig {
    fn default() -> Self {
        DsdvConfig {
            update_interval_s: 15.0,
            update_jitter: 0.25,
            missed_updates: 3,
            settling_time_s: 6.0,
            settling_weight: 0.875,
            trigger_spacing_s: 1.0,
            triggers_on_sequence: false,
            buffer_packets: 5,
            link_layer_notification: false,
        }
    }
}

impl DsdvConfig {
    /// Checks every key against its bounds.
    ///
    /// # Errors
    /// The first key that is out of bounds.
    pub fn check(&self) -> Result<(), ConfigError> {
        interval("update_interval_s", self.update_interval_s, 1e4)?;
        within("update_jitter", self.update_jitter, 0.0, 0.9)?;
        within("missed_updates", self.missed_updates.into(), 1.0, 1e3)?;
        within("settling_time_s", self.settling_time_s, 0.0, 1e4)?;
        within("settling_weight", self.settling_weight, 0.0, 1.0)?;
        interval("trigger_spacing_s", self.trigger_spacing_s, 1e4)?;
        within("buffer_packets", self.buffer_packets as f64, 0.0, 1e4)
    }
}
