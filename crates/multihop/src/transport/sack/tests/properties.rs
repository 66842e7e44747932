//! Every sender with a scoreboard over a network that loses, copies and delays segments and
//! acknowledgments as it pleases, and after so many of them is perfect.
//!
//! `PROPTEST_CASES` sets how many networks are tried.

use proptest::prelude::*;

use crate::kernel::{Duration, Instant, Purpose, Rng};
use crate::profile::Profile;
use crate::transport::acknowledging::{Acknowledger, AcksConfig, Arriving};
use crate::transport::flow_sender::FlowSender;
use crate::transport::receive_window::WindowScheme;
use crate::transport::sack::sender::Phase;
use crate::transport::sack::undo::ForwardStep;
use crate::transport::sack::{RecoveryConfig, RecoveryScheme, SackSender};
use crate::transport::scheme::Sending;
use crate::transport::{
    Acknowledgment, Flavour, ReceiveBufferConfig, Receiver, Rules, SenderActions, Supply,
    TcpConfig, TimerChange,
};
use crate::wire::tcp::{SackBlocks, SegmentKind};

/// One way from one end to the other.
const LATENCY: Duration = Duration::from_millis(20);
const SEGMENT_BYTES: u32 = 1000;

/// What the network does with a packet.
#[derive(Clone, Copy, Debug)]
enum Fate {
    Lost,
    /// It arrives so many milliseconds late, and a copy as many after that.
    Copied(u64),
    Late(u64),
}

fn fate() -> impl Strategy<Value = Fate> {
    prop_oneof![
        3 => Just(Fate::Late(0)),
        2 => Just(Fate::Lost),
        2 => (0u64..400).prop_map(Fate::Late),
        1 => (0u64..100).prop_map(Fate::Copied),
    ]
}

/// A packet under way.
#[derive(Clone, Copy, Debug)]
enum Flight {
    Data { number: u32, payload_bytes: u32, sent: Instant, echo: Instant },
    Ack(Acknowledgment, SackBlocks),
}

/// Both ends, and what is between them.
struct Network {
    now: Instant,
    config: TcpConfig,
    sender: SackSender,
    actions: SenderActions,
    timer: Option<Instant>,
    receiver: Receiver,
    acknowledger: Acknowledger,
    /// Segments that have arrived.
    arrived: Vec<bool>,
    /// Where each segment that has been sent ends, and where what the receiver has offered does
    /// \[bytes\].
    ends: Vec<u64>,
    offered: u64,
    flights: Vec<(Instant, Flight)>,
    fates: std::vec::IntoIter<Fate>,
    bytes: u64,
    /// Recoveries that had begun by the last event.
    recoveries: u64,
}

impl Network {
    fn new(config: &TcpConfig, rules: Rules, fates: Vec<Fate>) -> Network {
        let Sending::Windowed(control, _) = config.scheme.scheme().sending else {
            panic!("{:?} has no window", config.scheme)
        };
        let mut rng = Rng::stream(1, Purpose::Transport, 0);
        let supply = Supply::empty(SEGMENT_BYTES);
        Network {
            now: Instant::ZERO,
            sender: SackSender::new(config, control.make(), supply, rules, &mut rng),
            config: config.clone(),
            actions: SenderActions::default(),
            timer: None,
            receiver: Receiver::default(),
            acknowledger: Acknowledger::new(config, Profile::Standard),
            arrived: Vec::new(),
            ends: Vec::new(),
            offered: 0,
            flights: Vec::new(),
            fates: fates.into_iter(),
            bytes: 0,
            recoveries: 0,
        }
    }

    fn carry(&mut self, flight: Flight) {
        let at = self.now + LATENCY;
        match self.fates.next().unwrap_or(Fate::Late(0)) {
            Fate::Lost => {}
            Fate::Late(ms) => self.flights.push((at + Duration::from_millis(ms), flight)),
            Fate::Copied(ms) => {
                let late = Duration::from_millis(ms);
                self.flights.extend([(at + late, flight), (at + late * 2, flight)]);
            }
        }
    }

