//! Semi-TCP's sender, called by hand.

use super::super::receiver::OutOfOrderAcks;
use super::super::semi::SemiSender;
use super::super::{
    Acknowledgment, Flavour, FlowSender, Received, Receiver, SemiTcpConfig, SenderActions,
    TcpConfig, TimerChange,
};
use crate::config::Limit;
use crate::kernel::{Duration, Instant, Purpose, Rng};
use crate::profile::Profile;
use crate::wire::tcp::SegmentKind;

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
        let mut sender = SemiSender::new(&config, Profile::Ns2, &mut rng);
        sender.on_start(at_ms(0), &mut SenderActions::default());
        Hand { sender, out: SenderActions::default(), timer: None }
    }

    /// A sender whose SYN was acknowledged at 10 ms.
    fn connected() -> Hand {
        let mut hand = Hand::new(SemiTcpConfig::default());
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
