//! What is above the MAC in a node: ARP, routing, and the way up to transport.

use smallvec::SmallVec;

use super::event::Event;
use super::service::Handover;
use super::{ARP_DELAY, LINK_DELAY, Simulation};
use crate::capture::{Detail, Happening, NONE};
use crate::kernel::Duration;
use crate::link::{ASK_AGAIN, Again, ArpAction};
use crate::routing::actions::DropReason;
use crate::routing::actions::{self, Host};
use crate::routing::{Action, Context, Oracle, Protocol};
use crate::wire::arp::{ARP_BYTES, Message};
use crate::wire::{Body, Interface, NodeId, Packet, PacketKind};

impl Simulation {
    /// A packet comes up from the link of `station`.
    pub(super) fn on_packet_up(&mut self, station: NodeId, from: NodeId, packet: Packet) {
        self.on_neighbour_sent(station, from, &packet);
        let node = self.stations.layout.node(station);
        let mut packet = packet;
        if self.cells.is_some() {
            match self.in_cells(station, from, packet) {
                Some(left) => packet = left,
                None => return,
            }
        }
        if self.has_routers() {
            match self.between_routers(node, self.stations.layout.node(from), packet) {
                Some(left) => packet = left,
                None => return,
            }
        }
        if packet.destination == node && packet.is_transport() {
            if self.routing.layer.sees_deliveries(node) {
                self.route(node, |protocol, cx| protocol.on_delivered(cx, &packet));
            }
            self.on_arrival(&packet);
        } else if self.endpoints.is_broadcast_of_program(&packet) {
            self.on_program_broadcast(node, packet);
        } else {
            self.route_at(station, |protocol, cx| protocol.on_receive(cx, packet, from));
        }
    }

    /// Transport at `node` sends a packet.
    pub(super) fn send_from_transport(&mut self, node: NodeId, packet: Packet) {
        self.note(|capture, now| {
            let ends = (node, None);
            capture.on_packet(now, Happening::Send, Detail::None, ends, &packet, NONE);
        });
        if self.cells.is_some() {
            return self.send_among_cells(node, packet);
        }
        self.route(node, |protocol, cx| protocol.on_send(cx, packet));
    }

    /// The MAC or ARP of `station` could not deliver `packet` to the station `to`.
    pub(super) fn on_link_failure(&mut self, station: NodeId, packet: Packet, to: NodeId) {
        if packet.kind() != PacketKind::Arp {
            self.note_link_failure(station, to, &packet);
            if packet.is_transport() {
                let now = self.clock.now();
                let in_reach = self.stations.medium.is_in_reach(station, to, now);
                let stranded = self.stations[station].queue.data_packets_for(to);
                let counters = &mut self.monitor.routing;
                counters.link_failures += 1;
                counters.false_link_failures += u64::from(in_reach);
                counters.stranded_packets += stranded as u64;
            }
            self.service.on_link_failure(station, to);
            if self.cells.is_some() && self.is_lost_in_cell(station, to, &packet) {
                return;
            }
            if self.is_router(self.stations.layout.node(station)) {
                return self.drop_at(station, &packet, DropReason::LinkFailure.into());
            }
            self.route_at(station, |protocol, cx| protocol.on_link_failure(cx, packet, to));
        }
    }

    /// The routing of those nodes sweeps that have anything to look after.
    pub(super) fn sweep(&mut self) {
        let mut next = NodeId(0);
        while let Some(node) = self.routing.layer.next_to_sweep(next) {
            self.route(node, |protocol, cx| protocol.on_sweep(cx));
            next = NodeId(node.0 + 1);
        }
        if let Some(interval) = self.routing.layer.sweep_interval() {
            self.clock.schedule(self.clock.now() + interval, Event::Sweep);
        }
    }

    /// Calls the routing protocol of `node` and carries out what it asks for.
    pub(super) fn route(
        &mut self,
        node: NodeId,
        call: impl FnOnce(&mut dyn Protocol, &mut Context),
    ) {
        self.route_at(node, call);
    }

    /// The same, about what has happened at `station`.
    pub(super) fn route_at(
        &mut self,
        station: NodeId,
        call: impl FnOnce(&mut dyn Protocol, &mut Context),
    ) {
        let node = self.stations.layout.node(station);
        if self.is_router(node) || self.is_client(node) {
            return;
        }
        self.routing.station = station;
        actions::drive(self, node, |protocol: &mut dyn Protocol, cx: &mut Context| {
            call(protocol, cx);
        });
    }

    /// Routing of `node` sends a packet to the station `next_hop`: by the station `interface` if it
    /// names one.
    #[inline(never)]
    fn send_out(
        &mut self,
        node: NodeId,
        (interface, next_hop): (Option<Interface>, NodeId),
        packet: Packet,
        delay: Duration,
    ) {
        let layout = &self.stations.layout;
        let station = match interface {
            Some(kind) => layout.of(node, kind),
            None if next_hop.is_broadcast() && layout.are_several() => {
                let all: SmallVec<[NodeId; 4]> = layout.all_of(node).collect();
                for station in all {
                    self.send_by(station, next_hop, packet.clone(), delay);
                }
                return;
            }
            None => match layout.peer(next_hop, node) {
                Some(station) => station,
                None => return self.drop_at(node, &packet, DropReason::NoRoute.into()),
            },
        };
        self.send_by(station, next_hop, packet, delay);
    }

