//! What attempts at data frames on one link have cost, for routing by airtime.

use crate::kernel::{Duration, Instant};

/// Weight of what is known against the last attempt: about the last 256 count.
const OLD_WEIGHT: f64 = 1.0 - 1.0 / 256.0;
/// Attempts that make a measurement, weighted as above: some 350 in all. Minstrel begins at the
/// slowest rate; it has found better ones by then.
const ENOUGH: f64 = 192.0;
/// Weight of what is known against the power of the last frame heard.
const OLD_POWER_WEIGHT: f64 = 0.875;

/// How long a test frame to a neighbour takes, from the first wait to its ACK.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Airtime {
    /// Until it is acknowledged, further attempts included, as lately measured.
    Delivered(Duration),
    /// One attempt, at the rate that the power heard from the neighbour suffices for: too little
    /// was sent.
    Attempt(Duration),
}

/// The attempts on one link. The time that they would have taken with a test frame, and how many
/// were acknowledged, fade with each further attempt.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Attempts {
    count: f64,
    time_s: f64,
    acks: f64,
    last_packet: Instant,
    /// The smoothed power of frames heard \[W\]; 0 before the first.
    pub(super) power_w: f64,
}

impl Attempts {
    /// The first attempt at a packet is due.
    pub(super) fn on_packet(&mut self, now: Instant) {
        self.last_packet = now;
    }

    /// What became of an attempt at a rate at which one takes `time` with a test frame.
    pub(super) fn on_result(&mut self, time: Duration, is_good: bool) {
        let faded = |sum: f64, last: f64| OLD_WEIGHT * sum + last;
        self.count = faded(self.count, 1.0);
        self.time_s = faded(self.time_s, time.as_secs_f64());
        self.acks = faded(self.acks, f64::from(u8::from(is_good)));
    }

    /// A frame came with this power \[W\].
    pub(super) fn on_heard(&mut self, power_w: f64) {
        self.power_w = match self.power_w {
            0.0 => power_w,
            old_w => OLD_POWER_WEIGHT * old_w + (1.0 - OLD_POWER_WEIGHT) * power_w,
        };
    }

    /// The time spent for each ACK, if enough was sent, and a packet at `since` or later.
    pub(super) fn measured(&self, since: Instant) -> Option<Duration> {
        let is_enough = self.count >= ENOUGH && self.last_packet >= since;
        // At most a second: nothing got through lately.
        is_enough.then(|| Duration::from_secs_f64((self.time_s / self.acks).min(1.0)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MILLI: Duration = Duration::from_millis(1);

    fn after(attempts: &[(Duration, bool)]) -> Option<f64> {
        let mut link = Attempts::default();
        link.on_packet(Instant::from_secs_f64(5.0));
        attempts.iter().for_each(|&(time, is_good)| link.on_result(time, is_good));
        assert_eq!(link.measured(Instant::from_secs_f64(5.1)), None, "too long ago");
        link.measured(Instant::from_secs_f64(5.0)).map(|time| time.as_secs_f64() * 1e3)
    }

    #[test]
    fn the_time_of_an_attempt_over_the_share_of_acks() {
        assert_eq!(after(&[(MILLI, true); 300]), None, "too few");
        let close = |got: Option<f64>, expected: f64| {
            assert!((got.unwrap() - expected).abs() < 0.03 * expected, "{got:?}, not {expected}");
        };
        close(after(&[(MILLI, true); 600]), 1.0);
        close(after(&[(MILLI, true), (MILLI, false)].repeat(200)), 2.0);
        close(after(&[(MILLI, true), (MILLI * 4, true)].repeat(200)), 2.5);
        let got_worse = [[(MILLI, true); 400].as_slice(), &[(MILLI * 3, true); 1500]].concat();
        close(after(&got_worse), 3.0);
        close(after(&[(MILLI, false); 600]), 1000.0);
    }

    #[test]
    fn the_power_heard_is_smoothed() {
        let mut link = Attempts::default();
        link.on_heard(8.0);
        assert_eq!(link.power_w, 8.0);
        link.on_heard(16.0);
        assert_eq!(link.power_w, 9.0);
    }
}
