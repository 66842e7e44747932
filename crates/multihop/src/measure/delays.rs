//! How long a flow's packets take.
//!
//! The delays of up to 32,768 packets are kept, so that quantiles are exact. Those of a flow with
//! more are counted by size, in memory that does not grow: quantiles are then within 1/256 (0.4 %)
//! of the exact ones. All else stays exact.

use schemars::JsonSchema;
use serde::Serialize;

use super::sketch::Sketch;
use crate::kernel::Duration;

/// Bins of the histogram for each factor of ten.
const PER_DECADE: f64 = 10.0;
/// Where the histogram begins \[s\].
const FROM_S: f64 = 1e-4;

/// Delays that are kept one by one.
const KEPT: usize = 1 << 15;

/// The delays of a flow's packets.
#[derive(Clone, Debug, Default)]
pub struct Delays {
    packets: u64,
    sum_s: f64,
    least: Duration,
    greatest: Duration,
    last: Duration,
    /// Differences between the delays of packets that arrive one after the other, added up.
    steps_s: f64,
    /// All of them, as long as they are few.
    kept: Vec<Duration>,
    /// Else how many there were of which size.
    counted: Option<Box<Counted>>,
}

/// Delays by size.
#[derive(Clone, Debug, Default)]
struct Counted {
    sketch: Sketch,
    bins: Bins,
}

/// The bins of the histogram.
#[derive(Clone, Debug, Default)]
struct Bins {
    /// The delay at which each ends.
    ends: Vec<Duration>,
    counts: Vec<u64>,
}

/// What the delays come to. Quantiles are exact up to 32,768 packets.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct DelayReport {
    /// The shortest \[s\].
    pub least_s: f64,
    /// The delay that a twentieth of the packets does not exceed \[s\]; above 32,768
    /// packets within 0.4 %.
    pub p05_s: f64,
    /// The delay that a quarter of the packets does not exceed \[s\]; above 32,768
    /// packets within 0.4 %.
    pub p25_s: f64,
    /// The delay that half of the packets does not exceed \[s\]; above 32,768 packets within 0.4 %.
    pub p50_s: f64,
    /// The delay that three quarters of the packets do not exceed \[s\]; above 32,768
    /// packets within 0.4 %.
    pub p75_s: f64,
    /// The delay that 95 % of the packets do not exceed \[s\]; above 32,768 packets within 0.4 %.
    pub p95_s: f64,
    /// The delay that 99 % of the packets do not exceed \[s\]; above 32,768 packets within 0.4 %.
    pub p99_s: f64,
    /// The longest \[s\].
    pub greatest_s: f64,
    /// Mean difference between the delays of packets that arrive one after the other (the
    /// difference D of RFC 3550, section 6.4.1, averaged over all) \[s\]; none for a single packet.
    pub jitter_s: Option<f64>,
    /// Packets by delay: bin i holds those from 0.1 ms times 10^(i/10) up to the next; the first
    /// holds all shorter ones too, and empty ones at the end are left out.
    pub histogram: Vec<u64>,
}

impl Delays {
    /// A packet has arrived after `delay`.
    #[inline]
    pub fn note(&mut self, delay: Duration) {
        if self.packets == 0 {
            self.least = delay;
        } else {
            let (least, greatest) = (delay.min(self.last), delay.max(self.last));
            self.steps_s += greatest.as_secs_f64() - least.as_secs_f64();
        }
        self.packets += 1;
        self.sum_s += delay.as_secs_f64();
        self.least = self.least.min(delay);
        self.greatest = self.greatest.max(delay);
        self.last = delay;
        if self.kept.len() == KEPT {
            self.count_by_size();
        }
        match &mut self.counted {
            None => self.kept.push(delay),
            Some(counted) => counted.note(delay),
        }
    }

    /// There are too many to keep them.
    #[cold]
    fn count_by_size(&mut self) {
        let mut counted = Box::<Counted>::default();
        std::mem::take(&mut self.kept).into_iter().for_each(|delay| counted.note(delay));
        self.counted = Some(counted);
    }

    /// Their mean \[s\]; none without packets.
    pub fn mean_s(&self) -> Option<f64> {
        (self.packets > 0).then(|| self.sum_s / self.packets as f64)
    }

    /// What they come to; none without packets.
    pub fn report(&self) -> Option<DelayReport> {
        if self.packets == 0 {
            return None;
        }
        let mut sorted = self.kept.clone();
        sorted.sort_unstable();
        // The smallest delay that at least this share of the packets does not exceed.
        let quantile = |share: f64| {
            let rank = ((share * self.packets as f64).ceil() as u64).max(1);
            let delay = match &self.counted {
                None => sorted[rank as usize - 1],
                Some(counted) => counted.sketch.ranked(rank).clamp(self.least, self.greatest),
            };
            delay.as_secs_f64()
        };
        let steps = self.packets - 1;
        Some(DelayReport {
            least_s: self.least.as_secs_f64(),
            p05_s: quantile(0.05),
            p25_s: quantile(0.25),
            p50_s: quantile(0.50),
            p75_s: quantile(0.75),
            p95_s: quantile(0.95),
            p99_s: quantile(0.99),
            greatest_s: self.greatest.as_secs_f64(),
            jitter_s: (steps > 0).then(|| self.steps_s / steps as f64),
            histogram: match &self.counted {
                None => Bins::of(&self.kept).counts,
                Some(counted) => counted.bins.counts.clone(),
            },
        })
    }
}

