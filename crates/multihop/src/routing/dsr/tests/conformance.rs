//! Profile `standard` held to RFC 4728, rule by rule; evidence/rfc4728.md has the table.

use super::harness::{Network, Sent, data, numbers};
use crate::kernel::{Duration, Instant};
use crate::profile::Profile;
use crate::routing::dsr::flows::{EstablishedFlow, FlowTable};
use crate::routing::dsr::{Dsr, DsrConfig};
use crate::routing::harness::packet;
use crate::routing::{Action, DropReason, Protocol};
use crate::wire::dsr::{FlowState, Header, Path, Request, RouteError, RouteErrorKind, SourceRoute};
use crate::wire::{Body, NodeId, Packet};

/// BroadcastJitter \[s\].
const JITTER_S: f64 = 0.01;

fn network(nodes: u32, links: &[(u32, u32)]) -> Network<Dsr> {
    Network::dsr_of(nodes, links, &DsrConfig::default(), Profile::Standard)
}

/// Nodes without any link: what they hear is what a test gives them.
fn alone(nodes: u32) -> Network<Dsr> {
    network(nodes, &[])
}

fn path(nodes: &[u32]) -> Path {
    nodes.iter().copied().map(NodeId).collect()
}

fn along(id: u64, nodes: &[u32]) -> Header {
    Header::along(id, path(nodes))
}

fn learn(network: &mut Network<Dsr>, nodes: &[u32]) {
    network.nodes[nodes[0] as usize].routes.learn(&path(nodes));
}

fn link(from: u32, to: u32, addressee: u32) -> RouteError {
    let (from, to) = (NodeId(from), NodeId(to));
    let kind = RouteErrorKind::NodeUnreachable { from, to, packet_destination: None };
    RouteError { addressee: NodeId(addressee), kind }
}

/// A segment with `header`.
fn segment(source: u32, destination: u32, number: u32, header: Header) -> Packet {
    let mut packet = data(source, destination, number, Instant::ZERO);
    packet.size_bytes += header.size_bytes(Profile::Standard);
    packet.dsr = Some(header.into());
    packet
}

/// A packet with `header` alone.
fn message(source: u32, destination: u32, header: Header) -> Packet {
    let size_bytes = 20 + header.size_bytes(Profile::Standard);
    let mut packet = packet(source, destination, Instant::ZERO, Body::Dsr, size_bytes);
    packet.dsr = Some(header.into());
    packet
}

/// Request `id` for node `target`, after it has passed the nodes `passed`.
fn request(id: u32, target: u32, passed: &[u32]) -> Packet {
    let request = Request {
        id,
        target: NodeId(target),
        path: path(passed).to_vec(),
        more_hops: 16,
        gathered: Vec::new(),
        replaces: None,
    };
    let header = Header { id: id.into(), request: Some(request), ..Header::default() };
    message(passed[0], target, header)
}

/// The reply that gives node 0 the route `found`, on its way along `nodes`.
fn reply(found: &[u32], nodes: &[u32]) -> Packet {
    let header = Header { reply: Some(path(found)), ..along(1, nodes) };
    message(nodes[0], 0, header)
}

fn receive(network: &mut Network<Dsr>, node: u32, from: u32, packet: Packet) {
    network.call(node, |dsr, cx| dsr.on_receive(cx, packet, NodeId(from)));
}

fn overhear(network: &mut Network<Dsr>, node: u32, packet: &Packet, receiver: u32) {
    network.call(node, |dsr, cx| dsr.on_overheard(cx, packet, NodeId(receiver)));
}

fn fail(network: &mut Network<Dsr>, node: u32, packet: Packet, next_hop: u32) {
    network.call(node, |dsr, cx| dsr.on_link_failure(cx, packet, NodeId(next_hop)));
}

fn data_of(network: &Network<Dsr>, node: u32) -> Vec<Sent> {
    network.all_sent().into_iter().filter(|sent| sent.node == node && sent.is_data).collect()
}

fn delays_s(network: &Network<Dsr>, sent: &[Sent]) -> Vec<f64> {
    sent.iter().map(|sent| (sent.at - network.now).as_secs_f64()).collect()
}

