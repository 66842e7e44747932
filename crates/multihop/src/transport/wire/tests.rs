//! Connections over a wire, by arithmetic.

use super::*;
use crate::transport::receive_window::WindowScheme;
use crate::transport::sack::{RecoveryConfig, RecoveryScheme};
use crate::transport::{Flavour, ReceiveBufferConfig, Rules};

fn linux(scheme: Flavour) -> TcpConfig {
    TcpConfig {
        scheme,
        profile: Some(Rules::Linux),
        segment_bytes: 1448,
        window_segments: 10_000,
        ..TcpConfig::default()
    }
}

fn wire(rate_bps: f64, delay_ms: u64, buffer: usize, losses: &[u64]) -> Wire {
    Wire {
        rate_bps,
        delay: Duration::from_millis(delay_ms),
        buffer,
        header_bytes: 52,
        losses: losses.iter().copied().collect(),
    }
}

fn completion_s(wire: &Wire, scheme: Flavour, bytes: u64) -> f64 {
    let until = Instant::ZERO + Duration::from_secs(1000);
    let achieved = run(&linux(scheme), Profile::Standard, wire, Some(bytes), until);
    assert_eq!(achieved.delivered_bytes, bytes);
    achieved.completed.expect("it completes").as_nanos() as f64 / 1e9
}

#[test]
fn a_first_window_takes_a_handshake_its_transmissions_and_a_delay() {
    let wire = wire(1.2e6, 50, 100, &[]);
    // 10 segments of 1500 bytes at 10 ms each; the SYN of 52 bytes takes 0.347 ms.
    let expected = 0.05 + 0.052 * 8.0 / 1200.0 + 0.05 + 10.0 * 0.01 + 0.05;
    assert!((completion_s(&wire, Flavour::Reno, 14_480) - expected).abs() < 1e-6);
}

#[test]
fn a_long_file_takes_what_the_wire_can_carry() {
    let wire = wire(10e6, 10, 1000, &[]);
    let bytes = 5_000_000;
    let least = bytes as f64 / 1448.0 * 1500.0 * 8.0 / 10e6;
    for scheme in [Flavour::Reno, Flavour::Cubic] {
        let took = completion_s(&wire, scheme, bytes);
        assert!(took > least && took < 1.05 * least + 0.2, "{scheme:?}: {took} against {least}");
    }
}

#[test]
fn a_lost_segment_is_repaired_within_two_round_trips_and_a_lost_last_one_by_a_probe() {
    let bytes = 30 * 1448;
    let whole = completion_s(&wire(5e6, 20, 100, &[]), Flavour::Cubic, bytes);
    let middle = completion_s(&wire(5e6, 20, 100, &[15]), Flavour::Cubic, bytes);
    assert!(middle > whole && middle < whole + 0.08, "{middle} against {whole}");
    let last = completion_s(&wire(5e6, 20, 100, &[30]), Flavour::Cubic, bytes);
    assert!(last > whole + 0.08 && last < whole + 0.3, "{last} against {whole}");
}

#[test]
fn the_buffer_holds_what_it_is_said_to() {
    // A window of 10 finds room for one in transmission and five that wait: four are lost.
    let until = Instant::ZERO + Duration::from_millis(60);
    let short = wire(1.2e5, 10, 5, &[]);
    let config = linux(Flavour::Reno);
    let achieved = run(&config, Profile::Standard, &short, None, until);
    assert_eq!(achieved.sent_segments, 11);
    let later = Instant::ZERO + Duration::from_millis(640);
    let achieved = run(&config, Profile::Standard, &short, None, later);
    assert_eq!(achieved.delivered_bytes, 6 * 1448);
}

#[test]
fn a_long_fat_path_is_limited_by_a_constant_window_and_freed_by_one_that_sizes_itself() {
    // 20 Mbit/s and 200 ms there and back hold 333 segments.
    let wire = wire(20e6, 100, 1000, &[]);
    let until = Instant::ZERO + Duration::from_secs(20);
    let goodput = |config: &TcpConfig| {
        let achieved = run(config, Profile::Standard, &wire, None, until);
        achieved.delivered_bytes as f64 * 8.0 / 20.0
    };
    let constant = TcpConfig { window_segments: 45, ..linux(Flavour::Cubic) };
    let limited = goodput(&constant);
    assert!(limited < 45.0 * 1448.0 * 8.0 / 0.2, "{limited}: a window a round trip");
    let receive_buffer =
        ReceiveBufferConfig { scheme: WindowScheme::Auto, ..ReceiveBufferConfig::default() };
    for rules in [Rules::Linux, Rules::Standard] {
        let scheme = Some(RecoveryScheme::RackTlp);
        let auto = TcpConfig {
            profile: Some(rules),
            recovery: RecoveryConfig { scheme, ..RecoveryConfig::default() },
            receive_buffer: receive_buffer.clone(),
            ..constant.clone()
        };
        let freed = goodput(&auto);
        let small = ReceiveBufferConfig { largest_bytes: 200_000, ..receive_buffer.clone() };
        let bounded = goodput(&TcpConfig { receive_buffer: small, ..auto });
        println!("{rules:?}: constant {limited:.0}, auto {freed:.0}, bounded {bounded:.0} bit/s");
        assert!(freed > 0.85 * 20e6, "{rules:?}: {freed}");
        assert!(bounded < 0.5 * 20e6, "{rules:?}: {bounded}, by the largest buffer");
    }
}
