//! AODV's keys in the scenario's `[routing]` table.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::config::{ConfigError, interval, within};
use crate::kernel::{Duration, seconds};
use crate::profile::Profile;

/// AODV's parameters. RFC 3561 section 10 names them; defaults are ns-2.35's.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct AodvConfig {
    /// Expanding ring search (section 6.4). Off: every request floods the whole network.
    pub expanding_ring: bool,
    /// Time to live of the first ring (hops). Default: 5 in the `ns2` profile, 1 in `standard`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ring_start_ttl: Option<u8>,
    /// Increment of the ring's time to live (hops).
    pub ring_increment_ttl: u8,
    /// Largest ring (hops); beyond it the whole network is searched.
    pub ring_threshold_ttl: u8,
    /// Time to live of a network-wide request (hops). Default: 30 in the `ns2` profile, 35 in
    /// `standard`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub network_ttl: Option<u8>,
    /// Repetitions of the network-wide request before the search is given up. Default: 3 in the
    /// `ns2` profile, 2 in `standard`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub request_retries: Option<u32>,
    /// Time without requests for a destination after a search was given up (s). Default: 10 in the
    /// `ns2` profile, 0 in `standard`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub give_up_hold_s: Option<f64>,
    /// Maximum wait for a reply (s). Default: 10 in the `ns2` profile, none in `standard`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub request_wait_max_s: Option<f64>,
    /// Requests that a node may originate in a second: RREQ_RATELIMIT; 0: any number. Default: 0 in
    /// the `ns2` profile, 10 in `standard`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub request_rate_limit: Option<u32>,
    /// Route errors that a node may send in a second: RERR_RATELIMIT; 0: any number. Default: 0 in
    /// the `ns2` profile, 10 in `standard`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error_rate_limit: Option<u32>,
    /// Time to live of data packets and replies (hops). Default: 30 in the `ns2` profile, as in
    /// ns-2; 64 in `standard`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time_to_live: Option<u8>,
    /// NODE_TRAVERSAL_TIME: estimate of the time for one hop (s). Default: 0.03 in the `ns2`
    /// profile, 0.04 in `standard`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub node_traversal_s: Option<f64>,
    /// Use the mean of the last three measured times per hop instead of `node_traversal_s`.
    /// Default: yes in the `ns2` profile, as in ns-2; no in `standard`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub measured_traversal: Option<bool>,
    /// Lifetime of a route since its last use (s). Default: 10 in the `ns2` profile, 3 in
    /// `standard`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub active_route_timeout_s: Option<f64>,
    /// Lifetime of a route in its destination's reply (s). Default: 10 in the `ns2` profile, 6 in
    /// `standard`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub my_route_timeout_s: Option<f64>,
    /// Lifetime of the reverse route to a request's originator (s). Default: 6 in the `ns2`
    /// profile; in `standard` twice the time to cross the network, less that to the originator and
    /// back (section 6.5).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reverse_route_life_s: Option<f64>,
    /// How long a request is remembered at least (s); also the period of the purge that forgets
    /// requests.
    pub request_id_life_s: f64,
    /// Period of the sweep of the route table (s).
    pub sweep_interval_s: f64,
    /// Local repair: a relay searches for a new route itself when a link breaks (section 6.12).
    pub local_repair: bool,
    /// Intermediate nodes with a route reply to requests (section 6.6.2).
    pub intermediate_replies: bool,
    /// Broadcast a route error even if the route has no precursors. Default: yes in the `ns2`
    /// profile, as in ns-2; no in `standard`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error_without_precursors: Option<bool>,
    /// Add the neighbour that a reply comes from to the precursors of the reverse route, so that
    /// its breaks are reported to the destination, which sends ACKs on it. RFC 3561 and ns-2 report
    /// breaks of the forward route only: after a break of the reverse route packets are lost one by
    /// one, each informing one more node.
    pub errors_both_ways: bool,
    /// Interval of HELLO messages (s); 0: none, and only the MAC detects broken links.
    pub hello_interval_s: f64,
    /// HELLOs that may be lost before the link counts as broken.
    pub allowed_hello_loss: u32,
    /// Size of the send buffer for packets without a route (packets).
    pub buffer_packets: u32,
    /// Maximum time that a packet waits for a route (s).
    pub buffer_timeout_s: f64,
    /// Time between packets released from the send buffer once there is a route (s).
    pub release_spacing_s: f64,
    /// Maximum random delay of a forwarded request (s).
    pub request_jitter_s: f64,
    /// Maximum random delay of a forwarded route error (s).
    pub error_jitter_s: f64,
}

