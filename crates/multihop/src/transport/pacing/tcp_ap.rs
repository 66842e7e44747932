//! TCP-AP: adaptive pacing (ElRakabawy, Klemm, Lindemann, "TCP with adaptive pacing for multihop
//! wireless networks", MobiHoc 2005; ACM/IEEE Transactions on Networking 2011). Within its window,
//! a source spaces its segments by the time that one takes over four hops, since nodes four hops
//! apart do not interfere with each other; the more that time varies, the wider the spacing.
//!
//! [`FourHopDelay`] estimates that time from round trips and the hops of acknowledgments. As a
//! scheme it is NewReno with this pacing, and a retransmission timeout that does not double, as in
//! the published agent.
//!
//! Deviation: the published agent lists segments as the window admits them; a fast retransmit
//! empties its list, and the segments on it count as sent. Here a segment is chosen when it leaves,
//! so that none is lost.
//! Deviation: in the published agent nothing restarts the clock before a timeout if the list is
//! empty at a fast retransmit. Here the next acknowledgment does.

use std::collections::VecDeque;

use schemars::JsonSchema;
use serde::Serialize;

use super::config::{PacingConfig, PacingScheme, ShortPaths, Spread};
use super::spacing::Spacing;
use crate::config::ConfigError;
use crate::kernel::Duration;
use crate::measure::Counts;
use crate::transport::config::TcpConfig;
use crate::transport::congestion::{CongestionControl, Window, newreno};
use crate::transport::scheme::Scheme;

/// Hops between nodes that do not interfere with each other.
const REUSE_HOPS: u32 = 4;

/// `transport.scheme = "tcp-ap"`.
pub const SCHEME: Scheme =
    Scheme { pacing: PacingScheme::TcpAp, rto_backoff: false, check, ..newreno::SCHEME };

fn check(config: &TcpConfig) -> Result<(), ConfigError> {
    match config.pacing_scheme() {
        PacingScheme::TcpAp => Ok(()),
        _ => {
            let fault =
                "must be \"tcp-ap\" with scheme \"tcp-ap\", which is newreno with that pacing";
            Err(ConfigError::new("pacing.scheme", fault))
        }
    }
}

/// The spacing of segments that `config` describes.
pub(super) fn spacing(config: &TcpConfig) -> Box<dyn Spacing> {
    Box::new(FourHopDelay::new(&config.pacing, config.segment_bytes))
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
    counters: DelayCounters,
}

/// What adaptive pacing made of acknowledgments, all flows together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct DelayCounters {
    /// Delays over four hops that the spacing follows from.
    pub delays_taken: u64,
    /// Delays that were beyond `max_delay_s`, or not above 0.
    pub delays_ignored: u64,
}

impl FourHopDelay {
    /// An estimate without samples, for segments of this payload \[bytes\].
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
            counters: DelayCounters::default(),
            config: config.clone(),
        }
    }

    /// The queueing delay of a hop, or the average so far in place of one beyond the bound.
    fn plausible(&mut self, measured: f64) -> Option<f64> {
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

impl Spacing for FourHopDelay {
    fn on_ack(&mut self, rtt: Duration, hops: u32) {
        let hops = hops.max(1);
        let measured = (rtt.as_secs_f64() / f64::from(hops) - self.exchange_s) / 2.0;
        let Some(queueing) = self.plausible(measured) else {
            self.counters.delays_ignored += 1;
            return;
        };
        let counted = match self.config.short_paths {
            ShortPaths::AllHops => hops.min(REUSE_HOPS),
            ShortPaths::OneHop if hops < REUSE_HOPS => 1,
            ShortPaths::OneHop => REUSE_HOPS,
        };
        let delay = f64::from(counted) * (queueing + self.data_s);
        if delay > 0.0 && delay < self.config.max_delay_s {
            self.counters.delays_taken += 1;
            self.take(delay);
        } else {
            self.counters.delays_ignored += 1;
        }
    }

    fn interval(
        &self,
        _control: &dyn CongestionControl,
        _window: &Window,
        _smoothed_rtt: Option<Duration>,
    ) -> Option<Duration> {
        Some(self.interval)
    }

    fn ticks_on(&self) -> bool {
        true
    }

    fn report(&self, counts: &mut Counts) {
        let DelayCounters { delays_taken, delays_ignored } = self.counters;
        counts.add("delays_taken", delays_taken);
        counts.add("delays_ignored", delays_ignored);
    }
}
