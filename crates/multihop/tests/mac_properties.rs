//! Properties of DCF in whole networks, from the record of every transmission.

use crate::common::run;
use multihop::simulation::{FrameReport, Recording, RunResult};
use multihop::wire::FrameKind;
use proptest::prelude::*;

const SIFS_NS: u64 = 10_000;
const DIFS_NS: u64 = 50_000;

fn distance_m(result: &RunResult, a: u32, b: u32) -> f64 {
    let [p, q] = [a, b].map(|node| result.positions_m[node as usize]);
    ((p[0] - q[0]).powi(2) + (p[1] - q[1]).powi(2)).sqrt()
}

fn delay_ns(result: &RunResult, a: u32, b: u32) -> u64 {
    (distance_m(result, a, b) / 3e8 * 1e9).ceil() as u64
}

/// First and last instant of `frame` at `node`, if it senses the frame or sends it.
fn heard(result: &RunResult, frame: &FrameReport, node: u32) -> Option<(u64, u64)> {
    if distance_m(result, frame.transmitter, node) > 550.0 {
        return None;
    }
    let start = frame.time_ns + delay_ns(result, frame.transmitter, node);
    Some((start, start + frame.airtime_ns))
}

/// A network of `points` with CBR flows between neighbours in the list.
fn network(points: &[(u32, u32)], rate_bps: u32, profile: &str, seed: u64) -> RunResult {
    let positions: Vec<String> = points.iter().map(|(x, y)| format!("[{x}, {y}]")).collect();
    let flows: String = (1..points.len())
        .map(|i| {
            format!(
                "[[flows]]\nkind = \"cbr\"\nsource = {}\ndestination = {i}\nstart_s = 0.0{i}\n\
                 packet_bytes = 700\nrate_bps = {rate_bps}\n",
                i - 1
            )
        })
        .collect();
    let text = format!(
        "duration_s = 0.6\nprofile = \"{profile}\"\n[topology]\nkind = \"positions\"\n\
         positions_m = [{}]\n{flows}",
        positions.join(", ")
    );
    run(&text, seed, &Recording { frames: true, ..Recording::default() })
}

/// Each property returns a violation, if there is one.
fn own_transmissions_overlap(result: &RunResult) -> Option<String> {
    let mut last_end = vec![0; result.positions_m.len()];
    result.frames.iter().find_map(|frame| {
        let end = &mut last_end[frame.transmitter as usize];
        let overlaps = frame.time_ns < *end;
        *end = frame.time_ns + frame.airtime_ns;
        overlaps.then(|| format!("node {} sends twice at once: {frame:?}", frame.transmitter))
    })
}

/// The first frame of an exchange starts a DIFS or more after any frame that its sender senses or
/// sends.
fn an_exchange_starts_before_difs(result: &RunResult) -> Option<String> {
    let starts = result.frames.iter().enumerate().filter(|(_, frame)| {
        frame.kind == FrameKind::Rts || frame.kind == FrameKind::Data && frame.receiver.is_none()
    });
    starts.into_iter().find_map(|(i, frame)| {
        let node = frame.transmitter;
        let before = &result.frames[i.saturating_sub(200)..i];
        before.iter().find_map(|other| {
            let (start, end) = heard(result, other, node)?;
            // A signal that arrives at the same instant was not sensed when the station decided.
            let too_early = start < frame.time_ns && frame.time_ns < end + DIFS_NS;
            too_early.then(|| format!("{frame:?} starts within DIFS of {other:?}"))
        })
    })
}

/// A CTS or an ACK starts exactly SIFS after the frame that it answers.
fn an_answer_is_not_after_sifs(result: &RunResult) -> Option<String> {
    let answers = [(FrameKind::Cts, FrameKind::Rts), (FrameKind::Ack, FrameKind::Data)];
    result.frames.iter().enumerate().find_map(|(i, frame)| {
        let &(_, question) = answers.iter().find(|(answer, _)| *answer == frame.kind)?;
        let before = &result.frames[i.saturating_sub(200)..i];
        let answered = before.iter().any(|other| {
            other.kind == question
                && other.receiver == Some(frame.transmitter)
                && frame.receiver == Some(other.transmitter)
                && heard(result, other, frame.transmitter)
                    .is_some_and(|(_, end)| end + SIFS_NS == frame.time_ns)
        });
        (!answered).then(|| format!("nothing for {frame:?} to answer"))
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]
    #[test]
    fn dcf_obeys_its_rules_in_any_network(
        points in prop::collection::hash_set((0u32..900, 0u32..400), 2..9),
        rate_bps in 20_000u32..3_000_000,
        standard in any::<bool>(),
        seed in 0u64..1000,
    ) {
        let mut points: Vec<(u32, u32)> = points.into_iter().collect();
        points.sort_unstable();
        let profile = if standard { "standard" } else { "ns2" };
        let result = network(&points, rate_bps, profile, seed);
        prop_assert_eq!(own_transmissions_overlap(&result), None);
        prop_assert_eq!(an_answer_is_not_after_sifs(&result), None);
        if !standard {
            prop_assert_eq!(an_exchange_starts_before_difs(&result), None);
        }
    }
}

#[test]
fn the_record_of_frames_agrees_with_the_counters() {
    let points = [(0, 0), (200, 0), (400, 50), (600, 0)];
    let result = network(&points, 500_000, "ns2", 1);
    let count = |kind| result.frames.iter().filter(|frame| frame.kind == kind).count() as u64;
    assert_eq!(count(FrameKind::Rts), result.mac.rts_sent);
    assert_eq!(count(FrameKind::Cts), result.mac.cts_sent);
    assert_eq!(count(FrameKind::Ack), result.mac.ack_sent);
    assert_eq!(count(FrameKind::Data), result.mac.data_sent + result.mac.broadcast_sent);
    assert_eq!(result.frames.len() as u64, result.engine.transmissions);
}
