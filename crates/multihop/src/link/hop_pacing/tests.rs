//! A pacer and a queue driven by hand.

use proptest::prelude::*;

use super::*;
use crate::kernel::{Purpose, Rng};
use crate::link::{CodelConfig, QueueDiscipline};
use crate::wire::{tcp, udp};

const NODE: NodeId = NodeId(1);
const NEXT: NodeId = NodeId(2);
const OTHER: NodeId = NodeId(3);
const END: NodeId = NodeId(9);

fn at(ms: u64) -> Instant {
    Instant::from_nanos(ms * 1_000_000)
}

fn packet(source: NodeId, destination: NodeId, body: Body) -> Packet {
    Packet { size_bytes: 1500, ttl: 30, ..Packet::new(source, destination, Instant::ZERO, body) }
}

fn segment(flow: u32, kind: SegmentKind) -> Body {
    Body::Tcp(tcp::Segment::new(FlowId(flow), kind))
}

fn data(flow: u32, number: u32) -> Packet {
    let kind = SegmentKind::data(number, 1460, false, false);
    packet(NODE, END, segment(flow, kind))
}

fn ack(flow: u32, number: u32, from: NodeId) -> Packet {
    let kind = SegmentKind::Ack { number, probe: false, sent: Instant::ZERO, window: 0 };
    packet(from, NODE, segment(flow, kind))
}

fn datagram(flow: u32, number: u32, destination: NodeId) -> Packet {
    let datagram = udp::Datagram::zeros(FlowId(flow), number, 512);
    packet(NODE, destination, Body::Udp(datagram))
}

/// A pacer with a queue of these packets for these neighbours.
struct Bench {
    pacer: HopPacer,
    queue: InterfaceQueue,
}

impl Bench {
    fn new(packets_ahead: u32, waiting: impl IntoIterator<Item = (NodeId, Packet)>) -> Bench {
        let config = HopPacingConfig { packets_ahead, rest: 0.0, ..HopPacingConfig::default() };
        let mut queue = InterfaceQueue::new(
            QueueDiscipline::PriorityClasses,
            50,
            &CodelConfig::default(),
            Rng::stream(1, Purpose::QueueManagement, 0),
        );
        for (next_hop, packet) in waiting {
            assert_eq!(queue.push(Instant::ZERO, next_hop, packet), None);
        }
        Bench { pacer: HopPacer::new(&config), queue }
    }

    /// Flow and number of the packet that may leave; not for acknowledgments.
    fn take(&mut self, ms: u64) -> Option<(u32, u32)> {
        let (next_hop, packet) = self.pacer.take(at(ms), &mut self.queue)?;
        paced(next_hop, &packet).map(|(flow, number)| (flow.0, number))
    }

    /// The MAC gives up the packet that was taken for `next_hop`. Returns whether it is kept.
    fn gives_up(&mut self, ms: u64, next_hop: NodeId, packet: Packet) -> bool {
        let is_kept = self.pacer.keeps(at(ms), next_hop, &packet);
        if is_kept {
            self.queue.put_back(at(ms), next_hop, packet);
        }
        is_kept
    }

    fn heard(&mut self, ms: u64, from: NodeId, packet: &Packet) -> bool {
        self.pacer.on_heard(at(ms), from, packet)
    }
}

#[test]
fn a_packet_leaves_when_the_one_before_is_overheard_being_forwarded() {
    let mut bench = Bench::new(1, (1..=3).map(|number| (NEXT, data(0, number))));
    assert_eq!(bench.take(0), Some((0, 1)));
    assert_eq!(bench.take(1), None);
    // Another node, another flow or another packet releases nothing.
    assert!(!bench.heard(2, OTHER, &data(0, 1)));
    assert!(!bench.heard(2, NEXT, &data(1, 1)));
    assert!(!bench.heard(2, NEXT, &data(0, 7)));
    assert_eq!(bench.take(3), None);
    assert!(bench.heard(4, NEXT, &data(0, 1)));
    assert_eq!(bench.take(4), Some((0, 2)));
    assert_eq!(bench.take(4), None);
    assert_eq!(
        bench.pacer.counters,
        PacingCounters { heard: 1, holds: 3, ..PacingCounters::default() }
    );
}

