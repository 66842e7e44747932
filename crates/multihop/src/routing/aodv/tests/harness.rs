//! A network without MAC or radio: every link takes a millisecond and loses nothing it isn't told to.

use std::collections::{BTreeMap, BTreeSet};

use crate::kernel::{Duration, Instant, Purpose, Rng};
use crate::link::{InterfaceQueue, QueueDiscipline};
use crate::profile::Profile;
use crate::routing::aodv::{Aodv, AodvConfig, HopCount, Policy};
use crate::routing::{Action, Context, DropReason, Timer};
use crate::wire::aodv::{Error, Message, Reply, Request};
use crate::wire::{Body, FlowId, NodeId, Packet, tcp, udp};

/// What every link takes.
pub const LATENCY: Duration = Duration::from_millis(1);
/// How long the MAC tries before it reports a broken link.
pub const RETRYING: Duration = Duration::from_millis(40);

enum Event {
    Arrive { to: u32, from: u32, packet: Packet },
    Fail { at: u32, packet: Packet, next_hop: NodeId },
    Timer { at: u32, timer: Timer },
}

pub struct Network<P: Policy> {
    pub now: Instant,
    pub nodes: Vec<Aodv<P>>,
    pub queues: Vec<InterfaceQueue>,
    /// Everything the nodes asked for: when, which node, what.
    pub log: Vec<(Instant, u32, Action)>,
    /// Data that reached its destination.
    pub delivered: Vec<(Instant, Packet)>,
    /// Links, both ways.
    links: BTreeSet<(u32, u32)>,
    /// Links that fail for the next data packet.
    pub fail_next: Vec<(u32, u32)>,
    rngs: Vec<Rng>,
    events: BTreeMap<(Instant, u64), Event>,
    scheduled: u64,
}

impl Network<HopCount> {
    pub fn plain(n: u32, links: &[(u32, u32)], config: &AodvConfig, profile: Profile) -> Self {
        let nodes = (0..n).map(|i| Aodv::new(NodeId(i), config, profile)).collect();
        Network::of(nodes, links)
    }

    pub fn chain(hops: u32) -> Self {
        Network::chain_with(hops, &AodvConfig::default(), Profile::Ns2)
    }

    pub fn chain_with(hops: u32, config: &AodvConfig, profile: Profile) -> Self {
        let links: Vec<_> = (0..hops).map(|i| (i, i + 1)).collect();
        Network::plain(hops + 1, &links, config, profile)
    }
}

impl<P: Policy> Network<P> {
    pub fn of(nodes: Vec<Aodv<P>>, links: &[(u32, u32)]) -> Self {
        let n = nodes.len();
        let queue = || InterfaceQueue::new(QueueDiscipline::RoutingFirst, 50);
        let mut network = Network {
            now: Instant::ZERO,
            nodes,
            queues: (0..n).map(|_| queue()).collect(),
            log: Vec::new(),
            delivered: Vec::new(),
            links: links.iter().flat_map(|&(a, b)| [(a, b), (b, a)]).collect(),
            fail_next: Vec::new(),
            rngs: (0..n).map(|i| Rng::stream(1, Purpose::Routing, i as u64)).collect(),
            events: BTreeMap::new(),
            scheduled: 0,
        };
        for node in 0..n as u32 {
            network.call(node, |aodv, cx| aodv.on_start(cx));
        }
        network
    }

