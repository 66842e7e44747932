//! Back-pressure driven by hand: flow 0 from node 0 to node 1, flow 1 from node 1 to node 0.

use super::*;
use crate::kernel::Instant;
use crate::wire::{Body, udp};

const A: NodeId = NodeId(0);
const B: NodeId = NodeId(1);

const RULES: BackPressureRules = BackPressureRules {
    name: "test",
    threshold: 3,
    counts_control: false,
    is_admitting: true,
    source_buffer_packets: Some(2),
};

fn packet(number: u32) -> Packet {
    let datagram = udp::Datagram::zeros(FlowId(0), number, 100);
    Packet { size_bytes: number, ..Packet::new(A, B, Instant::ZERO, Body::Udp(datagram)) }
}

/// Both flows, of which the first is asked so.
fn back_pressure(rules: BackPressureRules, asking: Option<Asking>) -> Option<BackPressure> {
    let flow = |source, destination, asking| Flow { source, destination, asking };
    BackPressure::new(rules, vec![flow(A, B, asking), flow(B, A, None)], 2)
}

const ASKED: Option<Asking> = Some(Asking { wants_empty_node: false, stored_acks: 2 });

#[test]
fn a_full_store_drops_the_newest_datagram_or_the_oldest_acknowledgment() {
    for (waiting, dropped, first) in
        [(Waiting::Newest(2), packet(3), 1), (Waiting::Oldest(2), packet(1), 2)]
    {
        let mut store = Store::default();
        assert_eq!(store.push(packet(1), waiting), None);
        assert_eq!(store.push(packet(2), waiting), None);
        assert_eq!(store.push(packet(3), waiting), Some(dropped));
        assert_eq!(store.packets.front(), Some(&packet(first)));
    }
}

#[test]
fn there_is_none_unless_macs_or_a_transport_ask_for_it() {
    let silent = BackPressureRules { is_admitting: false, ..RULES };
    assert!(back_pressure(silent, None).is_none());
    assert!(back_pressure(silent, ASKED).is_some());
    assert!(back_pressure(RULES, None).is_some());
}

#[test]
fn what_is_sent_unasked_waits_in_its_source_and_what_is_asked_for_leaves() {
    let mut unasked = back_pressure(RULES, None).unwrap();
    for (number, is_dropping) in [(1, false), (2, false), (3, true)] {
        assert_eq!(unasked.send(FlowId(0), packet(number)), Sent::Waits { is_dropping });
    }
    assert_eq!(
        [(); 3].map(|()| unasked.take(FlowId(0), A)),
        [Some(packet(1)), Some(packet(2)), None]
    );

    let mut asked = back_pressure(RULES, ASKED).unwrap();
    assert_eq!(asked.send(FlowId(0), packet(1)), Sent::On(packet(1)));
    // Its acknowledgments wait at the destination; the oldest gives way.
    let ack = |number| Packet { source: B, destination: A, ..packet(number) };
    for (number, is_dropping) in [(1, false), (2, false), (3, true)] {
        assert_eq!(asked.send(FlowId(0), ack(number)), Sent::Waits { is_dropping });
    }
    assert_eq!([(); 3].map(|()| asked.take(FlowId(0), B)), [Some(ack(2)), Some(ack(3)), None]);
}

#[test]
fn flows_of_programs_send_as_they_like() {
    let mut back_pressure = back_pressure(RULES, None).unwrap();
    assert_eq!(back_pressure.send(FlowId(7), packet(1)), Sent::On(packet(1)));
}

#[test]
fn fewer_packets_than_the_threshold_admit_and_an_empty_node_where_that_is_wanted() {
    let usual = back_pressure(RULES, ASKED).unwrap();
    let admits = |in_mac, waiting| usual.admits(FlowId(0), A, in_mac, waiting);
    assert_eq!(
        [admits(0, 0), admits(1, 1), admits(1, 2), admits(3, 0)],
        [true, true, false, false]
    );

    let asking = Asking { wants_empty_node: true, stored_acks: 2 };
    let empty = back_pressure(RULES, Some(asking)).unwrap();
    let at = |node, in_mac, waiting| empty.admits(FlowId(0), node, in_mac, waiting);
    assert_eq!([at(A, 0, 0), at(A, 1, 0), at(A, 0, 1)], [true, false, false]);
    assert_eq!([at(B, 9, 2), at(B, 0, 3)], [true, false], "acknowledgments mind what waits alone");
}

#[test]
fn flows_with_an_end_at_a_node_are_asked_in_turn() {
    let mut back_pressure = back_pressure(RULES, ASKED).unwrap();
    let asked = |it: &BackPressure| [0, 1, 2].map(|place| it.asked(A, place));
    assert_eq!(asked(&back_pressure), [Some(FlowId(0)), Some(FlowId(1)), None]);
    back_pressure.on_turn(A, FlowId(0));
    assert_eq!(asked(&back_pressure), [Some(FlowId(1)), Some(FlowId(0)), None]);
    assert!(back_pressure.can_ask(FlowId(0), A) && !back_pressure.can_ask(FlowId(0), B));
    assert!(!back_pressure.can_ask(FlowId(1), B), "it sends unasked");
}

#[test]
fn data_that_a_node_has_to_send_on_count_while_they_are_between_its_layers() {
    let mut back_pressure = back_pressure(RULES, None).unwrap();
    back_pressure.on_handover_begin(A, &packet(1));
    back_pressure.on_handover_begin(B, &packet(1));
    assert_eq!((back_pressure.between_layers(A), back_pressure.between_layers(B)), (1, 0));
    back_pressure.on_handover_end(A, &packet(1));
    assert_eq!(back_pressure.between_layers(A), 0);
}

#[test]
fn a_change_within_a_change_is_not_handled() {
    let mut back_pressure = back_pressure(RULES, None).unwrap();
    let outer = back_pressure.begin();
    assert!(!outer && back_pressure.begin());
    back_pressure.end(outer);
    assert!(!back_pressure.begin());
}
