//! Section 4: octets.

use proptest::prelude::*;

use super::super::address::{Address, Prefix};
use super::super::diversity::Channels;
use super::super::parse::parse;
use super::super::seqno::{INFINITY, Seqno};
use super::super::tlv::{Hello, SeqnoRequest, Tlv, Update};
use super::super::write::Writer;
use super::script::{Script, id, link_local, octets, prefix, update_for};

const NEIGHBOUR: u32 = 7;

/// The TLVs of a packet with this body, and how many were malformed.
fn read(body: &[u8]) -> (Vec<Tlv>, u32) {
    let mut bytes = vec![42, 2, (body.len() >> 8) as u8, body.len() as u8];
    bytes.extend(body);
    let mut tlvs = Vec::new();
    let malformed = parse(&bytes, link_local(NEIGHBOUR), |tlv| tlvs.push(tlv));
    (tlvs, malformed)
}

fn tlvs(body: &[u8]) -> Vec<Tlv> {
    let (tlvs, malformed) = read(body);
    assert_eq!(malformed, 0, "{body:?}");
    tlvs
}

fn updates(body: &[u8]) -> Vec<Update> {
    let tlvs = tlvs(body);
    tlvs.into_iter()
        .map(|tlv| match tlv {
            Tlv::Update(update) => update,
            other => panic!("{other:?}"),
        })
        .collect()
}

const HELLO: [u8; 8] = [4, 6, 0, 0, 0, 9, 1, 0x90];
const ROUTER_ID: [u8; 12] = [6, 10, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8];
const NEXT_HOP: [u8; 8] = [7, 6, 1, 0, 10, 1, 0, 7];
/// 10.1.0.3/32, which becomes the default prefix.
const UPDATE: [u8; 16] = [8, 14, 1, 0x80, 32, 0, 6, 0x40, 0, 5, 1, 0, 10, 1, 0, 3];

fn v4(octets: [u8; 4], length: u8) -> Option<Prefix> {
    Prefix::new(&octets, length)
}

// Section 4.2.
#[test]
fn a_packet_of_another_magic_or_version_is_ignored() {
    for start in [[41, 2], [42, 1], [42, 3]] {
        let mut bytes = vec![start[0], start[1], 0, 8];
        bytes.extend(HELLO);
        let malformed = parse(&bytes, link_local(1), |tlv| panic!("{tlv:?}"));
        assert_eq!(malformed, 1);
    }
}

// Section 4.2.
#[test]
fn the_trailer_of_a_packet_is_not_read() {
    let bytes = [&[42, 2, 0, 8][..], &HELLO, &HELLO].concat();
    let mut count = 0;
    assert_eq!(parse(&bytes, link_local(1), |_| count += 1), 0);
    assert_eq!(count, 1);
}

// Sections 4.3, 4.6.1 and 4.6.2.
#[test]
fn padding_and_unknown_tlvs_are_passed_over() {
    let body = [&[0, 0, 1, 3, 0, 0, 0, 99, 2, 1, 2, 1, 0][..], &HELLO, &[0]].concat();
    assert_eq!(tlvs(&body).len(), 1);
}

// Section 4.3.
#[test]
fn a_tlv_longer_than_the_packet_ends_the_reading_of_it() {
    let (tlvs, malformed) = read(&[&HELLO[..], &[4, 7, 0, 0, 0, 9, 1, 0x90]].concat());
    assert_eq!((tlvs.len(), malformed), (1, 1));
    assert_eq!(read(&[4]), (vec![], 1));
}

// Section 4.3.
#[test]
fn a_tlv_too_short_for_its_fields_is_left_out_and_the_next_is_read() {
    for kind in [2, 3, 4, 5, 6, 7, 8, 9, 10] {
        let (tlvs, malformed) = read(&[&[kind, 1, 0][..], &HELLO].concat());
        assert_eq!((tlvs.len(), malformed), (1, 1), "{kind}");
    }
}

