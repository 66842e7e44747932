//! Bytes and times.

use std::sync::Arc;

use super::harness::{hello, tc};
use crate::kernel::Duration;
use crate::routing::olsr::messages::{
    Content, Hello, LinkType, Listed, NeighbourType, OlsrMessage, OlsrPacket, Quality, TimeCode,
};
use crate::wire::{NodeId, Octets};

fn bytes(packet: &OlsrPacket) -> Vec<u8> {
    let mut out = Vec::new();
    packet.write(&mut out);
    assert_eq!(packet.bytes() as usize, 28 + out.len(), "with IP's and UDP's headers");
    out
}

#[test]
fn times_are_coded_as_the_examples_have_it() {
    // Section 18.3.
    for (seconds, a, b) in [(2, 0, 5), (6, 8, 6), (15, 14, 7), (30, 14, 8)] {
        let code = TimeCode::of(Duration::from_secs(seconds));
        assert_eq!((code.0 >> 4, code.0 & 0xf), (a, b), "{seconds} s");
        assert_eq!(code.time(), Duration::from_secs(seconds));
    }
}

#[test]
fn a_time_that_cannot_be_stated_is_rounded_up() {
    // Section 18.3.
    // Between 2 s and 2.125 s, the next code: 2 (1 + 1 / 16).
    let code = TimeCode::of(Duration::from_millis(2001));
    assert_eq!(code.time(), Duration::from_millis(2125));
    assert_eq!(TimeCode::of(Duration::ZERO).time(), Duration::from_nanos(62_500_000));
    // 1/16 (1 + 15/16) 2^15 s is the longest.
    assert_eq!(TimeCode::of(Duration::from_secs(9999)).time(), Duration::from_secs(3968));
}

#[test]
fn a_packet_has_the_headers_of_section_3_3_and_a_hello_groups_neighbours_by_link_code() {
    // Sections 3.3, 6.1 and 6.1.1.
    let links = [
        (2, LinkType::Symmetric, NeighbourType::Mpr),
        (3, LinkType::Asymmetric, NeighbourType::Not),
        (4, LinkType::Symmetric, NeighbourType::Mpr),
    ];
    let packet = OlsrPacket { number: 0x0102, messages: vec![hello(1, 0x0a0b, &links)] };
    #[rustfmt::skip]
    let expected = [
        0, 40, 1, 2,                        // packet: length, number
        1, 0x86, 0, 36, 10, 1, 0, 1,        // HELLO, six seconds, size, originator
        1, 0, 0x0a, 0x0b,                   // time to live, hops, number
        0, 0, 0x05, 3,                      // two seconds, willingness
        0b1010, 0, 0, 12,                   // MPR_NEIGH, SYM_LINK
        10, 1, 0, 2, 10, 1, 0, 4,
        0b0001, 0, 0, 8,                    // NOT_NEIGH, ASYM_LINK
        10, 1, 0, 3,
    ];
    assert_eq!(bytes(&packet), expected);
}

#[test]
fn a_tc_states_its_number_and_the_neighbours_advertised() {
    // Section 9.1.
    let messages = vec![tc(7, 9, 0x0405, &[1, 2]), tc(7, 10, 0x0406, &[])];
    let packet = OlsrPacket { number: 1, messages };
    #[rustfmt::skip]
    let expected = [
        0, 44, 0, 1,
        2, 0xe7, 0, 24, 10, 1, 0, 7, 255, 0, 0, 9,
        4, 5, 0, 0, 10, 1, 0, 1, 10, 1, 0, 2,
        2, 0xe7, 0, 16, 10, 1, 0, 7, 255, 0, 0, 10,
        4, 6, 0, 0,
    ];
    assert_eq!(bytes(&packet), expected);
}

#[test]
fn measured_links_travel_in_messages_of_their_own_type_with_both_qualities() {
    let mut message = hello(1, 1, &[]);
    let quality = Some(Quality { received: 255, sent: 128 });
    let (link, neighbour) = (LinkType::Symmetric, NeighbourType::Symmetric);
    let listed = Listed { node: NodeId(2), link, neighbour, quality };
    let interval = TimeCode::of(Duration::from_secs(2));
    let hello = Hello { interval, willingness: 3, links: vec![listed] };
    message.content = Content::Hello(Arc::new(hello));
    let out = bytes(&OlsrPacket { number: 1, messages: vec![message] });
    assert_eq!(out[4], 201);
    assert_eq!(out[20..], [0b0110, 0, 0, 12, 10, 1, 0, 2, 255, 128, 0, 0]);
}

#[test]
fn expected_transmissions_are_one_over_the_product_of_both_shares() {
    let etx = |received, sent| Quality { received, sent }.etx();
    assert_eq!(etx(255, 255), Some(1000));
    // 255 / 51 = 5 times, both ways 25.
    assert_eq!(etx(51, 51), Some(25_000));
    assert_eq!([etx(0, 255), etx(255, 0)], [None, None]);
}

// Sections 5.1, 12.1 and 18.4.
#[test]
fn an_hna_has_an_address_and_a_mask_for_each_and_a_mid_has_type_3() {
    let of = |content| OlsrMessage { content, ..tc(1, 2, 3, &[]) };
    let hna = of(Content::Hna([NodeId(7), NodeId(8)].into()));
    #[rustfmt::skip]
    let expected = [
        0, 32, 0, 9,
        4, 0xe7, 0, 28, 10, 1, 0, 1,        // HNA, fifteen seconds, size, originator
        255, 0, 0, 2,
        10, 1, 0, 7, 255, 255, 255, 255,
        10, 1, 0, 8, 255, 255, 255, 255,
    ];
    assert_eq!(bytes(&OlsrPacket { number: 9, messages: vec![hna] }), expected);
    let mid = of(Content::Mid([NodeId(4)].into()));
    assert_eq!(bytes(&OlsrPacket { number: 9, messages: vec![mid] })[4], 3);
}
