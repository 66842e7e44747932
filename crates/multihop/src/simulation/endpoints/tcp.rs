//! TCP: a sender and a receiver for each direction of a connection.

use std::collections::VecDeque;

use super::ends::{Effect, Ends, EndsContext, SenderStatus};
use super::flow::Tally;
use crate::capture::pcap::Form;
use crate::capture::{Capture, Detail, NONE, SenderState, State};
use crate::kernel::{Instant, Purpose, Rng};
use crate::link::back_pressure::Asking;
use crate::measure::PartCounts;
use crate::measure::Progress;
use crate::profile::Profile;
use crate::scenario::{self, FlowLoad};
use crate::simulation::clock::Clock;
use crate::simulation::event::{FlowTimer, Timer};
use crate::traffic::Way;
use crate::transport::{
    Acknowledger, Acknowledgment, Arriving, Pull, Receiver, SenderActions, Setting, Stage, Supply,
    TcpConfig, TcpSender, TimerChange,
};
use crate::wire::tcp::{PiggybackedAck, Segment, SegmentKind, WindowFields};
use crate::wire::{Body, EcnFlags, FlowId, NodeId, Packet};

/// Both directions of a connection; often there are data in one only.
#[derive(Debug)]
pub struct TcpEnds {
    forth: Direction,
    back: Option<Box<Direction>>,
}

/// The ends of one flow.
#[derive(Debug)]
struct Direction {
    id: FlowId,
    source: NodeId,
    sender: TcpSender,
    actions: SenderActions,
    receiver: Receiver,
    acknowledger: Acknowledger,
    /// The last segments of the messages that have not arrived whole.
    messages: VecDeque<u32>,
    /// Acknowledgments that the receiver has sent.
    acks_sent: u64,
    /// Hops that the last one has travelled to the sender.
    ack_hops: u32,
    /// Acknowledgments reach the sender without crossing the network.
    has_free_acks: bool,
    /// It uses ECN.
    has_ecn: bool,
    /// Its segments have the timestamps option.
    has_timestamps: bool,
    /// Its segments carry acknowledgments of the other direction.
    carries_acks: bool,
    /// Its windows as they are in headers.
    window: WindowFields,
    /// How its transport lets its node ask for segments, if it does.
    pull: Option<Pull>,
}

impl TcpEnds {
    /// The ends of flow `id`, over TCP with `config`, and of the flow with the answers, if `back`
    /// is one: that has the next number.
    pub fn new(
        id: FlowId,
        (spec, config): (&scenario::FlowSpec, &TcpConfig),
        back: Option<(&scenario::FlowSpec, &TcpConfig)>,
        profile: Profile,
        seed: u64,
    ) -> TcpEnds {
        let other = FlowId(id.0 + 1);
        TcpEnds {
            forth: Direction::new(id, spec, config, profile, seed),
            back: back
                .map(|(spec, config)| Box::new(Direction::new(other, spec, config, profile, seed))),
        }
    }

    fn direction(&self, way: Way) -> &Direction {
        match (way, &self.back) {
            (Way::Back, Some(back)) => back,
            _ => &self.forth,
        }
    }

    /// The direction, and the other one.
    fn directions(&mut self, way: Way) -> (&mut Direction, Option<&mut Direction>) {
        match (way, self.back.as_deref_mut()) {
            (Way::Back, Some(back)) => (back, Some(&mut self.forth)),
            (_, back) => (&mut self.forth, back),
        }
    }

    /// Calls the sender because of `cause` and carries out what it asks for.
    fn with_sender(
        &mut self,
        way: Way,
        cause: Detail,
        cx: &mut EndsContext<'_>,
        call: impl FnOnce(&mut TcpSender, Instant, &mut SenderActions),
    ) {
        let (this, mut other) = self.directions(way);
        let now = cx.clock.now();
        let Direction { id, sender, actions, .. } = this;
        let acked = cx.monitor.capture.is_some().then(|| sender.highest_ack());
        call(sender, now, actions);
        change(cx.clock, Timer::Flow(*id, FlowTimer::Retransmission), actions.timer.take());
        change(cx.clock, Timer::Flow(*id, FlowTimer::Pacing), actions.pacing.take());
        if let Some(capture) = &mut cx.monitor.capture {
            let is_duplicate = cause == Detail::NewAck && acked == Some(sender.highest_ack());
            let cause = if is_duplicate { Detail::DuplicateAck } else { cause };
            let timer = cx.clock.deadline(Timer::Flow(*id, FlowTimer::Retransmission));
            note_sender(capture, now, (*id, this.source), cause, sender, timer);
        }
        let mut segments = std::mem::take(&mut actions.send);
        for kind in segments.drain(..) {
            let (ecn, flags) = this.sender.ecn(&kind);
            let timestamps = this.has_timestamps;
            let mut segment = Segment { flow: this.id, kind, flags, timestamps };
            if let Some(other) = other.as_mut().filter(|_| this.carries_acks) {
                other.put_on(&mut segment, cx);
            }
            let (flow, size_bytes) = (&cx.flows[this.id.index()], segment.size_bytes());
            let packet = flow.packet(now, true, size_bytes, Body::Tcp(segment));
            cx.effects.push(Effect::Send(this.id, Packet { ecn, ..packet }));
        }
        this.actions.send = segments;
    }

