//! What a flow's destination has of its datagrams: each counts once, however many copies arrive.
//!
//! A packet whose acknowledgment was lost may have arrived and still be given up, then salvaged
//! (RFC 4728, section 3.4.1) or repaired: two copies travel on. UDP delivers both; the application
//! has one message.

use crate::measure::Arrived;

/// Datagrams that have arrived.
#[derive(Clone, Debug, Default)]
pub struct Datagrams {
    packets: u64,
    bytes: u64,
    arrived: Arrived,
}

impl Datagrams {
    /// Datagram `number`, with a payload of so many bytes, arrives. Whether it is the first copy.
    pub fn on_arrival(&mut self, number: u32, payload_bytes: u32) -> bool {
        let is_first = self.arrived.note(number);
        self.packets += u64::from(is_first);
        self.bytes += if is_first { u64::from(payload_bytes) } else { 0 };
        is_first
    }

    /// How many have arrived.
    pub fn packets(&self) -> u64 {
        self.packets
    }

    /// Their payload \[bytes\].
    pub fn bytes(&self) -> u64 {
        self.bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_count_once() {
        let mut datagrams = Datagrams::default();
        let first = [0, 2, 2, 0].map(|number| datagrams.on_arrival(number, 100));
        assert_eq!(first, [true, true, false, false]);
        assert_eq!((datagrams.packets(), datagrams.bytes()), (2, 200));
    }
}
