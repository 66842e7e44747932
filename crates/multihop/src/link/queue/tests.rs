//! Queues under CoDel, driven by hand.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;
use crate::kernel::{Duration, Purpose, Rng};
use crate::wire::aodv::{Message, SequenceNumber};
use crate::wire::{Body, Ecn, FlowId, arp, tcp, udp};

const B: NodeId = NodeId(1);
const C: NodeId = NodeId(2);

fn at(ms: u64) -> Instant {
    Instant::from_nanos(ms * 1_000_000)
}

/// Packet `number`, which its hops tell.
fn packet(number: u16, size_bytes: u32, body: Body) -> Packet {
    Packet { size_bytes, ttl: 30, hops: number, ..Packet::new(NodeId(0), C, Instant::ZERO, body) }
}

fn data_of(flow: u32, number: u16, size_bytes: u32) -> Packet {
    let datagram = udp::Datagram::zeros(FlowId(flow), 0, 100);
    packet(number, size_bytes, Body::Udp(datagram))
}

fn data(number: u16) -> Packet {
    data_of(0, number, 1500)
}

fn ack(flow: u32, number: u16) -> Packet {
    let kind = tcp::SegmentKind::Ack { number: 0, probe: false, sent: Instant::ZERO, window: 0 };
    packet(number, 40, Body::Tcp(tcp::Segment::new(FlowId(flow), kind)))
}

fn routing(number: u16) -> Packet {
    let sequence = SequenceNumber(0);
    let hello = Message::Hello { sequence, lifetime: Duration::ZERO, extension: None };
    packet(number, 44, Body::Aodv(hello))
}

fn address(number: u16) -> Packet {
    packet(number, 28, Body::Arp(arp::Message::Reply))
}

fn queue(discipline: QueueDiscipline, size: usize) -> InterfaceQueue {
    InterfaceQueue::new(
        discipline,
        size,
        &CodelConfig::default(),
        Rng::stream(1, Purpose::QueueManagement, 0),
    )
}

fn numbers(packets: &[Packet]) -> Vec<u16> {
    packets.iter().map(|packet| packet.hops).collect()
}

/// Every packet that leaves at `now`.
fn drained(queue: &mut InterfaceQueue, now: Instant) -> Vec<u16> {
    std::iter::from_fn(|| queue.pop(now).map(|(_, packet)| packet.hops)).collect()
}

/// Fills `queue` at `from` [ms] and takes a packet each millisecond until `count` have been dropped
/// or marked. Returns when they were, from then on [ms].
fn struck(queue: &mut InterfaceQueue, from: u64, count: usize, ecn: Ecn) -> Vec<u64> {
    for number in 0..1000 {
        assert_eq!(queue.push(at(from), B, Packet { ecn, ..data(number) }), None);
    }
    let mut struck = Vec::new();
    for ms in 1.. {
        let (_, packet) = queue.pop(at(from + ms)).expect("the line is long");
        let dropped = queue.take_dropped().len() + usize::from(packet.ecn == Ecn::Marked);
        struck.extend(std::iter::repeat_n(ms, dropped));
        if struck.len() >= count {
            return struck;
        }
    }
    unreachable!()
}

/// When the law has packets dropped, to the next whole millisecond, if the first goes at 105 and
/// `count` is such then.
fn lawful(count: u32, drops: usize) -> Vec<u64> {
    let mut due = 105.0;
    let mut all = vec![105];
    for count in count.. {
        due += 100.0 / f64::from(count).sqrt();
        all.push(f64::ceil(due) as u64);
        if all.len() == drops {
            return all;
        }
    }
    unreachable!()
}

#[test]
fn drops_come_ever_faster_once_waits_were_above_the_target_for_an_interval() {
    // The first wait of 5 ms is at 5 ms, the interval is over at 105.
    assert_eq!(lawful(1, 5), [105, 205, 276, 334, 384]);
    let mut queue = queue(QueueDiscipline::Codel, 1000);
    assert_eq!(struck(&mut queue, 0, 12, Ecn::NotCapable), lawful(1, 12));
    assert_eq!(queue.drops_and_marks(), (12, 0));
}

