//! Pacing: of what the windows admit, segments leave spaced by a clock.
//!
//! A [`Spacing`] says how far apart segments leave; [`Pacer`] is the clock. Congestion control and
//! recovery still decide what may leave. A retransmission leaves at once, with every spacing: after
//! a fast retransmit nothing else leaves until the next acknowledgment; after a timeout segments
//! are not paced until then.

pub(super) mod config;
mod given;
mod rate;
mod spacing;
pub mod tcp_ap;

use schemars::{Schema, SchemaGenerator};

pub use config::{PacingConfig, PacingScheme};
pub use spacing::Spacing;

use super::actions::{SenderActions, TimerChange};
use super::config::TcpConfig;
use crate::kernel::{Duration, Instant};

impl PacingScheme {
    /// The schemas of what pacing adds to a result.
    pub fn report_schemas(generator: &mut SchemaGenerator) -> [(&'static str, Schema); 1] {
        [(PacingScheme::TcpAp.name(), generator.subschema_for::<tcp_ap::DelayCounters>())]
    }
}

/// The spacing that `config` selects, if any.
pub(super) fn spacing(config: &TcpConfig) -> Option<Box<dyn Spacing>> {
    match config.pacing_scheme() {
        PacingScheme::None => None,
        PacingScheme::TcpAp => Some(tcp_ap::spacing(config)),
        PacingScheme::Rate => Some(rate::spacing()),
    }
}

/// A spacing of `interval`, whatever happens.
pub(super) fn given(interval: Duration) -> Box<dyn Spacing> {
    Box::new(given::Given(interval))
}

/// When segments may leave: at the ticks of a clock, one at each.
#[derive(Debug)]
pub struct Pacer {
    spacing: Box<dyn Spacing>,
    clock: Clock,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Clock {
    /// The next segment leaves at once and starts the ticks.
    Ready,
    /// Segments leave at ticks.
    Ticking,
    /// Until the next acknowledgment nothing leaves.
    Stopped,
    /// Until the next acknowledgment segments are not paced.
    Off,
}

impl Pacer {
    /// The pacer that `config` selects, if any.
    pub fn new(config: &TcpConfig) -> Option<Pacer> {
        spacing(config).map(|spacing| Pacer { spacing, clock: Clock::Ready })
    }

    /// The pacer with another spacing, from its next interval on.
    pub fn spaced(pacer: Option<Pacer>, spacing: Box<dyn Spacing>) -> Pacer {
        Pacer { spacing, clock: pacer.map_or(Clock::Ready, |pacer| pacer.clock) }
    }

    /// How far apart segments leave.
    pub fn spacing(&self) -> &dyn Spacing {
        &*self.spacing
    }

    /// An acknowledgment travelled `hops` hops; its segment was sent a round trip ago.
    pub fn on_ack(&mut self, rtt: Duration, hops: u32) {
        self.spacing.on_ack(rtt, hops);
        if self.clock != Clock::Ticking {
            self.clock = Clock::Ready;
        }
    }

    /// Whether segments are paced now.
    pub fn paces(&self) -> bool {
        self.clock != Clock::Off
    }

    /// Whether a segment may leave between ticks.
    pub fn is_ready(&self) -> bool {
        self.clock == Clock::Ready
    }

    /// The next tick comes `interval` from now; without one, the next segment leaves at once.
    pub fn tick_after(
        &mut self,
        interval: Option<Duration>,
        now: Instant,
        out: &mut SenderActions,
    ) {
        self.clock = if interval.is_some() { Clock::Ticking } else { Clock::Ready };
        if let Some(interval) = interval {
            out.pacing = Some(TimerChange::Set(now + interval));
        }
    }

    /// A tick found nothing to send: the clock waits for the next segment.
    pub fn wait(&mut self) {
        self.clock = Clock::Ready;
    }

    /// The ticks stop: nothing leaves until the next acknowledgment, and then the first segment at
    /// once.
    pub fn stop(&mut self, out: &mut SenderActions) {
        self.clock = Clock::Stopped;
        out.pacing = Some(TimerChange::Cancel);
    }

    /// The ticks stop: segments are not paced until the next acknowledgment.
    pub fn switch_off(&mut self, out: &mut SenderActions) {
        self.clock = Clock::Off;
        out.pacing = Some(TimerChange::Cancel);
    }
}
