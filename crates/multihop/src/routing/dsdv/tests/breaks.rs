//! Responding to topology changes: broken links, and news of them.

use super::harness::{chain, hear, network, network_of, path, route, told, updates};
use crate::routing::dsdv::DsdvConfig;
use crate::routing::dsdv::message::Told;
use crate::routing::dsdv::table::is_newer;
use crate::routing::harness::data;
use crate::routing::{DropReason, Protocol};
use crate::wire::NodeId;

#[test]
fn a_broken_link_breaks_all_routes_over_it_with_odd_numbers() {
    let mut network = network(9, &[]);
    hear(&mut network, 0, 1, &[told(1, 0, 2), told(5, 1, 8)]);
    hear(&mut network, 0, 2, &[told(2, 0, 4)]);
    network.call(0, |dsdv, cx| dsdv.on_link_failure(cx, data(0, 5, 1, cx.now), NodeId(1)));
    assert_eq!(route(&network, 0, 1), Some((1, None, 3)));
    assert_eq!(route(&network, 0, 5), Some((1, None, 9)));
    assert_eq!(route(&network, 0, 2), Some((2, Some(1), 4)));
    assert_eq!(network.drops(0), [(1, DropReason::LinkFailure)]);
}

#[test]
fn a_break_is_told_at_once_and_a_second_one_a_second_later() {
    let mut network = network(9, &[]);
    network.run_to(3.0);
    hear(&mut network, 0, 1, &[told(1, 0, 2)]);
    hear(&mut network, 0, 2, &[told(2, 0, 2)]);
    network.run_to(6.0);
    network.call(0, |dsdv, cx| dsdv.on_link_failure(cx, data(0, 1, 1, cx.now), NodeId(1)));
    network.run_to(6.2);
    network.call(0, |dsdv, cx| dsdv.on_link_failure(cx, data(0, 2, 1, cx.now), NodeId(2)));
    network.run_to(8.0);
    let told: Vec<(f64, Vec<Told>)> =
        updates(&network, 0, 5.9).into_iter().map(|(at, update)| (at, update.routes)).collect();
    assert_eq!(told, [(6.0, vec![self::told(1, None, 3)]), (7.0, vec![self::told(2, None, 3)])]);
}

#[test]
fn a_node_that_is_believed_out_of_reach_says_that_it_is_there() {
    let mut network = network(9, &[]);
    network.run_to(3.0);
    hear(&mut network, 0, 1, &[told(0, None, 7)]);
    network.run_to(4.1);
    let own = updates(&network, 0, 3.0).into_iter().flat_map(|(_, update)| update.routes);
    assert_eq!(own.collect::<Vec<_>>(), [told(0, 0, 8)]);
}

#[test]
fn a_route_that_works_answers_news_that_it_is_broken() {
    // The paper's rule of infinite metrics: the news is older than what this node knows.
    let mut network = network(9, &[]);
    network.run_to(3.0);
    hear(&mut network, 0, 1, &[told(5, 1, 10)]);
    network.run_to(5.0);
    hear(&mut network, 0, 2, &[told(5, None, 9)]);
    network.run_to(6.5);
    let routes = updates(&network, 0, 5.0).into_iter().flat_map(|(_, update)| update.routes);
    assert_eq!(routes.collect::<Vec<_>>(), [told(5, 2, 10)]);
}

#[test]
fn without_word_from_the_mac_a_route_stays_when_a_packet_is_given_up() {
    let mut network = network_of(9, &[], &DsdvConfig::default());
    hear(&mut network, 0, 1, &[told(1, 0, 2)]);
    network.call(0, |dsdv, cx| dsdv.on_link_failure(cx, data(0, 1, 1, cx.now), NodeId(1)));
    assert_eq!(route(&network, 0, 1), Some((1, Some(1), 2)));
    assert_eq!(network.drops(0), [(1, DropReason::LinkFailure)]);
}

#[test]
fn a_neighbour_is_lost_after_three_intervals_of_silence() {
    let mut network = network(2, &[(0, 1)]);
    network.run_to(30.0);
    assert_eq!(path(&network, 0, 1), [0, 1]);
    let last = updates(&network, 1, 0.0).last().map(|(at, _)| *at).expect("it has told");
    network.cut(0, 1);
    network.run_to(last + 44.9);
    assert_eq!(path(&network, 0, 1), [0, 1]);
    network.run_to(last + 45.0 + 15.1);
    assert_eq!(path(&network, 0, 1), [0]);
}

