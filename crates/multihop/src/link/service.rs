//! Which packet a node's MAC gets next, and when.
//!
//! Three kinds: first in, first out, where an idle MAC gets a packet at once; paced by hop, where every
//! packet goes through the queue and a flow's next one leaves when its next hop has passed the last one
//! on; and held for room, where the MAC may keep data waiting while control packets go on, and the
//! node's own transports are asked for packets while there is room. The engine knows this one service,
//! none of the schemes behind it.

use schemars::{Schema, SchemaGenerator};
use serde_json::Value;

use super::back_pressure::BackPressure;
use super::config::{LinkConfig, Pacing};
use super::hop_pacing::{self, HopPacer, PacingCounters};
use super::queue::InterfaceQueue;
use crate::kernel::Instant;
use crate::mac::{AdmissionCounters, admission};
use crate::wire::{NodeId, Packet};

/// The service of all nodes' links.
#[derive(Debug)]
pub struct LinkService {
    /// Each node's pacer, if flows are paced hop by hop.
    pacers: Option<Vec<HopPacer>>,
    /// Room in the nodes, if transports are told of it.
    pub back_pressure: Option<Box<BackPressure>>,
}

impl LinkService {
    /// The service of `nodes` nodes with these keys.
    pub fn new(
        config: &LinkConfig,
        nodes: usize,
        back_pressure: Option<BackPressure>,
    ) -> LinkService {
        let pacers = match config.pacing {
            Pacing::None => None,
            Pacing::HopByHop => Some(vec![HopPacer::new(&config.hop_by_hop); nodes]),
        };
        LinkService { pacers, back_pressure: back_pressure.map(Box::new) }
    }

    /// Whether every packet goes through the queue, even if the MAC is idle.
    #[inline]
    pub fn queues_all(&self) -> bool {
        self.pacers.is_some()
    }

    /// Whether MACs have to listen to frames for others.
    pub fn overhears(&self) -> bool {
        self.queues_all() || self.is_admitting()
    }

    /// Whether the MACs keep admission hop by hop.
    #[inline]
    pub fn is_admitting(&self) -> bool {
        self.back_pressure.as_ref().is_some_and(|room| room.rules().is_admitting)
    }

    /// Takes the packet that the MAC of `node` is to send next, if one may go. `is_holding`: the MAC
    /// keeps a data packet waiting, so that only control packets may.
    #[inline]
    pub fn next(
        &mut self,
        now: Instant,
        node: NodeId,
        is_holding: bool,
        queue: &mut InterfaceQueue,
    ) -> Option<(NodeId, Packet)> {
        match &mut self.pacers {
            None if is_holding => queue.pop_control(),
            None => queue.pop(),
            Some(pacers) => pacers[node.index()].take(now, queue),
        }
    }

    /// When the first of the packets waiting at `node` may go though nothing is heard.
    pub fn first_release(&self, node: NodeId, queue: &InterfaceQueue) -> Option<Instant> {
        self.pacers.as_ref()?[node.index()].first_release(queue)
    }

    /// `node` has heard neighbour `from` send `packet`. Returns whether a packet may go that might not.
    #[inline]
    pub fn on_heard(&mut self, now: Instant, node: NodeId, from: NodeId, packet: &Packet) -> bool {
        let pacers = self.pacers.as_mut();
        pacers.is_some_and(|pacers| pacers[node.index()].on_heard(now, from, packet))
    }

    /// `node` has decoded a frame of neighbour `from`: one for it, or one that it overhears.
    #[inline]
    pub fn on_decoded(&mut self, now: Instant, node: NodeId, from: NodeId) {
        if let Some(pacers) = &mut self.pacers {
            pacers[node.index()].on_decoded(now, from);
        }
    }

    /// The MAC of `node` has given up `packet` for `next_hop`. Returns the packet if the link has failed;
    /// otherwise it is back in `queue`.
    pub fn on_undelivered(
        &mut self,
        now: Instant,
        node: NodeId,
        next_hop: NodeId,
        packet: Packet,
        queue: &mut InterfaceQueue,
    ) -> Option<Packet> {
        let pacers = self.pacers.as_mut();
        if !pacers.is_some_and(|pacers| pacers[node.index()].keeps(now, next_hop, &packet)) {
            return Some(packet);
        }
        queue.put_back(next_hop, packet);
        None
    }

    /// The link from `node` to `next_hop` has failed.
    pub fn on_link_failure(&mut self, node: NodeId, next_hop: NodeId) {
        if let Some(pacers) = &mut self.pacers {
            pacers[node.index()].on_link_failure(next_hop);
        }
    }

    /// `packet` begins its way between two layers of `node`.
    #[inline]
    pub fn on_handover_begin(&mut self, node: NodeId, packet: &Packet) {
        if let Some(room) = &mut self.back_pressure {
            room.on_handover_begin(node, packet);
        }
    }

    /// `packet` has come from one layer of `node` to another.
    #[inline]
    pub fn on_handover_end(&mut self, node: NodeId, packet: &Packet) {
        if let Some(room) = &mut self.back_pressure {
            room.on_handover_end(node, packet);
        }
    }

    /// The schemas of what link services add to a result.
    pub fn report_schemas(generator: &mut SchemaGenerator) -> [(&'static str, Schema); 2] {
        [
            (hop_pacing::NAME, generator.subschema_for::<PacingCounters>()),
            (admission::SCHEME, generator.subschema_for::<AdmissionCounters>()),
        ]
    }

    /// What pacing did in all nodes, and what a result calls it.
    pub fn report(&self) -> Option<(&'static str, Value)> {
        let pacers = self.pacers.as_ref()?;
        let all =
            pacers.iter().map(HopPacer::counters).fold(PacingCounters::default(), |all, one| {
                PacingCounters {
                    heard: all.heard + one.heard,
                    unheard: all.unheard + one.unheard,
                    holds: all.holds + one.holds,
                    kept: all.kept + one.kept,
                }
            });
        let counters = serde_json::to_value(all).expect("counters are plain data");
        Some((hop_pacing::NAME, counters))
    }
}
