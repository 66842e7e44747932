//! What losses do to bounds and window, and how that is taken back.

use super::*;

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
