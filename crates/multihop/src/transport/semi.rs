//! Semi-TCP: TCP's reliability without its congestion control.
//!
//! Source: Cai, Jiang, Guan, Yu, "Decoupling congestion control from TCP (semi-TCP) for multi-hop
//! wireless networks", EURASIP JWCN 2013:149, section 3.1.
//!
//! There is no window. One segment leaves whenever the node has room for it (`on_room`): the one
//! whose retransmission is due, or else the next new one. Losses are detected by the retransmission
//! timer alone. It runs for the oldest unacknowledged segment and does not double.
//!
//! Segment 0 is the SYN, as with [`super::Sender`]; data follow its acknowledgment.
//!
//! Deviation (the paper is silent): a duplicate segment is acknowledged, since its first
//! acknowledgment may have been lost. `answer_every` and `repair = "partial"` have holes repaired
//! sooner than one a timeout. `out_of_order_acks = "selective"` is what the authors' program calls
//! duplicate ACKs.

pub(super) mod config;
mod sendings;

use std::collections::{BTreeSet, VecDeque};

pub use config::{Repair, SemiTcpConfig, SemiTcpProfile, SourceRule};
use sendings::Sendings;

use super::config::TcpConfig;
use super::congestion::WindowValidation;
use super::flow_sender::FlowSender;
use super::link_failure::LinkFailure;
use super::pacing::PacingScheme;
use super::rtt::RttEstimator;
use super::sack::RecoveryScheme;
use super::scheme::{Pull, Scheme, Sending};
use super::supply::Supply;
use super::{Acknowledgment, SenderActions, SenderCounters, TimerChange};
use crate::config::ConfigError;
use crate::kernel::{Instant, Rng};
use crate::profile::Profile;
use crate::wire::tcp::{SackBlocks, SegmentKind};

/// `transport.scheme = "semi-tcp"`.
pub const SCHEME: Scheme = Scheme {
    sending: Sending::Own(|config, supply, profile, rng| {
        Box::new(SemiSender::new(config, supply, profile, rng))
    }),
    pacing: PacingScheme::None,
    recovery: RecoveryScheme::DuplicateAcks,
    rto_backoff: false,
    pull: |config| {
        Some(Pull {
            wants_empty_node: config.semi.source_rule() == SourceRule::EmptyQueue,
            stored_acks: config.semi.stored_acks as usize,
            out_of_order_acks: config.semi.out_of_order_acks,
            answer_every: config.semi.answer_every,
        })
    },
    check,
};

fn check(config: &TcpConfig) -> Result<(), ConfigError> {
    let fault = |key, fault: &str| Err(ConfigError::new(key, fault));
    if config.link_failure != LinkFailure::Ignore {
        return fault(
            "link_failure",
            "must be \"ignore\" with scheme \"semi-tcp\", which has no window to keep",
        );
    }
    if config.pacing_scheme() != PacingScheme::None {
        return fault(
            "pacing.scheme",
            "must be \"none\" with scheme \"semi-tcp\", whose segments leave as the node has room",
        );
    }
    if config.recovery.scheme.is_some() {
        return fault(
            "recovery.scheme",
            "can't be set with scheme \"semi-tcp\", which repairs losses its own way",
        );
    }
    if config.window_validation != WindowValidation::None {
        return fault(
            "window_validation",
            "must be \"none\" with scheme \"semi-tcp\", which has no window",
        );
    }
    if config.ecn {
        return fault(
            "ecn",
            "must be false with scheme \"semi-tcp\", which has no window to reduce",
        );
    }
    if config.free_acks {
        return fault(
            "free_acks",
            "must be false with scheme \"semi-tcp\", whose acknowledgments are selective",
        );
    }
    Ok(())
}

/// A sender without a window.
#[derive(Debug)]
pub struct SemiSender {
    supply: Supply,
    max_unacknowledged: Option<u32>,
    repair: Repair,
    rtt: RttEstimator,
    started: bool,
    /// The lowest segment not acknowledged.
    unacknowledged: u32,
    /// The lowest segment never sent.
    unsent: u32,
    /// Segments above `unacknowledged` that were acknowledged selectively.
    selected: BTreeSet<u32>,
    /// Retransmissions due, in this order.
    due: VecDeque<u32>,
    /// When segments were last sent, if that is asked for.
    sendings: Option<Sendings>,
    /// The segment being timed, and when it was sent.
    timed: Option<(u32, Instant)>,
    counters: SenderCounters,
}

impl SemiSender {
    /// A sender that has sent nothing.
    pub fn new(config: &TcpConfig, supply: Supply, profile: Profile, rng: &mut Rng) -> SemiSender {
        SemiSender {
            supply,
            max_unacknowledged: config.semi.max_unacknowledged_segments.finite(),
            repair: config.semi.repair,
            rtt: RttEstimator::new(config, config.rules(profile), rng),
            started: false,
            unacknowledged: 0,
            unsent: 0,
            selected: BTreeSet::new(),
            due: VecDeque::new(),
            sendings: (config.semi.repair == Repair::Partial || config.semi.answer_every > 0)
                .then(Sendings::default),
            timed: None,
            counters: SenderCounters::default(),
        }
    }

