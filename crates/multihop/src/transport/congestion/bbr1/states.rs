//! The states: looking for the rate, draining, the cycle that probes for bandwidth, and the probe
//! of the round trip (draft-cardwell-iccrg-bbr-congestion-control-00, section 4.3).

use super::super::{Delivery, Window};
use super::{Bbr1, LEAST_WINDOW};
use crate::kernel::{Duration, Instant};

/// 2 / ln 2, in 256ths.
pub const HIGH_GAIN: f64 = 739.0 / 256.0;
const DRAIN_GAIN: f64 = 88.0 / 256.0;
/// The cycle that probes for bandwidth.
const CYCLE: [f64; 8] = [1.25, 0.75, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0];
const CWND_GAIN: f64 = 2.0;
/// The pipe is full once the rate has not grown by a quarter in three rounds.
const GROWTH: f64 = 1.25;
const FULL_ROUNDS: u32 = 3;
/// How long the shortest round trip holds, and for how long it is then probed.
const MIN_RTT_HOLDS: Duration = Duration::from_secs(10);
const PROBE_RTT: Duration = Duration::from_millis(200);

/// What the sender is about.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Mode {
    /// Looks for the path's rate.
    #[default]
    Startup,
    /// Drains the queue of that.
    Drain,
    /// The phase of the cycle, and when it began.
    ProbeBandwidth(usize, Instant),
    /// Has little in flight to measure the shortest round trip.
    ProbeRtt,
}

impl Bbr1 {
    pub(super) fn advance_cycle(&mut self, delivery: &Delivery) {
        let Mode::ProbeBandwidth(phase, since) = self.mode else { return };
        let now = delivery.ack.now;
        let in_flight = self.in_flight_at_departure(delivery, delivery.prior_in_flight);
        let is_long = self.min_rtt.is_some_and(|rtt| now.saturating_since(since) > rtt);
        let gain = if self.policer.rate().is_some() { 1.0 } else { CYCLE[phase] };
        let ends = if gain > 1.0 {
            is_long && (delivery.lost > 0 || in_flight >= self.in_flight_at(self.bandwidth(), gain))
        } else if gain < 1.0 {
            is_long || in_flight <= self.in_flight_at(self.bandwidth(), 1.0)
        } else {
            is_long
        };
        if ends {
            self.mode = Mode::ProbeBandwidth((phase + 1) % CYCLE.len(), now);
        }
    }

    pub(super) fn check_full_pipe(&mut self, delivery: &Delivery) {
        let is_limited = delivery.sample.is_none_or(|sample| sample.is_application_limited);
        if self.is_full || !self.rounds.begins || is_limited {
            return;
        }
        if self.bandwidth.get() >= GROWTH * self.full_bandwidth {
            (self.full_bandwidth, self.full_rounds) = (self.bandwidth.get(), 0);
        } else {
            self.full_rounds += 1;
            self.is_full = self.full_rounds >= FULL_ROUNDS;
        }
    }

    pub(super) fn check_drain(&mut self, window: &mut Window, delivery: &Delivery) {
        let drained = self.in_flight_at(self.bandwidth.get(), 1.0);
        if self.mode == Mode::Startup && self.is_full {
            self.mode = Mode::Drain;
            window.ssthresh = drained as u32;
        }
        if self.mode == Mode::Drain
            && self.in_flight_at_departure(delivery, delivery.in_flight) <= drained
        {
            self.probe_bandwidth(delivery.ack.now, delivery.ack.delivered_total);
        }
    }

    /// Begins a cycle, at any phase but that of the low gain.
    pub(super) fn probe_bandwidth(&mut self, now: Instant, delivered: u32) {
        let phase = self.phases.pop().unwrap_or(match delivered as usize % (CYCLE.len() - 1) {
            0 => 0,
            other => other + 1,
        });
        self.mode = Mode::ProbeBandwidth(phase, now);
    }

    pub(super) fn measure_round_trip(&mut self, window: &mut Window, delivery: &Delivery) {
        let now = delivery.ack.now;
        let has_expired = now > self.min_rtt_at + MIN_RTT_HOLDS;
        if let Some(rtt) = delivery.ack.rtt
            && (has_expired || self.min_rtt.is_none_or(|least| rtt < least))
        {
            (self.min_rtt, self.min_rtt_at) = (Some(rtt), now);
        }
        if has_expired && !self.restarts && self.mode != Mode::ProbeRtt {
            self.save(window.cwnd);
            self.mode = Mode::ProbeRtt;
            self.probed_at = None;
        }
        if self.mode == Mode::ProbeRtt {
            self.probe_round_trip(window, delivery);
        }
        self.restarts &= delivery.ack.delivered == 0;
    }

    fn probe_round_trip(&mut self, window: &mut Window, delivery: &Delivery) {
        let (now, delivered) = (delivery.ack.now, delivery.ack.delivered_total);
        let Some(until) = self.probed_at else {
            if f64::from(delivery.in_flight) <= LEAST_WINDOW {
                self.probed_at = Some(now + PROBE_RTT);
                self.has_probed_a_round = false;
                self.rounds.restart(delivered);
            }
            return;
        };
        self.has_probed_a_round |= self.rounds.begins;
        if self.has_probed_a_round && now > until {
            self.min_rtt_at = now;
            window.cwnd = window.cwnd.max(self.prior_cwnd);
            match self.is_full {
                true => self.probe_bandwidth(now, delivered),
                false => self.mode = Mode::Startup,
            }
        }
    }

    pub(super) fn pacing_gain(&self) -> f64 {
        match self.mode {
            Mode::Startup => HIGH_GAIN,
            Mode::Drain => DRAIN_GAIN,
            Mode::ProbeBandwidth(..) if self.policer.rate().is_some() => 1.0,
            Mode::ProbeBandwidth(phase, _) => CYCLE[phase],
            Mode::ProbeRtt => 1.0,
        }
    }

    pub(super) fn cwnd_gain(&self) -> f64 {
        match self.mode {
            Mode::Startup | Mode::Drain => HIGH_GAIN,
            Mode::ProbeBandwidth(..) => CWND_GAIN,
            Mode::ProbeRtt => 1.0,
        }
    }
}
