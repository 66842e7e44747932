//! CUBIC against the closed forms of RFC 9438, driven by hand.

use proptest::prelude::*;

use super::*;
use crate::transport::congestion::{Ack, CongestionControl, LimitedBy, Loss, Window};

/// C \[segments/s^3\] and the decrease factor (RFC 9438 sections 5.1 and 4.6).
const C: f64 = 0.4;
const BETA: f64 = 0.7;
/// What Reno's estimated window gains in a round trip (section 4.3).
const ALPHA: f64 = 9.0 / 17.0;

/// A congestion control whose every window is acknowledged in a round trip.
struct Hand {
    control: Box<dyn CongestionControl>,
    window: Window,
    now: Instant,
    rtt: Duration,
}

impl Hand {
    /// A window of `cwnd` segments past slow start.
    fn new(scheme: Flavour, cwnd: f64, rtt_s: f64) -> Hand {
        let mut window = Window::new(2, 1_000_000, Profile::Standard);
        window.cwnd = cwnd;
        let rtt = Duration::from_secs_f64(rtt_s);
        Hand { control: windowed(scheme).0, window, now: Instant::from_nanos(1_000_000_000), rtt }
    }

    /// The acknowledgment of one more segment, a window's share of a round trip later.
    fn ack(&mut self) -> f64 {
        self.now += Duration::from_secs_f64(self.rtt.as_secs_f64() / self.window.cwnd);
        self.ack_now(LimitedBy::Window)
    }

    fn ack_now(&mut self, limited_by: LimitedBy) -> f64 {
        let ack = Ack {
            now: self.now,
            rtt: Some(self.rtt),
            smoothed_rtt: Some(self.rtt),
            min_rtt: Some(self.rtt),
            delivered: 1,
            delivered_total: 1,
            in_flight: self.window.cwnd as u32,
            duplicates: 0,
            limited_by,
        };
        self.control.on_ack(&mut self.window, &ack);
        self.window.cwnd
    }

    fn acks(&mut self, segments: u32) {
        for _ in 0..segments {
            self.ack();
        }
    }

    /// A loss with the whole window outstanding.
    fn lose(&mut self) -> f64 {
        let loss = Loss { now: self.now, in_flight: self.window.cwnd as u32, duplicates: 3 };
        self.control.on_loss(&mut self.window, &loss);
        self.window.cwnd
    }

    fn expire(&mut self, in_flight: u32) {
        let loss = Loss { now: self.now, in_flight, duplicates: 0 };
        self.control.on_timeout(&mut self.window, &loss);
    }

    /// Acknowledgments for `seconds`: time since the first of them, and the window after each.
    fn run(&mut self, seconds: f64) -> Vec<(f64, f64)> {
        self.ack();
        let start = self.now;
        let mut windows = vec![(0.0, self.window.cwnd)];
        while windows.last().is_some_and(|&(t, _)| t < seconds) {
            let cwnd = self.ack();
            windows.push(((self.now - start).as_secs_f64(), cwnd));
        }
        windows
    }
}

fn assert_near(got: f64, expected: f64, error: f64, what: &str) {
    assert!((got - expected).abs() <= error, "{what}: {got}, expected {expected}");
}

/// W(t) = C (t - K)^3 + W_max from a window of `epoch` on.
fn curve(w_max: f64, epoch: f64) -> impl Fn(f64) -> f64 {
    let k = ((w_max - epoch) / C).cbrt();
    move |t| C * (t - k).powi(3) + w_max
}

#[test]
fn after_a_loss_the_window_follows_the_cubic_curve() {
    let mut hand = Hand::new(Flavour::Cubic, 100.0, 0.2);
    assert_near(hand.lose(), 70.0, 1e-12, "0.7 of the segments in flight");
    assert_eq!(hand.window.ssthresh, 70);
    // The window approaches W(t + RTT) over a round trip, which lags the curve by RTT^2 W'' / 2:
    // 0.2 segments.
    let expected = curve(100.0, 70.0);
    for (t, cwnd) in hand.run(9.0) {
        assert_near(cwnd, expected(t), 0.3, &format!("{t} s"));
    }
}

