//! Damping fluctuations: new routes wait for better ones before they are told.

use super::harness::{hear, network, told, updates};
use crate::routing::Protocol;
use crate::routing::dsdv::Dsdv;
use crate::routing::dsdv::message::Update;
use crate::routing::harness::{Network, data};
use crate::wire::NodeId;

#[test]
fn a_destination_that_is_new_is_told_after_twice_the_first_settling_time() {
    let mut network = network(9, &[]);
    network.run_to(3.0);
    hear(&mut network, 0, 1, &[told(5, 1, 10)]);
    network.run_to(14.9);
    let of_five = |network: &Network<Dsdv>| {
        let updates = updates(network, 0, 3.0).into_iter();
        let routes =
            updates.flat_map(|(at, update)| update.routes.into_iter().map(move |one| (at, one)));
        routes.filter(|(_, one)| one.destination.0 == 5).collect::<Vec<_>>()
    };
    assert_eq!(of_five(&network), []);
    network.run_to(16.1);
    let later = of_five(&network);
    assert!(!later.is_empty());
    assert_eq!(later[0].1, told(5, 2, 10));
}

#[test]
fn a_new_number_for_the_same_way_takes_back_what_was_about_to_be_told() {
    let mut network = network(9, &[]);
    network.run_to(3.0);
    hear(&mut network, 0, 1, &[told(5, 1, 10)]);
    network.run_to(14.8);
    hear(&mut network, 0, 1, &[told(5, 1, 12)]);
    let mut routes = network.nodes[0].table().routes();
    let route = routes.find(|(to, _)| to.0 == 5).map(|(_, route)| route).expect("it is known");
    assert!(!route.is_news && route.tell_at > network.now);
}

#[test]
fn a_longer_way_by_a_newer_number_waits_for_a_better_one_before_it_is_told() {
    // Twice the mean settling time, 2 (7/8) 6 s after one number that settled at once.
    let mut network = network(9, &[]);
    hear(&mut network, 0, 1, &[told(5, 1, 10)]);
    network.run_to(2.5);
    hear(&mut network, 0, 2, &[told(5, 4, 12)]);
    let tell_at = |network: &Network<Dsdv>| {
        let mut routes = network.nodes[0].table().routes();
        routes.find(|(to, _)| to.0 == 5).map(|(_, route)| route.tell_at.as_secs_f64())
    };
    assert_eq!(tell_at(&network), Some(2.5 + 10.5));
    network.run_to(4.5);
    hear(&mut network, 0, 1, &[told(5, 1, 12)]);
    // The better one came 2 s later: the mean is now (7/8)^2 6 s + 1/8 2 s.
    network.run_to(5.0);
    hear(&mut network, 0, 1, &[told(5, 1, 14)]);
    let settling = 0.875 * 0.875 * 6.0 + 0.125 * 2.0;
    let late = tell_at(&network).map(|at| (at - 5.0 - 2.0 * settling).abs() < 1e-6);
    assert_eq!(late, Some(true));
}

#[test]
fn a_full_update_leaves_out_what_has_not_settled() {
    let mut network = network(9, &[]);
    network.run_to(3.0);
    hear(&mut network, 0, 1, &[told(5, 1, 10)]);
    let times = |network: &Network<Dsdv>, with_five: bool| -> Vec<f64> {
        let has = |update: &Update| update.routes.iter().any(|one| one.destination == NodeId(5));
        let full = updates(network, 0, 3.0).into_iter().filter(|(_, update)| update.is_full);
        full.filter(|(_, update)| has(update) == with_five).map(|(at, _)| at).collect()
    };
    // It settles 12 s after it was first heard.
    network.run_to(60.0);
    assert!(times(&network, false).iter().all(|&at| at < 15.0));
    assert!(times(&network, true).iter().all(|&at| at >= 15.0));
    assert!(times(&network, true).len() >= 2);
}

#[test]
fn a_route_is_used_before_it_is_told() {
    let mut network = network(9, &[(0, 1)]);
    network.run_to(3.0);
    hear(&mut network, 0, 1, &[told(5, 1, 10)]);
    let packet = data(0, 5, 1, network.now);
    network.call(0, |dsdv, cx| dsdv.on_send(cx, packet));
    let to_one = network.sent().filter(|(_, node, next, ..)| (*node, *next) == (0, NodeId(1)));
    assert_eq!(to_one.count(), 1);
}

#[test]
fn the_better_of_two_ways_is_told_and_the_first_is_not() {
    let mut network = network(9, &[]);
    network.run_to(3.0);
    hear(&mut network, 0, 1, &[told(5, 6, 10)]);
    network.run_to(5.0);
    hear(&mut network, 0, 2, &[told(5, 2, 10)]);
    network.run_to(45.0);
    let own = updates(&network, 0, 3.0).into_iter().flat_map(|(_, update)| update.routes);
    let lengths: Vec<_> =
        own.filter(|one| one.destination == NodeId(5)).map(|one| one.hops).collect();
    assert!(!lengths.is_empty() && lengths.iter().all(|&hops| hops == Some(3)), "{lengths:?}");
}
