//! The `standard` profile, and the estimator of round trips in both.

use super::rtt::RttEstimator;
use super::*;

#[test]
fn the_initial_window_depends_on_the_segment_size() {
    for (segment_bytes, window) in [(536, 4), (1095, 4), (1096, 3), (2190, 3), (2191, 2)] {
        let config = TcpConfig { segment_bytes, ..TcpConfig::default() };
        assert_eq!(config.initial_window(Rules::Standard), window, "{segment_bytes} bytes");
        assert_eq!(config.initial_window(Rules::Ns2), 2);
    }
}

#[test]
fn halving_starts_from_the_outstanding_segments() {
    let config = TcpConfig { window_segments: 64, ..TcpConfig::default() };
    let mut pair = Pair::new(config, Profile::Standard);
    pair.until_acked(40);
    pair.flights.clear();
    let outstanding = pair.sender.highest_sent().unwrap() - 40;
    pair.ack(40);
    pair.ack(40);
    let with_limited_transmit = pair.sender.highest_sent().unwrap() - 40;
    assert!(with_limited_transmit >= outstanding);
    pair.ack(40);
    assert_eq!(pair.sender.ssthresh(), with_limited_transmit / 2);
    assert_eq!(pair.sender.cwnd(), f64::from(with_limited_transmit / 2));
}

fn estimator(profile: Profile) -> RttEstimator {
    let mut rng = Rng::stream(1, Purpose::Transport, 0);
    RttEstimator::new(&TcpConfig::default(), profile.into(), &mut rng)
}

fn millis(ms: u64) -> Instant {
    Instant::from_nanos(ms * 1_000_000)
}

#[test]
fn before_any_sample_the_timeout_is_the_initial_one() {
    assert_eq!(estimator(Profile::Ns2).timeout(), Duration::from_secs(3));
    assert_eq!(estimator(Profile::Standard).timeout(), Duration::from_secs(1));
}

#[test]
fn ns2_keeps_scaled_integers_of_ticks() {
    // Round trips of exactly 1, 2 and 30 ticks, whatever the phase: S = 8, V = 2; then S = 9, V =
    // 3; then error 29: S = 38, V = 3 + 29 - 0 = 32, timeout (32 * 8 + 38) >> 3 = 36 ticks.
    let mut rtt = estimator(Profile::Ns2);
    rtt.on_sample(millis(1000), millis(1010));
    assert_eq!(rtt.smoothed(), Some(Duration::from_millis(10)));
    rtt.on_sample(millis(2000), millis(2020));
    assert_eq!(rtt.timeout(), Duration::from_millis(200));
    rtt.on_sample(millis(3000), millis(3300));
    assert_eq!(rtt.timeout(), Duration::from_millis(360));
}

#[test]
fn ns2_forgets_the_averages_after_four_doublings() {
    let mut rtt = estimator(Profile::Ns2);
    rtt.on_sample(millis(1000), millis(1300));
    (0..3).for_each(|_| rtt.on_timeout());
    assert!(rtt.smoothed().is_some());
    rtt.on_timeout();
    assert_eq!(rtt.smoothed(), None);
    assert_eq!(rtt.timeout(), Duration::from_millis(900 * 16));
}

#[test]
fn the_standard_estimator_follows_rfc_6298() {
    // RTTVAR <- 3/4 RTTVAR + 1/4 |SRTT - R|; SRTT <- 7/8 SRTT + 1/8 R; RTO = SRTT + max(G, 4
    // RTTVAR).
    let mut rtt = estimator(Profile::Standard);
    let (mut srtt, mut rttvar): (f64, f64) = (0.0, 0.0);
    for (i, ms) in [800, 950, 700, 1400, 3000, 2500, 40, 90].into_iter().enumerate() {
        let r = ms as f64 / 1000.0;
        (srtt, rttvar) = match i {
            0 => (r, r / 2.0),
            _ => (0.875 * srtt + 0.125 * r, 0.75 * rttvar + 0.25 * (srtt - r).abs()),
        };
        rtt.on_sample(millis(10_000), millis(10_000 + ms));
        let expected = (srtt + (4.0 * rttvar).max(0.01)).max(1.0);
        assert!((rtt.timeout().as_secs_f64() - expected).abs() < 1e-6, "sample {i}");
    }
    (0..20).for_each(|_| rtt.on_timeout());
    assert_eq!(rtt.timeout(), Duration::from_secs(60));
}

#[test]
fn keys_out_of_bounds_are_named() {
    let faulty = |change: fn(&mut TcpConfig)| {
        let mut config = TcpConfig::default();
        change(&mut config);
        config.check().expect_err("a fault").key
    };
    assert_eq!(faulty(|c| c.segment_bytes = 0), "segment_bytes");
    assert_eq!(faulty(|c| c.window_segments = 0), "window_segments");
    assert_eq!(faulty(|c| c.duplicate_ack_threshold = 0), "duplicate_ack_threshold");
    assert_eq!(faulty(|c| c.clock_granularity_s = f64::NAN), "clock_granularity_s");
    assert_eq!(faulty(|c| c.rto_min_s = Some(61.0)), "rto_min_s");
    assert_eq!(faulty(|c| c.rto_max_s = f64::INFINITY), "rto_max_s");
    assert!(TcpConfig::default().check().is_ok());
}
