//! The state machine: Startup, Drain, the four states that probe for bandwidth, and the probe of
//! the round trip (draft-ietf-ccwg-bbr, sections 5.3 and 5.4).

use super::super::{Delivery, LostSegment, Window};
use super::Bbr;
use super::bounds::{BETA, LEAST_WINDOW, is_too_much, volume_at_loss};
use crate::kernel::{Duration, Instant};

/// BBR.ProbeRTTDuration.
const PROBE_RTT: Duration = Duration::from_millis(200);
/// Rounds in Drain at most (section 5.3.2).
const DRAIN_ROUNDS: u32 = 3;
/// Rounds from one probe for bandwidth to the next at most, so that Reno keeps up (section
/// 5.3.3.5.2).
const MOST_ROUNDS: f64 = 63.0;
/// The least time from the beginning of a cycle to its probe \[s\] (section 5.3.3.6.3).
const PROBE_WAIT_S: f64 = 2.0;
/// The most that is added to it \[s\].
const MORE_PROBE_WAIT_S: f64 = 1.0;
/// The most doublings of the growth of the long-term bound (RaiseInflightLongtermSlope).
const MOST_DOUBLINGS: u32 = 30;

/// BBR.state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum State {
    /// Looks for the path's rate, doubling its own each round.
    #[default]
    Startup,
    /// Drains the queue of that.
    Drain,
    /// Leaves room, for others and for queues to drain.
    Down,
    /// Sends at the path's rate.
    Cruise,
    /// Fills the pipe before it probes.
    Refill,
    /// Probes for more.
    Up,
    /// Has little in flight to measure the shortest round trip.
    ProbeRtt,
}

impl State {
    /// BBR.pacing_gain (section 5.6.1).
    pub fn pacing_gain(self) -> f64 {
        match self {
            State::Startup => 2.77,
            State::Drain => 0.5,
            State::Down => 0.9,
            State::Cruise | State::Refill | State::ProbeRtt => 1.0,
            State::Up => 1.25,
        }
    }

    /// BBR.cwnd_gain (section 5.6.1).
    pub fn cwnd_gain(self) -> f64 {
        match self {
            State::Up => 2.25,
            State::ProbeRtt => 0.5,
            _ => 2.0,
        }
    }

    /// IsInAProbeBWState.
    pub fn is_cycle(self) -> bool {
        matches!(self, State::Down | State::Cruise | State::Refill | State::Up)
    }

    /// IsProbingBW.
    pub fn probes(self) -> bool {
        matches!(self, State::Startup | State::Refill | State::Up)
    }
}

/// BBR.ack_phase: what acknowledgments tell of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Feedback {
    #[default]
    None,
    Refilling,
    ProbeStarting,
    Probe,
    ProbeStopping,
}

/// The cycle that probes for bandwidth, and the probe of the round trip.
#[derive(Clone, Debug, Default)]
pub struct Cycle {
    feedback: Feedback,
    /// BBR.is_bw_probe_sample.
    is_probe_sample: bool,
    /// BBR.cycle_stamp and BBR.bw_probe_wait.
    began: Instant,
    wait: Duration,
    rounds_since_up: u32,
    /// BBR.bw_probe_up_rounds, BBR.bw_probe_up_acked, BBR.probe_up_acked_per_inc.
    up_rounds: u32,
    up_acked: f64,
    acked_per_segment: f64,
    /// BBR.prev_probe_too_high and BBR.prev_probe_precautionary.
    was_too_high: bool,
    was_precautionary: bool,
    drain_round: u32,
    /// BBR.undo_state.
    undo_to: Option<State>,
    /// BBR.probe_rtt_done_stamp and BBR.probe_rtt_round_done.
    probe_rtt_ends: Option<Instant>,
    has_probed_a_round: bool,
}

impl Bbr {
    /// CheckStartupDone (sections 5.3.1.1, 5.3.1.3).
    pub(super) fn check_startup(&mut self, delivery: &Delivery) {
        if self.state != State::Startup {
            return;
        }
        if self.bounds.is_startup_loss_high(delivery) {
            self.cycle.undo_to = Some(State::Startup);
            self.model.full.reached = true;
            self.bounds.long_volume = self.bdp().max(self.bounds.latest_volume());
        }
        if self.model.full.reached {
            self.state = State::Drain;
            self.cycle.drain_round = self.model.rounds.count;
        }
    }

    /// CheckDrainDone (section 5.3.2).
    pub(super) fn check_drain(&mut self, delivery: &Delivery) {
        let is_over = f64::from(delivery.in_flight) <= self.volume(self.bandwidth(), 1.0)
            || self.model.rounds.count > self.cycle.drain_round + DRAIN_ROUNDS;
        if self.state == State::Drain && is_over {
            self.start_down();
        }
    }

