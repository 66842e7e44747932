//! Exchanges of A-MPDUs by hand, and with losses at random.

use proptest::prelude::*;

use super::super::tests::{A, B, C, Station, carry, kinds, packet};
use super::*;
use crate::mac::Access;
use crate::mac::aggregation::HOLD;
use crate::mac::config::MacConfig;
use crate::wire::Body;

fn config(keys: &str) -> MacConfig {
    let keys = format!("phy = \"802.11n\"\naggregate = 64\n{keys}");
    let mut table = toml::from_str(&keys).unwrap();
    MacConfig::fill_in_phy(&mut table);
    let config: MacConfig = table.try_into().unwrap();
    config.check().unwrap();
    config
}

const NO_RTS: &str = "rts_threshold_bytes = inf\n";

/// `A` with so many packets for `B`, numbered from 0, and `B`.
fn pair(keys: &str, packets: u32) -> (Station, Station) {
    let station = |node| Station::new(node, &config(keys), Profile::Standard);
    let mut a = station(A);
    for number in 1..packets {
        a.queue.push_back((B, packet(number, 1020)));
    }
    a.send(B, packet(0, 1020));
    (a, station(B))
}

fn numbers(packets: &[(Packet, NodeId)]) -> Vec<u32> {
    packets.iter().map(|(packet, _)| number(packet)).collect()
}

fn number(packet: &Packet) -> u32 {
    match &packet.body {
        Body::Udp(datagram) => datagram.number,
        _ => unreachable!("datagrams only"),
    }
}

/// Number and earlier attempts of each packet in `frame`.
fn carried(frame: &Option<Frame>) -> Vec<(u32, u32)> {
    let frame = frame.as_ref().expect("a frame was sent");
    let mpdus = &frame.aggregate().expect("an A-MPDU").mpdus;
    mpdus.iter().map(|mpdu| (number(&mpdu.packet), mpdu.attempts)).collect()
}

/// `frame` as a node gets it that receives these of its MPDUs.
fn damaged(frame: Option<Frame>, received: u64) -> Option<Frame> {
    let mut frame = frame?;
    frame.mark_received(received.into());
    Some(frame)
}

/// `A` sends what it has, `B` receives these of its MPDUs and answers.
fn exchange(a: &mut Station, b: &mut Station, received: u64) -> Option<Frame> {
    let sent = a.turn();
    carry(damaged(sent.clone(), received), a, b);
    let answer = b.after_sifs();
    assert_eq!(kinds(&answer), Some(FrameKind::BlockAck));
    carry(answer, b, a);
    b.time_out();
    sent
}

#[test]
fn packets_for_one_neighbour_go_together_and_are_answered_together() {
    let (mut a, mut b) = pair(NO_RTS, 3);
    a.queue.insert(1, (C, packet(9, 1020)));
    let sent = a.turn();
    assert_eq!(carried(&sent), [(0, 0), (1, 0), (2, 0)]);
    // A BlockAck of 32 bytes at 24 Mbit/s: 20 us and 3 symbols.
    assert_eq!(sent.as_ref().unwrap().duration_us, 16 + 20 + 12);
    // Each 4 + 26 + 1020 + 4 bytes, padded to 1056 but the last: 3166 bytes in 98 symbols of 260
    // bits.
    assert_eq!(a.timing.airtime(sent.as_ref().unwrap()), Duration::from_micros(36 + 98 * 4));
    carry(sent, &a, &mut b);
    assert_eq!(numbers(&b.received), [0, 1, 2]);
    assert!(b.received.iter().all(|(packet, from)| packet.hops == 1 && *from == A));
    let answer = b.after_sifs();
    assert_eq!(answer.as_ref().unwrap().bitmap(), Some(0b111.into()));
    carry(answer, &b, &mut a);
    assert!(a.timeout.is_none() && a.failures.is_empty() && a.contention.is_backing_off());
    // The other's turn; alone it goes as plain data.
    let next = a.turn();
    assert_eq!(kinds(&next), Some(FrameKind::Data));
    assert_eq!(next.unwrap().receiver, C);
    let counters = &a.counters;
    assert_eq!((counters.data_sent, counters.aggregates_sent, counters.aggregated_sent), (2, 1, 3));
}

