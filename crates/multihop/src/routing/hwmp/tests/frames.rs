//! Octets (sections 8.4.2.107 to 8.4.2.117, 8.5.16, 8.5.17), worked out by hand from the figures.

use crate::routing::hwmp::frames::{MeshFrame, Perr, Prep, Preq, Rann, Reason, Unreachable};
use crate::wire::aodv::SequenceNumber;
use crate::wire::{Carrier, NodeId, Octets};

fn octets(frame: &MeshFrame) -> Vec<u8> {
    let mut out = Vec::new();
    frame.write(&mut out);
    assert_eq!(frame.bytes() as usize, out.len());
    out
}

const NODE_1: [u8; 6] = [2, 0, 0, 0, 0, 1];
const NODE_9: [u8; 6] = [2, 0, 0, 0, 0, 9];

fn preq() -> Preq {
    Preq {
        is_individual: false,
        wants_prep: false,
        hops: 2,
        ttl: 29,
        id: 0x0102_0304,
        originator: NodeId(1),
        sequence: SequenceNumber(7),
        lifetime_tu: 5000,
        metric: 200,
        target: NodeId(9),
        target_only: true,
        target_sequence: Some(SequenceNumber(0x0a0b_0c0d)),
    }
}

#[test]
fn a_preq_is_laid_out_as_section_8_4_2_115_says() {
    let expected = [
        &[13, 1, 130, 37, 0, 2, 29, 4, 3, 2, 1][..],
        &NODE_1,
        &[7, 0, 0, 0, 0x88, 0x13, 0, 0, 200, 0, 0, 0, 1, 0x01],
        &NODE_9,
        &[0x0d, 0x0c, 0x0b, 0x0a],
    ];
    assert_eq!(octets(&MeshFrame::Preq(preq())), expected.concat());
}

#[test]
fn a_proactive_preq_is_for_all_and_knows_no_number() {
    let preq =
        Preq { wants_prep: true, target: NodeId::BROADCAST, target_sequence: None, ..preq() };
    let out = octets(&MeshFrame::Preq(preq));
    assert_eq!(out[4], 0x04, "proactive PREP");
    assert_eq!(out[30..41], [5, 255, 255, 255, 255, 255, 255, 0, 0, 0, 0], "TO, USN");
}

#[test]
fn a_preq_for_one_node_says_so() {
    let preq = Preq { is_individual: true, target_only: false, ..preq() };
    let out = octets(&MeshFrame::Preq(preq));
    assert_eq!((out[4], out[30]), (0x02, 0));
}

#[test]
fn a_prep_is_laid_out_as_section_8_4_2_116_says() {
    let prep = Prep {
        hops: 1,
        ttl: 30,
        target: NodeId(9),
        target_sequence: SequenceNumber(8),
        lifetime_tu: 1,
        metric: 258,
        originator: NodeId(1),
        sequence: SequenceNumber(6),
    };
    let expected = [
        &[13, 1, 131, 31, 0, 1, 30][..],
        &NODE_9,
        &[8, 0, 0, 0, 1, 0, 0, 0, 2, 1, 0, 0],
        &NODE_1,
        &[6, 0, 0, 0],
    ];
    assert_eq!(octets(&MeshFrame::Prep(prep)), expected.concat());
}

#[test]
fn a_perr_is_laid_out_as_section_8_4_2_117_says() {
    let lost = |node, sequence, reason| Unreachable { node: NodeId(node), sequence, reason };
    let unreachable = vec![
        lost(1, Some(SequenceNumber(3)), Reason::Unreachable),
        lost(9, None, Reason::NoForwardingInformation),
    ];
    let expected = [
        &[13, 1, 132, 28, 31, 2, 0][..],
        &NODE_1,
        &[3, 0, 0, 0, 63, 0, 0],
        &NODE_9,
        &[0, 0, 0, 0, 62, 0],
    ];
    assert_eq!(octets(&MeshFrame::Perr(Perr { ttl: 31, unreachable })), expected.concat());
}

#[test]
fn a_rann_is_laid_out_as_section_8_4_2_114_says() {
    let (root, sequence) = (NodeId(9), SequenceNumber(5));
    let rann = Rann { hops: 3, ttl: 28, root, sequence, interval_tu: 2000, metric: 300 };
    let expected =
        [&[13, 1, 126, 21, 0, 3, 28][..], &NODE_9, &[5, 0, 0, 0, 0xd0, 0x07, 0, 0, 0x2c, 1, 0, 0]];
    assert_eq!(octets(&MeshFrame::Rann(rann)), expected.concat());
}

#[test]
fn peerings_are_opened_and_confirmed_in_self_protected_action_frames() {
    let mesh =
        [&[1, 4, 0x82, 0x84, 0x8b, 0x96, 114, 4][..], b"mesh", &[113, 7, 1, 1, 0, 1, 0, 0, 9]]
            .concat();
    let open = [&[15, 1, 0, 0][..], &mesh, &[117, 4, 0, 0, 2, 1]].concat();
    assert_eq!(octets(&MeshFrame::Open(258)), open);
    let confirm = [&[15, 2, 0, 0, 0, 0][..], &mesh, &[117, 6, 0, 0, 2, 1, 5, 0]].concat();
    assert_eq!(octets(&MeshFrame::Confirm(258, 5)), confirm);
}

#[test]
fn beacons_are_beacons_and_all_else_is_action_frames() {
    let beacon = MeshFrame::Beacon { interval_tu: 1000, peers: 3 };
    assert_eq!(beacon.carrier(), Some(Carrier::Management(8)));
    assert_eq!(MeshFrame::Preq(preq()).carrier(), Some(Carrier::Management(13)));
    let out = octets(&beacon);
    assert_eq!(out[8..12], [0xe8, 3, 0, 0], "interval, capability");
    // Three peerings, in bits 1 to 6 of the formation info.
    assert_eq!((out.len(), out[out.len() - 2]), (35, 6));
}
