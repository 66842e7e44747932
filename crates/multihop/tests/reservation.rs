//! Whole runs of stations that reserve slots, against arithmetic.

use crate::common::run;
use multihop::capture::{Events, Happening, Row, Watch};
use multihop::scenario::Scenario;
use multihop::simulation::{Recording, RunResult, Simulation};
use multihop::wire::{Content, FrameKind};

/// Stations at these places (m), with these flows of packets of 1480 bytes from 1 to 11 s.
fn line(places: &[f64], more: &str, ends: &[(u32, u32)]) -> RunResult {
    run(&scenario(places, more, ends), 1, &Recording::default())
}

fn scenario(places: &[f64], more: &str, ends: &[(u32, u32)]) -> String {
    let positions: Vec<String> = places.iter().map(|x| format!("[{x}, 0]")).collect();
    let flows: String = ends
        .iter()
        .map(|(source, destination)| {
            format!(
                "[[flows]]\nkind = \"cbr\"\npacket_bytes = 1480\nrate_bps = 4e6\nstart_s = 1\n\
                 stop_s = 11\nsource = {source}\ndestination = {destination}\n"
            )
        })
        .collect();
    format!(
        "duration_s = 11\n[topology]\nkind = \"positions\"\npositions_m = [{}]\n[mac]\n\
         access = \"slot-reservation\"\n{more}[link]\narp = false\n{flows}",
        positions.join(", ")
    )
}

fn received(result: &RunResult, flow: usize) -> u64 {
    let json = serde_json::to_value(result).expect("a result");
    json["flows"][flow]["received_packets"].as_u64().expect("a CBR flow")
}

/// The run of a scenario, and what happened in it up to `to_s`.
fn recorded(text: &str, to_s: f64) -> (RunResult, Events) {
    let scenario = Scenario::from_toml(text, &[]).expect("a scenario");
    let watch = Watch { to_s: Some(to_s), snap_bytes: Some(100), ..Watch::default() };
    let recording = Recording { events: Some(watch), ..Recording::default() };
    let mut simulation = Simulation::new(&scenario, Some(1), &recording).expect("a network");
    while !simulation.advance(u64::MAX) {}
    let events = simulation.take_events().expect("a record");
    (simulation.result(), events)
}

const STATIC: &str = "[routing]\nscheme = \"static\"\n";
/// Calls of 40 µs, two rounds of 330, 362, 314 and 30, two packets of 6338, an ACK of 314, and one
/// packet of 594 returned with its ACK: 16.010 ms.
const SLOTS_IN_10_S: u64 = 10_000_000 / 16_010;

#[test]
fn a_saturated_hop_carries_two_packets_a_slot() {
    let result = line(&[0.0, 200.0], STATIC, &[(0, 1)]);
    let packets = received(&result, 0);
    assert!(packets.abs_diff(2 * SLOTS_IN_10_S) <= 4, "{packets}");
    assert_eq!((result.mac.collisions, result.mac.retry_drops), (0, 0));
}

#[test]
fn short_packets_come_back_in_the_slots_of_what_they_answer() {
    let answers = "[[flows]]\nkind = \"cbr\"\npacket_bytes = 44\nrate_bps = 14080\nstart_s = 1\n\
                   stop_s = 10.9\nsource = 1\ndestination = 0\n";
    let both = |returns: u32| {
        let keys = format!("[mac.slot_reservation]\nreturns = {returns}\n{STATIC}");
        let text = scenario(&[0.0, 200.0], &keys, &[(0, 1)]) + answers;
        let result = run(&text, 1, &Recording::default());
        let came = [received(&result, 0), received(&result, 1)];
        (came, result.mac.rts_sent, result.mac.data_sent)
    };
    let ([there, back], _, sent) = both(1);
    assert_eq!(back, 396, "40 a second");
    // Each is acknowledged: nothing is sent twice.
    assert!(sent - there - back <= 4, "{sent} of {there} and {back}");
    let ([there_alone, back_alone], ..) = both(0);
    assert_eq!(back_alone, 396);
    assert!(10 * there > 11 * there_alone, "{there} and {there_alone}");
}

