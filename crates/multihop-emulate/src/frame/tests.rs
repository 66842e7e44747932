use proptest::prelude::*;

use super::*;

/// Three nodes, of which the last has no device.
fn link(is_one: bool) -> Link {
    Link { has_device: vec![true, true, false], channels: Vec::new(), is_one }
}

fn frame(to: [u8; 6], from: u32, ethertype: u16, payload: &[u8]) -> Vec<u8> {
    let mut out = to.to_vec();
    out.extend(mac_of(from));
    out.extend(ethertype.to_be_bytes());
    out.extend(payload);
    out
}

/// An ARP request of node 0 for the address of `wanted` (RFC 826).
fn arp_request(wanted: Ipv4Addr) -> Vec<u8> {
    let mut payload = vec![0, 1, 8, 0, 6, 4, 0, 1];
    payload.extend(mac_of(0));
    payload.extend(ipv4_of(0).octets());
    payload.extend([0; 6]);
    payload.extend(wanted.octets());
    frame([0xff; 6], 0, 0x0806, &payload)
}

#[test]
fn a_frame_comes_to_a_station_on_its_channel_alone() {
    let own = Link { has_device: vec![true; 4], channels: vec![1, 1, 6, 6], is_one: false };
    let fate = |from, to| own.fate(from, &frame(mac_of(to), from, 0x0800, &[0; 20]));
    assert_eq!([fate(0, 1), fate(2, 3)], [Fate::To(1), Fate::To(3)]);
    assert_eq!([fate(0, 2), fate(3, 1)], [Fate::Unknown, Fate::Unknown]);
    assert_eq!(sender_of(&frame(mac_of(3), 2, 0x0800, &[0; 20])), Some(2));
}

#[test]
fn addresses_name_nodes() {
    assert_eq!(mac_of(258), [2, 0, 0, 0, 1, 2]);
    assert_eq!(ipv4_of(4), Ipv4Addr::new(10, 0, 0, 5));
    assert_eq!(ipv4_of(255), Ipv4Addr::new(10, 0, 1, 0));
    assert_eq!(ipv6_of(4), "fd00::5".parse::<Ipv6Addr>().unwrap());
    assert_eq!(node_of_ipv6(ipv6_of(70_000)), Some(70_000));
    let (ipv4, ipv6) = addresses_on(4, 2);
    assert_eq!((ipv4.to_string(), ipv6.to_string()), ("10.2.0.5".into(), "fd00:2::5".into()));
    assert_eq!(addresses_on(300, 0), (ipv4_of(300), ipv6_of(300)));
    // As the kernel makes it of 02:00:00:00:01:02.
    assert_eq!(node_of_ipv6("fe80::ff:fe00:102".parse().unwrap()), Some(258));
    assert_eq!(node_of_ipv6("fd00::".parse().unwrap()), None);
}

#[test]
fn frames_go_to_the_node_that_the_address_names() {
    for is_one in [true, false] {
        let fate = |to| link(is_one).fate(0, &frame(to, 0, 0x0800, &[0; 40]));
        assert_eq!(fate(mac_of(1)), Fate::To(1));
        assert_eq!(fate(mac_of(0)), Fate::Unknown, "to itself");
        assert_eq!(fate(mac_of(2)), Fate::Unknown, "a node without a device");
        assert_eq!(fate(mac_of(9)), Fate::Unknown);
        assert_eq!(fate([0; 6]), Fate::Unknown);
        assert_eq!(fate([0xff; 6]), Fate::ToAll);
    }
    assert_eq!(link(true).fate(0, &[0; 13]), Fate::Malformed);
    assert_eq!(link(true).fate(0, &vec![0; MAX_FRAME_BYTES + 1]), Fate::Malformed);
}

#[test]
fn a_question_for_an_address_is_answered_where_the_mesh_is_one_link() {
    let Fate::Answer(reply) = link(true).fate(0, &arp_request(ipv4_of(1))) else { panic!() };
    assert_eq!(reply[..6], mac_of(0));
    assert_eq!(reply[6..12], mac_of(1));
    assert_eq!(reply[20..22], [0, 2], "a reply");
    assert_eq!(reply[22..28], mac_of(1));
    assert_eq!(reply[28..32], ipv4_of(1).octets());
    assert_eq!(reply[32..38], mac_of(0));
    for nobody in [ipv4_of(2), ipv4_of(7), ipv4_of(0), Ipv4Addr::new(9, 9, 9, 9)] {
        assert_eq!(link(true).fate(0, &arp_request(nobody)), Fate::Ignored, "{nobody}");
    }
    assert_eq!(link(false).fate(0, &arp_request(ipv4_of(1))), Fate::ToAll);
}

