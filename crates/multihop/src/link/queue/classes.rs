//! ns-2's queues: what arrives at a full one is dropped, and the order is by kind of packet and arrival.

use std::collections::VecDeque;

use super::QueueDiscipline;
use crate::wire::{NodeId, Packet, PacketKind};

/// Classes of [`QueueDiscipline::PriorityClasses`]; the other disciplines use only the last one.
pub(super) const CLASSES: usize = 3;

/// The class of a packet of this kind, the most urgent being 0.
pub(super) fn class_of(kind: PacketKind) -> usize {
    match kind {
        PacketKind::Routing => 0,
        PacketKind::TcpAck => 1,
        PacketKind::TcpData | PacketKind::Udp | PacketKind::Arp => 2,
    }
}

/// The least of these ranks and its place, the first of equal ones.
pub(super) fn least(ranks: impl Iterator<Item = Option<u64>>) -> Option<(u64, usize)> {
    ranks.enumerate().filter_map(|(place, rank)| Some((rank?, place))).min()
}

/// Packets in up to three classes.
#[derive(Debug)]
pub struct ClassQueue {
    discipline: QueueDiscipline,
    /// The size \[packets\].
    size: usize,
    /// Packets by class, the most urgent first.
    classes: [VecDeque<(NodeId, Packet)>; CLASSES],
}

impl ClassQueue {
    /// An empty queue of this size \[packets\].
    pub fn new(discipline: QueueDiscipline, size: usize) -> ClassQueue {
        ClassQueue { discipline, size, classes: Default::default() }
    }

    /// Adds `packet` for `next_hop`. Returns the packet dropped because the queue is full, if any.
    pub fn push(&mut self, next_hop: NodeId, packet: Packet) -> Option<Packet> {
        let kind = packet.kind();
        let [.., last] = &mut self.classes;
        match (self.discipline, kind) {
            (QueueDiscipline::PriorityClasses, _) => {
                let class = class_of(kind);
                if self.classes[class].len() >= self.size {
                    return Some(packet);
                }
                self.classes[class].push_back((next_hop, packet));
                None
            }
            (QueueDiscipline::RoutingFirst, PacketKind::Routing) => {
                last.push_front((next_hop, packet));
                let is_full = last.len() >= self.size;
                if is_full { last.pop_back().map(|(_, packet)| packet) } else { None }
            }
            _ if last.len() + 1 >= self.size => Some(packet),
            _ => {
                last.push_back((next_hop, packet));
                None
            }
        }
    }

    /// Puts a packet that was taken back before all others of its class. It has its place even in a queue
    /// that is full by now.
    pub fn put_back(&mut self, next_hop: NodeId, packet: Packet) {
        let class = match self.discipline {
            QueueDiscipline::PriorityClasses => class_of(packet.kind()),
            _ => CLASSES - 1,
        };
        self.classes[class].push_front((next_hop, packet));
    }

    /// Takes the packet to send next.
    pub fn pop(&mut self) -> Option<(NodeId, Packet)> {
        self.classes.iter_mut().find_map(VecDeque::pop_front)
    }

    /// Takes the packet with the lowest rank of the most urgent class that has one; of equal ranks, the first
    /// in the queue. Packets without a rank stay.
    pub fn pop_least(
        &mut self,
        rank: impl Fn(NodeId, &Packet) -> Option<u64>,
    ) -> Option<(NodeId, Packet)> {
        self.classes.iter_mut().find_map(|class| {
            let ranks = class.iter().map(|(next_hop, packet)| rank(*next_hop, packet));
            class.remove(least(ranks)?.1)
        })
    }

    /// Every waiting packet, with its next hop.
    pub fn packets(&self) -> impl Iterator<Item = (NodeId, &Packet)> {
        self.classes.iter().flatten().map(|(next_hop, packet)| (*next_hop, packet))
    }

    /// Takes the routing or ARP packet to send next, ahead of any data.
    pub fn pop_control(&mut self) -> Option<(NodeId, Packet)> {
        self.classes.iter_mut().find_map(|class| {
            let place = class.iter().position(|(_, packet)| !packet.is_transport())?;
            class.remove(place)
        })
    }

    /// How many data packets wait.
    pub fn data_packets(&self) -> usize {
        self.classes.iter().flatten().filter(|(_, packet)| packet.is_transport()).count()
    }

    /// Takes out every packet waiting for `next_hop`, in the order they would be sent.
    pub fn take(&mut self, next_hop: NodeId, is_wanted: impl Fn(&Packet) -> bool) -> Vec<Packet> {
        let mut taken = Vec::new();
        for class in &mut self.classes {
            for _ in 0..class.len() {
                let Some((hop, packet)) = class.pop_front() else { break };
                if hop == next_hop && is_wanted(&packet) {
                    taken.push(packet);
                } else {
                    class.push_back((hop, packet));
                }
            }
        }
        taken
    }

    /// Whether the queue would accept a packet other than a routing packet.
    pub fn has_place(&self) -> bool {
        let [_, acknowledgments, last] = &self.classes;
        match self.discipline {
            QueueDiscipline::PriorityClasses => {
                acknowledgments.len() < self.size && last.len() < self.size
            }
            _ => last.len() + 1 < self.size,
        }
    }

