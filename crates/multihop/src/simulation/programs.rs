//! Programs outside the simulation: the frames that they send between nodes, and a run whose time
//! someone else keeps.
//!
//! [`Simulation::run_until`] brings the network to an instant, [`Simulation::send`] has a node send
//! a frame then, and [`Simulation::take_arrived`] gives back those that have arrived. Frames are
//! opaque: they go through routing, queues, MAC and radio as datagrams of the size of what is in
//! them. One to all nodes is a broadcast of the MAC; with routing, which makes the network one link
//! to programs, every node that gets it passes it on once. Programs may also route for themselves
//! ([`Simulation::leave_routing_to_programs`]).

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::Simulation;
use super::event::Event;
use super::flows::{Ends, Flow};
use crate::capture::{Detail, Happening, NONE};
use crate::kernel::{Duration, Instant};
use crate::profile::Profile;
use crate::scenario::{self, FlowLoad, Scenario};
use crate::wire::udp::{Carried, Datagram, NO_FLOW, ProgramTcp};
use crate::wire::{Body, FlowId, IP_HEADER_BYTES, NodeId, Packet, ethernet};

/// Bytes of an Ethernet header: the 802.11 frame has one of its own.
pub(super) const ETHERNET_HEADER_BYTES: u32 = 14;
/// Nodes pass a broadcast on after a random time below this, so that those who got it from one do
/// not collide (RFC 5148, section 5.2).
const MAX_JITTER: Duration = Duration::from_millis(10);
/// IP time to live that broadcasts, and what programs route, are counted with.
pub(super) const TIME_TO_LIVE: u8 = 64;
/// What the flows are called, and what they are.
const KIND: &str = "programs";

/// A frame that has arrived at the programs of a node.
#[derive(Clone, Debug)]
pub struct Arrived {
    /// The node.
    pub node: NodeId,
    /// When.
    pub at: Instant,
    /// The frame.
    pub bytes: Arc<[u8]>,
}

/// A flow of a run that goes on.
#[derive(Clone, Copy, Debug)]
pub struct FlowSoFar {
    /// Which.
    pub id: FlowId,
    /// The kind of its table; `programs` for what programs send.
    pub kind: &'static str,
    /// From where.
    pub source: NodeId,
    /// To where.
    pub destination: NodeId,
    /// Packets that have arrived.
    pub packets: u64,
    /// What was in them \[bytes\].
    pub bytes: u64,
}

/// What programs send and get.
#[derive(Debug)]
pub struct Programs {
    profile: Profile,
    seed: u64,
    /// Every node passes on broadcasts.
    floods: bool,
    /// By source and destination.
    flows: FxHashMap<(NodeId, NodeId), FlowId>,
    /// Broadcasts sent so far.
    broadcasts: u32,
    /// By node, whether its programs route; empty if none do.
    pub(super) routers: Vec<bool>,
    /// By node and source, which broadcasts have come.
    seen: FxHashMap<(NodeId, NodeId), Seen>,
    arrived: Vec<Arrived>,
}

/// Which of the latest numbers were seen before.
#[derive(Clone, Copy, Debug)]
struct Seen {
    highest: u32,
    /// Bit i stands for `highest - i`.
    bits: u128,
}

impl Seen {
    /// Whether `number` is new. One that is older than the others by more than they are kept is
    /// not.
    fn is_new(&mut self, number: u32) -> bool {
        if let Some(ahead) = number.checked_sub(self.highest).filter(|&ahead| ahead > 0) {
            self.bits = self.bits.checked_shl(ahead).unwrap_or(0) | 1;
            self.highest = number;
            return true;
        }
        let bit = 1_u128.checked_shl(self.highest - number).unwrap_or(0);
        let is_new = bit != 0 && self.bits & bit == 0;
        self.bits |= bit;
        is_new
    }
}

impl Programs {
    /// Nothing sent yet.
    pub fn new(scenario: &Scenario, seed: u64) -> Programs {
        Programs {
            profile: scenario.profile,
            seed,
            floods: scenario.routing.is_multi_hop(),
            flows: FxHashMap::default(),
            broadcasts: 0,
            routers: Vec::new(),
            seen: FxHashMap::default(),
            arrived: Vec::new(),
        }
    }
}

