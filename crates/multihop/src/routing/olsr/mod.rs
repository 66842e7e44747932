//! OLSR, the Optimized Link State Routing protocol (RFC 3626): nodes measure their links by HELLOs
//! and choose relays among their neighbours; relays advertise their links to all by TCs; each node
//! works out shortest paths from what it knows.
//!
//! A neighbour is known by the addresses of its stations, and by its main address, the first
//! station's; `interfaces.rs` has what follows from several.
//!
//! What is beyond a node is the clients of an access point, told by HNAs (section 12). Deviation:
//! these and MIDs go with the timer of TCs, whose interval they share. What expires takes effect
//! with the node's next packet or HELLO.
//! A TC lists the whole advertised set. A loss that silence has told is not counted again when the
//! next packet's number tells it. By `metric = "etx"` links have costs, told in the messages of
//! olsrd's link quality extension: no part of the RFC.

mod beyond;
mod config;
mod interfaces;
mod links;
pub mod messages;
mod scheme;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

pub use config::{OlsrConfig, OlsrMetric};
pub use scheme::OlsrReport;

use self::beyond::Beyond;
use self::interfaces::{Addresses, Flooded};
use self::links::Link;
use self::messages::{
    Content, Hello, LinkType, Listed, MOST_BYTES, NeighbourType, OlsrMessage, OlsrPacket, Quality,
    Tc, TimeCode,
};
use super::link_state::{
    NEVER, Near, Routes, Topology, TwoHop, Waiting, delayed, packed, periodic,
};
use super::metric::{self, Metric};
use super::neighbour_table::NeighbourTable;
use super::relaying::{give_up, originated, relayed};
use super::{Context, DropReason, Protocol, Timer};
use crate::kernel::{Duration, Instant};
use crate::wire::{Body, Extension, Interface, NodeId, Packet};

/// The willingness of a neighbour that always relays (section 18.8).
const ALWAYS: u8 = 7;
/// Time to live of a TC: it goes to all (section 9.1).
const TC_TIME_TO_LIVE: u8 = 255;

/// Timer: the next HELLO.
const HELLO: &str = "hello";
/// Timer: the next TC.
const TC: &str = "tc";
/// Timer: a TC before its time, since a link to a node that chose this one as relay was lost.
const EARLY_TC: &str = "early-tc";
/// Timer: messages that wait to be passed on are due.
const PASS_ON: &str = "pass-on";

/// What the link from one node to another costs that carries so much; none if nothing. Without the
/// extension that measures, a hop.
fn cost(
    metric: &Metric,
    now: Instant,
    sender: NodeId,
    receiver: NodeId,
    quality: Option<Quality>,
) -> Option<u32> {
    let Some(quality) = quality else { return Some(1) };
    let usual = quality.etx()?;
    metric.cost(now, usual, || metric::Link {
        sender,
        receiver,
        received: f64::from(quality.received) / 255.0,
        delivered: Some(f64::from(quality.sent) / 255.0),
        airtime: None,
        usual,
    })
}

/// OLSR on one node.
#[derive(Debug)]
pub struct Olsr {
    node: NodeId,
    config: Arc<OlsrConfig>,
    metric: Metric,
    links: NeighbourTable<Link>,
    /// The symmetric neighbours when last looked.
    symmetric: BTreeSet<NodeId>,
    two_hop: TwoHop<u32>,
    mprs: BTreeSet<NodeId>,
    /// Who chose this node as relay, until when.
    selectors: BTreeMap<NodeId, Instant>,
    flooded: Flooded,
    addresses: Addresses,
    beyond: Beyond,
    topology: Topology<Option<Quality>>,
    routes: Routes,
    /// What waits, each with the interface that it goes by, or for all.
    outgoing: Waiting<(Option<Interface>, OlsrMessage)>,
    /// The numbers of the last packet by each interface, and of the last message.
    packets: BTreeMap<Interface, u16>,
    messages: u16,
    /// The set that the last TC advertised, and its number.
    advertised: Vec<NodeId>,
    ansn: u16,
    /// A TC is to come before its time.
    has_early_tc: bool,
    /// Empty TCs are sent until then (section 9.3).
    empty_until: Instant,
    /// Nothing expires before.
    next_change: Instant,
    /// What the node did.
    pub counts: OlsrReport,
}

