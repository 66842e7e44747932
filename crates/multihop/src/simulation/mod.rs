//! A network of nodes put together and run.
//!
//! [`Simulation`] is a value: it owns all its state, so a thousand can live in one process, one a
//! thread. `build.rs` puts it together; `mod.rs` runs the loop; `station.rs` drives the MACs,
//! `service.rs` what they get to send, `stack.rs` ARP and routing, `flows.rs` the flows' ends,
//! `connections.rs` those that bring state machines of their own, `applications.rs` what feeds
//! them; `medium.rs` is the air between. `monitor.rs` counts and records, `result` is what comes
//! out.

mod aggregates;
mod applications;
mod build;
mod connections;
mod datagrams;
mod ends;
mod event;
mod events;
mod fates;
mod flows;
mod hearing;
mod medium;
mod monitor;
mod outages;
mod programs;
mod recorder;
mod result;
mod routers;
mod service;
mod stack;
mod staged;
mod station;

use std::time::Instant as WallClock;

use crate::kernel::{Deadlines, Duration, EventKey, EventQueue, Instant, Rng, Slab, Timers};
use crate::link::{Arp, InterfaceQueue, LinkService};
use crate::mac::{Dcf, Timing};
use crate::radio::Position;
use crate::routing::{Action, Layer, Timer};
use crate::scenario::Names;
use crate::traffic;
use crate::wire::{FlowId, NodeId};

use event::Event;
use flows::Flow;
use medium::Medium;
use monitor::Monitor;
use outages::Outages;
use programs::Programs;
use service::Handover;
use staged::StagedFailures;

pub use crate::measure::NodeQueueReport;
pub use hearing::{Heard, Hearing, Trail};
pub use outages::Outage;
pub use programs::{Arrived, FlowSoFar};
pub use recorder::Recording;
pub use result::{
    BottleneckReport, DataReport, EngineReport, FlowReport, FrameReport, LinkReport, RouteReport,
    RunResult, schema,
};

/// Link to interface queue, and link to node (ns-2's `LL delay_`).
const LINK_DELAY: Duration = Duration::from_micros(25);
/// ARP, and what it held, to the interface queue (ns-2's `ARPTable delay_`).
const ARP_DELAY: Duration = Duration::from_micros(5);

/// A network being simulated.
#[derive(Debug)]
pub struct Simulation {
    end: Instant,
    /// Events beyond it wait: the end, or in real time the present.
    horizon: Instant,
    queue: EventQueue<Event>,
    timers: Timers,
    /// The earliest instant at which each station's backoff can end. At that instant it comes
    /// before events.
    backoffs: Deadlines,
    /// What events refer to by number.
    pending: Pending,
    medium: Medium,
    timing: Timing,
    nodes: Vec<Node>,
    /// Which packets the MACs get, and when.
    service: LinkService,
    link: LinkRules,
    routing: RoutingLayer,
    flows: Vec<Flow>,
    /// The first of them are the scenario's, and have timers.
    timed_flows: usize,
    /// Every flow of the scenario by its source, to find those of a node.
    flows_by_source: Vec<(NodeId, FlowId)>,
    monitor: Monitor,
    /// What programs outside the simulation send and get, if there are any.
    programs: Option<Box<Programs>>,
    outages: Box<Outages>,
    origin: Origin,
}

/// One node between its radio and its routing.
#[derive(Debug)]
struct Node {
    mac: Dcf,
    queue: InterfaceQueue,
    arp: Arp,
    backoff_rng: Rng,
    routing_rng: Rng,
}

/// The nodes' routing, and a list of actions to be used again.
#[derive(Debug)]
struct RoutingLayer {
    /// The name of the scheme.
    name: &'static str,
    layer: Box<dyn Layer>,
    actions: Vec<Action>,
}

/// What lies in tables because events are small.
#[derive(Debug, Default)]
struct Pending {
    /// Packets between layers.
    handovers: Slab<Handover>,
    routing_timers: Slab<(NodeId, Timer)>,
    /// Node and neighbour of ARP requests that are repeated if no answer comes.
    arp_timers: Slab<(NodeId, NodeId)>,
    /// What an application wants done, a list to be used again.
    application: Vec<traffic::Action>,
}

/// How links resolve addresses and report failures.
#[derive(Debug)]
struct LinkRules {
    uses_arp: bool,
    /// MACs tell routing of packets that they give up.
    reports_failures: bool,
    /// Link failures that the scenario asks for.
    staged: StagedFailures,
}

/// What the result repeats of where the run came from.
#[derive(Debug)]
struct Origin {
    scenario: serde_json::Value,
    seed: u64,
    warnings: Vec<String>,
    node_numbers: Vec<u64>,
    names: Names,
    positions: Vec<Position>,
    trails: Vec<Vec<[f64; 3]>>,
}