    /// Calls a node's AODV and carries out what it wants.
    pub fn call(&mut self, node: u32, f: impl FnOnce(&mut Aodv<P>, &mut Context<'_>)) {
        let mut actions = Vec::new();
        let i = node as usize;
        let mut cx = Context {
            now: self.now,
            node: NodeId(node),
            rng: &mut self.rngs[i],
            queue: &mut self.queues[i],
            actions: &mut actions,
        };
        f(&mut self.nodes[i], &mut cx);
        for action in actions {
            self.log.push((self.now, node, action.clone()));
            self.carry_out(node, action);
        }
    }

    fn carry_out(&mut self, node: u32, action: Action) {
        match action {
            Action::SetTimer { timer, at } => self.schedule(at, Event::Timer { at: node, timer }),
            Action::Send { packet, next_hop, delay } => {
                self.transmit(node, packet, next_hop, self.now + delay);
            }
            Action::Drop { .. } | Action::RouteError { .. } | Action::Discovery => {}
        }
    }

    fn transmit(&mut self, from: u32, packet: Packet, next_hop: NodeId, at: Instant) {
        let neighbours: Vec<u32> =
            self.links.iter().filter(|link| link.0 == from).map(|link| link.1).collect();
        let failing = self.fail_next.iter().position(|&link| link == (from, next_hop.0));
        let failing = failing.filter(|_| packet.is_transport());
        if let Some(place) = failing {
            self.fail_next.remove(place);
        }
        if next_hop.is_broadcast() || (neighbours.contains(&next_hop.0) && failing.is_none()) {
            for to in
                neighbours.into_iter().filter(|&to| next_hop.is_broadcast() || next_hop.0 == to)
            {
                let mut packet = packet.clone();
                packet.hops += 1;
                self.schedule(at + LATENCY, Event::Arrive { to, from, packet });
            }
        } else if packet.is_transport() {
            self.schedule(at + RETRYING, Event::Fail { at: from, packet, next_hop });
        }
    }

    fn schedule(&mut self, at: Instant, event: Event) {
        self.scheduled += 1;
        self.events.insert((at, self.scheduled), event);
    }

    /// Lets time pass up to `seconds`, that instant included.
    pub fn run_to(&mut self, seconds: f64) {
        let end = Instant::from_secs_f64(seconds);
        while let Some(entry) = self.events.first_entry().filter(|entry| entry.key().0 <= end) {
            self.now = entry.key().0;
            match entry.remove() {
                Event::Arrive { to, packet, .. }
                    if packet.is_transport() && packet.destination == NodeId(to) =>
                {
                    self.delivered.push((self.now, packet));
                }
                Event::Arrive { to, from, packet } => {
                    self.call(to, |aodv, cx| aodv.on_receive(cx, packet, NodeId(from)));
                }
                Event::Fail { at, packet, next_hop } => {
                    self.call(at, |aodv, cx| aodv.on_link_failure(cx, packet, next_hop));
                }
                Event::Timer { at, timer } => self.call(at, |aodv, cx| aodv.on_timer(cx, timer)),
            }
        }
        self.now = end;
    }

    /// At `seconds`, `source`'s transport sends segment `number` to `destination`.
    pub fn send(&mut self, seconds: f64, source: u32, destination: u32, number: u32) {
        self.run_to(seconds);
        let packet = data(source, destination, number, self.now);
        self.call(source, |aodv, cx| aodv.on_send(cx, packet));
    }

    pub fn cut(&mut self, a: u32, b: u32) {
        self.links.remove(&(a, b));
        self.links.remove(&(b, a));
    }

    /// Packets sent: when, by whom, to which next hop, after which delay, and the packet.
    pub fn sent(&self) -> impl Iterator<Item = (Instant, u32, NodeId, Duration, &Packet)> {
        self.log.iter().filter_map(|(at, node, action)| match action {
            Action::Send { packet, next_hop, delay } => {
                Some((*at, *node, *next_hop, *delay, packet))
            }
            _ => None,
        })
    }

    /// Requests that `node` sent or passed on: when, time to live, and the request.
    pub fn requests(&self, node: u32) -> Vec<(f64, u8, Request)> {
        let by_node = self.sent().filter(|sent| sent.1 == node);
        by_node
            .filter_map(|(at, _, _, _, packet)| match packet.body {
                Body::Aodv(Message::Request(request)) => {
                    Some((at.as_secs_f64(), packet.ttl, request))
                }
                _ => None,
            })
            .collect()
    }

    /// Replies that `node` sent or passed on: next hop, and the reply.
    pub fn replies(&self, node: u32) -> Vec<(u32, Reply)> {
        let by_node = self.sent().filter(|sent| sent.1 == node);
        by_node
            .filter_map(|(_, _, next_hop, _, packet)| match packet.body {
                Body::Aodv(Message::Reply(reply)) => Some((next_hop.0, reply)),
                _ => None,
            })
            .collect()
    }

    /// Route errors that `node` sent: destinations and sequence numbers.
    pub fn errors(&self, node: u32) -> Vec<Vec<(u32, u32)>> {
        let by_node = self.sent().filter(|sent| sent.1 == node);
        by_node
            .filter_map(|(_, _, _, _, packet)| match &packet.body {
                Body::Aodv(Message::Error(Error { unreachable })) => {
                    Some(unreachable.iter().map(|(node, sequence)| (node.0, sequence.0)).collect())
                }
                _ => None,
            })
            .collect()
    }

    /// Segment numbers that `node` dropped, and why.
    pub fn drops(&self, node: u32) -> Vec<(u32, DropReason)> {
        let by_node = self.log.iter().filter(|entry| entry.1 == node);
        by_node
            .filter_map(|(_, _, action)| match action {
                Action::Drop { packet, reason } => Some((number(packet)?, *reason)),
                _ => None,
            })
            .collect()
    }

    /// How often `node` asked for `action`.
    pub fn count(&self, node: u32, action: &Action) -> usize {
        self.log.iter().filter(|entry| entry.1 == node && entry.2 == *action).count()
    }

    /// Segment numbers delivered, in order.
    pub fn arrived(&self) -> Vec<u32> {
        self.delivered.iter().filter_map(|(_, packet)| number(packet)).collect()
    }
}

/// A TCP segment without payload.
pub fn data(source: u32, destination: u32, number: u32, created: Instant) -> Packet {
    let kind = tcp::SegmentKind::Data { number, payload_bytes: 0, retransmission: false };
    packet(source, destination, created, Body::Tcp(tcp::Segment { flow: FlowId(0), kind }), 40)
}

/// A UDP datagram of 100 bytes.
pub fn datagram(source: u32, destination: u32) -> Packet {
    let datagram = udp::Datagram { flow: FlowId(0), number: 0, payload_bytes: 100 };
    packet(source, destination, Instant::ZERO, Body::Udp(datagram), 100)
}

/// A packet as its source's transport hands it down, or as a neighbour's AODV sends it.
pub fn packet(
    source: u32,
    destination: u32,
    created: Instant,
    body: Body,
    size_bytes: u32,
) -> Packet {
    let (source, destination) = (NodeId(source), NodeId(destination));
    Packet { source, destination, size_bytes, ttl: 30, hops: 0, created, dsr: None, body }
}

fn number(packet: &Packet) -> Option<u32> {
    match packet.body {
        Body::Tcp(tcp::Segment { kind: tcp::SegmentKind::Data { number, .. }, .. }) => Some(number),
        _ => None,
    }
}
