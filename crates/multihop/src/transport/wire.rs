//! One connection over a wire of fixed rate, delay and buffer, without a network around it: what
//! holds the transport to recordings of other TCPs, and shows how it does where nothing else
//! counts.
//!
//! Segments wait in a buffer that drops the newest, are sent one after the other and arrive a delay
//! later; acknowledgments are only delayed. Losses are told by number.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

use super::{
    Acknowledger, Acknowledgment, Arriving, Receiver, SenderActions, Supply, TcpConfig, TcpSender,
    TimerChange,
};
use crate::kernel::{Duration, Instant, Purpose, Rng};
use crate::profile::Profile;
use crate::wire::FlowId;
use crate::wire::tcp::SegmentKind;

/// A wire.
#[derive(Clone, Debug)]
pub struct Wire {
    /// Rate at which segments leave the buffer \[bit/s\].
    pub rate_bps: f64,
    /// Delay of one direction.
    pub delay: Duration,
    /// Segments that may wait besides the one that is being sent.
    pub buffer: usize,
    /// Bytes of a segment besides its payload.
    pub header_bytes: u32,
    /// Which of the segments with payload are lost, by their number from 1, before they reach the
    /// buffer.
    pub losses: BTreeSet<u64>,
}

/// What a connection has achieved.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Achieved {
    /// Payload delivered in order \[bytes\].
    pub delivered_bytes: u64,
    /// When all was delivered, if it was to end.
    pub completed: Option<Instant>,
    /// Segments sent.
    pub sent_segments: u64,
    /// Mean time that a segment waited in the buffer \[s\].
    pub mean_wait_s: f64,
}

/// A connection under way.
struct Connection<'a> {
    wire: &'a Wire,
    changes: &'a [(Instant, f64)],
    now: Instant,
    sender: TcpSender,
    actions: SenderActions,
    receiver: Receiver,
    acknowledger: Acknowledger,
    retransmission: Option<Instant>,
    pacing: Option<Instant>,
    /// What arrives when, and when it was sent; the number keeps the order of what arrives at once.
    arrivals: BTreeMap<(Instant, u64), (SegmentKind, Instant)>,
    entered: u64,
    /// When the transmissions of waiting segments begin, and when the last of them ends.
    starts: VecDeque<Instant>,
    free_at: Instant,
    /// Segments with payload sent so far.
    with_payload: u64,
    /// Time that segments have waited in the buffer.
    waited: Duration,
}

/// Runs the connection that `config` describes over `wire` up to `until`: of `bytes`, or without
/// end.
pub fn run(
    config: &TcpConfig,
    profile: Profile,
    wire: &Wire,
    bytes: Option<u64>,
    until: Instant,
) -> Achieved {
    run_changing(config, profile, wire, &[], bytes, until)
}

/// The same over a wire whose rate changes: `changes` tell when, in their order, and to what
/// \[bit/s\].
pub fn run_changing(
    config: &TcpConfig,
    profile: Profile,
    wire: &Wire,
    changes: &[(Instant, f64)],
    bytes: Option<u64>,
    until: Instant,
) -> Achieved {
    let mut rng = Rng::stream(1, Purpose::Transport, 0);
    let mut supply = Supply::endless(config.segment_bytes);
    if let Some(bytes) = bytes {
        supply = Supply::empty(config.segment_bytes);
        supply.push(bytes);
    }
    let mut connection = Connection {
        wire,
        changes,
        now: Instant::ZERO,
        sender: TcpSender::new(config, supply, profile, FlowId(0), &mut rng),
        actions: SenderActions::default(),
        receiver: Receiver::default(),
        acknowledger: Acknowledger::new(config, profile),
        retransmission: None,
        pacing: None,
        arrivals: BTreeMap::new(),
        entered: 0,
        starts: VecDeque::new(),
        free_at: Instant::ZERO,
        with_payload: 0,
        waited: Duration::ZERO,
    };
    connection.call(|sender, now, out| sender.on_start(now, out));
    let mut completed = None;
    while completed.is_none() && connection.step(until) {
        if bytes.is_some_and(|bytes| connection.receiver.delivered_bytes() >= bytes) {
            completed = Some(connection.now);
        }
    }
    Achieved {
        delivered_bytes: connection.receiver.delivered_bytes(),
        completed,
        sent_segments: connection.sender.counters().sent_segments,
        mean_wait_s: connection.waited.as_secs_f64() / connection.with_payload.max(1) as f64,
    }
}

