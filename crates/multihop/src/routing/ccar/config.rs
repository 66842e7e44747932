//! CCAR's own keys in the scenario's `[routing]` table, besides those of AODV.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::config::{ConfigError, within};

/// How the centre chooses paths (Ye, Krishnamurthy and Tripathi, section IV).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Variant {
    /// Heuristic I: each connection takes the lightest path when it needs one, and a new one after
    /// each failure.
    #[default]
    H1,
    /// Heuristic II: all connections are routed jointly, in the order with the least total weight
    /// of all nodes; paths never change.
    H2,
    /// Heuristic I, modified: of the `k` lightest edge-disjoint paths, the one whose heaviest link
    /// is lightest.
    H1Mod,
}

/// CCAR's parameters.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct CcarConfig {
    /// How the centre chooses paths: "h1", "h2" or "h1-mod".
    pub variant: Variant,
    /// Penalty added to the weight of each link (`W_p`).
    pub w_p: f64,
    /// What a connection adds to the weight of a node for each node of its path within sensing
    /// range (`W_TCP`).
    pub w_tcp: f64,
    /// A connection over L links adds `w_tcp` / L instead.
    pub inverse_length: bool,
    /// Edge-disjoint paths that "h1-mod" chooses from.
    pub k: u32,
    /// Maximum number of orders of the connections that "h2" tries. If there are more orders, it
    /// tries the given one and random others.
    pub max_orders: u32,
}

impl Default for CcarConfig {
    fn default() -> Self {
        CcarConfig {
            variant: Variant::H1,
            w_p: 1.0,
            w_tcp: 1.0,
            inverse_length: false,
            k: 5,
            max_orders: 720,
        }
    }
}

impl CcarConfig {
    /// Checks every key against its bounds.
    ///
    /// # Errors
    /// The first key that is out of bounds.
    pub fn check(&self) -> Result<(), ConfigError> {
        within("w_p", self.w_p, 0.0, 1e6)?;
        within("w_tcp", self.w_tcp, 1e-6, 1e6)?;
        within("k", f64::from(self.k), 1.0, 1000.0)?;
        within("max_orders", f64::from(self.max_orders), 1.0, 1e6)
    }
}
