//! AODV's keys in the scenario's `[routing]` table, and the parameters derived from them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::config::{ConfigError, interval, within};
use crate::kernel::Duration;
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
        let all = Parameters::new(self, profile);
        let or = |given: Option<f64>, usual: Duration| given.or(Some(usual.as_secs_f64()));
        let or_none = |usual: Option<Duration>| usual.map(Duration::as_secs_f64);
        AodvConfig {
            ring_start_ttl: Some(all.ring_start_ttl),
            network_ttl: Some(all.network_ttl),
            request_retries: Some(all.request_retries),
            give_up_hold_s: or(self.give_up_hold_s, all.give_up_hold),
            request_wait_max_s: self.request_wait_max_s.or(or_none(all.request_wait_max)),
            request_rate_limit: Some(all.request_rate_limit),
            error_rate_limit: Some(all.error_rate_limit),
            time_to_live: Some(all.time_to_live),
            node_traversal_s: or(self.node_traversal_s, all.node_traversal),
            measured_traversal: Some(all.measured_traversal),
            active_route_timeout_s: or(self.active_route_timeout_s, all.active_route_timeout),
            my_route_timeout_s: or(self.my_route_timeout_s, all.my_route_timeout),
            reverse_route_life_s: self.reverse_route_life_s.or(or_none(all.reverse_route_life)),
            error_without_precursors: Some(all.error_without_precursors),
            ..self.clone()
        }
    }

    /// Checks every key against its bounds.
    ///
    /// # Errors
    /// The first key that is out of bounds.
    pub fn check(&self) -> Result<(), ConfigError> {
        let seconds = |key, value: f64, positive: bool| {
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
        seconds("give_up_hold_s", self.give_up_hold_s.unwrap_or(0.0), false)?;
        seconds("request_wait_max_s", self.request_wait_max_s.unwrap_or(1.0), true)?;
        seconds("node_traversal_s", self.node_traversal_s.unwrap_or(1.0), true)?;
        seconds("active_route_timeout_s", self.active_route_timeout_s.unwrap_or(1.0), true)?;
        seconds("my_route_timeout_s", self.my_route_timeout_s.unwrap_or(1.0), true)?;
        seconds("reverse_route_life_s", self.reverse_route_life_s.unwrap_or(1.0), true)?;
        // Whoever forgets a request while its copies are under way sends it again, for ever.
        within("request_id_life_s", self.request_id_life_s, 0.1, 1e6)?;
        interval("sweep_interval_s", self.sweep_interval_s, 1e6)?;
        if self.hello_interval_s != 0.0 {
            interval("hello_interval_s", self.hello_interval_s, 1e6)?;
        }
        seconds("buffer_timeout_s", self.buffer_timeout_s, false)?;
        seconds("release_spacing_s", self.release_spacing_s, false)?;
        seconds("request_jitter_s", self.request_jitter_s, false)?;
        seconds("error_jitter_s", self.error_jitter_s, false)?;
        if self.allowed_hello_loss == 0 {
            return Err(ConfigError::new("allowed_hello_loss", "must be 1 or more (got 0)"));
        }
        Ok(())
    }
}

/// The parameters of a run, every default filled in.
#[derive(Clone, Debug)]
pub(super) struct Parameters {
    pub profile: Profile,
    pub expanding_ring: bool,
    pub ring_start_ttl: u8,
    pub ring_increment_ttl: u8,
    pub ring_threshold_ttl: u8,
    pub network_ttl: u8,
    pub request_retries: u32,
    pub give_up_hold: Duration,
    pub request_wait_max: Option<Duration>,
    pub request_rate_limit: u32,
    pub error_rate_limit: u32,
    pub time_to_live: u8,
    pub node_traversal: Duration,
    pub measured_traversal: bool,
    pub active_route_timeout: Duration,
    pub my_route_timeout: Duration,
    /// None: that of section 6.5.
    pub reverse_route_life: Option<Duration>,
    pub request_id_life: Duration,
    pub sweep_interval: Duration,
    pub local_repair: bool,
    pub intermediate_replies: bool,
    pub error_without_precursors: bool,
    pub errors_both_ways: bool,
    pub hello_interval: Duration,
    pub allowed_hello_loss: u32,
    pub buffer_packets: usize,
    pub buffer_timeout: Duration,
    pub release_spacing: Duration,
    pub request_jitter: Duration,
    pub error_jitter: Duration,
}

