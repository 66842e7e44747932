//! OLSRv2's keys in the scenario's `[routing]` table, named as RFC 6130, RFC 7181 and RFC 7779 name
//! their parameters. One key stands for parameters that have one value by default: `max_jitter_s`
//! for all six of jitter, `rx_hold_time_s` for RX_, P_ and F_HOLD_TIME.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::config::{ConfigError, interval, within};
use crate::kernel::Duration;

/// The longest time that a key may have (s).
const LONGEST_S: f64 = 1e5;

/// What a link costs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Olsr2Metric {
    /// One.
    #[default]
    Hops,
    /// Directional airtime (RFC 7779), by the share of packets that come and the rate of data.
    Dat,
}

/// The keys of OLSRv2. Defaults are those of RFC 6130 section 15, RFC 7181 section 20 and RFC 7779
/// section 7.1.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Olsr2Config {
    /// What a link costs.
    pub metric: Olsr2Metric,
    /// The longest time between a node's HELLOs (s).
    pub hello_interval_s: f64,
    /// Whether a HELLO tells of a change of relays before its time.
    pub responsive_hellos: bool,
    /// The shortest time before such a HELLO (s). Default: a quarter of `hello_interval_s`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hello_min_interval_s: Option<f64>,
    /// How long a HELLO is valid (s). Default: three times `hello_interval_s`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub h_hold_time_s: Option<f64>,
    /// How long a lost link is told of (s). Default: `h_hold_time_s`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub l_hold_time_s: Option<f64>,
    /// The longest time between a node's TCs (s).
    pub tc_interval_s: f64,
    /// The shortest time before a TC that tells of a change (s). Default: a quarter of
    /// `tc_interval_s`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tc_min_interval_s: Option<f64>,
    /// How long a TC is valid (s). Default: three times `tc_interval_s`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub t_hold_time_s: Option<f64>,
    /// How long a node that has nothing left to advertise says so (s). Default: `t_hold_time_s`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub a_hold_time_s: Option<f64>,
    /// How long a message is remembered, so that it is not processed or passed on again (s).
    pub rx_hold_time_s: f64,
    /// Messages are sent earlier than their interval, and passed on later, by a random time of at
    /// most this (s). Default: a quarter of `hello_interval_s`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_jitter_s: Option<f64>,
    /// The hops that a TC goes at most.
    pub tc_hop_limit: u8,
    /// How willing nodes are to pass messages on: 0 never, 7 as usual, 15 always.
    pub will_flooding: u8,
    /// How willing nodes are to pass data on.
    pub will_routing: u8,
    /// The quality from which a link is accepted.
    pub hyst_accept: f64,
    /// The quality below which it is lost; 0 for links without quality.
    pub hyst_reject: f64,
    /// The quality that a link begins with.
    pub initial_quality: f64,
    /// Whether a link counts only once it has been accepted.
    pub initial_pending: bool,
    /// The weight of the latest packet in the quality, which the RFCs leave open.
    pub hyst_scaling: f64,
    /// Whether the quality of a link is 0 when the MAC could not reach the neighbour.
    pub link_layer_notification: bool,
    /// By `dat`: how many intervals packets are counted in.
    pub dat_memory_length: u32,
    /// By `dat`: the length of these intervals, after each of which metrics are worked out (s).
    pub dat_refresh_interval_s: f64,
}

impl Default for Olsr2Config {
    fn default() -> Self {
        Olsr2Config {
            metric: Olsr2Metric::Hops,
            hello_interval_s: 2.0,
            responsive_hellos: false,
            hello_min_interval_s: None,
            h_hold_time_s: None,
            l_hold_time_s: None,
            tc_interval_s: 5.0,
            tc_min_interval_s: None,
            t_hold_time_s: None,
            a_hold_time_s: None,
            rx_hold_time_s: 30.0,
            max_jitter_s: None,
            tc_hop_limit: 255,
            will_flooding: 7,
            will_routing: 7,
            hyst_accept: 1.0,
            hyst_reject: 0.0,
            initial_quality: 1.0,
            initial_pending: false,
            hyst_scaling: 0.5,
            link_layer_notification: false,
            dat_memory_length: 64,
            dat_refresh_interval_s: 1.0,
        }
    }
}

impl Olsr2Config {
    /// The same with every default filled in.
    pub(super) fn resolved(&self) -> Olsr2Config {
        Olsr2Config {
            hello_min_interval_s: self.responsive_hellos.then_some(self.hello_min_interval_s()),
            h_hold_time_s: Some(self.h_hold_time_s()),
            l_hold_time_s: Some(self.l_hold_time_s()),
            tc_min_interval_s: Some(self.tc_min_interval_s()),
            t_hold_time_s: Some(self.t_hold_time_s()),
            a_hold_time_s: Some(self.a_hold_time_s()),
            max_jitter_s: Some(self.max_jitter_s()),
            ..self.clone()
        }
    }

    fn hello_min_interval_s(&self) -> f64 {
        self.hello_min_interval_s.unwrap_or(self.hello_interval_s / 4.0)
    }

    fn h_hold_time_s(&self) -> f64 {
        self.h_hold_time_s.unwrap_or(3.0 * self.hello_interval_s)
    }

    fn l_hold_time_s(&self) -> f64 {
        self.l_hold_time_s.unwrap_or_else(|| self.h_hold_time_s())
    }

