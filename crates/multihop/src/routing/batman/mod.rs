//! B.A.T.M.A.N. IV: each node floods originator messages, and the next hop to it is the neighbour
//! through which they arrive with the best transmit quality (A. Neumann, C. Aichele, M. Lindner, S.
//! Wunderlich: draft-wunderlich-openmesh-manet-routing-00, 2008; open-mesh.org: "B.A.T.M.A.N. IV
//! (TQ) Meshing"; frames as batman-adv has them).
//!
//! Deviation: a node has no clients behind it and no gateway, so messages have no TVLVs. It is one
//! originator whose messages go by all its interfaces, in place of a further one with a single hop
//! for each: a link is measured by the messages that go over it all the same, as each echo names
//! the station that it is of. What did not come through the best neighbour is forwarded only if it
//! came from its originator, and then as a mere echo (the flag "not best next hop");
//! open-mesh.org's page has every new pair of message and neighbour forwarded.

mod config;
mod link;
pub mod message;
mod originators;
mod outgoing;
mod scheme;
mod window;

use std::sync::Arc;

pub use config::BatmanConfig;
pub use scheme::BatmanReport;

use self::link::{BEST, Link};
use self::message::{Ogm, OgmFrame};
use self::originators::Originators;
use self::outgoing::Outgoing;
use super::metric::{self, Metric};
use super::neighbour_table::NeighbourTable;
use super::relaying::{give_up, originated, relayed};
use super::{Context, DropReason, Protocol, Timer};
use crate::kernel::{Duration, Instant};
use crate::wire::{Body, Extension, NodeId, Packet};

/// Timer: the next originator message.
const ORIGINATE: &str = "originate";
/// Timer: messages that wait are due.
const SEND: &str = "send";

/// What a data packet has before it in a frame of batman-adv: the header of unicast packets and the
/// Ethernet header of the frame in it \[bytes\].
const DATA_HEADER_BYTES: u32 = 10 + 14;

/// B.A.T.M.A.N. IV on one node.
#[derive(Debug)]
pub struct Batman {
    node: NodeId,
    config: Arc<BatmanConfig>,
    /// The number of this node's last message.
    sequence: u32,
    metric: Metric,
    links: NeighbourTable<Link>,
    originators: Originators,
    outgoing: Outgoing,
    /// What the node did.
    pub counts: BatmanReport,
}

impl Batman {
    /// B.A.T.M.A.N. IV on `node`.
    pub fn new(node: NodeId, config: &Arc<BatmanConfig>) -> Batman {
        Batman {
            node,
            config: Arc::clone(config),
            sequence: 0,
            metric: Metric::default(),
            links: NeighbourTable::default(),
            originators: Originators::new(config.global_window),
            outgoing: Outgoing::default(),
            counts: BatmanReport::default(),
        }
    }

    /// The same with this metric.
    #[must_use]
    pub fn with_metric(self, metric: Metric) -> Batman {
        Batman { metric, ..self }
    }

    /// The next hop to `destination`.
    pub fn next_hop(&self, destination: NodeId) -> Option<NodeId> {
        self.originators.next_hop(destination)
    }

    /// Transmit quality to `destination`, in 255ths.
    pub fn quality(&self, destination: NodeId) -> u32 {
        self.originators.quality(destination)
    }

    /// Transmit quality of the link to `neighbour` with what its poor way back costs, in 255ths.
    pub fn link_quality(&self, now: Instant, neighbour: NodeId) -> u32 {
        let Some(link) = self.links.get(now, neighbour).map(|entry| &entry.known) else { return 0 };
        let size = self.config.local_window;
        let usual = link.tq(self.sequence, size) * link.penalty(size) / BEST;
        let (received, echoed) = (link.received(size), link.echoed(self.sequence, size));
        let told = self.metric.cost(now, usual, || metric::Link {
            sender: self.node,
            receiver: neighbour,
            received: f64::from(received) / f64::from(size),
            delivered: (received > 0).then(|| f64::from(echoed) / f64::from(received)),
            airtime: None,
            usual,
        });
        told.unwrap_or(0).min(BEST)
    }

    /// What the node did and knows.
    fn report(&self) -> BatmanReport {
        BatmanReport {
            route_changes: self.originators.changes,
            routes: self.originators.reached() as u64,
            ..self.counts.clone()
        }
    }

    /// Writes a message, and forgets who has been silent for too long.
    fn originate(&mut self, cx: &mut Context) {
        let silence = Duration::from_secs_f64(self.config.purge_timeout_s);
        let gone: Vec<NodeId> = self.links.expire(cx.now).into_iter().map(|one| one.0).collect();
        let before = Instant::ZERO + cx.now.saturating_since(Instant::ZERO + silence);
        self.originators.purge(before, &gone);
        self.sequence = self.sequence.wrapping_add(1);
        let ogm = Ogm {
            ttl: self.config.ttl,
            is_echo_only: false,
            is_direct: false,
            sequence: self.sequence,
            originator: self.node,
            previous: self.node,
            tq: BEST as u8,
        };
        self.counts.ogms_originated += 1;
        self.outgoing.hold(ogm, cx.now);
        self.send(cx);
        let spread = Duration::from_secs_f64(self.config.jitter_s);
        let jitter = cx.rng.duration_below(spread * 2);
        let at = cx.now + self.config.interval().saturating_sub(spread) + jitter;
        cx.set_timer(Timer::of(ORIGINATE), at);
    }

