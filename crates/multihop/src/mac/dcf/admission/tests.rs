//! Whole stations under semi-TCP's rules, stepped by hand: the cases of Fig. 3, the deadlock of
//! Fig. 4, the monopolization of Fig. 5, and deferral.

use crate::config::Limit;
use crate::mac::config::{MacConfig, MacScheme};
use crate::mac::dcf::tests::{A, B, C, CONTROL, DATA, Station, carry, kinds, packet};
use crate::mac::semi::SemiConfig;
use crate::mac::semi::config::{CongestedNextHop, OtherRtsc, SemiProfile};
use crate::mac::{Access, Defers};
use crate::profile::Profile;
use crate::wire::{Body, Frame, FrameKind, NodeId, Notice, Packet, Payload};

const D: NodeId = NodeId(3);
const BYTES: u32 = 572;

fn station(node: NodeId, semi: SemiConfig) -> Station {
    let config = MacConfig { scheme: MacScheme::SemiTcp, semi, ..MacConfig::default() };
    Station::new(node, &config, Profile::Ns2)
}

/// A station that has packets for these next hops, the first in service.
fn with_packets(node: NodeId, semi: &SemiConfig, next_hops: &[NodeId]) -> Station {
    let mut station = station(node, semi.clone());
    let mut numbered = (0u32..).zip(next_hops);
    if let Some((number, &next_hop)) = numbered.next() {
        station.send(next_hop, packet(number, BYTES));
    }
    station.queue.extend(numbered.map(|(number, &next_hop)| (next_hop, packet(number, BYTES))));
    station.drive(|mac, cx| mac.on_occupancy(cx));
    station
}

fn paper(node: NodeId, next_hops: &[NodeId]) -> Station {
    with_packets(node, &SemiConfig::default(), next_hops)
}

/// Two packets: congested, with T_c = m = 1.
fn congested(node: NodeId, first: NodeId) -> Station {
    paper(node, &[first, first])
}

/// A frame's name in Fig. 3.
fn name(frame: &Frame) -> &'static str {
    match (frame.kind, frame.notice) {
        (FrameKind::Rts, Notice::Congested) => "RTSC",
        (FrameKind::Rts, _) => "RTS",
        (FrameKind::Cts, Notice::Congested) => "CTSC",
        (FrameKind::Cts, _) => "CTS",
        (FrameKind::Data, _) => "DATA",
        (FrameKind::Ack, _) => "ACK",
        (FrameKind::BlockAck | FrameKind::Aggregate | FrameKind::Ethernet | FrameKind::Tone, _) => {
            unreachable!("one packet at a time")
        }
    }
}

/// The request that `a` sends at its turn, and the response of `b`.
fn handshake(a: &mut Station, b: &mut Station) -> (&'static str, Option<Frame>) {
    let request = a.turn();
    let asked = name(request.as_ref().expect("a request"));
    carry(request, a, b);
    let answer = b.sifs.is_some().then(|| b.after_sifs()).flatten();
    (asked, answer)
}

/// Completes the exchange after `granted`, a CTS or CTSC of `b`.
fn deliver(a: &mut Station, b: &mut Station, granted: Option<Frame>) {
    assert_eq!(kinds(&granted), Some(FrameKind::Cts));
    carry(granted, b, a);
    let data = a.after_sifs();
    carry(data, a, b);
    let ack = b.after_sifs();
    carry(ack, b, a);
    b.now = a.now;
    b.time_out();
}

fn rts(from: NodeId, to: NodeId, notice: Notice) -> Frame {
    Frame {
        kind: FrameKind::Rts,
        rate: CONTROL,
        transmitter: from,
        receiver: to,
        duration_us: 3000,
        sequence: 0,
        notice,
        payload: None,
    }
}

fn data(from: NodeId, to: NodeId) -> Frame {
    let kind = FrameKind::Data;
    let payload = Some(Box::new(Payload::Packet(packet(9, BYTES))));
    Frame { kind, rate: DATA, duration_us: 0, payload, ..rts(from, to, Notice::None) }
}

/// Lets `station` receive or overhear an RTS or data frame.
fn hear(station: &mut Station, frame: Frame) {
    station.hear(frame);
}

#[test]
fn fig_3_a_no_congestion() {
    let (mut a, mut b) = (paper(A, &[B]), paper(B, &[]));
    let (asked, answer) = handshake(&mut a, &mut b);
    assert_eq!((asked, answer.as_ref().map(name)), ("RTS", Some("CTS")));
    deliver(&mut a, &mut b, answer);
    assert_eq!(b.received.len(), 1);
}

