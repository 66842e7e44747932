//! Connections over wires that Linux has run too: completion times and goodput against the
//! kernel's.
//!
//! `evidence/kernel_tcp/grid.csv` has what the kernel had, the median of three runs; the same
//! segments are lost here. `cargo test --release --test networks kernel_wire -- --nocapture` prints
//! the table of evidence/kernel-tcp.md.

use std::collections::BTreeMap;

use multihop::kernel::{Duration, Instant};
use multihop::profile::Profile;
use multihop::transport::receive_window::WindowScheme;
use multihop::transport::wire::{Wire, run};
use multihop::transport::{Flavour, ReceiveBufferConfig, Rules, TcpConfig};

/// Losses are drawn for so many segments.
const FIRST_LOSSES: u64 = 100_000;
/// A connection is given up after this.
const LONGEST: Duration = Duration::from_secs(1000);
/// The largest receive buffer of the machine that ran them \[bytes\].
const LARGEST_BUFFER: u32 = 33_554_432;
/// What the median over the grid may differ by: goodput, and completion times.
const GOODPUT: f64 = 0.03;
const BBR_GOODPUT: f64 = 0.08;
const COMPLETION: f64 = 0.05;

/// SplitMix64 (Steele, Lea, Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014).
fn split_mix(state: u64) -> u64 {
    let mut mixed = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    mixed ^ (mixed >> 31)
}

/// A row of the grid by the names of its columns.
type Row = BTreeMap<String, String>;

fn number(row: &Row, column: &str) -> f64 {
    row[column].parse().unwrap()
}

fn grid() -> Vec<Row> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../evidence/kernel_tcp/grid.csv");
    let text = std::fs::read_to_string(path).unwrap();
    let mut lines = text.lines();
    let columns: Vec<&str> = lines.next().unwrap().split(',').collect();
    let named = |line: &str| {
        columns.iter().zip(line.split(',')).map(|(a, b)| (a.to_string(), b.to_string())).collect()
    };
    lines.map(named).collect()
}

/// What this package's TCP has where the kernel had `row`.
fn ours(row: &Row) -> f64 {
    let config = TcpConfig {
        scheme: match row["cc"].as_str() {
            "reno" => Flavour::Reno,
            "cubic" => Flavour::Cubic,
            _ => Flavour::Bbr1,
        },
        profile: Some(Rules::Linux),
        segment_bytes: 1448,
        window_segments: 1_000_000,
        receive_buffer: ReceiveBufferConfig {
            scheme: match row["receive_window"].as_str() {
                "auto" => WindowScheme::Auto,
                _ => WindowScheme::Constant,
            },
            largest_bytes: LARGEST_BUFFER,
            ..ReceiveBufferConfig::default()
        },
        ..TcpConfig::default()
    };
    let limit = (number(row, "loss") * 2f64.powi(64)) as u64;
    let seed = number(row, "seed") as u64;
    let wire = Wire {
        rate_bps: number(row, "rate_bps"),
        delay: Duration::from_secs_f64(number(row, "delay_ms") / 1000.0),
        buffer: number(row, "buffer_packets") as usize,
        header_bytes: 52,
        losses: (1..=FIRST_LOSSES).filter(|n| split_mix(seed << 32 | n) < limit).collect(),
    };
    let bytes = row["bytes"].parse().ok();
    let seconds: Option<f64> = row["seconds"].parse().ok();
    let until = Instant::ZERO + seconds.map_or(LONGEST, Duration::from_secs_f64);
    let achieved = run(&config, Profile::Standard, &wire, bytes, until);
    match seconds {
        Some(seconds) => achieved.delivered_bytes as f64 * 8.0 / seconds,
        None => achieved.completed.map_or(f64::INFINITY, |at| at.as_nanos() as f64 / 1e9),
    }
}

/// The value below which `share` of `sorted` are.
fn quantile(sorted: &[f64], share: f64) -> f64 {
    sorted[((sorted.len() - 1) as f64 * share).round() as usize]
}

#[test]
fn completion_times_and_goodput_are_the_kernel_s_in_the_median_over_the_grid() {
    let mut ratios: BTreeMap<(String, String), Vec<f64>> = BTreeMap::new();
    for row in &grid() {
        let what = match (row["receive_window"].as_str(), row["bytes"].as_str()) {
            ("auto", _) => "receive_window auto".to_string(),
            (_, "") => "goodput".to_string(),
            (_, bytes) => format!("{bytes:>8} bytes"),
        };
        let ratio = ours(row) / number(row, "median");
        ratios.entry((row["cc"].clone(), what)).or_default().push(ratio);
    }
    println!("| | | connections | median ratio | median difference | 90 % differ by less than |");
    for ((cc, what), ratios) in &mut ratios {
        ratios.sort_by(f64::total_cmp);
        let mut apart: Vec<f64> = ratios.iter().map(|ratio| (ratio - 1.0).abs()).collect();
        apart.sort_by(f64::total_cmp);
        let [median, middle, most] =
            [quantile(ratios, 0.5), quantile(&apart, 0.5), quantile(&apart, 0.9)];
        let count = ratios.len();
        println!("| {cc} | {what} | {count} | {median:.3} | {middle:.3} | {most:.3} |");
        let bar = match (cc.as_str(), what.as_str()) {
            ("bbr", "goodput") => BBR_GOODPUT,
            (_, "goodput") => GOODPUT,
            _ => COMPLETION,
        };
        assert!(count >= 10, "{cc}, {what}: the grid has {count} connections");
        assert!(middle <= bar, "{cc}, {what}: {middle:.3} apart in the median");
    }
}
