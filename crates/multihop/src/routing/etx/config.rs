//! The keys of measured links in the scenario's `[routing]` table.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::config::{ConfigError, interval, within};
use crate::routing::aodv::AodvConfig;
use crate::routing::dsr::DsrConfig;
use crate::routing::dsr::config::CachedReplies;
use crate::wire::IP_HEADER_BYTES;

/// Most probes in a window: keeps the ETX of a link within 32 bits.
const MOST_PROBES: f64 = 1e3;

/// The `[routing]` table of AODV by ETX: AODV's keys, some with other defaults, and its own.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct EtxTable {
    /// AODV's keys.
    #[serde(flatten)]
    pub aodv: AodvConfig,
    /// The keys of ETX.
    #[serde(flatten)]
    pub etx: EtxConfig,
}

/// The `[routing]` table of DSR by ETX: DSR's keys, some with other defaults, and its own.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct DsrEtxTable {
    /// DSR's keys.
    #[serde(flatten)]
    pub dsr: DsrConfig,
    /// The keys of ETX.
    #[serde(flatten)]
    pub etx: EtxConfig,
}

/// What a link costs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Metric {
    /// Expected transmissions, by probes.
    #[default]
    Etx,
    /// Expected time on the medium (802.11s), by the rate in use and its losses.
    Airtime,
}

/// The keys of ETX. All defaults but `improve_limit`, which is ours, are the paper's of ETX.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct EtxConfig {
    /// What a link costs.
    pub metric: Metric,
    /// Mean time between a node's probes (s).
    pub probe_interval_s: f64,
    /// Largest random departure of a probe's time from the interval, as a share of it.
    pub probe_jitter: f64,
    /// Size of a probe with its IP header (bytes). A probe that lists more neighbours than fit, at
    /// 8 bytes each, is larger.
    pub probe_bytes: u32,
    /// A probe counts for so long (s).
    pub window_s: f64,
    /// Better copies of a request that a node takes up after the first: passes on, or answers if it
    /// is the node sought.
    pub improve_limit: u32,
}

impl Default for EtxConfig {
    fn default() -> Self {
        EtxConfig {
            metric: Metric::Etx,
            probe_interval_s: 1.0,
            probe_jitter: 0.1,
            probe_bytes: 134,
            window_s: 10.0,
            improve_limit: 3,
        }
    }
}

impl Default for EtxTable {
    /// Every request floods the network, since a ring would leave out the longer paths, and only the
    /// node sought answers.
    fn default() -> Self {
        let aodv = AodvConfig {
            expanding_ring: false,
            intermediate_replies: false,
            ..AodvConfig::default()
        };
        EtxTable { aodv, etx: EtxConfig::default() }
    }
}

impl Default for DsrEtxTable {
    /// Every request floods the network and only the node sought answers, as in AODV. Every packet
    /// carries its route, and no node is left out of it for being heard beyond it.
    fn default() -> Self {
        let dsr = DsrConfig {
            cached_replies: CachedReplies::None,
            ring_zero_search: false,
            promiscuous: false,
            gratuitous_replies: false,
            flow_state: false,
            ..DsrConfig::default()
        };
        DsrEtxTable { dsr, etx: EtxConfig::default() }
    }
}

impl EtxTable {
    /// Checks every key against its bounds and the others.
    ///
    /// # Errors
    /// The first key that is out of bounds or contradicts another.
    pub fn check(&self) -> Result<(), ConfigError> {
        let EtxTable { aodv, etx } = self;
        aodv.check()?;
        if aodv.intermediate_replies {
            let fault = "must be false: only the node sought answers with ETX (got true)";
            return Err(ConfigError::new("intermediate_replies", fault));
        }
        if aodv.hello_interval_s > 0.0 {
            let fault =
                format!("must be 0: probes measure the links (got {})", aodv.hello_interval_s);
            return Err(ConfigError::new("hello_interval_s", fault));
        }
        etx.check()
    }
}

impl DsrEtxTable {
    /// Checks every key against its bounds and the others.
    ///
    /// # Errors
    /// The first key that is out of bounds or contradicts another.
    pub fn check(&self) -> Result<(), ConfigError> {
        let DsrEtxTable { dsr, etx } = self;
        dsr.check()?;
        if dsr.cached_replies != CachedReplies::None {
            let fault = "must be \"none\": only the node sought answers with ETX";
            return Err(ConfigError::new("cached_replies", fault));
        }
        for (key, is_set, reason) in [
            ("ring_zero_search", dsr.ring_zero_search, "neighbours too are sought over all paths"),
            ("gratuitous_replies", dsr.gratuitous_replies, "a shorter path may be a worse one"),
            ("flow_state", dsr.flow_state, "every packet carries its route and the links' metrics"),
        ] {
            if is_set {
                return Err(ConfigError::new(key, format!("must be false: {reason} (got true)")));
            }
        }
        etx.check()
    }
}

impl EtxConfig {
    /// Probes that a node sends within the window.
    pub fn probes_in_window(&self) -> u32 {
        (self.window_s / self.probe_interval_s).round() as u32
    }

    fn check(&self) -> Result<(), ConfigError> {
        interval("probe_interval_s", self.probe_interval_s, 1e3)?;
        within("probe_jitter", self.probe_jitter, 0.0, 1.0)?;
        let probe_bytes = f64::from(self.probe_bytes);
        within("probe_bytes", probe_bytes, f64::from(IP_HEADER_BYTES), 2000.0)?;
        let longest = self.probe_interval_s * MOST_PROBES;
        within("window_s", self.window_s, self.probe_interval_s, longest)
    }
}
