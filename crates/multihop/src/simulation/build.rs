//! Puts a network together from a scenario.

use std::sync::Arc;
use std::time::Instant as WallClock;

use super::cells::Cells;
use super::clock::Clock;
use super::endpoints::{Endpoints, Programs};
use super::energy::Batteries;
use super::medium::{ChannelModel, Medium, Radios, Timings};
use super::monitor::Monitor;
use super::outages::Outages;
use super::staged::StagedFailures;
use super::stations::{Station, Stations};
use super::wires::Wires;
use super::{LinkRules, Origin, Pending, RoutingLayer, Simulation};
use crate::kernel::{Instant, Purpose, Rng};
use crate::link::back_pressure::{self, BackPressure};
use crate::link::{Arp, InterfaceQueue, LinkService};
use crate::mac::edca::ByClass;
use crate::mac::{
    Category, Classes, Contention, Coverage, Mac, MacConfig, RateControl, RateSet, Timing, Wired,
};
use crate::radio::config::Reception;
use crate::radio::sinr::{Rules, RulesByPhy};
use crate::radio::{
    Hearers, Movement, MovingNeighbours, Neighbours, Position, Reach, StationLayout,
};
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
        let layout = scenario.stations()?;
        let neighbours = scenario.neighbours(&network.positions, reach(scenario), seed);
        let end = Instant::from_secs_f64(scenario.duration_s);
        let programs = is_open.then(|| Programs::new(scenario, seed));
        let endpoints = Endpoints::new(&network.flows, scenario.profile, seed, programs);
        let back_pressure = back_pressure(scenario, &endpoints, count);
        if is_open && layout.have_wires() {
            let fault = "must be none: programs cannot run over wires yet";
            return Err(Error::new("wires", fault));
        }
        if layout.are_several() {
            check_several(is_open && scenario.routing.is_multi_hop(), back_pressure.is_some())?;
        }
        let needs = scenario.mac.window_needs();
        let service = LinkService::new(&scenario.link, layout.count(), back_pressure, needs);
        let timings = timings(scenario, network.coverage);
        let keeps_paths = recording.paths;
        if is_open && scenario.has_cells() {
            let fault = "must have no access points and clients: programs cannot run there yet";
            return Err(Error::new("interfaces", fault));
        }
        let cells = Cells::new(scenario, &layout, seed);
        let wires = Wires::new(scenario, &layout, seed);
        let of_mesh = scenario.mesh_neighbours(&layout, &neighbours, &network.positions, seed);
        let of_wires = (!scenario.wires.is_empty())
            .then(|| scenario.wired(of_mesh.as_ref().unwrap_or(&neighbours).clone()));
        let joined = of_wires.as_ref().or(of_mesh.as_ref()).unwrap_or(&neighbours);
        let parts = (&network, joined, &layout);
        // A client's packets go between access points.
        let is_between_all = is_open || cells.is_some();
        let layer = routing(scenario, parts, &timings, seed, (keeps_paths, is_between_all));
        let monitor = Monitor::new(recording, &layout, scenario.mac.queue_packets as usize)?;
        let origin = Origin::new(scenario, seed, &network, recording, end);
        let moves = scenario.mobility != Mobility::Static;
        let leaks = scenario.leaks(&layout, &network.positions, reach(scenario), seed);
        let air = air(scenario, &timings, &layout, (moves, leaks), seed);
        let rules = air.as_ref().map(|(rules, _)| rules);
        let by_class = by_class(scenario, &network, &timings);
        let stations = stations(scenario, &timings, &layout, rules, &by_class, seed);
        let radios = match air {
            None => Radios::by_threshold(scenario.radio.capture_db.ratio(), layout.count()),
            Some((rules, air)) => Radios::by_sinr(rules, air, layout.count()),
        };
        let of_stations =
            || scenario.station_neighbours(&layout, &neighbours, &network.positions, seed);
        let hearers = match network.movement {
            None => Hearers::Static(of_stations().unwrap_or(neighbours)),
            Some(movement) => moving(scenario, movement),
        };
        let outages = Outages::new(&scenario.events, &layout);
        let mut medium = Medium::new(
            hearers,
            Timings::new(&layout, timings),
            radios,
            [service.overhears(), layer.may_overhear()],
        );
        for station in (0..layout.count() as u32).map(NodeId) {
            if let Some((_, timings)) = &by_class[usize::from(layout.kind(station).0)] {
                *medium.contention(station) = Contention::of_categories(timings.clone());
            }
        }
        let mut simulation = Simulation {
            end,
            clock: Clock::new(layout.count(), endpoints.flows.len(), end),
            pending: Pending::default(),
            stations: Stations::new(layout, stations, medium),
            service,
            link: LinkRules {
                uses_arp: scenario.link.arp
                    && scenario.routing.is_multi_hop()
                    && !scenario.routing.is_below_ip(),
                reports_failures: scenario.mac.report_failures,
                staged: StagedFailures::new(&scenario.events),
            },
            routing: RoutingLayer {
                name: scenario.routing.name(),
                layer,
                station: NodeId(0),
                rngs: (0..count as u64)
                    .map(|node| Rng::stream(seed, Purpose::Routing, node))
                    .collect(),
                routers: Vec::new(),
                actions: Vec::new(),
            },
            endpoints,
            outages: Box::new(outages),
            batteries: scenario
                .radio
                .energy
                .as_ref()
                .map(|table| Box::new(Batteries::new(table, count))),
            cells,
            wires,
            monitor,
            policies: Vec::new(),
            origin,
        };
        if let Some(watch) = &recording.events {
            simulation.watch(watch)?;
        }
        if simulation.batteries.is_some() {
            simulation.stations.medium.meter_energy();
        }
        simulation.add_agents(&scenario.agents)?;
        simulation.start();
        simulation.monitor.build_s = clock.elapsed().as_secs_f64();
        Ok(simulation)
    }

    fn start(&mut self) {
        for i in 0..self.stations.layout.nodes() {
            self.route(NodeId(i as u32), |protocol, cx| protocol.on_start(cx));
        }
        if self.routing.layer.sweep_interval().is_some() {
            self.clock.schedule(Instant::ZERO, Event::Sweep);
        }
        for flow in &self.endpoints.flows {
            self.clock.schedule(flow.start, Event::FlowStart(flow.id));
            self.clock.schedule(flow.stop, Event::FlowStop(flow.id));
        }
        if self.monitor.recorder.interval().is_some() {
            self.clock.schedule(Instant::ZERO, Event::Sample);
        }
        self.schedule_outages();
        self.start_batteries();
        self.start_cells();
    }
}

