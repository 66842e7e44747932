//! Global qualities, and the choice of next hops ("Transmit Quality Propagation", "Local TQ vs
//! Global TQ"; draft, sections 5.4 and 5.5).

use super::harness::{hear, met, met_of, next_hop, ogm, own, quality};
use crate::wire::NodeId;

#[test]
fn the_best_neighbour_is_the_next_hop() {
    let mut network = met();
    for (from, tq) in [(1, 100), (2, 220), (3, 150)] {
        hear(&mut network, 0, from, ogm(9, 1, 7, tq));
    }
    assert_eq!((next_hop(&network, 0, 9), quality(&network, 0, 9)), (Some(2), 220));
}

#[test]
fn the_quality_is_that_of_the_message_times_that_of_the_link() {
    // Half of the echoes: 127 / 255.
    let mut network = met_of(64, 32, &[1]);
    hear(&mut network, 0, 1, ogm(9, 1, 7, 200));
    assert_eq!(quality(&network, 0, 9), 200 * 127 / 255);
}

#[test]
fn qualities_are_averaged_over_the_last_five_numbers() {
    let mut network = met();
    for (sequence, tq) in [(1, 255), (2, 200), (3, 100), (4, 100), (5, 200), (6, 100)] {
        hear(&mut network, 0, 1, ogm(9, sequence, 7, tq));
    }
    assert_eq!(quality(&network, 0, 9), 140, "the first no longer counts");
}

#[test]
fn messages_that_did_not_come_are_not_in_the_average() {
    let mut network = met();
    hear(&mut network, 0, 1, ogm(9, 1, 7, 200));
    hear(&mut network, 0, 1, ogm(9, 4, 7, 100));
    assert_eq!(quality(&network, 0, 9), 150);
}

#[test]
fn a_neighbour_that_has_missed_five_numbers_is_out() {
    let mut network = met();
    hear(&mut network, 0, 1, ogm(9, 1, 7, 250));
    for sequence in 2..=5 {
        hear(&mut network, 0, 2, ogm(9, sequence, 7, 100));
    }
    assert_eq!(next_hop(&network, 0, 9), Some(1));
    hear(&mut network, 0, 2, ogm(9, 6, 7, 100));
    assert_eq!(next_hop(&network, 0, 9), Some(2));
}

#[test]
fn of_equal_neighbours_the_present_one_stays() {
    let mut network = met();
    hear(&mut network, 0, 2, ogm(9, 1, 7, 200));
    hear(&mut network, 0, 1, ogm(9, 1, 7, 200));
    assert_eq!(next_hop(&network, 0, 9), Some(2));
}

#[test]
fn a_message_that_comes_again_over_the_same_neighbour_counts_once() {
    let mut network = met();
    hear(&mut network, 0, 1, ogm(9, 1, 7, 200));
    hear(&mut network, 0, 1, ogm(9, 1, 7, 100));
    assert_eq!(quality(&network, 0, 9), 200);
}

#[test]
fn a_message_that_has_gone_through_here_counts_for_nothing() {
    // Echo cancellation by the previous sender.
    let mut network = met();
    hear(&mut network, 0, 1, ogm(9, 1, 0, 200));
    assert_eq!(next_hop(&network, 0, 9), None);
}

#[test]
fn a_mere_echo_is_no_route() {
    let mut network = met();
    let echo = super::super::message::Ogm { is_echo_only: true, ..ogm(9, 1, 7, 200) };
    hear(&mut network, 0, 1, echo);
    assert_eq!(next_hop(&network, 0, 9), None);
}

#[test]
fn an_originator_that_has_started_anew_is_taken_as_it_is() {
    let mut network = met();
    hear(&mut network, 0, 1, ogm(9, 5_000_000, 7, 250));
    hear(&mut network, 0, 2, ogm(9, 1, 7, 100));
    assert_eq!((next_hop(&network, 0, 9), quality(&network, 0, 9)), (Some(2), 100));
}

#[test]
fn numbers_wrap() {
    let mut network = met();
    hear(&mut network, 0, 1, ogm(9, u32::MAX, 7, 100));
    hear(&mut network, 0, 1, ogm(9, 0, 7, 200));
    assert_eq!(quality(&network, 0, 9), 150);
    for sequence in 1..=4 {
        hear(&mut network, 0, 2, ogm(9, sequence, 7, 90));
    }
    assert_eq!(quality(&network, 0, 9), 200, "that of u32::MAX no longer counts");
}

#[test]
fn changes_of_next_hops_are_counted() {
    let mut network = met();
    let before = network.nodes[0].originators.changes;
    hear(&mut network, 0, 1, ogm(9, 1, 7, 100));
    hear(&mut network, 0, 1, ogm(9, 2, 7, 120));
    hear(&mut network, 0, 2, ogm(9, 2, 7, 200));
    assert_eq!(network.nodes[0].originators.changes - before, 2);
}

#[test]
fn who_is_silent_for_long_is_forgotten() {
    // purge_timeout_s.
    let mut network = met();
    hear(&mut network, 0, 1, ogm(9, 1, 7, 200));
    hear(&mut network, 0, 1, own(1, 65));
    network.run_to(263.0);
    assert_eq!(next_hop(&network, 0, 9), Some(1));
    network.run_to(266.0);
    assert_eq!(network.nodes[0].next_hop(NodeId(9)), None);
}
