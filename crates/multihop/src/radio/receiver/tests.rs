use std::fmt::Debug;

use super::*;
use crate::kernel::Duration;
use crate::radio::{LastHeard, Lasting};
use proptest::prelude::*;

#[derive(Debug, Default, PartialEq)]
struct Heard(Vec<String>);

impl CarrierSense for Heard {
    fn on_busy(&mut self, at: Instant) {
        self.0.push(format!("busy {}", at.as_nanos()));
    }
    fn on_idle(&mut self, at: Instant) {
        self.0.push(format!("idle {}", at.as_nanos()));
    }
    fn on_lost(&mut self, at: Instant) {
        self.0.push(format!("lost {}", at.as_nanos()));
    }
    fn on_overheard(&mut self, at: Instant, duration: Duration, _is_rts: bool) {
        self.0.push(format!("overheard {} for {}", at.as_nanos(), duration.as_nanos() / 1000));
    }
    fn on_captured(&mut self, at: Instant, airtime: Duration) {
        self.0.push(format!("captured {} of {}", at.as_nanos(), airtime.as_nanos()));
    }
    fn on_collision(&mut self) {
        self.0.push("collision".into());
    }
}

/// A frame in the air from `start` to `end` with this power; decodable from power 10 on.
fn frame(number: u32, start: u64, end: u64, power_w: f64, wanted: bool) -> Arrival {
    Arrival {
        start: Instant::from_nanos(start),
        end: Instant::from_nanos(end),
        power_w,
        frame: number,
        duration_us: 7,
        traits: Traits::default()
            .with_if(power_w >= 10.0, Traits::DECODABLE)
            .with_if(wanted && power_w >= 10.0, Traits::WANTED),
    }
}

const CAPTURE: f64 = 10.0;

fn heard(arrivals: &[Arrival], until: u64) -> (Receiver, Vec<String>) {
    let (mut receiver, mut heard) = (Receiver::default(), Heard::default());
    receiver.catch_up(arrivals, Instant::from_nanos(until), &CAPTURE, &mut heard);
    (receiver, heard.0)
}

#[test]
fn a_frame_for_someone_else_is_overheard() {
    let (receiver, log) = heard(&[frame(0, 100, 200, 10.0, false)], 200);
    assert_eq!(log, ["busy 100", "overheard 200 for 7", "idle 200"]);
    assert!(receiver.followed().is_none());
}

#[test]
fn a_start_at_the_present_is_still_to_come() {
    let (receiver, log) = heard(&[frame(0, 100, 200, 10.0, false)], 100);
    assert!(log.is_empty() && receiver.followed().is_none());
}

#[test]
fn a_wanted_frame_is_left_to_its_own_event() {
    let (mut receiver, log) = heard(&[frame(3, 100, 200, 10.0, true)], 200);
    assert_eq!(log, ["busy 100"]);
    let now = Instant::from_nanos(200);
    assert!(receiver.finish(3, now));
    assert!(!receiver.finish(4, now));
    let mut log = Heard::default();
    receiver.release(3, now, &CAPTURE, &mut log);
    assert_eq!(log.0, ["idle 200"]);
}

#[test]
fn a_frame_too_weak_to_decode_is_lost_but_keeps_the_receiver_busy() {
    let (_, log) = heard(&[frame(0, 100, 200, 1.0, true)], 300);
    assert_eq!(log, ["busy 100", "lost 200", "idle 200"]);
}

#[test]
fn the_first_frame_survives_one_ten_times_weaker() {
    let (receiver, log) =
        heard(&[frame(0, 100, 200, 100.0, true), frame(1, 150, 400, 10.0, true)], 200);
    assert_eq!(log, ["busy 100", "captured 150 of 250"]);
    assert!(receiver.finish(0, Instant::from_nanos(200)));
}

#[test]
fn a_stronger_second_frame_is_lost_with_the_first() {
    let (receiver, log) =
        heard(&[frame(0, 100, 200, 1.0, true), frame(1, 150, 400, 1000.0, true)], 400);
    assert_eq!(log, ["busy 100", "collision", "lost 400", "idle 400"]);
    assert!(receiver.followed().is_none());
}

#[test]
fn of_two_collided_frames_the_longer_keeps_the_receiver_busy() {
    let (_, log) = heard(&[frame(0, 100, 400, 20.0, true), frame(1, 150, 200, 20.0, true)], 500);
    assert_eq!(log, ["busy 100", "collision", "collision", "lost 400", "idle 400"]);
}