// Section 4.4.
#[test]
fn an_unknown_sub_tlv_is_passed_over_unless_its_mandatory_bit_is_set() {
    let hello = |sub: &[u8]| {
        let mut hello = HELLO.to_vec();
        hello[1] += sub.len() as u8;
        hello.extend(sub);
        read(&hello)
    };
    assert_eq!(hello(&[0, 1, 1, 0, 112, 2, 9, 9]).0.len(), 1);
    assert_eq!(hello(&[0, 127, 0]).0.len(), 1);
    assert_eq!(hello(&[128, 0]), (vec![], 0));
    assert_eq!(hello(&[112, 1, 0, 255, 3, 1, 1, 1]), (vec![], 0));
    assert_eq!(hello(&[112, 3, 0]), (vec![], 1), "longer than the TLV");
}

// Section 4.5.
#[test]
fn the_state_follows_tlvs_that_a_mandatory_sub_tlv_has_ignored() {
    let mandatory = |tlv: &[u8]| {
        let mut tlv = tlv.to_vec();
        tlv[1] += 2;
        tlv.extend([200, 0]);
        tlv
    };
    let second = [8, 11, 1, 0, 32, 3, 6, 0x40, 0, 5, 1, 0, 9];
    let body = [mandatory(&ROUTER_ID), mandatory(&NEXT_HOP), mandatory(&UPDATE), second.to_vec()];
    let [update] = updates(&body.concat())[..] else { panic!("one update") };
    assert_eq!(update.prefix, v4([10, 1, 0, 9], 32));
    assert_eq!(update.router_id, Some([1, 2, 3, 4, 5, 6, 7, 8]));
    assert_eq!(update.next_hop, Some(Address::V4([10, 1, 0, 7])));
}

// Section 4.6.3.
#[test]
fn an_acknowledgment_request_with_an_interval_of_zero_is_ignored() {
    assert_eq!(tlvs(&[2, 6, 0, 0, 1, 2, 0, 50]), [Tlv::AckRequest { opaque: 0x102, interval: 50 }]);
    assert_eq!(read(&[2, 6, 0, 0, 1, 2, 0, 0]), (vec![], 1));
}

// Section 4.6.5.
#[test]
fn a_hello_is_multicast_unless_its_first_flag_is_set_and_other_flags_are_ignored() {
    let hello = |is_unicast| Tlv::Hello(Hello { is_unicast, seqno: Seqno(9), interval: 400 });
    assert_eq!(tlvs(&HELLO), [hello(false)]);
    assert_eq!(tlvs(&[4, 6, 0x7f, 0xff, 0, 9, 1, 0x90]), [hello(false)]);
    assert_eq!(tlvs(&[4, 6, 0x80, 0, 0, 9, 1, 0x90]), [hello(true)]);
}

// Section 4.6.6.
#[test]
fn an_ihu_has_an_address_of_any_encoding_but_an_unknown_one() {
    let ihu = |encoding: u8, address: &[u8]| {
        let start = [5, 6 + address.len() as u8, encoding, 0, 1, 0, 4, 0xb0];
        read(&[&start[..], address].concat())
    };
    let expected = |address| (vec![Tlv::Ihu { address, rxcost: 256, interval: 1200 }], 0);
    assert_eq!(ihu(0, &[]), expected(None));
    assert_eq!(ihu(1, &[10, 1, 0, 2]), expected(Some(Address::V4([10, 1, 0, 2]))));
    assert_eq!(ihu(2, &[9; 16]), expected(Some(Address::V6([9; 16]))));
    assert_eq!(ihu(3, &id(4)), expected(Some(link_local(4))));
    assert_eq!(ihu(4, &[1, 2]), (vec![], 0));
    assert_eq!(ihu(3, &[1, 2]), (vec![], 1), "too short");
    assert_eq!(read(&[5, 6, 0, 0, 1, 0, 0, 0]), (vec![], 1), "an interval of 0");
}

// Section 4.6.7.
#[test]
fn a_router_id_of_zeros_or_ones_is_none() {
    for octet in [0, 0xff] {
        let mut id = ROUTER_ID;
        id[4..].fill(octet);
        assert_eq!(read(&[&id[..], &NEXT_HOP, &UPDATE].concat()), (vec![], 1));
    }
}

