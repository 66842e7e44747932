//! The pending-event queue and its total order.
//!
//! Delays that are the same constant for everyone (link to node, SIFS) go through a [`DelayLine`]:
//! a FIFO in which only the head competes with the heap, at no heap operation each.

use std::collections::VecDeque;

use super::heap::Heap;
use super::near::NearFuture;
use super::order::{EventKey, FIRST_DRAWN_RANK};
use super::time::{Duration, Instant};

/// Events waiting for their time.
#[derive(Debug)]
pub struct EventQueue<E> {
    near: NearFuture<E>,
    /// What was due too late for the near future when it was scheduled.
    far: Heap<E>,
    next_rank: u64,
    now: Instant,
}

impl<E: Copy> Default for EventQueue<E> {
    fn default() -> Self {
        EventQueue {
            near: NearFuture::default(),
            far: Heap::default(),
            next_rank: FIRST_DRAWN_RANK,
            now: Instant::ZERO,
        }
    }
}

impl<E: Copy> EventQueue<E> {
    /// The present: the time of the event that runs.
    pub fn now(&self) -> Instant {
        self.now
    }

    /// Draws the next rank, for something scheduled outside the heap.
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
        if !self.near.push(key, event) {
            self.far.push(key, event);
        }
    }

    /// The place of the next event, [`EventKey::NEVER`] if there is none.
    #[inline]
    pub fn next_key(&mut self) -> EventKey {
        self.next().0.map_or(EventKey::NEVER, |(key, _)| key)
    }

    /// Takes the next event and moves the present to it.
    #[inline]
    pub fn pop(&mut self) -> Option<(EventKey, E)> {
        let (next, is_near) = self.next();
        let (key, event) = next?;
        if is_near {
            self.near.pop();
        } else {
            self.far.pop();
        }
        self.advance_to(key.at);
        Some((key, event))
    }

    /// Looks at the next event and moves the present to it, without taking it.
    #[inline]
    pub fn peek(&mut self) -> Option<(EventKey, E)> {
        let (key, event) = self.next().0?;
        self.advance_to(key.at);
        Some((key, event))
    }

    /// Gives the next event a later place.
    #[inline]
    pub fn postpone_next(&mut self, key: EventKey) {
        let (next, is_near) = self.next();
        let Some((_, event)) = next else { return };
        if !is_near {
            self.far.postpone_first(key);
            return;
        }
        self.near.pop();
        self.schedule_with_key(key, event);
    }

    /// The next event, and whether it is one of the near future's.
    #[inline]
    fn next(&mut self) -> (Option<(EventKey, E)>, bool) {
        match (self.near.peek(), self.far.peek().copied()) {
            (Some(near), Some(far)) if far.0 < near.0 => (Some(far), false),
            (Some(near), _) => (Some(near), true),
            (None, far) => (far, false),
        }
    }

    /// Moves the present to the time of an event that was held outside the heap.
    pub fn advance_to(&mut self, at: Instant) {
        debug_assert!(at >= self.now, "time runs backwards");
        self.now = at;
        self.near.move_to(at);
    }

    /// How many events wait.
    pub fn len(&self) -> usize {
        self.near.len() + self.far.len()
    }

    /// Whether none waits.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// Events that all wait the same time: a FIFO in the total order.
#[derive(Debug)]
pub struct DelayLine<T> {
    delay: Duration,
    waiting: VecDeque<(EventKey, T)>,
}

impl<T> DelayLine<T> {
    /// An empty line with this delay.
    pub fn new(delay: Duration) -> DelayLine<T> {
        DelayLine { delay, waiting: VecDeque::new() }
    }

    /// Puts `item` in; it comes out after the delay.
    pub fn push<E: Copy>(&mut self, queue: &mut EventQueue<E>, item: T) {
        let key = queue.draw_key(queue.now() + self.delay);
        self.waiting.push_back((key, item));
    }

    /// The place of the head in the total order, [`EventKey::NEVER`] if the line is empty.
    pub fn next_key(&self) -> EventKey {
        self.waiting.front().map_or(EventKey::NEVER, |(key, _)| *key)
    }

    /// Takes the head out and moves the present to its time.
    pub fn pop<E: Copy>(&mut self, queue: &mut EventQueue<E>) -> Option<T> {
        let (key, item) = self.waiting.pop_front()?;
        queue.advance_to(key.at);
        Some(item)
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

    #[test]
    fn a_line_and_the_heap_share_one_order() {
        let mut queue = EventQueue::default();
        let mut line = DelayLine::new(Duration::from_nanos(5));
        queue.schedule(Instant::from_nanos(5), "before");
        line.push(&mut queue, "line");
        queue.schedule(Instant::from_nanos(5), "after");
        assert!(queue.next_key() < line.next_key());
        assert_eq!(queue.pop().unwrap().1, "before");
        assert!(line.next_key() < queue.next_key());
        assert_eq!(line.pop(&mut queue), Some("line"));
        assert_eq!(queue.now(), Instant::from_nanos(5));
        assert_eq!(queue.pop().unwrap().1, "after");
        assert_eq!(line.next_key(), EventKey::NEVER);
        assert_eq!(queue.next_key(), EventKey::NEVER);
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
