//! HWMP's keys in the scenario's `[routing]` table, named as the standard names its variables, in
//! seconds for time units of 1024 µs.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::config::{ConfigError, interval, within};
use crate::kernel::Duration;

/// A time unit of 802.11 \[s\].
const TU_S: f64 = 1024e-6;

/// How a root keeps paths between itself and all others (dot11MeshHWMProotMode).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum RootMode {
    /// There is no root.
    #[default]
    None,
    /// It sends PREQs for all. Who has data for it answers.
    Preq,
    /// It sends PREQs for all, and all answer.
    PreqWithPrep,
    /// It announces itself, and all ask for a path to it.
    Rann,
}

/// The keys of HWMP. Defaults are those of IEEE Std 802.11-2012, annex C, except where a key says
/// otherwise.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct HwmpConfig {
    /// Whether only the node sought answers a PREQ.
    pub target_only: bool,
    /// A path lasts so long without use (s).
    pub active_path_timeout_s: f64,
    /// PREQs of a node for a destination after the first.
    pub max_preq_retries: u32,
    /// The hops that an element goes at most.
    pub net_diameter: u8,
    /// How long an element takes at most across the network (s). A PREQ is answered within twice
    /// this time, or repeated.
    pub net_diameter_traversal_time_s: f64,
    /// The shortest time between PREQs that a node originates (s).
    pub preq_min_interval_s: f64,
    /// The shortest time between PERRs of a node (s).
    pub perr_min_interval_s: f64,
    /// A path in use is sought anew after so long, for a better one (s); 0 for never, since the
    /// standard leaves it to the station. It knows 2000 TU.
    pub maintenance_interval_s: f64,
    /// How a root keeps paths ready.
    pub root_mode: RootMode,
    /// The root.
    pub root: u32,
    /// Time between a root's PREQs for all, or its announcements (s).
    pub root_interval_s: f64,
    /// A path to or from the root lasts so long without use (s).
    pub active_path_to_root_timeout_s: f64,
    /// The shortest time between PREQs of a node for the path to an announced root (s).
    pub confirmation_interval_s: f64,
    /// Time between a station's beacons (s). The standard leaves it open.
    pub beacon_interval_s: f64,
    /// A peer that is silent for so long is none (s). The standard leaves it open.
    pub peer_hold_s: f64,
    /// Opens of a peering after the first.
    pub max_peering_retries: u32,
    /// How long a station waits for the answer to an Open (s).
    pub peering_retry_timeout_s: f64,
    /// What goes to all is passed on after a random time of at most this (s). The standard has
    /// none.
    pub max_jitter_s: f64,
    /// Packets that wait for a path. The standard leaves it open.
    pub buffer_packets: usize,
}

impl Default for HwmpConfig {
    fn default() -> Self {
        HwmpConfig {
            target_only: true,
            active_path_timeout_s: 5000.0 * TU_S,
            max_preq_retries: 3,
            net_diameter: 31,
            net_diameter_traversal_time_s: 500.0 * TU_S,
            preq_min_interval_s: 100.0 * TU_S,
            perr_min_interval_s: 100.0 * TU_S,
            maintenance_interval_s: 0.0,
            root_mode: RootMode::None,
            root: 0,
            root_interval_s: 2000.0 * TU_S,
            active_path_to_root_timeout_s: 5000.0 * TU_S,
            confirmation_interval_s: 2000.0 * TU_S,
            beacon_interval_s: 1000.0 * TU_S,
            peer_hold_s: 10_000.0 * TU_S,
            max_peering_retries: 2,
            peering_retry_timeout_s: 40.0 * TU_S,
            max_jitter_s: 0.01,
            buffer_packets: 64,
        }
    }
}

/// `seconds` in time units, as elements tell them.
pub(super) fn tu(seconds: f64) -> u32 {
    (seconds / TU_S).round() as u32
}

/// How long so many time units are.
pub(super) fn of_tu(units: u32) -> Duration {
    Duration::from_secs_f64(f64::from(units) * TU_S)
}

impl HwmpConfig {
    /// Checks every key against its bounds and the others.
    ///
    /// # Errors
    /// The first key that is out of bounds or contradicts another.
    pub fn check(&self) -> Result<(), ConfigError> {
        interval("active_path_timeout_s", self.active_path_timeout_s, 1e5)?;
        within("max_preq_retries", self.max_preq_retries.into(), 0.0, 255.0)?;
        within("net_diameter", self.net_diameter.into(), 1.0, 255.0)?;
        interval("net_diameter_traversal_time_s", self.net_diameter_traversal_time_s, 100.0)?;
        interval("preq_min_interval_s", self.preq_min_interval_s, 100.0)?;
        interval("perr_min_interval_s", self.perr_min_interval_s, 100.0)?;
        if self.maintenance_interval_s != 0.0 {
            interval("maintenance_interval_s", self.maintenance_interval_s, 1e5)?;
        }
        interval("root_interval_s", self.root_interval_s, 1e5)?;
        interval("active_path_to_root_timeout_s", self.active_path_to_root_timeout_s, 1e5)?;
        interval("confirmation_interval_s", self.confirmation_interval_s, 1e5)?;
        // A beacon tells its interval in 16 bits of time units.
        interval("beacon_interval_s", self.beacon_interval_s, 67.0)?;
        within("peer_hold_s", self.peer_hold_s, self.beacon_interval_s, 1e5)?;
        within("max_peering_retries", self.max_peering_retries.into(), 0.0, 16.0)?;
        interval("peering_retry_timeout_s", self.peering_retry_timeout_s, 10.0)?;
        within("max_jitter_s", self.max_jitter_s, 0.0, 1.0)?;
        within("buffer_packets", self.buffer_packets as f64, 0.0, 1e4)?;
        if self.root_mode == RootMode::None && self.root != 0 {
            return Err(ConfigError::new("root", "has no effect unless root_mode is set"));
        }
        Ok(())
    }
}
