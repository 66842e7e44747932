//! 802.11 frames (IEEE Std 802.11-1999 section 7) behind a radiotap header (radiotap.org).
//!
//! Addresses are locally administered, 02:00 and the node's number. All nodes are in one
//! independent BSS.

use super::Place;
use crate::kernel::{Duration, Instant};
use crate::wire::put::Put;
use crate::wire::{Frame, FrameKind, HighThroughput, Modulation, NodeId, Notice, Packet};

/// The BSSID of the network: "mesh" behind the bits of a local address.
const BSSID: [u8; 6] = [0x02, 0x01, b'm', b'e', b's', b'h'];

/// Bytes of the frame check sequence.
pub const FCS_BYTES: usize = 4;

/// The longest radiotap header.
pub const RADIOTAP_BYTES: u32 = 32;

/// Bits of the second byte of frame control.
const MORE_FRAGMENTS: u8 = 0x04;
const RETRY: u8 = 0x08;
const MORE_DATA: u8 = 0x20;

/// The link address of `node`.
pub fn address(node: NodeId) -> [u8; 6] {
    if node.is_broadcast() {
        return [0xff; 6];
    }
    let [a, b, c, d] = node.0.to_be_bytes();
    [0x02, 0x00, a, b, c, d]
}

/// What a frame is beside what it says of itself.
#[derive(Clone, Copy, Debug)]
pub struct Traits {
    /// It was sent before.
    pub retry: bool,
    /// It is in an A-MPDU, whose frames are QoS data.
    pub part: bool,
    /// It is a management frame of this subtype, not data.
    pub management: Option<u8>,
}

/// Appends the MAC header of `frame`.
///
/// What an RTS or CTS signals under admission is in bits that are 0 in control frames: more data
/// where its sender is congested, more fragments where it has an urgent packet.
pub fn put_header(out: &mut Vec<u8>, frame: &Frame, is: Traits) {
    let kind = match frame.kind {
        FrameKind::Rts => 0xb4,
        FrameKind::Cts => 0xc4,
        FrameKind::Ack => 0xd4,
        FrameKind::BlockAck => 0x94,
        FrameKind::Data | FrameKind::Aggregate if is.part => 0x88,
        FrameKind::Data | FrameKind::Aggregate => {
            is.management.map_or(0x08, |subtype| subtype << 4)
        }
    };
    let notice = match frame.notice {
        Notice::None => 0,
        Notice::Congested => MORE_DATA,
        Notice::Urgent => MORE_FRAGMENTS,
    };
    out.extend([kind, notice | if is.retry { RETRY } else { 0 }]);
    // The highest bit would make it something else (section 7.1.3.2).
    out.extend(frame.duration_us.min(0x7fff).to_le_bytes());
    out.extend(address(frame.receiver));
    if matches!(frame.kind, FrameKind::Rts | FrameKind::Data | FrameKind::BlockAck) {
        out.extend(address(frame.transmitter));
    }
    if frame.kind == FrameKind::Data {
        // In a mesh there is no BSS: management frames repeat who sends them.
        out.extend(is.management.map_or(BSSID, |_| address(frame.transmitter)));
        out.extend(((frame.sequence & 0xfff) << 4).to_le_bytes());
        if is.part {
            // QoS control: best effort, normal acknowledgment.
            out.extend([0, 0]);
        }
    }
    if let (FrameKind::BlockAck, Some(bitmap)) = (frame.kind, frame.bitmap()) {
        // BlockAck control: compressed, no more acknowledgment is due.
        out.extend([0x05, 0]);
        out.extend(((frame.sequence & 0xfff) << 4).to_le_bytes());
        out.extend(bitmap.to_le_bytes());
    }
}

/// Appends the LLC and SNAP headers before a packet of this EtherType (RFC 1042).
pub fn put_snap(out: &mut Vec<u8>, ether_type: u16) {
    out.extend([0xaa, 0xaa, 0x03, 0, 0, 0]);
    out.put16(ether_type);
}

/// Appends an ARP packet (RFC 826): a request for `target`, or a reply.
pub fn put_arp(out: &mut Vec<u8>, packet: &Packet, target: Option<NodeId>) {
    out.put16(1);
    out.put16(0x0800);
    out.extend([6, 4]);
    out.put16(if target.is_some() { 1 } else { 2 });
    out.extend(address(packet.source));
    out.put_node(packet.source);
    match target {
        Some(target) => {
            out.extend([0; 6]);
            out.put_node(target);
        }
        None => {
            out.extend(address(packet.destination));
            out.put_node(packet.destination);
        }
    }
}

