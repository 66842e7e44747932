//! How long a flow's packets take: every delay is kept, so that quantiles are exact.

use schemars::JsonSchema;
use serde::Serialize;

use crate::kernel::Duration;

/// Bins of the histogram for each factor of ten.
const PER_DECADE: f64 = 10.0;
/// Where the histogram begins \[s\].
const FROM_S: f64 = 1e-4;

/// The delays of a flow's packets, in the order of arrival.
#[derive(Clone, Debug, Default)]
pub struct Delays(Vec<Duration>);

/// What the delays come to.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct DelayReport {
    /// The shortest \[s\].
    pub least_s: f64,
    /// The delay that a twentieth of the packets does not exceed \[s\].
    pub p05_s: f64,
    /// The delay that a quarter of the packets does not exceed \[s\].
    pub p25_s: f64,
    /// The delay that half of the packets does not exceed \[s\].
    pub p50_s: f64,
    /// The delay that three quarters of the packets do not exceed \[s\].
    pub p75_s: f64,
    /// The delay that 95 % of the packets do not exceed \[s\].
    pub p95_s: f64,
    /// The delay that 99 % of the packets do not exceed \[s\].
    pub p99_s: f64,
    /// The longest \[s\].
    pub greatest_s: f64,
    /// Mean difference between the delays of packets that arrive one after the other (the difference D of RFC
    /// 3550, section 6.4.1, averaged over all) \[s\]; none for a single packet.
    pub jitter_s: Option<f64>,
    /// Packets by delay: bin i holds those from 0.1 ms times 10^(i/10) up to the next; the first holds all
    /// shorter ones too, and empty ones at the end are left out.
    pub histogram: Vec<u64>,
}

impl Delays {
    /// A packet has arrived after `delay`.
    #[inline]
    pub fn note(&mut self, delay: Duration) {
        self.0.push(delay);
    }

    /// Their mean \[s\]; none without packets.
    pub fn mean_s(&self) -> Option<f64> {
        let total: f64 = self.0.iter().map(|delay| delay.as_secs_f64()).sum();
        (!self.0.is_empty()).then(|| total / self.0.len() as f64)
    }

    /// What they come to; none without packets.
    pub fn report(&self) -> Option<DelayReport> {
        let mut sorted = self.0.clone();
        sorted.sort_unstable();
        let (least, greatest) = (*sorted.first()?, *sorted.last()?);
        // The smallest delay that at least this share of the packets does not exceed.
        let quantile = |share: f64| {
            let rank = (share * sorted.len() as f64).ceil() as usize;
            sorted[rank.max(1) - 1].as_secs_f64()
        };
        let differences = self.0.windows(2).map(|pair| {
            let (least, greatest) = (pair[0].min(pair[1]), pair[0].max(pair[1]));
            greatest.as_secs_f64() - least.as_secs_f64()
        });
        let steps = self.0.len() - 1;
        let histogram = histogram(&sorted);
        Some(DelayReport {
            least_s: least.as_secs_f64(),
            p05_s: quantile(0.05),
            p25_s: quantile(0.25),
            p50_s: quantile(0.50),
            p75_s: quantile(0.75),
            p95_s: quantile(0.95),
            p99_s: quantile(0.99),
            greatest_s: greatest.as_secs_f64(),
            jitter_s: (steps > 0).then(|| differences.sum::<f64>() / steps as f64),
            histogram,
        })
    }
}

/// How many of the delays, in order, are in each bin.
fn histogram(mut sorted: &[Duration]) -> Vec<u64> {
    let mut bins = Vec::new();
    while !sorted.is_empty() {
        let end_s = FROM_S * 10_f64.powf((bins.len() + 1) as f64 / PER_DECADE);
        let end = Duration::from_secs_f64(end_s);
        let here = sorted.partition_point(|&delay| delay < end);
        bins.push(here as u64);
        sorted = &sorted[here..];
    }
    bins
}

#[cfg(test)]
mod tests {
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
}
