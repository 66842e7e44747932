//! What a scenario comes to for one seed.

use super::Scenario;
use super::error::Error;
use super::flows::Flow;
use super::graph::Graph;
use super::mobility::Mobility;
use super::topology::{Random, Topology};
use crate::radio::{Course, Movement, Position, Reach};

/// What a scenario comes to for one seed.
#[derive(Clone, Debug)]
pub struct Network {
    /// Where the nodes stand in the beginning.
    pub positions: Vec<Position>,
    /// How they move; none if no node does.
    pub movement: Option<Movement>,
    /// The flows.
    pub flows: Vec<Flow>,
    /// What was noticed and does not stop the run.
    pub warnings: Vec<String>,
}

impl Network {
    pub(super) fn new(scenario: &Scenario, seed: u64) -> Result<Network, Error> {
        let range_m = scenario.radio.receive_range_m;
        let mobility = &scenario.mobility;
        let topology = match &scenario.topology {
            // Not these places have to be connected.
            Topology::Random(random) if mobility.places_nodes() => {
                &Topology::Random(Random { connected: false, ..random.clone() })
            }
            topology => topology,
        };
        let mut positions = topology.positions(seed, range_m)?;
        let mut flows = scenario.flows_between(&positions, seed)?;
        let must_connect = matches!(&scenario.topology, Topology::Random(t) if t.connected);
        let wanted =
            |places: &[Position]| !must_connect || Graph::new(places, range_m).is_connected();
        let movement = mobility.movement(seed, &positions, &flows, wanted)?;
        if let (true, Some(movement)) = (mobility.places_nodes(), &movement) {
            positions = movement.courses.iter().filter_map(Course::place).collect();
            flows = scenario.flows_between(&positions, seed)?;
        }
        let warnings = match movement {
            Some(_) => Vec::new(),
            None => unreachable_ends(&flows, range_m),
        };
        Ok(Network { positions, movement, flows, warnings })
    }
}

impl Scenario {
    fn flows_between(&self, positions: &[Position], seed: u64) -> Result<Vec<Flow>, Error> {
        let range_m = self.radio.receive_range_m;
        let reach = Reach { receive_m: range_m, sense_m: range_m };
        let neighbours = self.topology.neighbours(positions, reach, &self.radio.path());
        let mut graph = Graph::of(neighbours, positions.len());
        graph.is_lasting = self.mobility == Mobility::Static;
        let nodes = positions.len() as u32;
        let mut flows = Vec::new();
        for (i, table) in self.flows.iter().enumerate() {
            let more =
                table.expand(i, seed, nodes, &mut graph, &self.transport, self.duration_s)?;
            flows.extend(more);
        }
        Ok(flows)
    }
}

fn unreachable_ends(flows: &[Flow], range_m: f64) -> Vec<String> {
    flows
        .iter()
        .enumerate()
        .filter(|(_, flow)| flow.shortest_hops.is_none())
        .map(|(i, flow)| {
            format!(
                "flow {i}: node {} can never reach node {}: no path of links of at most {range_m} m",
                flow.source.0, flow.destination.0
            )
        })
        .collect()
}
