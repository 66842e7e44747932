//! Whole runs of stations whose contention windows follow backlogs, against arithmetic.

use crate::common::run;
use multihop::simulation::{Recording, RunResult};
use multihop::wire::FrameKind;

/// Time of an exchange with the DIFS before it \[s\]: 8000 + 20 + 28 bytes and an ACK at 10 Mbit/s,
/// with a preamble of 19.2 µs each, two SIFS and two slots of 1 µs.
const EXCHANGE_S: f64 = (19.2 + 8.0 * 804.8 + 19.2 + 11.2 + 4.0) * 1e-6;
const SECONDS: u32 = 25;

/// Links whose senders are at these x \[m\] and always have packets, each to a receiver 1 m away;
/// stations hear each other over 400 m, and nobody beyond disturbs.
fn links(senders: &[i32], seconds: u32, keys: &str) -> String {
    let both = |x: &i32| format!("[{x}, 0], [{x}, 1]");
    let positions: Vec<String> = senders.iter().map(both).collect();
    let mut text = format!(
        "duration_s = {seconds}\nprofile = \"standard\"\n\
         [topology]\nkind = \"positions\"\npositions_m = [{}]\n\
         [radio]\nreceive_range_m = 400\nsense_range_m = 400\n\
         [mac]\naccess = \"adaptive-csma\"\ndata_rate_bps = 1e7\nbasic_rate_bps = 1e7\n\
         plcp_rate_bps = 1e7\nslot_s = 1e-6\nsifs_s = 1e-6\nrts_threshold_bytes = inf\n\
         short_retry_limit = inf\nlong_retry_limit = inf\n\
         [mac.adaptive_csma]\nunit_s = {EXCHANGE_S}\n{keys}\n\
         [routing]\nscheme = \"static\"\n[link]\narp = false\n",
        positions.join(", "),
    );
    for i in 0..senders.len() {
        text += &format!(
            "[[flows]]\nkind = \"cbr\"\nsource = {}\ndestination = {}\nstart_s = 0\n\
             stop_s = {seconds}\npacket_bytes = 8000\nrate_bps = 1.1e7\n",
            2 * i,
            2 * i + 1
        );
    }
    text
}

fn received(result: &RunResult, flow: usize) -> f64 {
    let json = serde_json::to_value(result).expect("a result");
    json["flows"][flow]["received_packets"].as_u64().expect("a CBR flow") as f64
}

/// Sets of links in use have probability in proportion to exp(sum of their aggressiveness). Of three
/// in a row, of which the middle one senses both others, these are: none, each alone, the outer two.
#[test]
fn shares_of_links_in_a_row_have_the_product_form() {
    for [outer, middle] in [[0.0_f64, 0.0], [0.5, 2.0]] {
        let given = format!("given = [{outer:?}, 0, {middle:?}, 0, {outer:?}, 0]");
        let result = run(&links(&[0, 300, 600], SECONDS, &given), 1, &Recording::default());
        let [a, b] = [outer.exp(), middle.exp()];
        let all = 1.0 + 2.0 * a + a * a + b;
        for (flow, expected) in [(0, (a + a * a) / all), (1, b / all), (2, (a + a * a) / all)] {
            let share = received(&result, flow) * EXCHANGE_S / f64::from(SECONDS);
            let off = share / expected - 1.0;
            assert!(off.abs() < 0.08, "link {flow} of {given}: {share} for {expected}");
        }
    }
}

#[test]
fn by_length_the_packets_of_a_turn_follow_each_other_after_difs() {
    // exp(1.3863) is four packets.
    let keys = "vary = \"length\"\ngiven = [1.3863, 0]";
    let recording = Recording { frames: true, ..Recording::default() };
    let result = run(&links(&[0], 4, keys), 1, &recording);
    let mut last_ack = None;
    let (mut at_once, mut all) = (0.0, 0.0);
    for frame in &result.frames {
        if frame.kind == FrameKind::Ack {
            last_ack = Some(frame.time_ns + 30_400);
        } else if let Some(end) = last_ack {
            // DIFS and the way of 1 m; the first slot of a backoff would be 1 µs more.
            at_once += f64::from(frame.time_ns - end < 3_500);
            all += 1.0;
        }
    }
    let share: f64 = at_once / all;
    assert!((share - 0.75).abs() < 0.02, "three of four, and a backoff without a slot: {share}");
}

/// A chain with a source that always has packets; nodes sense each other over `sense_m`.
fn chain(hops: u32, access: &str, sense_m: u32) -> RunResult {
    let text = format!(
        "duration_s = 60\n[topology]\nkind = \"chain\"\nhops = {hops}\n\
         [radio]\nsense_range_m = {sense_m}\n\
         [mac]\naccess = \"{access}\"\ndata_rate_bps = 1e6\nrts_threshold_bytes = inf\n\
         report_failures = false\n[routing]\nscheme = \"static\"\n[link]\narp = false\n\
         [[flows]]\nkind = \"cbr\"\nsource = 0\ndestination = \"last\"\nstart_s = 0\n\
         stop_s = 60\npacket_bytes = 1000\nrate_bps = 4e5\n"
    );
    run(&text, 1, &Recording { queue_classes: true, ..Recording::default() })
}

fn at_first_relay(result: &RunResult) -> f64 {
    let json = serde_json::to_value(result).expect("a result");
    json["queues"][1]["mean_packets"].as_f64().expect("queues are recorded")
}

/// Where nodes sense one hop, four hops are not stable, by the paper's analysis; EZ-Flow makes them
/// so.
#[test]
fn ez_flow_keeps_the_first_relay_of_four_hops_empty() {
    let [dcf, ez_flow] = ["dcf", "ez-flow"].map(|access| chain(4, access, 250));
    let [before, after] = [&dcf, &ez_flow].map(at_first_relay);
    assert!(before > 6.0 && after < before / 2.0, "{before} and {after} packets");
    assert!(received(&ez_flow, 0) > 1.03 * received(&dcf, 0));
}

/// Where nodes sense two hops, the source and two relays share the medium; a relay whose backlog is
/// no larger than the next one's leaves it to others.
#[test]
fn diffq_carries_more_over_four_hops_by_what_nodes_overhear() {
    let [dcf, diffq] = ["dcf", "diffq"].map(|access| chain(4, access, 550));
    let told = serde_json::to_value(&diffq).expect("a result")["schemes"]["diffq"].clone();
    let sent = diffq.mac.data_sent;
    let heard = told["backlogs_heard"].as_u64().expect("a count");
    assert!(
        heard > sent / 3 && heard < sent,
        "{heard} of {sent}: the node before a relay hears it"
    );
    let [before, after] = [&dcf, &diffq].map(|result| received(result, 0));
    assert!(after > 1.08 * before, "{after} for {before} packets");
}
