//! The interface queue: packets with a resolved next hop, waiting for the MAC.

use std::collections::VecDeque;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::wire::{NodeId, Packet, PacketKind};

/// How waiting packets are ordered. As in ns-2 a queue of a given size lets one packet less wait.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum QueueDiscipline {
    /// Routing packets go to the head, so that several leave last in, first out, and push out the last
    /// packet of a full queue; all others wait in their order (ns-2's `Queue/DropTail/PriQueue`).
    #[default]
    RoutingFirst,
    /// All packets wait in their order.
    DropTail,
}

/// The queue of one node.
#[derive(Debug)]
pub struct InterfaceQueue {
    discipline: QueueDiscipline,
    /// At this length a packet is too many.
    size: usize,
    waiting: VecDeque<(NodeId, Packet)>,
}

impl InterfaceQueue {
    /// An empty queue of this size \[packets\].
    pub fn new(discipline: QueueDiscipline, size: usize) -> InterfaceQueue {
        InterfaceQueue { discipline, size, waiting: VecDeque::new() }
    }

    /// Adds `packet` for `next_hop`. Returns the packet dropped for lack of room, if any.
    pub fn push(&mut self, next_hop: NodeId, packet: Packet) -> Option<Packet> {
        let goes_first = self.discipline == QueueDiscipline::RoutingFirst
            && packet.kind() == PacketKind::Routing;
        if goes_first {
            self.waiting.push_front((next_hop, packet));
            let is_full = self.waiting.len() >= self.size;
            return if is_full { self.waiting.pop_back().map(|(_, last)| last) } else { None };
        }
        if self.waiting.len() + 1 >= self.size {
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
        let (taken, left) =
            std::mem::take(&mut self.waiting).into_iter().partition(|(hop, _)| *hop == next_hop);
        self.waiting = left;
        let taken: VecDeque<(NodeId, Packet)> = taken;
        taken.into_iter().map(|(_, packet)| packet).collect()
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::{Duration, Instant};
    use crate::wire::aodv::{Message, SequenceNumber};
    use crate::wire::{Body, FlowId, udp};

    const B: NodeId = NodeId(1);
    const C: NodeId = NodeId(2);

    fn packet(number: u32, body: Body) -> Packet {
        Packet {
            source: NodeId(0),
            destination: C,
            size_bytes: number,
            ttl: 30,
            hops: 0,
            created: Instant::ZERO,
            body,
        }
    }

    fn data(number: u32) -> Packet {
        let datagram = udp::Datagram { flow: FlowId(0), number, payload_bytes: 100 };
        packet(number, Body::Udp(datagram))
    }

    fn routing(number: u32) -> Packet {
        let sequence = SequenceNumber(number);
        packet(number, Body::Aodv(Message::Hello { sequence, lifetime: Duration::ZERO }))
    }

    fn numbers(mut queue: InterfaceQueue) -> Vec<u32> {
        std::iter::from_fn(|| queue.pop().map(|(_, packet)| packet.size_bytes)).collect()
    }

    #[test]
    fn one_packet_less_than_the_size_can_wait() {
        for discipline in [QueueDiscipline::RoutingFirst, QueueDiscipline::DropTail] {
            let mut queue = InterfaceQueue::new(discipline, 50);
            let dropped: Vec<u32> = (0..60)
                .filter_map(|i| queue.push(B, data(i)).map(|packet| packet.size_bytes))
                .collect();
            assert_eq!(dropped, (49..60).collect::<Vec<_>>());
            assert_eq!(queue.len(), 49);
        }
    }

    #[test]
    fn routing_packets_leave_first_the_latest_before_the_others() {
        let mut queue = InterfaceQueue::new(QueueDiscipline::RoutingFirst, 50);
        for packet in [data(1), routing(2), data(3), routing(4)] {
            assert_eq!(queue.push(B, packet), None);
        }
        assert_eq!(numbers(queue), [4, 2, 1, 3]);
        let mut queue = InterfaceQueue::new(QueueDiscipline::DropTail, 50);
        for packet in [data(1), routing(2), data(3), routing(4)] {
            assert_eq!(queue.push(B, packet), None);
        }
        assert_eq!(numbers(queue), [1, 2, 3, 4]);
    }

    #[test]
    fn a_routing_packet_pushes_the_last_one_out_of_a_full_queue() {
        let mut queue = InterfaceQueue::new(QueueDiscipline::RoutingFirst, 4);
        (1..=3).for_each(|i| assert_eq!(queue.push(B, data(i)), None));
        assert_eq!(queue.push(B, routing(9)), Some(data(3)));
        assert_eq!(numbers(queue), [9, 1, 2]);
    }

    #[test]
    fn what_waits_for_a_broken_next_hop_is_handed_back_in_order() {
        let mut queue = InterfaceQueue::new(QueueDiscipline::RoutingFirst, 50);
        for (hop, number) in [(B, 1), (C, 2), (B, 3), (C, 4), (B, 5)] {
            queue.push(hop, data(number));
        }
        assert_eq!(queue.take(B), [data(1), data(3), data(5)]);
        assert_eq!(queue.take(B), []);
        assert_eq!(numbers(queue), [2, 4]);
    }
}
