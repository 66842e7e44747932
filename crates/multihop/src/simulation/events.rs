//! What the record of events is told, where that takes more than a line.

use super::Simulation;
use super::endpoints::Flow;
use crate::capture::pcap::Encoder;
use crate::capture::{Called, Capture, Detail, Events, Happening, MacState, NONE, Passage, Watch};
use crate::kernel::Instant;
use crate::routing::actions::DropReason;
use crate::scenario::Error;
use crate::wire::{Interface, NodeId, Packet};

impl Simulation {
    /// Records the events of `watch`.
    ///
    /// # Errors
    /// If it names a node or flow that there is not, or no time.
    pub(super) fn watch(&mut self, watch: &Watch) -> Result<(), Error> {
        let flows = &self.endpoints.flows;
        watch.check(self.stations.layout.nodes(), flows.len())?;
        let mut capture = Capture::new(watch, &self.stations.layout, self.origin.messages.clone());
        if let Some(snap) = watch.snap_bytes {
            let ends = flows.iter().map(|flow| self.endpoints.ends_of(flow));
            let forms = ends.map(|(ends, way)| ends.form(way)).collect();
            let layout = &self.stations.layout;
            let kinds = (0..layout.kinds()).map(|kind| layout.any_of_kind(Interface(kind as u8)));
            let modulations = kinds.map(|of| of.map(|one| self.stations[one].timing.modulations()));
            let modulations = modulations.map(Option::unwrap_or_default).collect();
            let encoder = Encoder::new(snap, layout.count(), modulations, forms);
            capture.keep_frames(encoder);
        }
        self.monitor.capture = Some(Box::new(capture));
        self.stations.medium.note_fates();
        Ok(())
    }

    /// What nodes and flows are called.
    fn called(&self) -> Called {
        let nodes = (0..self.stations.layout.nodes() as u32).map(NodeId);
        let names = &self.origin.names;
        let nodes = if names.is_empty() {
            Vec::new()
        } else {
            nodes.map(|node| names.told(node)).collect()
        };
        let flows = self.endpoints.flows.iter().map(|flow| flow.name.clone()).collect();
        Called::new(nodes, flows).with_stations(&self.stations.layout)
    }

    /// Tells the record of events, if there is one.
    #[inline]
    pub(super) fn note(&mut self, tell: impl FnOnce(&mut Capture, Instant)) {
        if let Some(capture) = &mut self.monitor.capture {
            tell(capture, self.clock.now());
        }
    }

    /// `node` has received transmission `number`.
    #[inline]
    pub(super) fn note_reception(&mut self, node: NodeId, number: u32) {
        if let Some(capture) = &mut self.monitor.capture {
            let now = self.clock.now();
            let sent = self.stations.medium.number_sent(number);
            let lost_to = self.stations.medium.parts_lost_to(node);
            let frame = self.stations.medium.frame(number);
            match frame.aggregate() {
                Some(aggregate) => {
                    capture.on_aggregate_reception(now, node, (sent, lost_to), aggregate);
                }
                None => capture.on_reception(now, node, sent),
            }
        }
    }

    /// The MAC of `node` has tried in vain to deliver `packet` to `next_hop`.
    pub(super) fn note_given_up(&mut self, node: NodeId, next_hop: NodeId, packet: &Packet) {
        let ends = (node, Some(next_hop));
        self.note(|capture, now| {
            capture.on_packet(now, Happening::GiveUp, Detail::None, ends, packet, NONE);
        });
    }

    /// The MAC of `node` may be in another state.
    #[cold]
    pub(super) fn note_mac(&mut self, node: NodeId) {
        let (state, retries, cw) = self.stations[node].mac.state();
        let timing = self.stations[node].timing.clone();
        let backoff = self.stations.medium.contention(node).slots_left(&timing);
        let mac = MacState { state, retries, cw, backoff };
        self.note(|capture, now| capture.on_mac(now, node, mac));
    }