/// A neighbour solicitation from `from` for `wanted` (RFC 4861, section 4.3), with the address of
/// node 0.
fn solicitation(from: Ipv6Addr, wanted: Ipv6Addr) -> Vec<u8> {
    let group: Ipv6Addr = "ff02::1:ff00:1".parse().unwrap();
    let ask = Icmpv6Repr::Ndisc(NdiscRepr::NeighborSolicit {
        target_addr: wanted,
        lladdr: Some(RawHardwareAddress::from(EthernetAddress(mac_of(0)))),
    });
    let mut payload = vec![0x60, 0, 0, 0, 0, ask.buffer_len() as u8, 58, 255];
    payload.extend(from.octets());
    payload.extend(group.octets());
    let mut icmp = vec![0; ask.buffer_len()];
    let sums = ChecksumCapabilities::default();
    ask.emit(&from, &group, &mut Icmpv6Packet::new_unchecked(&mut icmp), &sums);
    payload.extend(icmp);
    frame([0x33, 0x33, 0xff, 0, 0, 1], 0, 0x86dd, &payload)
}

#[test]
fn neighbours_are_told_over_ipv6_too() {
    let local: Ipv6Addr = "fe80::ff:fe00:0".parse().unwrap();
    for wanted in [ipv6_of(1), "fe80::ff:fe00:1".parse().unwrap()] {
        let Fate::Answer(reply) = link(true).fate(0, &solicitation(local, wanted)) else {
            panic!("{wanted}")
        };
        assert_eq!((&reply[..6], &reply[6..12]), (&mac_of(0)[..], &mac_of(1)[..]));
        let packet = Ipv6Packet::new_checked(&reply[14..]).unwrap();
        assert_eq!((packet.src_addr(), packet.dst_addr()), (wanted, local));
        assert_eq!(packet.hop_limit(), 255);
        let icmp = Icmpv6Packet::new_checked(packet.payload()).unwrap();
        let sums = ChecksumCapabilities::default();
        let Icmpv6Repr::Ndisc(NdiscRepr::NeighborAdvert { target_addr, lladdr, .. }) =
            Icmpv6Repr::parse(&wanted, &local, &icmp, &sums).unwrap()
        else {
            panic!()
        };
        assert_eq!(target_addr, wanted);
        assert_eq!(lladdr.unwrap().as_bytes(), mac_of(1));
    }
    let test_of_own = solicitation(Ipv6Addr::UNSPECIFIED, ipv6_of(1));
    assert_eq!(link(true).fate(0, &test_of_own), Fate::Ignored);
    assert_eq!(link(true).fate(0, &solicitation(local, ipv6_of(2))), Fate::Ignored);
    assert_eq!(link(false).fate(0, &test_of_own), Fate::ToAll);
}

#[test]
fn groups_are_reached_but_nobody_routes_or_snoops() {
    let igmp = [0x45, 0, 0, 20, 0, 0, 0, 0, 1, 2, 0, 0, 10, 0, 0, 1, 224, 0, 0, 22];
    let mut udp = igmp;
    udp[9] = 17;
    let to_group = |payload: &[u8]| frame([1, 0, 0x5e, 0, 0, 22], 0, 0x0800, payload);
    assert_eq!(link(true).fate(0, &to_group(&igmp)), Fate::Ignored);
    assert_eq!(link(true).fate(0, &to_group(&udp)), Fate::ToAll);
    assert_eq!(link(false).fate(0, &to_group(&igmp)), Fate::ToAll);
}

proptest! {
    /// Whatever a program sends, it has a fate, and an answer goes to who has asked.
    #[test]
    fn no_frame_is_too_strange(
        to in prop_oneof![Just([0xff; 6]), Just([0x33, 0x33, 0xff, 0, 0, 1]), Just(mac_of(1)), any::<[u8; 6]>()],
        ethertype in prop_oneof![Just(0x0806), Just(0x86dd), Just(0x0800), any::<u16>()],
        payload in prop::collection::vec(any::<u8>(), 0..200),
        cut in 0..230_usize,
    ) {
        let mut whole = frame(to, 0, ethertype, &payload);
        whole.truncate(cut);
        for is_one in [true, false] {
            link(is_one).fate(0, &whole);
        }
    }

    /// Messages that are nearly right: bytes of real ones changed, and cut short.
    #[test]
    fn no_message_is_too_strange(
        is_arp in any::<bool>(),
        changes in prop::collection::vec((0..100_usize, any::<u8>()), 0..6),
        cut in 0..110_usize,
    ) {
        let local: Ipv6Addr = "fe80::ff:fe00:0".parse().unwrap();
        let mut whole = if is_arp { arp_request(ipv4_of(1)) } else { solicitation(local, ipv6_of(1)) };
        for (place, byte) in changes {
            if let Some(old) = whole.get_mut(place) {
                *old = byte;
            }
        }
        whole.truncate(cut);
        if let Fate::Answer(answer) = link(true).fate(0, &whole) {
            prop_assert!(answer.len() >= 14 && answer.len() <= MAX_FRAME_BYTES);
        }
    }
}
