//! Stations stepped by hand: the test is the medium and the clock.

use std::collections::VecDeque;

use super::*;
use crate::kernel::{Instant, Purpose, Rng};
use crate::mac::AdmissionCounters;
use crate::mac::Gathers;
use crate::mac::Payloads;
use crate::mac::config::{MacConfig, RetryLimit};
use crate::mac::contention::{Contention, StationSense, Wake};
use crate::mac::context::Outbox;
use crate::measure::MacCounters;
use crate::radio::CarrierSense;
use crate::wire::{Body, FlowId, Rate, udp};

pub(super) const A: NodeId = NodeId(0);
pub(super) const B: NodeId = NodeId(1);
pub(super) const C: NodeId = NodeId(2);

/// The rate of control frames, 1 Mbit/s.
pub(super) const CONTROL: Rate = Rate(0);
/// The rate of data frames, 2 Mbit/s.
pub(super) const DATA: Rate = Rate(1);

fn micros(us: u64) -> Duration {
    Duration::from_micros(us)
}

pub(super) fn packet(number: u32, size_bytes: u32) -> Packet {
    let datagram = udp::Datagram::zeros(FlowId(0), number, size_bytes - 20);
    Packet { size_bytes, ttl: 30, ..Packet::new(A, B, Instant::ZERO, Body::Udp(datagram)) }
}

pub(super) struct Station {
    pub mac: Dcf,
    pub contention: Contention,
    pub timing: Timing,
    rng: Rng,
    pub counters: MacCounters,
    pub admission: AdmissionCounters,
    payloads: Payloads,
    out: Outbox,
    pub now: Instant,
    pub timeout: Option<Instant>,
    pub sifs: Option<Instant>,
    pub failures: Vec<(Packet, NodeId)>,
    pub received: Vec<(Packet, NodeId)>,
    /// When what is held for a missing packet goes up.
    pub hold_until: Option<Instant>,
    /// The interface queue.
    pub queue: VecDeque<(NodeId, Packet)>,
}

impl Station {
    pub fn new(node: NodeId, config: &MacConfig, profile: Profile) -> Station {
        let timing = Timing::new(config, profile);
        let mac = Dcf::new(node, &timing, None, config.admission());
        Station {
            mac,
            contention: Contention::default(),
            rng: Rng::stream(1, Purpose::Backoff, u64::from(node.0)),
            timing,
            counters: MacCounters::default(),
            admission: AdmissionCounters::default(),
            payloads: Payloads::default(),
            out: Outbox::default(),
            now: Instant::from_nanos(1_000_000_000),
            timeout: None,
            sifs: None,
            failures: Vec::new(),
            received: Vec::new(),
            hold_until: None,
            queue: VecDeque::new(),
        }
    }

    fn ns2(node: NodeId) -> Station {
        Station::new(node, &MacConfig::default(), Profile::Ns2)
    }

    fn with_mac<R>(&mut self, call: impl FnOnce(&mut Dcf, &mut MacContext) -> R) -> R {
        let mut cx = MacContext {
            now: self.now,
            timing: &self.timing,
            contention: &mut self.contention,
            rng: &mut self.rng,
            counters: &mut self.counters,
            admission: &mut self.admission,
            waiting: self.queue.iter().filter(|(_, packet)| packet.is_transport()).count() as u32,
            payloads: &mut self.payloads,
            out: &mut self.out,
        };
        call(&mut self.mac, &mut cx)
    }

    /// One input. Returns the frame sent, if any.
    pub fn drive(&mut self, call: impl FnOnce(&mut Dcf, &mut MacContext)) -> Option<Frame> {
        self.with_mac(call);
        if let Some(Leaving::One(packet, next_hop)) = self.out.failed.take() {
            self.failures.push((packet, next_hop));
        }
        if let Some(Leaving::One(packet, from)) = self.out.received.take() {
            self.received.push((packet, from));
        }
        if let Some(several) = self.mac.several() {
            self.failures.append(&mut several.given_up);
            self.received.append(&mut several.received);
            self.hold_until = several.hold_until.take().or(self.hold_until);
        }
        if std::mem::take(&mut self.out.step) {
            let wants_packet = self.with_mac(Dcf::next_step);
            if wants_packet
                && let Some(place) =
                    self.queue.iter().position(|(_, packet)| self.mac.wants(packet))
                && let Some((next_hop, packet)) = self.queue.remove(place)
            {
                self.with_mac(|mac, cx| mac.on_packet(cx, next_hop, packet));
            }
            if wants_packet {
                self.with_mac(Dcf::end_step);
            }
        }
        self.sifs = self.out.sifs.take().or(self.sifs);
        match self.out.timer.take() {
            Some(TimerChange::Set(at)) => self.timeout = Some(at),
            Some(TimerChange::Cancel) => self.timeout = None,
            None => {}
        }
        self.out.transmit.take()
    }

