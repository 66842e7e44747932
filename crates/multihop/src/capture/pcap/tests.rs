//! Frames against the layouts of their standards, octet by octet.

use std::sync::Arc;

use super::*;
use crate::kernel::Instant;
use crate::wire::aodv::{Error, Message, Reply, Request, SequenceNumber};
use crate::wire::dsr::{
    Direction, FlowState, Header, Replaces, RouteError, RouteErrorKind, SourceRoute,
};
use crate::wire::tcp::{PiggybackedAck, SackBlocks, Segment, SegmentKind, WindowFields};
use crate::wire::udp::{Carried, Datagram};
use crate::wire::{
    DiscoveryId, Ecn, EcnFlags, Extension, FlowId, Notice, Octets, Payload, Rate, RouteId, arp,
    dsr as wire_dsr,
};

/// Length of the MAC header of data, and of LLC and SNAP.
const BEFORE_IP: usize = 24 + 8;

fn packet(body: Body) -> Packet {
    Packet { ttl: 9, ..Packet::new(NodeId(0), NodeId(3), Instant::from_secs_f64(1.5), body) }
}

fn frame(kind: FrameKind, packet: Option<Packet>) -> Frame {
    Frame {
        kind,
        rate: Rate(0),
        transmitter: NodeId(0),
        receiver: NodeId(1),
        duration_us: 0x1234,
        sequence: 0x1005,
        notice: Notice::None,
        payload: packet.map(|packet| Box::new(Payload::Packet(packet))),
    }
}

fn encoder(snap: u32) -> Encoder {
    let preamble = Duration::from_micros(192);
    let modulation = Modulation { rate_bps: 2e6, preamble, is_ofdm: false, high_throughput: None };
    Encoder::new(snap, 4, vec![vec![modulation]], forms())
}

/// The octets of each frame, and their lengths on the air.
fn encoded(snap: u32, frames: &[Frame]) -> Vec<(Vec<u8>, u32)> {
    let mut encoder = encoder(snap);
    for frame in frames {
        encoder.add(frame, Duration::from_micros(500), 7);
    }
    let frames = encoder.finish();
    let count = frames.kept.len() as u32;
    (0..count).map(|n| (frames.bytes_of(n).to_vec(), frames.kept[n as usize].length)).collect()
}

fn bytes_of(frame: Frame) -> Vec<u8> {
    let (bytes, length) = encoded(0, &[frame]).remove(0);
    assert_eq!(bytes.len(), length as usize);
    bytes
}

/// A packet of data frames without the headers before it, nor the check sequence.
fn ip(packet: Packet) -> Vec<u8> {
    let bytes = bytes_of(frame(FrameKind::Data, Some(packet)));
    assert_eq!(bytes[24..32], [0xaa, 0xaa, 3, 0, 0, 0, 8, 0]);
    bytes[BEFORE_IP..bytes.len() - 4].to_vec()
}

/// What a packet carries, after checking the header and all sums.
fn carried(packet: Packet) -> Vec<u8> {
    let bytes = ip(packet);
    let header = 4 * usize::from(bytes[0] & 15);
    assert_eq!(bytes[0] >> 4, 4);
    assert_eq!(usize::from(u16::from_be_bytes([bytes[2], bytes[3]])), bytes.len());
    assert_eq!(folded(&bytes[..header]), 0xffff, "RFC 1071: all words add up to ones");
    if [protocol::TCP, protocol::UDP].contains(&bytes[9]) {
        let length = (bytes.len() - header) as u16;
        let mut summed = bytes[12..20].to_vec();
        summed.extend([0, bytes[9]]);
        summed.extend(length.to_be_bytes());
        summed.extend(&bytes[header..]);
        assert_eq!(folded(&summed), 0xffff);
    }
    bytes[header..].to_vec()
}

fn folded(bytes: &[u8]) -> u32 {
    let words = bytes.chunks(2).map(|w| u32::from(w[0]) * 256 + w.get(1).map_or(0, |&b| b.into()));
    let sum: u32 = words.sum();
    (sum & 0xffff) + (sum >> 16)
}

