//! Finding routes: requests, rings, waits and replies.

use super::harness::{Network, datagram, packet};
use crate::kernel::{Duration, Instant};
use crate::profile::Profile;
use crate::routing::Protocol;
use crate::routing::aodv::AodvConfig;
use crate::routing::aodv::table::RouteState;
use crate::routing::{Action, DropReason};
use crate::wire::aodv::{Message, Reply, SequenceNumber};
use crate::wire::{Body, NodeId};

/// The reference trace of ns-2.35 on three nodes in a row: SYN from 0 to 2 at 1 s.
#[test]
fn three_nodes_in_a_row_as_in_ns2() {
    let mut network = Network::chain(2);
    network.send(1.0, 0, 2, 0);
    network.run_to(1.2);

    let from_0 = network.requests(0);
    assert_eq!(from_0.len(), 1);
    let (at, ttl, request) = from_0[0];
    assert_eq!((at, ttl), (1.0, 30));
    assert_eq!((request.hop_count, request.id), (1, 1));
    assert_eq!((request.originator_sequence.0, request.destination_sequence.0), (4, 0));
    let (_, ttl, request) = network.requests(1)[0];
    assert_eq!((ttl, request.hop_count), (29, 2));

    let answer = network.replies(2);
    assert_eq!(answer.len(), 1);
    let (to, reply) = answer[0];
    assert_eq!((to, reply.hop_count, reply.destination_sequence.0), (1, 1, 4));
    assert_eq!(reply.lifetime, Duration::from_secs(10));
    let (to, reply) = network.replies(1)[0];
    assert_eq!((to, reply.hop_count), (0, 2));

    assert_eq!(network.nodes[0].hops(NodeId(2)), Some(2));
    assert_eq!(network.nodes[0].next_hop(NodeId(2)), Some(NodeId(1)));
    assert_eq!(network.nodes[2].hops(NodeId(0)), Some(2));
    assert_eq!(network.arrived(), [0]);
    assert_eq!(network.count(0, &Action::Discovery { destination: NodeId(2) }), 1);
    let sizes: Vec<_> = network.sent().map(|sent| sent.4.size_bytes).collect();
    assert_eq!(sizes, [48, 48, 44, 44, 40, 40]);
}

#[test]
fn requests_are_originated_without_jitter_and_forwarded_with_it() {
    let mut network = Network::chain(3);
    network.send(1.0, 0, 3, 0);
    network.run_to(2.0);
    let delay = |node| network.sent().find(|sent| sent.1 == node).map(|sent| sent.3).unwrap();
    assert_eq!(delay(0), Duration::ZERO);
    assert!(delay(1) > Duration::ZERO && delay(1) < Duration::from_millis(10));
    assert_ne!(delay(1), delay(2));
}

#[test]
fn unanswered_requests_wait_longer_each_time_and_then_give_up() {
    let mut network = Network::chain(0);
    network.send(1.0, 0, 9, 7);
    network.run_to(20.1);
    // Repeated after at least 1.8, 3.6 and 5.4 s, each at the next sweep.
    let at = |network: &Network<_>| network.requests(0).iter().map(|r| r.0).collect::<Vec<_>>();
    assert_eq!(at(&network), [1.0, 3.0, 7.0, 12.5]);
    assert!(network.requests(0).iter().all(|request| request.1 == 30));
    // 7.2 s after the last request the search is given up.
    assert_eq!(network.drops(0), [(7, DropReason::NoRoute)]);
    let dropped = network.log.iter().find(|entry| matches!(entry.2, Action::Drop { .. })).unwrap();
    assert_eq!(dropped.0.as_secs_f64(), 20.0);
    // No requests during the hold of 10 s, however many packets arrive.
    network.send(20.2, 0, 9, 8);
    network.send(29.9, 0, 9, 9);
    network.run_to(30.2);
    assert_eq!(at(&network), [1.0, 3.0, 7.0, 12.5, 30.0]);
    assert_eq!(network.count(0, &Action::Discovery { destination: NodeId(9) }), 2);
}

#[test]
fn new_data_repeats_a_request_once_the_wait_is_over() {
    let mut network = Network::chain(0);
    network.send(1.0, 0, 9, 0);
    network.send(2.79, 0, 9, 1);
    assert_eq!(network.requests(0).len(), 1);
    network.send(2.8, 0, 9, 2);
    assert_eq!(network.requests(0).len(), 2);
}

