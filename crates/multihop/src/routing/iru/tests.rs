//! Routes by whom they disturb: what nodes count, and what follows for their routes.

use super::{Crowd, IruTable};
use crate::profile::Profile;
use crate::routing::aodv::{Aodv, ByMetric};
use crate::routing::harness::Network;
use crate::wire::NodeId;

type Irus = Network<Aodv<ByMetric<Crowd>>>;

/// N0 reaches N4 over N1, or over N2 and N3. N1 has the rest for neighbours.
fn crowd(nodes: u32, hop_cost: u32, profile: Profile) -> Irus {
    let mut links = vec![(0, 1), (1, 4), (0, 2), (2, 3), (3, 4)];
    links.extend((5..nodes).map(|other| (1, other)));
    let mut table = IruTable::default();
    table.iru.hop_cost = hop_cost;
    let node = |i| Aodv::with_policy(NodeId(i), &table.aodv, profile, table.policy());
    Network::of((0..nodes).map(node).collect(), &links)
}

/// The route from N0 to N4 after a packet at this time, of a network that has seen a flood before if
/// `others_came_first`.
fn route(network: &mut Irus, others_came_first: bool) -> Vec<u32> {
    if others_came_first {
        network.send(1.0, 5, 6, 1);
    }
    network.send(3.0, 0, 4, 7);
    network.run_to(4.0);
    assert!(network.arrived().contains(&7));
    let next = |at: u32| network.nodes[at as usize].next_hop(NodeId(4)).map(|node| node.0);
    std::iter::successors(Some(0), |&at| next(at)).collect()
}

#[test]
fn a_longer_way_round_is_taken_where_it_disturbs_fewer() {
    for profile in [Profile::Ns2, Profile::Standard] {
        // By N1, which has ten neighbours, or by N2 and N3, which have two each.
        assert_eq!(route(&mut crowd(12, 0, profile), true), [0, 2, 3, 4], "{profile:?}");
        assert_eq!(route(&mut crowd(12, 50, profile), true), [0, 1, 4], "{profile:?}: hops cost");
    }
}

#[test]
fn before_anyone_was_heard_the_first_copies_decide() {
    assert_eq!(route(&mut crowd(12, 10, Profile::Ns2), false), [0, 1, 4]);
}

#[test]
fn a_route_costs_what_its_nodes_have_counted() {
    let mut network = crowd(12, 1, Profile::Ns2);
    route(&mut network, true);
    let cost =
        |node: u32| network.nodes[node as usize].routes().get(NodeId(4)).map(|route| route.metric);
    // N3 has the neighbours N2 and N4, N2 has N0 and N3; N0 has N1 and N2.
    assert_eq!([cost(3), cost(2), cost(0)], [Some(3), Some(6), Some(9)]);
}