/// The timing of each kind of station, where answers may have to come so far.
fn timings(scenario: &Scenario, coverage: Coverage) -> Vec<Arc<Timing>> {
    let timing = |mac| Timing::covering(mac, scenario.profile, coverage);
    let (radios, ports) = (scenario.station_macs(), &scenario.wires);
    let wired = ports.iter().map(|wire| timing(&scenario.mac).of_wire(wire.rate_bps));
    let count = scenario.interfaces.len().max(1);
    radios.take(count).map(timing).chain(wired).map(Arc::new).collect()
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
    timings: &[Arc<Timing>],
    layout: &StationLayout,
    (is_mobile, leaks): (bool, Option<Neighbours>),
    seed: u64,
) -> Option<(RulesByPhy, ChannelModel)> {
    let radio = &scenario.radio;
    if radio.reception == Reception::Threshold {
        return None;
    }
    let deviation_db = radio.shadowing_db.unwrap_or(0.0);
    // Stations on one channel have one PHY, and have to have one table of what is on the air.
    let macs: Vec<&MacConfig> = scenario.station_macs().collect();
    let first_of = |mac: &MacConfig| macs.iter().position(|other| other.sends_as(mac));
    let firsts: Vec<usize> = macs.iter().filter_map(|mac| first_of(mac)).collect();
    let mut phys = firsts.clone();
    phys.sort_unstable();
    phys.dedup();
    let rules_of = |&kind: &usize| Rules::new(&timings[kind].waveforms(), radio.levels(), seed);
    let first = rules_of(&0);
    let others = phys[1..].iter().map(rules_of).collect();
    let phy_of = |station| {
        let first = firsts[usize::from(layout.kind(NodeId(station)).0)];
        phys.iter().position(|&phy| phy == first).map_or(0, |place| place as u8)
    };
    let air = ChannelModel {
        needs: first.needs(timings[0].rts_rate(), &scenario.data_rates(&timings[0])),
        fades: radio.fades(seed),
        // Static nodes' lists of neighbours have it.
        shadowing: (is_mobile && deviation_db > 0.0).then_some((deviation_db, seed)),
        weakest_w: radio.weakest_w(),
        leaks,
    };
    let phys = (0..layout.count() as u32).map(phy_of).collect();
    Some((RulesByPhy::new(first, others, phys), air))
}

