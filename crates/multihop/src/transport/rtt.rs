//! Round-trip time and retransmission timeout (RFC 6298; Karn's rule).
//!
//! Deviation (`ns2` profile): times are counted in ticks of the clock, as many as tick boundaries
//! lie between sending and acknowledgment; the averages are kept in scaled integers that never fall
//! below one unit; the timeout has no granularity term; more than three doublings in a row discard
//! the averages.

mod linux;

use linux::LinuxRtt;

use super::config::TcpConfig;
use super::rules::Rules;
use crate::kernel::{Duration, Instant, Rng};

/// Backoff factor above which ns-2 discards the averages.
const FORGET_ABOVE: u32 = 8;

/// The estimator of one connection.
#[derive(Clone, Debug)]
pub struct RttEstimator {
    rules: Rules,
    tick: Duration,
    /// Offset of the tick boundaries, below one tick.
    phase: Duration,
    initial: Duration,
    min: Duration,
    max: Duration,
    doubles: bool,
    /// 8 × smoothed round trip and 4 × its deviation: ticks in `ns2`, seconds in `standard`. None
    /// before the first sample.
    averages: Option<(f64, f64)>,
    /// The same as Linux has it.
    linux: Option<LinuxRtt>,
    backoff: u32,
    base: Duration,
    samples: u64,
    total: Duration,
}

impl RttEstimator {
    /// An estimator without samples.
    pub fn new(config: &TcpConfig, rules: Rules, rng: &mut Rng) -> RttEstimator {
        let tick = Duration::from_secs_f64(config.clock_granularity_s);
        let initial = Duration::from_secs_f64(config.rto_initial_s(rules));
        RttEstimator {
            rules,
            tick,
            phase: rng.duration_below(tick),
            initial,
            min: Duration::from_secs_f64(config.rto_min_s(rules)),
            max: Duration::from_secs_f64(config.rto_max_s),
            doubles: config.rto_backoff(),
            averages: None,
            linux: None,
            backoff: 1,
            base: initial,
            samples: 0,
            total: Duration::ZERO,
        }
    }

    /// A segment sent once, at `sent`, was acknowledged at `now`.
    pub fn on_sample(&mut self, sent: Instant, now: Instant) {
        self.backoff = 1;
        self.samples += 1;
        self.total += now - sent;
        match self.rules {
            Rules::Ns2 => self.sample_ticks(sent, now),
            Rules::Standard => self.sample_seconds((now - sent).as_secs_f64()),
            Rules::Linux => {
                let averages = LinuxRtt::after(self.linux, sent, now, self.min);
                self.base = averages.timeout();
                self.linux = Some(averages);
            }
        }
    }

    /// The retransmission timer has expired: the timeout doubles, unless that is switched off.
    pub fn on_timeout(&mut self) {
        if self.doubles && self.timeout() < self.max {
            self.backoff *= 2;
        }
        if self.rules == Rules::Ns2 && self.backoff > FORGET_ABOVE {
            self.averages = None;
        }
    }

    /// New data were acknowledged, though without a sample: the doubling ends.
    pub fn reset_backoff(&mut self) {
        self.backoff = 1;
    }

    /// Mean of all samples \[s\], before rounding to ticks.
    pub fn mean_s(&self) -> Option<f64> {
        (self.samples > 0).then(|| self.total.as_secs_f64() / self.samples as f64)
    }

    /// The retransmission timeout.
    pub fn timeout(&self) -> Duration {
        (self.base.max(self.min) * u64::from(self.backoff)).min(self.max)
    }

    /// The smoothed round-trip time, after the first sample.
    pub fn smoothed(&self) -> Option<Duration> {
        if let Some(averages) = self.linux {
            return Some(Duration::from_secs_f64(averages.smoothed));
        }
        self.averages.map(|(srtt8, _)| match self.rules {
            Rules::Ns2 => self.tick * (srtt8 as u64) / 8,
            Rules::Standard | Rules::Linux => Duration::from_secs_f64(srtt8 / 8.0),
        })
    }

    /// Puts the tick boundaries where a recording had them.
    #[cfg(test)]
    pub(super) fn set_phase(&mut self, phase: Duration) {
        self.phase = phase;
    }

    fn sample_ticks(&mut self, sent: Instant, now: Instant) {
        let tick = self.tick.as_nanos();
        let since_boundary = (sent.as_nanos() + self.phase.as_nanos()) % tick;
        let sample = (((now - sent).as_nanos() + since_boundary) / tick).max(1) as i64;
        let (srtt8, var4) = match self.averages {
            None => (8 * sample, 2 * sample),
            Some((srtt8, var4)) => {
                let (mut srtt8, mut var4) = (srtt8 as i64, var4 as i64);
                let error = sample - (srtt8 >> 3);
                srtt8 = (srtt8 + error).max(1);
                var4 = (var4 + error.abs() - (var4 >> 2)).max(1);
                (srtt8, var4)
            }
        };
        self.averages = Some((srtt8 as f64, var4 as f64));
        self.base = self.tick * ((var4 * 8 + srtt8) >> 3) as u64;
    }

    fn sample_seconds(&mut self, sample: f64) {
        let (srtt, var) = match self.averages {
            None => (sample, sample / 2.0),
            Some((srtt8, var4)) => {
                let (srtt, var) = (srtt8 / 8.0, var4 / 4.0);
                (srtt + (sample - srtt) / 8.0, var + ((sample - srtt).abs() - var) / 4.0)
            }
        };
        self.averages = Some((8.0 * srtt, 4.0 * var));
        let granularity = self.tick.as_secs_f64();
        self.base = Duration::from_secs_f64(srtt + (4.0 * var).max(granularity));
    }

    /// The timeout before any sample.
    pub fn initial(&self) -> Duration {
        self.initial
    }
}