impl Olsr {
    /// OLSR on `node`, in a network of `nodes` nodes.
    pub fn new(node: NodeId, nodes: usize, config: &Arc<OlsrConfig>) -> Olsr {
        Olsr {
            node,
            config: Arc::clone(config),
            metric: Metric::default(),
            links: NeighbourTable::default(),
            symmetric: BTreeSet::new(),
            two_hop: TwoHop::default(),
            mprs: BTreeSet::new(),
            selectors: BTreeMap::new(),
            flooded: Flooded::default(),
            addresses: Addresses::new(nodes),
            beyond: Beyond::default(),
            topology: Topology::default(),
            routes: Routes::new(nodes),
            outgoing: Waiting::default(),
            packets: BTreeMap::new(),
            messages: 0,
            advertised: Vec::new(),
            ansn: 0,
            has_early_tc: false,
            empty_until: Instant::ZERO,
            next_change: Instant::FAR,
            counts: OlsrReport::default(),
        }
    }

    /// The same with this metric.
    #[must_use]
    pub fn with_metric(self, metric: Metric) -> Olsr {
        Olsr { metric, ..self }
    }

    /// The neighbours chosen as relays.
    pub fn mprs(&self) -> &BTreeSet<NodeId> {
        &self.mprs
    }

    /// The neighbours with a link both ways.
    pub fn symmetric_neighbours(&self) -> &BTreeSet<NodeId> {
        &self.symmetric
    }

    /// The neighbours that chose this node as relay.
    pub fn selectors(&self) -> impl Iterator<Item = NodeId> {
        self.selectors.keys().copied()
    }

    /// The next hop to `destination` by what the node knows at `now`.
    pub fn next_hop(&mut self, cx: &mut Context, destination: NodeId) -> Option<NodeId> {
        self.update(cx);
        self.find_routes(cx);
        self.routes.next_hop(destination)
    }

    /// Lets what has expired take effect (section 8.5).
    fn update(&mut self, cx: &mut Context) {
        if cx.now >= self.next_change {
            self.look(cx, false);
        }
    }

    /// The same, whether anything has expired or not. The nodes two hops away may have changed.
    fn look(&mut self, cx: &mut Context, has_changed: bool) {
        let now = cx.now;
        for (_, link) in self.links.current_mut(now) {
            link.listen(&self.config, now);
        }
        self.links.expire(now);
        let links = self.links.current(now).filter(|(_, link)| link.known.is_symmetric(now));
        let symmetric: BTreeSet<NodeId> = links.map(|(_, link)| link.known.main).collect();
        let mut is_near_change = has_changed | self.two_hop.expire(now);
        if symmetric != self.symmetric {
            is_near_change = true;
            self.lose_neighbours(cx, &symmetric);
            self.symmetric = symmetric;
        }
        self.selectors.retain(|_, until| *until > now);
        is_near_change |= self.addresses.change(cx, &self.links);
        if is_near_change {
            self.choose_mprs(cx);
        }
        self.routes.are_stale |=
            is_near_change | self.topology.expire(now) | self.beyond.expire(now);
        let links = self.links.current(now);
        let ends = links.map(|(_, link)| link.until.min(link.known.next_change(&self.config, now)));
        let ends = ends.chain(self.selectors.values().copied());
        let far = self.two_hop.next_change().min(self.topology.next_change());
        let far = far.min(self.beyond.next_change());
        self.next_change = ends.min().unwrap_or(Instant::FAR).min(far);
    }

    /// Forgets what was known by those that are no longer among the symmetric neighbours. Who chose
    /// this node as relay and is lost is told to all soon (section 9.3).
    fn lose_neighbours(&mut self, cx: &mut Context, symmetric: &BTreeSet<NodeId>) {
        let mut is_selector = false;
        for &lost in self.symmetric.difference(symmetric) {
            for address in self.addresses.of(lost) {
                self.two_hop.lose(address);
            }
            is_selector |= self.selectors.remove(&lost).is_some();
        }
        if is_selector && !self.has_early_tc {
            self.has_early_tc = true;
            let at = delayed(cx, self.config.max_jitter());
            cx.set_timer(Timer::of(EARLY_TC), at);
        }
    }

    fn on_packet(&mut self, cx: &mut Context, packet: &OlsrPacket, from: NodeId) {
        self.update(cx);
        let hello = packet.messages.iter().find_map(|message| match &message.content {
            Content::Hello(hello) => Some((message, hello)),
            Content::Tc(_) | Content::Mid(_) | Content::Hna(_) => None,
        });
        match hello {
            Some((message, hello)) => self.on_hello(cx, packet.number, message, hello, from),
            None => self.on_packet_without_hello(cx, packet.number, from),
        }
        for message in &packet.messages {
            if !matches!(message.content, Content::Hello(_)) {
                self.on_flooded(cx, message, from);
            }
        }
    }

