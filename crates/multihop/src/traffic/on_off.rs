//! Bursts of packets at a constant rate, and silences between them.

use super::application::{Action, Application, Way};
use super::distribution::Distribution;
use super::seconds;
use crate::kernel::{Duration, Instant, Rng};

/// A source that is on, then off, and so on; on first.
#[derive(Clone, Debug)]
pub struct OnOff {
    packet_bytes: u32,
    /// Rate of the payload while on \[bit/s\].
    rate_bps: f64,
    on_s: Distribution,
    off_s: Distribution,
    /// The burst: its start, its end, and the packets sent in it.
    start: Instant,
    end: Instant,
    sent: u32,
    rng: Rng,
}

impl OnOff {
    /// A source that sends packets of `packet_bytes` at `rate_bps` while it is on.
    pub fn new(
        packet_bytes: u32,
        rate_bps: f64,
        on_s: Distribution,
        off_s: Distribution,
        rng: Rng,
    ) -> OnOff {
        let (start, end) = (Instant::ZERO, Instant::ZERO);
        OnOff { packet_bytes, rate_bps, on_s, off_s, start, end, sent: 0, rng }
    }

    fn begin_burst(&mut self, now: Instant) {
        self.start = now;
        self.end = now + seconds(&self.on_s, &mut self.rng);
        self.sent = 0;
    }
}

impl Application for OnOff {
    fn on_start(&mut self, now: Instant, out: &mut Vec<Action>) {
        self.begin_burst(now);
        self.on_timer(now, out);
    }

    /// The next packet is due, or the next burst.
    fn on_timer(&mut self, now: Instant, out: &mut Vec<Action>) {
        if now >= self.end {
            self.begin_burst(now);
        }
        self.sent += 1;
        // Computed from the start of the burst, so that rounding does not accumulate.
        let bits = f64::from(self.packet_bytes) * 8.0 * f64::from(self.sent);
        let mut next = self.start + Duration::from_secs_f64(bits / self.rate_bps);
        if next >= self.end {
            next = next.max(self.end + seconds(&self.off_s, &mut self.rng));
        }
        let send = Action::Send { way: Way::Forth, bytes: self.packet_bytes.into() };
        out.extend([Action::Wait(next), send]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::Purpose;

    /// When packets leave in the first so many seconds.
    fn packets(on: Distribution, off: Distribution, rate_bps: f64, until_s: f64) -> Vec<f64> {
        let rng = Rng::stream(3, Purpose::Traffic, 0);
        let mut source = OnOff::new(125, rate_bps, on, off, rng);
        let (mut now, mut times, mut out) = (Instant::ZERO, Vec::new(), Vec::new());
        source.on_start(now, &mut out);
        while now.as_secs_f64() < until_s {
            times.push(now.as_secs_f64());
            let Some(Action::Wait(next)) = out.first().copied() else { panic!("{out:?}") };
            now = next;
            out.clear();
            source.on_timer(now, &mut out);
        }
        times
    }

    #[test]
    fn a_burst_has_its_rate_and_a_silence_its_length() {
        // A packet of 1000 bits every 0.1 s, for 0.3 s; then silence for 0.5 s.
        let constant = Distribution::Constant;
        let times = packets(constant(0.3), constant(0.5), 10_000.0, 2.4);
        let expected = [0.0, 0.1, 0.2, 0.8, 0.9, 1.0, 1.6, 1.7, 1.8];
        assert_eq!(times.len(), expected.len());
        assert!(times.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-9), "{times:?}");
    }

    #[test]
    fn in_the_mean_it_is_on_for_its_share_of_the_time() {
        let exponential =
            |mean| Distribution::Drawn(super::super::distribution::Drawn::Exponential { mean });
        let times = packets(exponential(1.0), exponential(3.0), 100_000.0, 40_000.0);
        // A quarter of the time on, at 100 packets a second; 10 000 bursts: 2 % standard error.
        let share = times.len() as f64 / 100.0 / 40_000.0;
        assert!((share - 0.25).abs() < 0.02, "{share}");
    }
}