    fn tc_min_interval_s(&self) -> f64 {
        self.tc_min_interval_s.unwrap_or(self.tc_interval_s / 4.0)
    }

    fn t_hold_time_s(&self) -> f64 {
        self.t_hold_time_s.unwrap_or(3.0 * self.tc_interval_s)
    }

    fn a_hold_time_s(&self) -> f64 {
        self.a_hold_time_s.unwrap_or_else(|| self.t_hold_time_s())
    }

    fn max_jitter_s(&self) -> f64 {
        self.max_jitter_s.unwrap_or(self.hello_interval_s / 4.0)
    }

    pub(super) fn hello_min_interval(&self) -> Duration {
        Duration::from_secs_f64(self.hello_min_interval_s())
    }

    pub(super) fn h_hold_time(&self) -> Duration {
        Duration::from_secs_f64(self.h_hold_time_s())
    }

    pub(super) fn l_hold_time(&self) -> Duration {
        Duration::from_secs_f64(self.l_hold_time_s())
    }

    pub(super) fn tc_min_interval(&self) -> Duration {
        Duration::from_secs_f64(self.tc_min_interval_s())
    }

    pub(super) fn t_hold_time(&self) -> Duration {
        Duration::from_secs_f64(self.t_hold_time_s())
    }

    pub(super) fn a_hold_time(&self) -> Duration {
        Duration::from_secs_f64(self.a_hold_time_s())
    }

    pub(super) fn max_jitter(&self) -> Duration {
        Duration::from_secs_f64(self.max_jitter_s())
    }

    /// Checks every key against its bounds and the others.
    ///
    /// # Errors
    /// The first key that is out of bounds or contradicts another.
    pub fn check(&self) -> Result<(), ConfigError> {
        interval("hello_interval_s", self.hello_interval_s, 1e3)?;
        interval("tc_interval_s", self.tc_interval_s, 1e3)?;
        let (hello_s, tc_s) = (self.hello_interval_s, self.tc_interval_s);
        within("hello_min_interval_s", self.hello_min_interval_s(), 0.0, hello_s)?;
        within("h_hold_time_s", self.h_hold_time_s(), hello_s, LONGEST_S)?;
        within("l_hold_time_s", self.l_hold_time_s(), 0.0, LONGEST_S)?;
        within("tc_min_interval_s", self.tc_min_interval_s(), 0.0, tc_s)?;
        within("t_hold_time_s", self.t_hold_time_s(), tc_s, LONGEST_S)?;
        within("a_hold_time_s", self.a_hold_time_s(), 0.0, LONGEST_S)?;
        within("rx_hold_time_s", self.rx_hold_time_s, 0.0, LONGEST_S)?;
        within("max_jitter_s", self.max_jitter_s(), 0.0, hello_s.min(tc_s) / 2.0)?;
        within("tc_hop_limit", self.tc_hop_limit.into(), 1.0, 255.0)?;
        within("will_flooding", self.will_flooding.into(), 0.0, 15.0)?;
        within("will_routing", self.will_routing.into(), 0.0, 15.0)?;
        within("hyst_accept", self.hyst_accept, 0.0, 1.0)?;
        within("hyst_reject", self.hyst_reject, 0.0, self.hyst_accept)?;
        within("initial_quality", self.initial_quality, 0.0, 1.0)?;
        within("hyst_scaling", self.hyst_scaling, 0.0, 1.0)?;
        within("dat_memory_length", self.dat_memory_length.into(), 1.0, 1e3)?;
        interval("dat_refresh_interval_s", self.dat_refresh_interval_s, 1e3)?;
        let usual = Olsr2Config::default();
        let idle = "has no effect unless metric = \"dat\"";
        if self.metric == Olsr2Metric::Hops && self.dat_memory_length != usual.dat_memory_length {
            return Err(ConfigError::new("dat_memory_length", idle));
        }
        let refresh_s = (self.dat_refresh_interval_s, usual.dat_refresh_interval_s);
        if self.metric == Olsr2Metric::Hops && refresh_s.0 != refresh_s.1 {
            return Err(ConfigError::new("dat_refresh_interval_s", idle));
        }
        if !self.responsive_hellos && self.hello_min_interval_s.is_some() {
            let fault = "has no effect unless responsive_hellos = true";
            return Err(ConfigError::new("hello_min_interval_s", fault));
        }
        self.check_quality()
    }

    /// RFC 6130 section 14.2.
    fn check_quality(&self) -> Result<(), ConfigError> {
        let fault = match self.initial_pending {
            false if self.initial_quality < self.hyst_reject => {
                format!(
                    "must be at least hyst_reject = {} unless links begin pending",
                    self.hyst_reject
                )
            }
            true if self.initial_quality >= self.hyst_accept => {
                format!(
                    "must be below hyst_accept = {} where links begin pending",
                    self.hyst_accept
                )
            }
            _ if self.link_layer_notification && self.hyst_reject == 0.0 => {
                let fault = "has no effect unless hyst_reject is above 0";
                return Err(ConfigError::new("link_layer_notification", fault));
            }
            _ => return Ok(()),
        };
        let got = self.initial_quality;
        Err(ConfigError::new("initial_quality", format!("{fault} (got {got})")))
    }
}
