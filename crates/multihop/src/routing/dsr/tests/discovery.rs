//! Requests and replies.

use super::harness::{Network, Sent, numbers};
use crate::routing::DropReason;
use crate::routing::dsr::config::{CachedReplies, TargetReplies};
use crate::routing::dsr::{Dsr, DsrConfig};
use crate::wire::NodeId;

const DIAMOND: [(u32, u32); 4] = [(0, 1), (0, 2), (1, 3), (2, 3)];

/// How many requests `node` sent for itself.
fn own_requests(net: &Network<Dsr>, node: u32) -> usize {
    let is_own = |sent: &Sent| sent.header.request.as_ref().unwrap().path.len() == 1;
    net.requests_of(node).iter().filter(|sent| is_own(sent)).count()
}

#[test]
fn a_ring_zero_request_comes_first_and_the_flood_one_check_later() {
    let mut net = Network::dsr_chain(3);
    net.send(1.0, 0, 3, 0);
    net.run_to(1.5);
    let asked = net.requests_of(0);
    let more_hops: Vec<u8> =
        asked.iter().map(|sent| sent.header.request.as_ref().unwrap().more_hops).collect();
    assert_eq!(more_hops, [0, 16]);
    let at: Vec<f64> = asked.iter().map(|sent| sent.at.as_secs_f64()).collect();
    assert!((1.0..1.01).contains(&at[0]), "{at:?}");
    // More than 30 ms after the first, at a check that comes every 30 to 60 ms; then up to 10 ms of
    // jitter.
    assert!((1.03..1.13).contains(&at[1]), "{at:?}");
    // The neighbour does not forward the first.
    assert_eq!(net.requests_of(1).len(), 1);
    assert_eq!(net.arrived(), [0]);
    assert_eq!(net.route(0, 3), Some(vec![0, 1, 2, 3]));
    assert_eq!(net.route(3, 0), Some(vec![3, 2, 1, 0]));
}

#[test]
fn sizes_equal_those_in_ns2_traces() {
    let mut net = Network::dsr_chain(5);
    net.send(1.0, 0, 5, 0);
    net.run_to(2.0);
    // A forwarded request keeps the bytes of its earlier headers.
    let sizes = |node| net.requests_of(node).iter().map(|s| s.size_bytes).collect::<Vec<_>>();
    assert_eq!(
        (0..5).map(sizes).collect::<Vec<_>>(),
        [vec![32, 32], vec![48], vec![68], vec![92], vec![120]]
    );
    let mut net = Network::dsr_chain(2);
    net.send(1.0, 0, 2, 0);
    net.run_to(2.0);
    assert_eq!(net.replies_of(2)[0].size_bytes, 52);
    assert_eq!(net.data_sizes(0), [40 + 20 + 20]);
}

#[test]
fn searches_are_2_then_8_then_10_seconds_apart_and_the_packet_waits_for_30() {
    let mut net = Network::dsr_chain(1);
    net.send(1.0, 0, 9, 7);
    net.run_to(60.0);
    let asked: Vec<(f64, u8)> = net
        .requests_of(0)
        .iter()
        .map(|s| (s.at.as_secs_f64() - 1.0, s.header.request.as_ref().unwrap().more_hops))
        .collect();
    // Each search starts at the first check after its time, its second request at the next check.
    let searches = [0.0, 2.0, 10.0, 20.0, 30.0];
    for (i, &(at, more_hops)) in asked.iter().enumerate() {
        let late = at - searches[i / 2];
        let allowed = if i % 2 == 0 { 0.0..0.3 } else { 0.03..0.4 };
        assert!(allowed.contains(&late) && more_hops == [0, 16][i % 2], "{asked:?}");
    }
    assert!(asked.len() >= 8, "{asked:?}");
    assert_eq!(net.drops(0), [(7, DropReason::BufferTimeout)]);
}

#[test]
fn the_target_answers_every_copy_or_the_first() {
    for (target_replies, expected) in [(TargetReplies::EveryCopy, 2), (TargetReplies::FirstCopy, 1)]
    {
        let config = DsrConfig { target_replies, ring_zero_search: false, ..DsrConfig::default() };
        let mut net = Network::dsr(4, &DIAMOND, &config);
        net.send(1.0, 0, 3, 0);
        net.run_to(2.0);
        assert_eq!(net.replies_of(3).len(), expected);
    }
}

#[test]
fn a_node_with_the_rest_of_the_route_in_its_cache_replies_at_once() {
    // Node 4 must not learn the route by overhearing.
    let config = DsrConfig { promiscuous: false, ..DsrConfig::default() };
    let mut net = Network::dsr(5, &[(0, 1), (1, 2), (2, 3), (0, 4)], &config);
    net.send(1.0, 0, 3, 0);
    net.send(3.0, 4, 3, 1);
    net.run_to(3.02);
    let replies = net.replies_of(0);
    assert_eq!(numbers(replies.last().unwrap().header.reply.as_ref().unwrap()), [4, 0, 1, 2, 3]);
    assert_eq!(own_requests(&net, 4), 1);
    assert_eq!(net.route(0, 4), Some(vec![0, 4]));
    net.run_to(4.0);
    assert_eq!(net.arrived(), [0, 1]);
}

#[test]
fn cached_replies_can_be_turned_off() {
    for (cached_replies, from_cache) in
        [(CachedReplies::RingZero, true), (CachedReplies::None, false)]
    {
        let config = DsrConfig { cached_replies, promiscuous: false, ..DsrConfig::default() };
        let mut net = Network::dsr(5, &[(0, 1), (1, 2), (2, 3), (0, 4)], &config);
        net.send(1.0, 0, 3, 0);
        net.send(3.0, 4, 3, 1);
        net.run_to(4.0);
        assert_eq!(own_requests(&net, 4), if from_cache { 1 } else { 2 });
        assert_eq!(net.arrived(), [0, 1]);
    }
}

#[test]
fn routes_do_not_exceed_the_maximum_length() {
    let config = DsrConfig { max_route_nodes: 4, ..DsrConfig::default() };
    let chain = |hops: u32| (0..hops).map(|i| (i, i + 1)).collect::<Vec<_>>();
    let mut net = Network::dsr(5, &chain(4), &config);
    net.send(1.0, 0, 3, 0);
    net.send(1.0, 0, 4, 1);
    net.run_to(2.0);
    assert_eq!(net.route(0, 3), Some(vec![0, 1, 2, 3]));
    // What counts are the nodes that a request has passed: four, for a route of four hops.
    assert_eq!(net.route(0, 4).map(|route| route.len()), Some(5));
    assert_eq!(net.requests_of(3).len(), 1);
    assert_eq!(net.requests_of(4).len(), 0);
}

#[test]
fn a_reply_resets_the_wait_for_the_next_search() {
    let mut net = Network::dsr_chain(1);
    net.send(1.0, 0, 1, 0);
    net.run_to(1.5);
    net.nodes[0].routes.remove_link(NodeId(0), NodeId(1));
    net.send(1.6, 0, 1, 1);
    net.run_to(1.7);
    assert_eq!(net.arrived(), [0, 1]);
}
