//! The interface queue: packets with a resolved next hop, waiting for the MAC.
//!
//! `classes.rs` has ns-2's disciplines, which drop what arrives at a full queue. `managed.rs` has those with CoDel
//! (`codel.rs`), whose packets are dropped or marked as they leave, and those of other crates (`outside.rs`);
//! `fq_codel.rs` schedules flows.

mod classes;
mod codel;
mod config;
mod fq_codel;
mod law;
mod managed;
mod outside;
#[cfg(test)]
mod tests;

use schemars::JsonSchema;
use serde::Serialize;

pub use config::CodelConfig;
pub use outside::{Backlog, Outside, QueueRule, Verdict};

use crate::config::outside::one_of;
use crate::kernel::{Instant, Rng};
use crate::wire::{NodeId, Packet};
use classes::{CLASSES, ClassQueue, class_of};
use managed::ManagedQueue;

/// The order of waiting packets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(transform = one_of)]
pub enum QueueDiscipline {
    /// Routing packets go to the head, so several leave last in, first out; into a full queue they push out
    /// the last packet. All others wait in order of arrival (ns-2's `Queue/DropTail/PriQueue`, which holds
    /// one packet less than its size).
    RoutingFirst,
    /// First in, first out for all packets. Holds one packet less than its size.
    DropTail,
    /// Strict priority: routing packets, then TCP acknowledgments, then all others. Each class has the full
    /// queue size (ns-2's `CMUPriQueue`; its fourth class, audio and video, is never used).
    PriorityClasses,
    /// Routing and ARP packets first; all others in order of arrival under CoDel (RFC 8289), which drops or marks
    /// when they wait too long. Each of the two has the full queue size.
    Codel,
    /// Routing and ARP packets first; of all others each flow under CoDel by itself, and flows take turns
    /// (RFC 8290). Each of the two has the full queue size.
    FqCodel,
    /// Routing and ARP packets first; all others in order of arrival under a rule of another crate. Each of the two has
    /// the full queue size.
    #[serde(untagged)]
    #[schemars(skip)]
    Outside(Outside),
}

/// The queue of one node.
#[derive(Debug)]
pub struct InterfaceQueue(Kind);

#[derive(Debug)]
enum Kind {
    Classes(ClassQueue),
    Managed(Box<ManagedQueue>),
}

impl InterfaceQueue {
    /// An empty queue of this size \[packets\]; a rule of another crate draws from `rng`.
    pub fn new(
        discipline: QueueDiscipline,
        size: usize,
        codel: &CodelConfig,
        rng: Rng,
    ) -> InterfaceQueue {
        let managed = |is_fair| Kind::Managed(Box::new(ManagedQueue::new(size, is_fair, codel)));
        InterfaceQueue(match discipline {
            QueueDiscipline::Codel => managed(false),
            QueueDiscipline::FqCodel => managed(true),
            QueueDiscipline::Outside(outside) => {
                Kind::Managed(Box::new(ManagedQueue::ruled(size, (outside.maker())(rng))))
            }
            QueueDiscipline::RoutingFirst
            | QueueDiscipline::DropTail
            | QueueDiscipline::PriorityClasses => Kind::Classes(ClassQueue::new(discipline, size)),
        })
    }

    /// Adds `packet` for `next_hop`. Returns the packet dropped because the queue is full, if any.
    pub fn push(&mut self, now: Instant, next_hop: NodeId, packet: Packet) -> Option<Packet> {
        match &mut self.0 {
            Kind::Classes(queue) => queue.push(next_hop, packet),
            Kind::Managed(queue) => queue.push(now, next_hop, packet),
        }
    }

    /// Puts a packet that was taken back before all others of its class or flow. It has its place even in a
    /// queue that is full by now.
    pub fn put_back(&mut self, now: Instant, next_hop: NodeId, packet: Packet) {
        match &mut self.0 {
            Kind::Classes(queue) => queue.put_back(next_hop, packet),
            Kind::Managed(queue) => queue.put_back(now, next_hop, packet),
        }
    }

    /// Takes the packet to send next. Others may be dropped ([`InterfaceQueue::take_dropped`]).
    pub fn pop(&mut self, now: Instant) -> Option<(NodeId, Packet)> {
        match &mut self.0 {
            Kind::Classes(queue) => queue.pop(),
            Kind::Managed(queue) => queue.pop(now),
        }
    }

