//! What reaches the ends of flows, and what they send: starts, timers, arrivals, acknowledgments.

use super::Simulation;
use super::event::{FlowTimer, Timer};
use super::flows::Ends;
use crate::capture::{Detail, Happening, NONE};
use crate::kernel::Instant;
use crate::transport::{Acknowledgment, Arriving, End, SenderActions, TcpSender, TimerChange};
use crate::wire::tcp::{Riding, Segment, SegmentKind};
use crate::wire::{Body, EcnFlags, FlowId, NodeId, Packet};

impl Simulation {
    pub(super) fn on_flow_start(&mut self, id: FlowId) {
        let flow = &self.flows[id.index()];
        if flow.answers.is_none() && matches!(flow.ends, Ends::Tcp { .. }) {
            self.with_sender(id, Detail::Start, |sender, now, out| sender.on_start(now, out));
            self.on_demand(self.flows[id.index()].source);
        }
        self.start_connection(id);
        self.with_application(id, |application, now, out| application.on_start(now, out));
    }

    /// The flow stops, unless it has.
    pub(super) fn on_flow_stop(&mut self, id: FlowId) {
        let now = self.clock.now();
        let flow = &mut self.flows[id.index()];
        if flow.at_stop.is_some() {
            return;
        }
        flow.at_stop = Some(flow.tally(now));
        if let Ends::Tcp { sender, .. } = &mut flow.ends {
            sender.on_stop(now);
        }
        self.close_connection(id);
    }

    pub(super) fn on_retransmission(&mut self, id: FlowId) {
        self.on_connection_timer(id, End::Client);
        self.with_sender(id, Detail::Timeout, |sender, now, out| sender.on_timeout(now, out));
        self.on_demand(self.flows[id.index()].source);
    }

    pub(super) fn on_pacing_tick(&mut self, id: FlowId) {
        self.on_connection_timer(id, End::Server);
        self.with_sender(id, Detail::Pacing, |sender, now, out| sender.on_pacing_tick(now, out));
    }

    /// Routing at `node` has lost its route to `destination`.
    pub(super) fn on_route_error(&mut self, node: NodeId, destination: NodeId) {
        let first = self.flows_by_source.partition_point(|&(source, _)| source < node);
        for i in first..self.flows_by_source.len() {
            let (source, id) = self.flows_by_source[i];
            if source != node {
                break;
            }
            let flow = &self.flows[id.index()];
            let lives = flow.start <= self.clock.now() && flow.at_stop.is_none();
            if lives && flow.destination == destination {
                self.with_sender(id, Detail::RouteError, |sender, now, out| {
                    sender.on_route_error(now, out);
                });
            }
        }
    }

    /// Routing at `node` looks for a route to `destination`.
    pub(super) fn on_discovery(&mut self, node: NodeId, destination: NodeId) {
        for flow in &mut self.flows {
            let ends = (flow.source, flow.destination);
            flow.discoveries +=
                u64::from(ends == (node, destination) || ends == (destination, node));
        }
    }

    /// A packet for transport has arrived at its destination.
    pub(super) fn on_arrival(&mut self, packet: Packet) {
        let now = self.clock.now();
        self.monitor.fingerprint.add(now.as_nanos());
        if packet.is_transport() {
            let ends = (packet.destination, None);
            self.note(|capture, now| {
                capture.on_packet(now, Happening::Deliver, Detail::None, ends, &packet, NONE);
            });
        }
        match packet.body {
            Body::Tcp(Segment {
                flow,
                kind: SegmentKind::Ack { number, probe, sent, window },
                flags,
                ..
            }) => {
                self.monitor.fingerprint.add(u64::from(flow.0) << 32 | u64::from(number));
                let hops = u32::from(packet.hops);
                let left = packet.created;
                let ack =
                    Acknowledgment { number, probe, sent, hops, echo: flags.echo, left, window };
                self.with_sender(flow, Detail::NewAck, |sender, now, out| {
                    sender.on_ack(now, ack, out)
                });
            }
            Body::Tcp(Segment { flow, kind: SegmentKind::SelectiveAck { number }, .. }) => {
                self.monitor.fingerprint.add(u64::from(flow.0) << 32 | u64::from(number));
                self.with_sender(flow, Detail::NewAck, |sender, now, out| {
                    sender.on_selective_ack(now, number, out)
                });
            }
            Body::Tcp(Segment {
                flow,
                kind: SegmentKind::Sack { number, probe, sent, window, blocks },
                flags,
                ..
            }) => {
                self.monitor.fingerprint.add(u64::from(flow.0) << 32 | u64::from(number));
                let hops = u32::from(packet.hops);
                let left = packet.created;
                let ack =
                    Acknowledgment { number, probe, sent, hops, echo: flags.echo, left, window };
                self.with_sender(flow, Detail::NewAck, |sender, now, out| {
                    sender.on_sack(now, ack, blocks, out);
                });
            }
            Body::Tcp(Segment {
                flow,
                kind: SegmentKind::Data { number, payload_bytes, probe, echo, riding, .. },
                mut flags,
                ..
            }) => {
                self.monitor.fingerprint.add(u64::from(flow.0) << 32 | u64::from(number));
                if let Some(riding) = riding {
                    self.on_riding(flow, riding, &packet, flags);
                    // The echo was for the other direction.
                    flags.echo = false;
                }
                let this = &mut self.flows[flow.index()];
                this.arrivals.count(now, &packet);
                let sent = packet.created;
                let answer =
                    this.on_segment(Arriving { now, number, payload_bytes, probe, sent, echo });
                if this.has_ecn {
                    this.on_ecn(packet.ecn, flags);
                }
                this.steadiness.note(now, this.progress().1);
                if this.acknowledger.may_delay() {
                    self.set_ack_timer(flow);
                }
                if let Some(kind) = answer {
                    self.send_ack(flow, kind, flags);
                }
                self.deliver_messages(flow);
            }
            Body::Udp(ref datagram) if datagram.carried.is_some() => {
                self.on_connection_datagram(&packet, datagram);
            }
            Body::Udp(ref datagram) => {
                self.monitor.fingerprint.add(u64::from(datagram.number));
                let this = &mut self.flows[datagram.flow.index()];
                if let Ends::Udp { received, .. } = &mut this.ends
                    && !received.on_arrival(datagram.number, datagram.payload_bytes)
                {
                    return;
                }
                this.arrivals.count(now, &packet);
                if let Some(listener) = &mut this.listener {
                    listener.on_packet(now, datagram.number, packet.created);
                }
                this.steadiness.note(now, this.progress().1);
            }
            // Routing and ARP packets end in their own layers.
            _ => {}
        }
    }