#[test]
fn rings_start_from_the_length_of_the_route_that_broke() {
    let mut network = Network::chain(1);
    network.send(1.0, 0, 1, 0);
    network.run_to(2.0);
    network.cut(0, 1);
    network.send(2.1, 0, 1, 1);
    network.send(2.2, 0, 1, 2);
    network.run_to(30.0);
    let ttls: Vec<_> = network.requests(0).iter().map(|request| request.1).collect();
    assert_eq!(ttls, [30, 3, 5, 7, 30, 30, 30, 30]);
    assert_eq!(network.drops(0), [(1, DropReason::LinkFailure), (2, DropReason::NoRoute)]);
    // The measured 1 ms per hop makes every wait shorter than the time to the next sweep.
    let late: Vec<_> = network.requests(0)[2..].iter().map(|request| request.0).collect();
    assert_eq!(late, [2.5, 3.0, 3.5, 4.0, 4.5, 5.0]);
}

#[test]
fn waits_follow_the_measured_time_of_a_hop() {
    for (measured, wait_s) in [(None, 0.012), (Some(false), 0.18)] {
        let config = AodvConfig { measured_traversal: measured, ..AodvConfig::default() };
        let mut network = Network::chain_with(1, &config, Profile::Ns2);
        network.send(1.0, 0, 1, 0);
        network.run_to(2.0);
        network.cut(0, 1);
        network.send(2.0, 0, 1, 1);
        // A round trip of 2 ms over one hop, and a ring of 3: 2 * 3 * 2 ms.
        network.send(2.1, 0, 1, 2);
        network.send(2.1 + wait_s - 0.001, 0, 1, 3);
        assert_eq!(network.requests(0).len(), 2);
        network.send(2.1 + wait_s, 0, 1, 4);
        assert_eq!(network.requests(0).len(), 3);
    }
}

#[test]
fn without_rings_every_request_floods() {
    let config = AodvConfig { expanding_ring: false, ..AodvConfig::default() };
    let mut network = Network::chain_with(1, &config, Profile::Ns2);
    network.send(1.0, 0, 1, 0);
    network.run_to(2.0);
    network.cut(0, 1);
    network.send(2.1, 0, 1, 1);
    network.send(2.2, 0, 1, 2);
    network.run_to(30.0);
    let ttls: Vec<_> = network.requests(0).iter().map(|request| request.1).collect();
    assert_eq!(ttls, [30; 5]);
}

#[test]
fn the_standard_profile_starts_with_a_ring_of_one_and_doubles_waits() {
    let mut network = Network::chain_with(0, &AodvConfig::default(), Profile::Standard);
    network.send(1.0, 0, 9, 0);
    network.run_to(40.0);
    let requests = network.requests(0);
    let ttls: Vec<_> = requests.iter().map(|request| request.1).collect();
    assert_eq!(ttls, [1, 3, 5, 7, 35, 35, 35]);
    // RING_TRAVERSAL_TIME of each ring, then NET_TRAVERSAL_TIME of 2.8 s and twice that.
    let times: Vec<_> = requests.iter().map(|request| request.0).collect();
    assert_eq!(times, [1.0, 1.24, 1.64, 2.2, 2.92, 5.72, 11.32]);
    // After four times that, 19.6 s after the first request to the whole network, it is given up.
    let given_up = network.log.iter().find_map(|(at, _, action)| match action {
        Action::Drop { reason: DropReason::NoRoute, .. } => Some(at.as_secs_f64()),
        _ => None,
    });
    assert_eq!(given_up, Some(22.52));
}

#[test]
fn a_ring_reaches_as_many_hops_as_its_time_to_live() {
    let config = AodvConfig { ring_start_ttl: Some(2), ..AodvConfig::default() };
    let mut network = Network::chain_with(4, &config, Profile::Standard);
    network.send(1.0, 0, 4, 0);
    network.run_to(1.05);
    assert_eq!(network.requests(1).len(), 1);
    assert_eq!(network.requests(2).len(), 0);
    assert!(network.nodes[3].routes().get(NodeId(0)).is_none());
}