    /// Takes the packet with the lowest rank of the most urgent class that has one; of equal ranks, the first
    /// in the queue. Packets without a rank stay. Others may be dropped ([`InterfaceQueue::take_dropped`]).
    pub fn pop_least(
        &mut self,
        now: Instant,
        rank: impl Fn(NodeId, &Packet) -> Option<u64>,
    ) -> Option<(NodeId, Packet)> {
        match &mut self.0 {
            Kind::Classes(queue) => queue.pop_least(rank),
            Kind::Managed(queue) => queue.pop_least(now, rank),
        }
    }

    /// Whether there is something for [`InterfaceQueue::take_dropped`].
    #[inline]
    pub fn has_dropped(&self) -> bool {
        match &self.0 {
            Kind::Classes(_) => false,
            Kind::Managed(queue) => queue.has_dropped(),
        }
    }

    /// Whether a rule of another crate drops, and marks.
    pub fn has_rule(&self) -> bool {
        matches!(&self.0, Kind::Managed(queue) if queue.has_rule())
    }

    /// What has been dropped since the last call to make packets wait less.
    pub fn take_dropped(&mut self) -> Vec<Packet> {
        match &mut self.0 {
            Kind::Classes(_) => Vec::new(),
            Kind::Managed(queue) => queue.take_dropped(),
        }
    }

    /// Packets that have been dropped, and marked, to make packets wait less.
    pub fn drops_and_marks(&self) -> (u64, u64) {
        match &self.0 {
            Kind::Classes(_) => (0, 0),
            Kind::Managed(queue) => (queue.outcome().drops, queue.outcome().marks),
        }
    }

    /// Every waiting packet, with its next hop.
    pub fn packets(&self) -> impl Iterator<Item = (NodeId, &Packet)> {
        let (classes, managed) = match &self.0 {
            Kind::Classes(queue) => (Some(queue), None),
            Kind::Managed(queue) => (None, Some(queue)),
        };
        let classes = classes.into_iter().flat_map(|queue| queue.packets());
        classes.chain(managed.into_iter().flat_map(|queue| queue.packets()))
    }

    /// Takes the routing or ARP packet to send next, ahead of any data.
    pub fn pop_control(&mut self) -> Option<(NodeId, Packet)> {
        match &mut self.0 {
            Kind::Classes(queue) => queue.pop_control(),
            Kind::Managed(queue) => queue.pop_control(),
        }
    }

    /// How many data packets wait.
    pub fn data_packets(&self) -> usize {
        match &self.0 {
            Kind::Classes(queue) => queue.data_packets(),
            Kind::Managed(queue) => queue.data_packets(),
        }
    }

    /// How many data packets wait for `next_hop`, not counting acknowledgments.
    pub fn data_packets_for(&self, next_hop: NodeId) -> usize {
        let is_meant = |(hop, packet): &(NodeId, &Packet)| {
            *hop == next_hop && packet.payload_bytes().is_some()
        };
        self.packets().filter(is_meant).count()
    }

    /// Takes out every packet waiting for `next_hop`, those of a flow in the order they would be sent.
    pub fn take(&mut self, next_hop: NodeId) -> Vec<Packet> {
        match &mut self.0 {
            Kind::Classes(queue) => queue.take(next_hop, |_| true),
            Kind::Managed(queue) => queue.take(next_hop, |_| true),
        }
    }

    /// Takes out every packet for `destination` that waits for `next_hop`. All others keep their
    /// places.
    pub fn take_for(&mut self, next_hop: NodeId, destination: NodeId) -> Vec<Packet> {
        let is_wanted = |packet: &Packet| packet.destination == destination;
        match &mut self.0 {
            Kind::Classes(queue) => queue.take(next_hop, is_wanted),
            Kind::Managed(queue) => queue.take(next_hop, is_wanted),
        }
    }

    /// Whether the queue would accept a packet other than a routing packet.
    pub fn has_place(&self) -> bool {
        match &self.0 {
            Kind::Classes(queue) => queue.has_place(),
            Kind::Managed(queue) => queue.has_place(),
        }
    }

    /// How many packets wait.
    pub fn len(&self) -> usize {
        match &self.0 {
            Kind::Classes(queue) => queue.len(),
            Kind::Managed(queue) => queue.len(),
        }
    }

    /// How many routing packets, TCP acknowledgments and others wait, whatever the discipline.
    pub fn len_by_class(&self) -> [u32; CLASSES] {
        let mut waiting = [0; CLASSES];
        for (_, packet) in self.packets() {
            waiting[class_of(packet.kind())] += 1;
        }
        waiting
    }

    /// Whether no packet waits.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}
