//! Packets that wait for a route (RFC 4728 section 4.2).

use crate::kernel::{Duration, Instant};
use crate::wire::{NodeId, Packet};

/// A waiting packet.
#[derive(Debug)]
pub struct Waiting {
    /// The packet, without a DSR route.
    pub packet: Packet,
    /// How often it has been salvaged.
    pub salvages: u8,
    since: Instant,
}

/// The send buffer of one node: slots, checked in order.
#[derive(Debug)]
pub struct SendBuffer {
    capacity: usize,
    /// As many slots as have been needed so far.
    slots: Vec<Option<Waiting>>,
    life: Duration,
    waiting: usize,
}

impl SendBuffer {
    /// A buffer for `capacity` packets, each for at most `life`.
    pub fn new(capacity: usize, life: Duration) -> SendBuffer {
        SendBuffer { capacity, slots: Vec::new(), life, waiting: 0 }
    }

    /// Puts `packet` into the first free slot. If there is none, replaces the packet that has
    /// waited longest and returns that one.
    pub fn push(&mut self, now: Instant, packet: Packet, salvages: u8) -> Option<Packet> {
        let mut place = self.slots.iter().position(Option::is_none);
        if place.is_none() && self.slots.len() < self.capacity {
            place = Some(self.slots.len());
            self.slots.push(None);
        }
        let oldest = || {
            let since = |slot: &Option<Waiting>| slot.as_ref().map(|waiting| waiting.since);
            (0..self.slots.len()).min_by_key(|&i| since(&self.slots[i]))
        };
        let Some(place) = place.or_else(oldest) else { return Some(packet) };
        let displaced = self.slots[place].replace(Waiting { packet, salvages, since: now });
        self.waiting += usize::from(displaced.is_none());
        displaced.map(|waiting| waiting.packet)
    }

    /// The destination of the packet in `slot`.
    pub fn destination(&self, slot: usize) -> Option<NodeId> {
        self.slots.get(slot)?.as_ref().map(|waiting| waiting.packet.destination)
    }

    /// Whether the packet in `slot` comes from this node, `node`.
    pub fn is_own(&self, slot: usize, node: NodeId) -> bool {
        let waiting = self.slots.get(slot).and_then(Option::as_ref);
        waiting.is_some_and(|waiting| waiting.packet.source == node)
    }

    /// Whether the packet in `slot` has waited too long at `now`.
    pub fn is_expired(&self, slot: usize, now: Instant) -> bool {
        let waiting = self.slots.get(slot).and_then(Option::as_ref);
        waiting.is_some_and(|waiting| waiting.since + self.life < now)
    }

    /// Removes the packet in `slot`.
    pub fn take(&mut self, slot: usize) -> Option<Waiting> {
        let taken = self.slots.get_mut(slot)?.take();
        self.waiting -= usize::from(taken.is_some());
        taken
    }

    /// Puts a removed packet back into its `slot`.
    pub fn put_back(&mut self, slot: usize, waiting: Waiting) {
        if let Some(place) = self.slots.get_mut(slot) {
            self.waiting += usize::from(place.replace(waiting).is_none());
        }
    }

    /// Number of slots that have been used.
    pub fn slots(&self) -> usize {
        self.slots.len()
    }

    /// How many packets wait.
    pub fn len(&self) -> usize {
        self.waiting
    }

    /// Whether no packet waits.
    pub fn is_empty(&self) -> bool {
        self.waiting == 0
    }
}
