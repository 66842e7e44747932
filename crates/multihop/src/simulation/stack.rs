//! What is above the MAC in a node: ARP, routing, and the way up to transport.

use super::event::Event;
use super::service::Handover;
use super::{ARP_DELAY, LINK_DELAY, Simulation};
use crate::capture::{Detail, Happening, NONE};
use crate::kernel::Duration;
use crate::link::{ASK_AGAIN, Again, ArpAction};
use crate::measure::BackoffCounts;
use crate::routing::actions::{self, Host};
use crate::routing::{Action, Context, DropReason, Oracle, Protocol};
use crate::wire::arp::{ARP_BYTES, Message};
use crate::wire::{Body, NodeId, Packet, PacketKind};

impl Simulation {
    /// A packet comes up from the link of `node`.
    pub(super) fn on_packet_up(&mut self, node: NodeId, from: NodeId, packet: Packet) {
        self.on_neighbour_sent(node, from, &packet);
        let mut packet = packet;
        if self.has_routers() {
            match self.between_routers(node, from, packet) {
                Some(left) => packet = left,
                None => return,
            }
        }
        if packet.destination == node && packet.is_transport() {
            if self.routing.layer.sees_deliveries(node) {
                self.route(node, |protocol, cx| protocol.on_delivered(cx, &packet));
            }
            self.on_arrival(packet);
        } else if self.programs.is_some()
            && packet.destination.is_broadcast()
            && packet.is_transport()
        {
            self.on_program_broadcast(node, packet);
        } else {
            self.route(node, |protocol, cx| protocol.on_receive(cx, packet, from));
        }
    }

    /// Transport at `node` sends a packet.
    pub(super) fn send_from_transport(&mut self, node: NodeId, packet: Packet) {
        self.note(|capture, now| {
            let ends = (node, None);
            capture.on_packet(now, Happening::Send, Detail::None, ends, &packet, NONE);
        });
        self.route(node, |protocol, cx| protocol.on_send(cx, packet));
    }

    /// The MAC or ARP of `node` could not deliver `packet` to `next_hop`.
    pub(super) fn on_link_failure(&mut self, node: NodeId, packet: Packet, next_hop: NodeId) {
        if packet.kind() != PacketKind::Arp {
            self.note_link_failure(node, next_hop, &packet);
            if packet.is_transport() {
                let now = self.queue.now();
                let in_reach = self.medium.is_in_reach(node, next_hop, now);
                let stranded = self.nodes[node.index()].queue.data_packets_for(next_hop);
                let counters = &mut self.monitor.routing;
                counters.link_failures += 1;
                counters.false_link_failures += u64::from(in_reach);
                counters.stranded_packets += stranded as u64;
            }
            self.service.on_link_failure(node, next_hop);
            if self.is_router(node) {
                return self.drop_at(node, &packet, DropReason::LinkFailure.into());
            }
            self.route(node, |protocol, cx| protocol.on_link_failure(cx, packet, next_hop));
        }
    }

    /// Calls the routing protocol of `node` and carries out what it asks for.
    pub(super) fn route(
        &mut self,
        node: NodeId,
        call: impl FnOnce(&mut dyn Protocol, &mut Context),
    ) {
        if self.is_router(node) {
            return;
        }
        actions::drive(self, node, |protocol: &mut dyn Protocol, cx: &mut Context| {
            call(protocol, cx);
        });
    }

    /// Routing at `node` hands a packet to the link.
    pub(super) fn link_send(&mut self, node: NodeId, next_hop: NodeId, packet: Packet) {
        self.monitor.on_routed(&packet);
        self.note(|capture, now| capture.on_routed(now, node, next_hop, &packet));
        if next_hop.is_broadcast() || !self.link.uses_arp {
            self.hand_down((node, next_hop, packet), LINK_DELAY);
            return;
        }
        match self.nodes[node.index()].arp.resolve(next_hop, packet) {
            ArpAction::Ready(packet) => self.hand_down((node, next_hop, packet), LINK_DELAY),
            ArpAction::Request { dropped } => {
                if self.monitor.capture.is_some() {
                    self.note_arp_wait(node, next_hop);
                }
                match dropped {
                    Some(packet) => self.drop_at(node, &packet, Detail::ArpReplaced),
                    None => self.set_ask_again(node, next_hop),
                }
                self.ask_for_address(node, next_hop);
            }
            ArpAction::Failed { held, packet } => {
                for packet in held.into_iter().chain([packet]) {
                    self.on_link_failure(node, packet, next_hop);
                }
            }
        }
    }

    fn ask_for_address(&mut self, node: NodeId, neighbour: NodeId) {
        let message = Message::Request { target: neighbour };
        let request = self.arp_packet(node, NodeId::BROADCAST, message);
        self.hand_down(request, ARP_DELAY);
    }