/// How a frame was sent or received.
#[derive(Clone, Copy, Debug)]
pub struct Reception {
    /// When its preamble began.
    pub start: Instant,
    /// Its rate.
    pub modulation: Modulation,
    /// At its sender: earlier attempts at this frame, and whether the MAC gave up after it.
    pub sent: Option<(u8, bool)>,
    /// Whether it is for one node.
    pub is_unicast: bool,
    /// Where it is in an A-MPDU, if it is in one.
    pub place: Option<Place>,
}

/// Appends the radiotap header.
pub fn put_radiotap(out: &mut Vec<u8>, how: &Reception) {
    const TSFT: u32 = 1;
    const FLAGS: u32 = 1 << 1;
    const RATE: u32 = 1 << 2;
    const TX_FLAGS: u32 = 1 << 15;
    const DATA_RETRIES: u32 = 1 << 17;
    const MCS: u32 = 1 << 19;
    const AMPDU: u32 = 1 << 20;
    const LAST_IS_KNOWN: u16 = 0x0004;
    const IS_LAST: u16 = 0x0008;
    /// Bandwidth, number, guard interval and format are told; the format is the mixed one.
    const MCS_KNOWN: u8 = 0x0f;
    const MCS_40_MHZ: u8 = 0x01;
    const MCS_SHORT_GUARD: u8 = 0x04;
    const SHORT_PREAMBLE: u8 = 0x02;
    const HAS_FCS: u8 = 0x10;
    const TX_FAILED: u16 = 0x0001;
    const TX_NO_ACK: u16 = 0x0008;

    const LONG: Duration = Duration::from_micros(192);

    let Modulation { rate_bps, preamble, is_ofdm, high_throughput } = how.modulation;
    // In units of 500 kbit/s; some rates of the model can't be said.
    let rate = rate_bps / 500e3;
    let is_said = rate.fract() == 0.0 && (1.0..=255.0).contains(&rate) && high_throughput.is_none();
    let rate = is_said.then_some(rate as u8);
    let present = TSFT
        | FLAGS
        | if rate.is_some() { RATE } else { 0 }
        | if how.sent.is_some() { TX_FLAGS | DATA_RETRIES } else { 0 }
        | if high_throughput.is_some() { MCS } else { 0 }
        | if how.place.is_some() { AMPDU } else { 0 };
    let length: u16 = if how.sent.is_some() { 21 } else { 18 };
    let length = length + if high_throughput.is_some() { 3 } else { 0 };
    // Four bytes of which it begins with a multiple.
    let length = if how.place.is_some() { length.next_multiple_of(4) + 8 } else { length };
    let begin = out.len();
    out.extend([0, 0]);
    out.extend(length.to_le_bytes());
    out.extend(present.to_le_bytes());
    // The first bit of the MAC's part.
    let preamble_here = match how.place {
        Some(place) if !place.is_first => Duration::ZERO,
        _ => preamble,
    };
    out.extend(((how.start + preamble_here).as_nanos() / 1000).to_le_bytes());
    out.push(HAS_FCS | if preamble < LONG && !is_ofdm { SHORT_PREAMBLE } else { 0 });
    // Without a rate this byte aligns what follows.
    out.push(rate.unwrap_or(0));
    if let Some((retries, has_failed)) = how.sent {
        let flags =
            if has_failed { TX_FAILED } else { 0 } | if how.is_unicast { 0 } else { TX_NO_ACK };
        out.extend(flags.to_le_bytes());
        out.push(retries);
    }
    if let Some(HighThroughput { mcs, is_wide, has_short_guard }) = high_throughput {
        let width = if is_wide { MCS_40_MHZ } else { 0 };
        let guard = if has_short_guard { MCS_SHORT_GUARD } else { 0 };
        out.extend([MCS_KNOWN, width | guard, mcs]);
    }
    if let Some(Place { first, is_last, .. }) = how.place {
        out.resize(begin + (out.len() - begin).next_multiple_of(4), 0);
        out.extend(first.to_le_bytes());
        out.extend((LAST_IS_KNOWN | if is_last { IS_LAST } else { 0 }).to_le_bytes());
        out.extend([0, 0]);
    }
}
