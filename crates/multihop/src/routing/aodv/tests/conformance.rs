//! Profile `standard` held to RFC 3561, rule by rule; evidence/rfc3561.md has the table.

use super::harness::{Network, data, packet};
use crate::kernel::{Duration, Instant};
use crate::profile::Profile;
use crate::routing::aodv::table::Route;
use crate::routing::aodv::{Aodv, AodvConfig};
use crate::routing::{DropReason, Protocol};
use crate::wire::aodv::{Error, Message, Reply, Request, SequenceNumber};
use crate::wire::{Body, NodeId};

/// ACTIVE_ROUTE_TIMEOUT \[s\].
const ACTIVE_S: f64 = 3.0;

fn chain(hops: u32) -> Network<Aodv> {
    Network::chain_with(hops, &AodvConfig::default(), Profile::Standard)
}

/// Nodes without any link: what they hear is what a test gives them.
fn alone(nodes: u32) -> Network<Aodv> {
    Network::plain(nodes, &[], &AodvConfig::default(), Profile::Standard)
}

fn route(network: &Network<Aodv>, node: u32, destination: u32) -> &Route {
    network.nodes[node as usize].routes().get(NodeId(destination)).expect("an entry")
}

fn life_s(network: &Network<Aodv>, node: u32, destination: u32) -> f64 {
    route(network, node, destination).expires.as_secs_f64() - network.now.as_secs_f64()
}

/// Node 0 hears `message` from neighbour `from`.
fn hear(network: &mut Network<Aodv>, from: u32, message: Message) {
    let packet = packet(from, u32::MAX, network.now, Body::Aodv(message), 48);
    network.call(0, |aodv, cx| aodv.on_receive(cx, packet, NodeId(from)));
}

fn request(originator: u32, sequence: u32, hop_count: u8) -> Request {
    Request {
        hop_count,
        id: 1,
        destination: NodeId(9),
        destination_sequence: SequenceNumber(0),
        originator: NodeId(originator),
        originator_sequence: SequenceNumber(sequence),
        sent_at: Instant::ZERO,
        metric: 0,
        transmitter_metric: 0,
    }
}

fn reply(destination: u32, sequence: u32, hop_count: u8, originator: u32) -> Reply {
    Reply {
        hop_count,
        destination: NodeId(destination),
        destination_sequence: SequenceNumber(sequence),
        originator: NodeId(originator),
        lifetime: Duration::from_millis(4_321),
        request_sent_at: Instant::ZERO,
        is_passed_on: false,
        metric: 0,
    }
}

fn error(entries: &[(u32, u32)]) -> Message {
    let unreachable = entries.iter().map(|&(n, s)| (NodeId(n), SequenceNumber(s))).collect();
    Message::Error(Error { unreachable, is_passed_on: false })
}

#[test]
fn sequence_numbers_are_compared_by_signed_difference() {
    let (last, first) = (SequenceNumber(u32::MAX), SequenceNumber(1));
    assert!(first.is_newer_than(last) && !last.is_newer_than(first), "6.1: they roll over");
}

#[test]
fn each_request_has_the_next_number_and_the_next_id() {
    let mut network = alone(1);
    network.send(1.0, 0, 9, 0);
    network.run_to(2.0);
    let requests = network.requests(0);
    for pair in requests.windows(2) {
        assert_eq!(pair[1].2.originator_sequence, pair[0].2.originator_sequence.plus(1), "6.1");
        assert_eq!(pair[1].2.id, pair[0].2.id + 1, "6.3");
    }
    assert_eq!(requests.len(), 3);
}

#[test]
fn a_broken_link_leaves_the_own_number() {
    let mut network = chain(2);
    network.send(1.0, 0, 2, 0);
    network.run_to(1.5);
    let before = network.nodes[1].sequence();
    network.cut(1, 2);
    network.send(1.6, 0, 2, 1);
    network.run_to(1.7);
    assert_eq!(network.nodes[1].sequence(), before, "6.1: only requests and replies change it");
}

