//! Whole runs at the rates of 802.11b.

mod common;

use common::run;
use multihop::simulation::{Recording, RunResult};
use multihop::wire::FrameKind;

/// One hop of 200 m, always with a packet to send.
fn saturated(mac: &str, recording: &Recording) -> RunResult {
    let text = format!(
        "duration_s = 21\nprofile = \"standard\"\n[topology]\nkind = \"chain\"\nhops = 1\n\
         [mac]\nphy = \"802.11b\"\n{mac}\n[routing]\nscheme = \"static\"\n[link]\narp = false\n\
         [[flows]]\nkind = \"cbr\"\nsource = 0\ndestination = 1\nstart_s = 1\nstop_s = 21\n\
         packet_bytes = 1000\nrate_bps = 1e7\n"
    );
    run(&text, 1, recording)
}

/// Mean time of an exchange of these airtimes \[µs\]: DIFS, 15.5 slots of backoff on average, SIFS before
/// all frames but the first, and 667 ns on the way for each.
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
