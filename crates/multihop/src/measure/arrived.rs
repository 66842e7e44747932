//! Which numbers of a sequence have come, in memory that does not grow with it.
//!
//! The latest 65,536 numbers are known one by one: at 1,000 packets a second those of a minute. Of
//! those before, it is known how many are missing, and in how many runs.

use std::collections::VecDeque;

/// Words of 64 numbers that are known one by one.
const WORDS: usize = 1024;

/// The numbers that have come.
#[derive(Clone, Debug)]
pub struct Arrived {
    /// A bit for each number, 64 to a word.
    words: VecDeque<u64>,
    /// The words before the first of them.
    gone: u64,
    before: Gaps,
}

/// What is missing, in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gaps {
    /// Numbers that are missing.
    pub missing: u64,
    /// Runs of them without a number between that has come.
    pub runs: u64,
    /// The last number has come, or there was none.
    has_last: bool,
}

impl Gaps {
    fn pass(&mut self, word: u64, numbers: u64) {
        for place in 0..numbers {
            let has = word >> place & 1 == 1;
            self.missing += u64::from(!has);
            self.runs += u64::from(!has && self.has_last);
            self.has_last = has;
        }
    }
}

impl Default for Arrived {
    fn default() -> Arrived {
        let before = Gaps { missing: 0, runs: 0, has_last: true };
        Arrived { words: VecDeque::new(), gone: 0, before }
    }
}

impl Arrived {
    /// `number` comes. Whether it does for the first time; one that is older than those that are
    /// known one by one counts as come before.
    pub fn note(&mut self, number: u32) -> bool {
        let Some(word) = (u64::from(number) / 64).checked_sub(self.gone) else { return false };
        let mut word = word as usize;
        while self.words.len() <= word {
            if self.words.len() == WORDS {
                let oldest = self.words.pop_front().unwrap_or(0);
                self.before.pass(oldest, 64);
                self.gone += 1;
                word -= 1;
            }
            self.words.push_back(0);
        }
        let bit = 1 << (number % 64);
        let is_first = self.words[word] & bit == 0;
        self.words[word] |= bit;
        is_first
    }

    /// What is missing of the numbers before `end`, which is one of those that are known one by
    /// one, or later.
    pub fn gaps(&self, end: u64) -> Gaps {
        let mut gaps = self.before;
        let mut from = 64 * self.gone;
        let mut words = self.words.iter();
        while from < end {
            gaps.pass(words.next().copied().unwrap_or(0), (end - from).min(64));
            from += 64;
        }
        gaps
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn copies_are_known_in_whatever_order_they_come() {
        let mut arrived = Arrived::default();
        let numbers = [0, 2, 130, 2, 1, 130, 63, 64, 0];
        let first: Vec<bool> = numbers.iter().map(|&number| arrived.note(number)).collect();
        assert_eq!(first, [true, true, true, false, true, false, true, true, false]);
    }

    #[test]
    fn memory_is_bounded_and_what_is_too_old_counts_as_come() {
        let mut arrived = Arrived::default();
        let last = 10 * 65_536;
        assert!((0..=last).filter(|number| number % 3 > 0).all(|number| arrived.note(number)));
        assert_eq!(arrived.words.len(), WORDS);
        assert!(!arrived.note(0), "it has not, but nobody knows any more");
        assert!(arrived.note(last - last % 3) && !arrived.note(last), "the latest are known");
    }

    proptest! {
        /// Up to several windows, with gaps that are longer than one.
        #[test]
        fn gaps_are_those_of_the_whole_sequence(
            steps in prop::collection::vec((1_u32..4, 1_u32..70_000), 1..12),
            more in 0_u64..100,
        ) {
            let mut arrived = Arrived::default();
            let (mut number, mut missing, mut runs) = (0_u32, 0_u64, 0_u64);
            for (come, lost) in steps {
                (number..number + come).for_each(|number| assert!(arrived.note(number)));
                number += come + lost;
                (missing, runs) = (missing + u64::from(lost), runs + 1);
            }
            let gaps = arrived.gaps(u64::from(number) + more);
            prop_assert_eq!((gaps.missing, gaps.runs), (missing + more, runs));
        }
    }
}
