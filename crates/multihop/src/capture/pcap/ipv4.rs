//! IPv4 packets (RFC 791) and what they carry: TCP segments (RFC 9293), UDP datagrams (RFC 768).
//!
//! The payload of transports is zeros, of which only the number is kept until the frame is
//! complete: so headers are written with the number of zeros that follow.

use rustc_hash::FxHashMap;

use super::{dsr, protocol};
use crate::kernel::Instant;
use crate::wire::checksum::{checksum, sum};
use crate::wire::put::Put;
use crate::wire::tcp::{SackBlocks, Segment, SegmentKind, WindowFields};
use crate::wire::udp::Datagram;
use crate::wire::{Body, FlowId, Message, NodeId, Packet};

/// The UDP port of messages of schemes that have no format of their own.
const SCHEME_PORT: u16 = 60654;
/// Flow `f` has port `SOURCE_PORT + f` at its source and `SINK_PORT + f` at its destination.
const SOURCE_PORT: u16 = 49152;
const SINK_PORT: u16 = 53248;
/// The server's port of connections over UDP: that of HTTP/3 (IANA).
const SERVER_PORT: u16 = 443;
/// Ports for flows at each end.
const PORTS: u32 = (SINK_PORT - SOURCE_PORT) as u32;

/// The option that carries a ROUTE_ID in transports' packets: RFC 4727's for experiments, copied
/// into fragments.
const ROUTE_ID_OPTION: u8 = 158;

/// TCP flags.
const SYN: u8 = 0x02;
const PSH: u8 = 0x08;
const ACK: u8 = 0x10;
const ECE: u8 = 0x40;
const CWR: u8 = 0x80;

/// What a flow's headers need besides its packets.
#[derive(Clone, Copy, Debug, Default)]
pub struct Form {
    /// Its windows.
    pub windows: WindowFields,
    /// The other direction of its connection, if data go both ways.
    pub other: Option<FlowId>,
    /// Whether that has opened the connection.
    pub is_opened_by_other: bool,
}

/// What is known of flows: how they look, and what the packets sent so far tell.
#[derive(Debug)]
pub struct Flows {
    /// By flow.
    forms: Vec<Form>,
    seen: FxHashMap<FlowId, SeenSegments>,
    /// The highest segment of each flow that its receiver has acknowledged, and the window that it
    /// told last, where data go both ways.
    acked: FxHashMap<FlowId, (u32, u16)>,
    /// What packets of such flows tell of the other direction, as when they were made: a sequence
    /// number, and the window of data.
    others: FxHashMap<Made, (u32, u16)>,
}

/// What tells a TCP packet from others: its flow, when it was made, whether it is an
/// acknowledgment, and its number.
type Made = (FlowId, Instant, bool, u32);

fn made(packet: &Packet, segment: &Segment) -> Made {
    (segment.flow, packet.created, segment.is_ack(), packet.number().unwrap_or(0))
}

#[derive(Debug)]
struct SeenSegments {
    /// The sequence number behind each segment, from segment 1 on.
    ends: Vec<u32>,
    /// The longest payload: what segments that were not seen count as.
    segment_bytes: u32,
    /// When the first segment with data was created.
    first_data: Instant,
}

impl SeenSegments {
    /// The sequence number behind the last segment.
    fn end(&self) -> u32 {
        self.ends.last().map_or(1, |end| *end)
    }
}

impl Flows {
    /// Flows that look so; nothing has been sent yet.
    pub fn new(forms: Vec<Form>) -> Flows {
        let (seen, acked, others) = Default::default();
        Flows { forms, seen, acked, others }
    }

    fn form(&self, flow: FlowId) -> Form {
        self.forms.get(flow.index()).copied().unwrap_or_default()
    }

