//! 802.11 frames (IEEE Std 802.11-1999 section 7) behind a radiotap header (radiotap.org).
//!
//! Addresses are locally administered, 02:00 and the node's number. All nodes are in one
//! independent BSS.

use super::Place;
use crate::kernel::{Duration, Instant};
use crate::wire::put::Put;
use crate::wire::{Format, Frame, FrameKind, HighThroughput, Modulation, NodeId, Notice, Packet};

/// The BSSID of the network: "mesh" behind the bits of a local address.
const BSSID: [u8; 6] = [0x02, 0x01, b'm', b'e', b's', b'h'];

/// Bytes of the frame check sequence.
pub const FCS_BYTES: usize = 4;

/// The longest radiotap header.
pub const RADIOTAP_BYTES: u32 = 44;

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
        // It has no bytes, and is in no capture.
        FrameKind::Tone => 0,
        FrameKind::Data | FrameKind::Aggregate if is.part => 0x88,
        FrameKind::Data | FrameKind::Aggregate | FrameKind::Ethernet => {
            is.management.map_or(0x08, |subtype| subtype << 4)
        }
    };
    let notice = match frame.notice {
        Notice::None | Notice::Backlog(_) => 0,
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
        let words = bitmap.words();
        let is_long = words[1..].iter().any(|&word| word != 0);
        // The fragment's number tells a bitmap of 256 bits.
        let fragment = if is_long { 4 } else { 0 };
        out.extend(((frame.sequence & 0xfff) << 4 | fragment).to_le_bytes());
        let words = if is_long { &words[..] } else { &words[..1] };
        out.extend(words.iter().flat_map(|word| word.to_le_bytes()));
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
    const VHT: u32 = 1 << 21;
    const HE: u32 = 1 << 23;
    const LAST_IS_KNOWN: u16 = 0x0004;
    const IS_LAST: u16 = 0x0008;
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
        | match high_throughput.map(|high| high.format) {
            None => 0,
            Some(Format::Ht) => MCS,
            Some(Format::Vht) => VHT,
            Some(Format::He) => HE,
        }
        | if how.place.is_some() { AMPDU } else { 0 };
    let begin = out.len();
    out.extend([0, 0]);
    out.extend([0, 0]);
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
    if let Some(high) = high_throughput.filter(|high| high.format == Format::Ht) {
        out.extend(ht_field(high));
    }
    if let Some(Place { first, is_last, .. }) = how.place {
        align(out, begin, 4);
        out.extend(first.to_le_bytes());
        out.extend((LAST_IS_KNOWN | if is_last { IS_LAST } else { 0 }).to_le_bytes());
        out.extend([0, 0]);
    }
    if let Some(high) = high_throughput.filter(|high| high.format != Format::Ht) {
        align(out, begin, 2);
        match high.format {
            Format::Vht => out.extend(vht_field(high)),
            _ => out.extend(he_field(high).iter().flat_map(|data| data.to_le_bytes())),
        }
    }
    let length = (out.len() - begin) as u16;
    out[begin + 2..begin + 4].copy_from_slice(&length.to_le_bytes());
}

/// Fields begin with a multiple of their alignment after the header's `begin`.
fn align(out: &mut Vec<u8>, begin: usize, to: usize) {
    out.resize(begin + (out.len() - begin).next_multiple_of(to), 0);
}

/// 802.11n: bandwidth, number, guard interval and format are told; the format is the mixed one.
fn ht_field(high: HighThroughput) -> [u8; 3] {
    const KNOWN: u8 = 0x0f;
    const WIDE: u8 = 0x01;
    const SHORT_GUARD: u8 = 0x04;
    let width = if high.width_mhz > 20 { WIDE } else { 0 };
    let guard = if high.guard_ns < 800 { SHORT_GUARD } else { 0 };
    [KNOWN, width | guard, high.mcs]
}

/// 802.11ac: guard interval and bandwidth are told beside number and streams of the one user.
fn vht_field(high: HighThroughput) -> [u8; 12] {
    const KNOWN: u16 = 0x0004 | 0x0040;
    const SHORT_GUARD: u8 = 0x04;
    let [low, top] = KNOWN.to_le_bytes();
    let guard = if high.guard_ns < 800 { SHORT_GUARD } else { 0 };
    let width = match high.width_mhz {
        20 => 0,
        40 => 1,
        _ => 4,
    };
    let user = high.mcs << 4 | high.streams;
    [low, top, guard, width, user, 0, 0, 0, 0, 0, 0, 0]
}

/// 802.11ax: a single user's frame, of which number, bandwidth, guard interval and streams are
/// told.
fn he_field(high: HighThroughput) -> [u16; 6] {
    const MCS_AND_WIDTH_KNOWN: u16 = 0x0020 | 0x4000;
    const GUARD_KNOWN: u16 = 0x0002;
    let width = u16::from(high.width_mhz / 20).ilog2() as u16;
    let guard = u16::from(high.guard_ns > 800) + u16::from(high.guard_ns > 1600);
    let number = u16::from(high.mcs) << 8;
    [MCS_AND_WIDTH_KNOWN, GUARD_KNOWN, number, 0, guard << 4 | width, u16::from(high.streams)]
}
