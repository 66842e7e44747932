//! The sender's state machine.

use super::departures::Departures;
use super::detection::{Circumstances, LossDetection};
use super::probe::LossProbe;
use super::prr::Reduction;
use super::rate::DeliveryRate;
use super::report::Report;
use super::scoreboard::{Arrived, Scoreboard};
use super::timers::{Due, Timers};
use super::undo::{ForwardStep, Reduced, Verdict};
use crate::kernel::{Duration, Instant, Rng};
use crate::transport::config::TcpConfig;
use crate::transport::congestion::{Ack, CongestionControl, Delivery, RateSample, Window};
use crate::transport::ecn::EcnSender;
use crate::transport::flow_sender::{
    FlowSender, Glance, SenderCounters, SenderCounts, Setting, Stage,
};
use crate::transport::link_failure::{LinkFailureCounters, LinkFailureState};
use crate::transport::pacing::{self, Spacing};
use crate::transport::receive_window::Offered;
use crate::transport::rtt::RttEstimator;
use crate::transport::rules::Rules;
use crate::transport::supply::Supply;
use crate::transport::{Acknowledgment, SenderActions};
use crate::wire::tcp::{SackBlocks, SegmentKind};
use crate::wire::{Ecn, EcnFlags};

/// What the sender is about.
#[derive(Clone, Copy, Debug)]
pub(super) enum Phase {
    /// Nothing is known to be lost.
    Open,
    /// Repairing losses that acknowledgments have shown.
    Recovery(Reduction),
    /// Repairing after a timeout.
    Loss(ForwardStep),
}

/// What an acknowledgment has taught.
struct Learned {
    report: Report,
    event: Ack,
    sample: Option<RateSample>,
    /// Segments in flight before it.
    prior_in_flight: u32,
}

/// A sender of one flow.
#[derive(Debug)]
pub struct SackSender {
    pub(super) departures: Departures,
    pub(super) supply: Supply,
    /// What the receiver has offered, if it sizes its window.
    pub(super) offered: Option<Offered>,
    /// When the latest acknowledgment was sent.
    pub(super) acked_at: Option<Instant>,
    threshold: u32,
    pub(super) limited_transmit: bool,
    pub(super) has_prr: bool,
    pub(super) may_undo: bool,
    pub(super) may_probe: bool,
    pub(super) initial_window: u32,
    pub(super) window: Window,
    pub(super) control: Box<dyn CongestionControl>,
    pub(super) board: Scoreboard,
    pub(super) detection: Box<dyn LossDetection>,
    pub(super) rate: DeliveryRate,
    pub(super) rtt: RttEstimator,
    min_rtt: Option<Duration>,
    pub(super) phase: Phase,
    /// What was outstanding when losses were first noticed ends here.
    pub(super) recover: u32,
    /// When the window was last reduced for a loss that acknowledgments showed.
    pub(super) reduced_at: Instant,
    /// The segment that the retransmission timer last expired for.
    pub(super) timed_out: u32,
    pub(super) reduced: Option<Reduced>,
    /// The receiver has reported a duplicate.
    pub(super) reports_duplicates: bool,
    pub(super) probe: LossProbe,
    pub(super) timers: Timers,
    /// What an acknowledgment has shown to have arrived; kept for its memory.
    arrived: Vec<Arrived>,
    pub(super) last_sent: Instant,
    pub(super) link_failure: LinkFailureState,
    pub(super) spacing: Option<Box<dyn Spacing>>,
    /// No paced segment leaves before this.
    pub(super) paced_until: Instant,
    pub(super) ecn: EcnSender,
    pub(super) counters: SenderCounters,
}

