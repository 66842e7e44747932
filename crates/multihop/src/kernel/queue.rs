//! The pending-event queue and its total order.

use super::calendar::Calendar;
use super::order::{EventKey, FIRST_DRAWN_RANK};
use super::time::Instant;

/// Events waiting for their time.
#[derive(Debug)]
pub struct EventQueue<E> {
    waiting: Calendar<E>,
    next_rank: u64,
    now: Instant,
}

impl<E: Copy> Default for EventQueue<E> {
    fn default() -> Self {
        EventQueue { waiting: Calendar::default(), next_rank: FIRST_DRAWN_RANK, now: Instant::ZERO }
    }
}

impl<E: Copy> EventQueue<E> {
    /// The present: the time of the event that runs.
    pub fn now(&self) -> Instant {
        self.now
    }

    /// Draws the next rank.
    pub fn draw_key(&mut self, at: Instant) -> EventKey {
        debug_assert!(at >= self.now, "scheduled into the past: {at:?} < {:?}", self.now);
        let rank = self.next_rank;
        self.next_rank += 1;
        EventKey { at, rank }
    }

    /// Schedules `event` at `at`, which must not be in the past.
    pub fn schedule(&mut self, at: Instant, event: E) -> EventKey {
        let key = self.draw_key(at);
        self.schedule_with_key(key, event);
        key
    }

    /// Schedules `event` at a place in the order drawn before.
    pub fn schedule_with_key(&mut self, key: EventKey, event: E) {
        self.waiting.push(key, event);
    }

    /// The place of the next event, [`EventKey::NEVER`] if there is none.
    #[inline]
    pub fn next_key(&mut self) -> EventKey {
        self.waiting.peek().map_or(EventKey::NEVER, |(key, _)| key)
    }

    /// Takes the next event and moves the present to it.
    #[inline]
    pub fn pop(&mut self) -> Option<(EventKey, E)> {
        let next = self.peek()?;
        self.waiting.pop();
        Some(next)
    }

    /// Looks at the next event and moves the present to it, without taking it.
    #[inline]
    pub fn peek(&mut self) -> Option<(EventKey, E)> {
        self.peek_until(Instant::FAR)
    }

    /// As [`EventQueue::peek`], if the next event is due by `end`.
    #[inline]
    pub fn peek_until(&mut self, end: Instant) -> Option<(EventKey, E)> {
        let (key, event) = self.waiting.peek().filter(|(key, _)| key.at <= end)?;
        self.advance_to(key.at);
        Some((key, event))
    }

    /// Gives the next event a later place.
    #[inline]
    pub fn postpone_next(&mut self, key: EventKey) {
        if let Some((_, event)) = self.waiting.peek() {
            self.waiting.pop();
            self.waiting.push(key, event);
        }
    }

    /// Moves the present to the time of an event that was held elsewhere.
    pub fn advance_to(&mut self, at: Instant) {
        debug_assert!(at >= self.now, "time runs backwards");
        self.now = at;
    }

    /// How many events wait.
    pub fn len(&self) -> usize {
        self.waiting.len()
    }

    /// Whether none waits.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn equal_times_leave_in_the_order_they_came() {
        let mut queue = EventQueue::default();
        let at = Instant::from_nanos(7);
        for i in 0..100 {
            queue.schedule(at, i);
        }
        let order: Vec<i32> = std::iter::from_fn(|| queue.pop().map(|(_, e)| e)).collect();
        assert_eq!(order, (0..100).collect::<Vec<_>>());
    }

    proptest! {
        #[test]
        fn pops_are_a_stable_sort_by_time(times in prop::collection::vec(0u64..50, 0..200)) {
            let mut queue = EventQueue::default();
            for (i, &t) in times.iter().enumerate() {
                queue.schedule(Instant::from_nanos(t), i);
            }
            let mut expected: Vec<usize> = (0..times.len()).collect();
            expected.sort_by_key(|&i| times[i]);
            let popped: Vec<usize> = std::iter::from_fn(|| queue.pop().map(|(_, e)| e)).collect();
            prop_assert_eq!(popped, expected);
        }
    }
}
