//! Semi-TCP: TCP's reliability without its congestion control.
//!
//! Source: Cai, Jiang, Guan, Yu, "Decoupling congestion control from TCP (semi-TCP) for multi-hop wireless
//! networks", EURASIP JWCN 2013:149, section 3.1.
//!
//! There is no window. One segment leaves whenever the node has room for it (`on_room`): the one whose
//! retransmission is due, or else the next new one. Losses show in the retransmission timer only, one for
//! the oldest segment without acknowledgment; it is not doubled.
//!
//! Segment 0 is the SYN, as with [`super::Sender`]; data follow its acknowledgment.
//!
//! Deviation (the paper is silent): a segment that comes again is answered, since its acknowledgment may
//! have been lost. `out_of_order_acks = "selective"` is what the authors' program calls duplicate ACKs.

use std::collections::{BTreeSet, VecDeque};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::config::TcpConfig;
use super::receiver::Received;
use super::rtt::RttEstimator;
use super::{SenderActions, SenderCounters, TimerChange};
use crate::config::{ConfigError, Limit};
use crate::kernel::{Instant, Rng};
use crate::profile::Profile;
use crate::wire::tcp::SegmentKind;

/// Semi-TCP's transport (`transport.scheme = "semi-tcp"`).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct SemiTcpConfig {
    /// Whose rules are the defaults of the other keys.
    pub profile: SemiTcpProfile,
    /// When a node has room for a packet of its own. Default: `threshold`; `empty-queue` in `author`.
    pub source_rule: Option<SourceRule>,
    /// How a segment is answered that arrives before one with a lower number.
    pub out_of_order_acks: OutOfOrderAcks,
    /// Unacknowledged segments at most.
    pub max_unacknowledged_segments: Limit,
    /// Acknowledgments that can wait for room in the receiver's node; of more the oldest is dropped.
    pub stored_acks: u32,
}

/// Whose rules.
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
    /// For a segment: while none is. For an acknowledgment: as `threshold`, the MAC's own packet apart.
    EmptyQueue,
}

/// How a segment is answered that arrives before one with a lower number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum OutOfOrderAcks {
    /// Not at all.
    #[default]
    Silent,
    /// By an acknowledgment of this one segment.
    Selective,
    /// By the cumulative acknowledgment once more, of which the sender makes nothing.
    Duplicate,
}

impl Default for SemiTcpConfig {
    fn default() -> Self {
        SemiTcpConfig {
            profile: SemiTcpProfile::default(),
            source_rule: None,
            out_of_order_acks: OutOfOrderAcks::default(),
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
        match self.stored_acks {
            1..=1_000_000 => Ok(()),
            other => {
                let fault = format!("must be 1 to 1000000 (got {other})");
                Err(ConfigError::new("semi.stored_acks", fault))
            }
        }
    }
}

impl OutOfOrderAcks {
    /// The number to acknowledge, and whether it stands for one segment alone, once segment `number`
    /// has arrived as `received` and all up to `cumulative` have. None: silence.
    pub fn answer(self, received: Received, number: u32, cumulative: u32) -> Option<(u32, bool)> {
        match (received, self) {
            (Received::OutOfOrder, OutOfOrderAcks::Silent) => None,
            (Received::OutOfOrder, OutOfOrderAcks::Selective) => Some((number, true)),
            _ => Some((cumulative, false)),
        }
    }
}

/// A sender without a window.
#[derive(Debug)]
pub struct SemiSender {
    segment_bytes: u32,
    max_unacknowledged: Option<u32>,
    rtt: RttEstimator,
    started: bool,
    /// Segments below this one are acknowledged.
    unacknowledged: u32,
    /// Segments below this one have been sent.
    unsent: u32,
    /// No segment from this one on may be sent.
    end: u32,
    /// Segments above `unacknowledged` that are acknowledged one by one.
    selected: BTreeSet<u32>,
    /// Segments to be sent again, in this order.
    due: VecDeque<u32>,
    /// The segment that is timed, and when it was sent.
    timed: Option<(u32, Instant)>,
    counters: SenderCounters,
}

impl SemiSender {
    /// A sender that has sent nothing.
    pub fn new(config: &TcpConfig, profile: Profile, rng: &mut Rng) -> SemiSender {
        SemiSender {
            segment_bytes: config.segment_bytes,
            max_unacknowledged: config.semi.max_unacknowledged_segments.finite(),
            rtt: RttEstimator::new(config, profile, rng),
            started: false,
            unacknowledged: 0,
            unsent: 0,
            end: u32::MAX,
            selected: BTreeSet::new(),
            due: VecDeque::new(),
            timed: None,
            counters: SenderCounters::default(),
        }
    }

