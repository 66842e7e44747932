//! Packets that wait for a route.
//!
//! Deviation (`ns2` profile): ns-2 drops expired packets only when another one comes, and searches
//! for their destinations until then. Here they are dropped at the sweep, so that no back-pressure
//! counts them, and the search goes on without them.

use std::collections::VecDeque;

use crate::kernel::{Duration, Instant};
use crate::profile::Profile;
use crate::wire::{NodeId, Packet};

/// The buffer of one node: first in, first out, for all destinations together.
#[derive(Debug)]
pub struct SendBuffer {
    capacity: usize,
    life: Duration,
    waiting: VecDeque<(Instant, Packet)>,
    /// In the `ns2` profile, the destinations of packets that expired since the last one came.
    lapsed: Vec<NodeId>,
    keeps_searching: bool,
}

/// Packets removed from the buffer when a new one is added.
#[derive(Debug, Default, PartialEq)]
pub struct Displaced {
    /// Packets that waited too long.
    pub expired: Vec<Packet>,
    /// The oldest packet of a full buffer.
    pub overflow: Option<Packet>,
}

impl SendBuffer {
    /// A buffer for `capacity` packets, each for at most `life`.
    pub fn new(capacity: usize, life: Duration, profile: Profile) -> SendBuffer {
        SendBuffer {
            capacity,
            life,
            waiting: VecDeque::new(),
            lapsed: Vec::new(),
            keeps_searching: profile == Profile::Ns2,
        }
    }

    /// Adds `packet` at `now`.
    pub fn push(&mut self, now: Instant, packet: Packet) -> Displaced {
        let mut displaced = Displaced { expired: self.take_expired(now), overflow: None };
        self.lapsed.clear();
        if self.capacity == 0 {
            displaced.overflow = Some(packet);
            return displaced;
        }
        if self.waiting.len() == self.capacity {
            displaced.overflow = self.waiting.pop_front().map(|(_, packet)| packet);
        }
        self.waiting.push_back((now + self.life, packet));
        displaced
    }

    /// Takes the packets that have waited too long at `now`.
    pub fn take_expired(&mut self, now: Instant) -> Vec<Packet> {
        let mut expired = Vec::new();
        while self.waiting.front().is_some_and(|(expires, _)| *expires < now) {
            let Some((_, packet)) = self.waiting.pop_front() else { break };
            if self.keeps_searching {
                self.lapsed.push(packet.destination);
            }
            expired.push(packet);
        }
        expired
    }

    /// Takes the first packet for `destination` that has not waited too long at `now`.
    pub fn take(&mut self, now: Instant, destination: NodeId) -> Option<Packet> {
        let place = self
            .waiting
            .iter()
            .position(|(expires, packet)| packet.destination == destination && *expires >= now)?;
        self.waiting.remove(place).map(|(_, packet)| packet)
    }

    /// Whether a route to `destination` is needed for a packet.
    pub fn needs(&self, destination: NodeId) -> bool {
        self.waiting.iter().any(|(_, packet)| packet.destination == destination)
            || self.lapsed.contains(&destination)
    }

    /// Whether no route is needed.
    pub fn needs_none(&self) -> bool {
        self.waiting.is_empty() && self.lapsed.is_empty()
    }

    /// How many packets wait.
    pub fn len(&self) -> usize {
        self.waiting.len()
    }
}
