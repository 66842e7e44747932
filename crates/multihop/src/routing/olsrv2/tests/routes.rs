//! Routes over whole networks (RFC 7181 section 19).

use std::collections::BTreeSet;
use std::sync::Arc;

use proptest::prelude::*;

use super::harness::*;
use crate::routing::DropReason;
use crate::routing::harness::Network;
use crate::routing::olsrv2::messages::{Listed, Status};
use crate::routing::olsrv2::{Olsr2, Olsr2Config};
use crate::routing::shortest_paths::ShortestPaths;
use crate::wire::NodeId;

#[test]
fn data_takes_the_chain_from_end_to_end() {
    let mut network = network(6, &chain(6));
    network.run_to(30.0);
    assert_eq!(path(&mut network, 0, 5), [0, 1, 2, 3, 4, 5]);
    network.send(30.0, 0, 5, 1);
    network.run_to(31.0);
    assert_eq!(network.arrived(), [1]);
}

#[test]
fn without_a_route_a_packet_is_dropped_at_once() {
    let mut network = network(3, &[(0, 1)]);
    network.run_to(20.0);
    network.send(20.0, 0, 2, 1);
    assert_eq!(network.drops(0), [(1, DropReason::NoRoute)]);
}

#[test]
fn the_other_way_is_taken_when_the_shorter_one_breaks() {
    let links = [(0, 1), (1, 4), (0, 2), (2, 3), (3, 4)];
    let mut network = network(5, &links);
    network.run_to(30.0);
    assert_eq!(path(&mut network, 0, 4), [0, 1, 4]);
    network.cut(1, 4);
    network.run_to(60.0);
    assert_eq!(path(&mut network, 0, 4), [0, 2, 3, 4]);
}

#[test]
fn of_equal_metrics_the_fewer_hops_win() {
    // Section 19.2. 0 to 9: by 1 in two hops of 1 and 2, by 2 and 3 in three of 1.
    let mut network = network(10, &[]);
    let ours = |mprs| listed(0, Status::Symmetric, mprs);
    hear(&mut network, (0, 1), 1, &[hello(&[ours(NO)])]);
    hear(&mut network, (0, 2), 1, &[hello(&[ours(BOTH)])]);
    hear(
        &mut network,
        (0, 2),
        2,
        &[tc(2, 1, 1, &[3]), tc(3, 1, 1, &[9]), tc(1, 1, 1, &[4]), tc(4, 1, 1, &[9])],
    );
    // Three hops each: the one that chose this node for data (appendix C.1).
    assert_eq!(next_hop(&mut network, 0, 9), Some(2));
    hear(&mut network, (0, 2), 3, &[tc(1, 2, 2, &[9])]);
    assert_eq!(next_hop(&mut network, 0, 9), Some(1));
}

#[test]
fn of_equal_ways_the_more_willing_neighbour_wins() {
    // Appendix C.1, step 5.
    let mut network = network(10, &[]);
    hear(&mut network, (0, 1), 1, &[willing(&[symmetric_link(0)], 7, 6)]);
    hear(&mut network, (0, 2), 1, &[willing(&[symmetric_link(0)], 7, 8)]);
    hear(&mut network, (0, 2), 2, &[tc(1, 1, 1, &[9]), tc(2, 1, 1, &[9])]);
    assert_eq!(next_hop(&mut network, 0, 9), Some(2));
}

#[test]
fn a_neighbour_is_reached_through_another_where_that_costs_less() {
    // Metrics away from this node: 9 to 2, 1 to 1 and 3 from 1 to 2.
    let mut network = network(5, &[]);
    let ours = |metric| Listed { in_metric: Some(metric), ..symmetric_link(0) };
    hear(&mut network, (0, 1), 1, &[hello(&[ours(1)])]);
    hear(&mut network, (0, 2), 1, &[hello(&[ours(9)])]);
    assert_eq!(next_hop(&mut network, 0, 2), Some(2));
    let mut advertised = tc(1, 1, 1, &[]);
    if let crate::routing::olsrv2::messages::Content::Tc(_, tc) = &mut advertised.content {
        Arc::make_mut(tc).neighbours = vec![(NodeId(2), 3)];
    }
    hear(&mut network, (0, 1), 2, &[advertised]);
    assert_eq!(next_hop(&mut network, 0, 2), Some(1));
}

#[test]
fn what_a_neighbour_says_of_its_own_gives_way_to_tcs() {
    // Section 19.1: edges of the 2-hop set end paths that nothing else leads to.
    let mut network = network(10, &[]);
    hear(&mut network, (0, 1), 1, &[hello(&[symmetric_link(0), symmetric_link(9)])]);
    hear(&mut network, (0, 2), 1, &[hello(&[symmetric_link(0)])]);
    assert_eq!(next_hop(&mut network, 0, 9), Some(1));
    hear(&mut network, (0, 2), 2, &[tc(2, 1, 1, &[3]), tc(3, 1, 1, &[9])]);
    assert_eq!(next_hop(&mut network, 0, 9), Some(2));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(
        std::env::var("OLSR2_NETWORKS").ok().and_then(|cases| cases.parse().ok()).unwrap_or(30)
    ))]

    #[test]
    fn settled_tables_lead_along_shortest_paths(
        pairs in prop::collection::btree_set((0u32..9, 0u32..9), 5..22),
        seed in 0u64..1000,
    ) {
        let links: Vec<(u32, u32)> = pairs.iter().filter(|(a, b)| a < b).copied().collect();
        let config = Arc::new(Olsr2Config::default().resolved());
        let nodes = (0..9).map(|node| Olsr2::new(NodeId(node), 9, &config, RATE_BPS)).collect();
        let mut network = Network::of_seed(nodes, &links, seed);
        network.run_to(30.0);
        let both: BTreeSet<(u32, u32)> = links.iter().flat_map(|&(a, b)| [(a, b), (b, a)]).collect();
        let mut search = ShortestPaths::new(9);
        for source in 0..9 {
            search.search(NodeId(source), None, |node, hops: u32| {
                let own = both.iter().filter(move |link| link.0 == node.0);
                own.map(move |&(_, to)| (NodeId(to), hops + 1))
            });
            for destination in (0..9).filter(|&node| node != source) {
                let path = path(&mut network, source, destination);
                let hops = search.cost(NodeId(destination)).map_or(0, |hops| hops as usize);
                prop_assert_eq!(path.len() - 1, hops, "{:?}", path);
            }
        }
    }
}
