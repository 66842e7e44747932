//! Windows by hand: each test names the section that it is about.

use proptest::prelude::*;

use crate::kernel::{Duration, Instant};
use crate::profile::Profile;
use crate::transport::receive_window::{Offered, WindowScheme};
use crate::transport::sack::{RecoveryConfig, RecoveryScheme};
use crate::transport::{Acknowledger, Arriving, ReceiveBufferConfig, Receiver, Supply};
use crate::transport::{Rules, TcpConfig};
use crate::wire::tcp::{SegmentKind, WindowFields};

const SEGMENT: u32 = 1000;
const BUFFER: u32 = 100_000;
const ROUND_TRIP: Duration = Duration::from_millis(100);

fn config(rules: Rules) -> TcpConfig {
    TcpConfig {
        profile: Some(rules),
        segment_bytes: SEGMENT,
        recovery: RecoveryConfig {
            scheme: Some(RecoveryScheme::Sack),
            ..RecoveryConfig::default()
        },
        receive_buffer: ReceiveBufferConfig {
            scheme: WindowScheme::Auto,
            initial_bytes: BUFFER,
            largest_bytes: 2_000_000,
        },
        ..TcpConfig::default()
    }
}

/// A receiver stepped by hand.
struct Hand {
    acknowledger: Acknowledger,
    receiver: Receiver,
    fields: WindowFields,
    now: Instant,
}

impl Hand {
    fn new(config: &TcpConfig, rules: Rules) -> Hand {
        Hand {
            acknowledger: Acknowledger::new(config, Profile::Standard),
            receiver: Receiver::default(),
            fields: config.window_fields(rules),
            now: Instant::ZERO,
        }
    }

    /// Segment `number` arrives a round trip after the acknowledgment that it echoes. The window
    /// field of its answer, if that leaves at once.
    fn segment(&mut self, number: u32) -> Option<u16> {
        let segment = Arriving {
            now: self.now,
            number,
            payload_bytes: if number == 0 { 0 } else { SEGMENT },
            probe: false,
            sent: self.now,
            echo: self.now - ROUND_TRIP.min(self.now.saturating_since(Instant::ZERO)),
        };
        match self.acknowledger.on_segment(&mut self.receiver, segment)? {
            SegmentKind::Ack { window, .. } | SegmentKind::Sack { window, .. } => Some(window),
            other => panic!("{other:?}"),
        }
    }

    /// The same, the field shifted \[bytes\].
    fn window(&mut self, number: u32) -> Option<u64> {
        let field = self.segment(number)?;
        Some(u64::from(field) << self.fields.scale)
    }

    /// So many segments from `first` on arrive over the next round trip. The last window told
    /// \[bytes\].
    fn round(&mut self, first: u32, count: u32) -> u64 {
        let begin = self.now + ROUND_TRIP;
        let mut last = 0;
        for place in 0..count {
            self.now = begin + Duration::from_millis(1) * u64::from(place);
            last = self.window(first + place).unwrap_or(last);
        }
        self.now = begin;
        last
    }
}

#[test]
fn keys_out_of_bounds_or_without_effect_are_refused() {
    let fault = |keys: &str| {
        let config: TcpConfig = toml::from_str(keys).unwrap();
        config.check().err().map(|error| error.key)
    };
    let (scheme, buffer, largest) = (
        Some("receive_buffer.scheme"),
        Some("receive_buffer.initial_bytes"),
        Some("receive_buffer.largest_bytes"),
    );
    let auto =
        |keys: &str| format!("profile = \"linux\"\nreceive_buffer = {{scheme = \"auto\"{keys}}}");
    assert_eq!(fault(&auto("")), None);
    assert_eq!(fault("receive_buffer.initial_bytes = 5840"), buffer, "constant");
    assert_eq!(fault("receive_buffer.largest_bytes = 5840"), largest, "constant");
    assert_eq!(fault("receive_buffer.scheme = \"auto\""), scheme, "no selective acknowledgments");
    assert_eq!(fault(&auto(", initial_bytes = 5839")), buffer, "four segments of 1460");
    assert_eq!(fault(&auto(", initial_bytes = 5840")), None);
    assert_eq!(fault(&auto(", largest_bytes = 131071")), largest, "less than the first");
    assert_eq!(fault(&auto(", largest_bytes = 1073741824")), largest, "RFC 7323, 2.3");
}

