//! Broken links: route errors and local repair.

use super::harness::{Network, data, packet};
use crate::kernel::{Duration, Instant};
use crate::profile::Profile;
use crate::routing::Protocol;
use crate::routing::aodv::table::RouteState;
use crate::routing::aodv::{Aodv, AodvConfig};
use crate::routing::{Action, DropReason, Timer};
use crate::wire::aodv::{Error, Message, SequenceNumber};
use crate::wire::{Body, NodeId};

#[test]
fn a_break_near_the_source_is_reported_with_a_newer_number() {
    let mut network = Network::chain(4);
    network.send(1.0, 0, 4, 0);
    network.run_to(2.0);
    let known = network.nodes[1].routes().get(NodeId(4)).unwrap().sequence.0;
    network.fail_next.push((1, 2));
    network.send(2.1, 0, 4, 1);
    network.run_to(2.2);
    assert_eq!(network.drops(1), [(1, DropReason::LinkFailure)]);
    // The destination is the only one that node 1 reaches through node 2.
    assert_eq!(network.errors(1), [vec![(4, known + 1)]]);
    assert_eq!(network.nodes[1].next_hop(NodeId(4)), None);
    // The source adopts the number; it has no precursors, so it sends no route error.
    assert_eq!(network.nodes[0].next_hop(NodeId(4)), None);
    assert_eq!(network.nodes[0].routes().get(NodeId(4)).unwrap().sequence.0, known + 1);
    assert!(network.errors(0).is_empty());
    assert_eq!(network.count(0, &Action::RouteError { destination: NodeId(4) }), 1);
    // The next packet starts a discovery, with a ring two hops larger than the route was.
    assert_eq!(network.requests(0).len(), 1);
    network.send(2.3, 0, 4, 2);
    network.run_to(3.0);
    assert_eq!(network.requests(0)[1].1, 6);
    assert_eq!(network.arrived(), [0, 2]);
}

#[test]
fn a_broken_link_drops_its_queued_packets_and_all_its_routes() {
    let mut network = Network::chain(3);
    network.send(1.0, 0, 3, 0);
    network.send(1.5, 0, 2, 1);
    network.run_to(2.0);
    let before = network.nodes[0].sequence().0;
    for number in [10, 11] {
        let packet = data(0, 3, number, network.now);
        network.queues[0].push(network.now, NodeId(1), packet);
    }
    network.queues[0].push(network.now, NodeId(7), data(0, 7, 12, network.now));
    network.cut(0, 1);
    network.send(2.1, 0, 3, 2);
    network.run_to(2.2);
    let gone = [2, 10, 11].map(|number| (number, DropReason::LinkFailure));
    assert_eq!(network.drops(0), gone);
    assert_eq!(network.queues[0].len(), 1);
    // Newest entry first: 2 became known after 3.
    let destinations: Vec<_> = network.errors(0)[0].iter().map(|entry| entry.0).collect();
    assert_eq!(destinations, [2, 3]);
    assert_eq!(network.nodes[0].sequence().0, before + 2);
}

#[test]
fn a_relay_without_a_route_sends_an_error_for_every_packet() {
    let mut network = Network::chain(2);
    for number in 0..3 {
        let mut packet = data(0, 9, number, network.now);
        packet.hops = 1;
        network.call(1, |aodv, cx| aodv.on_receive(cx, packet, NodeId(0)));
    }
    assert_eq!(network.errors(1), vec![vec![(9, 0)]; 3]);
    assert_eq!(network.drops(1), [0, 1, 2].map(|number| (number, DropReason::NoRoute)));
}

/// A chain of three hops after the reverse route to node 0 breaks at node 1.
fn broken_reverse_route(errors_both_ways: bool) -> Network<Aodv> {
    let config = AodvConfig { local_repair: false, errors_both_ways, ..AodvConfig::default() };
    let mut network = Network::chain_with(3, &config, Profile::Ns2);
    network.send(1.0, 0, 3, 0);
    network.run_to(2.0);
    network.fail_next.push((1, 0));
    network.send(2.1, 3, 0, 1);
    network.run_to(2.2);
    assert_eq!(network.drops(1), [(1, DropReason::LinkFailure)]);
    assert_eq!(network.nodes[2].next_hop(NodeId(0)), None);
    network
}