/// The routing of all nodes.
fn routing(
    scenario: &Scenario,
    (network, neighbours, stations): (&Network, &Neighbours, &StationLayout),
    timings: &[Arc<Timing>],
    seed: u64,
    (keeps_paths, is_open): (bool, bool),
) -> Box<dyn Layer> {
    let plan = |flow: &scenario::FlowSpec| FlowPlan {
        source: flow.source,
        destination: flow.destination,
        start: flow.start,
        stop: flow.stop,
    };
    let flows: Vec<FlowPlan> = network.flows.iter().map(plan).collect();
    let attempts: Vec<_> = timings.iter().map(|timing| timing.usual_test_attempt()).collect();
    scenario.routing.build(&World {
        profile: scenario.profile,
        seed,
        nodes: network.positions.len(),
        flows: &flows,
        neighbours,
        stations,
        positions: &network.positions,
        test_attempts: &attempts,
        data_rate_bps: timings[0].data_rate_bps(),
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

/// Of each kind of station, which packets belong to which access category, if there are any.
fn by_class(
    scenario: &Scenario,
    network: &Network,
    timings: &[Arc<Timing>],
) -> Vec<Option<ByClass>> {
    let of_flows: Arc<[Category]> = network.flows.iter().map(|flow| flow.class).collect();
    let kind = |(mac, timing): (&MacConfig, &Arc<Timing>)| {
        let categories = mac.categories.as_ref().filter(|_| !timing.is_of_wire())?;
        let classes = Classes::new(of_flows.clone(), categories.control);
        Some((classes, timing.of_categories(categories)))
    };
    scenario.station_macs().zip(timings).map(kind).collect()
}

/// Every station up to its node's routing.
fn stations(
    scenario: &Scenario,
    timings: &[Arc<Timing>],
    layout: &StationLayout,
    rules: Option<&RulesByPhy>,
    by_class: &[Option<ByClass>],
    seed: u64,
) -> Vec<Station> {
    let usual_size = scenario.mac.queue_packets;
    let size = |kind: usize| {
        let wire = kind.checked_sub(scenario.first_wire()).and_then(|it| scenario.wires.get(it));
        wire.and_then(|wire| wire.queue_packets).unwrap_or(usual_size) as usize
    };
    let usual = scenario.routing.queue_discipline();
    let discipline = scenario.link.queue.unwrap_or(usual);
    let some_station = |kind: usize| {
        let stations = (0..layout.count() as u32).map(NodeId);
        { stations }
            .find(|&station| usize::from(layout.kind(station).0) == kind)
            .unwrap_or(NodeId(0))
    };
    let rate_set = |(kind, (mac, timing)): (usize, (&MacConfig, &Arc<Timing>))| {
        let rules = rules.map(|rules| rules.of(some_station(kind)));
        let needed_w = rules
            .map(|rules| |rate: Rate, bytes: u32, share: f64| rules.needed_w(rate, bytes, share));
        Arc::new(RateSet::new(timing, mac.rate.takes_all_rates(), needed_w))
    };
    let macs: Vec<&MacConfig> = scenario.station_macs().collect();
    let rate_sets: Vec<_> = macs.iter().copied().zip(timings).enumerate().map(rate_set).collect();
    let station = |i: u32| {
        let kind = usize::from(layout.kind(NodeId(i)).0);
        let rates = RateControl::new(macs[kind].rate, &rate_sets[kind], NodeId(i), seed);
        let by_class = by_class[kind].as_ref();
        let (own, node) = (NodeId(i), layout.node(NodeId(i)));
        let queue = |category: usize| {
            // A category's stream beside those of the stations' whole queues.
            let stream = u64::from(i) | (category as u64) << 32;
            let rng = Rng::stream(seed, Purpose::QueueManagement, stream);
            InterfaceQueue::new(discipline, size(kind), &scenario.link.codel, rng)
        };
        Station {
            timing: timings[kind].clone(),
            mac: match timings[kind].is_of_wire() {
                true => Mac::Other(Box::new(Wired::new(own))),
                false => macs[kind].access(own, node, &timings[kind], rates, by_class),
            },
            queue: match by_class {
                None => queue(0),
                Some((classes, _)) => InterfaceQueue::by_category(classes.clone(), queue),
            },
            arp: Arp::default(),
            backoff_rng: Rng::stream(seed, Purpose::Backoff, u64::from(i)),
        }
    };
    (0..layout.count() as u32).map(station).collect()
}

/// Checks that programs and transports need nothing of nodes with several stations that is not
/// built.
fn check_several(routes_programs: bool, asks: bool) -> Result<(), Error> {
    let what = [
        (routes_programs, "programs run only with routing.scheme \"none\""),
        (asks, "transports cannot wait for room in it"),
    ];
    match what.into_iter().find(|(is_asked, _)| *is_asked) {
        None => Ok(()),
        Some((_, fault)) => {
            let fault = format!("must give each node one station: with several {fault}, yet");
            Err(Error::new("interfaces", fault))
        }
    }
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
            messages: scenario.messages.clone(),
            trails,
        }
    }
}
