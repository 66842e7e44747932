//! One discovery.

use super::harness::{Multipath, keys};
use crate::routing::Action;
use crate::routing::multipath::{PathPolicy, PathsConfig};
use crate::wire::NodeId;

/// Two paths of two hops and one of three from 0 to 9, and a dead end.
const DIAMOND: [(u32, u32); 8] = [(0, 1), (1, 9), (0, 2), (2, 9), (0, 3), (3, 4), (4, 9), (3, 5)];

fn discovered(links: &[(u32, u32)], paths: PathsConfig) -> Multipath {
    let mut network = Multipath::multipath(10, links, paths);
    network.send(1.0, 0, 9, 1);
    network.run_to(2.0);
    network
}

fn sorted(mut paths: Vec<Vec<u32>>) -> Vec<Vec<u32>> {
    paths.sort();
    paths
}

#[test]
fn a_node_forwards_a_request_once_and_keeps_every_copy() {
    let mut network = discovered(&DIAMOND, keys(PathPolicy::Edm));
    for node in 1..=5 {
        assert_eq!(network.requests_of(node), 1, "node {node}");
    }
    assert_eq!(network.requests_of(9), 0);
    // Broadcasts: 9 hears 1, 2 and 4; 3 hears 0, 4 and 5; 5 hears 3 only.
    let id = network.found(0)[0].1.discovery();
    let now = network.now;
    let mut copies =
        |node: usize| network.nodes[node].requests.get_mut(now, id).map(|heard| heard.copies());
    assert_eq!([9, 3, 5].map(&mut copies), [Some(3), Some(3), Some(1)]);
    network.run_to(20.0);
    let late = network.now;
    assert!(network.nodes[9].requests.get_mut(late, id).is_none(), "kept for 10 s");
}

#[test]
fn only_the_destination_answers_each_copy_with_a_new_route_id() {
    let mut network =
        discovered(&DIAMOND, PathsConfig { length_factor: 2.0, ..keys(PathPolicy::Ap) });
    // 1 knows a route to 9 now, but only 9 replies.
    network.send(3.0, 5, 9, 1);
    network.run_to(4.0);
    let answers = network.replies(9);
    let mut ids: Vec<_> = answers.iter().map(|answer| answer.1).collect();
    ids.sort();
    ids.dedup();
    assert_eq!(ids.len(), answers.len());
    let numbers: Vec<u32> =
        answers.iter().filter(|answer| answer.2.originator.0 == 0).map(|a| a.1.path()).collect();
    assert_eq!(numbers, [1, 2, 3]);
    for node in 0..9 {
        assert!(network.replies(node).iter().all(|(_, id, _)| ids.contains(id)), "node {node}");
    }
    for (_, _, reply) in network.replies(9) {
        assert_eq!((reply.hop_count, reply.destination), (1, NodeId(9)));
    }
}

#[test]
fn alternates_are_longer_by_at_most_the_length_factor() {
    let short = discovered(&DIAMOND, keys(PathPolicy::Edm));
    assert_eq!(sorted(short.paths_from(0)), [vec![0, 1, 9], vec![0, 2, 9]]);
    let longer = discovered(&DIAMOND, PathsConfig { length_factor: 1.5, ..keys(PathPolicy::Edm) });
    let all = [vec![0, 1, 9], vec![0, 2, 9], vec![0, 3, 4, 9]];
    assert_eq!(sorted(longer.paths_from(0)), all);
    let hops: Vec<u8> = longer.found(0).iter().map(|path| path.2).collect();
    let lengths: Vec<usize> = longer.paths_from(0).iter().map(|path| path.len() - 1).collect();
    assert_eq!(hops.iter().map(|&hops| usize::from(hops)).collect::<Vec<_>>(), lengths);
}

