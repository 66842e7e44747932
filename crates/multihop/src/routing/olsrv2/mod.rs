//! OLSRv2, the Optimized Link State Routing protocol version 2 (RFC 7181) over the neighbourhood
//! discovery of RFC 6130, by the metric of hops or of directional airtime (RFC 7779). RFC 7188 makes
//! the values of relays bits, RFC 7466 keeps what lies behind a link of poor quality.
//!
//! Deviation: a node has one interface and one address, and nothing behind it: its neighbours are
//! its links, and there are no lost neighbours apart from links, other addresses, attached networks
//! or gateways. TCs are complete, and one that tells of a change waits for
//! a change of what is advertised, not of its metrics. Relays for messages are chosen without
//! metrics (section 18.4 leaves it open). Section 18.5 has outgoing metrics for the second hop of
//! relays for data; here they are incoming ones, as its overview and section 4.6 have it. What
//! expires takes effect with the node's next packet or HELLO. The rate of a link is that at which
//! its power is received best, or the fixed one.

mod config;
mod discovery;
mod flooding;
mod link;
mod messages;
mod metric;
mod mprs;
mod reception;
mod schedule;
mod scheme;

use std::collections::BTreeSet;
use std::sync::Arc;

pub use config::{Olsr2Config, Olsr2Metric};
pub use scheme::Olsr2Report;

use self::link::Link;
use self::messages::{Content, Olsr2Message, Olsr2Packet};
use self::schedule::Schedule;
use super::link_state::{Duplicates, NEVER, Near, Routes, Topology, TwoHop, Waiting};
use super::neighbour_table::NeighbourTable;
use super::relaying::{give_up, originated, relayed};
use super::{Context, DropReason, Protocol, Timer};
use crate::kernel::{Duration, Instant};
use crate::wire::{Body, NodeId, Packet};

/// Timer: the next HELLO.
const HELLO: &str = "hello";
/// Timer: a HELLO before its time, since relays have changed.
const EARLY_HELLO: &str = "early-hello";
/// Timer: the next TC.
const TC: &str = "tc";
/// Timer: a TC before its time, since what it advertises has changed.
const EARLY_TC: &str = "early-tc";
/// Timer: messages that wait to be passed on are due.
const PASS_ON: &str = "pass-on";
/// Timer: metrics are worked out.
const REFRESH: &str = "refresh";

/// What a neighbour says of the link to one of its own, as seen from it.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Metrics {
    incoming: Option<u32>,
    outgoing: Option<u32>,
}

/// OLSRv2 on one node.
#[derive(Debug)]
pub struct Olsr2 {
    node: NodeId,
    config: Arc<Olsr2Config>,
    /// The rate of data frames where it is fixed \[bit/s\].
    data_rate_bps: f64,
    links: NeighbourTable<Link>,
    /// The symmetric neighbours when last looked.
    symmetric: BTreeSet<NodeId>,
    two_hop: TwoHop<Metrics>,
    flooding_mprs: BTreeSet<NodeId>,
    routing_mprs: BTreeSet<NodeId>,
    /// TCs that could still be passed on, and those that had gone all their hops.
    received: Duplicates,
    ended: Duplicates,
    topology: Topology<u32>,
    routes: Routes,
    outgoing: Waiting<Olsr2Message>,
    /// The numbers of the last packet and the last TC.
    packets: u16,
    messages: u16,
    /// What the last TC advertised, and its number.
    advertised: Vec<(NodeId, u32)>,
    ansn: u16,
    hellos: Schedule,
    tcs: Schedule,
    /// Empty TCs are sent until then.
    empty_until: Instant,
    /// Nothing expires before.
    next_change: Instant,
    /// What the node did.
    pub counts: Olsr2Report,
}

impl Olsr2 {
    /// OLSRv2 on `node`, in a network of `nodes` nodes whose data frames go at `data_rate_bps`
    /// \[bit/s\] unless the MAC chooses rates.
    pub fn new(node: NodeId, nodes: usize, config: &Arc<Olsr2Config>, data_rate_bps: f64) -> Olsr2 {
        Olsr2 {
            node,
            config: Arc::clone(config),
            data_rate_bps,
            links: NeighbourTable::default(),
            symmetric: BTreeSet::new(),
            two_hop: TwoHop::default(),
            flooding_mprs: BTreeSet::new(),
            routing_mprs: BTreeSet::new(),
            received: Duplicates::default(),
            ended: Duplicates::default(),
            topology: Topology::default(),
            routes: Routes::new(nodes),
            outgoing: Waiting::default(),
            packets: 0,
            messages: 0,
            advertised: Vec::new(),
            ansn: 0,
            hellos: Schedule::default(),
            tcs: Schedule::default(),
            empty_until: Instant::ZERO,
            next_change: Instant::FAR,
            counts: Olsr2Report::default(),
        }
    }

