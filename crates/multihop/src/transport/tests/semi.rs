//! Semi-TCP's sender, called by hand.

use super::super::receiver::OutOfOrderAcks;
use super::super::semi::{Repair, SemiSender};
use super::super::{
    Acknowledgment, Flavour, FlowSender, Received, Receiver, SemiTcpConfig, SenderActions, Supply,
    TcpConfig, TimerChange,
};
use crate::config::Limit;
use crate::kernel::{Duration, Instant, Purpose, Rng};
use crate::profile::Profile;
use crate::wire::tcp::{SackBlocks, SegmentKind};

fn at_ms(ms: u64) -> Instant {
    Instant::from_nanos(ms * 1_000_000)
}

struct Hand {
    sender: SemiSender,
    out: SenderActions,
    timer: Option<Instant>,
}

impl Hand {
    fn new(semi: SemiTcpConfig) -> Hand {
        let config = TcpConfig { scheme: Flavour::SemiTcp, semi, ..TcpConfig::default() };
        let mut rng = Rng::stream(1, Purpose::Transport, 0);
        let mut sender = SemiSender::new(&config, Supply::endless(1460), Profile::Ns2, &mut rng);
        sender.on_start(at_ms(0), &mut SenderActions::default());
        Hand { sender, out: SenderActions::default(), timer: None }
    }

    /// A sender whose SYN was acknowledged at 10 ms.
    fn connected() -> Hand {
        Hand::connected_with(SemiTcpConfig::default())
    }

    fn connected_with(semi: SemiTcpConfig) -> Hand {
        let mut hand = Hand::new(semi);
        assert_eq!(hand.room(0), Some((0, false)));
        hand.ack(10, 0);
        hand
    }

    fn note(&mut self) {
        match self.out.timer.take() {
            Some(TimerChange::Set(at)) => self.timer = Some(at),
            Some(TimerChange::Cancel) => self.timer = None,
            None => {}
        }
    }

    /// Room for a segment: its number and whether it was sent before.
    fn room(&mut self, ms: u64) -> Option<(u32, bool)> {
        self.sender.on_room(at_ms(ms), &mut self.out);
        self.note();
        assert!(self.out.send.len() <= 1, "one segment a place");
        self.out.send.pop().map(|kind| match kind {
            SegmentKind::Data { number, retransmission, .. } => (number, retransmission),
            other => panic!("{other:?}"),
        })
    }

    fn ack(&mut self, ms: u64, number: u32) {
        let ack = Acknowledgment { number, ..Acknowledgment::default() };
        self.sender.on_ack(at_ms(ms), ack, &mut self.out);
        self.note();
        assert!(self.out.send.is_empty(), "acknowledgments do not clock the sender");
    }

    fn sack(&mut self, ms: u64, number: u32, runs: &[(u32, u32)]) {
        let blocks: SackBlocks = runs.iter().copied().collect();
        let ack = Acknowledgment { number, ..Acknowledgment::default() };
        self.sender.on_sack(at_ms(ms), ack, blocks, &mut self.out);
        self.note();
        assert!(self.out.send.is_empty(), "acknowledgments do not clock the sender");
    }

    /// Sends segments `first` to `last`, all at one time.
    fn fill(&mut self, ms: u64, first: u32, last: u32) {
        (first..=last).for_each(|number| assert_eq!(self.room(ms), Some((number, false))));
    }

    fn expire(&mut self) -> Instant {
        let now = self.timer.take().expect("the timer runs");
        self.sender.on_timeout(now, &mut self.out);
        self.note();
        assert!(self.out.send.is_empty(), "it leaves when there is room");
        now
    }
}

#[test]
fn data_follow_the_syns_acknowledgment() {
    let mut hand = Hand::new(SemiTcpConfig::default());
    assert_eq!(hand.room(0), Some((0, false)));
    assert_eq!(hand.room(1), None);
    hand.ack(10, 0);
    assert_eq!(hand.room(10), Some((1, false)));
}

#[test]
fn there_is_no_window() {
    let mut hand = Hand::connected();
    for number in 1..5000 {
        assert_eq!(hand.room(11), Some((number, false)));
    }
    let limited =
        SemiTcpConfig { max_unacknowledged_segments: Limit::Finite(3), ..SemiTcpConfig::default() };
    let mut hand = Hand::new(limited);
    hand.room(0);
    hand.ack(1, 0);
    assert_eq!([(); 4].map(|()| hand.room(2).map(|(n, _)| n)), [Some(1), Some(2), Some(3), None]);
    hand.ack(5, 1);
    assert_eq!(hand.room(6), Some((4, false)));
}

#[test]
fn an_expiry_sends_the_oldest_segment_again_before_new_ones_and_no_other() {
    let mut hand = Hand::connected();
    (1..=4).for_each(|n| assert_eq!(hand.room(10 + u64::from(n)), Some((n, false))));
    hand.ack(30, 1);
    hand.expire();
    assert_eq!(hand.room(500), Some((2, true)));
    assert_eq!(hand.room(501), Some((5, false)));
    assert_eq!(hand.sender.counters().retransmits, 1);
    // The one that was sent again fills the hole: all is acknowledged, nothing more is sent again.
    hand.ack(600, 5);
    assert_eq!((hand.timer, hand.room(601)), (None, Some((6, false))));
}

