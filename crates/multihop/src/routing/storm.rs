//! For tests: small random networks in which links come and go, and packets are lost, repeated and
//! overtaken, until it is calm.

use std::collections::{BTreeMap, BTreeSet};

use crate::kernel::{Duration, Instant, Purpose, Rng};
use crate::link::{CodelConfig, InterfaceQueue, QueueDiscipline};
use crate::measure::BackoffCounts;
use crate::radio::{Hearers, StationLayout};
use crate::routing::actions::{self, Host};
use crate::routing::harness::{RETRYING, data, links};
use crate::routing::{Action, Context, Oracle, Protocol, Shared, Timer};
use crate::wire::{Interface, NodeId, Packet};

/// Until when packets are lost and links change (s).
pub const STORMY_S: f64 = 90.0;

/// A protocol whose routes can be followed.
pub(crate) trait Routes: Protocol + Sized {
    /// The next hop to `to`.
    fn next_hop_to(&self, now: Instant, to: NodeId) -> Option<NodeId>;

    /// How often its routes have changed.
    fn changes(&self) -> u64;
}

/// What a run is like.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Weather {
    /// When it ends (s).
    pub until_s: f64,
    /// Mean time between packets that a node sends to another (s), if any.
    pub data_s: Option<f64>,
    /// Links break for one direction at a time.
    pub one_way: bool,
    /// Routes may go round until it is calm.
    pub may_loop: bool,
}

enum Event {
    Arrive(NodeId, NodeId, Packet),
    Fail(NodeId, NodeId, Packet),
    Timer(NodeId, Timer),
    /// A link is cut, or joined.
    Turn,
    /// A node sends data.
    Data,
}

/// A network that loses, repeats and reorders.
pub(crate) struct Storm<N> {
    /// The nodes' protocols.
    pub nodes: Vec<N>,
    /// How often routes were followed.
    pub looked: u64,
    now: Instant,
    weather: Weather,
    rngs: Vec<Rng>,
    queue: InterfaceQueue,
    hearers: Hearers,
    stations: StationLayout,
    shared: Shared,
    /// Directed.
    links: BTreeSet<(u32, u32)>,
    events: BTreeMap<(Instant, u64), Event>,
    scheduled: u64,
    chance: Rng,
    loss: f64,
    spare: Vec<Action>,
    /// Changes of routes that were followed so far.
    changes: u64,
}

impl<N: Routes> Storm<N> {
    /// A network of three to seven nodes. `node` makes one of so many, with a number below four by
    /// which its sequence numbers may begin before their wrap.
    pub fn new(seed: u64, weather: Weather, node: impl Fn(NodeId, usize, u32) -> N) -> Storm<N> {
        let mut chance = Rng::stream(seed, Purpose::Routing, 1 << 40);
        let count = 3 + chance.below(5);
        let pairs = (0..count).flat_map(|a| (0..a).map(move |b| (a, b)));
        let density = 0.3 + 0.6 * chance.unit();
        let joined: Vec<_> = pairs.filter(|_| chance.unit() < density).collect();
        let node = |id| node(NodeId(id), count as usize, chance.below(4));
        let nodes = (0..count).map(node).collect();
        let mut storm = Storm {
            now: Instant::ZERO,
            nodes,
            weather,
            rngs: (0..count).map(|i| Rng::stream(seed, Purpose::Routing, i.into())).collect(),
            queue: InterfaceQueue::new(
                QueueDiscipline::RoutingFirst,
                50,
                &CodelConfig::default(),
                Rng::stream(seed, Purpose::QueueManagement, 0),
            ),
            hearers: self::links(count as usize, &[], &[]),
            stations: StationLayout::alike(count as usize),
            shared: Shared::default(),
            links: joined.into_iter().flat_map(|(a, b)| [(a, b), (b, a)]).collect(),
            events: BTreeMap::new(),
            scheduled: 0,
            loss: 0.5 * chance.unit(),
            chance,
            spare: Vec::new(),
            changes: 0,
            looked: 0,
        };
        for node in (0..count).map(NodeId) {
            storm.call(node, |protocol, cx| protocol.on_start(cx));
        }
        storm.schedule(Duration::from_secs(5), Event::Turn);
        if weather.data_s.is_some() {
            storm.schedule(Duration::from_secs(5), Event::Data);
        }
        storm
    }