    /// An acknowledgment has arrived in `packet`.
    fn on_ack(&mut self, way: Way, packet: &Packet, segment: &Segment, cx: &mut EndsContext<'_>) {
        let (number, probe, sent, window, blocks) = match segment.kind {
            SegmentKind::SelectiveAck { number } => {
                return self.with_sender(way, Detail::NewAck, cx, |sender, now, out| {
                    sender.on_selective_ack(now, number, out);
                });
            }
            SegmentKind::Ack { number, probe, sent, window } => (number, probe, sent, window, None),
            SegmentKind::Sack { number, probe, sent, window, blocks } => {
                (number, probe, sent, window, Some(blocks))
            }
            SegmentKind::Data { .. } => return,
        };
        let (hops, left) = (u32::from(packet.hops), packet.created);
        self.directions(way).0.ack_hops = hops;
        let echo = segment.flags.echo;
        let ack = Acknowledgment { number, probe, sent, hops, echo, left, window };
        self.with_sender(way, Detail::NewAck, cx, |sender, now, out| match blocks {
            None => sender.on_ack(now, ack, out),
            Some(blocks) => sender.on_sack(now, ack, blocks, out),
        });
    }

    /// Data have arrived in `packet`.
    fn on_data(&mut self, way: Way, packet: &Packet, segment: &Segment, cx: &mut EndsContext<'_>) {
        let Segment { kind, mut flags, .. } = *segment;
        let SegmentKind::Data { number, payload_bytes, probe, echo, piggybacked, .. } = kind else {
            return;
        };
        let now = cx.clock.now();
        if let Some(piggybacked) = piggybacked {
            self.on_piggybacked_ack(way.other(), piggybacked, packet, flags, cx);
            // The echo was for the other direction.
            flags.echo = false;
        }
        let (this, _) = self.directions(way);
        let flow = &mut cx.flows[this.id.index()];
        flow.arrivals.count(now, packet);
        let sent = packet.created;
        let segment = Arriving { now, number, payload_bytes, probe, sent, echo };
        let answer = this.acknowledger.on_segment(&mut this.receiver, segment);
        this.acks_sent += u64::from(answer.is_some());
        if this.has_ecn {
            this.receiver.on_ecn(packet.ecn, flags);
        }
        flow.steadiness.note(now, this.receiver.delivered_bytes());
        if this.acknowledger.may_delay() {
            this.set_ack_timer(cx.clock);
        }
        if let Some(kind) = answer {
            this.send_ack(kind, flags, cx);
        }
        let arrived = this.receiver.delivered_segments();
        let opener = cx.flows[this.id.index()].opener();
        while this.messages.front().is_some_and(|&last| u64::from(last) <= arrived) {
            this.messages.pop_front();
            cx.effects.push(Effect::Delivered(opener, way));
        }
    }

    /// Data have brought an acknowledgment of what goes this way: it is dealt with before them (RFC
    /// 9293, section 3.10.7.4).
    #[cold]
    fn on_piggybacked_ack(
        &mut self,
        way: Way,
        piggybacked: PiggybackedAck,
        packet: &Packet,
        flags: EcnFlags,
        cx: &mut EndsContext<'_>,
    ) {
        if self.back.is_none() {
            return;
        }
        let PiggybackedAck { sent, number, window } = piggybacked;
        let ack = Acknowledgment {
            number: number.get(),
            probe: false,
            sent,
            hops: u32::from(packet.hops),
            echo: flags.echo,
            left: packet.created,
            window,
        };
        cx.monitor.fingerprint.add_numbered(self.direction(way).id, ack.number);
        self.with_sender(way, Detail::NewAck, cx, |sender, now, out| sender.on_ack(now, ack, out));
    }
}