#[test]
fn every_request_has_an_identification_of_its_own() {
    let mut network = alone(1);
    network.send(1.0, 0, 8, 0);
    network.send(1.0, 0, 9, 1);
    network.run_to(20.0);
    let requests = network.requests_of(0);
    let mut ids: Vec<_> = requests.iter().map(|s| s.header.request.as_ref().unwrap().id).collect();
    ids.sort_unstable();
    ids.dedup();
    assert!(ids.len() == requests.len() && ids.len() > 8, "8.2.1: {ids:?}");
}

#[test]
fn a_request_ends_at_its_target_and_at_nodes_that_it_has_passed() {
    let mut network = alone(1);
    receive(&mut network, 0, 1, request(1, 0, &[5, 1]));
    assert_eq!((network.requests_of(0).len(), network.replies_of(0).len()), (0, 1), "8.2.2");
    receive(&mut network, 0, 1, request(2, 9, &[5, 0, 1]));
    assert_eq!((network.requests_of(0).len(), network.replies_of(0).len()), (0, 1), "8.2.2");
}

#[test]
fn a_relay_adds_its_address_to_a_request_and_waits_for_a_random_part_of_the_jitter() {
    let mut network = alone(1);
    let size_bytes = request(1, 9, &[5, 1]).size_bytes;
    (1..=40).for_each(|id| receive(&mut network, 0, 1, request(id, 9, &[5, 1])));
    let passed = network.requests_of(0);
    assert_eq!(passed.len(), 40);
    for sent in &passed {
        let request = sent.header.request.as_ref().unwrap();
        assert_eq!(numbers(&request.path), [5, 1, 0], "8.2.2: appended");
        assert_eq!(sent.size_bytes, size_bytes + 4, "8.2.2: by the size of an address");
        assert!(sent.next_hop.is_broadcast());
    }
    let delays = delays_s(&network, &passed);
    assert!(delays.iter().all(|delay| (0.0..JITTER_S).contains(delay)), "8.2.2: {delays:?}");
    assert!(delays.iter().any(|delay| *delay < JITTER_S / 2.0), "uniformly distributed");
    assert!(delays.iter().any(|delay| *delay > JITTER_S / 2.0), "uniformly distributed");
}

#[test]
fn a_cached_route_that_meets_the_request_path_again_is_not_given_and_the_request_goes_on() {
    let mut network = alone(1);
    learn(&mut network, &[0, 1, 9]);
    receive(&mut network, 0, 1, request(1, 9, &[5, 1]));
    assert_eq!((network.replies_of(0).len(), network.requests_of(0).len()), (0, 1), "8.2.3");
    receive(&mut network, 0, 2, request(2, 9, &[5, 2]));
    assert_eq!((network.replies_of(0).len(), network.requests_of(0).len()), (1, 1), "8.2.3");
    let found = network.replies_of(0)[0].header.reply.clone().unwrap();
    assert_eq!(numbers(&found), [5, 2, 0, 1, 9], "itself once");
}

#[test]
fn a_reply_takes_the_way_of_its_request_back() {
    let mut network = alone(1);
    // A shorter one would not be tested by the reply.
    learn(&mut network, &[0, 5]);
    receive(&mut network, 0, 2, request(1, 0, &[5, 3, 2]));
    let reply = &network.replies_of(0)[0];
    assert_eq!(numbers(&reply.header.route.as_ref().unwrap().nodes), [0, 2, 3, 5], "8.2.4");
    assert_eq!(reply.next_hop, NodeId(2));
}

#[test]
fn every_originator_of_a_reply_waits_for_a_random_part_of_the_jitter_but_no_relay() {
    for target in [0, 9] {
        let mut network = alone(1);
        // For node 9 it answers from its cache.
        learn(&mut network, &[0, 9]);
        (1..=40).for_each(|id| receive(&mut network, 0, 2, request(id, target, &[5, 2])));
        let delays = delays_s(&network, &network.replies_of(0));
        assert_eq!(delays.len(), 40);
        assert!(delays.iter().all(|delay| (0.0..JITTER_S).contains(delay)), "8.2.4: {delays:?}");
        assert!(delays.iter().any(|delay| *delay > JITTER_S / 2.0), "8.2.4: {delays:?}");
    }
    let mut network = alone(2);
    receive(&mut network, 1, 2, reply(&[0, 1, 2, 3], &[3, 2, 1, 0]));
    assert_eq!(delays_s(&network, &network.replies_of(1)), [0.0], "8.2.4");
}

