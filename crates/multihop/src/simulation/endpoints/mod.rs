//! The endpoints of flows: what their transports have at both ends, the applications over them, and
//! programs outside the simulation.
//!
//! What happens to a flow comes in by its number; what follows is left as [`Effect`]s, which
//! [`Endpoints`] knows nothing more of. Transports are behind one trait, [`Ends`], with a file for
//! each kind; `flow.rs` is what all flows have, `programs.rs` what programs send.

mod connection;
mod datagrams;
mod ends;
mod flow;
mod programs;
mod tcp;
mod udp;

use crate::capture::{Detail, Happening, NONE};
use crate::kernel::Instant;
use crate::measure::Progress;
use crate::profile::Profile;
use crate::scenario::{self, FlowLoad};
use crate::traffic::{self, Application, Way};
use crate::transport::Setting;
use crate::wire::{Body, FlowId, NodeId, Packet};

use super::clock::Clock;
use super::event::FlowTimer;
use super::monitor::Monitor;
use connection::ConnectionEnds;
use ends::EndsContext;
use tcp::TcpEnds;
use udp::{FrameEnds, UdpEnds};

pub use ends::{Effect, Ends, SenderStatus};
pub use flow::Flow;
pub use programs::{Arrived, FlowSoFar, Programs};

/// All flows and their ends.
#[derive(Debug)]
pub struct Endpoints {
    /// The scenario's, then those of programs, which have no timers.
    pub flows: Vec<Flow>,
    ends: Vec<Box<dyn Ends>>,
    /// Every flow of the scenario by its source, to find those of a node.
    by_source: Vec<(NodeId, FlowId)>,
    /// What programs send and get, if there are any.
    programs: Option<Box<Programs>>,
    /// Lists to be used again: of what an application wants, and of effects, as many as were in use
    /// at once.
    actions: Vec<traffic::Action>,
    spare: Vec<Vec<Effect>>,
}

/// What the endpoints share with the rest of a run, and where they leave what follows.
#[derive(Debug)]
pub struct Shared<'a> {
    /// Time and timers.
    pub clock: &'a mut Clock,
    /// What counts and records.
    pub monitor: &'a mut Monitor,
    /// What follows, in order.
    pub effects: &'a mut Vec<Effect>,
}

impl Endpoints {
    /// The flows of a scenario, which have not started, and `programs`, if there are any.
    pub fn new(
        specs: &[scenario::FlowSpec],
        profile: Profile,
        seed: u64,
        programs: Option<Programs>,
    ) -> Endpoints {
        let (mut flows, mut ends) = (Vec::with_capacity(specs.len()), Vec::new());
        for (id, spec) in (0..).map(FlowId).zip(specs) {
            if spec.load != FlowLoad::Answers {
                let next = specs.get(id.index() + 1);
                let back = next.filter(|next| next.load == FlowLoad::Answers);
                ends.push(ends_of(id, spec, back, profile, seed));
            }
            flows.push(Flow::new(id, spec, ends.len() - 1, seed));
        }
        let mut by_source: Vec<_> = flows.iter().map(|flow| (flow.source, flow.id)).collect();
        by_source.sort_unstable();
        let programs = programs.map(Box::new);
        Endpoints { flows, ends, by_source, programs, actions: Vec::new(), spare: Vec::new() }
    }

    /// What the transport of `flow` has at its ends, and which of its flows it is.
    pub fn ends_of(&self, flow: &Flow) -> (&dyn Ends, Way) {
        (&*self.ends[flow.ends], flow.way())
    }

    /// The source and the destination of `packet`, whoever carries it, if it is a flow's.
    pub fn ends_of_packet(&self, packet: &Packet) -> Option<(NodeId, NodeId)> {
        let (id, is_back) = match &packet.body {
            Body::Tcp(segment) => (segment.flow, segment.is_ack()),
            Body::Udp(datagram) => (datagram.flow, datagram.is_answer()),
            _ => return None,
        };
        let flow = self.flows.get(id.index())?;
        let (source, destination) = (flow.source, flow.destination);
        Some(if is_back { (destination, source) } else { (source, destination) })
    }

    /// How far `flow` is.
    pub fn progress(&self, flow: &Flow) -> Progress {
        self.ends[flow.ends].progress(flow.way())
    }

    /// What the sender of `flow` knows and has done; none without a window.
    pub fn sender_status(&self, flow: &Flow) -> Option<SenderStatus> {
        self.ends[flow.ends].sender_status(flow.way())
    }

