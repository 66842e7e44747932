//! What becomes of data.

use super::harness::{chain, hear, network, network_of, network_under, path, told};
use crate::kernel::Instant;
use crate::profile::Profile;
use crate::routing::dsdv::{Dsdv, DsdvConfig};
use crate::routing::harness::{Network, data, datagram};
use crate::routing::{DropReason, Protocol};
use crate::wire::NodeId;

#[test]
fn packets_that_go_round_are_counted_from_within_the_loop_and_from_without() {
    let seen = |network: &Network<Dsdv>| -> Vec<u64> {
        network.nodes.iter().take(3).map(|node| node.counts.loops_seen).collect()
    };
    let mut network = network(10, &chain(3));
    network.run_to(60.0);
    network.send(60.0, 0, 2, 1);
    network.run_to(60.1);
    assert_eq!((network.arrived(), seen(&network)), (vec![1], vec![0; 3]));
    // Nodes 0 and 1 are each told by the other of a way to node 9, as DSDV's own numbers never do.
    hear(&mut network, 0, 1, &[told(9, 1, 8)]);
    hear(&mut network, 1, 0, &[told(9, 1, 8)]);
    hear(&mut network, 2, 1, &[told(9, 2, 8)]);
    network.send(60.1, 0, 9, 2);
    network.run_to(60.11);
    assert_eq!((network.drops(0), seen(&network)), (vec![(2, DropReason::Loop)], vec![1, 0, 0]));
    network.send(60.11, 2, 9, 3);
    network.run_to(60.3);
    assert_eq!(seen(&network).iter().sum::<u64>(), 2);
    let dropped = [network.drops(0), network.drops(1)].concat();
    assert!(dropped.contains(&(3, DropReason::TimeToLive)), "{dropped:?}");
}

#[test]
fn packets_wait_for_a_route_five_for_each_destination() {
    let mut network = network(9, &[(0, 1)]);
    for number in 1..=7 {
        let packet = data(0, 5, number, network.now);
        network.call(0, |dsdv, cx| dsdv.on_send(cx, packet));
    }
    assert_eq!(network.drops(0), [(1, DropReason::BufferFull), (2, DropReason::BufferFull)]);
    assert_eq!(network.nodes[0].waiting_packets(), 5);
    hear(&mut network, 0, 1, &[told(5, 1, 2)]);
    assert_eq!(network.nodes[0].waiting_packets(), 0);
}

#[test]
fn data_takes_the_chain_from_end_to_end() {
    let mut network = network(6, &chain(6));
    network.run_to(150.0);
    assert_eq!(path(&network, 0, 5), [0, 1, 2, 3, 4, 5]);
    network.send(150.0, 0, 5, 1);
    network.run_to(151.0);
    assert_eq!(network.arrived(), [1]);
}

/// A segment of 40 bytes has its IP header, a datagram of 100 has not.
#[test]
fn in_ns2_a_segment_is_given_a_second_ip_header() {
    for (profile, expected) in [(Profile::Standard, [40, 120]), (Profile::Ns2, [60, 120])] {
        let mut network = network_under(2, &[(0, 1)], &DsdvConfig::default(), profile);
        network.run_to(5.0);
        for packet in [data(0, 1, 0, Instant::ZERO), datagram(0, 1)] {
            network.call(0, |dsdv, cx| dsdv.on_send(cx, packet));
        }
        let sizes: Vec<u32> = network
            .sent()
            .filter(|(_, _, next_hop, ..)| !next_hop.is_broadcast())
            .map(|(.., packet)| packet.size_bytes)
            .collect();
        assert_eq!(sizes, expected);
    }
}

#[test]
fn packets_for_one_destination_do_not_displace_those_for_another() {
    let mut network = network(9, &[]);
    for number in 1..=10 {
        let packet = data(0, 4 + number % 2, number, network.now);
        network.call(0, |dsdv, cx| dsdv.on_send(cx, packet));
    }
    assert_eq!(network.drops(0), []);
    assert_eq!(network.nodes[0].waiting_packets(), 10);
}

#[test]
fn packets_that_have_waited_go_in_their_order() {
    let mut network = network(9, &[(0, 1)]);
    for number in 1..=3 {
        let packet = data(0, 1, number, network.now);
        network.call(0, |dsdv, cx| dsdv.on_send(cx, packet));
    }
    hear(&mut network, 0, 1, &[told(1, 0, 2)]);
    network.run_to(1.0);
    assert_eq!(network.arrived(), [1, 2, 3]);
}

#[test]
fn without_a_buffer_a_packet_without_a_route_is_dropped() {
    let config = DsdvConfig { buffer_packets: 0, ..DsdvConfig::default() };
    let mut network = network_of(9, &[], &config);
    network.call(0, |dsdv, cx| dsdv.on_send(cx, data(0, 5, 1, cx.now)));
    assert_eq!(network.drops(0), [(1, DropReason::NoRoute)]);
}

#[test]
fn a_packet_waits_while_its_route_is_broken() {
    let mut network = network(9, &[(0, 2)]);
    hear(&mut network, 0, 1, &[told(2, 1, 8)]);
    network.call(0, |dsdv, cx| dsdv.on_link_failure(cx, data(0, 2, 1, cx.now), NodeId(1)));
    let packet = data(0, 2, 2, network.now);
    network.call(0, |dsdv, cx| dsdv.on_send(cx, packet));
    assert_eq!(network.nodes[0].waiting_packets(), 1);
    hear(&mut network, 0, 2, &[told(2, 0, 10)]);
    network.run_to(1.0);
    assert_eq!(network.arrived(), [2]);
}
