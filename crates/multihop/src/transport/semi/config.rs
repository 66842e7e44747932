//! The keys of the `[transport.semi]` table.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::config::{ConfigError, Limit};
use crate::transport::receiver::OutOfOrderAcks;

/// Semi-TCP's transport (`transport.scheme = "semi-tcp"`).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct SemiTcpConfig {
    /// Whose rules are the defaults of the other keys.
    pub profile: SemiTcpProfile,
    /// When a node has room for a packet of its own. Default: `threshold`; `empty-queue` in
    /// `author`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source_rule: Option<SourceRule>,
    /// How an out-of-order segment is acknowledged.
    pub out_of_order_acks: OutOfOrderAcks,
    /// Acknowledgments name the holes (RFC 2018), and every so many out-of-order segments without
    /// one the last is answered; 0: neither. Only with `out_of_order_acks = "silent"`.
    pub answer_every: u32,
    /// When a segment that is missing at the receiver is sent again.
    pub repair: Repair,
    /// Limit of unacknowledged segments.
    pub max_unacknowledged_segments: Limit,
    /// Acknowledgments that may wait for room in the receiver's node; beyond that the oldest is
    /// dropped.
    pub stored_acks: u32,
}

/// Whose rules hold.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SemiTcpProfile {
    /// The paper's.
    #[default]
    Paper,
    /// Those of the ns-2 program that its first author published.
    Author,
}

/// When a node has room for a packet of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SourceRule {
    /// While fewer than `mac.semi.congestion_threshold_packets` data packets are in it (eq. 3).
    Threshold,
    /// For a segment: while none is. For an acknowledgment: as `threshold`, not counting the packet
    /// in the MAC.
    EmptyQueue,
}

/// When a segment that is missing at the receiver is sent again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Repair {
    /// The oldest unacknowledged one when the retransmission timer expires: one hole a timeout, as
    /// the author's program does.
    #[default]
    Timeout,
    /// Then too, and when an acknowledgment advances to it and it was last sent longer than a
    /// timeout ago.
    Partial,
}

impl Default for SemiTcpConfig {
    fn default() -> Self {
        SemiTcpConfig {
            profile: SemiTcpProfile::default(),
            source_rule: None,
            out_of_order_acks: OutOfOrderAcks::default(),
            answer_every: 0,
            repair: Repair::default(),
            max_unacknowledged_segments: Limit::Infinite,
            stored_acks: 500,
        }
    }
}

impl SemiTcpConfig {
    /// When a node has room for a packet of its own.
    pub fn source_rule(&self) -> SourceRule {
        self.source_rule.unwrap_or(match self.profile {
            SemiTcpProfile::Paper => SourceRule::Threshold,
            SemiTcpProfile::Author => SourceRule::EmptyQueue,
        })
    }

    /// Checks every key against its bounds.
    ///
    /// # Errors
    /// The first key that is out of bounds.
    pub fn check(&self) -> Result<(), ConfigError> {
        if self.max_unacknowledged_segments == Limit::Finite(0) {
            let fault = "must be 1 or more, or inf (got 0)";
            return Err(ConfigError::new("semi.max_unacknowledged_segments", fault));
        }
        if self.answer_every > 1_000_000 {
            let fault = format!("must be 0 to 1000000 (got {})", self.answer_every);
            return Err(ConfigError::new("semi.answer_every", fault));
        }
        if self.answer_every > 0 && self.out_of_order_acks != OutOfOrderAcks::Silent {
            let fault = format!(
                "must be 0 unless out_of_order_acks is \"silent\", as every segment is answered else \
                 (got {})",
                self.answer_every
            );
            return Err(ConfigError::new("semi.answer_every", fault));
        }
        match self.stored_acks {
            1..=1_000_000 => Ok(()),
            other => {
                let fault = format!("must be 1 to 1000000 (got {other})");
                Err(ConfigError::new("semi.stored_acks", fault))
            }
        }
    }
}
