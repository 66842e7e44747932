//! Route selection: the newer number, then the shorter route.

use super::harness::{hear, network, route, told};
use crate::routing::Protocol;
use crate::routing::dsdv::table::is_newer;
use crate::routing::harness::data;
use crate::wire::NodeId;

#[test]
fn numbers_are_newer_across_their_wrap() {
    assert!(is_newer(2, 0) && is_newer(0, u32::MAX - 1) && !is_newer(4, 4) && !is_newer(0, 2));
}

#[test]
fn a_route_is_one_hop_longer_than_its_teller_says() {
    let mut network = network(9, &[]);
    hear(&mut network, 0, 1, &[told(1, 0, 2), told(5, 3, 8)]);
    assert_eq!(route(&network, 0, 1), Some((1, Some(1), 2)));
    assert_eq!(route(&network, 0, 5), Some((1, Some(4), 8)));
}

#[test]
fn the_newer_number_wins_even_by_a_longer_way() {
    let mut network = network(9, &[]);
    hear(&mut network, 0, 1, &[told(5, 1, 8)]);
    hear(&mut network, 0, 2, &[told(5, 6, 10)]);
    assert_eq!(route(&network, 0, 5), Some((2, Some(7), 10)));
    hear(&mut network, 0, 1, &[told(5, 1, 8)]);
    assert_eq!(route(&network, 0, 5), Some((2, Some(7), 10)), "an older one changes nothing");
}

#[test]
fn of_one_number_the_shorter_way_wins() {
    let mut network = network(9, &[]);
    hear(&mut network, 0, 1, &[told(5, 4, 8)]);
    hear(&mut network, 0, 2, &[told(5, 2, 8)]);
    hear(&mut network, 0, 3, &[told(5, 3, 8)]);
    assert_eq!(route(&network, 0, 5), Some((2, Some(3), 8)));
}

#[test]
fn an_unknown_route_that_is_broken_is_not_taken() {
    let mut network = network(9, &[]);
    hear(&mut network, 0, 1, &[told(5, None, 9)]);
    assert_eq!(route(&network, 0, 5), None);
}

#[test]
fn of_one_number_and_length_the_way_in_use_stays() {
    let mut network = network(9, &[]);
    hear(&mut network, 0, 1, &[told(5, 2, 8)]);
    hear(&mut network, 0, 2, &[told(5, 2, 8)]);
    assert_eq!(route(&network, 0, 5), Some((1, Some(3), 8)));
}

#[test]
fn the_way_in_use_keeps_its_length_until_it_is_told_another_by_a_newer_number() {
    let mut network = network(9, &[]);
    hear(&mut network, 0, 1, &[told(5, 2, 8)]);
    hear(&mut network, 0, 1, &[told(5, 4, 8)]);
    assert_eq!(route(&network, 0, 5), Some((1, Some(3), 8)));
    hear(&mut network, 0, 1, &[told(5, 4, 10)]);
    assert_eq!(route(&network, 0, 5), Some((1, Some(5), 10)));
}

#[test]
fn an_older_number_does_not_win_by_a_shorter_way() {
    let mut network = network(9, &[]);
    hear(&mut network, 0, 1, &[told(5, 6, 10)]);
    hear(&mut network, 0, 2, &[told(5, 0, 8)]);
    assert_eq!(route(&network, 0, 5), Some((1, Some(7), 10)));
}

#[test]
fn routes_go_on_where_numbers_wrap() {
    let mut network = network(9, &[]);
    hear(&mut network, 0, 1, &[told(5, 1, u32::MAX - 1)]);
    hear(&mut network, 0, 2, &[told(5, 3, 0)]);
    assert_eq!(route(&network, 0, 5), Some((2, Some(4), 0)));
    hear(&mut network, 0, 1, &[told(5, 1, u32::MAX - 1)]);
    assert_eq!(route(&network, 0, 5), Some((2, Some(4), 0)));
}

#[test]
fn a_break_of_the_last_number_wraps_to_the_first() {
    let mut network = network(9, &[]);
    hear(&mut network, 0, 1, &[told(5, 1, u32::MAX)]);
    network.call(0, |dsdv, cx| dsdv.on_link_failure(cx, data(0, 5, 1, cx.now), NodeId(1)));
    assert_eq!(route(&network, 0, 5), Some((1, None, 0)));
}

#[test]
fn a_node_has_no_route_to_itself() {
    let mut network = network(9, &[]);
    network.run_to(3.0);
    hear(&mut network, 0, 1, &[told(0, 1, 2)]);
    assert_eq!(route(&network, 0, 0), None);
}

#[test]
fn a_length_beyond_the_greatest_stays_the_greatest() {
    let mut network = network(9, &[]);
    hear(&mut network, 0, 1, &[told(5, u16::MAX, 8)]);
    assert_eq!(route(&network, 0, 5), Some((1, Some(u16::MAX), 8)));
}