    /// The packet tells of the link all the same (section 14.3).
    fn on_packet_without_hello(&mut self, cx: &mut Context, number: u16, from: NodeId) {
        let Some(link) = self.links.get_mut(cx.now, from).filter(|_| self.config.measures_links())
        else {
            return;
        };
        link.receive(&self.config, cx.now, number, None);
        if link.is_symmetric(cx.now) != self.symmetric.contains(&link.main) {
            self.look(cx, false);
        }
    }

    /// Sections 7.1.1, 8.1.1, 8.2.1 and 8.4.1.
    fn on_hello(
        &mut self,
        cx: &mut Context,
        number: u16,
        message: &OlsrMessage,
        hello: &Hello,
        from: NodeId,
    ) {
        let now = cx.now;
        let until = now + message.validity.time();
        let (main, address) = (message.originator, cx.address());
        self.addresses.meet(main, from);
        let is_link = |listed: &&Listed| listed.link != LinkType::Unspecified;
        let of_us = hello.links.iter().filter(is_link).find(|listed| listed.node == address);
        let hears_us = of_us.is_some_and(|listed| listed.link != LinkType::Lost);
        let hold = if hears_us { self.config.neighb_hold_time() } else { Duration::ZERO };
        let known_until = self.links.get(now, from).map_or(until, |link| link.until);
        let link_until = known_until.max(until + hold);
        let link = self.links.hear(now, from, link_until);
        (link.until, link.main) = (link_until, main);
        link.receive(&self.config, now, number, Some(hello.interval.time()));
        link.heard_until = until;
        let was_willing = std::mem::replace(&mut link.willingness, hello.willingness);
        if let Some(listed) = of_us {
            link.symmetric_until = if hears_us { until } else { now };
            link.sent = listed.quality.map_or(0, |quality| quality.received);
        }
        self.next_change = self.next_change.min(link.next_change(&self.config, now));
        let is_symmetric = link.is_symmetric(now);
        let mut is_near_change = was_willing != hello.willingness;
        is_near_change |= is_symmetric != self.symmetric.contains(&main);
        if is_symmetric {
            let (metric, others) = (&self.metric, hello.links.iter());
            let is_own = |listed: &&Listed| cx.stations.node(listed.node) == self.node;
            let others = others.filter(|listed| !is_own(listed));
            let cost = |node, listed: &Listed| match listed.neighbour {
                NeighbourType::Symmetric | NeighbourType::Mpr => {
                    cost(metric, now, main, node, listed.quality)
                }
                NeighbourType::Not => None,
            };
            let addresses = &self.addresses;
            let listed = others.filter_map(|listed| {
                let node = addresses.main(now, listed.node)?;
                Some((node, cost(node, listed)))
            });
            let change = self.two_hop.hear(from, listed, until);
            is_near_change |= change.is_of_nodes;
            self.routes.are_stale |= change.is_of_costs | (self.config.metric == OlsrMetric::Etx);
            let chose = |listed: &Listed| listed.neighbour == NeighbourType::Mpr;
            if hello.links.iter().filter(is_own).any(chose) {
                self.selectors.insert(main, until);
            }
        }
        if is_near_change {
            self.look(cx, true);
        }
    }

    /// Sections 3.4, 5.4 and 9.5.
    fn on_flooded(&mut self, cx: &mut Context, message: &OlsrMessage, from: NodeId) {
        let now = cx.now;
        let main = self.links.get(now, from).map_or(from, |link| link.known.main);
        if message.originator == self.node || !self.symmetric.contains(&main) {
            return;
        }
        let hold = Duration::from_secs_f64(self.config.dup_hold_time_s);
        let copy = self.flooded.note(cx, message.originator, message.number, hold);
        let until = now + message.validity.time();
        match &message.content {
            Content::Tc(tc) if copy.is_new => {
                self.routes.are_stale |= self.topology.hear(message.originator, tc, until);
                self.next_change = self.next_change.min(until);
            }
            Content::Mid(addresses) if copy.is_new => {
                self.addresses.declare(message.originator, addresses, until);
            }
            Content::Hna(nodes) if copy.is_new => {
                self.beyond.declare(message.originator, nodes, until);
                self.routes.are_stale = true;
                self.next_change = self.next_change.min(until);
            }
            _ => {}
        }
        if copy.may_go_on && message.ttl > 1 && self.selectors.contains_key(&main) {
            self.flooded.pass_on(cx, message.originator, message.number, hold);
            let is_tc = matches!(message.content, Content::Tc(_));
            let message =
                OlsrMessage { ttl: message.ttl - 1, hops: message.hops + 1, ..message.clone() };
            let at = delayed(cx, self.config.max_jitter());
            self.outgoing.hold((None, message), at);
            cx.set_timer(Timer::of(PASS_ON), at);
            self.counts.tcs_forwarded += u64::from(is_tc);
        }
    }

