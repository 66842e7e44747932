//! A TCP sender with a congestion window (RFC 9293, 5681, 6298, 6582, 3042), as ns-2.35 runs it.
//!
//! Sequence numbers count segments. Segment 0 is the SYN, without payload; its acknowledgment
//! stands for the SYN-ACK, and the data that follow for the third step of the handshake.
//!
//! Deviation (both profiles): there is no FIN; after `on_stop` losses of what was sent are still
//! repaired.
//! Deviation (`ns2` profile): partial acknowledgments do not clear the count of duplicates, and the
//! window stays as it is over an idle time (RFC 5681, section 4.1, which the `standard` profile
//! follows).

mod ecn;
mod paced;
mod suspension;

use super::config::TcpConfig;
use super::congestion::{Ack, CongestionControl, LimitedBy, Loss, SentSegment, Window};
use super::ecn::{EcnSender, grow};
use super::flow_sender::{FlowSender, Glance, SenderCounters, SenderCounts, Setting, Stage};
use super::link_failure::{LinkFailureCounters, LinkFailureState};
use super::pacing::{self, Pacer};
use super::recovery::Recovery;
use super::rtt::RttEstimator;
use super::rules::Rules;
use super::supply::Supply;
use super::{Acknowledgment, SenderActions, TimerChange};
use crate::kernel::{Duration, Instant, Rng};
use crate::wire::tcp::SegmentKind;
use crate::wire::{Ecn, EcnFlags, FlowId};

/// A sender of one flow.
#[derive(Debug)]
pub struct Sender {
    flow: FlowId,
    supply: Supply,
    duplicate_ack_threshold: u32,
    limited_transmit: bool,
    initial_window: u32,
    window: Window,
    control: Box<dyn CongestionControl>,
    recovery: Recovery,
    rtt: RttEstimator,
    /// The next segment to send (SND.NXT).
    next: u32,
    /// The lowest segment not acknowledged (SND.UNA).
    unacknowledged: u32,
    /// The lowest segment never sent.
    unsent: u32,
    /// One above the highest segment retransmitted.
    retransmitted: u32,
    duplicates: u32,
    in_recovery: bool,
    /// Losses of segments below this one have been reacted to.
    recover: u32,
    /// This recovery has seen a partial acknowledgment.
    partial_seen: bool,
    min_rtt: Option<Duration>,
    /// The segment being timed, and when it was sent.
    timed: Option<(u32, Instant)>,
    /// When a segment was last sent.
    last_sent: Instant,
    /// When the retransmission timer expires; none while it is off.
    timer: Option<Instant>,
    link_failure: LinkFailureState,
    pacer: Option<Pacer>,
    ecn: EcnSender,
    counters: SenderCounters,
}

impl Sender {
    /// A sender that has sent nothing.
    pub fn new(
        config: &TcpConfig,
        control: Box<dyn CongestionControl>,
        recovery: Recovery,
        supply: Supply,
        rules: Rules,
        flow: FlowId,
        rng: &mut Rng,
    ) -> Sender {
        let ssthresh = config.initial_ssthresh(rules);
        Sender {
            flow,
            supply,
            duplicate_ack_threshold: config.duplicate_ack_threshold,
            limited_transmit: config.limited_transmit,
            initial_window: config.initial_window(rules),
            window: Window::new(ssthresh, config.window_segments, rules)
                .validated(config.window_validation, config.initial_window(rules)),
            control,
            recovery,
            rtt: RttEstimator::new(config, rules, rng),
            next: 0,
            unacknowledged: 0,
            unsent: 0,
            retransmitted: 0,
            duplicates: 0,
            in_recovery: false,
            recover: 1,
            partial_seen: false,
            min_rtt: None,
            timed: None,
            last_sent: Instant::ZERO,
            timer: None,
            link_failure: LinkFailureState::new(config),
            pacer: Pacer::new(config),
            ecn: EcnSender::new(config.ecn),
            counters: SenderCounters::default(),
        }
    }

