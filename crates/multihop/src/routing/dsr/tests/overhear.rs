//! Learning from overheard packets.

use super::harness::{Network, numbers};
use crate::routing::dsr::DsrConfig;
use crate::wire::NodeId;

/// Packet 0 has been sent from 0 over 1 and 2 to 3, although 0 and 2 are in range of each other by
/// now.
fn with_shortcut(config: &DsrConfig) -> Network<crate::routing::dsr::Dsr> {
    let mut net = Network::dsr(5, &[(0, 1), (1, 2), (2, 3), (0, 2), (1, 4)], config);
    net.nodes[0].routes.learn(&[0, 1, 2, 3].map(NodeId));
    net.send(1.0, 0, 3, 0);
    net.run_to(1.1);
    net
}

#[test]
fn a_later_node_on_the_route_sends_a_gratuitous_reply() {
    let mut net = with_shortcut(&DsrConfig::default());
    let replies = net.replies_of(2);
    assert_eq!(replies.len(), 1);
    assert_eq!(numbers(replies[0].header.reply.as_ref().unwrap()), [0, 2, 3]);
    assert_eq!((replies[0].next_hop.0, replies[0].at.as_secs_f64()), (0, 1.001));
    assert_eq!(net.route(0, 3), Some(vec![0, 2, 3]));
    assert_eq!(net.route(2, 0), Some(vec![2, 0]));
}

#[test]
fn gratuitous_replies_can_be_turned_off() {
    for config in [
        DsrConfig { gratuitous_replies: false, ..DsrConfig::default() },
        DsrConfig { promiscuous: false, ..DsrConfig::default() },
    ] {
        assert!(with_shortcut(&config).replies_of(2).is_empty());
    }
}

#[test]
fn a_node_that_overhears_learns_a_route_through_the_transmitter() {
    let mut net = with_shortcut(&DsrConfig::default());
    // Node 4 heard node 1 send to node 2.
    assert_eq!(net.route(4, 3), Some(vec![4, 1, 2, 3]));
    let mut net = with_shortcut(&DsrConfig { promiscuous: false, ..DsrConfig::default() });
    assert_eq!(net.route(4, 3), None);
}

#[test]
fn relays_cache_the_rest_of_the_route() {
    let mut net = with_shortcut(&DsrConfig { promiscuous: false, ..DsrConfig::default() });
    assert_eq!(net.route(1, 3), Some(vec![1, 2, 3]));
}