impl Parameters {
    /// NET_TRAVERSAL_TIME (section 10).
    pub fn network_traversal(&self) -> Duration {
        self.node_traversal * 2 * u64::from(self.network_ttl)
    }

    /// How long the reverse route to an originator `hops` away lives at least (section 6.5).
    pub fn reverse_life(&self, hops: u8) -> Duration {
        let by_rule = || {
            let back_and_forth = self.node_traversal * 2 * u64::from(hops);
            (self.network_traversal() * 2).saturating_sub(back_and_forth)
        };
        self.reverse_route_life.unwrap_or_else(by_rule)
    }

    /// BLACKLIST_TIMEOUT (section 10).
    pub fn blacklist_life(&self) -> Duration {
        self.network_traversal() * u64::from(self.request_retries)
    }

    pub fn new(config: &AodvConfig, profile: Profile) -> Parameters {
        let ns2 = profile == Profile::Ns2;
        let seconds = Duration::from_secs_f64;
        let or = |value: Option<f64>, in_ns2, in_standard| {
            seconds(value.unwrap_or(if ns2 { in_ns2 } else { in_standard }))
        };
        Parameters {
            profile,
            expanding_ring: config.expanding_ring,
            ring_start_ttl: config.ring_start_ttl.unwrap_or(if ns2 { 5 } else { 1 }),
            ring_increment_ttl: config.ring_increment_ttl,
            ring_threshold_ttl: config.ring_threshold_ttl,
            network_ttl: config.network_ttl.unwrap_or(if ns2 { 30 } else { 35 }),
            request_retries: config.request_retries.unwrap_or(if ns2 { 3 } else { 2 }),
            give_up_hold: or(config.give_up_hold_s, 10.0, 0.0),
            request_wait_max: config.request_wait_max_s.or(ns2.then_some(10.0)).map(seconds),
            request_rate_limit: config.request_rate_limit.unwrap_or(if ns2 { 0 } else { 10 }),
            error_rate_limit: config.error_rate_limit.unwrap_or(if ns2 { 0 } else { 10 }),
            time_to_live: config.time_to_live.unwrap_or(if ns2 { 30 } else { 64 }),
            node_traversal: or(config.node_traversal_s, 0.03, 0.04),
            measured_traversal: config.measured_traversal.unwrap_or(ns2),
            active_route_timeout: or(config.active_route_timeout_s, 10.0, 3.0),
            my_route_timeout: or(config.my_route_timeout_s, 10.0, 6.0),
            reverse_route_life: config.reverse_route_life_s.or(ns2.then_some(6.0)).map(seconds),
            request_id_life: seconds(config.request_id_life_s),
            sweep_interval: seconds(config.sweep_interval_s),
            local_repair: config.local_repair,
            intermediate_replies: config.intermediate_replies,
            error_without_precursors: config.error_without_precursors.unwrap_or(ns2),
            errors_both_ways: config.errors_both_ways,
            hello_interval: seconds(config.hello_interval_s),
            allowed_hello_loss: config.allowed_hello_loss,
            buffer_packets: config.buffer_packets as usize,
            buffer_timeout: seconds(config.buffer_timeout_s),
            release_spacing: seconds(config.release_spacing_s),
            request_jitter: seconds(config.request_jitter_s),
            error_jitter: seconds(config.error_jitter_s),
        }
    }
}
