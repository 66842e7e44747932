//! What programs outside the simulation send and get: the frames of each pair of nodes are a flow,
//! broadcasts belong to none.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::{Effect, Endpoints, Flow, Shared, ends_of};
use crate::capture::{Detail, Happening, NONE};
use crate::kernel::Instant;
use crate::mac::Category;
use crate::profile::Profile;
use crate::scenario::{self, FlowLoad, Scenario};
use crate::wire::udp::{Carried, Datagram, NO_FLOW, ProgramTcp};
use crate::wire::{Body, FlowId, IP_HEADER_BYTES, NodeId, Packet, ethernet};

/// Bytes of an Ethernet header: the 802.11 frame has one of its own.
const ETHERNET_HEADER_BYTES: u32 = 14;
/// IP time to live that broadcasts, and what programs route, are counted with.
const TIME_TO_LIVE: u8 = 64;
/// What the flows are called, and what they are.
const KIND: &str = "programs";

/// A frame that has arrived at the programs of a node.
#[derive(Clone, Debug)]
#[non_exhaustive]
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
#[non_exhaustive]
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
#[derive(Debug, Default)]
pub struct Programs {
    profile: Profile,
    seed: u64,
    /// Every node passes on broadcasts.
    floods: bool,
    /// By source and destination.
    flows: FxHashMap<(NodeId, NodeId), FlowId>,
    /// Broadcasts sent so far.
    broadcasts: u32,
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
        let (profile, floods) = (scenario.profile, scenario.routing.is_multi_hop());
        Programs { profile, seed, floods, ..Programs::default() }
    }

    /// Whether `node` has not had the broadcast `packet` before.
    fn is_new(&mut self, node: NodeId, packet: &Packet) -> bool {
        let number = packet.number().unwrap_or(0);
        let mut is_first = false;
        let seen = self.seen.entry((node, packet.source)).or_insert_with(|| {
            is_first = true;
            Seen { highest: number, bits: 1 }
        });
        is_first || seen.is_new(number)
    }
}

impl Endpoints {
    /// A program at `from` sends `frame`, an Ethernet frame, to node `to` by a flow that lasts
    /// until `end`, or to all. That is returned, for it is no transport's.
    pub fn on_frame(
        &mut self,
        shared: &mut Shared<'_>,
        (from, to): (NodeId, NodeId),
        frame: Arc<[u8]>,
        end: Instant,
    ) -> Option<Packet> {
        // Routing adds the IP header.
        let all = frame.len() as u32;
        let size_bytes = all.saturating_sub(ETHERNET_HEADER_BYTES + IP_HEADER_BYTES);
        let carried = Carried::of_program(frame.clone(), self.program_tcp(from, to, &frame));
        let now = shared.clock.now();
        if !to.is_broadcast() {
            let id = self.flow_of_programs((from, to), now, end)?;
            self.with_ends(shared, id, |ends, _, cx| ends.on_frame(size_bytes, carried, cx));
            return None;
        }
        let programs = self.programs.as_mut()?;
        programs.broadcasts = programs.broadcasts.wrapping_add(1);
        let (flow, number) = (NO_FLOW, programs.broadcasts);
        let datagram = Datagram { flow, number, payload_bytes: size_bytes, carried: Some(carried) };
        let packet = Packet { size_bytes, ..Packet::new(from, to, now, Body::Udp(datagram)) };
        programs.is_new(from, &packet);
        note_sent(shared, from, &packet);
        let size_bytes = size_bytes + IP_HEADER_BYTES;
        Some(Packet { size_bytes, ttl: TIME_TO_LIVE, ..packet })
    }

    /// A program at `from`, where programs route, sends `frame`, an Ethernet frame, on its way to
    /// node `to` by a flow that lasts until `end`. Returns the packet, with its IP header: routing
    /// adds nothing to it.
    pub fn on_frame_of_router(
        &mut self,
        shared: &mut Shared<'_>,
        (from, to): (NodeId, NodeId),
        frame: Arc<[u8]>,
        end: Instant,
    ) -> Option<Packet> {
        let size_bytes = (frame.len() as u32).saturating_sub(ETHERNET_HEADER_BYTES);
        let carried = Carried::of_program(frame.clone(), self.program_tcp(from, to, &frame));
        let now = shared.clock.now();
        let id = self.flow_of_programs((from, to), now, end)?;
        self.with_ends(shared, id, |ends, _, cx| ends.on_frame(size_bytes, carried, cx));
        let Some(Effect::Send(_, packet)) = shared.effects.pop() else { return None };
        note_sent(shared, from, &packet);
        Some(Packet { size_bytes, ttl: TIME_TO_LIVE, ..packet })
    }