// Section 4.6.8.
#[test]
fn an_update_of_ipv4_over_ipv6_needs_a_next_hop_and_one_of_ipv6_does_not() {
    assert_eq!(updates(&[&ROUTER_ID[..], &UPDATE].concat()), []);
    let ipv6 = [&[8, 26, 2, 0, 128, 0, 6, 0x40, 0, 5, 1, 0][..], &[0xfd; 16]].concat();
    let [update] = updates(&[&ROUTER_ID[..], &ipv6].concat())[..] else { panic!("one update") };
    assert_eq!(update.next_hop, Some(link_local(NEIGHBOUR)));
    let other = [&[7, 10, 3, 0][..], &id(3)].concat();
    let [update] = updates(&[&ROUTER_ID[..], &other, &ipv6].concat())[..] else { panic!("one") };
    assert_eq!(update.next_hop, Some(link_local(3)));
}

// Section 4.6.8.
#[test]
fn a_next_hop_holds_until_the_next_of_its_family() {
    let second = [7, 6, 1, 0, 10, 1, 0, 8];
    let unknown = [7, 4, 9, 0, 1, 2];
    let body = [&ROUTER_ID[..], &NEXT_HOP, &UPDATE, &second, &UPDATE, &unknown, &UPDATE].concat();
    let hops: Vec<_> = updates(&body).iter().filter_map(|update| update.next_hop).collect();
    assert_eq!(hops, [7, 8, 8].map(|last| Address::V4([10, 1, 0, last])));
    assert_eq!(read(&[7, 2, 0, 0]), (vec![], 1), "any address is none");
}

// Section 4.6.9.
#[test]
fn the_router_id_flag_takes_the_router_id_from_the_prefix() {
    let mut flagged = UPDATE;
    flagged[3] = 0xc0;
    let [update] = updates(&[&NEXT_HOP[..], &flagged].concat())[..] else { panic!("one update") };
    assert_eq!(update.router_id, Some([0, 0, 0, 0, 10, 1, 0, 3]));
    let mut ipv6 = [&[8, 26, 2, 0x40, 128, 0, 6, 0x40, 0, 5, 1, 0][..], &[0xfd; 16]].concat();
    ipv6[20..].copy_from_slice(&[1, 2, 3, 4, 5, 6, 7, 8]);
    let body = [&ipv6[..], &NEXT_HOP, &UPDATE].concat();
    let [_, later] = updates(&body)[..] else { panic!("two updates") };
    assert_eq!(later.router_id, Some([1, 2, 3, 4, 5, 6, 7, 8]), "and keeps it");
}

// Section 4.6.9.
#[test]
fn omitted_octets_are_those_of_the_last_update_with_the_prefix_flag() {
    let short = |omitted: u8, rest: &[u8], length: u8| {
        let start = [8, 10 + rest.len() as u8, 1, 0, length, omitted, 6, 0x40, 0, 5, 1, 0];
        [&start[..], rest].concat()
    };
    let after = |update: &[u8]| read(&[&ROUTER_ID[..], &NEXT_HOP, &UPDATE, update].concat());
    let second = |update: &[u8]| match after(update).0[..] {
        [_, Tlv::Update(update)] => update.prefix,
        _ => None,
    };
    assert_eq!(second(&short(2, &[4, 200], 32)), v4([10, 1, 4, 200], 32));
    assert_eq!(second(&short(4, &[], 32)), v4([10, 1, 0, 3], 32));
    assert_eq!(second(&short(2, &[0xff], 20)), v4([10, 1, 0xf0, 0], 20), "bits beyond are cleared");
    assert_eq!(after(&short(5, &[], 32)).1, 1, "more than there are");
    let without = [&ROUTER_ID[..], &NEXT_HOP, &short(2, &[4, 200], 32)].concat();
    assert_eq!(read(&without), (vec![], 1), "there is no such update");
}