#[test]
fn a_node_stops_sending_one_packet_after_the_next_hop_stops_forwarding() {
    // The next hop forwards packets at once, then not at all: nothing more is sent to it.
    let mut bench = Bench::new(1, (1..=20).map(|number| (NEXT, data(0, number))));
    for number in 1..=10 {
        let now = 10 * u64::from(number);
        assert_eq!(bench.take(now), Some((0, number)));
        assert!(bench.heard(now + 9, NEXT, &data(0, number)));
    }
    assert_eq!(bench.take(110), Some((0, 11)));
    assert!((111..146).all(|ms| bench.take(ms).is_none()), "four times the mean of 9 ms");
    assert_eq!(bench.queue.len(), 9);
}

#[test]
fn several_packets_may_be_outstanding_and_a_later_one_covers_those_before() {
    let mut bench = Bench::new(3, (1..=6).map(|number| (NEXT, data(0, number))));
    let taken: Vec<_> = (0..5).map_while(|ms| bench.take(ms)).collect();
    assert_eq!(taken, [(0, 1), (0, 2), (0, 3)]);
    // The first was missed; the second shows that both were forwarded.
    assert!(bench.heard(9, NEXT, &data(0, 2)));
    let taken: Vec<_> = (9..15).map_while(|ms| bench.take(ms)).collect();
    assert_eq!(taken, [(0, 4), (0, 5)]);
}

#[test]
fn acknowledgments_of_the_destination_release_packets() {
    let mut bench = Bench::new(1, (1..=4).map(|number| (END, data(0, number))));
    assert_eq!(bench.take(0), Some((0, 1)));
    // A relay that forwards an acknowledgment is not the destination.
    assert!(!bench.heard(1, NEXT, &ack(0, 1, END)));
    assert!(!bench.heard(1, END, &ack(0, 1, NEXT)));
    assert!(bench.heard(2, END, &ack(0, 1, END)));
    assert_eq!(bench.take(2), Some((0, 2)));
    // An earlier segment is missing: the second is answered by a duplicate acknowledgment.
    assert!(bench.heard(3, END, &ack(0, 1, END)));
    assert_eq!(bench.take(3), Some((0, 3)));
    assert!(bench.heard(4, END, &ack(0, 3, END)));
    assert!(!bench.heard(5, END, &ack(0, 3, END)), "nothing is outstanding");
}

#[test]
fn the_timeout_follows_the_mean_and_doubles_with_silence() {
    let mut bench = Bench::new(1, (1..=10).map(|number| (NEXT, data(0, number))));
    let next = |bench: &Bench| bench.pacer.first_release(&bench.queue).unwrap();
    bench.take(0);
    assert_eq!(next(&bench), at(100), "nothing measured yet");
    assert!(bench.heard(40, NEXT, &data(0, 1)));
    bench.take(40);
    assert_eq!(next(&bench), at(40 + 4 * 40));
    // Silence: the timeout releases the next packet and then doubles, up to the maximum.
    let mut now = 40;
    for patience in [160, 320, 640, 1280, 2000, 2000] {
        assert_eq!(bench.take(now + patience - 1), None);
        now += patience;
        assert_eq!(next(&bench), at(now));
        assert!(bench.take(now).is_some());
    }
    assert_eq!(bench.pacer.counters.unheard, 6);
    // One packet is overheard: the timeout follows the mean again.
    assert!(bench.heard(now + 40, NEXT, &data(0, 8)));
    bench.take(now + 40);
    assert_eq!(next(&bench), at(now + 40 + 160));
}

#[test]
fn a_flow_pauses_as_long_as_its_packet_took() {
    let mut bench = Bench::new(1, (1..=3).map(|number| (NEXT, data(0, number))));
    bench.pacer.config.rest = 1.5;
    bench.queue.push(Instant::ZERO, NEXT, data(1, 1));
    assert_eq!(bench.take(100), Some((0, 1)));
    assert!(bench.heard(110, NEXT, &data(0, 1)));
    // Another flow does not pause.
    assert_eq!(bench.take(110), Some((1, 1)));
    assert_eq!(bench.pacer.first_release(&bench.queue), Some(at(125)));
    assert_eq!(bench.take(124), None);
    assert_eq!(bench.take(125), Some((0, 2)));
    // Under contention packets take longer, and so do the pauses.
    assert!(bench.heard(165, NEXT, &data(0, 2)));
    assert_eq!(bench.take(224), None);
    assert_eq!(bench.take(225), Some((0, 3)));
}

