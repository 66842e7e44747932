//! A network of nodes put together and run.
//!
//! [`Simulation`] is a value: it owns all its state, so a thousand can live in one process, one a
//! thread. `build.rs` puts it together; `mod.rs` runs the loop. `clock.rs` has time and what is to
//! come, `stations.rs` the stations with the `medium.rs` between them, `endpoints/` the flows'
//! ends, `flows.rs` what passes between those and the stack. `station.rs` drives the MACs,
//! `service.rs` what they get to send, `stack.rs` ARP and routing. `monitor.rs` counts and records,
//! `result` is what comes out.

mod aggregates;
mod build;
mod cells;
mod clock;
mod endpoints;
mod energy;
mod event;
mod events;
mod fates;
mod flows;
mod hearing;
mod medium;
mod monitor;
mod next_hops;
mod outages;
mod programs;
mod recorder;
mod result;
mod routers;
mod sampling;
mod service;
mod stack;
mod staged;
mod station;
mod stations;
mod steering;
mod wires;

use std::time::Instant as WallClock;

use crate::kernel::{Duration, Instant, Rng, Slab};
use crate::link::LinkService;
use crate::radio::Position;
use crate::routing::{self, Action, Layer};
use crate::scenario::Names;
use crate::wire::NodeId;

use cells::Cells;
use clock::{Clock, Due};
use endpoints::Endpoints;
use energy::Batteries;
use event::{Event, Timer};
use monitor::Monitor;
use outages::Outages;
use service::Handover;
use staged::StagedFailures;
use stations::Stations;
use steering::PolicyAgents;
use wires::Wires;

pub use crate::measure::NodeQueueReport;
pub use cells::ClientReport;
pub use endpoints::{Arrived, FlowSoFar};
pub use energy::EnergyReport;
pub use hearing::{Heard, Hearing, Trail};
pub use outages::Outage;
pub use recorder::Recording;
pub use result::{
    BottleneckReport, DataReport, EngineReport, FlowReport, FrameReport, LinkReport, RouteReport,
    RunResult, schema,
};
pub use steering::Steering;
pub use wires::WireReport;

/// Link to interface queue, and link to node (ns-2's `LL delay_`).
const LINK_DELAY: Duration = Duration::from_micros(25);
/// ARP, and what it held, to the interface queue (ns-2's `ARPTable delay_`).
const ARP_DELAY: Duration = Duration::from_micros(5);

/// A network being simulated.
#[derive(Debug)]
pub struct Simulation {
    end: Instant,
    clock: Clock,
    /// What events refer to by number.
    pending: Pending,
    /// What is below routing, and the medium.
    stations: Stations,
    /// Which packets the MACs get, and when.
    service: LinkService,
    link: LinkRules,
    routing: RoutingLayer,
    endpoints: Endpoints,
    monitor: Monitor,
    outages: Box<Outages>,
    /// The nodes' batteries, if energy is counted.
    batteries: Option<Box<Batteries>>,
    /// Access points and clients, if there are any.
    cells: Option<Box<Cells>>,
    /// Wires, if there are any.
    wires: Option<Box<Wires>>,
    /// The scenario's agents.
    policies: Vec<PolicyAgents>,
    origin: Origin,
}

/// The nodes' routing, and a list of actions to be used again.
#[derive(Debug)]
struct RoutingLayer {
    /// The name of the scheme.
    name: &'static str,
    layer: Box<dyn Layer>,
    /// Each node's random stream.
    rngs: Vec<Rng>,
    /// The station that the present call of a protocol is about.
    station: NodeId,
    /// By node, whether its programs route; empty if none do.
    routers: Vec<bool>,
    actions: Vec<Action>,
}

/// What lies in tables because events are small.
#[derive(Debug, Default)]
struct Pending {
    /// Packets between layers.
    handovers: Slab<Handover>,
    routing_timers: Slab<(NodeId, routing::Timer)>,
    /// Node and neighbour of ARP requests that are repeated if no answer comes.
    arp_timers: Slab<(NodeId, NodeId)>,
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
    messages: Vec<&'static str>,
    positions: Vec<Position>,
    trails: Vec<Vec<[f64; 3]>>,
}

impl Simulation {
    /// Runs at most `max_events` more events. Returns whether the run is over.
    pub fn advance(&mut self, max_events: u64) -> bool {
        let started = WallClock::now();
        let mut over = false;
        for _ in 0..max_events {
            if !self.step() && self.is_over() {
                over = true;
                break;
            }
            self.monitor.events += 1;
        }
        self.monitor.wall_s += started.elapsed().as_secs_f64();
        over
    }

    /// Nothing is left before the horizon. Returns whether no agent decides any more, either.
    #[cold]
    #[inline(never)]
    fn is_over(&mut self) -> bool {
        let is_over = !self.decide(self.end);
        if is_over {
            // For the collisions that nobody has asked about.
            self.stations.medium.catch_up_all(self.clock.now());
        }
        is_over
    }

    /// Runs to the end and returns the result.
    pub fn run(mut self) -> RunResult {
        while !self.advance(u64::MAX) {}
        self.result()
    }

    /// How much of the simulated time has passed, 0 to 1.
    pub fn progress(&self) -> f64 {
        (self.clock.now().as_secs_f64() / self.end.as_secs_f64()).min(1.0)
    }

    /// Runs what is due next. Returns false if there is nothing before the end.
    fn step(&mut self) -> bool {
        match self.clock.next() {
            None => return false,
            Some(Due::Backoff(node)) => self.on_backoff(node),
            Some(Due::Timer(timer)) => self.on_timer(timer),
            Some(Due::Event(event)) => self.on_event(event),
            Some(Due::Nothing) => {}
        }
        true
    }

    // Calls of their own would cost 2 % of a run.
    #[inline(always)]
    fn on_timer(&mut self, timer: Timer) {
        match timer {
            Timer::Response(node) => self.on_response_timeout(node),
            Timer::Deferral(node) => self.on_deferral_end(node),
            Timer::Release(node) => self.serve_queue(node),
            Timer::Flow(flow, timer) => {
                self.at_ends(|ends, shared| ends.on_timer(shared, flow, timer));
            }
        }
    }

    #[inline(always)]
    fn on_event(&mut self, event: Event) {
        match event {
            Event::Timer(timer) => self.on_timer(timer),
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
            Event::Sweep => self.sweep(),
            Event::FlowStart(flow) => self.at_ends(|ends, shared| ends.on_start(shared, flow)),
            Event::FlowStop(flow) => self.at_ends(|ends, shared| ends.on_stop(shared, flow)),
            Event::Application(flow) => {
                self.at_ends(|ends, shared| ends.on_application_timer(shared, flow));
            }
            Event::HoldOver(node) => self.on_hold_over(node),
            Event::Sample => self.on_sample(),
            Event::Battery(node) => self.on_battery(node),
            Event::Outage(number) => self.on_outage(number),
            Event::Cell(station) => self.on_cell(station),
            Event::Wire(number) => self.on_wire_arrival(number),
        }
    }
}
