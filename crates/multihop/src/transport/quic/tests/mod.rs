mod keys;
mod properties;
mod wire;

use wire::{HEADERS, Path, Wire, config};

use super::{End, QuicControl};
use crate::kernel::Duration;
use crate::transport::TcpConfig;

#[test]
fn data_arrive_after_one_and_a_half_round_trips() {
    let path = Path { rate_bps: 1e9, ..Path::default() };
    let mut wire = Wire::new(&config(100), false, path, 1);
    wire.supply(End::Client, 1000);
    wire.run(0.0599);
    assert_eq!(wire.delivered, [0, 0], "three delays are 60 ms");
    wire.run(0.0605);
    assert_eq!(wire.delivered, [1, 0]);
    assert_eq!(wire.bytes(), 1000);
}

#[test]
fn the_handshake_has_the_sizes_of_tls() {
    let path = Path { rate_bps: 1e9, ..Path::default() };
    let sizes = |certificate_bytes, from| {
        let mut config = config(100);
        config.quic.certificate_bytes = certificate_bytes;
        let mut wire = Wire::new(&config, false, path.clone(), 1);
        wire.run(0.05);
        let sent = wire.log.iter().filter(|(_, end, _)| *end == from);
        sent.map(|(_, _, bytes)| bytes.len()).collect::<Vec<usize>>()
    };
    assert_eq!(sizes(2500, End::Client)[0], 1460, "padded to a full datagram");
    let flight: usize = sizes(2500, End::Server).iter().sum();
    // Hello, certificate and signature, the last message; headers, acknowledgments, extensions.
    let messages = 122 + 2500 + 52;
    assert!((messages + 100..messages + 500).contains(&flight), "{flight}");
    // What is more than three times what the client has sent waits for more of it (RFC 9000,
    // section 8.1).
    let by_once = |certificate_bytes| {
        let mut config = config(100);
        config.quic.certificate_bytes = certificate_bytes;
        let mut wire = Wire::new(&config, false, path.clone(), 1);
        wire.run(0.021);
        let sent = wire.log.iter().filter(|(_, end, _)| *end == End::Server);
        sent.map(|(_, _, bytes)| bytes.len()).sum::<usize>()
    };
    assert!((messages..messages + 500).contains(&by_once(2500)));
    assert!((4380..5840).contains(&by_once(12_000)));
}

#[test]
fn goodput_is_what_the_wire_carries_less_headers() {
    for control in [QuicControl::NewReno, QuicControl::Cubic] {
        let mut config = config(100);
        config.quic.congestion_control = control;
        let mut wire = Wire::new(&config, false, Path::default(), 1);
        wire.supply(End::Client, u64::MAX);
        wire.run(5.0);
        let before = wire.bytes();
        wire.run(65.0);
        let goodput = (wire.bytes() - before) as f64 * 8.0 / 60.0;
        // Short header with connection ID and number, tag, type, stream and offset.
        let payload = 1460.0 - (1.0 + 8.0 + 2.0) - 16.0 - (1.0 + 1.0 + 4.0);
        let expected = 1e6 * payload / (1460.0 + HEADERS as f64);
        assert!((goodput / expected - 1.0).abs() < 0.02, "{control:?}: {goodput} of {expected}");
    }
}

#[test]
fn nothing_depends_on_the_clock_of_the_machine() {
    let run = |seed| {
        let path = Path { loss: 0.05, jitter: Duration::from_millis(5), ..Path::default() };
        let mut wire = Wire::new(&config(100), false, path, seed);
        wire.supply(End::Client, 500_000);
        wire.run(20.0);
        wire.log
    };
    let first = run(7);
    std::thread::sleep(std::time::Duration::from_millis(3));
    assert_eq!(first, run(7), "the same datagrams at the same times");
    assert_ne!(first, run(8));
}

#[test]
fn a_blackout_is_survived_if_a_probe_leaves_after_it_in_time() {
    let path = Path { blackout: 5.0..30.0, ..Path::default() };
    let mut wire = Wire::new(&config(100), false, path, 1);
    wire.supply(End::Client, u64::MAX);
    wire.run(30.0);
    let before = wire.bytes();
    let probes = wire.connection.account(End::Client).probe_timeouts;
    // Probes leave after one timeout, two more, four more, and so on.
    assert!((4..10).contains(&probes), "{probes}");
    wire.run(80.0);
    assert!(wire.bytes() - before > 3_000_000, "{}", wire.bytes() - before);
    assert_eq!(wire.given_up(), None);
}

