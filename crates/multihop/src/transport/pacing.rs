//! Pacing: of what the windows admit, segments leave spaced by a clock.
//!
//! A [`Spacing`] says how far apart segments leave; [`Pacer`] is the clock. Congestion control and
//! recovery still decide what may leave. A retransmission leaves at once, with every spacing: after
//! a fast retransmit nothing else leaves until the next acknowledgment; after a timeout segments
//! are not paced until then.

mod config;
mod given;
mod rate;
pub mod tcp_ap;

use std::fmt::Debug;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};

pub use config::PacingConfig;

use super::config::TcpConfig;
use super::congestion::{CongestionControl, Window};
use super::{SenderActions, TimerChange};
use crate::kernel::{Duration, Instant};
use crate::measure::Counts;

/// What spaces segments.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum PacingScheme {
    /// Nothing: segments leave as the windows admit them.
    #[default]
    None,
    /// Adaptive pacing: the delay over four hops.
    TcpAp,
    /// The congestion control's rate: the window over the smoothed round trip, unless it states
    /// another.
    Rate,
}

impl PacingScheme {
    /// The key that selects it.
    pub const KEY: &str = "transport.pacing.scheme";

    /// Its name there.
    pub fn name(self) -> &'static str {
        match self {
            PacingScheme::None => "none",
            PacingScheme::TcpAp => "tcp-ap",
            PacingScheme::Rate => "rate",
        }
    }

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

/// How far apart segments leave.
pub trait Spacing: Debug + Send + Sync {
    /// An acknowledgment travelled `hops` hops; its segment was sent a round trip ago.
    fn on_ack(&mut self, _rtt: Duration, _hops: u32) {}

    /// Time from one segment to the next; none sends them at once.
    fn interval(
        &self,
        control: &dyn CongestionControl,
        window: &Window,
        smoothed_rtt: Option<Duration>,
    ) -> Option<Duration>;

    /// Whether the clock ticks on while nothing may leave, so that the next segment waits for a
    /// tick. Otherwise it leaves at once.
    fn ticks_on(&self) -> bool;

    /// Adds what it has counted of its own to the result, where it stands under the name that
    /// scenarios have for it.
    fn report(&self, _counts: &mut Counts) {}
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