#[test]
fn data_in_use_keep_the_routes_to_both_ends_and_both_neighbours() {
    let mut network = chain(4);
    network.send(1.0, 0, 4, 0);
    network.send(3.9, 0, 4, 1);
    network.run_to(4.0);
    for destination in [0, 1, 3, 4] {
        let life_s = life_s(&network, 2, destination);
        assert!(life_s >= ACTIVE_S - 0.1, "6.2: to {destination}: {life_s}");
    }
}

#[test]
fn use_never_shortens_a_lifetime() {
    let mut network = chain(1);
    network.send(1.0, 0, 1, 0);
    network.run_to(1.1);
    // MY_ROUTE_TIMEOUT of 6 s, from the destination's reply (10).
    assert!(life_s(&network, 0, 1) > 5.8);
    network.send(1.1, 0, 1, 1);
    assert!(life_s(&network, 0, 1) > 5.8, "6.2");
}

#[test]
fn a_longer_reverse_route_is_not_cut_short_by_a_reply() {
    let mut network = chain(2);
    network.send(1.0, 0, 2, 0);
    network.run_to(1.5);
    // The relay's, for requests over one hop: 2 x 2.8 s less 2 x 0.04 s (6.5), of which some has
    // passed.
    let life_s = life_s(&network, 1, 0) + 0.5;
    assert!((5.5..=5.9).contains(&life_s), "6.7: {life_s}");
}

#[test]
fn a_request_makes_routes_to_its_originator_and_to_the_neighbour_it_came_from() {
    let mut network = alone(1);
    network.run_to(1.0);
    hear(&mut network, 3, Message::Request(request(7, 40, 2)));
    let originator = route(&network, 0, 7);
    assert_eq!((originator.hops, originator.next_hop), (2, NodeId(3)), "6.5");
    assert_eq!((originator.sequence, originator.has_sequence), (SequenceNumber(40), true));
    // 2 x NET_TRAVERSAL_TIME - 2 x hops x NODE_TRAVERSAL_TIME.
    assert!((life_s(&network, 0, 7) - (2.0 * 2.8 - 2.0 * 2.0 * 0.04)).abs() < 1e-9, "6.5");
    let neighbour = route(&network, 0, 3);
    assert!(neighbour.is_up() && !neighbour.has_sequence, "6.5");
    assert_eq!((neighbour.hops, neighbour.next_hop), (1, NodeId(3)));
}

#[test]
fn a_copy_makes_a_route_to_its_neighbour_though_the_request_was_seen() {
    let mut network = alone(1);
    network.run_to(1.0);
    for from in [3, 4] {
        hear(&mut network, from, Message::Request(request(7, 40, 2)));
    }
    assert_eq!(network.nodes[0].next_hop(NodeId(4)), Some(NodeId(4)), "6.5");
    assert_eq!(network.nodes[0].next_hop(NodeId(7)), Some(NodeId(3)), "6.5: the copy is discarded");
    assert_eq!(network.requests(0).len(), 1, "6.5: it is passed on once");
}

#[test]
fn the_lifetime_of_a_reverse_route_only_grows() {
    let mut network = alone(1);
    network.run_to(1.0);
    hear(
        &mut network,
        3,
        Message::Reply(Reply { lifetime: Duration::from_secs(60), ..reply(7, 40, 2, 0) }),
    );
    hear(&mut network, 3, Message::Request(request(7, 42, 2)));
    assert!((life_s(&network, 0, 7) - 60.0).abs() < 1e-9, "6.5: the maximum of both");
}

#[test]
fn a_reply_makes_a_route_to_the_neighbour_it_came_from() {
    let mut network = alone(1);
    network.run_to(1.0);
    hear(&mut network, 3, Message::Reply(reply(9, 40, 5, 0)));
    let neighbour = route(&network, 0, 3);
    assert!(neighbour.is_up() && neighbour.hops == 1 && !neighbour.has_sequence, "6.7");
    assert!((life_s(&network, 0, 9) - 4.321).abs() < 1e-9, "6.7: the reply's lifetime");
}

