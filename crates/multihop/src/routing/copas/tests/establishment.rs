//! Finding the two paths (sections III-A and III-C).

use super::harness::{FIG_2, Nodes, ROUTE_I, ROUTE_J, ROUTE_K, fig_2, table};
use crate::kernel::{Duration, Instant};
use crate::routing::copas::config::{PathMetric, Paths};
use crate::routing::copas::{CopasConfig, CopasTable};
use crate::routing::dsr::DsrConfig;
use crate::wire::dsr::Direction::{Both, Forward, Reverse};

#[test]
fn in_figure_2_data_take_k_and_acknowledgments_i() {
    let mut net = fig_2(CopasConfig::default());
    net.send(5.0, 0, 9, 0);
    net.run_to(8.0);
    let replies: Vec<_> =
        net.replies().into_iter().map(|(by, _, of, route)| (by, of, route)).collect();
    assert_eq!(
        replies,
        [(9, Some(Forward), ROUTE_K.to_vec()), (9, Some(Reverse), ROUTE_I.to_vec())]
    );
    net.exchange(8.0, 0, 9);
    net.exchange(9.0, 0, 9);
    let turned = |route: &[u32]| route.iter().rev().copied().collect::<Vec<_>>();
    assert_eq!(net.paths_taken(0, 0.0), vec![ROUTE_K.to_vec(); 3]);
    assert_eq!(net.paths_taken(9, 0.0), vec![turned(&ROUTE_I); 2]);
    let counters = net.nodes[9].policy().counters(net.now);
    assert_eq!((counters.pairs_chosen, counters.single_paths_chosen), (1, 0));
    let counters = net.nodes[0].policy().counters(net.now);
    assert!((counters.connection_s - counters.two_paths_s - counters.no_path_s).abs() < 0.01);
    assert!(counters.two_paths_s > 2.0);
}

#[test]
fn requests_gather_each_relays_average_and_are_passed_on_once() {
    let mut net = fig_2(CopasConfig::default());
    net.send(5.0, 0, 9, 0);
    net.run_to(6.0);
    for relay in 1..9 {
        let passed = net.requests_of(relay);
        assert_eq!(passed.len(), 1, "node {relay}");
        let request = passed[0].header.request.as_ref().unwrap();
        assert_eq!(request.gathered.len(), request.path.len() - 1);
        let own = super::harness::FIG_2_BACKOFFS[relay as usize] as f32;
        let last = request.gathered.last().unwrap();
        assert!((last - own).abs() < 0.01, "node {relay}: {last} against {own}");
    }
    // ns-2.35 keeps the bytes of the previous header: 20 for IP and 12 of the first, then 16 and 4.
    assert_eq!(net.requests_of(1)[0].size_bytes, 20 + 12 + 16 + 4);
}

#[test]
fn the_destination_waits_for_the_collection_time_exactly() {
    let mut net = fig_2(CopasConfig::default());
    net.send(5.0, 0, 9, 0);
    net.run_to(8.0);
    let came = |relay: u32| {
        let passed = &net.requests_of(relay)[0];
        passed.at + Duration::from_millis(1)
    };
    let first: Instant = [3, 5, 8].map(came).into_iter().min().unwrap();
    let answered: Vec<_> = net.replies().iter().map(|reply| reply.1 - first).collect();
    assert_eq!(answered, [Duration::from_millis(1500); 2]);
}

#[test]
fn the_two_replies_can_leave_with_a_jitter_each() {
    let apart = |reply_jitter_s: f64| {
        let dsr = DsrConfig { reply_jitter_s, ..CopasTable::default().dsr };
        let mut net = Nodes::copas(10, &FIG_2, &CopasTable { dsr, ..CopasTable::default() });
        net.back_off(&super::harness::FIG_2_BACKOFFS, 5);
        net.send(5.0, 0, 9, 0);
        net.run_to(8.0);
        assert_eq!(net.arrived(), [0]);
        let left: Vec<Instant> = net.replies().iter().map(|reply| reply.1).collect();
        let [first, last] = [left.iter().min().unwrap(), left.iter().max().unwrap()];
        *last - *first
    };
    assert_eq!(apart(0.0), Duration::ZERO);
    let jittered = apart(0.5);
    assert!(jittered > Duration::ZERO && jittered < Duration::from_millis(500), "{jittered:?}");
}

