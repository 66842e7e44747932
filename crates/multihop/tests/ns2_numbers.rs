//! Numbers measured with stock ns-2.35 on small networks, each of which isolates one rule.

use crate::common::run;
use multihop::simulation::{FrameReport, Recording, RunResult};
use multihop::wire::FrameKind;

const EIFS_NS: u64 = 364_000;
const SIFS_NS: u64 = 10_000;
const SLOT_NS: u64 = 20_000;

fn delay_ns(metres: f64) -> u64 {
    (metres / 3e8 * 1e9).ceil() as u64
}

/// Saturated senders of 1000-byte packets between nodes at the given positions.
fn saturated(positions_m: &[(f64, f64)], pairs: &[(usize, usize)], duration_s: f64) -> RunResult {
    let places: Vec<String> =
        positions_m.iter().map(|(x, y)| format!("[{x:.6}, {y:.6}]")).collect();
    let flows: String = pairs
        .iter()
        .map(|(source, destination)| {
            format!(
                "[[flows]]\nkind = \"cbr\"\nsource = {source}\ndestination = {destination}\n\
                 packet_bytes = 1000\nrate_bps = 3e6\n"
            )
        })
        .collect();
    let text = format!(
        "duration_s = {duration_s}\n[topology]\nkind = \"positions\"\npositions_m = [{}]\n\
         [routing]\nscheme = \"static\"\n[link]\narp = false\n{flows}",
        places.join(", ")
    );
    run(&text, 1, &Recording { frames: true, ..Recording::default() })
}

fn line(metres: &[f64]) -> Vec<(f64, f64)> {
    metres.iter().map(|&x| (x, 0.0)).collect()
}

#[test]
fn two_stations_collide_as_often_as_in_ns2() {
    // ns-2.35: 17 777 to 17 787 packets in 100 s, 3.04 to 3.24 % of exchanges begin with a
    // collision.
    let result = saturated(&line(&[0.0, 200.0]), &[(0, 1), (1, 0)], 100.0);
    let delivered: u64 = result.flows.iter().map(|flow| flow.delivered_segments).sum();
    assert!((17_700..17_850).contains(&delivered), "{delivered}");
    let failed = (result.mac.rts_sent - result.mac.cts_sent) as f64 / 2.0;
    let rate = failed / (failed + delivered as f64);
    assert!((0.029..0.034).contains(&rate), "{rate}");
}

#[test]
fn a_contender_that_senses_but_cannot_decode_waits_414_microseconds() {
    // Pairs 0 -> 1 and 2 -> 3; node 2 is 340 m from node 1: it senses its ACK and cannot decode it.
    let result = saturated(&line(&[0.0, 200.0, 540.0, 740.0]), &[(0, 1), (2, 3)], 20.0);
    let waits: Vec<u64> = result
        .frames
        .windows(2)
        .filter(|pair| pair[0].kind == FrameKind::Ack && pair[0].transmitter == 1)
        .filter(|pair| pair[1].kind == FrameKind::Rts && pair[1].transmitter == 2)
        .map(|pair| {
            let heard = pair[0].time_ns + pair[0].airtime_ns + delay_ns(340.0);
            pair[1].time_ns - heard
        })
        .collect();
    assert!(waits.len() > 20, "{}", waits.len());
    for wait in waits {
        assert!(wait >= 414_000 && (wait - 414_000) % SLOT_NS == 0, "{wait} ns");
    }
}

/// Whether the receiver of `rts` answered it.
fn is_answered(result: &RunResult, i: usize, metres: f64) -> bool {
    let rts = &result.frames[i];
    let due = rts.time_ns + rts.airtime_ns + delay_ns(metres) + SIFS_NS;
    result.frames[i..]
        .iter()
        .take_while(|frame| frame.time_ns <= due)
        .any(|frame| frame.kind == FrameKind::Cts && frame.time_ns == due)
}

#[test]
fn the_nav_of_a_captured_frame_withholds_the_cts() {
    // Node 1 receives from node 0 at 100 m; node 2, 500 m away and unheard by node 0, sends to node
    // 3.
    let result = saturated(&line(&[-100.0, 0.0, 500.0, 700.0]), &[(0, 1), (2, 3)], 20.0);
    let at_receiver = |frame: &FrameReport| {
        let start = frame.time_ns + delay_ns(500.0);
        (start, start + frame.airtime_ns)
    };
    let (mut quiet, mut captured) = ((0, 0), (0, 0));
    for (i, rts) in result.frames.iter().enumerate() {
        if rts.kind != FrameKind::Rts || rts.transmitter != 0 {
            continue;
        }
        let (start, end) = (rts.time_ns + delay_ns(100.0), rts.time_ns + rts.airtime_ns);
        let answer_at = end + delay_ns(100.0) + SIFS_NS;
        let weak: Vec<(u64, u64)> = result.frames
            [i.saturating_sub(60)..(i + 60).min(result.frames.len())]
            .iter()
            .filter(|frame| frame.transmitter == 2)
            .map(at_receiver)
            .collect();
        let tally =
            if weak.iter().all(|&(from, to)| to + EIFS_NS + 1000 < start || from > answer_at) {
                &mut quiet
            } else if weak
                .iter()
                .any(|&(from, to)| from > start && from < end && to + EIFS_NS > answer_at)
            {
                &mut captured
            } else {
                continue;
            };
        match is_answered(&result, i, 100.0) {
            true => tally.0 += 1,
            false => tally.1 += 1,
        }
    }
    // ns-2.35: 3044 answered and none unanswered without such a NAV; none and 1426 with it.
    assert!(quiet.0 > 20 && quiet.1 == 0, "without: {quiet:?}");
    assert!(captured.0 == 0 && captured.1 > 20, "with: {captured:?}");
}

#[test]
fn saturated_cells_lose_as_many_rts_as_in_ns2() {
    // ns-2.35, senders and receiver on a circle of 50 m: 5.8-6.7, 17.4-18.1 and 28.3-29.0 % of RTS
    // fail in three runs each; one run scatters by 0.4 %.
    for (senders, low, high) in [(2, 0.052, 0.070), (5, 0.168, 0.190), (10, 0.275, 0.297)] {
        let turn = std::f64::consts::TAU / (senders + 1) as f64;
        let places: Vec<(f64, f64)> = (0..=senders)
            .map(|i| (50.0 * (turn * i as f64).cos(), 50.0 * (turn * i as f64).sin()))
            .collect();
        let pairs: Vec<(usize, usize)> = (0..senders).map(|i| (i, senders)).collect();
        let result = saturated(&places, &pairs, 50.0);
        let unanswered = 1.0 - result.mac.cts_sent as f64 / result.mac.rts_sent as f64;
        assert!((low..high).contains(&unanswered), "{senders} senders: {unanswered}");
    }
}
