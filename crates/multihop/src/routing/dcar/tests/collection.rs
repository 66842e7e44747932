//! How nodes collect the copies of a request.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;

use super::harness::{Dcars, ONE};
use crate::kernel::{Duration, Instant};
use crate::routing::dcar::Ledger;
use crate::routing::dcar::{Collect, DcarTable};
use crate::routing::harness::LATENCY;
use crate::wire::aodv::{Message, Reply, Request};
use crate::wire::{Body, NodeId};

/// A request or reply that a node sent: time of the decision, time of sending, and the message.
struct Sent<M> {
    node: u32,
    chosen: Instant,
    left: Instant,
    message: M,
}

fn sent<M>(network: &Dcars, pick: impl Fn(&Message) -> Option<M>) -> Vec<Sent<M>> {
    let all = network.sent();
    all.filter_map(|(at, node, _, delay, packet)| match &packet.body {
        Body::Aodv(message) => {
            pick(message).map(|message| Sent { node, chosen: at, left: at + delay, message })
        }
        _ => None,
    })
    .collect()
}

fn requests(network: &Dcars) -> Vec<Sent<Request>> {
    sent(network, |message| match message {
        Message::Request(request) => Some(*request),
        _ => None,
    })
}

fn replies(network: &Dcars) -> Vec<Sent<Reply>> {
    sent(network, |message| match message {
        Message::Reply(reply) if reply.hop_count == 1 => Some(*reply),
        _ => None,
    })
}

/// When the copies of each request arrived at `node`, and their weight there.
fn copies(
    network: &Dcars,
    neighbours: &BTreeSet<(u32, u32)>,
    node: u32,
    weight: u32,
    id: (NodeId, u32),
) -> Vec<(Instant, u32)> {
    let mut copies: Vec<_> = requests(network)
        .iter()
        .filter(|sent| neighbours.contains(&(sent.node, node)))
        .filter(|sent| (sent.message.originator, sent.message.id) == id)
        .map(|sent| {
            let link = sent.message.transmitter_metric.max(weight) + ONE;
            (sent.left + LATENCY, sent.message.metric + link)
        })
        .collect();
    copies.sort_unstable();
    copies
}

/// The least weight among the copies until `hold` after the first, and when that is.
fn best(copies: &[(Instant, u32)], hold: Duration) -> (Instant, u32) {
    let end = copies[0].0 + hold;
    let until_then = copies.iter().filter(|(at, _)| *at <= end);
    (end, until_then.map(|(_, weight)| *weight).min().expect("the first"))
}

/// A connected network of nine, with two connections and then a request for N8 by N0.
fn network(extra: &[(u32, u32)], collect: Collect, seed: u64) -> (Dcars, BTreeSet<(u32, u32)>) {
    let ring = (0..9).map(|i| (i, (i + 1) % 9));
    let extra = extra.iter().copied().filter(|(a, b)| a != b);
    let links: BTreeSet<(u32, u32)> =
        ring.chain(extra).flat_map(|(a, b)| [(a, b), (b, a)]).collect();
    let mut table = DcarTable::default();
    table.dcar.rreq_collect = collect;
    let mut network = Dcars::dcar(9, &links.iter().copied().collect::<Vec<_>>(), &table, seed);
    for i in 0..30 {
        network.data_of(1, 1.0 + 0.1 * f64::from(i), 2, 6);
        network.data_of(2, 1.05 + 0.1 * f64::from(i), 3, 7);
    }
    network.data_of(0, 4.0, 0, 8);
    network.run_to(6.0);
    (network, links)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn a_relay_forwards_the_lightest_copy_once(
        extra in prop::collection::vec((0..9u32, 0..9u32), 0..8),
        seed in 0..1000u64,
        proportional: bool,
    ) {
        let collect = if proportional { Collect::Proportional } else { Collect::Fixed };
        let (network, links) = network(&extra, collect, seed);
        let mut times = BTreeMap::new();
        for sent in requests(&network).iter().filter(|sent| sent.message.originator.0 != sent.node) {
            let id = (sent.message.originator, sent.message.id);
            *times.entry((sent.node, id)).or_insert(0) += 1;
            let weight = sent.message.transmitter_metric;
            let copies = copies(&network, &links, sent.node, weight, id);
            let nearby = if proportional { u64::from(weight / ONE) } else { 0 };
            let hold = Duration::from_millis(20) * (1 + nearby);
            prop_assert_eq!((sent.chosen, sent.message.metric), best(&copies, hold));
        }
        prop_assert!(times.values().all(|&times| times == 1), "{:?}", times);
        prop_assert!(times.len() >= 3 * 7, "seven relays in three discoveries: {:?}", times);
    }

    #[test]
    fn the_destination_answers_the_lightest_copy_once(
        extra in prop::collection::vec((0..9u32, 0..9u32), 0..8),
        seed in 0..1000u64,
    ) {
        let (network, links) = network(&extra, Collect::Proportional, seed);
        let replies = replies(&network);
        let discoveries: BTreeSet<_> = requests(&network)
            .iter()
            .map(|sent| (sent.message.originator, sent.message.id))
            .collect();
        prop_assert_eq!(replies.len(), discoveries.len());
        for (id, destination) in [(NodeId(0), 8), (NodeId(2), 6), (NodeId(3), 7)]
            .map(|(originator, destination)| ((originator, 1), destination))
        {
            let reply = replies.iter().find(|sent| sent.message.originator == id.0).unwrap();
            prop_assert_eq!(reply.node, destination);
            // The destination's own weight at the time is not recorded, so all plausible ones are
            // tried.
            let found = (0..12).any(|weight| {
                let copies = copies(&network, &links, destination, weight * ONE, id);
                best(&copies, Duration::from_millis(100)) == (reply.chosen, reply.message.metric)
            });
            prop_assert!(found, "{:?}", reply.message);
        }
    }
}

