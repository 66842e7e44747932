//! DCAR on a network that is driven by hand: no MAC and no radio, each link takes a millisecond.

use multihop::api::profile::Profile;
use multihop::api::routing::aodv::Aodv;
use multihop::api::routing::harness::Network;
use multihop::api::wire::NodeId;

use super::{OwnDcar, OwnDcarConfig, schemes};

/// N0 reaches N3 over N1, or over N2 and N4; N5 is N1's neighbour, and N6 is behind it.
fn network() -> Network<Aodv<OwnDcar>> {
    let aodv = OwnDcarConfig::default().aodv();
    let node = |i| {
        let policy = OwnDcar::new(NodeId(i), &aodv);
        Aodv::with_policy(NodeId(i), &aodv, Profile::Ns2, policy)
    };
    let links = [(0, 1), (1, 3), (0, 2), (2, 4), (4, 3), (1, 5), (5, 6)];
    Network::of((0..7).map(node).collect(), &links)
}

#[test]
fn the_lightest_path_is_taken() {
    let mut idle = network();
    idle.send(3.0, 0, 3, 7);
    idle.run_to(4.0);
    assert_eq!(
        idle.nodes[0].next_hop(NodeId(3)),
        Some(NodeId(1)),
        "two links weigh less than three"
    );
    let mut busy = network();
    (0..20).for_each(|i| busy.send(1.0 + 0.1 * f64::from(i), 1, 6, i));
    busy.send(3.0, 0, 3, 7);
    busy.run_to(4.0);
    assert_eq!(busy.nodes[0].next_hop(NodeId(3)), Some(NodeId(2)), "around the connection from N1");
}

#[test]
fn scenarios_know_it() {
    assert!(schemes().overrides("own-dcar").is_some());
}
