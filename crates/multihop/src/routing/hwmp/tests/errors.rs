//! Path errors (section 13.10.11).

use super::harness::{hear, hear_prep, hear_preq, met, path, prep, preq, preqs, sent};
use crate::routing::harness::{Network, data};
use crate::routing::hwmp::Hwmp;
use crate::routing::hwmp::frames::{MeshFrame, Perr, Reason, Unreachable};
use crate::routing::{Action, DropReason, Protocol};
use crate::wire::NodeId;
use crate::wire::aodv::SequenceNumber;

/// Node 0 relays between 8, behind 1, and 9, behind 2.
fn relaying() -> Network<Hwmp> {
    let mut network = met();
    hear_preq(&mut network, 0, 1, preq(8, 9, 5, 1));
    hear_prep(&mut network, 0, 2, prep(9, 8, 4, 2));
    network.run_to(5.2);
    network
}

fn fail(network: &mut Network<Hwmp>, from: u32, to: u32, next_hop: u32) {
    network.call(0, |hwmp, cx| {
        hwmp.on_link_failure(cx, data(from, to, 1, cx.now), NodeId(next_hop));
    });
}

fn perrs(network: &Network<Hwmp>, since: f64) -> Vec<(f64, NodeId, Vec<Unreachable>)> {
    let all = sent(network, 0, since).into_iter();
    all.filter_map(|(at, to, frame)| match frame {
        MeshFrame::Perr(perr) => Some((at, to, perr.unreachable)),
        _ => None,
    })
    .collect()
}

fn lost(node: u32, sequence: u32) -> Unreachable {
    let sequence = Some(SequenceNumber(sequence));
    Unreachable { node: NodeId(node), sequence, reason: Reason::Unreachable }
}

fn hear_perr(network: &mut Network<Hwmp>, from: u32, unreachable: &[Unreachable]) {
    let perr = Perr { ttl: 31, unreachable: unreachable.to_vec() };
    hear(network, 0, from, MeshFrame::Perr(perr));
}

#[test]
fn a_broken_link_breaks_the_paths_over_it_and_their_users_are_told() {
    let mut network = relaying();
    fail(&mut network, 8, 9, 2);
    assert_eq!((path(&network, 0, 9), path(&network, 0, 2)), (None, None));
    assert!(path(&network, 0, 8).is_some());
    let told = perrs(&network, 5.2);
    // Node 1 alone sends over it; the number is the next.
    assert_eq!((told.len(), told[0].1), (1, NodeId(1)));
    assert!(told[0].2.contains(&lost(9, 5)), "{told:?}");
    assert_eq!(network.drops(0), [(1, DropReason::LinkFailure)]);
}

#[test]
fn several_users_are_told_at_once() {
    let mut network = relaying();
    hear_preq(&mut network, 0, 3, preq(7, 9, 5, 1));
    hear_prep(&mut network, 0, 2, prep(9, 7, 6, 2));
    fail(&mut network, 8, 9, 2);
    assert_eq!(perrs(&network, 5.2)[0].1, NodeId::BROADCAST);
}

#[test]
fn a_path_that_nobody_uses_breaks_in_silence() {
    let mut network = met();
    hear_prep(&mut network, 0, 2, prep(9, 0, 4, 2));
    fail(&mut network, 0, 9, 2);
    assert_eq!((path(&network, 0, 9), perrs(&network, 5.0)), (None, vec![]));
    // The own transport is told, of the path and of its packet.
    assert!(network.count(0, &Action::RouteError { destination: NodeId(9) }) > 0);
}

#[test]
fn an_error_breaks_the_path_over_the_peer_that_sent_it() {
    let mut network = relaying();
    hear_perr(&mut network, 2, &[lost(9, 5)]);
    assert_eq!(path(&network, 0, 9), None);
    assert_eq!(perrs(&network, 5.2), [(5.2, NodeId(1), vec![lost(9, 5)])]);
}

#[test]
fn an_error_of_another_peer_or_by_an_older_number_counts_for_nothing() {
    let mut network = relaying();
    hear_perr(&mut network, 3, &[lost(9, 5)]);
    hear_perr(&mut network, 2, &[lost(9, 3)]);
    hear_perr(&mut network, 2, &[lost(6, 5)]);
    assert!(path(&network, 0, 9).is_some());
    assert_eq!(perrs(&network, 5.2), []);
}

#[test]
fn data_that_no_path_is_known_for_come_back_as_an_error() {
    // MESH-PATH-ERROR-NO-FORWARDING-INFORMATION.
    let mut network = met();
    let packet = data(8, 9, 1, network.now);
    network.call(0, |hwmp, cx| hwmp.on_receive(cx, packet, NodeId(1)));
    assert_eq!(network.drops(0), [(1, DropReason::NoRoute)]);
    let reason = Reason::NoForwardingInformation;
    let expected = Unreachable { node: NodeId(9), sequence: None, reason };
    assert_eq!(perrs(&network, 5.0), [(5.0, NodeId(1), vec![expected])]);
}

#[test]
fn who_gets_that_error_breaks_the_path_whatever_its_number() {
    let mut network = relaying();
    let reason = Reason::NoForwardingInformation;
    hear_perr(&mut network, 2, &[Unreachable { node: NodeId(9), sequence: None, reason }]);
    assert_eq!(path(&network, 0, 9), None);
}

#[test]
fn errors_keep_their_distance() {
    // dot11MeshHWMPperrMinInterval of 100 TU.
    let mut network = met();
    for destination in [7, 8, 9] {
        let packet = data(6, destination, 1, network.now);
        network.call(0, |hwmp, cx| hwmp.on_receive(cx, packet, NodeId(1)));
    }
    network.run_to(6.0);
    let told: Vec<(f64, usize)> =
        perrs(&network, 5.0).into_iter().map(|(at, _, lost)| (at, lost.len())).collect();
    assert_eq!(told, [(5.0, 1), (5.1024, 2)]);
}

#[test]
fn an_error_whose_time_to_live_is_over_goes_no_further() {
    let mut network = relaying();
    hear(&mut network, 0, 2, MeshFrame::Perr(Perr { ttl: 1, unreachable: vec![lost(9, 5)] }));
    assert_eq!((path(&network, 0, 9), perrs(&network, 5.2)), (None, vec![]));
}

#[test]
fn a_peer_that_falls_silent_breaks_the_paths_over_it() {
    let mut network = relaying();
    network.cut(0, 2);
    // Use keeps the path until the peer is forgotten.
    for step in 0..110 {
        network.run_to(5.3 + 0.1 * f64::from(step));
        let packet = data(8, 9, step, network.now);
        if path(&network, 0, 9).is_some() {
            network.call(0, |hwmp, cx| hwmp.forward(cx, packet, Some(NodeId(1))));
        }
    }
    network.run_to(16.5);
    assert_eq!(path(&network, 0, 9), None);
    assert!(!perrs(&network, 5.3).is_empty());
}

#[test]
fn after_a_break_only_a_newer_number_makes_a_path() {
    let mut network = met();
    hear_prep(&mut network, 0, 2, prep(9, 0, 4, 2));
    fail(&mut network, 0, 9, 2);
    hear_prep(&mut network, 0, 3, prep(9, 0, 4, 1));
    assert_eq!(path(&network, 0, 9), None);
    network.send(6.0, 0, 9, 2);
    assert_eq!(preqs(&network, 0, 6.0)[0].2.target_sequence, Some(SequenceNumber(5)));
    hear_prep(&mut network, 0, 3, prep(9, 0, 6, 1));
    assert!(path(&network, 0, 9).is_some());
}
