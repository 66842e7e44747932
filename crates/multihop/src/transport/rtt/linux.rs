//! The retransmission timeout of Linux (Sarolahti, Kuznetsov, "Congestion control in Linux TCP",
//! USENIX 2002, section 4.1, and its recordings): deviations that a shorter round trip would cause
//! weigh an eighth, the deviation used is the largest of a round trip and falls by a quarter a
//! round trip, and the least timeout is added to the smoothed round trip instead of bounding the
//! sum. Timeouts are whole ticks of its clock.

use crate::kernel::{Duration, Instant};

/// A tick at 250 Hz.
const TICK: Duration = Duration::from_millis(4);

/// The averages of one connection \[s\].
#[derive(Clone, Copy, Debug)]
pub struct LinuxRtt {
    /// Smoothed round trip.
    pub smoothed: f64,
    /// Its mean deviation, 4 times.
    deviation: f64,
    /// The largest of those of this round trip.
    most: f64,
    /// What is added to the smoothed round trip.
    used: f64,
    /// The round trip ends with a segment sent after this.
    round: Instant,
}

impl LinuxRtt {
    /// The averages once a segment sent at `sent` is acknowledged at `now`, the least timeout being
    /// `least`.
    pub fn after(
        before: Option<LinuxRtt>,
        sent: Instant,
        now: Instant,
        least: Duration,
    ) -> LinuxRtt {
        let (sample, least) = ((now - sent).as_secs_f64(), least.as_secs_f64());
        let Some(mut rtt) = before else {
            let deviation = 2.0 * sample;
            let used = deviation.max(least);
            return LinuxRtt { smoothed: sample, deviation, most: used, used, round: now };
        };
        let error = sample - rtt.smoothed;
        rtt.smoothed += error / 8.0;
        let change = error.abs() - rtt.deviation / 4.0;
        rtt.deviation += if error < 0.0 && change > 0.0 { change / 8.0 } else { change };
        rtt.most = rtt.most.max(rtt.deviation);
        rtt.used = rtt.used.max(rtt.most);
        if sent >= rtt.round {
            rtt.used -= (rtt.used - rtt.most).max(0.0) / 4.0;
            rtt.round = now;
            rtt.most = least;
        }
        rtt
    }

    /// The timeout, a whole number of ticks.
    pub fn timeout(&self) -> Duration {
        let ticks = ((self.smoothed + self.used) / TICK.as_secs_f64()).ceil();
        TICK * ticks as u64
    }
}
