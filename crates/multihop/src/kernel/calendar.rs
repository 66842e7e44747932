//! A calendar queue: events of the next milliseconds in buckets by time, the others in a heap.
//!
//! Almost every event of a wireless network is due within a few milliseconds of its scheduling.
//! Scheduling it costs a few instructions, however many others are pending: it goes into its
//! bucket's list, and the few events of a bucket are sorted when their time comes (Brown, Calendar
//! queues, Communications of the ACM 31(10), 1988; with buckets narrower than the usual gap between
//! events).

use std::cmp::Reverse;

use super::heap::Heap;
use super::order::EventKey;
use super::time::Instant;

/// A bucket spans 2 to this power nanoseconds, 8.2 µs: less than a slot.
const WIDTH_BITS: u32 = 13;
/// Buckets; together they span 33.6 ms, more than any frame takes.
const BUCKETS: usize = 4096;
const WORD_BITS: usize = 64;
/// The end of a list.
const NONE: u32 = u32::MAX;

/// Pending events, by key.
#[derive(Debug)]
pub struct Calendar<E> {
    /// The number of the current bucket; 0 before the first, so that events scheduled before the
    /// start are sorted together and not inserted one by one.
    current: u64,
    /// The events of the current bucket and any earlier ones, the next one last.
    ready: Vec<(EventKey, E)>,
    /// The list of each later bucket.
    heads: Box<[u32; BUCKETS]>,
    /// Which buckets have any events.
    filled: [u64; BUCKETS / WORD_BITS],
    entries: Vec<Entry<E>>,
    free: u32,
    /// Events beyond the span of the buckets when they were scheduled.
    far: Heap<E>,
    /// The bucket of the first of them.
    far_bucket: u64,
}

#[derive(Clone, Copy, Debug)]
struct Entry<E> {
    key: EventKey,
    event: E,
    next: u32,
}

impl<E: Copy> Default for Calendar<E> {
    fn default() -> Self {
        Calendar {
            current: 0,
            ready: Vec::new(),
            heads: Box::new([NONE; BUCKETS]),
            filled: [0; BUCKETS / WORD_BITS],
            entries: Vec::new(),
            free: NONE,
            far: Heap::default(),
            far_bucket: u64::MAX,
        }
    }
}

fn bucket(at: Instant) -> u64 {
    1 + (at.as_nanos() >> WIDTH_BITS)
}

impl<E: Copy> Calendar<E> {
    /// Adds an event.
    #[inline]
    pub fn push(&mut self, key: EventKey, event: E) {
        let bucket = bucket(key.at);
        // Between the current bucket and the end of the span, in one comparison.
        if bucket.wrapping_sub(self.current + 1) >= BUCKETS as u64 - 1 {
            self.push_elsewhere(bucket, key, event);
            return;
        }
        let place = bucket as usize % BUCKETS;
        let entry = Entry { key, event, next: self.heads[place] };
        self.filled[place / WORD_BITS] |= 1 << (place % WORD_BITS);
        self.heads[place] = match self.entries.get_mut(self.free as usize) {
            Some(free) => {
                let number = std::mem::replace(&mut self.free, free.next);
                *free = entry;
                number
            }
            None => self.add_entry(entry),
        };
    }

    /// Adds an event that belongs in no later bucket's list.
    // Whatever calls another function is in functions of its own, so that the common case saves no
    // registers.
    #[inline(never)]
    fn push_elsewhere(&mut self, bucket: u64, key: EventKey, event: E) {
        if bucket > self.current {
            self.push_far(bucket, key, event);
        } else if self.ready.len() == self.ready.capacity() {
            self.push_ready_growing(key, event);
        } else {
            self.push_ready(key, event);
        }
    }

    /// Puts an event in its place among those that are ready.
    #[inline(always)]
    fn push_ready(&mut self, key: EventKey, event: E) {
        self.ready.push((key, event));
        let ready = &mut self.ready[..];
        // Few are ready: those that come before it are moved one by one, not as a block.
        let mut place = ready.len() - 1;
        while place > 0 && ready[place - 1].0 < key {
            ready[place] = ready[place - 1];
            place -= 1;
        }
        ready[place] = (key, event);
    }

    #[cold]
    #[inline(never)]
    fn push_ready_growing(&mut self, key: EventKey, event: E) {
        self.ready.reserve(1);
        self.push_ready(key, event);
    }

    #[inline(never)]
    fn push_far(&mut self, bucket: u64, key: EventKey, event: E) {
        self.far.push(key, event);
        self.far_bucket = self.far_bucket.min(bucket);
    }

    #[cold]
    fn add_entry(&mut self, entry: Entry<E>) -> u32 {
        self.entries.push(entry);
        self.entries.len() as u32 - 1
    }

