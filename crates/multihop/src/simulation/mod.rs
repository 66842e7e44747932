//! A network of nodes put together and run.
//!
//! [`Simulation`] is a value: it owns all its state, so a thousand can live in one process, one a
//! thread. `mod.rs` builds it and runs the loop; `station.rs` drives the MACs, `stack.rs` what is above
//! them, `flows.rs` the flows' ends; `medium.rs` is the air between.

mod event;
mod flows;
mod medium;
mod pacing;
mod paths;
mod queues;
mod recording;
mod result;
mod room;
mod stack;
mod staged;
mod station;

use std::time::Instant as WallClock;

use crate::kernel::{Duration, EventKey, EventQueue, Instant, Purpose, Rng, Slab, Timers};
use crate::link::{Arp, InterfaceQueue, Pacing, QueueDiscipline};
use crate::mac::config::MacScheme;
use crate::mac::{Dcf, Timing};
use crate::measure::{DataCounters, Fingerprint, MacCounters, RoutingCounters};
use crate::radio::{Hearers, MovingNeighbours, Neighbours, Position, Reach};
use crate::routing::aodv::Aodv;
use crate::routing::ccar::{CentralPaths, Centre, Demanded};
use crate::routing::dsr::Dsr;
use crate::routing::multipath::{MultipathAodv, PathPolicy};
use crate::routing::{Action, Agent, Connection, FixedRoutes, Shared, Timer};
use crate::scenario::{self, Error, Network, Routing, Scenario};
use crate::wire::{FlowId, NodeId, Packet};

use event::Event;
use flows::Flow;
use medium::Medium;
use pacing::Pacers;
use paths::PathLog;
use queues::QueueMeters;
use recording::{QueueMeter, Recorder};
use room::Room;
use staged::StagedFailures;

pub use paths::{PathReport, PathTotals};
pub use queues::NodeQueueReport;
pub use recording::Recording;
pub use result::{
    BottleneckReport, DataReport, EngineReport, FlowReport, FrameReport, LinkReport, RouteReport,
    RunResult,
};

/// Link to interface queue, and link to node (ns-2's `LL delay_`).
const LINK_DELAY: Duration = Duration::from_micros(25);
/// ARP, and what it held, to the interface queue (ns-2's `ARPTable delay_`).
const ARP_DELAY: Duration = Duration::from_micros(5);

/// A packet on its way between a node's layers, with the neighbour it goes to or comes from.
type Handover = (NodeId, NodeId, Packet);

/// One node above its radio.
#[derive(Debug)]
struct Node {
    mac: Dcf,
    queue: InterfaceQueue,
    arp: Arp,
    routing: Agent,
    backoff_rng: Rng,
    routing_rng: Rng,
}

/// A network being simulated.
#[derive(Debug)]
pub struct Simulation {
    end: Instant,
    queue: EventQueue<Event>,
    timers: Timers,
    /// Packets between layers.
    handovers: Slab<Handover>,
    routing_timers: Slab<(NodeId, Timer)>,
    /// Node and neighbour of ARP requests that are repeated if no answer comes.
    arp_timers: Slab<(NodeId, NodeId)>,
    medium: Medium,
    timing: Timing,
    use_arp: bool,
    /// MACs tell routing of packets that they give up.
    reports_failures: bool,
    nodes: Vec<Node>,
    /// Where nodes pace the flows through them.
    pacers: Option<Pacers>,
    /// Where transports are told of room in their node.
    room: Option<Box<Room>>,
    flows: Vec<Flow>,
    /// Every flow by its source, to find those of a node.
    flows_by_source: Vec<(NodeId, FlowId)>,
    actions: Vec<Action>,
    /// What the nodes of an idealised scheme know in common.
    shared: Shared,
    /// Link failures that the scenario asks for.
    staged_failures: StagedFailures,
    mac: MacCounters,
    routing: RoutingCounters,
    paths: PathLog,
    data: DataCounters,
    queue_drops: u64,
    queue_meter: QueueMeter,
    /// Each node's queue by itself, if recorded.
    queue_meters: Option<Box<QueueMeters>>,
    recorder: Recorder,
    fingerprint: Fingerprint,
    events: u64,
    build_s: f64,
    wall_s: f64,
    origin: Origin,
}

/// What the result repeats of where the run came from.
#[derive(Debug)]
struct Origin {
    scenario: serde_json::Value,
    seed: u64,
    warnings: Vec<String>,
    positions: Vec<Position>,
    trails: Vec<Vec<[f64; 3]>>,
}

