//! Monitoring and replacing paths (section III-B).

use proptest::prelude::*;

use super::harness::{FIG_2, FIG_2_BACKOFFS, Nodes, ROUTE_I, ROUTE_J, ROUTE_K, fig_2, table};
use crate::routing::copas::CopasConfig;
use crate::routing::copas::config::{PathContention, Paths};
use crate::wire::dsr::Direction::{Forward, Reverse};

/// Backoffs of Fig. 2 with those of some nodes replaced.
fn backoffs(changed: &[(usize, u32)]) -> [u32; 10] {
    let mut backoffs = FIG_2_BACKOFFS;
    changed.iter().for_each(|&(node, count)| backoffs[node] = count);
    backoffs
}

/// Data on k and acknowledgments on i of Fig. 2, from 8 s on.
fn connected(config: CopasConfig) -> Nodes {
    let mut net = fig_2(config);
    net.send(5.0, 0, 9, 0);
    net.back_off(&FIG_2_BACKOFFS, 8);
    net.exchange(8.0, 0, 9);
    net
}

/// An exchange 0.1 s after each full second from `from` to `to`, while nodes back off this often.
fn exchanges(net: &mut Nodes, backoffs: &[u32], from: u32, to: u32) {
    for second in from..to {
        net.back_off(backoffs, second);
        net.exchange(f64::from(second) + 0.1, 0, 9);
    }
}

#[test]
fn every_packet_carries_the_averages_of_its_relays() {
    let mut net = connected(CopasConfig::default());
    exchanges(&mut net, &FIG_2_BACKOFFS, 9, 12);
    let gathered: Vec<(u32, Vec<f32>)> = net
        .delivered
        .iter()
        .map(|(_, packet)| (packet.source.0, packet.dsr.as_ref().unwrap().gathered.clone()))
        .collect();
    for (source, averages) in &gathered[1..] {
        let expected = if *source == 0 { [1.0, 1.0, 1.0] } else { [1.0, 2.0, 1.0] };
        let close = averages.iter().zip(expected).all(|(a, b)| (a - b).abs() < 0.01);
        assert!(averages.len() == 3 && close, "{averages:?} of {source}");
    }
    assert!(gathered.len() > 6);
    // 40 of TCP, 20 of IP, 4 fixed, 16 for a route of five nodes, 4 per relay.
    assert_eq!([0, 6, 7, 8].map(|node| net.data_sizes(node)[1]), [80, 84, 88, 92]);
}

#[test]
fn the_receiver_requests_a_new_forward_path_and_no_reply_is_sent() {
    let mut net = connected(CopasConfig::default());
    let replies = net.replies().len();
    // Route k becomes the worst.
    let worse = backoffs(&[(6, 20), (7, 20), (8, 20)]);
    exchanges(&mut net, &worse, 9, 13);
    assert_eq!(net.replacement_requests(), [(9, Forward)]);
    assert_eq!(net.replies().len(), replies);
    // Route i carries the acknowledgments: only j is disjoint from it.
    assert_eq!(net.path(0, 9, Forward), Some(ROUTE_J.to_vec()));
    assert_eq!(net.path(9, 0, Forward), Some(vec![9, 5, 4, 0]), "seen by the receiver");
    assert_eq!(net.path(9, 0, Reverse), Some(vec![9, 3, 2, 1, 0]));
    let counters = net.nodes[0].policy().counters(net.now);
    assert_eq!((counters.replacements, counters.replacements_of_other_length), (1, 0));
}

#[test]
fn the_sender_requests_a_new_reverse_path() {
    let mut net = connected(CopasConfig::default());
    let worse = backoffs(&[(1, 20), (2, 20), (3, 20)]);
    exchanges(&mut net, &worse, 9, 13);
    assert_eq!(net.replacement_requests(), [(0, Reverse)]);
    assert_eq!(net.path(9, 0, Reverse), Some(vec![9, 5, 4, 0]));
    assert_eq!(net.path(0, 9, Forward), Some(ROUTE_K.to_vec()));
    assert_eq!(net.nodes[9].policy().counters(net.now).replacements, 1);
}

#[test]
fn a_path_at_the_threshold_stays() {
    let mut net = connected(CopasConfig::default());
    exchanges(&mut net, &backoffs(&[(6, 6), (7, 6), (8, 6)]), 9, 16);
    assert_eq!(net.replacement_requests(), []);
    // One of three relays at 12 makes a mean of less than 6, but a maximum of more.
    exchanges(&mut net, &backoffs(&[(6, 2), (7, 12), (8, 2)]), 17, 24);
    assert_eq!(net.replacement_requests(), []);
    let maximum = PathContention::Maximum;
    let mut net = connected(CopasConfig { path_contention: maximum, ..CopasConfig::default() });
    exchanges(&mut net, &backoffs(&[(6, 2), (7, 12), (8, 2)]), 9, 11);
    assert_eq!(net.replacement_requests(), [(9, Forward)]);
}

#[test]
fn a_worse_path_is_refused_and_the_next_request_is_delayed() {
    let mut net = connected(CopasConfig::default());
    // All are contended, the data's path least.
    let worse = backoffs(&[(4, 30), (5, 30), (6, 9), (7, 9), (8, 9)]);
    exchanges(&mut net, &worse, 9, 17);
    net.back_off(&worse, 19);
    assert_eq!(net.path(0, 9, Forward), Some(ROUTE_K.to_vec()));
    let counters = net.nodes[0].policy().counters(net.now);
    assert_eq!(counters.replacements, 0);
    // 2.5 s apart: requested with the exchange of 9 or 10 s, then with every third.
    let asked = net.replacement_requests().len();
    assert_eq!(counters.replacements_refused, asked as u64);
    assert!((2..=3).contains(&asked), "{asked}");
    let unchecked = CopasConfig { only_if_better: false, ..CopasConfig::default() };
    let mut net = connected(unchecked);
    exchanges(&mut net, &worse, 9, 12);
    assert_eq!(net.path(0, 9, Forward), Some(ROUTE_K.to_vec()), "still the least contended");
}

