//! Path requests (section 13.10.9).

use super::harness::{
    LINK, chain, hear_prep, hear_preq, met, met_with, network_of, path, prep, preps, preq, preqs,
};
use crate::routing::hwmp::HwmpConfig;
use crate::routing::hwmp::frames::Preq;
use crate::routing::{Action, DropReason, Protocol};
use crate::wire::NodeId;
use crate::wire::aodv::SequenceNumber;

#[test]
fn data_without_a_path_wait_for_one() {
    let mut network = met();
    network.send(5.0, 0, 9, 1);
    assert_eq!(network.nodes[0].waiting_packets(), 1);
    let asked = preqs(&network, 0, 5.0);
    let (_, to, preq) = &asked[0];
    assert_eq!((asked.len(), *to), (1, NodeId::BROADCAST));
    assert_eq!((preq.hops, preq.ttl, preq.metric), (0, 31, 0));
    assert_eq!((preq.target, preq.target_only, preq.target_sequence), (NodeId(9), true, None));
    hear_prep(&mut network, 0, 2, prep(9, 0, 4, 1));
    assert_eq!(network.nodes[0].waiting_packets(), 0);
    assert_eq!(path(&network, 0, 9), Some((2, 2 * LINK, 2)));
}

#[test]
fn the_own_number_grows_before_each_preq() {
    // Section 13.10.8.3.
    let mut network = met();
    network.send(5.0, 0, 9, 1);
    network.send(5.5, 0, 8, 1);
    let numbers: Vec<u32> =
        preqs(&network, 0, 5.0).iter().map(|(_, _, preq)| preq.sequence.0).collect();
    assert_eq!(numbers, [1, 2]);
}

#[test]
fn who_is_not_answered_asks_three_times_more_and_gives_up() {
    // dot11MeshHWMPmaxPREQretries; twice dot11MeshHWMPnetDiameterTraversalTime of 500 TU apart.
    let mut network = met();
    network.send(5.0, 0, 9, 1);
    network.run_to(20.0);
    let times: Vec<f64> = preqs(&network, 0, 5.0).into_iter().map(|entry| entry.0).collect();
    assert_eq!(times, [5.0, 6.024, 7.048, 8.072]);
    assert_eq!(network.drops(0), [(1, DropReason::NoRoute)]);
    assert_eq!(network.count(0, &Action::RouteError { destination: NodeId(9) }), 1);
    assert_eq!(network.nodes[0].counts.discoveries_failed, 1);
}

#[test]
fn preqs_keep_their_distance() {
    // dot11MeshHWMPpreqMinInterval of 100 TU.
    let mut network = met();
    for destination in [7, 8, 9] {
        network.send(5.0, 0, destination, 1);
    }
    network.run_to(5.5);
    let asked: Vec<(f64, u32)> =
        preqs(&network, 0, 5.0).into_iter().map(|(at, _, preq)| (at, preq.target.0)).collect();
    assert_eq!(asked, [(5.0, 7), (5.1024, 8), (5.2048, 9)]);
}

#[test]
fn one_search_serves_all_packets_for_a_destination() {
    let mut network = met();
    for number in 1..=3 {
        network.send(5.0, 0, 9, number);
    }
    assert_eq!(preqs(&network, 0, 5.0).len(), 1);
    assert_eq!(network.count(0, &Action::Discovery { destination: NodeId(9) }), 1);
}

#[test]
fn the_oldest_packet_gives_way_in_a_full_buffer() {
    let config = HwmpConfig { buffer_packets: 2, ..HwmpConfig::default() };
    let mut network = met_with(&config);
    for number in 1..=3 {
        network.send(5.0, 0, 9, number);
    }
    assert_eq!(network.drops(0), [(1, DropReason::BufferFull)]);
}

#[test]
fn a_preq_makes_the_way_back_and_is_passed_on() {
    let mut network = met();
    hear_preq(&mut network, 0, 1, preq(8, 9, 5, 2));
    network.run_to(5.1);
    assert_eq!(path(&network, 0, 8), Some((1, 3 * LINK, 3)));
    let passed = preqs(&network, 0, 5.0);
    let (at, to, preq) = &passed[0];
    assert_eq!((passed.len(), *to, *at <= 5.01), (1, NodeId::BROADCAST, true));
    assert_eq!((preq.hops, preq.ttl, preq.metric), (3, 28, 3 * LINK));
    assert_eq!((preq.id, preq.sequence), (5, SequenceNumber(5)));
}

#[test]
fn it_makes_the_path_to_the_peer_that_passed_it_on_too() {
    // Section 13.10.8.4: for the transmitter.
    let mut network = met();
    hear_preq(&mut network, 0, 1, preq(8, 9, 5, 2));
    assert_eq!(path(&network, 0, 1), Some((1, LINK, 1)));
}

