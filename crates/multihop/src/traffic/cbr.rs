//! A constant bit rate source: equal packets at equal intervals, the first at the start.

use super::application::{Action, Application, Way};
use crate::kernel::{Duration, Instant};

/// A CBR source.
#[derive(Clone, Debug)]
pub struct Cbr {
    packet_bytes: u32,
    /// Payload sent \[bit/s\].
    rate_bps: f64,
    start: Instant,
    sent: u32,
}

impl Cbr {
    /// A source that sends packets of `packet_bytes` at `rate_bps`.
    pub fn new(packet_bytes: u32, rate_bps: f64) -> Cbr {
        Cbr { packet_bytes, rate_bps, start: Instant::ZERO, sent: 0 }
    }
}

impl Application for Cbr {
    fn on_start(&mut self, now: Instant, out: &mut Vec<Action>) {
        self.start = now;
        self.on_timer(now, out);
    }

    fn on_timer(&mut self, _now: Instant, out: &mut Vec<Action>) {
        self.sent += 1;
        // Computed from the start each time, so that rounding to nanoseconds does not accumulate.
        let bits = f64::from(self.packet_bytes) * 8.0 * f64::from(self.sent);
        let next = self.start + Duration::from_secs_f64(bits / self.rate_bps);
        let send = Action::Send { way: Way::Forth, bytes: self.packet_bytes.into() };
        out.extend([Action::Wait(next), send]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_do_not_drift() {
        let (mut cbr, mut out) = (Cbr::new(1000, 3e6), Vec::new());
        cbr.on_start(Instant::from_nanos(1_000_000_000), &mut out);
        for _ in 1..375_000 {
            out.clear();
            cbr.on_timer(Instant::ZERO, &mut out);
        }
        assert_eq!(out[0], Action::Wait(Instant::from_nanos(1_001_000_000_000)));
    }
}
