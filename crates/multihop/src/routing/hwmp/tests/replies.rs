//! Path replies (section 13.10.10), answers of others than the target, and how long paths last.

use super::harness::{
    LINK, chain, hear_prep, hear_preq, met, met_with, network, path, prep, preps, preq, preqs,
    route,
};
use crate::kernel::Instant;
use crate::routing::Protocol;
use crate::routing::harness::data;
use crate::routing::hwmp::HwmpConfig;
use crate::routing::hwmp::frames::Preq;
use crate::wire::NodeId;
use crate::wire::aodv::SequenceNumber;

fn by_any() -> HwmpConfig {
    HwmpConfig { target_only: false, ..HwmpConfig::default() }
}

/// A PREQ that anybody may answer whose number of node 9 is at least `known`.
fn open_preq(sequence: u32, known: Option<u32>) -> Preq {
    let target_sequence = known.map(SequenceNumber);
    Preq { target_only: false, target_sequence, ..preq(8, 9, sequence, 0) }
}

#[test]
fn a_prep_goes_back_the_way_the_preq_came() {
    let mut network = met();
    hear_preq(&mut network, 0, 1, preq(8, 9, 5, 1));
    hear_prep(&mut network, 0, 2, prep(9, 8, 4, 2));
    assert_eq!(path(&network, 0, 9), Some((2, 3 * LINK, 3)));
    let passed = preps(&network, 0, 5.0);
    let (_, to, prep) = &passed[0];
    assert_eq!((passed.len(), *to), (1, NodeId(1)));
    assert_eq!((prep.hops, prep.ttl, prep.metric), (3, 28, 3 * LINK));
}

#[test]
fn a_prep_without_a_way_back_ends_here() {
    let mut network = met();
    hear_prep(&mut network, 0, 2, prep(9, 8, 4, 2));
    assert_eq!((path(&network, 0, 9).is_some(), preps(&network, 0, 5.0).len()), (true, 0));
}

#[test]
fn a_prep_that_is_no_news_is_not_passed_on() {
    let mut network = met();
    hear_preq(&mut network, 0, 1, preq(8, 9, 5, 1));
    hear_prep(&mut network, 0, 2, prep(9, 8, 4, 2));
    hear_prep(&mut network, 0, 3, prep(9, 8, 4, 2));
    hear_prep(&mut network, 0, 3, prep(9, 8, 3, 0));
    assert_eq!(preps(&network, 0, 5.0).len(), 1);
    assert_eq!(path(&network, 0, 9), Some((2, 3 * LINK, 3)));
}

#[test]
fn relays_know_who_uses_their_paths() {
    // Section 13.10.8.4: precursors of both ends.
    let mut network = met();
    hear_preq(&mut network, 0, 1, preq(8, 9, 5, 1));
    hear_prep(&mut network, 0, 2, prep(9, 8, 4, 2));
    let precursors = |node| {
        let path = network.nodes[0].paths().known(NodeId(node)).expect("a path");
        path.precursors.iter().map(|node| node.0).collect::<Vec<_>>()
    };
    assert_eq!((precursors(9), precursors(8)), (vec![1], vec![2]));
}

#[test]
fn who_knows_a_path_answers_and_lets_no_other_do_so() {
    // TO = 0: intermediate reply, and the PREQ goes on with TO = 1 (case G).
    let mut network = met_with(&by_any());
    hear_prep(&mut network, 0, 2, prep(9, 0, 4, 2));
    hear_preq(&mut network, 0, 1, open_preq(5, Some(4)));
    network.run_to(5.1);
    let answers = preps(&network, 0, 5.0);
    let (_, to, prep) = &answers[0];
    assert_eq!((*to, prep.hops, prep.metric), (NodeId(1), 3, 3 * LINK));
    assert_eq!((prep.target, prep.target_sequence), (NodeId(9), SequenceNumber(4)));
    let passed = preqs(&network, 0, 5.0);
    assert_eq!((passed.len(), passed[0].2.target_only), (1, true));
    assert_eq!(network.nodes[0].counts.intermediate_preps, 1);
}

#[test]
fn a_path_by_an_older_number_is_no_answer() {
    let mut network = met_with(&by_any());
    hear_prep(&mut network, 0, 2, prep(9, 0, 4, 2));
    hear_preq(&mut network, 0, 1, open_preq(5, Some(5)));
    network.run_to(5.1);
    assert_eq!(preps(&network, 0, 5.0), []);
    assert!(!preqs(&network, 0, 5.0)[0].2.target_only);
}

