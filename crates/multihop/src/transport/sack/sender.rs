//! The sender's state machine.

use super::config::RecoveryScheme;
use super::detection::{Detection, Evidence};
use super::probe::{Answer, LossProbe};
use super::prr::{Progress, Reduction};
use super::rack::{Circumstances, Rack};
use super::rate::DeliveryRate;
use super::reversal::Testimony;
use super::scoreboard::{News, Scoreboard};
use super::timers::{Due, Timers};
use super::undo::{ForwardStep, Reduced, Verdict};
use crate::kernel::{Duration, Instant, Rng};
use crate::transport::config::{Rules, TcpConfig};
use crate::transport::congestion::{Ack, CongestionControl, Delivery, Loss, LostSegment, Window};
use crate::transport::ecn::{EcnSender, grow};
use crate::transport::link_failure::{LinkFailureCounters, LinkFailureState};
use crate::transport::pacing::{self, Spacing};
use crate::transport::rtt::RttEstimator;
use crate::transport::sender::SenderCounters;
use crate::transport::supply::Supply;
use crate::transport::tcp_sender::{FlowSender, Glance, Stage};
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

/// A sender of one flow.
#[derive(Debug)]
pub struct SackSender {
    pub(super) supply: Supply,
    threshold: u32,
    pub(super) limited_transmit: bool,
    has_prr: bool,
    pub(super) may_undo: bool,
    pub(super) may_probe: bool,
    pub(super) initial_window: u32,
    pub(super) window: Window,
    pub(super) control: Box<dyn CongestionControl>,
    pub(super) board: Scoreboard,
    pub(super) detection: Detection,
    pub(super) rate: DeliveryRate,
    pub(super) rtt: RttEstimator,
    min_rtt: Option<Duration>,
    pub(super) phase: Phase,
    /// What was outstanding when losses were first noticed ends here.
    pub(super) recover: u32,
    /// When the window was last reduced for a loss that acknowledgments showed.
    reduced_at: Instant,
    /// The segment that the retransmission timer last expired for.
    pub(super) timed_out: u32,
    pub(super) reduced: Option<Reduced>,
    /// The receiver has reported a duplicate.
    pub(super) reports_duplicates: bool,
    pub(super) probe: LossProbe,
    pub(super) timers: Timers,
    /// What an acknowledgment has told; kept for its memory.
    news: News,
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
        let is_rack = config.recovery_scheme(rules) == RecoveryScheme::RackTlp;
        let recovery = &config.recovery;
        SackSender {
            supply,
            threshold: config.duplicate_ack_threshold,
            limited_transmit: config.limited_transmit,
            has_prr: recovery.prr.unwrap_or(is_rack),
            may_undo: recovery.undo.unwrap_or(is_rack),
            may_probe: recovery.probe.unwrap_or(is_rack),
            initial_window: config.initial_window(rules),
            window: Window::new(config.initial_ssthresh(rules), config.window_segments, rules)
                .counting_segments(),
            control,
            board: Scoreboard::default(),
            detection: match is_rack {
                true => Detection::Rack(Rack::new(rules == Rules::Linux)),
                false => Detection::Threshold { rescued: 0 },
            },
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
            news: News::default(),
            last_sent: Instant::ZERO,
            link_failure: LinkFailureState::new(config),
            spacing: pacing::spacing(config),
            paced_until: Instant::ZERO,
            ecn: EcnSender::new(config.ecn),
            counters: SenderCounters::default(),
        }
    }

    /// Slow-start threshold \[segments\].
    pub fn ssthresh(&self) -> u32 {
        self.window.ssthresh
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
        let below = ack.number + 1;
        if below > self.board.end() {
            return;
        }
        if self.link_failure.is_suspended() && !self.resumes(now, &ack, out) {
            return;
        }
        if let Some(spacing) = &mut self.spacing {
            spacing.on_ack(now.saturating_since(ack.sent), ack.hops);
        }
        let before = self.board.first();
        let prior_in_flight = self.board.in_flight();
        let limited_by = self.limited_by();
        self.heed_echo(now, &ack);
        let duplicate = reported_duplicate(below, blocks);
        let evidence = Evidence {
            echo: ack.sent,
            forward: self.board.forward(),
            is_duplicate_report: duplicate.is_some(),
        };
        let mut news = std::mem::take(&mut self.news);
        self.board.acknowledge(below, blocks, &mut news);
        self.supply.release(below);
        let rtt = self.sample_round_trip(now, ack.sent, below > before, &news);
        let sample = self.rate.on_arrival(now, &news.arrived, self.min_rtt);
        self.detection.on_arrival(&self.board, &news, evidence, self.circumstances(now));
        let event = Ack {
            now,
            rtt,
            smoothed_rtt: self.rtt.smoothed(),
            min_rtt: self.min_rtt,
            delivered: news.arrived.len() as u32,
            delivered_total: self.rate.delivered(),
            in_flight: self.board.in_flight(),
            duplicates: self.board.sacked(),
            limited_by,
        };
        let probe_repaired = self.probe.on_ack(Answer {
            below,
            is_bare_duplicate: below == before && *blocks == SackBlocks::default(),
            duplicate,
        });
        if before == 0 && below > 0 {
            self.window.cwnd = f64::from(self.initial_window);
        }
        if below > before || self.tells_of_before_the_head(&news) {
            self.timers.timeout = Some(now + self.rtt.timeout());
        }
        let testimony = Testimony { echo: ack.sent, before, below, duplicate };
        let is_undone = self.undo_if_refuted(testimony);
        let verdict = self.judge_timeout(testimony, &news);
        let recovering = self.reduced.as_ref().filter(|_| self.is_recovering());
        let first_sent = recovering.and_then(Reduced::first_sent);
        self.finish_if_repaired(below);
        let (lost, wait) = match before {
            0 => (0, None),
            _ => self.detect(now),
        };
        // What was lost after the last recovery began begins the next.
        let begins = (self.board.lost() > 0 || probe_repaired) && matches!(self.phase, Phase::Open);
        if begins {
            self.start_recovery(now, event.duplicates);
            if self.window.rules == Rules::Linux {
                self.reduced = self.reduced.take().map(|reduced| reduced.since(first_sent));
            }
        }
        // The acknowledgment that takes a reduction back changes the window no further (RFC 4015 section 3.4).
        let is_settled = (is_undone || verdict == Verdict::Spurious)
            && !self.is_recovering()
            && self.window.rules != Rules::Linux;
        if before > 0 && !is_settled && (!news.arrived.is_empty() || self.is_recovering()) {
            self.adapt_window(&event, below > before, lost, ack.echo);
        }
        if let (Verdict::Lost(most), true) = (verdict, self.window.rules != Rules::Linux) {
            self.window.cwnd = self.window.cwnd.min(f64::from(most));
        }
        let in_flight = self.board.in_flight();
        let in_recovery = !matches!(self.phase, Phase::Open);
        self.control.on_delivery(
            &mut self.window,
            &Delivery {
                ack: event,
                sample,
                lost,
                in_flight,
                prior_in_flight,
                next_departure: self.paced_until.max(now),
                in_recovery,
            },
        );
        if self.control.holds_back() {
            self.rate.on_application_limited(in_flight);
        }
        if probe_repaired && self.board.lost() == 0 {
            self.finish_if_repaired(self.recover);
        }
        let has_advanced = below > before;
        self.news = news;
        if verdict == Verdict::SendNew {
            self.send_new(now, 2, out);
        } else {
            self.send_repair(now, begins, out);
        }
        self.timers.reordering = wait.map(|wait| now + wait);
        self.arm(now, has_advanced, out);
    }

    /// Whether what `news` tells was sent before the first outstanding segment was sent last: the answer to that
    /// can't have come yet. Linux waits on then.
    fn tells_of_before_the_head(&self, news: &News) -> bool {
        let head = self.board.iter().next().map(|(_, head)| head.sent);
        self.window.rules == Rules::Linux
            && head.is_some_and(|head| {
                news.arrived.iter().any(|a| !a.segment.retransmitted && a.segment.sent < head)
            })
    }

    /// The round trips that an acknowledgment shows: the retransmission timer learns of that of the earliest
    /// segment among `news`, congestion control of that of the latest. Segments sent twice tell nothing but by the
    /// timestamp `echo`, nor do those that waited for them at the receiver (RFC 7323 section 4.3, C).
    fn sample_round_trip(
        &mut self,
        now: Instant,
        echo: Instant,
        advances: bool,
        news: &News,
    ) -> Option<Duration> {
        let sure = || news.arrived.iter().map(|a| a.segment).filter(|s| !s.retransmitted);
        let fills_hole =
            news.arrived.iter().any(|a| a.segment.retransmitted && a.number < self.board.first());
        let sent = sure().map(|segment| segment.sent).min().filter(|_| !fills_hole);
        let earliest = sent.or(advances.then_some(echo));
        if let Some(sent) = earliest {
            self.rtt.on_sample(sent, now);
            self.probe.on_sample();
        }
        let latest = sure().map(|segment| segment.sent).max()?;
        let rtt = now.saturating_since(latest);
        self.min_rtt = Some(self.min_rtt.map_or(rtt, |least| least.min(rtt)));
        Some(rtt)
    }

    /// Ends the recovery once all that was outstanding at its beginning is acknowledged.
    fn finish_if_repaired(&mut self, below: u32) {
        if below < self.recover {
            return;
        }
        match self.phase {
            Phase::Open => return,
            Phase::Recovery(_) if !self.control.rules_recovery() => {
                self.window.cwnd = f64::from(self.window.ssthresh);
            }
            Phase::Recovery(_) | Phase::Loss(_) => {}
        }
        self.phase = Phase::Open;
        self.control.on_recovered(&mut self.window);
        self.detection.on_recovered();
    }

    pub(super) fn start_recovery(&mut self, now: Instant, duplicates: u32) {
        self.counters.fast_retransmits += 1;
        self.recover = self.board.end();
        self.probe.reset();
        let before = self.window.cwnd;
        self.reduced = Some(Reduced::new(before, self.window.ssthresh, None));
        self.detection.on_recovery(self.board.first());
        let counted = self.react_to_loss(now, duplicates);
        self.phase = Phase::Recovery(Reduction::new(counted));
        if self.reduces_by_arrivals() {
            self.window.cwnd = before;
        }
    }

    /// Congestion control reacts to a loss, unless it has to a mark since the first missing segment left. Returns the
    /// segments in flight that count for it (RecoverFS): what limited transmit has sent beyond the window does not (RFC 5681
    /// section 3.2, step 2). Linux takes the window for them.
    fn react_to_loss(&mut self, now: Instant, duplicates: u32) -> u32 {
        let in_use = (self.window.cwnd as u32).max(1);
        let in_flight = match self.window.rules {
            Rules::Linux => in_use,
            Rules::Ns2 | Rules::Standard => self.board.flight_size().min(in_use),
        };
        if !self.ecn.has_reduced_for(self.board.first()) {
            self.control.on_loss(&mut self.window, &Loss { now, in_flight, duplicates });
            self.window.discount();
            self.ecn.on_loss();
        }
        self.reduced_at = now;
        in_flight
    }

    /// Whether a retransmission has been lost that left since the window was last reduced. It is another sign of
    /// congestion, to which proportional rate reduction has an answer of its own (RFC 8985 section 9.3).
    fn has_lost_again(&self) -> bool {
        self.is_recovering()
            && !self.has_prr
            && !self.control.rules_recovery()
            && self.board.iter().any(|(_, segment)| {
                segment.retransmitted
                    && segment.lost
                    && !segment.resent
                    && segment.sent >= self.reduced_at
            })
    }

    /// What `event` does to the window; it `advances` if it acknowledges new data, and shows `lost` more to be so.
    fn adapt_window(&mut self, event: &Ack, advances: bool, lost: u32, has_echo: bool) {
        match self.phase {
            Phase::Recovery(_) if self.reduces_by_arrivals() => {
                self.reduce(event.delivered, advances && lost == 0);
            }
            Phase::Recovery(_) => self.control.on_partial_ack(&mut self.window, event),
            Phase::Open | Phase::Loss(_) if advances => {
                grow(&mut *self.control, &mut self.window, event, has_echo);
            }
            Phase::Open | Phase::Loss(_) => {}
        }
    }

    /// Whether the window falls in proportion to what arrives in recovery.
    fn reduces_by_arrivals(&self) -> bool {
        self.has_prr && !self.control.rules_recovery()
    }

    /// In recovery, `arrived` segments turn out to have done so; `is_good`: new data were acknowledged, and nothing lost.
    pub(super) fn reduce(&mut self, arrived: u32, is_good: bool) {
        if !self.reduces_by_arrivals() {
            return;
        }
        let in_flight = self.board.in_flight();
        if let Phase::Recovery(reduction) = &mut self.phase {
            let progress = Progress { arrived, is_good };
            let segments = reduction.window(progress, in_flight, self.window.ssthresh);
            self.window.cwnd = f64::from(segments);
        }
    }

    /// Marks what is lost by now. Returns the segments newly lost, and the time after which to look again.
    pub(super) fn detect(&mut self, now: Instant) -> (u32, Option<Duration>) {
        let cx = self.circumstances(now);
        let (lost, wait) = self.detection.detect(&mut self.board, cx);
        self.tell_losses(now);
        if lost > 0 && self.has_lost_again() {
            self.react_to_loss(now, self.board.sacked());
        }
        (lost, wait)
    }

    /// Tells congestion control which segments have come to count as lost.
    pub(super) fn tell_losses(&mut self, now: Instant) {
        for (number, snapshot) in self.board.take_lost() {
            let lost = LostSegment {
                now,
                number,
                in_flight: snapshot.in_flight,
                lost: self.rate.on_lost(&snapshot),
                is_application_limited: snapshot.is_application_limited,
                delivered_total: self.rate.delivered(),
            };
            self.control.on_segment_lost(&mut self.window, &lost);
        }
    }

    pub(super) fn is_recovering(&self) -> bool {
        matches!(self.phase, Phase::Recovery(_))
    }

    /// An acknowledgment while a broken route suspends the sender.
    pub(super) fn note_while_suspended(&mut self, now: Instant, below: u32) {
        self.board.acknowledge(below, &SackBlocks::default(), &mut self.news);
        self.supply.release(below);
        self.rate.on_arrival(now, &self.news.arrived, None);
    }
}

/// The segment that the first of `blocks` reports to have arrived twice (RFC 2883 section 4): one below `below`, the
/// lowest not acknowledged, or one within the second block.
fn reported_duplicate(below: u32, blocks: &SackBlocks) -> Option<u32> {
    let [(from, to), (wider_from, wider_to), ..] = *blocks;
    let is_within = wider_from <= from && to <= wider_to;
    (from < to && (to <= below || is_within)).then(|| to - 1)
}

impl FlowSender for SackSender {
    fn on_start(&mut self, now: Instant, out: &mut SenderActions) {
        self.send_allowed(now, out);
        if self.window.rules == Rules::Linux {
            // The application writes once the connection is open, which finds it without data.
            self.rate.on_application_limited(self.board.in_flight());
        }
        self.arm(now, true, out);
    }

    fn on_accept(&mut self) {
        self.board.accept();
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
        })
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
}
