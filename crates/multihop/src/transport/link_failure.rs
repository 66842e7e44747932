//! What a sender does when routing reports that its route has broken.
//!
//! A sender that reacts is *suspended*: its window, threshold, timeout and recovery state are kept,
//! its retransmission timer is stopped, and it sends nothing but probes, each the lowest
//! unacknowledged segment. A reaction decides what probes look like, how often they leave and what
//! ends the suspension; the shared steps are in `sender/suspension.rs`.

pub(super) mod choice;
mod elfn;
mod outside;
mod reaction;
mod standby;

pub use choice::{FirstProbe, LinkFailure};
pub use elfn::Elfn;
pub use outside::Outside;
pub use reaction::{LinkFailureCounters, LinkFailureReaction};
pub use standby::Standby;

use super::actions::Acknowledgment;
use super::config::TcpConfig;
use crate::kernel::{Duration, Instant};
use crate::measure::Counts;

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