#[test]
fn an_end_comes_before_a_start_at_the_same_instant() {
    let (_, log) = heard(&[frame(0, 100, 200, 20.0, false), frame(1, 200, 300, 20.0, false)], 300);
    let expected = ["busy 100", "overheard 200 for 7", "idle 200"];
    assert_eq!(log[..3], expected);
    assert_eq!(log[3..], ["busy 200", "overheard 300 for 7", "idle 300"]);
}

#[test]
fn a_later_and_weaker_frame_is_captured_by_a_shorter_one() {
    let (receiver, log) =
        heard(&[frame(1, 101, 120, 100.0, true), frame(0, 105, 205, 10.0, false)], 120);
    assert_eq!(log, ["busy 101", "captured 105 of 100"]);
    assert!(receiver.finish(1, Instant::from_nanos(120)));
}

#[test]
fn sending_spoils_what_is_being_received_and_what_starts_meanwhile() {
    let (mut receiver, mut log) = (Receiver::default(), Heard::default());
    let arrivals = [frame(0, 100, 300, 20.0, true)];
    receiver.catch_up(&arrivals, Instant::from_nanos(150), &CAPTURE, &mut log);
    receiver.begin_emission(Instant::from_nanos(250), &mut Heard::default());
    receiver.catch_up(&[], Instant::from_nanos(300), &CAPTURE, &mut log);
    assert_eq!(log.0, ["busy 100", "lost 300", "idle 300"]);

    let (mut receiver, mut log) = (Receiver::default(), Heard::default());
    receiver.begin_emission(Instant::from_nanos(250), &mut Heard::default());
    receiver.catch_up(
        &[frame(0, 240, 300, 20.0, true)],
        Instant::from_nanos(300),
        &CAPTURE,
        &mut log,
    );
    assert_eq!(log.0, ["busy 240", "lost 300", "idle 300"]);
}

#[test]
fn a_frame_that_ends_while_this_node_sends_was_never_noticed() {
    let (mut receiver, mut log) = (Receiver::default(), Heard::default());
    receiver.begin_emission(Instant::from_nanos(400), &mut Heard::default());
    receiver.catch_up(
        &[frame(0, 240, 300, 20.0, false)],
        Instant::from_nanos(400),
        &CAPTURE,
        &mut log,
    );
    assert_eq!(log.0, ["busy 240", "idle 300"]);
}

#[test]
fn a_frame_that_starts_as_the_emission_ends_is_received() {
    let (mut receiver, mut log) = (Receiver::default(), Heard::default());
    receiver.begin_emission(Instant::from_nanos(240), &mut Heard::default());
    receiver.catch_up(
        &[frame(9, 240, 300, 20.0, true)],
        Instant::from_nanos(300),
        &CAPTURE,
        &mut log,
    );
    assert!(receiver.finish(9, Instant::from_nanos(300)));
}

/// What matters to a station that sends nothing: until when its NAV is set, how many collisions
/// there were, and whether the last frame was lost.
#[derive(Debug, Default, PartialEq)]
struct Nav {
    until: Instant,
    collisions: u32,
    is_lost: Option<bool>,
}

const EIFS: Duration = Duration::from_micros(364);

impl CarrierSense for Nav {
    fn on_busy(&mut self, _at: Instant) {}
    fn on_idle(&mut self, _at: Instant) {}
    fn on_lost(&mut self, at: Instant) {
        self.until = self.until.max(at + EIFS);
        self.is_lost = Some(true);
    }
    fn on_overheard(&mut self, at: Instant, duration: Duration, _is_rts: bool) {
        self.until = self.until.max(at + duration);
        self.is_lost = Some(false);
    }
    fn on_captured(&mut self, at: Instant, airtime: Duration) {
        self.until = self.until.max(at + airtime + EIFS);
    }
    fn on_collision(&mut self) {
        self.collisions += 1;
    }
    fn minds_the_last(&self) -> bool {
        true
    }
    fn on_passed_over(&mut self, last: LastHeard) {
        self.is_lost = last.is_lost.or(self.is_lost);
    }
}

/// Frames for someone else, or broadcasts that nobody will ask for, which count if they collide.
fn arrivals() -> impl Strategy<Value = Vec<Arrival>> {
    let parts = (0u64..8000, 200u64..4500, 0usize..4, 0u16..6000, prop::bool::weighted(0.2));
    prop::collection::vec(parts, 0..60).prop_map(|frames| {
        let mut start = 0;
        let arrival = |(gap, airtime, power, duration_us, counts)| {
            start += gap * 1000;
            let end = start + airtime * 1000;
            let mut arrival = frame(0, start, end, [1.0, 10.0, 90.0, 900.0][power], false);
            arrival.duration_us = duration_us;
            let is_decodable = arrival.traits.has(Traits::DECODABLE);
            arrival.traits = arrival.traits.with_if(counts && is_decodable, Traits::FOR_HERE);
            arrival
        };
        frames.into_iter().map(arrival).collect()
    })
}

