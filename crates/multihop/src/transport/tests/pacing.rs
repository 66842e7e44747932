//! TCP with adaptive pacing.

use super::*;
use crate::transport::congestion::Window;
use crate::transport::pacing::Spacing;
use crate::transport::pacing::config::{ShortPaths, Spread};
use crate::transport::pacing::tcp_ap::FourHopDelay;

fn ms(milliseconds: f64) -> Duration {
    Duration::from_secs_f64(milliseconds / 1000.0)
}

/// What the published agent does.
fn agent() -> PacingConfig {
    PacingConfig {
        short_paths: ShortPaths::OneHop,
        spread: Spread::MeanDeviation,
        ..PacingConfig::default()
    }
}

fn interval(delay: &FourHopDelay) -> Duration {
    let window = Window::new(20, 8, Profile::Ns2);
    delay.interval(&*windowed(Flavour::Reno).0, &window, None).expect("it always paces")
}

/// Intervals \[ms\] after each of these round trips \[ms\].
fn intervals(delay: &mut FourHopDelay, rtts: &[f64], hops: u32) -> Vec<f64> {
    let after = |&rtt: &f64| {
        delay.on_ack(ms(rtt), hops);
        interval(delay).as_secs_f64() * 1000.0
    };
    rtts.iter().map(after).collect()
}

fn assert_close(got: &[f64], expected: &[f64], error: f64) {
    let close = got.iter().zip(expected).all(|(a, b)| (a - b).abs() <= error);
    assert!(close && got.len() == expected.len(), "{got:?}, expected {expected:?}");
}

/// From a trace of the published agent over two hops with segments of 512 bytes, to a microsecond.
const RTTS_MS: [f64; 5] = [21.686, 16.860, 39.458, 43.012, 54.335];

#[test]
fn the_published_agents_delays_and_intervals_over_two_hops() {
    let expected = [6.4455, 7.3398, 12.0110, 14.4274, 17.3465];
    let mut delay = FourHopDelay::new(&agent(), 512);
    assert_close(&intervals(&mut delay, &RTTS_MS, 2), &expected, 2e-4);
    // Each sample alone, its interval being the sample.
    let expected = [6.4455, 5.2390, 10.8885, 11.7771, 14.6078];
    let samples: Vec<f64> = RTTS_MS
        .iter()
        .flat_map(|&rtt| intervals(&mut FourHopDelay::new(&agent(), 512), &[rtt], 2))
        .collect();
    assert_close(&samples, &expected, 2e-4);
}

#[test]
fn the_delay_counts_four_hops_or_all_there_are() {
    // Without queueing: a round trip of h exchanges of 2.944 ms, of which 2.496 ms are the
    // segment's.
    for (hops, agent_hops) in [(1, 1.0), (2, 1.0), (3, 1.0), (4, 4.0), (9, 4.0)] {
        let rtt = [2.944 * f64::from(hops)];
        let all = f64::from(hops.min(4));
        for (config, counted) in [(PacingConfig::default(), all), (agent(), agent_hops)] {
            let got = intervals(&mut FourHopDelay::new(&config, 512), &rtt, hops);
            assert_close(&got, &[2.496 * counted], 1e-5);
        }
    }
}

#[test]
fn the_spread_is_the_coefficient_of_variation() {
    // Delays of 6 and 10 ms over one hop: average 7.2, mean 8, standard deviation 2.
    let rtt = |delay: f64| 2.0 * (delay - 2.496) + 2.944;
    let mut delay = FourHopDelay::new(&PacingConfig::default(), 512);
    let got = intervals(&mut delay, &[rtt(6.0), rtt(10.0)], 1);
    assert_close(&got, &[6.0, 7.2 * (1.0 + 2.0 * 2.0 / 8.0)], 1e-5);
    // Of the last samples alone: 50 equal ones leave no spread.
    let got = intervals(&mut delay, &[rtt(10.0); 50], 1);
    assert!(got[47] > 10.0 + 1e-3, "{}", got[47]);
    assert_close(&got[48..], &[10.0; 2], 1e-5);
}

#[test]
fn implausible_delays_are_left_out() {
    let mut delay = FourHopDelay::new(&PacingConfig::default(), 512);
    assert_eq!(interval(&delay), ms(50.0));
    // Nothing to put in place of the first; then the average so far: 4 hops of queueing 10 and
    // airtime.
    let rtt = |queueing: f64| 4.0 * (2.0 * queueing + 2.944);
    assert_close(&intervals(&mut delay, &[rtt(501.0)], 4), &[50.0], 1e-5);
    let usual = 4.0 * (10.0 + 2.496);
    assert_close(&intervals(&mut delay, &[rtt(10.0), rtt(501.0)], 4), &[usual; 2], 1e-5);
    // Below the bound by hop, above it over four.
    assert_close(&intervals(&mut delay, &[rtt(200.0)], 4), &[usual], 1e-5);
}

