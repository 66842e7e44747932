//! A constant bit rate source: equal packets at equal intervals, the first at the start.

use super::application::{Action, Application, Way};
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

    /// Sends the next packet. Returns when the one after it is due.
    pub fn send(&mut self) -> Instant {
        self.sent += 1;
        // Computed from the start each time, so that rounding to nanoseconds does not accumulate.
        let bits = f64::from(self.packet_bytes) * 8.0 * f64::from(self.sent);
        self.start + Duration::from_secs_f64(bits / self.rate_bps)
    }
}

impl Application for Cbr {
    fn on_start(&mut self, now: Instant, out: &mut Vec<Action>) {
        self.on_timer(now, out);
    }

    fn on_timer(&mut self, _now: Instant, out: &mut Vec<Action>) {
        let next = self.send();
        let send = Action::Send { way: Way::Forth, bytes: self.packet_bytes.into() };
        out.extend([Action::Wait(next), send]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_do_not_drift() {
        let mut cbr = Cbr::new(1000, 3e6, Instant::from_nanos(1_000_000_000));
        let mut due = Instant::ZERO;
        for _ in 0..375_000 {
            due = cbr.send();
        }
        assert_eq!(due, Instant::from_nanos(1_001_000_000_000));
    }
}