#[test]
fn an_rts_announces_the_whole_exchange() {
    let (mut a, mut b) = pair("", 3);
    let rts = a.turn();
    // CTS at 6 Mbit/s in 44 us, the A-MPDU, the BlockAck, SIFS before each.
    assert_eq!(rts.as_ref().unwrap().duration_us, 3 * 16 + 44 + (36 + 98 * 4) + 32);
    carry(rts, &a, &mut b);
    let cts = b.after_sifs();
    carry(cts, &b, &mut a);
    let sent = a.after_sifs();
    assert_eq!(carried(&sent).len(), 3);
    carry(sent, &a, &mut b);
    assert_eq!(numbers(&b.received), [0, 1, 2]);
    assert_eq!(kinds(&b.after_sifs()), Some(FrameKind::BlockAck));
}

#[test]
fn what_the_bitmap_leaves_out_is_sent_again_first() {
    let (mut a, mut b) = pair(NO_RTS, 4);
    a.mac.cw = 255;
    exchange(&mut a, &mut b, 0b1010);
    assert_eq!(numbers(&b.received), [0; 0], "all wait for the first");
    assert_eq!(a.mac.cw, 15, "one acknowledged is enough");
    a.queue.push_back((B, packet(4, 1020)));
    assert_eq!(carried(&exchange(&mut a, &mut b, u64::MAX)), [(0, 1), (2, 1), (4, 0)]);
    assert_eq!(numbers(&b.received), [0, 1, 2, 3, 4]);
    assert!(a.mac.is_free());
}

#[test]
fn those_that_are_sent_again_do_not_keep_others_waiting() {
    let (mut a, mut b) = pair(NO_RTS, 2);
    exchange(&mut a, &mut b, 0b01);
    a.queue.push_back((C, packet(8, 1020)));
    a.queue.push_back((B, packet(9, 1020)));
    let next = a.turn();
    assert_eq!(kinds(&next), Some(FrameKind::Data), "the second packet alone");
    carry(next, &a, &mut b);
    let ack = b.after_sifs();
    carry(ack, &b, &mut a);
    assert_eq!(a.turn().unwrap().receiver, C);
}

#[test]
fn a_missing_block_ack_is_a_failure_of_all() {
    let (mut a, mut b) = pair(NO_RTS, 3);
    let sent = a.turn();
    carry(sent, &a, &mut b);
    b.after_sifs();
    b.time_out();
    a.time_out();
    assert_eq!(a.mac.cw, 31);
    a.queue.push_back((B, packet(3, 1020)));
    // The same packets again, which have all arrived.
    assert_eq!(carried(&exchange(&mut a, &mut b, u64::MAX)), [(0, 1), (1, 1), (2, 1)]);
    assert_eq!(numbers(&b.received), [0, 1, 2]);
    assert!(a.failures.is_empty() && a.mac.cw == 15);
}

#[test]
fn a_packet_over_its_limit_is_given_up_alone() {
    let (mut a, mut b) = pair(&format!("{NO_RTS}short_retry_limit = 2"), 4);
    exchange(&mut a, &mut b, 0b1100);
    exchange(&mut a, &mut b, 0b10);
    assert_eq!(numbers(&a.failures), [0]);
    assert_eq!((a.counters.retry_drops, numbers(&b.received)), (1, vec![]));
    // The next frame tells that it will not come.
    a.send(B, packet(4, 1020));
    let next = a.turn();
    carry(next, &a, &mut b);
    assert_eq!(numbers(&b.received), [1, 2, 3, 4]);
}

#[test]
fn without_any_answer_all_reach_the_limit_together() {
    for (keys, attempts) in [(format!("{NO_RTS}short_retry_limit = 3"), 3), (String::new(), 7)] {
        let (mut a, _) = pair(&keys, 3);
        for _ in 0..attempts {
            assert!(a.failures.is_empty());
            a.turn();
            a.time_out();
        }
        assert_eq!((numbers(&a.failures), a.counters.retry_drops), (vec![0, 1, 2], 3), "{keys}");
        assert!(a.mac.is_free() && a.mac.cw == 15);
    }
}

