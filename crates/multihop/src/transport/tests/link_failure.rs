//! Senders whose route breaks.

use super::*;

fn s(seconds: f64) -> Duration {
    Duration::from_secs_f64(seconds)
}

fn config(link_failure: LinkFailure) -> TcpConfig {
    TcpConfig { link_failure, scheme: Flavour::Reno, window_segments: 20, ..TcpConfig::default() }
}

impl Pair {
    /// A sender by `config` with segments up to `number` acknowledged and no flight left.
    fn quiet(config: TcpConfig, number: u32) -> Pair {
        let mut pair = Pair::new(config, Profile::Ns2);
        pair.until_acked(number);
        pair.flights.clear();
        pair.sent.clear();
        pair
    }

    fn elfn(number: u32) -> Pair {
        Pair::quiet(config(LinkFailure::Elfn), number)
    }

    fn standby(number: u32) -> Pair {
        Pair::quiet(config(LinkFailure::Standby), number)
    }

    /// Lets the timer, which must be on, expire.
    fn expire(&mut self) {
        self.now = self.timer.take().expect("a timer runs");
        self.sender.on_timeout(self.now, &mut self.actions);
        self.carry_out();
    }

    fn wait(&mut self, time: Duration) {
        self.now += time;
        assert!(self.timer.is_none_or(|at| self.now < at), "a timer expires before");
    }

    fn counters(&self) -> LinkFailureCounters {
        self.sender.link_failure_counters(self.now)
    }

    /// What must not change while the sender is suspended.
    fn state(&self) -> (f64, u32, Duration) {
        (self.sender.cwnd(), self.sender.ssthresh(), self.sender.rto())
    }

    /// Probes on their way: number, and whether marked.
    fn probes(&self) -> Vec<(u32, bool)> {
        let of = |flight: &(Instant, Flight)| match flight.1 {
            Flight::Data(number, _, probe) => Some((number, probe)),
            Flight::Ack(_) => None,
        };
        self.flights.iter().filter_map(of).collect()
    }
}

#[test]
fn elfn_probes_at_once_and_then_every_two_seconds_with_the_lowest_segment_marked() {
    let mut pair = Pair::elfn(10);
    let start = pair.now;
    pair.route_error();
    (0..3).for_each(|_| pair.expire());
    let expected: Vec<(Instant, u32)> = (0..4).map(|i| (start + s(2.0) * i, 11)).collect();
    assert_eq!(pair.sent, expected);
    assert_eq!(pair.probes(), [(11, true); 4]);
    let counters = pair.counters();
    assert_eq!((suspensions(&counters), counters.probes), (1, 4));
    assert_eq!(pair.sender.counters().timeouts, 0);
}

#[test]
fn the_first_probe_can_wait_and_the_interval_be_another() {
    let first_probe = FirstProbe::AfterInterval;
    let mut pair = Pair::quiet(TcpConfig { first_probe, ..config(LinkFailure::Elfn) }, 10);
    let start = pair.now;
    pair.route_error();
    assert!(pair.sent.is_empty());
    pair.expire();
    pair.expire();
    assert_eq!(pair.sent, [(start + s(2.0), 11), (start + s(4.0), 11)]);

    let probe_interval_s = Some(0.5);
    let mut pair = Pair::quiet(TcpConfig { probe_interval_s, ..config(LinkFailure::Elfn) }, 10);
    let start = pair.now;
    pair.route_error();
    pair.expire();
    assert_eq!(pair.sent, [(start, 11), (start + s(0.5), 11)]);
}

#[test]
fn probes_without_an_answer_can_back_off_to_the_longest_timeout() {
    let backing_off =
        |link_failure| TcpConfig { probe_backoff: 1.5, rto_max_s: 7.0, ..config(link_failure) };
    let mut pair = Pair::quiet(backing_off(LinkFailure::Elfn), 10);
    let start = pair.now;
    pair.route_error();
    (0..6).for_each(|_| pair.expire());
    let times: Vec<Instant> = pair.sent.iter().map(|&(at, _)| at).collect();
    // After 2, 3, 4.5 and 6.75 s, then 7 s and no longer.
    let expected = [0.0, 2.0, 5.0, 9.5, 16.25, 23.25, 30.25].map(|after_s| start + s(after_s));
    assert_eq!(times, expected);
    // The next suspension begins anew.
    pair.marked_ack(11, true);
    pair.route_error();
    let probed = pair.now;
    pair.expire();
    assert_eq!(pair.now, probed + s(2.0));

    let mut pair = Pair::quiet(backing_off(LinkFailure::Standby), 10);
    let (start, rto) = (pair.now, pair.sender.rto());
    pair.route_error();
    pair.expire();
    pair.expire();
    let times: Vec<Instant> = pair.sent.iter().map(|&(at, _)| at).collect();
    assert_eq!(times, [start, start + rto, start + rto + s(1.5 * rto.as_secs_f64())]);
}

