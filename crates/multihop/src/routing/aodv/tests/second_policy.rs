//! A policy that does not choose routes by hops, to show that it needs no second AODV.

use super::harness::Network;
use crate::profile::Profile;
use crate::routing::Context;
use crate::routing::aodv::table::{Offer, Route};
use crate::routing::aodv::{Aodv, AodvConfig, Policy};
use crate::wire::aodv::Request;
use crate::wire::{NodeId, Packet};

/// Least sum of node weights: requests accumulate it, and a lighter copy is processed again.
#[derive(Debug)]
struct LeastWeight {
    own_weight: u32,
    /// Lightest copy seen of the request with this number.
    lightest: Option<(u32, u32)>,
}

impl Policy for LeastWeight {
    fn gather(&mut self, _: &mut Context, request: &mut Request, _: NodeId) {
        request.metric += self.own_weight;
    }

    fn counts(&mut self, request: &Request, _: bool) -> bool {
        let lighter =
            self.lightest.is_none_or(|(id, metric)| id != request.id || request.metric < metric);
        if lighter {
            self.lightest = Some((request.id, request.metric));
        }
        lighter
    }

    fn ignores_copies(&self) -> bool {
        false
    }

    fn may_answer(&self, _: &Route, _: &Request, _: Profile) -> bool {
        false
    }

    fn prefers(&self, route: &Route, offer: &Offer, _: Profile) -> bool {
        // Only lighter copies get here: the latest of a discovery is the lightest.
        !route.sequence.is_newer_than(offer.sequence)
    }

    fn repairs(&self, _: &Route, _: &Packet) -> bool {
        false
    }
}

/// 0-1-5 is short, 0-2-3-5 is longer; node 1 weighs `weight_of_1`, all others 1.
fn diamond(weight_of_1: u32) -> Network<Aodv<LeastWeight>> {
    let nodes = (0..6)
        .map(|i| {
            let own_weight = if i == 1 { weight_of_1 } else { 1 };
            let policy = LeastWeight { own_weight, lightest: None };
            Aodv::with_policy(NodeId(i), AodvConfig::default(), Profile::Ns2, policy)
        })
        .collect();
    let mut network = Network::of(nodes, &[(0, 1), (1, 5), (0, 2), (2, 3), (3, 5)]);
    network.send(1.0, 0, 5, 0);
    network.run_to(2.0);
    network
}

#[test]
fn weights_decide_instead_of_hops() {
    let light = diamond(1);
    assert_eq!(light.nodes[5].next_hop(NodeId(0)), Some(NodeId(1)));
    let heavy = diamond(5);
    assert_eq!(heavy.nodes[5].next_hop(NodeId(0)), Some(NodeId(3)));
    assert_eq!(heavy.nodes[5].hops(NodeId(0)), Some(3));
    assert_eq!(heavy.arrived(), [0]);
}

#[test]
fn every_processed_copy_is_answered() {
    // Each copy that the destination processes gets a reply: the lighter one arrives after the
    // faster one.
    let heavy = diamond(5);
    let answered: Vec<u32> = heavy.replies(5).iter().map(|reply| reply.0).collect();
    assert_eq!(answered.last(), Some(&3));
    let seen_by_0 = heavy.nodes[0].next_hop(NodeId(5));
    assert_eq!(seen_by_0, Some(NodeId(2)));
}
