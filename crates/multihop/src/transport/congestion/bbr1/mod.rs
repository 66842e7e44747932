//! BBR's first version (Cardwell, Cheng, Gunn, Yeganeh, Jacobson, "BBR: congestion-based congestion
//! control", ACM Queue 14(5), 2016; draft-cardwell-iccrg-bbr-congestion-control-00), as Linux's
//! recordings show it.
//!
//! The path is modelled by the largest delivery rate of ten rounds and the shortest round trip of
//! ten seconds; segments are paced at a gain times that rate, and the window is a gain times their
//! product. Losses don't enter the model, but the window: the first round of a recovery sends no
//! more than arrives.
//!
//! From Linux: a percent less than the rate is paced; the window has room for three bursts, and for
//! what is acknowledged in bunches; the rate of a policer (`policer.rs`). The first phase of the
//! cycle, which is random there, is told by the segments delivered. Rates in segments a second, of
//! 1448 bytes where bits count.

mod policer;
mod states;

use super::filters::{Aggregation, Rounds, WindowedMax};
use super::{Ack, CongestionControl, Delivery, Loss, SentSegment, Window};
use crate::kernel::{Duration, Instant};
use crate::transport::pacing::PacingScheme;
use crate::transport::recovery::Recovery;
use crate::transport::sack::RecoveryScheme;
use crate::transport::scheme::Scheme;
use policer::Policer;
use states::{HIGH_GAIN, Mode};

/// `transport.scheme = "bbr1"`.
pub const SCHEME: Scheme = Scheme {
    recovery: RecoveryScheme::RackTlp,
    pacing: PacingScheme::Rate,
    check: super::models::suits_a_model,
    ..Scheme::windowed(|| Box::new(Bbr1::default()), Recovery::NewReno)
};

/// What is left of the rate for the pacing to be below it.
const PACING_MARGIN: f64 = 0.99;
/// Rounds over which the rate and what comes in bunches are the largest.
const ROUNDS: u32 = 10;
/// The least window, but for that after a timeout \[segments\].
const LEAST_WINDOW: f64 = 4.0;
/// Before so many segments are delivered the window grows whatever its target.
const FIRST_SEGMENTS: u32 = 10;
/// The most that may be acknowledged in a bunch, at the estimated rate \[s\].
const LONGEST_BUNCH_S: f64 = 0.1;
/// Below this rate, 1.2 Mbit/s, a burst is one segment \[segments/s\].
const SLOW: f64 = 1.2e6 / 8.0 / 1448.0;
/// Above it, what leaves in this time \[s\], two segments at least.
const BURST_S: f64 = 1.0 / 1024.0;

/// What the sender repairs.
#[derive(Clone, Copy, Debug, Default, PartialEq, PartialOrd)]
enum Repair {
    #[default]
    Nothing,
    Recovery,
    Timeout,
}

/// The first version.
#[derive(Clone, Debug, Default)]
pub struct Bbr1 {
    mode: Mode,
    rounds: Rounds,
    bandwidth: WindowedMax,
    aggregation: Aggregation,
    policer: Policer,
    min_rtt: Option<Duration>,
    min_rtt_at: Instant,
    /// The rate when it last grew, the rounds since, and whether the pipe has been found to be
    /// full.
    full_bandwidth: f64,
    full_rounds: u32,
    is_full: bool,
    /// When the least window will have been held for long enough, and whether for a round.
    probed_at: Option<Instant>,
    has_probed_a_round: bool,
    restarts: bool,
    /// Segments a second that leave.
    rate: Option<f64>,
    /// The gain in that.
    gain: f64,
    /// The window before a recovery or a probe of the round trip.
    prior_cwnd: f64,
    repair: Repair,
    last_repair: Repair,
    /// No more leaves than arrives.
    conserves: bool,
    /// First phases of the cycle to come, the last first; without one, that is told by the segments
    /// delivered.
    phases: Vec<usize>,
}

impl CongestionControl for Bbr1 {
    fn on_ack(&mut self, _window: &mut Window, _ack: &Ack) {}

