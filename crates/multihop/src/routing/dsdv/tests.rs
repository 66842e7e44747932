//! Tests of DSDV, driven by hand.

use std::sync::Arc;

use proptest::prelude::*;

use super::message::{Told, Update};
use super::table::is_newer;
use super::{Dsdv, DsdvConfig};
use crate::kernel::Instant;
use crate::profile::Profile;
use crate::routing::harness::{Network, data, datagram, packet};
use crate::routing::shortest_paths::ShortestPaths;
use crate::routing::{DropReason, Protocol};
use crate::wire::{Body, Extension, NodeId, Octets, Packet};

/// Nodes that hear of broken links from the MAC.
fn network(nodes: u32, links: &[(u32, u32)]) -> Network<Dsdv> {
    let config = DsdvConfig { link_layer_notification: true, ..DsdvConfig::default() };
    network_of(nodes, links, &config)
}

fn network_of(nodes: u32, links: &[(u32, u32)], config: &DsdvConfig) -> Network<Dsdv> {
    network_under(nodes, links, config, Profile::Standard)
}

fn network_under(
    nodes: u32,
    links: &[(u32, u32)],
    config: &DsdvConfig,
    profile: Profile,
) -> Network<Dsdv> {
    config.check().expect("the keys are fine");
    let config = Arc::new(config.clone());
    Network::of((0..nodes).map(|node| Dsdv::new(NodeId(node), &config, profile)).collect(), links)
}

fn chain(nodes: u32) -> Vec<(u32, u32)> {
    (1..nodes).map(|node| (node - 1, node)).collect()
}

fn told(destination: u32, hops: impl Into<Option<u16>>, sequence: u32) -> Told {
    Told { destination: NodeId(destination), hops: hops.into(), sequence }
}

/// `node` hears an update of `from`.
fn hear(network: &mut Network<Dsdv>, node: u32, from: u32, routes: &[Told]) {
    let update = Update { routes: routes.to_vec(), is_full: false };
    let bytes = update.bytes();
    let body = Body::Routing(Extension::new(update));
    let packet = packet(from, NodeId::BROADCAST.0, Instant::ZERO, body, bytes);
    network.call(node, |dsdv, cx| dsdv.on_receive(cx, packet, NodeId(from)));
}

/// The route of `node` to `destination`: next hop, hops, sequence number.
fn route(
    network: &Network<Dsdv>,
    node: usize,
    destination: u32,
) -> Option<(u32, Option<u16>, u32)> {
    let mut routes = network.nodes[node].table().routes();
    let (_, route) = routes.find(|(to, _)| to.0 == destination)?;
    Some((route.next_hop.0, route.hops, route.sequence))
}

/// The updates that `node` sent from `since` on.
fn updates(network: &Network<Dsdv>, node: u32, since: f64) -> Vec<(f64, Update)> {
    let update = |packet: &Packet| match &packet.body {
        Body::Routing(extension) => extension.get::<Update>().cloned(),
        _ => None,
    };
    let own = network.sent().filter(|entry| entry.1 == node);
    own.filter_map(|(at, _, _, _, packet)| Some((at.as_secs_f64(), update(packet)?)))
        .filter(|(at, _)| *at >= since)
        .collect()
}

fn path(network: &Network<Dsdv>, source: u32, destination: u32) -> Vec<u32> {
    let mut path = vec![source];
    while path[path.len() - 1] != destination && path.len() < 30 {
        let here = path[path.len() - 1] as usize;
        let Some(next) = network.nodes[here].table().next_hop(NodeId(destination)) else { break };
        path.push(next.0);
    }
    path
}

#[test]
fn an_update_has_twelve_bytes_a_route() {
    let routes = vec![told(1, 0, 4), told(2, None, 7)];
    let update = Update { routes, is_full: true };
    let mut out = Vec::new();
    update.write(&mut out);
    let expected =
        [10, 1, 0, 1, 0, 0, 0, 0, 0, 0, 0, 4, 10, 1, 0, 2, 255, 255, 255, 255, 0, 0, 0, 7];
    assert_eq!((out.as_slice(), update.bytes()), (&expected[..], 44));
}