#[test]
fn a_broken_reverse_route_is_not_reported_to_the_destination() {
    let mut network = broken_reverse_route(false);
    assert!(network.errors(2).is_empty());
    assert_eq!(network.nodes[3].next_hop(NodeId(0)), Some(NodeId(2)));
    // It loses the next packet, too, and learns of the break only then.
    network.send(2.3, 3, 0, 2);
    network.run_to(2.4);
    assert_eq!(network.drops(2), [(2, DropReason::NoRoute)]);
    assert_eq!(network.nodes[3].next_hop(NodeId(0)), None);
    network.send(2.5, 3, 0, 3);
    network.run_to(4.0);
    assert_eq!(network.arrived(), [0, 3]);
}

#[test]
fn with_errors_both_ways_a_broken_reverse_route_is_reported() {
    let mut network = broken_reverse_route(true);
    assert_eq!(network.errors(2).len(), 1);
    assert_eq!(network.nodes[3].next_hop(NodeId(0)), None);
    assert_eq!(network.count(3, &Action::RouteError { destination: NodeId(0) }), 1);
    // The forward route still works: no node on it gets a route error.
    assert_eq!(network.nodes[0].next_hop(NodeId(3)), Some(NodeId(1)));
    network.send(2.3, 3, 0, 2);
    network.run_to(4.0);
    assert_eq!(network.arrived(), [0, 2]);
    assert!(network.drops(2).is_empty());
}

#[test]
fn errors_are_forwarded_only_with_precursors_and_only_once() {
    let mut network = Network::chain(4);
    network.send(1.0, 0, 4, 0);
    network.run_to(2.0);
    network.log.clear();
    let error = |sequence| {
        let unreachable = vec![(NodeId(4), SequenceNumber(sequence))];
        packet(
            2,
            u32::MAX,
            Instant::ZERO,
            Body::Aodv(Message::Error(Error { unreachable, is_passed_on: false })),
            32,
        )
    };
    // Not from the next hop; then older than the known sequence number; then valid; then a
    // repetition.
    network.call(1, |aodv, cx| aodv.on_receive(cx, error(9), NodeId(0)));
    network.call(1, |aodv, cx| aodv.on_receive(cx, error(3), NodeId(2)));
    assert!(network.nodes[1].next_hop(NodeId(4)).is_some());
    network.call(1, |aodv, cx| aodv.on_receive(cx, error(5), NodeId(2)));
    network.call(1, |aodv, cx| aodv.on_receive(cx, error(5), NodeId(2)));
    assert_eq!(network.errors(1), [vec![(4, 5)]]);
    let jitter = network.sent().next().unwrap().3;
    assert!(jitter > Duration::ZERO && jitter < Duration::from_millis(10));
}

#[test]
fn without_precursors_only_ns2_reports() {
    for (profile, reported) in [(Profile::Ns2, 1), (Profile::Standard, 0)] {
        let mut network = Network::chain_with(1, &AodvConfig::default(), profile);
        network.send(1.0, 0, 1, 0);
        network.run_to(2.0);
        network.cut(0, 1);
        network.send(2.1, 0, 1, 1);
        network.run_to(2.2);
        assert_eq!(network.errors(0).len(), reported, "{profile:?}");
        assert_eq!(network.count(0, &Action::RouteError { destination: NodeId(1) }), 1);
    }
}

/// A packet every half second over six hops; the link 4-5 fails once just after `failure_s`.
fn six_hops_with_a_failure(failure_s: f64, until_s: f64, config: &AodvConfig) -> Network<Aodv> {
    let mut network = Network::chain_with(6, config, Profile::Ns2);
    let mut number = 0;
    while 0.7 + 0.5 * f64::from(number) < until_s {
        let at = 0.7 + 0.5 * f64::from(number);
        network.run_to(at);
        if at == failure_s {
            network.fail_next.push((4, 5));
        }
        network.send(at, 0, 6, number);
        number += 1;
    }
    network.run_to(until_s);
    network
}

