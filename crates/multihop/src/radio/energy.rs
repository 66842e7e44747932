//! What radios use, by state: sending, receiving, idle, off.
//!
//! A radio receives while its medium is busy, whatever it makes of the signal, as in ns-2's energy
//! model; while it sends, it sends. What is left is idle.
//!
//! The usual powers are those measured of a WaveLAN card at 11 Mbit/s (Feeney and Nilsson,
//! "Investigating the energy consumption of a wireless network interface in an ad hoc networking
//! environment", INFOCOM 2001, table 1).
//!
//! Deviation: no state of sleep, as nothing here sleeps; changes of state cost nothing.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::config::per_node::PerNode;
use crate::config::{ConfigError, within};
use crate::kernel::{Duration, Instant};

/// What radios use, and what they have.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct EnergyTable {
    /// While sending (W).
    pub transmit_w: f64,
    /// While the medium is busy (W).
    pub receive_w: f64,
    /// Otherwise, unless it is off (W).
    pub idle_w: f64,
    /// What a node's battery holds (J): for all, or one for each node. Its radios are off for good
    /// when it is empty. No end unless given.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "PerNode<f64>")]
    pub battery_j: Option<PerNode<f64>>,
}

impl Default for EnergyTable {
    fn default() -> EnergyTable {
        EnergyTable { transmit_w: 1.3461, receive_w: 0.9006, idle_w: 0.7394, battery_j: None }
    }
}

impl EnergyTable {
    /// Checks every key against its bounds, in a network of `nodes`.
    ///
    /// # Errors
    /// The first key that is out of bounds.
    pub fn check(&self, nodes: usize) -> Result<(), ConfigError> {
        for (key, value) in [
            ("energy.transmit_w", self.transmit_w),
            ("energy.receive_w", self.receive_w),
            ("energy.idle_w", self.idle_w),
        ] {
            within(key, value, 0.0, 1e4)?;
        }
        let Some(batteries) = &self.battery_j else { return Ok(()) };
        batteries.check_count("energy.battery_j", nodes)?;
        let mut values = batteries.values().iter();
        values.try_for_each(|&value| within("energy.battery_j", value, 0.0, 1e12))
    }

    /// What `spent` has used \[J\].
    pub fn used_j(&self, spent: &Spent) -> f64 {
        let Spent { sent, received, idle } = *spent;
        self.transmit_w * sent.as_secs_f64()
            + self.receive_w * received.as_secs_f64()
            + self.idle_w * idle.as_secs_f64()
    }

    /// The most that a radio can use \[W\].
    pub fn most_w(&self) -> f64 {
        self.transmit_w.max(self.receive_w).max(self.idle_w)
    }
}

/// How long a radio has been in each state, off apart.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Spent {
    /// It sent.
    pub sent: Duration,
    /// Its medium was busy, and it did not send.
    pub received: Duration,
    /// Neither.
    pub idle: Duration,
}

/// Follows the states of one radio. What it hears may be told late, but in order.
#[derive(Clone, Debug, Default)]
pub struct EnergyMeter {
    /// Since when it is on, if it is.
    on_since: Option<Instant>,
    /// Before that.
    on: Duration,
    sent: Duration,
    received: Duration,
    busy_since: Option<Instant>,
    /// What it has sent and may still have been heard during: from when until when.
    emissions: Vec<(Instant, Instant)>,
}

impl EnergyMeter {
    /// Of a radio that is on from the beginning.
    pub fn new() -> EnergyMeter {
        EnergyMeter { on_since: Some(Instant::ZERO), ..EnergyMeter::default() }
    }

    /// It sends from `now` to `end`.
    pub fn on_emission(&mut self, now: Instant, end: Instant) {
        if self.on_since.is_some() {
            self.sent += end.saturating_since(now);
            self.emissions.push((now, end));
        }
    }

    /// The medium is busy from `at` on.
    pub fn on_busy(&mut self, at: Instant) {
        self.busy_since.get_or_insert(at);
    }

    /// The medium is idle from `at` on.
    pub fn on_idle(&mut self, at: Instant) {
        if let Some(from) = self.busy_since.take() {
            self.received += self.heard(from, at);
            self.emissions.retain(|&(_, end)| end > at);
        }
    }

    /// It is switched on or off at `now`.
    pub fn on_switch(&mut self, is_off: bool, now: Instant) {
        let is_busy = self.busy_since.is_some();
        self.on_idle(now);
        match is_off {
            true => {
                self.on +=
                    self.on_since.take().map_or(Duration::ZERO, |on| now.saturating_since(on))
            }
            false => _ = self.on_since.get_or_insert(now),
        }
        if is_busy {
            self.busy_since = Some(now);
        }
    }

    /// How long from `from` to `to` it was on and did not send.
    fn heard(&self, from: Instant, to: Instant) -> Duration {
        let Some(on) = self.on_since else { return Duration::ZERO };
        let from = from.max(on);
        let whole = to.saturating_since(from);
        let overlaps = self
            .emissions
            .iter()
            .map(|&(start, end)| end.min(to).saturating_since(start.max(from)));
        overlaps.fold(whole, |left, overlap| left.saturating_sub(overlap))
    }

    /// What it has spent by `now`, up to which it has been told all.
    pub fn spent(&self, now: Instant) -> Spent {
        let on = self.on + self.on_since.map_or(Duration::ZERO, |on| now.saturating_since(on));
        let to_come =
            self.emissions.last().map_or(Duration::ZERO, |&(_, end)| end.saturating_since(now));
        let sent = self.sent.saturating_sub(to_come);
        let received =
            self.received + self.busy_since.map_or(Duration::ZERO, |from| self.heard(from, now));
        Spent { sent, received, idle: on.saturating_sub(sent).saturating_sub(received) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ms: u64) -> Instant {
        Instant::ZERO + Duration::from_millis(ms)
    }

    fn spent(meter: &EnergyMeter, now_ms: u64) -> [u64; 3] {
        let Spent { sent, received, idle } = meter.spent(at(now_ms));
        [sent, received, idle].map(|it| it.as_nanos() / 1_000_000)
    }

    #[test]
    fn what_is_heard_while_sending_is_sending() {
        let mut meter = EnergyMeter::new();
        meter.on_emission(at(10), at(20));
        assert_eq!(spent(&meter, 15), [5, 0, 10]);
        // Told late: busy from 5 to 30.
        meter.on_busy(at(5));
        assert_eq!(spent(&meter, 25), [10, 10, 5]);
        meter.on_idle(at(30));
        assert_eq!(spent(&meter, 40), [10, 15, 15]);
        meter.on_emission(at(50), at(60));
        assert_eq!(spent(&meter, 60), [20, 15, 25]);
    }

    #[test]
    fn a_radio_that_is_off_uses_nothing() {
        let mut meter = EnergyMeter::new();
        meter.on_busy(at(0));
        meter.on_switch(true, at(10));
        meter.on_emission(at(12), at(14));
        meter.on_idle(at(20));
        assert_eq!(spent(&meter, 100), [0, 10, 0]);
        meter.on_switch(false, at(100));
        meter.on_busy(at(110));
        assert_eq!(spent(&meter, 130), [0, 30, 10]);
    }

    #[test]
    fn energy_is_power_times_time() {
        let table = EnergyTable { transmit_w: 2.0, receive_w: 1.0, idle_w: 0.5, battery_j: None };
        let second = Duration::from_millis(1000);
        let spent =
            Spent { sent: second, received: second + second, idle: Duration::from_millis(4000) };
        assert_eq!(table.used_j(&spent), 6.0);
        assert_eq!(table.most_w(), 2.0);
    }
}
