//! A port of a wire: full-duplex Ethernet (IEEE Std 802.3).
//!
//! A port sends its frames one after the other at the rate of the wire and hears nothing meanwhile
//! that could disturb them: no carrier sense, no acknowledgment, no second attempt. A frame takes
//! the time of its packet, at least 46 bytes, and of 38 bytes more: preamble and start of the frame
//! 8, addresses and type 14, check sequence 4, and the gap before the next frame 12.
//!
//! Deviation: packets above 1500 bytes go as they are, as with jumbo frames. Effect: none on those
//! up to that size.

use super::access::{Access, Defers, Gathers};
use super::context::{MacContext, TimerChange};
use crate::capture::State;
use crate::kernel::Duration;
use crate::wire::{Frame, FrameKind, NodeId, Packet, Payload, Rate};

/// The least that a frame carries \[bytes\].
pub const LEAST_PAYLOAD_BYTES: u32 = 46;
/// The time between two frames \[bytes\].
pub const GAP_BYTES: u32 = 12;
/// What each frame takes besides: preamble, header, check sequence and gap \[bytes\].
pub const OVERHEAD_BYTES: u32 = 8 + 14 + 4 + GAP_BYTES;

/// How long a packet of `packet_bytes` takes on a wire of `rate_bps`.
pub fn frame_time(packet_bytes: u32, rate_bps: f64) -> Duration {
    let bytes = packet_bytes.max(LEAST_PAYLOAD_BYTES) + OVERHEAD_BYTES;
    Duration::from_secs_f64(f64::from(bytes) * 8.0 / rate_bps)
}

/// One port.
#[derive(Debug)]
pub struct Wired {
    station: NodeId,
    /// Payload of the unicast packet on the wire, of any packet 0 \[bytes\]; none if it is free.
    sending: Option<u32>,
    is_data: bool,
    next_sequence: u16,
    sent_payload_bytes: u64,
}

impl Wired {
    /// The idle port of address `station`.
    pub fn new(station: NodeId) -> Wired {
        let (next_sequence, sent_payload_bytes) = (1, 0);
        Wired { station, sending: None, is_data: false, next_sequence, sent_payload_bytes }
    }
}

impl Access for Wired {
    fn is_free(&self) -> bool {
        self.sending.is_none()
    }

    fn on_packet(&mut self, cx: &mut MacContext, next_hop: NodeId, packet: Packet) {
        let is_unicast = !next_hop.is_broadcast();
        let payload_bytes = packet.payload_bytes().filter(|_| is_unicast);
        self.sending = Some(payload_bytes.unwrap_or(0));
        self.is_data = packet.is_transport();
        let sequence = self.next_sequence;
        self.next_sequence = sequence.wrapping_add(1);
        let payload = Some(cx.payloads.hold(Payload::Packet(packet)));
        let frame = Frame::new(FrameKind::Ethernet, Rate::default(), self.station, next_hop);
        let frame = Frame { sequence, payload, ..frame };
        cx.out.timer = Some(TimerChange::Set(cx.now + cx.timing.airtime(&frame)));
        cx.out.transmit = Some(frame);
    }

    fn on_frame(&mut self, cx: &mut MacContext, mut frame: Frame) {
        if let Some(mut packet) = frame.take_packet() {
            packet.hops += 1;
            cx.out.received = Some(super::Leaving::One(packet, frame.transmitter));
        }
        cx.payloads.recycle(frame.payload);
    }

    fn on_timer(&mut self, cx: &mut MacContext) {
        self.sent_payload_bytes += u64::from(self.sending.take().unwrap_or(0));
        cx.out.step = true;
    }

    fn on_sifs(&mut self, _: &mut MacContext) {}

    fn next_step(&mut self, _: &mut MacContext) -> bool {
        self.is_free()
    }

    fn wants(&self, _: &Packet) -> bool {
        self.is_free()
    }

    fn data_packets(&self) -> u32 {
        u32::from(self.sending.is_some() && self.is_data)
    }

    fn delivered_payload_bytes(&self) -> u64 {
        self.sent_payload_bytes
    }

    fn state(&self) -> (State, u32, u32) {
        (if self.is_free() { State::Idle } else { State::Sending }, 0, 0)
    }
}

impl Defers for Wired {}

impl Gathers for Wired {}

#[cfg(test)]
mod tests {
    use super::*;

    // IEEE Std 802.3: 1518 bytes of frame, 8 before and 12 after at 100 Mbit/s are 123.04 us, and
    // the shortest frame, of 64 bytes, 6.72 us.
    #[test]
    fn the_longest_and_the_shortest_frame_take_what_the_standard_says() {
        let micros = |bytes| frame_time(bytes, 100e6).as_nanos() as f64 / 1e3;
        assert_eq!([micros(1500), micros(46), micros(28)], [123.04, 6.72, 6.72]);
    }
}
