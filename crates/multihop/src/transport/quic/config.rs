//! The keys of the `[transport.quic]` table.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// QUIC's own keys (`transport.scheme = "quic"`).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct QuicConfig {
    /// Congestion control.
    pub congestion_control: QuicControl,
    /// A connection is given up when nothing has come for so long, but not before three probe
    /// timeouts (s).
    pub idle_timeout_s: f64,
    /// The server's certificate chain and its signature in the handshake (bytes).
    pub certificate_bytes: u32,
}

/// A congestion control of QUIC's.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum QuicControl {
    /// NewReno (RFC 9002).
    #[default]
    NewReno,
    /// CUBIC (RFC 8312).
    Cubic,
}

impl Default for QuicConfig {
    fn default() -> Self {
        QuicConfig {
            congestion_control: QuicControl::default(),
            idle_timeout_s: 30.0,
            certificate_bytes: 2500,
        }
    }
}
