//! Peerings (sections 13.3.6 to 13.4) and the airtime link metric (section 13.9).

use super::harness::{chain, hear, hear_preq, network, network_of, path, peers, preq, sent};
use crate::routing::harness::Network;
use crate::routing::hwmp::frames::MeshFrame;
use crate::routing::hwmp::{Hwmp, HwmpConfig};
use crate::wire::{Body, NodeId};

fn opens(network: &Network<Hwmp>, node: u32) -> Vec<f64> {
    let of_node = network.sent().filter(|entry| entry.1 == node);
    let opens = of_node.filter_map(|(at, _, _, _, packet)| match &packet.body {
        Body::Routing(message) => match message.get::<MeshFrame>()? {
            MeshFrame::Open(_) => Some(at.as_secs_f64()),
            _ => None,
        },
        _ => None,
    });
    opens.collect()
}

#[test]
fn stations_that_hear_each_other_become_peers() {
    let mut network = network(4, &chain(4));
    network.run_to(3.0);
    assert_eq!(
        [0, 1, 2, 3].map(|node| peers(&network, node)),
        [vec![1], vec![0, 2], vec![1, 3], vec![2]]
    );
}

#[test]
fn an_open_that_is_not_answered_is_repeated_twice() {
    // dot11MeshMaxRetries 2, dot11MeshRetryTimeout 40 TU.
    let mut network = network(2, &[]);
    hear(&mut network, 0, 1, MeshFrame::Beacon { interval_tu: 1000, peers: 0 });
    network.run_to(0.5);
    assert_eq!(opens(&network, 0), [0.0, 0.04096, 0.08192]);
    assert_eq!(peers(&network, 0), [] as [u32; 0]);
    // The next beacon begins anew.
    hear(&mut network, 0, 1, MeshFrame::Beacon { interval_tu: 1000, peers: 0 });
    assert_eq!(opens(&network, 0).len(), 4);
}

#[test]
fn it_takes_an_open_and_a_confirm_of_the_other() {
    let mut network = network(2, &[]);
    hear(&mut network, 0, 1, MeshFrame::Beacon { interval_tu: 1000, peers: 0 });
    hear(&mut network, 0, 1, MeshFrame::Confirm(9, 1));
    assert_eq!(peers(&network, 0), [] as [u32; 0], "CNF_RCVD");
    hear(&mut network, 0, 1, MeshFrame::Open(9));
    assert_eq!(peers(&network, 0), [1], "ESTAB");
}

#[test]
fn a_confirm_of_another_link_is_none() {
    let mut network = network(2, &[]);
    hear(&mut network, 0, 1, MeshFrame::Open(9));
    hear(&mut network, 0, 1, MeshFrame::Confirm(9, 2));
    assert_eq!(peers(&network, 0), [] as [u32; 0]);
    hear(&mut network, 0, 1, MeshFrame::Confirm(9, 1));
    assert_eq!(peers(&network, 0), [1]);
}

#[test]
fn a_peer_that_begins_anew_is_one_again_after_a_confirm() {
    let mut network = network(2, &[]);
    hear(&mut network, 0, 1, MeshFrame::Open(9));
    hear(&mut network, 0, 1, MeshFrame::Confirm(9, 1));
    hear(&mut network, 0, 1, MeshFrame::Open(9));
    assert_eq!(peers(&network, 0), [1], "the same again");
    hear(&mut network, 0, 1, MeshFrame::Open(10));
    assert_eq!(peers(&network, 0), [] as [u32; 0]);
    hear(&mut network, 0, 1, MeshFrame::Confirm(10, 1));
    assert_eq!(peers(&network, 0), [1]);
}

#[test]
fn a_peer_that_is_silent_is_none() {
    let mut network = network(2, &[(0, 1)]);
    network.run_to(5.0);
    assert_eq!(peers(&network, 0), [1]);
    network.cut(0, 1);
    network.run_to(14.0);
    assert_eq!(peers(&network, 0), [1]);
    network.run_to(15.3);
    assert_eq!(peers(&network, 0), [] as [u32; 0], "10,000 TU after the last beacon");
}

#[test]
fn a_link_one_way_is_no_peering() {
    let mut network = network(2, &[]);
    for _ in 0..5 {
        hear(&mut network, 0, 1, MeshFrame::Beacon { interval_tu: 1000, peers: 0 });
    }
    network.run_to(2.0);
    assert_eq!(peers(&network, 0), [] as [u32; 0]);
}

#[test]
fn elements_of_others_than_peers_do_not_count() {
    let mut network = network(3, &[]);
    hear_preq(&mut network, 0, 1, preq(1, 0, 5, 0));
    network.run_to(1.0);
    assert_eq!(path(&network, 0, 1), None);
    assert_eq!(sent(&network, 0, 0.0), []);
}

#[test]
fn the_metric_is_an_attempts_time_in_hundredths_of_a_tu() {
    // 1024 µs are a hundred units; nothing is lost.
    let mut network = network(2, &[(0, 1)]);
    network.run_to(20.0);
    hear_preq(&mut network, 0, 1, preq(1, 0, 5, 0));
    assert_eq!(path(&network, 0, 1), Some((1, 100, 1)));
}

#[test]
fn losses_make_it_longer() {
    // ca = (O + Bt / r) / (1 - ef): half of the beacons are lost.
    let mut network = network(2, &[(0, 1)]);
    network.lose(1, 0, 1, 2);
    network.run_to(40.0);
    hear_preq(&mut network, 0, 1, preq(1, 0, 5, 0));
    assert_eq!(path(&network, 0, 1), Some((1, 200, 1)));
}

#[test]
fn beacons_come_at_their_interval() {
    let config = HwmpConfig { beacon_interval_s: 0.5, peer_hold_s: 5.0, ..HwmpConfig::default() };
    let mut network = network_of(1, &[], &config);
    network.run_to(10.0);
    let times: Vec<f64> = network.sent().map(|entry| entry.0.as_secs_f64()).collect();
    assert!(times.windows(2).all(|pair| (pair[1] - pair[0] - 0.5).abs() < 1e-9));
    assert_eq!(network.nodes[0].counts.beacons_sent, 20);
    assert_eq!(network.sent().next().map(|entry| entry.2), Some(NodeId::BROADCAST));
}