impl Direction {
    fn new(
        id: FlowId,
        spec: &scenario::FlowSpec,
        config: &TcpConfig,
        profile: Profile,
        seed: u64,
    ) -> Direction {
        let mut rng = Rng::stream(seed, Purpose::Transport, u64::from(id.0));
        let acknowledger = Acknowledger::new(config, profile);
        let supply = match spec.load {
            FlowLoad::Endless => Supply::endless(config.segment_bytes),
            _ => Supply::empty(config.segment_bytes),
        };
        let mut sender = TcpSender::new(config, supply, profile, id, &mut rng);
        let mut receiver = Receiver::default();
        if spec.load == FlowLoad::Answers {
            sender.on_accept();
            receiver = Receiver::accepted();
        }
        Direction {
            id,
            source: spec.source,
            sender,
            actions: SenderActions::default(),
            receiver,
            messages: VecDeque::new(),
            acks_sent: 0,
            ack_hops: 0,
            has_free_acks: config.free_acks,
            has_ecn: config.ecn,
            has_timestamps: config.timestamps(profile),
            carries_acks: spec.is_two_way && acknowledger.may_delay() && !config.free_acks,
            window: config.window_fields(config.rules(profile)),
            pull: config.pull(),
            acknowledger,
        }
    }

    /// What `segment` of the other direction, which leaves, carries of this one's acknowledgments.
    #[cold]
    fn put_on(&mut self, segment: &mut Segment, cx: &mut EndsContext<'_>) {
        let SegmentKind::Data { number: 1.., piggybacked, .. } = &mut segment.kind else { return };
        *piggybacked = self.acknowledger.on_departure(&self.receiver);
        if piggybacked.is_some() {
            segment.flags.echo = self.ack_flags(EcnFlags::NONE).echo;
            self.set_ack_timer(cx.clock);
        }
    }

    /// The flags of the acknowledgment that leaves. It answers a segment with `flags`, or one that
    /// came before.
    fn ack_flags(&mut self, flags: EcnFlags) -> EcnFlags {
        if self.has_ecn { self.receiver.ack_flags(flags) } else { EcnFlags::NONE }
    }

    /// Sends an acknowledgment that answers a segment with `flags`.
    fn send_ack(&mut self, kind: SegmentKind, flags: EcnFlags, cx: &mut EndsContext<'_>) {
        let now = cx.clock.now();
        let flags = self.ack_flags(flags);
        let ack = Segment { flow: self.id, kind, flags, timestamps: self.has_timestamps };
        let (flow, size_bytes) = (&cx.flows[self.id.index()], ack.size_bytes());
        let packet = flow.packet(now, false, size_bytes, Body::Tcp(ack));
        cx.effects.push(match self.has_free_acks {
            true => Effect::Arrive(Packet { queued: now, ..packet }),
            false => Effect::Send(self.id, packet),
        });
    }

    fn set_ack_timer(&self, clock: &mut Clock) {
        clock.keep(Timer::Flow(self.id, FlowTimer::Ack), self.acknowledger.due());
    }
}

impl Ends for TcpEnds {
    fn on_start(&mut self, cx: &mut EndsContext<'_>) {
        self.with_sender(Way::Forth, Detail::Start, cx, |sender, now, out| {
            sender.on_start(now, out);
        });
        cx.effects.push(Effect::Demand(self.forth.source));
    }

    fn on_stop(&mut self, way: Way, cx: &mut EndsContext<'_>) {
        self.directions(way).0.sender.on_stop(cx.clock.now());
    }

    fn on_timer(&mut self, way: Way, timer: FlowTimer, cx: &mut EndsContext<'_>) {
        match timer {
            FlowTimer::Retransmission => {
                self.with_sender(way, Detail::Timeout, cx, |sender, now, out| {
                    sender.on_timeout(now, out);
                });
                cx.effects.push(Effect::Demand(self.direction(way).source));
            }
            FlowTimer::Pacing => self.with_sender(way, Detail::Pacing, cx, |sender, now, out| {
                sender.on_pacing_tick(now, out);
            }),
            FlowTimer::Ack => {
                let (this, _) = self.directions(way);
                if let Some(kind) = this.acknowledger.on_timer(&this.receiver) {
                    this.acks_sent += 1;
                    this.send_ack(kind, EcnFlags::NONE, cx);
                }
            }
        }
    }

    fn on_route_error(&mut self, way: Way, cx: &mut EndsContext<'_>) {
        self.with_sender(way, Detail::RouteError, cx, |sender, now, out| {
            sender.on_route_error(now, out);
        });
    }

    fn on_room(&mut self, way: Way, cx: &mut EndsContext<'_>) {
        self.with_sender(way, Detail::Room, cx, |sender, now, out| sender.on_room(now, out));
    }

    fn on_acknowledgment_held(&mut self, way: Way, is_held: bool) {
        let count = &mut self.directions(way).0.acks_sent;
        *count = if is_held { *count - 1 } else { *count + 1 };
    }

    fn on_supply(&mut self, way: Way, bytes: u64, cx: &mut EndsContext<'_>) {
        if way == Way::Back && self.back.is_none() {
            return;
        }
        let mut last = None;
        self.with_sender(way, Detail::Supply, cx, |sender, now, out| {
            last = Some(sender.on_supply(now, bytes, out));
        });
        let (this, _) = self.directions(way);
        this.messages.extend(last);
        cx.effects.push(Effect::Demand(this.source));
    }

