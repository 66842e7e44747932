//! For tests, those of other crates too: a network without MAC or radio, whose links have a delay
//! of one millisecond and fail only on request.

use std::collections::{BTreeMap, BTreeSet};

use crate::kernel::{Duration, Instant, Purpose, Rng};
use crate::link::{CodelConfig, InterfaceQueue, QueueDiscipline};
use crate::mac::RateControl;
use crate::measure::BackoffCounts;
use crate::radio::{Hearers, Neighbours, RadioConfig, Reach, StationLayout};
use crate::routing::actions::{self, Host};
use crate::routing::{Action, Context, DropReason, Oracle, Protocol, Shared, Timer};
use crate::wire::{Body, FlowId, NodeId, Packet, tcp, udp};

/// Delay of every link.
pub const LATENCY: Duration = Duration::from_millis(1);
/// Time that the MAC retries before it reports a broken link.
pub const RETRYING: Duration = Duration::from_millis(40);

enum Event {
    Arrive { to: u32, from: u32, packet: Packet },
    Overhear { at: u32, packet: Packet, receiver: NodeId },
    Fail { at: u32, packet: Packet, next_hop: NodeId },
    Timer { at: u32, timer: Timer },
    Sweep,
}

/// The last `lost` of every `of` broadcasts are lost. Unicast packets are not: the MAC repeats
/// them.
struct Loss {
    lost: u32,
    of: u32,
    sent: u32,
}

/// A network of nodes with routing `N`.
pub struct Network<N> {
    /// The time.
    pub now: Instant,
    /// The nodes' protocols.
    pub nodes: Vec<N>,
    /// The nodes' stations, which links, queues and addresses are of.
    pub stations: StationLayout,
    /// Which of them the present call is about.
    station: NodeId,
    /// Their interface queues, which stay empty: links take packets at once.
    pub queues: Vec<InterfaceQueue>,
    /// How often each station's MAC has backed off.
    pub backoffs: Vec<BackoffCounts>,
    /// What each station's MAC knows of its links, if it chooses rates.
    pub rates: Vec<Option<RateControl>>,
    /// Every action of the nodes: when, which node, which action.
    pub log: Vec<(Instant, u32, Action)>,
    /// Data that reached its destination.
    pub delivered: Vec<(Instant, Packet)>,
    /// Links, both ways.
    links: BTreeSet<(u32, u32)>,
    /// The same links as the oracle's view.
    hearers: Hearers,
    /// The state that the nodes share.
    pub shared: Shared,
    /// Links that fail for the next data packet.
    pub fail_next: Vec<(u32, u32)>,
    /// They fail for routing packets, too.
    pub fails_control: bool,
    /// Links, one way, that lose broadcasts.
    lossy: BTreeMap<(u32, u32), Loss>,
    rngs: Vec<Rng>,
    spare: Vec<Action>,
    events: BTreeMap<(Instant, u64), Event>,
    scheduled: u64,
}

impl<N: Protocol> Network<N> {
    /// The network of these nodes with these links, both ways.
    pub fn of(nodes: Vec<N>, links: &[(u32, u32)]) -> Self {
        Network::of_seed(nodes, links, 1)
    }

    /// The same with a seed of its own for the nodes' random streams.
    pub fn of_seed(nodes: Vec<N>, links: &[(u32, u32)], seed: u64) -> Self {
        let stations = StationLayout::alike(nodes.len());
        Network::of_stations(nodes, stations, links, seed)
    }

    /// The same with these stations, between which the links are.
    pub fn of_stations(
        nodes: Vec<N>,
        stations: StationLayout,
        links: &[(u32, u32)],
        seed: u64,
    ) -> Self {
        let n = stations.count();
        let queue = || {
            InterfaceQueue::new(
                QueueDiscipline::RoutingFirst,
                50,
                &CodelConfig::default(),
                Rng::stream(1, Purpose::QueueManagement, 0),
            )
        };
        let mut network = Network {
            now: Instant::ZERO,
            nodes,
            stations,
            station: NodeId(0),
            queues: (0..n).map(|_| queue()).collect(),
            backoffs: vec![BackoffCounts::default(); n],
            rates: (0..n).map(|_| None).collect(),
            log: Vec::new(),
            delivered: Vec::new(),
            links: links.iter().flat_map(|&(a, b)| [(a, b), (b, a)]).collect(),
            hearers: self::links(n, links, &[]),
            shared: Shared::default(),
            fail_next: Vec::new(),
            fails_control: false,
            lossy: BTreeMap::new(),
            rngs: (0..n).map(|i| Rng::stream(seed, Purpose::Routing, i as u64)).collect(),
            spare: Vec::new(),
            events: BTreeMap::new(),
            scheduled: 0,
        };
        for node in 0..network.nodes.len() as u32 {
            network.call(node, |node, cx| node.on_start(cx));
        }
        network.schedule(Instant::ZERO, Event::Sweep);
        network
    }

