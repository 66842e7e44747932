//! Both versions over a wire. `cargo test --release -p multihop bbr::tests::wire -- --nocapture`
//! prints the table of evidence/kernel-tcp.md.

use super::*;
use crate::profile::Profile;
use crate::transport::wire::{Achieved, Wire, run, run_changing};
use crate::transport::{Flavour, TcpConfig};

/// 10 Mbit/s and 20 ms each way: 34.5 segments of 1448 bytes are the product.
fn wire(buffer: usize, losses: impl Iterator<Item = u64>) -> Wire {
    Wire {
        rate_bps: 10e6,
        delay: Duration::from_millis(20),
        buffer,
        header_bytes: 52,
        losses: losses.collect(),
    }
}

fn config(scheme: Flavour) -> TcpConfig {
    TcpConfig {
        scheme,
        profile: Some(Rules::Linux),
        segment_bytes: 1448,
        window_segments: 10_000,
        ..TcpConfig::default()
    }
}

fn after(seconds: u64) -> Instant {
    Instant::ZERO + Duration::from_secs(seconds)
}

fn achieved(scheme: Flavour, wire: &Wire, seconds: u64) -> Achieved {
    run(&config(scheme), Profile::Standard, wire, None, after(seconds))
}

/// The share of what the wire can carry that is delivered from the fifth second to the twentieth.
fn goodput(scheme: Flavour, wire: &Wire) -> f64 {
    let bytes = |seconds| achieved(scheme, wire, seconds).delivered_bytes;
    (bytes(20) - bytes(5)) as f64 * 8.0 / 15.0 / (wire.rate_bps * 1448.0 / 1500.0)
}

/// One of a hundred, at random but always the same.
fn one_percent() -> impl Iterator<Item = u64> {
    (100..100_000_u64)
        .filter(|number| number.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32 < (1 << 32) / 100)
}

#[test]
fn both_versions_fill_a_wire_with_a_short_queue() {
    for scheme in [Flavour::Bbr1, Flavour::Bbr] {
        let deep = wire(1000, std::iter::empty());
        let share = goodput(scheme, &deep);
        assert!(share > 0.95, "{scheme:?} {share}");
        let waits_s = achieved(scheme, &deep, 20).mean_wait_s;
        let cubic_s = achieved(Flavour::Cubic, &deep, 20).mean_wait_s;
        println!("{scheme:?}: {share:.4}, waits {waits_s:.4} s, CUBIC {cubic_s:.4} s");
        assert!(waits_s < 0.04, "{scheme:?}: {waits_s} s: no more than a round trip of queue");
        assert!(waits_s < 0.2 * cubic_s, "{scheme:?}: {waits_s} against {cubic_s}");
    }
}

#[test]
fn random_losses_of_a_percent_do_not_slow_them() {
    // One segment lost of the product's 34 is more than the draft's 2 %: its bounds hold the third
    // version back, but less on a wire that takes more.
    let lossy = wire(1000, one_percent());
    let faster = Wire { rate_bps: 40e6, ..lossy.clone() };
    for (wire, scheme, least) in [
        (&lossy, Flavour::Bbr1, 0.9),
        (&lossy, Flavour::Bbr, 0.6),
        (&faster, Flavour::Bbr1, 0.9),
        (&faster, Flavour::Bbr, 0.7),
    ] {
        let (share, cubic) = (goodput(scheme, wire), goodput(Flavour::Cubic, wire));
        println!("{scheme:?} at {}: {share:.4}, CUBIC {cubic:.4}", wire.rate_bps);
        assert!(share > least && share > 2.0 * cubic, "{scheme:?}: {share}, CUBIC {cubic}");
    }
}

#[test]
fn a_shallow_buffer_is_filled_with_few_losses() {
    let shallow = wire(10, std::iter::empty());
    let lost = |scheme| {
        let done = achieved(scheme, &shallow, 20);
        1.0 - done.delivered_bytes as f64 / 1448.0 / done.sent_segments as f64
    };
    let (share, first) = (lost(Flavour::Bbr), lost(Flavour::Bbr1));
    println!(
        "lost: {share:.4}, in the first version {first:.4}; goodput {:.4}",
        goodput(Flavour::Bbr, &shallow)
    );
    assert!(share < 0.02 && share < first, "{share} against {first}");
    assert!(goodput(Flavour::Bbr, &shallow) > 0.85);
}

#[test]
fn a_rate_that_changes_is_found() {
    for scheme in [Flavour::Bbr1, Flavour::Bbr] {
        let wire = wire(1000, std::iter::empty());
        for rate_bps in [2.5e6, 40e6] {
            let changes = [(after(10), rate_bps)];
            let bytes = |seconds| {
                run_changing(
                    &config(scheme),
                    Profile::Standard,
                    &wire,
                    &changes,
                    None,
                    after(seconds),
                )
                .delivered_bytes
            };
            let share = (bytes(30) - bytes(20)) as f64 * 8.0 / 10.0 / (rate_bps * 1448.0 / 1500.0);
            println!("{scheme:?} {rate_bps}: {share:.4}");
            assert!(share > 0.9, "{scheme:?} at {rate_bps}: {share}");
        }
    }
}
