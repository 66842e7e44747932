//! How late frames come: the time from when one arrived in the simulation to when it was written to
//! the device.

use std::time::Duration;

use crate::report::LatenessReport;

/// A frame that comes later than this is late.
pub const LATE: Duration = Duration::from_millis(1);
/// Steps of the distribution in each doubling of the lateness.
const STEPS: u32 = 16;
/// Doublings from a nanosecond on: up to 18 minutes.
const DOUBLINGS: usize = 40;

/// The frames of some time, and how many of them came late.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Late {
    /// Frames.
    pub frames: u64,
    /// Those later than a millisecond.
    pub late: u64,
    /// The latest.
    pub worst: Duration,
}

/// The lateness of all frames so far, in constant memory: quantiles are up to 1/16 of their value
/// too large.
#[derive(Clone, Debug)]
pub struct Lateness {
    all: Late,
    sum: Duration,
    counts: Vec<u64>,
}

impl Late {
    /// A frame has come so late.
    pub(crate) fn note(&mut self, lateness: Duration) {
        self.frames += 1;
        self.late += u64::from(lateness > LATE);
        self.worst = self.worst.max(lateness);
    }
}

impl Lateness {
    /// Nothing noted yet.
    pub fn new() -> Lateness {
        let counts = vec![0; DOUBLINGS * STEPS as usize];
        Lateness { all: Late::default(), sum: Duration::ZERO, counts }
    }

    /// A frame has come so late.
    pub fn note(&mut self, lateness: Duration) {
        self.all.note(lateness);
        self.sum += lateness;
        let place = place_of(lateness).min(self.counts.len() - 1);
        self.counts[place] += 1;
    }

    /// The report; none before the first frame.
    pub fn report(&self) -> Option<LatenessReport> {
        let frames = self.all.frames;
        (frames > 0).then(|| LatenessReport {
            late_share: self.all.late as f64 / frames as f64,
            mean_s: self.sum.as_secs_f64() / frames as f64,
            p50_s: self.quantile_s(0.5),
            p99_s: self.quantile_s(0.99),
            worst_s: self.all.worst.as_secs_f64(),
        })
    }

    fn quantile_s(&self, share: f64) -> f64 {
        let wanted = (self.all.frames as f64 * share).ceil() as u64;
        let mut seen = 0;
        let place = self.counts.iter().position(|count| {
            seen += count;
            seen >= wanted
        });
        let step = place.unwrap_or(0) as u32;
        let below = 2_f64.powi((step / STEPS) as i32);
        let limit = below * (1.0 + f64::from(step % STEPS + 1) / f64::from(STEPS)) * 1e-9;
        limit.min(self.all.worst.as_secs_f64())
    }
}

/// The place of `lateness` in the distribution.
fn place_of(lateness: Duration) -> usize {
    let nanos = u64::try_from(lateness.as_nanos()).unwrap_or(u64::MAX).max(1);
    let doubling = nanos.ilog2();
    let within = (u128::from(nanos - (1 << doubling)) * u128::from(STEPS)) >> doubling;
    doubling as usize * STEPS as usize + within as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_within_a_sixteenth() {
        let mut lateness = Lateness::new();
        assert_eq!(lateness.report(), None);
        for micros in 1..=1000 {
            lateness.note(Duration::from_micros(2 * micros));
        }
        let report = lateness.report().unwrap();
        assert!((1.0e-3..1.0e-3 * 17.0 / 16.0).contains(&report.p50_s), "{report:?}");
        assert!((1.98e-3..=2.0e-3).contains(&report.p99_s), "{report:?}");
        assert_eq!((report.late_share, report.worst_s), (0.5, 2e-3));
        assert!((report.mean_s - 1.001e-3).abs() < 1e-9);
    }
}