#[test]
fn senders_that_hear_each_other_send_at_once_where_no_receiver_minds() {
    // 1 to 0 and 2 to 3: a carrier sense of 550 m would have them take turns.
    let result = line(&[0.0, 200.0, 500.0, 700.0], STATIC, &[(1, 0), (2, 3)]);
    for flow in 0..2 {
        let packets = received(&result, flow);
        assert!(packets > 17 * SLOTS_IN_10_S / 10, "{packets}");
    }
}

#[test]
fn senders_that_cannot_hear_each_other_never_spoil_data() {
    // 551 m apart, the second is 351 m from the first's receiver: too strong by half a decibel.
    let result = line(&[0.0, 200.0, 551.0, 751.0], STATIC, &[(0, 1), (2, 3)]);
    let packets: u64 = (0..2).map(|flow| received(&result, flow)).sum();
    assert!(result.mac.data_sent - packets <= 4, "{packets} of {}", result.mac.data_sent);
    for flow in 0..2 {
        assert!(received(&result, flow) > SLOTS_IN_10_S / 2, "{packets}");
    }
}

#[test]
fn requests_of_routing_reach_all_and_find_a_route() {
    let result = line(&[0.0, 200.0, 400.0, 600.0], "[routing]\nscheme = \"aodv\"\n", &[(0, 3)]);
    assert!(received(&result, 0) > SLOTS_IN_10_S / 4, "{}", received(&result, 0));
}

#[test]
fn nobody_sends_data_into_broadcasts_nearby() {
    // Eight stations, with a HELLO a second each, and one that always has data: it is near enough
    // to spoil what the last of the eight hears of the first.
    let mut places: Vec<f64> = (0..8).map(|i| f64::from(i) * 20.0).collect();
    places.extend([340.0, 540.0]);
    let hellos = "[routing]\nscheme = \"aodv\"\nhello_interval_s = 1\n";
    let (result, events) = recorded(&scenario(&places, hellos, &[(8, 9)]), 11.0);
    let is_hello = |row: &Row| row.kind == Some(FrameKind::Data) && row.content != Content::Udp;
    let is_among = |row: &Row| row.node < 8 && row.peer < 8;
    let of = |happening| {
        events
            .rows()
            .filter(move |row| row.happening == happening)
            .filter(is_hello)
            .filter(is_among)
    };
    let [came, missed] = [Happening::Receive, Happening::Miss].map(|what| of(what).count());
    assert!(came > 8 * 7 * 8 && missed * 20 < came, "{missed} missed, {came} received");
    // A slot for each is the most that they can take from the data.
    let most = 2 * result.mac.broadcast_sent;
    assert!(received(&result, 0) + most + 20 > 2 * SLOTS_IN_10_S, "{}", received(&result, 0));
}

#[test]
fn a_neighbour_that_died_is_given_up() {
    let events = "[[events]]\nkind = \"node-kill\"\nnode = 1\nat_s = 5\n";
    let result = line(&[0.0, 200.0], &format!("{STATIC}{events}"), &[(0, 1)]);
    let packets = received(&result, 0);
    assert!(packets.abs_diff(2 * SLOTS_IN_10_S * 4 / 10) <= 6, "{packets}");
    assert!(result.mac.retry_drops > 50, "{}", result.mac.retry_drops);
}

#[test]
fn tones_are_in_the_record_and_in_no_capture() {
    let (_, events) = recorded(&scenario(&[0.0, 200.0], STATIC, &[(0, 1)]), 2.0);
    let tones = events.rows().filter(|row| row.kind == Some(FrameKind::Tone)).count();
    assert!(tones > 60, "{tones}");
    let mut capture = Vec::new();
    events.write_pcap(&mut capture).expect("written to memory");
    // Captured and original length of a frame of which there is its radiotap header alone.
    let is_empty = |bytes: &[u8]| bytes == [21, 0, 0, 0, 21, 0, 0, 0];
    assert!(!capture.windows(8).any(is_empty));
}