    /// Whether a new segment may leave: the SYN, and all others once that is acknowledged.
    fn may_send_new(&self) -> bool {
        let connected = self.unacknowledged > 0 || self.unsent == 0;
        let outstanding = self.unsent - self.unacknowledged;
        let within = self.max_unacknowledged.is_none_or(|limit| outstanding < limit);
        self.started && connected && within && self.unsent < self.supply.end()
    }

    fn send(&mut self, now: Instant, number: u32, retransmission: bool, out: &mut SenderActions) {
        if let Some(sendings) = &mut self.sendings {
            sendings.note(now, number);
        }
        let payload_bytes = self.supply.payload_bytes(number);
        out.send.push(SegmentKind::data(number, payload_bytes, retransmission, false));
        self.counters.sent_segments += 1;
    }

    /// Advances past the selectively acknowledged segments that are next in order.
    fn pass_selected(&mut self) {
        while self.selected.remove(&self.unacknowledged) {
            self.unacknowledged += 1;
        }
        self.selected = self.selected.split_off(&self.unacknowledged);
    }

    /// All segments below `unacknowledged` have been acknowledged, some of them just now.
    fn on_advance(&mut self, now: Instant, out: &mut SenderActions) {
        self.supply.release(self.unacknowledged);
        self.due.retain(|&due| due >= self.unacknowledged);
        if let Some(sendings) = &mut self.sendings {
            sendings.forget_below(self.unacknowledged);
        }
        if self.repair == Repair::Partial && self.unacknowledged < self.unsent {
            self.repair_if_overdue(now, self.unacknowledged);
        }
        self.renew_timer(now, out);
    }

    /// Segment `number` is missing: it is due if it was last sent longer than a timeout ago.
    fn repair_if_overdue(&mut self, now: Instant, number: u32) {
        let wait = self.rtt.timeout();
        let sendings = self.sendings.as_ref();
        let is_overdue = sendings.is_some_and(|sent| sent.is_overdue(now, number, wait));
        if is_overdue && !self.due.contains(&number) {
            self.due.push_back(number);
        }
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

impl FlowSender for SemiSender {
    fn on_accept(&mut self) {
        self.started = true;
        self.unacknowledged = 1;
        self.unsent = 1;
    }

    fn on_start(&mut self, _now: Instant, _out: &mut SenderActions) {
        self.started = true;
    }

    fn on_stop(&mut self, _now: Instant) {
        self.supply.close_at(self.unsent);
    }

    fn on_supply(&mut self, _now: Instant, bytes: u64, _out: &mut SenderActions) -> u32 {
        self.supply.push(bytes)
    }

    fn on_room(&mut self, now: Instant, out: &mut SenderActions) {
        if let Some(number) = self.due.pop_front() {
            self.counters.retransmits += 1;
            // Karn's rule: what was sent twice is no sample.
            self.timed = self.timed.filter(|&(timed, _)| timed != number);
            self.send(now, number, true, out);
        } else if self.may_send_new() {
            let number = self.unsent;
            self.unsent += 1;
            if self.timed.is_none() {
                self.timed = Some((number, now));
            }
            self.send(now, number, false, out);
            if self.unsent == self.unacknowledged + 1 {
                self.restart_timer(now, out);
            }
        }
    }

    fn on_ack(&mut self, now: Instant, ack: Acknowledgment, out: &mut SenderActions) {
        let below = ack.number + 1;
        if below > self.unsent || below <= self.unacknowledged {
            return;
        }
        self.unacknowledged = below;
        self.pass_selected();
        if let Some((segment, sent)) = self.timed
            && segment < self.unacknowledged
        {
            self.rtt.on_sample(sent, now);
            self.timed = None;
        }
        self.on_advance(now, out);
    }

    fn on_selective_ack(&mut self, now: Instant, number: u32, out: &mut SenderActions) {
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
            self.on_advance(now, out);
        }
    }

    fn on_sack(
        &mut self,
        now: Instant,
        ack: Acknowledgment,
        blocks: SackBlocks,
        out: &mut SenderActions,
    ) {
        let number = ack.number;
        if number >= self.unsent {
            return;
        }
        let before = self.unacknowledged;
        self.unacknowledged = before.max(number + 1);
        for (from, to) in blocks.iter() {
            self.selected.extend(from.max(self.unacknowledged)..to.min(self.unsent));
        }
        self.pass_selected();
        let has = |number: u32| number < self.unacknowledged || self.selected.contains(&number);
        self.due.retain(|&due| !has(due));
        if let Some((_, sent)) = self.timed.filter(|&(segment, _)| has(segment)) {
            self.rtt.on_sample(sent, now);
            self.timed = None;
        }
        if self.unacknowledged > before {
            self.on_advance(now, out);
        }
        let mut hole = number + 1;
        for (from, to) in blocks.iter() {
            for missing in hole.max(self.unacknowledged)..from.min(self.unsent) {
                if !self.selected.contains(&missing) {
                    self.repair_if_overdue(now, missing);
                }
            }
            hole = hole.max(to);
        }
    }

    fn on_timeout(&mut self, now: Instant, out: &mut SenderActions) {
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

    fn highest_ack(&self) -> Option<u32> {
        self.unacknowledged.checked_sub(1)
    }

    fn counters(&self) -> SenderCounters {
        self.counters
    }

    fn mean_rtt_s(&self) -> Option<f64> {
        self.rtt.mean_s()
    }
}