/// Flow 2 has windows that are not scaled, flow 3 scaled ones; 5 answers 4 over its connection.
fn forms() -> Vec<Form> {
    let plain = WindowFields { scale: 0, first: 7000, idle: 800 };
    let form = |scale, other: Option<u32>, is_opened_by_other| Form {
        windows: WindowFields { scale, ..plain },
        other: other.map(FlowId),
        is_opened_by_other,
    };
    let alone = |scale| form(scale, None, false);
    vec![alone(0), alone(0), alone(0), alone(7), form(0, Some(5), false), form(0, Some(4), true)]
}

fn tcp(kind: SegmentKind) -> Packet {
    packet(Body::Tcp(Segment::new(FlowId(2), kind)))
}

fn data(number: u32) -> SegmentKind {
    SegmentKind::data(number, 100, false, false)
}

fn ack(number: u32) -> SegmentKind {
    SegmentKind::Ack { number, probe: false, sent: Instant::ZERO, window: 250 }
}

#[test]
fn control_frames_are_as_clause_7_2_1_of_802_11_has_them() {
    let [a, b] = [[2, 0, 0, 0, 0, 0], [2, 0, 0, 0, 0, 1]];
    let rts = bytes_of(frame(FrameKind::Rts, None));
    let expected = [&[0xb4, 0, 0x34, 0x12][..], &b, &a].concat();
    assert_eq!(rts[..16], expected);
    // The CRC-32 of 802.11, bit by bit.
    let check = expected.iter().fold(!0_u32, |crc, &byte| {
        (0..8).fold(crc ^ u32::from(byte), |crc, _| {
            crc >> 1 ^ (0xedb8_8320 & (crc & 1).wrapping_neg())
        })
    });
    assert_eq!(rts[16..], (!check).to_le_bytes());
    for (kind, first) in [(FrameKind::Cts, 0xc4), (FrameKind::Ack, 0xd4)] {
        let bytes = bytes_of(frame(kind, None));
        assert_eq!((bytes.len(), bytes[0], &bytes[4..10]), (14, first, &b[..]));
    }
    let congested = Frame { notice: Notice::Congested, ..frame(FrameKind::Rts, None) };
    assert_eq!(bytes_of(congested)[1], 0x20);
}

#[test]
fn a_repeated_data_frame_has_the_retry_bit_and_all_have_their_sequence_number() {
    let first = frame(FrameKind::Data, Some(tcp(data(1))));
    let next = Frame { sequence: 0x1006, ..first.clone() };
    let rts = frame(FrameKind::Rts, None);
    let frames = [first.clone(), rts, first, next.clone()];
    let frames = encoded(0, &frames).into_iter().map(|(bytes, _)| bytes);
    let bits: Vec<_> = frames.map(|bytes| (bytes[0], bytes[1], bytes.get(22).copied())).collect();
    let data = |flags, sequence| (8, flags, Some(sequence));
    assert_eq!(bits, [data(0, 0x50), (0xb4, 0, None), data(8, 0x50), data(0, 0x60)]);
    // A broadcast is never repeated.
    let all = Frame { receiver: NodeId::BROADCAST, ..next };
    let frames = encoded(0, &[all.clone(), all]);
    assert_eq!((&frames[1].0[1], &frames[1].0[4..10]), (&0, &[0xff; 6][..]));
}

#[test]
fn what_is_cut_off_counts_in_the_length_and_the_rest_is_the_same() {
    let sent = frame(FrameKind::Data, Some(tcp(data(1))));
    let (whole, length) = encoded(0, std::slice::from_ref(&sent)).remove(0);
    assert_eq!(length, (24 + 8 + 20 + 20 + 100 + 4));
    for snap in [1, 60, 170, 175, 176, 4000] {
        let kept = (snap as usize).min(whole.len());
        // Half a check sequence is not kept.
        let kept = if (173..176).contains(&snap) { 172 } else { kept };
        let (bytes, length) = encoded(snap, std::slice::from_ref(&sent)).remove(0);
        assert_eq!((&bytes[..], length as usize), (&whole[..kept], whole.len()), "{snap}");
    }
}