// Section 4.6.9.
#[test]
fn an_update_without_a_router_id_is_ignored_and_a_retraction_is_not() {
    assert_eq!(updates(&[&NEXT_HOP[..], &UPDATE].concat()), []);
    let mut retraction = UPDATE;
    retraction[10..12].fill(0xff);
    let [update] = updates(&retraction)[..] else { panic!("one update") };
    assert_eq!((update.prefix, update.metric), (v4([10, 1, 0, 3], 32), INFINITY));
}

// Section 4.6.9.
#[test]
fn an_update_for_any_prefix_has_to_be_a_retraction_of_nothing_in_particular() {
    let wildcard = |length: u8, omitted: u8, metric: u8| {
        read(&[8, 10, 0, 0, length, omitted, 6, 0x40, 0, 5, metric, metric])
    };
    let (tlvs, _) = wildcard(0, 0, 0xff);
    assert!(matches!(tlvs[..], [Tlv::Update(Update { prefix: None, .. })]), "{tlvs:?}");
    for (length, omitted, metric) in [(0, 0, 1), (8, 0, 0xff), (0, 1, 0xff)] {
        assert_eq!(wildcard(length, omitted, metric), (vec![], 1));
    }
}

// Section 4.6.9.
#[test]
fn an_update_with_an_interval_of_zero_is_ignored_but_sets_the_default_prefix() {
    let mut zero = UPDATE;
    zero[6..8].fill(0);
    let second = [8, 11, 1, 0, 32, 3, 6, 0x40, 0, 5, 1, 0, 9];
    let (tlvs, malformed) = read(&[&ROUTER_ID[..], &NEXT_HOP, &zero, &second].concat());
    let [Tlv::Update(update)] = tlvs[..] else { panic!("{tlvs:?}") };
    assert_eq!((update.prefix, malformed), (v4([10, 1, 0, 9], 32), 1));
}

// Section 4.6.10.
#[test]
fn a_route_request_is_for_a_prefix_or_for_all() {
    let request = |prefix| vec![Tlv::RouteRequest { prefix }];
    assert_eq!(tlvs(&[9, 2, 0, 0]), request(None));
    assert_eq!(read(&[9, 2, 0, 8]), (vec![], 1));
    assert_eq!(tlvs(&[9, 5, 1, 20, 10, 1, 0xff]), request(v4([10, 1, 0xf0, 0], 20)));
    assert_eq!(tlvs(&[9, 3, 77, 8, 1]), []);
    assert_eq!(read(&[9, 7, 1, 33, 10, 1, 0, 3, 1]), (vec![], 1), "33 bits of IPv4");
}

// Section 4.6.11.
#[test]
fn a_seqno_request_has_a_hop_count_a_router_and_a_prefix() {
    let request = |encoding: u8, hop_count: u8, id: u8| {
        let start = [10, 18, encoding, 32, 0, 6, hop_count, 0];
        read(&[&start[..], &[id; 8], &[10, 1, 0, 3]].concat())
    };
    let expected =
        SeqnoRequest { prefix: prefix(3), router_id: [5; 8], seqno: Seqno(6), hop_count: 64 };
    assert_eq!(request(1, 64, 5), (vec![Tlv::SeqnoRequest(expected)], 0));
    assert_eq!(request(1, 0, 5), (vec![], 1));
    assert_eq!(request(0, 64, 5), (vec![], 1));
    assert_eq!([request(1, 64, 0), request(1, 64, 0xff)], [(vec![], 1), (vec![], 1)]);
}

// Sections 4.5 and 4.6.9, by hand: one Next Hop, a Router-Id each, three octets left out.
#[test]
fn updates_of_a_packet_share_next_hop_router_id_and_prefix() {
    let update = |of: u32, by| {
        let next_hop = Some(Address::V4([10, 1, 0, 7]));
        let update = update_for(prefix(of), id(by), next_hop);
        Tlv::Update(Update { seqno: Seqno(0x102), metric: 256, ..update })
    };
    let bytes = octets(7, &[update(3, 3), update(4, 3), update(5, 5)]);
    let router_id = |node| [6, 10, 0, 0, 0, 0, 0, 0xff, 0xfe, 0, 0, node];
    let expected = [
        &[42, 2, 0, 12 + 8 + 16 + 13 + 12 + 13][..],
        &router_id(3),
        &NEXT_HOP,
        &[8, 14, 1, 0x80, 32, 0, 6, 0x40, 1, 2, 1, 0, 10, 1, 0, 3],
        &[8, 11, 1, 0, 32, 3, 6, 0x40, 1, 2, 1, 0, 4],
        &router_id(5),
        &[8, 11, 1, 0, 32, 3, 6, 0x40, 1, 2, 1, 0, 5],
    ];
    assert_eq!(bytes, expected.concat());
}

