//! The packets of a queue, in lines.

use std::collections::VecDeque;

use crate::kernel::Instant;
use crate::wire::{NodeId, Packet};

/// A packet that waits.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Waiting {
    /// Where it goes.
    pub next_hop: NodeId,
    /// The packet.
    pub packet: Packet,
    /// Since when it waits.
    pub since: Instant,
}

/// Packets in order.
#[derive(Debug, Default)]
pub(super) struct Line {
    packets: VecDeque<Waiting>,
    bytes: u64,
}

impl Line {
    /// The packets that wait.
    pub fn packets(&self) -> &VecDeque<Waiting> {
        &self.packets
    }
}

/// The packets of a queue, in lines.
#[derive(Debug)]
pub struct Lines {
    lines: Vec<Line>,
    /// Packets in all.
    waiting: usize,
    /// Those of transports among them.
    transports: usize,
    most_packets: usize,
}

impl Lines {
    /// Empty ones, in a queue of this size \[packets\].
    pub(super) fn new(most_packets: usize) -> Lines {
        Lines { lines: Vec::new(), waiting: 0, transports: 0, most_packets }
    }

    /// The queue gets this size; what waits stays.
    pub(super) fn set_most_packets(&mut self, most_packets: usize) {
        self.most_packets = most_packets;
    }

    /// The size of the queue \[packets\] (`mac.queue_packets`), of which its rule makes what it
    /// likes.
    pub fn most_packets(&self) -> usize {
        self.most_packets
    }

    /// One above the highest line that a packet has been in.
    pub fn count(&self) -> usize {
        self.lines.len()
    }

    /// Packets in all lines.
    pub fn packets(&self) -> usize {
        self.waiting
    }

    /// Packets of transports among them.
    pub(super) fn transports(&self) -> usize {
        self.transports
    }

    /// Packets in `line`.
    pub fn packets_in(&self, line: usize) -> usize {
        self.lines.get(line).map_or(0, |line| line.packets.len())
    }

    /// The size of the packets in `line` \[bytes\].
    pub fn bytes_in(&self, line: usize) -> u64 {
        self.lines.get(line).map_or(0, |line| line.bytes)
    }

    /// Every line, the first first.
    pub(super) fn iter(&self) -> impl Iterator<Item = &Line> {
        self.lines.iter()
    }

    /// The packets in `line`.
    pub(super) fn line(&self, line: usize) -> Option<&VecDeque<Waiting>> {
        self.lines.get(line).map(Line::packets)
    }

    /// Adds a packet to `line`, before all others or after them.
    #[inline]
    pub(super) fn push(&mut self, line: usize, is_first: bool, waiting: Waiting) {
        if self.lines.len() <= line {
            self.lines.resize_with(line + 1, Line::default);
        }
        self.waiting += 1;
        self.transports += usize::from(waiting.packet.is_transport());
        let line = &mut self.lines[line];
        line.bytes += u64::from(waiting.packet.size_bytes);
        if is_first {
            line.packets.push_front(waiting);
        } else {
            line.packets.push_back(waiting);
        }
    }

    /// The packet at `place` in `line`.
    pub(super) fn get_mut(&mut self, line: usize, place: usize) -> Option<&mut Waiting> {
        self.lines.get_mut(line)?.packets.get_mut(place)
    }

    /// Takes the packet at `place` in `line`.
    #[inline]
    pub(super) fn remove(&mut self, line: usize, place: usize) -> Option<Waiting> {
        let line = self.lines.get_mut(line)?;
        // Most packets are the first of their line.
        let waiting = match place {
            0 => line.packets.pop_front(),
            _ => line.packets.remove(place),
        }?;
        line.bytes -= u64::from(waiting.packet.size_bytes);
        self.waiting -= 1;
        self.transports -= usize::from(waiting.packet.is_transport());
        Some(waiting)
    }

    /// Takes out every packet for `next_hop` that `is_wanted`, those of a line in their order.
    pub(super) fn take(
        &mut self,
        next_hop: NodeId,
        is_wanted: impl Fn(&Packet) -> bool,
    ) -> Vec<Packet> {
        let mut taken = Vec::new();
        for line in &mut self.lines {
            for _ in 0..line.packets.len() {
                let Some(waiting) = line.packets.pop_front() else { break };
                if waiting.next_hop == next_hop && is_wanted(&waiting.packet) {
                    line.bytes -= u64::from(waiting.packet.size_bytes);
                    taken.push(waiting.packet);
                } else {
                    line.packets.push_back(waiting);
                }
            }
        }
        self.waiting -= taken.len();
        self.transports -= taken.iter().filter(|packet| packet.is_transport()).count();
        taken
    }
}
