//! Adaptive pacing (ElRakabawy, Klemm, Lindemann, "TCP with adaptive pacing for multihop wireless
//! networks", MobiHoc 2005; ACM/IEEE Transactions on Networking 2011): inside its window, a source spaces its
//! segments by the time that one takes over four hops, since nodes four hops apart do not disturb
//! each other, and by more the more that time varies.
//!
//! [`FourHopDelay`] estimates that time from round trips and the hops of acknowledgments; [`Pacer`] tells
//! when a segment may leave. What may leave is the congestion control's business, unchanged.
//!
//! Deviation: the published agent lists segments as the window admits them; a fast retransmission empties its list, and
//! the segments on it count as sent. Here a segment is taken when it leaves, so that none is lost.
//! Deviation: in the published agent nothing restarts the clock before a timeout if the list is empty at a
//! fast retransmission. Here the next acknowledgment does.

use std::collections::VecDeque;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::SenderActions;
use super::TimerChange;
use crate::config::{ConfigError, positive, within};
use crate::kernel::{Duration, Instant};

/// Hops between nodes that do not disturb each other.
const REUSE_HOPS: u32 = 4;

/// Parameters of adaptive pacing (`scheme = "tcp-ap"`).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct PacingConfig {
    /// Rate at which a hop is assumed to carry packets, whatever the MAC's (bit/s).
    pub rate_bps: f64,
    /// Bytes that stand for all headers of a segment, and for an acknowledgment.
    pub header_bytes: u32,
    /// What counts as the delay over four hops when a path has fewer.
    pub short_paths: ShortPaths,
    /// How the spread of recent delays is measured, relative to their mean.
    pub spread: Spread,
    /// How much the spread widens the spacing: it is (1 + factor × spread) × average delay.
    pub spread_factor: f64,
    /// Recent delays whose spread counts.
    pub history_samples: u32,
    /// Weight of the old value in the average delay.
    pub average_weight: f64,
    /// Weight of the old value in the average queueing delay of a hop.
    pub queueing_weight: f64,
    /// Queueing delays above this are replaced by their average, delays above it left out (s).
    pub max_delay_s: f64,
    /// Spacing before the first estimate (s).
    pub first_interval_s: f64,
}

/// The delay over four hops when a path has fewer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ShortPaths {
    /// That over all hops of the path.
    #[default]
    AllHops,
    /// That over one hop, as in the published agent.
    OneHop,
}

/// A measure of spread.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Spread {
    /// Standard deviation over mean: the coefficient of variation, as in the paper.
    #[default]
    StandardDeviation,
    /// Mean absolute deviation over mean, as in the published agent.
    MeanDeviation,
}

impl Default for PacingConfig {
    fn default() -> Self {
        PacingConfig {
            rate_bps: 2e6,
            header_bytes: 112,
            short_paths: ShortPaths::default(),
            spread: Spread::default(),
            spread_factor: 2.0,
            history_samples: 50,
            average_weight: 0.7,
            queueing_weight: 0.5,
            max_delay_s: 0.5,
            first_interval_s: 0.05,
        }
    }
}

impl PacingConfig {
    /// Checks every key against its bounds.
    ///
    /// # Errors
    /// The first key that is out of bounds.
    pub fn check(&self) -> Result<(), ConfigError> {
        within("pacing.rate_bps", self.rate_bps, 1.0, 1e12)?;
        within("pacing.header_bytes", self.header_bytes.into(), 0.0, 65_535.0)?;
        within("pacing.spread_factor", self.spread_factor, 0.0, 1000.0)?;
        within("pacing.history_samples", self.history_samples.into(), 1.0, 1e6)?;
        within("pacing.average_weight", self.average_weight, 0.0, 1.0)?;
        within("pacing.queueing_weight", self.queueing_weight, 0.0, 1.0)?;
        positive("pacing.max_delay_s", self.max_delay_s, 3600.0)?;
        positive("pacing.first_interval_s", self.first_interval_s, 3600.0)
    }
}

/// The delay of a segment over four hops, estimated from acknowledgments. Times in seconds.
#[derive(Clone, Debug)]
pub struct FourHopDelay {
    config: PacingConfig,
    /// Airtime of a segment, and of it and its acknowledgment, over one hop.
    data_s: f64,
    exchange_s: f64,
    /// Average queueing delay of a hop, and average delay; none before the first.
    queueing_s: Option<f64>,
    average_s: Option<f64>,
    /// The last delays, the oldest first.
    history: VecDeque<f64>,
    interval: Duration,
}

