//! Roots: PREQs for all (section 13.10.4.2) and announcements (sections 13.10.4.3, 13.10.12).

use super::harness::{
    LINK, chain, hear, hear_preq, met_with, network_of, path, preps, preq, preqs, route, sent,
};
use crate::routing::harness::Network;
use crate::routing::hwmp::frames::{MeshFrame, Preq, Rann};
use crate::routing::hwmp::{Hwmp, HwmpConfig, RootMode};
use crate::wire::NodeId;
use crate::wire::aodv::SequenceNumber;

fn with(root_mode: RootMode, root: u32) -> HwmpConfig {
    HwmpConfig { root_mode, root, ..HwmpConfig::default() }
}

/// A PREQ of root 8 for all.
fn for_all(sequence: u32, hops: u8, wants_prep: bool) -> Preq {
    Preq { wants_prep, target: NodeId::BROADCAST, ..preq(8, 0, sequence, hops) }
}

fn rann(sequence: u32, hops: u8) -> Rann {
    Rann {
        hops,
        ttl: 31 - hops,
        root: NodeId(8),
        sequence: SequenceNumber(sequence),
        interval_tu: 2000,
        metric: LINK * u32::from(hops),
    }
}

fn hear_rann(network: &mut Network<Hwmp>, from: u32, rann: Rann) {
    hear(network, 0, from, MeshFrame::Rann(rann));
}

#[test]
fn a_root_asks_all_every_2000_tu() {
    let mut network = met_with(&with(RootMode::PreqWithPrep, 0));
    network.run_to(9.0);
    let asked = preqs(&network, 0, 0.0);
    let times: Vec<f64> = asked.iter().map(|entry| entry.0).collect();
    assert_eq!(times, [2.048, 4.096, 6.144, 8.192]);
    let preq = &asked[0].2;
    assert_eq!((preq.target, preq.target_only), (NodeId::BROADCAST, true));
    assert_eq!((preq.target_sequence, preq.wants_prep), (None, true));
}

#[test]
fn all_answer_a_root_that_asks_for_it() {
    let mut network = met_with(&with(RootMode::PreqWithPrep, 8));
    hear_preq(&mut network, 0, 1, for_all(5, 1, true));
    network.run_to(5.1);
    assert_eq!(path(&network, 0, 8), Some((1, 2 * LINK, 2)));
    let all = preps(&network, 0, 5.0).into_iter();
    let own: Vec<NodeId> =
        all.filter(|entry| entry.2.target == NodeId(0)).map(|entry| entry.1).collect();
    assert_eq!(own, [NodeId(1)]);
    assert_eq!(preqs(&network, 0, 5.0).len(), 1, "and pass it on");
}

#[test]
fn without_being_asked_only_who_has_data_answers_once_a_round() {
    let mut network = met_with(&with(RootMode::Preq, 8));
    hear_preq(&mut network, 0, 1, for_all(5, 1, false));
    assert_eq!(preps(&network, 0, 5.0), []);
    network.send(5.1, 0, 8, 1);
    network.send(5.2, 0, 8, 2);
    assert_eq!(preps(&network, 0, 5.0).len(), 1);
    hear_preq(&mut network, 0, 1, for_all(6, 1, false));
    network.send(5.3, 0, 8, 3);
    assert_eq!(preps(&network, 0, 5.0).len(), 2);
    assert!(preqs(&network, 0, 5.0).iter().all(|(_, _, preq)| preq.originator == NodeId(8)));
}

#[test]
fn with_a_root_that_asks_for_answers_paths_lead_both_ways_without_a_search() {
    let mut network = network_of(5, &chain(5), &with(RootMode::PreqWithPrep, 0));
    network.run_to(6.0);
    assert_eq!(route(&network, 4, 0), [4, 3, 2, 1, 0]);
    assert_eq!(route(&network, 0, 4), [0, 1, 2, 3, 4]);
    assert!(network.nodes.iter().all(|node| node.counts.preqs_originated == 0));
}

#[test]
fn who_hears_an_announcement_asks_the_root_by_the_peer_that_it_came_from() {
    // Section 13.10.9.3, case D.
    let mut network = met_with(&with(RootMode::Rann, 8));
    hear_rann(&mut network, 2, rann(5, 1));
    network.run_to(5.1);
    let asked = preqs(&network, 0, 5.0);
    let (_, to, preq) = &asked[0];
    assert_eq!((*to, preq.target, preq.is_individual), (NodeId(2), NodeId(8), true));
    assert_eq!(path(&network, 0, 8), None, "an announcement makes no path");
}

#[test]
fn announcements_are_passed_on_if_newer_or_better() {
    let mut network = met_with(&with(RootMode::Rann, 8));
    let passed = |network: &Network<Hwmp>| {
        let all = sent(network, 0, 5.0).into_iter();
        all.filter(|entry| matches!(entry.2, MeshFrame::Rann(_))).count()
    };
    hear_rann(&mut network, 2, rann(5, 3));
    hear_rann(&mut network, 1, rann(5, 3));
    hear_rann(&mut network, 1, rann(4, 0));
    network.run_to(5.1);
    assert_eq!(passed(&network), 1);
    hear_rann(&mut network, 1, rann(5, 1));
    hear_rann(&mut network, 3, rann(6, 4));
    network.run_to(5.2);
    assert_eq!(passed(&network), 3);
}

#[test]
fn the_path_to_the_root_is_asked_for_once_in_2000_tu() {
    // dot11MeshHWMPconfirmationInterval.
    let mut network = met_with(&with(RootMode::Rann, 8));
    for (at, sequence) in [(5.0, 5), (6.0, 6), (7.0, 7), (7.1, 8)] {
        network.run_to(at);
        hear_rann(&mut network, 2, rann(sequence, 1));
    }
    let asked = preqs(&network, 0, 5.0).into_iter();
    let own = asked.filter(|entry| entry.2.originator == NodeId(0));
    assert_eq!(own.map(|entry| entry.0).collect::<Vec<_>>(), [5.0, 7.1]);
}

#[test]
fn with_announcements_paths_lead_both_ways_without_a_search_by_data() {
    let mut network = network_of(5, &chain(5), &with(RootMode::Rann, 0));
    network.run_to(8.0);
    assert_eq!(route(&network, 4, 0), [4, 3, 2, 1, 0]);
    assert_eq!(route(&network, 0, 4), [0, 1, 2, 3, 4]);
}

#[test]
fn a_root_that_is_dead_is_forgotten() {
    let mut network = network_of(3, &chain(3), &with(RootMode::PreqWithPrep, 0));
    network.run_to(6.0);
    assert!(path(&network, 2, 0).is_some());
    network.cut(0, 1);
    network.run_to(12.0);
    assert_eq!(path(&network, 2, 0), None, "5000 TU after its last PREQ");
}