    /// The application starts.
    pub fn on_start(&mut self) {
        self.started = true;
    }

    /// The application stops: nothing new is sent any more.
    pub fn on_stop(&mut self) {
        self.end = self.unsent;
    }

    /// The node has room for a segment: one leaves, if there is one.
    pub fn on_room(&mut self, now: Instant, out: &mut SenderActions) {
        if let Some(number) = self.due.pop_front() {
            self.counters.retransmits += 1;
            self.send(number, true, out);
        } else if self.may_send_new() {
            let number = self.unsent;
            self.unsent += 1;
            if self.timed.is_none() {
                self.timed = Some((number, now));
            }
            self.send(number, false, out);
            if self.unsent == self.unacknowledged + 1 {
                self.restart_timer(now, out);
            }
        }
    }

    /// Every segment up to `number` has arrived.
    pub fn on_ack(&mut self, now: Instant, number: u32, out: &mut SenderActions) {
        let below = number + 1;
        if below > self.unsent || below <= self.unacknowledged {
            return;
        }
        self.unacknowledged = below;
        self.pass_selected();
        self.due.retain(|&due| due >= self.unacknowledged);
        if let Some((segment, sent)) = self.timed
            && segment < self.unacknowledged
        {
            self.rtt.on_sample(sent, now);
            self.timed = None;
        }
        self.renew_timer(now, out);
    }

    /// Segment `number` has arrived, whatever has not.
    pub fn on_selective_ack(&mut self, now: Instant, number: u32, out: &mut SenderActions) {
        if number < self.unacknowledged || number >= self.unsent {
            return;
        }
        self.selected.insert(number);
        self.due.retain(|&due| due != number);
        if let Some((_, sent)) = self.timed.filter(|&(segment, _)| segment == number) {
            self.rtt.on_sample(sent, now);
            self.timed = None;
        }
        if number == self.unacknowledged {
            self.pass_selected();
            self.renew_timer(now, out);
        }
    }

    /// The retransmission timer has expired: the oldest segment is to be sent again.
    pub fn on_timeout(&mut self, now: Instant, out: &mut SenderActions) {
        if self.unacknowledged == self.unsent {
            return;
        }
        self.counters.timeouts += 1;
        self.rtt.on_timeout();
        self.timed = None;
        if !self.due.contains(&self.unacknowledged) {
            self.due.push_back(self.unacknowledged);
        }
        self.restart_timer(now, out);
    }

    /// Highest segment acknowledged with all before it, if any is.
    pub fn highest_ack(&self) -> Option<u32> {
        self.unacknowledged.checked_sub(1)
    }

    /// What the sender has done so far.
    pub fn counters(&self) -> SenderCounters {
        self.counters
    }

    /// Mean of all round-trip times measured \[s\].
    pub fn mean_rtt_s(&self) -> Option<f64> {
        self.rtt.mean_s()
    }

    /// Whether a new segment may leave: the SYN, and all others once that is acknowledged.
    fn may_send_new(&self) -> bool {
        let connected = self.unacknowledged > 0 || self.unsent == 0;
        let outstanding = self.unsent - self.unacknowledged;
        let within = self.max_unacknowledged.is_none_or(|limit| outstanding < limit);
        self.started && connected && within && self.unsent < self.end
    }

    fn send(&mut self, number: u32, retransmission: bool, out: &mut SenderActions) {
        let payload_bytes = if number == 0 { 0 } else { self.segment_bytes };
        out.send.push(SegmentKind::Data { number, payload_bytes, retransmission, probe: false });
        self.counters.sent_segments += 1;
    }

    /// What was acknowledged one by one counts with the rest as soon as it follows on.
    fn pass_selected(&mut self) {
        while self.selected.remove(&self.unacknowledged) {
            self.unacknowledged += 1;
        }
        self.selected = self.selected.split_off(&self.unacknowledged);
    }

    fn renew_timer(&mut self, now: Instant, out: &mut SenderActions) {
        if self.unacknowledged < self.unsent {
            self.restart_timer(now, out);
        } else {
            out.timer = Some(TimerChange::Cancel);
        }
    }

    fn restart_timer(&mut self, now: Instant, out: &mut SenderActions) {
        out.timer = Some(TimerChange::Set(now + self.rtt.timeout()));
    }
}
