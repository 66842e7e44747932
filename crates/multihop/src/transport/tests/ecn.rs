//! ECN at both ends (RFC 3168 section 6.1), step by step.

use super::*;
use crate::transport::congestion::Flavour;
use crate::wire::{Ecn, EcnFlags};

/// A segment as it leaves: its number, codepoint and flags.
type Leaving = (u32, Ecn, EcnFlags);

const PLAIN: (Ecn, EcnFlags) = (Ecn::Capable, EcnFlags::NONE);

/// A sender and the clock.
struct End {
    now: Instant,
    sender: Sender,
    actions: SenderActions,
}

impl End {
    fn new(scheme: Flavour, ecn: bool) -> End {
        let config = TcpConfig {
            scheme,
            ecn,
            window_segments: 64,
            initial_window_segments: Some(10),
            ..TcpConfig::default()
        };
        let mut rng = Rng::stream(1, Purpose::Transport, 0);
        let sender =
            sender(&config, Supply::endless(config.segment_bytes), Profile::Standard, &mut rng);
        End { now: Instant::from_nanos(1_000_000_000), sender, actions: SenderActions::default() }
    }

    /// One whose SYN is acknowledged, with ten segments in flight.
    fn open(scheme: Flavour) -> End {
        let mut end = End::new(scheme, true);
        end.sender.on_start(end.now, &mut end.actions);
        end.leaving();
        assert_eq!(end.ack(0, true).len(), 10, "the answer to the SYN is no echo");
        end
    }

    fn leaving(&mut self) -> Vec<Leaving> {
        let segments: Vec<_> = self.actions.send.drain(..).collect();
        let leaving = |segment: &SegmentKind| {
            let SegmentKind::Data { number, .. } = *segment else { panic!("a sender sends data") };
            let (ecn, flags) = self.sender.ecn(segment);
            (number, ecn, flags)
        };
        segments.iter().map(leaving).collect()
    }

    /// What an acknowledgment of all up to `number` has it send.
    fn ack(&mut self, number: u32, echo: bool) -> Vec<Leaving> {
        let sent = self.now;
        self.now += LATENCY;
        let ack = Acknowledgment {
            number,
            probe: false,
            sent,
            hops: 4,
            echo,
            ..Acknowledgment::default()
        };
        self.sender.on_ack(self.now, ack, &mut self.actions);
        self.leaving()
    }

    fn timeout(&mut self) -> Vec<Leaving> {
        self.now += Duration::from_secs(5);
        self.sender.on_timeout(self.now, &mut self.actions);
        self.leaving()
    }

    fn reductions(&self) -> u64 {
        self.sender.counters().ecn_reductions
    }
}

#[test]
fn a_syn_offers_ecn_and_is_not_capable_of_it_itself() {
    let mut end = End::new(Flavour::NewReno, true);
    end.sender.on_start(end.now, &mut end.actions);
    assert_eq!(end.leaving(), [(0, Ecn::NotCapable, EcnFlags::SETUP)]);
    let repeated = end.timeout();
    assert_eq!(repeated, [(0, Ecn::NotCapable, EcnFlags::SETUP)]);
    let first = end.ack(0, true);
    assert_eq!(first[0], (1, PLAIN.0, PLAIN.1));
    assert_eq!(end.reductions(), 0);
}

#[test]
fn without_ecn_nothing_is_capable_and_echoes_are_not_heeded() {
    let mut end = End::new(Flavour::NewReno, false);
    end.sender.on_start(end.now, &mut end.actions);
    assert_eq!(end.leaving(), [(0, Ecn::NotCapable, EcnFlags::NONE)]);
    let sent = end.ack(0, false);
    assert!(sent.iter().all(|&(_, ecn, flags)| (ecn, flags) == (Ecn::NotCapable, EcnFlags::NONE)));
    end.ack(3, true);
    assert_eq!(end.reductions(), 0);
}

#[test]
fn an_echo_halves_the_window_once_a_window_and_the_next_new_segment_says_so() {
    let mut end = End::open(Flavour::NewReno);
    assert_eq!(end.sender.cwnd(), 10.0);
    // Nine in flight: half of them, and no growth.
    assert_eq!(end.ack(1, true), []);
    assert_eq!((end.sender.cwnd(), end.sender.ssthresh()), (4.0, 4));
    // Echoes of the same window change nothing, and the window does not grow.
    for number in 2..=6 {
        assert_eq!(end.ack(number, true), []);
        assert_eq!(end.sender.cwnd(), 4.0);
    }
    assert_eq!(end.reductions(), 1);
    // Room for a new segment: it tells, once.
    assert_eq!(end.ack(7, true), [(11, Ecn::Capable, EcnFlags::REDUCED)]);
    assert_eq!(end.ack(8, false)[0], (12, PLAIN.0, PLAIN.1));
    assert!(end.sender.cwnd() > 4.0, "without an echo it grows");
    // The whole window of the first reduction.
    end.ack(10, true);
    assert_eq!(end.reductions(), 1);
    end.ack(11, true);
    assert_eq!(end.reductions(), 2, "a mark of the next window");
}

