//! Which Hellos of one kind have come from a neighbour (appendix A.1).

use super::seqno::Seqno;
use super::tlv::{Centiseconds, Hello};
use crate::kernel::{Duration, Instant};

/// Hellos that differ by more than so many come from a node that has been restarted.
const FARTHEST: u16 = 16;

/// The history of Hellos.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct History {
    /// The last sixteen, the latest in the lowest bit: 1 has come.
    came: u16,
    /// The number of the next; none before the first.
    expected: Option<Seqno>,
    /// The interval of the last scheduled one; 0 if none was.
    interval: Centiseconds,
    /// When the next is missed; none if none was promised.
    pub due: Option<Instant>,
}

/// What a Hello says of its sender.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Heard {
    /// It goes on.
    Again,
    /// It has been restarted: nothing that is known of it counts.
    Restarted,
}

impl History {
    /// A Hello has come at `now`.
    pub fn hear(&mut self, now: Instant, hello: &Hello) -> Heard {
        let expected = self.expected.unwrap_or(hello.seqno);
        let (ahead, behind) = (hello.seqno.ahead_of(expected), expected.ahead_of(hello.seqno));
        if ahead.min(behind) > FARTHEST {
            return Heard::Restarted;
        }
        // It has increased its interval unnoticed: misses that were none are undone. Or Hellos
        // were lost.
        self.came = match behind <= FARTHEST {
            true => self.came.checked_shr(behind.into()).unwrap_or(0),
            false => self.came.checked_shl(ahead.into()).unwrap_or(0),
        };
        self.came = self.came << 1 | 1;
        self.expected = Some(hello.seqno.plus(1));
        if hello.interval != 0 {
            self.interval = hello.interval;
            self.due = Some(now + centiseconds(hello.interval) * 3 / 2);
        }
        Heard::Again
    }

    /// If the next is missed by `now`: it counts so, and the one after is due an interval later.
    /// Returns whether that was so.
    pub fn miss(&mut self, now: Instant) -> bool {
        let Some(due) = self.due.filter(|due| *due <= now) else { return false };
        self.came <<= 1;
        self.expected = self.expected.map(|expected| expected.plus(1));
        self.due = (self.came != 0).then(|| due + centiseconds(self.interval));
        true
    }

    /// When none of the last sixteen will have come, unless another one comes; none if that was not
    /// promised.
    pub fn empties_at(&self) -> Option<Instant> {
        let further = 15_u64.checked_sub(self.came.trailing_zeros().into())?;
        Some(self.due? + centiseconds(self.interval) * further)
    }

    /// How many of the last `of` have come, at most 16.
    pub fn came(&self, of: u8) -> u32 {
        let mask = u16::MAX.checked_shr(16_u32.saturating_sub(of.into())).unwrap_or(0);
        (self.came & mask).count_ones()
    }
}

/// So many hundredths of a second.
pub fn centiseconds(interval: Centiseconds) -> Duration {
    Duration::from_millis(10 * u64::from(interval))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hello(seqno: u16, interval: u16) -> Hello {
        Hello { is_unicast: false, seqno: Seqno(seqno), interval }
    }

    fn at(seconds: f64) -> Instant {
        Instant::from_secs_f64(seconds)
    }

    // Appendix A.1, fast-forward.
    #[test]
    fn hellos_that_were_lost_count_as_missed_when_a_later_one_comes() {
        let mut history = History::default();
        for seqno in [65533, 65534, 1, 2] {
            assert_eq!(history.hear(at(0.0), &hello(seqno, 400)), Heard::Again);
        }
        assert_eq!(history.came, 0b110011);
        assert_eq!([3, 4, 16].map(|of| history.came(of)), [2, 2, 4]);
    }

    // Appendix A.1, undo history.
    #[test]
    fn misses_are_undone_if_the_neighbour_only_sends_less_often() {
        let mut history = History::default();
        history.hear(at(0.0), &hello(7, 100));
        assert!(!history.miss(at(1.49)));
        assert!(history.miss(at(1.5)) && !history.miss(at(2.49)) && history.miss(at(2.5)));
        assert_eq!(history.came, 0b100);
        history.hear(at(3.0), &hello(8, 400));
        assert_eq!(history.came, 0b11);
    }

    // Appendix A.1.
    #[test]
    fn a_number_more_than_sixteen_away_is_that_of_a_node_restarted() {
        for (seqno, expected) in [
            (117, Heard::Again),
            (118, Heard::Restarted),
            (85, Heard::Again),
            (84, Heard::Restarted),
        ] {
            let mut history = History::default();
            history.hear(at(0.0), &hello(100, 400));
            assert_eq!(history.hear(at(1.0), &hello(seqno, 400)), expected, "{seqno}");
        }
    }

    // Appendix A.1: 1.5 intervals, then one each.
    #[test]
    fn a_silent_neighbour_s_history_empties_within_sixteen_and_a_half_intervals() {
        let mut history = History::default();
        history.hear(at(0.0), &hello(0, 400));
        assert_eq!(history.empties_at(), Some(at(66.0)));
        let missed: Vec<f64> = (0..200)
            .map(|half| f64::from(half) / 2.0)
            .filter(|&seconds| history.miss(at(seconds)))
            .collect();
        assert_eq!((missed[0], missed[1], missed.len()), (6.0, 10.0, 16));
        assert_eq!((missed[15], history.came, history.due), (66.0, 0, None));
    }

    // Section 3.4.1: an interval of 0 makes no new promise.
    #[test]
    fn an_unscheduled_hello_leaves_the_time_of_the_next_as_it_was() {
        let mut history = History::default();
        history.hear(at(0.0), &hello(0, 400));
        history.hear(at(1.0), &hello(1, 0));
        assert_eq!(history.due, Some(at(6.0)));
        let mut unscheduled = History::default();
        unscheduled.hear(at(1.0), &hello(1, 0));
        assert_eq!(unscheduled.due, None);
    }
}