    /// Applies `setting` to the sender of flow `id`. Returns whether that can be.
    pub fn apply(&mut self, id: FlowId, setting: Setting) -> bool {
        let flow = &self.flows[id.index()];
        self.ends[flow.ends].apply(flow.way(), setting)
    }

    /// Segments or datagrams that flow `id` has sent.
    pub fn sent(&self, id: FlowId) -> u64 {
        let flow = &self.flows[id.index()];
        self.ends[flow.ends].sent(flow.way())
    }

    /// Flow `id` starts.
    pub fn on_start(&mut self, shared: &mut Shared<'_>, id: FlowId) {
        self.with_ends(shared, id, |ends, way, cx| {
            if way == Way::Forth {
                ends.on_start(cx);
            }
        });
        shared.effects.push(Effect::Started(id));
    }

    /// The flow stops, unless it has.
    pub fn on_stop(&mut self, shared: &mut Shared<'_>, id: FlowId) {
        let now = shared.clock.now();
        let flow = &mut self.flows[id.index()];
        if flow.at_stop.is_none() {
            flow.at_stop = Some(self.ends[flow.ends].tally(flow.way(), now));
            self.with_ends(shared, id, |ends, way, cx| ends.on_stop(way, cx));
        }
    }

    /// A timer of flow `id` has expired.
    pub fn on_timer(&mut self, shared: &mut Shared<'_>, id: FlowId, timer: FlowTimer) {
        self.with_ends(shared, id, |ends, way, cx| ends.on_timer(way, timer, cx));
    }

    /// The node of the source of flow `id` has room for a packet.
    pub fn on_room(&mut self, shared: &mut Shared<'_>, id: FlowId) {
        self.with_ends(shared, id, |ends, way, cx| ends.on_room(way, cx));
    }

    /// A packet of flow `id` has to wait at `node` for room, or has waited and leaves.
    pub fn on_held(&mut self, id: FlowId, node: NodeId, is_held: bool) {
        let flow = &self.flows[id.index()];
        if node == flow.destination {
            self.ends[flow.ends].on_acknowledgment_held(flow.way(), is_held);
        }
    }

    /// Routing at `node` has lost its route to `destination`.
    pub fn on_route_error(&mut self, shared: &mut Shared<'_>, node: NodeId, destination: NodeId) {
        let first = self.by_source.partition_point(|&(source, _)| source < node);
        for place in first..self.by_source.len() {
            let (source, id) = self.by_source[place];
            if source != node {
                break;
            }
            let flow = &self.flows[id.index()];
            let lives = flow.start <= shared.clock.now() && flow.at_stop.is_none();
            if lives && flow.destination == destination {
                self.with_ends(shared, id, |ends, way, cx| ends.on_route_error(way, cx));
            }
        }
    }

    /// Routing at `node` looks for a route to `destination`.
    pub fn on_discovery(&mut self, node: NodeId, destination: NodeId) {
        for flow in &mut self.flows {
            let ends = (flow.source, flow.destination);
            flow.discoveries +=
                u64::from(ends == (node, destination) || ends == (destination, node));
        }
    }

    /// A packet for transport has arrived at its destination.
    pub fn on_arrival(&mut self, shared: &mut Shared<'_>, packet: &Packet) {
        let now = shared.clock.now();
        shared.monitor.fingerprint.add(now.as_nanos());
        if let Some(capture) = &mut shared.monitor.capture {
            let ends = (packet.destination, None);
            capture.on_packet(now, Happening::Deliver, Detail::None, ends, packet, NONE);
        }
        let (id, frame) = match &packet.body {
            Body::Tcp(segment) => (segment.flow, None),
            Body::Udp(datagram) => {
                let carried = datagram.carried.as_ref();
                (datagram.flow, carried.filter(|carried| carried.is_of_program()))
            }
            // Routing and ARP packets end in their own layers.
            _ => return,
        };
        if id.index() < self.flows.len() {
            self.with_ends(shared, id, |ends, way, cx| ends.on_arrival(way, packet, cx));
        }
        if let Some(frame) = frame {
            self.deliver_frame(now, packet.destination, &frame.bytes);
        }
    }

    /// The application of flow `id`, which has started, is called.
    pub fn start_application(&mut self, shared: &mut Shared<'_>, id: FlowId) {
        self.with_application(shared, id, |application, now, out| application.on_start(now, out));
    }