#[test]
fn the_window_of_a_syn_is_never_scaled() {
    // RFC 7323 section 2.2.
    let mut hand = Hand::new(&config(Rules::Standard), Rules::Standard);
    assert!(hand.fields.scale > 0);
    assert_eq!(hand.segment(0), Some(65_000), "whole segments below 2^16");
    assert_eq!(hand.segment(0), Some(65_000), "nor that of a SYN that comes twice");
}

#[test]
fn the_shift_is_the_least_that_the_largest_buffer_fits_and_at_most_fourteen() {
    // RFC 7323 section 2.3.
    let scale = |largest_bytes| {
        let mut config = config(Rules::Standard);
        config.receive_buffer.largest_bytes = largest_bytes;
        config.window_fields(Rules::Standard).scale
    };
    assert_eq!([131_070, 131_072, 6_291_456].map(scale), [1, 2, 7]);
    assert_eq!(scale((1 << 30) - 1), 14);
    let constant = |window_segments| {
        let config = TcpConfig { window_segments, segment_bytes: SEGMENT, ..TcpConfig::default() };
        config.window_fields(Rules::Standard)
    };
    assert_eq!(constant(8), WindowFields { scale: 0, first: 8000, idle: 8000 });
    assert_eq!(constant(100), WindowFields { scale: 1, first: u16::MAX, idle: 50_000 });
}

#[test]
fn low_bits_of_a_new_offer_are_lost_and_what_was_offered_stays() {
    // RFC 7323 sections 2.3 and 2.4, RFC 9293 section 3.8.6: a receiver does not shrink the window.
    let mut hand = Hand::new(&config(Rules::Standard), Rules::Standard);
    hand.segment(0);
    let unit = 1u64 << hand.fields.scale;
    let first = hand.window(1).unwrap();
    let room = u64::from(BUFFER - SEGMENT);
    assert!(first <= room && first + unit > room, "{first} is {room} rounded down");
    let mut edge = u64::from(SEGMENT) + first;
    for number in 2..40 {
        let end = u64::from(number) * u64::from(SEGMENT) + hand.window(number).unwrap();
        assert!(end >= edge, "{end} of {number} is before {edge}");
        edge = end;
    }
}

#[test]
fn the_window_is_twice_what_the_application_takes_in_a_round_trip() {
    // Fisk and Feng 2001, section 3.
    let mut hand = Hand::new(&config(Rules::Standard), Rules::Standard);
    hand.segment(0);
    let before = hand.round(1, 90);
    assert!(before <= u64::from(BUFFER), "nothing is known of the first round trip: {before}");
    let opened = hand.round(91, 30);
    // The first segment of the next round trip ends the last.
    let (least, most) = (2 * 90 * u64::from(SEGMENT), 2 * 91 * u64::from(SEGMENT));
    assert!((least..=most).contains(&opened), "{opened}");
    hand.round(121, 2);
    assert!(hand.round(123, 5) >= least, "less taken takes no room back");
}

#[test]
fn the_window_stays_below_the_largest_buffer() {
    let mut hand = Hand::new(&config(Rules::Linux), Rules::Linux);
    hand.segment(0);
    let mut first = 1;
    let mut window = 0;
    for doubled in 4..12 {
        window = hand.round(first, 1 << doubled);
        first += 1 << doubled;
    }
    let most = 2_000_000 * 5 / 8;
    let unit = 1u64 << hand.fields.scale;
    assert!(window <= most + unit && window > most - 10_000, "{window}");
}

