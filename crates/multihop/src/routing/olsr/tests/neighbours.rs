//! Neighbours, relays, and who chose whom.

use super::harness::*;
use crate::routing::olsr::OlsrConfig;
use crate::routing::olsr::messages::{LinkType, NeighbourType};

const SYMMETRIC: (LinkType, NeighbourType) = (LinkType::Symmetric, NeighbourType::Symmetric);

fn is(node: u32, (link, neighbour): (LinkType, NeighbourType)) -> (u32, LinkType, NeighbourType) {
    (node, link, neighbour)
}

#[test]
fn a_link_is_symmetric_once_the_neighbour_says_that_it_hears() {
    // Section 7.1.1: first heard, then heard to hear.
    let mut network = network(9, &[]);
    hear(&mut network, 0, 1, 1, &[hello(1, 1, &[])]);
    assert_eq!(symmetric(&network, 0), [] as [u32; 0]);
    let hears = (0, LinkType::Asymmetric, NeighbourType::Not);
    hear(&mut network, 0, 1, 2, &[hello(1, 2, &[hears])]);
    assert_eq!(symmetric(&network, 0), [1]);
}

#[test]
fn a_neighbour_that_calls_the_link_lost_is_no_symmetric_one() {
    // Section 7.1.1, step 2.2.1.
    let mut network = network(9, &[]);
    hear(&mut network, 0, 1, 1, &[hello(1, 1, &[is(0, SYMMETRIC)])]);
    assert_eq!(symmetric(&network, 0), [1]);
    let lost = (0, LinkType::Lost, NeighbourType::Not);
    hear(&mut network, 0, 1, 2, &[hello(1, 2, &[lost])]);
    assert_eq!(symmetric(&network, 0), [] as [u32; 0]);
}

#[test]
fn a_hello_that_does_not_name_this_node_leaves_the_link_until_its_time() {
    // Section 7.1.1, step 2.2: only if the node finds its address.
    let mut network = network(9, &[]);
    hear(&mut network, 0, 1, 1, &[hello(1, 1, &[is(0, SYMMETRIC)])]);
    network.run_to(4.0);
    hear(&mut network, 0, 1, 2, &[hello(1, 2, &[])]);
    assert_eq!(symmetric(&network, 0), [1]);
    // Six seconds after the first.
    network.run_to(7.9);
    assert_eq!((symmetric(&network, 0), next_hop(&mut network, 0, 1)), (vec![], None));
}

#[test]
fn a_neighbour_counts_for_the_validity_of_its_last_hello() {
    // Section 7.1.1, step 2.2.2.
    let mut network = network(9, &[]);
    hear(&mut network, 0, 1, 1, &[hello(1, 1, &[is(0, SYMMETRIC)])]);
    network.run_to(5.9);
    assert_eq!(next_hop(&mut network, 0, 1), Some(1));
    network.run_to(6.0);
    assert_eq!(next_hop(&mut network, 0, 1), None);
}

#[test]
fn a_link_that_was_lost_is_told_as_such_before_it_is_forgotten() {
    // Section 7.1.1: L_time is NEIGHB_HOLD_TIME after L_SYM_time.
    let mut network = network(9, &[]);
    hear(&mut network, 0, 1, 1, &[hello(1, 1, &[is(0, SYMMETRIC)])]);
    network.run_to(9.0);
    let lost = (1, LinkType::Lost, NeighbourType::Not);
    assert_eq!(last_hello(&network, 0), [lost]);
    network.run_to(15.0);
    assert_eq!(last_hello(&network, 0), [], "after 12 s");
}

#[test]
fn two_nodes_become_neighbours_by_their_hellos() {
    // Sections 6.2 and 8.1.
    let mut network = network(2, &[(0, 1)]);
    network.run_to(6.0);
    assert_eq!([symmetric(&network, 0), symmetric(&network, 1)], [[1], [0]]);
    assert_eq!(last_hello(&network, 0), [is(1, SYMMETRIC)]);
}

#[test]
fn the_node_between_two_others_is_their_relay_and_learns_it() {
    // Sections 8.3.1 and 8.4.1.
    let mut network = network(3, &chain(3));
    network.run_to(10.0);
    assert_eq!([0, 1, 2].map(|node| mprs(&network, node)), [vec![1], vec![], vec![1]]);
    assert_eq!([0, 1, 2].map(|node| selectors(&network, node)), [vec![], vec![0, 2], vec![]]);
    assert_eq!(last_hello(&network, 0), [(1, LinkType::Symmetric, NeighbourType::Mpr)]);
}