impl FourHopDelay {
    /// Nothing measured yet, for segments of this payload \[bytes\].
    pub fn new(config: &PacingConfig, segment_bytes: u32) -> FourHopDelay {
        let airtime_s = |bytes: u32| f64::from(bytes) * 8.0 / config.rate_bps;
        let data_s = airtime_s(segment_bytes.saturating_add(config.header_bytes));
        FourHopDelay {
            data_s,
            exchange_s: data_s + airtime_s(config.header_bytes),
            queueing_s: None,
            average_s: None,
            history: VecDeque::new(),
            interval: Duration::from_secs_f64(config.first_interval_s),
            config: config.clone(),
        }
    }

    /// An acknowledgment over `hops` hops shows a round trip of `rtt`.
    pub fn on_ack(&mut self, rtt: Duration, hops: u32) {
        let hops = hops.max(1);
        let measured = (rtt.as_secs_f64() / f64::from(hops) - self.exchange_s) / 2.0;
        let Some(queueing) = self.believable(measured) else { return };
        let counted = match self.config.short_paths {
            ShortPaths::AllHops => hops.min(REUSE_HOPS),
            ShortPaths::OneHop if hops < REUSE_HOPS => 1,
            ShortPaths::OneHop => REUSE_HOPS,
        };
        let delay = f64::from(counted) * (queueing + self.data_s);
        if delay > 0.0 && delay < self.config.max_delay_s {
            self.take(delay);
        }
    }

    /// The time between segments.
    pub fn interval(&self) -> Duration {
        self.interval
    }

    /// The queueing delay of a hop, or the average of those before in place of one beyond the bound.
    fn believable(&mut self, measured: f64) -> Option<f64> {
        if measured > self.config.max_delay_s {
            return self.queueing_s;
        }
        let weight = self.config.queueing_weight;
        let old = self.queueing_s.unwrap_or(measured);
        self.queueing_s = Some(weight * old + (1.0 - weight) * measured);
        Some(measured)
    }

    fn take(&mut self, delay: f64) {
        let weight = self.config.average_weight;
        let old = self.average_s.unwrap_or(delay);
        let average = weight * old + (1.0 - weight) * delay;
        self.average_s = Some(average);
        if self.history.len() >= self.config.history_samples as usize {
            self.history.pop_front();
        }
        self.history.push_back(delay);
        let spacing = (1.0 + self.config.spread_factor * self.spread()) * average;
        self.interval = Duration::from_secs_f64(spacing);
    }

    /// The spread of the last delays, relative to their mean.
    fn spread(&self) -> f64 {
        let count = self.history.len() as f64;
        let mean = self.history.iter().sum::<f64>() / count;
        let mean_of = |f: fn(f64) -> f64| {
            self.history.iter().map(|delay| f(delay - mean)).sum::<f64>() / count
        };
        let deviation = match self.config.spread {
            Spread::StandardDeviation => mean_of(|difference| difference * difference).sqrt(),
            Spread::MeanDeviation => mean_of(f64::abs),
        };
        deviation / mean
    }
}

/// When segments may leave: at the ticks of a clock, as many as there are ticks.
#[derive(Clone, Debug)]
pub struct Pacer {
    delay: FourHopDelay,
    clock: Clock,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Clock {
    /// The next segment leaves at once and starts the ticks.
    Ready,
    /// It ticks; a tick at which nothing may leave is lost.
    Ticking,
    /// Until the next acknowledgment nothing leaves.
    Stopped,
    /// Until the next acknowledgment segments are not paced.
    Off,
}

impl Pacer {
    /// A pacer of segments of this payload \[bytes\], before the first.
    pub fn new(config: &PacingConfig, segment_bytes: u32) -> Pacer {
        Pacer { delay: FourHopDelay::new(config, segment_bytes), clock: Clock::Ready }
    }

    /// An acknowledgment has come over `hops` hops, of a segment sent a round trip ago.
    pub fn on_ack(&mut self, rtt: Duration, hops: u32) {
        self.delay.on_ack(rtt, hops);
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

    /// The next tick comes an interval from now.
    pub fn tick_again(&mut self, now: Instant, out: &mut SenderActions) {
        self.clock = Clock::Ticking;
        out.pacing = Some(TimerChange::Set(now + self.delay.interval()));
    }

    /// The ticks stop: nothing leaves until the next acknowledgment, and then the first segment at once.
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
