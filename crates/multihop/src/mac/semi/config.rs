//! The keys of the scenario's `[mac.semi]` table.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::config::{ConfigError, Limit, positive};
use crate::kernel::Duration;
use crate::mac::admission::BackPressureRules;

/// Its name in `mac.scheme` and in results.
pub const NAME: &str = "semi-tcp";

/// Hop-by-hop admission (`mac.scheme = "semi-tcp"`).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct SemiConfig {
    /// Whose rules give the defaults of the other keys.
    pub profile: SemiProfile,
    /// T_c: a node's own transport sends nothing while this many data packets are in the node.
    pub congestion_threshold_packets: u32,
    /// m: buffer space beyond T_c for transit packets (packets). With T_c + m data packets a node
    /// is congested.
    pub transit_packets: u32,
    /// g: buffer space beyond T_c + m for packets that resolve a deadlock (packets); `inf`: no
    /// limit. Default: 1; `inf` in the profile `author`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deadlock_packets: Option<Limit>,
    /// k: data frames of a marked neighbour that clear its mark. A mark lasts k times
    /// `mark_lifetime_s`.
    pub release_frames: u32,
    /// Lifetime of a mark (s), to be multiplied by k. Default: 0.02; 0.006 in `author`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mark_lifetime_s: Option<f64>,
    /// MIN_CONGESTION: the minimum contention window of a node that has left an RTSC unanswered,
    /// until its next successful delivery (slots).
    pub min_congestion_window: u32,
    /// What a congested node does if its next hop is congested, too.
    pub congested_next_hop: CongestedNextHop,
    /// How a congested node answers an RTSC that is neither a grant to repay nor a deadlock.
    /// Default: `silent`; `rtsc` in `author`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub other_rtsc: Option<OtherRtsc>,
    /// An RTSC refused by RTSC counts as a failed attempt. Otherwise congested nodes whose next
    /// hops form a cycle refuse each other for ever. Default: yes; no in `author`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub count_refused_rtsc: Option<bool>,
    /// A congested node grants a CTS to a node that granted it a CTSC before. Default: yes; no in
    /// `author`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub repay: Option<bool>,
    /// A congested node that waits to repeat an RTS or RTSC also answers nodes other than its next
    /// hop. Default: no; yes in `author`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answer_while_repeating: Option<bool>,
    /// A congested node without a packet in its MAC leaves every RTS and RTSC for data unanswered.
    /// Default: yes; no in `author`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub refuse_without_packet: Option<bool>,
    /// Whether a node marks its neighbours one by one. Default: `per-neighbour`; `common` in
    /// `author`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub marks: Option<MarkMemory>,
    /// The RTS of a routing or ARP packet marks its sender. Default: no; yes in `author`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub urgent_marks: Option<bool>,
    /// When a node tests whether it must defer, and for how long it defers. Default:
    /// `while-marked`; `once` in `author`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deferral: Option<Deferral>,
    /// Routing and ARP packets count as data packets, both for occupancy and for clearing marks.
    /// Default: no; yes in `author`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub count_control: Option<bool>,
    /// Packets of transports that send unasked (UDP, TCP with a window and its acknowledgments)
    /// wait at their source until fewer than T_c packets are in the node. Default: yes; no in
    /// `author`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hold_sources: Option<bool>,
    /// Packets of a flow that can wait there (packets); beyond that the newest is dropped.
    pub source_buffer_packets: u32,
}

/// Whose rules apply.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SemiProfile {
    /// The paper's.
    #[default]
    Paper,
    /// Those of the ns-2 program that its first author published.
    Author,
}

/// What a congested node with a packet for a congested neighbour does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum CongestedNextHop {
    /// It sends RTSC; otherwise no deadlock could be detected.
    #[default]
    Ask,
    /// It defers, as line 1 of Algorithm 1 literally says.
    Defer,
}