#[test]
fn fig_3_b_the_receiver_is_congested() {
    for to in [C, A] {
        let (mut a, mut b) = (paper(A, &[B]), congested(B, to));
        let (asked, answer) = handshake(&mut a, &mut b);
        let refusal = answer.expect("an RTSC instead of a CTS");
        assert_eq!((asked, name(&refusal), refusal.receiver), ("RTS", "RTSC", to));
        assert_eq!(b.now - a.now, a.timing.rts(CONTROL) + a.timing.sifs, "at once");
        let window = a.mac.cw;
        carry(Some(refusal), &b, &mut a);
        // A recognises the refusal: no retry, and it defers to B.
        assert!(a.mac.is_holding() && a.timeout.is_none());
        assert_eq!((a.mac.short_retries, a.mac.cw), (0, window));
        // If the RTSC was for A, the uncongested A grants it.
        assert_eq!(a.sifs.is_some(), to == A);
    }
}

#[test]
fn fig_3_c_the_sender_is_congested() {
    let (mut a, mut b) = (congested(A, B), paper(B, &[]));
    let (asked, answer) = handshake(&mut a, &mut b);
    assert_eq!((asked, answer.as_ref().map(name)), ("RTSC", Some("CTS")));
    // Also by a receiver with a packet of its own that is not congested.
    let (mut a, mut b) = (congested(A, B), paper(B, &[C]));
    assert_eq!(handshake(&mut a, &mut b).1.as_ref().map(name), Some("CTS"));
}

#[test]
fn fig_3_d_and_fig_4_a_deadlock_is_resolved_by_ctsc() {
    let (mut a, mut b) = (congested(A, B), congested(B, A));
    let (asked, answer) = handshake(&mut a, &mut b);
    assert_eq!((asked, answer.as_ref().map(name)), ("RTSC", Some("CTSC")));
    deliver(&mut a, &mut b, answer);
    // A now has one packet left, and B has three once it forwards what it received: A's turn to
    // receive.
    b.queue.push_back((C, packet(7, BYTES)));
    let (asked, answer) = handshake(&mut b, &mut a);
    assert_eq!((asked, answer.as_ref().map(name)), ("RTSC", Some("CTS")));
    deliver(&mut b, &mut a, answer);
    assert_eq!((a.received.len(), b.received.len()), (1, 1), "both are relieved");
}

#[test]
fn fig_4_without_reserved_space_the_deadlock_lasts() {
    let none = SemiConfig { deadlock_packets: Some(Limit::Finite(0)), ..SemiConfig::default() };
    let mut a = with_packets(A, &none, &[B, B]);
    let mut b = with_packets(B, &none, &[A, A]);
    for _ in 0..3 {
        let (asked, answer) = handshake(&mut a, &mut b);
        assert_eq!((asked, answer), ("RTSC", None));
        a.time_out();
        b.now = a.now;
        let (asked, answer) = handshake(&mut b, &mut a);
        assert_eq!((asked, answer), ("RTSC", None));
        b.time_out();
        a.now = b.now;
    }
    assert!(a.received.is_empty() && b.received.is_empty());
}

/// Fig. 5: B relieved A, then C filled A again; A asks B before B had its turn.
fn monopolizing(semi: &SemiConfig) -> (Station, Station, &'static str, Option<Frame>) {
    let mut a = with_packets(A, semi, &[B, B]);
    let mut b = with_packets(B, semi, &[A, A]);
    let (_, answer) = handshake(&mut a, &mut b);
    assert_eq!(answer.as_ref().map(name), Some("CTSC"));
    deliver(&mut a, &mut b, answer);
    a.queue.push_back((B, packet(8, BYTES)));
    a.drive(|mac, cx| mac.on_occupancy(cx));
    let (asked, answer) = handshake(&mut a, &mut b);
    (a, b, asked, answer)
}

#[test]
fn fig_3_e_and_fig_5_a_node_that_was_helped_does_not_monopolize() {
    // Algorithm 2: no response, and B contends with the window MIN_CONGESTION.
    let (mut a, mut b, asked, answer) = monopolizing(&SemiConfig::default());
    assert_eq!((asked, answer), ("RTSC", None));
    assert_eq!(b.mac.cw, 7);
    a.time_out();
    assert_eq!(a.mac.short_retries, 1, "no response is a failed attempt");
    // Then B asks, and A repays the grant although it is congested again.
    b.now = a.now;
    let (asked, answer) = handshake(&mut b, &mut a);
    assert_eq!((asked, answer.as_ref().map(name)), ("RTSC", Some("CTS")));
    deliver(&mut b, &mut a, answer);
    assert_eq!(b.mac.cw, 31, "until the next success");
    // The prose and the figure: B answers with its own RTSC, which A repays at once.
    let by_prose = SemiConfig { other_rtsc: Some(OtherRtsc::Rtsc), ..SemiConfig::default() };
    let (mut a, mut b, asked, answer) = monopolizing(&by_prose);
    let refusal = answer.expect("an RTSC instead of a CTS");
    assert_eq!((asked, name(&refusal), refusal.receiver), ("RTSC", "RTSC", A));
    carry(Some(refusal), &b, &mut a);
    assert_eq!(a.mac.short_retries, 1, "or a cycle of such refusals would never end");
    let answer = a.after_sifs();
    assert_eq!(answer.as_ref().map(name), Some("CTS"));
    deliver(&mut b, &mut a, answer);
    assert_eq!(a.received.len(), 1);
}