#[test]
fn a_flow_to_a_relay_of_another_needs_no_search() {
    let mut network = chain(2);
    network.send(1.0, 0, 2, 0);
    network.send(2.0, 0, 1, 1);
    network.run_to(2.1);
    assert_eq!(network.arrived(), [0, 1], "6.7");
    assert!(network.requests(0).iter().all(|request| request.2.destination == NodeId(2)));
}

#[test]
fn replies_replace_what_is_older_longer_inactive_or_without_a_number() {
    // What the first reply says, what the second one says, and whether that counts.
    for (second, counts, rule) in [
        ((42, 9), true, "(ii) newer"),
        ((38, 1), false, "older"),
        ((40, 2), true, "(iv) as new and shorter"),
        ((40, 5), false, "as new and as long"),
    ] {
        let mut network = alone(1);
        hear(&mut network, 3, Message::Reply(reply(9, 40, 5, 0)));
        hear(&mut network, 4, Message::Reply(reply(9, second.0, second.1, 0)));
        let via = if counts { 4 } else { 3 };
        assert_eq!(network.nodes[0].next_hop(NodeId(9)), Some(NodeId(via)), "6.7 {rule}");
    }
    let mut network = alone(1);
    hear(&mut network, 3, Message::Reply(reply(9, 40, 5, 0)));
    hear(&mut network, 3, error(&[(9, 40)]));
    hear(&mut network, 4, Message::Reply(reply(9, 40, 8, 0)));
    assert_eq!(network.nodes[0].next_hop(NodeId(9)), Some(NodeId(4)), "6.7 (iii) inactive");
}

#[test]
fn an_intermediate_node_answers_with_the_rest_of_its_route_in_milliseconds() {
    let mut network = chain(3);
    network.send(1.0, 1, 3, 0);
    network.run_to(1.9);
    let left_s = life_s(&network, 1, 3);
    network.send(1.9, 0, 3, 1);
    network.run_to(2.0);
    let replies = network.replies(1);
    let (to, reply) = replies.last().expect("an answer");
    assert_eq!((*to, reply.hop_count), (0, 3), "6.6.2");
    let lifetime_s = reply.lifetime.as_secs_f64();
    assert!(lifetime_s <= left_s && lifetime_s > left_s - 0.02, "6.6.2: {lifetime_s} of {left_s}");
    assert_ne!(reply.lifetime.as_nanos() % 1_000_000_000, 0);
    assert_eq!(reply.lifetime.as_nanos() % 1_000_000, 0);
    assert!(route(&network, 1, 3).precursors().contains(&NodeId(0)), "6.6.2");
    assert!(route(&network, 1, 0).precursors().contains(&NodeId(2)), "6.6.2");
}

#[test]
fn no_node_answers_from_a_route_without_a_number_or_with_an_older_one() {
    let ask =
        |sequence| Request { destination_sequence: SequenceNumber(sequence), ..request(7, 40, 2) };
    let mut network = alone(1);
    network.run_to(1.0);
    hear(&mut network, 9, Message::Request(Request { destination: NodeId(8), ..request(6, 4, 2) }));
    assert!(network.nodes[0].next_hop(NodeId(9)).is_some());
    hear(&mut network, 3, Message::Request(ask(0)));
    assert!(network.replies(0).is_empty(), "6.6 (ii): a valid number is needed");
    let mut network = alone(1);
    hear(&mut network, 4, Message::Reply(reply(9, 40, 5, 0)));
    hear(&mut network, 3, Message::Request(ask(41)));
    assert!(network.replies(0).is_empty(), "6.6 (ii): one as new as asked for is needed");
    assert_eq!(network.requests(0).len(), 1);
}

#[test]
fn a_request_passed_on_has_a_hop_more_and_the_newest_number_known() {
    let mut network = alone(1);
    hear(&mut network, 4, Message::Reply(reply(9, 40, 5, 0)));
    hear(&mut network, 4, error(&[(9, 41)]));
    hear(&mut network, 3, Message::Request(request(7, 40, 2)));
    let (_, ttl, passed) = network.requests(0)[0];
    assert_eq!((ttl, passed.hop_count), (29, 3), "6.5");
    assert_eq!(passed.destination_sequence, SequenceNumber(41), "6.5");
}