#[test]
fn a_relay_with_a_route_replies_and_does_not_forward_the_request() {
    let mut network = Network::chain(3);
    network.send(1.0, 1, 3, 0);
    network.send(2.5, 0, 3, 1);
    network.run_to(3.0);
    let replies = network.replies(1);
    assert_eq!(replies.len(), 1);
    let (to, reply) = replies[0];
    assert_eq!((to, reply.hop_count, reply.destination_sequence.0), (0, 3, 4));
    // Last used just after 1 s, so 8 whole seconds of its 10 are left.
    assert_eq!(reply.lifetime, Duration::from_secs(8));
    assert_eq!(network.requests(1).iter().filter(|r| r.2.originator == NodeId(0)).count(), 0);
    assert_eq!(network.arrived(), [0, 1]);
    let precursors = |to| network.nodes[1].routes().get(NodeId(to)).unwrap().precursors().to_vec();
    assert_eq!(precursors(3), [NodeId(0)]);
    assert_eq!(precursors(0), [NodeId(2)]);
}

#[test]
fn without_intermediate_replies_only_the_destination_answers() {
    let config = AodvConfig { intermediate_replies: false, ..AodvConfig::default() };
    let mut network = Network::chain_with(3, &config, Profile::Ns2);
    network.send(1.0, 1, 3, 0);
    network.send(2.0, 0, 3, 1);
    network.run_to(3.0);
    let answered = |node| network.replies(node).iter().filter(|r| r.1.originator.0 == 0).count();
    assert_eq!(answered(3), 1);
    let hops: Vec<_> = network.replies(1).iter().map(|(_, reply)| reply.hop_count).collect();
    assert_eq!(hops, [3], "forwarded, not originated here");
}

fn reply(hop_count: u8, sequence: u32) -> Body {
    Body::Aodv(Message::Reply(Reply {
        hop_count,
        destination: NodeId(9),
        destination_sequence: SequenceNumber(sequence),
        originator: NodeId(0),
        lifetime: Duration::from_secs(10),
        request_sent_at: Instant::ZERO,
        is_passed_on: false,
        metric: 0,
    }))
}

/// Node 1 of a chain knows a route to 0 and gets replies about 9 from node 2.
fn replies_at_a_relay(replies: &[(u8, u32)], profile: Profile) -> (Vec<(u32, Reply)>, Option<u8>) {
    let mut network = Network::chain_with(2, &AodvConfig::default(), profile);
    network.send(1.0, 0, 2, 0);
    network.run_to(2.0);
    network.log.clear();
    for &(hop_count, sequence) in replies {
        let packet = packet(2, 0, network.now, reply(hop_count, sequence), 44);
        network.call(1, |aodv, cx| aodv.on_receive(cx, packet, NodeId(2)));
    }
    (network.replies(1), network.nodes[1].hops(NodeId(9)))
}

#[test]
fn a_reply_with_the_same_sequence_number_must_be_shorter_to_be_forwarded() {
    for profile in [Profile::Ns2, Profile::Standard] {
        let (passed_on, hops) = replies_at_a_relay(&[(3, 4), (3, 4), (5, 4)], profile);
        assert_eq!((passed_on.len(), hops), (1, Some(3)));
        let (passed_on, hops) = replies_at_a_relay(&[(3, 4), (2, 4)], profile);
        assert_eq!((passed_on.len(), hops), (2, Some(2)));
        let (passed_on, hops) = replies_at_a_relay(&[(3, 4), (2, 2)], profile);
        assert_eq!((passed_on.len(), hops), (1, Some(3)), "older, though shorter");
        let (passed_on, hops) = replies_at_a_relay(&[(3, 4), (6, 6)], profile);
        assert_eq!((passed_on.len(), hops), (2, Some(6)), "newer, though longer");
    }
}

#[test]
fn a_request_satisfies_a_search_for_its_originator_at_once() {
    let mut network = Network::chain(1);
    network.cut(0, 1);
    network.send(1.0, 0, 1, 0);
    network.send(1.0, 0, 1, 1);
    let mut request = network.requests(0)[0].2;
    (request.originator, request.destination) = (NodeId(1), NodeId(9));
    let body = Body::Aodv(Message::Request(request));
    let packet = packet(1, u32::MAX, network.now, body, 48);
    network.log.clear();
    network.call(0, |aodv, cx| aodv.on_receive(cx, packet, NodeId(1)));
    let delays: Vec<_> = network.sent().filter(|s| s.4.is_transport()).map(|s| s.3).collect();
    assert_eq!(delays, [Duration::ZERO; 2]);
    let route = network.nodes[0].routes().get(NodeId(1)).unwrap();
    assert_eq!((route.state, route.expires.as_secs_f64()), (RouteState::Up, 11.0));
}