impl Connection<'_> {
    /// The next thing that happens. Returns false if nothing does up to `until`.
    fn step(&mut self, until: Instant) -> bool {
        let arrival = self.arrivals.keys().next().map(|&(at, _)| at);
        let due = [arrival, self.acknowledger.due(), self.pacing, self.retransmission];
        let next = due.into_iter().enumerate().filter_map(|(what, at)| Some((at?, Reverse(what))));
        let Some((at, Reverse(what))) = next.min().filter(|&(at, _)| at <= until) else {
            return false;
        };
        self.now = at;
        match what {
            0 => self.arrive(),
            1 => {
                let answer = self.acknowledger.on_timer(&self.receiver);
                self.answer(answer);
            }
            2 => {
                self.pacing = None;
                self.call(|sender, now, out| sender.on_pacing_tick(now, out));
            }
            _ => {
                self.retransmission = None;
                self.call(|sender, now, out| sender.on_timeout(now, out));
            }
        }
        true
    }

    fn arrive(&mut self) {
        let Some(((now, _), (kind, sent))) = self.arrivals.pop_first() else { return };
        let acknowledgment = |number, probe, answered, window| Acknowledgment {
            number,
            probe,
            sent: answered,
            hops: 1,
            echo: false,
            left: sent,
            window,
        };
        match kind {
            SegmentKind::Data { number, payload_bytes, probe, echo, .. } => {
                let segment = Arriving { now, number, payload_bytes, probe, sent, echo };
                let answer = self.acknowledger.on_segment(&mut self.receiver, segment);
                self.answer(answer);
            }
            SegmentKind::Ack { number, probe, sent: answered, window } => {
                let ack = acknowledgment(number, probe, answered, window);
                self.call(|sender, now, out| sender.on_ack(now, ack, out));
            }
            SegmentKind::Sack { number, probe, sent: answered, window, blocks } => {
                let ack = acknowledgment(number, probe, answered, window);
                self.call(|sender, now, out| sender.on_sack(now, ack, blocks, out));
            }
            SegmentKind::SelectiveAck { number } => {
                self.call(|sender, now, out| sender.on_selective_ack(now, number, out));
            }
        }
    }

    /// An acknowledgment leaves, if there is one.
    fn answer(&mut self, answer: Option<SegmentKind>) {
        if let Some(kind) = answer {
            self.entered += 1;
            self.arrivals.insert((self.now + self.wire.delay, self.entered), (kind, self.now));
        }
    }

    /// Calls the sender and carries out what it asks for.
    fn call(&mut self, what: impl FnOnce(&mut TcpSender, Instant, &mut SenderActions)) {
        what(&mut self.sender, self.now, &mut self.actions);
        for (slot, change) in [
            (&mut self.retransmission, self.actions.timer.take()),
            (&mut self.pacing, self.actions.pacing.take()),
        ] {
            match change {
                Some(TimerChange::Set(at)) => *slot = Some(at),
                Some(TimerChange::Cancel) => *slot = None,
                None => {}
            }
        }
        for kind in std::mem::take(&mut self.actions.send) {
            self.enter(kind);
        }
    }

    /// A segment reaches the wire.
    fn enter(&mut self, kind: SegmentKind) {
        let SegmentKind::Data { payload_bytes, .. } = kind else { return };
        if payload_bytes > 0 {
            self.with_payload += 1;
            if self.wire.losses.contains(&self.with_payload) {
                return;
            }
        }
        while self.starts.front().is_some_and(|&start| start <= self.now) {
            self.starts.pop_front();
        }
        let mut start = self.now;
        if self.free_at > self.now {
            if self.starts.len() >= self.wire.buffer {
                return;
            }
            start = self.free_at;
            self.starts.push_back(start);
        }
        let bits = 8.0 * f64::from(payload_bytes + self.wire.header_bytes);
        let change = self.changes.iter().rev().find(|(at, _)| *at <= start);
        let rate_bps = change.map_or(self.wire.rate_bps, |&(_, rate_bps)| rate_bps);
        self.waited += start.saturating_since(self.now);
        self.free_at = start + Duration::from_secs_f64(bits / rate_bps);
        self.entered += 1;
        self.arrivals.insert((self.free_at + self.wire.delay, self.entered), (kind, self.now));
    }
}

#[cfg(test)]
mod tests;
