//! Whole runs of stations that send in slots of a table, against arithmetic.

use crate::common::run;
use multihop::simulation::{Recording, RunResult};
use multihop::wire::FrameKind;

/// Time of an exchange at 2 Mbit/s \[ns\]: 1000 + 20 + 28 bytes and 192 µs before them, SIFS, and
/// an ACK at 1 Mbit/s.
const EXCHANGE_NS: u64 = (192 + 8 * 1048 / 2 + 10 + 192 + 8 * 14) * 1000;
/// A signal takes so long over 200 m \[ns\].
const WAY_NS: u64 = 667;
/// From a transport to the queue, and from a link to its node \[ns\].
const LINK_NS: u64 = 25_000;

/// A chain of `hops` hops of 200 m with these keys of `[mac.tdma]` and this flow of packets of 1000
/// bytes, until 11 s.
fn chain(hops: u32, tdma: &str, flow: &str, recording: &Recording) -> RunResult {
    let text = format!(
        "duration_s = 11\nprofile = \"standard\"\n[topology]\nkind = \"chain\"\nhops = {hops}\n\
         [mac]\naccess = \"tdma\"\n[mac.tdma]\n{tdma}\n[routing]\nscheme = \"static\"\n\
         [link]\narp = false\n[[flows]]\nkind = \"cbr\"\npacket_bytes = 1000\n{flow}\n"
    );
    run(&text, 1, recording)
}

fn received(result: &RunResult) -> u64 {
    let json = serde_json::to_value(result).expect("a result");
    json["flows"][0]["received_packets"].as_u64().expect("a CBR flow")
}

fn mean_delay_ns(result: &RunResult) -> u64 {
    let json = serde_json::to_value(result).expect("a result");
    (json["flows"][0]["mean_delay_s"].as_f64().expect("a delay") * 1e9).round() as u64
}

const SATURATED: &str =
    "source = 0\ndestination = \"last\"\nstart_s = 1\nstop_s = 11\nrate_bps = 1e7";

#[test]
fn a_saturated_hop_carries_as_many_packets_a_slot_as_fit() {
    for (tdma, packets) in [
        // Two exchanges of 4.698 ms and SIFS fit in a slot of 10 ms, 500 times in 10 s.
        ("slot_s = 0.01\nslots = [0, 1]", 1000),
        // Three of four slots.
        ("slot_s = 0.01\nslots = [0, 0, 1, 0]", 1500),
        // One fits in 5 ms, two in 12.5 ms and not in the 9.4 ms that a long guard time leaves.
        ("slot_s = 0.005\nslots = [0, 1]", 1000),
        ("slot_s = 0.0125\nslots = [0, 1]", 800),
        ("slot_s = 0.0125\nguard_s = 3.1e-3\nslots = [0, 1]", 400),
    ] {
        let result = chain(1, tdma, SATURATED, &Recording::default());
        assert_eq!(received(&result), packets, "{tdma}");
        assert_eq!((result.mac.collisions, result.mac.backoffs), (0, 0));
        let unanswered = result.mac.data_sent - result.mac.ack_sent;
        assert!(unanswered <= 1, "{tdma}: the run may end amid the last exchange");
    }
}

#[test]
fn over_three_hops_each_packet_takes_a_slot_of_each_node() {
    // A frame of 40 ms carries two packets over all hops: the slots are in the order of the hops.
    let tdma = "slot_s = 0.01\nslots = [0, 1, 2, 3]";
    assert_eq!(received(&chain(3, tdma, SATURATED, &Recording::default())), 500);
    // Two packets at once, and then one every 20 ms: the third hop's slot is at the end of a frame.
    let tdma = "slot_s = 0.005\nslots = [2, 1, 0, 3]";
    let result = chain(3, tdma, SATURATED, &Recording::default());
    assert_eq!(received(&result), 500 - 2, "the last two are on their way");
}

