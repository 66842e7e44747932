//! Receivers driven by hand, with frames of 802.11a at 6 and 54 Mbit/s.

use proptest::prelude::*;

use super::*;
use crate::kernel::Duration;
use crate::radio::receiver::tests::known;
use crate::radio::sinr::{Levels, Waveform, noise_w};
use crate::radio::{CodeRate, Coding, Constellation};
use crate::wire::Rate;

const SLOW: Rate = Rate(0);
const FAST: Rate = Rate(1);

fn rules() -> Rules {
    let us = Duration::from_micros;
    let header = (Coding::Ofdm(Constellation::Bpsk, CodeRate::Half), 6e6);
    let waveform = |constellation, code_rate, rate_bps| Waveform {
        payload: (Coding::Ofdm(constellation, code_rate), rate_bps),
        header,
        sync: us(16),
        header_end: us(20),
        preamble: us(20),
        extension: Duration::ZERO,
        bandwidth_hz: 20e6,
    };
    let waveforms = [
        waveform(Constellation::Bpsk, CodeRate::Half, 6e6),
        waveform(Constellation::Qam64, CodeRate::ThreeQuarters, 54e6),
    ];
    let levels = Levels {
        noise_figure_db: 7.0,
        energy_detect_w: 1e-3 * 10f64.powf(-6.2),
        carrier_sense_w: 1e-3 * 10f64.powf(-8.2),
        preamble_ratio: 10f64.powf(0.4),
        capture_ratio: 10.0,
    };
    Rules::new(&waveforms, levels, 1)
}

/// Power at this level over noise \[dB\].
fn over_noise(db: f64) -> f64 {
    noise_w(20e6, 7.0) * 10f64.powf(db / 10.0)
}

fn frame(number: u32, [start_us, end_us]: [u64; 2], power_w: f64, rate: Rate) -> Arrival {
    let at = |us| Instant::from_nanos(us * 1000);
    Arrival {
        start: at(start_us),
        end: at(end_us),
        power_w,
        frame: number,
        duration_us: 7,
        traits: Traits::DECODABLE.with_rate(rate),
    }
}

fn wanted(frame: Arrival) -> Arrival {
    Arrival { traits: frame.traits.with_if(true, Traits::WANTED), ..frame }
}

