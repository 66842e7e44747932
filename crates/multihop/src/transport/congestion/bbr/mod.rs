//! BBR, third version (draft-ietf-ccwg-bbr; sections and names are those of the draft of 2025).
//!
//! The path is modelled (`model.rs`) by the largest delivery rate of two cycles of probing and the
//! shortest round trip of ten seconds, and bounded by what losses have shown (`bounds.rs`); the
//! states (`states.rs`) probe for more. Segments are paced at a gain times the rate, and the window
//! is a gain times rate and round trip. Rates in segments/s, volumes in segments.
//!
//! Not in the draft: how long a cycle lasts beyond two seconds is told by its beginning, not by
//! chance. After a timeout the window is one segment, whatever is in flight. A probe of the round
//! trip that ended while the sender was idle is noticed with the next acknowledgment.
//! Omitted: connections without selective acknowledgments, for which the scheme is refused; offload
//! budgets of QUIC; the most that a quantum has, 64 KB, which takes 500 Mbit/s.

mod bounds;
mod model;
mod states;
#[cfg(test)]
mod tests;

use super::{Ack, CongestionControl, Delivery, Loss, LostSegment, SentSegment, Window};
use crate::kernel::{Duration, Instant};
use crate::transport::pacing::PacingScheme;
use crate::transport::recovery::Recovery;
use crate::transport::sack::RecoveryScheme;
use crate::transport::scheme::Scheme;
use bounds::{Bounds, LEAST_WINDOW};
use model::Model;
use states::{Cycle, State};

/// `transport.scheme = "bbr"`.
pub const SCHEME: Scheme = Scheme {
    recovery: RecoveryScheme::RackTlp,
    pacing: PacingScheme::Rate,
    check: super::models::suits_a_model,
    ..Scheme::windowed(|| Box::new(Bbr::default()), Recovery::NewReno)
};

/// 1 - BBR.PacingMarginPercent.
const PACING_MARGIN: f64 = 0.99;
/// What leaves in this time is a quantum (section 5.6.3).
const QUANTUM_S: f64 = 0.001;
/// The least quantum \[segments\] (section 5.6.3).
const LEAST_QUANTUM: f64 = 2.0;
/// Quanta that a window has room for at least (section 5.5.8).
const QUANTA: f64 = 3.0;
/// The smoothed round trip that the first rate assumes where none is known \[s\] (section 5.6.2).
const UNKNOWN_RTT_S: f64 = 0.001;
/// What the window has more room for in ProbeBW_UP \[segments\] (section 5.6.4.2).
const UP_ROOM: f64 = 2.0;

/// BBR.
#[derive(Clone, Debug, Default)]
pub struct Bbr {
    state: State,
    model: Model,
    bounds: Bounds,
    cycle: Cycle,
    /// C.InitialCwnd.
    initial_window: f64,
    /// C.pacing_rate.
    rate: Option<f64>,
    prior_cwnd: f64,
    /// InLossRecovery.
    is_repairing: bool,
    /// BBR.idle_restart.
    restarts: bool,
    /// The window, and the round in which it was last fully used.
    cwnd: f64,
    limited_round: Option<u32>,
    /// When the last acknowledgment came, and the segments delivered by then (C.delivered).
    now: Instant,
    delivered: u32,
}

impl CongestionControl for Bbr {
    fn on_ack(&mut self, _window: &mut Window, _ack: &Ack) {}

    /// OnEnterFastRecovery (section 5.6.4.4).
    fn on_loss(&mut self, window: &mut Window, _loss: &Loss) {
        self.save(window.cwnd);
        self.is_repairing = true;
    }

    /// OnEnterRTO (section 5.6.4.4).
    fn on_timeout(&mut self, window: &mut Window, _loss: &Loss) {
        self.save(window.cwnd);
        self.is_repairing = true;
        window.cwnd = 1.0;
    }

    fn on_segment_lost(&mut self, window: &mut Window, lost: &LostSegment) {
        (self.now, self.delivered) = (lost.now, lost.delivered_total);
        if self.bounds.on_lost(lost) {
            self.save_cwnd(window.cwnd);
            self.save_state();
        }
        self.react_to_loss(lost, window.cwnd);
    }

    fn on_recovered(&mut self, window: &mut Window) {
        self.restore_cwnd(window);
        self.is_repairing = false;
    }

    /// HandleSpuriousLossDetection (section 5.5.11.2).
    fn on_undo(&mut self, window: &mut Window) {
        self.restore_cwnd(window);
        self.is_repairing = false;
        self.bounds.restore();
        self.return_to_probe();
    }

    /// UpdateOnACK (section 5.2.3).
    fn on_delivery(&mut self, window: &mut Window, delivery: &Delivery) {
        let ack = &delivery.ack;
        (self.now, self.delivered) = (ack.now, ack.delivered_total);
        if ack.delivered_total <= 1 {
            return self.begin(window, ack);
        }
        self.bounds.measure(delivery);
        self.model.update_bandwidth(delivery);
        self.bounds.adapt(self.state.probes(), self.model.max_bandwidth(), window.cwnd);
        self.model.update_aggregation(delivery, self.bandwidth(), window.cwnd);
        self.model.check_full_pipe(delivery);
        self.check_startup(delivery);
        self.check_drain(delivery);
        self.update_cycle(window, delivery);
        self.model.update_min_rtt(ack);
        self.check_probe_rtt(window, delivery);
        self.bounds.advance(delivery);
        self.pace(self.state.pacing_gain());
        self.set_window(window, ack.delivered);
    }