    /// The flow.
    pub fn flow(&self) -> FlowId {
        self.flow
    }

    /// Slow-start threshold \[segments\].
    pub fn ssthresh(&self) -> u32 {
        self.window.ssthresh
    }

    /// Highest segment sent, if any is.
    pub fn highest_sent(&self) -> Option<u32> {
        self.unsent.checked_sub(1)
    }

    /// Smoothed round-trip time, once measured.
    pub fn smoothed_rtt(&self) -> Option<Duration> {
        self.rtt.smoothed()
    }

    /// The retransmission timeout as it stands.
    pub fn rto(&self) -> Duration {
        self.rtt.timeout()
    }

    /// Puts a test's congestion control in place of the flow's.
    #[cfg(test)]
    pub(super) fn replace_control(&mut self, control: Box<dyn CongestionControl>) {
        self.control = control;
    }

    /// Puts the clock's tick boundaries where a recording had them.
    #[cfg(test)]
    pub(super) fn set_clock_phase(&mut self, phase: Duration) {
        self.rtt.set_phase(phase);
    }

    fn on_new_ack(&mut self, now: Instant, ack: &Acknowledgment, out: &mut SenderActions) {
        self.duplicates = 0;
        self.in_recovery = false;
        self.window.end_repair();
        self.partial_seen = false;
        let opens = self.unacknowledged == 0;
        let mut event = self.acknowledge(now, ack);
        let below = self.unacknowledged;
        if let Some((segment, sent)) = self.timed
            && segment < below
        {
            self.rtt.on_sample(sent, now);
            self.timed = None;
        }
        if self.unacknowledged < self.unsent || self.unacknowledged < self.next {
            self.restart_timer(now, out);
        } else {
            self.stop_timer(out);
        }
        if opens {
            self.window.cwnd = f64::from(self.initial_window);
        } else {
            self.window.inflation = 0;
            event.smoothed_rtt = self.rtt.smoothed();
            grow(&mut *self.control, &mut self.window, &event, ack.echo);
        }
        self.send_allowed(now, u32::MAX, out);
    }

    /// Part of what was outstanding at the loss is acknowledged: the next missing segment is
    /// retransmitted.
    fn on_partial_ack(&mut self, now: Instant, ack: &Acknowledgment, out: &mut SenderActions) {
        let event = self.acknowledge(now, ack);
        let below = self.unacknowledged;
        self.recovery.deflate(&mut self.window, event.delivered);
        self.control.on_partial_ack(&mut self.window, &event);
        if self.timed.is_some_and(|(segment, _)| segment < below) {
            self.timed = None;
            self.rtt.reset_backoff();
        }
        // Only the first partial acknowledgment restarts the timer (RFC 6582 section 4,
        // "impatient").
        if !self.partial_seen {
            self.partial_seen = true;
            self.restart_timer(now, out);
        }
        self.send(now, below, out);
        self.send_allowed(now, self.burst(), out);
    }

    fn on_duplicate_ack(&mut self, now: Instant, out: &mut SenderActions) {
        self.duplicates += 1;
        let threshold = self.duplicate_ack_threshold;
        if self.duplicates < threshold {
            if self.is_paced() {
                self.send_paced(now, out);
            } else if self.may_send_beyond_window() {
                self.send(now, self.next, out);
                self.next += 1;
            }
            return;
        }
        if self.duplicates == threshold {
            if self.may_retransmit() {
                self.start_recovery(now, out);
            }
        } else if self.in_recovery {
            self.window.inflation += 1;
            let event = self.ack_event(now, None, 0);
            self.control.on_duplicate_ack(&mut self.window, &event);
        }
        self.send_allowed(now, self.burst(), out);
    }

