//! DSR's keys in the scenario's `[routing]` table.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::config::{ConfigError, within};
use crate::profile::Profile;

/// Which requests a node answers from its route cache (RFC 4728 section 8.2.3).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum CachedReplies {
    /// All.
    #[default]
    All,
    /// Only ring-zero requests.
    RingZero,
    /// None: only targets reply.
    None,
}

/// Which copies of a request its target answers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum TargetReplies {
    /// Every copy: the source gets several routes.
    #[default]
    EveryCopy,
    /// The first copy to arrive.
    FirstCopy,
}

/// DSR's parameters; defaults are ns-2.35's.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct DsrConfig {
    /// Which requests nodes answer from their route caches.
    pub cached_replies: CachedReplies,
    /// Which copies of a request its target answers.
    pub target_replies: TargetReplies,
    /// Send a ring-zero request, to the neighbours only, before one to the whole network (section
    /// 3.3.3).
    pub ring_zero_search: bool,
    /// Overhear packets for other nodes (section 3.3.1) and learn from their routes, replies and
    /// errors.
    pub promiscuous: bool,
    /// Send gratuitous replies: tell a source that its packets could skip nodes (section 3.4.3).
    pub gratuitous_replies: bool,
    /// Salvaging: a relay whose link breaks sends the packet on another route (section 3.4.1).
    pub salvaging: bool,
    /// Carry the last route error in the next request (section 3.4.4).
    pub errors_in_requests: bool,
    /// Use flow state: packets of an established flow carry no source route (section 3.5).
    pub flow_state: bool,
    /// Time to live of data packets (hops). Default: 32 in the `ns2` profile, as in ns-2; 64 in
    /// `standard`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time_to_live: Option<u8>,
    /// Maximum number of hops in a route, as nodes that a request has passed, its originator
    /// included. A route that a cache completes has one hop less.
    pub max_route_nodes: u8,
    /// Size of the primary route cache, for routes that the node asked for or used (paths).
    pub primary_paths: u32,
    /// Size of the secondary route cache, for routes seen in forwarded and overheard packets
    /// (paths).
    pub secondary_paths: u32,
    /// Initial wait for a reply (s), doubled after each search without one. In the `ns2` profile
    /// the first wait is already 4 times as long, and each next one 4 times the last.
    pub request_period_s: f64,
    /// Maximum wait for a reply (s).
    pub request_period_max_s: f64,
    /// Wait for a reply to a ring-zero request before the whole network is asked (s).
    pub ring_zero_wait_s: f64,
    /// Size of the request table (nodes).
    pub request_table_nodes: u32,
    /// Maximum random delay of a request, at its originator and at each relay (s).
    pub request_jitter_s: f64,
    /// Maximum random delay of a reply (s); in the `ns2` profile of the target's alone.
    pub reply_jitter_s: f64,
    /// Size of the send buffer for packets without a route (packets).
    pub buffer_packets: u32,
    /// Maximum time that a packet waits for a route (s).
    pub buffer_timeout_s: f64,
    /// Minimum and maximum time between two checks of the send buffer (s).
    pub buffer_check_s: [f64; 2],
    /// Time between packets released from the send buffer once there is a route (s).
    pub release_spacing_s: f64,
    /// How often a packet may be salvaged.
    pub max_salvages: u8,
    /// How long a route error may wait for a request to carry it (s).
    pub error_life_s: f64,
    /// Minimum time between two gratuitous replies to the same source about packets overheard from
    /// the same node (s); in the `ns2` profile, about the same route.
    pub gratuitous_hold_s: f64,
    /// Lifetime of a flow since its last use (s).
    pub flow_life_s: f64,
    /// Packets of a new flow that carry the source route.
    pub flow_establishing_packets: u32,
    /// After this time a packet of the flow carries the source route again (s).
    pub flow_refresh_s: f64,
}

impl Default for DsrConfig {
    fn default() -> Self {
        DsrConfig {
            cached_replies: CachedReplies::default(),
            target_replies: TargetReplies::default(),
            ring_zero_search: true,
            promiscuous: true,
            gratuitous_replies: true,
            salvaging: true,
            errors_in_requests: true,
            flow_state: true,
            time_to_live: None,
            max_route_nodes: 16,
            primary_paths: 30,
            secondary_paths: 64,
            request_period_s: 0.5,
            request_period_max_s: 10.0,
            ring_zero_wait_s: 0.03,
            request_table_nodes: 128,
            request_jitter_s: 0.01,
            reply_jitter_s: 0.01,
            buffer_packets: 64,
            buffer_timeout_s: 30.0,
            buffer_check_s: [0.03, 0.06],
            release_spacing_s: 0.03,
            max_salvages: 15,
            error_life_s: 1.0,
            gratuitous_hold_s: 1.0,
            flow_life_s: 60.0,
            flow_establishing_packets: 3,
            flow_refresh_s: 5.0,
        }
    }
}

/// Maximum of keys in seconds.
const MAX_S: f64 = 1e6;
/// Maximum number of paths and table entries: more would be too slow to search.
const MAX_ENTRIES: f64 = 65_536.0;

impl DsrConfig {
    /// The same with every default filled in.
    #[must_use]
    pub fn resolved(&self, profile: Profile) -> DsrConfig {
        DsrConfig { time_to_live: Some(self.time_to_live(profile)), ..self.clone() }
    }

    pub(super) fn time_to_live(&self, profile: Profile) -> u8 {
        self.time_to_live.unwrap_or(profile.choose(32, 64))
    }

    /// Checks every key against its bounds.
    ///
    /// # Errors
    /// The first key that is out of bounds.
    pub fn check(&self) -> Result<(), ConfigError> {
        within("time_to_live", self.time_to_live.unwrap_or(64).into(), 1.0, 255.0)?;
        within("max_route_nodes", self.max_route_nodes.into(), 2.0, 255.0)?;
        within("primary_paths", self.primary_paths.into(), 1.0, MAX_ENTRIES)?;
        within("secondary_paths", self.secondary_paths.into(), 0.0, MAX_ENTRIES)?;
        within("request_table_nodes", self.request_table_nodes.into(), 1.0, MAX_ENTRIES)?;
        within("buffer_packets", self.buffer_packets.into(), 0.0, MAX_ENTRIES)?;
        for (key, value) in [
            ("request_period_s", self.request_period_s),
            ("request_period_max_s", self.request_period_max_s),
            ("ring_zero_wait_s", self.ring_zero_wait_s),
            ("request_jitter_s", self.request_jitter_s),
            ("reply_jitter_s", self.reply_jitter_s),
            ("buffer_timeout_s", self.buffer_timeout_s),
            ("release_spacing_s", self.release_spacing_s),
            ("error_life_s", self.error_life_s),
            ("gratuitous_hold_s", self.gratuitous_hold_s),
            ("flow_life_s", self.flow_life_s),
            ("flow_refresh_s", self.flow_refresh_s),
        ] {
            within(key, value, 0.0, MAX_S)?;
        }
        let [shortest, longest] = self.buffer_check_s;
        within("buffer_check_s", shortest, 0.001, MAX_S)?;
        within("buffer_check_s", longest, shortest, MAX_S)
    }
}
