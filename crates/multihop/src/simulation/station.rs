//! Drives the MACs: brings a station's receiver up to date, calls its MAC, carries out what it asks
//! for.

use super::event::{Event, Timer};
use super::{LINK_DELAY, Simulation};
use crate::mac::{Leaving, Mac, MacContext, Outbox, TimerChange, Wake};
use crate::wire::{Body, Frame, FrameKind, NodeId, Packet};

impl Simulation {
    /// Transmission `number` ends at a receiver. A broadcast ends at its receivers one after
    /// another; the next one is served without an event of its own unless another event, or a
    /// backoff, comes first.
    pub(super) fn on_frame_end(&mut self, number: u32) {
        loop {
            let now = self.clock.now();
            let (node, following) = self.stations.medium.receiver_at_end(number);
            self.stations.medium.catch_up(node, now);
            if self.stations.medium.is_received(node, number, now) {
                self.on_frame(node, number, following.is_none());
            } else {
                if self.stations.medium.is_overheard(node, number, now) {
                    if self.stations.medium.tells_power() {
                        self.stations.medium.mark_received(node, number);
                    }
                    self.on_overheard(node, number);
                }
                if following.is_none() {
                    self.stations.medium.discard(number);
                }
            }
            match following {
                Some(at) if at == now => {}
                Some(at) if self.clock.skip_to(at) => {}
                Some(at) => {
                    self.clock.schedule(at, Event::FrameEnd(number));
                    return;
                }
                None => return,
            }
        }
    }

    /// `node` has received the frame of transmission `number`.
    fn on_frame(&mut self, node: NodeId, number: u32, is_last: bool) {
        let now = self.clock.now();
        if self.stations.medium.tells_power() {
            self.tell_power(node, number);
        }
        self.note_reception(node, number);
        let every_frame_counts = self.service.is_admitting();
        let layer = &self.routing.layer;
        let at = now + LINK_DELAY;
        let frame = self.stations.medium.frame(number);
        self.service.on_decoded(now, node, frame.transmitter);
        let ignored = !every_frame_counts
            && frame.receiver.is_broadcast()
            && frame.packet().is_some_and(|packet| {
                layer.will_ignore(self.stations.layout.node(node), packet, at)
            });
        if ignored {
            self.stations.medium.contention(node).on_received();
            if is_last {
                self.stations.medium.discard(number);
            }
            self.stations.medium.release(node, number, now);
            return;
        }
        let frame = if is_last {
            self.stations.medium.retire(number)
        } else {
            self.stations.medium.copy(number)
        };
        self.drive(node, |mac, cx| mac.on_frame(cx, frame));
        self.stations.medium.release(node, number, now);
        self.rearm_backoff(node);
    }

    /// Tells the MAC of `node` how strong the frame of transmission `number` was.
    #[cold]
    fn tell_power(&mut self, node: NodeId, number: u32) {
        self.stations.medium.mark_received(node, number);
        let transmitter = self.stations.medium.frame(number).transmitter;
        if let Some(power_w) = self.stations.medium.last_power_w(node) {
            self.stations[node].mac.on_power(transmitter, power_w);
        }
    }

    /// `node` has overheard the tapped transmission `number`.
    #[inline(never)]
    fn on_overheard(&mut self, node: NodeId, number: u32) {
        // Out of the medium meanwhile, so that it need not be copied.
        let payload = self.stations.medium.payload(number).take();
        let frame = Frame { payload, ..*self.stations.medium.frame(number) };
        if self.service.needs().overhearing {
            self.drive(node, |mac, cx| mac.on_overheard(cx, &frame));
            self.rearm_backoff(node);
        }
        if frame.payload.is_some() {
            self.service.on_decoded(self.clock.now(), node, frame.transmitter);
        }
        if let Some(packet) = frame.packet() {
            self.on_packet_overheard(node, &frame, packet);
        } else if let Some(aggregate) = frame.aggregate() {
            self.on_aggregate_overheard(node, &frame, aggregate);
        }
        *self.stations.medium.payload(number) = frame.payload;
    }

    /// `node` has overheard `packet` in `frame`.
    pub(super) fn on_packet_overheard(&mut self, node: NodeId, frame: &Frame, packet: &Packet) {
        self.on_neighbour_sent(node, frame.transmitter, packet);
        if self.routing.layer.overhears(self.stations.layout.node(node), packet) {
            let to = frame.receiver;
            self.route_at(node, |protocol, cx| protocol.on_overheard(cx, packet, to));
        }
    }

    /// The backoff of `node` may have expired.
    pub(super) fn on_backoff(&mut self, node: NodeId) {
        let now = self.clock.now();
        match self.stations.wake(node, now) {
            Wake::NotBefore(at) => self.clock.postpone_backoff(node, at),
            Wake::Nothing => self.clock.end_backoff(node),
            Wake::Expired => {
                self.clock.end_backoff(node);
                if self.stations[node].timing.aggregation.is_some() {
                    self.gather(node);
                }
                self.drive(node, |mac, cx| mac.on_turn(cx));
                self.rearm_backoff(node);
            }
        }
    }

    pub(super) fn on_sifs(&mut self, node: NodeId) {
        if self.stations[node].mac.goes_on() {
            self.gather(node);
        }
        self.act(node, |mac, cx| mac.on_sifs(cx));
    }

    pub(super) fn on_response_timeout(&mut self, node: NodeId) {
        self.act(node, |mac, cx| mac.on_timer(cx));
    }

    /// The deferral of a packet at the MAC of `node` ends.
    pub(super) fn on_deferral_end(&mut self, node: NodeId) {
        self.act(node, |mac, cx| mac.on_deferral_end(cx));
    }