    /// The next hop to `destination` by what the node knows at `cx.now`.
    pub fn next_hop(&mut self, cx: &mut Context, destination: NodeId) -> Option<NodeId> {
        self.update(cx);
        self.find_routes(cx);
        self.routes.next_hop(destination)
    }

    fn on_packet(&mut self, cx: &mut Context, packet: &Olsr2Packet, from: NodeId) {
        self.update(cx);
        let hello = packet.messages.iter().find_map(|message| match &message.content {
            Content::Hello(hello) => Some((message, hello)),
            Content::Tc(..) => None,
        });
        match hello {
            Some((message, hello)) => self.on_hello(cx, packet.number, message, hello, from),
            None => self.on_packet_without_hello(cx, packet.number, from),
        }
        self.on_tcs(cx, packet, from);
    }

    /// Works the routing set out (section 19). TCs and neighbours lead everywhere; what neighbours
    /// say of their own counts where no TC has come yet.
    fn find_routes(&mut self, cx: &mut Context) {
        if !self.routes.are_stale {
            return;
        }
        let link = |&node: &NodeId| {
            let link = &self.links.get(cx.now, node)?.known;
            Some(Near {
                node,
                hop: node,
                cost: (link.out_metric?, 1),
                willingness: link.will_routing,
                is_selector: link.is_routing_selector,
            })
        };
        let mut near: Vec<Near<(u32, u32)>> = self.symmetric.iter().filter_map(link).collect();
        // Appendix C.1, step 5.
        near.sort_by_key(|near| std::cmp::Reverse((near.willingness, near.is_selector)));
        let links = |from: NodeId, (metric, hops): (u32, u32)| {
            let advertised = self.topology.links(from).into_iter().flat_map(|tc| &tc.neighbours);
            advertised.map(move |&(to, more)| (to, (metric.saturating_add(more), hops + 1)))
        };
        let willing = near.iter().filter(|near| near.willingness > NEVER);
        let last = willing.flat_map(|near| {
            let behind = self.two_hop.behind(near.node).filter(|(to, _)| *to != self.node);
            behind.filter_map(|(to, metrics)| {
                let metric = near.cost.0.saturating_add(metrics.outgoing?);
                Some((to, (metric, 2), near.node))
            })
        });
        self.counts.route_changes += self.routes.find(cx, self.node, &near, links, last);
    }

    fn forward(&mut self, cx: &mut Context, packet: Packet) {
        match self.next_hop(cx, packet.destination) {
            Some(next_hop) => cx.send(packet, next_hop, Duration::ZERO),
            None => cx.drop(packet, DropReason::NoRoute),
        }
    }
}

impl Protocol for Olsr2 {
    fn may_overhear(&self) -> bool {
        false
    }

    fn on_start(&mut self, cx: &mut Context) {
        let mut timers =
            vec![(HELLO, self.config.hello_interval_s), (TC, self.config.tc_interval_s)];
        if self.config.metric == Olsr2Metric::Dat {
            timers.push((REFRESH, self.config.dat_refresh_interval_s));
        }
        for (timer, interval_s) in timers {
            let first = cx.rng.duration_below(Duration::from_secs_f64(interval_s));
            cx.set_timer(Timer::of(timer), cx.now + first);
        }
    }

    fn on_send(&mut self, cx: &mut Context, packet: Packet) {
        self.forward(cx, originated(packet));
    }

    fn on_receive(&mut self, cx: &mut Context, packet: Packet, from: NodeId) {
        if let Body::Routing(message) = &packet.body {
            if let Some(received) = message.get::<Olsr2Packet>() {
                self.on_packet(cx, received, from);
            }
            return;
        }
        match relayed(cx, packet) {
            Ok(packet) => self.forward(cx, packet),
            Err(_) => self.counts.loops_seen += 1,
        }
    }

    /// The quality of the link falls only by link layer notification (RFC 6130 section 14.4).
    fn on_link_failure(&mut self, cx: &mut Context, packet: Packet, next_hop: NodeId) {
        if self.config.link_layer_notification {
            if let Some(link) = self.links.get_mut(cx.now, next_hop) {
                link.judge(&self.config, cx.now, 0.0);
                let until = link.until;
                self.links.set_until(next_hop, until);
            }
            self.look(cx, false);
        }
        give_up(cx, packet);
    }

    fn on_timer(&mut self, cx: &mut Context, timer: Timer) {
        match timer.kind {
            HELLO if self.hellos.is_present(timer) => self.send_hello(cx),
            EARLY_HELLO => self.on_early_hello(cx),
            TC if self.tcs.is_present(timer) => self.send_tc(cx),
            EARLY_TC => self.on_early_tc(cx),
            PASS_ON if self.outgoing.are_due(cx.now) => self.send(cx),
            REFRESH => self.refresh(cx),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests;
