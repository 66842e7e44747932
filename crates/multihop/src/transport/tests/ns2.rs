//! The `ns2` profile.

use super::*;

#[test]
fn a_connection_opens_with_a_segment_without_payload_and_then_two() {
    let mut pair = Pair::ns2(Flavour::NewReno, 8);
    assert_eq!(pair.sent, [(pair.now, 0)]);
    pair.until_acked(0);
    assert_eq!(pair.sender.cwnd(), 2.0);
    let numbers: Vec<u32> = pair.sent.iter().map(|s| s.1).collect();
    assert_eq!(numbers, [0, 1, 2]);
}

#[test]
fn slow_start_ends_at_twenty_whatever_the_window() {
    let mut pair = Pair::ns2(Flavour::NewReno, 8);
    pair.until_acked(18);
    assert_eq!(pair.sender.cwnd(), 20.0);
    pair.until_acked(20);
    assert!((pair.sender.cwnd() - (20.05 + 1.0 / 20.05)).abs() < 1e-9);
    let outstanding = pair.sender.highest_sent().unwrap() - pair.sender.highest_ack().unwrap();
    assert_eq!(outstanding, 8);
}

#[test]
fn a_lost_syn_is_repeated_ever_later_and_leaves_a_window_of_one() {
    let mut pair = Pair::ns2(Flavour::NewReno, 8);
    pair.flights.clear();
    pair.drops = vec![0; 6];
    while pair.sent.len() < 7 {
        assert!(pair.step());
    }
    let waits: Vec<f64> = pair.sent.windows(2).map(|w| (w[1].0 - w[0].0).as_secs_f64()).collect();
    assert_eq!(waits, [3.0, 6.0, 12.0, 24.0, 48.0, 60.0]);
    pair.until_acked(0);
    assert_eq!(pair.sender.cwnd(), 1.0);
}

#[test]
fn the_first_two_duplicates_each_release_a_segment_if_the_window_allows() {
    // cwnd is 12 of a window of 32: limited transmit has room.
    let mut pair = Pair::at(Flavour::NewReno, 32, 10);
    let next = pair.sender.highest_sent().unwrap() + 1;
    assert_eq!(pair.ack(10), [next]);
    assert_eq!(pair.ack(10), [next + 1]);
    // With a window of 8 below cwnd there is none.
    let mut pair = Pair::at(Flavour::NewReno, 8, 10);
    assert_eq!((pair.ack(10), pair.ack(10)), (vec![], vec![]));
}

#[test]
fn the_third_duplicate_halves_the_window_and_repeats_the_missing_segment() {
    let mut pair = Pair::at(Flavour::NewReno, 8, 30);
    assert!(pair.sender.cwnd() > 20.0);
    pair.ack(30);
    pair.ack(30);
    assert_eq!(pair.ack(30), [31]);
    // Half of the window, which is below cwnd.
    assert_eq!((pair.sender.cwnd(), pair.sender.ssthresh()), (4.0, 4));
    // Inflation is bounded by the window, which is full: nothing new goes out.
    assert!((0..10).all(|_| pair.ack(30).is_empty()));
}

#[test]
fn the_threshold_of_duplicates_is_a_key() {
    let config = TcpConfig { duplicate_ack_threshold: 5, ..TcpConfig::default() };
    let mut pair = Pair::new(config, Profile::Ns2);
    pair.until_acked(30);
    pair.flights.clear();
    for _ in 0..4 {
        assert!(pair.ack(30).is_empty());
    }
    assert_eq!(pair.ack(30), [31]);
}

#[test]
fn newreno_repairs_two_losses_without_a_timeout_and_reno_does_not() {
    for (scheme, timeouts) in [(Flavour::NewReno, 0), (Flavour::Reno, 1)] {
        let mut pair = Pair::ns2(scheme, 8);
        pair.drops = vec![40, 43];
        pair.until_acked(80);
        assert_eq!(pair.sender.counters().timeouts, timeouts, "{scheme:?}");
    }
}

