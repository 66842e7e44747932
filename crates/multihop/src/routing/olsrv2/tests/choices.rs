//! The two choices of relays (RFC 7181 section 18) and what follows from them.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;

use super::harness::*;
use crate::routing::olsrv2::Olsr2Config;
use crate::routing::olsrv2::messages::{Listed, Status};
use crate::routing::olsrv2::mprs::{Member, choose};
use crate::wire::NodeId;

/// Node, willingness, d1, and whom it reaches by which d2.
type Told<'a> = (u32, u8, u32, &'a [(u32, u32)]);

fn chosen(of: &[Told]) -> Vec<u32> {
    let member = |&(node, willingness, metric, behind): &Told| Member {
        node: NodeId(node),
        willingness,
        metric,
        behind: behind.iter().map(|&(node, metric)| (NodeId(node), metric)).collect(),
    };
    choose(&of.iter().map(member).collect::<Vec<_>>()).into_iter().map(|node| node.0).collect()
}

#[test]
fn who_alone_reaches_a_node_is_chosen() {
    // Appendix B.2, step 2.
    let of: &[Told] = &[(1, 7, 1, &[(9, 1)]), (2, 7, 1, &[(9, 1), (8, 1)])];
    assert_eq!(chosen(of), [2]);
}

#[test]
fn the_nearer_way_counts_and_not_the_fewer_relays() {
    // Section 18.3: d(y, M) = d(y, N1). 2 reaches both, 1 reaches 9 at less.
    let of: &[Told] = &[(1, 7, 1, &[(9, 1)]), (2, 7, 2, &[(9, 1), (8, 1)])];
    assert_eq!(chosen(of), [1, 2]);
}

#[test]
fn a_neighbour_that_is_nearer_through_another_needs_a_relay() {
    // N of appendix B.1: 2 costs 5, through 1 it costs 3.
    let of: &[Told] = &[(1, 7, 1, &[(2, 2)]), (2, 7, 5, &[(1, 2)])];
    assert_eq!(chosen(of), [1]);
    let same: &[Told] = &[(1, 7, 1, &[(2, 4)]), (2, 7, 5, &[(1, 4)])];
    assert_eq!(chosen(same), [] as [u32; 0], "no nearer");
}

#[test]
fn the_more_willing_comes_first() {
    // Appendix B.2, step 3.1.
    let of: &[Told] = &[(1, 3, 1, &[(8, 1), (9, 1)]), (2, 9, 1, &[(8, 1)]), (3, 9, 1, &[(9, 1)])];
    assert_eq!(chosen(of), [2, 3]);
}

#[test]
fn who_never_relays_is_not_chosen_and_who_always_does_is() {
    // Section 18.3.
    let of: &[Told] = &[(1, 0, 1, &[(8, 1)]), (2, 15, 1, &[]), (3, 7, 1, &[(9, 1)])];
    assert_eq!(chosen(of), [2, 3]);
}

#[test]
fn a_node_that_never_relays_may_still_be_reached_through_others() {
    // Section 18.4: it is reachable, not allowed; at 5 it is nearer through 2.
    let of: &[Told] = &[(1, 0, 5, &[]), (2, 7, 1, &[(1, 1)])];
    assert_eq!(chosen(of), [2]);
}

#[test]
fn messages_and_data_may_have_different_relays() {
    // Section 4.6: 1 relays messages alone, 2 data alone.
    let mut network = network(10, &[]);
    let links = [symmetric_link(0), symmetric_link(9)];
    hear(&mut network, (0, 1), 1, &[willing(&links, 7, 0)]);
    hear(&mut network, (0, 2), 1, &[willing(&links, 0, 7)]);
    assert_eq!(mprs(&network, 0), (vec![1], vec![2]));
    network.run_to(2.0);
    let symmetric = Status::Symmetric;
    assert_eq!(said(&network, 0), [(1, symmetric, FLOODING), (2, symmetric, ROUTING)]);
}

