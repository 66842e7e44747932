//! Puts a network together from a scenario.

use std::sync::Arc;
use std::time::Instant as WallClock;

use super::clock::Clock;
use super::endpoints::{Endpoints, Programs};
use super::medium::{Air, Medium};
use super::monitor::Monitor;
use super::outages::Outages;
use super::staged::StagedFailures;
use super::{LinkRules, Node, Origin, Pending, RoutingLayer, Simulation};
use crate::kernel::{Instant, Purpose, Rng};
use crate::link::back_pressure::{self, BackPressure};
use crate::link::{Arp, InterfaceQueue, LinkService};
use crate::mac::{Dcf, Ladder, RateControl, Timing};
use crate::radio::config::Reception;
use crate::radio::sinr::{Rules, SinrReceiver};
use crate::radio::{Hearers, Movement, MovingNeighbours, Neighbours, Position, Reach};
use crate::routing::{FlowPlan, Layer, World};
use crate::scenario::{self, Error, Mobility, Network, Scenario};
use crate::simulation::Recording;
use crate::simulation::event::Event;
use crate::wire::{NodeId, Rate};

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
        Simulation::build(scenario, seed, recording, false)
    }

    /// As [`Simulation::new`], for programs that send between any two nodes ([`Simulation::send`]).
    ///
    /// # Errors
    /// As there.
    pub fn for_programs(
        scenario: &Scenario,
        seed: Option<u64>,
        recording: &Recording,
    ) -> Result<Simulation, Error> {
        Simulation::build(scenario, seed, recording, true)
    }

    fn build(
        scenario: &Scenario,
        seed: Option<u64>,
        recording: &Recording,
        is_open: bool,
    ) -> Result<Simulation, Error> {
        let clock = WallClock::now();
        let seed = seed.unwrap_or(scenario.seed);
        let network = scenario.network(seed)?;
        let count = network.positions.len();
        let neighbours = scenario.neighbours(&network.positions, reach(scenario), seed);
        let end = Instant::from_secs_f64(scenario.duration_s);
        let programs = is_open.then(|| Programs::new(scenario, seed));
        let endpoints = Endpoints::new(&network.flows, scenario.profile, seed, programs);
        let back_pressure = back_pressure(scenario, &endpoints, count);
        let service = LinkService::new(&scenario.link, count, back_pressure);
        let timing = Timing::covering(&scenario.mac, scenario.profile, network.coverage);
        let keeps_paths = recording.paths;
        let layer = routing(scenario, &network, &neighbours, &timing, seed, (keeps_paths, is_open));
        let monitor = Monitor::new(recording, count, scenario.mac.queue_packets as usize)?;
        let origin = Origin::new(scenario, seed, &network, recording, end);
        let moves = scenario.mobility != Mobility::Static;
        let air = air(scenario, &timing, moves, count, seed);
        let needed_w = air
            .as_ref()
            .map(|air| |rate: Rate, bytes: u32, share: f64| air.rules.needed_w(rate, bytes, share));
        let all_rates = scenario.mac.rate.takes_all_rates();
        let ladder = Arc::new(Ladder::new(&timing, all_rates, needed_w));
        let hearers = match network.movement {
            None => Hearers::Static(neighbours),
            Some(movement) => moving(scenario, movement),
        };
        let capture = scenario.radio.capture_db.ratio();
        let mut simulation = Simulation {
            end,
            clock: Clock::new(count, endpoints.flows.len(), end),
            pending: Pending::default(),
            medium: Medium::new(
                hearers,
                count,
                capture,
                [service.overhears(), layer.may_overhear()],
            ),
            nodes: nodes(scenario, &timing, &ladder, count, seed),
            timing,
            service,
            link: LinkRules {
                uses_arp: scenario.link.arp && scenario.routing.is_multi_hop(),
                reports_failures: scenario.mac.report_failures,
                staged: StagedFailures::new(&scenario.events),
            },
            routing: RoutingLayer { name: scenario.routing.name(), layer, actions: Vec::new() },
            endpoints,
            outages: Box::new(Outages::new(&scenario.events)),
            monitor,
            origin,
        };
        if let Some(air) = air {
            simulation.medium.receive_through(air);
        }
        if let Some(watch) = &recording.events {
            simulation.watch(watch)?;
        }
        simulation.start();
        simulation.monitor.build_s = clock.elapsed().as_secs_f64();
        Ok(simulation)
    }

    fn start(&mut self) {
        for i in 0..self.nodes.len() {
            self.route(NodeId(i as u32), |protocol, cx| protocol.on_start(cx));
        }
        for flow in &self.endpoints.flows {
            self.clock.schedule(flow.start, Event::FlowStart(flow.id));
            self.clock.schedule(flow.stop, Event::FlowStop(flow.id));
        }
        if self.monitor.recorder.interval().is_some() {
            self.clock.schedule(Instant::ZERO, Event::Sample);
        }
        self.schedule_outages();
    }
}