#[test]
fn a_segment_is_sent_again_at_every_expiry_until_it_is_acknowledged() {
    let mut hand = Hand::connected();
    hand.room(11);
    let mut gaps = Vec::new();
    let mut last = at_ms(11);
    for i in 0..6 {
        let now = hand.expire();
        gaps.push(now - last);
        last = now;
        assert_eq!(hand.room(10_000 + i), Some((1, true)));
    }
    assert!(gaps.windows(2).all(|pair| pair[0] == pair[1]), "not doubled: {gaps:?}");
    hand.ack(20_000, 1);
    assert_eq!(hand.timer, None);
}

#[test]
fn every_lost_segment_is_sent_again_until_none_is_unacknowledged() {
    // Of twenty segments every third is lost, and of the sixth also the first two repairs.
    let mut hand = Hand::connected();
    hand.fill(11, 1, 20);
    hand.sender.on_stop(at_ms(12));
    let mut receiver = Receiver::default();
    for number in (0..=20u32).filter(|&number| number == 0 || !number.is_multiple_of(3)) {
        receiver.on_segment(number, 512);
    }
    hand.ack(40, receiver.cumulative());
    let mut repairs = Vec::new();
    while hand.timer.is_some() {
        assert!(repairs.len() < 20, "it ends: {repairs:?}");
        let ms = hand.expire().as_nanos() / 1_000_000 + 1;
        let (number, again) = hand.room(ms).expect("a segment is due");
        assert!(again, "{number} was sent before");
        repairs.push(number);
        if number != 6 || repairs.len() > 3 {
            receiver.on_segment(number, 512);
            hand.ack(ms + 20, receiver.cumulative());
        }
    }
    assert_eq!(repairs, [3, 6, 6, 6, 9, 12, 15, 18], "one a timeout, the oldest");
    assert_eq!((hand.sender.highest_ack(), hand.sender.counters().timeouts), (Some(20), 8));
}

#[test]
fn a_due_segment_that_still_waits_for_room_is_due_once() {
    let mut hand = Hand::connected();
    hand.room(11);
    hand.room(12);
    hand.expire();
    hand.expire();
    assert_eq!(hand.room(9000), Some((1, true)));
    assert_eq!(hand.room(9001), Some((3, false)));
    hand.expire();
    hand.ack(9500, 1);
    assert_eq!(hand.room(9501), Some((4, false)), "acknowledged while it waited");
}

#[test]
fn what_is_acknowledged_one_by_one_is_not_sent_again() {
    let mut hand = Hand::connected();
    (1..=4).for_each(|_| {
        hand.room(11);
    });
    hand.sender.on_selective_ack(at_ms(40), 3, &mut hand.out);
    hand.sender.on_selective_ack(at_ms(41), 2, &mut hand.out);
    assert_eq!(hand.sender.highest_ack(), Some(0));
    hand.expire();
    assert_eq!(hand.room(300), Some((1, true)));
    hand.ack(320, 1);
    assert_eq!(hand.sender.highest_ack(), Some(3), "2 and 3 count with it");
    hand.expire();
    assert_eq!(hand.room(600), Some((4, true)));
}

#[test]
fn only_segments_sent_once_are_timed() {
    let mut hand = Hand::connected();
    hand.room(11);
    let rto = hand.timer.unwrap() - at_ms(11);
    hand.expire();
    hand.room(1000);
    hand.ack(60_000, 1);
    hand.room(60_001);
    let timer = hand.timer.unwrap();
    assert_eq!(timer - at_ms(60_001), rto, "the minute was no sample");
    assert!(rto >= Duration::from_millis(200));
}

fn partial() -> SemiTcpConfig {
    SemiTcpConfig { repair: Repair::Partial, ..SemiTcpConfig::default() }
}

#[test]
fn an_acknowledgment_that_ends_at_an_old_segment_makes_it_due() {
    // 2 and 4 are lost; the repair of 2 brings an acknowledgment up to 3.
    let next_of = |semi| {
        let mut hand = Hand::connected_with(semi);
        hand.fill(11, 1, 6);
        hand.ack(30, 1);
        hand.expire();
        assert_eq!(hand.room(2000), Some((2, true)));
        hand.ack(2100, 3);
        let timeouts = hand.sender.counters().timeouts;
        (hand.room(2100), hand.room(2101), timeouts)
    };
    assert_eq!(next_of(partial()), (Some((4, true)), Some((7, false)), 1));
    assert_eq!(next_of(SemiTcpConfig::default()), (Some((7, false)), Some((8, false)), 1));
}