    /// Data of flow `id` have brought an acknowledgment of what went the other way: it is dealt
    /// with before them (RFC 9293, section 3.10.7.4).
    #[cold]
    fn on_riding(&mut self, id: FlowId, riding: Riding, packet: &Packet, flags: EcnFlags) {
        let Some(other) = self.other_direction(id) else { return };
        let Riding { sent, number, window } = riding;
        let ack = Acknowledgment {
            number: number.get(),
            probe: false,
            sent,
            hops: u32::from(packet.hops),
            echo: flags.echo,
            left: packet.created,
            window,
        };
        self.monitor.fingerprint.add(u64::from(other.0) << 32 | u64::from(ack.number));
        self.with_sender(other, Detail::NewAck, |sender, now, out| sender.on_ack(now, ack, out));
    }

    /// What `segment` of flow `id`, which leaves, carries of the other direction's acknowledgments.
    #[cold]
    fn put_on(&mut self, id: FlowId, segment: &mut Segment) {
        let Some(other) = self.other_direction(id) else { return };
        let SegmentKind::Data { number: 1.., riding, .. } = &mut segment.kind else { return };
        let flow = &mut self.flows[other.index()];
        *riding = flow.on_departure();
        if riding.is_some() {
            segment.flags.echo = flow.ack_flags(EcnFlags::NONE).echo;
            self.set_ack_timer(other);
        }
    }

    /// An acknowledgment that flow `id` has delayed leaves.
    pub(super) fn on_ack_due(&mut self, id: FlowId) {
        if let Some(kind) = self.flows[id.index()].on_ack_due() {
            self.send_ack(id, kind, EcnFlags::NONE);
        }
    }

    /// Sends an acknowledgment of flow `id` that answers a segment with `flags`.
    fn send_ack(&mut self, id: FlowId, kind: SegmentKind, flags: EcnFlags) {
        let now = self.clock.now();
        let flow = &mut self.flows[id.index()];
        let flags = flow.ack_flags(flags);
        let ack = Segment { flow: id, kind, flags, timestamps: flow.has_timestamps };
        let mut packet = flow.packet(now, false, ack.size_bytes(), Body::Tcp(ack));
        if flow.has_free_acks {
            packet.queued = now;
            return self.on_arrival(packet);
        }
        self.send_when_room(id, packet);
    }

    fn set_ack_timer(&mut self, id: FlowId) {
        let due = self.flows[id.index()].acknowledger.due();
        self.clock.keep(Timer::Flow(id, FlowTimer::Ack), due);
    }

    /// Calls the sender of flow `id` because of `cause` and carries out what it asks for.
    pub(super) fn with_sender(
        &mut self,
        id: FlowId,
        cause: Detail,
        call: impl FnOnce(&mut TcpSender, Instant, &mut SenderActions),
    ) {
        let now = self.clock.now();
        let flow = &mut self.flows[id.index()];
        let Ends::Tcp { sender, actions, .. } = &mut flow.ends else { return };
        let mut actions = std::mem::take(actions);
        let acked = self.monitor.capture.is_some().then(|| sender.highest_ack());
        call(sender, now, &mut actions);
        let is_duplicate = cause == Detail::NewAck && acked == Some(sender.highest_ack());
        self.change_timer(actions.timer.take(), Timer::Flow(id, FlowTimer::Retransmission));
        self.change_timer(actions.pacing.take(), Timer::Flow(id, FlowTimer::Pacing));
        if self.monitor.capture.is_some() {
            self.note_sender(id, if is_duplicate { Detail::DuplicateAck } else { cause });
        }
        for kind in actions.send.drain(..) {
            let flow = &mut self.flows[id.index()];
            let (ecn, flags) = flow.ecn(&kind);
            let timestamps = flow.has_timestamps;
            let mut segment = Segment { flow: id, kind, flags, timestamps };
            if flow.carries_acks {
                self.put_on(id, &mut segment);
            }
            let flow = &self.flows[id.index()];
            let mut packet = flow.packet(now, true, segment.size_bytes(), Body::Tcp(segment));
            packet.ecn = ecn;
            self.send_when_room(id, packet);
        }
        if let Ends::Tcp { actions: home, .. } = &mut self.flows[id.index()].ends {
            *home = actions;
        }
    }

    fn change_timer(&mut self, change: Option<TimerChange>, timer: Timer) {
        match change {
            Some(TimerChange::Set(at)) => self.clock.set(timer, at),
            Some(TimerChange::Cancel) => self.clock.cancel(timer),
            None => {}
        }
    }
}