#[test]
fn what_is_capable_of_ecn_is_marked_at_the_same_times() {
    let mut marking = queue(QueueDiscipline::Codel, 1000);
    assert_eq!(struck(&mut marking, 0, 12, Ecn::Capable), lawful(1, 12));
    assert_eq!(marking.drops_and_marks(), (0, 12));
    let config = CodelConfig { ecn: false, ..CodelConfig::default() };
    let mut dropping = InterfaceQueue::new(
        QueueDiscipline::Codel,
        1000,
        &config,
        Rng::stream(1, Purpose::QueueManagement, 0),
    );
    assert_eq!(struck(&mut dropping, 0, 12, Ecn::Capable), lawful(1, 12));
    assert_eq!(dropping.drops_and_marks(), (12, 0));
}

#[test]
fn a_line_that_builds_up_again_soon_is_dropped_from_as_fast_as_before() {
    for (pause_ms, count) in [(500, 7), (3000, 1)] {
        let mut queue = queue(QueueDiscipline::Codel, 1000);
        let last = *struck(&mut queue, 0, 8, Ecn::NotCapable).last().unwrap();
        // Eight were dropped: the count went from 1 to 8.
        queue.take(B);
        assert_eq!(queue.pop(at(last + 1)), None);
        let again = struck(&mut queue, last + pause_ms, 6, Ecn::NotCapable);
        assert_eq!(again, lawful(count, 6), "after {pause_ms} ms");
    }
}

#[test]
fn nothing_is_dropped_below_the_target_or_with_a_packet_behind_it() {
    // Packets wait this long while so many are behind them.
    for (wait_ms, behind, drops) in [(4, 3, false), (50, 1, false), (5, 4, true), (50, 2, true)] {
        let mut queue = queue(QueueDiscipline::Codel, 1000);
        for ms in 1000..2000 {
            // It leaves in `behind` milliseconds.
            queue.push(at(ms + behind - wait_ms), B, data(0));
            if queue.len() > behind as usize {
                queue.pop(at(ms));
            }
        }
        assert_eq!(queue.drops_and_marks().0 > 0, drops, "{wait_ms} ms, {behind} behind");
    }
}

#[test]
fn routing_and_address_packets_leave_first_however_old() {
    for discipline in [QueueDiscipline::Codel, QueueDiscipline::FqCodel] {
        let mut queue = queue(discipline, 500);
        for number in 0..400 {
            queue.push(at(0), B, data(number));
        }
        for number in 400..800 {
            let packet = if number % 2 == 0 { routing(number) } else { address(number) };
            assert_eq!(queue.push(at(0), B, packet), None, "they have room of their own");
        }
        let first: Vec<u16> = (0..400).map(|i| queue.pop(at(1000 + i)).unwrap().1.hops).collect();
        assert_eq!(first, (400..800).collect::<Vec<_>>());
        assert_eq!(queue.drops_and_marks(), (0, 0));
        assert_eq!(queue.data_packets(), 400);
    }
}

#[test]
fn a_full_line_drops_what_arrives_and_full_lines_the_first_of_the_longest() {
    let mut one = queue(QueueDiscipline::Codel, 3);
    (0..3).for_each(|number| assert_eq!(one.push(at(0), B, data(number)), None));
    assert!(!one.has_place());
    assert_eq!(one.push(at(0), B, data(3)), Some(data(3)));
    assert_eq!(one.push(at(0), B, routing(4)), None);
    assert_eq!(drained(&mut one, at(1)), [4, 0, 1, 2]);
    let mut fair = queue(QueueDiscipline::FqCodel, 4);
    for number in 0..3 {
        fair.push(at(0), B, data_of(1, number, 500));
    }
    fair.push(at(0), B, data_of(2, 3, 1400));
    // Of 1500 and 1400 bytes, whoever the newcomer is.
    assert_eq!(fair.push(at(0), B, data_of(3, 4, 100)).unwrap().hops, 0);
    assert_eq!(fair.push(at(0), B, data_of(3, 5, 100)).unwrap().hops, 3);
    assert_eq!(fair.len(), 4);
}

#[test]
fn flows_take_turns_of_a_quantum_of_bytes() {
    let mut queue = queue(QueueDiscipline::FqCodel, 2000);
    let sizes = [1500, 500, 40];
    for (flow, size) in (0..).zip(sizes) {
        for _ in 0..600 {
            queue.push(at(0), B, data_of(flow, flow as u16, size));
        }
    }
    let mut sent = [0; 3];
    for _ in 0..400 {
        let (_, packet) = queue.pop(at(1)).unwrap();
        sent[usize::from(packet.hops)] += packet.size_bytes;
        let (least, most) = (sent.iter().min().unwrap(), sent.iter().max().unwrap());
        // A turn is over with the packet that uses up the quantum.
        assert!(most - least <= 1514 + 1500, "{sent:?}");
    }
    assert!(sent[0] > 10_000, "{sent:?}");
}