    fn on_loss(&mut self, window: &mut Window, _loss: &Loss) {
        self.save(window.cwnd);
        self.repair = Repair::Recovery;
    }

    fn on_timeout(&mut self, window: &mut Window, _loss: &Loss) {
        self.save(window.cwnd);
        (self.repair, self.last_repair) = (Repair::Timeout, Repair::Timeout);
        self.full_bandwidth = 0.0;
        self.rounds.begins = true;
        window.cwnd = 1.0;
    }

    fn on_delivery(&mut self, window: &mut Window, delivery: &Delivery) {
        let ack = &delivery.ack;
        if ack.delivered_total <= 1 {
            return self.begin(window, ack);
        }
        if !delivery.in_recovery {
            self.repair = Repair::Nothing;
        }
        self.measure_bandwidth(delivery);
        if delivery.sample.is_some() && ack.delivered > 0 {
            let counted = (ack.now, ack.delivered);
            let rounds = (self.rounds.count, ROUNDS);
            self.aggregation.on_delivery(counted, self.bandwidth(), window.cwnd, rounds);
        }
        self.advance_cycle(delivery);
        self.check_full_pipe(delivery);
        self.check_drain(window, delivery);
        self.measure_round_trip(window, delivery);
        self.pace();
        self.set_window(window, delivery);
    }

    fn rules_recovery(&self) -> bool {
        true
    }

    fn holds_back(&self) -> bool {
        self.mode == Mode::ProbeRtt
    }

    fn on_undo(&mut self, _window: &mut Window) {
        (self.full_bandwidth, self.full_rounds) = (0.0, 0);
        self.policer.reset();
    }

    fn on_send(&mut self, sent: &SentSegment) {
        if sent.in_flight > 0 || sent.retransmission || self.rate.is_none() {
            return;
        }
        // The application had nothing to send.
        self.restarts = true;
        self.aggregation.restart();
        if matches!(self.mode, Mode::ProbeBandwidth(..)) {
            self.rate = Some(self.bandwidth() * PACING_MARGIN);
        }
    }

    fn pacing_interval(&self, _window: &Window, _rtt: Option<Duration>) -> Option<Duration> {
        self.rate.map(|rate| Duration::from_secs_f64(1.0 / rate))
    }
}

impl Bbr1 {
    /// The same with these first phases of the cycle, in their order, as long as there are some.
    #[cfg(test)]
    pub(in crate::transport) fn with_phases(phases: &[usize]) -> Bbr1 {
        Bbr1 { phases: phases.iter().rev().copied().collect(), ..Bbr1::default() }
    }

    /// The SYN is acknowledged.
    fn begin(&mut self, window: &Window, ack: &Ack) {
        self.rounds.restart(ack.delivered_total);
        (self.min_rtt, self.min_rtt_at) = (ack.rtt, ack.now);
        let rtt_s = ack.smoothed_rtt.map_or(0.001, Duration::as_secs_f64);
        self.rate = Some(HIGH_GAIN * PACING_MARGIN * window.cwnd / rtt_s);
    }

    fn save(&mut self, cwnd: f64) {
        self.prior_cwnd = match (self.last_repair, self.mode) {
            (Repair::Nothing, mode) if mode != Mode::ProbeRtt => cwnd,
            _ => self.prior_cwnd.max(cwnd),
        };
    }

    /// The estimate of the path's rate \[segments/s\].
    fn bandwidth(&self) -> f64 {
        self.policer.rate().unwrap_or(self.bandwidth.get())
    }

    /// What `bandwidth` has in flight over the shortest round trip, times `gain`, and three bursts.
    fn in_flight_at(&self, bandwidth: f64, gain: f64) -> f64 {
        let segments = match self.min_rtt {
            Some(rtt) => (bandwidth * rtt.as_secs_f64() * gain).ceil(),
            None => f64::from(FIRST_SEGMENTS),
        };
        self.with_bursts(segments)
    }

    fn with_bursts(&self, segments: f64) -> f64 {
        let even = 2.0 * ((segments + 3.0 * self.burst()) / 2.0).ceil();
        even + if matches!(self.mode, Mode::ProbeBandwidth(0, _)) { 2.0 } else { 0.0 }
    }