impl SackSender {
    /// A sender that has sent nothing.
    pub fn new(
        config: &TcpConfig,
        control: Box<dyn CongestionControl>,
        supply: Supply,
        rules: Rules,
        rng: &mut Rng,
    ) -> SackSender {
        let scheme = config.recovery_scheme(rules);
        let has_probes = scheme.uses_probes();
        let recovery = &config.recovery;
        let departures = Departures::of(rules);
        let offered = Offered::new(config, rules);
        // A window that the receiver sizes has no other bound.
        let limit = if offered.is_some() { u32::MAX } else { config.window_segments };
        SackSender {
            departures,
            supply,
            offered,
            acked_at: None,
            threshold: config.duplicate_ack_threshold,
            limited_transmit: config.limited_transmit,
            has_prr: recovery.prr.unwrap_or(has_probes),
            may_undo: recovery.undo.unwrap_or(has_probes),
            may_probe: recovery.probe.unwrap_or(has_probes),
            initial_window: config.initial_window(rules),
            window: Window::new(config.initial_ssthresh(rules), limit, rules)
                .counting_segments()
                .validated(config.window_validation, config.initial_window(rules)),
            control,
            board: Scoreboard::default(),
            detection: scheme.detection(departures),
            rate: DeliveryRate::default(),
            rtt: RttEstimator::new(config, rules, rng),
            min_rtt: None,
            phase: Phase::Open,
            recover: 0,
            reduced_at: Instant::ZERO,
            timed_out: 0,
            reduced: None,
            reports_duplicates: false,
            probe: LossProbe::default(),
            timers: Timers::default(),
            arrived: Vec::new(),
            last_sent: Instant::ZERO,
            link_failure: LinkFailureState::new(config),
            spacing: pacing::spacing(config),
            paced_until: Instant::ZERO,
            ecn: EcnSender::new(config.ecn),
            counters: SenderCounters::default(),
        }
    }

    pub(super) fn circumstances(&self, now: Instant) -> Circumstances {
        Circumstances {
            now,
            min_rtt: self.min_rtt,
            smoothed_rtt: self.rtt.smoothed(),
            in_recovery: !matches!(self.phase, Phase::Open),
            threshold: self.threshold,
        }
    }

    fn on_acknowledgment(
        &mut self,
        now: Instant,
        ack: Acknowledgment,
        blocks: &SackBlocks,
        out: &mut SenderActions,
    ) {
        if ack.number >= self.board.end() {
            return;
        }
        self.note_offer(&ack);
        if self.link_failure.is_suspended() && !self.resumes(now, &ack) {
            return;
        }
        if let Some(spacing) = &mut self.spacing {
            spacing.on_ack(now.saturating_since(ack.sent), ack.hops);
        }
        let mut arrived = std::mem::take(&mut self.arrived);
        let learned = self.learn(now, &ack, blocks, &mut arrived);
        let wait = self.react(now, &learned, &arrived, ack.echo, out);
        self.arrived = arrived;
        self.timers.reordering = wait.map(|wait| now + wait);
        self.arm(now, learned.report.advances(), out);
    }

    /// Takes note of the window that `ack` offers, and of when it was sent.
    fn note_offer(&mut self, ack: &Acknowledgment) {
        self.acked_at = self.acked_at.max(Some(ack.left));
        let first = self.board.first();
        if let Some(offered) = &mut self.offered {
            offered.on_ack(first, ack.number + 1, &self.supply, ack.window);
        }
    }

    /// Takes note of `ack`; leaves in `arrived` the segments that it shows to have.
    fn learn(
        &mut self,
        now: Instant,
        ack: &Acknowledgment,
        blocks: &SackBlocks,
        arrived: &mut Vec<Arrived>,
    ) -> Learned {
        let report = Report::new(ack, blocks, &self.board);
        let prior_in_flight = self.board.in_flight();
        let limited_by = self.limited_by();
        self.validate(now, report.below);
        self.heed_echo(now, ack);
        self.board.acknowledge(report.below, blocks, arrived);
        self.supply.release(report.below);
        let rtt = self.sample_round_trip(now, &report, arrived);
        let sample = self.rate.on_arrival(now, arrived, self.min_rtt);
        let cx = self.circumstances(now);
        self.detection.on_arrival(arrived, &report, &self.board, cx);
        let event = Ack {
            now,
            rtt,
            smoothed_rtt: self.rtt.smoothed(),
            min_rtt: self.min_rtt,
            delivered: arrived.len() as u32,
            delivered_total: self.rate.delivered(),
            in_flight: self.board.in_flight(),
            duplicates: self.board.sacked(),
            limited_by,
        };
        if report.advances() || self.tells_of_before_the_head(arrived) {
            self.timers.timeout = Some(now + self.rtt.timeout());
        }
        Learned { report, event, sample, prior_in_flight }
    }