    pub fn send(&mut self, next_hop: NodeId, packet: Packet) {
        assert!(self.mac.wants(&packet));
        assert_eq!(self.drive(|mac, cx| mac.on_packet(cx, next_hop, packet)), None);
    }

    /// Waits for the backoff to run out on an idle medium.
    pub fn turn(&mut self) -> Option<Frame> {
        loop {
            let at = self.contention.earliest_expiry(|| None, &self.timing).expect("a backoff");
            self.now = at;
            if self.contention.wake(at, || None, &self.timing) == Wake::Expired {
                self.gather();
                return self.drive(Dcf::on_turn);
            }
        }
    }

    /// Packets of the queue join those in service.
    fn gather(&mut self) {
        while let Some(room) = self.mac.room(&self.timing)
            && let Some(place) = self.queue.iter().position(|&(hop, _)| hop == room.next_hop)
            && (place == 0 || room.may_overtake)
            && self.queue[place].1.size_bytes <= room.bytes
            && let Some((_, packet)) = self.queue.remove(place)
        {
            self.mac.on_more(packet);
        }
        self.mac.prepare(&self.timing);
    }

    pub fn after_sifs(&mut self) -> Option<Frame> {
        self.now = self.sifs.take().expect("SIFS is running");
        self.drive(Dcf::on_sifs)
    }

    pub fn time_out(&mut self) -> Option<Frame> {
        self.now = self.timeout.take().expect("a response is awaited");
        self.drive(Dcf::on_timer)
    }

    /// Receives or overhears `frame`, whose first bit arrives now and whose last `airtime` later.
    pub fn hear(&mut self, frame: Frame) -> Option<Frame> {
        let start = self.now;
        self.sense().on_busy(start);
        self.now += self.timing.airtime(&frame);
        let now = self.now;
        let sent = if frame.receiver == self.mac.node || frame.receiver.is_broadcast() {
            self.drive(|mac, cx| mac.on_frame(cx, frame))
        } else {
            let duration = micros(u64::from(frame.duration_us));
            self.sense().on_overheard(now, duration, frame.kind == FrameKind::Rts);
            match self.mac.admitting {
                Some(_) => self.drive(|mac, cx| mac.on_overheard(cx, &frame)),
                None => None,
            }
        };
        self.sense().on_idle(now);
        sent
    }

    fn sense(&mut self) -> StationSense<'_> {
        let contention = &mut self.contention;
        StationSense { contention, timing: &self.timing, collisions: &mut self.counters.collisions }
    }
}

/// Carries one frame from one station to another and brings their clocks together.
pub(super) fn carry(frame: Option<Frame>, from: &Station, to: &mut Station) -> Option<Frame> {
    let frame = frame.expect("a frame was sent");
    to.now = from.now;
    to.hear(frame)
}

pub(super) fn kinds(frame: &Option<Frame>) -> Option<FrameKind> {
    frame.as_ref().map(|frame| frame.kind)
}

#[test]
fn one_exchange_takes_as_long_as_the_standard_says() {
    let (mut a, mut b) = (Station::ns2(A), Station::ns2(B));
    let start = a.now;
    a.send(B, packet(0, 1020));
    let rts = a.turn();
    let slots = (a.now - start).saturating_sub(a.timing.difs) / a.timing.slot;
    assert_eq!(a.now - start, a.timing.difs + a.timing.slot * slots);
    assert!(slots < 31);
    let rts_at = a.now;
    assert_eq!(rts.as_ref().unwrap().duration_us, 5046);
    assert_eq!(carry(rts, &a, &mut b), None);
    let cts = b.after_sifs();
    assert_eq!(cts.as_ref().unwrap().duration_us, 4732);
    assert_eq!(carry(cts, &b, &mut a), None);
    let data = a.after_sifs();
    assert_eq!(a.now - rts_at, micros(352 + 10 + 304 + 10));
    assert_eq!(data.as_ref().unwrap().duration_us, 314);
    assert_eq!(carry(data, &a, &mut b), None);
    assert_eq!(b.received.len(), 1);
    assert_eq!(b.received[0].0.hops, 1);
    let ack = b.after_sifs();
    assert_eq!(carry(ack, &b, &mut a), None);
    assert!(a.mac.wants(&packet(1, 1020)) && a.failures.is_empty() && a.timeout.is_none());
    assert!(a.contention.is_backing_off(), "post-backoff");
}