#[test]
fn a_discovery_finds_at_most_max_paths() {
    let links: Vec<_> = (1..=5).flat_map(|i| [(0, i), (i, 9)]).collect();
    assert_eq!(discovered(&links, keys(PathPolicy::Edm)).found(0).len(), 3);
    let five = PathsConfig { max_paths: 5, ..keys(PathPolicy::Edm) };
    assert_eq!(discovered(&links, five).found(0).len(), 5);
}

#[test]
fn a_short_request_can_be_answered_once() {
    let once = PathsConfig { single_path_below_hops: 6, ..keys(PathPolicy::Edm) };
    let network = discovered(&DIAMOND, once.clone());
    assert_eq!((network.replies(9).len(), network.found(0).len()), (1, 1));
    // A ring of twelve: six hops either way.
    let ring: Vec<_> = (0..12).map(|i| (i, (i + 1) % 12)).collect();
    let mut network = Multipath::multipath(12, &ring, once);
    network.send(1.0, 0, 6, 1);
    network.run_to(2.0);
    assert_eq!((network.replies(6).len(), network.found(0).len()), (2, 2));
}

#[test]
fn late_copies_are_not_answered() {
    let keys = PathsConfig { accept_copies_s: 0.0, ..keys(PathPolicy::Edm) };
    assert_eq!(discovered(&DIAMOND, keys).replies(9).len(), 1);
}

/// Two paths that share node 3: 0-1-3-4-9 and 0-2-3-5-9.
const WAIST: [(u32, u32); 8] = [(0, 1), (1, 3), (0, 2), (2, 3), (3, 4), (4, 9), (3, 5), (5, 9)];

#[test]
fn edge_disjoint_paths_may_share_a_node_and_node_disjoint_paths_may_not() {
    let edm = discovered(&WAIST, keys(PathPolicy::Edm));
    let paths = edm.paths_from(0);
    assert_eq!(paths.len(), 2);
    assert!(paths.iter().all(|path| path.contains(&3)));
    let ndm = discovered(&WAIST, keys(PathPolicy::Ndm));
    assert_eq!(ndm.paths_from(0).len(), 1);
    assert_eq!(ndm.replies(9).len(), 2, "the second is dropped in node 3");
}

/// Two ways from 9 that meet in 3, and a longer one from 5.
const TWO_INTO_ONE: [(u32, u32); 9] =
    [(0, 3), (3, 4), (4, 9), (3, 5), (5, 8), (8, 9), (5, 6), (6, 7), (7, 0)];

#[test]
fn a_neighbour_overheard_replying_gets_no_reply() {
    // 4 and 5 both forward a reply of 9; 5 could send its reply over 3, which is on the path of
    // 4's, or over the longer path through 6 and 7. It overhears 3 forward 4's reply.
    let links = &TWO_INTO_ONE;
    let wide = |keys| PathsConfig { length_factor: 2.0, ..keys };
    let heard = discovered(links, wide(keys(PathPolicy::Ndm)));
    assert_eq!(sorted(heard.paths_from(0)), [vec![0, 3, 4, 9], vec![0, 7, 6, 5, 8, 9]]);
    let deaf = PathsConfig { overhear_replies: false, ..keys(PathPolicy::Ndm) };
    assert_eq!(discovered(links, wide(deaf)).paths_from(0), [vec![0, 3, 4, 9]]);
    // EDM tries 3 as well, but its only link to the source is taken.
    assert_eq!(discovered(links, wide(keys(PathPolicy::Edm))).found(0).len(), 1);
}

#[test]
fn overhearing_alone_finds_paths_that_share_a_node() {
    let alone = PathsConfig { one_reply_per_node: false, ..keys(PathPolicy::Ndm) };
    // Node 4 does not hear 5 and learns nothing; node 3 passes both replies on.
    let shared = discovered(&WAIST, alone.clone());
    assert_eq!((shared.paths_from(0).len(), shared.replies(3).len()), (2, 2));
    assert_eq!(discovered(&WAIST, keys(PathPolicy::Ndm)).paths_from(0).len(), 1);
    // Where 5 hears 3 pass the first reply on, the second goes another way all the same.
    let wide = PathsConfig { length_factor: 2.0, ..alone };
    let network = discovered(&TWO_INTO_ONE, wide);
    assert_eq!(sorted(network.paths_from(0)), [vec![0, 3, 4, 9], vec![0, 7, 6, 5, 8, 9]]);
}