#[test]
fn copies_from_all_previous_nodes_count_until_the_time_is_over() {
    // Node 5's copy, of the better path, is too late.
    let links = [(0, 1), (1, 9), (0, 4), (4, 5), (5, 9)];
    let slow = CopasTable {
        dsr: DsrConfig { request_jitter_s: 0.0, ..CopasTable::default().dsr },
        copas: CopasConfig { t_collect_s: 0.0005, ..CopasConfig::default() },
    };
    let mut net = Nodes::copas(10, &links, &slow);
    net.send(1.0, 0, 9, 0);
    net.run_to(2.0);
    assert_eq!(net.replies().len(), 1);
    assert_eq!(net.path(0, 9, Forward), Some(vec![0, 1, 9]));
    let mut patient = Nodes::copas(10, &links, &table(CopasConfig::default()));
    patient.send(1.0, 0, 9, 0);
    patient.run_to(4.0);
    assert_eq!(patient.replies().len(), 2);
}

#[test]
fn relays_never_reply_from_their_caches() {
    let mut net = fig_2(CopasConfig::default());
    net.send(5.0, 0, 9, 0);
    net.run_to(8.0);
    // Node 6 has forwarded the reply for k; another node sends a request through it.
    net.send(8.0, 1, 9, 1);
    net.send(8.5, 6, 9, 2);
    net.run_to(12.0);
    assert!(net.replies().iter().all(|reply| reply.0 == 9));
    assert_eq!(net.arrived(), [0, 1, 2]);
}

#[test]
fn without_disjoint_paths_one_reply_names_the_least_contended() {
    // Both paths cross node 1.
    let links = [(0, 1), (1, 2), (2, 9), (1, 3), (3, 9)];
    let mut net = Nodes::copas(10, &links, &table(CopasConfig::default()));
    net.back_off(&[0, 3, 5, 2], 5);
    net.send(5.0, 0, 9, 0);
    net.run_to(8.0);
    let replies: Vec<_> = net.replies().into_iter().map(|(_, _, of, route)| (of, route)).collect();
    assert_eq!(replies, [(Some(Both), vec![0, 1, 3, 9])]);
    net.exchange(8.0, 0, 9);
    assert_eq!(net.paths_taken(9, 0.0), [[9, 3, 1, 0]]);
    assert_eq!(net.nodes[0].policy().counters(net.now).two_paths_s, 0.0);
}

#[test]
fn neighbours_use_their_link() {
    let mut net = Nodes::copas(3, &[(0, 1), (0, 2), (2, 1)], &table(CopasConfig::default()));
    net.send(1.0, 0, 1, 0);
    net.run_to(3.0);
    net.exchange(3.0, 0, 1);
    assert_eq!(net.paths_taken(0, 0.0), [[0, 1], [0, 1]]);
    assert_eq!(net.paths_taken(1, 0.0), [[1, 0]]);
}

#[test]
fn of_two_crossing_requests_that_of_the_lower_numbered_node_counts() {
    let mut net = Nodes::copas(10, &FIG_2, &table(CopasConfig::default()));
    net.send(1.0, 0, 9, 0);
    net.send(1.0, 9, 0, 1);
    net.run_to(4.0);
    assert!(net.replies().iter().all(|reply| reply.0 == 9), "{:?}", net.replies());
    assert_eq!(net.replies().len(), 2);
    assert_eq!(net.nodes[0].policy().counters(net.now).crossed_requests, 1);
    assert_eq!(net.arrived(), [0, 1]);
}

#[test]
fn a_common_path_is_the_least_contended() {
    let config = CopasConfig { paths: Paths::Common, ..CopasConfig::default() };
    let mut net = fig_2(config);
    net.send(5.0, 0, 9, 0);
    net.run_to(8.0);
    net.exchange(8.0, 0, 9);
    let back: Vec<u32> = ROUTE_K.iter().rev().copied().collect();
    assert_eq!(
        (net.paths_taken(0, 7.0), net.paths_taken(9, 7.0)),
        (vec![ROUTE_K.to_vec()], vec![back])
    );
}

#[test]
fn without_contention_data_takes_the_shortest_path() {
    let config =
        CopasConfig { path_metric: PathMetric::Hops, replacement: false, ..CopasConfig::default() };
    let mut net = fig_2(config);
    net.send(5.0, 0, 9, 0);
    net.run_to(8.0);
    assert_eq!(net.path(0, 9, Forward), Some(ROUTE_J.to_vec()));
    let reverse = net.path(0, 9, Reverse).unwrap();
    assert!(reverse == ROUTE_I || reverse == ROUTE_K);
}