    fn rules_recovery(&self) -> bool {
        true
    }

    fn holds_back(&self) -> bool {
        self.state == State::ProbeRtt
    }

    /// HandleRestartFromIdle (section 5.4.1).
    fn on_send(&mut self, sent: &SentSegment) {
        if f64::from(sent.in_flight + 1) >= self.cwnd.floor() {
            self.limited_round = Some(self.model.rounds.count);
        }
        if sent.in_flight == 0 && !sent.retransmission && self.rate.is_some() {
            self.restarts = true;
            self.model.aggregation.restart();
            if self.state.is_cycle() {
                self.pace(1.0);
            }
        }
    }

    fn pacing_interval(&self, _window: &Window, _rtt: Option<Duration>) -> Option<Duration> {
        self.rate.map(|rate| Duration::from_secs_f64(1.0 / rate))
    }
}

impl Bbr {
    /// OnInit, and InitPacingRate (section 5.6.2): the SYN is acknowledged.
    fn begin(&mut self, window: &Window, ack: &Ack) {
        self.model.begin(ack);
        (self.initial_window, self.cwnd) = (window.cwnd, window.cwnd);
        let rtt_s = ack.smoothed_rtt.map_or(UNKNOWN_RTT_S, Duration::as_secs_f64);
        self.rate = Some(self.state.pacing_gain() * window.cwnd / rtt_s);
    }

    /// BBR.bw (BoundBWForModel).
    fn bandwidth(&self) -> f64 {
        self.model.max_bandwidth().min(self.bounds.short_bandwidth)
    }

    /// BBR.bdp.
    fn bdp(&self) -> f64 {
        self.model.bdp(self.bandwidth()).unwrap_or(self.initial_window)
    }

    /// TargetInflight (section 5.3.3.6.3).
    fn target_volume(&self, cwnd: f64) -> f64 {
        self.bdp().min(cwnd)
    }

    /// C.is_cwnd_limited: the window was fully used in this round or the one before.
    fn is_cwnd_limited(&self) -> bool {
        self.limited_round.is_some_and(|round| round + 1 >= self.model.rounds.count)
    }

    /// Inflight (section 5.6.4.2).
    fn volume(&self, bandwidth: f64, gain: f64) -> f64 {
        let bdp = self.model.bdp(bandwidth).map(|bdp| gain * bdp);
        self.with_quanta(bdp.unwrap_or(self.initial_window))
    }

    /// QuantizationBudget (section 5.6.4.2), SetSendQuantum (5.6.3) and UpdateOffloadBudget
    /// (5.5.8).
    fn with_quanta(&self, volume: f64) -> f64 {
        let quantum = (self.rate.unwrap_or(0.0) * QUANTUM_S).max(LEAST_QUANTUM);
        let room = if self.state == State::Up { UP_ROOM } else { 0.0 };
        volume.max(QUANTA * quantum).max(LEAST_WINDOW) + room
    }

    /// SetPacingRateWithGain (section 5.6.2).
    fn pace(&mut self, gain: f64) {
        let rate = gain * self.bandwidth() * PACING_MARGIN;
        if rate > 0.0 && (self.model.full.reached || self.rate.is_none_or(|last| rate > last)) {
            self.rate = Some(rate);
        }
    }

    /// SetCwnd, UpdateMaxInflight and BoundCwndForProbeRTT (sections 5.6.4.2, 5.6.4.5, 5.6.4.6).
    fn set_window(&mut self, window: &mut Window, newly_acked: u32) {
        let volume = match self.model.bdp(self.bandwidth()) {
            Some(bdp) => self.state.cwnd_gain() * bdp,
            None => self.initial_window,
        };
        let most = self.with_quanta(volume + self.model.aggregation.extra());
        let newly_acked = f64::from(newly_acked);
        if self.model.full.reached {
            window.cwnd = (window.cwnd + newly_acked).min(most);
        } else if window.cwnd < most || f64::from(self.delivered) < self.initial_window {
            window.cwnd += newly_acked;
        }
        window.cwnd = window.cwnd.max(LEAST_WINDOW);
        if self.state == State::ProbeRtt {
            window.cwnd = window.cwnd.min(self.probe_rtt_volume());
        }
        window.cwnd = window.cwnd.min(self.volume_bound());
        self.cwnd = window.cwnd;
    }

    /// BoundCwndForModel (section 5.6.4.7).
    fn volume_bound(&self) -> f64 {
        let bound = match self.state {
            State::Down | State::Refill | State::Up => self.bounds.long_volume,
            State::ProbeRtt | State::Cruise => self.bounds.volume_with_headroom(),
            State::Startup | State::Drain => f64::INFINITY,
        };
        bound.min(self.bounds.short_volume).max(LEAST_WINDOW)
    }

    /// SaveStateUponLoss (section 5.5.11.1).
    fn save(&mut self, cwnd: f64) {
        self.save_cwnd(cwnd);
        self.save_state();
        self.bounds.save();
    }

    /// SaveCwnd (section 5.6.4.4).
    fn save_cwnd(&mut self, cwnd: f64) {
        self.prior_cwnd = match self.is_repairing || self.state == State::ProbeRtt {
            true => self.prior_cwnd.max(cwnd),
            false => cwnd,
        };
    }

    /// RestoreCwnd.
    fn restore_cwnd(&self, window: &mut Window) {
        window.cwnd = window.cwnd.max(self.prior_cwnd);
    }
}
