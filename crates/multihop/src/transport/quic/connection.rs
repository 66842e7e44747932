//! A connection: both its ends.

use std::collections::VecDeque;
use std::fmt;
use std::time::{Duration as StdDuration, Instant as StdInstant};

use quinn_proto::{ClientConfig, EcnCodepoint};

use super::account::Account;
use super::endpoint;
use super::peer::Peer;
use crate::kernel::{Duration, Instant, Rng};
use crate::transport::TcpConfig;
use crate::wire::Ecn;

pub use super::peer::Datagram as Leaving;

/// Some room before the first instant, so that times before it can be computed with.
const HEADROOM: StdDuration = StdDuration::from_secs(1 << 20);
/// What lies between a timer's expiry and the next at least: pacing may round its waiting time down
/// to nothing.
const LEAST_WAIT: Duration = Duration::from_micros(1);

/// An end of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// The one that opens it.
    Client,
    /// The other one.
    Server,
}

impl End {
    /// Both.
    pub const BOTH: [End; 2] = [End::Client, End::Server];

    /// The end that this one is connected with.
    pub fn other(self) -> End {
        match self {
            End::Client => End::Server,
            End::Server => End::Client,
        }
    }
}

/// What follows from what has happened.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Step {
    /// Datagrams that leave the client, and the server, in order.
    pub leaving: [Vec<Leaving>; 2],
    /// When the timer of the client, and of the server, is to expire next.
    pub timers: [Option<Instant>; 2],
    /// Messages of the client, and of the server, that have arrived whole since the last step.
    pub delivered: [u64; 2],
}

/// Both ends of a connection.
pub struct Connection {
    /// Stands for the start of the simulation: the state machines reckon in the machine's time, of
    /// which only differences matter.
    base: StdInstant,
    peers: [Peer; 2],
    /// What the client connects by, until it does.
    opening: Option<ClientConfig>,
    /// Of which end a probe timeout may have expired.
    is_probing: [bool; 2],
    /// Messages have streams of their own.
    has_streams_of_own: bool,
    /// Bytes given to the client and to the server, and where in them the messages under way end.
    supplied: [u64; 2],
    ends: [VecDeque<u64>; 2],
    /// Messages that have arrived, as told before.
    told: [u64; 2],
    given_up: Option<Instant>,
    segment_bytes: f64,
    /// The application is done.
    is_closed: bool,
}

impl Connection {
    /// A connection that is not open yet. `has_streams_of_own`: each message has a stream of its
    /// own; else all those of an end share one.
    pub fn new(config: &TcpConfig, has_streams_of_own: bool, rng: &mut Rng) -> Connection {
        let (client, opening) = endpoint::client(config, rng);
        let server = endpoint::server(config, rng);
        Connection {
            base: StdInstant::now() + HEADROOM,
            peers: [
                Peer::new(client, 1, has_streams_of_own),
                Peer::new(server, 0, has_streams_of_own),
            ],
            opening: Some(opening),
            is_probing: [false; 2],
            has_streams_of_own,
            supplied: [0; 2],
            ends: Default::default(),
            told: [0; 2],
            given_up: None,
            segment_bytes: f64::from(config.segment_bytes),
            is_closed: false,
        }
    }

    /// The client opens the connection.
    pub fn on_start(&mut self, now: Instant) {
        if let Some(opening) = self.opening.take() {
            let now = self.machine_time(now);
            self.peers[End::Client as usize].connect(now, opening);
        }
    }

    /// The application at `end` gives a message of `bytes`.
    pub fn on_supply(&mut self, end: End, bytes: u64) {
        let supplied = self.supplied[end as usize].saturating_add(bytes);
        self.supplied[end as usize] = supplied;
        if !self.has_streams_of_own {
            self.ends[end as usize].push_back(supplied);
        }
        let peer = &mut self.peers[end as usize];
        peer.outgoing.push(bytes);
        peer.write();
    }

    /// A datagram has arrived at `end`, in a packet with this codepoint.
    pub fn on_datagram(&mut self, now: Instant, end: End, ecn: Ecn, bytes: &[u8]) {
        let now = self.machine_time(now);
        self.peers[end as usize].on_datagram(now, EcnCodepoint::from_bits(ecn.bits()), bytes);
    }

    /// The timer of `end` has expired.
    pub fn on_timer(&mut self, now: Instant, end: End) {
        let now = self.machine_time(now);
        self.is_probing[end as usize] = self.peers[end as usize].on_timer(now);
    }

    /// The application is done: the client closes the connection.
    pub fn close(&mut self, now: Instant) {
        let now = self.machine_time(now);
        self.is_closed = true;
        self.peers[End::Client as usize].close(now);
    }

    /// What follows from the calls since the last step.
    pub fn step(&mut self, now: Instant) -> Step {
        let at = self.machine_time(now);
        let mut step = Step::default();
        for end in End::BOTH.map(|end| end as usize) {
            let is_probing = std::mem::take(&mut self.is_probing[end]);
            self.peers[end].drive(at, is_probing, &mut step.leaving[end]);
            let deadline = self.peers[end].deadline();
            step.timers[end] = deadline.map(|at| self.simulated(at).max(now + LEAST_WAIT));
        }
        if self.peers.iter().any(|peer| peer.is_given_up) && !self.is_closed {
            self.given_up.get_or_insert(now);
        }
        step.delivered = End::BOTH.map(|end| self.newly_delivered(end));
        step
    }

    /// Whether both ends have forgotten it.
    pub fn is_over(&self) -> bool {
        self.peers.iter().all(Peer::is_drained)
    }

    /// Messages of `end` that have arrived whole since the last call.
    fn newly_delivered(&mut self, end: End) -> u64 {
        let incoming = &self.peers[end.other() as usize].incoming;
        let told = &mut self.told[end as usize];
        let before = *told;
        if self.has_streams_of_own {
            *told = incoming.finished;
        }
        let ends = &mut self.ends[end as usize];
        while ends.front().is_some_and(|&last| last <= incoming.bytes) {
            ends.pop_front();
            *told += 1;
        }
        *told - before
    }

    /// What the direction from `end` has achieved.
    pub fn account(&self, end: End) -> Account {
        let (sender, receiver) = (&self.peers[end as usize], &self.peers[end.other() as usize]);
        let path = sender.stats().unwrap_or_default().path;
        let counts = sender.counts;
        let is_measured = counts.rtts > 0;
        Account {
            delivered_bytes: receiver.incoming.bytes,
            sent: counts.sent,
            answers_sent: receiver.counts.answers_sent,
            lost: path.lost_packets,
            probe_timeouts: counts.probe_timeouts,
            reductions: counts.reductions,
            ecn_reductions: counts.ecn_reductions,
            cwnd: path.cwnd as f64 / self.segment_bytes,
            ssthresh: sender
                .ssthresh()
                .map_or(f64::INFINITY, |bytes| bytes as f64 / self.segment_bytes),
            smoothed_rtt: is_measured.then(|| Duration::from_nanos(path.rtt.as_nanos() as u64)),
            mean_rtt_s: is_measured.then(|| counts.rtt_sum_s / counts.rtts as f64),
            given_up: self.given_up,
        }
    }

    fn machine_time(&self, now: Instant) -> StdInstant {
        self.base + StdDuration::from_nanos(now.as_nanos())
    }

    fn simulated(&self, at: StdInstant) -> Instant {
        Instant::from_nanos(at.saturating_duration_since(self.base).as_nanos() as u64)
    }
}

impl fmt::Debug for Connection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Connection").field("supplied", &self.supplied).finish_non_exhaustive()
    }
}
