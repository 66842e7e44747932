//! The keys of the scenario's `[transport]` table.

mod by_scheme;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::acknowledging::config::AcksConfig;
use super::congestion::flavour::Flavour;
use super::congestion::validation::WindowValidation;
use super::link_failure::choice::{FirstProbe, LinkFailure};
use super::pacing::config::PacingConfig;
use super::quic::config::QuicConfig;
use super::receive_window::config::ReceiveBufferConfig;
use super::rules::Rules;
use super::sack::config::RecoveryConfig;
use super::semi::config::SemiTcpConfig;
use crate::config::{ConfigError, interval, within};
use crate::profile::Profile;

/// TCP's parameters.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct TcpConfig {
    /// Congestion control.
    pub scheme: Flavour,
    /// Whose rules the transport follows where they differ. Default: those of the scenario's
    /// `profile`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub profile: Option<Rules>,
    /// Loss recovery.
    pub recovery: RecoveryConfig,
    /// Acknowledgments.
    pub acks: AcksConfig,
    /// What the sender does when routing reports that its route has broken.
    pub link_failure: LinkFailure,
    /// Time from one probe to the next while the route is broken (s). Default: that of
    /// `link_failure`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub probe_interval_s: Option<f64>,
    /// Each probe without an answer makes the time to the next one so many times as long, up to
    /// `rto_max_s`; 1: the same time between all.
    pub probe_backoff: f64,
    /// When the first probe leaves.
    pub first_probe: FirstProbe,
    /// Payload of a full segment (bytes).
    pub segment_bytes: u32,
    /// The receiver's window, unless `receive_buffer` sizes it: segments that may be
    /// unacknowledged.
    pub window_segments: u32,
    /// Receive windows that size themselves.
    pub receive_buffer: ReceiveBufferConfig,
    /// Congestion window once the first segment (the SYN) is acknowledged. Default: 2 in the `ns2`
    /// profile; in `standard` by segment size (RFC 5681 section 3.1); 10 in `linux` (RFC 6928).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub initial_window_segments: Option<u32>,
    /// Initial slow-start threshold. Default: 20 in the `ns2` profile, whatever the window;
    /// unlimited in `standard` and `linux`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub initial_ssthresh_segments: Option<u32>,
    /// What becomes of a congestion window that the application or the receiver leaves unused.
    /// `none`: what `profile` says; the RFCs let it grow by every acknowledgment, and reduce it
    /// after an idle time (RFC 5681 section 4.1). `rfc7661`: it stays. Not in the `linux` profile,
    /// which has a rule of its own, nor with `bbr`, `bbr1`, `semi-tcp` and `quic`.
    pub window_validation: WindowValidation,
    /// Duplicate acknowledgments that signal a loss.
    pub duplicate_ack_threshold: u32,
    /// Send a new segment on each of the first two duplicate acknowledgments (RFC 3042).
    pub limited_transmit: bool,
    /// Granularity of the clock that measures round-trip times (s).
    pub clock_granularity_s: f64,
    /// Retransmission timeout before the first round-trip sample (s). Default: 3 in the `ns2`
    /// profile, 1 in `standard` and `linux` (RFC 6298 section 2.1).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rto_initial_s: Option<f64>,
    /// Lower bound of the retransmission timeout (s). Default: 0.2 in the `ns2` and `linux`
    /// profiles, 1 in `standard` (RFC 6298 section 2.4).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rto_min_s: Option<f64>,
    /// Upper bound of the retransmission timeout (s).
    pub rto_max_s: f64,
    /// Double the retransmission timeout at each expiry. Default: yes, unless `scheme` says
    /// otherwise.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rto_backoff: Option<bool>,
    /// Acknowledgments reach the sender at once and use no channel, to show what they cost. Not
    /// with `semi-tcp`.
    pub free_acks: bool,
    /// Segments and acknowledgments carry the timestamps option, 12 bytes of each (RFC 7323).
    /// Default: in the `linux` profile. The time that an acknowledgment echoes is known without it
    /// too.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timestamps: Option<bool>,
    /// Have congested nodes mark packets in place of dropping them (RFC 3168), where `link.queue`
    /// can.
    pub ecn: bool,
    /// Pacing.
    pub pacing: PacingConfig,
    /// The sender without a congestion window.
    pub semi: SemiTcpConfig,
    /// QUIC.
    pub quic: QuicConfig,
}