fn lasting(arrivals: &[Arrival]) -> Lasting {
    let mut lasting = Lasting::default();
    for arrival in arrivals {
        lasting.extend(arrival.end - arrival.start, arrival.announced().max(EIFS) + EIFS);
    }
    lasting
}

/// What a receiver that sends until `emission` knows `now`, whether or not it passes over arrivals
/// at `halt`.
pub fn known<R: Reception>(
    mut receiver: R,
    rules: &R::Rules,
    arrivals: &[Arrival],
    [emission, halt, now]: [Instant; 3],
    passes_over: bool,
) -> (R, impl Debug + PartialEq + use<R>) {
    let mut nav = Nav::default();
    receiver.begin_emission(emission, &mut Heard::default());
    let mut seen = 0;
    if passes_over {
        let is_counted = |arrival: &Arrival| arrival.traits.has(Traits::FOR_HERE);
        let counted = arrivals.iter().rposition(is_counted).map_or(0, |last| last + 1);
        let past = OldArrivals { arrivals, counted, now: halt, lasting: &lasting(arrivals) };
        seen = receiver.pass_over(&past, rules, &mut nav);
    }
    seen += receiver.catch_up(&arrivals[seen..], now, rules, &mut nav);
    // A NAV that is over for longer than an interframe space no longer matters.
    let until = nav.until.max(now - EIFS.min(now - Instant::ZERO));
    let followed = receiver.followed();
    (receiver, (seen, followed, nav.collisions, nav.is_lost, until))
}

proptest! {
    #[test]
    fn what_is_passed_over_does_not_matter(
        arrivals in arrivals(), emission_us in 0u64..3000, halt_us in 0u64..150_000, rest_us in 0u64..3000,
    ) {
        let times = [emission_us, halt_us, halt_us + rest_us].map(|us| Instant::from_nanos(us * 1000));
        let run = |passes_over| known(Receiver::default(), &CAPTURE, &arrivals, times, passes_over).1;
        prop_assert_eq!(run(true), run(false));
    }
}

#[test]
fn a_frame_amid_another_is_not_taken_for_one_alone() {
    // The weak one would be lost alone, the strong one within it received: together both are lost.
    let arrivals =
        [frame(0, 0, 2_688_000, 1.0, false), frame(1, 1_668_000, 1_868_000, 10.0, false)];
    let (mut receiver, mut nav) = (Receiver::default(), Nav::default());
    let now = Instant::from_nanos(9_000_000);
    // The first was counted, so that passing over begins amid it.
    let past = OldArrivals { arrivals: &arrivals, counted: 1, now, lasting: &lasting(&arrivals) };
    assert_eq!(receiver.pass_over(&past, &CAPTURE, &mut nav), 2);
    assert_eq!(nav.is_lost, Some(true));
}

#[test]
fn only_the_last_of_what_a_bystander_heard_is_left() {
    // A frame of 1 ms every 2 ms, each with a NAV of 7 µs: of a hundred those matter that began in
    // the last 1.8 ms.
    let each = |i: u32| {
        frame(i, u64::from(i) * 2_000_000, u64::from(i) * 2_000_000 + 1_000_000, 10.0, false)
    };
    let arrivals: Vec<Arrival> = (0..100).map(each).collect();
    let pass_over = |arrivals: &[Arrival], counted, now| {
        let (mut receiver, mut nav) = (Receiver::default(), Nav::default());
        let past = OldArrivals {
            arrivals,
            counted,
            now: Instant::from_nanos(now),
            lasting: &lasting(arrivals),
        };
        receiver.pass_over(&past, &CAPTURE, &mut nav)
    };
    assert_eq!(pass_over(&arrivals, 0, 198_500_000), 99, "the last is under way");
    assert_eq!(pass_over(&arrivals, 0, 200_000_000), 100);
    assert_eq!(pass_over(&arrivals, 50, 200_000_000), 100, "those that count were worked off");
    let overlap: Vec<Arrival> =
        (0..100).map(|i| Arrival { end: each(i + 1).end, ..each(i) }).collect();
    assert_eq!(pass_over(&overlap, 0, 199_000_000), 0, "it was never idle");
}