#[test]
fn numbers_are_newer_across_their_wrap() {
    assert!(is_newer(2, 0) && is_newer(0, u32::MAX - 1) && !is_newer(4, 4) && !is_newer(0, 2));
}

#[test]
fn a_route_is_one_hop_longer_than_its_teller_says() {
    let mut network = network(9, &[]);
    hear(&mut network, 0, 1, &[told(1, 0, 2), told(5, 3, 8)]);
    assert_eq!(route(&network, 0, 1), Some((1, Some(1), 2)));
    assert_eq!(route(&network, 0, 5), Some((1, Some(4), 8)));
}

#[test]
fn the_newer_number_wins_even_by_a_longer_way() {
    let mut network = network(9, &[]);
    hear(&mut network, 0, 1, &[told(5, 1, 8)]);
    hear(&mut network, 0, 2, &[told(5, 6, 10)]);
    assert_eq!(route(&network, 0, 5), Some((2, Some(7), 10)));
    hear(&mut network, 0, 1, &[told(5, 1, 8)]);
    assert_eq!(route(&network, 0, 5), Some((2, Some(7), 10)), "an older one changes nothing");
}

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
fn of_one_number_the_shorter_way_wins() {
    let mut network = network(9, &[]);
    hear(&mut network, 0, 1, &[told(5, 4, 8)]);
    hear(&mut network, 0, 2, &[told(5, 2, 8)]);
    hear(&mut network, 0, 3, &[told(5, 3, 8)]);
    assert_eq!(route(&network, 0, 5), Some((2, Some(3), 8)));
}

#[test]
fn an_unknown_route_that_is_broken_is_not_taken() {
    let mut network = network(9, &[]);
    hear(&mut network, 0, 1, &[told(5, None, 9)]);
    assert_eq!(route(&network, 0, 5), None);
}

#[test]
fn a_broken_link_breaks_all_routes_over_it_with_odd_numbers() {
    let mut network = network(9, &[]);
    hear(&mut network, 0, 1, &[told(1, 0, 2), told(5, 1, 8)]);
    hear(&mut network, 0, 2, &[told(2, 0, 4)]);
    network.call(0, |dsdv, cx| dsdv.on_link_failure(cx, data(0, 5, 1, cx.now), NodeId(1)));
    assert_eq!(route(&network, 0, 1), Some((1, None, 3)));
    assert_eq!(route(&network, 0, 5), Some((1, None, 9)));
    assert_eq!(route(&network, 0, 2), Some((2, Some(1), 4)));
    assert_eq!(network.drops(0), [(1, DropReason::LinkFailure)]);
}

#[test]
fn a_break_is_told_at_once_and_a_second_one_a_second_later() {
    let mut network = network(9, &[]);
    network.run_to(3.0);
    hear(&mut network, 0, 1, &[told(1, 0, 2)]);
    hear(&mut network, 0, 2, &[told(2, 0, 2)]);
    network.run_to(6.0);
    network.call(0, |dsdv, cx| dsdv.on_link_failure(cx, data(0, 1, 1, cx.now), NodeId(1)));
    network.run_to(6.2);
    network.call(0, |dsdv, cx| dsdv.on_link_failure(cx, data(0, 2, 1, cx.now), NodeId(2)));
    network.run_to(8.0);
    let told: Vec<(f64, Vec<Told>)> =
        updates(&network, 0, 5.9).into_iter().map(|(at, update)| (at, update.routes)).collect();
    assert_eq!(told, [(6.0, vec![self::told(1, None, 3)]), (7.0, vec![self::told(2, None, 3)])]);
}

#[test]
fn a_node_that_is_believed_out_of_reach_says_that_it_is_there() {
    let mut network = network(9, &[]);
    network.run_to(3.0);
    hear(&mut network, 0, 1, &[told(0, None, 7)]);
    network.run_to(4.1);
    let own = updates(&network, 0, 3.0).into_iter().flat_map(|(_, update)| update.routes);
    assert_eq!(own.collect::<Vec<_>>(), [told(0, 0, 8)]);
}

