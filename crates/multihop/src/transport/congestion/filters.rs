//! What the versions of BBR measure with: rounds, the largest of recent values, how far
//! acknowledgments come in bunches.

use std::collections::VecDeque;

use crate::kernel::Instant;

/// The largest of the values of the last rounds or cycles.
#[derive(Clone, Debug, Default)]
pub struct WindowedMax {
    /// Falling values with the round of each, the oldest and largest first.
    values: VecDeque<(u32, f64)>,
}

impl WindowedMax {
    /// A `value` in `round`, which is not before that of the last; those of more than `window`
    /// rounds ago are forgotten.
    pub fn update(&mut self, round: u32, value: f64, window: u32) {
        while self.values.back().is_some_and(|&(_, last)| last <= value) {
            self.values.pop_back();
        }
        // A smaller one of the same round never becomes the largest.
        if self.values.back().is_none_or(|&(then, _)| then != round) {
            self.values.push_back((round, value));
        }
        while self.values.front().is_some_and(|&(then, _)| round - then > window) {
            self.values.pop_front();
        }
    }

    /// The largest; 0 of none.
    pub fn get(&self) -> f64 {
        self.values.front().map_or(0.0, |&(_, value)| value)
    }
}

/// Round trips counted by what is delivered: a round ends once a segment is acknowledged that was
/// sent after it began (draft-ietf-ccwg-bbr, section 5.5.1).
#[derive(Clone, Copy, Debug, Default)]
pub struct Rounds {
    /// Segments delivered when the round began.
    delivered: u32,
    /// Rounds so far.
    pub count: u32,
    /// The last acknowledgment has begun a round.
    pub begins: bool,
}

impl Rounds {
    /// A round begins now, `delivered` segments being delivered.
    pub fn restart(&mut self, delivered: u32) {
        self.delivered = delivered;
    }

    /// A segment is acknowledged that was sent when `prior` segments were delivered, of `delivered`
    /// by now.
    pub fn on_sample(&mut self, prior: u32, delivered: u32) {
        self.begins = prior >= self.delivered;
        if self.begins {
            self.delivered = delivered;
            self.count += 1;
        }
    }
}

/// How many segments are acknowledged beyond what the estimated rate delivers, over the last rounds
/// (draft-ietf-ccwg-bbr, section 5.5.9).
#[derive(Clone, Debug, Default)]
pub struct Aggregation {
    /// When the interval under way began; none before the first acknowledgment.
    start: Option<Instant>,
    delivered: f64,
    extra: WindowedMax,
}

impl Aggregation {
    /// `delivered` segments are acknowledged in `round`, the rate being `bandwidth` \[segments/s\]
    /// and the window `cwnd`. What is more than `window` rounds old is forgotten.
    pub fn on_delivery(
        &mut self,
        (now, delivered): (Instant, u32),
        bandwidth: f64,
        cwnd: f64,
        (round, window): (u32, u32),
    ) {
        let elapsed = self.start.map_or(0.0, |start| now.saturating_since(start).as_secs_f64());
        let mut expected = bandwidth * elapsed;
        if self.delivered <= expected {
            (self.start, self.delivered, expected) = (Some(now), 0.0, 0.0);
        }
        self.delivered += f64::from(delivered);
        self.extra.update(round, (self.delivered - expected).min(cwnd), window);
    }

    /// An interval begins at the next acknowledgment: nothing was sent for a while.
    pub fn restart(&mut self) {
        (self.start, self.delivered) = (None, 0.0);
    }

    /// The most \[segments\].
    pub fn extra(&self) -> f64 {
        self.extra.get()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::Duration;

    #[test]
    fn the_largest_of_the_last_rounds_is_kept() {
        let mut max = WindowedMax::default();
        for (round, value, largest) in [
            (1, 5.0, 5.0),
            (2, 3.0, 5.0),
            (3, 4.0, 5.0),
            (4, 1.0, 4.0),
            (6, 0.5, 1.0),
            (9, 0.1, 0.1),
        ] {
            max.update(round, value, 2);
            assert_eq!(max.get(), largest, "in round {round}");
        }
    }

    #[test]
    fn a_round_ends_with_what_was_sent_after_it_began() {
        let mut rounds = Rounds::default();
        let mut begins = |prior, delivered| {
            rounds.on_sample(prior, delivered);
            rounds.begins
        };
        assert!(begins(0, 1));
        assert!(!begins(0, 2));
        assert!(begins(1, 3));
        assert!(!begins(2, 4));
        assert!(begins(3, 5));
    }

    #[test]
    fn what_comes_at_once_is_extra() {
        let mut aggregation = Aggregation::default();
        let at = |ms| Instant::ZERO + Duration::from_millis(ms);
        aggregation.on_delivery((at(0), 4), 100.0, 50.0, (1, 10));
        assert_eq!(aggregation.extra(), 4.0);
        aggregation.on_delivery((at(10), 4), 100.0, 50.0, (1, 10));
        assert_eq!(aggregation.extra(), 7.0, "one of eight was due");
        aggregation.on_delivery((at(500), 2), 100.0, 50.0, (12, 10));
        assert_eq!(aggregation.extra(), 2.0, "anew, and the seven are forgotten");
    }
}