#[test]
fn arp_is_as_in_rfc_826() {
    let target = NodeId(0x0102_0304);
    let request = packet(Body::Arp(arp::Message::Request { target }));
    let bytes = bytes_of(frame(FrameKind::Data, Some(request)));
    assert_eq!(bytes[30..32], [8, 6]);
    let expected = [
        &[0, 1, 8, 0, 6, 4, 0, 1][..],
        &[2, 0, 0, 0, 0, 0, 10, 1, 0, 0],
        &[0, 0, 0, 0, 0, 0, 11, 3, 3, 4],
    ];
    assert_eq!(bytes[32..60], expected.concat());
    let reply = bytes_of(frame(FrameKind::Data, Some(packet(Body::Arp(arp::Message::Reply)))));
    let expected = [&[0, 2, 2, 0, 0, 0, 0, 0, 10, 1, 0, 0][..], &[2, 0, 0, 0, 0, 3, 10, 1, 0, 3]];
    assert_eq!(reply[38..60], expected.concat());
}

#[test]
fn congestion_notification_is_where_rfc_3168_has_it() {
    let bits = |ecn, flags, kind| {
        let segment = Segment { flags, ..Segment::new(FlowId(2), kind) };
        let bytes = ip(Packet { ecn, ..packet(Body::Tcp(segment)) });
        (bytes[1], bytes[33])
    };
    let [psh_ack, ack_alone] = [0x18, 0x10];
    assert_eq!(bits(Ecn::NotCapable, EcnFlags::SETUP, data(0)), (0, 0x80 | 0x40 | 0x02));
    assert_eq!(bits(Ecn::Capable, EcnFlags::NONE, data(1)), (2, psh_ack));
    assert_eq!(bits(Ecn::Marked, EcnFlags::REDUCED, data(2)), (3, 0x80 | psh_ack));
    assert_eq!(bits(Ecn::NotCapable, EcnFlags::ECHO, ack(2)), (0, 0x40 | ack_alone));
    carried(Packet { ecn: Ecn::Marked, ..tcp(data(1)) });
}

#[test]
fn tcp_counts_bytes_from_the_syn_on() {
    let created = |kind, at| Packet { created: Instant::from_secs_f64(at), ..tcp(kind) };
    let packets = [
        created(data(0), 1.0),
        created(ack(0), 1.1),
        created(data(1), 1.2),
        created(data(3), 1.2),
        created(ack(0), 1.3),
        created(ack(3), 1.4),
    ];
    let frames = packets.map(|packet| frame(FrameKind::Data, Some(packet)));
    let fields = |(bytes, _): (Vec<u8>, u32)| {
        let tcp = &bytes[BEFORE_IP + 20..];
        let word = |at: usize| u32::from_be_bytes(tcp[at..at + 4].try_into().unwrap());
        let window = (word(12) & 0xffff) as u16;
        ((word(0) >> 16, word(0) & 0xffff), word(4), word(8), tcp[13], window)
    };
    let (there, back) = ((49154, 53250), (53250, 49154));
    let expected = [
        (there, 0, 0, 0x02, 7000),
        (back, 0, 1, 0x12, 250),
        (there, 1, 1, 0x18, 800),
        (there, 201, 1, 0x18, 800),
        // Segment 3 has arrived before 1: no second answer to the SYN.
        (back, 1, 1, 0x10, 250),
        (back, 1, 301, 0x10, 250),
    ];
    assert_eq!(encoded(0, &frames).into_iter().map(fields).collect::<Vec<_>>(), expected);
    assert_eq!(carried(tcp(data(1))).len(), 120);
}

