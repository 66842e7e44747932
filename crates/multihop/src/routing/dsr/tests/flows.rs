//! Flow state.

use super::harness::{Network, data};
use crate::profile::Profile;
use crate::routing::Protocol;
use crate::routing::dsr::DsrConfig;
use crate::wire::NodeId;
use crate::wire::dsr::RouteErrorKind;

/// A chain of two hops, after segment 0 was sent at 1 s.
fn chain(config: &DsrConfig) -> Network<crate::routing::dsr::Dsr> {
    let mut net = Network::dsr(3, &[(0, 1), (1, 2)], config);
    net.send(1.0, 0, 2, 0);
    net.run_to(2.0);
    net
}

#[test]
fn three_packets_carry_the_route_and_one_after_five_seconds() {
    let mut net = chain(&DsrConfig::default());
    for (number, at) in (1u32..).zip([2.0, 2.1, 2.2, 2.3, 6.9, 7.0, 7.2, 7.3]) {
        net.send(at, 0, 2, number);
    }
    net.run_to(8.0);
    let (bare, full) = (60, 80);
    // The last of the three left at 2.1 s.
    let expected = [full, full, full, bare, bare, bare, bare, full, bare];
    assert_eq!(net.data_sizes(0), expected);
    assert_eq!(net.data_sizes(1), expected);
    assert_eq!(net.arrived(), (0..9).collect::<Vec<_>>());
}

#[test]
fn without_flow_state_every_packet_carries_the_route() {
    let mut net = chain(&DsrConfig { flow_state: false, ..DsrConfig::default() });
    (1..6).for_each(|i| net.send(2.0 + 0.1 * f64::from(i), 0, 2, i));
    net.run_to(3.0);
    assert_eq!(net.data_sizes(0), [60 + 4 + 8; 6]);
}

#[test]
fn a_flow_unknown_to_a_relay_is_reported_and_established_again() {
    let mut net = chain(&DsrConfig::default());
    (1..4).for_each(|i| net.send(2.0 + 0.1 * f64::from(i), 0, 2, i));
    net.run_to(3.0);
    net.nodes[1].flows = Default::default();
    net.send(3.0, 0, 2, 4);
    net.run_to(3.5);
    let errors = net.errors_of(1);
    let unknown =
        RouteErrorKind::DefaultFlowUnknown { reporter: NodeId(1), destination: NodeId(2) };
    assert_eq!(errors[0].header.errors[0].kind, unknown);
    // 20 IP, 4 fixed, 4 for a route of two nodes, 12 for the error.
    assert_eq!(errors[0].size_bytes, 40);
    net.send(4.0, 0, 2, 5);
    net.run_to(5.0);
    assert_eq!(net.data_sizes(0), [80, 80, 80, 60, 60, 80]);
    assert_eq!(net.arrived(), [0, 1, 2, 3, 4, 5]);
}

#[test]
fn a_relay_forwards_along_an_expired_flow_in_ns2_alone() {
    // Default flow state lives for a minute.
    for (profile, errors) in [(Profile::Ns2, 0), (Profile::Standard, 1)] {
        let config = DsrConfig::default();
        let mut net = Network::dsr_of(3, &[(0, 1), (1, 2)], &config, profile);
        (0..4).for_each(|i| net.send(1.0 + 0.1 * f64::from(i), 0, 2, i));
        net.run_to(2.0);
        let at_relay = net.nodes[1].flows.default_flow(NodeId(0), NodeId(2)).unwrap().ttl;
        net.run_to(62.0);
        let mut late = data(0, 2, 9, net.now);
        late.ttl = at_relay;
        net.call(1, |dsr, cx| dsr.on_receive(cx, late, NodeId(0)));
        assert_eq!(net.errors_of(1).len(), errors, "{profile:?}");
    }
}

#[test]
fn packets_with_another_ttl_do_not_belong_to_the_default_flow() {
    let mut net = chain(&DsrConfig::default());
    let mut packet = data(0, 2, 9, net.now);
    packet.ttl = 7;
    net.call(1, |dsr, cx| dsr.on_receive(cx, packet, NodeId(0)));
    assert_eq!(net.errors_of(1).len(), 1);
}