    /// Calls a node's protocol and carries out its actions. The call is about the station `node`,
    /// which may be one that follows after those with the nodes' numbers.
    pub fn call(&mut self, node: u32, call: impl FnOnce(&mut N, &mut Context)) {
        self.station = NodeId(node);
        let node = self.stations.node(self.station);
        actions::drive(self, node, call);
    }

    fn transmit(&mut self, from: u32, packet: Packet, next_hop: NodeId, at: Instant) {
        let neighbours: Vec<u32> =
            self.links.iter().filter(|link| link.0 == from).map(|link| link.1).collect();
        let can_fail = self.fails_control || packet.is_transport();
        let failing = self.fail_next.iter().position(|&link| link == (from, next_hop.0));
        let failing = failing.filter(|_| can_fail);
        if let Some(place) = failing {
            self.fail_next.remove(place);
        }
        if next_hop.is_broadcast() || (neighbours.contains(&next_hop.0) && failing.is_none()) {
            for to in neighbours {
                if next_hop.is_broadcast() && self.loses_broadcast(from, to) {
                    continue;
                }
                let mut packet = packet.clone();
                if next_hop.is_broadcast() || next_hop.0 == to {
                    packet.hops += 1;
                    self.schedule(at + LATENCY, Event::Arrive { to, from, packet });
                } else {
                    let overhear = Event::Overhear { at: to, packet, receiver: next_hop };
                    self.schedule(at + LATENCY, overhear);
                }
            }
        } else {
            self.schedule(at + RETRYING, Event::Fail { at: from, packet, next_hop });
        }
    }

    /// Whether the next broadcast from `from` does not reach `to`.
    fn loses_broadcast(&mut self, from: u32, to: u32) -> bool {
        let Some(loss) = self.lossy.get_mut(&(from, to)) else { return false };
        loss.sent += 1;
        (loss.sent - 1) % loss.of >= loss.of - loss.lost
    }

    fn schedule(&mut self, at: Instant, event: Event) {
        self.scheduled += 1;
        self.events.insert((at, self.scheduled), event);
    }

    /// Advances the time to `seconds`, events at that instant included.
    pub fn run_to(&mut self, seconds: f64) {
        let end = Instant::from_secs_f64(seconds);
        while let Some(entry) = self.events.first_entry().filter(|entry| entry.key().0 <= end) {
            self.now = entry.key().0;
            match entry.remove() {
                Event::Arrive { to, packet, .. }
                    if packet.is_transport()
                        && packet.destination == self.stations.node(NodeId(to)) =>
                {
                    self.call(to, |node, cx| node.on_delivered(cx, &packet));
                    self.delivered.push((self.now, packet));
                }
                Event::Arrive { to, from, packet } => {
                    self.call(to, |node, cx| node.on_receive(cx, packet, NodeId(from)));
                }
                Event::Overhear { at, packet, receiver } => {
                    if self.nodes[self.stations.node(NodeId(at)).index()].overhears(&packet) {
                        self.call(at, |node, cx| node.on_overheard(cx, &packet, receiver));
                    }
                }
                Event::Fail { at, packet, next_hop } => {
                    self.call(at, |node, cx| node.on_link_failure(cx, packet, next_hop));
                }
                Event::Timer { at, timer } => self.call(at, |node, cx| node.on_timer(cx, timer)),
                Event::Sweep => self.sweep(),
            }
        }
        self.now = end;
    }

    fn sweep(&mut self) {
        for node in 0..self.nodes.len() as u32 {
            if self.nodes[node as usize].needs_sweep() {
                self.call(node, |node, cx| node.on_sweep(cx));
            }
        }
        if let Some(interval) = self.nodes.first().and_then(Protocol::sweep_interval) {
            self.schedule(self.now + interval, Event::Sweep);
        }
    }

    /// At `seconds`, `source`'s transport sends segment `number` to `destination`.
    pub fn send(&mut self, seconds: f64, source: u32, destination: u32, number: u32) {
        self.run_to(seconds);
        let packet = data(source, destination, number, self.now);
        self.call(source, |node, cx| node.on_send(cx, packet));
    }

    /// Adds a link, both ways.
    pub fn join(&mut self, a: u32, b: u32) {
        self.links.extend([(a, b), (b, a)]);
        self.sense(&[]);
    }

    /// Takes a link away, both ways.
    pub fn cut(&mut self, a: u32, b: u32) {
        self.links.remove(&(a, b));
        self.links.remove(&(b, a));
        self.sense(&[]);
    }

    /// From now on the link from `from` to `to` loses the last `lost` of every `of` broadcasts.
    pub fn lose(&mut self, from: u32, to: u32, lost: u32, of: u32) {
        self.lossy.insert((from, to), Loss { lost, of, sent: 0 });
    }