#[test]
fn growth_slows_down_to_the_old_window_and_speeds_up_beyond_it() {
    let mut hand = Hand::new(Flavour::Cubic, 100.0, 0.2);
    hand.lose();
    let run = hand.run(8.4);
    let at = |t: f64| run.iter().find(|&&(time, _)| time >= t).unwrap().1;
    let gains: Vec<f64> = (0..8).map(|s| at(f64::from(s) + 0.3) - at(f64::from(s) - 0.7)).collect();
    // K is 4.22 s.
    assert!(gains[1..=4].windows(2).all(|pair| pair[1] < pair[0]), "concave: {gains:?}");
    assert!(gains[4..].windows(2).all(|pair| pair[1] > pair[0]), "convex: {gains:?}");
    assert!(gains[4] < 0.4, "a plateau: {gains:?}");
}

#[test]
fn with_short_round_trips_the_window_grows_like_renos_estimate() {
    let mut hand = Hand::new(Flavour::Cubic, 40.0, 0.001);
    assert_near(hand.lose(), 28.0, 1e-12, "0.7 of the window");
    hand.ack();
    // A gain of alpha / cwnd for each segment makes the square of the window grow by 2 alpha.
    let mut segments = 0.0;
    while hand.window.cwnd < 40.0 {
        let cwnd = hand.ack();
        segments += 1.0;
        let expected = (28.0f64.powi(2) + 2.0 * ALPHA * segments).sqrt();
        assert_near(cwnd, expected, 0.02, "towards the old window");
    }
    // From there on at Reno's own rate.
    let from = hand.window.cwnd;
    for n in 1..=1000 {
        let expected = (from.powi(2) + 2.0 * f64::from(n)).sqrt();
        assert_near(hand.ack(), expected, 0.02, "beyond it");
    }
}

/// The mean window \[segments\] with a loss after every `segments`.
fn mean_window(scheme: Flavour, segments: u32) -> f64 {
    let mut hand = Hand::new(scheme, 50.0, 0.001);
    let cycle = |hand: &mut Hand| -> f64 {
        let start = hand.now;
        hand.acks(segments);
        let round_trips = (hand.now - start).as_secs_f64() / 0.001;
        hand.lose();
        f64::from(segments) / round_trips
    };
    // The first cycles settle.
    let means: Vec<f64> = (0..40).map(|_| cycle(&mut hand)).collect();
    means[20..].iter().sum::<f64>() / 20.0
}

#[test]
fn in_the_friendly_region_the_mean_window_is_renos() {
    // AVG_AIMD(1, 0.5) with p = 1 / segments (section 4.3, equation 3). Whole segments in flight
    // cost up to 2 %.
    for segments in [500, 2000, 8000] {
        let expected = (1.5 * f64::from(segments)).sqrt();
        let (reno, cubic) =
            (mean_window(Flavour::Reno, segments), mean_window(Flavour::Cubic, segments));
        assert_near(reno / expected, 1.0, 0.02, "Reno");
        assert_near(cubic / expected, 1.0, 0.02, "CUBIC");
    }
}

#[test]
fn a_loss_below_the_last_one_moves_the_plateau_further_down() {
    let mut hand = Hand::new(Flavour::Cubic, 100.0, 0.2);
    hand.lose();
    while hand.ack() < 80.0 {}
    let before = hand.window.cwnd;
    let epoch = hand.lose();
    assert_near(epoch, 0.7 * 80.0, 1e-9, "0.7 of the 80 in flight");
    // Fast convergence: W_max is 0.85 of the window, not the window.
    let plateau = before * (1.0 + BETA) / 2.0;
    let expected = curve(plateau, epoch);
    for (t, cwnd) in hand.run(5.0) {
        assert_near(cwnd, expected(t), 0.3, &format!("{t} s"));
    }
    // A loss above the plateau: W_max is the window again.
    let before = hand.window.cwnd;
    assert!(before > plateau);
    let epoch = hand.lose();
    let expected = curve(before, epoch);
    let (t, cwnd) = *hand.run(2.0).last().unwrap();
    assert_near(cwnd, expected(t), 0.3, "after the third loss");
}

