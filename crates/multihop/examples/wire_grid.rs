//! Runs each connection of a grid of wires that another TCP has run, and writes what it had beside what that had.
//!
//! `cargo run --release --example wire_grid < tools/kernel_tcp/grid.csv`: the columns are those of `tools/kernel_tcp/grid.py`, and
//! `ours` behind them. Losses are drawn as there.

use std::io::{BufRead, BufWriter, Write, stdin, stdout};

use multihop::kernel::{Duration, Instant};
use multihop::profile::Profile;
use multihop::transport::wire::{Wire, run};
use multihop::transport::{Flavour, Rules, TcpConfig};

/// Losses are drawn for so many segments.
const FIRST_LOSSES: u64 = 100_000;
/// A connection is given up after this.
const LONGEST: Duration = Duration::from_secs(1000);

/// SplitMix64 (Steele, Lea, Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014).
fn split_mix(state: u64) -> u64 {
    let mut mixed = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    mixed ^ (mixed >> 31)
}

fn ours(cell: impl Fn(&str) -> String) -> Result<f64, Box<dyn std::error::Error>> {
    let scheme = match cell("cc").as_str() {
        "reno" => Flavour::Reno,
        "cubic" => Flavour::Cubic,
        other => return Err(format!("cc: must be reno or cubic (got {other})").into()),
    };
    let config = TcpConfig {
        scheme,
        profile: Some(Rules::Linux),
        segment_bytes: 1448,
        window_segments: 1_000_000,
        ..TcpConfig::default()
    };
    let share: f64 = cell("loss").parse()?;
    let seed: u64 = cell("seed").parse()?;
    let limit = (share * 2f64.powi(64)) as u64;
    let wire = Wire {
        rate_bps: cell("rate_bps").parse()?,
        delay: Duration::from_secs_f64(cell("delay_ms").parse::<f64>()? / 1000.0),
        buffer: cell("buffer_packets").parse()?,
        header_bytes: 52,
        losses: (1..=FIRST_LOSSES).filter(|n| split_mix(seed << 32 | n) < limit).collect(),
    };
    let bytes: Option<u64> = cell("bytes").parse().ok();
    let seconds: Option<f64> = cell("seconds").parse().ok();
    let until = Instant::ZERO + seconds.map_or(LONGEST, Duration::from_secs_f64);
    let achieved = run(&config, Profile::Standard, &wire, bytes, until);
    Ok(match (bytes, seconds) {
        (None, Some(seconds)) => achieved.delivered_bytes as f64 * 8.0 / seconds,
        _ => achieved.completed.map_or(f64::INFINITY, |at| at.as_nanos() as f64 / 1e9),
    })
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut lines = stdin().lock().lines();
    let head = lines.next().ok_or("the grid is empty")??;
    let mut out = BufWriter::new(stdout().lock());
    writeln!(out, "{head},ours")?;
    let columns: Vec<&str> = head.split(',').collect();
    for line in lines {
        let line = line?;
        let cells: Vec<&str> = line.split(',').collect();
        let cell = |name: &str| {
            let place = columns.iter().position(|column| *column == name);
            place.and_then(|place| cells.get(place)).map_or(String::new(), ToString::to_string)
        };
        if cell("cc") != "bbr" {
            writeln!(out, "{line},{:.6}", ours(cell)?)?;
        }
    }
    Ok(())
}
