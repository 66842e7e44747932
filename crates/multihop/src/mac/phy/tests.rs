//! Air times worked out by hand, for every kind of frame at every rate.

use super::*;
use crate::kernel::Instant;
use crate::mac::{MacConfig, Timing};
use crate::profile::Profile;
use crate::wire::{Body, FlowId, Frame, FrameKind, NodeId, Notice, Packet, Payload, udp};

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
        payload: (kind == FrameKind::Data).then(|| Box::new(Payload::Packet(packet))),
    }
}

/// RTS, CTS, ACK and a data frame with 1020 bytes, at each rate \[µs\].
fn airtimes(keys: &str, profile: Profile) -> Vec<[f64; 4]> {
    let config = mac(keys);
    let timing = Timing::new(&config, profile);
    let rates = 0..config.physical_layer().rates_bps().len() as u8;
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
    let phy = config.physical_layer();
    assert_eq!(phy.rates_bps(), [5e5, 1e6, 2e6]);
    assert_eq!(phy.lowest_mandatory_rate(), Rate(0));
    assert_eq!(phy.preamble(Rate(2)), Duration::from_micros(240));
    assert_eq!(airtimes(keys, Profile::Ns2)[1], [400.0, 352.0, 352.0, 240.0 + 8432.0]);
    let timing = Timing::new(&config, Profile::Ns2);
    assert_eq!(timing.eifs, Duration::from_micros(10 + 50 + 240 + 224));
}

