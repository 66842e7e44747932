//! Balance on a network that is driven by hand: no MAC and no radio, each link takes a millisecond.

use multihop::api::profile::Profile;
use multihop::api::routing::aodv::{Aodv, AodvConfig};
use multihop::api::routing::harness::{Network, data};
use multihop::api::wire::NodeId;

use super::{Balance, BalanceConfig, schemes};

/// N0 reaches N3 over N1, or over N2 and N4. `waiting` packets are in N1's queue.
fn network(waiting: u32) -> Network<Aodv<Balance>> {
    let node = |i| {
        let policy = Balance::new(NodeId(i), &BalanceConfig::default());
        Aodv::with_policy(NodeId(i), &AodvConfig::default(), Profile::Ns2, policy)
    };
    let links = [(0, 1), (1, 3), (0, 2), (2, 4), (4, 3)];
    let mut network = Network::of((0..5).map(node).collect(), &links);
    for number in 0..waiting {
        let now = network.now;
        network.queues[1].push(now, NodeId(3), data(1, 3, number, now));
    }
    network.send(1.0, 0, 3, 7);
    network.run_to(2.0);
    network
}

#[test]
fn the_way_without_waiting_packets_is_taken_though_it_is_longer() {
    let next_hops = |network: &Network<Aodv<Balance>>| {
        [(0, 3), (3, 0)].map(|(at, to): (usize, u32)| network.nodes[at].next_hop(NodeId(to)))
    };
    let idle = network(0);
    assert_eq!(next_hops(&idle), [Some(NodeId(1)), Some(NodeId(1))]);
    let busy = network(5);
    assert_eq!(next_hops(&busy), [Some(NodeId(2)), Some(NodeId(4))]);
    assert_eq!(busy.arrived(), [7]);
    assert_eq!(busy.nodes[3].policy().lighter_copies, 1);
}

#[test]
fn scenarios_know_it() {
    assert!(schemes().overrides("balance").is_some());
}
