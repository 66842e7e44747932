//! DSR by measured links.

use super::harness::ATTEMPT;
use crate::profile::Profile;
use crate::routing::dsr::tests::harness::Sent;
use crate::routing::dsr::{Dsr, DsrConfig};
use crate::routing::etx::{DsrEtxTable, SourceEtx};
use crate::routing::harness::Network;
use crate::wire::NodeId;

type Sources = Network<Dsr<SourceEtx>>;

fn steady() -> DsrEtxTable {
    let mut table = DsrEtxTable::default();
    table.etx.probe_jitter = 0.0;
    table
}

fn network(nodes: u32, links: &[(u32, u32)], table: &DsrEtxTable) -> Sources {
    let policy = || SourceEtx::new(table, &[ATTEMPT]);
    let node = |i| Dsr::with_policy(NodeId(i), &table.dsr, Profile::Standard, policy());
    Network::of((0..nodes).map(node).collect(), links)
}

/// N0 reaches N3 over one long link, or over N1 and N2.
const SHORTCUT: [(u32, u32); 4] = [(0, 3), (0, 1), (1, 2), (2, 3)];

/// The long link loses so many of ten broadcasts each way.
fn shortcut(lost: u32) -> Sources {
    let mut network = network(4, &SHORTCUT, &steady());
    network.lose(0, 3, lost, 10);
    network.lose(3, 0, lost, 10);
    network
}

/// The nodes, gathered values and size of each data packet on its last link.
fn routes(network: &Sources) -> Vec<(Vec<u32>, Vec<f32>, u32)> {
    let route = |(_, packet): &(_, crate::wire::Packet)| {
        let header = packet.dsr.as_deref().expect("every packet carries its route");
        let nodes = header.route.as_ref().expect("a route").nodes.iter().map(|node| node.0);
        (nodes.collect(), header.gathered.clone(), packet.size_bytes)
    };
    network.delivered.iter().map(route).collect()
}

#[test]
fn hops_take_a_long_lossy_link_and_the_metric_the_clean_way_round() {
    let plain = (0..4).map(|i| Dsr::new(NodeId(i), &DsrConfig::default(), Profile::Standard));
    let mut plain = Network::of(plain.collect(), &SHORTCUT);
    plain.send(40.0, 0, 3, 7);
    plain.run_to(41.0);
    assert_eq!(plain.all_sent().iter().filter(|sent| sent.is_data).count(), 1);
    // 1 / (0.5 * 0.5) = 4 and 1 / (0.7 * 0.7) = 2.041 against 3.
    for (lost, way) in [(5, vec![0, 1, 2, 3]), (3, vec![0, 3])] {
        let mut network = shortcut(lost);
        // The first packet leaves with the first reply.
        network.send(40.0, 0, 3, 6);
        network.send(41.0, 0, 3, 7);
        network.send(42.0, 3, 0, 8);
        network.run_to(43.0);
        assert_eq!(network.arrived(), [6, 7, 8]);
        let back: Vec<u32> = way.iter().rev().copied().collect();
        let nodes: Vec<_> = routes(&network).into_iter().map(|route| route.0).collect();
        assert_eq!(nodes[1..], [way, back], "{lost} of ten lost");
    }
}

#[test]
fn replies_and_data_carry_the_metric_of_each_link() {
    let mut network = shortcut(5);
    network.lose(1, 2, 2, 10);
    network.send(40.0, 0, 3, 6);
    network.send(41.0, 0, 3, 7);
    network.run_to(42.0);
    // Of two copies, or the better alone if it came first.
    let replies = network.replies_of(3);
    let reply = replies.iter().find(|sent| sent.header.reply.as_ref().unwrap().len() == 4).unwrap();
    assert_eq!(reply.header.gathered, [1000.0, 1250.0, 1000.0]);
    // IP header, 4 fixed, 3 + 12 of the reply, 4 + 8 of its route, 12 of the metrics, a byte of
    // padding.
    assert_eq!(reply.size_bytes, 20 + 44);
    // Two relays: the links that they received it over. 40 of TCP, 4 fixed, 4 + 8 of the route, 8
    // of metrics.
    assert_eq!(routes(&network)[1], (vec![0, 1, 2, 3], vec![1000.0, 1250.0], 40 + 24));
}

#[test]
fn requests_go_on_again_if_they_came_a_better_way_up_to_the_limit() {
    // N0 reaches N5 over one of N1 to N4 each; N`i` loses `5 - i` of ten broadcasts to N5.
    for (limit, passed_on) in [(0, 1), (1, 2), (3, 4), (9, 4)] {
        let links: Vec<_> = (1..=4).flat_map(|i| [(0, i), (i, 5)]).chain([(5, 6)]).collect();
        let mut table = steady();
        table.etx.improve_limit = limit;
        table.dsr.request_jitter_s = 0.0;
        let mut network = network(7, &links, &table);
        (1..=4).for_each(|relay| network.lose(relay, 5, 5 - relay, 10));
        network.send(40.0, 0, 6, 7);
        network.run_to(41.0);
        let gathered = |sent: &Sent| sent.header.request.as_ref().unwrap().gathered[1];
        let passed: Vec<f32> = network.requests_of(5).iter().map(gathered).collect();
        assert_eq!(passed, [1667.0, 1429.0, 1250.0, 1111.0][..passed_on], "limit {limit}");
        assert_eq!(network.replies_of(6).len(), passed_on, "limit {limit}");
        network.send(41.0, 0, 6, 8);
        network.run_to(42.0);
        assert_eq!(routes(&network)[1].0, [0, passed_on as u32, 5, 6], "limit {limit}");
    }
}

#[test]
fn a_source_is_told_that_its_path_has_got_worse() {
    // Over N1 2; over N2, which loses two of ten to N3, 2.25.
    let mut network = network(4, &[(0, 1), (1, 3), (0, 2), (2, 3)], &steady());
    network.lose(2, 3, 2, 10);
    network.send(40.0, 0, 3, 1);
    network.send(41.0, 0, 3, 2);
    network.send(45.0, 0, 3, 3);
    network.run_to(50.0);
    let replies = network.replies_of(3).len();
    // Over N1 now 5.
    network.lose(1, 3, 5, 10);
    network.lose(3, 1, 5, 10);
    network.send(70.0, 0, 3, 4);
    network.send(71.0, 0, 3, 5);
    network.send(75.0, 0, 3, 6);
    network.run_to(80.0);
    let relays: Vec<u32> = routes(&network).into_iter().map(|route| route.0[1]).collect();
    assert_eq!(relays[1..], [1, 1, 1, 2, 2], "N0 could not know before the fourth");
    // Of the path that is worse, and of the path that it took then.
    assert_eq!(network.replies_of(3).len(), replies + 2);
}

#[test]
fn a_broken_link_is_avoided() {
    let mut network = shortcut(5);
    network.send(40.0, 0, 3, 7);
    network.run_to(41.0);
    network.cut(1, 2);
    network.fail_next.push((1, 2));
    network.send(41.5, 0, 3, 8);
    network.run_to(50.0);
    network.send(50.5, 0, 3, 9);
    network.run_to(55.0);
    assert_eq!(routes(&network).last().unwrap().0, [0, 3]);
    assert!(network.arrived().contains(&9));
}