    /// A packet with a resolved next hop reaches the interface queue of `node`.
    pub(super) fn enqueue(&mut self, node: NodeId, next_hop: NodeId, mut packet: Packet) {
        let now = self.clock.now();
        let ends = [node, next_hop].map(|station| self.stations.layout.node(station));
        if self.link.staged.take(now, ends, &packet) {
            self.stations.counters.retry_drops += 1;
            self.on_link_failure(node, packet, next_hop);
            return;
        }
        self.monitor.on_queued(now, ends[0], &mut packet);
        if !self.service.queues_all() && self.stations[node].mac.wants(&packet) {
            self.note_serve(node, next_hop, &packet);
            self.act(node, |mac, cx| mac.on_packet(cx, next_hop, packet));
            return;
        }
        let number = self.monitor.capture.as_mut().map(|capture| capture.number(&packet));
        let queue = &mut self.stations[node].queue;
        let before = queue.len();
        let dropped = queue.push(now, next_hop, packet);
        self.monitor.on_queue_change(now, node, before, queue);
        if let Some(packet) = &dropped {
            self.monitor.on_queue_drop(packet);
        }
        if let Some(number) = number {
            self.note_enqueue(node, number, dropped.as_ref());
        }
        if self.stations[node].queue.has_dropped() {
            self.on_dropped(node, before, true);
        }
        if self.service.queues_all() {
            self.serve_queue(node);
        }
        self.on_occupancy(node);
    }

    /// Brings the receiver of `node` up to date, calls its MAC and carries out what it asks for.
    pub(super) fn act(&mut self, node: NodeId, call: impl FnOnce(&mut Mac, &mut MacContext)) {
        self.stations.medium.catch_up(node, self.clock.now());
        self.drive(node, call);
        self.rearm_backoff(node);
    }

    /// Calls the MAC of `node`, whose receiver is up to date, and carries out what it asks for.
    pub(super) fn drive(&mut self, node: NodeId, call: impl FnOnce(&mut Mac, &mut MacContext)) {
        let mut out = Outbox::default();
        self.with_mac(node, &mut out, call);
        match out.failed.take() {
            None => {}
            Some(Leaving::One(packet, next_hop)) => self.on_given_up(node, next_hop, packet),
            Some(Leaving::Several) => self.give_up_several(node),
        }
        if out.step {
            self.next_step(node, &mut out);
        }
        if let Some(at) = out.sifs {
            self.clock.schedule(at, Event::Sifs(node));
        }
        match out.timer {
            Some(TimerChange::Set(at)) => {
                self.clock.set(Timer::Response(node), at);
            }
            Some(TimerChange::Cancel) => self.clock.cancel(Timer::Response(node)),
            None => {}
        }
        if let Some(frame) = out.transmit.take() {
            self.transmit(frame);
        }
        match out.received.take() {
            None => {}
            Some(Leaving::One(packet, from)) => self.on_packet_from_mac(node, from, packet),
            Some(Leaving::Several) => self.receive_several(node),
        }
        debug_assert!(out.transmit.is_none() && out.failed.is_none() && out.received.is_none());
        // All has been taken; looking for what to drop would cost 1 % of a run.
        std::mem::forget(out);
        if self.monitor.capture.is_some() {
            self.note_mac(node);
        }
        self.on_occupancy(node);
    }

    fn with_mac<R>(
        &mut self,
        node: NodeId,
        out: &mut Outbox,
        call: impl FnOnce(&mut Mac, &mut MacContext) -> R,
    ) -> R {
        let waiting = self.waiting_for_mac(node);
        self.stations.call(node, self.clock.now(), waiting, out, call)
    }

    fn next_step(&mut self, node: NodeId, out: &mut Outbox) {
        if self.with_mac(node, out, |mac, cx| mac.next_step(cx)) {
            match self.next_packet(node) {
                Some((next_hop, packet)) => {
                    self.with_mac(node, out, |mac, cx| mac.on_packet(cx, next_hop, packet));
                }
                None => self.set_release(node),
            }
            self.with_mac(node, out, |mac, cx| mac.end_step(cx));
        }
    }

    /// Has `node` woken at the earliest instant at which its backoff can expire. If none can, an
    /// old deadline stays: that wake finds nothing to do.
    pub(super) fn rearm_backoff(&mut self, node: NodeId) {
        if let Some(at) = self.stations.medium.earliest_expiry(node) {
            self.clock.set_backoff(node, at);
        }
    }

    fn transmit(&mut self, frame: Frame) {
        let now = self.clock.now();
        let airtime = self.stations.airtime(&frame);
        self.monitor.on_transmission(now, &frame, airtime);
        if frame.kind == FrameKind::Ethernet {
            return self.send_by_wire(frame, airtime);
        }
        let sent = self.stations.transmit(now, frame, airtime, &*self.routing.layer);
        if let Some((at, number)) = sent {
            self.clock.schedule(at, Event::FrameEnd(number));
        }
    }

    /// The MAC of `node` has accepted `packet` from neighbour `from`.
    pub(super) fn on_packet_from_mac(&mut self, node: NodeId, from: NodeId, packet: Packet) {
        if self.monitor.recorder.minds_links() {
            let [sender, receiver] = [from, node].map(|station| self.stations.layout.node(station));
            self.monitor.recorder.on_link(self.clock.now(), sender, receiver, &packet);
        }
        match packet.body {
            Body::Arp(message) => self.on_arp(node, from, message),
            _ => self.hand_over((node, from, packet), LINK_DELAY, Event::Up),
        }
    }
}