    /// Advances past what `ack` newly acknowledges. Returns what congestion control is told, with
    /// the smoothed round trip as it was before.
    fn acknowledge(&mut self, now: Instant, ack: &Acknowledgment) -> Ack {
        let delivered = ack.number + 1 - self.unacknowledged;
        // Karn's rule: a retransmission among what it covers makes the round trip ambiguous.
        let is_clear = self.retransmitted <= self.unacknowledged;
        let rtt = is_clear.then(|| now.saturating_since(ack.sent));
        self.min_rtt = self.min_rtt.into_iter().chain(rtt).min();
        let event = self.ack_event(now, rtt, delivered);
        self.unacknowledged += delivered;
        self.supply.release(self.unacknowledged);
        self.next = self.next.max(self.unacknowledged);
        Ack { delivered_total: self.unacknowledged, in_flight: self.in_flight(), ..event }
    }

    /// What congestion control is told of an acknowledgment before it changes the sender.
    fn ack_event(&self, now: Instant, rtt: Option<Duration>, delivered: u32) -> Ack {
        Ack {
            now,
            rtt,
            smoothed_rtt: self.rtt.smoothed(),
            min_rtt: self.min_rtt,
            delivered,
            delivered_total: self.unacknowledged,
            in_flight: self.in_flight(),
            duplicates: self.duplicates,
            limited_by: self.limited_by(),
        }
    }

    /// What keeps the sender from having more in flight.
    fn limited_by(&self) -> LimitedBy {
        let in_flight = self.in_flight();
        if in_flight >= self.window.cwnd as u32 {
            LimitedBy::Window
        } else if in_flight >= self.window.limit {
            LimitedBy::Receiver
        } else if self.next >= self.supply.end() {
            LimitedBy::Application
        } else if self.is_paced() {
            LimitedBy::Pacing
        } else {
            LimitedBy::Window
        }
    }

    /// After longer than a retransmission timeout without sending, the window is an initial one at
    /// most (RFC 5681, section 4.1), unless it is validated instead.
    fn restart_after_idle(&mut self, now: Instant) {
        if self.window.is_under_validation() {
            return self.validate(now, self.unacknowledged);
        }
        let idle = now.saturating_since(self.last_sent);
        if self.window.rules == Rules::Standard && idle > self.rtt.timeout() {
            self.window.cwnd = self.window.cwnd.min(f64::from(self.initial_window));
        }
    }

    /// All segments below `below` are acknowledged: the window is validated by it.
    fn validate(&mut self, now: Instant, below: u32) {
        if self.window.is_under_validation() {
            let (first, limited_by) = (self.unacknowledged, self.limited_by());
            self.window.validate(now, self.rtt.smoothed(), first, below, limited_by);
        }
    }

    /// Segments in flight, without those that a timeout has given up as lost.
    fn in_flight(&self) -> u32 {
        self.next - self.unacknowledged
    }

    /// Segments sent and not acknowledged (RFC 5681 section 2).
    fn flight_size(&self) -> u32 {
        self.unsent - self.unacknowledged
    }

    /// Segments that an acknowledgment in recovery may release at most.
    fn burst(&self) -> u32 {
        self.recovery.burst(self.window.rules)
    }

    /// Whether duplicates signal a loss: not if they may stem from a window already repaired.
    fn may_retransmit(&self) -> bool {
        self.unacknowledged > self.recover || self.unacknowledged == 1
    }

    fn start_recovery(&mut self, now: Instant, out: &mut SenderActions) {
        self.counters.fast_retransmits += 1;
        self.recover = self.unsent;
        self.in_recovery = true;
        self.partial_seen = false;
        let (in_flight, duplicates) = (self.flight_size(), self.duplicates);
        let reacts = !self.ecn.has_reduced_for(self.unacknowledged);
        if reacts {
            self.control.on_loss(&mut self.window, &Loss { now, in_flight, duplicates });
            self.ecn.on_loss();
        }
        self.window.start_repair(in_flight, reacts);
        self.window.inflation = duplicates;
        self.timed = None;
        self.restart_timer(now, out);
        self.stop_pacing(out);
        self.send(now, self.unacknowledged, out);
    }