#[test]
fn an_unused_grant_leaves_the_deadlock_open_to_both() {
    let (mut a, mut b) = (congested(A, B), congested(B, A));
    for _ in 0..2 {
        let (_, answer) = handshake(&mut a, &mut b);
        assert_eq!(answer.as_ref().map(name), Some("CTSC"), "the last one was lost");
        a.time_out();
        b.now = b.timeout.expect("B waits for data").max(a.now);
        b.timeout = Some(b.now);
        b.time_out();
        a.now = b.now;
    }
}

#[test]
fn a_node_waiting_to_repeat_its_rts_is_silent_to_others() {
    let mut a = congested(A, B);
    a.turn();
    a.time_out();
    for notice in [Notice::None, Notice::Congested] {
        hear(&mut a, rts(C, A, notice));
        assert!(a.sifs.is_none(), "{notice:?}");
    }
    hear(&mut a, rts(B, A, Notice::Congested));
    assert_eq!(a.after_sifs().as_ref().map(name), Some("CTSC"));
}

#[test]
fn a_packet_is_deferred_until_the_mark_is_released() {
    for k in [1, 2] {
        let semi = SemiConfig { release_frames: k, ..SemiConfig::default() };
        let mut a = with_packets(A, &semi, &[B]);
        assert!(a.contention.is_backing_off());
        hear(&mut a, rts(C, D, Notice::Congested));
        assert!(a.mac.is_holding() && !a.contention.is_backing_off());
        let end = a.mac.deferral_end().expect("the mark's end");
        assert_eq!(end - a.now, crate::kernel::Duration::from_millis(20 * u64::from(k)));
        for _ in 0..k {
            assert!(a.mac.is_holding());
            hear(&mut a, data(C, D));
        }
        assert!(!a.mac.is_holding() && a.contention.is_backing_off());
        assert_eq!((a.mac.cw, a.mac.short_retries), (31, 0));
        assert_eq!(a.turn().as_ref().map(name), Some("RTS"));
    }
}

#[test]
fn a_deferral_ends_with_the_mark_or_when_the_node_itself_is_congested() {
    let mut a = paper(A, &[B]);
    hear(&mut a, rts(C, D, Notice::Congested));
    let first_end = a.mac.deferral_end().unwrap();
    hear(&mut a, rts(C, D, Notice::Congested));
    let end = a.mac.deferral_end().unwrap();
    assert!(end > first_end, "a new mark lasts longer");
    a.now = end;
    a.drive(|mac, cx| mac.on_deferral_end(cx));
    assert_eq!(a.turn().as_ref().map(name), Some("RTS"));

    let mut a = paper(A, &[B]);
    hear(&mut a, rts(C, D, Notice::Congested));
    a.queue.push_back((B, packet(1, BYTES)));
    a.drive(|mac, cx| mac.on_occupancy(cx));
    assert_eq!(a.turn().as_ref().map(name), Some("RTSC"), "a congested node asks");
}

#[test]
fn a_packet_handed_over_under_a_mark_does_not_contend() {
    let mut a = paper(A, &[]);
    hear(&mut a, rts(B, D, Notice::Congested));
    a.send(B, packet(0, BYTES));
    assert!(a.mac.is_holding() && !a.contention.is_backing_off());
    assert!(!a.mac.wants(&packet(1, BYTES)));
}

