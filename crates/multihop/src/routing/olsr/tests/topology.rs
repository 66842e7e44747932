//! TCs: who writes them, who passes them on, what they change.

use super::harness::*;
use crate::routing::harness::Network;
use crate::routing::olsr::messages::{Content, LinkType, NeighbourType, OlsrMessage};
use crate::routing::olsr::{Olsr, OlsrConfig};

/// Node 0 with symmetric neighbours 1, who chose it as relay, and 2, who did not.
fn with_two_neighbours() -> Network<Olsr> {
    let mut network = network(10, &[]);
    let chooses = (0, LinkType::Symmetric, NeighbourType::Mpr);
    let hears = (0, LinkType::Symmetric, NeighbourType::Symmetric);
    hear(&mut network, 0, 1, 1, &[hello(1, 1, &[chooses])]);
    hear(&mut network, 0, 2, 1, &[hello(2, 1, &[hears])]);
    network
}

fn passed_on(network: &mut Network<Olsr>) -> Vec<OlsrMessage> {
    let until = network.now.as_secs_f64() + 0.6;
    network.run_to(until);
    let others = tcs(network, 0, 0.0).into_iter().map(|(_, message)| message);
    others.filter(|message| message.originator.0 != 0).collect()
}

#[test]
fn only_nodes_that_are_relays_write_tcs() {
    // Section 9.3.
    let mut network = network(4, &chain(4));
    network.run_to(30.0);
    let own = |node: u32| {
        tcs(&network, node, 0.0).iter().any(|(_, message)| message.originator.0 == node)
    };
    assert_eq!([0, 1, 2, 3].map(own), [false, true, true, false]);
}

#[test]
fn a_tc_lists_those_that_chose_its_writer() {
    // Section 9.2.
    let mut network = network(4, &chain(4));
    network.run_to(30.0);
    let of_one = tcs(&network, 1, 20.0).into_iter().find(|(_, one)| one.originator.0 == 1);
    let Some((_, OlsrMessage { content: Content::Tc(tc), .. })) = of_one else {
        panic!("1 is a relay");
    };
    let nodes: Vec<u32> = tc.neighbours.iter().map(|(node, _)| node.0).collect();
    assert_eq!(nodes, [0, 2]);
}

#[test]
fn more_links_are_advertised_where_that_is_asked() {
    // Section 15.1, in a ring of five: each node is relay of its neighbours; with a sixth hanging
    // on 0, which is nobody's relay, redundancy 2 has it write, too.
    let links = [(0, 1), (1, 2), (2, 3), (3, 4), (4, 0), (0, 5)];
    for (redundancy, expected) in [(0, 0), (1, 1), (2, 1)] {
        let config = OlsrConfig {
            hysteresis: Some(false),
            tc_redundancy: Some(redundancy),
            ..OlsrConfig::default()
        };
        let mut network = network_of(6, &links, &config);
        network.run_to(30.0);
        let own = tcs(&network, 5, 20.0).into_iter().find(|(_, one)| one.originator.0 == 5);
        let listed = own.map_or(0, |(_, message)| match message.content {
            Content::Tc(tc) => tc.neighbours.len(),
            Content::Hello(_) | Content::Mid(_) | Content::Hna(_) => 0,
        });
        assert_eq!(listed, expected, "redundancy {redundancy}");
    }
}

#[test]
fn a_tc_of_who_chose_this_node_is_passed_on_one_hop_older() {
    // Section 3.4.1.
    let mut network = with_two_neighbours();
    hear(&mut network, 0, 1, 2, &[tc(9, 1, 1, &[8])]);
    let passed = passed_on(&mut network);
    assert_eq!(passed.len(), 1);
    assert_eq!((passed[0].ttl, passed[0].hops, passed[0].number), (254, 1, 1));
}

#[test]
fn a_tc_from_a_neighbour_that_did_not_choose_this_node_is_used_but_not_passed_on() {
    // Section 3.4.1, step 4.
    let mut network = with_two_neighbours();
    hear(&mut network, 0, 2, 2, &[tc(2, 1, 1, &[9])]);
    assert_eq!(passed_on(&mut network), []);
    assert_eq!(next_hop(&mut network, 0, 9), Some(2));
}

#[test]
fn a_tc_first_heard_from_another_is_not_passed_on_for_who_chose_this_node_later() {
    // Section 3.4.1, step 2: the interface is in the list.
    let mut network = with_two_neighbours();
    hear(&mut network, 0, 2, 2, &[tc(9, 1, 1, &[8])]);
    hear(&mut network, 0, 1, 2, &[tc(9, 1, 1, &[8])]);
    assert_eq!(passed_on(&mut network), []);
}

#[test]
fn a_tc_from_a_node_without_a_link_both_ways_is_ignored_and_may_come_again() {
    // Section 3.4.1, step 1, and section 9.5, step 1.
    let mut network = with_two_neighbours();
    hear(&mut network, 0, 7, 1, &[tc(9, 1, 1, &[8])]);
    assert_eq!(passed_on(&mut network), []);
    hear(&mut network, 0, 1, 2, &[tc(9, 1, 1, &[8])]);
    assert_eq!(passed_on(&mut network).len(), 1);
}

#[test]
fn a_tc_is_passed_on_once() {
    // Section 3.4, step 4.1.
    let mut network = with_two_neighbours();
    hear(&mut network, 0, 1, 2, &[tc(9, 1, 1, &[8])]);
    hear(&mut network, 0, 1, 3, &[tc(9, 1, 1, &[8])]);
    assert_eq!(passed_on(&mut network).len(), 1);
}