/// How a congested node answers an RTSC that it does not grant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum OtherRtsc {
    /// Not at all, and it contends with a smaller window: line 9 of Algorithm 2.
    Silent,
    /// With an RTSC of its own: the paper's prose and Fig. 3 (e).
    Rtsc,
}

/// How a node remembers which neighbours are congested.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum MarkMemory {
    /// A mark for each neighbour, cleared by that neighbour's data frames.
    PerNeighbour,
    /// One mark for all neighbours, cleared by the data frames of any of them.
    Common,
}

/// When a node defers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Deferral {
    /// While a mark requires it.
    WhileMarked,
    /// Tests only when a packet is handed to the MAC; then defers for the lifetime of a mark or
    /// until the k-th data frame.
    Once,
}

impl Default for SemiConfig {
    fn default() -> Self {
        SemiConfig {
            profile: SemiProfile::default(),
            congestion_threshold_packets: 1,
            transit_packets: 1,
            deadlock_packets: None,
            release_frames: 1,
            mark_lifetime_s: None,
            min_congestion_window: 7,
            congested_next_hop: CongestedNextHop::default(),
            other_rtsc: None,
            count_refused_rtsc: None,
            repay: None,
            answer_while_repeating: None,
            refuse_without_packet: None,
            marks: None,
            urgent_marks: None,
            deferral: None,
            count_control: None,
            hold_sources: None,
            source_buffer_packets: 50,
        }
    }
}

/// The rules that a [`SemiConfig`] selects.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rules {
    /// T_c.
    pub threshold: u32,
    /// T_c + m: with this many data packets a node is congested.
    pub congested_from: u32,
    /// T_c + m + g: with this many data packets a node grants nothing; none if there is no such
    /// bound.
    pub full_from: Option<u32>,
    /// k.
    pub release_frames: u32,
    /// Lifetime of a mark, k included.
    pub mark_lifetime: Duration,
    /// MIN_CONGESTION \[slots\].
    pub min_congestion_window: u32,
    /// See [`SemiConfig::congested_next_hop`].
    pub congested_next_hop: CongestedNextHop,
    /// See [`SemiConfig::other_rtsc`].
    pub other_rtsc: OtherRtsc,
    /// See [`SemiConfig::count_refused_rtsc`].
    pub count_refused_rtsc: bool,
    /// See [`SemiConfig::repay`].
    pub repay: bool,
    /// See [`SemiConfig::answer_while_repeating`].
    pub answer_while_repeating: bool,
    /// See [`SemiConfig::refuse_without_packet`].
    pub refuse_without_packet: bool,
    /// See [`SemiConfig::marks`].
    pub marks: MarkMemory,
    /// See [`SemiConfig::urgent_marks`].
    pub urgent_marks: bool,
    /// See [`SemiConfig::deferral`].
    pub deferral: Deferral,
    /// See [`SemiConfig::count_control`].
    pub count_control: bool,
    /// See [`SemiConfig::hold_sources`].
    pub hold_sources: bool,
    /// See [`SemiConfig::source_buffer_packets`].
    pub source_buffer_packets: usize,
}

impl Rules {
    /// The back-pressure on a node's own transports; `is_admitting`: the MACs follow these rules.
    pub fn back_pressure(&self, is_admitting: bool) -> BackPressureRules {
        let holds = is_admitting && self.hold_sources;
        BackPressureRules {
            name: NAME,
            threshold: self.threshold,
            counts_control: self.count_control,
            is_admitting,
            source_buffer_packets: holds.then_some(self.source_buffer_packets),
        }
    }
}

impl SemiConfig {
    fn deadlock_packets(&self) -> Limit {
        self.deadlock_packets.unwrap_or(match self.profile {
            SemiProfile::Author => Limit::Infinite,
            SemiProfile::Paper => Limit::Finite(1),
        })
    }

    fn mark_lifetime_s(&self) -> f64 {
        self.mark_lifetime_s.unwrap_or(match self.profile {
            SemiProfile::Author => 0.006,
            SemiProfile::Paper => 0.02,
        })
    }

