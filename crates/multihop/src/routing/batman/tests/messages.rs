//! Octets of messages (batman-adv's compatibility version 15), and when a node writes its own.

use super::harness::{network, network_of, ogm, own};
use crate::routing::batman::BatmanConfig;
use crate::routing::batman::message::{Ogm, OgmFrame};
use crate::wire::{Body, Carrier, Octets};

fn octets(ogms: &[Ogm]) -> Vec<u8> {
    let frame = OgmFrame(ogms.to_vec());
    let mut out = Vec::new();
    frame.write(&mut out);
    assert_eq!(frame.bytes() as usize, out.len());
    out
}

#[test]
fn a_message_has_the_fields_of_version_15() {
    let passed = Ogm { is_direct: true, is_echo_only: true, ..ogm(258, 0x0102_0304, 7, 200) };
    let expected = [
        &[0, 15, 49, 0x05, 1, 2, 3, 4][..],
        &[2, 0, 0, 0, 1, 2],
        &[2, 0, 0, 0, 0, 7],
        &[0, 200, 0, 0],
    ];
    assert_eq!(octets(&[passed]), expected.concat());
}

#[test]
fn an_own_message_is_its_own_previous_sender_with_the_best_quality() {
    let expected = [
        &[0, 15, 50, 0, 0, 0, 0, 9][..],
        &[2, 0, 0, 0, 0, 3],
        &[2, 0, 0, 0, 0, 3],
        &[0, 255, 0, 0],
    ];
    assert_eq!(octets(&[own(3, 9)]), expected.concat());
}

#[test]
fn messages_stand_one_behind_the_other_in_a_frame_of_their_own_type() {
    let both = octets(&[own(3, 9), own(4, 1)]);
    assert_eq!(both, [octets(&[own(3, 9)]), octets(&[own(4, 1)])].concat());
    assert_eq!(OgmFrame(vec![own(3, 9)]).carrier(), Some(Carrier::EtherType(0x4305)));
}

#[test]
fn a_node_writes_one_a_second_give_or_take_the_jitter() {
    let mut network = network(1, &[]);
    network.run_to(600.0);
    let times: Vec<f64> = network.sent().map(|entry| entry.0.as_secs_f64()).collect();
    assert!(times.windows(2).all(|pair| (0.98..=1.02).contains(&(pair[1] - pair[0]))));
    assert!((598..=602).contains(&times.len()));
}

#[test]
fn its_numbers_follow_each_other() {
    let config = BatmanConfig { originator_interval_s: 0.5, ..BatmanConfig::default() };
    let mut network = network_of(1, &[], &config);
    network.run_to(20.0);
    let numbers: Vec<u32> = network
        .sent()
        .filter_map(|(_, _, _, _, packet)| match &packet.body {
            Body::Routing(message) => Some(message.get::<OgmFrame>()?.0[0].sequence),
            _ => None,
        })
        .collect();
    assert_eq!(numbers, (1..=numbers.len() as u32).collect::<Vec<_>>());
    assert_eq!(network.nodes[0].counts.ogms_originated, numbers.len() as u64);
    assert_eq!(network.nodes[0].counts.control_bytes, 24 * numbers.len() as u64);
}