#[test]
fn a_relay_of_a_reply_caches_the_route_in_it_but_not_the_links_that_it_has_yet_to_cross() {
    let mut network = alone(5);
    let reply = reply(&[0, 1, 2, 3, 9], &[3, 2, 1, 0]);
    overhear(&mut network, 4, &reply, 1);
    assert_eq!(network.route(4, 0), None, "3.3.1: not yet traversed");
    receive(&mut network, 1, 2, reply);
    assert_eq!(network.route(1, 9), Some(vec![1, 2, 3, 9]), "8.1.4");
    assert_eq!(network.route(1, 0), None, "3.3.1: not yet traversed");
}

#[test]
fn nodes_cache_the_way_back_over_links_that_a_packet_has_crossed() {
    let mut network = alone(5);
    let packet = segment(0, 4, 0, along(1, &[0, 1, 2, 3, 4]));
    receive(&mut network, 2, 1, packet.clone());
    assert_eq!(network.route(2, 0), Some(vec![2, 1, 0]), "3.3.1: a relay");
    overhear(&mut network, 3, &packet, 2);
    assert_eq!(network.route(3, 0), Some(vec![3, 1, 0]), "3.3.1: one that overhears node 1");
    overhear(&mut network, 1, &packet, 3);
    assert_eq!(network.route(1, 0), Some(vec![1, 0]), "3.3.1: one that it has passed");
    receive(&mut network, 4, 1, request(1, 9, &[5, 1]));
    assert_eq!(network.route(4, 5), Some(vec![4, 1, 5]), "8.1.4: one that hears a request");
}

#[test]
fn a_packet_that_waits_leaves_with_the_first_route_that_its_node_hears_of() {
    let mut network = alone(1);
    network.send(1.0, 0, 9, 7);
    network.run_to(1.001);
    overhear(&mut network, 0, &segment(1, 9, 0, along(1, &[1, 2, 9])), 2);
    let sent = data_of(&network, 0);
    assert_eq!(network.nodes[0].waiting_packets(), 0);
    assert_eq!((sent[0].at, sent[0].next_hop), (network.now, NodeId(1)), "4.1");
    assert_eq!(numbers(&sent[0].header.route.as_ref().unwrap().nodes), [0, 1, 2, 9]);
}

#[test]
fn a_full_send_buffer_gives_up_the_packet_that_came_first() {
    let config = DsrConfig { buffer_packets: 2, ..DsrConfig::default() };
    let mut network = Network::dsr_of(1, &[], &config, Profile::Standard);
    (0..4).for_each(|i| network.send(1.0 + 0.01 * f64::from(i), 0, 9, i));
    let full = DropReason::BufferFull;
    assert_eq!(network.drops(0), [(0, full), (1, full)], "4.2");
}

#[test]
fn a_relay_follows_the_route_in_the_packet_and_counts_down_its_time_to_live() {
    let mut network = alone(2);
    learn(&mut network, &[1, 3]);
    let packet = segment(0, 3, 0, along(1, &[0, 1, 2, 3]));
    receive(&mut network, 1, 0, packet.clone());
    let sent: Vec<_> = network.sent().map(|(_, _, to, _, p)| (to, p.ttl)).collect();
    assert_eq!(sent, [(NodeId(2), packet.ttl - 1)], "8.1.5: without searching the Route Cache");
    receive(&mut network, 1, 0, Packet { ttl: 1, ..packet });
    assert_eq!(network.drops(1), [(0, DropReason::TimeToLive)], "8.1.5");
}