    /// The same with every default filled in.
    #[must_use]
    pub fn resolved(&self) -> SemiConfig {
        let rules = self.rules();
        SemiConfig {
            deadlock_packets: Some(self.deadlock_packets()),
            mark_lifetime_s: Some(self.mark_lifetime_s()),
            other_rtsc: Some(rules.other_rtsc),
            count_refused_rtsc: Some(rules.count_refused_rtsc),
            repay: Some(rules.repay),
            answer_while_repeating: Some(rules.answer_while_repeating),
            refuse_without_packet: Some(rules.refuse_without_packet),
            marks: Some(rules.marks),
            urgent_marks: Some(rules.urgent_marks),
            deferral: Some(rules.deferral),
            count_control: Some(rules.count_control),
            hold_sources: Some(rules.hold_sources),
            ..self.clone()
        }
    }

    /// The rules that the keys select.
    pub fn rules(&self) -> Rules {
        let author = self.profile == SemiProfile::Author;
        let congested_from = self.congestion_threshold_packets + self.transit_packets;
        let deadlock = self.deadlock_packets().finite();
        let mark_lifetime = Duration::from_secs_f64(self.mark_lifetime_s());
        Rules {
            threshold: self.congestion_threshold_packets,
            congested_from,
            full_from: deadlock.map(|places| congested_from.saturating_add(places)),
            release_frames: self.release_frames,
            mark_lifetime: mark_lifetime * u64::from(self.release_frames),
            min_congestion_window: self.min_congestion_window,
            congested_next_hop: self.congested_next_hop,
            other_rtsc: self.other_rtsc.unwrap_or(match author {
                true => OtherRtsc::Rtsc,
                false => OtherRtsc::Silent,
            }),
            count_refused_rtsc: self.count_refused_rtsc.unwrap_or(!author),
            repay: self.repay.unwrap_or(!author),
            answer_while_repeating: self.answer_while_repeating.unwrap_or(author),
            refuse_without_packet: self.refuse_without_packet.unwrap_or(!author),
            marks: self.marks.unwrap_or(match author {
                true => MarkMemory::Common,
                false => MarkMemory::PerNeighbour,
            }),
            urgent_marks: self.urgent_marks.unwrap_or(author),
            deferral: self.deferral.unwrap_or(match author {
                true => Deferral::Once,
                false => Deferral::WhileMarked,
            }),
            count_control: self.count_control.unwrap_or(author),
            hold_sources: self.hold_sources.unwrap_or(!author),
            source_buffer_packets: self.source_buffer_packets as usize,
        }
    }

    /// Checks every key against its bounds, for an interface queue of `queue_packets`.
    ///
    /// # Errors
    /// The first key that is out of bounds.
    pub fn check(&self, queue_packets: u32) -> Result<(), ConfigError> {
        let most = queue_packets - 1;
        for (key, value, low, high) in [
            ("semi.congestion_threshold_packets", self.congestion_threshold_packets, 1, most),
            ("semi.transit_packets", self.transit_packets, 0, most),
            ("semi.release_frames", self.release_frames, 1, 1000),
            ("semi.min_congestion_window", self.min_congestion_window, 1, 1_000_000),
            ("semi.source_buffer_packets", self.source_buffer_packets, 1, 1_000_000),
        ] {
            if value < low || value > high {
                let fault = format!("must be {low} to {high} (got {value})");
                return Err(ConfigError::new(key, fault));
            }
        }
        positive("semi.mark_lifetime_s", self.mark_lifetime_s.unwrap_or(1.0), 60.0)?;
        match self.rules().full_from {
            Some(full) if full > most => Err(ConfigError::new(
                "semi.deadlock_packets",
                format!(
                    "must leave T_c + m + g at most queue_packets - 1, {most} (T_c + m is {})",
                    self.rules().congested_from
                ),
            )),
            _ => Ok(()),
        }
    }
}
