//! The network that a scenario gives for one seed.

use super::antenna_table::{AntennaTable, HEIGHT_M};
use super::flows::FlowSpec;
use super::graph::Graph;
use super::interfaces::InterfaceTable;
use super::load::free_memory_bytes;
use super::mobility::{Mobility, SetdestTable};
use super::remarks::Remarks;
use super::topology::{Random, Topology};
use super::{Scenario, places};
use crate::config::{Decibels, Error};
use crate::kernel::Instant;
use crate::mac::{Coverage, Timing};
use crate::radio::antenna::{Aim, Antenna};
use crate::radio::config::{LUCKY_DEVIATIONS, Propagation, Reception};
use crate::radio::leakage::Leakage;
use crate::radio::sinr::watts;
use crate::radio::{
    Course, Equipment, Movement, Neighbours, Position, RadioConfig, Reach, StationLayout, fading,
};
use crate::wire::{Interface, NodeId};

/// The network that a scenario gives for one seed.
#[derive(Clone, Debug)]
pub struct Network {
    /// Initial positions of the nodes.
    pub positions: Vec<Position>,
    /// How they move; none if no node does.
    pub movement: Option<Movement>,
    /// The flows.
    pub flows: Vec<FlowSpec>,
    /// How far answers may have to come.
    pub coverage: Coverage,
    /// Warnings: they do not stop the run.
    pub warnings: Vec<String>,
    /// Each node's number in its file of movement or positions, where that is another; empty
    /// otherwise.
    pub node_numbers: Vec<u64>,
}

impl Network {
    pub(super) fn new(scenario: &Scenario, seed: u64) -> Result<Network, Error> {
        if let Some(load) = scenario.load(seed)? {
            load.check(free_memory_bytes())?;
        }
        let range_m = scenario.radio.receive_range_m;
        let mobility = &scenario.mobility;
        let topology = match &*scenario.topology {
            // The positions of the topology need not be connected here.
            Topology::Random(random) if mobility.places_nodes() => {
                &Topology::Random(Random { connected: false, ..random.clone() })
            }
            topology => topology,
        };
        let mut remarks = scenario.remarks.clone();
        let mut positions = topology.place(seed, range_m, &mut remarks)?;
        let mut flows = scenario.flows_between(&positions, seed, &mut remarks)?;
        let must_connect = matches!(&*scenario.topology, Topology::Random(t) if t.connected);
        let wanted =
            |places: &[Position]| !must_connect || Graph::new(places, range_m).is_connected();
        let end = Instant::from_secs_f64(scenario.duration_s);
        let lasts = |movement: &Movement| stays_connected(movement, end, range_m);
        let listed = |table: &SetdestTable| table.movement(topology, &positions, end, &mut remarks);
        let movement = mobility.movement(seed, &positions, &flows, wanted, lasts, listed)?;
        if let (true, Some(movement)) = (mobility.places_nodes(), &movement) {
            positions = movement.courses.iter().filter_map(Course::place).collect();
            flows = scenario.flows_between(&positions, seed, &mut remarks)?;
        }
        let timing = Timing::new(&scenario.mac, scenario.profile);
        scenario.check_slots(&flows, &timing)?;
        let needs = scenario.needs(&timing);
        let carried = needs.map(|needs| scenario.carried(needs, &positions, seed));
        let signal = needs.zip(carried.as_ref());
        match &movement {
            Some(movement) => {
                let graph = |places: &[Position]| scenario.graph(needs, places, seed);
                note_least_hops(&mut flows, movement, end, graph);
            }
            None => {
                // Of measured links, places only give delays.
                let by_place = scenario.radio.propagation != Propagation::Measured;
                if by_place && matches!(topology, Topology::Positions(_) | Topology::Setdest(_)) {
                    places::remark(&positions, &scenario.topology.names, &mut remarks);
                }
                remarks.warnings.extend(scenario.unjoined(&mut flows, signal));
                remarks.warnings.extend(scenario.ends_too_far(&flows));
            }
        }
        let (coverage, warning) = scenario.coverage(&positions, movement.as_ref(), signal, seed);
        remarks.warnings.extend(warning);
        let Remarks { warnings, node_numbers } = remarks;
        Ok(Network { positions, movement, flows, coverage, warnings, node_numbers })
    }
}

impl Scenario {
    /// Who hears whom on average, by stations on any channel.
    pub fn neighbours(&self, positions: &[Position], reach: Reach, seed: u64) -> Neighbours {
        let Ok(stations) = self.stations() else {
            return self.radio_neighbours(positions, reach, seed);
        };
        if self.has_equipment() {
            return self.equipped(positions, &stations, None, seed).of_nodes(&stations);
        }
        let neighbours = self.radio_neighbours(positions, reach, seed);
        match stations.share_a_channel() {
            true => neighbours,
            false => neighbours.among(|a, b| stations.meet(a, b)),
        }
    }

