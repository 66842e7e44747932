//! An ideal choice: the rate that carries most at the power of the last frame from the neighbour.
//!
//! As if the receiver told the sender, since links are the same both ways. Interference at the
//! receiver stays unknown. Each attempt without an ACK takes one rate off, until something is heard
//! again: the link may have faded.

use std::sync::Arc;

use super::rate_set::RateSet;
use super::rule::RateRule;
use crate::kernel::{Instant, Rng};

/// The rate on one link by the power heard over it.
#[derive(Clone, Debug, Default)]
pub struct Ideal {
    rate_set: Arc<RateSet>,
    power_w: f64,
    /// Attempts without an ACK since then.
    failures: usize,
}

impl Ideal {
    /// The choice among the rates of `rate_set`, with nothing heard yet.
    pub fn new(rate_set: &Arc<RateSet>) -> Ideal {
        Ideal { rate_set: rate_set.clone(), ..Ideal::default() }
    }
}

impl RateRule for Ideal {
    fn first(&mut self, _: Instant, _: &mut Rng) -> usize {
        self.again()
    }

    /// The best rate; the slowest until something was heard.
    fn again(&mut self) -> usize {
        self.rate_set.place_for(self.power_w).saturating_sub(self.failures)
    }

    fn on_result(&mut self, _: usize, is_good: bool) {
        self.failures += usize::from(!is_good);
    }

    fn on_heard(&mut self, power_w: f64) {
        (self.power_w, self.failures) = (power_w, 0);
    }
}

#[cfg(test)]
mod tests {
    use super::super::Step;
    use super::*;
    use crate::kernel::Duration;
    use crate::wire::Rate;

    #[test]
    fn the_fastest_rate_that_the_power_suffices_for_less_one_a_failure() {
        let step = |(number, needed_w)| Step {
            rate: Rate(number),
            rate_bps: 1e6,
            exchange: Duration::ZERO,
            shared: Duration::ZERO,
            attempt: Duration::ZERO,
            group: 0,
            needed_w: Some(needed_w),
        };
        let mut ideal = Ideal::new(&Arc::new(
            [(0, 1e-12), (1, 4e-12), (2, 2e-12)].map(step).into_iter().collect(),
        ));
        assert_eq!(ideal.again(), 0, "nothing heard yet");
        for (power_w, place) in [(5e-13, 0), (1.5e-12, 0), (3e-12, 2), (1e-9, 2)] {
            ideal.on_heard(power_w);
            assert_eq!(ideal.again(), place);
        }
        for place in [1, 0, 0] {
            ideal.on_result(2, false);
            assert_eq!(ideal.again(), place);
        }
        ideal.on_heard(1e-9);
        assert_eq!(ideal.again(), 2);
    }
}