    /// The link from `node` to `next_hop` is taken for broken, because of `packet`.
    pub(super) fn note_link_failure(&mut self, node: NodeId, next_hop: NodeId, packet: &Packet) {
        if self.monitor.capture.is_none() {
            return;
        }
        let detail = match self.stations.medium.is_in_reach(node, next_hop, self.clock.now()) {
            true => Detail::InRange,
            false => Detail::OutOfRange,
        };
        let ends = (node, Some(next_hop));
        self.note(|capture, now| {
            capture.on_packet(now, Happening::LinkFailure, detail, ends, packet, NONE);
        });
    }

    /// `packet` is dropped at `node`.
    pub(super) fn drop_at(&mut self, node: NodeId, packet: &Packet, why: Detail) {
        self.monitor.on_drop(packet);
        self.note(|capture, now| {
            capture.on_packet(now, Happening::Drop, why, (node, None), packet, NONE);
        });
    }

    /// The length of the queue of `node` has changed because of routing.
    pub(super) fn note_queue(&mut self, node: NodeId, before: usize) {
        let waiting = self.stations[node].queue.len();
        if waiting != before {
            self.note(|capture, now| {
                capture.on_node(now, Happening::Queue, node, None, waiting as u32);
            });
        }
    }

    /// The MAC of `node` takes `packet` for `next_hop`.
    #[inline]
    pub(super) fn note_serve(&mut self, node: NodeId, next_hop: NodeId, packet: &Packet) {
        if let Some(capture) = &mut self.monitor.capture {
            let (now, ends) = (self.clock.now(), (node, Some(next_hop)));
            let waiting = self.stations[node].queue.len() as u32;
            capture.on_packet(now, Happening::Serve, Detail::None, ends, packet, waiting);
        }
    }

    /// Packet `number` was to join the queue of `node`, which has dropped `dropped`.
    #[cold]
    pub(super) fn note_enqueue(&mut self, node: NodeId, number: u32, dropped: Option<&Packet>) {
        let Some(capture) = &mut self.monitor.capture else { return };
        let now = self.clock.now();
        let queue = &self.stations[node].queue;
        let waiting = queue.len() as u32;
        let mut waits = queue.packets();
        if let Some((next_hop, packet)) = waits.find(|(_, p)| capture.number(p) == number) {
            let ends = (node, Some(next_hop));
            capture.on_packet(now, Happening::Enqueue, Detail::None, ends, packet, waiting);
        }
        if let Some(packet) = dropped {
            let ends = (node, None);
            capture.on_packet(now, Happening::Drop, Detail::QueueFull, ends, packet, NONE);
        }
    }

    /// A packet waits at `node` for the address of `neighbour`.
    #[cold]
    pub(super) fn note_arp_wait(&mut self, node: NodeId, neighbour: NodeId) {
        let Some(capture) = &mut self.monitor.capture else { return };
        if let Some(packet) = self.stations[node].arp.held_for(neighbour) {
            let (now, ends) = (self.clock.now(), (node, Some(neighbour)));
            capture.on_packet(now, Happening::ArpWait, Detail::None, ends, packet, NONE);
        }
    }

    /// What was recorded since the last look, if anything is; what nodes hear until now is brought
    /// up to date for it.
    pub fn look(&mut self) -> Option<Passage> {
        let now = self.clock.now();
        self.stations.medium.catch_up_all(now);
        let capture = self.monitor.capture.as_mut()?;
        self.stations.medium.tell_fates(capture);
        Some(capture.look(now))
    }

    /// Everything recorded so far; nothing is recorded any more.
    pub fn take_events(&mut self) -> Option<Events> {
        let mut capture = self.monitor.capture.take()?;
        self.stations.medium.tell_fates(&mut capture);
        let ends = |flow: &Flow| (flow.source, flow.destination);
        Some(capture.finish(self.endpoints.flows.iter().map(ends).collect(), self.called()))
    }
}

impl From<DropReason> for Detail {
    fn from(reason: DropReason) -> Detail {
        match reason {
            DropReason::LinkFailure => Detail::LinkFailure,
            DropReason::NoRoute => Detail::NoRoute,
            DropReason::Loop => Detail::Loop,
            DropReason::TimeToLive => Detail::TimeToLive,
            DropReason::BufferFull => Detail::BufferFull,
            DropReason::BufferTimeout => Detail::BufferTimeout,
        }
    }
}
