//! Babel's keys in the scenario's `[routing]` table.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::HEADERS_BYTES;
use super::cost::{Costs, Metric};
use super::diversity::{Diversity, Weights};
use crate::config::{ConfigError, within};
use crate::kernel::{Duration, seconds};

/// Shortest interval that fits the hundredths of seconds of the protocol (s).
const SHORTEST_S: f64 = 0.01;
/// Longest Hello interval: three of them fit the field of the IHU interval (s).
const LONGEST_HELLO_S: f64 = 200.0;
/// Longest Update interval that fits its field (s).
const LONGEST_UPDATE_S: f64 = 655.0;
/// Octets that every IPv6 link carries: the smallest MTU.
const SMALLEST_MTU: f64 = 1280.0;

/// Babel's parameters. RFC 8966 names them; defaults are those of its appendix B unless another
/// section is named.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct BabelConfig {
    /// How a link's cost is computed.
    pub metric: Metric,
    /// What the channels of a route do to its metric, where nodes have several interfaces.
    #[serde(skip_serializing_if = "Diversity::is_none")]
    pub diversity: Diversity,
    /// By `channel` and `path`: the part for which a link counts that shares no channel. Default:
    /// 0.5, as in babeld's manual, which counts in 256ths.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub diversity_factor: Option<f64>,
    /// By `wcett`: the weight of the busiest channel. Default: 0.5, as much as the sum has.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wcett_beta: Option<f64>,
    /// Time between Multicast Hellos at most (s).
    pub hello_interval_s: f64,
    /// Time between updates of all routes at most (s). Default: 4 Hello intervals.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub update_interval_s: Option<f64>,
    /// How much earlier than their interval Hellos and updates are sent at most, at random, as a
    /// share of it. The RFC leaves it open.
    pub jitter: f64,
    /// Advertised interval of IHUs over the Hello interval.
    pub ihu_interval_hellos: u8,
    /// Time for which an IHU counts, over its interval.
    pub ihu_hold_intervals: f64,
    /// Time for which a route counts, over the interval of its update.
    pub route_expiry_intervals: f64,
    /// Wait for the answer to a seqno request, doubled each time (s).
    pub request_timeout_s: f64,
    /// Times that a seqno request is sent again.
    pub request_retries: u8,
    /// Forwardings of a seqno request at most, plus 1 (section 3.8.2.1).
    pub request_hop_count: u8,
    /// Longest delay of what is urgent (s).
    pub urgent_timeout_s: f64,
    /// How often a retraction, or an update whose router-id has changed, is sent (section 3.7.2).
    pub urgent_copies: u8,
    /// How long a source is remembered (s).
    pub source_gc_s: f64,
    /// A change of a metric by so much is told at once, and a route better by so much that is not
    /// feasible is asked for. The RFC leaves it open; 256 is a transmission of a perfect link.
    pub significant_change: u16,
    /// Time constant of the smoothed metric, over the Hello interval; 0: none (appendix A.3).
    pub smoothing_hellos: f64,
    /// Hellos that ETX looks back on (appendix A.2.2).
    pub etx_window: u8,
    /// Hellos that have to come, of the last `sensing_j` (appendix A.2.1); over wires by any metric.
    pub sensing_k: u8,
    /// Hellos that k-out-of-j looks back on.
    pub sensing_j: u8,
    /// Cost of a link that is up by k-out-of-j.
    pub nominal_cost: u16,
    /// Largest packet, IPv6 and UDP headers included (bytes).
    pub mtu_bytes: u16,
    /// Time between the packets of one update of all routes (s). The RFC leaves it open.
    pub packet_spacing_s: f64,
}

impl Default for BabelConfig {
    fn default() -> Self {
        BabelConfig {
            metric: Metric::Etx,
            diversity: Diversity::None,
            diversity_factor: None,
            wcett_beta: None,
            hello_interval_s: 4.0,
            update_interval_s: None,
            jitter: 0.1,
            ihu_interval_hellos: 3,
            ihu_hold_intervals: 3.5,
            route_expiry_intervals: 3.5,
            request_timeout_s: 2.0,
            request_retries: 3,
            request_hop_count: 64,
            urgent_timeout_s: 0.2,
            urgent_copies: 3,
            source_gc_s: 180.0,
            significant_change: 256,
            smoothing_hellos: 3.0,
            etx_window: 6,
            sensing_k: 2,
            sensing_j: 3,
            nominal_cost: 96,
            mtu_bytes: 1500,
            packet_spacing_s: 0.01,
        }
    }
}

impl BabelConfig {
    /// Time between updates of all routes \[s\].
    pub fn update_interval_s(&self) -> f64 {
        self.update_interval_s.unwrap_or(4.0 * self.hello_interval_s)
    }