    /// The same of the stations themselves, of which some node has several or some have radios or
    /// antennas of their own; `neighbours` has that of nodes.
    pub fn station_neighbours(
        &self,
        stations: &StationLayout,
        neighbours: &Neighbours,
        positions: &[Position],
        seed: u64,
    ) -> Option<Neighbours> {
        let of_radios = match (self.has_equipment(), stations.are_several()) {
            (true, _) => Some(self.equipped(positions, stations, None, seed)),
            (false, true) => Some(neighbours.of_stations(stations)),
            (false, false) => None,
        };
        if !stations.have_wires() {
            return of_radios;
        }
        let of_radios = of_radios.unwrap_or_else(|| neighbours.of_stations(stations));
        let ports = |station| stations.wired_to(station).map(|other| other.0).collect();
        Some(of_radios.joined(ports))
    }

    /// Who hears whom among `stations`, with their radios and antennas, or what leaks from one
    /// channel to another.
    pub(super) fn equipped(
        &self,
        positions: &[Position],
        stations: &StationLayout,
        leakage: Option<&Leakage>,
        seed: u64,
    ) -> Neighbours {
        let is_sinr = self.radio.reception == Reception::Sinr;
        let isotropic = || Antenna::omni(0.0);
        let equipment = |table: &InterfaceTable| {
            let radio = table.radio(&self.radio);
            // Ranges of thresholds are between stations with the usual power.
            let transmit_power_w = match is_sinr {
                true => radio.transmit_power_w,
                false => self.radio.transmit_power_w,
            };
            let usual = RadioConfig { transmit_power_w, ..radio.clone() }.path_loss();
            Equipment {
                path_loss: radio.path_loss(),
                decoded_w: usual.received_w(radio.receive_range_m),
                sensed_w: match is_sinr {
                    true => self.radio.weakest_w(),
                    false => usual.received_w(radio.sense_range_m),
                },
                antenna: table.antenna.as_ref().map_or_else(isotropic, AntennaTable::antenna),
            }
        };
        let kinds: Vec<Equipment> = self.interfaces.iter().map(equipment).collect();
        let usual = Aim { height_m: HEIGHT_M, ..Aim::default() };
        let mut aims = vec![usual; stations.count()];
        for (kind, table) in self.interfaces.iter().enumerate() {
            let Some(antenna) = &table.antenna else { continue };
            let every: Vec<u32> = (0..stations.nodes() as u32).collect();
            let members = table.nodes.as_ref().unwrap_or(&every);
            for (place, &node) in members.iter().enumerate() {
                let station = stations.of(NodeId(node), Interface(kind as u8));
                aims[station.index()] = antenna.aim(place, NodeId(node), positions);
            }
        }
        let deviation_db = self.radio.shadowing_db.unwrap_or(0.0);
        let factor = |a, b| fading::shadowing(seed, deviation_db, a, b);
        let luck = Decibels(LUCKY_DEVIATIONS * deviation_db).ratio();
        Neighbours::of_equipment(positions, stations, &kinds, &aims, leakage, (factor, luck))
    }

    /// The same of nodes on one channel: by distance, and with shadowing by what is left of the
    /// power.
    pub(super) fn radio_neighbours(
        &self,
        positions: &[Position],
        reach: Reach,
        seed: u64,
    ) -> Neighbours {
        let path_loss = self.radio.path_loss();
        if let (Some(gains_db), Some(signal)) = (&self.radio.gains_db, self.mac.signal()) {
            let decoded_w = watts(signal.sensitivity_dbm);
            let (power_w, weakest_w) = (self.radio.transmit_power_w, self.radio.weakest_w());
            return Neighbours::of_gains(positions, gains_db, power_w, decoded_w, weakest_w);
        }
        let deviation_db = self.radio.shadowing_db.unwrap_or(0.0);
        if deviation_db == 0.0 || self.mobility != Mobility::Static {
            return self.topology.neighbours(positions, reach, &path_loss);
        }
        let wide = Reach { sense_m: self.radio.sense_range_m, ..reach };
        let factor = |a, b| fading::shadowing(seed, deviation_db, a, b);
        let decoded_w = path_loss.received_w(reach.receive_m);
        let neighbours = self.topology.neighbours(positions, wide, &path_loss);
        neighbours.with_factors(factor, decoded_w, self.radio.weakest_w())
    }