    /// Limited transmit: whether the duplicates so far let the next segment leave (RFC 3042).
    fn may_send_beyond_window(&self) -> bool {
        let beyond = f64::from(self.next) - f64::from(self.unacknowledged) + 1.0;
        let within_limit = beyond <= f64::from(self.window.limit);
        let within_cwnd = beyond <= self.window.cwnd + f64::from(self.duplicates);
        self.limited_transmit
            && (1..self.duplicate_ack_threshold).contains(&self.duplicates)
            && within_limit
            && within_cwnd
            && self.next < self.supply.end()
    }

    /// The first segment beyond the window.
    fn window_end(&self) -> u32 {
        self.unacknowledged.saturating_add(self.window.usable()).min(self.supply.end())
    }

    /// Sends what the window allows, at most `burst` segments.
    fn send_allowed(&mut self, now: Instant, burst: u32, out: &mut SenderActions) {
        if self.is_paced() {
            return self.send_paced(now, out);
        }
        let limit = self.window_end();
        let mut left = burst;
        while self.next < limit && left > 0 {
            self.send(now, self.next, out);
            self.next += 1;
            left -= 1;
        }
    }

    fn send(&mut self, now: Instant, number: u32, out: &mut SenderActions) {
        let nothing_outstanding = self.unacknowledged == self.unsent;
        let is_new = self.emit(now, number, false, out);
        if is_new && self.timed.is_none() {
            self.timed = Some((number, now));
        }
        if self.timer.is_none() || nothing_outstanding {
            self.restart_timer(now, out);
        }
    }

    /// Transmits segment `number`. Returns whether it is new.
    fn emit(&mut self, now: Instant, number: u32, probe: bool, out: &mut SenderActions) -> bool {
        let retransmission = number < self.unsent;
        let in_flight = self.in_flight();
        self.control.on_send(&SentSegment { now, number, retransmission, in_flight });
        if retransmission {
            self.retransmitted = self.retransmitted.max(number + 1);
            self.window.on_resend(number);
        }
        let payload_bytes = self.supply.payload_bytes(number);
        out.send.push(SegmentKind::data(number, payload_bytes, retransmission, probe));
        self.counters.sent_segments += 1;
        self.counters.retransmits += u64::from(retransmission);
        self.unsent = self.unsent.max(number + 1);
        self.window.on_send(self.flight_size(), self.unacknowledged, self.unsent);
        self.last_sent = now;
        !retransmission
    }

    fn restart_timer(&mut self, now: Instant, out: &mut SenderActions) {
        self.set_timer(now + self.rtt.timeout(), out);
    }

    fn set_timer(&mut self, at: Instant, out: &mut SenderActions) {
        self.timer = Some(at);
        out.timer = Some(TimerChange::Set(at));
    }

    fn stop_timer(&mut self, out: &mut SenderActions) {
        self.timer = None;
        out.timer = Some(TimerChange::Cancel);
    }
}

impl FlowSender for Sender {
    fn on_accept(&mut self) {
        self.next = 1;
        self.unacknowledged = 1;
        self.unsent = 1;
        self.window.cwnd = f64::from(self.initial_window);
    }

    fn on_start(&mut self, now: Instant, out: &mut SenderActions) {
        self.send_allowed(now, u32::MAX, out);
    }

    fn on_stop(&mut self, _now: Instant) {
        self.supply.close_at(self.unsent);
    }

    fn on_supply(&mut self, now: Instant, bytes: u64, out: &mut SenderActions) -> u32 {
        let was_idle = self.unacknowledged == self.supply.end();
        let last = self.supply.push(bytes);
        if self.link_failure.is_suspended() {
            // With nothing left to repeat, the probes had ended.
            if was_idle {
                self.send_probe(now, out);
            }
            return last;
        }
        if was_idle {
            self.restart_after_idle(now);
        }
        self.send_allowed(now, u32::MAX, out);
        last
    }

