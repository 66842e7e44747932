//! Senders whose application has data only now and then.

use super::*;
use proptest::prelude::*;

fn pair(config: TcpConfig, profile: Profile) -> Pair {
    let supply = Supply::empty(config.segment_bytes);
    Pair::with_supply(config, supply, profile)
}

fn wide(scheme: Flavour) -> TcpConfig {
    TcpConfig { scheme, window_segments: 64, ..TcpConfig::default() }
}

#[test]
fn an_idle_connection_sends_its_syn_and_nothing_else() {
    let mut pair = pair(wide(Flavour::NewReno), Profile::Ns2);
    pair.until_acked(0);
    pair.rest(Duration::from_secs(10));
    assert_eq!(pair.sent.len(), 1);
}

#[test]
fn a_message_leaves_at_once_and_whole() {
    let mut pair = pair(wide(Flavour::NewReno), Profile::Ns2);
    pair.until_acked(0);
    pair.rest(Duration::from_secs(1));
    assert_eq!(pair.supply(1), 1);
    assert_eq!(pair.sent.last(), Some(&(pair.now, 1)));
    pair.until_acked(1);
    pair.rest(Duration::from_secs(1));
    let last = pair.supply(100_000);
    pair.until_acked(last);
    assert_eq!((last, pair.receiver.delivered_bytes()), (1 + 69, 100_001));
}

#[test]
fn a_message_before_the_handshake_waits_for_it() {
    let mut pair = pair(wide(Flavour::NewReno), Profile::Ns2);
    pair.supply(1000);
    assert_eq!(pair.sent.len(), 1);
    pair.until_acked(1);
    assert_eq!(pair.receiver.delivered_bytes(), 1000);
}

#[test]
fn the_last_segment_of_a_message_is_repaired_by_the_timer() {
    let mut pair = pair(wide(Flavour::NewReno), Profile::Ns2);
    pair.until_acked(0);
    pair.drops.push(3);
    let last = pair.supply(4000);
    pair.until_acked(last);
    assert_eq!(pair.receiver.delivered_bytes(), 4000);
    assert_eq!(pair.sender.counters().timeouts, 1);
}

#[test]
fn the_standard_profile_restarts_from_the_initial_window_after_an_idle_time() {
    for (profile, idle_s, restarts) in [
        (Profile::Standard, 10, true),
        (Profile::Standard, 0, false),
        // Checked against the notes of ns-2's behaviour: there the window stays.
        (Profile::Ns2, 10, false),
    ] {
        let mut pair = pair(wide(Flavour::NewReno), profile);
        pair.until_acked(0);
        let last = pair.supply(50 * 1460);
        pair.until_acked(last);
        let (cwnd, sent) = (pair.sender.cwnd(), pair.sent.len());
        pair.rest(Duration::from_secs(idle_s));
        pair.supply(50 * 1460);
        let burst = pair.sent.len() - sent;
        let expected = if restarts { 3 } else { cwnd as usize };
        assert_eq!(burst, expected.min(50), "{profile:?}, idle for {idle_s} s");
        assert!(cwnd > 10.0);
    }
}

#[test]
fn nothing_is_sent_beyond_a_stop() {
    let mut pair = pair(wide(Flavour::NewReno), Profile::Ns2);
    pair.until_acked(0);
    pair.supply(100_000);
    pair.sender.on_stop(pair.now);
    while pair.step() {}
    assert_eq!(pair.sender.highest_ack(), Some(2), "the initial window, and nothing after it");
}

#[test]
fn a_paced_sender_wakes_up() {
    let mut pair = pair(wide(Flavour::TcpAp), Profile::Ns2);
    pair.until_acked(0);
    let last = pair.supply(20 * 1460);
    pair.until_acked(last);
    pair.rest(Duration::from_secs(5));
    let last = pair.supply(20 * 1460);
    pair.until_acked(last);
    assert_eq!(pair.receiver.delivered_bytes(), 40 * 1460);
}

#[test]
fn a_suspended_sender_that_had_nothing_left_probes_with_what_comes() {
    let config = TcpConfig { link_failure: LinkFailure::Elfn, ..wide(Flavour::NewReno) };
    let mut pair = pair(config, Profile::Ns2);
    pair.until_acked(0);
    pair.drops.extend([1, 1]);
    pair.supply(1000);
    pair.route_error();
    // It has arrived after all. Its acknowledgment is not the probe's: still suspended, with
    // nothing to repeat.
    pair.receiver.on_data(1, 1000);
    pair.marked_ack(1, false);
    while pair.step() {}
    let before = pair.sent.len();
    let last = pair.supply(3000);
    assert_eq!(pair.sent.len(), before + 1, "a probe");
    pair.until_acked(last);
    assert_eq!(pair.sender.glance().map(|glance| glance.stage), Some(Stage::SlowStart));
}

proptest! {
    #[test]
    fn every_byte_arrives_whatever_is_lost(
        messages in prop::collection::vec((1u64..30_000, 0u64..3_000), 1..8),
        drops in prop::collection::vec(0u32..60, 0..20),
        scheme in prop::sample::select(Flavour::OURS.iter().map(|&(_, scheme)| scheme).filter(|scheme| {
            matches!(scheme.scheme().sending, Sending::Windowed(..))
        }).collect::<Vec<_>>()),
        profile in prop::sample::select(vec![Profile::Ns2, Profile::Standard]),
    ) {
        let mut pair = pair(wide(scheme), profile);
        pair.drops = drops;
        let (mut total, mut last) = (0, 0);
        for (bytes, steps) in messages {
            last = pair.supply(bytes);
            total += bytes;
            for _ in 0..steps % 200 {
                pair.step();
            }
        }
        pair.until_acked(last);
        prop_assert_eq!(pair.receiver.delivered_bytes(), total);
    }
}