    /// Takes note of `packet`.
    pub fn learn(&mut self, packet: &Packet) {
        let Body::Tcp(segment) = &packet.body else { return };
        if let Some(other) = self.form(segment.flow).other {
            self.learn_of_other(packet, segment, other);
        }
        let Segment { flow, kind: SegmentKind::Data { number, payload_bytes, .. }, .. } = *segment
        else {
            return;
        };
        if number > 0 {
            let new =
                SeenSegments { ends: Vec::new(), segment_bytes: 0, first_data: packet.created };
            let flow = self.seen.entry(flow).or_insert(new);
            flow.segment_bytes = flow.segment_bytes.max(payload_bytes);
            while flow.ends.len() < number as usize {
                let is_this = flow.ends.len() + 1 == number as usize;
                let bytes = if is_this { payload_bytes } else { flow.segment_bytes };
                flow.ends.push(flow.end().wrapping_add(bytes));
            }
            flow.first_data = flow.first_data.min(packet.created);
        }
    }

    /// Takes note of what `packet`, of a flow with data the other way too, tells of these when it
    /// is made: data, up to where they are acknowledged; an acknowledgment, where they end.
    fn learn_of_other(&mut self, packet: &Packet, segment: &Segment, other: FlowId) {
        let made = made(packet, segment);
        if self.others.contains_key(&made) {
            return;
        }
        let mut note = |flow, number: u32, window| {
            let (acked, told) = self.acked.entry(flow).or_default();
            (*acked, *told) = (number.max(*acked), window);
        };
        match segment.kind {
            SegmentKind::Data { piggybacked: Some(piggybacked), .. } => {
                note(other, piggybacked.number.get(), piggybacked.window);
            }
            // The window of a SYN's answer is not scaled.
            SegmentKind::Ack { number: number @ 1.., window, .. }
            | SegmentKind::Sack { number, window, .. } => note(segment.flow, number, window),
            _ => {}
        }
        let idle = (0, self.form(other).windows.idle);
        let (acked, window) = self.acked.get(&other).copied().unwrap_or(idle);
        let sequence = match segment.is_ack() {
            true => self.seen.get(&other).map_or(1, SeenSegments::end),
            false => self.sequence(other, acked + 1),
        };
        self.others.insert(made, (sequence, window));
    }

    /// The sequence number of the first byte of segment `number`. The SYN has the first, 0.
    fn sequence(&self, flow: FlowId, number: u32) -> u32 {
        let Some(before) = number.checked_sub(1) else { return 0 };
        let Some(flow) = self.seen.get(&flow) else { return 1 };
        let seen = flow.ends.len() as u32;
        match before {
            0 => 1,
            _ if before <= seen => flow.ends[before as usize - 1],
            _ => flow.end().wrapping_add((before - seen).wrapping_mul(flow.segment_bytes)),
        }
    }

    /// Whether an acknowledgment of the SYN created at `created` is the SYN's own: those of later
    /// segments that arrived out of order look the same in the model.
    fn answers_syn(&self, flow: FlowId, created: Instant) -> bool {
        self.seen.get(&flow).is_none_or(|flow| created < flow.first_data)
    }
}

/// The frame of a program that `datagram` carries.
fn program_frame(datagram: &Datagram) -> Option<&[u8]> {
    let carried = datagram.carried.as_ref().filter(|carried| carried.is_of_program())?;
    Some(&carried.bytes)
}

/// The type and the payload of the frame of a program that is all of `packet`: without a header of
/// routing it travels as it is.
pub fn bare_frame(packet: &Packet) -> Option<(u16, &[u8])> {
    let Body::Udp(datagram) = &packet.body else { return None };
    let frame = program_frame(datagram)?;
    if packet.dsr.as_deref().is_some_and(|header| !dsr::is_empty(header)) {
        return None;
    }
    match frame.get(12..)? {
        [high, low, payload @ ..] => Some((u16::from_be_bytes([*high, *low]), payload)),
        _ => None,
    }
}

