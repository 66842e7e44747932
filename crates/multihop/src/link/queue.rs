//! The interface queue: packets with a resolved next hop, waiting for the MAC.

use std::collections::VecDeque;

use crate::wire::{NodeId, Packet, PacketKind};

/// How waiting packets are ordered and limited.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QueueDiscipline {
    /// ns-2's `Queue/DropTail/PriQueue`: routing packets go to the head (several leave last in, first
    /// out) and push out the last packet when full; all else is drop-tail. At most `limit - 1` wait.
    RoutingFirst {
        /// The limit, one more than can wait.
        limit: usize,
    },
}

/// The queue of one node.
#[derive(Debug)]
pub struct InterfaceQueue {
    discipline: QueueDiscipline,
    waiting: VecDeque<(NodeId, Packet)>,
}

impl InterfaceQueue {
    /// An empty queue.
    pub fn new(discipline: QueueDiscipline) -> InterfaceQueue {
        InterfaceQueue { discipline, waiting: VecDeque::new() }
    }

    /// Adds `packet` for `next_hop`. Returns the packet dropped for lack of room, if any.
    pub fn push(&mut self, next_hop: NodeId, packet: Packet) -> Option<Packet> {
        let QueueDiscipline::RoutingFirst { limit } = self.discipline;
        if packet.kind() == PacketKind::Routing {
            self.waiting.push_front((next_hop, packet));
            if self.waiting.len() >= limit {
                return self.waiting.pop_back().map(|(_, dropped)| dropped);
            }
            return None;
        }
        if self.waiting.len() + 1 >= limit {
            return Some(packet);
        }
        self.waiting.push_back((next_hop, packet));
        None
    }

    /// Takes the packet that is next to be sent.
    pub fn pop(&mut self) -> Option<(NodeId, Packet)> {
        self.waiting.pop_front()
    }

    /// Takes out every packet waiting for `next_hop`, in the order they wait.
    pub fn take(&mut self, next_hop: NodeId) -> Vec<Packet> {
        let mut taken = Vec::new();
        self.waiting.retain_mut(|(hop, packet)| {
            let hit = *hop == next_hop;
            if hit {
                taken.push(packet.clone());
            }
            !hit
        });
        taken
    }

    /// How many packets wait.
    pub fn len(&self) -> usize {
        self.waiting.len()
    }

    /// Whether none waits.
    pub fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }
}
