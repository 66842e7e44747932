//! How broken links affect paths.

use super::harness::{Multipath, keys};
use crate::routing::Action;
use crate::routing::multipath::config::TellOn;
use crate::routing::multipath::{PathPolicy, PathsConfig};
use crate::wire::NodeId;

/// Two paths of three hops from 0 to 9.
const TWO: [(u32, u32); 6] = [(0, 1), (1, 2), (2, 9), (0, 3), (3, 4), (4, 9)];

fn conversation(links: &[(u32, u32)], paths: PathsConfig) -> Multipath {
    let mut network = Multipath::multipath(10, links, paths);
    network.run_to(1.0);
    network.converse(0, 9, 1, 6);
    network
}

fn route_errors(network: &Multipath) -> usize {
    network.count(0, &Action::RouteError { destination: NodeId(9) })
}

#[test]
fn a_route_error_ends_the_path_it_names_and_no_other() {
    let mut network = conversation(&TWO, keys(PathPolicy::Edm));
    let paths = network.found(0);
    assert_eq!(paths.len(), 2);
    network.cut(2, 9);
    network.converse(0, 9, 7, 6);
    let over_2 = paths.iter().find(|path| network.nodes_on(0, path.0, path.1).len() < 4).unwrap();
    assert_eq!(network.lost(0), [over_2.1]);
    assert_eq!((network.requests_of(0), route_errors(&network)), (1, 0));
    // The packet on the broken link is lost; all later packets take the other path.
    assert_eq!(network.arrived()[network.arrived().len() - 3..], [10, 11, 12]);
}

#[test]
fn the_source_asks_again_when_its_last_path_has_failed() {
    let mut network = conversation(&TWO, keys(PathPolicy::Edm));
    network.cut(2, 9);
    network.converse(0, 9, 7, 6);
    assert_eq!(network.requests_of(0), 1);
    network.cut(4, 9);
    network.converse(0, 9, 13, 1);
    assert_eq!((network.lost(0).len(), route_errors(&network)), (2, 1));
    assert_eq!(network.requests_of(0), 1, "nothing to send: no request");
    network.converse(0, 9, 14, 1);
    assert_eq!(network.requests_of(0), 2);
}

#[test]
fn the_transport_can_be_told_of_every_path() {
    let any = PathsConfig { standby_on: TellOn::Any, ..keys(PathPolicy::Edm) };
    let mut network = conversation(&TWO, any);
    network.cut(2, 9);
    network.converse(0, 9, 7, 6);
    assert_eq!(route_errors(&network), 1);
}

#[test]
fn ap_uses_the_shortest_path_until_it_fails() {
    // 0-1-9 before 0-2-3-9.
    let links = [(0, 1), (1, 9), (0, 2), (2, 3), (3, 9)];
    let keys = PathsConfig { length_factor: 1.5, ..keys(PathPolicy::Ap) };
    let mut network = conversation(&links, keys);
    assert_eq!(network.found(0).len(), 2);
    let over = |network: &Multipath, node| {
        network.segments(false).iter().filter(|hop| hop.0 == node).count()
    };
    // The first packet may leave with the longer path's reply, if that comes first.
    let early = over(&network, 2);
    assert!(early <= 1 && over(&network, 1) == 6 - early);
    network.cut(1, 9);
    network.converse(0, 9, 7, 6);
    assert_eq!(network.requests_of(0), 1);
    assert_eq!(over(&network, 2) - early, 5, "all but the one that found the link broken");
}

#[test]
fn packets_queued_at_the_source_move_to_another_path() {
    let mut network = conversation(&TWO, keys(PathPolicy::Ap));
    let first = network.segments(false)[0].1;
    network.cut(0, first);
    network.converse(0, 9, 7, 1);
    network.run_to(network.now.as_secs_f64() + 1.0);
    assert_eq!(network.arrived().last(), Some(&7), "the failing packet itself arrives");
    assert_eq!(network.drops(0), []);
}