#[test]
fn a_partial_acknowledgment_repeats_the_next_hole_and_restarts_the_timer_once() {
    let mut pair = Pair::at(Flavour::NewReno, 8, 30);
    for _ in 0..3 {
        pair.ack(30);
    }
    pair.now += Duration::from_millis(5);
    assert_eq!(pair.ack(33)[0], 34);
    let restarted = pair.timer;
    assert_eq!(restarted, Some(pair.now + pair.sender.rto()));
    pair.now += Duration::from_millis(5);
    assert_eq!(pair.ack(35)[0], 36);
    assert_eq!(pair.timer, restarted);
    // Everything outstanding at the loss is acknowledged: recovery is over.
    pair.ack(38);
    assert_eq!(pair.timer, Some(pair.now + pair.sender.rto()));
}

#[test]
fn one_duplicate_in_recovery_releases_at_most_two_segments() {
    let mut pair = Pair::at(Flavour::NewReno, 32, 40);
    for _ in 0..60 {
        assert!(pair.ack(40).len() <= 2);
    }
}

#[test]
fn losses_of_a_window_already_repaired_do_not_start_recovery_again() {
    let mut pair = Pair::at(Flavour::NewReno, 8, 30);
    let timer = pair.timer.expect("segments are outstanding");
    pair.now = timer;
    pair.sender.on_timeout(timer, &mut pair.actions);
    pair.carry_out();
    // Limited transmit goes on where the timeout left off; the third duplicate is no loss.
    assert_eq!((pair.ack(30), pair.ack(30)), (vec![32], vec![33]));
    assert!((0..5).all(|_| pair.ack(30).is_empty()));
    assert_eq!(pair.sender.cwnd(), 1.0);
}

#[test]
fn a_timeout_goes_back_to_the_first_missing_segment_with_a_window_of_one() {
    let mut pair = Pair::at(Flavour::NewReno, 8, 30);
    let sent = pair.sent.len();
    pair.now = pair.timer.expect("segments are outstanding");
    pair.sender.on_timeout(pair.now, &mut pair.actions);
    pair.carry_out();
    assert_eq!(pair.sent[sent..], [(pair.now, 31)]);
    assert_eq!((pair.sender.cwnd(), pair.sender.ssthresh()), (1.0, 4));
    // Segments sent before are sent again as the window opens, not skipped.
    assert_eq!(pair.ack(31), [32, 33]);
    // Unless an acknowledgment shows that they have arrived.
    assert_eq!(pair.ack(38)[0], 39);
}

#[test]
fn the_doubled_timeout_stays_until_a_timed_segment_is_acknowledged() {
    let mut pair = Pair::at(Flavour::NewReno, 8, 30);
    let before = pair.sender.rto();
    for doublings in 1..=2 {
        pair.now = pair.timer.expect("a segment is outstanding");
        pair.sender.on_timeout(pair.now, &mut pair.actions);
        pair.carry_out();
        assert_eq!(pair.sender.rto(), before * (1 << doublings));
    }
    // 31 to 38 were sent before: their acknowledgments say nothing (Karn's rule).
    pair.ack(31);
    assert_eq!(pair.sender.rto(), before * 4);
    let fresh = pair.ack(38);
    assert_eq!(fresh[0], 39);
    pair.now += Duration::from_millis(40);
    pair.ack(39);
    assert_eq!(pair.sender.rto(), before);
}

#[test]
fn after_the_stop_only_what_was_sent_is_repaired() {
    let mut pair = Pair::ns2(Flavour::NewReno, 8);
    pair.drops = vec![40];
    pair.until_acked(38);
    let last = pair.sender.highest_sent().unwrap();
    pair.sender.on_stop(pair.now);
    pair.until_acked(last);
    assert_eq!(pair.sender.highest_sent(), Some(last));
    assert!(pair.sender.counters().retransmits >= 1);
}

#[test]
fn acknowledgments_of_what_was_never_sent_are_ignored() {
    let mut pair = Pair::at(Flavour::Reno, 8, 10);
    assert!(pair.ack(1000).is_empty());
    assert_eq!(pair.sender.highest_ack(), Some(10));
}

#[test]
fn a_route_error_is_counted_and_changes_nothing() {
    let mut pair = Pair::at(Flavour::Reno, 8, 10);
    let (cwnd, rto) = (pair.sender.cwnd(), pair.sender.rto());
    pair.sender.on_route_error(pair.now, &mut pair.actions);
    assert_eq!(pair.actions, SenderActions::default());
    assert_eq!((pair.sender.cwnd(), pair.sender.rto()), (cwnd, rto));
    assert_eq!(pair.sender.link_failure_counters(pair.now).route_errors, 1);
}