#[test]
fn after_a_timeout_slow_start_leads_to_a_curve_that_begins_at_its_plateau() {
    let mut hand = Hand::new(Flavour::Cubic, 200.0, 0.5);
    hand.lose();
    hand.run(1.0);
    hand.expire(100);
    assert_eq!((hand.window.cwnd, hand.window.ssthresh), (1.0, 70));
    for n in 2..=70 {
        assert_eq!(hand.ack(), f64::from(n));
    }
    // W(t) = W_max + C t^3 with the window at the end of slow start as W_max, and K = 0. The lag is
    // RTT^2 W'' / 2 = 0.3 t.
    for (t, cwnd) in hand.run(5.0) {
        let reno = 70.0 + ALPHA * t / 0.5;
        assert_near(cwnd, (70.0 + C * t.powi(3)).max(reno), 0.3 + 0.3 * t, &format!("{t} s"));
    }
}

#[test]
fn repeated_timeouts_keep_the_threshold_of_the_first() {
    let mut hand = Hand::new(Flavour::Cubic, 50.0, 0.1);
    (0..3).for_each(|_| hand.expire(50));
    assert_eq!((hand.window.cwnd, hand.window.ssthresh), (1.0, 35));
    // Up to the window before the first timeout Reno's estimate gains alpha in a round trip, not 1.
    while hand.ack() < 35.0 {}
    hand.ack();
    let from = hand.window.cwnd;
    hand.acks(35);
    assert_near(hand.window.cwnd - from, ALPHA, 0.05, "one round trip");
}

#[test]
fn the_first_slow_start_ends_in_a_curve_from_its_window() {
    let mut hand = Hand::new(Flavour::Cubic, 1.0, 0.5);
    hand.window.ssthresh = 40;
    for n in 2..=40 {
        assert_eq!(hand.ack(), f64::from(n));
    }
    // W_est has reached the window before: it gains 1 in a round trip.
    for (t, cwnd) in hand.run(5.0) {
        let reno = 40.0 + t / 0.5;
        assert_near(cwnd, (40.0 + C * t.powi(3)).max(reno), 0.3 + 0.3 * t, &format!("{t} s"));
    }
}

#[test]
fn small_windows_keep_two_segments() {
    for in_flight in 0..3 {
        let mut hand = Hand::new(Flavour::Cubic, 2.0, 0.1);
        let loss = Loss { now: hand.now, in_flight, duplicates: 3 };
        hand.control.on_loss(&mut hand.window, &loss);
        let expected = (f64::from(in_flight) * BETA).max(2.0);
        assert_eq!((hand.window.cwnd, hand.window.ssthresh), (expected, 2));
    }
}

#[test]
fn time_limited_by_the_application_does_not_count() {
    let mut busy = Hand::new(Flavour::Cubic, 100.0, 0.2);
    let mut idle = Hand::new(Flavour::Cubic, 100.0, 0.2);
    for hand in [&mut busy, &mut idle] {
        hand.lose();
        hand.run(2.0);
    }
    let before = idle.window.cwnd;
    for limited_by in [LimitedBy::Application, LimitedBy::Receiver] {
        for _ in 0..100 {
            idle.now += Duration::from_millis(100);
            assert_eq!(idle.ack_now(limited_by), before);
        }
    }
    for _ in 0..500 {
        assert_near(idle.ack(), busy.ack(), 1e-6, "as if it had not been idle");
    }
    // In slow start neither.
    let mut hand = Hand::new(Flavour::Cubic, 1.0, 0.2);
    hand.window.ssthresh = 40;
    assert_eq!(hand.ack_now(LimitedBy::Receiver), 1.0);
    assert_eq!(hand.ack_now(LimitedBy::Window), 2.0);
}

#[test]
fn time_suspended_by_a_broken_route_does_not_count() {
    let mut plain = Hand::new(Flavour::Cubic, 100.0, 0.2);
    let mut suspended = Hand::new(Flavour::Cubic, 100.0, 0.2);
    for hand in [&mut plain, &mut suspended] {
        hand.lose();
        hand.run(2.0);
    }
    let time = Duration::from_secs(30);
    suspended.now += time;
    suspended.control.on_resume(time);
    for _ in 0..500 {
        assert_near(suspended.ack(), plain.ack(), 1e-6, "as if no time had passed");
    }
}