fn going_back(policy: PathPolicy) -> PathsConfig {
    PathsConfig { replies_go_back: true, length_factor: 2.0, ..keys(policy) }
}

#[test]
fn a_reply_that_cannot_go_on_goes_back_a_hop_and_takes_another_way() {
    let network = discovered(&TWO_INTO_ONE, going_back(PathPolicy::Edm));
    assert_eq!(sorted(network.paths_from(0)), [vec![0, 3, 4, 9], vec![0, 7, 6, 5, 8, 9]]);
    let hops: Vec<u8> = network.found(0).iter().map(|path| path.2).collect();
    assert_eq!(hops, [3, 5]);
    assert_eq!(network.replies(5).iter().map(|reply| reply.0).collect::<Vec<_>>(), [3, 6]);
    let deaf = PathsConfig { overhear_replies: false, ..going_back(PathPolicy::Ndm) };
    assert_eq!(discovered(&TWO_INTO_ONE, deaf).paths_from(0).len(), 2);
}

#[test]
fn a_reply_goes_back_until_a_node_knows_another_way() {
    // 3 has no way for the second reply, 5 none but 3; 8 knows one over 6, 7 and 1.
    let links = [(0, 3), (3, 4), (4, 9), (3, 5), (5, 8), (8, 9), (8, 6), (6, 7), (7, 1), (1, 0)];
    let network = discovered(&links, going_back(PathPolicy::Edm));
    assert_eq!(sorted(network.paths_from(0)), [vec![0, 1, 7, 6, 8, 9], vec![0, 3, 4, 9]]);
    let id = network.found(0)[1].1;
    assert_eq!(network.nodes[5].next_hop(NodeId(9), id), None, "5 is on no path");
    assert_eq!(network.nodes[5].next_hop(NodeId(0), id), None);
}

#[test]
fn the_destination_tries_another_neighbour_too() {
    // 2 leads nowhere but to 1, which has one way to the source.
    let links = [(0, 1), (1, 9), (1, 2), (2, 9), (0, 3), (3, 4), (4, 5), (5, 9)];
    let two = |keys| PathsConfig { max_paths: 2, ..keys };
    let network = discovered(&links, two(going_back(PathPolicy::Edm)));
    assert_eq!(sorted(network.paths_from(0)), [vec![0, 1, 9], vec![0, 3, 4, 5, 9]]);
    let dropped = PathsConfig { replies_go_back: false, ..two(going_back(PathPolicy::Edm)) };
    assert_eq!(discovered(&links, dropped).paths_from(0), [[0, 1, 9]]);
    // What is too long for an alternate stays unused.
    let short = PathsConfig { length_factor: 1.5, ..two(going_back(PathPolicy::Edm)) };
    let network = discovered(&links, short);
    assert_eq!(network.paths_from(0), [[0, 1, 9]]);
    assert!(network.replies(9).iter().all(|reply| reply.0 != 5));
}

#[test]
fn sizes_count_the_route_id() {
    let network = discovered(&[(0, 9)], keys(PathPolicy::Edm));
    let sizes: Vec<u32> = network.sent().map(|sent| sent.4.size_bytes).collect();
    // Replies and data have four bytes more than in AODV, requests do not.
    assert_eq!(sizes, [48, 44 + 4, 40 + 4]);
}

#[test]
fn a_discovery_counts_once_however_many_paths_it_finds() {
    let network = discovered(&DIAMOND, keys(PathPolicy::Edm));
    assert_eq!(network.count(0, &Action::Discovery { destination: NodeId(9) }), 1);
    assert_eq!(network.requests_of(0), 1);
    assert_eq!(network.arrived(), [1]);
}
