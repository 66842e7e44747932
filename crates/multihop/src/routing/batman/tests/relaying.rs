//! What is passed on, and how ("Transmit Quality Propagation", "Hop Penalty", "Packet Aggregation";
//! draft, section 5.5).

use super::harness::{hear, met, met_with, ogm, own, passed_on};
use crate::routing::batman::message::Ogm;
use crate::routing::batman::{Batman, BatmanConfig};
use crate::routing::harness::Network;
use crate::wire::NodeId;

/// Sizes of the frames that node 0 sent after 64.15 s \[bytes\]; a message has 24.
fn sizes(network: &Network<Batman>) -> Vec<u32> {
    let late = network.sent().filter(|entry| entry.1 == 0 && entry.0.as_secs_f64() > 64.15);
    late.map(|entry| entry.4.size_bytes).collect()
}

#[test]
fn a_message_goes_on_with_the_sender_that_it_came_from() {
    let mut network = met();
    hear(&mut network, 0, 1, ogm(9, 1, 7, 200));
    network.run_to(64.2);
    let passed = passed_on(&network, 0, 64.0);
    let of_nine: Vec<Ogm> =
        passed.iter().map(|entry| entry.1).filter(|ogm| ogm.originator == NodeId(9)).collect();
    // Twice 15/255 less: 200 -> 188 -> 176.
    let expected = Ogm { ttl: 48, ..ogm(9, 1, 1, 176) };
    assert_eq!(of_nine, [expected]);
}

#[test]
fn each_number_goes_on_once() {
    let mut network = met();
    hear(&mut network, 0, 1, ogm(9, 1, 7, 200));
    hear(&mut network, 0, 2, ogm(9, 1, 7, 250));
    network.run_to(64.2);
    let passed = passed_on(&network, 0, 64.0);
    let count = passed.iter().filter(|entry| entry.1.originator == NodeId(9)).count();
    assert_eq!(count, 1);
}

#[test]
fn what_comes_over_another_than_the_best_does_not_go_on() {
    let mut network = met();
    hear(&mut network, 0, 1, ogm(9, 1, 7, 250));
    hear(&mut network, 0, 2, ogm(9, 2, 7, 100));
    network.run_to(64.2);
    let passed = passed_on(&network, 0, 64.0);
    let of_nine: Vec<u32> = passed
        .iter()
        .filter(|entry| entry.1.originator == NodeId(9))
        .map(|entry| entry.1.sequence)
        .collect();
    assert_eq!(of_nine, [1]);
}

#[test]
fn it_goes_on_with_the_average_quality_over_the_best_neighbour() {
    let mut network = met();
    hear(&mut network, 0, 1, ogm(9, 1, 7, 100));
    hear(&mut network, 0, 1, ogm(9, 2, 7, 200));
    network.run_to(64.2);
    let passed = passed_on(&network, 0, 64.0);
    let last = passed.iter().rfind(|entry| entry.1.sequence == 2).expect("passed on");
    // (100 + 200) / 2 = 150 -> 141 -> 132.
    assert_eq!(last.1.tq, 132);
}

#[test]
fn a_neighbours_own_message_goes_on_as_of_a_direct_link() {
    let mut network = met();
    hear(&mut network, 0, 1, own(1, 65));
    network.run_to(64.2);
    let passed = passed_on(&network, 0, 64.0);
    let last = passed.iter().rfind(|entry| entry.1.sequence == 65).expect("passed on").1;
    assert!(last.is_direct && !last.is_echo_only);
    assert_eq!((last.previous, last.ttl), (NodeId(1), 49));
}

#[test]
fn if_another_way_is_better_it_goes_on_as_an_echo() {
    let mut network = super::harness::met_of(64, 16, &[1]);
    for sequence in 1..=64 {
        hear(&mut network, 0, 2, own(2, sequence));
        hear(&mut network, 0, 2, Ogm { is_direct: true, ..own(0, sequence) });
    }
    // The link to 1 has a quarter; over 2 there are 240.
    hear(&mut network, 0, 2, ogm(1, 65, 7, 240));
    hear(&mut network, 0, 1, own(1, 66));
    network.run_to(64.2);
    let passed = passed_on(&network, 0, 64.0);
    let last = passed.iter().rfind(|entry| entry.1.sequence == 66).expect("passed on").1;
    assert!(last.is_direct && last.is_echo_only);
}

#[test]
fn a_message_at_the_end_of_its_life_goes_no_further() {
    let mut network = met();
    hear(&mut network, 0, 1, Ogm { ttl: 1, ..ogm(9, 1, 7, 200) });
    network.run_to(64.2);
    assert!(passed_on(&network, 0, 64.0).iter().all(|entry| entry.1.originator != NodeId(9)));
}

#[test]
fn messages_travel_together_within_a_tenth_of_a_second() {
    let mut network = met();
    network.run_to(64.15);
    for node in 4..10 {
        hear(&mut network, 0, 1, ogm(node, 1, 7, 200));
    }
    network.run_to(64.3);
    assert_eq!(sizes(&network), [6 * 24]);
}

#[test]
fn a_frame_has_512_bytes_at_most() {
    let mut network = met();
    network.run_to(64.15);
    for node in 100..130 {
        hear(&mut network, 0, 1, ogm(node, 1, 7, 200));
    }
    network.run_to(64.3);
    assert_eq!(sizes(&network), [21 * 24, 9 * 24]);
}

#[test]
fn without_aggregation_each_travels_alone() {
    let config = BatmanConfig { aggregated_ogms: false, jitter_s: 0.0, ..BatmanConfig::default() };
    let mut network = met_with(&config, 64, 64, &[1]);
    network.run_to(64.15);
    for node in 4..10 {
        hear(&mut network, 0, 1, ogm(node, 1, 7, 200));
    }
    network.run_to(64.3);
    assert_eq!(sizes(&network), [24; 6]);
}