    fn is_stormy(&self) -> bool {
        self.now < Instant::from_secs_f64(STORMY_S)
    }

    fn schedule(&mut self, after: Duration, event: Event) {
        self.scheduled += 1;
        self.events.insert((self.now + after, self.scheduled), event);
    }

    fn call(&mut self, node: NodeId, call: impl FnOnce(&mut N, &mut Context)) {
        actions::drive(self, node, call);
        let changes = self.nodes.iter().map(Routes::changes).sum();
        if std::mem::replace(&mut self.changes, changes) != changes {
            self.looked += 1;
            if !self.weather.may_loop
                && let Some(path) = self.loops().first()
            {
                panic!("a loop at {:?}: {path:?}", self.now);
            }
        }
    }

    /// The route from `from` to `to`, as far as it leads; longer than there are nodes if it goes
    /// round.
    pub fn path(&self, from: NodeId, to: NodeId) -> Vec<NodeId> {
        let mut path = vec![from];
        while let Some(&at) = path.last()
            && at != to
            && path.len() <= self.nodes.len()
            && let Some(next) = self.nodes[at.index()].next_hop_to(self.now, to)
        {
            path.push(next);
        }
        path
    }

    /// The routes that go round.
    pub fn loops(&self) -> Vec<Vec<NodeId>> {
        let all = || (0..self.nodes.len() as u32).map(NodeId);
        let paths = all().flat_map(|to| all().map(move |from| self.path(from, to)));
        paths.filter(|path| path.len() > self.nodes.len()).collect()
    }

    /// Cuts a link or joins one.
    fn turn(&mut self) {
        if !self.is_stormy() {
            // All that is left of links works both ways.
            self.links = self.links.iter().flat_map(|&(a, b)| [(a, b), (b, a)]).collect();
            return;
        }
        let count = self.nodes.len() as u32;
        let (a, b) = (self.chance.below(count), self.chance.below(count));
        if a != b {
            let both = [(a, b), (b, a)];
            let which = if self.weather.one_way { &both[..1] } else { &both[..] };
            let is_there = self.links.contains(&(a, b));
            for link in which {
                if is_there {
                    self.links.remove(link)
                } else {
                    self.links.insert(*link)
                };
            }
        }
        let next = Duration::from_millis(u64::from(self.chance.below(12_000)));
        self.schedule(next, Event::Turn);
    }

    fn send_data(&mut self) {
        let Some(mean_s) = self.weather.data_s else { return };
        let count = self.nodes.len() as u32;
        let (from, to) = (self.chance.below(count), self.chance.below(count));
        if from != to {
            let packet = data(from, to, 1, self.now);
            self.call(NodeId(from), |node, cx| node.on_send(cx, packet));
        }
        let next = Duration::from_secs_f64(2.0 * mean_s * self.chance.unit());
        self.schedule(next, Event::Data);
    }

    fn transmit(&mut self, from: NodeId, packet: &Packet, next_hop: NodeId, delay: Duration) {
        if !next_hop.is_broadcast() && !self.links.contains(&(from.0, next_hop.0)) {
            self.schedule(delay + RETRYING, Event::Fail(from, next_hop, packet.clone()));
        }
        for to in (0..self.nodes.len() as u32).map(NodeId) {
            let is_linked = self.links.contains(&(from.0, to.0));
            let is_for = next_hop.is_broadcast() || next_hop == to;
            if !is_linked || !is_for {
                continue;
            }
            let mut copies = 1;
            let mut latency = Duration::from_millis(1);
            if self.is_stormy() {
                copies = u32::from(self.chance.unit() >= self.loss) + self.chance.below(10) / 9;
                latency += Duration::from_millis(u64::from(self.chance.below(1500)));
            }
            for copy in 0..copies {
                let after = delay + latency * u64::from(copy + 1);
                self.schedule(after, Event::Arrive(to, from, packet.clone()));
            }
        }
    }

