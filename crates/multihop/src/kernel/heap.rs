//! A four-way heap: half as deep as a binary one, and the smallest of four children is found
//! without a data-dependent branch.

use super::order::EventKey;

const WAYS: usize = 4;

/// A priority queue of events, the smallest key first. Keys must differ.
#[derive(Debug)]
pub struct Heap<E> {
    entries: Vec<(EventKey, E)>,
}

impl<E> Default for Heap<E> {
    fn default() -> Self {
        Heap { entries: Vec::new() }
    }
}

impl<E: Copy> Heap<E> {
    /// The smallest key and its event.
    pub fn peek(&self) -> Option<&(EventKey, E)> {
        self.entries.first()
    }

    /// Adds an event.
    pub fn push(&mut self, key: EventKey, event: E) {
        let place = self.entries.len();
        self.entries.push((key, event));
        self.rise(place);
    }

    /// Removes the event with the smallest key.
    pub fn pop(&mut self) -> Option<(EventKey, E)> {
        let last = self.entries.pop()?;
        let Some(first) = self.entries.first_mut() else { return Some(last) };
        let smallest = std::mem::replace(first, last);
        self.sink();
        Some(smallest)
    }

    /// How many events there are.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    fn rise(&mut self, mut place: usize) {
        let entry = self.entries[place];
        while place > 0 {
            let parent = (place - 1) / WAYS;
            if self.entries[parent].0 <= entry.0 {
                break;
            }
            self.entries[place] = self.entries[parent];
            place = parent;
        }
        self.entries[place] = entry;
    }

    /// Sifts the first entry down to its place.
    fn sink(&mut self) {
        let entry = self.entries[0];
        let mut place = 0;
        loop {
            let first = WAYS * place + 1;
            let smallest = match self.entries.get(first..first + WAYS) {
                Some(children) => {
                    let left = usize::from(children[1].0 < children[0].0);
                    let right = 2 + usize::from(children[3].0 < children[2].0);
                    first + if children[right].0 < children[left].0 { right } else { left }
                }
                None => match (first..self.entries.len()).min_by_key(|&i| self.entries[i].0) {
                    Some(smallest) => smallest,
                    None => break,
                },
            };
            if entry.0 <= self.entries[smallest].0 {
                break;
            }
            self.entries[place] = self.entries[smallest];
            place = smallest;
        }
        self.entries[place] = entry;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::Instant;
    use proptest::prelude::*;

    fn key(at: u64, rank: u64) -> EventKey {
        EventKey { at: Instant::from_nanos(at), rank }
    }

    proptest! {
        /// Pushes and pops against a sorted list.
        #[test]
        fn the_smallest_key_is_always_first(steps in prop::collection::vec((0u8..3, 0u64..40), 0..200)) {
            let (mut heap, mut list) = (Heap::default(), Vec::new());
            for (rank, (step, at)) in (0u64..).zip(steps) {
                match step {
                    0 => {
                        list.sort_unstable();
                        let expected = if list.is_empty() { None } else { Some(list.remove(0)) };
                        prop_assert_eq!(heap.pop(), expected);
                    }
                    _ => {
                        list.push((key(at, rank), rank));
                        heap.push(key(at, rank), rank);
                    }
                }
                prop_assert_eq!(heap.len(), list.len());
                prop_assert_eq!(heap.peek().map(|e| e.0), list.iter().map(|e| e.0).min());
            }
        }
    }
}
