//! Data packets: buffering, release, time to live, sizes and the sweep.

use super::harness::{Network, data, datagram};
use crate::kernel::Duration;
use crate::profile::Profile;
use crate::routing::DropReason;
use crate::routing::Protocol;
use crate::routing::aodv::AodvConfig;
use crate::wire::NodeId;

#[test]
fn buffered_packets_are_released_ten_milliseconds_apart() {
    let mut network = Network::chain(2);
    for number in 0..4 {
        network.send(1.0, 0, 2, number);
    }
    network.run_to(1.5);
    let released: Vec<_> = network
        .sent()
        .filter(|sent| sent.1 == 0 && sent.4.is_transport())
        .map(|sent| (sent.0, sent.3))
        .collect();
    assert!(released.iter().all(|release| release.0 == released[0].0));
    let delays: Vec<_> = released.iter().map(|release| release.1).collect();
    assert_eq!(delays, [0, 10, 20, 30].map(Duration::from_millis));
    assert_eq!(network.arrived(), [0, 1, 2, 3]);
}

#[test]
fn a_full_buffer_drops_the_oldest() {
    let mut network = Network::chain(0);
    for number in 0..66 {
        network.send(1.0, 0, 5 + number % 2, number);
    }
    assert_eq!(network.drops(0), [0, 1].map(|number| (number, DropReason::BufferFull)));
}

#[test]
fn packets_older_than_thirty_seconds_are_dropped_at_the_sweep() {
    // Enough retries that the search is not given up first.
    let config = AodvConfig { request_retries: Some(30), ..AodvConfig::default() };
    let mut network = Network::chain_with(0, &config, Profile::Ns2);
    for (at, number) in [(1.0, 0), (2.0, 1), (31.0, 2)] {
        network.send(at, 0, 4, number);
    }
    for (at, dropped, waiting) in [(31.4, 0, 3), (31.6, 1, 2), (32.6, 2, 1), (61.6, 3, 0)] {
        network.run_to(at);
        assert_eq!(
            (network.drops(0).len(), network.nodes[0].waiting_packets()),
            (dropped, waiting)
        );
    }
    assert_eq!(network.drops(0), [0, 1, 2].map(|number| (number, DropReason::BufferTimeout)));
    // As ns-2 notices age only when another packet comes, it searches on.
    let before = network.requests(0).len();
    network.run_to(90.0);
    assert!(network.requests(0).len() > before);
}

#[test]
fn own_packets_get_headers_and_a_fresh_time_to_live() {
    let mut network = Network::chain(1);
    let mut udp = datagram(0, 1);
    udp.ttl = 1;
    network.call(0, |aodv, cx| aodv.on_send(cx, udp));
    network.send(0.1, 0, 1, 0);
    network.run_to(0.2);
    let got: Vec<_> = network.delivered.iter().map(|(_, p)| (p.size_bytes, p.ttl)).collect();
    assert_eq!(got, [(120, 30), (40, 30)]);
}

#[test]
fn packets_that_loop_or_expire_are_dropped() {
    let mut network = Network::chain(2);
    network.send(1.0, 0, 2, 0);
    network.run_to(2.0);
    let mut back = data(0, 2, 1, network.now);
    back.hops = 2;
    network.call(0, |aodv, cx| aodv.on_receive(cx, back, NodeId(1)));
    assert_eq!(network.drops(0), [(1, DropReason::Loop)]);
    for (ttl, dropped) in [(1, 1), (2, 1)] {
        let mut old = data(0, 2, 2, network.now);
        old.ttl = ttl;
        network.call(1, |aodv, cx| aodv.on_receive(cx, old, NodeId(0)));
        assert_eq!(network.drops(1).len(), dropped);
    }
    assert_eq!(network.drops(1), [(2, DropReason::TimeToLive)]);
}

#[test]
fn use_refreshes_a_route_and_a_sweep_expires_it() {
    let mut network = Network::chain(1);
    network.send(1.0, 0, 1, 0);
    network.send(8.2, 0, 1, 1);
    // Expires at 18.2 s, but is usable until the next sweep.
    network.run_to(18.4);
    assert_eq!(network.nodes[0].hops(NodeId(1)), Some(1));
    let before = network.nodes[0].routes().get(NodeId(1)).unwrap().sequence.0;
    network.run_to(18.5);
    assert_eq!(network.nodes[0].hops(NodeId(1)), None);
    let after = network.nodes[0].routes().get(NodeId(1)).unwrap().sequence.0;
    assert_eq!(after, before + 1);
    assert!(network.errors(0).is_empty());
}

#[test]
fn only_who_knows_of_a_destination_sweeps() {
    let mut network = Network::chain(0);
    assert_eq!(network.nodes[0].sweep_interval(), Some(Duration::from_millis(500)));
    assert!(!network.nodes[0].needs_sweep());
    network.send(1.0, 0, 4, 1);
    assert!(network.nodes[0].needs_sweep());
}

#[test]
fn a_sweep_asks_for_the_newest_destination_first() {
    let mut network = Network::chain(0);
    for destination in [4, 6, 5] {
        network.send(1.0, 0, destination, destination);
    }
    network.run_to(3.0);
    let order: Vec<_> = network.requests(0).iter().map(|r| r.2.destination.0).collect();
    assert_eq!(order, [4, 6, 5, 5, 6, 4]);
}