    /// How many packets wait.
    pub fn len(&self) -> usize {
        self.classes.iter().map(VecDeque::len).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::{Duration, Instant};
    use crate::wire::aodv::{Message, SequenceNumber};
    use crate::wire::{Body, FlowId, arp, tcp, udp};

    const B: NodeId = NodeId(1);
    const C: NodeId = NodeId(2);

    fn packet(number: u32, body: Body) -> Packet {
        Packet { size_bytes: number, ttl: 30, ..Packet::new(NodeId(0), C, Instant::ZERO, body) }
    }

    fn data(number: u32) -> Packet {
        let datagram = udp::Datagram::zeros(FlowId(0), number, 100);
        packet(number, Body::Udp(datagram))
    }

    fn routing(number: u32) -> Packet {
        let sequence = SequenceNumber(number);
        packet(
            number,
            Body::Aodv(Message::Hello { sequence, lifetime: Duration::ZERO, extension: None }),
        )
    }

    fn tcp(number: u32, is_ack: bool) -> Packet {
        let kind = match is_ack {
            true => tcp::SegmentKind::Ack { number, probe: false, sent: Instant::ZERO, window: 0 },
            false => tcp::SegmentKind::data(number, 1460, false, false),
        };
        packet(number, Body::Tcp(tcp::Segment::new(FlowId(0), kind)))
    }

    fn numbers(mut queue: ClassQueue) -> Vec<u32> {
        std::iter::from_fn(|| queue.pop().map(|(_, packet)| packet.size_bytes)).collect()
    }

    #[test]
    fn one_packet_less_than_the_size_can_wait() {
        for discipline in [QueueDiscipline::RoutingFirst, QueueDiscipline::DropTail] {
            let mut queue = ClassQueue::new(discipline, 50);
            let dropped: Vec<u32> = (0..60)
                .filter_map(|i| queue.push(B, data(i)).map(|packet| packet.size_bytes))
                .collect();
            assert_eq!(dropped, (49..60).collect::<Vec<_>>());
            assert_eq!(queue.len(), 49);
        }
    }

    #[test]
    fn routing_packets_leave_first_and_last_in_first_out() {
        let mut queue = ClassQueue::new(QueueDiscipline::RoutingFirst, 50);
        for packet in [data(1), routing(2), data(3), routing(4)] {
            assert_eq!(queue.push(B, packet), None);
        }
        assert_eq!(numbers(queue), [4, 2, 1, 3]);
        let mut queue = ClassQueue::new(QueueDiscipline::DropTail, 50);
        for packet in [data(1), routing(2), data(3), routing(4)] {
            assert_eq!(queue.push(B, packet), None);
        }
        assert_eq!(numbers(queue), [1, 2, 3, 4]);
    }

    #[test]
    fn a_routing_packet_pushes_the_last_one_out_of_a_full_queue() {
        let mut queue = ClassQueue::new(QueueDiscipline::RoutingFirst, 4);
        (1..=3).for_each(|i| assert_eq!(queue.push(B, data(i)), None));
        assert_eq!(queue.push(B, routing(9)), Some(data(3)));
        assert_eq!(numbers(queue), [9, 1, 2]);
    }

    #[test]
    fn a_class_is_served_only_when_all_above_it_are_empty() {
        let mut queue = ClassQueue::new(QueueDiscipline::PriorityClasses, 50);
        let address = packet(6, Body::Arp(arp::Message::Reply));
        for packet in [tcp(1, false), tcp(2, true), data(3), routing(4), tcp(5, true), address] {
            assert_eq!(queue.push(B, packet), None);
        }
        assert_eq!(queue.classes.each_ref().map(VecDeque::len), [1, 2, 3]);
        queue.push(C, routing(7));
        assert_eq!(numbers(queue), [4, 7, 2, 5, 1, 3, 6]);
    }

    #[test]
    fn a_packet_put_back_is_the_next_of_its_class_even_if_the_queue_has_filled() {
        for discipline in [QueueDiscipline::RoutingFirst, QueueDiscipline::DropTail] {
            let mut queue = ClassQueue::new(discipline, 3);
            (1..=2).for_each(|i| assert_eq!(queue.push(B, data(i)), None));
            let (next_hop, first) = queue.pop().unwrap();
            assert_eq!(queue.push(B, data(3)), None);
            queue.put_back(next_hop, first);
            assert_eq!(queue.push(B, data(4)), Some(data(4)));
            assert_eq!(numbers(queue), [1, 2, 3]);
        }
        let mut queue = ClassQueue::new(QueueDiscipline::PriorityClasses, 50);
        for packet in [routing(1), tcp(2, true), tcp(3, false)] {
            assert_eq!(queue.push(B, packet), None);
        }
        queue.put_back(B, tcp(4, true));
        queue.put_back(B, tcp(5, false));
        assert_eq!(numbers(queue), [1, 4, 2, 5, 3]);
    }

    #[test]
    fn each_class_has_the_full_queue_size() {
        let mut queue = ClassQueue::new(QueueDiscipline::PriorityClasses, 3);
        for number in 0..3 {
            for packet in [routing(number), tcp(number, true), tcp(number, false)] {
                assert_eq!(queue.push(B, packet), None);
            }
        }
        assert_eq!(queue.classes.each_ref().map(VecDeque::len), [3, 3, 3]);
        for packet in [routing(9), tcp(9, true), data(9)] {
            assert_eq!(queue.push(B, packet.clone()), Some(packet));
        }
    }

    #[test]
    fn packets_for_a_broken_next_hop_are_returned_in_order() {
        let mut queue = ClassQueue::new(QueueDiscipline::RoutingFirst, 50);
        for (hop, number) in [(B, 1), (C, 2), (B, 3), (C, 4), (B, 5)] {
            queue.push(hop, data(number));
        }
        assert_eq!(queue.take(B, |_| true), [data(1), data(3), data(5)]);
        assert_eq!(queue.take(B, |_| true), []);
        assert_eq!(numbers(queue), [2, 4]);
    }
}
