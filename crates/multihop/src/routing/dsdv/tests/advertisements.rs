//! Route advertisements: what an update says, and when.

use super::harness::{hear, network, network_of, told, updates};
use crate::routing::Protocol;
use crate::routing::dsdv::DsdvConfig;
use crate::routing::dsdv::message::{Told, Update};
use crate::routing::harness::data;
use crate::wire::{NodeId, Octets};

#[test]
fn an_update_has_twelve_bytes_a_route() {
    let routes = vec![told(1, 0, 4), told(2, None, 7)];
    let update = Update { routes, is_full: true };
    let mut out = Vec::new();
    update.write(&mut out);
    let expected =
        [10, 1, 0, 1, 0, 0, 0, 0, 0, 0, 0, 4, 10, 1, 0, 2, 255, 255, 255, 255, 0, 0, 0, 7];
    assert_eq!((out.as_slice(), update.bytes()), (&expected[..], 44));
}

#[test]
fn own_numbers_are_even_and_grow_with_every_full_update() {
    let mut network = network(1, &[]);
    network.run_to(60.0);
    let own: Vec<u32> =
        updates(&network, 0, 0.0).iter().map(|(_, update)| update.routes[0].sequence).collect();
    let expected: Vec<u32> = (1..=own.len() as u32).map(|one| 2 * one).collect();
    assert!(own.len() >= 4, "{own:?}");
    assert_eq!(own, expected);
}

#[test]
fn full_updates_come_within_their_interval() {
    let mut network = network(1, &[]);
    network.run_to(600.0);
    let times: Vec<f64> = updates(&network, 0, 0.0).into_iter().map(|(at, _)| at).collect();
    assert!(times.windows(2).all(|pair| (11.25..=15.0).contains(&(pair[1] - pair[0]))));
}

#[test]
fn a_table_too_long_for_a_packet_takes_several() {
    let mut network = network(2, &[]);
    let routes: Vec<Told> = (2..302).map(|node| told(node, 1, 2)).collect();
    hear(&mut network, 0, 1, &routes);
    network.run_to(40.0);
    let sizes: Vec<usize> =
        updates(&network, 0, 12.0).iter().map(|(_, update)| update.routes.len()).collect();
    assert!(sizes.windows(2).any(|pair| pair == [123, 123]), "{sizes:?}");
    assert!(sizes.iter().all(|&routes| routes <= 123));
}

#[test]
fn the_first_update_comes_within_two_seconds_and_has_the_node_alone() {
    let mut network = network(1, &[]);
    network.run_to(2.0);
    let first: Vec<Update> = updates(&network, 0, 0.0).into_iter().map(|(_, one)| one).collect();
    assert_eq!(first, [Update { routes: vec![told(0, 0, 2)], is_full: true }]);
}

#[test]
fn without_jitter_full_updates_are_an_interval_apart() {
    let config = DsdvConfig { update_jitter: 0.0, ..DsdvConfig::default() };
    let mut network = network_of(1, &[], &config);
    network.run_to(100.0);
    let times: Vec<f64> = updates(&network, 0, 0.0).into_iter().map(|(at, _)| at).collect();
    assert!(times.len() >= 6);
    assert!(times.windows(2).all(|pair| (pair[1] - pair[0] - 15.0).abs() < 1e-6), "{times:?}");
}

#[test]
fn a_full_update_tells_of_the_node_first_and_of_all_routes_broken_ones_too() {
    let mut network = network(9, &[]);
    network.run_to(3.0);
    hear(&mut network, 0, 1, &[told(1, 0, 2), told(5, 1, 8)]);
    hear(&mut network, 0, 2, &[told(2, 0, 4)]);
    network.run_to(5.0);
    network.call(0, |dsdv, cx| dsdv.on_link_failure(cx, data(0, 5, 1, cx.now), NodeId(1)));
    network.run_to(40.0);
    let full = updates(&network, 0, 16.0).into_iter().find(|(_, update)| update.is_full);
    let routes = full.expect("it is periodic").1.routes;
    assert_eq!((routes[0].destination, routes[0].hops), (NodeId(0), Some(0)));
    assert_eq!(routes[1..], [told(1, None, 3), told(2, 1, 4), told(5, None, 9)]);
}

#[test]
fn an_update_of_changes_has_the_changes_alone() {
    let mut network = network(9, &[]);
    network.run_to(3.0);
    hear(&mut network, 0, 1, &[told(1, 0, 2), told(5, 1, 8)]);
    hear(&mut network, 0, 2, &[told(2, 0, 4)]);
    network.run_to(20.0);
    network.call(0, |dsdv, cx| dsdv.on_link_failure(cx, data(0, 2, 1, cx.now), NodeId(2)));
    network.run_to(20.001);
    let changes: Vec<Update> =
        updates(&network, 0, 20.0).into_iter().map(|(_, update)| update).collect();
    assert_eq!(changes, [Update { routes: vec![told(2, None, 5)], is_full: false }]);
}

#[test]
fn what_a_full_update_has_told_is_no_news_afterwards() {
    let config = DsdvConfig { settling_time_s: 0.0, ..DsdvConfig::default() };
    let mut network = network_of(9, &[], &config);
    network.run_to(3.0);
    hear(&mut network, 0, 1, &[told(5, 1, 8)]);
    network.run_to(60.0);
    let of_five = updates(&network, 0, 3.0).into_iter().filter(|(_, update)| {
        !update.is_full && update.routes.iter().any(|one| one.destination == NodeId(5))
    });
    assert_eq!(of_five.count(), 1);
}

#[test]
fn changes_that_come_close_together_are_told_together() {
    let config = DsdvConfig { settling_time_s: 0.0, ..DsdvConfig::default() };
    let mut network = network_of(9, &[], &config);
    network.run_to(3.0);
    for destination in 4..8 {
        hear(&mut network, 0, 1, &[told(destination, 1, 8)]);
        network.run_to(3.0 + 0.2 * f64::from(destination - 3));
    }
    network.run_to(4.5);
    let told: Vec<usize> =
        updates(&network, 0, 3.0).iter().map(|(_, update)| update.routes.len()).collect();
    // The first at once, what came within a second of it then.
    assert_eq!(told, [1, 3]);
}

#[test]
fn a_new_number_alone_is_told_only_where_that_is_asked() {
    for (triggers_on_sequence, expected) in [(false, 0), (true, 1)] {
        let config =
            DsdvConfig { settling_time_s: 0.0, triggers_on_sequence, ..DsdvConfig::default() };
        let mut network = network_of(9, &[], &config);
        network.run_to(3.0);
        hear(&mut network, 0, 1, &[told(5, 1, 8)]);
        network.run_to(5.0);
        hear(&mut network, 0, 1, &[told(5, 1, 10)]);
        network.run_to(7.0);
        let changes = updates(&network, 0, 5.0).into_iter().filter(|(_, update)| !update.is_full);
        assert_eq!(changes.count(), expected, "{triggers_on_sequence}");
    }
}
