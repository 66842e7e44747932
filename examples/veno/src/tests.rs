//! Veno, driven by hand.

use multihop::api::kernel::{Duration, Instant};
use multihop::api::transport::Rules;
use multihop::api::transport::congestion::{Ack, CongestionControl, LimitedBy, Loss, Window};

use super::{Veno, schemes};

/// A window of 20 segments in congestion avoidance.
fn window() -> Window {
    let mut window = Window::new(10, 1000, Rules::Standard);
    window.cwnd = 20.0;
    window
}

/// The acknowledgment of a segment after `rtt_ms`, where 100 ms is the shortest.
fn ack(rtt_ms: u64) -> Ack {
    Ack {
        now: Instant::from_secs_f64(1.0),
        rtt: Some(Duration::from_millis(rtt_ms)),
        smoothed_rtt: Some(Duration::from_millis(rtt_ms)),
        min_rtt: Some(Duration::from_millis(100)),
        delivered: 1,
        delivered_total: 1,
        in_flight: 19,
        duplicates: 0,
        limited_by: LimitedBy::Window,
    }
}

const LOSS: Loss = Loss { now: Instant::ZERO, in_flight: 20, duplicates: 3 };

#[test]
fn the_window_grows_half_as_fast_while_three_segments_wait() {
    // 20 segments in 110 ms: 1.8 of them wait; in 125 ms: 4.
    for (rtt_ms, grown) in [(110, 1.0), (125, 0.5)] {
        let (mut veno, mut window) = (Veno::default(), window());
        (0..20).for_each(|_| veno.on_ack(&mut window, &ack(rtt_ms)));
        assert!((window.cwnd - 20.0 - grown).abs() < 0.05, "{rtt_ms} ms: {}", window.cwnd);
    }
}

#[test]
fn a_loss_leaves_four_fifths_unless_three_segments_wait() {
    for (rtt_ms, left) in [(110, 16.0), (125, 10.0)] {
        let (mut veno, mut window) = (Veno::default(), window());
        veno.on_ack(&mut window, &ack(rtt_ms));
        veno.on_loss(&mut window, &LOSS);
        assert_eq!(window.cwnd, left, "{rtt_ms} ms");
    }
}

#[test]
fn slow_start_does_not_ask_for_queues() {
    let (mut veno, mut window) = (Veno::default(), window());
    window.ssthresh = 100;
    (0..4).for_each(|_| veno.on_ack(&mut window, &ack(200)));
    assert_eq!(window.cwnd, 24.0);
}

#[test]
fn scenarios_know_it() {
    assert!(schemes().overrides("veno").is_some());
}
