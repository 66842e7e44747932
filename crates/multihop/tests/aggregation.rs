//! Whole runs with A-MPDUs: what is lost, what becomes of it, and that runs stay what they are.

use std::collections::BTreeSet;

use crate::common::run;
use multihop::capture::{Happening, NONE, Row, Watch};
use multihop::radio::sinr::noise_w;
use multihop::radio::{CodeRate, Coding, Constellation, FreeSpace};
use multihop::scenario::Scenario;
use multihop::simulation::{Recording, RunResult, Simulation};
use multihop::wire::FrameKind;

/// A run with its record of events.
fn recorded(text: &str) -> (RunResult, Vec<Row>) {
    let scenario = Scenario::from_toml(text, &[]).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let recording = Recording { events: Some(Watch::default()), ..Recording::default() };
    let mut simulation = Simulation::new(&scenario, None, &recording).expect("a network");
    while !simulation.advance(u64::MAX) {}
    let events = simulation.take_events().expect("a record");
    (simulation.result(), events.rows().collect())
}

/// A chain at MCS 4, without RTS; the first node always has a packet of 1000 bytes to send.
fn chain(hops: u32, spacing_m: f64, radio: &str, mac: &str) -> String {
    format!(
        "duration_s = 3\nprofile = \"standard\"\n[topology]\nkind = \"chain\"\nhops = {hops}\n\
         spacing_m = {spacing_m}\n[radio]\n{radio}\nreceive_range_m = {}\n[mac]\nphy = \"802.11n\"\nmcs = 4\naggregate = 32\n\
         rts_threshold_bytes = \"inf\"\n{mac}\n[routing]\nscheme = \"static\"\n[link]\narp = false\n\
         [[flows]]\nkind = \"cbr\"\nsource = 0\ndestination = {hops}\nstart_s = 0\nstop_s = 3\n\
         packet_bytes = 1000\nrate_bps = 4e7\n",
        1.25 * spacing_m
    )
}

const FREE_SPACE: &str =
    "reception = \"sinr\"\npropagation = \"free-space\"\ntransmit_power_dbm = 10";

/// The distance at which 10 mW arrive with this signal to noise ratio in 20 MHz.
fn distance_at(snr_db: f64) -> f64 {
    let needed_w = noise_w(20e6, 7.0) * 10f64.powf(snr_db / 10.0);
    let one_metre_w = FreeSpace::new(0.01, 5.18e9).received_w(1.0);
    (one_metre_w / needed_w).sqrt()
}

#[test]
fn mpdus_are_lost_one_by_one_as_often_as_the_error_rates_have_it() {
    let snr_db = 16.2;
    let text = chain(1, distance_at(snr_db), FREE_SPACE, "short_retry_limit = inf");
    let (result, events) = recorded(&text);
    let data = |row: &&Row| row.kind == Some(FrameKind::Data);
    let count = |happening| {
        let rows = events.iter().filter(data);
        rows.filter(|row| row.happening == happening).count() as f64
    };
    let [received, missed] = [Happening::Receive, Happening::Miss].map(count);
    let lost = missed / (received + missed);
    let coding = Coding::Ofdm(Constellation::Qam16, CodeRate::ThreeQuarters);
    let bits = 8.0 * (4.0 + 30.0 + 1020.0 + 2.0);
    let lost_at = |db: f64| 1.0 - (1.0 - coding.bit_error_rate(10f64.powf(db / 10.0))).powf(bits);
    let chance = 5.0 * (lost_at(snr_db) / (received + missed)).sqrt();
    let bounds = [lost_at(snr_db + 0.05) - chance, lost_at(snr_db - 0.05) + chance];
    assert!(bounds[0] < lost && lost < bounds[1], "{lost}, not {bounds:?}");
    assert!((0.05..0.5).contains(&lost), "{lost}");
    // Nearly no A-MPDU is lost as a whole, and every packet arrives in the end.
    assert!(result.mac.block_acks_sent as f64 > 0.98 * result.mac.aggregates_sent as f64);
    assert_eq!((result.mac.retry_drops, count(Happening::GiveUp)), (0, 0.0));
}

/// Numbers of the datagrams that reach node `at`, in the order in which its MAC hands them up.
fn delivered(events: &[Row], at: u32) -> Vec<u32> {
    let rows = events.iter().filter(|row| row.happening == Happening::Deliver && row.node == at);
    rows.map(|row| row.number).collect()
}