    /// Runs to the end.
    pub fn run(&mut self) {
        let end = Instant::from_secs_f64(self.weather.until_s);
        while let Some(entry) = self.events.first_entry().filter(|entry| entry.key().0 <= end) {
            self.now = entry.key().0;
            match entry.remove() {
                Event::Arrive(to, _, packet)
                    if packet.is_transport() && packet.destination == to => {}
                Event::Arrive(to, from, packet) => {
                    self.call(to, |node, cx| node.on_receive(cx, packet, from));
                }
                Event::Fail(at, next_hop, packet) => {
                    self.call(at, |node, cx| node.on_link_failure(cx, packet, next_hop));
                }
                Event::Timer(node, timer) => self.call(node, |node, cx| node.on_timer(cx, timer)),
                Event::Turn => self.turn(),
                Event::Data => self.send_data(),
            }
        }
        self.now = end;
    }

    /// Has every node work its routes out, where they otherwise do so for a packet.
    pub fn find_all(&mut self, find: impl Fn(&mut N, &mut Context)) {
        for node in (0..self.nodes.len() as u32).map(NodeId) {
            self.call(node, &find);
        }
    }

    /// Hops from `from` to each node that it reaches.
    pub fn hops(&self, from: u32) -> Vec<Option<u16>> {
        let mut hops = vec![None; self.nodes.len()];
        hops[from as usize] = Some(0);
        for _ in 0..self.nodes.len() {
            for &(a, b) in &self.links {
                let by_this: Option<u16> = hops[a as usize].map(|hops| hops + 1);
                hops[b as usize] = hops[b as usize].into_iter().chain(by_this).min();
            }
        }
        hops
    }

    /// Follows every route: it leads to each node that can be reached, and to no other.
    pub fn check_all_are_reached(&self, case: u64) {
        for from in 0..self.nodes.len() as u32 {
            for (to, hops) in (0..).zip(self.hops(from)) {
                let path = self.path(NodeId(from), NodeId(to));
                let is_reached = path.last() == Some(&NodeId(to));
                assert_eq!(is_reached, hops.is_some(), "case {case}: {from} to {to}: {path:?}");
            }
        }
    }
}

impl<N: Routes> Host for Storm<N> {
    type Node = N;

    fn call(
        &mut self,
        node: NodeId,
        actions: &mut Vec<Action>,
        call: impl FnOnce(&mut N, &mut Context),
    ) {
        let mut cx = Context {
            now: self.now,
            node,
            interface: Interface::default(),
            stations: &self.stations,
            rng: &mut self.rngs[node.index()],
            queue: &mut self.queue,
            backoffs: BackoffCounts::default(),
            rates: None,
            oracle: Oracle { hearers: &mut self.hearers, shared: &mut self.shared },
            actions,
        };
        call(&mut self.nodes[node.index()], &mut cx);
    }

    fn spare_actions(&mut self) -> &mut Vec<Action> {
        &mut self.spare
    }

    fn carry_out(&mut self, node: NodeId, action: Action) {
        match action {
            Action::SetTimer { timer, at } => {
                let after = at.saturating_since(self.now);
                self.schedule(after, Event::Timer(node, timer));
            }
            Action::Send { packet, next_hop, delay, .. } => {
                self.transmit(node, &packet, next_hop, delay);
            }
            _ => {}
        }
    }
}

/// How many cases `variable` in the environment asks for, `usual` without, and the first of them by
/// the same name and `_FIRST`.
pub fn cases(variable: &str, usual: u64) -> std::ops::Range<u64> {
    let of = |name: &str| std::env::var(name).ok().and_then(|value| value.parse().ok());
    let first = of(&format!("{variable}_FIRST")).unwrap_or(0);
    first..first + of(variable).unwrap_or(usual)
}
