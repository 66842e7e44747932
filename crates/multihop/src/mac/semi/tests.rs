//! Algorithms 1 and 2, row by row.

use super::config::{MarkMemory, SemiProfile};
use super::*;
use crate::config::Limit;
use crate::wire::FrameKind;
use crate::wire::{Body, FlowId, Packet, Payload, Rate, udp};

const A: NodeId = NodeId(0);
const B: NodeId = NodeId(1);
const C: NodeId = NodeId(2);

/// Occupancies with T_c = m = g = 1: free, congested, and full.
const FREE: u32 = 1;
const CONGESTED: u32 = 2;
const FULL: u32 = 3;

fn at_ms(ms: u64) -> Instant {
    Instant::from_nanos(ms * 1_000_000)
}

fn of(config: SemiConfig) -> Admission {
    Admission::new(&config.rules())
}

fn paper() -> Admission {
    of(SemiConfig::default())
}

fn frame(kind: FrameKind, transmitter: NodeId, notice: Notice) -> Frame {
    let datagram = udp::Datagram::zeros(FlowId(0), 0, 512);
    let packet = Packet {
        size_bytes: 532,
        ttl: 30,
        ..Packet::new(transmitter, A, Instant::ZERO, Body::Udp(datagram))
    };
    let payload = (kind == FrameKind::Data).then(|| Box::new(Payload::Packet(packet)));
    let rate = Rate::default();
    Frame { kind, rate, transmitter, receiver: A, duration_us: 0, sequence: 0, notice, payload }
}

/// A first packet for `next_hop`.
fn first(next_hop: NodeId) -> Option<FirstPacket> {
    Some(FirstPacket { next_hop, is_data: true, is_repeating: false })
}

fn defers(node: &Admission, packets: u32) -> bool {
    node.defers_until(at_ms(1), B, packets).is_some()
}

#[test]
fn algorithm_1_row_by_row() {
    // No node is congested: RTS.
    let node = paper();
    assert!(!defers(&node, FREE));
    assert_eq!(node.notice(true, FREE), Notice::None);
    // This node is: RTSC.
    assert!(!defers(&node, CONGESTED));
    assert_eq!(node.notice(true, CONGESTED), Notice::Congested);
    // Another neighbour, or the next hop itself, is: an uncongested node defers.
    for marked in [B, C] {
        let mut node = paper();
        assert!(node.on_heard(at_ms(0), &frame(FrameKind::Rts, marked, Notice::Congested)));
        assert!(defers(&node, FREE), "{marked:?}");
        // A congested one sends RTSC all the same; otherwise no deadlock could be detected.
        assert!(!defers(&node, CONGESTED), "{marked:?}");
    }
}

#[test]
fn algorithm_1_taken_literally_defers_to_a_congested_next_hop() {
    let literal = SemiConfig { congested_next_hop: CongestedNextHop::Defer, ..Default::default() };
    for (marked, expected) in [(B, true), (C, false)] {
        let mut node = of(literal.clone());
        node.on_heard(at_ms(0), &frame(FrameKind::Cts, marked, Notice::Congested));
        assert_eq!(defers(&node, CONGESTED), expected, "{marked:?}");
        assert!(defers(&node, FREE));
    }
}

#[test]
fn a_node_is_congested_from_t_c_plus_m_on() {
    for (t_c, m) in [(1, 1), (3, 1), (1, 4), (1, 0)] {
        let config = SemiConfig {
            congestion_threshold_packets: t_c,
            transit_packets: m,
            ..SemiConfig::default()
        };
        let node = of(config);
        assert!(!node.is_congested(t_c + m - 1) && node.is_congested(t_c + m));
    }
}

#[test]
fn algorithm_2_row_by_row() {
    use Answer::*;
    use Notice::{Congested, None as Plain};
    // Not congested: CTS, for any request and any first packet.
    for notice in [Plain, Congested] {
        for packet in [None, first(A), first(C)] {
            assert_eq!(paper().answer(A, notice, packet, FREE), Cts);
        }
    }
    // Congested, and A granted a CTSC before: CTS, once.
    let mut node = paper();
    node.on_ctsc(A);
    assert_eq!(node.answer(A, Plain, first(C), CONGESTED), Cts);
    assert_eq!(node.answer(A, Plain, first(C), CONGESTED), OwnRts, "repaid");
    // Congested, RTSC, and the first packet is for A: CTSC.
    assert_eq!(paper().answer(A, Congested, first(A), CONGESTED), Ctsc);
    // Congested, RTSC, and it is not: no response, and a smaller window.
    let mut node = paper();
    assert_eq!(node.answer(A, Congested, first(C), CONGESTED), Silence);
    assert_eq!(node.urgent_window(), Some(7));
    node.on_delivered(C, FREE);
    assert_eq!(node.urgent_window(), None, "until the next success");
    // Congested, RTS: its own RTSC, wherever the first packet goes.
    for next_hop in [A, C] {
        let mut node = paper();
        assert_eq!(node.answer(A, Plain, first(next_hop), CONGESTED), OwnRts);
        assert_eq!(node.urgent_window(), None);
    }
}

#[test]
fn a_full_node_grants_nothing() {
    let mut node = paper();
    node.on_ctsc(A);
    assert_eq!(node.answer(A, Notice::Congested, first(A), FULL), Answer::Silence);
    let none = SemiConfig { deadlock_packets: Some(Limit::Finite(0)), ..Default::default() };
    let answer = of(none).answer(A, Notice::Congested, first(A), CONGESTED);
    assert_eq!(answer, Answer::Silence, "g = 0: the deadlock remains");
}

