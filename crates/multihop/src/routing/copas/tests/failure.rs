//! Broken paths (section III-A, end).

use super::harness::{FIG_2_BACKOFFS, Nodes, ROUTE_I, ROUTE_K, fig_2};
use crate::routing::Action;
use crate::routing::copas::CopasConfig;
use crate::wire::NodeId;
use crate::wire::dsr::Direction::{Forward, Reverse};

/// Data on k and acknowledgments on i of Fig. 2.
fn connected() -> Nodes {
    let mut net = fig_2(CopasConfig::default());
    net.send(5.0, 0, 9, 0);
    net.back_off(&FIG_2_BACKOFFS, 8);
    net.exchange(8.0, 0, 9);
    net
}

#[test]
fn data_takes_the_other_path_at_once_during_the_search_for_a_new_pair() {
    let mut net = connected();
    net.cut(0, 6);
    net.send(9.0, 0, 9, 1);
    // The MAC retries for 40 ms; the packet that failed continues on route i.
    net.run_to(9.05);
    assert_eq!(net.arrived(), [0, 0, 1]);
    assert_eq!(net.path(0, 9, Forward), Some(ROUTE_I.to_vec()));
    assert_eq!(net.requests_of(0).len(), 2);
    assert_eq!(net.count(0, &Action::RouteError { destination: NodeId(9) }), 0);
    net.run_to(12.0);
    assert_eq!(net.replies().len(), 4);
    assert_ne!(net.path(0, 9, Forward), net.path(0, 9, Reverse));
    let counters = net.nodes[0].policy().counters(net.now);
    assert_eq!((counters.failovers, counters.no_path_s < 3.0), (1, true));
}

#[test]
fn a_relays_route_error_removes_the_path_at_every_node_it_passes() {
    let mut net = connected();
    net.cut(7, 8);
    net.send(9.0, 0, 9, 1);
    net.run_to(9.1);
    // The packet is lost: relays do not salvage.
    assert_eq!(net.arrived(), [0, 0]);
    assert_eq!(net.errors_of(7).len(), 1);
    for node in [0, 6, 7] {
        let goes_there = net.nodes[node]
            .routes()
            .paths()
            .any(|path| path.windows(2).any(|link| *link == [7, 8].map(NodeId)));
        assert!(!goes_there, "node {node}");
    }
    net.send(9.2, 0, 9, 2);
    net.run_to(9.3);
    assert_eq!(net.arrived(), [0, 0, 2]);
    assert_eq!(net.paths_taken(0, 9.15), [ROUTE_I.to_vec()]);
}

#[test]
fn acknowledgments_take_the_other_path_and_their_source_sends_a_request() {
    let mut net = connected();
    net.cut(3, 9);
    net.ack(9.0, 9, 0);
    net.run_to(9.05);
    let back: Vec<u32> = ROUTE_K.iter().rev().copied().collect();
    assert_eq!(net.path(9, 0, Reverse), Some(back));
    assert_eq!(net.requests_of(9).len(), 1);
    net.run_to(12.0);
    // Node 0 answers with k and j.
    assert_eq!(net.replies().iter().filter(|reply| reply.0 == 0).count(), 2);
    assert_ne!(net.path(9, 0, Reverse), net.path(9, 0, Forward));
}

#[test]
fn with_no_path_left_packets_wait_and_the_transport_is_told() {
    let mut net = connected();
    for first in [1, 6] {
        net.cut(0, first);
    }
    net.send(9.0, 0, 9, 1);
    net.run_to(9.2);
    assert_eq!(net.path(0, 9, Forward), None);
    assert_eq!(net.count(0, &Action::RouteError { destination: NodeId(9) }), 1);
    // Route j is left, and found.
    net.run_to(14.0);
    assert_eq!(net.arrived(), [0, 0, 1]);
    assert!(net.nodes[0].policy().counters(net.now).no_path_s > 1.0);
}