#[test]
fn linux_opens_the_window_by_two_segments_for_each_that_arrives_and_answers_these_at_once() {
    // evidence/kernel-tcp.md, "The kernel's receive buffer".
    let mut config = config(Rules::Linux);
    config.acks.quick_segments = Some(0);
    let mut hand = Hand::new(&config, Rules::Linux);
    assert_eq!(hand.segment(0), Some(50_000));
    let unit = 1u64 << hand.fields.scale;
    let rounded_up = |bytes: u64| bytes.div_ceil(unit) * unit;
    for (number, bytes) in (1..).zip([52_000, 54_000, 56_000, 58_000, 60_000, 61_500]) {
        assert_eq!(hand.window(number), Some(rounded_up(bytes)), "segment {number}");
    }
    assert_eq!(hand.window(7), None, "then they are delayed");
    assert_eq!(hand.window(8), Some(rounded_up(61_500)));
}

#[test]
fn the_window_does_not_open_while_a_segment_is_missing() {
    // evidence/kernel-tcp.md, "The kernel's receive buffer".
    let mut hand = Hand::new(&config(Rules::Linux), Rules::Linux);
    hand.segment(0);
    let before = hand.window(1);
    assert_eq!([3, 4, 5].map(|number| hand.window(number)), [before; 3]);
    assert!(hand.window(2) > before);
}

#[test]
fn the_sender_takes_the_first_window_as_it_is_and_shifts_the_others() {
    // RFC 7323 sections 2.2 and 2.3.
    let config = config(Rules::Standard);
    let scale = config.window_fields(Rules::Standard).scale;
    let mut offered = Offered::new(&config, Rules::Standard).unwrap();
    let supply = Supply::endless(SEGMENT);
    assert_eq!(offered.room(0), 1, "a SYN needs none");
    offered.on_ack(0, 1, &supply, 20_000);
    assert_eq!(offered.room(SEGMENT), 20);
    (0..20).for_each(|_| offered.on_send(SEGMENT));
    assert_eq!(offered.room(SEGMENT), 0);
    offered.on_ack(1, 6, &supply, (32_000 >> scale) as u16);
    assert_eq!(offered.room(SEGMENT), 17, "5 and 32, less 20");
    offered.on_ack(1, 1, &supply, u16::MAX);
    assert_eq!(offered.room(SEGMENT), 17, "a SYN's answer that comes twice is not scaled");
    offered.on_ack(6, 6, &supply, 0);
    assert_eq!(offered.room(SEGMENT), 17, "RFC 9293 section 3.8.6: nothing is taken back");
}

#[test]
fn short_segments_need_room_for_their_bytes_alone() {
    let config = config(Rules::Standard);
    let mut offered = Offered::new(&config, Rules::Standard).unwrap();
    let supply = Supply::endless(SEGMENT);
    offered.on_ack(0, 1, &supply, 1500);
    assert_eq!(offered.room(SEGMENT), 1);
    offered.on_send(SEGMENT);
    assert_eq!([offered.room(500), offered.room(501)], [1, 0]);
}

proptest! {
    /// RFC 9293 section 3.8.6: the right edge of the window never moves back, whatever arrives in
    /// which order.
    #[test]
    fn a_window_never_takes_back_what_it_gave(
        arrivals in prop::collection::vec((1u32..60, 0u64..200), 1..200),
        is_linux in any::<bool>(),
        largest_bytes in BUFFER..50_000_000,
    ) {
        let rules = if is_linux { Rules::Linux } else { Rules::Standard };
        let mut config = config(rules);
        config.receive_buffer.largest_bytes = largest_bytes;
        let mut hand = Hand::new(&config, rules);
        let mut edge = u64::from(hand.segment(0).unwrap());
        for (number, after_ms) in arrivals {
            hand.now += Duration::from_millis(after_ms);
            let window = hand.window(number);
            let taken = hand.receiver.delivered_bytes();
            if let Some(window) = window {
                prop_assert!(taken + window >= edge, "{} of {edge}", taken + window);
                edge = taken + window;
            }
        }
    }
}