    fn on_arrival(&mut self, way: Way, packet: &Packet, cx: &mut EndsContext<'_>) {
        let Body::Tcp(segment) = &packet.body else { return };
        cx.monitor.fingerprint.add_numbered(segment.flow, segment.number());
        match segment.is_ack() {
            true => self.on_ack(way, packet, segment, cx),
            false => self.on_data(way, packet, segment, cx),
        }
    }

    fn sent(&self, way: Way) -> u64 {
        self.direction(way).sender.counters().sent_segments
    }

    fn progress(&self, way: Way) -> Progress {
        let Direction { sender, receiver, .. } = self.direction(way);
        let (packets, bytes) = (receiver.delivered_segments(), receiver.delivered_bytes());
        Progress { packets, bytes, cwnd: sender.cwnd() }
    }

    fn tally(&self, way: Way, now: Instant) -> Tally {
        let Direction { sender, receiver, acks_sent, .. } = self.direction(way);
        let counters = sender.counters();
        Tally {
            delivered_bytes: receiver.delivered_bytes(),
            delivered_segments: receiver.delivered_segments(),
            unique_segments: receiver.unique_segments(),
            unique_bytes: receiver.unique_bytes(),
            out_of_order_segments: receiver.out_of_order(),
            acks_sent: Some(*acks_sent),
            acked_segments: Some(u64::from(sender.highest_ack().unwrap_or(0))),
            given_up: None,
            sent_segments: counters.sent_segments,
            retransmits: counters.retransmits,
            timeouts: counters.timeouts,
            fast_retransmits: counters.fast_retransmits,
            ecn_reductions: counters.ecn_reductions,
            link_failure: sender.link_failure_counters(now),
            mean_rtt_s: sender.mean_rtt_s(),
        }
    }

    fn sender_status(&self, way: Way) -> Option<SenderStatus> {
        let Direction { sender, ack_hops, .. } = self.direction(way);
        Some(SenderStatus {
            glance: sender.glance()?,
            ack_hops: *ack_hops,
            acked_segments: sender.highest_ack().map_or(0, |highest| u64::from(highest) + 1),
            counters: sender.counters(),
        })
    }

    fn apply(&mut self, way: Way, setting: Setting) -> bool {
        self.directions(way).0.sender.apply(setting)
    }

    fn asking(&self, way: Way) -> Option<Asking> {
        self.direction(way).pull.map(|pull| Asking {
            wants_empty_node: pull.wants_empty_node,
            stored_acks: pull.stored_acks,
        })
    }

    /// As segments of one connection where they carry acknowledgments of the other direction.
    fn form(&self, way: Way) -> Form {
        let this = self.direction(way);
        let other = self.back.as_ref().filter(|_| this.carries_acks);
        let other = other.map(|_| self.direction(way.other()).id);
        let is_opened_by_other = way == Way::Back && other.is_some();
        Form { windows: this.window, other, is_opened_by_other }
    }

    fn report_parts(&self, way: Way, parts: &mut PartCounts) {
        self.direction(way).sender.report_parts(parts);
    }
}

fn change(clock: &mut Clock, timer: Timer, change: Option<TimerChange>) {
    match change {
        Some(TimerChange::Set(at)) => clock.set(timer, at),
        Some(TimerChange::Cancel) => clock.cancel(timer),
        None => {}
    }
}

/// Tells the record of events that `cause` has had `sender`, of `flow` at `node`, do something; its
/// timer expires at `timer`.
#[cold]
fn note_sender(
    capture: &mut Capture,
    now: Instant,
    (flow, node): (FlowId, NodeId),
    cause: Detail,
    sender: &TcpSender,
    timer: Instant,
) {
    let glance = sender.glance();
    let none = f64::NAN;
    let stage = match glance.map(|glance| glance.stage) {
        None => State::None,
        Some(Stage::SlowStart) => State::SlowStart,
        Some(Stage::CongestionAvoidance) => State::CongestionAvoidance,
        Some(Stage::Recovery) => State::Recovery,
        Some(Stage::Suspended) => State::Suspended,
    };
    let srtt = glance.and_then(|glance| glance.smoothed_rtt);
    let state = SenderState {
        number: sender.highest_ack().unwrap_or(NONE),
        cwnd: glance.map_or(none, |glance| glance.cwnd) as f32,
        ssthresh: glance.map_or(none, |glance| f64::from(glance.ssthresh)) as f32,
        rto_s: glance.map_or(none, |glance| glance.rto.as_secs_f64()) as f32,
        srtt_s: srtt.map_or(none, |rtt| rtt.as_secs_f64()) as f32,
        timer_s: SenderState::until(now, timer),
    };
    capture.on_sender(now, (flow, node), cause, stage, state);
}