#[test]
fn a_flow_that_begins_goes_before_others_and_only_once() {
    let mut queue = queue(QueueDiscipline::FqCodel, 2000);
    for _ in 0..20 {
        queue.push(at(0), B, data_of(0, 0, 1514));
        queue.push(at(0), B, data_of(1, 1, 1514));
    }
    let mut turns =
        |count| -> Vec<u16> { (0..count).map(|_| queue.pop(at(1)).unwrap().1.hops).collect() };
    assert_eq!(turns(5), [0, 1, 0, 1, 0]);
    queue.push(at(1), B, ack(0, 7));
    queue.push(at(1), B, data_of(3, 8, 1514));
    let mut next = || queue.pop(at(1)).unwrap().1.hops;
    assert_eq!([next(), next()], [7, 8], "new flows first, an acknowledgment's is one of its own");
    // The line of the acknowledgment is empty and stays in turn behind the others: what comes now
    // is not new.
    queue.push(at(1), B, ack(0, 9));
    let mut next = || queue.pop(at(1)).unwrap().1.hops;
    assert_eq!([next(), next(), next()], [1, 9, 0]);
    // By now its turn has found it empty.
    queue.push(at(1), B, ack(0, 10));
    assert_eq!(queue.pop(at(1)).unwrap().1.hops, 10);
}

#[test]
fn as_many_lines_as_the_scenario_says() {
    let config = CodelConfig { flows: 2, ..CodelConfig::default() };
    let mut shared = InterfaceQueue::new(
        QueueDiscipline::FqCodel,
        50,
        &config,
        Rng::stream(1, Purpose::QueueManagement, 0),
    );
    let mut own = queue(QueueDiscipline::FqCodel, 50);
    for queue in [&mut shared, &mut own] {
        for number in 0..3 {
            queue.push(at(0), B, data_of(0, number, 1514));
        }
        queue.push(at(0), B, data_of(1, 3, 1514));
    }
    assert_eq!(drained(&mut shared, at(1)), [0, 1, 2, 3]);
    assert_eq!(drained(&mut own, at(1)), [0, 3, 1, 2]);
}

#[test]
fn what_is_taken_back_is_next_of_its_flow_and_what_is_for_a_neighbour_can_be_taken() {
    for discipline in [QueueDiscipline::Codel, QueueDiscipline::FqCodel] {
        let mut queue = queue(discipline, 3);
        for (next_hop, number) in [(B, 1), (C, 2), (B, 3)] {
            assert_eq!(queue.push(at(0), next_hop, data(number)), None);
        }
        queue.push(at(0), B, routing(4));
        queue.push(at(0), C, address(5));
        assert_eq!(queue.pop_control().unwrap().1.hops, 4);
        queue.put_back(at(1), B, routing(4));
        assert_eq!(queue.data_packets_for(B), 2);
        assert_eq!(numbers(&queue.take(B)), [4, 1, 3]);
        assert_eq!((queue.len(), queue.data_packets()), (2, 1));
        queue.put_back(at(2), B, data(9));
        assert_eq!(queue.len_by_class(), [0, 0, 3]);
        assert_eq!(drained(&mut queue, at(3)), [5, 9, 2]);
        assert!(queue.is_empty());
    }
}

#[test]
fn the_least_rank_leaves_first_and_its_line_is_kept_short() {
    for discipline in [QueueDiscipline::Codel, QueueDiscipline::FqCodel] {
        let mut queue = queue(discipline, 500);
        for number in 0..400 {
            queue.push(at(0), B, data_of(u32::from(number % 2), number, 1500));
        }
        queue.push(at(0), B, routing(1000));
        // Odd ones only.
        let rank = |_: NodeId, packet: &Packet| match packet.kind() {
            crate::wire::PacketKind::Routing => Some(0),
            _ => (packet.hops % 2 == 1).then_some(1),
        };
        let mut taken = Vec::new();
        let mut dropped = Vec::new();
        for ms in 1.. {
            match queue.pop_least(at(ms), rank) {
                Some((_, packet)) => taken.push(packet.hops),
                None => break,
            }
            dropped.extend(numbers(&queue.take_dropped()));
        }
        assert_eq!(taken[..3], [1000, 1, 3]);
        assert_eq!(dropped.len(), 1, "at 105 ms, while the line is long");
        let mut odd: Vec<u16> = taken[1..].iter().chain(&dropped).copied().collect();
        odd.sort_unstable();
        assert_eq!(odd, (0..200).map(|i| 2 * i + 1).collect::<Vec<_>>());
        assert_eq!((queue.len(), queue.data_packets()), (200, 200));
    }
}

