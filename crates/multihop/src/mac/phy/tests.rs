//! Air times worked out by hand, for every kind of frame at every rate.

use super::*;
use crate::kernel::Instant;
use crate::mac::Timing;
use crate::profile::Profile;
use crate::wire::{Body, FlowId, Frame, FrameKind, NodeId, Notice, Packet, udp};

fn mac(keys: &str) -> MacConfig {
    let mut table = toml::from_str(keys).unwrap();
    MacConfig::fill_in_phy(&mut table);
    let config: MacConfig = table.try_into().unwrap();
    config.check().unwrap();
    config
}

fn frame(kind: FrameKind, rate: Rate, receiver: NodeId, packet_bytes: u32) -> Frame {
    let datagram = udp::Datagram::zeros(FlowId(0), 0, packet_bytes - 20);
    let packet = Packet {
        size_bytes: packet_bytes,
        ttl: 30,
        ..Packet::new(NodeId(0), receiver, Instant::ZERO, Body::Udp(datagram))
    };
    Frame {
        kind,
        rate,
        transmitter: NodeId(0),
        receiver,
        duration_us: 0,
        sequence: 0,
        notice: Notice::None,
        packet: (kind == FrameKind::Data).then_some(packet),
    }
}

/// RTS, CTS, ACK and a data frame with 1020 bytes, at each rate \[µs\].
fn airtimes(keys: &str, profile: Profile) -> Vec<[f64; 4]> {
    let config = mac(keys);
    let timing = Timing::new(&config, profile);
    let rates = 0..Phy::new(&config).rates_bps().len() as u8;
    let kinds = [FrameKind::Rts, FrameKind::Cts, FrameKind::Ack, FrameKind::Data];
    rates
        .map(|rate| {
            kinds.map(|kind| {
                let frame = frame(kind, Rate(rate), NodeId(1), 1020);
                timing.airtime(&frame).as_nanos() as f64 / 1e3
            })
        })
        .collect()
}

#[test]
fn dsss_1999_as_in_ns2() {
    // 192 µs, then 20, 14, 14 and 1020 + 34 bytes.
    let expected = [[352.0, 304.0, 304.0, 8624.0], [272.0, 248.0, 248.0, 4408.0]];
    assert_eq!(airtimes("", Profile::Ns2), expected);
}

#[test]
fn dsss_1999_at_rates_that_it_never_had() {
    // 1054 bytes at 3 Mbit/s last 2810 2/3 µs.
    let airtimes = airtimes("data_rate_bps = 3e6", Profile::Ns2);
    assert_eq!(airtimes.last().unwrap()[3], 192.0 + 2810.667);
}

#[test]
fn the_1999_plcp_goes_at_its_own_rate() {
    let keys = "plcp_rate_bps = 5e5\npreamble_bits = 100\nplcp_header_bits = 20";
    let config = mac(keys);
    let phy = Phy::new(&config);
    assert_eq!(phy.rates_bps(), [5e5, 1e6, 2e6]);
    assert_eq!(phy.lowest_mandatory_rate(), Rate(0));
    assert_eq!(phy.preamble(Rate(2)), Duration::from_micros(240));
    assert_eq!(airtimes(keys, Profile::Ns2)[1], [400.0, 352.0, 352.0, 240.0 + 8432.0]);
    let timing = Timing::new(&config, Profile::Ns2);
    assert_eq!(timing.eifs, Duration::from_micros(10 + 50 + 240 + 224));
}

#[test]
fn long_preamble_802_11b() {
    // 192 µs, then 20, 14, 14 and 1020 + 28 bytes, to whole microseconds: 160, 112 and 8384 bits over
    // 5.5 and 11 Mbit/s are 29.1, 20.4 and 1524.4, and 14.5, 10.2 and 762.2.
    let expected = [
        [352.0, 304.0, 304.0, 192.0 + 8384.0],
        [272.0, 248.0, 248.0, 192.0 + 4192.0],
        [222.0, 213.0, 213.0, 192.0 + 1525.0],
        [207.0, 203.0, 203.0, 192.0 + 763.0],
    ];
    assert_eq!(airtimes("phy = \"802.11b\"", Profile::Standard), expected);
}

#[test]
fn short_preamble_802_11b() {
    // 96 µs, but at 1 Mbit/s.
    let expected = [
        [352.0, 304.0, 304.0, 192.0 + 8384.0],
        [176.0, 152.0, 152.0, 96.0 + 4192.0],
        [126.0, 117.0, 117.0, 96.0 + 1525.0],
        [111.0, 107.0, 107.0, 96.0 + 763.0],
    ];
    assert_eq!(airtimes("phy = \"802.11b\"\npreamble = \"short\"", Profile::Standard), expected);
}

#[test]
fn whole_microseconds_are_not_rounded_up() {
    // 11 bytes at 5.5 and at 11 Mbit/s: 16 and 8 µs.
    let phy = Phy::HrDsss(HrDsss::new(Preamble::Short));
    assert_eq!(phy.airtime(Rate(2), 11), Duration::from_micros(96 + 16));
    assert_eq!(phy.airtime(Rate(3), 11), Duration::from_micros(96 + 8));
    assert_eq!(phy.airtime(Rate(3), 12), Duration::from_micros(96 + 9));
}

#[test]
fn a_broadcast_goes_at_the_basic_rate() {
    let timing = Timing::new(&mac(""), Profile::Ns2);
    let airtimes = [48, 28].map(|bytes| {
        let rate = timing.data_rate(NodeId::BROADCAST);
        timing.airtime(&frame(FrameKind::Data, rate, NodeId::BROADCAST, bytes))
    });
    assert_eq!(airtimes, [848, 688].map(Duration::from_micros));
    let unicast = [1500, 40].map(|bytes| timing.data(bytes, timing.data_rate(NodeId(1))));
    assert_eq!(unicast, [6328, 488].map(Duration::from_micros));
}

#[test]
fn the_phy_gives_the_mac_what_the_scenario_does_not_set() {
    let config = mac("phy = \"802.11b\"\nslot_s = 9e-6");
    assert_eq!((config.data_rate_bps, config.basic_rate_bps), (11e6, 1e6));
    assert_eq!((config.slot_s, config.sifs_s), (9e-6, 10e-6));
    assert_eq!((config.plcp_rate_bps, config.preamble), (None, Some(Preamble::Long)));
    assert_eq!(mac("phy = \"dsss-1999\""), MacConfig::default());
    assert_eq!(mac(""), MacConfig::default());
}

#[test]
fn the_rate_costs_a_frame_no_space() {
    #[derive(Debug)]
    struct WithoutRate {
        _kind: FrameKind,
        _ends: [NodeId; 2],
        _numbers: [u16; 2],
        _notice: Notice,
        _packet: Option<Packet>,
    }
    assert_eq!(size_of::<Frame>(), size_of::<WithoutRate>());
}