impl Simulation {
    /// Runs at most `max_events` more events. Returns whether the run is over.
    pub fn advance(&mut self, max_events: u64) -> bool {
        let clock = WallClock::now();
        let mut over = false;
        for _ in 0..max_events {
            if !self.step() {
                // For the collisions that nobody has asked about.
                self.medium.catch_up_all(self.queue.now(), &self.timing);
                over = true;
                break;
            }
            self.monitor.events += 1;
        }
        self.monitor.wall_s += clock.elapsed().as_secs_f64();
        over
    }

    /// Runs to the end and returns the result.
    pub fn run(mut self) -> RunResult {
        while !self.advance(u64::MAX) {}
        self.result()
    }

    /// How much of the simulated time has passed, 0 to 1.
    pub fn progress(&self) -> f64 {
        (self.queue.now().as_secs_f64() / self.end.as_secs_f64()).min(1.0)
    }

    /// When something happens next, [`Instant::FAR`] if nothing does.
    #[inline]
    fn next_at(&mut self) -> Instant {
        self.queue.next_key().at.min(self.backoffs.earliest())
    }

    /// Runs the next event, or the next backoff. Returns false if there is none before the end.
    fn step(&mut self) -> bool {
        let backoff_at = self.backoffs.earliest();
        if backoff_at <= self.queue.next_key().at {
            if backoff_at > self.horizon {
                return false;
            }
            self.queue.advance_to(backoff_at);
            if let Some(owner) = self.backoffs.due() {
                self.on_backoff(NodeId(owner));
            }
            return true;
        }
        let Some((key, event)) = self.queue.peek_until(self.horizon) else { return false };
        self.run_event(key, event);
        true
    }

    /// Runs the next event of the queue; a timer's may only have to be put off.
    fn run_event(&mut self, key: EventKey, event: Event) {
        match event {
            Event::Response(node) => {
                if self.timers.on_event(&mut self.queue, response_slot(node), key) {
                    self.on_response_timeout(node);
                }
                return;
            }
            Event::Retransmission(flow) => {
                let slot = self.retransmission_slot(flow);
                if self.timers.on_event(&mut self.queue, slot, key) {
                    self.on_retransmission(flow);
                }
                return;
            }
            Event::Pacing(flow) => {
                let slot = self.pacing_slot(flow);
                if self.timers.on_event(&mut self.queue, slot, key) {
                    self.on_pacing_tick(flow);
                }
                return;
            }
            Event::AckDue(flow) => {
                let slot = self.ack_slot(flow);
                if self.timers.on_event(&mut self.queue, slot, key) {
                    self.on_ack_due(flow);
                }
                return;
            }
            Event::Deferral(node) => {
                let slot = self.deferral_slot(node);
                if self.timers.on_event(&mut self.queue, slot, key) {
                    self.on_deferral_end(node);
                }
                return;
            }
            Event::Release(node) => {
                let slot = self.release_slot(node);
                if self.timers.on_event(&mut self.queue, slot, key) {
                    self.serve_queue(node);
                }
                return;
            }
            _ => self.queue.pop(),
        };
        match event {
            Event::FrameEnd(number) => self.on_frame_end(number),
            Event::Sifs(node) => self.on_sifs(node),
            Event::Up(number) => {
                let (node, from, packet) = self.take_handover(number);
                self.on_packet_up(node, from, packet);
            }
            Event::Down(number) => {
                let (node, next_hop, packet) = self.take_handover(number);
                self.enqueue(node, next_hop, packet);
            }
            Event::DelayedSend(number) => {
                let (node, next_hop, packet) = self.take_handover(number);
                self.link_send(node, next_hop, packet);
            }
            Event::ArpAgain(number) => {
                let (node, neighbour) = self.pending.arp_timers.remove(number);
                self.ask_again(node, neighbour);
            }
            Event::Routing(number) => {
                let (node, timer) = self.pending.routing_timers.remove(number);
                self.route(node, |protocol, cx| protocol.on_timer(cx, timer));
            }
            Event::FlowStart(flow) => self.on_flow_start(flow),
            Event::FlowStop(flow) => self.on_flow_stop(flow),
            Event::Application(flow) => self.on_application_timer(flow),
            Event::HoldOver(node) => self.on_hold_over(node),
            Event::Sample => self.on_sample(),
            Event::Outage(number) => self.on_outage(number),
            Event::Response(_)
            | Event::Retransmission(_)
            | Event::Pacing(_)
            | Event::AckDue(_)
            | Event::Deferral(_)
            | Event::Release(_) => {}
        }
    }

    fn deferral_slot(&self, node: NodeId) -> usize {
        self.nodes.len() + 2 * self.timed_flows + node.index()
    }

    fn release_slot(&self, node: NodeId) -> usize {
        self.deferral_slot(node) + self.nodes.len()
    }
}

fn response_slot(node: NodeId) -> usize {
    node.index()
}
