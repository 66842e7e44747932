//! The keys of the `[transport.recovery]` table.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How losses are noticed and repaired.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum RecoveryScheme {
    /// By duplicate acknowledgments alone, as Reno or NewReno, whichever `transport.scheme` brings along.
    DuplicateAcks,
    /// By selective acknowledgments: a segment is lost once three behind it have arrived (RFC 6675).
    Sack,
    /// By selective acknowledgments and time: a segment is lost once one sent sufficiently later has arrived; tail loss
    /// probes (RFC 8985).
    RackTlp,
}

/// Loss recovery. All keys but `scheme` are for schemes with selective acknowledgments.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct RecoveryConfig {
    /// How losses are noticed. Default: `duplicate-acks`; `rack-tlp` with `transport.profile = "linux"` and with
    /// congestion controls that need it.
    pub scheme: Option<RecoveryScheme>,
    /// In recovery the window falls in proportion to what arrives (RFC 6937), in place of at once. Default: with
    /// `rack-tlp`.
    pub prr: Option<bool>,
    /// Take a reduction back when timestamps, duplicate reports (D-SACK) or what is acknowledged after a timeout (F-RTO) show
    /// that nothing was lost. Default: with `rack-tlp`.
    pub undo: Option<bool>,
    /// Tail loss probes. Default: with `rack-tlp`, and only there.
    pub probe: Option<bool>,
}