#[test]
fn flows_take_turns() {
    let waiting =
        (1..=3).flat_map(|number| [(NEXT, data(0, number)), (NEXT, data(0, 10 + number))]);
    let mut bench = Bench::new(100, waiting.chain((1..=3).map(|number| (END, data(1, number)))));
    let flows: Vec<u32> = (0..9).map_while(|ms| bench.take(ms)).map(|(flow, _)| flow).collect();
    assert_eq!(flows, [0, 1, 0, 1, 0, 1, 0, 0, 0]);
}

#[test]
fn a_held_flow_delays_no_other_flow_and_no_acknowledgment() {
    let mut bench = Bench::new(1, [(NEXT, data(0, 1)), (NEXT, data(0, 2)), (OTHER, data(1, 1))]);
    assert_eq!(bench.take(0), Some((0, 1)));
    assert_eq!(bench.take(0), Some((1, 1)));
    assert_eq!(bench.take(0), None);
    bench.queue.push(Instant::ZERO, NEXT, ack(0, 5, END));
    let (_, packet) = bench.pacer.take(at(1), &mut bench.queue).unwrap();
    assert_eq!(packet, ack(0, 5, END));
}

#[test]
fn a_new_next_hop_or_a_link_failure_resets_the_flow() {
    let mut bench = Bench::new(1, [(NEXT, data(0, 1)), (OTHER, data(0, 2)), (OTHER, data(0, 3))]);
    assert_eq!(bench.take(0), Some((0, 1)));
    assert_eq!(bench.take(0), Some((0, 2)));
    assert_eq!(bench.take(0), None);
    bench.pacer.on_link_failure(NEXT);
    assert_eq!(bench.take(0), None);
    bench.pacer.on_link_failure(OTHER);
    assert_eq!(bench.take(0), Some((0, 3)));
}

#[test]
fn datagrams_are_paced_except_on_their_last_hop() {
    let waiting = [(NEXT, datagram(0, 1, END)), (NEXT, datagram(0, 2, END))];
    let mut bench = Bench::new(1, waiting);
    assert_eq!((bench.take(0), bench.take(0)), (Some((0, 1)), None));
    assert!(bench.heard(1, NEXT, &datagram(0, 1, END)));
    assert_eq!(bench.take(1), Some((0, 2)));
    let mut bench = Bench::new(1, (1..=3).map(|number| (END, datagram(0, number, END))));
    for _ in 0..3 {
        assert!(bench.pacer.take(at(0), &mut bench.queue).is_some());
    }
}

/// A datagram with a segment of a program's TCP.
fn of_program(flow: u32, number: u32, ends: (NodeId, NodeId), tcp: ProgramTcp) -> Packet {
    let carried = Some(udp::Carried::of_program([].into(), Some(tcp)));
    let datagram = udp::Datagram { carried, ..udp::Datagram::zeros(FlowId(flow), number, 1460) };
    packet(ends.0, ends.1, Body::Udp(datagram))
}

#[test]
fn segments_of_programs_are_paced_on_their_last_hop_by_the_acknowledgments() {
    let sent = |number| of_program(0, number, (NODE, END), ProgramTcp::Acknowledged);
    let acknowledgment =
        |of, from| of_program(1, 7, (from, NODE), ProgramTcp::Acknowledgment(FlowId(of)));
    let mut bench = Bench::new(1, (1..=2).map(|number| (END, sent(number))));
    bench.queue.push(Instant::ZERO, END, acknowledgment(5, NODE));
    let left = [bench.take(0), bench.take(0), bench.take(0)];
    assert_eq!(left.into_iter().flatten().collect::<Vec<_>>(), [(0, 1)]);
    assert_eq!(bench.queue.len(), 1, "the acknowledgment has left too");
    assert!(!bench.heard(1, END, &acknowledgment(3, END)), "of another flow");
    assert!(!bench.heard(1, END, &acknowledgment(0, OTHER)), "passed on, not sent");
    assert_eq!(bench.take(1), None);
    assert!(bench.heard(2, END, &acknowledgment(0, END)));
    assert_eq!(bench.take(2), Some((0, 2)));
}