#[test]
fn routing_packets_are_never_refused() {
    for packets in [FREE, CONGESTED, FULL, 40] {
        let mut node = paper();
        assert_eq!(node.answer(A, Notice::Urgent, first(C), packets), Answer::Cts);
        assert_eq!(node.notice(false, packets), Notice::Urgent);
    }
}

#[test]
fn a_congested_node_without_a_packet_to_send_admits_nothing() {
    let answer = |profile| {
        let config = SemiConfig { profile, ..SemiConfig::default() };
        of(config).answer(A, Notice::None, None, CONGESTED)
    };
    assert_eq!(answer(SemiProfile::Paper), Answer::Silence);
    assert_eq!(answer(SemiProfile::Author), Answer::Cts);
}

#[test]
fn a_node_waiting_to_repeat_its_rts_answers_only_its_next_hop() {
    let repeating = |next_hop| Some(FirstPacket { next_hop, is_data: true, is_repeating: true });
    for notice in [Notice::None, Notice::Congested] {
        let mut node = paper();
        node.on_ctsc(A);
        assert_eq!(node.answer(A, notice, repeating(C), CONGESTED), Answer::Silence);
        assert_eq!(node.urgent_window(), None);
    }
    let answer = paper().answer(A, Notice::Congested, repeating(A), CONGESTED);
    assert_eq!(answer, Answer::Ctsc, "or two nodes that repeat would never answer each other");
}

#[test]
fn a_node_is_granted_ctsc_once_until_it_repays_or_congestion_ends() {
    type End = fn(&mut Admission);
    let ends: [(&str, End); 4] = [
        ("a packet was delivered to A", |node| node.on_delivered(A, CONGESTED)),
        ("no longer congested", |node| node.on_occupancy(FREE)),
        ("no data followed", Admission::on_grant_unused),
        ("A has helped in turn", |node| node.on_ctsc(A)),
    ];
    for (why, end) in ends {
        let mut node = paper();
        assert_eq!(node.answer(A, Notice::Congested, first(A), CONGESTED), Answer::Ctsc);
        node.on_ctsc_sent(A);
        for _ in 0..3 {
            let answer = node.answer(A, Notice::Congested, first(A), CONGESTED);
            assert_eq!(answer, Answer::Silence, "before {why}");
        }
        end(&mut node);
        let answer = node.answer(A, Notice::Congested, first(A), CONGESTED);
        assert!([Answer::Ctsc, Answer::Cts].contains(&answer), "{why}: {answer:?}");
    }
    let mut node = paper();
    node.on_ctsc_sent(A);
    node.on_granted_data();
    node.on_delivered(C, CONGESTED);
    node.on_grant_unused();
    let answer = node.answer(A, Notice::Congested, first(A), CONGESTED);
    assert_eq!(answer, Answer::Silence, "a packet delivered to another node does not count");
}

#[test]
fn the_authors_program_refuses_by_rtsc_and_repays_nothing() {
    let author = SemiConfig { profile: SemiProfile::Author, ..SemiConfig::default() };
    let mut node = of(author.clone());
    node.on_ctsc(A);
    assert_eq!(node.answer(A, Notice::Congested, first(C), CONGESTED), Answer::OwnRts);
    assert_eq!(node.answer(A, Notice::Congested, first(A), 40), Answer::Ctsc, "no bound g");
    node.on_ctsc_sent(A);
    assert_eq!(node.answer(A, Notice::Congested, first(A), 40), Answer::OwnRts);
    assert_eq!(node.urgent_window(), None);
    let mut node = of(author);
    assert!(node.on_heard(at_ms(0), &frame(FrameKind::Rts, C, Notice::Urgent)));
    assert!(!paper().on_heard(at_ms(0), &frame(FrameKind::Rts, C, Notice::Urgent)));
    assert_eq!(node.fixed_deferral(at_ms(2)), Some(at_ms(8)));
    node.on_heard(at_ms(3), &frame(FrameKind::Data, B, Notice::None));
    assert!(node.is_clear(), "any node's data frame");
}

#[test]
fn a_node_whose_rts_is_refused_defers_to_who_refused() {
    for packets in [FREE, CONGESTED] {
        let mut node = paper();
        node.on_refused(at_ms(0), B, packets);
        assert!(defers(&node, FREE), "{packets} packets");
    }
}

#[test]
fn only_data_of_the_marked_node_clear_its_mark() {
    let mut node = paper();
    assert_eq!(node.rules.marks, MarkMemory::PerNeighbour);
    node.on_heard(at_ms(0), &frame(FrameKind::Cts, B, Notice::Congested));
    for (kind, transmitter) in [(FrameKind::Data, C), (FrameKind::Rts, B), (FrameKind::Ack, B)] {
        node.on_heard(at_ms(0), &frame(kind, transmitter, Notice::None));
        assert!(defers(&node, FREE), "{kind:?} of {transmitter:?}");
    }
    let mut control = frame(FrameKind::Data, B, Notice::None);
    let packet = Packet::new(B, A, Instant::ZERO, Body::Dsr);
    control.payload = Some(Box::new(Payload::Packet(packet)));
    node.on_heard(at_ms(0), &control);
    assert!(defers(&node, FREE), "a routing packet clears no mark");
    node.on_heard(at_ms(0), &frame(FrameKind::Data, B, Notice::None));
    assert!(!defers(&node, FREE));
}