#[test]
fn the_next_hop_to_the_destination_has_the_one_to_the_source_as_precursor() {
    let mut network = chain(3);
    network.send(1.0, 0, 3, 0);
    network.run_to(2.0);
    assert_eq!(route(&network, 1, 3).precursors(), [NodeId(0)], "6.7");
    assert_eq!(route(&network, 2, 3).precursors(), [NodeId(1)], "6.7");
}

#[test]
fn a_neighbour_that_replies_do_not_reach_is_not_answered_for_a_while() {
    let mut network = chain(2);
    network.fails_control = true;
    network.fail_next.push((1, 0));
    network.send(1.0, 0, 2, 0);
    network.run_to(1.5);
    let heard = |network: &Network<Aodv>| network.requests(1).len();
    let before = heard(&network);
    assert!(before > 0);
    // BLACKLIST_TIMEOUT: RREQ_RETRIES x NET_TRAVERSAL_TIME = 2 x 2.8 s.
    network.send(6.0, 0, 5, 1);
    network.run_to(6.5);
    assert_eq!(heard(&network), before, "6.8");
    network.run_to(12.0);
    assert!(heard(&network) > before, "6.8: afterwards its requests count again");
}

#[test]
fn an_error_takes_down_what_it_names_over_its_sender_alone() {
    let mut network = alone(1);
    for (destination, from) in [(7, 3), (8, 3), (9, 4)] {
        hear(&mut network, from, Message::Reply(reply(destination, 40, 5, 0)));
    }
    for (number, destination) in [(1, 7), (2, 8)] {
        let packet = data(0, destination, number, network.now);
        network.queues[0].push(network.now, NodeId(3), packet);
    }
    hear(&mut network, 3, error(&[(7, 45), (9, 45)]));
    let next_hop = |destination| network.nodes[0].next_hop(NodeId(destination));
    assert_eq!((next_hop(7), next_hop(8)), (None, Some(NodeId(3))), "6.11 (iii)");
    assert_eq!(next_hop(9), Some(NodeId(4)), "6.11 (iii): its next hop is another");
    assert_eq!(route(&network, 0, 7).sequence, SequenceNumber(45), "6.11: copied");
    assert_eq!(network.drops(0), [(1, DropReason::LinkFailure)], "no queued packet else");
    assert_eq!(network.queues[0].len(), 1);
    assert!(network.errors(0).is_empty(), "6.11: nobody uses it");
}

#[test]
fn data_without_a_route_are_reported_with_the_next_number() {
    let mut network = alone(1);
    hear(&mut network, 3, Message::Reply(reply(9, 40, 5, 0)));
    hear(&mut network, 3, error(&[(9, 41)]));
    let packet = data(7, 9, 0, network.now);
    network.call(0, |aodv, cx| aodv.on_receive(cx, packet, NodeId(5)));
    assert_eq!(network.errors(0), [vec![(9, 42)]], "6.11 (ii)");
    assert_eq!(network.drops(0), [(0, DropReason::NoRoute)]);
}

#[test]
fn errors_go_to_neighbours_alone() {
    let mut network = alone(1);
    let packet = data(7, 9, 0, network.now);
    network.call(0, |aodv, cx| aodv.on_receive(cx, packet, NodeId(5)));
    let (_, _, next_hop, _, error) = network.sent().next().expect("an error");
    assert_eq!((next_hop, error.ttl), (NodeId::BROADCAST, 1), "6.11");
}

/// The most of `times` in any second.
fn most_in_a_second(times: &[f64]) -> usize {
    let within = |from: f64| times.iter().filter(|&&at| (from..from + 1.0).contains(&at)).count();
    times.iter().map(|&from| within(from)).max().unwrap_or(0)
}