#[test]
fn an_interval_above_the_longest_timeout_neither_grows_nor_shrinks() {
    let config = TcpConfig {
        probe_interval_s: Some(9.0),
        probe_backoff: 2.0,
        rto_max_s: 7.0,
        ..config(LinkFailure::Elfn)
    };
    let mut pair = Pair::quiet(config, 10);
    let start = pair.now;
    pair.route_error();
    pair.expire();
    pair.expire();
    assert_eq!(pair.sent, [0.0, 9.0, 18.0].map(|after_s| (start + s(after_s), 11)));
}

#[test]
fn a_thawed_sender_has_the_state_of_the_frozen_one_and_its_timer_runs_on() {
    let mut pair = Pair::elfn(10);
    pair.wait(s(0.01));
    let state = pair.state();
    let left = pair.timer.unwrap() - pair.now;
    assert!(left < pair.sender.rto());
    pair.route_error();
    (0..5).for_each(|_| pair.expire());
    assert_eq!(pair.state(), state);
    // The answer to an earlier probe, which acknowledges nothing new.
    pair.wait(s(0.3));
    pair.marked_ack(10, true);
    assert_eq!(pair.state(), state);
    assert_eq!(pair.timer, Some(pair.now + left));
    assert_eq!(pair.counters().suspended, s(10.3));
}

#[test]
fn time_frozen_does_not_count_as_round_trip() {
    let mut pair = Pair::elfn(10);
    let (srtt, rto) = (pair.sender.smoothed_rtt(), pair.sender.rto());
    pair.route_error();
    pair.expire();
    pair.marked_ack(pair.sender.highest_sent().unwrap(), true);
    assert_eq!((pair.sender.smoothed_rtt(), pair.sender.rto()), (srtt, rto));
}

#[test]
fn only_the_marked_acknowledgment_thaws() {
    let mut pair = Pair::elfn(10);
    pair.route_error();
    let state = pair.state();
    // Its number counts, nothing else: no growth, no duplicates, nothing sent.
    assert!(pair.ack(13).is_empty());
    for _ in 0..5 {
        assert!(pair.ack(13).is_empty());
    }
    assert_eq!(pair.sender.highest_ack(), Some(13));
    assert_eq!(pair.state(), state);
    // The next probe is the lowest that is missing now.
    pair.expire();
    assert_eq!(pair.sent.last(), Some(&(pair.now, 14)));
    // The mark ends it: what the window allows by now goes out.
    let sent = pair.marked_ack(14, true);
    assert_eq!(pair.state().0, state.0 + 1.0);
    assert_eq!(sent.len(), 5, "four acknowledged and one of growth: {sent:?}");
    assert!(suspensions(&pair.counters()) == 1 && !pair.ack(15).is_empty());
}

#[test]
fn the_answer_to_an_earlier_probe_releases_what_arrived_while_frozen() {
    let mut pair = Pair::elfn(10);
    pair.route_error();
    pair.ack(13);
    let sent = pair.marked_ack(11, true);
    assert_eq!(sent.len(), 3);
    // Answers to further probes are not duplicates that show a loss.
    let (cwnd, _, _) = pair.state();
    for _ in 0..5 {
        assert!(pair.marked_ack(13, true).is_empty());
    }
    assert_eq!(pair.state().0, cwnd);
}

#[test]
fn a_second_route_error_while_frozen_changes_nothing() {
    let mut pair = Pair::elfn(10);
    pair.route_error();
    let timer = pair.timer;
    pair.wait(s(0.7));
    pair.route_error();
    assert_eq!(pair.timer, timer);
    assert_eq!(pair.sent.len(), 1);
    let counters = pair.counters();
    assert_eq!((counters.route_errors, counters.route_errors_suspended), (2, 1));
    assert_eq!(suspensions(&counters), 1);
    // After the thaw another one freezes again, and probes at once.
    pair.marked_ack(11, true);
    let before = pair.sent.len();
    pair.route_error();
    assert_eq!(pair.sent[before..], [(pair.now, 12)]);
    assert_eq!(suspensions(&pair.counters()), 2);
}

