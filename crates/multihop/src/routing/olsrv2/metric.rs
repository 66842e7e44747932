//! Link metrics (RFC 7181 section 6): what messages can state of them, and the directional airtime
//! of RFC 7779 that is made from the packets which come over a link.
//!
//! Deviation: the loss counts as changed only when it is a sixteenth off, since every change of a
//! metric goes to all; appendix D of RFC 7779 asks for such a thing and leaves it open.

use std::collections::VecDeque;

use super::Olsr2Config;
use crate::kernel::Duration;

/// The least and the greatest metric (section 5.6.1).
pub const MINIMUM_METRIC: u32 = 1;
pub const MAXIMUM_METRIC: u32 = (1 << 24) - 256;
/// DAT_MAXIMUM_LOSS and DAT_MINIMUM_BITRATE of RFC 7779 section 6.
const MAXIMUM_LOSS: f64 = 8.0;
const MINIMUM_BITRATE_BPS: f64 = 1000.0;
/// By what part of itself a loss changes before it counts.
const NOTICED: f64 = 1.0 / 16.0;

/// The twelve bits that state a metric: a four-bit exponent and an eight-bit mantissa, the least not
/// below `metric` (section 6.2).
pub fn compressed(metric: u32) -> u16 {
    let value = metric.clamp(MINIMUM_METRIC, MAXIMUM_METRIC);
    // The smallest b with v + 256 <= 2^(b + 9).
    let b = (value + 256).next_power_of_two().ilog2().saturating_sub(9);
    let a = (value - 256 * ((1 << b) - 1)).div_ceil(1 << b) - 1;
    (b << 8 | a) as u16
}

/// The metric that these twelve bits state.
pub fn uncompressed(bits: u16) -> u32 {
    let (b, a) = (u32::from(bits >> 8), u32::from(bits & 0xff));
    ((257 + a) << b) - 256
}

/// Which of a neighbour's packets came lately: the queues of RFC 7779 section 8.
#[derive(Clone, Debug, Default)]
pub struct Airtime {
    /// Packets that came, and those that the neighbour sent, in each of the last intervals; the
    /// present one is the last.
    counts: VecDeque<(u32, u32)>,
    loss: Option<f64>,
}

impl Airtime {
    /// A packet has come, after so many that were missed (section 9.3).
    pub fn receive(&mut self, missed: u32) {
        if self.counts.is_empty() {
            self.counts.push_back((0, 0));
        }
        let counts = self.counts.back_mut().expect("there is one");
        *counts = (counts.0 + 1, counts.1 + missed + 1);
    }

    /// The metric of a link that carries `rate_bps` \[bit/s\] at the end of an interval, when the
    /// neighbour, with this time between its HELLOs, has been silent for so many of them (section
    /// 10.2).
    pub fn refresh(
        &mut self,
        config: &Olsr2Config,
        rate_bps: f64,
        hello_interval: Duration,
        silent: u32,
    ) -> u32 {
        let sum = |of: fn(&(u32, u32)) -> u32| f64::from(self.counts.iter().map(of).sum::<u32>());
        let (received, total) = (sum(|counts| counts.0), sum(|counts| counts.1));
        let memory_s = f64::from(config.dat_memory_length) * config.dat_refresh_interval_s;
        let lost = hello_interval.as_secs_f64() * f64::from(silent) / memory_s;
        let received = received * (1.0 - lost).max(0.0);
        self.counts.push_back((0, 0));
        while self.counts.len() > config.dat_memory_length as usize {
            self.counts.pop_front();
        }
        if received < 1.0 {
            self.loss = None;
            return MAXIMUM_METRIC;
        }
        let loss = (total / received).min(MAXIMUM_LOSS);
        let is_noticed = |before: f64| (loss - before).abs() > before * NOTICED;
        if self.loss.is_none_or(is_noticed) {
            self.loss = Some(loss);
        }
        airtime(self.loss.unwrap_or(loss), rate_bps)
    }
}

/// The metric of a link of this loss, sent packets for each that comes, and rate.
pub fn airtime(loss: f64, rate_bps: f64) -> u32 {
    let rate = rate_bps.max(MINIMUM_BITRATE_BPS) / MINIMUM_BITRATE_BPS;
    let metric = f64::from(1 << 24) / MAXIMUM_LOSS * loss / rate;
    // A cast keeps within bounds.
    uncompressed(compressed(metric.round() as u32))
}
