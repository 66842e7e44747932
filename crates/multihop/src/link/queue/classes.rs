//! ns-2's queues: what arrives at a full one is dropped, and the order is by kind of packet and
//! arrival.

use super::lines::Lines;
use super::rule::{Overflow, Place, QueueRule};
use crate::wire::{Packet, PacketKind};

/// Classes of [`PriorityClasses`].
pub(super) const CLASSES: usize = 3;

/// The class of a packet of this kind, the most urgent being 0.
pub(super) fn class_of(kind: PacketKind) -> usize {
    match kind {
        PacketKind::Routing => 0,
        PacketKind::TcpAck => 1,
        PacketKind::TcpData | PacketKind::Udp | PacketKind::Arp => 2,
    }
}

/// Whether a packet fits into the one line. One packet less than the size of the queue can wait
/// there.
fn has_room_in_one_line(lines: &Lines) -> bool {
    lines.packets_in(0) + 1 < lines.most_packets()
}

/// `drop-tail`: all packets in one line.
#[derive(Clone, Copy, Debug)]
pub struct DropTail;

impl QueueRule for DropTail {
    fn place(&self, _: &Packet) -> Place {
        Place::at_end_of(0)
    }

    fn has_room(&self, _: usize, lines: &Lines) -> bool {
        has_room_in_one_line(lines)
    }

    fn has_place(&self, lines: &Lines) -> bool {
        has_room_in_one_line(lines)
    }
}

/// `routing-first`: all packets in one line, which routing packets join at its head and push the
/// last packet out of.
#[derive(Clone, Copy, Debug)]
pub struct RoutingFirst;

impl QueueRule for RoutingFirst {
    fn place(&self, packet: &Packet) -> Place {
        Place { line: 0, is_first: packet.kind() == PacketKind::Routing }
    }

    fn has_room(&self, _: usize, lines: &Lines) -> bool {
        has_room_in_one_line(lines)
    }

    fn has_place(&self, lines: &Lines) -> bool {
        has_room_in_one_line(lines)
    }

    fn on_full(&mut self, packet: &Packet, line: usize, _: &Lines) -> Overflow {
        match packet.kind() {
            PacketKind::Routing => Overflow::Last(line),
            _ => Overflow::Arriving,
        }
    }
}

/// `priority-classes`: three lines, each of the full size, served when those before it are empty.
#[derive(Clone, Copy, Debug)]
pub struct PriorityClasses;

impl QueueRule for PriorityClasses {
    fn place(&self, packet: &Packet) -> Place {
        Place::at_end_of(class_of(packet.kind()))
    }

    fn has_room(&self, line: usize, lines: &Lines) -> bool {
        lines.packets_in(line) < lines.most_packets()
    }

    fn has_place(&self, lines: &Lines) -> bool {
        (1..CLASSES).all(|line| self.has_room(line, lines))
    }
}

#[cfg(test)]
mod tests {
    use super::super::{CodelConfig, InterfaceQueue, QueueDiscipline};
    use super::*;
    use crate::kernel::{Duration, Instant, Purpose, Rng};
    use crate::wire::aodv::{Message, SequenceNumber};
    use crate::wire::{Body, FlowId, NodeId, arp, tcp, udp};

    const B: NodeId = NodeId(1);
    const C: NodeId = NodeId(2);
    const NOW: Instant = Instant::ZERO;

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

    fn empty(discipline: QueueDiscipline, size: usize) -> InterfaceQueue {
        let rng = Rng::stream(1, Purpose::QueueManagement, 0);
        InterfaceQueue::new(discipline, size, &CodelConfig::default(), rng)
    }

    fn numbers(mut queue: InterfaceQueue) -> Vec<u32> {
        std::iter::from_fn(|| queue.pop(NOW).map(|(_, packet)| packet.size_bytes)).collect()
    }

    #[test]
    fn one_packet_less_than_the_size_can_wait() {
        for discipline in [QueueDiscipline::RoutingFirst, QueueDiscipline::DropTail] {
            let mut queue = empty(discipline, 50);
            let dropped: Vec<u32> = (0..60)
                .filter_map(|i| queue.push(NOW, B, data(i)).map(|packet| packet.size_bytes))
                .collect();
            assert_eq!(dropped, (49..60).collect::<Vec<_>>());
            assert_eq!(queue.len(), 49);
        }
    }

