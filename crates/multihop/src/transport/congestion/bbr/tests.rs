//! The draft's pseudo-code, driven by hand; and connections over a wire.

use super::*;
use crate::profile::Profile;
use crate::transport::congestion::{LimitedBy, RateSample};
use crate::transport::wire::{Achieved, Wire, run, run_changing};
use crate::transport::{Flavour, Rules, TcpConfig};

/// What an acknowledgment tells.
#[derive(Clone, Copy)]
struct Told {
    after_ms: u64,
    segments: u32,
    /// Delivery rate \[segments/s\], and what was delivered in its time.
    rate: f64,
    volume: u32,
    rtt_ms: u64,
    in_flight: u32,
    /// In flight when the segment was sent, and lost since.
    sent_in_flight: u32,
    lost: u32,
    /// The segment was sent after the last acknowledgment.
    begins_round: bool,
    is_limited: bool,
    in_recovery: bool,
}

/// A round at 1000 segments a second, and 100 ms: the product is 100 segments.
const ROUND: Told = Told {
    after_ms: 100,
    segments: 1,
    rate: 1000.0,
    volume: 100,
    rtt_ms: 100,
    in_flight: 150,
    sent_in_flight: 150,
    lost: 0,
    begins_round: true,
    is_limited: false,
    in_recovery: false,
};

struct Driven {
    bbr: Bbr,
    window: Window,
    now: Instant,
    delivered: u32,
    /// Round trips fall by a trifle, so that none has to be probed.
    falls: bool,
    acks: u64,
}

impl Driven {
    fn new() -> Driven {
        let mut window = Window::new(u32::MAX, 10_000, Rules::Standard);
        window.cwnd = 10.0;
        let now = Instant::ZERO + Duration::from_millis(100);
        let mut driven =
            Driven { bbr: Bbr::default(), window, now, delivered: 0, falls: true, acks: 0 };
        driven.told(Told { after_ms: 0, ..ROUND });
        driven
    }

    fn told(&mut self, told: Told) {
        self.now += Duration::from_millis(told.after_ms);
        let prior_delivered = if told.begins_round { self.delivered } else { 0 };
        self.delivered += told.segments;
        self.acks += 1;
        let fall = Duration::from_nanos(if self.falls { self.acks } else { 0 });
        let rtt = Some(Duration::from_millis(told.rtt_ms) - fall);
        let ack = Ack {
            now: self.now,
            rtt,
            smoothed_rtt: rtt,
            min_rtt: rtt,
            delivered: told.segments,
            delivered_total: self.delivered,
            in_flight: told.in_flight,
            duplicates: 0,
            limited_by: LimitedBy::Window,
        };
        let sample = RateSample {
            delivered: told.volume,
            interval: Duration::from_secs_f64(f64::from(told.volume) / told.rate),
            prior_delivered,
            is_application_limited: told.is_limited,
            in_flight: told.sent_in_flight,
            lost: told.lost,
        };
        let delivery = Delivery {
            ack,
            sample: Some(sample),
            lost: 0,
            in_flight: told.in_flight,
            prior_in_flight: told.in_flight,
            next_departure: self.now,
            in_recovery: told.in_recovery,
        };
        self.bbr.on_delivery(&mut self.window, &delivery);
    }

    fn rounds(&mut self, number: usize, told: Told) {
        (0..number).for_each(|_| self.told(told));
    }

    /// Segment `number` is lost, of `in_flight` when it was sent, and `lost` since.
    fn lose(&mut self, number: u32, in_flight: u32, lost: u32) {
        let lost = LostSegment {
            now: self.now,
            number,
            in_flight,
            lost,
            is_application_limited: false,
            delivered_total: self.delivered,
        };
        self.bbr.on_segment_lost(&mut self.window, &lost);
    }

    fn loss(&self) -> Loss {
        Loss { now: self.now, in_flight: 150, duplicates: 0 }
    }

    /// Up to `state` at most rounds like `told`.
    fn until(&mut self, state: State, told: Told) -> usize {
        for rounds in 0..200 {
            if self.bbr.state == state {
                return rounds;
            }
            self.told(told);
        }
        panic!("{state:?} is not reached from {:?}", self.bbr.state);
    }

