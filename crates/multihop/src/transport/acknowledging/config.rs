//! The keys of the `[transport.acks]` table.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::config::{ConfigError, positive};
use crate::transport::rules::Rules;
use crate::transport::sack::config::RecoveryScheme;

/// Acknowledgments. To a sender without a scoreboard there is one for every segment unless
/// `delayed` is set.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct AcksConfig {
    /// Delay acknowledgments. Default: with `transport.profile = "linux"`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delayed: Option<bool>,
    /// A segment waits for its acknowledgment so long (s). Default: 0.2; 0.04 in the `linux`
    /// profile.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delay_s: Option<f64>,
    /// So many data segments are answered at once before acknowledgments are delayed. Default: 0;
    /// 17 in the `linux` profile (evidence/kernel-tcp.md).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub quick_segments: Option<u32>,
}

impl AcksConfig {
    /// Whether acknowledgments are delayed.
    pub fn delayed(&self, rules: Rules) -> bool {
        self.delayed.unwrap_or(rules == Rules::Linux)
    }

    /// How long a segment waits for its acknowledgment \[s\].
    pub fn delay_s(&self, rules: Rules) -> f64 {
        self.delay_s.unwrap_or(match rules {
            Rules::Linux => 0.04,
            Rules::Ns2 | Rules::Standard => 0.2,
        })
    }

    /// Segments answered at once before acknowledgments are delayed.
    pub fn quick_segments(&self, rules: Rules) -> u32 {
        self.quick_segments.unwrap_or(match rules {
            Rules::Linux => 17,
            Rules::Ns2 | Rules::Standard => 0,
        })
    }

    /// Checks every key against its bounds, and that they have an effect on a sender of this
    /// recovery, whose scheme may say by itself what is answered.
    ///
    /// # Errors
    /// The first key that is out of bounds or has none.
    pub fn check(&self, recovery: RecoveryScheme, by_scheme: bool) -> Result<(), ConfigError> {
        let delays = [
            ("acks.delay_s", self.delay_s.is_some()),
            ("acks.quick_segments", self.quick_segments.is_some()),
        ];
        if by_scheme && (self.delayed.is_some() || delays.iter().any(|(_, is_set)| *is_set)) {
            let fault = "has no effect: the transport's scheme says what is acknowledged";
            return Err(ConfigError::new("acks", fault));
        }
        let may_delay = recovery != RecoveryScheme::DuplicateAcks || self.delayed == Some(true);
        if let Some((key, _)) = delays.iter().find(|(_, is_set)| *is_set && !may_delay) {
            let fault = "has an effect with acks.delayed = true only, or with recovery.scheme \"sack\" or \"rack-tlp\"";
            return Err(ConfigError::new(key, fault));
        }
        // RFC 5681 section 4.2: less than half a second.
        positive("acks.delay_s", self.delay_s.unwrap_or(0.2), 0.5)
    }
}