    #[inline(always)]
    fn send_by(&mut self, station: NodeId, next_hop: NodeId, packet: Packet, delay: Duration) {
        // What the mesh's routing says is not for cells.
        if self.cells.is_some() && self.stations.layout.is_in_cell(station) {
            return;
        }
        match delay {
            Duration::ZERO => self.link_send(station, next_hop, packet),
            _ => self.hand_over((station, next_hop, packet), delay, Event::DelayedSend),
        }
    }

    /// Routing hands a packet to the link of `station`, for the node `next_hop` or a station of it.
    pub(super) fn link_send(&mut self, station: NodeId, next_hop: NodeId, packet: Packet) {
        self.monitor.on_routed(&packet);
        self.note(|capture, now| capture.on_routed(now, station, next_hop, &packet));
        let Some(next_hop) = self.stations.layout.reached(station, next_hop) else {
            return self.drop_at(station, &packet, DropReason::NoRoute.into());
        };
        if next_hop.is_broadcast() || !self.link.uses_arp {
            self.hand_down((station, next_hop, packet), LINK_DELAY);
            return;
        }
        match self.stations[station].arp.resolve(next_hop, packet) {
            ArpAction::Ready(packet) => self.hand_down((station, next_hop, packet), LINK_DELAY),
            ArpAction::Request { dropped } => {
                if self.monitor.capture.is_some() {
                    self.note_arp_wait(station, next_hop);
                }
                match dropped {
                    Some(packet) => self.drop_at(station, &packet, Detail::ArpReplaced),
                    None => self.set_ask_again(station, next_hop),
                }
                self.ask_for_address(station, next_hop);
            }
            ArpAction::Failed { held, packet } => {
                for packet in held.into_iter().chain([packet]) {
                    self.on_link_failure(station, packet, next_hop);
                }
            }
        }
    }

    fn ask_for_address(&mut self, station: NodeId, neighbour: NodeId) {
        let message = Message::Request { target: neighbour };
        let request = self.arp_packet(station, NodeId::BROADCAST, message);
        self.hand_down(request, ARP_DELAY);
    }

    /// Has the request repeated, if the packet that waits may keep others from coming.
    fn set_ask_again(&mut self, station: NodeId, neighbour: NodeId) {
        if self.service.back_pressure.is_some() {
            let at = self.clock.now() + ASK_AGAIN;
            let number = self.pending.arp_timers.insert((station, neighbour));
            self.clock.schedule(at, Event::ArpAgain(number));
        }
    }

    /// The time for an answer to an ARP request is over.
    pub(super) fn ask_again(&mut self, station: NodeId, neighbour: NodeId) {
        match self.stations[station].arp.ask_again(neighbour) {
            Again::Request => {
                self.ask_for_address(station, neighbour);
                self.set_ask_again(station, neighbour);
            }
            Again::Failed(packet) => self.on_link_failure(station, packet, neighbour),
            Again::Over => {}
        }
    }

    /// An ARP message of neighbour `from` has reached `station`.
    pub(super) fn on_arp(&mut self, station: NodeId, from: NodeId, message: Message) {
        if let Some(held) = self.stations[station].arp.learn(from) {
            self.hand_down((station, from, held), ARP_DELAY);
        }
        if message == (Message::Request { target: station }) {
            let reply = self.arp_packet(station, from, Message::Reply);
            self.hand_down(reply, ARP_DELAY);
        }
    }

    /// Hands a packet with a resolved address down to the interface queue.
    fn hand_down(&mut self, handover: Handover, delay: Duration) {
        self.hand_over(handover, delay, Event::Down);
    }

    fn arp_packet(&self, station: NodeId, to: NodeId, message: Message) -> Handover {
        let packet = Packet {
            size_bytes: ARP_BYTES,
            ttl: 1,
            ..Packet::new(station, to, self.clock.now(), Body::Arp(message))
        };
        (station, to, packet)
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
        let rng = &mut self.routing.rngs[node.index()];
        let station = self.routing.station;
        let interface = self.stations.layout.kind(station);
        let backoffs = self.stations.backoffs(station);
        let (this, hearers, stations) = self.stations.with_hearers(station);
        let before = this.queue.len();
        let (protocol, shared) = self.routing.layer.node(node);
        let mut cx = Context {
            now: self.clock.now(),
            node,
            interface,
            stations,
            rng,
            queue: &mut this.queue,
            backoffs,
            rates: this.mac.rates(),
            oracle: Oracle { hearers, shared },
            actions,
        };
        call(protocol, &mut cx);
        self.monitor.on_queue_change(self.clock.now(), station, before, &this.queue);
        if self.monitor.capture.is_some() {
            self.note_queue(station, before);
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
            Action::Send { packet, next_hop, interface, delay } => {
                match self.stations.layout.have_kinds() {
                    false => self.send_by(node, next_hop, packet, delay),
                    true => self.send_out(node, (interface, next_hop), packet, delay),
                }
            }
            Action::Drop { packet, reason } => self.drop_at(node, &packet, reason.into()),
            Action::SetTimer { timer, at } => {
                let number = self.pending.routing_timers.insert((node, timer));
                self.clock.schedule(at, Event::Routing(number));
            }
            Action::RouteError { destination } => {
                self.note(|capture, now| {
                    let about = Some(destination);
                    capture.on_node(now, Happening::RouteError, node, about, NONE);
                });
                self.at_ends(|ends, shared| ends.on_route_error(shared, node, destination));
            }
            Action::Discovery { destination } => {
                self.monitor.routing.discoveries += 1;
                self.note(|capture, now| {
                    let about = Some(destination);
                    capture.on_node(now, Happening::Discovery, node, about, NONE);
                });
                self.endpoints.on_discovery(node, destination);
            }
            Action::Record => self.routing.layer.record(self.clock.now()),
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