#[test]
fn who_never_relays_is_nobodys_relay() {
    // Section 8.3.1: of a ring of four, 1 and 3 could; none is willing.
    let config = OlsrConfig { hysteresis: Some(false), willingness: 0, ..OlsrConfig::default() };
    let mut network = network_of(4, &[(0, 1), (1, 2), (2, 3), (3, 0)], &config);
    network.run_to(10.0);
    assert_eq!(mprs(&network, 0), [] as [u32; 0]);
    assert_eq!([next_hop(&mut network, 0, 1), next_hop(&mut network, 0, 2)], [Some(1), None]);
}

#[test]
fn a_neighbour_that_is_lost_takes_its_own_neighbours_and_its_choice_with_it() {
    // Section 8.5.
    let mut network = network(9, &[]);
    let chooses = (0, LinkType::Symmetric, NeighbourType::Mpr);
    hear(&mut network, 0, 1, 1, &[hello(1, 1, &[chooses, is(5, SYMMETRIC)])]);
    assert_eq!((selectors(&network, 0), mprs(&network, 0)), (vec![1], vec![1]));
    let lost = (0, LinkType::Lost, NeighbourType::Not);
    hear(&mut network, 0, 1, 2, &[hello(1, 2, &[lost, is(5, SYMMETRIC)])]);
    assert_eq!((selectors(&network, 0), mprs(&network, 0)), (vec![], vec![]));
    assert_eq!(next_hop(&mut network, 0, 5), None);
}

#[test]
fn a_node_two_hops_away_that_is_named_as_no_neighbour_is_forgotten() {
    // Section 8.2.1, step 2.
    let mut network = network(9, &[]);
    hear(&mut network, 0, 1, 1, &[hello(1, 1, &[is(0, SYMMETRIC), is(5, SYMMETRIC)])]);
    assert_eq!(next_hop(&mut network, 0, 5), Some(1));
    let not = (5, LinkType::Lost, NeighbourType::Not);
    hear(&mut network, 0, 1, 2, &[hello(1, 2, &[is(0, SYMMETRIC), not])]);
    assert_eq!((next_hop(&mut network, 0, 5), mprs(&network, 0)), (None, vec![]));
}

#[test]
fn links_that_lose_packets_are_not_established_with_hysteresis() {
    // Section 14.3.
    // Every second packet from 1 is lost: 3/4 at best, below 0.8.
    let mut network = network_of(2, &[(0, 1)], &OlsrConfig::default());
    network.lose(1, 0, 1, 2);
    network.run_to(60.0);
    assert_eq!(symmetric(&network, 0), [] as [u32; 0]);
    let mut sound = network_of(2, &[(0, 1)], &OlsrConfig::default());
    sound.run_to(60.0);
    assert_eq!(symmetric(&sound, 0), [1]);
}

#[test]
fn hellos_come_within_their_interval_and_a_quarter_of_it_earlier() {
    // Section 3.5 and MAXJITTER of 18.9.
    let mut network = network(1, &[]);
    network.run_to(200.0);
    let times: Vec<f64> = sent(&network, 0, 0.0).into_iter().map(|(at, _)| at).collect();
    let gaps: Vec<f64> = times.windows(2).map(|pair| pair[1] - pair[0]).collect();
    assert!(gaps.iter().all(|gap| (1.5..=2.0).contains(gap)), "{gaps:?}");
    let mean = gaps.iter().sum::<f64>() / gaps.len() as f64;
    assert!((mean - 1.75).abs() < 0.06, "{mean}");
}

#[test]
fn a_neighbour_that_the_mac_cannot_reach_is_lost_at_once_where_that_is_asked() {
    // Section 13.
    for (notification, expected) in [(false, Some(1)), (true, None)] {
        let config = OlsrConfig {
            hysteresis: Some(false),
            link_layer_notification: notification,
            ..OlsrConfig::default()
        };
        let mut network = network_of(3, &chain(3), &config);
        network.run_to(10.0);
        network.fail_next.push((0, 1));
        network.send(10.0, 0, 2, 1);
        network.run_to(10.1);
        assert_eq!(next_hop(&mut network, 0, 1), expected);
    }
}
