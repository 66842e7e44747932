//! What is on the air: RFC 5444, RFC 5497, and the TLVs of RFC 6130 and RFC 7181.

use super::harness::*;
use crate::kernel::Duration;
use crate::routing::olsrv2::messages::{Listed, Olsr2Message, Olsr2Packet, Status};
use crate::wire::Octets;
use crate::wire::manet::TimeCode;

fn bytes(number: u16, messages: Vec<Olsr2Message>) -> Vec<u8> {
    let packet = Olsr2Packet { number, messages };
    let mut out = Vec::new();
    packet.write(&mut out);
    assert_eq!(packet.bytes() as usize, 28 + out.len(), "with IP's and UDP's headers");
    out
}

#[test]
fn times_are_stated_as_rfc_5497_has_it() {
    // Section 5: (1 + a/8) 2^b / 1024 s.
    for (seconds, a, b) in [(2, 0, 11), (5, 2, 12), (6, 4, 12), (15, 7, 13)] {
        let code = TimeCode::of(Duration::from_secs(seconds));
        assert_eq!((code.0 & 7, code.0 >> 3), (a, b), "{seconds} s");
        assert_eq!(code.time(), Duration::from_secs(seconds));
    }
}

#[test]
fn a_time_that_cannot_be_stated_is_rounded_up_and_never_none_or_infinite() {
    assert_eq!(TimeCode::of(Duration::from_millis(2001)).time(), Duration::from_millis(2250));
    assert_eq!(TimeCode::of(Duration::ZERO), TimeCode(1));
    assert_eq!(TimeCode::of(Duration::from_secs(100_000_000)), TimeCode(254));
    let times: Vec<Duration> = (1..255).map(|code| TimeCode(code).time()).collect();
    assert!(times.is_sorted(), "codes are in the order of their times");
}

#[test]
fn a_hello_has_its_times_willingness_states_relays_and_metrics() {
    let links = [
        listed(2, Status::Symmetric, BOTH),
        Listed { in_metric: Some(3), out_metric: Some(257), ..symmetric_link(3) },
        listed(4, Status::Heard, NO),
        listed(5, Status::Lost, NO),
    ];
    #[rustfmt::skip]
    let expected = [
        0x08, 1, 2,                             // packet: version 0, numbered
        0, 0x03, 0, 66,                         // HELLO, IPv4, size
        0, 12,                                  // message TLVs
        0, 0x10, 1, 0x58, 1, 0x10, 1, 0x64,     // interval 2 s, validity 6 s
        7, 0x10, 1, 0x5a,                       // willingness: messages 5, data 10
        4, 0x80, 3, 10, 1, 0, 2, 3, 4, 5,       // four addresses, their head
        0, 36,                                  // address TLVs
        3, 0x14, 4, 1, 1, 2, 0,                 // states, a value each
        8, 0x50, 0, 1, 3,                       // the first: relay of messages and data
        7, 0x34, 0, 1, 4, 0xa0, 0, 0xa0, 2,     // incoming, of link and neighbour: 1, 3
        7, 0x34, 0, 1, 4, 0x50, 0, 0x51, 0,     // outgoing: 1, and 258 for 257
        7, 0x50, 2, 2, 0x80, 0,                 // incoming, of the link that is heard
    ];
    assert_eq!(bytes(0x0102, vec![willing(&links, 5, 10)]), expected);
}

#[test]
fn a_tc_has_its_header_number_and_neighbours() {
    let message = tc_with((1, 0x0a0b, 254, 1), 0x0102, &[2, 3]);
    #[rustfmt::skip]
    let expected = [
        0x08, 0, 9,
        1, 0xf3, 0, 46, 10, 1, 0, 1, 254, 1, 0x0a, 0x0b,    // TC: originator, hops, number
        0, 13,
        0, 0x10, 1, 0x62, 1, 0x10, 1, 0x6f,                 // interval 5 s, validity 15 s
        8, 0x10, 2, 1, 2,                                   // complete, ANSN
        2, 0x80, 3, 10, 1, 0, 2, 3,
        0, 9,
        9, 0x10, 1, 3,                                      // originators that routes lead to
        7, 0x10, 2, 0x10, 0,                                // outgoing: 1
    ];
    assert_eq!(bytes(9, vec![message]), expected);
}

#[test]
fn a_tc_without_neighbours_has_no_address_block() {
    // Section 16.2: it says that there is nothing any more.
    assert_eq!(bytes(1, vec![tc(1, 1, 1, &[])]).len(), 3 + 12 + 2 + 13);
}

#[test]
fn a_single_address_is_written_whole() {
    // RFC 5444 section 5.3.
    let written = bytes(1, vec![tc(1, 1, 1, &[7])]);
    assert_eq!(written[30..36], [1, 0, 10, 1, 0, 7]);
}

#[test]
fn addresses_that_differ_early_have_a_short_head() {
    let written = bytes(1, vec![tc(1, 1, 1, &[2, 300])]);
    assert_eq!(written[30..38], [2, 0x80, 2, 10, 1, 0, 2, 1]);
}

#[test]
fn more_addresses_than_a_block_holds_take_another() {
    // RFC 5444 section 5.3: a block has at most 255, and values beyond 255 octets a long length.
    let links: Vec<Listed> =
        (2..302).map(|node| Listed { in_metric: Some(node), ..symmetric_link(node) }).collect();
    let written = bytes(1, vec![hello(&links)]);
    assert_eq!(written[21..24], [255, 0x80, 2]);
    let long = [7, 0x1c, 1, 254];
    assert!(written.windows(4).any(|part| part == long), "510 octets of metrics");
    let second = [45, 0x80, 3, 10, 1, 1];
    assert!(written.windows(6).any(|part| part == second), "the other 45");
}

#[test]
fn a_packet_has_a_hello_s_part_and_its_number() {
    let of = |messages| Olsr2Packet { number: 5, messages };
    let about = crate::routing::harness::data(0, 1, 1, crate::kernel::Instant::ZERO);
    let with = of(vec![tc(1, 1, 1, &[]), hello(&[])]);
    assert!(Octets::parts(&with, &about).hello);
    let without = of(vec![tc(1, 1, 1, &[])]);
    assert!(!Octets::parts(&without, &about).hello);
    assert_eq!(Octets::number(&without), Some(5));
}