#[test]
fn the_first_copy_of_a_request_sets_the_reverse_route() {
    // 0-1-2-4 and 0-3-4, where the longer path is faster: its copy arrives first.
    let mut network = Network::chain(0);
    network.send(1.0, 0, 4, 0);
    let template = network.requests(0)[0].2;
    network.log.clear();
    for (from, hop_count) in [(2, 3), (3, 2)] {
        let mut request = template;
        (request.originator, request.hop_count) = (NodeId(8), hop_count);
        let body = Body::Aodv(Message::Request(request));
        let packet = packet(from, u32::MAX, network.now, body, 48);
        network.call(0, |aodv, cx| aodv.on_receive(cx, packet, NodeId(from)));
    }
    assert_eq!(network.nodes[0].next_hop(NodeId(8)), Some(NodeId(2)));
    assert_eq!(network.requests(0).len(), 1);
}

#[test]
fn a_request_is_remembered_until_the_second_purge() {
    let mut network = Network::chain(0);
    network.send(1.0, 0, 4, 0);
    let mut request = network.requests(0)[0].2;
    request.originator = NodeId(8);
    let body = Body::Aodv(Message::Request(request));
    // Seen at 1 s for 6 s: past 7 s it is stale but stays until the purge at 12 s.
    for (at, passed_on) in [(1.0, 1), (11.9, 1), (12.1, 2)] {
        network.run_to(at);
        let packet = packet(8, u32::MAX, network.now, body.clone(), 48);
        network.call(0, |aodv, cx| aodv.on_receive(cx, packet, NodeId(8)));
        let copies = network.requests(0).iter().filter(|r| r.2.originator == NodeId(8)).count();
        assert_eq!(copies, passed_on, "at {at} s");
    }
}

#[test]
fn the_destination_answers_with_a_number_newer_than_asked_for() {
    for (profile, known, answered) in [
        (Profile::Ns2, 0, 4),
        (Profile::Ns2, 7, 8),
        (Profile::Ns2, 8, 10),
        (Profile::Standard, 7, 7),
        (Profile::Standard, 0, 2),
    ] {
        let mut network = Network::chain_with(1, &AodvConfig::default(), profile);
        network.call(0, |aodv, cx| aodv.on_send(cx, datagram(0, 9)));
        let mut request = network.requests(0)[0].2;
        (request.destination, request.destination_sequence) = (NodeId(1), SequenceNumber(known));
        let body = Body::Aodv(Message::Request(request));
        let packet = packet(0, u32::MAX, network.now, body, 48);
        network.call(1, |aodv, cx| aodv.on_receive(cx, packet, NodeId(0)));
        assert_eq!(network.replies(1)[0].1.destination_sequence.0, answered, "{profile:?} {known}");
    }
}

// RFC 3561 section 7, for networks of one address.
#[test]
fn a_node_answers_requests_for_its_clients_and_tells_of_one_that_is_gone() {
    let config = AodvConfig::default();
    for profile in [Profile::Ns2, Profile::Standard] {
        let mut network = Network::chain_with(2, &config, profile);
        network.call(2, |aodv, cx| aodv.on_client(cx, NodeId(9), true));
        network.send(1.0, 0, 9, 0);
        network.run_to(2.0);
        let (to, reply) = network.replies(2)[0];
        assert_eq!((to, reply.destination), (1, NodeId(9)));
        assert_eq!(reply.destination_sequence, network.nodes[2].sequence());
        assert_eq!(network.nodes[0].next_hop(NodeId(9)), Some(NodeId(1)));
        assert_eq!(network.nodes[0].hops(NodeId(9)), Some(2));
        network.call(2, |aodv, cx| aodv.on_client(cx, NodeId(9), false));
        network.run_to(3.0);
        assert_eq!(network.nodes[0].next_hop(NodeId(9)), None, "{profile:?}");
        assert_eq!(network.nodes[1].next_hop(NodeId(9)), None, "{profile:?}");
    }
}