#[test]
fn seven_unanswered_rts_are_a_link_failure() {
    let mut a = Station::ns2(A);
    a.send(B, packet(0, 1020));
    let mut windows = Vec::new();
    for attempt in 1..=7 {
        windows.push(a.mac.cw);
        assert_eq!(kinds(&a.turn()), Some(FrameKind::Rts));
        assert_eq!(a.timeout.unwrap() - a.now, micros(670));
        assert_eq!(a.failures.len(), 0, "attempt {attempt}");
        a.time_out();
    }
    assert_eq!(windows, [31, 63, 127, 255, 511, 1023, 1023]);
    assert_eq!(a.failures, [(packet(0, 1020), B)]);
    assert_eq!((a.mac.cw, a.counters.rts_sent, a.counters.retry_drops), (31, 7, 1));
    assert!(!a.contention.is_backing_off(), "ns-2 draws none after giving up");
}

/// RTS, CTS, DATA at `a`; the test makes the CTS.
fn data_after_cts(a: &mut Station) -> Option<Frame> {
    let rts = a.turn().unwrap();
    assert_eq!(rts.kind, FrameKind::Rts);
    let cts = Frame {
        kind: FrameKind::Cts,
        rate: CONTROL,
        transmitter: B,
        receiver: A,
        duration_us: a.timing.cts_duration_us(rts.duration_us, CONTROL),
        sequence: 0,
        notice: Notice::None,
        payload: None,
    };
    a.now += micros(352 + 10);
    a.hear(cts);
    a.after_sifs()
}

#[test]
fn four_unacknowledged_data_frames_are_a_link_failure() {
    let mut a = Station::ns2(A);
    a.send(B, packet(0, 1020));
    for _ in 0..4 {
        assert!(a.failures.is_empty());
        assert_eq!(kinds(&data_after_cts(&mut a)), Some(FrameKind::Data));
        a.time_out();
    }
    assert_eq!(a.failures.len(), 1);
    assert_eq!((a.counters.data_sent, a.counters.retry_drops), (4, 1));
}

#[test]
fn infinite_limits_never_give_up() {
    let config = MacConfig { short_retry_limit: RetryLimit::Infinite, ..MacConfig::default() };
    let mut a = Station::new(A, &config, Profile::Ns2);
    a.send(B, packet(0, 1020));
    for _ in 0..500 {
        a.turn();
        a.time_out();
    }
    assert!(a.failures.is_empty() && a.mac.cw == 1023);
}

#[test]
fn only_ns2_keeps_the_long_retry_counter_when_rts_fails() {
    for (profile, tries_left) in [(Profile::Ns2, 1), (Profile::Standard, 4)] {
        let mut a = Station::new(A, &MacConfig::default(), profile);
        a.send(B, packet(0, 1020));
        for _ in 0..3 {
            data_after_cts(&mut a);
            a.time_out();
        }
        for _ in 0..7 {
            a.turn();
            a.time_out();
        }
        assert_eq!(a.failures.len(), 1);
        a.send(B, packet(1, 1020));
        for tried in 0..tries_left {
            assert_eq!(a.failures.len(), 1, "{profile:?} after {tried}");
            data_after_cts(&mut a);
            a.time_out();
        }
        assert_eq!(a.failures.len(), 2, "{profile:?}");
    }
}

#[test]
fn a_retransmission_is_acknowledged_but_delivered_once() {
    let (mut a, mut b) = (Station::ns2(A), Station::ns2(B));
    a.send(B, packet(0, 1020));
    for _ in 0..2 {
        let rts = a.turn();
        carry(rts, &a, &mut b);
        let cts = b.after_sifs();
        carry(cts, &b, &mut a);
        let data = a.after_sifs();
        carry(data, &a, &mut b);
        assert_eq!(kinds(&b.after_sifs()), Some(FrameKind::Ack));
        b.time_out();
        a.time_out();
    }
    assert_eq!(b.received.len(), 1);
}