#[test]
fn a_lost_probe_is_followed_by_another_that_thaws() {
    let mut pair = Pair::elfn(10);
    pair.drops = vec![11];
    pair.route_error();
    assert!(pair.flights.is_empty());
    pair.expire();
    let probed = pair.now;
    assert!(pair.step() && pair.step(), "the probe there and its answer back");
    assert_eq!(pair.now, probed + LATENCY * 2);
    assert!(pair.sender.highest_ack() >= Some(11));
    assert!(pair.sent.len() > 2, "it sends again");
}

#[test]
fn recovery_goes_on_after_the_thaw() {
    let scheme = Flavour::NewReno;
    let mut pair = Pair::quiet(TcpConfig { scheme, ..config(LinkFailure::Elfn) }, 30);
    let last = pair.sender.highest_sent().unwrap();
    (0..3).for_each(|_| drop(pair.ack(30)));
    assert_eq!(pair.sent.last().unwrap().1, 31);
    let state = pair.state();
    pair.route_error();
    pair.expire();
    assert_eq!(pair.state(), state);
    // A partial acknowledgment: the next missing segment goes out, and recovery is not over.
    assert_eq!(pair.marked_ack(32, true)[0], 33);
    assert_eq!(pair.sender.ssthresh(), state.1);
    // All of it acknowledged ends it; duplicates can show the next loss.
    pair.ack(last);
    let cwnd = pair.sender.cwnd();
    pair.ack(last + 1);
    assert!(pair.sender.cwnd() > cwnd);
}

#[test]
fn a_lost_syn_can_be_probed_for() {
    let mut pair = Pair::new(config(LinkFailure::Elfn), Profile::Ns2);
    pair.flights.clear();
    pair.route_error();
    assert_eq!(pair.probes(), [(0, true)]);
    assert_eq!(pair.marked_ack(0, true), [1, 2]);
}

#[test]
fn a_sender_with_everything_acknowledged_meanwhile_probes_with_a_new_segment() {
    let mut pair = Pair::elfn(10);
    let last = pair.sender.highest_sent().unwrap();
    pair.route_error();
    pair.ack(last);
    pair.expire();
    assert_eq!(pair.sent.last(), Some(&(pair.now, last + 1)));
    assert!(!pair.marked_ack(last + 1, true).is_empty());
    assert!(pair.timer.is_some());
}

#[test]
fn a_stopped_sender_with_everything_acknowledged_probes_no_more() {
    let mut pair = Pair::elfn(10);
    let last = pair.sender.highest_sent().unwrap();
    pair.route_error();
    pair.sender.on_stop(pair.now);
    pair.ack(last);
    pair.expire();
    assert_eq!((pair.sent.len(), pair.timer), (1, None));
}

#[test]
fn standby_stops_the_timer_and_sends_one_segment_each_timeout() {
    let mut pair = Pair::standby(10);
    let (start, state) = (pair.now, pair.state());
    pair.route_error();
    (0..4).for_each(|_| pair.expire());
    let expected: Vec<(Instant, u32)> = (0..5).map(|i| (start + state.2 * i, 11)).collect();
    assert_eq!(pair.sent, expected);
    assert_eq!(pair.probes(), [(11, false); 5]);
    // No expiry of the retransmission timer: neither window nor timeout has changed.
    assert_eq!(pair.state(), state);
    assert_eq!(pair.sender.counters().timeouts, 0);
}

#[test]
fn the_period_of_standby_is_the_timeout_as_it_stands_doublings_included() {
    let mut pair = Pair::standby(10);
    let rto = pair.sender.rto();
    pair.expire();
    pair.expire();
    pair.route_error();
    let probed = pair.now;
    pair.expire();
    assert_eq!(pair.now - probed, rto * 4);
    // Leaving does not change it; the acknowledgment of a segment sent again tells nothing of it.
    assert_eq!(pair.sender.rto(), rto * 4);
    pair.ack(9);
    assert_eq!(pair.timer, Some(pair.now + rto * 4));
}

#[test]
fn any_acknowledgment_ends_standby() {
    // An old one, a duplicate (which releases a segment beyond the window), a new one.
    for (number, released) in [(9, false), (10, true), (11, true)] {
        let mut pair = Pair::standby(10);
        pair.route_error();
        pair.wait(s(0.05));
        let rto = pair.sender.rto();
        assert_eq!(!pair.ack(number).is_empty(), released, "{number}");
        assert_eq!(pair.timer, Some(pair.now + rto), "{number}");
        assert_eq!(pair.counters().suspended, s(0.05));
        pair.expire();
        assert_eq!(pair.sender.counters().timeouts, 1, "{number}: an ordinary expiry");
    }
}

/// Suspensions of either kind.
fn suspensions(counters: &LinkFailureCounters) -> u64 {
    counters.freezes + counters.standbys
}
