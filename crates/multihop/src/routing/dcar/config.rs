//! DCAR's keys in the scenario's `[routing]` table.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::config::{ConfigError, positive, within};
use crate::routing::aodv::AodvConfig;

/// The `[routing]` table of DCAR: AODV's keys, some with other defaults, and its own.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct DcarTable {
    /// AODV's keys.
    #[serde(flatten)]
    pub aodv: AodvConfig,
    /// DCAR's own keys.
    #[serde(flatten)]
    pub dcar: DcarConfig,
}

/// How a node collects the copies of a request before it forwards the best one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Collect {
    /// For `relay_collection_s` from the first copy.
    Fixed,
    /// For `relay_collection_s` times one plus the number of connections nearby, so that requests
    /// are faster where there are few.
    #[default]
    Proportional,
    /// As `fixed`; a better copy that arrives later is forwarded, too, at most `improve_limit`
    /// times.
    Improve,
}

/// DCAR's own parameters. The paper gives `w_p`, `w_tcp`, `hello_interval_s` and `alive_factor`;
/// the other values are ours.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct DcarConfig {
    /// Knowledge that needs no packets: 0 none; 1 HELLOs (the same content at the same times,
    /// without packets or loss); 2 the neighbours' connections at every instant; 3 those of all
    /// nodes in sensing range.
    pub ideal: u8,
    /// HELLOs list the sender's neighbours with their connections, 8 bytes each, so that weights
    /// sum over two hops.
    pub wide_hello: bool,
    /// What each link adds to a path's weight; counted in thousandths.
    pub w_p: f64,
    /// What each TCP connection adds to a node's weight; counted in thousandths.
    pub w_tcp: f64,
    /// How relays and the destination collect copies of a request.
    pub rreq_collect: Collect,
    /// How long a relay collects copies (s); see `rreq_collect`.
    pub relay_collection_s: f64,
    /// How long the destination collects copies (s). Default: 0.1; 0.5 with `rreq_collect =
    /// "improve"`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub destination_collection_s: Option<f64>,
    /// Maximum number of later, better copies that a relay forwards with `rreq_collect =
    /// "improve"`.
    pub improve_limit: u32,
    /// Maximum random deviation of the time between HELLOs, as a fraction of the interval.
    pub hello_jitter: f64,
    /// Alive timer: a connection counts for this many mean packet intervals after its last packet.
    pub alive_factor: f64,
    /// How long a connection counts before its second packet (s).
    pub alive_initial_s: f64,
    /// Minimum time that a connection counts after a packet (s).
    pub alive_min_s: f64,
    /// Maximum time that a connection counts after a packet (s).
    pub alive_max_s: f64,
    /// Weight of the newest packet interval in its moving mean.
    pub interval_weight: f64,
}

impl Default for DcarConfig {
    fn default() -> Self {
        DcarConfig {
            ideal: 0,
            wide_hello: false,
            w_p: 1.0,
            w_tcp: 1.0,
            rreq_collect: Collect::default(),
            relay_collection_s: 0.02,
            destination_collection_s: None,
            improve_limit: 3,
            hello_jitter: 0.1,
            alive_factor: 6.0,
            alive_initial_s: 3.0,
            alive_min_s: 0.5,
            alive_max_s: 10.0,
            interval_weight: 0.125,
        }
    }
}

impl Default for DcarTable {
    /// Every request floods the network, only the destination replies, there is no local repair,
    /// and HELLOs are sent every second.
    fn default() -> Self {
        let aodv = AodvConfig {
            expanding_ring: false,
            intermediate_replies: false,
            local_repair: false,
            hello_interval_s: 1.0,
            ..AodvConfig::default()
        };
        DcarTable { aodv, dcar: DcarConfig::default() }
    }
}

impl DcarTable {
    /// Checks every key against its bounds and the others.
    ///
    /// # Errors
    /// The first key that is out of bounds or contradicts another.
    pub fn check(&self) -> Result<(), ConfigError> {
        self.aodv.check()?;
        let DcarTable { aodv, dcar } = self;
        if dcar.ideal > 3 {
            return Err(ConfigError::new("ideal", format!("must be 0 to 3 (got {})", dcar.ideal)));
        }
        if aodv.intermediate_replies {
            let fault = "must be false: only the destination answers in DCAR (got true)";
            return Err(ConfigError::new("intermediate_replies", fault));
        }
        if dcar.ideal < 2 && aodv.hello_interval_s == 0.0 {
            let fault = "must be above 0 without ideal 2 or 3 (got 0)";
            return Err(ConfigError::new("hello_interval_s", fault));
        }
        if dcar.ideal > 0 && dcar.wide_hello {
            let fault = "must be false with an ideal version, which sends no HELLOs (got true)";
            return Err(ConfigError::new("wide_hello", fault));
        }
        dcar.check()
    }
}

impl DcarConfig {
    pub(super) fn destination_collection_s(&self) -> f64 {
        let is_improving = self.rreq_collect == Collect::Improve;
        self.destination_collection_s.unwrap_or(if is_improving { 0.5 } else { 0.1 })
    }

    /// `w_p` in thousandths.
    pub(super) fn link_weight(&self) -> u32 {
        thousandths(self.w_p)
    }

    /// `w_tcp` in thousandths.
    pub(super) fn connection_weight(&self) -> u32 {
        thousandths(self.w_tcp)
    }

    /// Better copies that a relay forwards after its first choice.
    pub(super) fn improvements(&self) -> u32 {
        if self.rreq_collect == Collect::Improve { self.improve_limit } else { 0 }
    }

    /// The same with every default filled in.
    pub(super) fn resolved(&self) -> DcarConfig {
        let destination_collection_s = Some(self.destination_collection_s());
        DcarConfig { destination_collection_s, ..self.clone() }
    }

    fn check(&self) -> Result<(), ConfigError> {
        within("w_p", self.w_p, 0.0, 1e3)?;
        within("w_tcp", self.w_tcp, 0.0, 1e3)?;
        positive("relay_collection_s", self.relay_collection_s, 1e3)?;
        positive("destination_collection_s", self.destination_collection_s.unwrap_or(1.0), 1e3)?;
        within("hello_jitter", self.hello_jitter, 0.0, 1.0)?;
        positive("alive_factor", self.alive_factor, 1e6)?;
        positive("alive_initial_s", self.alive_initial_s, 1e6)?;
        positive("alive_min_s", self.alive_min_s, 1e6)?;
        within("alive_max_s", self.alive_max_s, self.alive_min_s, 1e6)?;
        positive("interval_weight", self.interval_weight, 1.0)
    }
}

/// Whole thousandths: sums of them are exact, so that equal paths weigh the same.
fn thousandths(weight: f64) -> u32 {
    (weight * 1e3).round() as u32
}