    /// Sends what is due, and what waits with it.
    fn send(&mut self, cx: &mut Context) {
        for frame in self.outgoing.take(cx.now, self.config.aggregated_ogms) {
            let bytes = frame.bytes();
            self.counts.frames_sent += 1;
            self.counts.control_bytes += u64::from(bytes);
            cx.broadcast(Extension::new(frame), bytes);
        }
    }

    fn on_ogm(&mut self, cx: &mut Context, ogm: &Ogm, from: NodeId) {
        let is_direct = ogm.originator == cx.stations.node(from);
        if ogm.originator == self.node {
            // It has come back: the neighbour got it from here (bidirectional link check).
            if ogm.is_direct && ogm.previous == cx.address() {
                self.link(cx.now, from).echo(ogm.sequence);
            }
            return;
        }
        if is_direct {
            self.link(cx.now, from).receive(ogm.sequence);
        }
        // Echo cancellation: it has gone through here.
        if cx.stations.node(ogm.previous) == self.node || ogm.is_echo_only {
            return;
        }
        let tq = u32::from(ogm.tq) * self.link_quality(cx.now, from) / BEST;
        let is_news = tq > 0 && self.originators.hear(cx.now, from, ogm, tq as u8);
        let is_best = is_news && self.originators.next_hop(ogm.originator) == Some(from);
        if is_best && self.originators.passes_on(ogm.originator, ogm.sequence) {
            let best = self.originators.quality(ogm.originator);
            self.pass_on(cx, ogm, from, best, false);
        } else if is_direct {
            self.pass_on(cx, ogm, from, u32::from(ogm.tq), true);
        }
    }

    fn link(&mut self, now: Instant, neighbour: NodeId) -> &mut Link {
        let life = Duration::from_secs_f64(self.config.purge_timeout_s);
        self.links.hear(now, neighbour, now + life)
    }

    /// Sends `ogm` of neighbour `from` on with this quality, less what a hop costs.
    fn pass_on(&mut self, cx: &mut Context, ogm: &Ogm, from: NodeId, tq: u32, is_echo_only: bool) {
        let rest = BEST - u32::from(self.config.hop_penalty);
        let tq = tq * rest / BEST * rest / BEST;
        let is_direct = ogm.originator == cx.stations.node(from);
        if ogm.ttl <= 1 || (tq == 0 && !is_direct) {
            return;
        }
        match is_echo_only {
            true => self.counts.echoes_forwarded += 1,
            false => self.counts.ogms_forwarded += 1,
        }
        let (ttl, previous) = (ogm.ttl - 1, from);
        let ogm = Ogm { ttl, previous, tq: tq as u8, is_echo_only, is_direct, ..*ogm };
        let wait = Duration::from_secs_f64(self.config.aggregation_s);
        let at = cx.now + cx.rng.duration_below(wait);
        self.outgoing.hold(ogm, at);
        cx.set_timer(Timer::of(SEND), at);
    }

    fn forward(&mut self, cx: &mut Context, packet: Packet) {
        match self.next_hop(packet.destination) {
            Some(next_hop) => cx.send(packet, next_hop, Duration::ZERO),
            None => cx.drop(packet, DropReason::NoRoute),
        }
    }
}

impl Protocol for Batman {
    fn may_overhear(&self) -> bool {
        false
    }

    fn on_start(&mut self, cx: &mut Context) {
        let first = cx.rng.duration_below(self.config.interval());
        cx.set_timer(Timer::of(ORIGINATE), cx.now + first);
    }

    fn on_send(&mut self, cx: &mut Context, packet: Packet) {
        let mut packet = originated(packet);
        packet.size_bytes += DATA_HEADER_BYTES;
        self.forward(cx, packet);
    }

    fn on_receive(&mut self, cx: &mut Context, packet: Packet, from: NodeId) {
        if let Body::Routing(message) = &packet.body {
            if let Some(OgmFrame(ogms)) = message.get::<OgmFrame>() {
                for ogm in ogms {
                    self.on_ogm(cx, ogm, from);
                }
            }
            return;
        }
        match relayed(cx, packet) {
            Ok(packet) => self.forward(cx, packet),
            Err(_) => self.counts.loops_seen += 1,
        }
    }

    /// What the MAC could not deliver is lost; routes know by messages alone.
    fn on_link_failure(&mut self, cx: &mut Context, packet: Packet, _: NodeId) {
        give_up(cx, packet);
    }

    fn on_timer(&mut self, cx: &mut Context, timer: Timer) {
        match timer.kind {
            ORIGINATE => self.originate(cx),
            SEND => self.send(cx),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests;