impl Counted {
    fn note(&mut self, delay: Duration) {
        self.sketch.note(delay);
        self.bins.note(delay);
    }
}

impl Bins {
    fn of(delays: &[Duration]) -> Bins {
        let mut bins = Bins::default();
        delays.iter().for_each(|&delay| bins.note(delay));
        bins
    }

    fn note(&mut self, delay: Duration) {
        while self.ends.last().is_none_or(|&end| end <= delay) {
            let end_s = FROM_S * 10_f64.powf((self.ends.len() + 1) as f64 / PER_DECADE);
            self.ends.push(Duration::from_secs_f64(end_s));
            self.counts.push(0);
        }
        let bin = self.ends.partition_point(|&end| end <= delay);
        self.counts[bin] += 1;
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn report(delays_ms: &[u64]) -> DelayReport {
        let mut delays = Delays::default();
        delays_ms.iter().for_each(|&ms| delays.note(Duration::from_millis(ms)));
        delays.report().expect("some packets")
    }

    #[test]
    fn quantiles_are_delays_that_occurred() {
        let found = report(&(1..=100).rev().collect::<Vec<_>>());
        let values = [found.least_s, found.p05_s, found.p50_s, found.p99_s, found.greatest_s];
        assert_eq!(values, [0.001, 0.005, 0.050, 0.099, 0.100]);
        let one = report(&[7]);
        assert_eq!([one.least_s, one.p05_s, one.p99_s], [0.007; 3]);
        assert_eq!(one.jitter_s, None);
        assert_eq!(Delays::default().report(), None);
    }

    #[test]
    fn jitter_is_the_mean_step_in_the_order_of_arrival() {
        let found = report(&[10, 30, 20, 20]);
        assert!((found.jitter_s.unwrap() - 0.010).abs() < 1e-12);
    }

    #[test]
    fn a_histogram_has_ten_bins_for_each_factor_of_ten() {
        let mut delays = Delays::default();
        // Below the first bin, in it, in the last of the first ten, and in the first of the next.
        for micros in [1, 101, 990, 1001] {
            delays.note(Duration::from_micros(micros));
        }
        assert_eq!(delays.report().unwrap().histogram, [2, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1]);
    }

    proptest! {
        /// Whether delays are kept or counted, all but the quantiles is the same, and these are
        /// close.
        #[test]
        fn delays_that_are_counted_by_size_come_to_nearly_the_same(
            micros in prop::collection::vec(1_u64..30_000_000, 1..200),
            kept in 0_usize..200,
        ) {
            let (mut all, mut counted) = (Delays::default(), Delays::default());
            for (place, &micros) in micros.iter().enumerate() {
                if place == kept {
                    counted.count_by_size();
                }
                all.note(Duration::from_micros(micros));
                counted.note(Duration::from_micros(micros));
            }
            let (exact, found) = (all.report().unwrap(), counted.report().unwrap());
            let quantiles = |report: &DelayReport| {
                let DelayReport { p05_s, p25_s, p50_s, p75_s, p95_s, p99_s, .. } = *report;
                [p05_s, p25_s, p50_s, p75_s, p95_s, p99_s]
            };
            for (exact, found) in quantiles(&exact).into_iter().zip(quantiles(&found)) {
                // A nanosecond for the rounding of seconds.
                prop_assert!((exact - found).abs() <= exact * Sketch::ERROR + 1e-9);
            }
            let [p05_s, p25_s, p50_s, p75_s, p95_s, p99_s] = quantiles(&exact);
            let found = DelayReport { p05_s, p25_s, p50_s, p75_s, p95_s, p99_s, ..found };
            prop_assert_eq!((exact, all.mean_s()), (found, counted.mean_s()));
        }
    }

    #[test]
    fn no_more_than_so_many_delays_are_kept() {
        let mut delays = Delays::default();
        for packet in 1..=KEPT as u64 {
            delays.note(Duration::from_micros(packet));
        }
        assert_eq!(delays.report().unwrap().p50_s, KEPT as f64 / 2.0 * 1e-6, "exact");
        (0..10).for_each(|_| delays.note(Duration::from_millis(1)));
        assert_eq!((delays.kept.len(), delays.kept.capacity()), (0, 0));
        assert_eq!(delays.report().unwrap().histogram.iter().sum::<u64>(), KEPT as u64 + 10);
    }
}