#[test]
fn acknowledgments_take_the_reverse_of_their_data_path() {
    for policy in [PathPolicy::Ap, PathPolicy::Edm, PathPolicy::Ndm] {
        let network = conversation(&TWO, keys(policy));
        let (data, acks) = (network.segments(false), network.segments(true));
        assert_eq!((data.len(), acks.len()), (18, 18));
        for (out, back) in data.chunks(3).zip(acks.chunks(3)) {
            let reverse: Vec<_> = out.iter().rev().map(|&(a, b, id)| (b, a, id)).collect();
            assert_eq!(back, reverse);
        }
    }
}

#[test]
fn an_acknowledgment_whose_reverse_path_is_broken_takes_another() {
    let mut network = conversation(&TWO, keys(PathPolicy::Edm));
    network.fail_next.push((2, 1));
    network.fail_next.push((2, 1));
    network.converse(0, 9, 7, 4);
    let (requests, lost) = (network.requests_of(9), network.lost(9));
    assert_eq!((requests, lost.len()), (0, 1));
    network.fail_next.clear();
    let before = network.segments(true).len();
    network.converse(0, 9, 11, 4);
    let acks = network.segments(true).split_off(before);
    assert!(acks.iter().all(|hop| hop.2 != lost[0]), "{acks:?}");
    assert_eq!(network.arrived().len(), 14, "data still uses both");
}

#[test]
fn without_a_reverse_path_the_receiver_starts_a_discovery() {
    let mut network = conversation(&[(0, 1), (1, 9)], keys(PathPolicy::Edm));
    network.fail_next.push((9, 1));
    network.converse(0, 9, 7, 1);
    assert_eq!(network.requests_of(9), 0, "the acknowledgment is lost");
    network.converse(0, 9, 8, 1);
    assert_eq!((network.requests_of(9), network.requests_of(0)), (1, 1));
    assert_eq!(network.found(9).len(), 1);
    assert_eq!(network.arrived().len(), 8);
    assert_eq!(network.segments(true).last().map(|hop| hop.1), Some(0), "delivered after all");
}

#[test]
fn a_route_error_reaches_the_source_even_if_the_reverse_path_failed_before() {
    let mut network = conversation(&[(0, 1), (1, 2), (2, 9)], keys(PathPolicy::Edm));
    network.fail_next.push((2, 1));
    network.converse(0, 9, 7, 1);
    assert_eq!(
        (network.lost(9).len(), network.lost(0).len()),
        (1, 0),
        "the acknowledgment is lost"
    );
    network.fail_next.push((2, 9));
    network.converse(0, 9, 8, 1);
    assert_eq!((network.lost(0).len(), route_errors(&network)), (1, 1));
}

#[test]
fn a_lost_route_error_is_repeated_for_the_next_packet() {
    let mut network = conversation(&[(0, 1), (1, 2), (2, 9)], keys(PathPolicy::Edm));
    network.fail_next.push((2, 9));
    network.fail_next.push((2, 1));
    network.converse(0, 9, 7, 1);
    assert_eq!(network.lost(0), []);
    network.converse(0, 9, 8, 1);
    assert_eq!((network.lost(0).len(), route_errors(&network)), (1, 1));
}

/// Paths that share node 3 and one that does not: how many break when a node leaves.
#[test]
fn a_node_that_leaves_breaks_every_path_through_it() {
    let links = [(0, 1), (1, 3), (0, 2), (2, 3), (3, 4), (4, 9), (3, 5), (5, 9)];
    for (policy, paths) in [(PathPolicy::Edm, 2), (PathPolicy::Ndm, 1)] {
        let mut network = conversation(&links, keys(policy));
        assert_eq!(network.found(0).len(), paths);
        for neighbour in [1, 2, 4, 5] {
            network.cut(3, neighbour);
        }
        network.converse(0, 9, 7, 4);
        assert_eq!(network.lost(0).len(), paths);
    }
}
