//! The windows that Linux's receiver advertises: a receiver of ours that gets the recorded segments
//! advertises the same.
//!
//! When segments arrived follows from when they entered the wire (evidence/kernel-tcp.md).
//! Recordings have the receiver's times in whole milliseconds of a clock that they don't show: of
//! its phases, by tenths, the one that fits best counts.

use crate::kernel::{Duration, Instant};
use crate::transport::receive_window::{AutoWindow, WindowScheme};
use crate::transport::{Arriving, ReceiveBufferConfig, Received, Receiver};
use crate::transport::{Rules, TcpConfig};

/// Payload of a full segment with timestamps \[bytes\].
const SEGMENT: u32 = 1448;
/// What the recorder's wire and its clock add to the time of an event.
const NOISE: Duration = Duration::from_nanos(400_000);

/// A segment that arrived.
struct Arrival {
    at: Instant,
    /// Its first byte.
    byte: u32,
    bytes: u32,
    /// When the acknowledgment was sent that the sender had got by then.
    echo: Instant,
}

/// An acknowledgment: when it was sent, and the window that it told.
struct Told {
    at: Instant,
    window: u64,
}

struct Recording {
    first_window: u64,
    scale: u8,
    arrivals: Vec<Arrival>,
    told: Vec<Told>,
}

fn micros(word: &str) -> Duration {
    Duration::from_nanos(word.parse::<u64>().unwrap() * 1000)
}

fn parse(text: &str) -> Recording {
    let value = |key: &str| {
        let line = text.lines().find(|line| line.split_once(" =").is_some_and(|(k, _)| k == key));
        line.unwrap().split_once(" =").unwrap().1.trim().parse::<f64>().unwrap()
    };
    let (rate_bps, delay) = (value("rate_bps"), Duration::from_secs_f64(value("delay_ms") / 1e3));
    let airtime = |bytes: u32| Duration::from_secs_f64(f64::from(8 * bytes) / rate_bps);
    let begin = Instant::ZERO;
    let mut recording =
        Recording { first_window: 0, scale: 0, arrivals: Vec::new(), told: Vec::new() };
    // The SYN is 60 bytes, and its answer leaves when it arrives.
    let mut last_told = begin + airtime(60) + delay;
    let mut free = begin;
    for line in text.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words.first() {
            Some(&"syn-ack") => {
                recording.first_window = words[2].parse().unwrap();
                recording.scale = words[6].parse().unwrap();
            }
            Some(&"ack") => {
                let at = begin + (micros(words[1]) - delay);
                last_told = at;
                if let Ok(window) = words[3].parse() {
                    recording.told.push(Told { at, window });
                }
            }
            Some(&"send") if !["lost", "full", "dark"].contains(words.last().unwrap()) => {
                let bytes: u32 = words[3].parse().unwrap();
                free = free.max(begin + micros(words[1])) + airtime(bytes + 52);
                let (at, byte) = (free + delay, words[2].parse().unwrap());
                recording.arrivals.push(Arrival { at, byte, bytes, echo: last_told });
            }
            _ => {}
        }
    }
    recording
}

/// `at` by a clock of whole milliseconds.
fn in_millis(at: Instant, phase: Duration) -> Instant {
    Instant::from_nanos((at + phase).as_nanos() / 1_000_000 * 1_000_000)
}

/// Acknowledgments, and those whose window is ours to within a segment.
fn compare(recording: &Recording, phase: Duration) -> [usize; 2] {
    let config = TcpConfig {
        profile: Some(Rules::Linux),
        segment_bytes: SEGMENT,
        receive_buffer: ReceiveBufferConfig {
            scheme: WindowScheme::Auto,
            largest_bytes: 33_554_432,
            ..ReceiveBufferConfig::default()
        },
        ..TcpConfig::default()
    };
    let scale = config.window_fields(Rules::Linux).scale;
    assert_eq!(scale, recording.scale, "RFC 7323 section 2.3");
    let mut window = AutoWindow::new(&config, Rules::Linux);
    let mut receiver = Receiver::default();
    receiver.on_segment(0, 0);
    let first = u64::from(window.field(&receiver));
    assert_eq!(first, recording.first_window, "RFC 7323 section 2.2: not scaled");
    let mut alike = 0;
    let mut told = recording.told.iter().peekable();
    let mut arrivals = recording.arrivals.iter().peekable();
    while let Some(arrival) = arrivals.next() {
        if arrival.bytes == 0 {
            window.on_open(arrival.at);
            continue;
        }
        let now = arrival.at;
        let segment = Arriving {
            now: in_millis(now, phase),
            number: arrival.byte.div_ceil(SEGMENT),
            payload_bytes: arrival.bytes,
            probe: false,
            sent: now,
            echo: in_millis(arrival.echo, phase),
        };
        let received = receiver.on_segment(segment.number, segment.payload_bytes);
        window.on_segment(&receiver, &segment);
        let offered = u64::from(window.field(&receiver)) << scale;
        if received == Received::InOrder {
            window.on_read(now, receiver.delivered_bytes());
        }
        let next = arrivals.peek().map_or(Instant::FAR, |next| next.at);
        while let Some(ack) = told.next_if(|ack| ack.at + NOISE < next) {
            alike += usize::from(offered.abs_diff(ack.window) <= u64::from(SEGMENT));
        }
    }
    [recording.told.len(), alike]
}

#[test]
fn windows_are_those_that_the_kernel_advertises() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/src/transport/tests/kernel");
    let mut paths: Vec<_> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    let mut total = [0; 2];
    for path in paths {
        let name = path.file_stem().unwrap().to_str().unwrap();
        if !name.contains("-auto-") {
            continue;
        }
        let recording = parse(&std::fs::read_to_string(&path).unwrap());
        let phases = (0..10).map(|tenth| Duration::from_micros(100 * tenth));
        let best = phases.map(|phase| compare(&recording, phase)).max().unwrap();
        println!("{name}: {} of {} acknowledgments", best[1], best[0]);
        total = [total[0] + best[0], total[1] + best[1]];
    }
    let share = total[1] as f64 / total[0] as f64;
    println!("{share:.4} of {} acknowledgments", total[0]);
    assert!(total[0] >= 2000, "recordings are missing");
    assert!(share >= 0.7, "{share:.4} of the windows are the kernel's");
}