/// A bench that keeps packets for neighbours heard within half a second.
fn keeping(waiting: impl IntoIterator<Item = (NodeId, Packet)>) -> Bench {
    let mut bench = Bench::new(1, waiting);
    bench.pacer.config.keep_s = 0.5;
    bench
}

#[test]
fn a_packet_for_a_neighbour_heard_lately_goes_again_first_after_a_rest() {
    let mut bench = keeping((1..=3).map(|number| (NEXT, data(0, number))));
    assert_eq!(bench.take(0), Some((0, 1)));
    assert!(bench.heard(10, NEXT, &data(0, 1)));
    assert_eq!(bench.take(10), Some((0, 2)));
    bench.pacer.on_decoded(at(15), NEXT);
    assert!(bench.gives_up(50, NEXT, data(0, 2)));
    // Four times the mean of 10 ms, from the failure on; then the same packet, before the third.
    assert_eq!(bench.pacer.first_release(&bench.queue), Some(at(90)));
    assert_eq!(bench.take(89), None);
    assert_eq!(bench.take(90), Some((0, 2)));
    assert!(bench.gives_up(100, NEXT, data(0, 2)));
    assert_eq!(bench.pacer.first_release(&bench.queue), Some(at(180)), "twice as long");
    // It gets through: the next failure rests as the first did, but for the mean, 10 + (18 - 10) /
    // 8 ms.
    assert_eq!(bench.take(180), Some((0, 2)));
    assert!(bench.heard(198, NEXT, &data(0, 2)));
    assert_eq!(bench.take(198), Some((0, 3)));
    assert!(bench.gives_up(200, NEXT, data(0, 3)));
    assert_eq!(bench.pacer.first_release(&bench.queue), Some(at(244)));
    assert_eq!((bench.pacer.counters.kept, bench.pacer.counters.unheard), (3, 0));
}

#[test]
fn a_neighbour_not_heard_lately_is_lost() {
    let mut bench = keeping([(NEXT, data(0, 1)), (NEXT, data(0, 2))]);
    bench.pacer.on_decoded(at(100), NEXT);
    bench.pacer.on_decoded(at(700), OTHER);
    assert_eq!(bench.take(550), Some((0, 1)));
    assert!(!bench.gives_up(601, NEXT, data(0, 1)), "heard 501 ms ago");
    assert!(bench.gives_up(600, NEXT, data(0, 1)), "heard 500 ms ago");
    assert_eq!(bench.pacer.counters.kept, 1);
    // Without the key nobody is kept, however lately heard.
    let mut bench = Bench::new(1, [(NEXT, data(0, 1))]);
    bench.pacer.on_decoded(at(0), NEXT);
    assert_eq!(bench.take(0), Some((0, 1)));
    assert!(!bench.gives_up(0, NEXT, data(0, 1)));
    assert_eq!(bench.pacer.counters.kept, 0);
}

#[test]
fn a_kept_packet_rests_its_own_flow_alone() {
    let mut bench = keeping([(NEXT, data(0, 1)), (NEXT, data(1, 1)), (NEXT, data(0, 2))]);
    bench.pacer.on_decoded(at(0), NEXT);
    assert_eq!(bench.take(0), Some((0, 1)));
    assert!(bench.gives_up(30, NEXT, data(0, 1)));
    assert_eq!(bench.take(30), Some((1, 1)));
    assert_eq!(bench.pacer.first_release(&bench.queue), Some(at(130)), "nothing measured yet");
    // An acknowledgment is not paced: it goes again at once.
    assert!(bench.gives_up(40, NEXT, ack(2, 7, NODE)));
    let (_, packet) = bench.pacer.take(at(40), &mut bench.queue).unwrap();
    assert_eq!(packet, ack(2, 7, NODE));
}