    fn burst(&self) -> f64 {
        let rate = self.rate.unwrap_or(0.0);
        (rate * BURST_S).floor().max(if rate < SLOW { 1.0 } else { 2.0 })
    }

    /// Of `in_flight` segments, those that are left when the next leaves, which counts if more are
    /// sent than arrive.
    fn in_flight_at_departure(&self, delivery: &Delivery, in_flight: u32) -> f64 {
        let wait = delivery.next_departure.saturating_since(delivery.ack.now).as_secs_f64();
        let joins = if self.gain > 1.0 { self.burst() } else { 0.0 };
        let arrives = (self.bandwidth() * wait).floor();
        (f64::from(in_flight) + joins - arrives).max(0.0)
    }

    fn measure_bandwidth(&mut self, delivery: &Delivery) {
        self.rounds.begins = false;
        let Some((sample, rate)) = delivery.sample.and_then(|s| Some((s, s.rate()?))) else {
            return;
        };
        self.rounds.on_sample(sample.prior_delivered, delivery.ack.delivered_total);
        self.conserves &= !self.rounds.begins;
        let cruises = matches!(self.mode, Mode::ProbeBandwidth(..));
        if self.policer.on_delivery(delivery, self.rounds.begins, cruises) {
            self.probe_bandwidth(delivery.ack.now, delivery.ack.delivered_total);
        }
        if !sample.is_application_limited || rate >= self.bandwidth.get() {
            self.bandwidth.update(self.rounds.count, rate, ROUNDS);
        }
    }

    /// Before the pipe is full the rate only rises.
    fn pace(&mut self) {
        self.gain = self.pacing_gain();
        let rate = self.bandwidth() * self.gain * PACING_MARGIN;
        if rate > 0.0 && (self.is_full || self.rate.is_none_or(|last| rate > last)) {
            self.rate = Some(rate);
        }
    }

    fn set_window(&mut self, window: &mut Window, delivery: &Delivery) {
        let arrived = f64::from(delivery.ack.delivered);
        if arrived > 0.0 && !self.follows_repair(window, delivery) {
            let extra = match self.is_full {
                true => {
                    let most = (LONGEST_BUNCH_S * self.bandwidth()).floor();
                    self.aggregation.extra().ceil().min(most)
                }
                false => 0.0,
            };
            let bdp = self.bandwidth() * self.min_rtt.map_or(0.0, Duration::as_secs_f64);
            let target = self.with_bursts((bdp * self.cwnd_gain()).ceil() + extra);
            if self.is_full {
                window.cwnd = (window.cwnd + arrived).min(target);
            } else if window.cwnd < target || delivery.ack.delivered_total < FIRST_SEGMENTS {
                window.cwnd += arrived;
            }
            window.cwnd = window.cwnd.max(LEAST_WINDOW);
        }
        if self.mode == Mode::ProbeRtt {
            window.cwnd = window.cwnd.min(LEAST_WINDOW);
        }
    }

    /// The window as losses have it. Returns whether no more leaves than arrives.
    fn follows_repair(&mut self, window: &mut Window, delivery: &Delivery) -> bool {
        let in_flight = f64::from(delivery.in_flight + delivery.ack.delivered);
        if delivery.lost > 0 {
            window.cwnd = (window.cwnd - f64::from(delivery.lost)).max(1.0);
        }
        if self.repair == Repair::Recovery && self.last_repair != Repair::Recovery {
            self.conserves = true;
            self.rounds.restart(delivery.ack.delivered_total);
            window.cwnd = in_flight;
        } else if self.repair == Repair::Nothing && self.last_repair != Repair::Nothing {
            self.conserves = false;
            window.cwnd = window.cwnd.max(self.prior_cwnd);
        }
        self.last_repair = self.repair;
        if self.conserves {
            window.cwnd = window.cwnd.max(in_flight);
        }
        self.conserves
    }
}

#[cfg(test)]
mod tests;