    /// Whether `packet`, which has reached a node, is a broadcast of a program.
    #[inline]
    pub fn is_broadcast_of_program(&self, packet: &Packet) -> bool {
        self.programs.is_some() && packet.destination.is_broadcast() && packet.is_transport()
    }

    /// `packet`, a broadcast of a program, has reached `node`. Returns whether that is to pass it
    /// on.
    #[cold]
    pub fn on_broadcast(&mut self, shared: &mut Shared<'_>, node: NodeId, packet: &Packet) -> bool {
        let Some(programs) = &mut self.programs else { return false };
        let Body::Udp(Datagram { carried: Some(carried), .. }) = &packet.body else { return false };
        if !programs.is_new(node, packet) {
            return false;
        }
        let (now, floods) = (shared.clock.now(), programs.floods);
        if let Some(capture) = &mut shared.monitor.capture {
            capture.on_packet(now, Happening::Deliver, Detail::None, (node, None), packet, NONE);
        }
        self.deliver_frame(now, node, &carried.bytes);
        floods
    }

    /// Hands over the frames that have arrived, in the order of time.
    pub fn take_arrived(&mut self, take: &mut Vec<Arrived>) {
        if let Some(programs) = &mut self.programs {
            take.append(&mut programs.arrived);
        }
    }

    /// What the flows have got until now, those of programs after all others.
    pub fn so_far(&self) -> Vec<FlowSoFar> {
        let so_far = |flow: &Flow| {
            let progress = self.progress(flow);
            let Flow { id, kind, source, destination, .. } = *flow;
            let (packets, bytes) = (progress.packets, progress.bytes);
            FlowSoFar { id, kind, source, destination, packets, bytes }
        };
        self.flows.iter().map(so_far).collect()
    }

    /// A frame reaches the programs of `node`.
    pub fn deliver_frame(&mut self, at: Instant, node: NodeId, bytes: &Arc<[u8]>) {
        if let Some(programs) = &mut self.programs {
            programs.arrived.push(Arrived { node, at, bytes: bytes.clone() });
        }
    }

    /// What of TCP is in a frame from `from` to `to`. An acknowledgment is of the flow that comes
    /// the other way.
    fn program_tcp(&self, from: NodeId, to: NodeId, frame: &[u8]) -> Option<ProgramTcp> {
        match ethernet::segment(frame)? {
            ethernet::Segment::Acknowledged => Some(ProgramTcp::Acknowledged),
            ethernet::Segment::Acknowledgment => {
                let back = self.programs.as_ref()?.flows.get(&(to, from))?;
                Some(ProgramTcp::Acknowledgment(*back))
            }
        }
    }

    /// The flow of what programs at the first of `ends` send to the second.
    fn flow_of_programs(
        &mut self,
        ends: (NodeId, NodeId),
        start: Instant,
        stop: Instant,
    ) -> Option<FlowId> {
        let programs = self.programs.as_mut()?;
        let id = FlowId(self.flows.len() as u32);
        let known = *programs.flows.entry(ends).or_insert(id);
        if known == id {
            let spec = scenario::FlowSpec {
                kind: KIND,
                name: None,
                arrival: None,
                tcp: None,
                load: FlowLoad::Programs,
                source: ends.0,
                destination: ends.1,
                start,
                stop,
                shortest_hops: None,
                least_hops: None,
                class: Category::default(),
                is_two_way: false,
            };
            self.flows.push(Flow::new(id, &spec, self.ends.len(), programs.seed));
            self.ends.push(ends_of(id, &spec, None, programs.profile, programs.seed));
        }
        Some(known)
    }
}

/// The programs of `from` have sent `packet`, which no transport tells the record of.
fn note_sent(shared: &mut Shared<'_>, from: NodeId, packet: &Packet) {
    let now = shared.clock.now();
    if let Some(capture) = &mut shared.monitor.capture {
        capture.on_packet(now, Happening::Send, Detail::None, (from, None), packet, NONE);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_seen_once_in_any_order() {
        let mut seen = Seen { highest: 5, bits: 1 };
        let new = [5, 7, 6, 7, 6, 300, 299, 7, 299].map(|number| seen.is_new(number));
        assert_eq!(new, [false, true, true, false, false, true, true, false, false]);
    }
}
