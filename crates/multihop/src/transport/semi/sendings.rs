//! When segments were last sent.

use std::collections::VecDeque;

use crate::kernel::{Duration, Instant};

/// Segments whose last sending is kept; beyond that the lowest is forgotten.
const KEPT: usize = 1 << 16;

/// When each unacknowledged segment was last sent.
#[derive(Debug, Default)]
pub struct Sendings {
    /// The segment of the first time.
    first: u32,
    times: VecDeque<Instant>,
}

impl Sendings {
    /// Segment `number` is sent now: again, or as the next new one.
    pub fn note(&mut self, now: Instant, number: u32) {
        let Some(place) = number.checked_sub(self.first) else { return };
        if let Some(time) = self.times.get_mut(place as usize) {
            *time = now;
            return;
        }
        if self.times.is_empty() {
            self.first = number;
        } else if self.times.len() == KEPT {
            self.times.pop_front();
            self.first += 1;
        }
        self.times.push_back(now);
    }

    /// The segments below `number` are acknowledged.
    pub fn forget_below(&mut self, number: u32) {
        let gone = number.saturating_sub(self.first) as usize;
        self.times.drain(..gone.min(self.times.len()));
        self.first = self.first.max(number);
    }

    /// Whether segment `number`, which has been sent, was last sent longer than `wait` ago. One
    /// that is forgotten was sent before all that are kept.
    pub fn is_overdue(&self, now: Instant, number: u32, wait: Duration) -> bool {
        let place = number.saturating_sub(self.first) as usize;
        self.times.get(place).is_some_and(|&sent| now.saturating_since(sent) > wait)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: u64) -> Instant {
        Instant::ZERO + Duration::from_secs(seconds)
    }

    #[test]
    fn the_last_sending_counts() {
        let mut sendings = Sendings::default();
        (0..5).for_each(|number| sendings.note(at(u64::from(number)), number));
        sendings.forget_below(2);
        sendings.note(at(10), 3);
        let overdue =
            [2, 3, 4].map(|number| sendings.is_overdue(at(12), number, Duration::from_secs(8)));
        assert_eq!(overdue, [true, false, false], "4 was sent 8 s ago and not before");
        assert!(sendings.is_overdue(at(13), 4, Duration::from_secs(8)));
    }

    #[test]
    fn memory_is_bounded_and_the_lowest_are_taken_for_the_oldest() {
        let mut sendings = Sendings::default();
        let last = KEPT as u32 + 100;
        (0..=last).for_each(|number| sendings.note(at(u64::from(number)), number));
        assert_eq!(sendings.times.len(), KEPT);
        sendings.note(at(1_000_000), 3);
        assert!(sendings.is_overdue(at(1_000_000), 3, Duration::from_secs(900_000)));
        assert!(!sendings.is_overdue(at(1_000_000), last, Duration::from_secs(950_000)));
        sendings.forget_below(last + 1);
        sendings.note(at(1_000_001), last + 1);
        assert!(!sendings.is_overdue(at(1_000_001), last + 1, Duration::ZERO));
    }
}