#[test]
fn one_that_ends_just_before_the_idle_timeout_ends_connections_whose_next_probe_is_later() {
    let mut ends = 0;
    for start in [4.1, 4.6, 5.0, 5.3, 5.9, 6.4, 7.2, 8.5] {
        let end = start + 29.5;
        let path = Path { blackout: start..end, ..Path::default() };
        let mut wire = Wire::new(&config(100), false, path, 1);
        wire.supply(End::Client, u64::MAX);
        wire.run(end + 60.0);
        let given_up = wire.given_up();
        let left: Vec<f64> = wire.log.iter().map(|(at, ..)| at.as_secs_f64()).collect();
        let first = left.iter().copied().find(|&at| at >= end);
        match given_up {
            // The gap between two probes has grown to more than ten seconds.
            Some(at) => assert!(first.is_none_or(|first| first + 0.1 > at), "{first:?}, {at}"),
            None => assert!(first.is_some_and(|first| first < start + 31.0), "{first:?}"),
        }
        ends += usize::from(given_up.is_some());
    }
    assert!(ends > 0, "a blackout shorter than the idle timeout does not always pass");
}

#[test]
fn a_longer_one_ends_the_connection_for_good() {
    let path = Path { blackout: 5.0..40.0, ..Path::default() };
    let mut wire = Wire::new(&config(100), false, path, 1);
    wire.supply(End::Client, u64::MAX);
    wire.run(40.0);
    let (before, sent) = (wire.bytes(), wire.log.len());
    let given_up = wire.given_up().unwrap();
    assert!((35.0..36.0).contains(&given_up), "{given_up}");
    wire.run(100.0);
    assert_eq!((wire.bytes(), wire.log.len()), (before, sent), "both are silent");
}

#[test]
fn the_idle_timeout_is_the_scenario_s() {
    let path = Path { blackout: 5.0..40.0, ..Path::default() };
    let mut config = config(100);
    config.quic.idle_timeout_s = 60.0;
    let mut wire = Wire::new(&config, false, path, 1);
    wire.supply(End::Client, u64::MAX);
    wire.run(100.0);
    assert_eq!(wire.given_up(), None);
}

#[test]
fn probe_timeouts_are_not_counted_where_acknowledgments_come() {
    let mut wire = Wire::new(&config(1000), false, Path::default(), 1);
    wire.supply(End::Client, u64::MAX);
    wire.run(30.0);
    let account = wire.connection.account(End::Client);
    assert!(account.lost > 0 && account.reductions > 0, "the queue is short: {account:?}");
    assert_eq!(account.probe_timeouts, 0, "{account:?}");
    assert!(account.smoothed_rtt.is_some_and(|rtt| rtt > Duration::from_millis(40)));
}

#[test]
fn marks_reduce_the_window_without_loss() {
    let path = Path { mark_at: 20, queue: 1000, ..Path::default() };
    let mut wire = Wire::new(&config(1000), false, path, 1);
    wire.supply(End::Client, u64::MAX);
    wire.run(30.0);
    let account = wire.connection.account(End::Client);
    assert!(account.ecn_reductions > 0, "{account:?}");
    assert_eq!((account.lost, account.reductions), (0, 0));
}

#[test]
fn the_receiver_s_window_bounds_what_is_under_way() {
    // One round trip is 40 ms and the wire is fast: goodput is the window by the round trip.
    let path = Path { rate_bps: 1e9, ..Path::default() };
    let mut wire = Wire::new(&config(8), false, path, 1);
    wire.supply(End::Client, u64::MAX);
    wire.run(20.0);
    let expected = 8.0 * 1460.0 * 20.0 / 0.04;
    let ratio = wire.bytes() as f64 / expected;
    assert!((0.8..1.05).contains(&ratio), "{ratio}");
}

#[test]
fn a_connection_that_is_closed_is_not_given_up() {
    let mut wire = Wire::new(&config(100), false, Path::default(), 1);
    wire.supply(End::Client, 10_000);
    wire.run(2.0);
    wire.call(|connection, now| connection.close(now));
    wire.run(100.0);
    assert_eq!((wire.given_up(), wire.bytes()), (None, 10_000));
    assert!(wire.connection.is_over());
    let last = wire.log.last().unwrap().0.as_secs_f64();
    assert!(last < 3.0, "nothing is sent any more: {last}");
}

#[test]
fn nor_is_one_that_is_closed_while_its_window_is_full() {
    let mut wire = Wire::new(&config(100), false, Path::default(), 1);
    wire.supply(End::Client, u64::MAX);
    wire.run(10.0);
    wire.call(|connection, now| connection.close(now));
    let sent = wire.connection.account(End::Client).sent;
    wire.run(100.0);
    assert_eq!(wire.given_up(), None);
    assert_eq!(wire.connection.account(End::Client).sent, sent, "no data any more");
}

/// How many full datagrams leave the client first, by this initial window.
fn first_flight(initial_window_segments: Option<u32>) -> usize {
    let config = TcpConfig { initial_window_segments, ..config(100) };
    let path = Path { rate_bps: 1e9, ..Path::default() };
    let mut wire = Wire::new(&config, false, path, 1);
    wire.supply(End::Client, u64::MAX);
    // Pacing spreads a window over a round trip.
    wire.run(0.0799);
    wire.log.iter().filter(|(_, end, bytes)| *end == End::Client && bytes.len() == 1460).count()
}

#[test]
fn the_initial_window_is_the_scenario_s() {
    let [small, usual, large] = [Some(4), None, Some(30)].map(first_flight);
    assert!(small < usual && usual < large, "{small} {usual} {large}");
}
