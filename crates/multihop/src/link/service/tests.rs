//! The service driven by hand: two nodes, and what the queue of the first holds.

use super::*;
use crate::kernel::{Purpose, Rng};
use crate::link::{CodelConfig, QueueDiscipline};
use crate::wire::{Body, FlowId, arp, udp};

const NODE: NodeId = NodeId(0);
const NEXT: NodeId = NodeId(1);
const OTHER: NodeId = NodeId(2);

fn data(number: u32, size_bytes: u32) -> Packet {
    let body = Body::Udp(udp::Datagram::zeros(FlowId(0), number, size_bytes));
    Packet { size_bytes, ..Packet::new(NODE, NodeId(9), Instant::ZERO, body) }
}

fn unranked(_: NodeId, _: &Packet) -> u64 {
    0
}

fn control() -> Packet {
    Packet::new(NODE, NEXT, Instant::ZERO, Body::Arp(arp::Message::Reply))
}

fn queue(packets: Vec<(NodeId, Packet)>) -> InterfaceQueue {
    let rng = Rng::stream(1, Purpose::QueueManagement, 0);
    let mut queue =
        InterfaceQueue::new(QueueDiscipline::DropTail, 50, &CodelConfig::default(), rng);
    for (next_hop, packet) in packets {
        assert_eq!(queue.push(Instant::ZERO, next_hop, packet), None);
    }
    queue
}

#[test]
fn where_macs_order_packets_the_one_of_the_least_rank_leaves() {
    let needs = Needs { order: true, ..Needs::default() };
    let mut service = LinkService::new(&LinkConfig::default(), 2, None, needs);
    let mut queue = queue((0..3).map(|number| (NEXT, data(number, 100 + number))).collect());
    let mut next = || {
        let rank = |_: NodeId, packet: &Packet| u64::from(packet.size_bytes == 100);
        numbers(service.next(Instant::ZERO, NODE, false, &mut queue, rank))
    };
    assert_eq!([next(), next(), next()], [1, 2, 0].map(|number| Some((NEXT, Some(number)))));
}

fn service(pacing: Pacing) -> LinkService {
    let mut config = LinkConfig { pacing, ..LinkConfig::default() };
    config.hop_by_hop.keep_s = 1.0;
    LinkService::new(&config, 2, None, Needs::default())
}

fn numbers(taken: Option<(NodeId, Packet)>) -> Option<(NodeId, Option<u32>)> {
    taken.map(|(next_hop, packet)| (next_hop, packet.number()))
}

#[test]
fn an_idle_mac_gets_packets_in_their_order_and_one_that_holds_data_control_alone() {
    let mut service = service(Pacing::None);
    let mut queue = queue(vec![(NEXT, data(1, 100)), (OTHER, data(2, 100)), (NEXT, control())]);
    assert!(!service.queues_all() && !service.overhears());
    assert_eq!(
        numbers(service.next(Instant::ZERO, NODE, false, &mut queue, unranked)),
        Some((NEXT, Some(1)))
    );
    let held = service.next(Instant::ZERO, NODE, true, &mut queue, unranked);
    assert_eq!(held.map(|(_, packet)| packet), Some(control()));
    assert_eq!(service.next(Instant::ZERO, NODE, true, &mut queue, unranked), None);
    assert_eq!(queue.len(), 1);
}

#[test]
fn what_joins_an_a_mpdu_is_for_its_receiver_fits_and_overtakes_only_if_it_may() {
    let mut service = service(Pacing::None);
    let packets = vec![
        (OTHER, data(1, 100)),
        (NEXT, data(2, 900)),
        (NEXT, data(3, 100)),
        (OTHER, data(4, 1)),
    ];
    let mut queue = queue(packets);
    let room = |bytes, may_overtake| Room { next_hop: NEXT, bytes, may_overtake };
    let mut more = |room| numbers(service.more(Instant::ZERO, NODE, &room, &mut queue));
    assert_eq!(more(room(1000, false)), None, "that for another is before it");
    assert_eq!(more(room(500, true)), None, "the first for this receiver does not fit");
    assert_eq!(more(room(1000, true)), Some((NEXT, Some(2))));
    assert_eq!(more(room(500, true)), Some((NEXT, Some(3))));
    assert_eq!(more(room(1000, true)), None);
}

#[test]
fn without_pacing_what_a_mac_gives_up_has_failed() {
    let mut service = service(Pacing::None);
    let mut queue = queue(vec![]);
    let failed = service.on_undelivered(Instant::ZERO, NODE, NEXT, data(1, 100), &mut queue);
    assert_eq!((failed, queue.len()), (Some(data(1, 100)), 0));
    let mut parts = PartCounts::default();
    service.report(&mut parts);
    assert_eq!(parts.iter().count(), 0);
}

#[test]
fn with_pacing_every_packet_is_queued_and_a_neighbour_that_is_heard_gets_another_turn() {
    let mut service = service(Pacing::HopByHop);
    let mut queue = queue(vec![(NEXT, data(1, 100))]);
    assert!(service.queues_all() && service.overhears() && !service.is_admitting());
    let now = Instant::from_secs_f64(1.0);
    let (_, packet) =
        service.next(now, NODE, false, &mut queue, unranked).expect("the first may leave");
    service.on_decoded(now, NODE, NEXT);
    assert_eq!(service.on_undelivered(now, NODE, NEXT, packet, &mut queue), None);
    assert_eq!(queue.len(), 1, "it waits for another turn");
    let mut parts = PartCounts::default();
    service.report(&mut parts);
    let (key, name, counts) = parts.iter().next().expect("pacing counts");
    assert_eq!((key, name), ("link.pacing", "hop-by-hop"));
    assert_eq!(serde_json::to_value(counts).expect("numbers")["kept"], 1);
}