// Section 4.6.9: the R flag spares the Router-Id TLV; bird 2.0 knows it of IPv6 alone.
#[test]
fn a_router_id_that_is_in_an_ipv6_prefix_takes_no_tlv_of_its_own() {
    let written = |prefix: Prefix, next_hop| {
        octets(7, &[Tlv::Update(update_for(prefix, prefix.router_id(), next_hop))])
    };
    let ipv6 = Prefix::new(&[1; 16], 128).expect("a prefix");
    assert_eq!(written(ipv6, Some(link_local(7)))[4..][..4], [8, 26, 2, 0xc0]);
    let ipv4 = written(prefix(3), Some(Address::V4([10, 1, 0, 7])));
    assert_eq!(ipv4[4..][..12], [6, 10, 0, 0, 0, 0, 0, 0, 10, 1, 0, 3]);
    assert_eq!(ipv4[4 + 12 + 8..][..4], [8, 14, 1, 0x80]);
}

// Section 5: type 2 is Diversity, 112 to 126 are for experiments; neither is mandatory.
#[test]
fn channels_follow_the_prefix_in_a_sub_tlv_with_costs_in_one_of_its_own() {
    let written = |list: &[(u8, u16)]| {
        let update = update_for(prefix(3), id(3), Some(Address::V4([10, 1, 0, 7])));
        let update = Update { channels: channels(list), ..update };
        octets(7, &[Tlv::Update(update)])[4 + 12 + 8..].to_vec()
    };
    let expected = |length, sub_tlv: &[u8]| {
        [&[8, length, 1, 0x80, 32, 0, 6, 0x40, 0, 1, 0, 0, 10, 1, 0, 3], sub_tlv].concat()
    };
    assert_eq!(written(&[]), expected(14, &[]));
    assert_eq!(written(&[(6, 0), (1, 0)]), expected(18, &[2, 2, 6, 1]));
    assert_eq!(written(&[(6, 0x180), (1, 2)]), expected(22, &[126, 6, 6, 1, 0x80, 1, 0, 2]));
}

// Section 4: no larger than the MTU allows; the state begins anew in the next packet.
#[test]
fn what_does_not_fit_goes_into_another_packet() {
    let mut writer = Writer::new(4 + 12 + 8 + 16 + 12, link_local(7));
    let update = |of| super::script::update(7, of, 1, 1);
    assert!(writer.push(&update(1)));
    assert!(!writer.push(&update(2)), "12 octets of its Router-Id fit, and no more");
    assert_eq!(writer.finish(), octets(7, &[update(1)]));
}

fn any_prefix() -> impl Strategy<Value = Prefix> {
    let ipv4 = (any::<[u8; 4]>(), 0u8..=32).prop_filter_map("", |(o, n)| Prefix::new(&o, n));
    let near = (any::<[u8; 2]>(), 16u8..=32)
        .prop_filter_map("", |([a, b], n)| Prefix::new(&[10, 1, a, b], n));
    let ipv6 = (any::<[u8; 16]>(), 0u8..=128).prop_filter_map("", |(o, n)| Prefix::new(&o, n));
    prop_oneof![ipv4, near, ipv6]
}

fn any_address() -> impl Strategy<Value = Address> {
    prop_oneof![
        any::<[u8; 4]>().prop_map(Address::V4),
        any::<[u8; 16]>().prop_map(Address::V6),
        any::<[u8; 8]>().prop_map(Address::link_local),
    ]
}

fn channels(list: &[(u8, u16)]) -> Channels {
    let mut channels = Channels::default();
    list.iter().for_each(|&(channel, cost)| channels.push(channel, cost));
    channels
}