#[test]
fn one_sender_is_told_once_a_second_of_packets_overheard_from_one_node() {
    let mut network = alone(4);
    let mut id = 0;
    let mut told = |at: f64, route: &[u32], receiver: u32| {
        network.run_to(at);
        id += 1;
        let (source, destination) = (route[0], route[route.len() - 1]);
        let packet = segment(source, destination, id, along(id.into(), route));
        let before = network.replies_of(3).len();
        overhear(&mut network, 3, &packet, receiver);
        network.replies_of(3).len() - before
    };
    assert_eq!(told(1.0, &[0, 1, 2, 3], 1), 1);
    assert_eq!(told(1.1, &[0, 4, 2, 3], 4), 0, "4.4: the same sender, heard from the same node");
    assert_eq!(told(1.1, &[0, 1, 2, 4, 3], 2), 1, "4.4: from another node");
    assert_eq!(told(1.1, &[5, 0, 1, 3], 1), 1, "4.4: another sender");
    assert_eq!(told(2.0, &[0, 1, 2, 3], 1), 1, "4.4: GratReplyHoldoff is over");
}

#[test]
fn a_node_that_the_packet_has_passed_sends_no_gratuitous_reply() {
    let mut network = alone(2);
    overhear(&mut network, 1, &segment(0, 3, 0, along(1, &[0, 1, 2, 3])), 3);
    assert_eq!(network.replies_of(1).len(), 0, "3.4.3: the later unexpended portion alone");
}

#[test]
fn the_route_error_about_a_salvaged_packet_goes_to_the_node_that_salvaged_it() {
    let mut network = alone(2);
    let route = SourceRoute { nodes: path(&[2, 1, 3]), salvages: 1 };
    let header = Header { id: 1, route: Some(route), ..Header::default() };
    fail(&mut network, 1, segment(0, 3, 0, header), 3);
    let error = &network.errors_of(1)[0];
    assert_eq!((error.next_hop, error.header.errors[0].addressee), (NodeId(2), NodeId(2)), "8.3.4");
}

#[test]
fn route_errors_that_a_lost_packet_carried_follow_the_new_one_in_their_order() {
    for carried in [2, 3] {
        let mut network = alone(2);
        let earlier: Vec<_> = [7, 8, 9][..carried].iter().map(|&to| link(6, to, 0)).collect();
        let header = Header { errors: earlier.clone(), ..along(1, &[2, 1, 0]) };
        fail(&mut network, 1, message(2, 0, header), 0);
        let errors = &network.errors_of(1)[0].header.errors;
        assert_eq!(errors[0].addressee, NodeId(2), "8.3.4: the new one first");
        assert_eq!(errors[1..], earlier[..2], "8.3.4: none after one that is left out");
    }
}

#[test]
fn the_route_error_leaves_before_the_salvaged_packet() {
    let mut network = alone(2);
    learn(&mut network, &[1, 4, 3]);
    fail(&mut network, 1, segment(0, 3, 0, along(1, &[0, 1, 2, 3])), 2);
    let is_data: Vec<_> = network.all_sent().iter().map(|sent| sent.is_data).collect();
    assert_eq!(is_data, [false, true], "8.3.6");
}

#[test]
fn every_source_of_packets_queued_for_a_broken_link_is_told_once() {
    let mut network = alone(2);
    for (number, source) in [(11, 0), (12, 5), (13, 5)] {
        let packet = segment(source, 3, number, along(number.into(), &[source, 1, 2, 3]));
        network.queues[1].push(network.now, NodeId(2), packet);
    }
    fail(&mut network, 1, segment(0, 3, 10, along(10, &[0, 1, 2, 3])), 2);
    let told: Vec<_> = network.errors_of(1).iter().map(|sent| sent.next_hop.0).collect();
    assert_eq!(told, [0, 5], "3.4.2");
}

#[test]
fn a_relay_without_another_route_discards_the_packet_and_searches_for_none() {
    let mut network = network(2, &[(0, 1)]);
    fail(&mut network, 1, segment(0, 3, 0, along(1, &[0, 1, 2, 3])), 2);
    network.run_to(5.0);
    assert_eq!(network.drops(1), [(0, DropReason::NoRoute)], "3.4.2");
    assert_eq!(network.requests_of(1).len(), 0, "8.2: for packets of its own alone");
}

