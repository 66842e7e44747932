//! A sender and a receiver stepped by hand: the test is the network and the clock.

mod congestion;
mod cubic;
mod ecn;
mod estimates;
mod link_failure;
mod loss;
mod ns2;
mod pacing;
mod rate;
mod replay;
mod semi;
mod standard;
mod supply;
mod validation;

use super::recovery::Recovery;
use super::scheme::Sending;
use super::*;
use crate::kernel::{Duration, Instant, Purpose, Rng};
use crate::profile::Profile;
use crate::transport::congestion::CongestionControl;
use crate::wire::FlowId;
use crate::wire::tcp::SegmentKind;

/// One way from one end to the other.
const LATENCY: Duration = Duration::from_millis(20);

/// The congestion control of `scheme`, which has a window, and its recovery.
fn windowed(scheme: Flavour) -> (Box<dyn CongestionControl>, Recovery) {
    match scheme.scheme().sending {
        Sending::Windowed(control, recovery) => (control.make(), recovery),
        Sending::Own(_) | Sending::Connection => panic!("{scheme:?} has no window"),
    }
}

/// The sender that `config` selects, which has a window.
fn sender(config: &TcpConfig, supply: Supply, profile: Profile, rng: &mut Rng) -> Sender {
    let (control, recovery) = windowed(config.scheme);
    Sender::new(config, control, recovery, supply, profile.into(), FlowId(0), rng)
}

/// A segment or an acknowledgment on its way.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Flight {
    /// Its number, its payload, and whether it is a probe.
    Data(u32, u32, bool),
    Ack(Acknowledgment),
}

/// Both ends and what is between them.
struct Pair {
    now: Instant,
    sender: Sender,
    receiver: Receiver,
    actions: SenderActions,
    timer: Option<Instant>,
    /// The pacer's next tick.
    tick: Option<Instant>,
    flights: Vec<(Instant, Flight)>,
    /// Every segment sent, in order, and when.
    sent: Vec<(Instant, u32)>,
    /// Segments to lose, one entry for each transmission.
    drops: Vec<u32>,
}

impl Pair {
    fn new(config: TcpConfig, profile: Profile) -> Pair {
        let supply = Supply::endless(config.segment_bytes);
        Pair::with_supply(config, supply, profile)
    }

    fn with_supply(config: TcpConfig, supply: Supply, profile: Profile) -> Pair {
        let mut rng = Rng::stream(1, Purpose::Transport, 0);
        let mut pair = Pair {
            now: Instant::from_nanos(1_000_000_000),
            sender: sender(&config, supply, profile, &mut rng),
            receiver: Receiver::default(),
            actions: SenderActions::default(),
            timer: None,
            tick: None,
            flights: Vec::new(),
            sent: Vec::new(),
            drops: Vec::new(),
        };
        pair.sender.on_start(pair.now, &mut pair.actions);
        pair.carry_out();
        pair
    }

    fn ns2(scheme: Flavour, window_segments: u32) -> Pair {
        Pair::new(TcpConfig { scheme, window_segments, ..TcpConfig::default() }, Profile::Ns2)
    }

    fn carry_out(&mut self) {
        let changes = [self.actions.timer.take(), self.actions.pacing.take()];
        for (timer, change) in [&mut self.timer, &mut self.tick].into_iter().zip(changes) {
            match change {
                Some(TimerChange::Set(at)) => *timer = Some(at),
                Some(TimerChange::Cancel) => *timer = None,
                None => {}
            }
        }
        for kind in self.actions.send.drain(..) {
            let SegmentKind::Data { number, payload_bytes, probe, .. } = kind else {
                panic!("a sender sends data")
            };
            self.sent.push((self.now, number));
            if let Some(place) = self.drops.iter().position(|&lost| lost == number) {
                self.drops.remove(place);
            } else {
                self.flights.push((self.now + LATENCY, Flight::Data(number, payload_bytes, probe)));
            }
        }
    }

    /// The next thing that happens. Returns false if nothing will.
    fn step(&mut self) -> bool {
        let first = (0..self.flights.len()).min_by_key(|&i| self.flights[i].0);
        let arrival = first.map(|i| self.flights[i].0);
        let before =
            |other: Option<Instant>| move |at: &Instant| other.is_none_or(|other| *at < other);
        let tick = self.tick.filter(before(arrival)).filter(before(self.timer));
        let timer = self.timer.filter(before(arrival));
        if let Some(tick) = tick {
            self.now = tick;
            self.tick = None;
            self.sender.on_pacing_tick(self.now, &mut self.actions);
        } else if let Some(timer) = timer {
            self.now = timer;
            self.timer = None;
            self.sender.on_timeout(self.now, &mut self.actions);
        } else if let Some(i) = first {
            let (at, flight) = self.flights.remove(i);
            self.now = at;
            match flight {
                Flight::Data(number, payload, probe) => {
                    let number = self.receiver.on_data(number, payload);
                    let ack = Acknowledgment {
                        number,
                        probe,
                        sent: at - LATENCY,
                        hops: 4,
                        echo: false,
                        ..Acknowledgment::default()
                    };
                    self.flights.push((at + LATENCY, Flight::Ack(ack)));
                }
                Flight::Ack(ack) => self.sender.on_ack(at, ack, &mut self.actions),
            }
        } else {
            return false;
        }
        self.carry_out();
        true
    }

    /// Steps until the sender has seen `number` acknowledged.
    fn until_acked(&mut self, number: u32) {
        while self.sender.highest_ack().is_none_or(|ack| ack < number) {
            assert!(self.step(), "nothing left to happen");
        }
    }

    /// Hands the sender an acknowledgment that no receiver sent; returns the segments that it
    /// sends.
    fn ack(&mut self, number: u32) -> Vec<u32> {
        self.marked_ack(number, false)
    }

    /// The same, with or without the mark of a probe's answer.
    fn marked_ack(&mut self, number: u32, probe: bool) -> Vec<u32> {
        let before = self.sent.len();
        let ack = Acknowledgment {
            number,
            probe,
            sent: self.now - LATENCY * 2,
            hops: 4,
            echo: false,
            ..Acknowledgment::default()
        };
        self.sender.on_ack(self.now, ack, &mut self.actions);
        self.carry_out();
        self.sent[before..].iter().map(|&(_, number)| number).collect()
    }

    /// The application gives a message; returns the number of its last segment.
    fn supply(&mut self, bytes: u64) -> u32 {
        let last = self.sender.on_supply(self.now, bytes, &mut self.actions);
        self.carry_out();
        last
    }

    /// Waits until nothing is under way, and so long after that.
    fn rest(&mut self, time: Duration) {
        while self.step() {}
        self.now += time;
    }

    /// Tells the sender that its route has broken.
    fn route_error(&mut self) {
        self.sender.on_route_error(self.now, &mut self.actions);
        self.carry_out();
    }

    /// A sender with segments up to `number` acknowledged and no flight left.
    fn at(scheme: Flavour, window: u32, number: u32) -> Pair {
        let mut pair = Pair::ns2(scheme, window);
        pair.until_acked(number);
        pair.flights.clear();
        pair
    }
}
