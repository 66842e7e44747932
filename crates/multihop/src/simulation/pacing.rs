//! Hop-by-hop rate control in the nodes: what their MACs may take from the interface queues, and when.
//!
//! Every packet goes through the queue, and whenever the MAC is free the node's pacer is asked for one:
//! when a packet comes, when a next hop is heard to pass one on, when one was waited for long enough.

use super::Simulation;
use super::event::Event;
use crate::link::{HopPacer, Pacing, PacingCounters};
use crate::scenario::Scenario;
use crate::wire::{NodeId, Packet};

/// Each node's pacer.
pub type Pacers = Vec<HopPacer>;

/// The pacers of so many nodes, if the scenario asks for them.
pub fn pacers(scenario: &Scenario, nodes: usize) -> Option<Pacers> {
    let is_paced = scenario.link.pacing == Pacing::HopByHop;
    is_paced.then(|| vec![HopPacer::new(&scenario.link.hop_by_hop); nodes])
}

impl Simulation {
    /// Takes the packet that the MAC of `node` is to send next, if there is one that may go.
    pub(super) fn next_packet(&mut self, node: NodeId) -> Option<(NodeId, Packet)> {
        let this = &mut self.nodes[node.index()];
        match &mut self.pacers {
            None if this.mac.is_holding() => this.queue.pop_control(),
            None => this.queue.pop(),
            Some(pacers) => pacers[node.index()].take(self.queue.now(), &mut this.queue),
        }
    }

    /// `node` has heard neighbour `from` send `packet`.
    pub(super) fn on_neighbour_sent(&mut self, node: NodeId, from: NodeId, packet: &Packet) {
        let now = self.queue.now();
        let Some(pacers) = &mut self.pacers else { return };
        if pacers[node.index()].on_heard(now, from, packet) {
            self.serve_queue(node);
        }
    }

    /// The link from `node` to `next_hop` has failed.
    pub(super) fn on_paced_link_failure(&mut self, node: NodeId, next_hop: NodeId) {
        if let Some(pacers) = &mut self.pacers {
            pacers[node.index()].on_link_failure(next_hop);
        }
    }

    /// If the MAC of `node` is free it gets what may go, or else the node is woken when something may.
    pub(super) fn serve_queue(&mut self, node: NodeId) {
        if !self.nodes[node.index()].mac.is_free() {
            return;
        }
        let before = self.nodes[node.index()].queue.len();
        match self.next_packet(node) {
            Some((next_hop, packet)) => {
                self.on_queue_change(node, before);
                self.medium.catch_up(node, self.queue.now(), &self.timing);
                self.drive(node, |mac, cx| mac.on_packet(cx, next_hop, packet));
                self.rearm_backoff(node);
            }
            None => self.set_release(node),
        }
    }

    /// Has `node` woken when one of its waiting packets may go though nothing is heard.
    pub(super) fn set_release(&mut self, node: NodeId) {
        let Some(pacers) = &self.pacers else { return };
        let at = pacers[node.index()].first_release(&self.nodes[node.index()].queue);
        let slot = self.release_slot(node);
        match at {
            Some(at) => {
                let at = at.max(self.queue.now());
                self.timers.set(&mut self.queue, slot, at, Event::Release(node));
            }
            None => self.timers.cancel(slot),
        }
    }

    /// What all pacers did, if there are any.
    pub(super) fn pacing_counters(&self) -> Option<PacingCounters> {
        let pacers = self.pacers.as_ref()?;
        Some(pacers.iter().map(HopPacer::counters).fold(PacingCounters::default(), |all, one| {
            PacingCounters {
                heard: all.heard + one.heard,
                unheard: all.unheard + one.unheard,
                holds: all.holds + one.holds,
            }
        }))
    }
}
