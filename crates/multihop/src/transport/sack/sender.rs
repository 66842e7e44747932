//! The sender's state machine.

use super::config::RecoveryScheme;
use super::detection::{Detection, Evidence};
use super::probe::{Answer, LossProbe};
use super::prr::{Progress, Reduction};
use super::rack::{Circumstances, Rack};
use super::rate::DeliveryRate;
use super::scoreboard::{News, Scoreboard};
use super::timers::{Due, Timers};
use super::undo::{ForwardStep, Reduced, Verdict};
use crate::kernel::{Duration, Instant, Rng};
use crate::transport::config::{Rules, TcpConfig};
use crate::transport::congestion::{
    Ack, CongestionControl, Delivery, LimitedBy, Loss, LostSegment, Sent, Window,
};
use crate::transport::link_failure::{LinkFailureCounters, LinkFailureState};
use crate::transport::pacing::{self, Spacing};
use crate::transport::rtt::RttEstimator;
use crate::transport::sender::SenderCounters;
use crate::transport::supply::Supply;
use crate::transport::tcp_sender::{FlowSender, Glance, Stage};
use crate::transport::{Acknowledgment, SenderActions, TimerChange};
use crate::wire::tcp::{SackBlocks, SegmentKind};

/// What a receiver is allowed for a delayed acknowledgment of a lone segment (RFC 8985 section 7.2).
const MOST_ACK_DELAY: Duration = Duration::from_millis(200);