    /// The mean gain of each link on which signals count in a run with `seed`, shadowing included:
    /// from, to and decibels \[dB\].
    ///
    /// # Errors
    /// If the network can't be built, nodes move, or receivers go by threshold.
    pub fn gains_db(&self, seed: u64) -> Result<Vec<(u32, u32, f64)>, Error> {
        if self.radio.reception == Reception::Threshold {
            let fault = "must be \"sinr\" for the gains of links: by threshold powers are ranges";
            return Err(Error::new("radio.reception", fault));
        }
        if self.mobility != Mobility::Static {
            let fault = "must be \"static\" for the gains of links: they change as nodes move";
            return Err(Error::new("mobility.kind", fault));
        }
        let positions = self.network(seed)?.positions;
        let (receive_m, sense_m) = (self.radio.receive_range_m, self.radio.sense_range_m);
        let neighbours = self.neighbours(&positions, Reach { receive_m, sense_m }, seed);
        let decibels = |power_w: f64| 10.0 * libm::log10(power_w / self.radio.transmit_power_w);
        let of_node = |node| {
            let heard = neighbours.sensing(NodeId(node)).iter();
            heard.map(move |to| (node, to.node.0, decibels(to.power_w)))
        };
        Ok((0..positions.len() as u32).flat_map(of_node).collect())
    }

    fn flows_between(
        &self,
        positions: &[Position],
        seed: u64,
        remarks: &mut Remarks,
    ) -> Result<Vec<FlowSpec>, Error> {
        let range_m = self.radio.receive_range_m;
        let reach = Reach { receive_m: range_m, sense_m: range_m };
        let neighbours = self.wired(self.passing(self.neighbours(positions, reach, seed)));
        let mut graph = Graph::of(&neighbours, positions.len());
        graph.is_lasting = self.mobility == Mobility::Static;
        let nodes = positions.len() as u32;
        let mut flows = Vec::new();
        for (i, table) in self.flows.iter().enumerate() {
            let more = table.expand(i, seed, nodes, &mut graph, self, remarks)?;
            flows.extend(more);
        }
        Ok(flows)
    }
}

/// Whether at each whole second until `end` every node can reach every other.
fn stays_connected(movement: &Movement, end: Instant, range_m: f64) -> bool {
    positions_each_second(movement, end).all(|places| Graph::new(&places, range_m).is_connected())
}

/// Notes for each flow the fewest hops between its source and destination at any whole second until
/// `end`.
fn note_least_hops(
    flows: &mut [FlowSpec],
    movement: &Movement,
    end: Instant,
    graph: impl Fn(&[Position]) -> Graph,
) {
    for places in positions_each_second(movement, end) {
        let mut graph = graph(&places);
        for flow in flows.iter_mut() {
            let hops = graph.hops_between(flow.source, flow.destination);
            flow.least_hops = flow.least_hops.into_iter().chain(hops).min();
        }
    }
}

/// The nodes' positions at each whole second until `end`.
fn positions_each_second(movement: &Movement, end: Instant) -> impl Iterator<Item = Vec<Position>> {
    let trails = movement.trails(end);
    let mut knots = vec![0; trails.len()];
    (0..=end.as_secs_f64() as u32).map(f64::from).map(move |now_s| {
        let now = trails.iter().zip(&mut knots).map(|(trail, knot)| {
            while trail.get(*knot + 1).is_some_and(|&[at_s, ..]| at_s <= now_s) {
                *knot += 1;
            }
            position_between(trail[*knot], trail.get(*knot + 1), now_s)
        });
        now.collect()
    })
}

/// A node's position at `now_s`, between two knots of its trail or at the last one.
fn position_between([from_s, x_m, y_m]: [f64; 3], next: Option<&[f64; 3]>, now_s: f64) -> Position {
    let Some(&[to_s, to_x_m, to_y_m]) = next else { return Position { x_m, y_m } };
    let share = (now_s - from_s) / (to_s - from_s);
    Position { x_m: x_m + (to_x_m - x_m) * share, y_m: y_m + (to_y_m - y_m) * share }
}

impl Scenario {
    /// A warning for each flow whose shortest path has more hops than a packet can go.
    fn ends_too_far(&self, flows: &[FlowSpec]) -> Vec<String> {
        let Some(most) = self.routing.most_hops(self.profile) else { return Vec::new() };
        let is_too_far = |flow: &FlowSpec| flow.shortest_hops.filter(|&hops| hops > most);
        let far = flows.iter().enumerate().filter_map(|(i, flow)| Some((i, is_too_far(flow)?)));
        far.map(|(i, hops)| {
            format!(
                "{}: its ends are {hops} hops apart, and with {} packets go {most} hops at most",
                flows[i].called(i),
                self.routing.name()
            )
        })
        .collect()
    }
}