/// N0 searches for N10 behind N9. Three paths lead to N9, the longer the lighter: over N1 with four
/// connections next to it, over N2 and N3 with one, and over N4, N5 and N6 with none.
fn ladder(collect: Collect, improve_limit: u32) -> Dcars {
    let paths = [(0, 1), (1, 9), (0, 2), (2, 3), (3, 9), (0, 4), (4, 5), (5, 6), (6, 9), (9, 10)];
    let beside = [(11, 1), (1, 12), (13, 2), (2, 14)];
    let links: Vec<_> = paths.into_iter().chain(beside).collect();
    let mut table = DcarTable::default();
    table.dcar.rreq_collect = collect;
    table.dcar.relay_collection_s = 0.03;
    table.dcar.improve_limit = improve_limit;
    let mut network = Dcars::dcar(15, &links, &table, 5);
    for i in 0..30 {
        let start = 1.0 + 0.1 * f64::from(i);
        network.data_of(1, start, 11, 12);
        network.ack_of(1, start + 0.01, 12, 11);
        network.data_of(2, start + 0.02, 12, 11);
        network.data_of(3, start + 0.03, 1, 11);
        network.data_of(4, start + 0.04, 1, 12);
        network.data_of(5, start + 0.05, 13, 14);
    }
    network.data_of(6, 4.0, 0, 10);
    network.run_to(5.0);
    network
}

/// The weights of the copies of N0's request that N9 forwarded, in order.
fn forwarded(network: &Dcars) -> Vec<u32> {
    let all = network.requests(9).into_iter().map(|(.., request)| request);
    all.filter(|request| request.originator == NodeId(0)).map(|request| request.metric).collect()
}

/// Copies of requests that arrived too late.
fn late(network: &mut Dcars) -> u64 {
    Ledger::within(&mut network.shared).report.late_requests
}

#[test]
fn with_equal_collection_times_lighter_copies_arrive_late_and_are_ignored() {
    let mut network = ladder(Collect::Fixed, 3);
    assert_eq!(network.path(0, 10), [0, 1, 9, 10]);
    assert!(late(&mut network) >= 2);
}

#[test]
fn with_proportional_collection_the_lightest_copy_arrives_in_time() {
    let network = ladder(Collect::Proportional, 3);
    assert_eq!(network.path(0, 10), [0, 4, 5, 6, 9, 10]);
}

#[test]
fn improve_forwards_lighter_copies_up_to_its_limit() {
    for (limit, times) in [(0, 1), (1, 2), (3, 3)] {
        let network = ladder(Collect::Improve, limit);
        let weights = forwarded(&network);
        assert_eq!(weights.len(), times, "{weights:?}");
        assert!(weights.windows(2).all(|pair| pair[1] < pair[0]), "{weights:?}");
    }
    assert_eq!(ladder(Collect::Improve, 3).path(0, 10), [0, 4, 5, 6, 9, 10]);
}

#[test]
fn of_equally_light_copies_the_earlier_wins() {
    let links = [(0, 1), (0, 2), (1, 3), (2, 3)];
    let mut sides = BTreeSet::new();
    for seed in 0..20 {
        let mut network = Dcars::dcar(4, &links, &DcarTable::default(), seed);
        network.data_of(0, 1.0, 0, 3);
        network.run_to(2.0);
        let first = requests(&network)
            .into_iter()
            .filter(|sent| [1, 2].contains(&sent.node))
            .min_by_key(|sent| sent.left)
            .map(|sent| sent.node);
        assert_eq!(network.nodes[3].next_hop(NodeId(0)), first.map(NodeId));
        sides.extend(first);
    }
    assert_eq!(sides.len(), 2);
}