#[test]
fn a_route_that_works_answers_news_that_it_is_broken() {
    // The paper's rule of infinite metrics: the news is older than what this node knows.
    let mut network = network(9, &[]);
    network.run_to(3.0);
    hear(&mut network, 0, 1, &[told(5, 1, 10)]);
    network.run_to(5.0);
    hear(&mut network, 0, 2, &[told(5, None, 9)]);
    network.run_to(6.5);
    let routes = updates(&network, 0, 5.0).into_iter().flat_map(|(_, update)| update.routes);
    assert_eq!(routes.collect::<Vec<_>>(), [told(5, 2, 10)]);
}

#[test]
fn a_destination_that_is_new_is_told_after_twice_the_first_settling_time() {
    let mut network = network(9, &[]);
    network.run_to(3.0);
    hear(&mut network, 0, 1, &[told(5, 1, 10)]);
    network.run_to(14.9);
    let of_five = |network: &Network<Dsdv>| {
        let updates = updates(network, 0, 3.0).into_iter();
        let routes =
            updates.flat_map(|(at, update)| update.routes.into_iter().map(move |one| (at, one)));
        routes.filter(|(_, one)| one.destination.0 == 5).collect::<Vec<_>>()
    };
    assert_eq!(of_five(&network), []);
    network.run_to(16.1);
    let later = of_five(&network);
    assert!(!later.is_empty());
    assert_eq!(later[0].1, told(5, 2, 10));
}

#[test]
fn a_new_number_for_the_same_way_takes_back_what_was_about_to_be_told() {
    let mut network = network(9, &[]);
    network.run_to(3.0);
    hear(&mut network, 0, 1, &[told(5, 1, 10)]);
    network.run_to(14.8);
    hear(&mut network, 0, 1, &[told(5, 1, 12)]);
    let mut routes = network.nodes[0].table().routes();
    let route = routes.find(|(to, _)| to.0 == 5).map(|(_, route)| route).expect("it is known");
    assert!(!route.is_news && route.tell_at > network.now);
}

#[test]
fn without_word_from_the_mac_a_route_stays_when_a_packet_is_given_up() {
    let mut network = network_of(9, &[], &DsdvConfig::default());
    hear(&mut network, 0, 1, &[told(1, 0, 2)]);
    network.call(0, |dsdv, cx| dsdv.on_link_failure(cx, data(0, 1, 1, cx.now), NodeId(1)));
    assert_eq!(route(&network, 0, 1), Some((1, Some(1), 2)));
    assert_eq!(network.drops(0), [(1, DropReason::LinkFailure)]);
}

#[test]
fn a_longer_way_by_a_newer_number_waits_for_a_better_one_before_it_is_told() {
    // Twice the mean settling time, 2 (7/8) 6 s after one number that settled at once.
    let mut network = network(9, &[]);
    hear(&mut network, 0, 1, &[told(5, 1, 10)]);
    network.run_to(2.5);
    hear(&mut network, 0, 2, &[told(5, 4, 12)]);
    let tell_at = |network: &Network<Dsdv>| {
        let mut routes = network.nodes[0].table().routes();
        routes.find(|(to, _)| to.0 == 5).map(|(_, route)| route.tell_at.as_secs_f64())
    };
    assert_eq!(tell_at(&network), Some(2.5 + 10.5));
    network.run_to(4.5);
    hear(&mut network, 0, 1, &[told(5, 1, 12)]);
    // The better one came 2 s later: the mean is now (7/8)^2 6 s + 1/8 2 s.
    network.run_to(5.0);
    hear(&mut network, 0, 1, &[told(5, 1, 14)]);
    let settling = 0.875 * 0.875 * 6.0 + 0.125 * 2.0;
    let late = tell_at(&network).map(|at| (at - 5.0 - 2.0 * settling).abs() < 1e-6);
    assert_eq!(late, Some(true));
}

#[test]
fn own_numbers_are_even_and_grow_with_every_full_update() {
    let mut network = network(1, &[]);
    network.run_to(60.0);
    let own: Vec<u32> =
        updates(&network, 0, 0.0).iter().map(|(_, update)| update.routes[0].sequence).collect();
    let expected: Vec<u32> = (1..=own.len() as u32).map(|one| 2 * one).collect();
    assert!(own.len() >= 4, "{own:?}");
    assert_eq!(own, expected);
}