impl Default for AodvConfig {
    fn default() -> Self {
        AodvConfig {
            expanding_ring: true,
            ring_start_ttl: None,
            ring_increment_ttl: 2,
            ring_threshold_ttl: 7,
            network_ttl: None,
            request_retries: None,
            give_up_hold_s: None,
            request_wait_max_s: None,
            request_rate_limit: None,
            error_rate_limit: None,
            time_to_live: None,
            node_traversal_s: None,
            measured_traversal: None,
            active_route_timeout_s: None,
            my_route_timeout_s: None,
            reverse_route_life_s: None,
            request_id_life_s: 6.0,
            sweep_interval_s: 0.5,
            local_repair: true,
            intermediate_replies: true,
            error_without_precursors: None,
            errors_both_ways: false,
            hello_interval_s: 0.0,
            allowed_hello_loss: 3,
            buffer_packets: 64,
            buffer_timeout_s: 30.0,
            release_spacing_s: 0.01,
            request_jitter_s: 0.01,
            error_jitter_s: 0.01,
        }
    }
}

impl AodvConfig {
    /// The same with every default filled in; without a number what then has no limit, or follows
    /// from others.
    #[must_use]
    pub fn resolved(&self, profile: Profile) -> AodvConfig {
        AodvConfig {
            ring_start_ttl: Some(self.ring_start_ttl(profile)),
            network_ttl: Some(self.network_ttl(profile)),
            request_retries: Some(self.request_retries(profile)),
            give_up_hold_s: Some(self.give_up_hold_s(profile)),
            request_wait_max_s: self.request_wait_max_s(profile),
            request_rate_limit: Some(self.request_rate_limit(profile)),
            error_rate_limit: Some(self.error_rate_limit(profile)),
            time_to_live: Some(self.time_to_live(profile)),
            node_traversal_s: Some(self.node_traversal_s(profile)),
            measured_traversal: Some(self.measured_traversal(profile)),
            active_route_timeout_s: Some(self.active_route_timeout_s(profile)),
            my_route_timeout_s: Some(self.my_route_timeout_s(profile)),
            reverse_route_life_s: self.reverse_route_life_s(profile),
            error_without_precursors: Some(self.error_without_precursors(profile)),
            ..self.clone()
        }
    }

    /// Checks every key against its bounds.
    ///
    /// # Errors
    /// The first key that is out of bounds.
    pub fn check(&self) -> Result<(), ConfigError> {
        let time = |key, value: f64, positive: bool| {
            let low = if positive { value > 0.0 } else { value >= 0.0 };
            let allowed = if positive { "above 0" } else { "0 or more" };
            match low && value <= 1e6 {
                true => Ok(()),
                false => Err(ConfigError::new(
                    key,
                    format!("must be {allowed} and at most 1000000 seconds (got {value})"),
                )),
            }
        };
        let hops = |key, value: u8| match value {
            0 => Err(ConfigError::new(key, "must be 1 to 255 (got 0)")),
            _ => Ok(()),
        };
        hops("ring_start_ttl", self.ring_start_ttl.unwrap_or(1))?;
        hops("ring_increment_ttl", self.ring_increment_ttl)?;
        hops("ring_threshold_ttl", self.ring_threshold_ttl)?;
        hops("network_ttl", self.network_ttl.unwrap_or(1))?;
        hops("time_to_live", self.time_to_live.unwrap_or(1))?;
        time("give_up_hold_s", self.give_up_hold_s.unwrap_or(0.0), false)?;
        time("request_wait_max_s", self.request_wait_max_s.unwrap_or(1.0), true)?;
        time("node_traversal_s", self.node_traversal_s.unwrap_or(1.0), true)?;
        time("active_route_timeout_s", self.active_route_timeout_s.unwrap_or(1.0), true)?;
        time("my_route_timeout_s", self.my_route_timeout_s.unwrap_or(1.0), true)?;
        time("reverse_route_life_s", self.reverse_route_life_s.unwrap_or(1.0), true)?;
        // Whoever forgets a request while its copies are under way sends it again, for ever.
        within("request_id_life_s", self.request_id_life_s, 0.1, 1e6)?;
        interval("sweep_interval_s", self.sweep_interval_s, 1e6)?;
        if self.hello_interval_s != 0.0 {
            interval("hello_interval_s", self.hello_interval_s, 1e6)?;
        }
        time("buffer_timeout_s", self.buffer_timeout_s, false)?;
        time("release_spacing_s", self.release_spacing_s, false)?;
        time("request_jitter_s", self.request_jitter_s, false)?;
        time("error_jitter_s", self.error_jitter_s, false)?;
        if self.allowed_hello_loss == 0 {
            return Err(ConfigError::new("allowed_hello_loss", "must be 1 or more (got 0)"));
        }
        Ok(())
    }
}

