//! The keys of the `[transport.receive_buffer]` table.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::config::ConfigError;
use crate::transport::sack::config::RecoveryScheme;

/// How large the receiver's window is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum WindowScheme {
    /// `window_segments`.
    #[default]
    Constant,
    /// It grows with what the application takes in a round trip, up to the largest buffer;
    /// `window_segments` has no effect.
    Auto,
}

/// The receiver's window.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ReceiveBufferConfig {
    /// `constant`, or `auto` (Fisk and Feng 2001), which needs selective acknowledgments.
    pub scheme: WindowScheme,
    /// Receive buffer at first (bytes). With rules of Linux half of it is window at first, then
    /// 5/8; else all of it. The first window is 65,535 bytes at most.
    pub initial_bytes: u32,
    /// Largest receive buffer (bytes), of which as much is window.
    pub largest_bytes: u32,
}

impl Default for ReceiveBufferConfig {
    fn default() -> Self {
        // tcp_rmem of Linux.
        ReceiveBufferConfig {
            scheme: WindowScheme::default(),
            initial_bytes: 131_072,
            largest_bytes: 6_291_456,
        }
    }
}

impl ReceiveBufferConfig {
    /// Checks the keys against their bounds, and that a sender of this recovery and with segments
    /// of `segment_bytes` can use them.
    ///
    /// # Errors
    /// The first key that is out of bounds.
    pub fn check(&self, recovery: RecoveryScheme, segment_bytes: u32) -> Result<(), ConfigError> {
        recovery.check_unused("receive_buffer.scheme", self.scheme == WindowScheme::Auto)?;
        let usual = ReceiveBufferConfig::default();
        let unused = [
            ("receive_buffer.initial_bytes", self.initial_bytes != usual.initial_bytes),
            ("receive_buffer.largest_bytes", self.largest_bytes != usual.largest_bytes),
        ];
        if self.scheme == WindowScheme::Constant {
            return match unused.into_iter().find(|&(_, is_set)| is_set) {
                Some((key, _)) => {
                    Err(ConfigError::new(key, "has an effect with scheme \"auto\" only"))
                }
                None => Ok(()),
            };
        }
        let bounds = |key, value: u32, low: u32, high: u32| match (low..=high).contains(&value) {
            true => Ok(()),
            false => Err(ConfigError::new(key, format!("must be {low} to {high} (got {value})"))),
        };
        // What 16 bits shifted by 14 can tell (RFC 7323 section 2.3).
        const MOST: u32 = 1 << 30;
        bounds("receive_buffer.initial_bytes", self.initial_bytes, 4 * segment_bytes, MOST - 1)?;
        let largest = self.largest_bytes;
        bounds("receive_buffer.largest_bytes", largest, self.initial_bytes, MOST - 1)
    }
}