/// None, channels alone, or channels with the costs of their links.
fn any_channels() -> impl Strategy<Value = Channels> {
    (prop::collection::vec((any::<u8>(), any::<u16>()), 0..=6), any::<bool>()).prop_map(
        |(mut list, has_costs)| {
            list.iter_mut().filter(|_| !has_costs).for_each(|one| one.1 = 0);
            channels(&list)
        },
    )
}

fn any_update() -> impl Strategy<Value = Update> {
    let ids = prop::sample::select(vec![[1; 8], [2; 8], [0, 0, 0, 0, 10, 1, 0, 3]]);
    let numbers = (1u16.., any::<u16>(), 0u16..INFINITY);
    (any_prefix(), ids, any::<[u8; 4]>(), numbers, any_channels()).prop_map(
        |(prefix, id, hop, (interval, seqno, metric), channels)| {
            let next_hop = match prefix.is_ipv6() {
                true => link_local(u32::from(hop[0])),
                false => Address::V4(hop),
            };
            let update = update_for(prefix, id, Some(next_hop));
            Update { interval, seqno: Seqno(seqno), metric, channels, ..update }
        },
    )
}

fn any_tlv() -> impl Strategy<Value = Tlv> {
    let some_id = any::<[u8; 8]>().prop_filter("", |id| *id != [0; 8] && *id != [0xff; 8]);
    prop_oneof![
        (any::<u16>(), 1u16..).prop_map(|(opaque, interval)| Tlv::AckRequest { opaque, interval }),
        any::<u16>().prop_map(|opaque| Tlv::Ack { opaque }),
        (any::<bool>(), any::<u16>(), any::<u16>()).prop_map(|(is_unicast, seqno, interval)| {
            Tlv::Hello(Hello { is_unicast, seqno: Seqno(seqno), interval })
        }),
        (prop::option::of(any_address()), any::<u16>(), 1u16..)
            .prop_map(|(address, rxcost, interval)| Tlv::Ihu { address, rxcost, interval }),
        prop::option::of(any_prefix()).prop_map(|prefix| Tlv::RouteRequest { prefix }),
        (any_prefix(), some_id, any::<u16>(), 1u8..).prop_map(
            |(prefix, router_id, seqno, hop_count)| Tlv::SeqnoRequest(SeqnoRequest {
                prefix,
                router_id,
                seqno: Seqno(seqno),
                hop_count
            })
        ),
        any_update().prop_map(Tlv::Update),
    ]
}

proptest! {
    #[test]
    fn what_is_written_is_read_again(tlvs in prop::collection::vec(any_tlv(), 0..30)) {
        let mut writer = Writer::new(60000, link_local(7));
        prop_assert!(tlvs.iter().all(|tlv| writer.push(tlv)));
        let bytes = writer.finish();
        let mut read = Vec::new();
        let malformed = parse(&bytes, link_local(7), |tlv| read.push(tlv));
        prop_assert_eq!((read, malformed), (tlvs, 0));
    }

    /// Whole packets with octets changed, cut off or put in: nothing panics, here or in the node.
    #[test]
    fn no_octets_are_too_odd(
        tlvs in prop::collection::vec(any_tlv(), 0..12),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..6),
        cut in any::<prop::sample::Index>(),
        noise in prop::collection::vec(any::<u8>(), 0..40),
    ) {
        let mut writer = Writer::new(60000, link_local(1));
        tlvs.iter().for_each(|tlv| { writer.push(tlv); });
        let mut bytes = writer.finish();
        for (place, octet) in changes {
            let place = place.index(bytes.len());
            bytes[place] = octet;
        }
        let place = cut.index(bytes.len() + 1);
        let cut_off = bytes[..place].to_vec();
        let mixed = [&[42, 2, 0, noise.len() as u8][..], &noise].concat();
        bytes.splice(place..place, noise.iter().copied());
        let mut script = Script::among(2);
        for bytes in [bytes, cut_off, mixed, noise] {
            script.say_octets(1, bytes);
        }
        script.run_for(20.0);
        // What the node says is well-formed all the same.
        script.take();
    }
}
