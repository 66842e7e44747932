//! The model of the path.

use super::*;

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
