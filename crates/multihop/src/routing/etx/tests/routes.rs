//! Routes by ETX: what requests and replies gather, and which copies are taken up.

use super::harness::{Etxs, path, steady};
use crate::profile::Profile;
use crate::routing::aodv::{Aodv, AodvConfig};
use crate::routing::etx::EtxTable;
use crate::routing::harness::Network;
use crate::wire::aodv::Message;
use crate::wire::{Body, NodeId};

/// N0 reaches N3 over one long link, or over N1 and N2.
const SHORTCUT: [(u32, u32); 4] = [(0, 3), (0, 1), (1, 2), (2, 3)];

/// The network of [`SHORTCUT`] after N0 has sent to N3 at 40 s; the long link loses so many of ten
/// broadcasts each way.
fn shortcut(lost: u32, table: &EtxTable, profile: Profile) -> Etxs {
    let mut network = Etxs::etx(4, &SHORTCUT, table, profile);
    network.lose(0, 3, lost, 10);
    network.lose(3, 0, lost, 10);
    network.send(40.0, 0, 3, 7);
    network.run_to(41.0);
    assert_eq!(network.arrived(), [7]);
    network
}

#[test]
fn hops_take_a_long_lossy_link_and_etx_the_clean_way_round() {
    let config = AodvConfig { expanding_ring: false, ..AodvConfig::default() };
    let mut plain = Network::<Aodv>::plain(4, &SHORTCUT, &config, Profile::Ns2);
    plain.lose(0, 3, 5, 10);
    plain.lose(3, 0, 5, 10);
    plain.send(40.0, 0, 3, 7);
    plain.run_to(41.0);
    assert_eq!(path(&plain, 0, 3), [0, 3]);
    for profile in [Profile::Ns2, Profile::Standard] {
        // The long link costs 1 / (0.5 * 0.5) = 4, the way round 3.
        let network = shortcut(5, &steady(), profile);
        assert_eq!(path(&network, 0, 3), [0, 1, 2, 3], "{profile:?}");
        assert_eq!(path(&network, 3, 0), [3, 2, 1, 0], "{profile:?}");
        let to_3 = [0, 1, 2].map(|node| network.metric(node, 3));
        assert_eq!(to_3, [Some(3000), Some(2000), Some(1000)], "{profile:?}");
        assert_eq!(network.metric(3, 0), Some(3000), "{profile:?}");
    }
}

#[test]
fn a_long_link_that_is_good_enough_is_taken() {
    for profile in [Profile::Ns2, Profile::Standard] {
        // 1 / (0.7 * 0.7) = 2.041.
        let network = shortcut(3, &steady(), profile);
        assert_eq!(path(&network, 0, 3), [0, 3]);
        assert_eq!(path(&network, 3, 0), [3, 0]);
        assert_eq!([network.metric(0, 3), network.metric(3, 0)], [Some(2041), Some(2041)]);
    }
}

#[test]
fn no_request_goes_over_a_link_without_an_etx() {
    let mut network = Etxs::etx(4, &SHORTCUT, &steady(), Profile::Ns2);
    network.lose(3, 0, 10, 10);
    network.send(40.0, 0, 3, 7);
    network.run_to(41.0);
    assert_eq!(path(&network, 0, 3), [0, 1, 2, 3]);
    assert_eq!(network.replies(3).len(), 1, "the copy over the long link is not answered");
}

#[test]
fn before_the_first_probes_nothing_is_found_and_then_it_is() {
    let mut network = Etxs::etx(2, &[(0, 1)], &steady(), Profile::Ns2);
    network.send(0.0, 0, 1, 7);
    network.run_to(0.5);
    assert!(network.arrived().is_empty());
    network.run_to(10.0);
    assert_eq!(network.arrived(), [7]);
}

/// N0 reaches N5 over one of N1 to N4 each; the copies reach N5 in this order, each better than the
/// last: N`i` loses `5 - i` of ten broadcasts to N5. N5 passes on to N6.
fn fan(improve_limit: u32) -> Etxs {
    let links: Vec<_> = (1..=4).flat_map(|i| [(0, i), (i, 5)]).chain([(5, 6)]).collect();
    let mut table = steady();
    table.etx.improve_limit = improve_limit;
    // Then copies come in the order of their senders.
    table.aodv.request_jitter_s = 0.0;
    let mut network = Etxs::etx(7, &links, &table, Profile::Ns2);
    for relay in 1..=4 {
        network.lose(relay, 5, 5 - relay, 10);
    }
    network.send(40.0, 0, 6, 7);
    network.run_to(41.0);
    assert_eq!(network.arrived(), [7]);
    network
}

#[test]
fn better_copies_are_passed_on_up_to_the_limit() {
    // 1 + 1/0.6, 1 + 1/0.7, 1 + 1/0.8, 1 + 1/0.9.
    let metrics = [2667, 2429, 2250, 2111];
    for (limit, passed_on) in [(0, 1), (1, 2), (3, 4), (9, 4)] {
        let network = fan(limit);
        let passed: Vec<u32> = network.requests(5).iter().map(|sent| sent.2.metric).collect();
        assert_eq!(passed, metrics[..passed_on], "limit {limit}");
        // The node sought answers each.
        let answered = network.replies(6).len();
        assert_eq!(answered, passed_on, "limit {limit}");
        assert_eq!(path(&network, 6, 0), [6, 5, passed_on as u32, 0], "limit {limit}");
        assert_eq!(path(&network, 0, 6), [0, passed_on as u32, 5, 6], "limit {limit}");
    }
}

#[test]
fn requests_and_replies_carry_the_metric() {
    let network = shortcut(5, &steady(), Profile::Ns2);
    let sizes = |is_kind: fn(&Message) -> bool| {
        let sizes = network.sent().filter_map(move |(_, _, _, _, packet)| match &packet.body {
            Body::Aodv(message) if is_kind(message) => Some(packet.size_bytes),
            _ => None,
        });
        sizes.collect::<Vec<u32>>()
    };
    let requests = sizes(|message| matches!(message, Message::Request(_)));
    let replies = sizes(|message| matches!(message, Message::Reply(_)));
    assert!(requests.iter().all(|bytes| *bytes == 20 + 28 + 4) && requests.len() >= 3);
    assert!(replies.iter().all(|bytes| *bytes == 20 + 24 + 4) && replies.len() >= 3);
    // N3 says 0: what a reply gathers is the way that it has come.
    let said: Vec<u32> = network.replies(3).iter().map(|(_, reply)| reply.metric).collect();
    assert!(said.iter().all(|metric| *metric == 0), "{said:?}");
}

#[test]
fn a_route_that_broke_is_replaced_whatever_it_weighed() {
    let mut network = shortcut(5, &steady(), Profile::Ns2);
    network.cut(1, 2);
    network.fail_next.push((1, 2));
    network.send(41.5, 0, 3, 8);
    network.run_to(45.0);
    network.send(45.5, 0, 3, 9);
    network.run_to(50.0);
    assert_eq!(path(&network, 0, 3), [0, 3]);
    assert_eq!(network.nodes[0].hops(NodeId(3)), Some(1));
    assert!(network.arrived().contains(&9));
}