    fn send_hello(&mut self, cx: &mut Context) {
        self.update(cx);
        for station in cx.stations.all_of(self.node) {
            let hello = Hello {
                interval: TimeCode::of(Duration::from_secs_f64(self.config.hello_interval_s)),
                willingness: self.config.willingness,
                links: self.listed(cx, station),
            };
            self.counts.hellos_sent += 1;
            let validity = self.config.neighb_hold_time();
            let by = Some(cx.stations.kind(station));
            self.originate(cx, by, Content::Hello(Arc::new(hello)), validity, 1);
        }
        self.send(cx);
        self.set_interval(cx, HELLO, self.config.hello_interval_s);
    }

    /// The neighbours that a TC advertises (sections 9.2 and 15.1).
    fn to_advertise(&self) -> Vec<NodeId> {
        let chose_us = self.selectors.keys();
        let nodes: BTreeSet<NodeId> = match self.config.tc_redundancy() {
            0 => chose_us.copied().collect(),
            1 => chose_us.chain(&self.mprs).copied().collect(),
            _ => self.symmetric.clone(),
        };
        nodes.into_iter().collect()
    }

    /// Section 9.3.
    fn send_tc(&mut self, cx: &mut Context) {
        self.update(cx);
        let now = cx.now;
        let advertised = self.to_advertise();
        if advertised != self.advertised {
            self.ansn = self.ansn.wrapping_add(1);
            self.advertised = advertised;
        }
        let validity = self.config.top_hold_time();
        if self.advertised.is_empty() && now >= self.empty_until {
            return;
        }
        if !self.advertised.is_empty() {
            self.empty_until = now + validity;
        }
        let quality = |node: &NodeId| {
            let best = self.best_link(now, *node).filter(|_| self.config.metric == OlsrMetric::Etx);
            best.map(|(_, link)| link.both_ways(&self.config))
        };
        let neighbours = self.advertised.iter().map(|node| (*node, quality(node))).collect();
        let tc = Tc { ansn: self.ansn, neighbours };
        self.counts.tcs_originated += 1;
        self.originate(cx, None, Content::Tc(Arc::new(tc)), validity, TC_TIME_TO_LIVE);
        self.send(cx);
    }

    fn originate(
        &mut self,
        cx: &Context,
        by: Option<Interface>,
        content: Content,
        validity: Duration,
        ttl: u8,
    ) {
        let validity = TimeCode::of(validity);
        self.messages = self.messages.wrapping_add(1);
        let (originator, number) = (self.node, self.messages);
        let message = OlsrMessage { validity, originator, ttl, hops: 0, number, content };
        self.outgoing.hold((by, message), cx.now);
    }

    /// Broadcasts all that waits.
    fn send(&mut self, cx: &mut Context) {
        let waiting = self.outgoing.take();
        for station in cx.stations.all_of(self.node) {
            let kind = cx.stations.kind(station);
            let goes = |by: &Option<Interface>| by.is_none_or(|by| by == kind);
            let own = waiting.iter().filter(|(by, _)| goes(by)).map(|(_, message)| message.clone());
            for messages in packed(own, MOST_BYTES, OlsrMessage::bytes) {
                let number = self.packets.entry(kind).or_default();
                *number = number.wrapping_add(1);
                let packet = OlsrPacket { number: *number, messages };
                let size_bytes = packet.bytes();
                cx.broadcast_by(kind, Extension::new(packet), size_bytes);
            }
        }
    }

    /// Section 3.5.
    fn set_interval(&self, cx: &mut Context, timer: &'static str, interval_s: f64) {
        let interval = Duration::from_secs_f64(interval_s);
        let at = periodic(cx, interval, self.config.max_jitter());
        cx.set_timer(Timer::of(timer), at);
    }