#[test]
fn a_segment_sent_within_a_timeout_is_left_to_the_timer() {
    let mut hand = Hand::connected_with(partial());
    hand.fill(11, 1, 3);
    hand.ack(31, 1);
    assert_eq!(hand.room(31), Some((4, false)), "2 may be on its way");
    let repaired = hand.expire();
    assert_eq!(hand.room(5000), Some((2, true)));
    assert!(repaired < at_ms(5000));
    // 3 was sent long ago and is due at once, and when it has been sent again not a second time.
    hand.ack(5050, 2);
    hand.ack(5051, 2);
    assert_eq!(hand.room(5052), Some((3, true)));
    hand.ack(5060, 2);
    assert_eq!(hand.room(5060), Some((5, false)));
    hand.ack(5090, 4);
    assert_eq!((hand.room(5091), hand.timer.is_some()), (Some((6, false)), true), "5 is young");
}

#[test]
fn a_repaired_segment_is_no_sample() {
    let mut hand = Hand::connected_with(partial());
    hand.fill(11, 1, 1);
    hand.expire();
    assert_eq!(hand.room(1000), Some((1, true)));
    // 2 is timed and lost; it is old when the acknowledgment of 1 comes.
    hand.fill(1001, 2, 2);
    hand.ack(61_000, 1);
    assert_eq!(hand.room(61_000), Some((2, true)));
    hand.ack(61_020, 2);
    hand.fill(61_020, 3, 3);
    let wait = hand.timer.unwrap() - at_ms(61_020);
    assert!(wait < Duration::from_secs(10), "a minute was no sample: {wait:?}");
}

#[test]
fn holes_that_are_named_are_due_if_they_are_old() {
    let semi = SemiTcpConfig { answer_every: 8, ..SemiTcpConfig::default() };
    let mut hand = Hand::connected_with(semi);
    hand.fill(11, 1, 12);
    hand.sack(40, 1, &[(3, 6), (8, 9)]);
    assert_eq!(hand.room(41), Some((13, false)), "what was sent just now may be on its way");
    hand.sack(5000, 1, &[(3, 6), (8, 9), (10, 13)]);
    let next = [(); 5].map(|()| hand.room(5001).unwrap());
    assert_eq!(next, [(2, true), (6, true), (7, true), (9, true), (14, false)]);
    // Told again, they are young.
    hand.sack(5010, 1, &[(3, 6), (8, 9), (10, 13)]);
    assert_eq!(hand.room(5011), Some((15, false)));
    // What one says to have stays so when the next has no room for it.
    hand.sack(5020, 2, &[(3, 6)]);
    hand.sack(5030, 7, &[]);
    hand.ack(5040, 9);
    assert_eq!(hand.sender.highest_ack(), Some(12));
    hand.expire();
    assert_eq!(hand.room(20_000), Some((13, true)));
}

#[test]
fn blocks_beyond_what_was_sent_are_ignored() {
    let semi = SemiTcpConfig { answer_every: 1, ..SemiTcpConfig::default() };
    let mut hand = Hand::connected_with(semi);
    hand.fill(11, 1, 3);
    hand.sack(20, 9, &[(11, 12)]);
    hand.sack(20, 1, &[(3, u32::MAX)]);
    assert_eq!(hand.sender.highest_ack(), Some(1));
    hand.sack(30, 2, &[]);
    assert_eq!((hand.sender.highest_ack(), hand.timer), (Some(3), None));
    assert_eq!(hand.room(31), Some((4, false)));
}

#[test]
fn a_stopped_sender_repairs_what_it_has_sent() {
    let mut hand = Hand::connected();
    hand.room(11);
    hand.sender.on_stop(at_ms(12));
    assert_eq!(hand.room(12), None);
    hand.expire();
    assert_eq!(hand.room(1000), Some((1, true)));
}

#[test]
fn out_of_order_segments_are_answered_as_asked_for() {
    use OutOfOrderAcks::*;
    let answers = |rule: OutOfOrderAcks| {
        let mut receiver = Receiver::default();
        [0, 1, 3, 4, 3, 2, 1].map(|number| {
            let received = receiver.on_segment(number, 512);
            rule.answer(received, number, receiver.cumulative())
        })
    };
    let some = |number| Some((number, false));
    // A segment that came before is answered under every rule, or a lost ACK would block the flow.
    assert_eq!(answers(Silent), [some(0), some(1), None, None, some(1), some(4), some(4)]);
    let one = |number| Some((number, true));
    assert_eq!(answers(Selective), [some(0), some(1), one(3), one(4), some(1), some(4), some(4)]);
    assert_eq!(answers(Duplicate), [0, 1, 1, 1, 1, 4, 4].map(some));
    assert_eq!(Receiver::default().on_segment(0, 0), Received::InOrder);
}

#[test]
fn unique_segments_count_whatever_their_order() {
    let mut receiver = Receiver::default();
    for number in [0, 1, 3, 3, 5, 1] {
        receiver.on_segment(number, if number == 0 { 0 } else { 512 });
    }
    assert_eq!((receiver.unique_segments(), receiver.delivered_segments()), (3, 1));
    assert_eq!((receiver.unique_bytes(), receiver.delivered_bytes()), (3 * 512, 512));
}
