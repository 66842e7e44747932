//! A node's contention (section III-A, eq. (1)).

use super::config::CopasConfig;
use crate::measure::BackoffCounts;

/// The weighted average of a node's backoffs per interval.
#[derive(Debug)]
pub struct ContentionMeter {
    alpha: f64,
    counted: Counted,
    /// The count at the end of the last interval.
    before: u32,
    mean: f64,
}

/// What counts as a backoff.
#[derive(Clone, Copy, Debug)]
struct Counted {
    retries: bool,
    post_backoffs: bool,
    idle_draws: bool,
    freezes: bool,
}

impl ContentionMeter {
    /// Starts with an average of 0.
    pub fn new(config: &CopasConfig) -> ContentionMeter {
        let counted = Counted {
            retries: config.count_retries,
            post_backoffs: config.count_post_backoffs,
            idle_draws: config.count_idle_draws,
            freezes: config.count_freezes,
        };
        ContentionMeter { alpha: config.alpha, counted, before: 0, mean: 0.0 }
    }

    /// An interval ends: `counts` are the backoffs since the start of the run.
    pub fn end_interval(&mut self, counts: BackoffCounts) {
        let total = self.counted.total(counts);
        let newest = f64::from(total.wrapping_sub(self.before));
        self.before = total;
        self.mean = (1.0 - self.alpha) * self.mean + self.alpha * newest;
    }

    /// The average \[backoffs per interval\], as messages carry it.
    pub fn mean(&self) -> f32 {
        self.mean as f32
    }
}

impl Counted {
    fn total(self, counts: BackoffCounts) -> u32 {
        let BackoffCounts { idle, busy, retry, post, freezes } = counts;
        let also = |counted: bool, count: u32| if counted { count } else { 0 };
        busy.wrapping_add(also(self.retries, retry))
            .wrapping_add(also(self.post_backoffs, post))
            .wrapping_add(also(self.idle_draws, idle))
            .wrapping_add(also(self.freezes, freezes))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn means(config: &CopasConfig, counts: &[BackoffCounts]) -> Vec<f32> {
        let mut meter = ContentionMeter::new(config);
        let after = |counts: &BackoffCounts| {
            meter.end_interval(*counts);
            meter.mean()
        };
        counts.iter().map(after).collect()
    }

    #[test]
    fn the_average_weighs_the_newest_count_by_alpha() {
        let busy = |busy| BackoffCounts { busy, ..BackoffCounts::default() };
        // 4, 8 and 0 backoffs: 0.75 * 4, 0.25 * 3 + 0.75 * 8, 0.25 * 6.75.
        let counts = [busy(4), busy(12), busy(12)];
        assert_eq!(means(&CopasConfig::default(), &counts), [3.0, 6.75, 1.6875]);
        let config = CopasConfig { alpha: 0.25, ..CopasConfig::default() };
        assert_eq!(means(&config, &counts), [1.0, 2.75, 2.0625]);
    }

    #[test]
    fn the_keys_say_what_counts() {
        let counts = [BackoffCounts { idle: 1, busy: 10, retry: 100, post: 1000, freezes: 10_000 }];
        let mean = |config: CopasConfig| means(&CopasConfig { alpha: 1.0, ..config }, &counts)[0];
        let config = CopasConfig::default;
        assert_eq!(mean(config()), 110.0);
        assert_eq!(mean(CopasConfig { count_retries: false, ..config() }), 10.0);
        assert_eq!(mean(CopasConfig { count_post_backoffs: true, ..config() }), 1110.0);
        assert_eq!(mean(CopasConfig { count_idle_draws: true, ..config() }), 111.0);
        assert_eq!(mean(CopasConfig { count_freezes: true, ..config() }), 10_110.0);
    }
}