#[test]
fn data_both_ways_are_one_connection_and_tell_what_they_acknowledge() {
    // RFC 9293 section 3.10.4: every segment acknowledges what has arrived.
    let packet = |flow, kind, at| Packet {
        created: Instant::from_secs_f64(at),
        ..packet(Body::Tcp(Segment::new(FlowId(flow), kind)))
    };
    let response = |number, piggybacked: Option<u32>| {
        let piggybacked = piggybacked
            .and_then(std::num::NonZeroU32::new)
            .map(|number| PiggybackedAck { sent: Instant::ZERO, number, window: 300 });
        let (payload_bytes, retransmission, probe, echo) = (100, false, false, Instant::FAR);
        SegmentKind::Data { number, payload_bytes, retransmission, probe, echo, piggybacked }
    };
    let early = packet(5, response(1, Some(1)), 1.3);
    let packets = [
        packet(4, data(0), 1.0),
        packet(4, ack(0), 1.1),
        packet(4, data(1), 1.2),
        early.clone(),
        packet(4, data(2), 1.4),
        packet(5, ack(1), 1.4),
        packet(4, ack(2), 1.5),
        packet(5, response(2, None), 1.6),
        // A relay passes on what left before that.
        early,
    ];
    let frames = packets.map(|packet| frame(FrameKind::Data, Some(packet)));
    let fields = |(bytes, _): (Vec<u8>, u32)| {
        let tcp = &bytes[BEFORE_IP + 20..];
        let word = |at: usize| u32::from_be_bytes(tcp[at..at + 4].try_into().unwrap());
        (word(0) >> 16, word(4), word(8), tcp[13], word(12) & 0xffff)
    };
    let (client, server) = (49156, 53252);
    let expected = [
        (client, 0, 0, 0x02, 7000),
        (server, 0, 1, 0x12, 250),
        (client, 1, 1, 0x18, 800),
        (server, 1, 101, 0x18, 300),
        (client, 101, 1, 0x18, 800),
        (client, 201, 101, 0x10, 250),
        (server, 101, 201, 0x10, 250),
        (server, 101, 201, 0x18, 250),
        (server, 1, 101, 0x18, 300),
    ];
    assert_eq!(encoded(0, &frames).into_iter().map(fields).collect::<Vec<_>>(), expected);
}

#[test]
fn sequence_numbers_count_the_bytes_of_short_segments() {
    let sizes = [100, 30, 100, 7, 100];
    let segments = (1..).zip(sizes).map(|(number, payload_bytes)| {
        let (retransmission, probe) = (false, false);
        let kind = SegmentKind::data(number, payload_bytes, retransmission, probe);
        frame(FrameKind::Data, Some(tcp(kind)))
    });
    let frames: Vec<_> = segments.collect();
    let sequence = |(bytes, _): (Vec<u8>, _)| {
        let at = BEFORE_IP + 24;
        u32::from_be_bytes(bytes[at..at + 4].try_into().unwrap())
    };
    let found: Vec<u32> = encoded(0, &frames).into_iter().map(sequence).collect();
    assert_eq!(found, [1, 101, 131, 231, 238]);
}

#[test]
fn ipv4_is_as_in_rfc_791() {
    let bytes = ip(tcp(data(0)));
    // Version and length, type of service; total length; the packet's number; no fragment; time to
    // live, TCP.
    assert_eq!(bytes[..10], [0x45, 0, 0, 40, 0, 7, 0, 0, 9, 6]);
    assert_eq!(bytes[12..20], [10, 1, 0, 0, 10, 1, 0, 3]);
}

#[test]
fn selective_acknowledgments_are_blocks_of_rfc_2018() {
    let blocks: SackBlocks = [(3, 5), (7, 8)].into_iter().collect();
    let first = frame(FrameKind::Data, Some(tcp(data(1))));
    let sack =
        SegmentKind::Sack { number: 1, probe: false, sent: Instant::ZERO, window: 0, blocks };
    let acks = [sack, SegmentKind::SelectiveAck { number: 4 }]
        .map(|kind| frame(FrameKind::Data, Some(tcp(kind))));
    let [all, one] = acks.map(|ack| {
        let (bytes, _) = encoded(0, &[first.clone(), ack]).remove(1);
        bytes[BEFORE_IP + 20..bytes.len() - 4].to_vec()
    });
    assert_eq!((all[12] >> 4, &all[8..12]), (10, &101_u32.to_be_bytes()[..]));
    let edges = [201_u32, 401, 601, 701].map(u32::to_be_bytes).concat();
    assert_eq!(all[20..], [&[1, 1, 5, 18][..], &edges].concat());
    let edges = [301_u32, 401].map(u32::to_be_bytes).concat();
    assert_eq!(one[20..], [&[1, 1, 5, 10][..], &edges].concat());
    carried(tcp(sack));
}

