//! Access categories in whole networks, against arithmetic.

use crate::common::run;
use multihop::measure::CategoryCounters;
use multihop::simulation::{Recording, RunResult};

/// Nodes 3 m apart in a row, with these keys of `[mac]` and flows of 1,000 bytes from 1 s to 3 s.
fn row(hops: u32, mac: &str, flows: &[&str]) -> String {
    let flows = flows.iter().map(|flow| {
        format!("[[flows]]\nkind = \"cbr\"\npacket_bytes = 980\nstart_s = 1\nstop_s = 3\n{flow}\n")
    });
    format!(
        "duration_s = 3\nprofile = \"standard\"\n[topology]\nkind = \"chain\"\nhops = {hops}\n\
         spacing_m = 3\n[link]\narp = false\n[routing]\nscheme = \"static\"\n\
         [mac]\nphy = \"802.11ac\"\nmcs = 4\nrts_threshold_bytes = \"inf\"\n{mac}\n{}",
        flows.collect::<String>()
    )
}

fn received(result: &RunResult) -> Vec<f64> {
    let json = serde_json::to_value(result).expect("a result");
    let flows = json["flows"].as_array().expect("flows");
    flows.iter().map(|flow| flow["received_packets"].as_f64().expect("a CBR flow")).collect()
}

fn of<'a>(result: &'a RunResult, category: &str) -> &'a CategoryCounters {
    &result.mac.categories[category]
}

const FULL: &str = "source = 0\ndestination = 1\nrate_bps = 1e8";

/// 1,000 bytes with header, QoS control, delimiter and checksum are 1,034: 8,294 bits fill 54
/// symbols of 156 at MCS 4, 256 µs with 40 µs of preamble; the ACK at 24 Mbit/s takes 28 µs after
/// SIFS.
const EXCHANGE_US: f64 = 256.0 + 16.0 + 28.0;

#[test]
fn a_category_alone_waits_its_interframe_space_and_half_its_window() {
    for (class, aifsn, cw_min) in
        [("best-effort", 3.0, 15.0), ("background", 7.0, 15.0), ("video", 2.0, 7.0)]
    {
        let mac = "edca = true\n[mac.categories.video]\ntxop_limit_s = 0";
        let flow = format!("{FULL}\nclass = \"{class}\"");
        let result = run(&row(1, mac, &[&flow]), 1, &Recording::default());
        let wait_us = 16.0 + 9.0 * aifsn + 9.0 * cw_min / 2.0;
        let expected = 2e6 / (EXCHANGE_US + wait_us);
        let got = received(&result)[0];
        assert!((got / expected - 1.0).abs() < 0.01, "{class}: {got}, not {expected}");
        let counted = of(&result, class);
        assert!((counted.data_sent as f64 - got).abs() < 3.0);
        assert_eq!((counted.turns, counted.delivered_bytes / 980), (counted.data_sent, got as u64));
    }
}

#[test]
fn a_turn_holds_as_many_exchanges_as_fit() {
    // 300 µs and three times 316 µs are 1,248 µs of 1,504; a fifth exchange would end at 1,564.
    let flow = format!("{FULL}\nclass = \"voice\"");
    let result = run(&row(1, "edca = true", &[&flow]), 1, &Recording::default());
    let expected = 4.0 * 2e6 / (4.0 * EXCHANGE_US + 3.0 * 16.0 + 34.0 + 13.5);
    let got = received(&result)[0];
    assert!((got / expected - 1.0).abs() < 0.01, "{got}, not {expected}");
    let voice = of(&result, "voice");
    assert!((voice.data_sent as f64 / voice.turns as f64 - 4.0).abs() < 0.01, "{voice:?}");
}

#[test]
fn aggregates_fit_into_a_turn() {
    // 1,034 bytes, padded to 1,036; at 39 Mbit/s (156 bits in 4 µs) what is left of 3,008 µs after
    // SIFS and a BlockAck of 32 µs holds 13 of them: (2,960 - 40) / 4 symbols, 14,232 bytes.
    let flow = format!("{FULL}\nclass = \"video\"");
    let mac = "aggregate = 64\nqueue_packets = 200\nedca = true";
    let result = run(&row(1, mac, &[&flow]), 1, &Recording::default());
    let video = of(&result, "video");
    let in_each = video.aggregated_sent as f64 / video.turns as f64;
    assert!((in_each - 13.0).abs() < 0.05, "{in_each} in each: {video:?}");
}

#[test]
fn categories_of_one_station_have_queues_of_their_own() {
    // Voice at 1 Mbit/s beside as much background as goes: none of it waits behind that.
    let voice = "source = 0\ndestination = 1\nrate_bps = 1e6\nclass = \"voice\"";
    let back = format!("{FULL}\nclass = \"background\"");
    let delay_of = |mac: &str, flows: &[&str]| {
        let result = run(&row(1, mac, flows), 1, &Recording::default());
        let json = serde_json::to_value(&result).expect("a result");
        (json["flows"][0]["mean_delay_s"].as_f64().expect("a delay"), result)
    };
    let (with_edca, result) = delay_of("edca = true", &[voice, &back]);
    let plain = [voice, &back].map(|flow| {
        flow.lines().filter(|line| !line.starts_with("class")).collect::<Vec<_>>().join("\n")
    });
    let (without, _) = delay_of("", &plain.each_ref().map(String::as_str));
    assert!(with_edca < 1e-3 && without > 10e-3, "{with_edca} s and {without} s");
    assert!((received(&result)[0] - 255.1).abs() < 1.0, "all of 2 s at 127.55 a second");
    assert_eq!(of(&result, "voice").retry_drops, 0);
}

#[test]
fn acknowledgments_have_the_class_of_their_flow_and_routing_its_own() {
    let ftp = row(2, "edca = true", &[]).replace("\"static\"", "\"aodv\"")
        + "[[flows]]\nkind = \"ftp\"\nsource = 0\ndestination = 2\nclass = \"video\"\n";
    let result = run(&ftp, 1, &Recording::default());
    let [voice, video, rest] =
        ["voice", "video", "best-effort"].map(|category| of(&result, category).clone());
    assert!(video.data_sent > 100 && rest.data_sent == 0, "{video:?} {rest:?}");
    assert!(voice.broadcast_sent > 0, "route requests are voice");
    let low = ftp.replace("edca = true", "edca = true\ncategories.control = \"background\"");
    let result = run(&low, 1, &Recording::default());
    assert_eq!(of(&result, "voice"), &CategoryCounters::default());
    assert!(of(&result, "background").broadcast_sent > 0);
}

#[test]
fn frames_of_two_categories_do_not_count_as_each_others_copies() {
    // Each category numbers its frames by itself: none is taken for one that has come before.
    let flows = ["voice", "best-effort"]
        .map(|class| format!("source = 0\ndestination = 1\nrate_bps = 4e6\nclass = \"{class}\""));
    let both = flows.each_ref().map(String::as_str);
    for mac in ["edca = true", "aggregate = 8\nedca = true"] {
        let result = run(&row(1, mac, &both), 1, &Recording::default());
        for (category, got) in ["voice", "best-effort"].iter().zip(received(&result)) {
            let counted = of(&result, category);
            // 510 packets a second: each arrives once or is given up.
            let known = got + counted.retry_drops as f64;
            assert!((known - 1020.4).abs() < 6.0, "{category}: {counted:?}, {got}");
            let frames = counted.data_sent + counted.aggregated_sent;
            assert!(frames as f64 >= got, "{category}: {counted:?}, {got}");
        }
    }
}
