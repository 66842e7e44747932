//! The keys of routes by whom they disturb in the scenario's `[routing]` table.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::config::{ConfigError, interval, within};
use crate::routing::aodv::AodvConfig;

/// The `[routing]` table of AODV by whom a path disturbs: AODV's keys, some with other defaults,
/// and its own.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct IruTable {
    /// AODV's keys.
    #[serde(flatten)]
    pub aodv: AodvConfig,
    /// Its own.
    #[serde(flatten)]
    pub iru: IruConfig,
}

/// The keys of routes by whom they disturb.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct IruConfig {
    /// A hop costs as much as so many neighbours, beside those that it disturbs.
    pub hop_cost: u32,
    /// A neighbour counts for so long after it was heard last (s).
    pub neighbour_life_s: f64,
    /// Better copies of a request that a node takes up after the first: passes on, or answers if it
    /// is the node sought.
    pub improve_limit: u32,
}

impl Default for IruConfig {
    fn default() -> Self {
        IruConfig { hop_cost: 10, neighbour_life_s: 60.0, improve_limit: 3 }
    }
}

impl Default for IruTable {
    /// Every request floods the network, since a ring would leave out the longer paths, and only the
    /// node sought answers.
    fn default() -> Self {
        let aodv = AodvConfig {
            expanding_ring: false,
            intermediate_replies: false,
            ..AodvConfig::default()
        };
        IruTable { aodv, iru: IruConfig::default() }
    }
}

impl IruTable {
    /// Checks every key against its bounds and the others.
    ///
    /// # Errors
    /// The first key that is out of bounds or contradicts another.
    pub fn check(&self) -> Result<(), ConfigError> {
        let IruTable { aodv, iru } = self;
        aodv.check()?;
        if aodv.intermediate_replies {
            let fault = "must be false: only the node sought answers, to the best copy (got true)";
            return Err(ConfigError::new("intermediate_replies", fault));
        }
        within("hop_cost", f64::from(iru.hop_cost), 0.0, 1e6)?;
        interval("neighbour_life_s", iru.neighbour_life_s, 1e6)
    }
}