#[test]
fn an_rts_is_ignored_while_another_exchange_goes_on() {
    let mut b = Station::ns2(B);
    let rts = |from| Frame {
        kind: FrameKind::Rts,
        rate: CONTROL,
        transmitter: from,
        receiver: B,
        duration_us: 5046,
        sequence: 0,
        notice: Notice::None,
        payload: None,
    };
    b.hear(rts(A));
    assert_eq!(b.after_sifs().unwrap().receiver, A);
    b.now += b.timing.cts(CONTROL);
    b.hear(rts(C));
    assert!(b.sifs.is_none());
    assert_eq!(b.time_out(), None);
    b.hear(rts(C));
    assert_eq!(b.after_sifs().unwrap().receiver, C);
}

/// B's response to an RTS that ends while B's NAV has `left_us` left.
fn answer_under_nav(profile: Profile, left_us: u64) -> Option<Frame> {
    let mut b = Station::new(B, &MacConfig::default(), profile);
    let rts = Frame {
        kind: FrameKind::Rts,
        rate: CONTROL,
        transmitter: A,
        receiver: B,
        duration_us: 5046,
        sequence: 0,
        notice: Notice::None,
        payload: None,
    };
    let now = b.now;
    let nav = b.timing.rts(CONTROL) + micros(left_us);
    b.sense().on_overheard(now, nav, false);
    b.hear(rts);
    b.sifs.is_some().then(|| b.after_sifs()).flatten()
}

#[test]
fn the_nav_withholds_a_cts() {
    // ns-2 checks the NAV when the CTS is due, the standard when the RTS ends.
    assert_eq!(answer_under_nav(Profile::Ns2, 1000), None);
    assert_eq!(answer_under_nav(Profile::Standard, 1000), None);
    assert_eq!(kinds(&answer_under_nav(Profile::Ns2, 10)), Some(FrameKind::Cts));
    assert_eq!(answer_under_nav(Profile::Standard, 10), None);
}

#[test]
fn in_ns2_a_busy_medium_after_the_cts_sends_data_back_to_rts() {
    let mut a = Station::ns2(A);
    a.send(B, packet(0, 1020));
    let now = a.now;
    let rts = a.turn().unwrap();
    let cts = Frame { kind: FrameKind::Cts, transmitter: B, receiver: A, ..rts };
    a.hear(cts);
    let nav_from = a.now;
    a.sense().on_overheard(nav_from, micros(2000), false);
    assert_eq!(a.after_sifs(), None);
    assert_eq!((a.mac.cw, a.mac.short_retries, a.mac.long_retries), (63, 0, 0));
    assert_eq!(kinds(&a.turn()), Some(FrameKind::Rts));
    assert!(a.now > now + micros(2000));
}

#[test]
fn a_broadcast_has_no_rts_no_ack_and_no_retry() {
    let (mut a, mut b) = (Station::ns2(A), Station::ns2(B));
    a.send(NodeId::BROADCAST, packet(0, 48));
    let sent = a.turn();
    assert_eq!(kinds(&sent), Some(FrameKind::Data));
    assert_eq!(a.timeout.unwrap() - a.now, micros(848));
    carry(sent, &a, &mut b);
    assert_eq!((b.received.len(), b.sifs), (1, None));
    a.time_out();
    assert!(
        a.mac.wants(&packet(1, 1020)) && a.contention.is_backing_off() && a.failures.is_empty()
    );
}

#[test]
fn below_the_rts_threshold_data_is_sent_at_once_and_counts_as_short() {
    let config = MacConfig { rts_threshold_bytes: RetryLimit::Infinite, ..MacConfig::default() };
    let mut a = Station::new(A, &config, Profile::Ns2);
    a.send(B, packet(0, 1020));
    for _ in 0..7 {
        assert_eq!(kinds(&a.turn()), Some(FrameKind::Data));
        a.time_out();
    }
    assert_eq!((a.failures.len(), a.counters.rts_sent), (1, 0));
}

#[test]
fn only_ns2_backs_off_on_a_medium_long_idle() {
    let mut a = Station::new(A, &MacConfig::default(), Profile::Standard);
    let start = a.now;
    a.send(B, packet(0, 1020));
    a.turn();
    assert_eq!(a.now, start);
    let drawn: Vec<u64> = (0..40)
        .map(|_| {
            let mut a = Station::ns2(A);
            a.rng = Rng::stream(a.now.as_nanos(), Purpose::Backoff, 0);
            let start = a.now;
            a.send(B, packet(0, 1020));
            a.turn();
            (a.now - start).as_nanos()
        })
        .collect();
    assert!(drawn.iter().all(|&ns| ns >= 50_000));
}
