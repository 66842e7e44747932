//! Which packet a node's MAC gets next, and when.
//!
//! There are three kinds. First in, first out: an idle MAC gets a packet at once. Hop-by-hop
//! pacing: every packet goes through the queue, and a flow's next packet leaves when the next hop
//! has forwarded the last one. Back-pressure: the MAC may keep data waiting while control packets
//! pass, and the node's own transports are asked for packets while its occupancy allows. The engine
//! knows only this service, not the schemes behind it.

use schemars::{Schema, SchemaGenerator};

use super::back_pressure::BackPressure;
use super::config::{LinkConfig, Pacing};
use super::hop_pacing::{self, HopPacer, PacingCounters};
use super::queue::InterfaceQueue;
use crate::kernel::Instant;
use crate::mac::config::ADMISSION_SCHEME;
use crate::mac::{AdmissionCounters, Needs, Room};
use crate::measure::PartCounts;
use crate::wire::{NodeId, Packet};

/// The service of all nodes' links.
#[derive(Debug)]
pub struct LinkService {
    /// Each node's pacer, with hop-by-hop pacing.
    pacers: Option<Vec<HopPacer>>,
    /// Back-pressure on the nodes' transports, if any.
    pub back_pressure: Option<Box<BackPressure>>,
    /// What the MACs have to be told.
    needs: Needs,
}

impl LinkService {
    /// The service of `nodes` nodes with this configuration.
    pub fn new(
        config: &LinkConfig,
        nodes: usize,
        back_pressure: Option<BackPressure>,
        needs: Needs,
    ) -> LinkService {
        let pacers = match config.pacing {
            Pacing::None => None,
            Pacing::HopByHop => Some(vec![HopPacer::new(&config.hop_by_hop); nodes]),
        };
        let is_admitting =
            back_pressure.as_ref().is_some_and(|back_pressure| back_pressure.rules().is_admitting);
        let needs = Needs {
            backlog: needs.backlog || back_pressure.is_some(),
            overhearing: needs.overhearing || is_admitting,
            order: needs.order,
        };
        LinkService { pacers, back_pressure: back_pressure.map(Box::new), needs }
    }

    /// Whether every packet goes through the queue, even if the MAC is idle.
    #[inline]
    pub fn queues_all(&self) -> bool {
        self.pacers.is_some()
    }

    /// Whether MACs have to overhear frames for others.
    pub fn overhears(&self) -> bool {
        self.queues_all() || self.needs.overhearing
    }

    /// What the MACs have to be told of packets that wait and of frames between others.
    #[inline]
    pub fn needs(&self) -> Needs {
        self.needs
    }

    /// Whether the MACs use hop-by-hop admission.
    #[inline]
    pub fn is_admitting(&self) -> bool {
        self.back_pressure.as_ref().is_some_and(|back_pressure| back_pressure.rules().is_admitting)
    }

    /// Takes the packet that the MAC of `node` sends next, if one may leave. `is_holding`: the MAC
    /// has deferred a data packet, so only control packets may. `rank`: those of the least leave
    /// first, where MACs order packets.
    #[inline]
    pub fn next(
        &mut self,
        now: Instant,
        node: NodeId,
        is_holding: bool,
        queue: &mut InterfaceQueue,
        rank: impl Fn(NodeId, &Packet) -> u64,
    ) -> Option<(NodeId, Packet)> {
        match &mut self.pacers {
            None if is_holding => queue.pop_control(),
            None if self.needs.order => {
                queue.pop_least(now, |next_hop, packet| Some(rank(next_hop, packet)))
            }
            None => queue.pop(now),
            Some(pacers) => pacers[node.index()].take(now, queue),
        }
    }

    /// Takes a packet that joins those that the MAC of `node` has in service, if one may leave: the
    /// first for the same neighbour.
    pub fn more(
        &mut self,
        now: Instant,
        node: NodeId,
        room: &Room,
        queue: &mut InterfaceQueue,
    ) -> Option<(NodeId, Packet)> {
        let is_meant = |next_hop| next_hop == room.next_hop;
        let fits = |packet: &Packet| packet.size_bytes <= room.bytes;
        let (place, (_, first)) =
            queue.packets().enumerate().find(|(_, (next_hop, _))| is_meant(*next_hop))?;
        if !fits(first) || place > 0 && !room.may_overtake {
            return None;
        }
        match &mut self.pacers {
            None => queue.pop_least(now, |next_hop, packet| {
                (is_meant(next_hop) && fits(packet)).then_some(0)
            }),
            Some(pacers) => pacers[node.index()]
                .take_if(now, queue, |next_hop, packet| is_meant(next_hop) && fits(packet)),
        }
    }

    /// When the first packet waiting at `node` may leave if nothing is overheard until then.
    pub fn first_release(&self, node: NodeId, queue: &InterfaceQueue) -> Option<Instant> {
        self.pacers.as_ref()?[node.index()].first_release(queue)
    }

    /// `node` has overheard neighbour `from` send `packet`. Returns whether that may release a
    /// packet.
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

    /// The MAC of `node` has given up `packet` for `next_hop`. Returns the packet if the link has
    /// failed; otherwise it is back in `queue`.
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
        queue.put_back(now, next_hop, packet);
        None
    }

    /// The link from `node` to `next_hop` has failed.
    pub fn on_link_failure(&mut self, node: NodeId, next_hop: NodeId) {
        if let Some(pacers) = &mut self.pacers {
            pacers[node.index()].on_link_failure(next_hop);
        }
    }

    /// `packet` begins its handover between two layers of `node`.
    #[inline]
    pub fn on_handover_begin(&mut self, node: NodeId, packet: &Packet) {
        if let Some(back_pressure) = &mut self.back_pressure {
            back_pressure.on_handover_begin(node, packet);
        }
    }

    /// The handover of `packet` between two layers of `node` is over.
    #[inline]
    pub fn on_handover_end(&mut self, node: NodeId, packet: &Packet) {
        if let Some(back_pressure) = &mut self.back_pressure {
            back_pressure.on_handover_end(node, packet);
        }
    }

    /// The schemas of what link services add to a result.
    pub fn report_schemas(generator: &mut SchemaGenerator) -> [(&'static str, Schema); 2] {
        [
            (hop_pacing::NAME, generator.subschema_for::<PacingCounters>()),
            (ADMISSION_SCHEME, generator.subschema_for::<AdmissionCounters>()),
        ]
    }

    /// Adds what the nodes' pacing has counted.
    pub fn report(&self, parts: &mut PartCounts) {
        for pacer in self.pacers.iter().flatten() {
            pacer.report(parts.of(hop_pacing::KEY, hop_pacing::NAME));
        }
    }
}

#[cfg(test)]
mod tests;
