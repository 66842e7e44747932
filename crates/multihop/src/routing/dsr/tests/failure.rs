//! Broken links, salvaging and route errors.

use super::harness::{Network, data, numbers};
use crate::kernel::{Purpose, Rng};
use crate::link::{CodelConfig, InterfaceQueue, QueueDiscipline};
use crate::routing::Protocol;
use crate::routing::dsr::DsrConfig;
use crate::routing::{Action, DropReason};
use crate::wire::NodeId;
use crate::wire::dsr::RouteErrorKind;

#[test]
fn a_route_error_reaches_the_source_which_searches_again() {
    // 0 - 1 - 2 - 3, and a longer path over 4, 5 and 6.
    let links = [(0, 1), (1, 2), (2, 3), (0, 4), (4, 5), (5, 6), (6, 3)];
    let config = DsrConfig { salvaging: false, ..DsrConfig::default() };
    let mut net = Network::dsr(7, &links, &config);
    net.send(1.0, 0, 3, 0);
    net.run_to(2.0);
    net.nodes[0].routes.remove_link(NodeId(0), NodeId(4));
    net.cut(2, 3);
    net.send(2.0, 0, 3, 1);
    net.run_to(2.045);
    // Node 2's MAC has retried for 40 ms; the error is in flight to node 0.
    let error = &net.errors_of(2)[0];
    assert_eq!((error.next_hop.0, error.size_bytes), (1, 20 + 4 + 8 + 16));
    let kind = RouteErrorKind::NodeUnreachable {
        from: NodeId(2),
        to: NodeId(3),
        packet_destination: Some(NodeId(3)),
    };
    assert_eq!((error.header.errors[0].addressee, error.header.errors[0].kind), (NodeId(0), kind));
    assert_eq!(net.drops(2), [(1, DropReason::LinkFailure)]);
    net.run_to(2.1);
    assert_eq!(net.count(0, &Action::RouteError { destination: NodeId(3) }), 1);
    assert_eq!(net.route(0, 3), None);
    assert_eq!(net.route(1, 3), None);
    // The next network-wide request carries the error, addressed to node 0.
    net.send(2.1, 0, 3, 2);
    net.run_to(2.5);
    let request = net.requests_of(0).into_iter().find(|sent| !sent.header.errors.is_empty());
    let request = request.unwrap();
    assert_eq!((request.size_bytes, request.header.errors[0].addressee), (32 + 16, NodeId(0)));
    assert_eq!(net.arrived(), [0, 2]);
    assert_eq!(net.route(0, 3), Some(vec![0, 4, 5, 6, 3]));
}

#[test]
fn a_relay_with_another_route_salvages_the_packet() {
    let links = [(0, 1), (1, 2), (2, 3), (1, 4), (4, 3)];
    let mut net = Network::dsr(5, &links, &DsrConfig::default());
    net.send(1.0, 0, 3, 0);
    net.run_to(2.0);
    let used = net.route(0, 3).unwrap();
    let [relay, other] = if used[2] == 2 { [2, 4] } else { [4, 2] };
    let another = [1, other, 3].map(NodeId);
    net.nodes[1].routes.learn(&another);
    net.cut(1, relay);
    net.send(2.0, 0, 3, 1);
    net.run_to(3.0);
    assert_eq!(net.arrived(), [0, 1]);
    let salvaged = net.all_sent().into_iter().rfind(|sent| sent.node == 1 && sent.is_data).unwrap();
    let route = salvaged.header.route.unwrap();
    assert_eq!((numbers(&route.nodes), route.salvages), (vec![1, other, 3], 1));
    assert_eq!(net.errors_of(1).len(), 1);
}

#[test]
fn a_relay_without_another_route_sends_one_ring_zero_request() {
    let mut net = Network::dsr_chain(3);
    net.send(1.0, 0, 3, 0);
    net.run_to(2.0);
    let before = net.requests_of(2).len();
    net.cut(2, 3);
    net.send(2.0, 0, 3, 1);
    net.run_to(20.0);
    let asked: Vec<u8> = net.requests_of(2)[before..]
        .iter()
        .map(|sent| sent.header.request.as_ref().unwrap())
        .filter(|request| request.path[0] == NodeId(2))
        .map(|request| request.more_hops)
        .collect();
    assert_eq!(asked, [0]);
    assert_eq!(net.drops(2), [(1, DropReason::NoRoute)]);
}

#[test]
fn packets_queued_for_the_broken_link_are_not_lost() {
    let mut net = Network::dsr_chain(1);
    net.send(1.0, 0, 1, 0);
    for i in 1..4 {
        net.send(1.0 + 0.1 * f64::from(i), 0, 1, i);
    }
    net.run_to(2.0);
    net.queues[0] = InterfaceQueue::new(
        QueueDiscipline::PriorityClasses,
        50,
        &CodelConfig::default(),
        Rng::stream(1, Purpose::QueueManagement, 0),
    );
    for number in 11..13 {
        let mut packet = data(0, 1, number, net.now);
        packet.size_bytes = 60;
        packet.ttl = 32;
        net.queues[0].push(net.now, NodeId(1), packet);
    }
    let mut failed = data(0, 1, 10, net.now);
    (failed.size_bytes, failed.ttl) = (60, 32);
    net.call(0, |dsr, cx| dsr.on_link_failure(cx, failed, NodeId(1)));
    assert!(net.queues[0].is_empty());
    assert_eq!(net.count(0, &Action::RouteError { destination: NodeId(1) }), 1);
    net.run_to(3.0);
    assert_eq!(net.arrived(), [0, 1, 2, 3, 10, 11, 12]);
    // No route error: this node chose the route.
    assert!(net.all_sent().iter().filter(|s| !s.header.errors.is_empty()).count() == 0);
}

#[test]
fn a_packet_whose_flow_has_died_is_lost() {
    let mut net = Network::dsr_chain(1);
    net.send(1.0, 0, 1, 0);
    net.run_to(2.0);
    for number in [1, 2] {
        let mut packet = data(0, 1, number, net.now);
        (packet.size_bytes, packet.ttl) = (60, 32);
        net.call(0, |dsr, cx| dsr.on_link_failure(cx, packet, NodeId(1)));
    }
    assert_eq!(net.drops(0), [(2, DropReason::NoRoute)]);
    net.run_to(3.0);
    assert_eq!(net.arrived(), [0, 1]);
}

#[test]
fn a_packet_is_salvaged_at_most_max_salvages_times() {
    let config = DsrConfig { max_salvages: 2, ..DsrConfig::default() };
    let mut net = Network::dsr(4, &[(0, 1), (1, 2), (2, 3)], &config);
    net.send(1.0, 0, 3, 0);
    net.run_to(2.0);
    for salvages in [1, 2] {
        let route = crate::wire::dsr::SourceRoute { nodes: [1, 3].map(NodeId).into(), salvages };
        let header = crate::wire::dsr::Header { route: Some(route), ..Default::default() };
        let mut packet = data(0, 3, u32::from(salvages), net.now);
        (packet.size_bytes, packet.dsr) = (60 + 8, Some(header.into()));
        net.call(1, |dsr, cx| dsr.on_link_failure(cx, packet, NodeId(3)));
    }
    net.run_to(3.0);
    assert_eq!(net.arrived(), [0, 1]);
    assert_eq!(net.drops(1), [(2, DropReason::LinkFailure)]);
}
