//! Whole runs at the rates of each PHY.

use crate::common::run;
use multihop::simulation::{Recording, RunResult};
use multihop::wire::FrameKind;

/// One hop of 200 m, always with a packet to send.
fn saturated(mac: &str, recording: &Recording) -> RunResult {
    saturated_for(20, &format!("phy = \"802.11b\"\n{mac}"), 1000, 1e7, recording)
}

fn saturated_for(
    time_s: u32,
    mac: &str,
    packet_bytes: u32,
    rate_bps: f64,
    recording: &Recording,
) -> RunResult {
    let stop_s = time_s + 1;
    let text = format!(
        "duration_s = {stop_s}\nprofile = \"standard\"\n[topology]\nkind = \"chain\"\nhops = 1\n\
         [mac]\n{mac}\n[routing]\nscheme = \"static\"\n[link]\narp = false\n\
         [[flows]]\nkind = \"cbr\"\nsource = 0\ndestination = 1\nstart_s = 1\nstop_s = {stop_s}\n\
         packet_bytes = {packet_bytes}\nrate_bps = {rate_bps}\n"
    );
    run(&text, 1, recording)
}

/// Mean time of an exchange of these airtimes \[µs\]: DIFS, 15.5 slots of backoff on average, SIFS
/// before all frames but the first, and 667 ns on the way for each.
fn cycle_us(airtimes: [u64; 4]) -> f64 {
    50.0 + 15.5 * 20.0 + airtimes.iter().sum::<u64>() as f64 + 3.0 * 10.0 + 4.0 * 0.667
}

#[test]
fn one_hop_at_11_megabit_carries_the_maximum_of_the_closed_form() {
    for (mac, airtimes) in [
        // RTS, CTS, 1000 + 20 + 28 bytes, ACK.
        ("", [352, 304, 192 + 763, 304]),
        ("preamble = \"short\"", [352, 304, 96 + 763, 304]),
        ("preamble = \"short\"\nbasic_rate_bps = 2e6", [176, 152, 96 + 763, 152]),
        ("data_rate_bps = 5.5e6", [352, 304, 192 + 1525, 304]),
    ] {
        let result = saturated(mac, &Recording::default());
        let json = serde_json::to_value(&result).expect("a result");
        let received = json["flows"][0]["received_packets"].as_f64().expect("a CBR flow");
        let expected = 20.0 / (cycle_us(airtimes) / 1e6);
        let off = received / expected - 1.0;
        assert!(off.abs() < 0.005, "{mac:?}: {received} of {expected:.0} packets");
    }
}

#[test]
fn the_frames_of_an_exchange_follow_each_other_after_sifs() {
    let recording = Recording { frames: true, ..Recording::default() };
    let result = saturated("preamble = \"short\"", &recording);
    let exchange = &result.frames[..4];
    let expected = [FrameKind::Rts, FrameKind::Cts, FrameKind::Data, FrameKind::Ack];
    assert!(exchange.iter().map(|frame| frame.kind).eq(expected));
    assert_eq!(
        exchange.iter().map(|frame| frame.airtime_ns / 1000).collect::<Vec<_>>(),
        [352, 304, 859, 304]
    );
    for pair in exchange.windows(2) {
        assert_eq!(pair[1].time_ns, pair[0].time_ns + pair[0].airtime_ns + 667 + 10_000);
    }
    let durations: Vec<u16> = exchange.iter().map(|frame| frame.duration_us).collect();
    assert_eq!(durations, [30 + 304 + 859 + 304, 20 + 859 + 304, 314, 0]);
}

