//! Local qualities ("The Transmit Quality", "Handling Asymmetric Links") and the bidirectional
//! check.

use super::harness::{hear, link, met, met_of, met_with, next_hop, ogm, own, passed_on};
use crate::routing::batman::BatmanConfig;
use crate::routing::batman::message::Ogm;

#[test]
fn a_link_that_loses_nothing_is_the_best() {
    assert_eq!(link(&met(), 1), 255);
}

#[test]
fn transmit_quality_is_echo_over_receive_quality() {
    // RQ = 64/64, EQ = 32/64: TQ = 1/2, and no penalty.
    assert_eq!(link(&met_of(64, 32, &[1]), 1), 127);
}

#[test]
fn a_neighbour_whose_echoes_never_come_is_none() {
    let mut network = met_of(64, 0, &[1]);
    assert_eq!(link(&network, 1), 0);
    hear(&mut network, 0, 1, ogm(9, 5, 7, 255));
    assert_eq!(next_hop(&network, 0, 9), None);
    assert_eq!(next_hop(&network, 0, 1), None);
}

#[test]
fn a_poor_way_back_costs_by_its_cube() {
    // All echoes come, half of the neighbour's messages do: f = 1 - (1 - 1/2)^3 = 7/8.
    let mut network = met_of(64, 0, &[]);
    for sequence in 1..=64 {
        if sequence % 2 == 0 {
            hear(&mut network, 0, 1, own(1, sequence));
            let echo = Ogm { is_direct: true, ..own(0, sequence) };
            hear(&mut network, 0, 1, echo);
        }
    }
    // EQ = RQ = 1/2, so TQ = 1.
    assert_eq!(link(&network, 1), 255 * 7 / 8);
}

#[test]
fn more_echoes_than_messages_are_no_more_than_all() {
    let mut network = met_of(64, 64, &[]);
    for sequence in 1..=64 {
        if sequence > 32 {
            hear(&mut network, 0, 1, own(1, sequence));
        }
        hear(&mut network, 0, 1, Ogm { is_direct: true, ..own(0, sequence) });
    }
    assert_eq!(link(&network, 1), 255 * 7 / 8);
}

#[test]
fn an_echo_has_to_come_straight_back() {
    // Without the flag of a direct link, or by way of another, it tells nothing of the link.
    let mut network = met_of(64, 0, &[1]);
    hear(&mut network, 0, 1, Ogm { is_direct: false, ..own(0, 60) });
    hear(&mut network, 0, 1, Ogm { is_direct: true, ..ogm(0, 61, 5, 200) });
    assert_eq!(link(&network, 1), 0);
    hear(&mut network, 0, 1, Ogm { is_direct: true, ..own(0, 62) });
    assert_eq!(link(&network, 1), 255 / 64);
}

#[test]
fn only_the_neighbours_own_messages_count_as_received() {
    let mut network = met_of(64, 64, &[1]);
    for sequence in 1..=64 {
        hear(&mut network, 0, 1, ogm(9, sequence, 7, 255));
    }
    assert_eq!(link(&network, 9), 0);
    assert_eq!(next_hop(&network, 0, 9), Some(1));
}

#[test]
fn a_neighbour_that_falls_silent_loses_its_quality_with_the_window() {
    let config = BatmanConfig { jitter_s: 0.0, ..BatmanConfig::default() };
    let mut network = met_with(&config, 64, 64, &[1]);
    network.run_to(96.0);
    assert!((120..=135).contains(&link(&network, 1)), "{}", link(&network, 1));
    network.run_to(129.0);
    assert_eq!(link(&network, 1), 0);
}

#[test]
fn a_neighbour_gets_its_messages_back_even_if_the_link_is_none() {
    // So it learns that it is heard.
    let mut network = met_of(64, 0, &[]);
    hear(&mut network, 0, 1, own(1, 9));
    network.run_to(65.0);
    let passed = passed_on(&network, 0, 64.0);
    assert_eq!(passed.len(), 1);
    let ogm = passed[0].1;
    assert_eq!((ogm.is_direct, ogm.is_echo_only, ogm.ttl), (true, true, 49));
}