/// Appends `packet`, the `number`-th of the run, as `transmitter` sends it. Returns how many zeros
/// follow.
pub fn put_packet(
    out: &mut Vec<u8>,
    flows: &mut Flows,
    packet: &Packet,
    number: u32,
    transmitter: NodeId,
) -> usize {
    flows.learn(packet);
    let start = out.len();
    let option = packet.route_id.filter(|_| packet.is_transport());
    let header_bytes: u8 = if option.is_some() { 28 } else { 20 };
    let inner = match &packet.body {
        Body::Tcp(_) => protocol::TCP,
        Body::Udp(datagram) if program_frame(datagram).is_some() => protocol::ETHERNET,
        Body::Udp(_) | Body::Aodv(_) | Body::Routing(_) => protocol::UDP,
        Body::Dsr | Body::Arp(_) => protocol::NONE,
    };
    let header = packet.dsr.as_deref().filter(|header| !dsr::is_empty(header));
    let outer = if header.is_some() { protocol::DSR } else { inner };
    out.extend([0x40 | (header_bytes / 4), packet.ecn.bits(), 0, 0]);
    out.put16(number as u16);
    out.extend([0, 0, packet.ttl, outer, 0, 0]);
    out.put_node(packet.source);
    out.put_node(packet.destination);
    if let Some(id) = option {
        out.extend([ROUTE_ID_OPTION, 6]);
        out.put32(id.bits());
        out.extend([0, 0]);
    }
    if let Some(header) = header {
        dsr::put_header(out, header, inner, packet, transmitter);
    }
    let zeros = put_inner(out, flows, packet);
    let length = out.len() - start + zeros;
    out.put16_at(start + 2, u16::try_from(length).unwrap_or(u16::MAX));
    let sum = checksum(0, &out[start..start + usize::from(header_bytes)]);
    out.put16_at(start + 10, sum);
    zeros
}

fn put_inner(out: &mut Vec<u8>, flows: &Flows, packet: &Packet) -> usize {
    match &packet.body {
        Body::Tcp(segment) => put_segment(out, flows, packet, *segment),
        Body::Udp(datagram) => {
            if let Some(bytes) = program_frame(datagram) {
                out.extend(bytes);
                return 0;
            }
            let port = (datagram.flow.0 % PORTS) as u16;
            let ports = [SOURCE_PORT + port, SINK_PORT + port];
            if let Some(carried) = &datagram.carried {
                let mut ports = [SOURCE_PORT + (carried.opener.0 % PORTS) as u16, SERVER_PORT];
                if !carried.is_from_opener {
                    ports.reverse();
                }
                put_datagram(out, packet, ports, 0, |out| out.extend(&*carried.bytes));
                return 0;
            }
            // The number of the datagram, where there is room.
            let numbered = datagram.payload_bytes as usize >= 4;
            let zeros = datagram.payload_bytes as usize - if numbered { 4 } else { 0 };
            put_datagram(out, packet, ports, zeros, |out| {
                if numbered {
                    out.put32(datagram.number);
                }
            });
            zeros
        }
        Body::Aodv(message) => put_message(out, message, packet),
        Body::Routing(extension) => put_message(out, extension.message(), packet),
        Body::Dsr | Body::Arp(_) => 0,
    }
}

/// Appends a datagram with `message`. One without a port of its own is padded to its size in the
/// model, where that is more.
fn put_message(out: &mut Vec<u8>, message: &dyn Message, packet: &Packet) -> usize {
    let room = match message.port() {
        Some(_) => 0,
        None => (packet.size_bytes as usize).saturating_sub(20 + 8),
    };
    put_datagram(out, packet, [message.port().unwrap_or(SCHEME_PORT); 2], 0, |out| {
        let start = out.len();
        message.write(packet, out);
        out.resize(out.len().max(start + room), 0);
    });
    0
}