#[test]
fn a_packet_waits_for_its_nodes_slot_and_for_one_in_which_it_fits() {
    let airtime_ns = EXCHANGE_NS - 314_000;
    for (source, start_ms, sent_ns) in [
        (0, 1000.0, 1_000_000_000 + LINK_NS),
        (1, 1000.0, 1_010_000_000),
        (0, 1010.0, 1_020_000_000),
        // 5.2 and 4.698 ms are less than 9.98 ms, 5.3 and 4.698 ms more.
        (0, 1005.2, 1_005_200_000 + LINK_NS),
        (0, 1005.3, 1_020_000_000),
    ] {
        let start_s = start_ms / 1000.0;
        let flow = format!(
            "source = {source}\ndestination = {}\nstart_s = {start_s}\nstop_s = {}\nrate_bps = 8000",
            1 - source,
            start_s + 0.5
        );
        let result = chain(1, "slot_s = 0.01\nslots = [0, 1]", &flow, &Recording::default());
        assert_eq!(received(&result), 1);
        let start_ns = (start_ms * 1e6) as u64;
        let expected = sent_ns - start_ns + airtime_ns + WAY_NS + LINK_NS;
        assert_eq!(mean_delay_ns(&result), expected, "from node {source} at {start_ms} ms");
    }
}

#[test]
fn frames_of_a_slot_follow_each_other_after_sifs() {
    let recording = Recording { frames: true, ..Recording::default() };
    let result = chain(1, "slot_s = 0.01\nslots = [0, 1]", SATURATED, &recording);
    let first = &result.frames[..6];
    let kinds: Vec<FrameKind> = first.iter().map(|frame| frame.kind).collect();
    let (data, ack) = (FrameKind::Data, FrameKind::Ack);
    assert_eq!(kinds, [data, ack, data, ack, data, ack]);
    let begin = 1_000_000_000 + LINK_NS;
    let second = begin + EXCHANGE_NS + 2 * WAY_NS + 10_000;
    let times = [first[0].time_ns, first[2].time_ns, first[4].time_ns];
    assert_eq!(times, [begin, second, 1_020_000_000]);
    assert_eq!(first[1].time_ns, begin + EXCHANGE_NS - 304_000 + WAY_NS);
}

#[test]
fn nodes_that_share_a_slot_do_not_hear_each_other_first() {
    // Both ends send to the middle at the same time, always.
    let text = "duration_s = 3\n[topology]\nkind = \"chain\"\nhops = 2\n\
         [mac]\naccess = \"tdma\"\n[mac.tdma]\nslot_s = 0.01\nslots = [[0, 2], 1]\n\
         [routing]\nscheme = \"static\"\n[link]\narp = false\n"
        .to_owned()
        + &[0, 2]
            .map(|source| {
                format!(
                    "[[flows]]\nkind = \"cbr\"\nsource = {source}\ndestination = 1\nstart_s = 1\n\
                     stop_s = 3\npacket_bytes = 1000\nrate_bps = 1e7\n"
                )
            })
            .concat();
    let result = run(&text, 1, &Recording::default());
    assert_eq!((received(&result), result.mac.ack_sent), (0, 0));
    assert!(result.mac.data_sent > 300 && result.mac.retry_drops > 40);
    assert!(result.mac.collisions >= result.mac.data_sent / 2);
}

#[test]
fn routing_and_tcp_run_over_slots() {
    let text = "duration_s = 20\n[topology]\nkind = \"chain\"\nhops = 3\n\
         [mac]\naccess = \"tdma\"\n[mac.tdma]\nslot_s = 0.01\nslots = [0, 1, 2, 3]\n\
         [routing]\nscheme = \"aodv\"\n[[flows]]\nkind = \"ftp\"\nsource = 0\ndestination = 3\n\
         start_s = 1\nstop_s = 20\n";
    let result = run(text, 1, &Recording::default());
    let json = serde_json::to_value(&result).expect("a result");
    // A segment of 1500 bytes takes 6.5 ms of a slot: at most one every 40 ms.
    let goodput = json["flows"][0]["goodput_bps"].as_f64().expect("a TCP flow");
    assert!(goodput > 0.9 * 292_000.0 && goodput <= 292_000.0, "{goodput} bit/s");
    assert_eq!(result.mac.collisions, 0);
}