impl Simulation {
    /// Nodes.
    pub fn node_count(&self) -> usize {
        self.nodes.len()
    }

    /// The instant that the network has been brought to.
    pub fn now(&self) -> Instant {
        self.queue.now()
    }

    /// The end of the run.
    pub fn end(&self) -> Instant {
        self.end
    }

    /// When something happens next, [`Instant::FAR`] if nothing does.
    pub fn next_event_at(&mut self) -> Instant {
        self.next_at()
    }

    /// Brings the network to `at`, or to the end if that is earlier. An instant before
    /// [`Simulation::now`] changes nothing.
    pub fn run_until(&mut self, at: Instant) {
        self.horizon = at.min(self.end);
        while self.step() {
            self.monitor.events += 1;
        }
        if self.horizon > self.queue.now() {
            self.queue.advance_to(self.horizon);
        }
    }

    /// The run ends now.
    pub fn end_now(&mut self) {
        self.end = self.queue.now();
        self.horizon = self.end;
        self.medium.catch_up_all(self.end, &self.timing);
        for flow in &mut self.flows {
            flow.stop = flow.stop.min(self.end);
            flow.steadiness.end_at(flow.stop);
        }
    }

    /// A program at `from` sends `frame`, an Ethernet frame, now, to node `to` or to all.
    pub fn send(&mut self, from: NodeId, to: NodeId, frame: Arc<[u8]>) {
        let now = self.queue.now();
        if self.is_router(from) && !to.is_broadcast() {
            return self.send_on_link(from, to, frame);
        }
        // Routing adds the IP header.
        let all = frame.len() as u32;
        let size_bytes = all.saturating_sub(ETHERNET_HEADER_BYTES + IP_HEADER_BYTES);
        let tcp = self.program_tcp(from, to, &frame);
        let (flow, number) = match to.is_broadcast() {
            true => (NO_FLOW, self.next_broadcast()),
            false => self.next_of_flow(from, to),
        };
        let carried = Some(Carried::of_program(frame, tcp));
        let datagram = Datagram { flow, number, payload_bytes: size_bytes, carried };
        let body = Body::Udp(datagram);
        let packet = Packet { size_bytes, ..Packet::new(from, to, now, body) };
        if !to.is_broadcast() {
            return self.send_from_transport(from, packet);
        }
        self.note(|capture, now| {
            let ends = (from, None);
            capture.on_packet(now, Happening::Send, Detail::None, ends, &packet, NONE);
        });
        let size_bytes = size_bytes + IP_HEADER_BYTES;
        let packet = Packet { size_bytes, ttl: TIME_TO_LIVE, ..packet };
        self.is_new_broadcast(from, &packet);
        self.link_send(from, NodeId::BROADCAST, packet);
    }

    /// Hands over the frames that have arrived, in the order of time.
    pub fn take_arrived(&mut self, take: &mut Vec<Arrived>) {
        if let Some(programs) = &mut self.programs {
            take.append(&mut programs.arrived);
        }
    }

    /// What the flows have got until now, those of programs after all others.
    pub fn flows_so_far(&self) -> Vec<FlowSoFar> {
        let so_far = |flow: &Flow| {
            let (packets, bytes, _) = flow.progress();
            let Flow { id, kind, source, destination, .. } = *flow;
            FlowSoFar { id, kind, source, destination, packets, bytes }
        };
        self.flows.iter().map(so_far).collect()
    }

    /// What of TCP is in a frame from `from` to `to`. An acknowledgment is of the flow that comes
    /// the other way.
    pub(super) fn program_tcp(&self, from: NodeId, to: NodeId, frame: &[u8]) -> Option<ProgramTcp> {
        match ethernet::segment(frame)? {
            ethernet::Segment::Acknowledged => Some(ProgramTcp::Acknowledged),
            ethernet::Segment::Acknowledgment => {
                let back = self.programs.as_ref()?.flows.get(&(to, from))?;
                Some(ProgramTcp::Acknowledgment(*back))
            }
        }
    }

