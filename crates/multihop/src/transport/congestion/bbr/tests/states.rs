//! The states: when each begins and ends, and its gains.

use super::*;

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
    driven.until(State::Refill, told);
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
fn a_low_round_trip_by_itself_makes_a_probe_needless() {
    let mut driven = Driven { falls: false, ..Driven::new() };
    for place in 0..200 {
        let rtt_ms = if place % 40 == 0 { 99 - place / 40 } else { 130 };
        driven.told(Told { rtt_ms, in_flight: 90, ..ROUND });
        assert_ne!(driven.bbr.state, State::ProbeRtt);
    }
}

#[test]
fn after_idleness_it_paces_at_the_rate_and_probes_no_round_trip() {
    let mut driven = Driven::probing(false);
    driven.now += Duration::from_secs(6);
    driven.bbr.on_send(&SentSegment {
        now: driven.now,
        number: 9,
        retransmission: false,
        in_flight: 0,
    });
    assert!(near(driven.bbr.rate.unwrap(), 0.99 * 1000.0), "not at 1.25 times that");
    driven.told(Told { rtt_ms: 105, ..ROUND });
    assert_ne!(driven.bbr.state, State::ProbeRtt);
}
