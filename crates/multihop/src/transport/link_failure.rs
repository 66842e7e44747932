//! What a sender does when routing reports that its route has broken.
//!
//! A sender that reacts is *suspended*: its window, threshold, timeout and recovery state are kept,
//! its retransmission timer is stopped, and it sends nothing but probes, each the lowest
//! unacknowledged segment. A reaction decides what probes look like, how often they leave and what
//! ends the suspension; the shared steps are in `sender/suspension.rs`.

mod elfn;
mod outside;
mod standby;

use std::fmt::Debug;

pub use elfn::Elfn;
pub use outside::Outside;
pub use standby::Standby;

use schemars::JsonSchema;
use serde::Serialize;

use super::Acknowledgment;
use super::config::{FirstProbe, TcpConfig};
use crate::config::outside::one_of;
use crate::kernel::{Duration, Instant};
use crate::measure::Counts;

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

/// The reaction that `config` selects, if any.
pub fn of(config: &TcpConfig) -> Option<Box<dyn LinkFailureReaction>> {
    let interval = config.probe_interval_s.map(Duration::from_secs_f64);
    match config.link_failure {
        LinkFailure::Ignore => None,
        LinkFailure::Standby => Some(Box::new(Standby::new(interval))),
        LinkFailure::Elfn => Some(Box::new(Elfn::new(interval))),
        LinkFailure::Outside(outside) => Some((outside.maker())(interval)),
    }
}

/// A way to react to a broken route.
///
/// ```
/// use multihop::api::kernel::Duration;
/// use multihop::api::transport::link_failure::LinkFailureReaction;
/// use multihop::api::transport::{Acknowledgment, LinkFailureCounters};
///
/// /// Probes every second until anything is acknowledged, then goes on where it stopped.
/// #[derive(Debug)]
/// struct EverySecond;
///
/// impl LinkFailureReaction for EverySecond {
///     fn probe_interval(&self, _: Duration) -> Duration {
///         Duration::from_secs(1)
///     }
///
///     fn marks_probes(&self) -> bool {
///         false
///     }
///
///     fn ends_with(&self, _: &Acknowledgment) -> bool {
///         true
///     }
///
///     fn count(&self, counters: &mut LinkFailureCounters) {
///         counters.standbys += 1;
///     }
///
///     fn timer_afterwards(&self, left: Duration, _: Duration) -> Duration {
///         left
///     }
/// }
///
/// assert!(EverySecond.ends_with(&Acknowledgment::default()));
/// ```
pub trait LinkFailureReaction: Debug + Send + Sync {
    /// Time from one probe to the next, given the retransmission timeout at the route error.
    fn probe_interval(&self, rto: Duration) -> Duration;

    /// Whether probes carry a mark, which their acknowledgments echo.
    fn marks_probes(&self) -> bool;

    /// Whether `ack` ends the suspension.
    fn ends_with(&self, ack: &Acknowledgment) -> bool;

    /// Counts a suspension.
    fn count(&self, counters: &mut LinkFailureCounters);

    /// What the retransmission timer is set to after a suspension, given the time `left` when it
    /// was stopped.
    fn timer_afterwards(&self, left: Duration, rto: Duration) -> Duration;

    /// Adds what it has counted of its own to the result, where it stands under the name that
    /// scenarios have for it.
    fn report(&self, _counts: &mut Counts) {}
}

/// The effect of broken routes on a sender.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LinkFailureCounters {
    /// Route errors received.
    pub route_errors: u64,
    /// Those of them received while suspended.
    pub route_errors_suspended: u64,
    /// Times that the sender froze.
    pub freezes: u64,
    /// Times that the sender went into standby.
    pub standbys: u64,
    /// Probes sent.
    pub probes: u64,
    /// Time suspended.
    pub suspended: Duration,
}

/// A sender's reaction and the suspension under way, if any.
#[derive(Debug)]
pub(super) struct LinkFailureState {
    reaction: Option<Box<dyn LinkFailureReaction>>,
    first_probe: FirstProbe,
    probe_backoff: f64,
    most_probe_interval: Duration,
    suspension: Option<Suspension>,
    counters: LinkFailureCounters,
}

/// A suspension.
#[derive(Clone, Copy, Debug)]
struct Suspension {
    since: Instant,
    /// Time left on the retransmission timer.
    timer_left: Duration,
    /// Time from the next probe to the one after it.
    probe_interval: Duration,
}

impl LinkFailureState {
    /// The state before any route error.
    pub fn new(config: &TcpConfig) -> LinkFailureState {
        LinkFailureState {
            reaction: of(config),
            first_probe: config.first_probe,
            probe_backoff: config.probe_backoff,
            most_probe_interval: Duration::from_secs_f64(config.rto_max_s),
            suspension: None,
            counters: LinkFailureCounters::default(),
        }
    }

    /// Whether the sender is suspended.
    pub fn is_suspended(&self) -> bool {
        self.suspension.is_some()
    }

    /// A route error; `can_probe` is whether any segment is unacknowledged. Returns when the first
    /// probe is due if this suspends the sender.
    pub fn on_route_error(
        &mut self,
        now: Instant,
        can_probe: bool,
        timer_left: Duration,
        rto: Duration,
    ) -> Option<Instant> {
        self.counters.route_errors += 1;
        if self.is_suspended() {
            self.counters.route_errors_suspended += 1;
            return None;
        }
        let reaction = self.reaction.as_ref().filter(|_| can_probe)?;
        let probe_interval = reaction.probe_interval(rto);
        self.suspension = Some(Suspension { since: now, timer_left, probe_interval });
        reaction.count(&mut self.counters);
        match self.first_probe {
            FirstProbe::Immediate => Some(now),
            FirstProbe::AfterInterval => Some(now + probe_interval),
        }
    }

    /// A probe leaves. Returns whether it is marked, and when the next is due.
    pub fn on_probe(&mut self, now: Instant) -> Option<(bool, Instant)> {
        let (reaction, suspension) = self.reaction.as_ref().zip(self.suspension.as_mut())?;
        self.counters.probes += 1;
        let next = now + suspension.probe_interval;
        if suspension.probe_interval < self.most_probe_interval {
            let longer_s = suspension.probe_interval.as_secs_f64() * self.probe_backoff;
            suspension.probe_interval =
                Duration::from_secs_f64(longer_s).min(self.most_probe_interval);
        }
        Some((reaction.marks_probes(), next))
    }

    /// An acknowledgment. If it ends a suspension, returns how long that lasted and what the
    /// retransmission timer is set to.
    pub fn on_ack(
        &mut self,
        now: Instant,
        ack: &Acknowledgment,
        rto: Duration,
    ) -> Option<(Duration, Duration)> {
        let reaction = self.reaction.as_ref()?;
        let suspension = self.suspension.take_if(|_| reaction.ends_with(ack))?;
        let lasted = now - suspension.since;
        self.counters.suspended += lasted;
        Some((lasted, reaction.timer_afterwards(suspension.timer_left, rto)))
    }

    /// Adds what the reaction has counted of its own.
    pub fn report(&self, counts: &mut Counts) {
        if let Some(reaction) = &self.reaction {
            reaction.report(counts);
        }
    }

    /// The counters, with a suspension under way counted up to `now`.
    pub fn counters(&self, now: Instant) -> LinkFailureCounters {
        let under_way = self.suspension.map(|suspension| now.saturating_since(suspension.since));
        let suspended = self.counters.suspended + under_way.unwrap_or(Duration::ZERO);
        LinkFailureCounters { suspended, ..self.counters }
    }
}