#[test]
fn the_damping_can_be_set() {
    let worse = backoffs(&[(4, 30), (5, 30), (6, 9), (7, 9), (8, 9)]);
    let asked = |spacing_s| {
        let config =
            CopasConfig { replacement_spacing_s: Some(spacing_s), ..CopasConfig::default() };
        let mut net = connected(config);
        exchanges(&mut net, &worse, 9, 29);
        net.replacement_requests().len()
    };
    assert_eq!(asked(10.0), 2);
    // Never while a request is pending, which takes 1.5 s.
    assert!((7..=10).contains(&asked(0.1)), "{}", asked(0.1));
}

#[test]
fn without_replacement_contended_paths_stay() {
    let mut net = connected(CopasConfig { replacement: false, ..CopasConfig::default() });
    exchanges(&mut net, &backoffs(&[(6, 90), (7, 90), (8, 90)]), 9, 14);
    assert_eq!(net.replacement_requests(), []);
    assert_eq!(net.path(0, 9, Forward), Some(ROUTE_K.to_vec()));
}

#[test]
fn a_common_path_is_replaced_at_both_ends() {
    let mut net = connected(CopasConfig { paths: Paths::Common, ..CopasConfig::default() });
    exchanges(&mut net, &backoffs(&[(6, 20), (7, 20), (8, 20)]), 9, 13);
    assert_eq!(net.replacement_requests(), [(9, Forward)]);
    assert_eq!(net.path(0, 9, Forward), Some(ROUTE_I.to_vec()));
    assert_eq!(net.path(9, 0, Reverse), Some(vec![9, 3, 2, 1, 0]));
}

#[test]
fn two_paths_form_once_a_disjoint_one_appears() {
    // Only route i at first; node 5 comes into range later.
    let i: Vec<(u32, u32)> = FIG_2[..4].to_vec();
    let mut net = Nodes::copas(10, &i, &table(CopasConfig::default()));
    net.send(1.0, 0, 9, 0);
    net.run_to(3.0);
    assert_eq!(net.path(0, 9, Reverse), Some(ROUTE_I.to_vec()));
    FIG_2[4..7].iter().for_each(|&(a, b)| net.join(a, b));
    exchanges(&mut net, &[0, 20, 20, 20, 1, 1, 0, 0, 0, 0], 4, 9);
    assert_eq!(net.path(0, 9, Forward), Some(ROUTE_J.to_vec()));
    assert_eq!(net.path(9, 0, Reverse), Some(vec![9, 3, 2, 1, 0]));
    assert!(net.nodes[0].policy().counters(net.now).two_paths_s > 1.0);
}

#[test]
fn with_one_flow_and_no_contention_nothing_changes() {
    let mut net = Nodes::copas(10, &FIG_2, &table(CopasConfig::default()));
    net.send(1.0, 0, 9, 0);
    net.run_to(4.0);
    exchanges(&mut net, &[0; 10], 4, 60);
    let requests = net.requests_of(0).len() + net.requests_of(9).len();
    assert_eq!(requests, 1);
    let taken = net.paths_taken(0, 0.0);
    assert!(taken.len() > 50 && taken.iter().all(|path| *path == taken[0]));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// Random networks with random, changing contention: every path on which an end node sends
    /// leads to the other without a loop, and its two paths share no relay or are the same.
    #[test]
    fn paths_have_no_loops_and_share_no_relay(
        links in prop::collection::btree_set((0u32..9, 1u32..10), 10..30),
        rounds in prop::collection::vec(prop::collection::vec(0u32..25, 10), 4..8),
    ) {
        let links: Vec<(u32, u32)> = links.into_iter().filter(|(a, b)| a < b).collect();
        let mut net = Nodes::copas(10, &links, &table(CopasConfig::default()));
        net.send(1.0, 0, 9, 0);
        net.run_to(3.0);
        for (i, backoffs) in (0u32..).zip(&rounds) {
            exchanges(&mut net, backoffs, 4 + 4 * i, 8 + 4 * i);
            for (source, destination) in [(0, 9), (9, 0)] {
                let paths = [Forward, Reverse].map(|of| net.path(source, destination, of));
                for path in paths.iter().flatten() {
                    let distinct: std::collections::BTreeSet<_> = path.iter().collect();
                    prop_assert_eq!(distinct.len(), path.len(), "a loop in {:?}", path);
                    prop_assert_eq!((path[0], path[path.len() - 1]), (source, destination));
                    for link in path.windows(2) {
                        let known = |&(a, b): &(u32, u32)| [a, b] == link || [b, a] == link;
                        prop_assert!(links.iter().any(known), "no link {:?}", link);
                    }
                }
                if let [Some(forward), Some(reverse)] = &paths {
                    let relays = |path: &[u32]| path[1..path.len() - 1].to_vec();
                    let shared = relays(forward).iter().any(|relay| relays(reverse).contains(relay));
                    prop_assert!(!shared || forward == reverse, "{:?} and {:?}", forward, reverse);
                }
            }
        }
    }
}
