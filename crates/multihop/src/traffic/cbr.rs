//! A constant bit rate source: equal packets at equal intervals, the first at the start.

use crate::kernel::{Duration, Instant};

/// A CBR source.
#[derive(Clone, Debug)]
pub struct Cbr {
    /// Payload of a packet \[bytes\].
    pub packet_bytes: u32,
    /// Payload sent \[bit/s\].
    pub rate_bps: f64,
    start: Instant,
    sent: u32,
}

impl Cbr {
    /// A source that starts at `start` and sends packets of `packet_bytes` at `rate_bps`.
    pub fn new(packet_bytes: u32, rate_bps: f64, start: Instant) -> Cbr {
        Cbr { packet_bytes, rate_bps, start, sent: 0 }
    }

    /// Sends the next packet: its number, and when the one after it is due.
    pub fn send(&mut self) -> (u32, Instant) {
        let number = self.sent;
        self.sent += 1;
        // Computed from the start each time, so that rounding to nanoseconds does not accumulate.
        let bits = f64::from(self.packet_bytes) * 8.0 * f64::from(self.sent);
        let ahead = Duration::from_secs_f64(bits / self.rate_bps);
        (number, self.start + ahead)
    }

    /// Packets sent so far.
    pub fn sent(&self) -> u32 {
        self.sent
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_do_not_drift() {
        let mut cbr = Cbr::new(1000, 3e6, Instant::from_nanos(1_000_000_000));
        let mut due = Instant::ZERO;
        for number in 0..375_000 {
            let (sent, next) = cbr.send();
            assert_eq!(sent, number);
            due = next;
        }
        assert_eq!(due, Instant::from_nanos(1_001_000_000_000));
    }
}
