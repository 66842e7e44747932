//! Automatic rate fallback (A. Kamerman and L. Monteban, "WaveLAN-II: A high-performance wireless
//! LAN for the unlicensed band", Bell Labs Technical Journal 2(3), 1997).
//!
//! Two attempts in a row without an ACK lower the rate by one. Ten ACKs in a row, or a timer, raise
//! it by one; if the first attempt after that fails, it falls back at once. The timer's length,
//! which the paper leaves open, is 15 attempts.

use super::rate_set::RateSet;
use super::rule::RateRule;
use crate::kernel::{Instant, Rng};

/// Failures in a row that lower the rate.
const FAILURES: u32 = 2;
/// Successes in a row that raise it.
const SUCCESSES: u32 = 10;
/// Attempts after which it is raised all the same.
const TIMER: u32 = 15;

/// The rate on one link by automatic rate fallback.
#[derive(Clone, Copy, Debug, Default)]
pub struct Arf {
    highest: usize,
    place: usize,
    successes: u32,
    failures: u32,
    attempts: u32,
    /// The rate has just been raised.
    is_probing: bool,
}

impl Arf {
    /// The choice among the rates of `rate_set`, at the slowest.
    pub fn new(rate_set: &RateSet) -> Arf {
        Arf { highest: rate_set.len() - 1, ..Arf::default() }
    }

    /// From now on the rate is that at `place`; `is_probing`: it has just been raised.
    fn go_to(&mut self, place: usize, is_probing: bool) {
        *self = Arf { highest: self.highest, place, is_probing, ..Arf::default() };
    }
}

impl RateRule for Arf {
    fn first(&mut self, _: Instant, _: &mut Rng) -> usize {
        self.place
    }

    fn again(&mut self) -> usize {
        self.place
    }

    fn on_result(&mut self, _: usize, is_good: bool) {
        self.attempts += 1;
        let was_probing = std::mem::take(&mut self.is_probing);
        if is_good {
            self.failures = 0;
            self.successes += 1;
        } else {
            self.successes = 0;
            self.failures += 1;
        }
        let falls = self.failures >= FAILURES || was_probing && !is_good;
        let rises = is_good && (self.successes >= SUCCESSES || self.attempts >= TIMER);
        if falls {
            self.go_to(self.place.saturating_sub(1), false);
        } else if rises && self.place < self.highest {
            self.go_to(self.place + 1, true);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The places after each of these results: `+` an ACK, `-` none.
    fn places(results: &str) -> Vec<usize> {
        let mut arf = Arf { highest: 3, ..Arf::default() };
        let after = |result| {
            let place = arf.place;
            arf.on_result(place, result == '+');
            arf.again()
        };
        results.chars().map(after).collect()
    }

    #[test]
    fn ten_acks_raise_the_rate_and_a_failed_probe_lowers_it_again() {
        let places = places("++++++++++-++++++++++");
        assert_eq!(places[8..12], [0, 1, 0, 0]);
        assert_eq!(places[20], 1);
    }

    #[test]
    fn two_failures_in_a_row_lower_the_rate() {
        let places = places("+++++++++++-+--");
        assert_eq!(places[9..], [1, 1, 1, 1, 1, 0]);
    }

    #[test]
    fn the_timer_raises_the_rate_in_spite_of_single_failures() {
        let places = places("+++++-+++++-++++");
        assert_eq!(places[13..], [0, 1, 1]);
    }

    #[test]
    fn it_stays_between_the_lowest_and_the_highest() {
        assert_eq!(places("------").last(), Some(&0));
        assert_eq!(places(&"+".repeat(100)).last(), Some(&3));
    }
}