/// What was reported: what, and when \[µs\].
#[derive(Debug, Default)]
struct Heard(Vec<(&'static str, u64)>);

impl Heard {
    fn note(&mut self, what: &'static str, at: Instant) {
        self.0.push((what, at.as_nanos() / 1000));
    }
}

impl CarrierSense for Heard {
    fn on_busy(&mut self, at: Instant) {
        self.note("busy", at);
    }
    fn on_idle(&mut self, at: Instant) {
        self.note("idle", at);
    }
    fn on_lost(&mut self, at: Instant) {
        self.note("lost", at);
    }
    fn on_overheard(&mut self, at: Instant, _: Duration, _: bool) {
        self.note("overheard", at);
    }
    fn on_captured(&mut self, _: Instant, _: Duration) {}
    fn on_collision(&mut self) {
        self.0.push(("collision", 0));
    }
}

/// What a receiver reports about these frames by `now` \[µs\].
fn hear(frames: &[Arrival], now: u64) -> (SinrReceiver, Vec<(&'static str, u64)>) {
    let mut receiver = SinrReceiver::new(NodeId(0));
    let mut heard = Heard::default();
    let now = Instant::from_nanos(now * 1000);
    receiver.catch_up(frames, now, &rules().into(), &mut heard);
    (receiver, heard.0)
}

#[test]
fn a_strong_frame_for_others_is_overheard() {
    let frames = [frame(1, [100, 300], over_noise(30.0), FAST)];
    assert_eq!(hear(&frames, 500).1, [("busy", 100), ("overheard", 300), ("idle", 300)]);
}

#[test]
fn a_wanted_frame_waits_for_the_mac() {
    let frames = [wanted(frame(1, [100, 300], over_noise(30.0), FAST))];
    let (mut receiver, heard) = hear(&frames, 300);
    assert_eq!(heard, [("busy", 100)]);
    let (end, mut more) = (Instant::from_nanos(300_000), Heard::default());
    assert!(receiver.finish(1, end) && !receiver.finish(2, end));
    assert_eq!(receiver.last_w(), over_noise(30.0));
    assert_eq!(receiver.followed().map(|followed| followed.end), Some(end));
    receiver.release(1, end, &rules().into(), &mut more);
    assert!(receiver.followed().is_none() && !receiver.finish(1, end));
    assert_eq!(more.0, [("idle", 300)]);
    assert_eq!(receiver.busy_until(), None);
}

#[test]
fn what_is_weaker_than_carrier_sense_is_nothing_and_what_is_too_fast_is_lost() {
    // -82 dBm are 12 dB over noise: enough to notice, not for 54 Mbit/s.
    assert_eq!(hear(&[frame(1, [100, 300], over_noise(11.8), SLOW)], 500).1, []);
    let lost = [("busy", 100), ("lost", 300), ("idle", 300)];
    assert_eq!(hear(&[frame(1, [100, 300], over_noise(12.2), FAST)], 500).1, lost);
    let good = [("busy", 100), ("overheard", 300), ("idle", 300)];
    assert_eq!(hear(&[frame(1, [100, 300], over_noise(12.2), SLOW)], 500).1, good);
}

#[test]
fn a_preamble_that_another_frame_covers_is_only_energy() {
    // Equal power: neither is noticed, and nobody waits EIFS.
    let level = over_noise(20.0);
    let both = [frame(1, [100, 600], level, SLOW), frame(2, [102, 600], level, SLOW)];
    assert_eq!(hear(&both, 700).1, [("busy", 100), ("idle", 104)]);
    // Later than its detection the second one ruins the first.
    let later = [frame(1, [100, 600], level, SLOW), frame(2, [105, 600], level, SLOW)];
    assert_eq!(hear(&later, 700).1, [("busy", 100), ("lost", 600), ("idle", 600)]);
}

#[test]
fn the_stronger_of_two_preambles_at_once_is_detected() {
    let (weak, strong) = (over_noise(15.0), over_noise(24.0));
    let frames = [frame(1, [100, 600], weak, SLOW), frame(2, [103, 500], strong, SLOW)];
    assert_eq!(hear(&frames, 700).1, [("busy", 100), ("overheard", 500), ("idle", 500)]);
}

#[test]
fn interferers_add_up() {
    // 18.4 dB over one interferer and noise, 13.9 dB over three: too little for 54 Mbit/s, not for
    // 6.
    let frames = |rate| {
        [
            wanted(frame(1, [100, 600], over_noise(31.0), rate)),
            frame(2, [200, 700], over_noise(12.5), SLOW),
            frame(3, [300, 700], over_noise(12.5), SLOW),
            frame(4, [310, 700], over_noise(12.5), SLOW),
        ]
    };
    let at = Instant::from_nanos(600_000);
    assert!(hear(&frames(SLOW), 600).0.finish(1, at));
    assert!(!hear(&frames(FAST), 600).0.finish(1, at));
    // Without them it is received.
    let alone = [wanted(frame(1, [100, 600], over_noise(31.0), FAST))];
    assert!(hear(&alone, 600).0.finish(1, at));
}

#[test]
fn interference_counts_only_while_it_lasts() {
    // 13 dB over the interferer, which 54 Mbit/s does not stand; but only the synchronisation is
    // hit.
    let frames = |start_us: u64, end_us: u64| {
        [
            frame(9, [start_us, end_us], over_noise(11.0), SLOW),
            wanted(frame(1, [100, 600], over_noise(24.0), FAST)),
        ]
    };
    let at = Instant::from_nanos(600_000);
    assert!(hear(&frames(50, 116), 600).0.finish(1, at));
    assert!(!hear(&frames(50, 200), 600).0.finish(1, at));
}

#[test]
fn a_much_stronger_frame_takes_the_receiver() {
    let frames = |power_w| {
        [
            wanted(frame(1, [100, 600], over_noise(15.0), SLOW)),
            wanted(frame(2, [200, 500], power_w, SLOW)),
        ]
    };
    let at = Instant::from_nanos(500_000);
    let (receiver, heard) = hear(&frames(over_noise(25.5)), 500);
    assert!(receiver.finish(2, at));
    assert_eq!(heard, [("busy", 100), ("collision", 0)]);
    assert!(!hear(&frames(over_noise(24.5)), 500).0.finish(2, at));
}

#[test]
fn the_medium_is_busy_to_the_end_of_every_noticed_frame() {
    let frames = [
        frame(1, [100, 600], over_noise(15.0), SLOW),
        frame(2, [200, 500], over_noise(28.0), SLOW),
    ];
    let expected = [("busy", 100), ("overheard", 500), ("idle", 600)];
    assert_eq!(hear(&frames, 900).1, expected);
    let (receiver, _) = hear(&frames, 400);
    // The receiver wants to be asked when the frame that it is locked on ends.
    assert_eq!(receiver.busy_until(), Some(Instant::from_nanos(500_000)));
}

#[test]
fn energy_alone_makes_the_medium_busy() {
    // The second frame is not noticed behind the first, which ends early; -62 dBm are 32 dB over
    // noise.
    let frames = [
        frame(1, [100, 200], over_noise(40.0), SLOW),
        frame(2, [110, 500], over_noise(32.5), SLOW),
        frame(3, [120, 600], over_noise(20.0), SLOW),
    ];
    let expected = [("busy", 100), ("overheard", 200), ("idle", 500)];
    assert_eq!(hear(&frames, 900).1, expected);
}

#[test]
fn a_node_that_sends_hears_nothing() {
    let rules = RulesByPhy::from(rules());
    let mut receiver = SinrReceiver::new(NodeId(0));
    let mut heard = Heard::default();
    receiver.begin_emission(Instant::from_nanos(150_000), &mut heard);
    let frames = [
        wanted(frame(1, [100, 300], over_noise(20.0), SLOW)),
        wanted(frame(2, [400, 600], over_noise(20.0), SLOW)),
    ];
    receiver.catch_up(&frames, Instant::from_nanos(450_000), &rules, &mut heard);
    assert_eq!(heard.0, [("busy", 400)]);
    receiver.begin_emission(Instant::from_nanos(470_000), &mut heard);
    receiver.catch_up(&[], Instant::from_nanos(900_000), &rules, &mut heard);
    assert_eq!(heard.0, [("busy", 400), ("idle", 600)], "its end is not heard, but known");
}

#[test]
fn the_share_of_frames_received_is_that_of_the_error_rate() {
    // 1000 bytes of payload at 54 Mbit/s at 19.5 dB; each frame has a draw of its own.
    let coding = Coding::Ofdm(Constellation::Qam64, CodeRate::ThreeQuarters);
    let bits = 54e6 * 148e-6;
    for snr_db in [19.0, 19.5, 20.0] {
        let expected = (1.0 - coding.bit_error_rate(10f64.powf(snr_db / 10.0))).powf(bits);
        let mut received = 0.0;
        for n in 0..2000 {
            let at = 1000 * n;
            let frames = [wanted(frame(1, [at, at + 168], over_noise(snr_db), FAST))];
            let (receiver, _) = hear(&frames, at + 168);
            if receiver.finish(1, frames[0].end) {
                received += 1.0;
            }
        }
        // Five standard deviations, and what a fortieth of a decibel makes.
        let share = received / 2000.0;
        assert!((share - expected).abs() < 0.06, "{snr_db} dB: {share}, not {expected}");
    }
}

#[test]
fn an_interferer_spoils_the_mpdus_that_it_overlaps() {
    let us = Duration::from_micros;
    let mut rules = RulesByPhy::from(rules());
    rules.of_mut(NodeId(0)).begin_aggregate(1, [us(120), us(220), us(320), us(400)].into_iter());
    let mut aggregate = wanted(frame(1, [100, 500], over_noise(25.0), FAST));
    aggregate.traits = aggregate.traits.with_if(true, Traits::AGGREGATE);
    // From the end of the second MPDU into the third.
    let other = frame(2, [330, 410], over_noise(18.0), FAST);
    let received = |frames: &[Arrival]| {
        let mut receiver = SinrReceiver::new(NodeId(0));
        let end = Instant::from_nanos(500_000);
        receiver.catch_up(frames, end, &rules, &mut Heard::default());
        (
            receiver.finish(1, end),
            receiver.parts_received(),
            receiver.parts_good_alone(rules.of(NodeId(0))).map(|lost| lost.1),
        )
    };
    assert_eq!(received(&[aggregate]), (true, 0b1111.into(), None));
    assert_eq!(received(&[aggregate, other]), (true, 0b1011.into(), Some(0b1111.into())));
    // Over the header nothing is received.
    let at_first = frame(2, [110, 125], over_noise(24.0), FAST);
    assert!(!received(&[aggregate, at_first]).0);
}

/// What became of the frames for this node, and the number of the frame that they were lost to.
#[derive(Debug, Default)]
struct Fates(Vec<(u32, &'static str, u32)>);

impl CarrierSense for Fates {
    fn on_busy(&mut self, _: Instant) {}
    fn on_idle(&mut self, _: Instant) {}
    fn on_lost(&mut self, _: Instant) {}
    fn on_overheard(&mut self, _: Instant, _: Duration, _: bool) {}
    fn on_captured(&mut self, _: Instant, _: Duration) {}
    fn on_collision(&mut self) {}
    fn on_fate(&mut self, frame: &Arrival, fate: Fate<'_>) {
        let (word, by) = match fate {
            Fate::Received => ("received", 0),
            Fate::Collided(other) => ("collided", other.frame),
            Fate::Captured(other) => ("captured", other.frame),
            Fate::Undetected(other) => ("undetected", other.frame),
            Fate::Sending => ("sending", 0),
            Fate::Weak => ("weak", 0),
        };
        self.0.push((frame.frame, word, by));
    }
    fn minds_fates(&self) -> bool {
        true
    }
}

fn fates(frames: &[Arrival], sends: Option<[u64; 2]>) -> Vec<(u32, &'static str, u32)> {
    let mut receiver = SinrReceiver::new(NodeId(0));
    let (mut found, rules) = (Fates::default(), RulesByPhy::from(rules()));
    let at = |us| Instant::from_nanos(us * 1000);
    let mut seen = 0;
    if let Some([from, until]) = sends {
        seen = receiver.catch_up(frames, at(from), &rules, &mut found);
        receiver.begin_emission(at(until), &mut found);
    }
    receiver.catch_up(&frames[seen..], at(5000), &rules, &mut found);
    found.0
}

#[test]
fn a_lost_frame_tells_what_it_lacked() {
    let for_here =
        |frame: Arrival| Arrival { traits: frame.traits.with_if(true, Traits::FOR_HERE), ..frame };
    let other = |number, at, db| frame(number, at, over_noise(db), SLOW);
    let ours = |at, db, rate| for_here(frame(9, at, over_noise(db), rate));
    // 15 dB over noise, and no more than -3 and -8 dB over the two that were on the air: 3 is the
    // stronger.
    let among =
        [other(2, [100, 900], 18.0), other(3, [200, 950], 23.0), ours([960, 1200], 15.0, SLOW)];
    assert_eq!(fates(&among, None), [(9, "received", 0)], "they are over");
    let busy =
        [other(2, [100, 2000], 30.0), other(3, [200, 2100], 35.0), ours([960, 1200], 15.0, SLOW)];
    assert_eq!(fates(&busy, None), [(9, "captured", 2)], "the receiver is locked");
    // It sends from 90 to 300 µs and so follows neither of the two that begin meanwhile.
    assert_eq!(fates(&busy, Some([90, 300])), [(9, "undetected", 3)]);
    assert_eq!(fates(&[ours([100, 300], 30.0, SLOW)], Some([90, 110])), [(9, "sending", 0)]);
    assert_eq!(fates(&[ours([100, 900], 30.0, SLOW)], Some([500, 510])), [(9, "sending", 0)]);
    // 54 Mbit/s need some 20 dB over noise.
    assert_eq!(fates(&[ours([100, 900], 13.0, FAST)], None), [(9, "weak", 0)]);
    assert_eq!(
        fates(&[ours([100, 900], 30.0, FAST), other(2, [300, 700], 15.0)], None),
        [(9, "collided", 2)]
    );
    let both = [ours([100, 900], 13.0, FAST), other(2, [300, 700], -3.0)];
    assert_eq!(fates(&both, None), [(9, "weak", 0)], "it would have been lost without the other");
}

/// Frames for others from far below the noise to far above it, or broadcasts that nobody will ask
/// for, which count if they collide.
fn arrivals() -> impl Strategy<Value = Vec<Arrival>> {
    let parts = (0u64..400, 20u64..300, -20f64..40.0, any::<bool>(), prop::bool::weighted(0.2));
    prop::collection::vec(parts, 0..60).prop_map(|frames| {
        let mut start = 0;
        let arrival = |(number, (gap, airtime, db, is_fast, counts)): (u32, _)| {
            start += gap;
            let rate = if is_fast { FAST } else { SLOW };
            let mut arrival = frame(number, [start, start + airtime], over_noise(db), rate);
            let is_noticed = rules().is_noticed(arrival.power_w, rate);
            arrival.traits = Traits::default()
                .with_rate(rate)
                .with_if(is_noticed, Traits::DECODABLE)
                .with_if(is_noticed && counts, Traits::FOR_HERE);
            arrival
        };
        (0..).zip(frames).map(arrival).collect()
    })
}

proptest! {
    #[test]
    fn what_is_passed_over_does_not_matter(
        arrivals in arrivals(), emission_us in 0u64..300, halt_us in 0u64..15_000, rest_us in 0u64..300,
    ) {
        let times = [emission_us, halt_us, halt_us + rest_us].map(|us| Instant::from_nanos(us * 1000));
        let run = |passes_over| {
            let receiver = SinrReceiver::new(NodeId(0));
            let (receiver, what) = known(receiver, &rules().into(), &arrivals, times, passes_over);
            (receiver.total_w, what)
        };
        prop_assert_eq!(run(true), run(false));
    }
}