    /// How metrics follow from costs.
    pub(super) fn weights(&self) -> Weights {
        let (factor, beta) = (self.diversity_factor, self.wcett_beta);
        Weights {
            diversity: self.diversity,
            factor: factor.unwrap_or(0.5),
            beta: beta.unwrap_or(0.5),
        }
    }

    fn check_diversity(&self) -> Result<(), ConfigError> {
        let weights = self.weights();
        within("diversity_factor", weights.factor, 1.0 / 256.0, 1.0)?;
        within("wcett_beta", weights.beta, 0.0, 1.0)?;
        let is_wcett = weights.diversity == Diversity::Wcett;
        let is_partial = !is_wcett && !weights.diversity.is_none();
        for (key, is_given, is_used, of) in [
            (
                "diversity_factor",
                self.diversity_factor.is_some(),
                is_partial,
                "\"channel\" or \"path\"",
            ),
            ("wcett_beta", self.wcett_beta.is_some(), is_wcett, "\"wcett\""),
        ] {
            if is_given && !is_used {
                return Err(ConfigError::new(
                    key,
                    format!("has no effect unless diversity = {of}"),
                ));
            }
        }
        Ok(())
    }

    /// Checks every key against its bounds and the others.
    ///
    /// # Errors
    /// The first key that is out of bounds or contradicts another.
    pub fn check(&self) -> Result<(), ConfigError> {
        self.check_diversity()?;
        within("hello_interval_s", self.hello_interval_s, SHORTEST_S, LONGEST_HELLO_S)?;
        let key = match self.update_interval_s {
            Some(_) => "update_interval_s",
            None => "hello_interval_s",
        };
        if key == "hello_interval_s" && self.update_interval_s() > LONGEST_UPDATE_S {
            let fault = format!(
                "must be at most {} without update_interval_s, whose default is 4 times as long (got {})",
                LONGEST_UPDATE_S / 4.0,
                self.hello_interval_s
            );
            return Err(ConfigError::new(key, fault));
        }
        within(key, self.update_interval_s(), SHORTEST_S, LONGEST_UPDATE_S)?;
        within("jitter", self.jitter, 0.0, 0.5)?;
        within("ihu_interval_hellos", self.ihu_interval_hellos.into(), 1.0, 3.0)?;
        within("ihu_hold_intervals", self.ihu_hold_intervals, 1.0, 100.0)?;
        within("route_expiry_intervals", self.route_expiry_intervals, 1.0, 100.0)?;
        within("request_timeout_s", self.request_timeout_s, SHORTEST_S, 1e3)?;
        within("request_retries", self.request_retries.into(), 0.0, 10.0)?;
        within("request_hop_count", self.request_hop_count.into(), 1.0, 255.0)?;
        within("urgent_timeout_s", self.urgent_timeout_s, SHORTEST_S, 10.0)?;
        within("urgent_copies", self.urgent_copies.into(), 1.0, 5.0)?;
        within("source_gc_s", self.source_gc_s, 1.0, 1e6)?;
        within("significant_change", self.significant_change.into(), 1.0, 65535.0)?;
        within("smoothing_hellos", self.smoothing_hellos, 0.0, 100.0)?;
        within("etx_window", self.etx_window.into(), 1.0, 16.0)?;
        within("sensing_j", self.sensing_j.into(), 1.0, 16.0)?;
        within("sensing_k", self.sensing_k.into(), 1.0, 16.0)?;
        if self.sensing_k > self.sensing_j {
            let fault =
                format!("must be at most sensing_j, {} (got {})", self.sensing_j, self.sensing_k);
            return Err(ConfigError::new("sensing_k", fault));
        }
        within("nominal_cost", self.nominal_cost.into(), 1.0, 65534.0)?;
        within("mtu_bytes", self.mtu_bytes.into(), SMALLEST_MTU, 2304.0)?;
        within("packet_spacing_s", self.packet_spacing_s, 0.0, 1.0)
    }

    /// The same with the default filled in that depends on another key.
    #[must_use]
    pub fn resolved(&self) -> BabelConfig {
        BabelConfig { update_interval_s: Some(self.update_interval_s()), ..self.clone() }
    }

    pub(super) fn update_interval(&self) -> Duration {
        seconds(self.update_interval_s())
    }

    /// What links cost: wires by k-out-of-j always (appendix B).
    pub(super) fn costs(&self, is_wire: bool) -> Costs {
        Costs {
            metric: if is_wire { Metric::KOutOfJ } else { self.metric },
            window: self.etx_window,
            j: self.sensing_j,
            k: self.sensing_k,
            nominal: self.nominal_cost,
        }
    }

    /// The time constant of the smoothed metric \[s\].
    pub(super) fn smoothing_s(&self) -> f64 {
        self.smoothing_hellos * self.hello_interval_s
    }

    /// Bytes of a packet without its IPv6 and UDP headers at most.
    pub(super) fn body_bytes(&self) -> usize {
        usize::from(self.mtu_bytes).saturating_sub(HEADERS_BYTES as usize)
    }
}