impl Simulation {
    /// Builds the network of `scenario` for a run with `seed` (the scenario's own if none).
    ///
    /// # Errors
    /// If the scenario cannot be built with this seed, for instance because no connected placement
    /// was found.
    pub fn new(
        scenario: &Scenario,
        seed: Option<u64>,
        recording: &Recording,
    ) -> Result<Simulation, Error> {
        let clock = WallClock::now();
        let seed = seed.unwrap_or(scenario.seed);
        let network = scenario.network(seed)?;
        let count = network.positions.len();
        let radio = &scenario.radio;
        let path_loss = radio.path_loss();
        let reach = Reach { receive_m: radio.receive_range_m, sense_m: radio.sense_range_m };
        let neighbours = scenario.topology.neighbours(&network.positions, reach, &path_loss);
        let timing = Timing::new(&scenario.mac, scenario.profile);
        let mut agents = agents(scenario, &network, &neighbours);
        if recording.paths {
            agents.iter_mut().for_each(Agent::keep_choices);
        }
        let end = Instant::from_secs_f64(scenario.duration_s);
        let trails = match &network.movement {
            Some(movement) if recording.routes_interval_s.is_some() => movement.trails(end),
            _ => Vec::new(),
        };
        let shared = shared(scenario, &network, seed);
        let hearers = match network.movement {
            None => Hearers::Static(neighbours),
            Some(movement) => {
                Hearers::Moving(Box::new(MovingNeighbours::new(movement, reach, path_loss)))
            }
        };
        let promiscuous = agents.first().is_some_and(Agent::is_promiscuous);
        let rules = (scenario.mac.scheme == MacScheme::SemiTcp).then(|| scenario.mac.semi.rules());
        let size = scenario.mac.queue_packets as usize;
        let discipline = scenario.link.queue.unwrap_or(match scenario.routing {
            Routing::Copas(_) | Routing::Dsr(_) => QueueDiscipline::PriorityClasses,
            _ => QueueDiscipline::RoutingFirst,
        });
        let nodes = (0u32..)
            .zip(agents)
            .map(|(i, routing)| Node {
                mac: match &rules {
                    Some(rules) => Dcf::with_admission(NodeId(i), &timing, rules),
                    None => Dcf::new(NodeId(i), &timing),
                },
                queue: InterfaceQueue::new(discipline, size),
                arp: Arp::default(),
                routing,
                backoff_rng: Rng::stream(seed, Purpose::Backoff, u64::from(i)),
                routing_rng: Rng::stream(seed, Purpose::Routing, u64::from(i)),
            })
            .collect();
        let flows: Vec<Flow> = network
            .flows
            .iter()
            .enumerate()
            .map(|(i, spec)| Flow::new(i as u32, spec, scenario.profile, seed))
            .collect();
        let mut flows_by_source: Vec<_> = flows.iter().map(|flow| (flow.source, flow.id)).collect();
        flows_by_source.sort_unstable();
        let mut simulation = Simulation {
            end,
            queue: EventQueue::default(),
            timers: Timers::new(4 * count + 2 * flows.len()),
            handovers: Slab::default(),
            routing_timers: Slab::default(),
            arp_timers: Slab::default(),
            medium: Medium::new(
                hearers,
                count,
                radio.capture_db.ratio(),
                promiscuous,
                rules.is_some() || scenario.link.pacing == Pacing::HopByHop,
            ),
            timing,
            use_arp: scenario.link.arp,
            reports_failures: scenario.mac.report_failures,
            nodes,
            pacers: pacing::pacers(scenario, count),
            room: Room::new(scenario, &flows, count),
            flows,
            flows_by_source,
            actions: Vec::new(),
            shared,
            staged_failures: StagedFailures::new(&scenario.events),
            mac: MacCounters::default(),
            routing: RoutingCounters::default(),
            paths: PathLog::new(recording.paths),
            data: DataCounters::default(),
            queue_drops: 0,
            queue_meter: QueueMeter::default(),
            queue_meters: recording.queue_classes.then(|| Box::new(QueueMeters::new(count, size))),
            recorder: Recorder::new(recording, count)?,
            fingerprint: Fingerprint::default(),
            events: 0,
            build_s: 0.0,
            wall_s: 0.0,
            origin: Origin {
                scenario: serde_json::to_value(scenario).expect("a scenario is plain data"),
                seed,
                warnings: network.warnings,
                positions: network.positions,
                trails,
            },
        };
        simulation.start();
        simulation.build_s = clock.elapsed().as_secs_f64();
        Ok(simulation)
    }

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
            self.events += 1;
        }
        self.wall_s += clock.elapsed().as_secs_f64();
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

    fn start(&mut self) {
        for i in 0..self.nodes.len() {
            self.route(NodeId(i as u32), |agent, cx| agent.on_start(cx));
        }
        for flow in &self.flows {
            self.queue.schedule(flow.start, Event::FlowStart(flow.id));
            self.queue.schedule(flow.stop, Event::FlowStop(flow.id));
        }
        if self.recorder.interval().is_some() {
            self.queue.schedule(Instant::ZERO, Event::Sample);
        }
    }

    /// Runs the next event. Returns false if there is none before the end.
    fn step(&mut self) -> bool {
        let Some((key, event)) = self.queue.peek_until(self.end) else { return false };
        self.run_event(key, event);
        true
    }

    /// Runs the next event of the queue; a timer's may only have to be put off.
    fn run_event(&mut self, key: EventKey, event: Event) {
        match event {
            Event::Backoff(node) => return self.on_backoff(node, key),
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
                let (node, from, packet) = self.handovers.remove(number);
                self.on_handover_end(node, &packet);
                self.on_packet_up(node, from, packet);
            }
            Event::Down(number) => {
                let (node, next_hop, packet) = self.handovers.remove(number);
                self.on_handover_end(node, &packet);
                self.enqueue(node, next_hop, packet);
            }
            Event::DelayedSend(number) => {
                let (node, next_hop, packet) = self.handovers.remove(number);
                self.on_handover_end(node, &packet);
                self.link_send(node, next_hop, packet);
            }
            Event::ArpAgain(number) => {
                let (node, neighbour) = self.arp_timers.remove(number);
                self.ask_again(node, neighbour);
            }
            Event::Routing(number) => {
                let (node, timer) = self.routing_timers.remove(number);
                self.route(node, |agent, cx| agent.on_timer(cx, timer));
            }
            Event::FlowStart(flow) => self.on_flow_start(flow),
            Event::FlowStop(flow) => self.on_flow_stop(flow),
            Event::CbrTick(flow) => self.on_cbr_tick(flow),
            Event::Sample => self.on_sample(),
            Event::Backoff(_)
            | Event::Response(_)
            | Event::Retransmission(_)
            | Event::Pacing(_)
            | Event::Deferral(_)
            | Event::Release(_) => {}
        }
    }

    fn deferral_slot(&self, node: NodeId) -> usize {
        2 * (self.nodes.len() + self.flows.len()) + node.index()
    }

    fn release_slot(&self, node: NodeId) -> usize {
        self.deferral_slot(node) + self.nodes.len()
    }

    /// A packet of some transport, or none, is dropped.
    fn count_drop(&mut self, packet: &Packet) {
        self.data.dropped_packets += u64::from(packet.payload_bytes().is_some());
    }

    /// `packet` reaches the interface queue of `node`.
    fn note_queued(&mut self, node: NodeId, packet: &mut Packet) {
        if packet.source == node && packet.queued == Instant::FAR {
            packet.queued = self.queue.now();
            self.data.transmitted_packets += u64::from(packet.payload_bytes().is_some());
        }
    }
}

