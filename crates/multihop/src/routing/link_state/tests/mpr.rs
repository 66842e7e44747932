//! The choice of relays.

use std::collections::BTreeSet;

use proptest::prelude::*;

use crate::routing::link_state::{Candidate, select};
use crate::wire::NodeId;

fn candidates(of: &[(u32, u8, &[u32])]) -> Vec<Candidate> {
    let one = |&(node, willingness, reaches): &(u32, u8, &[u32])| Candidate {
        node: NodeId(node),
        willingness,
        reaches: reaches.iter().copied().map(NodeId).collect(),
    };
    of.iter().map(one).collect()
}

fn chosen(of: &[(u32, u8, &[u32])], coverage: u32) -> Vec<u32> {
    select(&candidates(of), coverage, 7).into_iter().map(|node| node.0).collect()
}

#[test]
fn who_alone_reaches_a_node_is_chosen() {
    // Section 8.3.1, step 3. 2 reaches more, but all of it is reached by then.
    let of: &[(u32, u8, &[u32])] = &[(1, 3, &[10, 11]), (2, 3, &[11, 12]), (3, 3, &[12, 13])];
    assert_eq!(chosen(of, 1), [1, 3]);
}

#[test]
fn the_most_willing_comes_before_the_one_that_reaches_most() {
    // Section 8.3.1, step 4.2: alone, 1 would reach all.
    let of: &[(u32, u8, &[u32])] = &[(1, 3, &[10, 11, 12]), (2, 6, &[10, 11]), (3, 6, &[12])];
    assert_eq!(chosen(of, 1), [2, 3]);
}

#[test]
fn of_equally_willing_ones_the_one_that_reaches_most_is_chosen() {
    let of: &[(u32, u8, &[u32])] = &[(1, 3, &[10, 11]), (2, 3, &[10, 11, 12]), (3, 3, &[12])];
    assert_eq!(chosen(of, 1), [2]);
}

#[test]
fn who_always_relays_is_chosen_even_where_it_reaches_nobody() {
    // Step 1; step 5 leaves it.
    let of: &[(u32, u8, &[u32])] = &[(1, 7, &[]), (2, 3, &[10])];
    assert_eq!(chosen(of, 1), [1, 2]);
}

#[test]
fn a_relay_that_others_have_made_needless_is_left_out() {
    // 1 is first by its willingness, then 2 and 3 are needed for 12 and 13 and reach all of 1's.
    let of: &[(u32, u8, &[u32])] = &[(1, 3, &[10, 11]), (2, 3, &[10, 12]), (3, 3, &[11, 13])];
    assert_eq!(chosen(of, 1), [2, 3]);
}

#[test]
fn each_node_is_reached_by_as_many_relays_as_asked_where_there_are() {
    // Section 16.2: two for 10, the only one for 11.
    let of: &[(u32, u8, &[u32])] = &[(1, 3, &[10]), (2, 3, &[10]), (3, 3, &[10, 11])];
    assert_eq!(chosen(of, 1), [3]);
    assert_eq!(chosen(of, 2).len(), 2);
    assert!(chosen(of, 2).contains(&3));
    assert_eq!(chosen(of, 7), [1, 2, 3]);
}

proptest! {
    #[test]
    fn every_node_two_hops_away_is_reached_by_as_many_as_can_be_up_to_the_coverage(
        reach in prop::collection::vec(prop::collection::btree_set(20u32..34, 0..8), 1..9),
        willingness in prop::collection::vec(1u8..=7, 9),
        coverage in 1u32..4,
    ) {
        let all: Vec<Candidate> = reach
            .iter()
            .zip(&willingness)
            .enumerate()
            .map(|(node, (reaches, &willingness))| Candidate {
                node: NodeId(node as u32),
                willingness,
                reaches: reaches.iter().copied().map(NodeId).collect(),
            })
            .collect();
        let chosen = select(&all, coverage, 7);
        let far: BTreeSet<u32> = reach.iter().flatten().copied().collect();
        for node in far {
            let by = |one: &&Candidate| one.reaches.contains(&NodeId(node));
            let can = all.iter().filter(by).count();
            let does = all.iter().filter(|one| chosen.contains(&one.node)).filter(by).count();
            prop_assert!(does >= can.min(coverage as usize), "{node}: {does} of {can}");
        }
        for one in &all {
            prop_assert!(one.willingness < 7 || chosen.contains(&one.node));
        }
    }
}