impl From<&AodvConfig> for Arc<AodvConfig> {
    fn from(config: &AodvConfig) -> Self {
        Arc::new(config.clone())
    }
}

/// The keys whose defaults depend on the profile.
impl AodvConfig {
    pub(super) fn ring_start_ttl(&self, profile: Profile) -> u8 {
        self.ring_start_ttl.unwrap_or(profile.choose(5, 1))
    }

    pub(super) fn network_ttl(&self, profile: Profile) -> u8 {
        self.network_ttl.unwrap_or(profile.choose(30, 35))
    }

    pub(super) fn request_retries(&self, profile: Profile) -> u32 {
        self.request_retries.unwrap_or(profile.choose(3, 2))
    }

    pub(super) fn give_up_hold_s(&self, profile: Profile) -> f64 {
        self.give_up_hold_s.unwrap_or(profile.choose(10.0, 0.0))
    }

    fn request_wait_max_s(&self, profile: Profile) -> Option<f64> {
        self.request_wait_max_s.or(profile.choose(Some(10.0), None))
    }

    pub(super) fn request_rate_limit(&self, profile: Profile) -> u32 {
        self.request_rate_limit.unwrap_or(profile.choose(0, 10))
    }

    pub(super) fn error_rate_limit(&self, profile: Profile) -> u32 {
        self.error_rate_limit.unwrap_or(profile.choose(0, 10))
    }

    pub(super) fn time_to_live(&self, profile: Profile) -> u8 {
        self.time_to_live.unwrap_or(profile.choose(30, 64))
    }

    pub(super) fn node_traversal_s(&self, profile: Profile) -> f64 {
        self.node_traversal_s.unwrap_or(profile.choose(0.03, 0.04))
    }

    pub(super) fn measured_traversal(&self, profile: Profile) -> bool {
        self.measured_traversal.unwrap_or(profile.choose(true, false))
    }

    pub(super) fn active_route_timeout_s(&self, profile: Profile) -> f64 {
        self.active_route_timeout_s.unwrap_or(profile.choose(10.0, 3.0))
    }

    pub(super) fn my_route_timeout_s(&self, profile: Profile) -> f64 {
        self.my_route_timeout_s.unwrap_or(profile.choose(10.0, 6.0))
    }

    fn reverse_route_life_s(&self, profile: Profile) -> Option<f64> {
        self.reverse_route_life_s.or(profile.choose(Some(6.0), None))
    }

    pub(super) fn error_without_precursors(&self, profile: Profile) -> bool {
        self.error_without_precursors.unwrap_or(profile.choose(true, false))
    }
}

/// Times that follow from others.
impl AodvConfig {
    /// NODE_TRAVERSAL_TIME (section 10).
    pub(super) fn node_traversal(&self, profile: Profile) -> Duration {
        seconds(self.node_traversal_s(profile))
    }

    /// The maximum wait for a reply, if there is one.
    pub(super) fn request_wait_max(&self, profile: Profile) -> Option<Duration> {
        self.request_wait_max_s(profile).map(seconds)
    }

    /// NET_TRAVERSAL_TIME (section 10).
    fn network_traversal(&self, profile: Profile) -> Duration {
        self.node_traversal(profile) * 2 * u64::from(self.network_ttl(profile))
    }

    /// How long the reverse route to an originator `hops` away lives at least (section 6.5).
    pub(super) fn reverse_life(&self, hops: u8, profile: Profile) -> Duration {
        let by_rule = || {
            let back_and_forth = self.node_traversal(profile) * 2 * u64::from(hops);
            (self.network_traversal(profile) * 2).saturating_sub(back_and_forth)
        };
        self.reverse_route_life_s(profile).map_or_else(by_rule, seconds)
    }

    /// BLACKLIST_TIMEOUT (section 10).
    pub(super) fn blacklist_life(&self, profile: Profile) -> Duration {
        self.network_traversal(profile) * u64::from(self.request_retries(profile))
    }
}
