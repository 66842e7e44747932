//! Flows whose transport brings state machines of its own for both ends of a connection: what
//! reaches them, and the datagrams that they send.

use super::Simulation;
use super::event::{FlowTimer, Timer};
use super::flows::Ends;
use crate::capture::Detail;
use crate::kernel::Instant;
use crate::scenario::FlowLoad;
use crate::traffic::Way;
use crate::transport::{Connection, End};
use crate::wire::udp::{Carried, Datagram, UDP_HEADER_BYTES};
use crate::wire::{Body, Ecn, FlowId, Packet};

impl Simulation {
    /// Flow `id` starts. Nothing happens unless it opens a connection; so with all that follows.
    pub(super) fn start_connection(&mut self, id: FlowId) {
        let is_endless = self.flows[id.index()].load == FlowLoad::Endless;
        self.with_connection(id, Detail::Start, |connection, now| {
            connection.on_start(now);
            if is_endless {
                connection.on_supply(End::Client, u64::MAX);
            }
        });
    }

    /// Flow `id` stops: its source closes the connection.
    pub(super) fn close_connection(&mut self, id: FlowId) {
        self.with_connection(id, Detail::None, |connection, now| connection.close(now));
    }

    /// The timer of an end of the connection that flow `id` has opened expires.
    pub(super) fn on_connection_timer(&mut self, id: FlowId, end: End) {
        self.with_connection(id, Detail::Timeout, |connection, now| connection.on_timer(now, end));
    }

    /// The application of flow `id` gives a message of `bytes`.
    pub(super) fn supply_connection(&mut self, id: FlowId, way: Way, bytes: u64) {
        let end = match way {
            Way::Forth => End::Client,
            Way::Back => End::Server,
        };
        self.with_connection(id, Detail::Supply, |connection, _| connection.on_supply(end, bytes));
    }

    /// `datagram`, in `packet`, has arrived at its destination.
    pub(super) fn on_connection_datagram(&mut self, packet: &Packet, datagram: &Datagram) {
        let Some(carried) = &datagram.carried else { return };
        if carried.is_of_program() {
            return self.on_program_packet(packet, datagram, &carried.bytes);
        }
        let now = self.clock.now();
        let number = u64::from(datagram.flow.0) << 32 | u64::from(datagram.number);
        self.monitor.fingerprint.add(number);
        let flow = &mut self.flows[datagram.flow.index()];
        // What the destination sends of the handshake is in a flow of one direction too, and none
        // of its data.
        let is_forward = !carried.is_answer && packet.destination == flow.destination;
        if let Ends::Connected { received, .. } = &mut flow.ends
            && is_forward
            && received.on_arrival(datagram.number, datagram.payload_bytes)
        {
            flow.arrivals.count(now, packet);
        }
        let end = if carried.is_from_opener { End::Server } else { End::Client };
        self.with_connection(carried.opener, Detail::NewAck, |connection, now| {
            connection.on_datagram(now, end, packet.ecn, &carried.bytes);
        });
    }

    /// Calls the connection that flow `id` opens, if it does, because of `cause`, and carries out
    /// what follows.
    fn with_connection(
        &mut self,
        id: FlowId,
        cause: Detail,
        call: impl FnOnce(&mut Connection, Instant),
    ) {
        let now = self.clock.now();
        let Ends::Connected { connection: home, .. } = &mut self.flows[id.index()].ends else {
            return;
        };
        let Some(mut connection) = home.take() else { return };
        call(&mut connection, now);
        let step = connection.step(now);
        for (at, timer) in step.timers.into_iter().zip(FlowTimer::ALL) {
            self.clock.keep(Timer::Flow(id, timer), at);
        }
        let back = self.other_way(id);
        for (flow, end) in [(Some(id), End::Client), (back, End::Server)] {
            self.note_account(flow, &connection, end, cause);
        }
        if let Ends::Connected { connection: home, .. } = &mut self.flows[id.index()].ends {
            *home = (!connection.is_over()).then_some(connection);
        }
        // Data belong to the flow that they are sent by, all else to the one that it answers.
        let carriers = [(id, back.unwrap_or(id)), (back.unwrap_or(id), id)];
        for (end, leaving) in End::BOTH.into_iter().zip(step.leaving) {
            for datagram in leaving {
                let (data, answers) = carriers[end as usize];
                let flow = if datagram.has_data { data } else { answers };
                let is_answer = !datagram.has_data;
                let is_from_opener = end == End::Client;
                let bytes = datagram.bytes;
                let carried = Carried { bytes, opener: id, is_from_opener, is_answer, tcp: None };
                let packet = self.datagram(flow, carried);
                let marks = self.flows[id.index()].has_ecn && datagram.is_ecn_capable;
                let ecn = if marks { Ecn::Capable } else { Ecn::NotCapable };
                self.send_when_room(flow, Packet { ecn, ..packet });
            }
        }
        for (count, way) in step.delivered.into_iter().zip([Way::Forth, Way::Back]) {
            for _ in 0..count {
                self.with_application(id, |application, now, out| {
                    application.on_delivered(now, way, out);
                });
            }
        }
    }

    /// Keeps what the direction from `end`, which `flow` carries, has achieved, and has it
    /// recorded.
    fn note_account(
        &mut self,
        flow: Option<FlowId>,
        connection: &Connection,
        end: End,
        cause: Detail,
    ) {
        let Some(id) = flow else { return };
        let now = self.clock.now();
        let flow = &mut self.flows[id.index()];
        let Ends::Connected { account, .. } = &mut flow.ends else { return };
        let before = std::mem::replace(account, connection.account(end));
        let has_changed = *account != before;
        if account.delivered_bytes != before.delivered_bytes {
            flow.steadiness.note(now, flow.progress().1);
        }
        if has_changed && self.monitor.capture.is_some() {
            self.note_sender(id, cause);
        }
    }

    /// A packet of `flow` with what an end of its connection sends.
    fn datagram(&mut self, flow: FlowId, carried: Carried) -> Packet {
        let now = self.clock.now();
        let number = match &mut self.flows[carried.opener.index()].ends {
            Ends::Connected { sent, .. } => std::mem::replace(sent, *sent + 1),
            Ends::Tcp { .. } | Ends::Udp { .. } => 0,
        };
        let payload_bytes = carried.bytes.len() as u32;
        let is_from_source = (flow == carried.opener) == carried.is_from_opener;
        let body = Body::Udp(Datagram { flow, number, payload_bytes, carried: Some(carried) });
        let size_bytes = UDP_HEADER_BYTES + payload_bytes;
        self.flows[flow.index()].packet(now, is_from_source, size_bytes, body)
    }
}
