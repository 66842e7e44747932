//! Broken paths (section III-A, end).

use super::harness::{FIG_2, FIG_2_BACKOFFS, Nodes, ROUTE_I, ROUTE_J, ROUTE_K, fig_2, table};
use crate::routing::Action;
use crate::routing::copas::CopasConfig;
use crate::routing::copas::config::Repair;
use crate::wire::NodeId;
use crate::wire::dsr::Direction::{Forward, Reverse};

/// Data on k and acknowledgments on i of Fig. 2.
fn connected() -> Nodes {
    started(fig_2(CopasConfig::default()))
}

/// The same, where only a broken path is sought anew, over these links.
fn repairing(links: &[(u32, u32)]) -> Nodes {
    let config = CopasConfig { repair: Repair::Broken, ..CopasConfig::default() };
    let mut net = Nodes::copas(10, links, &table(config));
    net.back_off(&FIG_2_BACKOFFS, 5);
    started(net)
}

fn started(mut net: Nodes) -> Nodes {
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

#[test]
fn only_the_broken_path_can_be_sought_anew() {
    let turned = |route: &[u32]| Some(route.iter().rev().copied().collect::<Vec<_>>());
    let mut net = repairing(&FIG_2);
    net.cut(0, 6);
    net.send(9.0, 0, 9, 1);
    net.run_to(9.05);
    assert_eq!(net.arrived(), [0, 0, 1], "by route i at once");
    assert_eq!(net.replacement_requests(), [(0, Forward)]);
    net.run_to(12.0);
    // One reply; a pair would have brought data to i, the less contended.
    let replies = net.replies();
    assert_eq!(replies[2..].iter().map(|r| (r.0, r.2)).collect::<Vec<_>>(), [(9, Some(Forward))]);
    assert_eq!(net.path(0, 9, Forward), Some(ROUTE_J.to_vec()));
    assert_eq!(net.path(9, 0, Reverse), turned(&ROUTE_I), "the acknowledgments' path stays");
    net.exchange(12.0, 0, 9);
    assert_eq!(net.paths_taken(0, 11.9), [ROUTE_J.to_vec()]);
    assert_eq!(net.paths_taken(9, 11.9), [turned(&ROUTE_I).unwrap()]);

    // The acknowledgments' path: their source asks, and data stay on k.
    let mut net = repairing(&FIG_2);
    net.cut(3, 9);
    net.ack(9.0, 9, 0);
    net.run_to(12.0);
    assert_eq!(net.replacement_requests(), [(9, Reverse)]);
    assert_eq!(net.path(9, 0, Reverse), turned(&ROUTE_J));
    assert_eq!(net.path(0, 9, Forward), Some(ROUTE_K.to_vec()));
}

#[test]
fn if_no_path_fits_the_one_that_is_left_both_directions_share_it() {
    let mut net = repairing(&[&FIG_2[..4], &FIG_2[7..]].concat());
    net.cut(0, 6);
    net.send(9.0, 0, 9, 1);
    net.run_to(12.0);
    assert_eq!(net.replies().len(), 2, "the first pair's");
    net.exchange(12.0, 0, 9);
    assert_eq!(net.paths_taken(0, 11.9), [ROUTE_I.to_vec()]);
    // With that gone too, all is sought.
    net.join(0, 6);
    net.cut(0, 1);
    net.send(13.0, 0, 9, 2);
    net.run_to(17.0);
    assert_eq!(net.path(0, 9, Forward), Some(ROUTE_K.to_vec()));
    assert_eq!(net.arrived().last(), Some(&2));
}
