//! Multipath AODV's keys in the scenario's `[routing]` table.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::scheduler::Weights;
use crate::config::{ConfigError, within};
use crate::routing::aodv::AodvConfig;
use crate::wire::RouteId;

/// How many paths are found and how they are used (Ye, Krishnamurthy and Tripathi, section III-A).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum PathPolicy {
    /// One path: AODV.
    #[default]
    Sp,
    /// Edge-disjoint paths, one after another: the shortest until it fails.
    Ap,
    /// Edge-disjoint paths, used in parallel.
    Edm,
    /// Node-disjoint paths, used in parallel.
    Ndm,
}

/// Which failures of paths the transport is told of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum TellOn {
    /// The failure of any path.
    Any,
    /// The failure of the last usable path.
    #[default]
    Last,
}

/// The keys of multipath AODV besides AODV's.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct PathsConfig {
    /// How many paths are found and how they are used.
    pub policy: PathPolicy,
    /// Maximum number of paths of one discovery.
    pub max_paths: u32,
    /// Maximum length of a path, as a multiple of the hops of the shortest one.
    pub length_factor: f64,
    /// Lifetime of entries in the RREQ table (s).
    pub request_table_life_s: f64,
    /// How long after the first copy of a request the destination answers further copies (s).
    pub accept_copies_s: f64,
    /// A request whose first copy crossed fewer hops than this is answered only once; 0: never.
    pub single_path_below_hops: u8,
    /// With `ndm`: a node that overhears a neighbour's reply no longer sends replies to that
    /// neighbour.
    pub overhear_replies: bool,
    /// With `ndm`: a node forwards only one reply of each discovery.
    pub one_reply_per_node: bool,
    /// A reply that cannot go on goes back one hop, and the node there tries another neighbour;
    /// else it is dropped. As we recall AODVM does, the reference 13 of Ye, Krishnamurthy and
    /// Tripathi; unverified.
    pub replies_go_back: bool,
    /// U: upper bound of a path's weight, the longest round-trip time divided by its own.
    pub weight_bound: f64,
    /// R: packets that the slowest path carries in its turn.
    pub weight_factor: f64,
    /// Weight of a new sample in a path's mean round-trip time.
    pub rtt_weight: f64,
    /// Which failures of paths the transport is told of.
    pub standby_on: TellOn,
}

impl Default for PathsConfig {
    fn default() -> Self {
        PathsConfig {
            policy: PathPolicy::default(),
            max_paths: 3,
            length_factor: 1.3,
            request_table_life_s: 10.0,
            accept_copies_s: 0.5,
            single_path_below_hops: 0,
            overhear_replies: true,
            one_reply_per_node: true,
            replies_go_back: false,
            weight_bound: 5.0,
            weight_factor: 1.0,
            rtt_weight: 0.125,
            standby_on: TellOn::default(),
        }
    }
}

impl PathsConfig {
    /// The defaults of AODV's keys with this policy: requests flood the network, there is no local
    /// repair, and with several paths only the destination replies.
    pub fn default_aodv(&self) -> AodvConfig {
        AodvConfig {
            expanding_ring: false,
            local_repair: false,
            intermediate_replies: self.policy == PathPolicy::Sp,
            ..AodvConfig::default()
        }
    }

    pub(super) fn weights(&self) -> Weights {
        Weights { bound: self.weight_bound, factor: self.weight_factor }
    }

    /// Whether it listens for replies of others.
    pub(super) fn overhears_replies(&self) -> bool {
        self.policy == PathPolicy::Ndm && self.overhear_replies
    }

    /// Whether a node forwards one reply of a discovery alone.
    pub(super) fn replies_once(&self) -> bool {
        self.policy == PathPolicy::Ndm && self.one_reply_per_node
    }

    /// Maximum hops of a path if the shortest has `shortest`.
    pub(super) fn longest(&self, shortest: u8) -> u8 {
        // 1.3 has no exact binary form: a product just below a whole number by rounding counts as
        // that number.
        (f64::from(shortest) * self.length_factor + 1e-9) as u8
    }
}

/// Multipath AODV's parameters: its own and AODV's.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct MultipathConfig {
    /// Its own keys.
    #[serde(flatten)]
    pub paths: PathsConfig,
    /// AODV's keys.
    #[serde(flatten)]
    pub aodv: AodvConfig,
}

impl MultipathConfig {
    /// Checks every key against its bounds, and AODV's keys for contradictions with several paths.
    ///
    /// # Errors
    /// The first key that is out of bounds or makes no sense.
    pub fn check(&self) -> Result<(), ConfigError> {
        let paths = &self.paths;
        if !(1..=RouteId::MAX_PATHS).contains(&paths.max_paths) {
            let fault = format!("must be 1 to {} (got {})", RouteId::MAX_PATHS, paths.max_paths);
            return Err(ConfigError::new("max_paths", fault));
        }
        within("length_factor", paths.length_factor, 1.0, 100.0)?;
        within("request_table_life_s", paths.request_table_life_s, 0.0, 1e6)?;
        within("accept_copies_s", paths.accept_copies_s, 0.0, 1e6)?;
        within("weight_bound", paths.weight_bound, 1.0, 1e6)?;
        within("weight_factor", paths.weight_factor, 1.0, 1e6)?;
        within("rtt_weight", paths.rtt_weight, 1e-6, 1.0)?;
        self.aodv.check()?;
        if paths.policy == PathPolicy::Sp {
            return Ok(());
        }
        let name = format!("{:?}", paths.policy).to_lowercase();
        if self.aodv.intermediate_replies {
            let fault = format!(
                "must be false with policy \"{name}\": only the destination knows of copies"
            );
            return Err(ConfigError::new("intermediate_replies", fault));
        }
        if self.aodv.local_repair {
            let fault = format!("must be false with policy \"{name}\": the source has other paths");
            return Err(ConfigError::new("local_repair", fault));
        }
        if self.aodv.hello_interval_s > 0.0 {
            let got = self.aodv.hello_interval_s;
            let fault = format!(
                "must be 0 with policy \"{name}\": the MAC reports broken links (got {got})"
            );
            return Err(ConfigError::new("hello_interval_s", fault));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn longer_alternates_are_allowed_from_four_seven_and_ten_hops() {
        let config = PathsConfig::default();
        let spare: Vec<u8> = (1..=12).map(|hops| config.longest(hops) - hops).collect();
        assert_eq!(spare, [0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3]);
    }
}