    fn on_ack(&mut self, now: Instant, ack: Acknowledgment, out: &mut SenderActions) {
        let below = ack.number + 1;
        if below > self.unsent {
            return;
        }
        if self.link_failure.is_suspended() && !self.resumes(now, &ack, out) {
            return;
        }
        self.measure_delay(now, &ack);
        self.validate(now, below);
        self.heed_echo(now, &ack);
        if below > self.unacknowledged {
            let stays = self.in_recovery && self.recovery.outlasts_partial_acks();
            if stays && below < self.recover {
                self.on_partial_ack(now, &ack, out);
            } else {
                self.on_new_ack(now, &ack, out);
            }
        } else if ack.probe {
            // It shows that the route works, and nothing about losses.
            self.send_allowed(now, self.burst(), out);
        } else if below == self.unacknowledged {
            self.on_duplicate_ack(now, out);
        } else if self.duplicates == 0 {
            self.send_allowed(now, u32::MAX, out);
        }
    }

    fn ecn(&mut self, segment: &SegmentKind) -> (Ecn, EcnFlags) {
        self.ecn.on_send(segment)
    }

    fn on_timeout(&mut self, now: Instant, out: &mut SenderActions) {
        if self.link_failure.is_suspended() {
            return self.send_probe(now, out);
        }
        self.timer = None;
        if self.unacknowledged == self.unsent {
            self.window.cwnd = 1.0;
            return;
        }
        self.counters.timeouts += 1;
        self.duplicates = 0;
        if self.unacknowledged == 0 {
            self.initial_window = 1;
        } else {
            self.ecn.on_loss();
        }
        self.recover = self.unsent;
        self.in_recovery = false;
        self.partial_seen = false;
        self.window.inflation = 0;
        let loss = Loss { now, in_flight: self.flight_size(), duplicates: 0 };
        self.control.on_timeout(&mut self.window, &loss);
        self.window.forget_use();
        self.rtt.on_timeout();
        self.timed = None;
        self.next = self.unacknowledged;
        self.restart_timer(now, out);
        self.switch_pacing_off(out);
        self.send_allowed(now, u32::MAX, out);
    }

    fn on_pacing_tick(&mut self, now: Instant, out: &mut SenderActions) {
        self.tick(now, out);
    }

    fn on_route_error(&mut self, now: Instant, out: &mut SenderActions) {
        self.route_broken(now, out);
    }

    fn glance(&self) -> Option<Glance> {
        let stage = match self.window.is_in_slow_start() {
            _ if self.link_failure.is_suspended() => Stage::Suspended,
            _ if self.in_recovery => Stage::Recovery,
            true => Stage::SlowStart,
            false => Stage::CongestionAvoidance,
        };
        Some(Glance {
            stage,
            cwnd: self.cwnd(),
            ssthresh: self.window.ssthresh,
            rto: self.rtt.timeout(),
            smoothed_rtt: self.rtt.smoothed(),
            least_rtt: self.min_rtt,
        })
    }

    fn apply(&mut self, setting: Setting) -> bool {
        match setting {
            Setting::WindowLimit(segments) => self.window.limit = segments,
            Setting::CongestionWindow(segments) => self.window.set(segments),
            Setting::PacingInterval(interval) => {
                self.pacer = Some(Pacer::spaced(self.pacer.take(), pacing::given(interval)));
            }
        }
        true
    }

    fn cwnd(&self) -> f64 {
        self.window.cwnd
    }

    fn highest_ack(&self) -> Option<u32> {
        self.unacknowledged.checked_sub(1)
    }

    fn counters(&self) -> SenderCounters {
        self.counters
    }

    fn link_failure_counters(&self, now: Instant) -> LinkFailureCounters {
        self.link_failure.counters(now)
    }

    fn mean_rtt_s(&self) -> Option<f64> {
        self.rtt.mean_s()
    }

    fn report(&self, counts: &mut SenderCounts) {
        self.control.report(&mut counts.control);
        self.link_failure.report(&mut counts.reaction);
        if let Some(pacer) = &self.pacer {
            pacer.spacing().report(&mut counts.pacing);
        }
    }
}