    /// Has the request repeated, if the packet that waits may keep others from coming.
    fn set_ask_again(&mut self, node: NodeId, neighbour: NodeId) {
        if self.service.back_pressure.is_some() {
            let at = self.queue.now() + ASK_AGAIN;
            let number = self.pending.arp_timers.insert((node, neighbour));
            self.queue.schedule(at, Event::ArpAgain(number));
        }
    }

    /// The time for an answer to an ARP request is over.
    pub(super) fn ask_again(&mut self, node: NodeId, neighbour: NodeId) {
        match self.nodes[node.index()].arp.ask_again(neighbour) {
            Again::Request => {
                self.ask_for_address(node, neighbour);
                self.set_ask_again(node, neighbour);
            }
            Again::Failed(packet) => self.on_link_failure(node, packet, neighbour),
            Again::Over => {}
        }
    }

    /// An ARP message of neighbour `from` has reached `node`.
    pub(super) fn on_arp(&mut self, node: NodeId, from: NodeId, message: Message) {
        if let Some(held) = self.nodes[node.index()].arp.learn(from) {
            self.hand_down((node, from, held), ARP_DELAY);
        }
        if message == (Message::Request { target: node }) {
            let reply = self.arp_packet(node, from, Message::Reply);
            self.hand_down(reply, ARP_DELAY);
        }
    }

    /// Hands a packet with a resolved address down to the interface queue.
    fn hand_down(&mut self, handover: Handover, delay: Duration) {
        self.hand_over(handover, delay, Event::Down);
    }

    fn arp_packet(&self, node: NodeId, to: NodeId, message: Message) -> Handover {
        let packet = Packet {
            size_bytes: ARP_BYTES,
            ttl: 1,
            ..Packet::new(node, to, self.queue.now(), Body::Arp(message))
        };
        (node, to, packet)
    }
}

impl Host for Simulation {
    type Node = dyn Protocol;

    fn call(
        &mut self,
        node: NodeId,
        actions: &mut Vec<Action>,
        call: impl FnOnce(&mut dyn Protocol, &mut Context),
    ) {
        let freezes = self.medium.stations[node.index()].contention.freezes();
        let this = &mut self.nodes[node.index()];
        let before = this.queue.len();
        let (protocol, shared) = self.routing.layer.node(node);
        let mut cx = Context {
            now: self.queue.now(),
            node,
            rng: &mut this.routing_rng,
            queue: &mut this.queue,
            backoffs: BackoffCounts { freezes, ..this.mac.backoffs() },
            rates: this.mac.rates(),
            oracle: Oracle { hearers: &mut self.medium.hearers, shared },
            actions,
        };
        call(protocol, &mut cx);
        self.monitor.on_queue_change(self.queue.now(), node, before, &this.queue);
        if self.monitor.capture.is_some() {
            self.note_queue(node, before);
        }
    }

    fn spare_actions(&mut self) -> &mut Vec<Action> {
        &mut self.routing.actions
    }

    /// What routing has still to send is counted nowhere: until it is sent, no transport is asked
    /// for more.
    #[inline]
    fn begin_actions(&mut self, _: NodeId) -> bool {
        self.service.back_pressure.as_mut().is_some_and(|back_pressure| back_pressure.begin())
    }

    fn carry_out(&mut self, node: NodeId, action: Action) {
        match action {
            Action::Send { packet, next_hop, delay } if delay == Duration::ZERO => {
                self.link_send(node, next_hop, packet);
            }
            Action::Send { packet, next_hop, delay } => {
                self.hand_over((node, next_hop, packet), delay, Event::DelayedSend);
            }
            Action::Drop { packet, reason } => self.drop_at(node, &packet, reason.into()),
            Action::SetTimer { timer, at } => {
                let number = self.pending.routing_timers.insert((node, timer));
                self.queue.schedule(at, Event::Routing(number));
            }
            Action::RouteError { destination } => {
                self.note(|capture, now| {
                    let about = Some(destination);
                    capture.on_node(now, Happening::RouteError, node, about, NONE);
                });
                self.on_route_error(node, destination);
            }
            Action::Discovery { destination } => {
                self.monitor.routing.discoveries += 1;
                self.note(|capture, now| {
                    let about = Some(destination);
                    capture.on_node(now, Happening::Discovery, node, about, NONE);
                });
                self.on_discovery(node, destination);
            }
            Action::Record => self.routing.layer.record(self.queue.now()),
        }
    }

    #[inline]
    fn end_actions(&mut self, node: NodeId, begun: bool) {
        if let Some(back_pressure) = &mut self.service.back_pressure {
            back_pressure.end(begun);
        }
        self.on_occupancy(node);
    }
}