    /// Adapts recovery and window to what an acknowledgment has told and sends what they allow.
    /// Returns the time after which segments may count as lost.
    fn react(
        &mut self,
        now: Instant,
        learned: &Learned,
        arrived: &[Arrived],
        has_echo: bool,
        out: &mut SenderActions,
    ) -> Option<Duration> {
        let Learned { report, event, .. } = learned;
        let opens = report.before == 0;
        if opens {
            self.window.cwnd = f64::from(self.initial_window);
        }
        let probe_repaired = self.probe.on_ack(report);
        let is_undone = self.undo_if_refuted(report);
        let verdict = self.judge_timeout(report, arrived);
        let recovering = self.reduced.as_ref().filter(|_| self.is_recovering());
        let first_sent = recovering.and_then(Reduced::first_sent);
        self.finish_if_repaired(report.below);
        let (lost, wait) = if opens { (0, None) } else { self.detect(now) };
        // What was lost after the last recovery began begins the next.
        let begins = (self.board.lost() > 0 || probe_repaired) && matches!(self.phase, Phase::Open);
        if begins {
            self.start_recovery(now, event.duplicates);
            if self.departures.joins_recoveries {
                self.reduced = self.reduced.take().map(|reduced| reduced.since(first_sent));
            }
        }
        // The acknowledgment that takes a reduction back changes the window no further (RFC 4015
        // section 3.4).
        let is_settled = (is_undone || verdict == Verdict::Spurious)
            && !self.is_recovering()
            && !self.departures.restores_window;
        if !opens && !is_settled && (!arrived.is_empty() || self.is_recovering()) {
            self.adapt_window(event, report.advances(), lost, has_echo);
        }
        if let (Verdict::Lost(most), false) = (verdict, self.departures.trusts_originals) {
            self.window.cwnd = self.window.cwnd.min(f64::from(most));
        }
        self.tell_delivery(now, learned, lost);
        if probe_repaired && self.board.lost() == 0 {
            self.finish_if_repaired(self.recover);
        }
        if verdict == Verdict::SendNew {
            self.send_new(now, 2, out);
        } else {
            self.send_repair(now, begins, out);
        }
        wait
    }

    /// Tells congestion control what an acknowledgment has delivered, and that `lost` more are so.
    fn tell_delivery(&mut self, now: Instant, learned: &Learned, lost: u32) {
        let in_flight = self.board.in_flight();
        let delivery = Delivery {
            ack: learned.event,
            sample: learned.sample,
            lost,
            in_flight,
            prior_in_flight: learned.prior_in_flight,
            next_departure: self.paced_until.max(now),
            in_recovery: !matches!(self.phase, Phase::Open),
        };
        self.control.on_delivery(&mut self.window, &delivery);
        if self.control.holds_back() {
            self.rate.on_application_limited(in_flight);
        }
    }

    /// Whether some of what has `arrived` was sent before the first outstanding segment was sent
    /// last: the answer to that can't have come yet.
    fn tells_of_before_the_head(&self, arrived: &[Arrived]) -> bool {
        self.departures.waits_for_head
            && self.board.head().is_some_and(|head| {
                arrived.iter().any(|a| !a.segment.retransmitted && a.segment.sent < head.sent)
            })
    }

    /// The round trips that an acknowledgment shows: the retransmission timer learns of that of the
    /// earliest segment that has `arrived`, congestion control of that of the latest. Segments sent
    /// twice tell nothing but by the echoed timestamp, nor do those that waited for them at the
    /// receiver (RFC 7323 section 4.3, C).
    fn sample_round_trip(
        &mut self,
        now: Instant,
        report: &Report,
        arrived: &[Arrived],
    ) -> Option<Duration> {
        let sure = || arrived.iter().map(|a| a.segment).filter(|s| !s.retransmitted);
        let fills_hole = arrived.iter().any(|a| a.segment.retransmitted && a.number < report.below);
        let sent = sure().map(|segment| segment.sent).min().filter(|_| !fills_hole);
        if let Some(sent) = sent.or(report.advances().then_some(report.echo)) {
            self.rtt.on_sample(sent, now);
            self.probe.on_sample();
        }
        let latest = sure().map(|segment| segment.sent).max()?;
        let rtt = now.saturating_since(latest);
        self.min_rtt = Some(self.min_rtt.map_or(rtt, |least| least.min(rtt)));
        Some(rtt)
    }