    /// The sender has had an event, which was its timer or not.
    fn check_and_carry(&mut self, is_timer: bool) -> Result<(), TestCaseError> {
        match self.actions.timer.take() {
            Some(TimerChange::Set(at)) => self.timer = Some(at),
            Some(TimerChange::Cancel) => self.timer = None,
            None => {}
        }
        let board = &self.sender.board;
        let count = |what: &dyn Fn(&(u32, &super::super::scoreboard::Outstanding)) -> bool| {
            board.iter().filter(what).count() as u32
        };
        prop_assert_eq!(board.sacked(), count(&|(_, s)| s.sacked));
        prop_assert_eq!(board.lost(), count(&|(_, s)| s.lost));
        let sent_again = count(&|(_, s)| s.resent);
        prop_assert_eq!(board.in_flight(), count(&|(_, s)| !s.sacked && !s.lost) + sent_again);
        prop_assert_eq!(count(&|(_, s)| s.sacked && (s.lost || s.resent)), 0);
        prop_assert_eq!(count(&|(_, s)| s.resent && !s.retransmitted), 0);
        let has_arrived = |number: u32| self.arrived.get(number as usize) == Some(&true);
        prop_assert!((0..board.first()).all(has_arrived), "acknowledged");
        prop_assert!(board.iter().all(|(number, s)| !s.sacked || has_arrived(number)), "reported");

        let sends = std::mem::take(&mut self.actions.send);
        let in_flight = board.in_flight();
        let room = (self.sender.window.cwnd as u32).max(1);
        let begins = self.sender.counters().fast_retransmits > self.recoveries;
        self.recoveries = self.sender.counters().fast_retransmits;
        let excess = match self.sender.phase {
            Phase::Loss(ForwardStep::Second) => 2,
            _ => u32::from(begins || is_timer),
        };
        let before = in_flight.saturating_sub(sends.len() as u32);
        prop_assert!(
            sends.len() as u32 <= room.saturating_sub(before) + excess,
            "{} sent with {before} in flight and room for {room}, {:?}",
            sends.len(),
            self.sender.phase
        );
        prop_assert!(self.timer.is_some() || board.flight_size() == 0, "nothing waits");
        let end = board.first() + self.config.window_segments;
        for kind in sends {
            let SegmentKind::Data { number, payload_bytes, echo, .. } = kind else {
                return Err(TestCaseError::fail("a sender sends data"));
            };
            if number as usize == self.ends.len() {
                self.ends.push(self.ends.last().unwrap_or(&0) + u64::from(payload_bytes));
            }
            let is_within = match self.config.receive_buffer.scheme {
                WindowScheme::Constant => number < end,
                WindowScheme::Auto => self.ends[number as usize] <= self.offered,
            };
            prop_assert!(is_within, "{number} is beyond the receiver's window");
            self.carry(Flight::Data { number, payload_bytes, sent: self.now, echo });
        }
        Ok(())
    }

    fn answer(&mut self, kind: Option<SegmentKind>) {
        match kind {
            Some(SegmentKind::Ack { number, probe, sent, window }) => {
                let left = self.now;
                let ack =
                    Acknowledgment { number, probe, sent, hops: 1, echo: false, left, window };
                self.carry(Flight::Ack(ack, SackBlocks::default()));
            }
            Some(SegmentKind::Sack { number, probe, sent, blocks, window }) => {
                let left = self.now;
                let ack =
                    Acknowledgment { number, probe, sent, hops: 1, echo: false, left, window };
                self.carry(Flight::Ack(ack, blocks));
            }
            _ => {}
        }
    }

    fn supply(&mut self, bytes: u64) -> Result<(), TestCaseError> {
        self.bytes += bytes;
        self.sender.on_supply(self.now, bytes, &mut self.actions);
        self.check_and_carry(false)
    }

    fn arrive(&mut self, flight: Flight) -> Result<(), TestCaseError> {
        match flight {
            Flight::Data { number, payload_bytes, sent, echo } => {
                let segment =
                    Arriving { now: self.now, number, payload_bytes, probe: false, sent, echo };
                if self.arrived.len() <= number as usize {
                    self.arrived.resize(number as usize + 1, false);
                }
                self.arrived[number as usize] = true;
                let answer = self.acknowledger.on_segment(&mut self.receiver, segment);
                self.answer(answer);
                Ok(())
            }
            Flight::Ack(ack, blocks) => {
                self.offer(&ack);
                self.sender.on_sack(self.now, ack, blocks, &mut self.actions);
                self.check_and_carry(false)
            }
        }
    }

    /// What `ack` offers, by itself. The SYN's answer is unscaled; of a segment behind a missing
    /// first one nothing is known.
    fn offer(&mut self, ack: &Acknowledgment) {
        let fields = self.config.window_fields(self.config.rules(Profile::Standard));
        let scale = if ack.number == 0 { 0 } else { fields.scale };
        if ack.number > 0 || self.offered == 0 {
            let end = self.ends[ack.number as usize] + (u64::from(ack.window) << scale);
            self.offered = self.offered.max(end);
        }
    }