#[test]
fn routing_packets_overtake_a_deferred_packet() {
    let mut a = paper(A, &[B]);
    hear(&mut a, rts(C, D, Notice::Congested));
    let reply = Packet { body: Body::Dsr, ..packet(5, 60) };
    assert!(a.mac.wants(&reply));
    a.send(D, reply);
    let request = a.turn().expect("a request");
    assert_eq!((request.notice, request.receiver), (Notice::Urgent, D));
    // Meanwhile the mark is cleared; the data packet follows the routing packet.
    hear(&mut a, data(C, D));
    assert!(a.mac.is_holding(), "another packet is in service");
    let cts = Frame { kind: FrameKind::Cts, notice: Notice::None, ..rts(D, A, Notice::None) };
    a.hear(cts);
    a.after_sifs();
    let ack = Frame { kind: FrameKind::Ack, ..rts(D, A, Notice::None) };
    a.hear(ack);
    assert!(!a.mac.is_holding());
    assert_eq!(a.turn().map(|frame| frame.receiver), Some(B));
}

#[test]
fn a_frame_is_given_up_after_ssrl_unanswered_requests() {
    for limit in [1, 4, 9] {
        let config = MacConfig {
            scheme: MacScheme::SemiTcp,
            short_retry_limit: Limit::Finite(limit),
            ..MacConfig::default()
        };
        let mut a = Station::new(A, &config, Profile::Ns2);
        a.send(B, packet(0, BYTES));
        for tried in 0..limit {
            assert!(a.failures.is_empty(), "after {tried}");
            a.turn();
            a.time_out();
        }
        assert_eq!((a.failures.len(), a.counters.rts_sent), (1, u64::from(limit)));
    }
}

#[test]
fn the_cts_timeout_leaves_time_for_an_rtsc() {
    let mut a = paper(A, &[B]);
    a.turn();
    let until = a.timeout.unwrap() - a.now;
    let rts = a.timing.rts(CONTROL);
    assert_eq!(until, a.timing.cts_timeout(CONTROL) + (rts - a.timing.cts(CONTROL)));
    assert!(until >= rts + a.timing.sifs + rts);
}

#[test]
fn the_authors_program_tests_once_and_defers_for_a_fixed_time() {
    let author = SemiConfig { profile: SemiProfile::Author, ..SemiConfig::default() };
    let mut a = with_packets(A, &author, &[B]);
    hear(&mut a, rts(C, D, Notice::Congested));
    assert!(!a.mac.is_holding(), "a frame in contention is not stopped");
    let mut a = with_packets(A, &author, &[]);
    hear(&mut a, rts(C, D, Notice::Congested));
    a.now += crate::kernel::Duration::from_millis(2);
    a.send(B, packet(0, BYTES));
    let end = a.mac.deferral_end().expect("deferred");
    assert_eq!(
        end - a.now,
        crate::kernel::Duration::from_millis(6),
        "however long the mark has left"
    );
    hear(&mut a, rts(C, D, Notice::Congested));
    assert_eq!(a.mac.deferral_end(), Some(end));
    a.now = end;
    a.drive(|mac, cx| mac.on_deferral_end(cx));
    assert_eq!(a.turn().as_ref().map(name), Some("RTS"), "without testing again");
}

#[test]
fn algorithm_1_taken_literally_never_asks_a_congested_next_hop() {
    let literal =
        SemiConfig { congested_next_hop: CongestedNextHop::Defer, ..SemiConfig::default() };
    let mut a = with_packets(A, &literal, &[B, B]);
    hear(&mut a, rts(B, A, Notice::Congested));
    a.sifs = None;
    assert!(a.mac.is_holding());
}

/// Completes the exchange of the RTS that `a` sends at its next turn.
fn complete_exchange(a: &mut Station) {
    let asked = a.turn().expect("a request").receiver;
    let cts = Frame { kind: FrameKind::Cts, ..rts(asked, A, Notice::None) };
    a.hear(cts);
    a.after_sifs();
    let ack = Frame { kind: FrameKind::Ack, ..rts(asked, A, Notice::None) };
    a.hear(ack);
}

#[test]
fn the_end_of_the_authors_deferral_clears_a_mark_renewed_meanwhile() {
    let author = SemiConfig { profile: SemiProfile::Author, ..SemiConfig::default() };
    let mut a = with_packets(A, &author, &[]);
    hear(&mut a, rts(C, D, Notice::Congested));
    a.send(B, packet(0, BYTES));
    let end = a.mac.deferral_end().expect("deferred");
    a.now = end - crate::kernel::Duration::from_millis(1);
    hear(&mut a, rts(C, D, Notice::Congested));
    let renewed = a.now;
    a.now = end;
    a.drive(|mac, cx| mac.on_deferral_end(cx));
    a.queue.push_back((B, packet(1, BYTES)));
    complete_exchange(&mut a);
    assert_eq!(a.mac.data_packets(), 1, "the second packet was handed over");
    assert!(a.now < renewed + crate::kernel::Duration::from_millis(6), "while the mark would last");
    assert!(!a.mac.is_holding(), "the second packet finds no mark");
}