#[test]
fn a_message_is_forgotten_after_its_hold_time() {
    // Section 3.4.1, step 5: DUP_HOLD_TIME, 30 s.
    let mut network = with_two_neighbours();
    hear(&mut network, 0, 1, 2, &[tc(9, 1, 1, &[8])]);
    assert_eq!(passed_on(&mut network).len(), 1);
    network.run_to(31.0);
    let chooses = (0, LinkType::Symmetric, NeighbourType::Mpr);
    hear(&mut network, 0, 1, 3, &[hello(1, 2, &[chooses])]);
    hear(&mut network, 0, 1, 4, &[tc(9, 1, 2, &[8])]);
    assert_eq!(passed_on(&mut network).len(), 2);
}

#[test]
fn a_tc_at_the_end_of_its_way_is_not_passed_on() {
    // Section 3.4.1, step 4.
    let mut network = with_two_neighbours();
    let last = OlsrMessage { ttl: 1, ..tc(9, 1, 1, &[8]) };
    hear(&mut network, 0, 1, 2, &[last]);
    assert_eq!(passed_on(&mut network), []);
}

#[test]
fn a_node_ignores_its_own_tc() {
    // Section 3.4, step 2.
    let mut network = with_two_neighbours();
    hear(&mut network, 0, 1, 2, &[tc(0, 1, 1, &[8])]);
    assert_eq!((passed_on(&mut network), next_hop(&mut network, 0, 8)), (vec![], None));
}

#[test]
fn an_older_set_does_not_replace_a_newer_one() {
    // Section 9.5, step 2, across the wrap.
    let mut network = with_two_neighbours();
    hear(&mut network, 0, 1, 2, &[tc(1, 1, 0, &[8])]);
    hear(&mut network, 0, 1, 3, &[tc(1, 2, 65535, &[9])]);
    assert_eq!([next_hop(&mut network, 0, 8), next_hop(&mut network, 0, 9)], [Some(1), None]);
}

#[test]
fn a_newer_set_replaces_an_older_one_whole() {
    // Section 9.5, step 3.
    let mut network = with_two_neighbours();
    hear(&mut network, 0, 1, 2, &[tc(1, 1, 65535, &[8])]);
    hear(&mut network, 0, 1, 3, &[tc(1, 2, 0, &[9])]);
    assert_eq!([next_hop(&mut network, 0, 8), next_hop(&mut network, 0, 9)], [None, Some(1)]);
}

#[test]
fn what_a_tc_told_is_forgotten_after_its_validity() {
    // Section 9.5, step 4.
    let mut network = with_two_neighbours();
    let hears = (0, LinkType::Symmetric, NeighbourType::Mpr);
    hear(&mut network, 0, 1, 2, &[tc(1, 1, 1, &[8])]);
    for seconds in [5.0, 10.0, 14.9] {
        network.run_to(seconds);
        hear(&mut network, 0, 1, seconds as u16, &[hello(1, seconds as u16, &[hears])]);
        assert_eq!(next_hop(&mut network, 0, 8), Some(1), "at {seconds} s");
    }
    network.run_to(15.0);
    assert_eq!([next_hop(&mut network, 0, 8), next_hop(&mut network, 0, 1)], [None, Some(1)]);
}

#[test]
fn a_relay_that_nobody_needs_any_more_says_so_for_the_time_of_its_last_tc() {
    // Section 9.3: empty TCs for TOP_HOLD_TIME, then none.
    let mut network = network(3, &chain(3));
    network.run_to(20.0);
    network.cut(0, 1);
    network.cut(1, 2);
    network.run_to(80.0);
    let own: Vec<(f64, usize)> = tcs(&network, 1, 27.0)
        .into_iter()
        .filter_map(|(at, message)| match message.content {
            Content::Tc(tc) => Some((at, tc.neighbours.len())),
            Content::Hello(_) | Content::Mid(_) | Content::Hna(_) => None,
        })
        .collect();
    assert!(own.iter().all(|(_, listed)| *listed == 0), "{own:?}");
    assert!((2..=6).contains(&own.len()), "{own:?}");
    assert!(own.iter().all(|(at, _)| *at < 20.0 + 6.0 + 15.0), "{own:?}");
}

#[test]
fn the_loss_of_a_node_that_chose_this_one_is_told_before_the_next_interval() {
    // Section 9.3: within MAXJITTER of being noticed, and with a new number.
    let mut network = network(3, &chain(3));
    network.run_to(20.0);
    let before = tcs(&network, 1, 0.0).len();
    network.cut(0, 1);
    network.run_to(20.0 + 6.0 + 2.0 + 0.5);
    let later = tcs(&network, 1, 20.0);
    let numbers: Vec<u16> = later
        .iter()
        .filter_map(|(_, message)| match &message.content {
            Content::Tc(tc) => Some(tc.ansn),
            Content::Hello(_) | Content::Mid(_) | Content::Hna(_) => None,
        })
        .collect();
    assert!(before > 0 && numbers.windows(2).any(|pair| pair[1] == pair[0] + 1), "{numbers:?}");
}

#[test]
fn messages_that_wait_travel_together() {
    // Section 3.5: a HELLO takes along what waits to be passed on.
    let mut network = network(5, &chain(5));
    network.run_to(60.0);
    let packets = sent(&network, 2, 0.0);
    assert!(packets.iter().any(|(_, packet)| packet.messages.len() > 1));
    let numbers: Vec<u16> = packets.iter().map(|(_, packet)| packet.number).collect();
    let expected: Vec<u16> = (1..=packets.len() as u16).collect();
    assert_eq!(numbers, expected, "section 3.3.1");
}
