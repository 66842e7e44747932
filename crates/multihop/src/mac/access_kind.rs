//! The kinds of access that `mac.access` chooses among.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::reservation;
use super::windows::{adaptive_csma, diffq, ez_flow};

/// How stations take turns on the medium.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum AccessKind {
    /// They contend for it: the 802.11 distributed coordination function.
    #[default]
    Dcf,
    /// They contend, sooner or for longer the more packets wait: adaptive CSMA.
    AdaptiveCsma,
    /// They contend, later the more packets wait at the next hop: EZ-Flow.
    EzFlow,
    /// They contend, sooner the more packets wait than at the next hop: DiffQ.
    Diffq,
    /// They send in slots of a table.
    Tdma,
    /// They send in slots that they reserve anew each time.
    SlotReservation,
}

impl AccessKind {
    /// As the scenario names it.
    pub fn name(self) -> &'static str {
        match self {
            AccessKind::Dcf => "dcf",
            AccessKind::AdaptiveCsma => adaptive_csma::NAME,
            AccessKind::EzFlow => ez_flow::NAME,
            AccessKind::Diffq => diffq::NAME,
            AccessKind::Tdma => "tdma",
            AccessKind::SlotReservation => reservation::NAME,
        }
    }

    /// Whether data go in slots, in which nobody senses the carrier before.
    pub fn is_slotted(self) -> bool {
        matches!(self, AccessKind::Tdma | AccessKind::SlotReservation)
    }
}