#[derive(Clone, Copy, Debug)]
enum Step {
    Push { flow: u32, kind: u8, next_hop: u32 },
    Pop,
    PopControl,
    PopLeast { flow: u32 },
    Take { next_hop: u32 },
    Wait { ms: u64 },
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        8 => (0..4_u32, 0..8_u8, 1..4_u32)
            .prop_map(|(flow, kind, next_hop)| Step::Push { flow, kind, next_hop }),
        4 => Just(Step::Pop),
        1 => Just(Step::PopControl),
        1 => (0..4_u32).prop_map(|flow| Step::PopLeast { flow }),
        1 => (1..4_u32).prop_map(|next_hop| Step::Take { next_hop }),
        2 => (1..60_u64).prop_map(|ms| Step::Wait { ms }),
    ]
}

/// Which packets have to keep their order: those of a flow and direction, and those of the network.
fn class(packet: &Packet) -> (Option<FlowId>, bool) {
    match &packet.body {
        Body::Tcp(segment) => (Some(segment.flow), segment.is_ack()),
        Body::Udp(datagram) => (Some(datagram.flow), false),
        _ => (None, false),
    }
}

proptest! {
    /// Each packet leaves once, is dropped once or waits, and a flow's keep their order.
    #[test]
    fn packets_are_conserved_and_flows_keep_their_order(
        is_fair in any::<bool>(),
        size in 1..12_usize,
        steps in prop::collection::vec(step(), 1..400),
    ) {
        let discipline = if is_fair { QueueDiscipline::FqCodel } else { QueueDiscipline::Codel };
        let config = CodelConfig { interval_s: 0.02, flows: 5, ..CodelConfig::default() };
        let mut queue = InterfaceQueue::new(discipline, size, &config, Rng::stream(1, Purpose::QueueManagement, 0));
        let (mut now, mut pushed, mut marks) = (0, 0, 0);
        let mut gone: Vec<u16> = Vec::new();
        let mut last: BTreeMap<(Option<u32>, bool), u16> = BTreeMap::new();
        for step in steps {
            let mut leaves = Vec::new();
            match step {
                Step::Push { flow, kind, next_hop } => {
                    let packet = match kind {
                        0 => routing(pushed),
                        1 => address(pushed),
                        2 | 3 => ack(flow, pushed),
                        4 => Packet { ecn: Ecn::Capable, ..data_of(flow, pushed, 1500) },
                        _ => data_of(flow, pushed, 1500),
                    };
                    pushed += 1;
                    let lost = queue.push(at(now), NodeId(next_hop), packet);
                    gone.extend(lost.map(|packet| packet.hops));
                }
                Step::Pop => leaves.extend(queue.pop(at(now)).map(|(_, packet)| packet)),
                Step::PopControl => leaves.extend(queue.pop_control().map(|(_, packet)| packet)),
                Step::PopLeast { flow } => {
                    let rank = |_: NodeId, packet: &Packet| {
                        (class(packet).0 == Some(FlowId(flow))).then_some(0)
                    };
                    leaves.extend(queue.pop_least(at(now), rank).map(|(_, packet)| packet));
                }
                Step::Take { next_hop } => gone.extend(numbers(&queue.take(NodeId(next_hop)))),
                Step::Wait { ms } => now += ms,
            }
            let dropped = queue.take_dropped();
            prop_assert!(dropped.iter().all(Packet::is_transport));
            gone.extend(numbers(&dropped));
            for packet in leaves {
                let (flow, is_ack) = class(&packet);
                let before = last.insert((flow.map(|flow| flow.0), is_ack), packet.hops);
                prop_assert!(before.is_none_or(|before| before < packet.hops));
                marks += u64::from(packet.ecn == Ecn::Marked);
                gone.push(packet.hops);
            }
            let waiting = queue.packets().count();
            let of_transport = queue.packets().filter(|(_, packet)| packet.is_transport()).count();
            prop_assert_eq!((queue.len(), queue.data_packets()), (waiting, of_transport));
            prop_assert!(of_transport <= size && waiting - of_transport <= size);
        }
        prop_assert_eq!(queue.drops_and_marks().1, marks);
        gone.extend(queue.packets().map(|(_, packet)| packet.hops));
        gone.sort_unstable();
        prop_assert_eq!(gone, (0..pushed).collect::<Vec<_>>());
    }
}
