//! A run whose time someone else keeps, and the programs outside the simulation that it serves.
//!
//! [`Simulation::run_until`] brings the network to an instant, [`Simulation::send`] has a node send
//! a frame then, and [`Simulation::take_arrived`] gives back those that have arrived. Frames are
//! opaque: they go through routing, queues, MAC and radio as datagrams of the size of what is in
//! them. One to all nodes is a broadcast of the MAC; with routing, which makes the network one link
//! to programs, every node that gets it passes it on once. Programs may also route for themselves
//! ([`Simulation::leave_routing_to_programs`]).

use std::sync::Arc;

use super::Simulation;
use super::endpoints::{Arrived, FlowSoFar};
use super::event::Event;
use crate::kernel::{Duration, Instant};
use crate::radio::StationLayout;
use crate::wire::{NodeId, Packet};

/// Nodes pass a broadcast on after a random time below this, so that those who got it from one do
/// not collide (RFC 5148, section 5.2).
const MAX_JITTER: Duration = Duration::from_millis(10);

impl Simulation {
    /// Nodes.
    pub fn node_count(&self) -> usize {
        self.stations.layout.nodes()
    }

    /// The nodes' stations.
    pub fn layout(&self) -> &StationLayout {
        &self.stations.layout
    }

    /// The instant that the network has been brought to.
    pub fn now(&self) -> Instant {
        self.clock.now()
    }

    /// The end of the run.
    pub fn end(&self) -> Instant {
        self.end
    }

    /// When something happens next, [`Instant::FAR`] if nothing does.
    pub fn next_event_at(&mut self) -> Instant {
        self.clock.next_at().min(self.next_decision())
    }

    /// Brings the network to `at`, or to the end if that is earlier. An instant before
    /// [`Simulation::now`] changes nothing.
    pub fn run_until(&mut self, at: Instant) {
        let until = at.min(self.end);
        self.clock.set_horizon(until.min(self.next_decision()));
        while self.step() || self.decide(until) {
            self.monitor.events += 1;
        }
        self.clock.reach_horizon();
        if until == self.end {
            self.stations.medium.catch_up_all(self.end);
        }
    }

    /// The run ends now.
    pub fn end_now(&mut self) {
        self.end = self.clock.now();
        self.clock.set_horizon(self.end);
        self.stations.medium.catch_up_all(self.end);
        self.endpoints.end_at(self.end);
    }

    /// A program at `from` sends `frame`, an Ethernet frame, now, to node `to` or to all; where
    /// nodes have several stations, by the station `from` to the station `to`.
    pub fn send(&mut self, from: NodeId, to: NodeId, frame: Arc<[u8]>) {
        if self.stations.layout.are_several() {
            return self.send_by_station(from, to, frame);
        }
        if self.is_router(from) && !to.is_broadcast() {
            return self.send_on_link(from, to, frame);
        }
        let (end, mut broadcast) = (self.end, None);
        self.at_ends(|endpoints, shared| {
            broadcast = endpoints.on_frame(shared, (from, to), frame, end);
        });
        if let Some(packet) = broadcast {
            self.link_send(from, NodeId::BROADCAST, packet);
        }
    }

    /// A program sends a frame by one of its node's stations: one hop, as it is.
    fn send_by_station(&mut self, from: NodeId, to: NodeId, frame: Arc<[u8]>) {
        let layout = &self.stations.layout;
        let (ends, end) = ((layout.node(from), layout.node(to)), self.end);
        let mut sent = None;
        self.at_ends(|endpoints, shared| {
            sent = match to.is_broadcast() {
                true => endpoints.on_frame(shared, ends, frame, end),
                false => endpoints.on_frame_of_router(shared, ends, frame, end),
            };
        });
        if let Some(packet) = sent {
            self.link_send(from, to, packet);
        }
    }

    /// Hands over the frames that have arrived, in the order of time.
    pub fn take_arrived(&mut self, take: &mut Vec<Arrived>) {
        self.endpoints.take_arrived(take);
    }

    /// What the flows have got until now, those of programs after all others.
    pub fn flows_so_far(&self) -> Vec<FlowSoFar> {
        self.endpoints.so_far()
    }

    /// A broadcast of a program has reached `node`.
    #[cold]
    pub(super) fn on_program_broadcast(&mut self, node: NodeId, packet: Packet) {
        let mut passes_on = false;
        self.at_ends(|endpoints, shared| passes_on = endpoints.on_broadcast(shared, node, &packet));
        if passes_on && !self.is_router(packet.source) && !self.is_router(node) {
            let jitter = self.routing.rngs[node.index()].duration_below(MAX_JITTER);
            self.hand_over((node, NodeId::BROADCAST, packet), jitter, Event::DelayedSend);
        }
    }
}

#[cfg(test)]
mod tests;