impl Default for TcpConfig {
    fn default() -> Self {
        TcpConfig {
            scheme: Flavour::default(),
            profile: None,
            recovery: RecoveryConfig::default(),
            acks: AcksConfig::default(),
            link_failure: LinkFailure::default(),
            probe_interval_s: None,
            probe_backoff: 1.0,
            first_probe: FirstProbe::default(),
            segment_bytes: 1460,
            window_segments: 8,
            receive_buffer: ReceiveBufferConfig::default(),
            initial_window_segments: None,
            initial_ssthresh_segments: None,
            window_validation: WindowValidation::None,
            duplicate_ack_threshold: 3,
            limited_transmit: true,
            clock_granularity_s: 0.01,
            rto_initial_s: None,
            rto_min_s: None,
            rto_max_s: 60.0,
            rto_backoff: None,
            free_acks: false,
            timestamps: None,
            ecn: false,
            pacing: PacingConfig::default(),
            semi: SemiTcpConfig::default(),
            quic: QuicConfig::default(),
        }
    }
}

impl TcpConfig {
    /// Whose rules hold in a scenario of this profile.
    pub fn rules(&self, profile: Profile) -> Rules {
        self.profile.unwrap_or(profile.into())
    }

    /// Whether segments carry the timestamps option in a scenario of this profile.
    pub fn timestamps(&self, profile: Profile) -> bool {
        self.timestamps.unwrap_or(self.rules(profile) == Rules::Linux)
    }

    /// Congestion window \[segments\] once the SYN is acknowledged.
    pub fn initial_window(&self, rules: Rules) -> u32 {
        self.initial_window_segments.unwrap_or(match (rules, self.segment_bytes) {
            (Rules::Linux, _) => 10,
            (Rules::Ns2, _) | (Rules::Standard, 2191..) => 2,
            (Rules::Standard, 1096..) => 3,
            (Rules::Standard, _) => 4,
        })
    }

    /// Initial slow-start threshold \[segments\].
    pub fn initial_ssthresh(&self, rules: Rules) -> u32 {
        self.initial_ssthresh_segments.unwrap_or(match rules {
            Rules::Ns2 => 20,
            Rules::Standard | Rules::Linux => u32::MAX,
        })
    }

    /// Retransmission timeout \[s\] before the first sample.
    pub fn rto_initial_s(&self, rules: Rules) -> f64 {
        self.rto_initial_s.unwrap_or(match rules {
            Rules::Ns2 => 3.0,
            Rules::Standard | Rules::Linux => 1.0,
        })
    }

    /// Lower bound of the retransmission timeout \[s\].
    pub fn rto_min_s(&self, rules: Rules) -> f64 {
        self.rto_min_s.unwrap_or(match rules {
            Rules::Ns2 | Rules::Linux => 0.2,
            Rules::Standard => 1.0,
        })
    }

    /// Checks the keys of this table alone.
    pub(super) fn check_own(&self) -> Result<(), ConfigError> {
        let whole = |key, value: u32, low: u32, high: u32| match (low..=high).contains(&value) {
            true => Ok(()),
            false => Err(ConfigError::new(key, format!("must be {low} to {high} (got {value})"))),
        };
        let seconds = |key, value: f64, high: f64| match value > 0.0 && value <= high {
            true => Ok(()),
            false => Err(ConfigError::new(
                key,
                format!("must be above 0 and at most {high} (got {value})"),
            )),
        };
        interval("probe_interval_s", self.probe_interval_s.unwrap_or(1.0), 3600.0)?;
        within("probe_backoff", self.probe_backoff, 1.0, 100.0)?;
        whole("segment_bytes", self.segment_bytes, 1, 65_495)?;
        whole("window_segments", self.window_segments, 1, 1_000_000)?;
        whole("initial_window_segments", self.initial_window_segments.unwrap_or(1), 1, 1_000_000)?;
        whole(
            "initial_ssthresh_segments",
            self.initial_ssthresh_segments.unwrap_or(2),
            1,
            u32::MAX,
        )?;
        whole("duplicate_ack_threshold", self.duplicate_ack_threshold, 1, 1_000)?;
        within("clock_granularity_s", self.clock_granularity_s, 1e-9, 10.0)?;
        interval("rto_max_s", self.rto_max_s, 3600.0)?;
        seconds("rto_initial_s", self.rto_initial_s.unwrap_or(1.0), self.rto_max_s)?;
        seconds("rto_min_s", self.rto_min_s.unwrap_or(0.2), self.rto_max_s)?;
        if self.profile == Some(Rules::Linux) && self.window_validation != WindowValidation::None {
            let fault = "must be \"none\" with profile \"linux\", which has a rule of its own \
                         (got \"rfc7661\")";
            return Err(ConfigError::new("window_validation", fault));
        }
        Ok(())
    }
}