    /// In Cruise, with a full window.
    fn cruising() -> Driven {
        let mut driven = Driven::new();
        driven.until(State::Drain, Told { segments: 40, ..ROUND });
        driven.until(State::Cruise, Told { after_ms: 10, in_flight: 80, ..ROUND });
        let steady = Told { after_ms: 40, segments: 40, begins_round: false, ..ROUND };
        driven.rounds(10, steady);
        driven
    }

    /// In Up, the window being `used` in full or not.
    fn probing(used: bool) -> Driven {
        let mut driven = Driven::cruising();
        driven.up(used);
        driven
    }

    fn up(&mut self, used: bool) {
        self.until(State::Up, ROUND);
        if used {
            self.use_window();
        }
    }

    fn use_window(&mut self) {
        let in_flight = self.window.cwnd as u32;
        self.bbr.on_send(&Sent { now: self.now, number: 0, retransmission: false, in_flight });
    }

    fn gains(&self) -> (f64, f64) {
        (self.bbr.state.pacing_gain(), self.bbr.state.cwnd_gain())
    }
}

fn near(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-4 * b.abs().max(1.0)
}

#[test]
fn startup_paces_the_first_window_at_its_gain_and_the_rate_only_rises() {
    let mut driven = Driven::new();
    assert_eq!((driven.bbr.state, driven.gains()), (State::Startup, (2.77, 2.0)));
    assert!(near(driven.bbr.rate.unwrap(), 2.77 * 10.0 / 0.1), "InitPacingRate");
    driven.told(Told { rate: 50.0, volume: 5, ..ROUND });
    assert!(near(driven.bbr.rate.unwrap(), 277.0), "less than the initial rate");
    driven.told(ROUND);
    assert!(near(driven.bbr.rate.unwrap(), 0.99 * 2.77 * 1000.0), "a percent of margin");
}

#[test]
fn the_pipe_is_full_after_three_rounds_without_a_quarter_of_growth() {
    let mut driven = Driven::new();
    driven.told(ROUND);
    driven.rounds(2, Told { rate: 1240.0, ..ROUND });
    driven.told(Told { rate: 1260.0, ..ROUND });
    assert_eq!(driven.bbr.state, State::Startup, "it grew in time");
    driven.rounds(2, Told { rate: 1500.0, ..ROUND });
    driven.rounds(9, Told { rate: 1260.0, is_limited: true, ..ROUND });
    driven.rounds(9, Told { rate: 1260.0, begins_round: false, after_ms: 1, ..ROUND });
    assert_eq!(driven.bbr.state, State::Startup, "neither is a round of its own");
    driven.told(Told { rate: 1260.0, ..ROUND });
    assert_eq!(driven.bbr.state, State::Drain);
    assert!(driven.bbr.model.full.reached);
    assert_eq!(driven.gains(), (0.5, 2.0));
}

#[test]
fn startup_ends_with_six_ranges_lost_in_a_round_of_recovery() {
    for (step, ends) in [(2, true), (1, false)] {
        let mut driven = Driven::new();
        driven.told(ROUND);
        driven.bbr.on_loss(&mut driven.window.clone(), &driven.loss());
        for place in 0..6 {
            driven.lose(100 + step * place, 150, place + 1);
        }
        driven.told(Told { in_recovery: true, lost: 6, volume: 120, rate: 1200.0, ..ROUND });
        assert_eq!(driven.bbr.state == State::Drain, ends, "ranges {step} apart");
        assert!(!ends || near(driven.bbr.bounds.long_volume, 120.0), "what was delivered");
    }
}

#[test]
fn few_losses_in_a_round_do_not_end_startup() {
    let mut driven = Driven::new();
    driven.told(ROUND);
    for place in 0..6 {
        driven.lose(100 + 2 * place, 1000, place + 1);
    }
    driven.told(Told { in_recovery: true, lost: 6, sent_in_flight: 1000, ..ROUND });
    assert_eq!(driven.bbr.state, State::Startup, "six of 1000 are fewer than 2 %");
}