type Row = (&'static str, f64, f64, f64, f64, [f64; 2], f64);

/// Of the PHYs of OFDM: keys, data bits a symbol, symbol \[µs\], preamble \[µs\], silence after a
/// frame \[µs\], SIFS and slot \[µs\], the basic rates that answer it as their bits a symbol.
const OFDM: [Row; 12] = [
    ("phy = \"802.11a\"\ndata_rate_bps = 6e6", 24.0, 4.0, 20.0, 0.0, [16.0, 9.0], 24.0),
    ("phy = \"802.11a\"\ndata_rate_bps = 18e6", 72.0, 4.0, 20.0, 0.0, [16.0, 9.0], 48.0),
    ("phy = \"802.11a\"", 216.0, 4.0, 20.0, 0.0, [16.0, 9.0], 96.0),
    ("phy = \"802.11g\"\ndata_rate_bps = 12e6", 48.0, 4.0, 20.0, 6.0, [10.0, 9.0], 48.0),
    ("phy = \"802.11g\"\nslot_s = 20e-6", 216.0, 4.0, 20.0, 6.0, [10.0, 20.0], 96.0),
    ("phy = \"802.11n\"\nmcs = 0", 26.0, 4.0, 36.0, 0.0, [16.0, 9.0], 24.0),
    ("phy = \"802.11n\"\nmcs = 4", 156.0, 4.0, 36.0, 0.0, [16.0, 9.0], 96.0),
    ("phy = \"802.11n\"", 260.0, 4.0, 36.0, 0.0, [16.0, 9.0], 96.0),
    ("phy = \"802.11n\"\nguard_interval = \"short\"", 260.0, 3.6, 36.0, 0.0, [16.0, 9.0], 96.0),
    ("phy = \"802.11n\"\nstreams = 2\nband_ghz = 2.4", 520.0, 4.0, 40.0, 6.0, [10.0, 9.0], 96.0),
    ("phy = \"802.11n\"\nchannel_mhz = 40", 540.0, 4.0, 36.0, 0.0, [16.0, 9.0], 96.0),
    (
        "phy = \"802.11n\"\nstreams = 2\nchannel_mhz = 40\nguard_interval = \"short\"",
        1080.0,
        3.6,
        40.0,
        0.0,
        [16.0, 9.0],
        96.0,
    ),
];

/// The most packets of `bytes` a second: DIFS, 7.5 slots of backoff, the frames, SIFS between them,
/// and 667 ns on the way for each.
fn most_per_s(
    (_, bits, symbol_us, preamble_us, extension_us, [sifs_us, slot_us], answer): &Row,
    bytes: f64,
    uses_rts: bool,
) -> f64 {
    let frame_us = |preamble_us: f64, symbol_us: f64, bits: f64, bytes: f64| {
        let symbols = ((16.0 + 8.0 * bytes + 6.0) / bits).ceil();
        preamble_us + 4.0 * (symbols * symbol_us / 4.0 - 1e-9).ceil() + extension_us
    };
    // 20 bytes of IP, a MAC header of 24 and a checksum of 4 around the payload; an ACK of 14.
    let data_us = frame_us(*preamble_us, *symbol_us, *bits, bytes + 20.0 + 28.0);
    let mut cycle_us = sifs_us + 2.0 * slot_us + 7.5 * slot_us;
    cycle_us += data_us + sifs_us + frame_us(20.0, 4.0, *answer, 14.0) + 2.0 * 0.667;
    if uses_rts {
        // RTS and CTS at 6 Mbit/s.
        cycle_us += frame_us(20.0, 4.0, 24.0, 20.0) + frame_us(20.0, 4.0, 24.0, 14.0);
        cycle_us += 2.0 * sifs_us + 2.0 * 0.667;
    }
    1e6 / cycle_us
}

#[test]
fn one_hop_carries_the_maximum_of_the_closed_form_at_ofdm_rates() {
    for row in &OFDM {
        for (bytes, uses_rts) in [(100, false), (1472, false), (1472, true)] {
            let threshold = if uses_rts { "0" } else { "\"inf\"" };
            let mac = format!("{}\nrts_threshold_bytes = {threshold}", row.0);
            let per_s = most_per_s(row, f64::from(bytes), uses_rts);
            let rate_bps = 1.1 * per_s * 8.0 * f64::from(bytes);
            let result = saturated_for(4, &mac, bytes, rate_bps, &Recording::default());
            let json = serde_json::to_value(&result).expect("a result");
            let received = json["flows"][0]["received_packets"].as_f64().expect("a CBR flow");
            let expected = 4.0 * per_s;
            let off = received / expected - 1.0;
            assert!(
                off.abs() < 0.005,
                "{mac:?} {bytes} bytes: {received} of {expected:.0} packets"
            );
        }
    }
}

#[test]
fn a_protected_frame_follows_a_cts_to_its_sender() {
    let recording = Recording { frames: true, ..Recording::default() };
    let mac = "phy = \"802.11g\"\nprotection = \"cts-to-self\"\nrts_threshold_bytes = \"inf\"";
    let result = saturated_for(4, mac, 1000, 2e7, &recording);
    let exchange = &result.frames[..3];
    let expected = [FrameKind::Cts, FrameKind::Data, FrameKind::Ack];
    assert!(exchange.iter().map(|frame| frame.kind).eq(expected));
    // 14 bytes at 1 Mbit/s; 1048 bytes in 39 symbols; 14 bytes at 24 Mbit/s in 2.
    let airtimes = exchange.iter().map(|frame| frame.airtime_ns / 1000).collect::<Vec<_>>();
    assert_eq!(airtimes, [304, 182, 34]);
    assert_eq!(exchange[0].duration_us, 20 + 182 + 34);
    assert_eq!(exchange[1].time_ns, exchange[0].time_ns + 304_000 + 10_000);
    let json = serde_json::to_value(&result).expect("a result");
    let received = json["flows"][0]["received_packets"].as_f64().expect("a CBR flow");
    // DIFS, 7.5 slots, three frames, SIFS twice, two frames on the way.
    let expected = 4.0 * 1e6 / (50.0 + 150.0 + 520.0 + 20.0 + 2.0 * 0.667);
    assert!((received / expected - 1.0).abs() < 0.005, "{received} of {expected:.0} packets");
}

/// Of the PHYs of OFDM, the most packets of 1472 bytes a second in A-MPDUs of at most `most`, and
/// how many each has: as many as 65535 bytes and 5484 us hold.
fn most_aggregated_per_s(row: &Row, most: u32, uses_rts: bool) -> (f64, u32) {
    let &(_, bits, symbol_us, preamble_us, extension_us, [sifs_us, slot_us], answer) = row;
    let frame_us = |preamble_us: f64, symbol_us: f64, bits: f64, bytes: f64| {
        let symbols = ((16.0 + 8.0 * bytes + 6.0) / bits).ceil();
        preamble_us + 4.0 * (symbols * symbol_us / 4.0 - 1e-9).ceil() + extension_us
    };
    // A delimiter of 4, a header of 26, 20 of IP, the payload, a checksum of 4: 1526 and 2 of
    // padding.
    let bytes = |mpdus: u32| f64::from(1528 * mpdus - 2);
    let lasts_us = |mpdus: u32| frame_us(preamble_us, symbol_us, bits, bytes(mpdus));
    let fits = |&mpdus: &u32| bytes(mpdus) <= 65_535.0 && lasts_us(mpdus) <= 5484.0;
    let mpdus = (2..=most).take_while(fits).last().expect("two fit");
    let mut cycle_us = sifs_us + 2.0 * slot_us + 7.5 * slot_us + lasts_us(mpdus);
    cycle_us += sifs_us + frame_us(20.0, 4.0, answer, 32.0) + 2.0 * 0.667;
    if uses_rts {
        cycle_us += frame_us(20.0, 4.0, 24.0, 20.0) + frame_us(20.0, 4.0, 24.0, 14.0);
        cycle_us += 2.0 * sifs_us + 2.0 * 0.667;
    }
    (f64::from(mpdus) * 1e6 / cycle_us, mpdus)
}

#[test]
fn one_hop_carries_the_maximum_of_the_closed_form_with_aggregation() {
    for row in OFDM.iter().filter(|row| row.0.contains("802.11n")) {
        for (most, uses_rts) in [(16, false), (64, false), (64, true)] {
            let threshold = if uses_rts { "0" } else { "\"inf\"" };
            let mac = format!(
                "{}\nrts_threshold_bytes = {threshold}\naggregate = {most}\nqueue_packets = 200",
                row.0
            );
            let (per_s, mpdus) = most_aggregated_per_s(row, most, uses_rts);
            let rate_bps = 1.1 * per_s * 8.0 * 1472.0;
            let result = saturated_for(2, &mac, 1472, rate_bps, &Recording::default());
            let json = serde_json::to_value(&result).expect("a result");
            let received = json["flows"][0]["received_packets"].as_f64().expect("a CBR flow");
            let off = received / (2.0 * per_s) - 1.0;
            let goodput_bps = received / 2.0 * 1472.0 * 8.0;
            println!(
                "{mac:?}: {mpdus} MPDUs, {:.1} Mbit/s, {:+.2} %",
                goodput_bps / 1e6,
                100.0 * off
            );
            assert!(off.abs() < 0.005, "{mac:?}: {received} of {:.0} packets", 2.0 * per_s);
            let mean = result.mac.aggregated_sent as f64 / result.mac.aggregates_sent as f64;
            // The queue has to fill first.
            let is_full = (f64::from(mpdus) - 1.0..=f64::from(mpdus)).contains(&mean);
            assert!(is_full, "{mac:?}: {mean} of {mpdus}");
        }
    }
}
