//! Pacing by the congestion control's rate.

use super::*;
use crate::transport::congestion::{Ack, CongestionControl, Loss, Window};
use crate::transport::pacing::PacingScheme;

fn paced(scheme: Flavour, window_segments: u32) -> Pair {
    let pacing = PacingConfig { scheme: Some(PacingScheme::Rate), ..PacingConfig::default() };
    let config = TcpConfig { scheme, pacing, window_segments, ..TcpConfig::default() };
    Pair::new(config, Profile::Standard)
}

/// When each segment from `first` on was sent \[ms since `start`\].
fn sent_ms(pair: &Pair, start: Instant, first: u32) -> Vec<f64> {
    let new = pair.sent.iter().filter(|&&(_, number)| number >= first);
    new.map(|&(at, _)| (at - start).as_secs_f64() * 1000.0).collect()
}

fn tick(pair: &mut Pair) {
    pair.now = pair.tick.take().expect("the clock ticks");
    pair.sender.on_pacing_tick(pair.now, &mut pair.actions);
    pair.carry_out();
}

#[test]
fn a_window_is_spread_over_the_round_trip() {
    let mut pair = paced(Flavour::NewReno, 20);
    pair.until_acked(0);
    let start = pair.now;
    pair.flights.clear();
    (0..3).for_each(|_| tick(&mut pair));
    // 40 ms over the initial window of 3. The last tick finds the window full.
    let got = sent_ms(&pair, start, 1);
    let expected = [0.0, 40.0 / 3.0, 80.0 / 3.0];
    assert_eq!(got.len(), 3);
    assert!(got.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-5), "{got:?}");
    assert_eq!(pair.tick, None);
    // After a tick without a segment the next one does not wait.
    pair.now += Duration::from_millis(5);
    assert_eq!(pair.ack(1), [4]);
    assert!(pair.tick.is_some());
    assert!(pair.ack(2).is_empty(), "it waits for the tick");
}

#[test]
fn before_the_first_round_trip_nothing_is_paced() {
    let mut pair = paced(Flavour::NewReno, 20);
    assert_eq!((pair.sent.len(), pair.tick), (1, None));
    // The SYN is lost: its repetition leaves by the retransmission timer.
    pair.flights.clear();
    assert!(pair.step());
    assert_eq!((pair.sent.len(), pair.tick), (2, None));
}

#[test]
fn the_receivers_window_bounds_the_rate() {
    let mut pair = paced(Flavour::NewReno, 4);
    pair.until_acked(200);
    assert!(pair.sender.cwnd() > 8.0);
    let new: Vec<Instant> = pair.sent.iter().rev().take(40).map(|&(at, _)| at).collect();
    let gaps = new.windows(2).map(|pair| (pair[0] - pair[1]).as_secs_f64());
    assert!(gaps.into_iter().all(|gap| gap >= 0.01 - 1e-9), "40 ms over 4 segments: {new:?}");
}

#[test]
fn pacing_costs_no_more_than_a_round_trip_in_twenty() {
    let time = |mut pair: Pair| {
        pair.until_acked(2000);
        (pair.now - pair.sent[0].0).as_secs_f64()
    };
    for scheme in [Flavour::Reno, Flavour::NewReno, Flavour::Cubic] {
        let window_segments = 16;
        let config = TcpConfig { scheme, window_segments, ..TcpConfig::default() };
        let free = time(Pair::new(config, Profile::Standard));
        let spread = time(paced(scheme, window_segments));
        assert!(spread <= free * 1.05, "{scheme:?}: {spread} s, unpaced {free} s");
    }
}

/// A congestion control that states its own rate.
#[derive(Debug)]
struct Metronome(Option<Duration>);

impl CongestionControl for Metronome {
    fn on_ack(&mut self, _: &mut Window, _: &Ack) {}
    fn on_loss(&mut self, _: &mut Window, _: &Loss) {}
    fn on_timeout(&mut self, _: &mut Window, _: &Loss) {}
    fn pacing_interval(&self, _: &Window, _: Option<Duration>) -> Option<Duration> {
        self.0
    }
}

#[test]
fn a_congestion_control_can_state_its_rate() {
    let mut pair = paced(Flavour::NewReno, 20);
    pair.sender.replace_control(Box::new(Metronome(Some(Duration::from_millis(7)))));
    pair.until_acked(0);
    let start = pair.now;
    pair.flights.clear();
    (0..2).for_each(|_| tick(&mut pair));
    assert_eq!(sent_ms(&pair, start, 1), [0.0, 7.0, 14.0]);
    // Or that there is none: what the window admits leaves at once.
    let mut pair = paced(Flavour::NewReno, 20);
    pair.sender.replace_control(Box::new(Metronome(None)));
    pair.until_acked(0);
    assert_eq!((pair.sent.len(), pair.tick), (4, None));
}
