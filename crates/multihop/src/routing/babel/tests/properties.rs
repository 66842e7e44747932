//! No loops (section 2.4), whatever is lost, repeated, overtaken or cut; and in the end a route to
//! every node that can be reached.
//!
//! `BABEL_CASES` sets the number of cases.

use std::collections::{BTreeMap, BTreeSet};

use super::super::seqno::Seqno;
use super::super::{Babel, BabelConfig};
use crate::kernel::{Duration, Instant, Purpose, Rng};
use crate::link::{CodelConfig, InterfaceQueue, QueueDiscipline};
use crate::measure::BackoffCounts;
use crate::radio::Hearers;
use crate::routing::actions::{self, Host};
use crate::routing::harness::links;
use crate::routing::{Action, Context, Oracle, Protocol, Shared, Timer};
use crate::wire::{Interface, NodeId, Packet};

/// Cases of the default run.
const CASES: u64 = 200;
/// Until when packets are lost and links change (s).
const STORMY_S: f64 = 90.0;
/// When every route has to be there (s): a source that stands in the way is forgotten after three
/// minutes at the latest, and a route learnt with the next update.
const SETTLED_S: f64 = STORMY_S + 240.0;

enum Event {
    Arrive(NodeId, NodeId, Packet),
    Timer(NodeId, Timer),
    /// A link is cut, or joined.
    Turn,
}

/// A network that loses, repeats and reorders.
struct Storm {
    now: Instant,
    nodes: Vec<Babel>,
    rngs: Vec<Rng>,
    queue: InterfaceQueue,
    hearers: Hearers,
    shared: Shared,
    links: BTreeSet<(u32, u32)>,
    events: BTreeMap<(Instant, u64), Event>,
    scheduled: u64,
    chance: Rng,
    loss: f64,
    spare: Vec<Action>,
    /// Changes of routes that were followed so far.
    changes: u64,
    looked: u64,
}

impl Storm {
    fn new(seed: u64) -> Storm {
        let mut chance = Rng::stream(seed, Purpose::Routing, 1 << 40);
        let count = 3 + chance.below(5);
        let config = BabelConfig::default();
        let node = |node| Babel::new(NodeId(node), count as usize, &config, false);
        let pairs = (0..count).flat_map(|a| (0..a).map(move |b| (a, b)));
        let density = 0.3 + 0.6 * chance.unit();
        let links: BTreeSet<_> = pairs.filter(|_| chance.unit() < density).collect();
        let mut storm = Storm {
            now: Instant::ZERO,
            nodes: (0..count).map(node).collect(),
            rngs: (0..count).map(|i| Rng::stream(seed, Purpose::Routing, i.into())).collect(),
            queue: InterfaceQueue::new(
                QueueDiscipline::RoutingFirst,
                50,
                &CodelConfig::default(),
                Rng::stream(seed, Purpose::QueueManagement, 0),
            ),
            hearers: self::links(count as usize, &[], &[]),
            shared: Shared::default(),
            links,
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
            // Numbers that will wrap.
            let before = storm.chance.below(4) as u16;
            storm.nodes[node.index()].seqno = Seqno(0).plus(before.wrapping_neg());
        }
        storm.schedule(Duration::from_secs(5), Event::Turn);
        storm
    }

    fn is_stormy(&self) -> bool {
        self.now < Instant::from_secs_f64(STORMY_S)
    }

    fn schedule(&mut self, after: Duration, event: Event) {
        self.scheduled += 1;
        self.events.insert((self.now + after, self.scheduled), event);
    }

    fn call(&mut self, node: NodeId, call: impl FnOnce(&mut Babel, &mut Context)) {
        actions::drive(self, node, call);
        let changes = self.nodes.iter().map(|node| node.counts.route_changes).sum();
        if std::mem::replace(&mut self.changes, changes) != changes {
            self.look_for_loops();
        }
    }

    /// Follows the routes from each node to each other.
    fn look_for_loops(&mut self) {
        self.looked += 1;
        let count = self.nodes.len();
        for to in (0..count as u32).map(NodeId) {
            for from in (0..count as u32).map(NodeId) {
                let mut at = from;
                let mut steps = 0;
                while at != to
                    && let Some(next) = self.nodes[at.index()].next_hop(to)
                {
                    at = next;
                    steps += 1;
                    assert!(steps <= count, "from {from:?} to {to:?} at {:?}", self.now);
                }
            }
        }
    }

    /// Cuts a link or joins one.
    fn turn(&mut self) {
        if !self.is_stormy() {
            return;
        }
        let count = self.nodes.len() as u32;
        let (a, b) = (self.chance.below(count), self.chance.below(count));
        let link = (a.max(b), a.min(b));
        if a != b && !self.links.remove(&link) {
            self.links.insert(link);
        }
        let next = Duration::from_millis(u64::from(self.chance.below(12_000)));
        self.schedule(next, Event::Turn);
    }

    fn transmit(&mut self, from: NodeId, packet: &Packet, next_hop: NodeId, delay: Duration) {
        for to in (0..self.nodes.len() as u32).map(NodeId) {
            let is_linked = self.links.contains(&(from.0.max(to.0), from.0.min(to.0)));
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

    fn run(&mut self) {
        let end = Instant::from_secs_f64(SETTLED_S);
        while let Some(entry) = self.events.first_entry().filter(|entry| entry.key().0 <= end) {
            self.now = entry.key().0;
            match entry.remove() {
                Event::Arrive(to, from, packet) => {
                    self.call(to, |node, cx| node.on_receive(cx, packet, from));
                }
                Event::Timer(node, timer) => self.call(node, |node, cx| node.on_timer(cx, timer)),
                Event::Turn => self.turn(),
            }
        }
    }

    /// Hops from `from` to each other node.
    fn hops(&self, from: u32) -> Vec<Option<u16>> {
        let mut hops = vec![None; self.nodes.len()];
        hops[from as usize] = Some(0);
        for _ in 0..self.nodes.len() {
            for &(a, b) in &self.links {
                for (a, b) in [(a as usize, b as usize), (b as usize, a as usize)] {
                    let by_this: Option<u16> = hops[a].map(|hops| hops + 1);
                    hops[b] = hops[b].into_iter().chain(by_this).min();
                }
            }
        }
        hops
    }
}

impl Host for Storm {
    type Node = Babel;

    fn call(
        &mut self,
        node: NodeId,
        actions: &mut Vec<Action>,
        call: impl FnOnce(&mut Babel, &mut Context),
    ) {
        let mut cx = Context {
            now: self.now,
            node,
            interface: Interface::default(),
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

#[test]
fn there_is_no_loop_at_any_time_and_in_the_end_every_route_is_a_shortest_one() {
    let cases = std::env::var("BABEL_CASES").ok().and_then(|cases| cases.parse().ok());
    let first = std::env::var("BABEL_FIRST").ok().and_then(|first| first.parse().ok());
    let first: u64 = first.unwrap_or(0);
    let mut looked = 0;
    for seed in first..first + cases.unwrap_or(CASES) {
        let mut storm = Storm::new(seed);
        storm.run();
        looked += storm.looked;
        for from in 0..storm.nodes.len() as u32 {
            for (to, hops) in (0..).zip(storm.hops(from)).filter(|&(to, _)| to != from) {
                let metric = storm.nodes[from as usize].metric(NodeId(to));
                assert_eq!(metric, hops.map(|hops| 256 * hops), "case {seed}: {from} to {to}");
            }
        }
    }
    assert!(looked > cases.unwrap_or(CASES), "routes changed {looked} times");
}
