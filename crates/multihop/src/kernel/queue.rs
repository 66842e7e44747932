//! The pending-event queue and its total order.

use super::calendar::Calendar;
use super::order::EventKey;
use super::time::Instant;

/// Pending events.
#[derive(Debug)]
pub struct EventQueue<E> {
    pending: Calendar<E>,
    next_rank: u64,
    now: Instant,
}

impl<E: Copy> Default for EventQueue<E> {
    fn default() -> Self {
        EventQueue { pending: Calendar::default(), next_rank: 0, now: Instant::ZERO }
    }
}

impl<E: Copy> EventQueue<E> {
    /// The current time: that of the event or backoff being run.
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

    /// Schedules `event` under a key drawn before.
    pub fn schedule_with_key(&mut self, key: EventKey, event: E) {
        self.pending.push(key, event);
    }

    /// The key of the next event, [`EventKey::NEVER`] if there is none.
    #[inline]
    pub fn next_key(&mut self) -> EventKey {
        self.pending.peek().map_or(EventKey::NEVER, |(key, _)| key)
    }

    /// Removes the next event and advances to its time.
    #[inline]
    pub fn pop(&mut self) -> Option<(EventKey, E)> {
        let next = self.peek()?;
        self.pending.pop();
        Some(next)
    }

    /// Advances to the time of the next event and returns it without removing it.
    #[inline]
    pub fn peek(&mut self) -> Option<(EventKey, E)> {
        self.peek_until(Instant::FAR)
    }

    /// As [`EventQueue::peek`], if the next event is due by `end`.
    #[inline]
    pub fn peek_until(&mut self, end: Instant) -> Option<(EventKey, E)> {
        let (key, event) = self.pending.peek().filter(|(key, _)| key.at <= end)?;
        self.advance_to(key.at);
        Some((key, event))
    }

    /// Moves the next event to a later key.
    #[inline]
    pub fn postpone_next(&mut self, key: EventKey) {
        if let Some((_, event)) = self.pending.peek() {
            self.pending.pop();
            self.pending.push(key, event);
        }
    }

    /// Advances to the time of an event that is not in this queue.
    pub fn advance_to(&mut self, at: Instant) {
        debug_assert!(at >= self.now, "time runs backwards");
        self.now = at;
    }

    /// How many events are pending.
    pub fn len(&self) -> usize {
        self.pending.len()
    }

    /// Whether none is pending.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn events_at_the_same_time_run_in_the_order_of_scheduling() {
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