#[test]
fn timestamps_are_where_rfc_7323_has_them() {
    let options = |kind| {
        let segment = Segment { timestamps: true, ..Segment::new(FlowId(2), kind) };
        let bytes = carried(packet(Body::Tcp(segment)));
        (bytes[12] >> 4, bytes[20..32].to_vec())
    };
    let stamps = |value: u32, echo: u32| {
        [&[1, 1, 8, 10][..], &value.to_be_bytes(), &echo.to_be_bytes()].concat()
    };
    let sent = Instant::from_secs_f64(1.25);
    assert_eq!(options(data(1)), (8, stamps(1500, 0)));
    let (echo, piggybacked) = (Instant::from_secs_f64(0.5), None);
    let (number, payload_bytes, retransmission, probe) = (2, 100, false, false);
    let echoing =
        SegmentKind::Data { number, payload_bytes, retransmission, probe, echo, piggybacked };
    assert_eq!(options(echoing), (8, stamps(1500, 500)));
    let ack = SegmentKind::Ack { number: 1, probe: false, sent, window: 0 };
    assert_eq!(options(ack), (8, stamps(1500, 1250)));
    let blocks = [(3, 5), (7, 8), (9, 10)].into_iter().collect();
    let sack = SegmentKind::Sack { number: 1, probe: false, sent, window: 0, blocks };
    assert_eq!(options(sack), (15, stamps(1500, 1250)), "as long as a header can be");
}

#[test]
fn a_syn_and_its_answer_tell_the_scale_of_windows() {
    // RFC 7323 section 2.2.
    let options = |kind| {
        let bytes = carried(packet(Body::Tcp(Segment::new(FlowId(3), kind))));
        bytes[20..usize::from(bytes[12] >> 4) * 4].to_vec()
    };
    assert_eq!(options(data(0)), [1, 3, 3, 7]);
    assert_eq!(options(ack(0)), [1, 3, 3, 7]);
    assert!(options(data(1)).is_empty() && options(ack(1)).is_empty());
}

#[test]
fn udp_is_as_in_rfc_768_and_begins_with_its_number() {
    let datagram = |payload_bytes| Datagram::zeros(FlowId(0), 0x0506, payload_bytes);
    let udp = carried(packet(Body::Udp(datagram(10))));
    assert_eq!(udp[..6], [0xc0, 0, 0xd0, 0, 0, 18]);
    assert_eq!(udp[8..], [0, 0, 5, 6, 0, 0, 0, 0, 0, 0]);
    assert_eq!(carried(packet(Body::Udp(datagram(3)))).len(), 11);
}

#[test]
fn a_route_id_is_an_option_of_the_ip_header_of_transports() {
    let id = RouteId::new(DiscoveryId { originator: NodeId(0), request: 5 }, 3);
    let bytes = ip(Packet { route_id: Some(id), ..tcp(data(0)) });
    assert_eq!((bytes[0], &bytes[20..28]), (0x47, &[158, 6, 0, 0, 0, 0x53, 0, 0][..]));
    carried(Packet { route_id: Some(id), ..tcp(data(0)) });
}

const REQUEST: Request = Request {
    hop_count: 3,
    id: 0x0102_0304,
    destination: NodeId(5),
    destination_sequence: SequenceNumber(0),
    originator: NodeId(4),
    originator_sequence: SequenceNumber(8),
    sent_at: Instant::from_nanos(1_500_000_000),
    metric: 1000,
    transmitter_metric: 2000,
};
const REPLY: Reply = Reply {
    hop_count: 1,
    destination: NodeId(5),
    destination_sequence: SequenceNumber(6),
    originator: NodeId(4),
    lifetime: Duration::from_millis(10_000),
    request_sent_at: Instant::ZERO,
    is_passed_on: false,
    metric: 7,
};

