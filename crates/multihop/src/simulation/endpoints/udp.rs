//! Datagrams over UDP: those of applications, and the frames of programs outside the simulation.

use super::datagrams::Datagrams;
use super::ends::{Effect, Ends, EndsContext};
use super::flow::Tally;
use crate::kernel::Instant;
use crate::measure::Progress;
use crate::traffic::Way;
use crate::wire::udp::{Carried, Datagram};
use crate::wire::{Body, FlowId, IP_HEADER_BYTES, Packet};

/// What was sent, and what has arrived.
#[derive(Debug)]
pub struct UdpEnds {
    id: FlowId,
    sent: u32,
    received: Datagrams,
}

impl UdpEnds {
    /// The ends of flow `id`, which has sent nothing.
    pub fn new(id: FlowId) -> UdpEnds {
        UdpEnds { id, sent: 0, received: Datagrams::default() }
    }

    /// Draws the number of the next datagram.
    fn next_number(&mut self) -> u32 {
        let number = self.sent;
        self.sent = number.wrapping_add(1);
        number
    }

    fn tally(&self) -> Tally {
        Tally {
            delivered_bytes: self.received.bytes(),
            delivered_segments: self.received.packets(),
            unique_segments: self.received.packets(),
            unique_bytes: self.received.bytes(),
            sent_segments: u64::from(self.sent),
            ..Tally::default()
        }
    }

    /// Counts the arrival of `datagram` in `packet`, with `bytes`, unless it is a copy.
    fn count(
        &mut self,
        packet: &Packet,
        datagram: &Datagram,
        bytes: u32,
        cx: &mut EndsContext<'_>,
    ) {
        let now = cx.clock.now();
        if self.received.on_arrival(datagram.number, bytes) {
            let flow = &mut cx.flows[self.id.index()];
            flow.arrivals.count(now, packet);
            if let Some(listener) = &mut flow.listener {
                listener.on_packet(now, datagram.number, packet.created);
            }
            flow.steadiness.note(now, self.received.bytes());
        }
    }
}

impl Ends for UdpEnds {
    fn on_supply(&mut self, _: Way, bytes: u64, cx: &mut EndsContext<'_>) {
        let payload_bytes = bytes as u32;
        let datagram = Datagram::zeros(self.id, self.next_number(), payload_bytes);
        let flow = &cx.flows[self.id.index()];
        let packet = flow.packet(cx.clock.now(), true, payload_bytes, Body::Udp(datagram));
        cx.effects.push(Effect::Send(self.id, packet));
    }

    fn on_arrival(&mut self, _: Way, packet: &Packet, cx: &mut EndsContext<'_>) {
        let Body::Udp(datagram) = &packet.body else { return };
        cx.monitor.fingerprint.add(u64::from(datagram.number));
        self.count(packet, datagram, datagram.payload_bytes, cx);
    }

    fn is_reliable(&self) -> bool {
        false
    }

    fn sent(&self, _: Way) -> u64 {
        u64::from(self.sent)
    }

    fn progress(&self, _: Way) -> Progress {
        let (packets, bytes) = (self.received.packets(), self.received.bytes());
        Progress { packets, bytes, cwnd: 0.0 }
    }

    fn tally(&self, _: Way, _: Instant) -> Tally {
        self.tally()
    }
}

/// Frames that programs at one node send to those at another. They are counted as the packets that
/// they travel in.
#[derive(Debug)]
pub struct FrameEnds(UdpEnds);

impl FrameEnds {
    /// The ends of flow `id`, which has sent nothing.
    pub fn new(id: FlowId) -> FrameEnds {
        FrameEnds(UdpEnds::new(id))
    }
}

impl Ends for FrameEnds {
    /// Nothing but [`Ends::on_frame`] has them send.
    fn on_supply(&mut self, _: Way, _: u64, _: &mut EndsContext<'_>) {}

    fn on_frame(&mut self, payload_bytes: u32, frame: Carried, cx: &mut EndsContext<'_>) {
        let UdpEnds { id, .. } = self.0;
        let number = self.0.next_number();
        let datagram = Datagram { flow: id, number, payload_bytes, carried: Some(frame) };
        let flow = &cx.flows[id.index()];
        let packet = flow.packet(cx.clock.now(), true, payload_bytes, Body::Udp(datagram));
        cx.effects.push(Effect::Send(id, packet));
    }

    fn on_arrival(&mut self, _: Way, packet: &Packet, cx: &mut EndsContext<'_>) {
        let Body::Udp(datagram) = &packet.body else { return };
        self.0.count(packet, datagram, datagram.payload_bytes + IP_HEADER_BYTES, cx);
    }

    fn is_reliable(&self) -> bool {
        false
    }

    fn sent(&self, way: Way) -> u64 {
        self.0.sent(way)
    }

    fn progress(&self, way: Way) -> Progress {
        self.0.progress(way)
    }

    fn tally(&self, _: Way, _: Instant) -> Tally {
        self.0.tally()
    }
}