    /// The next thing that happens before `limit`. Returns whether anything has.
    fn step(&mut self, limit: Option<Instant>) -> Result<bool, TestCaseError> {
        let first = (0..self.flights.len()).min_by_key(|&place| self.flights[place].0);
        let arrival = first.map(|place| self.flights[place].0);
        let due = self.acknowledger.due();
        let next = [arrival, due, self.timer].into_iter().flatten().min();
        let Some(next) = next.filter(|&at| limit.is_none_or(|limit| at < limit)) else {
            return Ok(false);
        };
        prop_assert!(
            next >= self.now,
            "a timer in the past: {:?} at {:?}",
            self.sender.timers,
            self.now
        );
        self.now = next;
        if let Some(place) = first.filter(|_| arrival == Some(next)) {
            let (_, flight) = self.flights.remove(place);
            self.arrive(flight)?;
        } else if due == Some(next) {
            let answer = self.acknowledger.on_timer(&self.receiver);
            self.answer(answer);
        } else {
            self.timer = None;
            self.sender.on_timeout(self.now, &mut self.actions);
            self.check_and_carry(true)?;
        }
        Ok(true)
    }
}

fn cases() -> u32 {
    std::env::var("PROPTEST_CASES").ok().and_then(|count| count.parse().ok()).unwrap_or(200)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(cases()))]

    #[test]
    fn all_that_is_supplied_arrives_whatever_the_network_does(
        scheme in prop::sample::select(vec![
            Flavour::Reno, Flavour::Cubic, Flavour::Westwood, Flavour::Vegas,
        ]),
        recovery in prop::sample::select(vec![RecoveryScheme::Sack, RecoveryScheme::RackTlp]),
        rules in prop::sample::select(vec![Rules::Standard, Rules::Linux]),
        options in any::<[Option<bool>; 3]>(),
        delayed in any::<bool>(),
        window_segments in 1u32..30,
        initial_window in 1u32..12,
        auto in prop::option::of(1u32..20),
        fates in prop::collection::vec(fate(), 0..150),
        messages in prop::collection::vec((0u64..1500, 1u64..12_000), 1..6),
    ) {
        let [prr, undo, probe] = options;
        let config = TcpConfig {
            scheme,
            recovery: RecoveryConfig {
                scheme: Some(recovery),
                prr,
                undo,
                probe: probe.filter(|_| recovery == RecoveryScheme::RackTlp),
            },
            profile: Some(rules),
            acks: AcksConfig { delayed: Some(delayed), ..AcksConfig::default() },
            segment_bytes: SEGMENT_BYTES,
            window_segments,
            receive_buffer: match auto {
                None => ReceiveBufferConfig::default(),
                Some(segments) => ReceiveBufferConfig {
                    scheme: WindowScheme::Auto,
                    initial_bytes: 4 * SEGMENT_BYTES,
                    largest_bytes: (4 + segments * segments) * SEGMENT_BYTES,
                },
            },
            initial_window_segments: Some(initial_window),
            rto_max_s: 2.0,
            ..TcpConfig::default()
        };
        let packets = fates.len() as u32;
        let mut network = Network::new(&config, rules, fates);
        network.sender.on_start(network.now, &mut network.actions);
        network.check_and_carry(false)?;
        for (after_ms, bytes) in messages {
            let at = network.now + Duration::from_millis(after_ms);
            while network.step(Some(at))? {}
            network.now = at;
            network.supply(bytes)?;
        }
        let last = network.sender.supply.end() - 1;
        // Each packet lost or late costs a timeout at most, and so does each segment after that.
        let patience = Duration::from_secs(3) * u64::from(packets + last + 10);
        let limit = network.now + patience;
        while network.sender.highest_ack() != Some(last) {
            prop_assert!(network.step(Some(limit))?, "{:?} of {last}", network.sender.highest_ack());
        }
        prop_assert_eq!(network.receiver.delivered_segments(), u64::from(last));
        prop_assert_eq!(network.receiver.delivered_bytes(), network.bytes);
        prop_assert_eq!(network.receiver.unique_bytes(), network.bytes);
        prop_assert_eq!(network.sender.board.flight_size(), 0);
        prop_assert_eq!(network.timer, None);
    }
}