#[test]
fn relays_for_data_follow_the_metrics_towards_this_node() {
    // Section 18.5: from 9 to 1 costs 5, to 2 it costs 1. Those for messages have no metrics.
    let mut network = network(10, &[]);
    let far = |metric| Listed { in_metric: Some(metric), ..symmetric_link(9) };
    hear(&mut network, (0, 1), 1, &[hello(&[symmetric_link(0), far(5)])]);
    hear(&mut network, (0, 2), 1, &[hello(&[symmetric_link(0), far(1)])]);
    assert_eq!(mprs(&network, 0).1, [2]);
    hear(&mut network, (0, 1), 2, &[hello(&[symmetric_link(0), far(1)])]);
    hear(&mut network, (0, 2), 2, &[hello(&[symmetric_link(0), far(5)])]);
    assert_eq!(mprs(&network, 0).1, [1]);
}

#[test]
fn relays_are_chosen_anew_when_willingness_changes() {
    // Section 17.6.
    let mut network = network(10, &[]);
    let links = [symmetric_link(0), symmetric_link(9)];
    hear(&mut network, (0, 1), 1, &[willing(&links, 9, 9)]);
    hear(&mut network, (0, 2), 1, &[willing(&links, 7, 7)]);
    assert_eq!(mprs(&network, 0), (vec![1], vec![1]));
    hear(&mut network, (0, 1), 2, &[willing(&links, 0, 0)]);
    assert_eq!(mprs(&network, 0), (vec![2], vec![2]));
}

#[test]
fn in_a_chain_the_middle_is_chosen_by_both_ends() {
    let mut network = network(3, &chain(3));
    network.run_to(12.0);
    let of = [0, 1, 2].map(|node| mprs(&network, node));
    assert_eq!(of, [(vec![1], vec![1]), (vec![], vec![]), (vec![1], vec![1])]);
}

#[test]
fn who_never_passes_data_on_is_no_way() {
    // Section 19.1: 1 is 0's neighbour and would lead to 2.
    let config = Olsr2Config { will_routing: 0, ..Olsr2Config::default() };
    let mut network = network_of(3, &chain(3), &config);
    network.run_to(20.0);
    assert_eq!([next_hop(&mut network, 0, 1), next_hop(&mut network, 0, 2)], [Some(1), None]);
}

proptest! {
    #[test]
    fn every_node_is_as_near_through_the_relays_as_through_all(
        told in prop::collection::vec(
            (0u8..=15, 1u32..9, prop::collection::btree_map(0u32..14, 1u32..9, 0..8)),
            1..8,
        ),
    ) {
        // Section 18.3. Neighbours are nodes 0 to 6, others 7 to 13.
        let members: Vec<Member> = told
            .iter()
            .zip(0..)
            .map(|((willingness, metric, behind), node)| Member {
                node: NodeId(node),
                willingness: *willingness,
                metric: *metric,
                behind: behind.iter().filter(|(far, _)| **far != node)
                    .map(|(&far, &metric)| (NodeId(far), metric)).collect(),
            })
            .collect();
        let chosen = choose(&members);
        let willing: BTreeSet<NodeId> =
            members.iter().filter(|one| one.willingness > 0).map(|one| one.node).collect();
        prop_assert!(chosen.is_subset(&willing));
        let direct: BTreeMap<NodeId, u32> =
            members.iter().map(|one| (one.node, one.metric)).collect();
        let nearest = |through: &BTreeSet<NodeId>, far: NodeId| {
            let ways = members.iter().filter(|one| through.contains(&one.node)).flat_map(|one| {
                let here = one.behind.iter().filter(|(node, _)| *node == far);
                here.map(|(_, metric)| one.metric + metric)
            });
            ways.chain(direct.get(&far).copied()).min()
        };
        for far in (0..14).map(NodeId) {
            prop_assert_eq!(nearest(&chosen, far), nearest(&willing, far), "{:?}", far);
        }
        for one in members.iter().filter(|one| one.willingness == 15) {
            prop_assert!(chosen.contains(&one.node));
        }
    }
}