/// An AODV message, of `added` bytes more than AODV's in the model.
fn aodv(message: Message, added: u32, route_id: Option<RouteId>) -> Vec<u8> {
    let size_bytes = message.size_bytes() + added + route_id.map_or(0, |_| RouteId::BYTES);
    let udp = carried(Packet { size_bytes, route_id, ..packet(Body::Aodv(message)) });
    assert_eq!(udp[..4], [2, 142, 2, 142], "port 654");
    udp[8..].to_vec()
}

#[test]
fn aodv_requests_and_replies_are_as_in_rfc_3561_sections_5_1_and_5_2() {
    let plain = aodv(Message::Request(REQUEST), 0, None);
    // Type, U for the unknown sequence number, reserved, hops so far: the receiver adds one.
    let expected = [
        &[1, 8, 0, 2, 1, 2, 3, 4][..],
        &[10, 1, 0, 5, 0, 0, 0, 0],
        &[10, 1, 0, 4, 0, 0, 0, 8],
        // When, as seconds since 1900 and their 2^-32ths.
        &[3, 8],
        &(2_208_988_801_u32.to_be_bytes()),
        &[0x80, 0, 0, 0],
    ];
    assert_eq!(plain, expected.concat());
    let with = |added| aodv(Message::Request(REQUEST), added, None)[34..].to_vec();
    assert_eq!(with(4), [128, 4, 0, 0, 3, 232]);
    assert_eq!(with(8), [128, 8, 0, 0, 3, 232, 0, 0, 7, 208]);

    let id = RouteId::new(DiscoveryId { originator: NodeId(4), request: 1 }, 2);
    let reply = aodv(Message::Reply(REPLY), 0, Some(id));
    let expected = [&[2, 0, 0, 0, 10, 1, 0, 5, 0, 0, 0, 6][..], &[10, 1, 0, 4, 0, 0, 0x27, 0x10]];
    assert_eq!(reply[..20], expected.concat());
    assert_eq!(reply[30..], [129, 4, 0, 0, 0, 0x12]);
    assert_eq!(aodv(Message::Returned(REPLY), 0, Some(id))[36..], [130, 0]);
}

#[test]
fn aodv_errors_list_what_can_not_be_reached() {
    let unreachable = vec![(NodeId(5), SequenceNumber(6)), (NodeId(2), SequenceNumber(1))];
    let error = Error { unreachable, is_passed_on: false };
    let expected = [&[3, 0, 0, 2][..], &[10, 1, 0, 5, 0, 0, 0, 6], &[10, 1, 0, 2, 0, 0, 0, 1]];
    assert_eq!(aodv(Message::Error(error), 0, None), expected.concat());
}

/// Fields of a scheme, as many octets as it says.
#[derive(Debug, PartialEq)]
struct Many(usize);

impl Octets for Many {
    const KIND: u8 = 140;

    fn write(&self, out: &mut Vec<u8>) {
        out.extend((0..self.0).map(|octet| octet as u8));
    }
}

#[test]
fn a_hello_is_a_reply_about_its_sender_and_long_fields_are_split() {
    let hello = |octets| Message::Hello {
        sequence: SequenceNumber(6),
        lifetime: Duration::from_millis(1500),
        extension: Some(Extension::new(Many(octets))),
    };
    let bytes = aodv(hello(3), 0, None);
    let fixed = [&[2, 0, 0, 0, 10, 1, 0, 0, 0, 0, 0, 6][..], &[10, 1, 0, 0, 0, 0, 5, 0xdc]];
    assert_eq!(bytes, [&fixed.concat()[..], &[140, 3, 0, 1, 2]].concat());
    let bytes = aodv(hello(250), 0, None);
    assert_eq!((bytes[20], bytes[21], &bytes[270..]), (140, 248, &[140, 2, 248, 249][..]));
}

