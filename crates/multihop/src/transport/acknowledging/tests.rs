//! A receiver stepped by hand.

use super::*;
use crate::kernel::Duration;
use crate::transport::sack::RecoveryConfig;
use crate::wire::tcp::SackBlocks;

struct Hand {
    acknowledger: Acknowledger,
    receiver: Receiver,
    now: Instant,
}

impl Hand {
    fn new(delayed: bool) -> Hand {
        Hand::of(RecoveryScheme::Sack, delayed)
    }

    fn of(scheme: RecoveryScheme, delayed: bool) -> Hand {
        let config = TcpConfig {
            recovery: RecoveryConfig { scheme: Some(scheme), ..RecoveryConfig::default() },
            acks: AcksConfig { delayed: Some(delayed), ..AcksConfig::default() },
            ..TcpConfig::default()
        };
        let acknowledger = Acknowledger::new(&config, Profile::Standard);
        let mut hand = Hand { acknowledger, receiver: Receiver::default(), now: Instant::ZERO };
        assert_eq!(hand.segment(0), Some((0, vec![])), "a SYN is answered at once");
        hand
    }

    /// Segment `number`, sent 5 ms ago, arrives 10 ms after the last. Its answer: the number and
    /// the blocks.
    fn segment(&mut self, number: u32) -> Option<(u32, Vec<(u32, u32)>)> {
        self.now += Duration::from_millis(10);
        self.arrive(number, Instant::from_nanos(self.now.as_nanos() - 5_000_000)).map(seen)
    }

    /// Segment `number`, sent at `sent`, arrives now. Its answer.
    fn arrive(&mut self, number: u32, sent: Instant) -> Option<SegmentKind> {
        let (now, echo) = (self.now, Instant::FAR);
        let segment = Arriving { now, number, payload_bytes: 100, probe: false, sent, echo };
        self.acknowledger.on_segment(&mut self.receiver, segment)
    }

    /// Segment `number`, sent just now, arrives. What its answer echoes \[ms\].
    fn echo(&mut self, number: u32) -> u64 {
        self.now += Duration::from_millis(10);
        self.echo_of(number, self.now.as_nanos() / 1_000_000)
    }