#[test]
fn a_broken_route_by_a_newer_number_breaks_a_working_one_whoever_tells_it() {
    let mut network = network(9, &[]);
    hear(&mut network, 0, 1, &[told(5, 1, 8)]);
    hear(&mut network, 0, 2, &[told(5, None, 9)]);
    assert_eq!(route(&network, 0, 5).map(|(_, hops, number)| (hops, number)), Some((None, 9)));
}

#[test]
fn after_a_break_only_a_number_of_the_destination_that_is_newer_makes_a_route() {
    let mut network = network(9, &[]);
    hear(&mut network, 0, 1, &[told(5, 1, 8)]);
    network.call(0, |dsdv, cx| dsdv.on_link_failure(cx, data(0, 5, 1, cx.now), NodeId(1)));
    // A neighbour that leads over this node may still tell of the number before.
    hear(&mut network, 0, 2, &[told(5, 2, 8)]);
    assert_eq!(route(&network, 0, 5), Some((1, None, 9)));
    hear(&mut network, 0, 2, &[told(5, 2, 10)]);
    assert_eq!(route(&network, 0, 5), Some((2, Some(3), 10)));
}

#[test]
fn a_link_that_breaks_twice_raises_numbers_once() {
    let mut network = network(9, &[]);
    hear(&mut network, 0, 1, &[told(5, 1, 8)]);
    for number in 1..3 {
        let packet = data(0, 5, number, network.now);
        network.call(0, |dsdv, cx| dsdv.on_link_failure(cx, packet, NodeId(1)));
    }
    assert_eq!(route(&network, 0, 5), Some((1, None, 9)));
    assert_eq!(network.nodes[0].counts.broken_links, 1);
}

#[test]
fn news_of_a_break_goes_on_without_waiting_for_a_full_update() {
    let mut network = network(5, &chain(5));
    network.run_to(150.0);
    assert_eq!(path(&network, 0, 4), [0, 1, 2, 3, 4]);
    network.cut(3, 4);
    network.call(3, |dsdv, cx| dsdv.on_link_failure(cx, data(3, 4, 1, cx.now), NodeId(4)));
    // Each of the three nodes tells at most a second after its last update of changes.
    network.run_to(153.5);
    for node in 0..4 {
        assert_eq!(route(&network, node, 4).map(|(_, hops, _)| hops), Some(None), "node {node}");
    }
}

#[test]
fn a_way_that_works_again_is_told_at_once() {
    let mut network = network(9, &[]);
    network.run_to(3.0);
    hear(&mut network, 0, 1, &[told(5, 1, 8)]);
    network.call(0, |dsdv, cx| dsdv.on_link_failure(cx, data(0, 5, 1, cx.now), NodeId(1)));
    network.run_to(5.0);
    hear(&mut network, 0, 2, &[told(5, 2, 10)]);
    network.run_to(5.1);
    let told_of: Vec<Told> =
        updates(&network, 0, 5.0).into_iter().flat_map(|(_, update)| update.routes).collect();
    assert_eq!(told_of, [told(5, 3, 10)]);
}

#[test]
fn old_news_that_a_node_is_out_of_reach_does_not_raise_its_number() {
    let mut network = network(9, &[]);
    network.run_to(40.0);
    let number = network.nodes[0].sequence;
    assert!(number > 3);
    hear(&mut network, 0, 1, &[told(0, None, 3)]);
    assert_eq!(network.nodes[0].sequence, number);
    network.run_to(40.5);
    let changes = updates(&network, 0, 40.0).into_iter().filter(|(_, update)| !update.is_full);
    assert_eq!(changes.count(), 0);
}

#[test]
fn an_odd_number_of_others_is_answered_with_the_next_even_one() {
    let mut network = network(9, &[]);
    network.run_to(3.0);
    hear(&mut network, 0, 1, &[told(0, None, 41)]);
    assert_eq!(network.nodes[0].sequence, 42);
    network.run_to(20.0);
    assert_eq!(network.nodes[0].sequence, 44, "and goes on from there");
}

#[test]
fn a_link_that_is_back_is_used_again_by_a_newer_number() {
    let mut network = network(3, &chain(3));
    network.run_to(100.0);
    network.cut(1, 2);
    network.call(1, |dsdv, cx| dsdv.on_link_failure(cx, data(1, 2, 1, cx.now), NodeId(2)));
    network.run_to(103.0);
    let broken = route(&network, 0, 2).expect("it is known");
    assert_eq!((broken.1, broken.2 % 2), (None, 1));
    network.join(1, 2);
    network.run_to(120.0);
    let mended = route(&network, 0, 2).expect("it is known");
    assert_eq!((mended.0, mended.1, mended.2 % 2), (1, Some(2), 0));
    assert!(is_newer(mended.2, broken.2));
}