#[test]
fn any_number_is_an_answer_to_who_knows_none() {
    let mut network = met_with(&by_any());
    hear_prep(&mut network, 0, 2, prep(9, 0, 4, 2));
    hear_preq(&mut network, 0, 1, open_preq(5, None));
    assert_eq!(preps(&network, 0, 5.0).len(), 1);
}

#[test]
fn with_target_only_nobody_else_answers() {
    let mut network = met();
    hear_prep(&mut network, 0, 2, prep(9, 0, 4, 2));
    hear_preq(&mut network, 0, 1, preq(8, 9, 5, 0));
    network.run_to(5.1);
    assert_eq!((preps(&network, 0, 5.0).len(), preqs(&network, 0, 5.0).len()), (0, 1));
}

#[test]
fn a_path_back_over_the_peer_that_asks_is_no_answer() {
    let mut network = met_with(&by_any());
    hear_prep(&mut network, 0, 1, prep(9, 0, 4, 2));
    hear_preq(&mut network, 0, 1, open_preq(5, Some(4)));
    assert_eq!(preps(&network, 0, 5.0), []);
}

#[test]
fn a_path_ends_5000_tu_after_its_last_use() {
    let mut network = met();
    hear_prep(&mut network, 0, 2, prep(9, 0, 4, 2));
    network.run_to(10.11);
    assert!(path(&network, 0, 9).is_some());
    network.run_to(10.13);
    assert_eq!(path(&network, 0, 9), None);
}

#[test]
fn use_keeps_the_paths_to_both_ends() {
    // Section 9.32.4.
    let mut network = met();
    hear_preq(&mut network, 0, 1, preq(8, 9, 5, 1));
    hear_prep(&mut network, 0, 2, prep(9, 8, 4, 2));
    network.run_to(9.0);
    let packet = data(8, 9, 1, network.now);
    network.call(0, |hwmp, cx| hwmp.on_receive(cx, packet, NodeId(1)));
    let until = |node| network.nodes[0].paths().known(NodeId(node)).map(|path| path.until);
    let expected = Some(Instant::from_secs_f64(14.12));
    assert_eq!([1, 2, 8, 9].map(until), [expected; 4]);
}

#[test]
fn who_seeks_a_path_that_has_expired_takes_no_old_one() {
    // What peers know by the old number may lead here.
    let mut network = met_with(&by_any());
    hear_prep(&mut network, 0, 2, prep(9, 0, 4, 2));
    network.send(11.0, 0, 9, 1);
    assert_eq!(preqs(&network, 0, 11.0)[0].2.target_sequence, Some(SequenceNumber(5)));
    hear_prep(&mut network, 0, 3, prep(9, 0, 4, 1));
    assert_eq!(path(&network, 0, 9), None);
    hear_prep(&mut network, 0, 3, prep(9, 0, 5, 1));
    assert_eq!(path(&network, 0, 9), Some((3, 2 * LINK, 2)));
}

#[test]
fn data_go_from_end_to_end_and_carry_the_mesh_header() {
    let mut network = network(6, &chain(6));
    network.run_to(5.0);
    network.send(5.0, 0, 5, 1);
    network.run_to(6.0);
    assert_eq!(network.arrived(), [1]);
    assert_eq!(route(&network, 0, 5), [0, 1, 2, 3, 4, 5]);
    assert_eq!(route(&network, 5, 0), [5, 4, 3, 2, 1, 0]);
    assert_eq!(path(&network, 0, 5), Some((1, 5 * LINK, 5)));
    // 40 bytes and the eight that the harness sets.
    assert_eq!(network.delivered[0].1.size_bytes, 48);
}

#[test]
fn of_two_ways_the_one_of_less_airtime_wins() {
    // Over 1 three out of four beacons are lost; 2 and 3 make a longer path.
    let mut network = network(5, &[(0, 1), (1, 4), (0, 2), (2, 3), (3, 4)]);
    for (a, b) in [(0, 1), (1, 0), (1, 4), (4, 1)] {
        network.lose(a, b, 3, 4);
    }
    network.run_to(30.0);
    // The link loses elements, too: several searches.
    network.send(30.0, 0, 4, 1);
    network.run_to(32.0);
    assert_eq!(route(&network, 0, 4), [0, 2, 3, 4]);
}