/// An event at a node that paces.
#[derive(Clone, Copy, Debug)]
enum Step {
    /// A packet of a flow arrives.
    Arrives(u32),
    /// The MAC is free.
    Free,
    /// The next hop forwards the oldest of its packets, and is overheard or not.
    PassesOn(bool),
    /// The link fails.
    Fails,
    /// Time passes \[ms\].
    Wait(u64),
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        4 => (0u32..4).prop_map(Step::Arrives),
        4 => Just(Step::Free),
        3 => prop::bool::weighted(0.7).prop_map(Step::PassesOn),
        1 => Just(Step::Fails),
        3 => (0u64..50).prop_map(Step::Wait),
    ]
}

proptest! {
    /// Whatever is overheard: no packet is lost or reordered within its flow, more than
    /// `packets_ahead` of a flow are outstanding only after a timeout, and in the end every packet
    /// leaves.
    #[test]
    fn no_packet_is_lost_reordered_or_starved(
        steps in prop::collection::vec(step(), 1..300),
        packets_ahead in 1u32..4,
        rest in 0.0f64..3.0,
    ) {
        let mut bench = Bench::new(packets_ahead, []);
        bench.pacer.config.rest = rest;
        let mut now = 0;
        let mut numbers = [0u32; 4];
        let mut there: Vec<(u32, u32)> = Vec::new();
        let mut gone: [Vec<u32>; 4] = Default::default();
        let mut lost_sight = 0;
        for step in steps {
            match step {
                Step::Arrives(flow) => {
                    let number = &mut numbers[flow as usize];
                    if bench.queue.push(Instant::ZERO, NEXT, data(flow, *number)).is_none() {
                        *number += 1;
                    }
                }
                Step::Free => {
                    if let Some((flow, number)) = bench.take(now) {
                        there.push((flow, number));
                        gone[flow as usize].push(number);
                    }
                }
                Step::PassesOn(is_heard) if !there.is_empty() => {
                    let (flow, number) = there.remove(0);
                    if is_heard {
                        bench.heard(now, NEXT, &data(flow, number));
                    }
                }
                Step::PassesOn(_) => {}
                Step::Fails => {
                    bench.pacer.on_link_failure(NEXT);
                    lost_sight += there.len() as u64;
                }
                Step::Wait(ms) => now += ms,
            }
            for flow in 0..4 {
                let ahead = there.iter().filter(|&&(other, _)| other == flow).count() as u64;
                let unheard = bench.pacer.counters.unheard;
                prop_assert!(ahead <= u64::from(packets_ahead) + unheard + lost_sight);
            }
        }
        // Nothing is overheard any more: timeouts alone release the rest.
        while !bench.queue.is_empty() {
            let before = bench.queue.len();
            let release = bench.pacer.first_release(&bench.queue).unwrap();
            prop_assert!(release <= at(now + 4 * now.max(2000)));
            now = now.max(release.as_nanos() / 1_000_000 + 1);
            while let Some((flow, number)) = bench.take(now) {
                gone[flow as usize].push(number);
            }
            prop_assert!(bench.queue.len() < before, "a flow starves");
        }
        for (gone, number) in gone.iter().zip(numbers) {
            prop_assert_eq!(gone, &(0..number).collect::<Vec<u32>>());
        }
    }
}

/// When the second packet of a flow may leave whose node hears another flow advance every 200 ms.
fn second_leaves(lead: f64) -> Option<Instant> {
    let mut bench = Bench::new(1, [(NEXT, data(1, 1)), (NEXT, data(1, 2))]);
    bench.pacer.config.lead = lead;
    for (ms, number) in [(0, 1), (200, 2)] {
        bench.heard(ms, OTHER, &data(2, number));
    }
    assert_eq!(bench.take(200), Some((1, 1)));
    assert!(bench.heard(210, NEXT, &data(1, 1)));
    bench.pacer.first_release(&bench.queue)
}

#[test]
fn a_flow_leads_the_slowest_that_is_heard_by_no_more_than_it_may() {
    assert_eq!(second_leaves(4.0), Some(at(250)), "a quarter of 200 ms after the first");
    assert_eq!(second_leaves(100.0), Some(at(210)), "2 ms are over before the first is heard");
}

#[test]
fn without_a_lead_other_flows_do_not_matter() {
    assert_eq!(second_leaves(0.0), Some(at(210)));
}