    /// StartRound.
    fn start_round(&mut self) {
        self.model.rounds.restart(self.delivered);
    }

    fn start_down(&mut self) {
        self.bounds.reset_signals();
        self.cycle.acked_per_segment = f64::INFINITY;
        self.pick_wait();
        self.cycle.began = self.now;
        self.cycle.feedback = Feedback::ProbeStopping;
        self.start_round();
        self.state = State::Down;
    }

    fn start_refill(&mut self) {
        self.bounds.reset_short_term();
        (self.cycle.up_rounds, self.cycle.up_acked) = (0, 0.0);
        self.cycle.was_precautionary = false;
        self.cycle.feedback = Feedback::Refilling;
        self.start_round();
        self.state = State::Refill;
    }

    fn start_up(&mut self, rate: f64, cwnd: f64) {
        self.cycle.feedback = Feedback::ProbeStarting;
        self.start_round();
        self.model.full.restart(rate);
        self.state = State::Up;
        self.raise_slope(cwnd);
    }

    /// PickProbeWait (section 5.3.3.6.3). In place of chance, the time and what is delivered tell.
    fn pick_wait(&mut self) {
        let seed = self.now.as_nanos() ^ (u64::from(self.delivered) << 32);
        let mixed = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let chance = (mixed >> 40) as f64 / f64::from(1 << 24);
        self.cycle.rounds_since_up = (mixed >> 32) as u32 & 1;
        self.cycle.wait = Duration::from_secs_f64(PROBE_WAIT_S + MORE_PROBE_WAIT_S * chance);
    }

    /// UpdateProbeBWCyclePhase (section 5.3.3.7).
    pub(super) fn update_cycle(&mut self, window: &Window, delivery: &Delivery) {
        self.cycle.rounds_since_up += u32::from(self.model.rounds.begins);
        if !self.model.full.reached || self.adapt_long_term(window, delivery) {
            return;
        }
        let rate = delivery.sample.and_then(|sample| sample.rate()).unwrap_or(0.0);
        let state = self.state;
        match state {
            State::Down | State::Cruise if self.is_time_to_probe(window.cwnd) => {
                self.start_refill();
            }
            State::Down if self.is_time_to_cruise(delivery) => self.state = State::Cruise,
            State::Refill if self.model.rounds.begins => {
                self.cycle.is_probe_sample = true;
                self.start_up(rate, window.cwnd);
            }
            State::Up if self.is_time_to_go_down(window, delivery, rate) => {
                self.cycle.was_too_high = false;
                self.start_down();
            }
            _ => {}
        }
    }

    /// IsTimeToProbeBW, and IsRenoCoexistenceProbeTime.
    fn is_time_to_probe(&self, cwnd: f64) -> bool {
        let rounds = self.target_volume(cwnd).min(MOST_ROUNDS);
        self.now > self.cycle.began + self.cycle.wait
            || f64::from(self.cycle.rounds_since_up) >= rounds
    }

    fn is_time_to_cruise(&self, delivery: &Delivery) -> bool {
        let in_flight = f64::from(delivery.in_flight);
        in_flight <= self.bounds.volume_with_headroom()
            && in_flight <= self.volume(self.model.max_bandwidth(), 1.0)
    }

    fn is_time_to_go_down(&mut self, window: &Window, delivery: &Delivery, rate: f64) -> bool {
        let bound = self.bounds.long_volume;
        if self.cycle.was_too_high && f64::from(delivery.in_flight) >= bound {
            self.cycle.was_precautionary = true;
            return true;
        }
        if self.is_cwnd_limited() && window.cwnd >= bound {
            self.model.full.restart(rate);
            return false;
        }
        self.model.full.now
    }

    /// RaiseInflightLongtermSlope.
    fn raise_slope(&mut self, cwnd: f64) {
        let growth = f64::from(1_u32 << self.cycle.up_rounds);
        self.cycle.up_rounds = (self.cycle.up_rounds + 1).min(MOST_DOUBLINGS);
        self.cycle.acked_per_segment = (cwnd / growth).max(1.0);
    }

    /// ProbeInflightLongtermUpward.
    fn probe_upward(&mut self, window: &Window, delivery: &Delivery) {
        if !self.is_cwnd_limited() || window.cwnd < self.bounds.long_volume {
            return;
        }
        let cycle = &mut self.cycle;
        cycle.up_acked += f64::from(delivery.ack.delivered);
        let segments = (cycle.up_acked / cycle.acked_per_segment).floor();
        if segments >= 1.0 {
            cycle.up_acked -= segments * cycle.acked_per_segment;
            self.bounds.long_volume += segments;
        }
        if self.model.rounds.begins {
            self.raise_slope(window.cwnd);
        }
    }

