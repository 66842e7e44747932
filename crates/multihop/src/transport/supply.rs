//! What the application has given a sender: messages, cut into segments.
//!
//! Segment 0 is the SYN, without payload; data are 1, 2, and so on. A message begins with a segment
//! of its own, and its last segment may be short: every message is pushed (RFC 9293, section
//! 3.9.1), and none waits for more (Nagle's algorithm is off).

use std::collections::VecDeque;

/// What an application has given.
#[derive(Clone, Debug, PartialEq)]
pub struct Supply {
    segment_bytes: u32,
    /// The first segment that the application does not have.
    end: u32,
    /// The segments that are not full, and their payloads, in order.
    short: VecDeque<(u32, u32)>,
}

impl Supply {
    /// Data without end, in segments of this payload \[bytes\].
    pub fn endless(segment_bytes: u32) -> Supply {
        Supply { segment_bytes, end: u32::MAX, short: VecDeque::new() }
    }

    /// No data yet.
    pub fn empty(segment_bytes: u32) -> Supply {
        Supply { end: 1, ..Supply::endless(segment_bytes) }
    }

    /// A message of `bytes`, at least one. Returns the number of its last segment.
    pub fn push(&mut self, bytes: u64) -> u32 {
        let size = u64::from(self.segment_bytes);
        let segments = bytes.div_ceil(size).max(1);
        self.end = self.end.saturating_add(u32::try_from(segments).unwrap_or(u32::MAX));
        let last = self.end - 1;
        let payload = (bytes - (segments - 1) * size) as u32;
        if payload < self.segment_bytes {
            self.short.push_back((last, payload));
        }
        last
    }

    /// The first segment that the application does not have; `u32::MAX` if data never end.
    pub fn end(&self) -> u32 {
        self.end
    }

    /// Payload of segment `number` \[bytes\].
    pub fn payload_bytes(&self, number: u32) -> u32 {
        if number == 0 {
            return 0;
        }
        match self.short.binary_search_by_key(&number, |&(segment, _)| segment) {
            Ok(place) => self.short[place].1,
            Err(_) => self.segment_bytes,
        }
    }

    /// Forgets the segments below `number`, which have arrived.
    pub fn release(&mut self, number: u32) {
        while self.short.front().is_some_and(|&(segment, _)| segment < number) {
            self.short.pop_front();
        }
    }

    /// Nothing from segment `number` on is sent any more.
    pub fn close_at(&mut self, number: u32) {
        self.end = self.end.min(number);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn each_message_ends_with_a_segment_of_its_own() {
        let mut supply = Supply::empty(1000);
        assert_eq!(supply.end(), 1, "the SYN needs no data");
        assert_eq!([2500, 1, 2000].map(|bytes| supply.push(bytes)), [3, 4, 6]);
        let payloads: Vec<u32> = (0..supply.end()).map(|n| supply.payload_bytes(n)).collect();
        assert_eq!(payloads, [0, 1000, 1000, 500, 1, 1000, 1000]);
    }

    #[test]
    fn endless_data_are_full_segments() {
        let supply = Supply::endless(1460);
        assert_eq!([0, 1, u32::MAX - 1].map(|n| supply.payload_bytes(n)), [0, 1460, 1460]);
        assert_eq!(supply.end(), u32::MAX);
    }

    #[test]
    fn a_closed_supply_has_nothing_beyond() {
        let mut supply = Supply::empty(1000);
        supply.push(5000);
        supply.close_at(3);
        assert_eq!(supply.end(), 3);
        supply.close_at(4);
        assert_eq!(supply.end(), 3);
    }

    proptest! {
        #[test]
        fn no_byte_is_lost_or_added(
            messages in prop::collection::vec(1u64..10_000, 1..30),
            segment_bytes in 1u32..3000,
        ) {
            let mut supply = Supply::empty(segment_bytes);
            for &bytes in &messages {
                let from = supply.end();
                let last = supply.push(bytes);
                let sum: u64 = (from..=last).map(|n| u64::from(supply.payload_bytes(n))).sum();
                prop_assert_eq!((sum, last + 1), (bytes, supply.end()));
                supply.release(from);
            }
        }
    }
}
