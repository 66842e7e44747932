//! A wire between the two ends of a connection, driven by hand: rate, delay, a queue, losses,
//! copies, reordering.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use crate::kernel::{Duration, Instant, Purpose, Rng};
use crate::transport::quic::{Connection, End, Step};
use crate::transport::{Flavour, TcpConfig};
use crate::wire::Ecn;

/// Headers of UDP and IPv4 \[bytes\].
pub const HEADERS: u64 = 28;

/// What a wire does to datagrams, in both directions.
#[derive(Clone, Debug)]
pub struct Path {
    /// Bits per second.
    pub rate_bps: f64,
    pub delay: Duration,
    /// Datagrams that wait for the wire to be free at most.
    pub queue: usize,
    /// Probabilities.
    pub loss: f64,
    pub copy: f64,
    /// Datagrams take longer by a random time up to this.
    pub jitter: Duration,
    /// Nothing passes \[s\].
    pub blackout: Range<f64>,
    /// Datagrams are marked if so many wait.
    pub mark_at: usize,
}

impl Default for Path {
    fn default() -> Path {
        Path {
            rate_bps: 1e6,
            delay: Duration::from_millis(20),
            queue: 50,
            loss: 0.0,
            copy: 0.0,
            jitter: Duration::ZERO,
            blackout: 0.0..0.0,
            mark_at: usize::MAX,
        }
    }
}

/// A datagram under way.
#[derive(Debug)]
struct Flying {
    to: End,
    ecn: Ecn,
    bytes: Arc<[u8]>,
}

/// A connection and the wire between its ends.
#[derive(Debug)]
pub struct Wire {
    pub path: Path,
    pub connection: Connection,
    pub now: Instant,
    /// Messages that have arrived whole from the client and from the server.
    pub delivered: [u64; 2],
    /// Every datagram: when it left, which end, and what it carried.
    pub log: Vec<(Instant, End, Arc<[u8]>)>,
    flying: BTreeMap<(Instant, usize), Flying>,
    timers: [Option<Instant>; 2],
    /// When the wire is free again, in each direction.
    free: [Instant; 2],
    rng: Rng,
}

/// QUIC with this window of the receiver.
pub fn config(window_segments: u32) -> TcpConfig {
    TcpConfig { scheme: Flavour::Quic, window_segments, ..TcpConfig::default() }
}

impl Wire {
    /// A connection that its client opens at once.
    pub fn new(config: &TcpConfig, has_streams_of_own: bool, path: Path, seed: u64) -> Wire {
        config.check().unwrap();
        let mut own = Rng::stream(seed, Purpose::Transport, 0);
        let mut wire = Wire {
            path,
            connection: Connection::new(config, has_streams_of_own, &mut own),
            now: Instant::ZERO,
            delivered: [0; 2],
            log: Vec::new(),
            flying: BTreeMap::new(),
            timers: [None; 2],
            free: [Instant::ZERO; 2],
            rng: Rng::stream(seed, Purpose::Backoff, 0),
        };
        wire.call(|connection, now| connection.on_start(now));
        wire
    }

    /// `end` gives a message of `bytes`.
    pub fn supply(&mut self, end: End, bytes: u64) {
        self.call(|connection, _| connection.on_supply(end, bytes));
    }

    /// Calls the connection and carries out what follows.
    pub fn call(&mut self, what: impl FnOnce(&mut Connection, Instant)) {
        what(&mut self.connection, self.now);
        let Step { leaving, timers, delivered } = self.connection.step(self.now);
        self.timers = timers;
        for (sum, more) in self.delivered.iter_mut().zip(delivered) {
            *sum += more;
        }
        for (end, datagrams) in End::BOTH.into_iter().zip(leaving) {
            for datagram in datagrams {
                let ecn = if datagram.is_ecn_capable { Ecn::Capable } else { Ecn::NotCapable };
                self.send(end, ecn, datagram.bytes);
            }
        }
    }

    fn send(&mut self, from: End, ecn: Ecn, bytes: Arc<[u8]>) {
        self.log.push((self.now, from, bytes.clone()));
        let size_bits = (bytes.len() as u64 + HEADERS) as f64 * 8.0;
        let airtime = Duration::from_secs_f64(size_bits / self.path.rate_bps);
        let free = self.free[from as usize].max(self.now);
        let waiting = (free - self.now).as_secs_f64() / airtime.as_secs_f64();
        let is_black = self.path.blackout.contains(&self.now.as_secs_f64());
        if waiting > self.path.queue as f64 || is_black || self.rng.unit() < self.path.loss {
            return;
        }
        let ecn = match ecn {
            Ecn::Capable if waiting >= self.path.mark_at as f64 => Ecn::Marked,
            ecn => ecn,
        };
        self.free[from as usize] = free + airtime;
        let copies = if self.rng.unit() < self.path.copy { 2 } else { 1 };
        for _ in 0..copies {
            let jitter = match self.path.jitter {
                Duration::ZERO => Duration::ZERO,
                most => self.rng.duration_below(most),
            };
            let at = free + airtime + self.path.delay + jitter;
            let flying = Flying { to: from.other(), ecn, bytes: bytes.clone() };
            self.flying.insert((at, self.log.len() * 2 + self.flying.len() % 2), flying);
        }
    }

    /// Runs to `end` \[s\].
    pub fn run(&mut self, end: f64) {
        let end = Instant::from_secs_f64(end);
        while self.next(end) {}
        self.now = end;
    }

    fn next(&mut self, end: Instant) -> bool {
        let arrival = self.flying.keys().next().map(|&(at, _)| at);
        let timer = self.timers.iter().flatten().min().copied();
        let Some(next) = arrival.into_iter().chain(timer).min().filter(|&at| at < end) else {
            return false;
        };
        self.now = next;
        if arrival == Some(next) {
            let (_, Flying { to, ecn, bytes }) = self.flying.pop_first().unwrap();
            self.call(|connection, now| connection.on_datagram(now, to, ecn, &bytes));
            return true;
        }
        let end = End::BOTH.into_iter().find(|&end| self.timers[end as usize] == Some(next));
        self.call(|connection, now| connection.on_timer(now, end.unwrap()));
        true
    }

    /// Bytes that have arrived from the client.
    pub fn bytes(&self) -> u64 {
        self.connection.account(End::Client).delivered_bytes
    }

    /// When the connection was given up \[s\].
    pub fn given_up(&self) -> Option<f64> {
        self.connection.account(End::Client).given_up.map(Instant::as_secs_f64)
    }
}