#[test]
fn a_message_of_a_scheme_s_own_is_as_long_as_in_the_model() {
    let message = Packet { size_bytes: 40, ..packet(Body::Routing(Extension::new(Many(2)))) };
    assert_eq!(ip(message.clone()).len(), 40);
    assert_eq!(carried(message)[8..], [140, 0, 0, 2, 0, 1, 0, 0, 0, 0, 0, 0]);
}

fn path(nodes: impl IntoIterator<Item = u32>) -> wire_dsr::Path {
    nodes.into_iter().map(NodeId).collect()
}

/// The DSR header of a packet from node 0, behind the IP header.
fn dsr(header: Header, body: Body, transmitter: u32) -> Vec<u8> {
    let sent = Packet { dsr: Some(Arc::new(header)), ..packet(body) };
    let frame = Frame { transmitter: NodeId(transmitter), ..frame(FrameKind::Data, Some(sent)) };
    let bytes = bytes_of(frame);
    assert_eq!(bytes[BEFORE_IP + 9], 48);
    bytes[BEFORE_IP + 20..bytes.len() - 4].to_vec()
}

#[test]
fn a_source_route_is_as_in_rfc_4728_section_6_7_at_every_hop() {
    let sent = |route: SourceRoute, transmitter| {
        let header = Header { route: Some(route), ..Header::default() };
        dsr(header, tcp(data(0)).body, transmitter)
    };
    let route = SourceRoute { nodes: path([0, 1, 2, 3]), salvages: 0 };
    let bytes = sent(route.clone(), 0);
    let options = [96, 10, 0, 2, 10, 1, 0, 1, 10, 1, 0, 2];
    assert_eq!(bytes[..16], [&[6, 0, 0, 12][..], &options].concat());
    assert_eq!(bytes.len(), 16 + 20);
    assert_eq!([1, 2].map(|transmitter| sent(route.clone(), transmitter)[7]), [1, 0]);
    // Section 8.3.6: who salvages a packet lists itself first. Salvage is 4 bits, segments left 6.
    let salvaged = SourceRoute { nodes: path([1, 2, 3]), salvages: 5 };
    let options = [96, 10, 5 >> 2, (5 & 3) << 6 | 1, 10, 1, 0, 1, 10, 1, 0, 2];
    assert_eq!(sent(salvaged, 1)[4..16], options);
}

#[test]
fn dsr_requests_replies_and_errors_are_as_in_rfc_4728_sections_6_2_to_6_4() {
    let request = |gathered, replaces| wire_dsr::Request {
        id: 0x1_0203,
        target: NodeId(3),
        path: vec![NodeId(0), NodeId(1)],
        more_hops: 0,
        gathered,
        replaces,
    };
    let sent = |header| dsr(header, Body::Dsr, 1);
    let header = |request| Header { request: Some(request), ..Header::default() };
    let asked = [1, 10, 2, 3, 10, 1, 0, 3, 10, 1, 0, 1];
    let plain = sent(header(request(vec![], None)));
    assert_eq!(plain, [&[59, 0, 0, 12][..], &asked].concat());

    // COPAS: octets of options of its own have a filler before them.
    let replaces = Replaces { direction: Direction::Reverse, contention: f32::INFINITY };
    let with = sent(header(request(vec![1.0], Some(replaces))));
    let gathered = [18, 8, 31, 0x3f, 31, 0x80, 31, 0, 31, 0];
    let replaces = [19, 10, 31, 2, 31, 0x7f, 31, 0x80, 31, 0, 31, 0];
    assert_eq!(with[4..], [&asked[..], &gathered, &replaces, &[0, 0]].concat());

    let reply = Header {
        reply: Some(path([0, 2, 3])),
        direction: Some(Direction::Forward),
        ..Header::default()
    };
    // 4 n + 1 octets and a direction, padded to words.
    let expected = [&[2, 9, 0, 10, 1, 0, 2, 10, 1, 0, 3][..], &[16, 2, 31, 1], &[224]];
    assert_eq!(sent(reply)[4..], expected.concat());

    let error = |kind| {
        let errors = vec![RouteError { addressee: NodeId(0), kind }];
        sent(Header { errors, ..Header::default() })[4..].to_vec()
    };
    let (from, to, reporter, destination) = (NodeId(1), NodeId(2), NodeId(1), NodeId(3));
    let broken = RouteErrorKind::NodeUnreachable { from, to, packet_destination: None };
    assert_eq!(error(broken), [3, 14, 1, 0, 10, 1, 0, 1, 10, 1, 0, 0, 10, 1, 0, 2]);
    let unknown = RouteErrorKind::UnknownFlow { reporter, destination, id: 0x0405 };
    let expected = [&[3, 16, 129, 0, 10, 1, 0, 1, 10, 1, 0, 0][..], &[10, 1, 0, 3, 4, 5, 0, 0]];
    assert_eq!(error(unknown), expected.concat());
    let unknown = RouteErrorKind::DefaultFlowUnknown { reporter, destination };
    assert_eq!(error(unknown)[..4], [3, 14, 130, 0]);
}

