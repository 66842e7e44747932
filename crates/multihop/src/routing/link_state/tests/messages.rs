//! Numbers, the messages seen and those that wait.

use crate::kernel::{Duration, Instant};
use crate::routing::link_state::{Duplicates, Waiting, is_newer, packed};
use crate::wire::NodeId;

#[test]
fn numbers_are_newer_across_their_wrap() {
    // RFC 3626 section 19, RFC 7181 section 21.
    for (a, b, expected) in [
        (2, 1, true),
        (1, 2, false),
        (1, 1, false),
        (0, 65535, true),
        (65535, 0, false),
        (32767, 0, true),
        (32768, 0, false),
        (0, 32769, true),
    ] {
        assert_eq!(is_newer(a, b), expected, "{a} than {b}");
    }
}

#[test]
fn a_message_is_known_for_its_time_and_so_are_those_far_behind() {
    let (at, hold) = (Instant::from_secs_f64, Duration::from_secs(30));
    let mut seen = Duplicates::default();
    let one = NodeId(1);
    assert!(!seen.knows(at(0.0), one, 65535));
    assert!(seen.is_new(at(0.0), one, 65535, hold));
    assert!(seen.is_new(at(1.0), one, 1, hold), "across the wrap");
    let known = [65535, 0, 1, 2, 65535 - 63].map(|number| seen.knows(at(1.0), one, number));
    assert_eq!(known, [true, false, true, false, true]);
    assert!(seen.is_new(at(2.0), one, 0, hold), "overtaken by 1");
    assert!(!seen.knows(at(32.0), one, 1) && seen.is_new(at(32.0), one, 1, hold));
}

#[test]
fn a_packet_takes_what_fits() {
    let mut waiting = Waiting::default();
    for (bytes, seconds) in [(400, 3.0), (500, 2.0), (200, 9.0), (2000, 9.0), (1, 9.0)] {
        waiting.hold(bytes, Instant::from_secs_f64(seconds));
    }
    let is_due = [1.9, 2.0].map(|now| waiting.are_due(Instant::from_secs_f64(now)));
    assert_eq!(is_due, [false, true]);
    let packets = packed(waiting.take().into_iter(), 1000, |&bytes| bytes);
    assert_eq!(packets, [vec![400, 500], vec![200], vec![2000], vec![1]]);
    assert!(!waiting.are_due(Instant::FAR));
}