    fn find_routes(&mut self, cx: &mut Context) {
        if !self.routes.are_stale {
            return;
        }
        let now = cx.now;
        let (node, metric) = (self.node, &self.metric);
        let is_etx = self.config.metric == OlsrMetric::Etx;
        let mut near: Vec<Near<u32>> = self
            .symmetric
            .iter()
            .filter_map(|&near| {
                let (hop, link) = self.best_link(now, near)?;
                let quality = is_etx.then(|| link.both_ways(&self.config));
                let cost = cost(metric, now, node, near, quality)?;
                let (willingness, is_selector) =
                    (link.willingness, self.selectors.contains_key(&near));
                Some(Near { node: near, hop, cost, willingness, is_selector })
            })
            .collect();
        // Ties go to the most willing and to those that chose this node (section 10).
        near.sort_by_key(|near| std::cmp::Reverse((near.willingness, near.is_selector)));
        let unwilling = near.iter().filter(|near| near.willingness == NEVER);
        let unwilling: Vec<NodeId> = unwilling.map(|near| near.node).collect();
        let links = |from: NodeId, so_far: u32| {
            let gateway = from;
            let from = (!unwilling.contains(&from)).then_some(from).into_iter();
            let second = from.clone().flat_map(|from| self.addresses.behind(&self.two_hop, from));
            let advertised = from.filter_map(|from| Some((from, self.topology.links(from)?)));
            let advertised = advertised.flat_map(|(from, tc)| {
                let cost = move |to, quality| cost(metric, now, from, to, quality);
                tc.neighbours
                    .iter()
                    .filter_map(move |&(to, quality)| Some((to, cost(to, quality)?)))
            });
            let beyond = self.beyond.of(gateway).map(|client| (client, 0));
            second
                .chain(advertised)
                .chain(beyond)
                .map(move |(to, more)| (to, so_far.saturating_add(more)))
        };
        let found = self.routes.find(cx, self.node, &near, links, std::iter::empty());
        self.counts.route_changes += found;
    }

    fn forward(&mut self, cx: &mut Context, packet: Packet) {
        match self.next_hop(cx, packet.destination) {
            Some(next_hop) => cx.send(packet, next_hop, Duration::ZERO),
            None => cx.drop(packet, DropReason::NoRoute),
        }
    }
}

impl Protocol for Olsr {
    fn may_overhear(&self) -> bool {
        false
    }

    fn on_start(&mut self, cx: &mut Context) {
        for (timer, interval_s) in
            [(HELLO, self.config.hello_interval_s), (TC, self.config.tc_interval_s)]
        {
            let first = cx.rng.duration_below(Duration::from_secs_f64(interval_s));
            cx.set_timer(Timer::of(timer), cx.now + first);
        }
    }

    fn on_send(&mut self, cx: &mut Context, packet: Packet) {
        self.forward(cx, originated(packet));
    }

    fn on_receive(&mut self, cx: &mut Context, packet: Packet, from: NodeId) {
        if let Body::Routing(message) = &packet.body {
            if let Some(olsr) = message.get::<OlsrPacket>() {
                self.on_packet(cx, olsr, from);
            }
            return;
        }
        match relayed(cx, packet) {
            Ok(packet) => self.forward(cx, packet),
            Err(_) => self.counts.loops_seen += 1,
        }
    }

    fn on_client(&mut self, _: &mut Context, client: NodeId, is_here: bool) {
        self.beyond.attach(client, is_here);
    }

    /// The link is lost only by link layer notification (section 13).
    fn on_link_failure(&mut self, cx: &mut Context, packet: Packet, next_hop: NodeId) {
        if self.config.link_layer_notification {
            let until = cx.now + self.config.neighb_hold_time();
            if let Some(link) = self.links.get_mut(cx.now, next_hop) {
                link.lose(until);
                self.look(cx, false);
            }
        }
        give_up(cx, packet);
    }

    fn on_timer(&mut self, cx: &mut Context, timer: Timer) {
        match timer.kind {
            HELLO => self.send_hello(cx),
            TC => {
                self.send_mid(cx);
                self.send_hna(cx);
                self.send_tc(cx);
                self.set_interval(cx, TC, self.config.tc_interval_s);
            }
            EARLY_TC => {
                self.has_early_tc = false;
                self.send_tc(cx);
            }
            PASS_ON if self.outgoing.are_due(cx.now) => self.send(cx),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests;