fn put_segment(out: &mut Vec<u8>, flows: &Flows, packet: &Packet, segment: Segment) -> usize {
    let start = out.len();
    let Segment { flow, kind, flags: ecn, timestamps } = segment;
    let form = flows.form(flow);
    let opener = form.other.filter(|_| form.is_opened_by_other).unwrap_or(flow);
    let port = (opener.0 % PORTS) as u16;
    let mut ports = [SOURCE_PORT + port, SINK_PORT + port];
    if segment.is_ack() != form.is_opened_by_other {
        ports.reverse();
    }
    // Of the other direction nothing but the SYN, if no data go there.
    let alone = (1, form.windows.idle);
    let (other, told) = flows.others.get(&made(packet, &segment)).copied().unwrap_or(alone);
    let next = |number: u32| flows.sequence(flow, number + 1);
    let none = SackBlocks::default();
    let windows = form.windows;
    let (sequence, acknowledged, flags, window, blocks, zeros) = match kind {
        SegmentKind::Data { number: 0, .. } => (0, 0, SYN, windows.first, none, 0),
        SegmentKind::Data { number, payload_bytes, .. } => {
            (flows.sequence(flow, number), other, ACK | PSH, told, none, payload_bytes as usize)
        }
        SegmentKind::Ack { number: 0, window, .. } if flows.answers_syn(flow, packet.created) => {
            (0, 1, SYN | ACK, window, none, 0)
        }
        SegmentKind::Ack { number, window, .. } => (other, next(number), ACK, window, none, 0),
        // It acknowledges nothing but that segment.
        SegmentKind::SelectiveAck { number } => {
            (other, 1, ACK, windows.idle, [(number, number + 1)].into_iter().collect(), 0)
        }
        SegmentKind::Sack { number, window, blocks, .. } => {
            (other, next(number), ACK, window, blocks, 0)
        }
    };
    ports.into_iter().for_each(|port| out.put16(port));
    out.put32(sequence);
    out.put32(acknowledged);
    let echo = if ecn.echo { ECE } else { 0 };
    let reduced = if ecn.reduced { CWR } else { 0 };
    out.extend([0, flags | echo | reduced]);
    out.put16(window);
    out.put32(0);
    if flags & SYN != 0 && windows.scale > 0 {
        // RFC 7323 section 2.2, behind a NOP.
        out.extend([1, 3, 3, windows.scale]);
    }
    if timestamps {
        put_timestamps(out, packet, kind);
    }
    if !blocks.is_empty() {
        // RFC 2018 section 3, behind two NOPs.
        out.extend([1, 1, 5, 2 + 8 * blocks.iter().count() as u8]);
        for (from, to) in blocks.iter() {
            out.put32(flows.sequence(flow, from));
            out.put32(flows.sequence(flow, to));
        }
    }
    out[start + 12] = ((out.len() - start) as u8 / 4) << 4;
    let sum = transport_checksum(out, start, packet, protocol::TCP, zeros);
    out.put16_at(start + 16, sum);
    zeros
}

/// Appends the timestamps option behind two NOPs (RFC 7323, appendix A), in milliseconds.
fn put_timestamps(out: &mut Vec<u8>, packet: &Packet, kind: SegmentKind) {
    let millis = |at: Instant| (at.as_nanos() / 1_000_000) as u32;
    let echo = match kind {
        SegmentKind::Ack { sent, .. } | SegmentKind::Sack { sent, .. } => millis(sent),
        SegmentKind::Data { echo: Instant::FAR, .. } => 0,
        SegmentKind::Data { echo, .. } => millis(echo),
        SegmentKind::SelectiveAck { .. } => 0,
    };
    out.extend([1, 1, 8, 10]);
    out.put32(millis(packet.created));
    out.put32(echo);
}

/// Appends a UDP header and what `put` appends, which `zeros` follow.
fn put_datagram(
    out: &mut Vec<u8>,
    packet: &Packet,
    ports: [u16; 2],
    zeros: usize,
    put: impl FnOnce(&mut Vec<u8>),
) {
    let start = out.len();
    ports.into_iter().for_each(|port| out.put16(port));
    out.put32(0);
    put(out);
    let length = out.len() - start + zeros;
    out.put16_at(start + 4, u16::try_from(length).unwrap_or(u16::MAX));
    let sum = transport_checksum(out, start, packet, protocol::UDP, zeros);
    // 0 stands for none (RFC 768).
    out.put16_at(start + 6, if sum == 0 { 0xffff } else { sum });
}

/// The checksum of what begins at `start`, with `zeros` at its end, and of the pseudo header.
fn transport_checksum(
    out: &[u8],
    start: usize,
    packet: &Packet,
    protocol: u8,
    zeros: usize,
) -> u16 {
    let length = (out.len() - start + zeros) as u32;
    let ends = [packet.source, packet.destination].map(NodeId::address);
    let pseudo = sum(&ends[0]) + sum(&ends[1]) + u32::from(protocol) + length;
    checksum(pseudo, &out[start..])
}
