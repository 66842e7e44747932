//! Link quality (RFC 6130 section 14) and what RFC 7466 keeps behind a poor link.

use super::harness::*;
use crate::routing::harness::{Network, data};
use crate::routing::olsrv2::messages::{Olsr2Message, Status};
use crate::routing::olsrv2::{Olsr2, Olsr2Config};
use crate::routing::{DropReason, Protocol};
use crate::wire::NodeId;

/// Qualities of 1/2, 3/4, 7/8 ... after one, two, three packets.
fn pending() -> Olsr2Config {
    Olsr2Config {
        hyst_accept: 0.8,
        hyst_reject: 0.3,
        initial_quality: 0.0,
        initial_pending: true,
        ..Olsr2Config::default()
    }
}

fn established() -> Olsr2Config {
    Olsr2Config { initial_quality: 1.0, initial_pending: false, ..pending() }
}

fn ours() -> Olsr2Message {
    hello(&[symmetric_link(0), symmetric_link(2)])
}

/// Packet `number` of node 1 comes to node 0.
fn hear_one(network: &mut Network<Olsr2>, number: u16) {
    hear(network, (0, 1), number, &[ours()]);
}

#[test]
fn a_pending_link_is_not_told_of_until_it_is_accepted() {
    // Sections 14.2 and 11.1.
    let mut network = network_of(3, &[], &pending());
    hear_one(&mut network, 1);
    hear_one(&mut network, 2);
    assert_eq!(symmetric(&mut network, 0), [] as [u32; 0]);
    network.run_to(2.0);
    assert_eq!(said(&network, 0), []);
    hear_one(&mut network, 3);
    assert_eq!(symmetric(&mut network, 0), [1]);
}

#[test]
fn between_the_thresholds_a_link_stays_as_it_was() {
    // Section 14.2. From 7/8 to 7/16 and back to 23/32.
    let mut network = network_of(3, &[], &pending());
    [1, 2, 3].into_iter().for_each(|number| hear_one(&mut network, number));
    hear_one(&mut network, 5);
    assert_eq!(symmetric(&mut network, 0), [1]);
}

#[test]
fn below_the_lower_threshold_it_is_lost_and_told_of_as_such() {
    // Section 14.3: five losses leave less than 3/100, and the next packet less than accepts.
    let mut network = network_of(3, &[], &established());
    hear_one(&mut network, 1);
    assert_eq!(symmetric(&mut network, 0), [1]);
    hear_one(&mut network, 7);
    assert_eq!(symmetric(&mut network, 0), [] as [u32; 0]);
    network.run_to(2.0);
    assert_eq!(said(&network, 0), [(1, Status::Lost, NO)]);
    [8, 9, 10].into_iter().for_each(|number| hear_one(&mut network, number));
    assert_eq!(symmetric(&mut network, 0), [1]);
}

#[test]
fn a_lost_link_is_told_of_for_its_hold_time() {
    // Section 14.3: L_time is at most L_HOLD_TIME from now, whatever comes below acceptance.
    let mut network = network_of(3, &[], &established());
    hear_one(&mut network, 1);
    hear_one(&mut network, 7);
    network.run_to(5.9);
    assert_eq!(said(&network, 0), [(1, Status::Lost, NO)]);
    network.run_to(8.1);
    assert_eq!(said(&network, 0), []);
}

#[test]
fn silence_is_loss() {
    // Section 14.4: after 1.2, 2.2 ... intervals of two seconds: 1/2, then 1/4.
    let mut network = network_of(3, &[], &established());
    hear_one(&mut network, 1);
    network.run_to(4.3);
    assert_eq!(symmetric(&mut network, 0), [1]);
    network.run_to(4.5);
    assert_eq!(symmetric(&mut network, 0), [] as [u32; 0]);
}

#[test]
fn packets_without_a_hello_count_too() {
    // Section 14.4.
    let mut network = network_of(3, &[], &pending());
    hear_one(&mut network, 1);
    hear(&mut network, (0, 1), 2, &[tc(1, 1, 1, &[])]);
    hear(&mut network, (0, 1), 3, &[tc(1, 2, 1, &[])]);
    assert_eq!(symmetric(&mut network, 0), [1]);
}

#[test]
fn what_is_behind_a_link_of_poor_quality_is_kept_unused() {
    // RFC 7466 section 4: it counts again with the link, before the next HELLO.
    let mut network = network_of(3, &[], &established());
    hear_one(&mut network, 1);
    assert_eq!(next_hop(&mut network, 0, 2), Some(1));
    hear(&mut network, (0, 1), 7, &[]);
    assert_eq!((next_hop(&mut network, 0, 2), mprs(&network, 0)), (None, (vec![], vec![])));
    [8, 9, 10].into_iter().for_each(|number| hear(&mut network, (0, 1), number, &[]));
    assert_eq!(next_hop(&mut network, 0, 2), Some(1));
    assert_eq!(mprs(&network, 0), (vec![1], vec![1]));
}

#[test]
fn a_neighbour_that_the_mac_could_not_reach_is_lost_where_that_counts() {
    // RFC 6130 section 14.4: information from the link layer.
    for (link_layer_notification, expected) in [(false, vec![1]), (true, vec![])] {
        let config = Olsr2Config { link_layer_notification, ..established() };
        let mut network = network_of(3, &[], &config);
        hear_one(&mut network, 1);
        let packet = data(0, 1, 1, network.now);
        network.call(0, |olsr, cx| olsr.on_link_failure(cx, packet, NodeId(1)));
        assert_eq!(symmetric(&mut network, 0), expected);
        assert_eq!(network.drops(0), [(1, DropReason::LinkFailure)]);
    }
}