#[test]
fn drain_ends_at_the_product_or_after_three_rounds() {
    let mut driven = Driven::new();
    driven.until(State::Drain, ROUND);
    let mut other = Driven { bbr: driven.bbr.clone(), window: driven.window.clone(), ..driven };
    driven.told(Told { in_flight: 101, begins_round: false, ..ROUND });
    assert_eq!(driven.bbr.state, State::Drain);
    driven.told(Told { in_flight: 99, begins_round: false, ..ROUND });
    assert_eq!(driven.bbr.state, State::Cruise, "there is room already");
    other.rounds(3, ROUND);
    assert_eq!(other.bbr.state, State::Drain);
    other.told(ROUND);
    assert_eq!((other.bbr.state, other.gains()), (State::Down, (0.9, 2.0)));
}

#[test]
fn down_lasts_until_there_is_room() {
    let mut driven = Driven::new();
    driven.until(State::Drain, ROUND);
    driven.bbr.bounds.long_volume = 100.0;
    let told = Told { after_ms: 1, begins_round: false, sent_in_flight: 80, ..ROUND };
    driven.told(Told { in_flight: 86, ..told });
    driven.told(Told { in_flight: 86, ..told });
    assert_eq!(driven.bbr.state, State::Down, "85 of the 100 may be in flight");
    driven.told(Told { in_flight: 85, ..told });
    assert_eq!((driven.bbr.state, driven.gains()), (State::Cruise, (1.0, 2.0)));
}

#[test]
fn two_to_three_seconds_after_a_cycle_began_it_refills_and_after_a_round_probes() {
    let mut driven = Driven::new();
    driven.until(State::Cruise, Told { in_flight: 80, ..ROUND });
    let began = driven.now;
    let told = Told { after_ms: 10, begins_round: false, ..ROUND };
    driven.until_time(State::Refill, told);
    let waited_s = driven.now.saturating_since(began).as_secs_f64();
    assert!((2.0..=3.02).contains(&waited_s), "{waited_s}");
    assert_eq!(driven.gains(), (1.0, 2.0));
    driven.told(told);
    assert_eq!(driven.bbr.state, State::Refill);
    driven.told(Told { after_ms: 10, ..ROUND });
    assert_eq!((driven.bbr.state, driven.gains()), (State::Up, (1.25, 2.25)));
}

#[test]
fn as_often_as_reno_would_it_probes_sooner() {
    let mut driven = Driven::new();
    let small = Told { rate: 100.0, volume: 10, in_flight: 10, sent_in_flight: 10, ..ROUND };
    driven.until(State::Drain, small);
    driven.until(State::Cruise, Told { after_ms: 1, in_flight: 5, ..small });
    let rounds = driven.until(State::Refill, Told { after_ms: 1, ..small });
    assert!((8..=10).contains(&rounds), "{rounds} rounds for a product of ten");
    let mut driven = Driven::cruising();
    let rounds = driven.until(State::Refill, Told { after_ms: 1, ..ROUND });
    assert!((61..=63).contains(&rounds), "{rounds}: at most 63");
}

#[test]
fn up_has_room_for_two_more_and_ends_at_a_plateau() {
    let mut driven = Driven::probing(false);
    driven.told(Told { segments: 400, begins_round: false, after_ms: 1, ..ROUND });
    let most = 2.25 * 100.0 + driven.bbr.model.aggregation.extra() + 2.0;
    assert!(near(driven.window.cwnd, most));
    assert!(near(driven.bbr.rate.unwrap(), 0.99 * 1.25 * 1000.0));
    let rounds = driven.until(State::Down, ROUND);
    assert_eq!(rounds, 3);
}

#[test]
fn a_growing_rate_keeps_it_up() {
    let mut driven = Driven::probing(false);
    for place in 1..8 {
        driven.told(Told { rate: 1000.0 * 1.25_f64.powi(place), ..ROUND });
        assert_eq!(driven.bbr.state, State::Up);
    }
    assert!(near(driven.bbr.model.max_bandwidth(), 1000.0 * 1.25_f64.powi(7)));
}