#[test]
fn a_second_copy_counts_only_if_it_came_a_better_way() {
    let mut network = met();
    hear_preq(&mut network, 0, 1, preq(8, 9, 5, 3));
    hear_preq(&mut network, 0, 2, preq(8, 9, 5, 3));
    hear_preq(&mut network, 0, 2, preq(8, 9, 5, 4));
    network.run_to(5.1);
    assert_eq!((path(&network, 0, 8).unwrap().0, preqs(&network, 0, 5.0).len()), (1, 1));
    hear_preq(&mut network, 0, 3, preq(8, 9, 5, 1));
    network.run_to(5.2);
    assert_eq!(path(&network, 0, 8), Some((3, 2 * LINK, 2)));
    assert_eq!(preqs(&network, 0, 5.0).len(), 2);
}

#[test]
fn a_newer_number_counts_by_a_worse_way_and_an_older_one_by_none() {
    let mut network = met();
    hear_preq(&mut network, 0, 1, preq(8, 9, 5, 1));
    hear_preq(&mut network, 0, 2, preq(8, 9, 6, 4));
    assert_eq!(path(&network, 0, 8), Some((2, 5 * LINK, 5)));
    hear_preq(&mut network, 0, 3, preq(8, 9, 5, 0));
    assert_eq!(path(&network, 0, 8), Some((2, 5 * LINK, 5)));
}

#[test]
fn numbers_are_newer_across_their_wrap() {
    let mut network = met();
    hear_preq(&mut network, 0, 1, preq(8, 9, u32::MAX, 1));
    hear_preq(&mut network, 0, 2, preq(8, 9, 0, 4));
    assert_eq!(path(&network, 0, 8), Some((2, 5 * LINK, 5)));
}

#[test]
fn an_element_goes_no_further_than_its_time_to_live() {
    let mut network = met();
    hear_preq(&mut network, 0, 1, Preq { ttl: 1, ..preq(8, 9, 5, 2) });
    network.run_to(5.1);
    assert_eq!(path(&network, 0, 8), Some((1, 3 * LINK, 3)));
    assert_eq!(preqs(&network, 0, 5.0), []);
}

#[test]
fn the_own_preq_that_comes_back_counts_for_nothing() {
    let mut network = met();
    network.send(5.0, 0, 9, 1);
    hear_preq(&mut network, 0, 1, preq(0, 9, 1, 1));
    network.run_to(5.1);
    assert_eq!((path(&network, 0, 0), preqs(&network, 0, 5.0).len()), (None, 1));
}

#[test]
fn the_target_answers_with_a_number_newer_than_what_is_known_of_it() {
    // Section 13.10.8.3: the newer of its own and the PREQ's, and one more.
    let mut network = met();
    hear_preq(
        &mut network,
        0,
        1,
        Preq { target_sequence: Some(SequenceNumber(40)), ..preq(8, 0, 5, 2) },
    );
    let answers = preps(&network, 0, 5.0);
    let (_, to, prep) = &answers[0];
    assert_eq!((*to, prep.hops, prep.metric, prep.ttl), (NodeId(1), 0, 0, 31));
    assert_eq!((prep.target, prep.target_sequence), (NodeId(0), SequenceNumber(41)));
    assert_eq!((prep.originator, prep.sequence), (NodeId(8), SequenceNumber(5)));
    assert_eq!(prep.lifetime_tu, 5000, "that of the PREQ");
}

#[test]
fn the_target_answers_a_better_copy_again_and_passes_none_on() {
    let mut network = met();
    hear_preq(&mut network, 0, 1, preq(8, 0, 5, 3));
    hear_preq(&mut network, 0, 2, preq(8, 0, 5, 1));
    hear_preq(&mut network, 0, 3, preq(8, 0, 5, 2));
    network.run_to(5.1);
    let to: Vec<u32> = preps(&network, 0, 5.0).iter().map(|entry| entry.1.0).collect();
    assert_eq!(to, [1, 2]);
    assert_eq!(preqs(&network, 0, 5.0), []);
}

#[test]
fn a_path_in_use_is_sought_anew_at_the_maintenance_interval() {
    // Section 13.10.9.3, case C.
    let config = HwmpConfig { maintenance_interval_s: 2.0, ..HwmpConfig::default() };
    let mut network = network_of(3, &chain(3), &config);
    for number in 0..50 {
        network.send(5.0 + 0.1 * f64::from(number), 0, 2, number);
    }
    let asked = preqs(&network, 0, 5.0);
    let times: Vec<f64> = asked.iter().map(|entry| entry.0).collect();
    assert_eq!(times.len(), 3, "{times:?}");
    assert!((times[1] - 7.1).abs() < 0.2 && (times[2] - 9.1).abs() < 0.2, "{times:?}");
    assert!(asked[1].2.target_sequence.is_some() && asked[1].2.target_only);
}
