//! The model driven acknowledgment by acknowledgment: 1000 segments a second over a round trip of
//! 100 ms, which is 100 segments in flight.

use super::*;
use crate::transport::Rules;
use crate::transport::congestion::{LimitedBy, RateSample};

struct Driven {
    bbr: Bbr1,
    window: Window,
    now: Instant,
    delivered: u32,
}

impl Driven {
    /// The SYN has been acknowledged, after 100 ms.
    fn new() -> Driven {
        let mut window = Window::new(u32::MAX, 10_000, Rules::Standard);
        window.cwnd = 10.0;
        // The cycle begins with its first phase, then with one at the path's rate.
        let bbr = Bbr1::with_phases(&[0, 2]);
        let mut driven = Driven { bbr, window, now: Instant::ZERO, delivered: 0 };
        driven.round(1, 1000.0, 0);
        driven
    }

    /// A round of 100 ms ends with `segments` acknowledged, at `rate`, with so many in flight.
    fn round(&mut self, segments: u32, rate: f64, in_flight: u32) {
        self.now += Duration::from_millis(100);
        let prior_delivered = self.delivered;
        self.delivered += segments;
        let rtt = Some(Duration::from_millis(100));
        let ack = Ack {
            now: self.now,
            rtt,
            smoothed_rtt: rtt,
            min_rtt: rtt,
            delivered: segments,
            delivered_total: self.delivered,
            in_flight,
            duplicates: 0,
            limited_by: LimitedBy::Window,
        };
        let sample = RateSample {
            delivered: segments,
            interval: Duration::from_secs_f64(f64::from(segments) / rate),
            prior_delivered,
            is_application_limited: false,
            in_flight,
            lost: 0,
        };
        let delivery = Delivery {
            ack,
            sample: Some(sample),
            lost: 0,
            in_flight,
            prior_in_flight: in_flight,
            next_departure: self.now,
            in_recovery: false,
        };
        self.bbr.on_delivery(&mut self.window, &delivery);
    }

    /// Segments a second that are paced.
    fn rate(&self) -> f64 {
        1.0 / self.bbr.pacing_interval(&self.window, None).expect("it paces").as_secs_f64()
    }
}

fn near(value: f64, expected: f64) -> bool {
    (value - expected).abs() < 1e-3 * expected
}

/// The draft, section 4.2.1: at first 2 / ln 2 = 2.885 times the initial window over the round
/// trip; a percent less is paced.
#[test]
fn pacing_begins_at_the_high_gain_over_the_first_round_trip() {
    let driven = Driven::new();
    assert!(near(driven.rate(), 0.99 * 2.885 * 10.0 / 0.1), "{}", driven.rate());
}

/// Section 4.3.2: three rounds in which the rate does not grow by a quarter; then the queue is
/// drained at the inverse gain until no more is in flight than the path holds.
#[test]
fn startup_ends_when_the_rate_has_not_grown_for_three_rounds_and_the_queue_is_drained() {
    let mut driven = Driven::new();
    for rate in [200.0, 400.0, 800.0, 1000.0] {
        driven.round(50, rate, 200);
        assert_eq!(driven.bbr.mode, Mode::Startup, "grown by a quarter at least");
    }
    for _ in 0..3 {
        assert_eq!(driven.bbr.mode, Mode::Startup);
        driven.round(50, 1100.0, 280);
    }
    assert_eq!(driven.bbr.mode, Mode::Drain);
    // Linux has the inverse in 256ths, rounded down.
    assert!(near(driven.rate(), 0.99 * 1100.0 * 88.0 / 256.0), "{}", driven.rate());
    driven.round(50, 1100.0, 280);
    assert_eq!(driven.bbr.mode, Mode::Drain);
    driven.round(50, 1100.0, 100);
    assert!(matches!(driven.bbr.mode, Mode::ProbeBandwidth(0, _)), "{:?}", driven.bbr.mode);
    assert!(near(driven.rate(), 0.99 * 1.25 * 1100.0), "the first phase probes for a quarter more");
}

fn probing() -> Driven {
    let mut driven = Driven::new();
    (0..5).for_each(|_| driven.round(50, 1000.0, 280));
    driven.round(50, 1000.0, 100);
    assert!(matches!(driven.bbr.mode, Mode::ProbeBandwidth(0, _)), "{:?}", driven.bbr.mode);
    driven
}

/// Section 4.3.3: a quarter more until that is in flight, a quarter less until the queue is gone,
/// then six phases of a round trip each at the rate.
#[test]
fn the_cycle_probes_for_more_drains_and_cruises() {
    let mut driven = probing();
    let mut gains = Vec::new();
    for in_flight in [100, 150, 90, 100, 100, 100, 100, 100, 100, 100, 100, 100, 100, 100] {
        // Longer than a round trip since the last.
        driven.now += Duration::from_millis(1);
        driven.round(100, 1000.0, in_flight);
        gains.push(driven.bbr.pacing_gain());
    }
    assert_eq!(gains[..9], [1.25, 0.75, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.25]);
}

/// Section 4.2.3.2: twice what the path holds; from Linux, an even number with three bursts, here
/// of two segments, and two more while it probes for bandwidth.
#[test]
fn the_window_is_twice_what_the_path_holds_and_some_bursts() {
    let driven = probing();
    assert_eq!(driven.bbr.in_flight_at(1000.0, 2.0), 2.0 * 100.0 + 3.0 * 2.0 + 2.0);
}

/// Section 4.3.4: after 10 s without a shorter round trip the window is 4 for 200 ms and a round.
#[test]
fn the_round_trip_is_probed_after_ten_seconds_with_four_segments_in_flight() {
    let mut driven = probing();
    let before = driven.window.cwnd;
    let mut rounds = 0;
    while driven.bbr.mode != Mode::ProbeRtt {
        driven.round(100, 1000.0, 100);
        rounds += 1;
        assert!(rounds < 110, "never probed");
    }
    // The SYN's round trip at 0.1 s was the shortest; six rounds had passed.
    assert!((94..=95).contains(&rounds), "{rounds}");
    assert_eq!(driven.window.cwnd, 4.0);
    assert!(driven.bbr.holds_back());
    for _ in 0..4 {
        driven.round(4, 1000.0, 4);
    }
    assert!(matches!(driven.bbr.mode, Mode::ProbeBandwidth(2, _)), "{:?}", driven.bbr.mode);
    assert!(driven.window.cwnd >= before, "the window is back");
}

#[test]
fn a_timeout_leaves_a_window_of_one_and_a_loss_saves_it() {
    let mut driven = probing();
    let cwnd = driven.window.cwnd;
    let loss = Loss { now: driven.now, in_flight: 100, duplicates: 3 };
    driven.bbr.on_loss(&mut driven.window, &loss);
    assert_eq!(driven.window.cwnd, cwnd, "losses don't enter the model");
    driven.bbr.on_timeout(&mut driven.window, &loss);
    assert_eq!((driven.window.cwnd, driven.bbr.prior_cwnd), (1.0, cwnd));
}
