//! How steadily a flow delivers, from its goodput in each second of its life, in constant memory.

use crate::kernel::{Duration, Instant};

/// A flow's goodput, sampled once a second from its start.
#[derive(Clone, Copy, Debug)]
pub struct Steadiness {
    start: Instant,
    stop: Instant,
    /// Bytes counted so far.
    total: u64,
    /// Number of the second of the last delivery; `in_second` is the bytes delivered in it.
    second: u64,
    in_second: u64,
    /// Over the seconds before it: the sum of the squares of their bytes; `busy_seconds` is how
    /// many had a delivery.
    squares: f64,
    busy_seconds: u64,
    last: Instant,
    longest: Duration,
}

/// The statistics of the samples.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SteadinessReport {
    /// Coefficient of variation: standard deviation of the samples over their mean; none if nothing
    /// was delivered.
    pub variation: Option<f64>,
    /// Share of the seconds without a delivery.
    pub silent_share: f64,
    /// The longest time without a delivery, also before the first and after the last \[s\].
    pub longest_silence_s: f64,
}

impl Steadiness {
    /// Starts the samples of a flow that runs from `start` to `stop`.
    pub fn new(start: Instant, stop: Instant) -> Steadiness {
        Steadiness {
            start,
            stop,
            total: 0,
            second: 0,
            in_second: 0,
            squares: 0.0,
            busy_seconds: 0,
            last: start,
            longest: Duration::ZERO,
        }
    }

    /// `total` bytes have been delivered up to `now`. Calls are in order of time; deliveries after
    /// the end of the flow do not count.
    pub fn note(&mut self, now: Instant, total: u64) {
        if total == self.total || now >= self.stop {
            return;
        }
        let second = (now - self.start).as_nanos() / 1_000_000_000;
        if second != self.second {
            self.close_second();
            self.second = second;
        }
        self.in_second += total - self.total;
        self.total = total;
        self.longest = self.longest.max(now - self.last);
        self.last = now;
    }

    /// The flow ends at `stop`, earlier than was said.
    pub fn end_at(&mut self, stop: Instant) {
        self.stop = stop;
    }

    fn close_second(&mut self) {
        self.squares += (self.in_second as f64).powi(2);
        self.busy_seconds += u64::from(self.in_second > 0);
        self.in_second = 0;
    }

    /// The statistics up to `now`, or to the flow's end if that is earlier. The last second counts
    /// even if it is incomplete, or only that moment in which a flow ends with its last delivery.
    pub fn report(mut self, now: Instant) -> SteadinessReport {
        self.close_second();
        let end = now.min(self.stop).max(self.last);
        let seconds = (end - self.start).as_secs_f64().ceil().max((self.second + 1) as f64);
        let total = self.total as f64;
        let spread = seconds * self.squares / (total * total) - 1.0;
        SteadinessReport {
            variation: (total > 0.0).then(|| spread.max(0.0).sqrt()),
            silent_share: 1.0 - self.busy_seconds as f64 / seconds,
            longest_silence_s: self.longest.max(end - self.last).as_secs_f64(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn at(time_s: f64) -> Instant {
        Instant::from_secs_f64(time_s)
    }

    #[test]
    fn equal_seconds_are_steady() {
        let mut flow = Steadiness::new(at(1.0), at(5.0));
        (1..=4).for_each(|i| flow.note(at(f64::from(i) + 0.5), 100 * i as u64));
        let report = flow.report(at(9.0));
        assert_eq!((report.variation, report.silent_share), (Some(0.0), 0.0));
        assert_eq!(report.longest_silence_s, 1.0);
    }

    #[test]
    fn one_burst_in_four_seconds() {
        let mut flow = Steadiness::new(at(1.0), at(5.0));
        flow.note(at(2.2), 70);
        flow.note(at(2.9), 70);
        flow.note(at(2.7 + 0.2), 90);
        flow.note(at(5.0), 1000);
        let report = flow.report(at(9.0));
        // Samples 0, 90, 0, 0: mean 22.5, standard deviation 22.5 times the square root of 3.
        assert!((report.variation.unwrap() - 3f64.sqrt()).abs() < 1e-12);
        assert_eq!(report.silent_share, 0.75);
        assert!((report.longest_silence_s - 2.1).abs() < 1e-9, "after the last: from 2.9 to 5 s");
    }

    #[test]
    fn a_flow_may_end_with_a_delivery_on_a_whole_second() {
        let mut flow = Steadiness::new(at(1.0), at(5.0));
        flow.note(at(1.5), 10);
        flow.note(at(2.0), 20);
        flow.end_at(at(2.0));
        let report = flow.report(at(9.0));
        assert_eq!((report.variation, report.silent_share), (Some(0.0), 0.0));
    }

    #[test]
    fn a_flow_that_delivers_nothing_is_silent_all_its_life() {
        let report = Steadiness::new(at(1.0), at(5.0)).report(at(3.0));
        assert_eq!(report.variation, None);
        assert_eq!((report.silent_share, report.longest_silence_s), (1.0, 2.0));
    }

    proptest! {
        #[test]
        fn the_report_equals_the_statistics_of_the_samples(
            deliveries in prop::collection::vec((0u64..4_000, 1u64..2_000), 1..40),
        ) {
            let (mut now_ms, mut total) = (1000u64, 0u64);
            let mut samples = [0f64; 20];
            let mut flow = Steadiness::new(at(1.0), at(21.0));
            for (wait_ms, bytes) in deliveries {
                now_ms += wait_ms;
                if now_ms >= 21_000 {
                    break;
                }
                total += bytes;
                samples[(now_ms as usize - 1000) / 1000] += bytes as f64;
                flow.note(at(now_ms as f64 / 1000.0), total);
            }
            let report = flow.report(at(30.0));
            let silent = samples.iter().filter(|bytes| **bytes == 0.0).count() as f64 / 20.0;
            prop_assert!((report.silent_share - silent).abs() < 1e-12);
            let mean = samples.iter().sum::<f64>() / 20.0;
            let variance = samples.iter().map(|bytes| (bytes - mean).powi(2)).sum::<f64>() / 20.0;
            match report.variation {
                Some(variation) => prop_assert!((variation - variance.sqrt() / mean).abs() < 1e-9),
                None => prop_assert_eq!(total, 0),
            }
        }
    }
}
