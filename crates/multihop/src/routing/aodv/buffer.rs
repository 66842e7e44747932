//! Packets that wait for a route.

use std::collections::VecDeque;

use crate::kernel::{Duration, Instant};
use crate::wire::{NodeId, Packet};

/// The buffer of one node: first in, first out, for all destinations together.
#[derive(Debug)]
pub struct SendBuffer {
    capacity: usize,
    life: Duration,
    waiting: VecDeque<(Instant, Packet)>,
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
    pub fn new(capacity: usize, life: Duration) -> SendBuffer {
        SendBuffer { capacity, life, waiting: VecDeque::new() }
    }

    /// Adds `packet` at `now`.
    pub fn push(&mut self, now: Instant, packet: Packet) -> Displaced {
        let mut displaced = Displaced::default();
        while self.waiting.front().is_some_and(|&(expires, _)| expires < now) {
            displaced.expired.extend(self.waiting.pop_front().map(|(_, packet)| packet));
        }
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

    /// Takes the first packet for `destination` that has not waited too long at `now`.
    pub fn take(&mut self, now: Instant, destination: NodeId) -> Option<Packet> {
        let place = self
            .waiting
            .iter()
            .position(|(expires, packet)| packet.destination == destination && *expires >= now)?;
        self.waiting.remove(place).map(|(_, packet)| packet)
    }

    /// Whether any packet waits for `destination`.
    pub fn holds(&self, destination: NodeId) -> bool {
        self.waiting.iter().any(|(_, packet)| packet.destination == destination)
    }

    /// How many packets wait.
    pub fn len(&self) -> usize {
        self.waiting.len()
    }

    /// Whether no packet waits.
    pub fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }
}