#[test]
fn local_repair_holds_packets_until_the_neighbours_route_expires() {
    let network = six_hops_with_a_failure(20.2, 60.0, &AodvConfig::default());
    // Node 5 last used its route at 19.7 s. It keeps replying with it until the sweep at 30 s.
    let repairs: Vec<_> =
        network.requests(4).into_iter().filter(|r| r.2.originator.0 == 4).collect();
    assert!(repairs.len() >= 4, "{repairs:?}");
    let (at, ttl, _) = repairs[0];
    assert!((20.24..20.26).contains(&at) && ttl == 30);
    // At least 1.8, 3.6 and 5.4 s apart, triggered by a sweep or by the next data packet.
    let waits: Vec<_> = repairs.windows(2).map(|pair| pair[1].0 - pair[0].0).collect();
    for (wait, least) in waits.iter().zip([1.8, 3.6, 5.4]) {
        assert!(*wait >= least && *wait < least + 0.5, "{waits:?}");
    }
    let (silence_from, silence_to) = network
        .delivered
        .windows(2)
        .map(|pair| (pair[0].0.as_secs_f64(), pair[1].0.as_secs_f64()))
        .max_by(|a, b| (a.1 - a.0).total_cmp(&(b.1 - b.0)))
        .unwrap();
    assert!((19.7..19.75).contains(&silence_from), "{silence_from}");
    assert!((30.0..33.0).contains(&silence_to), "{silence_to}");
    // No route error was sent, and the buffered packets arrived in the end.
    assert!(network.errors(4).is_empty());
    assert_eq!(network.arrived().len(), 119);
}

#[test]
fn the_repair_timer_takes_an_absolute_time_as_a_delay() {
    let network = six_hops_with_a_failure(20.2, 21.0, &AodvConfig::default());
    let repair = Timer::about("local-repair", NodeId(6));
    let timers: Vec<_> = network
        .log
        .iter()
        .filter_map(|(now, _, action)| match action {
            Action::SetTimer { timer, at } if *timer == repair => Some((*now, *at)),
            _ => None,
        })
        .collect();
    assert_eq!(timers.len(), 1);
    let (now, at) = timers[0];
    assert_eq!(at, now + Duration::from_nanos(now.as_nanos()) + Duration::from_millis(1800));
}

#[test]
fn an_early_repair_is_ended_by_its_timer_without_a_report() {
    // Failure at 1.2 s: the timer comes at about 1.2 + 1.2 + 1.8 = 4.2 s, long before node 5's
    // route expires.
    let network = six_hops_with_a_failure(1.2, 4.5, &AodvConfig::default());
    let route = network.nodes[4].routes().get(NodeId(6)).unwrap();
    assert_eq!(route.state, RouteState::Down);
    // From then on packets reach a relay without a route.
    let network = six_hops_with_a_failure(1.2, 5.0, &AodvConfig::default());
    assert_eq!(network.errors(4).len(), 1);
}

#[test]
fn without_local_repair_every_break_is_reported() {
    let config = AodvConfig { local_repair: false, ..AodvConfig::default() };
    let network = six_hops_with_a_failure(20.2, 21.0, &config);
    assert_eq!(network.errors(4).len(), 1);
    assert_eq!(network.count(0, &Action::RouteError { destination: NodeId(6) }), 1);
    assert_eq!(network.arrived().last(), Some(&40));
}

#[test]
fn a_standard_repair_finds_another_route_or_reports() {
    // 0-1-2-3-4 with a second path 3-5-4.
    let links = [(0, 1), (1, 2), (2, 3), (3, 4), (3, 5), (5, 4)];
    for (detour, arrived) in [(true, vec![0, 1]), (false, vec![0])] {
        let config = AodvConfig::default();
        let mut network = Network::plain(6, &links, &config, Profile::Standard);
        network.send(1.0, 0, 4, 0);
        network.run_to(3.0);
        let source_knows = network.arrived();
        network.cut(3, 4);
        if !detour {
            network.cut(3, 5);
        }
        network.send(3.1, 0, 4, 1);
        network.run_to(4.5);
        assert_eq!(source_knows, [0]);
        assert_eq!(network.arrived(), arrived);
        let reported = network.count(0, &Action::RouteError { destination: NodeId(4) });
        assert_eq!(reported, usize::from(!detour));
        let dropped = network.drops(3);
        assert_eq!(dropped.len(), usize::from(!detour), "{dropped:?}");
    }
}