    /// The same, sent at `sent` \[ms\].
    fn echo_of(&mut self, number: u32, sent: u64) -> u64 {
        match self.arrive(number, Instant::from_nanos(sent * 1_000_000)) {
            Some(SegmentKind::Ack { sent, .. } | SegmentKind::Sack { sent, .. }) => {
                sent.as_nanos() / 1_000_000
            }
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn data_that_leave_carry_the_acknowledgment_that_waits() {
    // RFC 9293 section 3.8.6.3, RFC 1122 section 4.2.3.2: a delayed acknowledgment may ride on
    // data.
    let mut hand = Hand::new(true);
    assert!(hand.acknowledger.on_departure(&hand.receiver).is_none(), "nothing waits");
    assert_eq!(hand.segment(1), None);
    let first_sent = hand.now - Duration::from_millis(5);
    let piggybacked = hand.acknowledger.on_departure(&hand.receiver).expect("one waits");
    assert_eq!((piggybacked.number.get(), piggybacked.sent), (1, first_sent));
    assert_eq!(hand.acknowledger.due(), None, "and does no longer");
    assert!(hand.acknowledger.on_timer(&hand.receiver).is_none());
    assert!(hand.acknowledger.on_departure(&hand.receiver).is_none(), "nor is it told twice");
    assert_eq!(hand.segment(2), None, "the next is the first of two again");
    assert_eq!(hand.segment(3), Some((3, vec![])));
}

#[test]
fn to_a_sender_without_a_scoreboard_acknowledgments_may_be_delayed_too() {
    // RFC 5681 section 4.2: every second segment, and at once whatever leaves or fills a hole.
    let mut hand = Hand::of(RecoveryScheme::DuplicateAcks, true);
    let plain = |number| Some((number, vec![]));
    assert_eq!(hand.segment(1), None);
    assert_eq!(hand.segment(2), plain(2));
    assert_eq!((hand.segment(4), hand.segment(5)), (plain(2), plain(2)), "duplicates");
    assert_eq!(hand.segment(3), plain(5));
    assert_eq!(hand.segment(6), None);
    assert_eq!(hand.acknowledger.due(), Some(hand.now + Duration::from_millis(200)));
    assert_eq!(hand.acknowledger.on_timer(&hand.receiver).map(seen), plain(6));
    let mut every = Hand::of(RecoveryScheme::DuplicateAcks, false);
    assert_eq!(every.segment(1), plain(1), "ns-2's sink");
    assert!(!every.acknowledger.may_delay());
}

#[test]
fn what_is_behind_missing_segments_is_told_by_acknowledgments_of_their_own() {
    // RFC 5681 section 4.2: at once.
    let mut hand = Hand::new(true);
    assert_eq!(hand.segment(1), None);
    assert_eq!(hand.segment(3), Some((1, vec![(3, 4)])));
    assert!(hand.acknowledger.on_departure(&hand.receiver).is_none());
}

fn seen(kind: SegmentKind) -> (u32, Vec<(u32, u32)>) {
    let (number, blocks) = match kind {
        SegmentKind::Ack { number, .. } => (number, SackBlocks::default()),
        SegmentKind::Sack { number, blocks, .. } => (number, blocks),
        other => panic!("{other:?}"),
    };
    (number, blocks.iter().collect())
}

#[test]
fn the_first_block_is_the_one_that_grew_last() {
    // RFC 2018, section 7, case 3 and what follows.
    let mut hand = Hand::new(false);
    assert_eq!(hand.segment(1), Some((1, vec![])));
    assert_eq!(hand.segment(3), Some((1, vec![(3, 4)])));
    assert_eq!(hand.segment(5), Some((1, vec![(5, 6), (3, 4)])));
    assert_eq!(hand.segment(7), Some((1, vec![(7, 8), (5, 6), (3, 4)])));
    assert_eq!(hand.segment(4), Some((1, vec![(3, 6), (7, 8)])), "two blocks become one");
    assert_eq!(hand.segment(2), Some((5, vec![(7, 8)])));
    assert_eq!(hand.segment(6), Some((7, vec![])));
}

#[test]
fn without_a_hole_there_are_no_blocks() {
    // RFC 2018, section 7, case 1: the last four of eight are lost.
    let mut hand = Hand::new(false);
    for number in 1..5 {
        assert_eq!(hand.segment(number), Some((number, vec![])));
    }
}

#[test]
fn one_hole_leaves_one_block_that_grows() {
    // RFC 2018, section 7, case 2: the first of eight is lost.
    let mut hand = Hand::new(false);
    for number in 2..9 {
        assert_eq!(hand.segment(number), Some((0, vec![(2, number + 1)])));
    }
    assert_eq!(hand.segment(1), Some((8, vec![])));
}

#[test]
fn the_newest_four_blocks_are_told() {
    let mut hand = Hand::new(false);
    for number in [2, 4, 6, 8] {
        hand.segment(number);
    }
    let blocks = vec![(10, 11), (8, 9), (6, 7), (4, 5)];
    assert_eq!(hand.segment(10), Some((0, blocks)));
}

#[test]
fn a_duplicate_is_reported_before_the_blocks() {
    // RFC 2883, section 4.1.
    let mut hand = Hand::new(false);
    hand.segment(1);
    assert_eq!(hand.segment(1), Some((1, vec![(1, 2)])));
    hand.segment(4);
    assert_eq!(hand.segment(1), Some((1, vec![(1, 2), (4, 5)])));
    assert_eq!(hand.segment(4), Some((1, vec![(4, 5), (4, 5)])), "within its own block");
}

#[test]
fn the_block_of_a_duplicate_comes_second() {
    // RFC 2883, section 4, guideline 4, and examples 2 and 3 of section 4.1.
    let mut hand = Hand::new(false);
    hand.segment(1);
    hand.segment(3);
    assert_eq!(hand.segment(1), Some((1, vec![(1, 2), (3, 4)])), "example 2");
    assert_eq!(hand.segment(4), Some((1, vec![(3, 5)])));
    assert_eq!(hand.segment(4), Some((1, vec![(4, 5), (3, 5)])), "example 3");
    assert_eq!(hand.segment(7), Some((1, vec![(7, 8), (3, 5)])));
    assert_eq!(hand.segment(3), Some((1, vec![(3, 4), (3, 5), (7, 8)])), "before newer blocks");
    assert_eq!(hand.segment(8), Some((1, vec![(7, 9), (3, 5)])), "reported once");
}

#[test]
fn a_late_original_after_its_retransmission_is_a_duplicate() {
    // RFC 2883, section 5.2.
    let mut hand = Hand::new(false);
    for number in 2..5 {
        hand.segment(number);
    }
    assert_eq!(hand.segment(1), Some((4, vec![])));
    assert_eq!(hand.segment(1), Some((4, vec![(1, 2)])));
    assert_eq!(hand.segment(5), Some((5, vec![])));
}

#[test]
fn every_second_segment_is_answered_at_once_and_a_lone_one_after_the_delay() {
    let mut hand = Hand::new(true);
    assert_eq!(hand.segment(1), None);
    assert_eq!(hand.acknowledger.due(), Some(hand.now + Duration::from_millis(200)));
    assert_eq!(hand.segment(2), Some((2, vec![])));
    assert_eq!(hand.acknowledger.due(), None);
    assert_eq!(hand.segment(3), None);
    assert_eq!(hand.acknowledger.on_timer(&hand.receiver).map(seen), Some((3, vec![])));
    assert_eq!(hand.acknowledger.due(), None);
}

#[test]
fn what_leaves_or_fills_a_hole_is_answered_at_once() {
    let mut hand = Hand::new(true);
    assert_eq!(hand.segment(2), Some((0, vec![(2, 3)])));
    assert_eq!(hand.segment(3), Some((0, vec![(2, 4)])));
    assert_eq!(hand.segment(5), Some((0, vec![(5, 6), (2, 4)])));
    assert_eq!(hand.segment(1), Some((3, vec![(5, 6)])), "fills part of a hole");
    assert_eq!(hand.segment(4), Some((5, vec![])));
    assert_eq!(hand.segment(6), None);
    assert_eq!(hand.segment(4), Some((6, vec![(4, 5)])), "a duplicate");
}

#[test]
fn an_acknowledgment_echoes_the_earliest_segment_that_it_answers() {
    // RFC 7323, section 4.3: (A) delayed, (B) a hole, (C) a filled hole.
    let mut hand = Hand::new(true);
    assert_eq!(hand.segment(1), None);
    let first = hand.now.as_nanos() / 1_000_000 - 5;
    assert_eq!(hand.echo(2), first);
    assert_eq!(hand.echo(4), first, "that of the last in order");
    assert_eq!(hand.echo(3), hand.now.as_nanos() / 1_000_000);
}

#[test]
fn what_is_echoed_follows_the_examples() {
    // RFC 7323, section 4.3: segments A to E are 1 to 5, their timestamps 11 to 15 ms.
    let mut hand = Hand::new(false);
    let echoes = [1, 3, 2, 5, 4].map(|number| hand.echo_of(number, 10 + u64::from(number)));
    assert_eq!(echoes, [11, 11, 12, 12, 14]);
}

#[test]
fn what_is_echoed_never_falls() {
    // RFC 7323, section 4.3, rule 2: 2 was sent again at 20 ms, and the original of 3 is late.
    let mut hand = Hand::new(false);
    assert_eq!(hand.echo_of(1, 11), 11);
    assert_eq!(hand.echo_of(2, 20), 20);
    assert_eq!(hand.echo_of(3, 13), 20);
    assert_eq!(hand.echo_of(1, 30), 20, "a duplicate does not count");
    assert_eq!(hand.echo_of(4, 40), 40);
}