    /// The number of the next broadcast.
    fn next_broadcast(&mut self) -> u32 {
        let Some(programs) = &mut self.programs else { return 0 };
        programs.broadcasts = programs.broadcasts.wrapping_add(1);
        programs.broadcasts
    }

    /// The flow of what programs at `from` send to `to`, and the number of their next packet.
    pub(super) fn next_of_flow(&mut self, from: NodeId, to: NodeId) -> (FlowId, u32) {
        let Some(programs) = &mut self.programs else { return (NO_FLOW, 0) };
        let id = *programs.flows.entry((from, to)).or_insert_with(|| {
            let id = FlowId(self.flows.len() as u32);
            let spec = scenario::Flow {
                kind: KIND,
                name: None,
                arrival: None,
                tcp: None,
                load: FlowLoad::Programs,
                source: from,
                destination: to,
                start: self.queue.now(),
                stop: self.end,
                shortest_hops: None,
                least_hops: None,
                is_two_way: false,
            };
            self.flows.push(Flow::new(id.0, &spec, programs.profile, programs.seed));
            id
        });
        match &mut self.flows[id.index()].ends {
            Ends::Udp { sent, .. } => (id, std::mem::replace(sent, sent.wrapping_add(1))),
            Ends::Tcp { .. } | Ends::Connected { .. } => (id, 0),
        }
    }

    /// `datagram`, in `packet`, has arrived at its destination with the frame of a program.
    #[cold]
    pub(super) fn on_program_packet(
        &mut self,
        packet: &Packet,
        datagram: &Datagram,
        frame: &Arc<[u8]>,
    ) {
        let now = self.queue.now();
        if let Some(flow) = self.flows.get_mut(datagram.flow.index()) {
            let bytes = datagram.payload_bytes + IP_HEADER_BYTES;
            if let Ends::Udp { received, .. } = &mut flow.ends
                && received.on_arrival(datagram.number, bytes)
            {
                flow.arrivals.count(now, packet);
                flow.steadiness.note(now, flow.progress().1);
            }
        }
        self.deliver(packet.destination, frame);
    }

    /// A broadcast of a program has reached `node`.
    #[cold]
    pub(super) fn on_program_broadcast(&mut self, node: NodeId, packet: Packet) {
        let Body::Udp(Datagram { carried: Some(carried), .. }) = &packet.body else { return };
        if !self.is_new_broadcast(node, &packet) {
            return;
        }
        self.note(|capture, now| {
            let ends = (node, None);
            capture.on_packet(now, Happening::Deliver, Detail::None, ends, &packet, NONE);
        });
        self.deliver(node, &carried.bytes);
        let goes_on = !self.is_router(packet.source) && !self.is_router(node);
        if goes_on && self.programs.as_ref().is_some_and(|programs| programs.floods) {
            let jitter = self.nodes[node.index()].routing_rng.duration_below(MAX_JITTER);
            self.hand_over((node, NodeId::BROADCAST, packet), jitter, Event::DelayedSend);
        }
    }

    /// Whether `node` has not had the broadcast `packet` before.
    fn is_new_broadcast(&mut self, node: NodeId, packet: &Packet) -> bool {
        let Some(programs) = &mut self.programs else { return false };
        let number = packet.number().unwrap_or(0);
        let mut is_first = false;
        let seen = programs.seen.entry((node, packet.source)).or_insert_with(|| {
            is_first = true;
            Seen { highest: number, bits: 1 }
        });
        is_first || seen.is_new(number)
    }

    /// The device of `node` gets `bytes`, a frame.
    pub(super) fn deliver(&mut self, node: NodeId, bytes: &Arc<[u8]>) {
        let at = self.queue.now();
        if let Some(programs) = &mut self.programs {
            programs.arrived.push(Arrived { node, at, bytes: bytes.clone() });
        }
    }
}

#[cfg(test)]
mod tests;
