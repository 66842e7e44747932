//! How many durations there were of which size, in memory that does not grow with their number.
//!
//! Each factor of two is divided into 128 buckets of equal width, as in a logarithmic histogram
//! with linear steps: a bucket is at most 1/128 as wide as its least value, so that its middle is
//! within 1/256 of every value in it. Values below 256 ns have buckets of their own.

use crate::kernel::Duration;

/// Buckets for each factor of two, as a power of two.
const BITS: u32 = 7;
const STEPS: u64 = 1 << BITS;

/// Counts of durations by size.
#[derive(Clone, Debug, Default)]
pub struct Sketch {
    /// By bucket, up to that of the longest so far.
    counts: Vec<u64>,
}

impl Sketch {
    /// A value is at most this share of itself away from what stands for it.
    #[cfg(test)]
    pub const ERROR: f64 = 1.0 / (2 * STEPS) as f64;

    /// Counts `duration`.
    pub fn note(&mut self, duration: Duration) {
        let bucket = bucket(duration.as_nanos());
        if self.counts.len() <= bucket {
            self.counts.resize(bucket + 1, 0);
        }
        self.counts[bucket] += 1;
    }

    /// What stands for the `rank`-th shortest duration, from 1.
    pub fn ranked(&self, rank: u64) -> Duration {
        let mut so_far = 0;
        let is_reached = |count: &u64| {
            so_far += count;
            so_far >= rank
        };
        let bucket = self.counts.iter().position(is_reached).unwrap_or(self.counts.len());
        Duration::from_nanos(middle(bucket as u64))
    }
}

/// The bucket of a number of nanoseconds.
fn bucket(nanos: u64) -> usize {
    let shift = nanos.max(1).ilog2().saturating_sub(BITS);
    (u64::from(shift) * STEPS + (nanos >> shift)) as usize
}

/// The middle of a bucket.
fn middle(bucket: u64) -> u64 {
    let shift = (bucket / STEPS).saturating_sub(1);
    ((bucket - shift * STEPS) << shift) + (1 << shift) / 2
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn buckets_follow_on_each_other_and_short_durations_are_exact() {
        for nanos in 0..256 {
            assert_eq!((bucket(nanos), middle(nanos)), (nanos as usize, nanos));
        }
        // The first of two values each, and the first of four.
        assert_eq!([256, 257, 258, 511, 512, 515].map(bucket), [256, 256, 257, 383, 384, 384]);
        assert_eq!([257, 384].map(middle), [259, 514]);
    }

    proptest! {
        #[test]
        fn what_stands_for_a_duration_is_within_the_error(
            mut nanos in
                prop::collection::vec((0_u32..45).prop_flat_map(|e| 0..=1_u64 << e), 1..300),
            share in 0.0..=1.0_f64,
        ) {
            let mut sketch = Sketch::default();
            nanos.iter().for_each(|&nanos| sketch.note(Duration::from_nanos(nanos)));
            nanos.sort_unstable();
            let rank = ((share * nanos.len() as f64).ceil() as usize).max(1);
            let (exact, found) = (nanos[rank - 1], sketch.ranked(rank as u64).as_nanos());
            prop_assert!(exact.abs_diff(found) as f64 <= exact as f64 * Sketch::ERROR);
        }
    }
}