/// The routing protocol of every node.
fn agents(scenario: &Scenario, network: &Network, neighbours: &Neighbours) -> Vec<Agent> {
    let count = network.positions.len();
    let profile = scenario.profile;
    let all = |agent: &dyn Fn(NodeId) -> Agent| (0..count as u32).map(NodeId).map(agent).collect();
    match &scenario.routing {
        Routing::Aodv(config) => all(&|i| Agent::Aodv(Box::new(Aodv::new(i, config, profile)))),
        Routing::Ccar(table) => all(&|i| {
            let paths = CentralPaths::default();
            Agent::Ccar(Box::new(Aodv::with_policy(i, &table.aodv, profile, paths)))
        }),
        Routing::Dcar(table) => {
            all(&|i| Agent::Dcar(Box::new(Aodv::congestion_aware(i, table, profile))))
        }
        Routing::Copas(table) => {
            all(&|i| Agent::Copas(Box::new(Dsr::contention_based(i, table, profile))))
        }
        Routing::Dsr(config) => all(&|i| Agent::Dsr(Box::new(Dsr::new(i, config, profile)))),
        Routing::MultipathAodv(config) if config.paths.policy == PathPolicy::Sp => {
            all(&|i| Agent::Aodv(Box::new(Aodv::new(i, &config.aodv, profile))))
        }
        Routing::MultipathAodv(config) => {
            all(&|i| Agent::Multipath(Box::new(MultipathAodv::new(i, config, profile))))
        }
        Routing::Static => {
            let ends = network.flows.iter().map(|flow| (flow.source, flow.destination));
            let trips = ends
                .flat_map(|(source, destination)| [(source, destination), (destination, source)]);
            let routes = FixedRoutes::of_network(count, neighbours, trips);
            routes.into_iter().map(Agent::Static).collect()
        }
    }
}

/// What the nodes of an idealised scheme know in common.
fn shared(scenario: &Scenario, network: &Network, seed: u64) -> Shared {
    let Routing::Ccar(table) = &scenario.routing else { return Shared::Nothing };
    let demanded = |flow: &scenario::Flow| Demanded {
        connection: Connection::between(flow.source, flow.destination),
        start: flow.start,
        stop: flow.stop,
    };
    let flows = network.flows.iter().map(demanded).collect();
    Shared::Centre(Box::new(Centre::new(&table.ccar, network.positions.len(), flows, seed)))
}

fn backoff_slot(node: NodeId) -> usize {
    2 * node.index()
}

fn response_slot(node: NodeId) -> usize {
    2 * node.index() + 1
}