#[test]
fn replies_are_not_salvaged() {
    // At a relay, and at their originator.
    for (node, next_hop) in [(1, 0), (3, 2)] {
        let mut network = alone(4);
        learn(&mut network, &[node, 4, 0]);
        fail(&mut network, node, reply(&[0, 1, 2, 3], &[3, 2, 1, 0]), next_hop);
        network.run_to(5.0);
        assert_eq!(network.replies_of(node).len(), 0, "8.3.6");
        let dropped = |action: &Action| matches!(action, Action::Drop { .. });
        assert_eq!(network.log.iter().filter(|(_, _, action)| dropped(action)).count(), 1);
    }
}

#[test]
fn nodes_that_pass_a_route_error_on_or_overhear_it_forget_the_link() {
    for overhears in [false, true] {
        let mut network = alone(2);
        learn(&mut network, &[1, 2, 3, 4]);
        let header = Header { errors: vec![link(2, 3, 0)], ..along(1, &[2, 1, 0]) };
        let error = message(2, 0, header);
        if overhears {
            overhear(&mut network, 1, &error, 6);
        } else {
            receive(&mut network, 1, 2, error);
        }
        assert_eq!(network.route(1, 3), None, "8.3.5");
        assert_eq!(network.route(1, 2), Some(vec![1, 2]), "8.3.5: truncated before the link");
    }
}

#[test]
fn the_next_request_tells_the_last_route_error_so_that_no_cache_answers_with_that_link() {
    for (is_told, replies) in [(false, 1), (true, 0)] {
        let mut network = network(2, &[(0, 1)]);
        learn(&mut network, &[1, 2, 9]);
        network.run_to(0.9);
        if is_told {
            let header = Header { errors: vec![link(1, 2, 0)], ..along(1, &[5, 0]) };
            receive(&mut network, 0, 5, message(5, 0, header));
        }
        network.send(1.0, 0, 9, 0);
        network.run_to(1.02);
        assert_eq!(network.replies_of(1).len(), replies, "3.4.4");
    }
}

#[test]
fn flow_ids_are_odd_and_compared_modulo_65536() {
    let mut table = FlowTable::default();
    let ids: Vec<_> = (0..40_000).map(|_| table.new_id()).collect();
    assert_eq!(ids[..3], [1, 3, 5], "8.6.1: each larger than the last");
    assert_eq!(ids[32_766..32_770], [65_533, 65_535, 1, 3], "3.5.1: 16 bits, never zero");
    let flow = |id| EstablishedFlow {
        id,
        route: path(&[0, 1, 2]),
        next_hop: NodeId(1),
        ttl: 64,
        expires: Instant::from_secs_f64(60.0),
        established: 0,
        last_established: Instant::ZERO,
    };
    for id in [65_535, 1, 65_533] {
        table.put(NodeId(0), NodeId(2), flow(id));
    }
    let default = table.default_flow(NodeId(0), NodeId(2)).unwrap().id;
    assert_eq!(default, 1, "3.5.2: the largest is the default flow");
}

#[test]
fn a_packet_without_a_timeout_establishes_no_flow() {
    for establishes in [false, true] {
        let mut network = alone(2);
        let flow = Some(FlowState { id: 1, establishes });
        receive(&mut network, 1, 0, segment(0, 2, 0, Header { flow, ..along(1, &[0, 1, 2]) }));
        let known = network.nodes[1].flows.get(NodeId(0), NodeId(2), 1);
        assert_eq!(known.is_some(), establishes, "8.6.3");
    }
}