#[test]
fn long_preamble_802_11b() {
    // 192 µs, then 20, 14, 14 and 1020 + 28 bytes, to whole microseconds: 160, 112 and 8384 bits
    // over 5.5 and 11 Mbit/s are 29.1, 20.4 and 1524.4, and 14.5, 10.2 and 762.2.
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
fn ofdm_802_11a() {
    // 20 µs, then symbols of 4 µs with 22 bits more than the frame's: 182, 134 and 1048 * 8 + 22
    // bits fill 8, 6 and 351 of 24 bits, 1, 1 and 39 of 216.
    let airtimes = airtimes("phy = \"802.11a\"", Profile::Standard);
    assert_eq!(airtimes[0], [52.0, 44.0, 44.0, 20.0 + 351.0 * 4.0]);
    assert_eq!(airtimes[7], [24.0, 24.0, 24.0, 20.0 + 39.0 * 4.0]);
}

#[test]
fn extended_rates_802_11g() {
    // Those of 802.11b and, 6 µs longer, of 802.11a: 1, 2, 5.5, 6, 9, 11, 12, ...
    let airtimes = airtimes("phy = \"802.11g\"\npreamble = \"short\"", Profile::Standard);
    assert_eq!(airtimes[2], [126.0, 117.0, 117.0, 96.0 + 1525.0]);
    assert_eq!(airtimes[3], [58.0, 50.0, 50.0, 26.0 + 351.0 * 4.0]);
    assert_eq!(airtimes[11], [30.0, 30.0, 30.0, 26.0 + 39.0 * 4.0]);
}

#[test]
fn high_throughput_802_11n() {
    let data = |keys: &str, mcs: u8| {
        let config = mac(&format!("phy = \"802.11n\"\n{keys}"));
        let phy = config.physical_layer();
        let rate = phy.rate_of_mcs(mcs, config.choices().streams).expect("a number of the PHY");
        phy.airtime(rate, 1048).as_nanos() as f64 / 1e3
    };
    // 8406 bits fill 324 symbols of 26 bits, 33 of 260, 17 of 520, 8 of 1080.
    assert_eq!(data("", 0), 36.0 + 324.0 * 4.0);
    assert_eq!(data("", 7), 36.0 + 33.0 * 4.0);
    assert_eq!(data("streams = 2", 15), 40.0 + 17.0 * 4.0);
    assert_eq!(data("streams = 2\nchannel_mhz = 40", 15), 40.0 + 8.0 * 4.0);
    // 33 symbols of 3.6 µs are 118.8 µs, which is 30 times 4 µs when rounded up.
    assert_eq!(data("guard_interval = \"short\"", 7), 36.0 + 120.0);
    assert_eq!(data("band_ghz = 2.4", 7), 36.0 + 33.0 * 4.0 + 6.0);
}

#[test]
fn rates_of_802_11n_are_those_that_everyone_knows() {
    let fastest = |keys: &str| mac(&format!("phy = \"802.11n\"\n{keys}")).data_rate_bps / 1e6;
    assert_eq!(fastest(""), 65.0);
    assert_eq!(fastest("streams = 2"), 130.0);
    assert_eq!(fastest("channel_mhz = 40"), 135.0);
    assert_eq!(fastest("channel_mhz = 40\nstreams = 2\nguard_interval = \"short\""), 300.0);
    assert_eq!(fastest("mcs = 3"), 26.0);
    let short = mac("phy = \"802.11n\"\nguard_interval = \"short\"\ndata_rate_bps = 72.2e6");
    let phy = short.physical_layer();
    assert_eq!(phy.rate(short.data_rate_bps), phy.rate_of_mcs(7, 1));
}

/// A data frame with 1020 bytes, 1054 with header, QoS control, delimiter and checksum, at a number
/// with as many streams as there are \[ns\].
fn lone(keys: &str, mcs: u8) -> u64 {
    let config = mac(keys);
    let rate = config.physical_layer().rate_of_mcs(mcs, config.choices().streams);
    let timing = Timing::new(&config, Profile::Standard);
    timing.data(1020, rate.expect("a number of the PHY")).as_nanos()
}

#[test]
fn very_high_throughput_802_11ac() {
    let data = |keys: &str, mcs| lone(&format!("phy = \"802.11ac\"\n{keys}"), mcs);
    // 8432 + 22 bits fill 326 symbols of 26 bits, 28 of 52 * 8 * 3/4 = 312, 4 of 108 * 8 * 3 * 5/6
    // = 2160; 40 µs go before them with one stream, 52 with three as with four.
    assert_eq!(data("", 0), 40_000 + 326 * 4_000);
    assert_eq!(data("", 8), 40_000 + 28 * 4_000);
    assert_eq!(data("channel_mhz = 40\nstreams = 3", 9), 52_000 + 4 * 4_000);
    // Two symbols of 234 * 8 * 4 * 5/6 = 6240 bits and 3.6 µs are 7.2 µs: 8 µs.
    let fastest = "channel_mhz = 80\nstreams = 4\nguard_interval = \"short\"";
    assert_eq!(data(fastest, 9), 52_000 + 8_000);
    // Two encoders have two tails: 348 bytes with 16 + 12 bits are 2812, over 2808 in a symbol.
    let phy = mac("phy = \"802.11ac\"\nchannel_mhz = 80\nstreams = 2").physical_layer();
    let rate = phy.rate_of_mcs(8, 2).unwrap();
    let airtimes = [347, 348].map(|bytes| phy.airtime(rate, bytes));
    assert_eq!(airtimes, [44 + 4, 44 + 8].map(Duration::from_micros));
}

#[test]
fn high_efficiency_802_11ax() {
    let data = |keys: &str, mcs| lone(&format!("phy = \"802.11ax\"\n{keys}"), mcs);
    // 36 µs and training fields of 6.4 + 0.8 µs; 8454 bits fill 73 symbols of 117 bits.
    assert_eq!(data("", 0), 43_200 + 73 * 13_600);
    // No tail with LDPC: 8448 bits fill 5 symbols of 234 * 10 * 5/6 = 1950.
    assert_eq!(data("", 11), 43_200 + 5 * 13_600);
    // 2 symbols of 468 * 6 * 2 * 5/6 = 4680 bits, and training fields of 6.4 + 1.6 µs.
    let medium = "guard_interval = \"medium\"\nchannel_mhz = 40\nstreams = 2";
    assert_eq!(data(medium, 7), 36_000 + 2 * 8_000 + 2 * 14_400);
    // One symbol of 32666 bits, and training fields of 12.8 + 3.2 µs, four as with three streams.
    let long = "guard_interval = \"long\"\nchannel_mhz = 80\nstreams = 4";
    assert_eq!(data(long, 11), 36_000 + 4 * 16_000 + 16_000);
    assert_eq!(data("channel_mhz = 80\nstreams = 3", 11), 36_000 + 4 * 7_200 + 13_600);
    assert_eq!(data("band_ghz = 2.4", 11), 43_200 + 5 * 13_600 + 6_000);
}

#[test]
fn rates_of_802_11ac_and_ax_are_those_that_everyone_knows() {
    let short = "guard_interval = \"short\"\n";
    for (phy, keys, mbps) in [
        ("ac", "mcs = 8", 78.0),
        ("ac", "channel_mhz = 40\nmcs = 9", 180.0),
        ("ac", &format!("{short}channel_mhz = 80"), 433.3),
        ("ac", &format!("{short}channel_mhz = 80\nstreams = 2"), 866.7),
        ("ac", &format!("{short}channel_mhz = 80\nstreams = 3"), 1300.0),
        ("ac", &format!("{short}channel_mhz = 80\nstreams = 4"), 1733.3),
        ("ax", "", 143.4),
        ("ax", "guard_interval = \"medium\"", 135.4),
        ("ax", "guard_interval = \"long\"", 121.9),
        ("ax", "channel_mhz = 40", 286.8),
        ("ax", "channel_mhz = 80", 600.5),
        ("ax", "channel_mhz = 80\nstreams = 4", 2402.0),
    ] {
        let config = mac(&format!("phy = \"802.11{phy}\"\n{keys}"));
        assert!((config.data_rate_bps / 1e6 - mbps).abs() < 0.1, "{phy} {keys}");
        let rounded = MacConfig { data_rate_bps: mbps * 1e6, ..config };
        rounded.check().unwrap();
    }
}

#[test]
fn numbers_that_would_not_give_encoders_whole_bits_are_left_out() {
    let numbers = |keys: &str| {
        let phy = mac(&format!("phy = \"802.11ac\"\n{keys}")).physical_layer();
        let high = phy.rows().iter().filter_map(|row| row.high_throughput);
        high.map(|it| (it.streams, it.mcs)).collect::<Vec<_>>()
    };
    let without = |gaps: &[(u8, u8)]| {
        let all = (1..=4).flat_map(|streams| (0..10).map(move |mcs| (streams, mcs)));
        all.filter(|it| !gaps.contains(it)).collect::<Vec<_>>()
    };
    assert_eq!(numbers("streams = 4"), without(&[(1, 9), (2, 9), (4, 9)]));
    assert_eq!(numbers("streams = 4\nchannel_mhz = 40"), without(&[]));
    assert_eq!(numbers("streams = 4\nchannel_mhz = 80"), without(&[(3, 6)]));
}

#[test]
fn aggregates_are_limited_by_what_each_standard_says() {
    let limits = |keys: &str| {
        let timing = Timing::new(&mac(keys), Profile::Standard);
        let rate = timing.data_rate(NodeId(1));
        // From an A-MPDU without a packet: a delimiter of 4 bytes, a header of 26, a checksum.
        let bytes = 34 + timing.aggregate_room(0, rate, None).unwrap();
        (bytes, timing.window(), timing.block_ack(Rate(4)).as_nanos() / 1000)
    };
    let wide = "aggregate = 64\nchannel_mhz = 80\nstreams = 4\nphy";
    // 1,358 symbols of 6,240 bits in 5,432 µs would be more.
    assert_eq!(limits(&format!("{wide} = \"802.11ac\"")), (1_048_575, 64, 32));
    // 398 symbols of 32,666 bits in 5,419.2 µs, less 16 service bits.
    let largest = wide.replace("64", "256");
    assert_eq!(limits(&format!("{largest} = \"802.11ax\"")), (1_625_131, 256, 40));
    // BlockAcks of 32 and 56 bytes, 278 and 470 bits, fill 3 and 5 symbols at 24 Mbit/s.
    assert_eq!(limits(&format!("{wide} = \"802.11ax\"")).1, 64);
}

#[test]
fn answers_go_at_the_highest_basic_rate_of_their_kind() {
    let answers = |keys: &str| {
        let config = mac(keys);
        let (phy, timing) = (config.physical_layer(), Timing::new(&config, Profile::Standard));
        let rates_bps = phy.rates_bps();
        let answer = |place| rates_bps[timing.response_rate(Rate(place)).index()] / 1e6;
        (0..rates_bps.len() as u8).map(answer).collect::<Vec<f64>>()
    };
    let ofdm = [6.0, 6.0, 12.0, 12.0, 24.0, 24.0, 24.0, 24.0];
    assert_eq!(answers("phy = \"802.11a\""), ofdm);
    // Numbers 0 to 7 are answered as 6, 12, 18, 24, 36, 48, 54 and 54 Mbit/s.
    let high = answers("phy = \"802.11n\"");
    assert_eq!(high[..8], ofdm);
    assert_eq!(high[8..], [6.0, 12.0, 12.0, 24.0, 24.0, 24.0, 24.0, 24.0]);
    // All denser ones as 54 Mbit/s.
    let denser = answers("phy = \"802.11ax\"");
    assert_eq!(denser[8..], [high[8..].to_vec(), vec![24.0; 4]].concat());
    // 1, 2, 5.5, 6, 9, 11, 12 Mbit/s and up: a frame of 802.11b is answered as one.
    let protected = answers("phy = \"802.11g\"\nprotection = \"cts-to-self\"");
    assert_eq!(protected[..7], [1.0, 1.0, 1.0, 6.0, 6.0, 1.0, 12.0]);
    assert_eq!(answers("phy = \"802.11a\"\nbasic_rates_bps = [6e6]"), [6.0; 8]);
}

#[test]
fn the_bands_give_slots_and_spaces() {
    let spaces = |keys: &str| {
        let timing = Timing::new(&mac(keys), Profile::Standard);
        let spaces = [timing.slot, timing.sifs, timing.difs, timing.eifs];
        spaces.map(|space| space.as_nanos() as f64 / 1e3)
    };
    // EIFS: SIFS, DIFS and an ACK at 6 Mbit/s, or at 1 Mbit/s where the PHY has that.
    assert_eq!(spaces("phy = \"802.11a\""), [9.0, 16.0, 34.0, 94.0]);
    assert_eq!(spaces("phy = \"802.11g\""), [9.0, 10.0, 28.0, 342.0]);
    let protected = "phy = \"802.11g\"\nprotection = \"cts-to-self\"";
    assert_eq!(spaces(protected), [20.0, 10.0, 50.0, 364.0]);
    assert_eq!(spaces("phy = \"802.11n\"\nband_ghz = 2.4"), [9.0, 10.0, 28.0, 88.0]);
}

#[test]
fn whole_microseconds_are_not_rounded_up() {
    // 11 bytes at 5.5 and at 11 Mbit/s: 16 and 8 µs.
    let phy = mac("phy = \"802.11b\"\npreamble = \"short\"").physical_layer();
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