#[test]
fn the_window_gains_at_most_half_of_itself_in_a_round_trip() {
    let mut hand = Hand::new(Flavour::Cubic, 100.0, 0.2);
    hand.lose();
    hand.run(1.0);
    hand.now += Duration::from_secs(100);
    let before = hand.window.cwnd;
    assert_near(hand.ack_now(LimitedBy::Window) - before, 0.5, 1e-9, "the bound of 1.5 windows");
}

#[test]
fn a_window_limited_by_the_receiver_stays_at_that_limit() {
    let grown = |scheme| {
        let mut pair = Pair::ns2(scheme, 8);
        pair.until_acked(2000);
        pair.sender.cwnd()
    };
    assert!(grown(Flavour::NewReno) > 50.0);
    assert!((8.0..=9.0).contains(&grown(Flavour::Cubic)), "{}", grown(Flavour::Cubic));
}

#[test]
fn two_losses_of_a_window_are_repaired_without_a_timeout() {
    let mut pair = Pair::ns2(Flavour::Cubic, 20);
    pair.drops = vec![40, 43];
    pair.until_acked(120);
    let counters = pair.sender.counters();
    assert_eq!((counters.timeouts, counters.fast_retransmits, counters.retransmits), (0, 1, 2));
}

/// Something that happens to a congestion control.
#[derive(Clone, Copy, Debug)]
enum Happens {
    Ack {
        after_ms: u64,
        rtt_ms: Option<u64>,
        delivered: u32,
        limited_by: LimitedBy,
    },
    Loss {
        in_flight: u32,
    },
    Timeout {
        in_flight: u32,
    },
    /// What NewReno's recovery takes off the window.
    Deflation {
        segments: f64,
    },
}

fn happens() -> impl Strategy<Value = Happens> {
    let limited_by = prop_oneof![
        6 => Just(LimitedBy::Window),
        1 => Just(LimitedBy::Receiver),
        1 => Just(LimitedBy::Application),
        1 => Just(LimitedBy::Pacing),
    ];
    let rtt = prop::option::of(0u64..100_000);
    prop_oneof![
        20 => (0u64..100_000, rtt, 1u32..1000, limited_by).prop_map(
            |(after_ms, rtt_ms, delivered, limited_by)| {
                Happens::Ack { after_ms, rtt_ms, delivered, limited_by }
            }
        ),
        2 => (0u32..100_000).prop_map(|in_flight| Happens::Loss { in_flight }),
        1 => (1u32..100_000).prop_map(|in_flight| Happens::Timeout { in_flight }),
        1 => (0.0..100.0).prop_map(|segments| Happens::Deflation { segments }),
    ]
}

proptest! {
    #[test]
    fn the_window_is_a_number_of_one_segment_or_more_and_no_acknowledgment_shrinks_it(
        events in prop::collection::vec(happens(), 1..200),
        ssthresh in 2u32..1000,
    ) {
        let mut hand = Hand::new(Flavour::Cubic, 1.0, 0.1);
        hand.window.ssthresh = ssthresh;
        for event in events {
            let before = hand.window.cwnd;
            match event {
                Happens::Ack { after_ms, rtt_ms, delivered, limited_by } => {
                    hand.now += Duration::from_millis(after_ms);
                    let rtt = rtt_ms.map(Duration::from_millis);
                    let ack = Ack {
                        now: hand.now,
                        rtt,
                        smoothed_rtt: rtt,
                        min_rtt: rtt,
                        delivered,
                        delivered_total: delivered,
                        in_flight: 0,
                        duplicates: 0,
                        limited_by,
                    };
                    hand.control.on_ack(&mut hand.window, &ack);
                    prop_assert!(hand.window.cwnd >= before, "{event:?} shrinks {before}");
                }
                Happens::Loss { in_flight } => {
                    let loss = Loss { now: hand.now, in_flight, duplicates: 3 };
                    hand.control.on_loss(&mut hand.window, &loss);
                    prop_assert!(hand.window.cwnd >= 2.0);
                }
                Happens::Timeout { in_flight } => {
                    hand.expire(in_flight);
                    prop_assert_eq!(hand.window.cwnd, 1.0);
                }
                Happens::Deflation { segments } => {
                    hand.window.cwnd = (before - segments).max(1.0);
                }
            }
            prop_assert!(hand.window.cwnd.is_finite() && hand.window.cwnd >= 1.0, "{event:?}");
            prop_assert!(hand.window.ssthresh >= 2);
        }
    }
}