/// A paced sender with segments up to `number` acknowledged and no flight left.
fn quiet(number: u32) -> Pair {
    let mut pair = Pair::ns2(Flavour::TcpAp, 20);
    pair.until_acked(number);
    pair.flights.clear();
    pair.sent.clear();
    pair
}

/// Lets the pacer tick.
fn tick(pair: &mut Pair) {
    pair.now = pair.tick.take().expect("the clock ticks");
    pair.sender.on_pacing_tick(pair.now, &mut pair.actions);
    pair.carry_out();
}

#[test]
fn the_first_segment_leaves_at_once_and_the_others_an_interval_apart() {
    let mut pair = Pair::ns2(Flavour::TcpAp, 20);
    let start = pair.now;
    pair.until_acked(0);
    pair.flights.clear();
    // The SYN started the clock, at the interval for want of a better; its round trip of 40 ms over
    // four hops gives one for segments of 1460 bytes.
    tick(&mut pair);
    let first = start + ms(50.0);
    let delay = ms(4.0 * ((10.0 - (1572.0 + 112.0) * 8.0 / 2000.0) / 2.0 + 6.288));
    tick(&mut pair);
    assert_eq!(pair.sent, [(start, 0), (first, 1), (first + delay, 2)]);
    // The window of two is full: a tick is lost, and what comes after waits for the next.
    tick(&mut pair);
    assert_eq!(pair.sent.len(), 3);
    assert!(pair.ack(1).is_empty());
    tick(&mut pair);
    assert_eq!(pair.sent[3..], [(first + delay * 3, 3)]);
}

#[test]
fn a_fast_retransmission_leaves_at_once_and_stops_the_clock() {
    let mut pair = quiet(30);
    for _ in 0..2 {
        assert!(pair.ack(30).is_empty());
    }
    assert!(pair.tick.is_some());
    assert_eq!(pair.ack(30), [31]);
    assert_eq!(pair.tick, None);
    // The next acknowledgment starts it: one at once, which the window, halved and inflated,
    // allows.
    let next = pair.sender.highest_sent().unwrap() + 1;
    assert_eq!(pair.ack(30), [next]);
    assert!(pair.tick.is_some());
}

#[test]
fn limited_transmit_waits_for_a_tick() {
    let mut pair = quiet(10);
    let next = pair.sender.highest_sent().unwrap() + 1;
    // All of the window is out.
    while pair.sender.highest_sent().unwrap() - 10 < pair.sender.cwnd() as u32 {
        tick(&mut pair);
    }
    let full = pair.sent.len();
    tick(&mut pair);
    assert_eq!(pair.sent.len(), full);
    assert!(pair.ack(10).is_empty());
    tick(&mut pair);
    tick(&mut pair);
    assert_eq!(pair.sent.len(), full + 1, "one duplicate, one segment beyond {next}");
}

#[test]
fn a_timeout_stops_pacing_until_the_next_acknowledgment_and_does_not_double() {
    let mut pair = quiet(30);
    let rto = pair.sender.rto();
    let expire = |pair: &mut Pair| {
        pair.now = pair.timer.take().expect("segments are outstanding");
        pair.sender.on_timeout(pair.now, &mut pair.actions);
        pair.carry_out();
    };
    (0..3).for_each(|_| expire(&mut pair));
    assert_eq!((pair.sender.rto(), pair.tick), (rto, None));
    assert_eq!(pair.sent.last(), Some(&(pair.now, 31)));
    assert_eq!(pair.sender.cwnd(), 1.0);
    // Two may leave: one at once, one at the tick.
    assert_eq!(pair.ack(31), [32]);
    tick(&mut pair);
    assert_eq!(pair.sent.last(), Some(&(pair.now, 33)));
}

#[test]
fn a_broken_route_stops_the_clock() {
    let config = TcpConfig {
        scheme: Flavour::TcpAp,
        link_failure: LinkFailure::Elfn,
        window_segments: 20,
        ..TcpConfig::default()
    };
    let mut pair = Pair::new(config, Profile::Ns2);
    pair.until_acked(30);
    pair.flights.clear();
    assert!(pair.tick.is_some());
    let last = pair.sender.highest_sent().unwrap();
    pair.route_error();
    assert_eq!(pair.tick, None);
    assert!(pair.ack(last - 1).is_empty());
    let sent = pair.marked_ack(last, true);
    assert_eq!((sent.len(), pair.tick.is_some()), (1, true), "the first of a paced phase");
}

#[test]
fn the_clock_stops_when_there_is_nothing_to_send_any_more() {
    let mut pair = quiet(10);
    pair.sender.on_stop(pair.now);
    pair.ack(pair.sender.highest_sent().unwrap());
    tick(&mut pair);
    assert_eq!((pair.tick, pair.timer), (None, None));
}