#[test]
fn flow_state_is_as_in_rfc_4728_section_7() {
    let sent = |flow, route| dsr(Header { flow, route, ..Header::default() }, tcp(data(0)).body, 0);
    let alone = sent(Some(FlowState { id: 0x0102, establishes: false }), None);
    assert_eq!((&alone[..4], alone.len()), (&[6, 0x80, 1, 2][..], 24));
    let route = SourceRoute { nodes: path([0, 3]), salvages: 0 };
    let begun = sent(Some(FlowState { id: 1, establishes: true }), Some(route));
    assert_eq!(begun[..16], [48, 0x80, 0, 1, 6, 0, 0, 8, 128, 2, 0, 0, 96, 2, 0, 0]);
    // No header at all, not one without options.
    let bytes = ip(Packet { dsr: Some(Arc::new(Header::default())), ..tcp(data(0)) });
    assert_eq!((bytes[9], bytes.len()), (6, 40));
}

#[test]
fn datagrams_that_carry_something_have_its_bytes_and_one_pair_of_ports() {
    let datagram = |is_from_opener, is_answer| {
        let (bytes, opener) = ([7, 8, 9][..].into(), FlowId(2));
        let content = Carried { bytes, opener, is_from_opener, is_answer, tcp: None };
        let flow = FlowId(2 + u32::from(is_from_opener == is_answer));
        Body::Udp(Datagram { carried: Some(content), ..Datagram::zeros(flow, 1, 3) })
    };
    for is_answer in [false, true] {
        let there = carried(packet(datagram(true, is_answer)));
        assert_eq!(there[..6], [0xc0, 2, 1, 0xbb, 0, 11], "to the port of HTTP/3");
        assert_eq!(there[8..], [7, 8, 9]);
        assert_eq!(carried(packet(datagram(false, is_answer)))[..4], [1, 0xbb, 0xc0, 2]);
    }
}

#[test]
fn frames_of_programs_travel_as_they_are_or_behind_the_header_of_routing() {
    let mut frame = vec![2; 12];
    frame.extend([0x86, 0xdd, 0x60, 1, 2, 3]);
    let of_program = Carried::of_program(frame.clone().into(), None);
    let zeros = Datagram::zeros(FlowId(0), 1, 0);
    let bare = packet(Body::Udp(Datagram { carried: Some(of_program), ..zeros }));
    assert_eq!(ipv4::bare_frame(&bare), Some((0x86dd, &[0x60, 1, 2, 3][..])));
    let route = SourceRoute { nodes: path([0, 3]), salvages: 0 };
    let header = Header { route: Some(route), ..Header::default() };
    let routed = Packet { dsr: Some(Arc::new(header)), ..bare };
    assert_eq!(ipv4::bare_frame(&routed), None);
    let inside = carried(routed);
    assert_eq!((inside[0], &inside[inside.len() - 18..]), (143, &frame[..]));
}