#[test]
fn too_many_losses_while_it_probes_set_the_long_term_bound() {
    let mut driven = Driven::probing(false);
    driven.lose(1, 150, 1);
    driven.lose(3, 150, 3);
    assert_eq!(driven.bbr.state, State::Up, "three of 150 are 2 %, not more");
    assert!(driven.bbr.bounds.long_volume.is_infinite());
    driven.lose(7, 150, 4);
    assert_eq!(driven.bbr.state, State::Down);
    // 149 before it and 3 lost of them: (0.02 * 149 - 3) / 0.98 less.
    let expected = 149.0 + (0.02 * 149.0 - 3.0) / 0.98;
    assert!(near(driven.bbr.bounds.long_volume, expected));
    driven.lose(9, 100, 50);
    assert!(near(driven.bbr.bounds.long_volume, expected), "once a probe");
}

#[test]
fn the_long_term_bound_is_no_less_than_beta_of_the_product() {
    let mut driven = Driven::probing(false);
    driven.lose(1, 20, 10);
    assert!(near(driven.bbr.bounds.long_volume, 0.7 * 100.0));
}

#[test]
fn after_a_probe_too_high_the_next_is_brief_and_then_goes_on() {
    let mut driven = Driven::probing(false);
    driven.lose(1, 150, 10);
    let bound = driven.bbr.bounds.long_volume;
    let low = Told { in_flight: 60, sent_in_flight: 60, ..ROUND };
    driven.until(State::Refill, low);
    driven.until(State::Up, low);
    driven.told(Told { in_flight: bound.ceil() as u32, begins_round: false, ..low });
    assert_eq!(driven.bbr.state, State::Down, "precautionary");
    driven.told(low);
    assert_eq!(driven.bbr.state, State::Refill, "a round without loss");
    driven.until(State::Up, low);
    driven.told(Told { in_flight: bound.ceil() as u32, begins_round: false, ..low });
    assert_eq!(driven.bbr.state, State::Up, "it persists");
}

#[test]
fn a_bound_that_limits_it_grows_by_one_then_two_then_four_in_a_round() {
    let mut driven = Driven::probing(false);
    driven.bbr.bounds.long_volume = 100.0;
    driven.window.cwnd = 100.0;
    for growth in [1.0, 2.0, 4.0, 8.0] {
        let before = driven.bbr.bounds.long_volume;
        let told = Told { segments: 20, sent_in_flight: 90, after_ms: 20, ..ROUND };
        for place in 0..5 {
            driven.use_window();
            driven.told(Told { begins_round: place == 4, ..told });
            assert_eq!(driven.bbr.state, State::Up, "the pipe is not full while it is bound");
        }
        let grown = driven.bbr.bounds.long_volume - before;
        assert!((grown - growth).abs() <= 1.0 + 0.2 * growth, "{grown} against {growth}");
    }
}

#[test]
fn losses_outside_probes_lower_the_short_term_bounds_once_a_round() {
    let mut driven = Driven::cruising();
    let cwnd = driven.window.cwnd;
    let slow = Told { rate: 500.0, volume: 50, after_ms: 10, ..ROUND };
    driven.told(slow);
    driven.lose(1, 150, 1);
    driven.told(slow);
    assert!(near(driven.bbr.bounds.short_bandwidth, 700.0), "beta of the rate");
    assert!(near(driven.bbr.bounds.short_volume, 0.7 * cwnd), "beta of the window");
    assert!(near(driven.bbr.rate.unwrap(), 0.99 * 700.0));
    assert!(driven.window.cwnd <= 0.7 * cwnd);
    driven.told(slow);
    assert!(near(driven.bbr.bounds.short_bandwidth, 700.0), "nothing was lost");
    driven.lose(9, 150, 1);
    driven.told(Told { rate: 600.0, ..slow });
    assert!(near(driven.bbr.bounds.short_bandwidth, 600.0), "no less than what is delivered");
    driven.until(State::Refill, ROUND);
    assert!(driven.bbr.bounds.short_bandwidth.is_infinite(), "a probe forgets them");
    assert!(driven.bbr.bounds.short_volume.is_infinite());
}

#[test]
fn losses_of_a_probe_leave_the_short_term_bounds() {
    let mut driven = Driven::probing(false);
    driven.lose(1, 150, 1);
    driven.told(ROUND);
    assert!(driven.bbr.bounds.short_bandwidth.is_infinite());
}