    /// AdaptLongTermModel. Returns whether it has changed the state.
    fn adapt_long_term(&mut self, window: &Window, delivery: &Delivery) -> bool {
        let begins = self.model.rounds.begins;
        let Some(sample) = delivery.sample else { return false };
        if self.cycle.feedback == Feedback::ProbeStarting && begins {
            self.cycle.feedback = Feedback::Probe;
        }
        if self.cycle.feedback == Feedback::ProbeStopping && begins {
            self.cycle.is_probe_sample = false;
            self.cycle.feedback = Feedback::None;
            if self.state.is_cycle() && !sample.is_application_limited {
                self.model.advance_cycle();
            }
            let may_go_on = self.cycle.was_precautionary && !self.cycle.was_too_high;
            if self.state.is_cycle() && may_go_on {
                self.start_refill();
                return true;
            }
        }
        if !is_too_much(sample.lost, sample.in_flight) && self.bounds.long_volume.is_finite() {
            self.bounds.long_volume = self.bounds.long_volume.max(f64::from(sample.in_flight));
            if self.state == State::Up {
                self.probe_upward(window, delivery);
            }
        }
        false
    }

    /// HandleLostPacket and HandleInflightTooHigh (section 5.5.10.2), but for NoteLoss.
    pub(super) fn react_to_loss(&mut self, lost: &LostSegment, cwnd: f64) {
        if !self.cycle.is_probe_sample || !is_too_much(lost.lost, lost.in_flight) {
            return;
        }
        self.cycle.was_too_high = true;
        self.cycle.is_probe_sample = false;
        if !lost.is_application_limited {
            let least = self.target_volume(cwnd) * BETA;
            self.bounds.long_volume = volume_at_loss(lost).max(least);
        }
        if self.state == State::Up {
            self.cycle.undo_to = Some(State::Up);
            self.start_down();
        }
    }

    /// The undo state's part of SaveStateUponLoss.
    pub(super) fn save_state(&mut self) {
        self.cycle.undo_to = None;
    }

    /// The states' part of HandleSpuriousLossDetection (section 5.5.11.2).
    pub(super) fn return_to_probe(&mut self) {
        self.model.full.restart(0.0);
        match self.cycle.undo_to.take() {
            Some(State::Startup) if self.state != State::Startup => {
                self.model.full.reached = false;
                if self.state != State::ProbeRtt {
                    self.state = State::Startup;
                }
            }
            Some(State::Up) if !matches!(self.state, State::Up | State::ProbeRtt) => {
                self.start_refill();
            }
            _ => {}
        }
    }

    /// CheckProbeRTT (section 5.3.4.3).
    pub(super) fn check_probe_rtt(&mut self, window: &mut Window, delivery: &Delivery) {
        if self.state != State::ProbeRtt && self.model.is_min_rtt_due && !self.restarts {
            self.state = State::ProbeRtt;
            self.save_cwnd(window.cwnd);
            self.cycle.probe_rtt_ends = None;
            self.cycle.feedback = Feedback::ProbeStopping;
            self.start_round();
        }
        if self.state == State::ProbeRtt {
            self.probe_round_trip(window, delivery);
        }
        self.restarts &= delivery.ack.delivered == 0;
    }

    /// HandleProbeRTT, CheckProbeRTTDone and ExitProbeRTT (sections 5.3.4.3, 5.3.4.4).
    fn probe_round_trip(&mut self, window: &mut Window, delivery: &Delivery) {
        let Some(ends) = self.cycle.probe_rtt_ends else {
            if f64::from(delivery.in_flight) <= self.probe_rtt_volume() {
                self.cycle.probe_rtt_ends = Some(self.now + PROBE_RTT);
                self.cycle.has_probed_a_round = false;
                self.start_round();
            }
            return;
        };
        self.cycle.has_probed_a_round |= self.model.rounds.begins;
        if !self.cycle.has_probed_a_round || self.now <= ends {
            return;
        }
        self.model.on_min_rtt_probed(self.now);
        self.restore_cwnd(window);
        self.bounds.reset_short_term();
        if self.model.full.reached {
            self.start_down();
            self.state = State::Cruise;
        } else {
            self.state = State::Startup;
        }
    }

    /// ProbeRTTCwnd (section 5.6.4.5).
    pub(super) fn probe_rtt_volume(&self) -> f64 {
        (State::ProbeRtt.cwnd_gain() * self.bdp()).max(LEAST_WINDOW)
    }
}