#[test]
fn losses_do_not_change_the_order_of_packets() {
    let fades = format!("{FREE_SPACE}\nfading = \"rayleigh\"");
    for (hops, radio, mac) in [
        (1, FREE_SPACE, ""),
        (3, FREE_SPACE, "rate = \"minstrel\""),
        (3, &fades, "rate = \"minstrel\"\nrts_threshold_bytes = 0"),
        (3, &fades, "rate = \"arf\""),
        (3, &fades, "rate = \"ideal\""),
    ] {
        let mac = mac.to_string();
        let text = chain(hops, distance_at(18.0), radio, "");
        let text = match mac.contains("rts_threshold") {
            true => text.replace("rts_threshold_bytes = \"inf\"\n", &format!("{mac}\n")),
            false => text.replace("[routing]", &format!("{mac}\n[routing]")),
        };
        let text =
            text.replace("duration_s = 3", "duration_s = 4").replace("stop_s = 3", "stop_s = 4");
        let (result, events) = recorded(&text);
        let numbers = delivered(&events, hops);
        assert!(numbers.len() > 300, "{mac:?}: {}", numbers.len());
        assert!(numbers.windows(2).all(|pair| pair[0] < pair[1]), "{mac:?}");
        assert!(result.mac.aggregates_sent > 30 && result.mac.block_acks_sent > 30);
        let plain = run(&text, 1, &Recording::default());
        assert_eq!(plain.engine.fingerprint, result.engine.fingerprint, "{mac:?}");
    }
}

#[test]
fn packets_that_go_back_to_the_queue_keep_their_order() {
    let fades = format!("{FREE_SPACE}\nfading = \"rayleigh\"");
    let mac = "short_retry_limit = 1\nlong_retry_limit = 1";
    let text = chain(1, distance_at(18.0), &fades, mac)
        .replace("arp = false", "arp = false\npacing = \"hop-by-hop\"\nhop_by_hop.keep_s = 10");
    let (result, events) = recorded(&text);
    let kept = result.schemes["hop-by-hop"]["kept"].as_u64().expect("a counter");
    assert!(kept > 300 && result.mac.retry_drops == kept, "{kept}");
    // Of those that are given up together the first is sent first.
    let rows = |happening| move |&(_, row): &(usize, &Row)| row.happening == happening;
    let given_up: Vec<(usize, &Row)> =
        events.iter().enumerate().filter(rows(Happening::GiveUp)).collect();
    let together = given_up.windows(2).filter(|pair| pair[0].1.time_ns == pair[1].1.time_ns);
    let mut pairs = 0;
    for pair in together {
        let sent_again = |(after, row): (usize, &Row)| {
            let is_sent =
                |later: &Row| later.happening == Happening::Transmit && later.number == row.number;
            events[after..].iter().position(is_sent).map(|place| after + place)
        };
        if let (Some(first), Some(second)) = (sent_again(pair[0]), sent_again(pair[1])) {
            assert!(first < second);
            pairs += 1;
        }
    }
    assert!(pairs > 100, "{pairs}");
}

#[test]
fn the_mpdus_of_a_record_follow_each_other_without_a_gap() {
    let (result, events) = recorded(&chain(2, 200.0, "", ""));
    let sent: Vec<&Row> = events
        .iter()
        .filter(|row| row.happening == Happening::Transmit && row.kind == Some(FrameKind::Data))
        .collect();
    let ends: BTreeSet<(u32, u64)> =
        sent.iter().map(|row| (row.node, row.time_ns + u64::from(row.extent))).collect();
    let seamless = sent.iter().filter(|row| ends.contains(&(row.node, row.time_ns)));
    let mac = &result.mac;
    assert_eq!(seamless.count() as u64, mac.aggregated_sent - mac.aggregates_sent);
    let all = events.iter().filter(|row| row.happening == Happening::Transmit).count() as u64;
    let parts = mac.aggregated_sent - mac.aggregates_sent;
    assert_eq!(all, result.engine.transmissions + parts);
    assert!(mac.aggregates_sent > 100 && sent.iter().all(|row| row.packet != NONE));
}

#[test]
fn one_at_a_time_is_what_there_was_without() {
    let text = chain(2, 200.0, "", "");
    let without = run(&text.replace("aggregate = 32\n", ""), 1, &Recording::default());
    let one = run(&text.replace("aggregate = 32", "aggregate = 1"), 1, &Recording::default());
    assert_eq!(without.engine.fingerprint, one.engine.fingerprint);
    assert_eq!(one.mac.aggregates_sent, 0);
}