#[test]
fn cruise_leaves_headroom_below_the_long_term_bound() {
    let mut driven = Driven::cruising();
    driven.bbr.bounds.long_volume = 80.0;
    driven.told(Told { after_ms: 1, begins_round: false, sent_in_flight: 60, ..ROUND });
    assert!(near(driven.window.cwnd, 0.85 * 80.0));
    driven.until(State::Refill, Told { sent_in_flight: 60, ..ROUND });
    driven.told(Told {
        after_ms: 1,
        segments: 50,
        sent_in_flight: 60,
        begins_round: false,
        ..ROUND
    });
    assert!(near(driven.window.cwnd, 80.0));
}

#[test]
fn the_round_trip_is_probed_after_five_seconds_for_200_ms_and_a_round() {
    let mut driven = Driven { falls: false, ..Driven::new() };
    let told = Told { segments: 40, rtt_ms: 110, in_flight: 90, ..ROUND };
    driven.told(Told { rtt_ms: 100, ..told });
    let since = driven.now;
    while driven.bbr.state != State::ProbeRtt {
        driven.told(told);
    }
    let after_s = driven.now.saturating_since(since).as_secs_f64();
    assert!((5.0..5.25).contains(&after_s), "{after_s}");
    assert!(driven.bbr.holds_back(), "MarkConnectionAppLimited");
    assert_eq!(driven.gains(), (1.0, 0.5));
    assert!(near(driven.window.cwnd, 50.0), "half the product");
    let before = driven.bbr.prior_cwnd;
    assert!(before > 100.0);
    let low = Told { in_flight: 49, after_ms: 10, begins_round: false, ..told };
    driven.told(low);
    driven.rounds(30, low);
    assert_eq!(driven.bbr.state, State::ProbeRtt, "300 ms, but not a round");
    driven.told(Told { begins_round: true, ..low });
    assert_eq!(driven.bbr.state, State::Cruise);
    assert!(driven.window.cwnd > 100.0, "the window is as before");
    let since = driven.now;
    while driven.bbr.state != State::ProbeRtt {
        driven.told(told);
    }
    let after_s = driven.now.saturating_since(since).as_secs_f64();
    assert!((5.0..5.25).contains(&after_s), "{after_s} to the next");
}

#[test]
fn a_shortest_round_trip_holds_for_ten_seconds() {
    let mut driven = Driven { falls: false, ..Driven::new() };
    driven.told(Told { rtt_ms: 80, ..ROUND });
    let since = driven.now;
    let told = Told { rtt_ms: 120, in_flight: 40, segments: 40, after_ms: 50, ..ROUND };
    while driven.bbr.model.min_rtt == Some(Duration::from_millis(80)) {
        driven.told(told);
    }
    let after_s = driven.now.saturating_since(since).as_secs_f64();
    assert!((10.0..10.2).contains(&after_s), "{after_s}");
}

#[test]
fn a_low_round_trip_by_itself_makes_a_probe_needless() {
    let mut driven = Driven { falls: false, ..Driven::new() };
    for place in 0..200 {
        let rtt_ms = if place % 40 == 0 { 99 - place / 40 } else { 130 };
        driven.told(Told { rtt_ms, in_flight: 90, ..ROUND });
        assert_ne!(driven.bbr.state, State::ProbeRtt);
    }
}

#[test]
fn the_rate_is_the_largest_of_two_cycles() {
    let mut driven = Driven::new();
    driven.told(Told { rate: 2000.0, ..ROUND });
    driven.until(State::Cruise, Told { in_flight: 50, ..ROUND });
    assert!(near(driven.bbr.model.max_bandwidth(), 2000.0), "the cycle before");
    driven.until(State::Up, ROUND);
    driven.until(State::Down, ROUND);
    driven.rounds(2, ROUND);
    assert!(near(driven.bbr.model.max_bandwidth(), 1000.0), "it is forgotten");
}

#[test]
fn a_rate_of_an_application_without_data_counts_if_it_is_larger() {
    let mut driven = Driven::new();
    driven.told(Told { is_limited: true, rate: 700.0, ..ROUND });
    assert!(near(driven.bbr.model.max_bandwidth(), 700.0));
    driven.told(ROUND);
    driven.told(Told { is_limited: true, rate: 900.0, ..ROUND });
    assert!(near(driven.bbr.model.max_bandwidth(), 1000.0));
}