    /// A timer of the application of flow `id` has expired.
    pub fn on_application_timer(&mut self, shared: &mut Shared<'_>, id: FlowId) {
        self.with_application(shared, id, |application, now, out| application.on_timer(now, out));
    }

    /// A message of the application of flow `id` has arrived whole.
    pub fn on_delivered(&mut self, shared: &mut Shared<'_>, id: FlowId, way: Way) {
        self.with_application(shared, id, |application, now, out| {
            application.on_delivered(now, way, out);
        });
    }

    /// The run ends at `end`, earlier than it was to.
    pub fn end_at(&mut self, end: Instant) {
        for flow in &mut self.flows {
            flow.stop = flow.stop.min(end);
            flow.steadiness.end_at(flow.stop);
        }
    }

    /// A list for effects, to be given back empty.
    pub fn take_spare(&mut self) -> Vec<Effect> {
        self.spare.pop().unwrap_or_default()
    }

    /// Keeps `effects`, which have been carried out, for others.
    pub fn give_spare(&mut self, effects: Vec<Effect>) {
        self.spare.push(effects);
    }

    /// Calls what the transport of flow `id` has at its ends.
    fn with_ends(
        &mut self,
        shared: &mut Shared<'_>,
        id: FlowId,
        call: impl FnOnce(&mut dyn Ends, Way, &mut EndsContext<'_>),
    ) {
        let Shared { clock, monitor, effects } = shared;
        let flow = &self.flows[id.index()];
        let (ends, way) = (&mut *self.ends[flow.ends], flow.way());
        call(ends, way, &mut EndsContext { clock, monitor, flows: &mut self.flows, effects });
    }

    /// Calls the application of flow `id`, if it has one and has not stopped, and does what it
    /// wants.
    fn with_application(
        &mut self,
        shared: &mut Shared<'_>,
        id: FlowId,
        call: impl FnOnce(&mut dyn Application, Instant, &mut Vec<traffic::Action>),
    ) {
        let now = shared.clock.now();
        let flow = &mut self.flows[id.index()];
        if now >= flow.stop || flow.at_stop.is_some() {
            return;
        }
        let Some(application) = &mut flow.application else { return };
        let mut actions = std::mem::take(&mut self.actions);
        call(&mut **application, now, &mut actions);
        for action in actions.drain(..) {
            self.do_for_application(shared, id, action);
        }
        self.actions = actions;
    }

    fn do_for_application(&mut self, shared: &mut Shared<'_>, id: FlowId, action: traffic::Action) {
        let now = shared.clock.now();
        let flow = &mut self.flows[id.index()];
        match action {
            traffic::Action::Wait(until) => shared.effects.push(Effect::Wait(id, until)),
            traffic::Action::Send { way, bytes } => {
                self.with_ends(shared, id, |ends, _, cx| ends.on_supply(way, bytes, cx));
            }
            traffic::Action::Begin { bytes } => {
                if self.ends[flow.ends].is_reliable() {
                    flow.transfers.begin(now, bytes);
                }
            }
            traffic::Action::Complete => flow.transfers.complete(now),
            traffic::Action::Done => {
                let next = self.flows.get(id.index() + 1);
                let back = next.filter(|next| next.answers == Some(id)).map(|next| next.id);
                for id in [Some(id), back].into_iter().flatten() {
                    let flow = &mut self.flows[id.index()];
                    flow.stop = now;
                    flow.steadiness.end_at(now);
                    self.on_stop(shared, id);
                }
            }
        }
    }
}

/// What the transport of flow `id` has at its ends, with those of the flow `back` that carries the
/// answers, if there is one.
fn ends_of(
    id: FlowId,
    spec: &scenario::FlowSpec,
    back: Option<&scenario::FlowSpec>,
    profile: Profile,
    seed: u64,
) -> Box<dyn Ends> {
    match &spec.tcp {
        _ if spec.load == FlowLoad::Programs => Box::new(FrameEnds::new(id)),
        None => Box::new(UdpEnds::new(id)),
        Some(config) if config.has_connection() => {
            Box::new(ConnectionEnds::new(id, (spec, config), back.is_some(), seed))
        }
        Some(config) => {
            let back = back.and_then(|spec| Some((spec, spec.tcp.as_ref()?)));
            Box::new(TcpEnds::new(id, (spec, config), back, profile, seed))
        }
    }
}

#[cfg(test)]
mod tests;