    /// These pairs sense each other, with or without a link.
    pub fn sense(&mut self, sensed: &[(u32, u32)]) {
        let links: Vec<_> = self.links.iter().copied().collect();
        self.hearers = self::links(self.stations.count(), &links, sensed);
    }

    /// A protocol's own messages that `node` sent from `since` (s) on, each with its time (s).
    pub fn messages<M: Clone + 'static>(&self, node: u32, since: f64) -> Vec<(f64, M)> {
        let message = |packet: &Packet| match &packet.body {
            Body::Routing(extension) => extension.get::<M>().cloned(),
            _ => None,
        };
        let own = self.sent().filter(|(_, sender, ..)| *sender == node);
        own.filter_map(|(at, .., packet)| Some((at.as_secs_f64(), message(packet)?)))
            .filter(|(at, _)| *at >= since)
            .collect()
    }

    /// Packets sent: time, node, next hop, delay, packet.
    pub fn sent(&self) -> impl Iterator<Item = (Instant, u32, NodeId, Duration, &Packet)> {
        self.log.iter().filter_map(|(at, node, action)| match action {
            Action::Send { packet, next_hop, delay, .. } => {
                Some((*at, *node, *next_hop, *delay, packet))
            }
            _ => None,
        })
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

impl<N: Protocol> Host for Network<N> {
    type Node = N;

    fn call(
        &mut self,
        node: NodeId,
        actions: &mut Vec<Action>,
        call: impl FnOnce(&mut N, &mut Context),
    ) {
        let (i, station) = (node.index(), self.station.index());
        let mut cx = Context {
            now: self.now,
            node,
            interface: self.stations.kind(self.station),
            stations: &self.stations,
            rng: &mut self.rngs[i],
            queue: &mut self.queues[station],
            backoffs: self.backoffs[station],
            rates: self.rates[station].as_ref(),
            oracle: Oracle { hearers: &mut self.hearers, shared: &mut self.shared },
            actions,
        };
        call(&mut self.nodes[i], &mut cx);
    }

    fn spare_actions(&mut self) -> &mut Vec<Action> {
        &mut self.spare
    }

    fn carry_out(&mut self, node: NodeId, action: Action) {
        self.log.push((self.now, node.0, action.clone()));
        match action {
            Action::SetTimer { timer, at } => {
                self.schedule(at, Event::Timer { at: node.0, timer });
            }
            Action::Send { packet, next_hop, interface, delay } => {
                let sends = |station: &NodeId| match interface {
                    Some(kind) => self.stations.kind(*station) == kind,
                    None if next_hop.is_broadcast() => true,
                    None => self.stations.peer(next_hop, node) == Some(*station),
                };
                let senders: Vec<NodeId> = self.stations.all_of(node).filter(sends).collect();
                for station in senders {
                    self.transmit(station.0, packet.clone(), next_hop, self.now + delay);
                }
            }
            Action::Record => N::record(&self.nodes, self.now, &mut self.shared),
            Action::Drop { .. } | Action::RouteError { .. } | Action::Discovery { .. } => {}
        }
    }
}

/// Links between static nodes, and the pairs that only sense each other.
pub fn links(nodes: usize, links: &[(u32, u32)], sensed: &[(u32, u32)]) -> Hearers {
    let reach = Reach { receive_m: 200.0, sense_m: 400.0 };
    let path_loss = RadioConfig::default().path_loss();
    Hearers::Static(Neighbours::of_links(nodes, links, sensed, reach, &path_loss))
}

/// A TCP segment without payload.
pub fn data(source: u32, destination: u32, number: u32, created: Instant) -> Packet {
    let kind = tcp::SegmentKind::data(number, 0, false, false);
    packet(source, destination, created, Body::Tcp(tcp::Segment::new(FlowId(0), kind)), 40)
}

/// A UDP datagram of 100 bytes.
pub fn datagram(source: u32, destination: u32) -> Packet {
    let datagram = udp::Datagram::zeros(FlowId(0), 0, 100);
    packet(source, destination, Instant::ZERO, Body::Udp(datagram), 100)
}

/// A packet as the source's transport hands it down, or as a neighbour's protocol sends it.
pub fn packet(
    source: u32,
    destination: u32,
    created: Instant,
    body: Body,
    size_bytes: u32,
) -> Packet {
    let (source, destination) = (NodeId(source), NodeId(destination));
    Packet { size_bytes, ttl: 30, ..Packet::new(source, destination, created, body) }
}

fn number(packet: &Packet) -> Option<u32> {
    match packet.body {
        Body::Tcp(tcp::Segment { kind: tcp::SegmentKind::Data { number, .. }, .. }) => Some(number),
        _ => None,
    }
}