#[test]
fn what_is_acknowledged_in_bunches_widens_the_window() {
    let mut driven = Driven::cruising();
    let (cwnd, extra) = (driven.window.cwnd, driven.bbr.model.aggregation.extra());
    driven.told(Told { after_ms: 100, begins_round: false, ..ROUND });
    driven.told(Told { after_ms: 0, segments: 90, begins_round: false, ..ROUND });
    let grown = driven.bbr.model.aggregation.extra() - extra;
    assert!(grown > 0.0);
    driven.told(Told { after_ms: 0, segments: 90, begins_round: false, ..ROUND });
    assert!(driven.window.cwnd > cwnd + grown - 1.0);
}

#[test]
fn a_small_product_has_room_for_three_quanta() {
    let mut driven = Driven::new();
    let tiny = Told { rate: 10.0, volume: 1, in_flight: 1, sent_in_flight: 1, ..ROUND };
    driven.until(State::Up, tiny);
    driven.rounds(12, Told { begins_round: false, ..tiny });
    assert!(near(driven.window.cwnd, 8.0), "two segments each, and two in Up");
}

#[test]
fn recovery_keeps_to_the_model_and_restores_the_window_at_its_end() {
    let mut driven = Driven::cruising();
    let before = driven.window.cwnd;
    driven
        .bbr
        .on_timeout(&mut driven.window, &Loss { now: driven.now, in_flight: 9, duplicates: 0 });
    assert_eq!(driven.window.cwnd, 1.0);
    driven.told(Told { after_ms: 1, in_recovery: true, begins_round: false, ..ROUND });
    assert_eq!(driven.window.cwnd, 4.0, "what keeps the acknowledgments coming");
    driven.bbr.on_recovered(&mut driven.window);
    assert_eq!(driven.window.cwnd, before);
    assert!(driven.bbr.rules_recovery(), "no window in proportion");
}

#[test]
fn losses_that_were_none_are_taken_back() {
    let mut driven = Driven::probing(false);
    driven.lose(1, 150, 10);
    assert!(driven.bbr.bounds.long_volume.is_finite());
    assert_eq!(driven.bbr.state, State::Down);
    driven.bbr.on_undo(&mut driven.window);
    assert!(driven.bbr.bounds.long_volume.is_infinite());
    assert_eq!(driven.bbr.state, State::Refill, "the probe starts anew");
}

#[test]
fn startup_that_losses_ended_needlessly_goes_on() {
    let mut driven = Driven::new();
    driven.told(ROUND);
    for place in 0..6 {
        driven.lose(100 + 2 * place, 150, place + 1);
    }
    driven.told(Told { in_recovery: true, lost: 6, ..ROUND });
    assert_eq!(driven.bbr.state, State::Drain);
    driven.bbr.on_undo(&mut driven.window);
    assert_eq!(driven.bbr.state, State::Startup);
    assert!(!driven.bbr.model.full.reached);
}

#[test]
fn after_idleness_it_paces_at_the_rate_and_probes_no_round_trip() {
    let mut driven = Driven::probing(false);
    driven.now += Duration::from_secs(6);
    driven.bbr.on_send(&Sent { now: driven.now, number: 9, retransmission: false, in_flight: 0 });
    assert!(near(driven.bbr.rate.unwrap(), 0.99 * 1000.0), "not at 1.25 times that");
    driven.told(Told { rtt_ms: 105, ..ROUND });
    assert_ne!(driven.bbr.state, State::ProbeRtt);
}

impl Driven {
    /// Up to `state`, however many acknowledgments.
    fn until_time(&mut self, state: State, told: Told) {
        (0..1000).find(|_| {
            self.told(told);
            self.bbr.state == state
        });
        assert_eq!(self.bbr.state, state);
    }
}

/// 10 Mbit/s and 20 ms each way: 34.5 segments of 1448 bytes are the product.
fn wire(buffer: usize, losses: impl Iterator<Item = u64>) -> Wire {
    Wire {
        rate_bps: 10e6,
        delay: Duration::from_millis(20),
        buffer,
        header_bytes: 52,
        losses: losses.collect(),
    }
}

fn config(scheme: Flavour) -> TcpConfig {
    TcpConfig {
        scheme,
        profile: Some(Rules::Linux),
        segment_bytes: 1448,
        window_segments: 10_000,
        ..TcpConfig::default()
    }
}

