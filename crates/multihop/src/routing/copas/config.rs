//! COPAS's keys in the scenario's `[routing]` table.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::config::{ConfigError, positive, within};
use crate::kernel::Duration;
use crate::routing::dsr::config::{CachedReplies, DsrConfig};

/// The `[routing]` table of COPAS: DSR's keys, some with other defaults, and its own.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct CopasTable {
    /// DSR's keys.
    #[serde(flatten)]
    pub dsr: DsrConfig,
    /// COPAS's own keys.
    #[serde(flatten)]
    pub copas: CopasConfig,
}

/// How many paths a connection has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Paths {
    /// Two that share no relay, one for data and one for acknowledgments; a common one if there are
    /// no two.
    #[default]
    Disjoint,
    /// One for both (ablation).
    Common,
}

/// How paths are compared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum PathMetric {
    /// Sum of the relays' contention, then hops, then order of arrival.
    #[default]
    Contention,
    /// Hops, then order of arrival, without contention (ablation).
    Hops,
}

/// How the two paths are chosen among those collected.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum PairChoice {
    /// The two disjoint paths with the least total contention.
    #[default]
    LeastTotal,
    /// The least contended path, and the least contended of those disjoint from it.
    LeastFirst,
}

/// Which of the two paths data takes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ForwardPath {
    /// The less contended one.
    #[default]
    LeastContended,
    /// The more contended one.
    MostContended,
}

/// The paths between neighbours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Adjacent {
    /// The direct link in both directions.
    #[default]
    Direct,
    /// The direct link is a path like any other: acknowledgments take another path if there is one.
    Split,
}

/// What is sought when one of two paths breaks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Repair {
    /// A new pair.
    #[default]
    Pair,
    /// A path in the place of the broken one, that shares no relay with the one that is left
    /// (section III-A: the broken route is rebuilt).
    Broken,
}

/// How the contention of a monitored path is computed from its relays'.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum PathContention {
    /// Their mean.
    #[default]
    Mean,
    /// The greatest.
    Maximum,
}

/// COPAS's own parameters. The paper gives `t_backoff_s`, `alpha`, `t_collect_s` and
/// `backoff_thres`; the other values are ours.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct CopasConfig {
    /// Interval in which backoffs are counted (s).
    pub t_backoff_s: f64,
    /// Weight of the newest count in a node's average, above 0 and at most 1.
    pub alpha: f64,
    /// Count backoffs drawn because a CTS or an ACK was missing, besides those of frames that find
    /// the medium busy.
    pub count_retries: bool,
    /// Count the backoffs drawn after every frame.
    pub count_post_backoffs: bool,
    /// Count the backoffs that ns-2.35 draws for frames that find the medium idle.
    pub count_idle_draws: bool,
    /// Count freezes of a running countdown.
    pub count_freezes: bool,
    /// How long the destination collects copies of a request (s).
    pub t_collect_s: f64,
    /// How many paths a connection has.
    pub paths: Paths,
    /// How paths are compared.
    pub path_metric: PathMetric,
    /// How the two paths are chosen.
    pub pair_choice: PairChoice,
    /// Which of them data takes.
    pub forward_path: ForwardPath,
    /// The paths between neighbours.
    pub copas_adjacent: Adjacent,
    /// What is sought when one of two paths breaks; not possible with `paths = "common"`.
    pub repair: Repair,
    /// Replace contended paths while they are in use; not possible with `path_metric = "hops"`.
    pub replacement: bool,
    /// Threshold of a path's contention above which it is replaced (backoffs per node and
    /// interval).
    pub backoff_thres: f64,
    /// How the contention of a monitored path is computed.
    pub path_contention: PathContention,
    /// Paths whose lengths differ by at most this many hops are of similar length; such a path is
    /// preferred as a replacement (hops).
    pub similar_hops: u8,
    /// Damping: replace a path only by one with less contention.
    pub only_if_better: bool,
    /// Damping: minimum time between two replacements of a path (s). Default: `t_collect_s` +
    /// `t_backoff_s`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub replacement_spacing_s: Option<f64>,
}

impl Default for CopasConfig {
    fn default() -> Self {
        CopasConfig {
            t_backoff_s: 1.0,
            alpha: 0.75,
            count_retries: true,
            count_post_backoffs: false,
            count_idle_draws: false,
            count_freezes: false,
            t_collect_s: 1.5,
            paths: Paths::default(),
            path_metric: PathMetric::default(),
            pair_choice: PairChoice::default(),
            forward_path: ForwardPath::default(),
            copas_adjacent: Adjacent::default(),
            repair: Repair::default(),
            replacement: true,
            backoff_thres: 6.0,
            path_contention: PathContention::default(),
            similar_hops: 1,
            only_if_better: true,
            replacement_spacing_s: None,
        }
    }
}

impl Default for CopasTable {
    fn default() -> Self {
        let dsr = DsrConfig {
            cached_replies: CachedReplies::None,
            ring_zero_search: false,
            promiscuous: false,
            gratuitous_replies: false,
            salvaging: false,
            flow_state: false,
            reply_jitter_s: 0.0,
            ..DsrConfig::default()
        };
        CopasTable { dsr, copas: CopasConfig::default() }
    }
}

/// Maximum of keys in seconds.
const MAX_S: f64 = 1e6;

impl CopasTable {
    /// Checks every key against its bounds and the others.
    ///
    /// # Errors
    /// The first key that is out of bounds or contradicts another.
    pub fn check(&self) -> Result<(), ConfigError> {
        self.dsr.check()?;
        if self.dsr.cached_replies != CachedReplies::None {
            let fault = "must be \"none\": with COPAS only the target of a request replies";
            return Err(ConfigError::new("cached_replies", fault));
        }
        if self.dsr.flow_state {
            let fault = "must be false: COPAS adds contention to the source route of each packet";
            return Err(ConfigError::new("flow_state", fault));
        }
        self.copas.check()
    }
}

impl CopasConfig {
    fn check(&self) -> Result<(), ConfigError> {
        within("t_backoff_s", self.t_backoff_s, 0.001, MAX_S)?;
        positive("alpha", self.alpha, 1.0)?;
        within("t_collect_s", self.t_collect_s, 0.0, MAX_S)?;
        within("backoff_thres", self.backoff_thres, 0.0, MAX_S)?;
        within("replacement_spacing_s", self.replacement_spacing_s(), 0.0, 2.0 * MAX_S)?;
        if self.repair == Repair::Broken && self.paths == Paths::Common {
            let fault = "must be \"pair\" with paths = \"common\", of which none is left";
            return Err(ConfigError::new("repair", fault));
        }
        if self.replacement && self.path_metric == PathMetric::Hops {
            let fault = "must be false with path_metric = \"hops\", which ignores contention";
            return Err(ConfigError::new("replacement", fault));
        }
        Ok(())
    }

    /// The same with every default filled in.
    pub(super) fn resolved(&self) -> CopasConfig {
        CopasConfig { replacement_spacing_s: Some(self.replacement_spacing_s()), ..self.clone() }
    }

    /// Time between two replacements of a path.
    pub(super) fn replacement_spacing(&self) -> Duration {
        Duration::from_secs_f64(self.replacement_spacing_s())
    }

    fn replacement_spacing_s(&self) -> f64 {
        self.replacement_spacing_s.unwrap_or(self.t_collect_s + self.t_backoff_s)
    }
}
