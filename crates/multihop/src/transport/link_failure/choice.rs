//! What keys of `[transport]` choose of reactions to broken routes.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::elfn;
use super::outside::{Make, Outside};
use crate::config::outside::{chosen_by_name, one_of};

/// What a sender does when routing reports that the flow's route has broken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(rename = "LinkFailureReaction", transform = one_of)]
pub enum LinkFailure {
    /// Nothing.
    #[default]
    Ignore,
    /// Stops and probes with one segment each retransmission timeout, as it was when the route
    /// broke, until any acknowledgment comes.
    Standby,
    /// Explicit link failure notification: freezes, and probes with a marked segment every 2 s
    /// until its acknowledgment, marked too, comes.
    Elfn,
    /// What another crate has it do.
    #[serde(untagged)]
    #[schemars(skip)]
    Outside(Outside),
}

impl LinkFailure {
    /// Time between probes \[s\] where `transport.probe_interval_s` gives none, if it is always the
    /// same.
    pub fn usual_probe_interval_s(self) -> Option<f64> {
        matches!(self, LinkFailure::Elfn).then_some(elfn::PROBE_INTERVAL.as_secs_f64())
    }

    /// Every one of ours, by name.
    pub const OURS: &[(&'static str, LinkFailure)] = &[
        ("ignore", LinkFailure::Ignore),
        ("standby", LinkFailure::Standby),
        ("elfn", LinkFailure::Elfn),
    ];
}

/// When a sender whose route has broken sends its first probe.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FirstProbe {
    /// At once.
    #[default]
    Immediate,
    /// One interval later.
    AfterInterval,
}

chosen_by_name! {
    impl Choice for LinkFailure {
        type Make = Make;
        const KEY = "transport.link_failure";
        const DEFINITION = "LinkFailureReaction";
        const OURS = LinkFailure::OURS;
    }
}