    pub(super) fn is_recovering(&self) -> bool {
        matches!(self.phase, Phase::Recovery(_))
    }

    /// An acknowledgment while a broken route suspends the sender.
    pub(super) fn note_while_suspended(&mut self, now: Instant, below: u32) {
        self.board.acknowledge(below, &SackBlocks::default(), &mut self.arrived);
        self.supply.release(below);
        self.rate.on_arrival(now, &self.arrived, None);
    }
}

impl FlowSender for SackSender {
    fn on_start(&mut self, now: Instant, out: &mut SenderActions) {
        self.send_allowed(now, out);
        if self.departures.opens_idle {
            self.rate.on_application_limited(self.board.in_flight());
        }
        self.arm(now, true, out);
    }

    fn on_accept(&mut self) {
        self.board.accept();
        if let Some(offered) = &mut self.offered {
            offered.on_accept();
        }
        self.window.cwnd = f64::from(self.initial_window);
    }

    fn on_stop(&mut self, _now: Instant) {
        self.supply.close_at(self.board.end());
    }

    fn on_supply(&mut self, now: Instant, bytes: u64, out: &mut SenderActions) -> u32 {
        let was_idle = self.board.first() >= self.supply.end();
        let last = self.supply.push(bytes);
        if !self.link_failure.is_suspended() {
            let end = self.board.end();
            self.send_allowed(now, out);
            self.arm(now, self.board.end() > end, out);
        } else if was_idle {
            // With nothing left to repeat, the probes had ended.
            self.send_route_probe(now, out);
        }
        last
    }

    fn on_ack(&mut self, now: Instant, ack: Acknowledgment, out: &mut SenderActions) {
        self.on_acknowledgment(now, ack, &SackBlocks::default(), out);
    }

    fn on_sack(
        &mut self,
        now: Instant,
        ack: Acknowledgment,
        blocks: SackBlocks,
        out: &mut SenderActions,
    ) {
        self.on_acknowledgment(now, ack, &blocks, out);
    }

    fn ecn(&mut self, segment: &SegmentKind) -> (Ecn, EcnFlags) {
        self.ecn.on_send(segment)
    }

    fn on_timeout(&mut self, now: Instant, out: &mut SenderActions) {
        if self.link_failure.is_suspended() {
            return self.send_route_probe(now, out);
        }
        match self.timers.next() {
            Some((_, Due::Reordering)) => self.on_reordering_timer(now, out),
            Some((_, Due::Probe)) => self.send_loss_probe(now, out),
            Some((_, Due::Timeout)) => self.retransmission_timeout(now, out),
            None => {}
        }
    }

    fn on_pacing_tick(&mut self, now: Instant, out: &mut SenderActions) {
        if !self.link_failure.is_suspended() {
            let end = self.board.end();
            self.send_allowed(now, out);
            self.arm(now, self.board.end() > end, out);
        }
    }

    fn on_route_error(&mut self, now: Instant, out: &mut SenderActions) {
        self.route_broken(now, out);
    }

    fn glance(&self) -> Option<Glance> {
        let stage = match self.phase {
            _ if self.link_failure.is_suspended() => Stage::Suspended,
            Phase::Recovery(_) => Stage::Recovery,
            _ if self.window.is_in_slow_start() => Stage::SlowStart,
            Phase::Open | Phase::Loss(_) => Stage::CongestionAvoidance,
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
            Setting::PacingInterval(interval) => self.spacing = Some(pacing::given(interval)),
        }
        true
    }

    fn cwnd(&self) -> f64 {
        self.window.cwnd
    }

    fn highest_ack(&self) -> Option<u32> {
        self.board.first().checked_sub(1)
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
        self.detection.report(&mut counts.detection);
        self.link_failure.report(&mut counts.reaction);
        if let Some(spacing) = &self.spacing {
            spacing.report(&mut counts.pacing);
        }
    }
}