/// Segments that Linux sends before it paces, the SYN among them.
const UNPACED: u64 = 10;

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
    has_prr: bool,
    may_undo: bool,
    may_probe: bool,
    initial_window: u32,
    pub(super) window: Window,
    pub(super) control: Box<dyn CongestionControl>,
    pub(super) board: Scoreboard,
    detection: Detection,
    rate: DeliveryRate,
    pub(super) rtt: RttEstimator,
    min_rtt: Option<Duration>,
    phase: Phase,
    /// What was outstanding when losses were first noticed ends here.
    recover: u32,
    reduced: Option<Reduced>,
    probe: LossProbe,
    pub(super) timers: Timers,
    /// What an acknowledgment has told; kept for its memory.
    news: News,
    last_sent: Instant,
    pub(super) link_failure: LinkFailureState,
    spacing: Option<Box<dyn Spacing>>,
    /// No paced segment leaves before this.
    pub(super) paced_until: Instant,
    counters: SenderCounters,
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
                false => Detection::Threshold,
            },
            rate: DeliveryRate::default(),
            rtt: RttEstimator::new(config, rules, rng),
            min_rtt: None,
            phase: Phase::Open,
            recover: 0,
            reduced: None,
            probe: LossProbe::default(),
            timers: Timers::default(),
            news: News::default(),
            last_sent: Instant::ZERO,
            link_failure: LinkFailureState::new(config),
            spacing: pacing::spacing(config),
            paced_until: Instant::ZERO,
            counters: SenderCounters::default(),
        }
    }

    /// Slow-start threshold \[segments\].
    pub fn ssthresh(&self) -> u32 {
        self.window.ssthresh
    }

    fn circumstances(&self, now: Instant) -> Circumstances {
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
        self.undo_if_refuted(&ack, below > before, evidence.is_duplicate_report);
        let sends_new = self.judge_timeout(&news, below, below > before);
        let earlier = self.reduced.filter(|_| self.is_recovering());
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
                self.reduced = self.reduced.map(|reduced| reduced.after(earlier));
            }
        }
        if before > 0 && (!news.arrived.is_empty() || self.is_recovering()) {
            self.adapt_window(&event, below > before, lost);
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
        if sends_new {
            self.send_new(now, 2, out);
        } else {
            self.send_repair(now, begins, out);
        }
        self.timers.reordering = wait.map(|wait| now + wait);
        self.arm(now, has_advanced, out);
    }

    /// Sends what is allowed; if a recovery `begins`, the first lost segment whatever the window, unless congestion control
    /// rules that.
    fn send_repair(&mut self, now: Instant, begins: bool, out: &mut SenderActions) {
        if let Some(first) =
            self.board.next_lost().filter(|_| begins && !self.control.rules_recovery())
        {
            self.send(now, first, out);
        }
        self.send_allowed(now, out);
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
    /// timestamp `echo` (RFC 7323 section 4).
    fn sample_round_trip(
        &mut self,
        now: Instant,
        echo: Instant,
        advances: bool,
        news: &News,
    ) -> Option<Duration> {
        let sure = || news.arrived.iter().map(|a| a.segment).filter(|s| !s.retransmitted);
        let earliest = sure().map(|segment| segment.sent).min().or(advances.then_some(echo));
        if let Some(sent) = earliest {
            self.rtt.on_sample(sent, now);
            self.probe.on_sample();
        }
        let latest = sure().map(|segment| segment.sent).max()?;
        let rtt = now.saturating_since(latest);
        self.min_rtt = Some(self.min_rtt.map_or(rtt, |least| least.min(rtt)));
        Some(rtt)
    }

    /// Takes the reduction back if `ack` shows that nothing was lost.
    fn undo_if_refuted(&mut self, ack: &Acknowledgment, advances: bool, reports_duplicate: bool) {
        let Some(reduced) = self.reduced.as_mut().filter(|_| self.may_undo) else { return };
        let all_needless = reports_duplicate && reduced.on_duplicate_report();
        if all_needless || (advances && reduced.is_refuted_by(ack.sent)) {
            self.undo();
        }
    }

    /// Nothing was lost: window and threshold are as they were.
    fn undo(&mut self) {
        let Some(reduced) = self.reduced.take() else { return };
        self.window.cwnd = self.window.cwnd.max(reduced.cwnd);
        self.window.ssthresh = self.window.ssthresh.max(reduced.ssthresh);
        self.control.on_undo(&mut self.window);
        self.board.lose_nothing();
        self.phase = Phase::Open;
    }

    /// F-RTO. Returns whether new segments are sent in place of lost ones.
    fn judge_timeout(&mut self, news: &News, below: u32, advances: bool) -> bool {
        let Phase::Loss(step) = &mut self.phase else { return false };
        if !self.may_undo || below == 0 {
            return false;
        }
        let recover = self.recover;
        let of_originals =
            news.arrived.iter().any(|a| !a.segment.retransmitted && a.number < recover);
        match step.on_ack(advances, below >= recover, of_originals) {
            Verdict::Spurious => {
                self.undo();
                false
            }
            Verdict::SendNew => self.board.end() < self.sendable_end(),
            Verdict::Repair => false,
        }
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

    fn start_recovery(&mut self, now: Instant, duplicates: u32) {
        self.counters.fast_retransmits += 1;
        self.recover = self.board.end();
        self.probe.reset();
        let in_flight = self.board.flight_size();
        let before = self.window.cwnd;
        self.reduced = Some(Reduced::new(before, self.window.ssthresh));
        self.control.on_loss(&mut self.window, &Loss { now, in_flight, duplicates });
        self.window.discount();
        // RecoverFS; Linux takes the window.
        let outstanding = match self.window.rules {
            Rules::Linux => before as u32,
            Rules::Ns2 | Rules::Standard => in_flight,
        };
        self.phase = Phase::Recovery(Reduction::new(outstanding));
        if self.reduces_by_arrivals() {
            self.window.cwnd = before;
        }
    }

    /// What `event` does to the window; it `advances` if it acknowledges new data, and shows `lost` more to be so.
    fn adapt_window(&mut self, event: &Ack, advances: bool, lost: u32) {
        match self.phase {
            Phase::Recovery(_) if self.reduces_by_arrivals() => {
                self.reduce(event.delivered, advances && lost == 0);
            }
            Phase::Recovery(_) => self.control.on_partial_ack(&mut self.window, event),
            Phase::Open | Phase::Loss(_) if advances => {
                self.control.on_ack(&mut self.window, event);
            }
            Phase::Open | Phase::Loss(_) => {}
        }
    }

    /// Whether the window falls in proportion to what arrives in recovery.
    fn reduces_by_arrivals(&self) -> bool {
        self.has_prr && !self.control.rules_recovery()
    }

    /// In recovery, `arrived` segments turn out to have done so; `is_good`: new data were acknowledged, and nothing lost.
    fn reduce(&mut self, arrived: u32, is_good: bool) {
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
    fn detect(&mut self, now: Instant) -> (u32, Option<Duration>) {
        let cx = self.circumstances(now);
        let (lost, wait) = self.detection.detect(&mut self.board, cx);
        self.tell_losses(now);
        (lost, wait)
    }

    /// Tells congestion control which segments have come to count as lost.
    fn tell_losses(&mut self, now: Instant) {
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

    fn is_recovering(&self) -> bool {
        matches!(self.phase, Phase::Recovery(_))
    }

    /// An acknowledgment while a broken route suspends the sender.
    pub(super) fn note_while_suspended(&mut self, now: Instant, below: u32) {
        self.board.acknowledge(below, &SackBlocks::default(), &mut self.news);
        self.supply.release(below);
        self.rate.on_arrival(now, &self.news.arrived, None);
    }

    /// What keeps the sender from having more in flight.
    fn limited_by(&self) -> LimitedBy {
        let in_flight = self.board.in_flight();
        if in_flight >= self.window.cwnd as u32 {
            LimitedBy::Window
        } else if self.board.flight_size() >= self.window.limit {
            LimitedBy::Receiver
        } else if self.board.end() >= self.supply.end() {
            LimitedBy::Application
        } else if self.spacing.is_some() {
            LimitedBy::Pacing
        } else {
            LimitedBy::Window
        }
    }

    /// The first segment that neither the receiver has room for nor the application has.
    fn sendable_end(&self) -> u32 {
        self.board.first().saturating_add(self.window.limit).min(self.supply.end())
    }

    /// Sends what window and pacing allow: what is lost first, then what is new.
    fn send_allowed(&mut self, now: Instant, out: &mut SenderActions) {
        while self.board.in_flight() < (self.window.cwnd as u32).max(1) {
            let lost = self.board.next_lost();
            let next = lost.unwrap_or(self.board.end());
            if lost.is_none() && next >= self.sendable_end() {
                break;
            }
            if self.must_wait(now, out) {
                return;
            }
            self.send(now, next, out);
        }
        let has_room = self.board.in_flight() < self.window.cwnd as u32;
        if has_room && self.board.end() >= self.supply.end() && self.board.lost() == 0 {
            self.rate.on_application_limited(self.board.in_flight());
        }
    }

    /// Sends at most `most` new segments, whatever the window.
    fn send_new(&mut self, now: Instant, most: u32, out: &mut SenderActions) {
        for number in self.board.end()..self.sendable_end().min(self.board.end() + most) {
            self.send(now, number, out);
        }
    }

    /// Whether the pacing clock holds the next segment back; it is set then.
    fn must_wait(&mut self, now: Instant, out: &mut SenderActions) -> bool {
        let Some(spacing) = &self.spacing else { return false };
        if now < self.paced_until {
            out.pacing = Some(TimerChange::Set(self.paced_until));
            return true;
        }
        let rtt = self.rtt.smoothed();
        let Some(interval) = spacing.interval(&*self.control, &self.window, rtt) else {
            return false;
        };
        if self.window.rules != Rules::Linux {
            self.paced_until = now + interval;
        } else if self.counters.sent_segments >= UNPACED {
            // A late segment shortens the wait for the next, to half at most.
            let late = now.saturating_since(self.paced_until);
            self.paced_until = now + interval - late.min(interval / 2);
        }
        false
    }

    /// Sends segment `number`, and takes note of it for the timers.
    fn send(&mut self, now: Instant, number: u32, out: &mut SenderActions) {
        if self.board.flight_size() == 0 {
            self.restart_after_idle(now);
        }
        // What is sent again is waited for anew.
        if number == self.board.first() {
            self.timers.timeout = Some(now + self.rtt.timeout());
        }
        self.emit(now, number, false, out);
        if let Phase::Recovery(reduction) = &mut self.phase {
            reduction.on_send();
        }
    }

    /// A sender that has been silent for longer than its timeout does not trust its window (RFC 5681, section 4.1).
    fn restart_after_idle(&mut self, now: Instant) {
        let idle = now.saturating_since(self.last_sent);
        if self.board.end() > 1 && idle > self.rtt.timeout() && !self.control.rules_recovery() {
            self.window.cwnd = self.window.cwnd.min(f64::from(self.initial_window));
        }
    }

    /// Transmits segment `number`, which is outstanding or the next new one.
    pub(super) fn emit(&mut self, now: Instant, number: u32, probe: bool, out: &mut SenderActions) {
        let in_flight = self.board.in_flight();
        let retransmission = number < self.board.end();
        self.control.on_send(&Sent { now, number, retransmission, in_flight });
        let snapshot = self.rate.on_send(now, in_flight, self.board.flight_size() == 0);
        if retransmission {
            self.board.resend(number, now, snapshot);
            if let Some(reduced) = &mut self.reduced {
                reduced.on_resend(now);
            }
        } else {
            self.board.send_new(now, snapshot);
        }
        self.last_sent = now;
        let payload_bytes = self.supply.payload_bytes(number);
        out.send.push(SegmentKind::Data { number, payload_bytes, retransmission, probe });
        self.counters.sent_segments += 1;
        self.counters.retransmits += u64::from(retransmission);
    }

    /// Arms what is due next; a probe only if `is_fresh`: new data left or were acknowledged.
    fn arm(&mut self, now: Instant, is_fresh: bool, out: &mut SenderActions) {
        if self.board.flight_size() == 0 {
            self.timers.stop();
        } else if let Some(timeout_at) = self.timers.timeout {
            let may_probe = self.may_probe
                && matches!(self.phase, Phase::Open)
                && self.board.sacked() == 0
                && self.board.first() > 0
                && self.probe.is_allowed();
            if !may_probe {
                self.timers.probe = None;
            } else if is_fresh {
                let flight_size = self.board.flight_size();
                let rtt = self.rtt.smoothed();
                let interval = LossProbe::interval(rtt, flight_size, MOST_ACK_DELAY);
                let latest = self.latest_probe(timeout_at).filter(|&at| at > now);
                let due = now + interval;
                self.timers.probe = Some(latest.map_or(due, |latest| due.min(latest)));
            }
        }
        self.set_timer(out);
    }

    /// When a tail loss probe leaves at the latest, the retransmission timer expiring at `timeout_at`; Linux counts
    /// the timeout from when the first outstanding segment left.
    fn latest_probe(&self, timeout_at: Instant) -> Option<Instant> {
        match self.window.rules {
            Rules::Linux => {
                self.board.iter().next().map(|(_, head)| head.sent + self.rtt.timeout())
            }
            Rules::Ns2 | Rules::Standard => Some(timeout_at),
        }
    }

    /// Sets the timer for what is due next.
    pub(super) fn set_timer(&mut self, out: &mut SenderActions) {
        out.timer = Some(match self.timers.next() {
            Some((at, _)) => TimerChange::Set(at),
            None => TimerChange::Cancel,
        });
    }

    /// A tail loss probe: a new segment if there is one, else the highest again.
    fn send_loss_probe(&mut self, now: Instant, out: &mut SenderActions) {
        self.timers.probe = None;
        if self.probe.is_allowed() && self.board.flight_size() > 0 {
            let next = self.board.end();
            let is_new = next < self.sendable_end();
            self.emit(now, if is_new { next } else { next - 1 }, false, out);
            self.probe.on_send(self.board.end(), !is_new);
        }
        self.timers.timeout = Some(now + self.rtt.timeout());
        self.set_timer(out);
    }

    fn retransmission_timeout(&mut self, now: Instant, out: &mut SenderActions) {
        self.timers.stop();
        if self.board.flight_size() == 0 {
            return;
        }
        self.counters.timeouts += 1;
        if self.board.first() == 0 {
            self.initial_window = 1;
        }
        self.probe.reset();
        // A second timeout of the same segments reduces nothing more (RFC 5681 section 3.1); Linux takes a
        // recovery for the first.
        let reduces = match self.phase {
            Phase::Open => true,
            Phase::Recovery(_) => self.window.rules != Rules::Linux,
            Phase::Loss(_) => self.board.first() >= self.recover,
        };
        let originals_only = self.board.iter().next().is_some_and(|(_, head)| !head.retransmitted);
        let cx = self.circumstances(now);
        self.detection.on_timeout(&mut self.board, cx);
        self.tell_losses(now);
        let ssthresh = self.window.ssthresh;
        if matches!(self.phase, Phase::Open) {
            self.reduced = Some(Reduced::new(self.window.cwnd, ssthresh));
        }
        let loss = Loss { now, in_flight: self.board.flight_size(), duplicates: 0 };
        self.control.on_timeout(&mut self.window, &loss);
        self.window.discount();
        if !reduces {
            self.window.ssthresh = ssthresh;
        }
        self.recover = self.board.end();
        self.phase = Phase::Loss(match originals_only {
            true => ForwardStep::First,
            false => ForwardStep::Over,
        });
        self.rtt.on_timeout();
        self.paced_until = now;
        self.timers.timeout = Some(now + self.rtt.timeout());
        self.send(now, self.board.first(), out);
        self.set_timer(out);
    }

    fn on_reordering_timer(&mut self, now: Instant, out: &mut SenderActions) {
        self.timers.reordering = None;
        let (lost, wait) = self.detect(now);
        let begins = lost > 0 && matches!(self.phase, Phase::Open);
        if begins {
            self.start_recovery(now, self.board.sacked());
        }
        // Linux counts the segment whose arrival made it wait.
        self.reduce(u32::from(self.window.rules == Rules::Linux), false);
        self.send_repair(now, begins, out);
        self.timers.reordering = wait.map(|wait| now + wait);
        self.arm(now, false, out);
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