fn after(seconds: u64) -> Instant {
    Instant::ZERO + Duration::from_secs(seconds)
}

fn achieved(scheme: Flavour, wire: &Wire, seconds: u64) -> Achieved {
    run(&config(scheme), Profile::Standard, wire, None, after(seconds))
}

/// The share of what the wire can carry that is delivered from the fifth second to the twentieth.
fn goodput(scheme: Flavour, wire: &Wire) -> f64 {
    let bytes = |seconds| achieved(scheme, wire, seconds).delivered_bytes;
    (bytes(20) - bytes(5)) as f64 * 8.0 / 15.0 / (wire.rate_bps * 1448.0 / 1500.0)
}

/// One of a hundred, at random but always the same.
fn one_percent() -> impl Iterator<Item = u64> {
    (100..100_000_u64)
        .filter(|number| number.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32 < (1 << 32) / 100)
}

#[test]
fn both_versions_fill_a_wire_with_a_short_queue() {
    for scheme in [Flavour::Bbr1, Flavour::Bbr] {
        let deep = wire(1000, std::iter::empty());
        let share = goodput(scheme, &deep);
        assert!(share > 0.95, "{scheme:?} {share}");
        let waits_s = achieved(scheme, &deep, 20).mean_wait_s;
        let cubic_s = achieved(Flavour::Cubic, &deep, 20).mean_wait_s;
        println!("{scheme:?}: {share:.4}, waits {waits_s:.4} s, CUBIC {cubic_s:.4} s");
        assert!(waits_s < 0.04, "{scheme:?}: {waits_s} s: no more than a round trip of queue");
        assert!(waits_s < 0.2 * cubic_s, "{scheme:?}: {waits_s} against {cubic_s}");
    }
}

#[test]
fn random_losses_of_a_percent_do_not_slow_them() {
    // One segment lost of the product's 34 is more than the draft's 2 %: its bounds hold the third version back, but
    // less on a wire that takes more.
    let lossy = wire(1000, one_percent());
    let faster = Wire { rate_bps: 40e6, ..lossy.clone() };
    for (wire, scheme, least) in [
        (&lossy, Flavour::Bbr1, 0.9),
        (&lossy, Flavour::Bbr, 0.6),
        (&faster, Flavour::Bbr1, 0.9),
        (&faster, Flavour::Bbr, 0.7),
    ] {
        let (share, cubic) = (goodput(scheme, wire), goodput(Flavour::Cubic, wire));
        println!("{scheme:?} at {}: {share:.4}, CUBIC {cubic:.4}", wire.rate_bps);
        assert!(share > least && share > 2.0 * cubic, "{scheme:?}: {share}, CUBIC {cubic}");
    }
}

#[test]
fn a_shallow_buffer_is_filled_with_few_losses() {
    let shallow = wire(10, std::iter::empty());
    let lost = |scheme| {
        let done = achieved(scheme, &shallow, 20);
        1.0 - done.delivered_bytes as f64 / 1448.0 / done.sent_segments as f64
    };
    let (share, first) = (lost(Flavour::Bbr), lost(Flavour::Bbr1));
    println!(
        "lost: {share:.4}, in the first version {first:.4}; goodput {:.4}",
        goodput(Flavour::Bbr, &shallow)
    );
    assert!(share < 0.02 && share < first, "{share} against {first}");
    assert!(goodput(Flavour::Bbr, &shallow) > 0.85);
}

#[test]
fn a_rate_that_changes_is_found() {
    for scheme in [Flavour::Bbr1, Flavour::Bbr] {
        let wire = wire(1000, std::iter::empty());
        for rate_bps in [2.5e6, 40e6] {
            let changes = [(after(10), rate_bps)];
            let bytes = |seconds| {
                run_changing(
                    &config(scheme),
                    Profile::Standard,
                    &wire,
                    &changes,
                    None,
                    after(seconds),
                )
                .delivered_bytes
            };
            let share = (bytes(30) - bytes(20)) as f64 * 8.0 / 10.0 / (rate_bps * 1448.0 / 1500.0);
            println!("{scheme:?} {rate_bps}: {share:.4}");
            assert!(share > 0.9, "{scheme:?} at {rate_bps}: {share}");
        }
    }
}