#[test]
fn a_source_uses_no_flow_over_a_link_that_it_is_told_is_broken() {
    let mut network = alone(1);
    learn(&mut network, &[0, 1, 3]);
    learn(&mut network, &[0, 4, 5, 3]);
    network.send(1.0, 0, 3, 0);
    let header = Header { errors: vec![link(1, 3, 0)], ..along(1, &[1, 0]) };
    receive(&mut network, 0, 1, message(1, 0, header));
    network.send(1.001, 0, 3, 1);
    let sent = data_of(&network, 0);
    let route = |i: usize| numbers(&sent[i].header.route.as_ref().unwrap().nodes);
    assert_eq!([route(0).len(), route(1).len()], [3, 4], "8.6.3");
    let flow = sent[1].header.flow;
    assert_eq!(flow, Some(FlowState { id: 3, establishes: true }), "8.6.1: a new one");
}

#[test]
fn a_packet_of_an_unknown_flow_id_is_reported_and_salvaged() {
    let mut network = alone(2);
    learn(&mut network, &[1, 0]);
    learn(&mut network, &[1, 2, 3]);
    let flow = Some(FlowState { id: 7, establishes: false });
    receive(&mut network, 1, 0, segment(0, 3, 0, Header { id: 1, flow, ..Header::default() }));
    let error = network.errors_of(1)[0].header.errors[0];
    let (reporter, destination) = (NodeId(1), NodeId(3));
    let kind = RouteErrorKind::UnknownFlow { reporter, destination, id: 7 };
    assert_eq!(error, RouteError { addressee: NodeId(0), kind }, "8.6.4");
    let salvaged = &data_of(&network, 1)[0];
    assert_eq!(salvaged.header.route.as_ref().unwrap().salvages, 1, "3.5.4");
    assert_eq!(salvaged.header.flow, None, "3.5.4: the Flow ID is zeroed");
}

#[test]
fn a_flow_reported_as_unknown_is_established_again_under_its_number() {
    let mut network = network(3, &[(0, 1), (1, 2)]);
    (0..5).for_each(|i| network.send(1.0 + 0.2 * f64::from(i), 0, 2, i));
    network.run_to(2.0);
    assert_eq!(data_of(&network, 0)[4].header, Header::default(), "established end-to-end");
    let (reporter, destination) = (NodeId(1), NodeId(2));
    let kind = RouteErrorKind::UnknownFlow { reporter, destination, id: 1 };
    let errors = vec![RouteError { addressee: NodeId(0), kind }];
    receive(&mut network, 0, 1, message(1, 0, Header { errors, ..along(1, &[1, 0]) }));
    network.send(2.1, 0, 2, 5);
    let flow = data_of(&network, 0)[5].header.flow;
    assert_eq!(flow, Some(FlowState { id: 1, establishes: true }), "8.6.3 and 8.6.1");
}

#[test]
fn a_salvaged_packet_has_no_flow_state_header() {
    let mut network = alone(2);
    learn(&mut network, &[1, 4, 3]);
    let flow = |establishes| Some(FlowState { id: 1, establishes });
    let first = Header { flow: flow(true), ..along(1, &[0, 1, 2, 3]) };
    receive(&mut network, 1, 0, segment(0, 3, 0, first));
    let next = Header { id: 2, flow: flow(false), ..Header::default() };
    fail(&mut network, 1, segment(0, 3, 1, next), 2);
    let salvaged = data_of(&network, 1).pop().unwrap().header;
    let nodes = numbers(&salvaged.route.unwrap().nodes);
    assert_eq!((nodes, salvaged.flow), (vec![1, 4, 3], None), "8.6.7");
}

#[test]
fn a_flow_that_was_not_used_for_its_lifetime_is_established_anew() {
    let mut network = alone(1);
    learn(&mut network, &[0, 1, 3]);
    network.send(1.0, 0, 3, 0);
    let ends = network.nodes[0].flows.default_flow(NodeId(0), NodeId(3)).unwrap().expires;
    assert_eq!(ends - network.now, Duration::from_secs(60), "5.1: a timeout");
    // Later than that, though the link has not been reported as broken.
    network.now = Instant::from_secs_f64(61.5);
    let packet = data(0, 3, 1, network.now);
    network.call(0, |dsr, cx| dsr.on_send(cx, packet));
    let flow = data_of(&network, 0)[1].header.flow;
    assert_eq!(flow, Some(FlowState { id: 3, establishes: true }), "8.6.1: with another number");
}