#[test]
fn no_packet_is_more_than_a_window_ahead() {
    let (mut a, mut b) = pair(&format!("{NO_RTS}mcs = 7\nshort_retry_limit = inf"), 200);
    for highest in [40, 63] {
        let sent = carried(&exchange(&mut a, &mut b, !1));
        let [first, last] = [sent.first(), sent.last()].map(|mpdu| mpdu.unwrap().0);
        assert_eq!((first, last, numbers(&b.received).len()), (0, highest, 0));
    }
    // More do not join it until it has come, or is given up.
    let last = a.turn();
    assert_eq!(kinds(&last), Some(FrameKind::Data));
    carry(last, &a, &mut b);
    assert_eq!(numbers(&b.received), (0..64).collect::<Vec<_>>());
}

#[test]
fn what_is_held_goes_up_after_a_while() {
    let (mut a, mut b) = pair(NO_RTS, 4);
    exchange(&mut a, &mut b, 0b1010);
    let due = b.hold_until.take().expect("something is held");
    assert!(due <= b.now + HOLD && due > b.now);
    b.now = due - Duration::from_nanos(1);
    b.drive(Dcf::on_hold_over);
    assert_eq!(numbers(&b.received), [0; 0]);
    b.now = due;
    b.drive(Dcf::on_hold_over);
    assert_eq!(numbers(&b.received), [1]);
    b.now = b.hold_until.take().expect("the next is missing too");
    b.drive(Dcf::on_hold_over);
    assert_eq!(numbers(&b.received), [1, 3]);
}

#[test]
fn at_a_slower_rate_as_many_as_fit_go_together() {
    for (keys, expected) in [
        // 5448 us at 6.5 Mbit/s are 4423 bytes.
        ("mcs = 0", 4),
        ("aggregate_bytes = 3000", 2),
        ("aggregate_s = 2.2e-3\nmcs = 1", 3),
        ("aggregate = 5", 5),
    ] {
        let keys = keys.replace("aggregate = 5", "");
        let mut own = config(&format!("{NO_RTS}{keys}"));
        if expected == 5 {
            own.aggregate = Some(5);
        }
        let mut a = Station::new(A, &own, Profile::Standard);
        (1..64).for_each(|number| a.queue.push_back((B, packet(number, 1020))));
        a.send(B, packet(0, 1020));
        let sent = a.turn();
        assert_eq!(carried(&sent).len(), expected, "{keys}");
        let room = own.aggregation().unwrap().time;
        assert!(a.timing.airtime(sent.as_ref().unwrap()) <= room);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]
    #[test]
    fn every_packet_arrives_once_and_in_order_or_is_given_up(
        losses in prop::collection::vec((any::<u64>(), 0u8..10, 0u8..10), 1..60),
        packets in 1u32..150,
        limit in 2u32..8,
    ) {
        let (mut a, mut b) = pair(&format!("{NO_RTS}short_retry_limit = {limit}"), packets);
        let mut losses = losses.into_iter().cycle();
        for _ in 0..5_000 {
            if a.mac.is_free() {
                break;
            }
            let (received, frame_loss, answer_loss) = losses.next().unwrap();
            let sent = a.turn();
            let is_lost = match kinds(&sent) {
                Some(FrameKind::Data) => frame_loss < 4,
                _ => frame_loss < 2 || received == 0,
            };
            if is_lost {
                a.time_out();
                continue;
            }
            carry(damaged(sent, received), &a, &mut b);
            // None of those that it carries may have come.
            if b.sifs.is_none() {
                a.time_out();
                continue;
            }
            let answer = b.after_sifs();
            b.time_out();
            if answer_loss < 3 {
                a.time_out();
            } else {
                carry(answer, &b, &mut a);
            }
        }
        prop_assert!(a.mac.is_free());
        while let Some(due) = b.hold_until.take() {
            b.now = b.now.max(due);
            b.drive(Dcf::on_hold_over);
        }
        let received = numbers(&b.received);
        prop_assert!(received.windows(2).all(|pair| pair[0] < pair[1]), "{:?}", received);
        let given_up = numbers(&a.failures);
        for number in 0..packets {
            prop_assert!(received.contains(&number) || given_up.contains(&number), "{number}");
        }
    }
}