#[test]
fn an_echo_on_a_duplicate_counts_and_a_loss_in_the_same_window_reduces_no_more() {
    let mut end = End::open(Flavour::NewReno);
    end.ack(1, false);
    end.ack(2, false);
    let in_flight = 12.0;
    assert_eq!(end.ack(2, true), [], "an echo on a duplicate, before any loss is clear");
    assert_eq!((end.sender.cwnd(), end.reductions()), (in_flight / 2.0, 1));
    end.ack(2, true);
    let repaired = end.ack(2, true);
    assert_eq!(
        repaired[0],
        (3, Ecn::NotCapable, EcnFlags::NONE),
        "a retransmission is not capable"
    );
    assert_eq!(end.sender.counters().fast_retransmits, 1);
    assert_eq!((end.sender.cwnd(), end.sender.ssthresh()), (6.0, 6));
}

#[test]
fn after_a_loss_echoes_of_its_window_are_not_heeded_and_the_next_new_segment_tells_of_it() {
    let mut end = End::open(Flavour::NewReno);
    end.ack(1, false);
    for _ in 0..3 {
        end.ack(1, false);
    }
    assert_eq!(end.sender.counters().fast_retransmits, 1);
    let ssthresh = end.sender.ssthresh();
    let mut told = Vec::new();
    for _ in 0..8 {
        told.extend(end.ack(1, true));
    }
    assert_eq!((end.reductions(), end.sender.ssthresh()), (0, ssthresh));
    assert_eq!(told[0].2, EcnFlags::REDUCED);
    assert!(told[1..].iter().all(|&(_, _, flags)| flags == EcnFlags::NONE), "{told:?}");
}

#[test]
fn after_a_timeout_the_first_new_segment_tells_of_it() {
    let mut end = End::open(Flavour::NewReno);
    assert_eq!(end.timeout(), [(1, Ecn::NotCapable, EcnFlags::NONE)]);
    let mut sent = Vec::new();
    for number in [1, 3, 7, 10] {
        sent.extend(end.ack(number, true));
    }
    assert_eq!(end.reductions(), 0, "all was sent before the timeout");
    let (old, new): (Vec<_>, Vec<_>) = sent.into_iter().partition(|&(number, ..)| number <= 10);
    assert!(old.iter().all(|&(_, ecn, flags)| (ecn, flags) == (Ecn::NotCapable, EcnFlags::NONE)));
    assert_eq!(new[0], (11, Ecn::Capable, EcnFlags::REDUCED));
}

#[test]
fn congestion_controls_reduce_by_their_own_factor() {
    let mut end = End::open(Flavour::Cubic);
    end.ack(1, true);
    assert_eq!(end.sender.cwnd(), 9.0 * 0.7);
}

#[test]
fn a_receiver_echoes_until_it_hears_of_the_reduction() {
    let mut receiver = Receiver::default();
    let mut answer = |number, ecn, flags| {
        receiver.on_segment(number, 1460);
        receiver.on_ecn(ecn, flags);
        receiver.ack_flags(flags)
    };
    assert_eq!(answer(0, Ecn::NotCapable, EcnFlags::SETUP), EcnFlags::ECHO, "the SYN's answer");
    assert_eq!(answer(1, Ecn::Capable, EcnFlags::NONE), EcnFlags::NONE);
    assert_eq!(answer(2, Ecn::Marked, EcnFlags::NONE), EcnFlags::ECHO);
    assert_eq!(answer(3, Ecn::Capable, EcnFlags::NONE), EcnFlags::ECHO);
    assert_eq!(answer(3, Ecn::NotCapable, EcnFlags::NONE), EcnFlags::ECHO, "a retransmission");
    assert_eq!(answer(4, Ecn::Capable, EcnFlags::REDUCED), EcnFlags::NONE);
    assert_eq!(answer(5, Ecn::Marked, EcnFlags::REDUCED), EcnFlags::ECHO, "marked itself");
    assert_eq!(answer(0, Ecn::NotCapable, EcnFlags::SETUP), EcnFlags::ECHO);
    assert_eq!(answer(6, Ecn::Capable, EcnFlags::REDUCED), EcnFlags::NONE);
    assert_eq!(answer(0, Ecn::NotCapable, EcnFlags::SETUP), EcnFlags::NONE, "a late SYN");
}

#[test]
fn an_acknowledgment_echoes_a_mark_on_any_segment_it_answers() {
    let mut receiver = Receiver::default();
    let segments = [(1, Ecn::Marked, EcnFlags::NONE), (2, Ecn::Capable, EcnFlags::REDUCED)];
    for (number, ecn, flags) in segments {
        receiver.on_segment(number, 1460);
        receiver.on_ecn(ecn, flags);
    }
    assert_eq!(receiver.ack_flags(EcnFlags::REDUCED), EcnFlags::ECHO, "one for both segments");
    receiver.on_ecn(Ecn::Capable, EcnFlags::REDUCED);
    assert_eq!(receiver.ack_flags(EcnFlags::REDUCED), EcnFlags::NONE);
}