    #[test]
    fn routing_packets_leave_first_and_last_in_first_out() {
        let mut queue = empty(QueueDiscipline::RoutingFirst, 50);
        for packet in [data(1), routing(2), data(3), routing(4)] {
            assert_eq!(queue.push(NOW, B, packet), None);
        }
        assert_eq!(numbers(queue), [4, 2, 1, 3]);
        let mut queue = empty(QueueDiscipline::DropTail, 50);
        for packet in [data(1), routing(2), data(3), routing(4)] {
            assert_eq!(queue.push(NOW, B, packet), None);
        }
        assert_eq!(numbers(queue), [1, 2, 3, 4]);
    }

    #[test]
    fn a_routing_packet_pushes_the_last_one_out_of_a_full_queue() {
        let mut queue = empty(QueueDiscipline::RoutingFirst, 4);
        (1..=3).for_each(|i| assert_eq!(queue.push(NOW, B, data(i)), None));
        assert_eq!(queue.push(NOW, B, routing(9)), Some(data(3)));
        assert_eq!(numbers(queue), [9, 1, 2]);
    }

    #[test]
    fn a_class_is_served_only_when_all_above_it_are_empty() {
        let mut queue = empty(QueueDiscipline::PriorityClasses, 50);
        let address = packet(6, Body::Arp(arp::Message::Reply));
        for packet in [tcp(1, false), tcp(2, true), data(3), routing(4), tcp(5, true), address] {
            assert_eq!(queue.push(NOW, B, packet), None);
        }
        assert_eq!(queue.len_by_class(), [1, 2, 3]);
        queue.push(NOW, C, routing(7));
        assert_eq!(numbers(queue), [4, 7, 2, 5, 1, 3, 6]);
    }

    #[test]
    fn a_packet_put_back_is_the_next_of_its_class_even_if_the_queue_has_filled() {
        for discipline in [QueueDiscipline::RoutingFirst, QueueDiscipline::DropTail] {
            let mut queue = empty(discipline, 3);
            (1..=2).for_each(|i| assert_eq!(queue.push(NOW, B, data(i)), None));
            let (next_hop, first) = queue.pop(NOW).unwrap();
            assert_eq!(queue.push(NOW, B, data(3)), None);
            queue.put_back(NOW, next_hop, first);
            assert_eq!(queue.push(NOW, B, data(4)), Some(data(4)));
            assert_eq!(numbers(queue), [1, 2, 3]);
        }
        let mut queue = empty(QueueDiscipline::PriorityClasses, 50);
        for packet in [routing(1), tcp(2, true), tcp(3, false)] {
            assert_eq!(queue.push(NOW, B, packet), None);
        }
        queue.put_back(NOW, B, tcp(4, true));
        queue.put_back(NOW, B, tcp(5, false));
        assert_eq!(numbers(queue), [1, 4, 2, 5, 3]);
    }

    #[test]
    fn each_class_has_the_full_queue_size() {
        let mut queue = empty(QueueDiscipline::PriorityClasses, 3);
        for number in 0..3 {
            for packet in [routing(number), tcp(number, true), tcp(number, false)] {
                assert_eq!(queue.push(NOW, B, packet), None);
            }
        }
        assert_eq!(queue.len_by_class(), [3, 3, 3]);
        for packet in [routing(9), tcp(9, true), data(9)] {
            assert_eq!(queue.push(NOW, B, packet.clone()), Some(packet));
        }
    }

    #[test]
    fn packets_for_a_broken_next_hop_are_returned_in_order() {
        let mut queue = empty(QueueDiscipline::RoutingFirst, 50);
        for (hop, number) in [(B, 1), (C, 2), (B, 3), (C, 4), (B, 5)] {
            queue.push(NOW, hop, data(number));
        }
        assert_eq!(queue.take(B), [data(1), data(3), data(5)]);
        assert_eq!(queue.take(B), []);
        assert_eq!(numbers(queue), [2, 4]);
    }
}