    /// The next event.
    #[inline]
    pub fn peek(&mut self) -> Option<(EventKey, E)> {
        if self.ready.is_empty() {
            self.turn();
        }
        self.ready.last().copied()
    }

    /// Removes the event that [`Calendar::peek`] has just returned.
    #[inline]
    pub fn pop(&mut self) {
        self.ready.pop();
    }

    /// How many events there are.
    pub fn len(&self) -> usize {
        let entry = |number: u32| self.entries.get(number as usize);
        let free = std::iter::successors(entry(self.free), |last| entry(last.next)).count();
        self.ready.len() + self.entries.len() - free + self.far.len()
    }

    /// Makes the next non-empty bucket the current one; nothing is ready.
    fn turn(&mut self) {
        let listed = self.next_filled();
        if self.far_bucket <= listed {
            self.turn_to_far(self.far_bucket, listed);
            return;
        }
        self.current = listed;
        self.empty_bucket(listed);
        self.sort_ready();
    }

    /// As [`Calendar::turn`], to the bucket of the first far event, if there is any.
    #[inline(never)]
    fn turn_to_far(&mut self, next: u64, listed: u64) {
        if next == u64::MAX {
            return;
        }
        self.current = next;
        while let Some(&(key, event)) = self.far.peek()
            && bucket(key.at) == next
        {
            self.far.pop();
            self.ready.push((key, event));
        }
        self.far_bucket = self.far.peek().map_or(u64::MAX, |(key, _)| bucket(key.at));
        if listed == next {
            self.empty_bucket(next);
        }
        self.sort_ready();
    }

    /// Moves the events of a bucket to `ready`, unsorted.
    #[inline]
    fn empty_bucket(&mut self, bucket: u64) {
        let place = bucket as usize % BUCKETS;
        self.filled[place / WORD_BITS] &= !(1 << (place % WORD_BITS));
        let mut number = std::mem::replace(&mut self.heads[place], NONE);
        while let Some(entry) = self.entries.get_mut(number as usize) {
            self.ready.push((entry.key, entry.event));
            let next = std::mem::replace(&mut entry.next, self.free);
            self.free = number;
            number = next;
        }
    }

    #[inline]
    fn sort_ready(&mut self) {
        if self.ready.len() > 1 {
            self.ready.sort_unstable_by_key(|(key, _)| Reverse(*key));
        }
    }

    /// The number of the first filled bucket after the current one; `u64::MAX` if there is none.
    #[inline]
    fn next_filled(&self) -> u64 {
        // Word by word, from the one with the first bucket; its earlier bits come last, after the
        // wrap.
        let first = self.current + 1;
        let word = |number: u64| self.filled[number as usize / WORD_BITS % self.filled.len()];
        let start = first - first % WORD_BITS as u64;
        let bits = word(start) & (u64::MAX << (first % WORD_BITS as u64));
        if bits != 0 {
            return start + u64::from(bits.trailing_zeros());
        }
        (1..=self.filled.len() as u64)
            .map(|words| start + words * WORD_BITS as u64)
            .find(|&number| word(number) != 0)
            .map_or(u64::MAX, |number| number + u64::from(word(number).trailing_zeros()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    #[derive(Clone, Debug)]
    enum Step {
        Push(u64),
        Pop,
    }

    /// Delays of all sizes: within a bucket, within the buckets, around their span, far beyond.
    fn step() -> impl Strategy<Value = Step> {
        let delay = prop_oneof![
            0u64..3,
            0u64..20_000,
            0u64..40_000_000,
            33_400_000u64..33_700_000,
            0u64..10_000_000_000,
        ];
        prop_oneof![3 => delay.prop_map(Step::Push), 2 => Just(Step::Pop)]
    }

    proptest! {
        #[test]
        fn events_come_in_the_order_of_their_keys(
            steps in prop::collection::vec(step(), 0..400),
        ) {
            let (mut calendar, mut list) = (Calendar::default(), BTreeMap::new());
            let mut now = 0;
            for (rank, step) in (0u64..).zip(steps) {
                match step {
                    Step::Push(delay) => {
                        let key = EventKey { at: Instant::from_nanos(now + delay), rank };
                        calendar.push(key, rank);
                        list.insert(key, rank);
                    }
                    Step::Pop => {
                        prop_assert_eq!(calendar.peek(), list.pop_first());
                        if let Some((key, _)) = calendar.peek() {
                            now = key.at.as_nanos();
                            calendar.pop();
                        }
                    }
                }
                prop_assert_eq!(calendar.len(), list.len());
            }
            while let Some(next) = list.pop_first() {
                prop_assert_eq!(calendar.peek(), Some(next));
                calendar.pop();
            }
            prop_assert_eq!(calendar.peek(), None);
        }
    }
}