#[test]
fn full_updates_come_within_their_interval() {
    let mut network = network(1, &[]);
    network.run_to(600.0);
    let times: Vec<f64> = updates(&network, 0, 0.0).into_iter().map(|(at, _)| at).collect();
    assert!(times.windows(2).all(|pair| (11.25..=15.0).contains(&(pair[1] - pair[0]))));
}

#[test]
fn a_neighbour_is_lost_after_three_intervals_of_silence() {
    let mut network = network(2, &[(0, 1)]);
    network.run_to(30.0);
    assert_eq!(path(&network, 0, 1), [0, 1]);
    let last = updates(&network, 1, 0.0).last().map(|(at, _)| *at).expect("it has told");
    network.cut(0, 1);
    network.run_to(last + 44.9);
    assert_eq!(path(&network, 0, 1), [0, 1]);
    network.run_to(last + 45.0 + 15.1);
    assert_eq!(path(&network, 0, 1), [0]);
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

#[test]
fn a_table_too_long_for_a_packet_takes_several() {
    let mut network = network(2, &[]);
    let routes: Vec<Told> = (2..302).map(|node| told(node, 1, 2)).collect();
    hear(&mut network, 0, 1, &routes);
    network.run_to(40.0);
    let sizes: Vec<usize> =
        updates(&network, 0, 12.0).iter().map(|(_, update)| update.routes.len()).collect();
    assert!(sizes.windows(2).any(|pair| pair == [123, 123]), "{sizes:?}");
    assert!(sizes.iter().all(|&routes| routes <= 123));
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

proptest! {
    #![proptest_config(ProptestConfig::with_cases(
        std::env::var("DSDV_NETWORKS").ok().and_then(|cases| cases.parse().ok()).unwrap_or(30)
    ))]

    /// The paper's claim: routes are free of loops at every instant. Links come and go, updates are
    /// lost.
    #[test]
    fn tables_never_lead_in_circles_and_settle_on_shortest_paths(
        pairs in prop::collection::btree_set((0u32..8, 0u32..8), 5..20),
        cuts in prop::collection::vec((0usize..20, 20.0f64..60.0), 0..5),
        losses in prop::collection::vec((0u32..8, 0u32..8), 0..6),
    ) {
        let mut links: Vec<(u32, u32)> = pairs.iter().filter(|(a, b)| a < b).copied().collect();
        let mut network = network(8, &links);
        for (from, to) in losses {
            network.lose(from, to, 1, 3);
        }
        let mut cuts: Vec<(f64, usize)> = cuts.into_iter().map(|(link, at)| (at, link)).collect();
        cuts.sort_by(|a, b| a.0.total_cmp(&b.0));
        let mut times: Vec<f64> = (1..30).map(|step| f64::from(step) * 7.0).collect();
        times.extend(cuts.iter().map(|cut| cut.0));
        times.sort_by(f64::total_cmp);
        for at in times {
            network.run_to(at);
            if cuts.first().is_some_and(|cut| cut.0 <= at) && !links.is_empty() {
                let (_, link) = cuts.remove(0);
                let (a, b) = links.remove(link % links.len());
                network.cut(a, b);
            }
            for (source, destination) in (0..8).flat_map(|a| (0..8).map(move |b| (a, b))) {
                prop_assert!(path(&network, source, destination).len() <= 8);
            }
        }
        let mut search = ShortestPaths::new(8);
        for source in 0..8 {
            search.search(NodeId(source), None, |node, hops: u32| {
                let ends = links.iter().flat_map(|&(a, b)| [(a, b), (b, a)]);
                let own = ends.filter(move |link| link.0 == node.0);
                own.map(move |(_, to)| (NodeId(to), hops + 1)).collect::<Vec<_>>()
            });
            for destination in (0..8).filter(|&node| node != source) {
                let path = path(&network, source, destination);
                let is_reached = *path.last().expect("it starts") == destination;
                prop_assert_eq!(is_reached, search.cost(NodeId(destination)).is_some());
            }
        }
    }
}