fn reach(scenario: &Scenario) -> Reach {
    let radio = &scenario.radio;
    Reach { receive_m: radio.receive_range_m, sense_m: radio.sense_range_m }
}

/// Who hears whom in a network whose nodes are at `positions`, or move.
pub(super) fn hearers(
    scenario: &Scenario,
    positions: &[Position],
    movement: Option<Movement>,
    seed: u64,
) -> Hearers {
    match movement {
        None => Hearers::Static(scenario.neighbours(positions, reach(scenario), seed)),
        Some(movement) => moving(scenario, movement),
    }
}

fn moving(scenario: &Scenario, movement: Movement) -> Hearers {
    let path_loss = scenario.radio.path_loss();
    Hearers::Moving(Box::new(MovingNeighbours::new(movement, reach(scenario), path_loss)))
}

/// What decides on reception by signal and noise, if that is how it is.
fn air(
    scenario: &Scenario,
    timing: &Timing,
    is_mobile: bool,
    count: usize,
    seed: u64,
) -> Option<Air> {
    let radio = &scenario.radio;
    if radio.reception == Reception::Threshold {
        return None;
    }
    let deviation_db = radio.shadowing_db.unwrap_or(0.0);
    let rules = Rules::new(&timing.waveforms(), radio.levels(), seed);
    Some(Air {
        needs: rules.needs(timing.rts_rate(), &scenario.data_rates(timing)),
        rules,
        receivers: (0..count as u32).map(|node| SinrReceiver::new(NodeId(node))).collect(),
        fades: radio.fades(seed),
        // Static nodes' lists of neighbours have it.
        shadowing: (is_mobile && deviation_db > 0.0).then_some((deviation_db, seed)),
        weakest_w: radio.weakest_w(),
    })
}

/// The routing of all nodes.
fn routing(
    scenario: &Scenario,
    network: &Network,
    neighbours: &Neighbours,
    timing: &Timing,
    seed: u64,
    (keeps_paths, is_open): (bool, bool),
) -> Box<dyn Layer> {
    let plan = |flow: &scenario::Flow| FlowPlan {
        source: flow.source,
        destination: flow.destination,
        start: flow.start,
        stop: flow.stop,
    };
    let flows: Vec<FlowPlan> = network.flows.iter().map(plan).collect();
    scenario.routing.build(&World {
        profile: scenario.profile,
        seed,
        nodes: network.positions.len(),
        flows: &flows,
        neighbours,
        positions: &network.positions,
        test_attempt: timing.usual_test_attempt(),
        keeps_paths,
        is_open,
    })
}

/// Back-pressure in the nodes, if their MACs or transports ask for it.
fn back_pressure(scenario: &Scenario, endpoints: &Endpoints, nodes: usize) -> Option<BackPressure> {
    let ends = endpoints.flows.iter().map(|flow| {
        let (ends, way) = endpoints.ends_of(flow);
        let (source, destination) = (flow.source, flow.destination);
        back_pressure::FlowEnds { source, destination, asking: ends.asking(way) }
    });
    BackPressure::new(scenario.mac.back_pressure(), ends.collect(), nodes)
}

/// Every node up to its interface queue.
fn nodes(
    scenario: &Scenario,
    timing: &Timing,
    ladder: &Arc<Ladder>,
    count: usize,
    seed: u64,
) -> Vec<Node> {
    let size = scenario.mac.queue_packets as usize;
    let usual = scenario.routing.queue_discipline();
    let discipline = scenario.link.queue.unwrap_or(usual);
    let mac = |i: u32| {
        let mut mac = match scenario.mac.admission() {
            Some(admission) => Dcf::with_admission(NodeId(i), timing, admission),
            None => Dcf::new(NodeId(i), timing),
        };
        if let Some(rates) = RateControl::new(&scenario.mac, ladder, NodeId(i), seed) {
            mac.choose_rates(rates);
        }
        mac
    };
    let node = |i: u32| Node {
        mac: mac(i),
        queue: InterfaceQueue::new(
            discipline,
            size,
            &scenario.link.codel,
            Rng::stream(seed, Purpose::QueueManagement, u64::from(i)),
        ),
        arp: Arp::default(),
        backoff_rng: Rng::stream(seed, Purpose::Backoff, u64::from(i)),
        routing_rng: Rng::stream(seed, Purpose::Routing, u64::from(i)),
    };
    (0..count as u32).map(node).collect()
}

impl Origin {
    fn new(
        scenario: &Scenario,
        seed: u64,
        network: &Network,
        recording: &Recording,
        end: Instant,
    ) -> Origin {
        let trails = match &network.movement {
            Some(movement) if recording.routes_interval_s.is_some() => movement.trails(end),
            _ => Vec::new(),
        };
        Origin {
            scenario: serde_json::to_value(scenario).expect("a scenario is plain data"),
            seed,
            warnings: [network.warnings.clone(), scenario.doubts(network)].concat(),
            positions: network.positions.clone(),
            node_numbers: network.node_numbers.clone(),
            names: scenario.topology.names.clone(),
            trails,
        }
    }
}