#[test]
fn no_more_than_ten_requests_are_originated_in_a_second() {
    let mut network = alone(1);
    for destination in 10..40 {
        network.send(1.0, 0, destination, destination);
    }
    network.run_to(60.0);
    let times: Vec<f64> = network.requests(0).iter().map(|request| request.0).collect();
    assert_eq!(most_in_a_second(&times), 10, "6.3");
    let asked: std::collections::BTreeSet<_> =
        network.requests(0).iter().map(|request| request.2.destination).collect();
    assert_eq!(asked.len(), 30, "each is searched for in its turn");
}

#[test]
fn no_more_than_ten_errors_are_sent_in_a_second_and_nothing_is_left_out() {
    let mut network = alone(1);
    network.run_to(1.0);
    for destination in 10..40 {
        let packet = data(7, destination, destination, network.now);
        network.call(0, |aodv, cx| aodv.on_receive(cx, packet, NodeId(5)));
    }
    network.run_to(5.0);
    let is_error = |body: &Body| matches!(body, Body::Aodv(Message::Error(_)));
    let times: Vec<f64> = network
        .sent()
        .filter(|sent| is_error(&sent.4.body))
        .map(|sent| sent.0.as_secs_f64())
        .collect();
    assert_eq!((times.len(), most_in_a_second(&times)), (11, 10), "6.11");
    let named: Vec<u32> = network.errors(0).concat().iter().map(|entry| entry.0).collect();
    assert_eq!(named, (10..40).collect::<Vec<_>>());
}

#[test]
fn a_search_that_was_given_up_may_begin_again_with_the_next_packet() {
    let mut network = alone(1);
    network.send(1.0, 0, 9, 0);
    network.run_to(23.0);
    assert_eq!(network.drops(0), [(0, DropReason::NoRoute)], "6.3: the packets are dropped");
    let before = network.requests(0).len();
    network.send(23.1, 0, 9, 1);
    let requests = network.requests(0);
    assert_eq!(requests.len(), before + 1);
    assert_eq!(requests[before].0, 23.1);
}

#[test]
fn the_first_ring_reaches_two_hops_beyond_the_last_known_distance() {
    let mut network = alone(1);
    hear(&mut network, 3, Message::Reply(reply(9, 40, 4, 0)));
    hear(&mut network, 3, error(&[(9, 41)]));
    network.send(1.0, 0, 9, 0);
    let (_, ttl, request) = network.requests(0)[0];
    assert_eq!(ttl, 4 + 2, "6.4: hops and TTL_INCREMENT");
    assert_eq!(request.destination_sequence, SequenceNumber(41), "6.3: the last known number");
}

#[test]
fn hellos_make_a_route_to_the_neighbour_for_as_long_as_they_say() {
    let config = AodvConfig { hello_interval_s: 1.0, ..AodvConfig::default() };
    let mut network = Network::plain(1, &[], &config, Profile::Standard);
    network.run_to(1.0);
    let lifetime = Duration::from_secs(2);
    let sequence = SequenceNumber(12);
    hear(&mut network, 3, Message::Hello { sequence, lifetime, extension: None });
    let neighbour = route(&network, 0, 3);
    assert_eq!((neighbour.hops, neighbour.sequence), (1, sequence), "6.9");
    assert!((life_s(&network, 0, 3) - 2.0).abs() < 1e-9, "6.9");
    let (.., hello) = network.sent().next().expect("a HELLO");
    assert_eq!(hello.ttl, 1, "6.9");
}

#[test]
fn the_destination_answers_with_my_route_timeout_and_no_hops() {
    let mut network = chain(1);
    network.send(1.0, 0, 1, 0);
    network.run_to(1.1);
    let (to, reply) = network.replies(1)[0];
    // The model counts at the receiver: one hop.
    assert_eq!((to, reply.hop_count), (0, 1), "6.6.1");
    assert_eq!(reply.lifetime, Duration::from_secs(6), "6.6.1: 2 x ACTIVE_ROUTE_TIMEOUT");
}
