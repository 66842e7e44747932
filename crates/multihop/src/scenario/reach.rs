//! What a signal has to be for data to pass, and the flows whose ends no path joins.

use super::Scenario;
use super::flows::FlowSpec;
use super::graph::Graph;
use super::mobility::Mobility;
use super::topology::Topology;
use crate::mac::Timing;
use crate::mac::config::RateChoice;
use crate::radio::config::Reception;
use crate::radio::sinr::{Needs, Rules};
use crate::radio::{Neighbours, Position, Reach, fading};
use crate::wire::{NodeId, Rate};

impl Scenario {
    /// The rates that data frames may go at.
    pub fn data_rates(&self, timing: &Timing) -> Vec<Rate> {
        match self.mac.rate {
            RateChoice::Fixed => vec![timing.data_rate(NodeId(0))],
            _ => timing.data_rates(true),
        }
    }

    /// What mean powers are enough for, if reception is by signal and noise.
    pub fn needs(&self, timing: &Timing) -> Option<Needs> {
        if self.radio.reception == Reception::Threshold {
            return None;
        }
        let rules = Rules::new(&timing.waveforms(), self.radio.levels(), self.seed);
        Some(rules.needs(timing.rts_rate(), &self.data_rates(timing)))
    }

    /// Who hears whom where nodes are at `positions`; those between which data pass decode each
    /// other.
    pub(super) fn carried(&self, needs: Needs, positions: &[Position], seed: u64) -> Neighbours {
        let radio = &self.radio;
        let (receive_m, sense_m) = (radio.receive_range_m, radio.sense_range_m);
        let reach = Reach { receive_m, sense_m };
        let neighbours = self.passing(self.neighbours(positions, reach, seed));
        let deviation_db = match self.mobility {
            // They have it.
            Mobility::Static => 0.0,
            _ => radio.shadowing_db.unwrap_or(0.0),
        };
        let factor = |a, b| fading::shadowing(seed, deviation_db, a, b);
        neighbours.with_factors(factor, needs.carried_w, radio.weakest_w())
    }

    /// The links over which data pass where nodes are at `positions`.
    pub(super) fn graph(&self, needs: Option<Needs>, positions: &[Position], seed: u64) -> Graph {
        match needs {
            None => Graph::new(positions, self.radio.receive_range_m),
            Some(needs) => Graph::of(&self.carried(needs, positions, seed), positions.len()),
        }
    }

    /// Warnings of flows whose ends no path joins, in a network of static nodes; by signal and
    /// noise it takes what data need, and between whom they pass. Of flows that only links join
    /// which are too weak for planned paths it notes the hops.
    pub(super) fn unjoined(
        &self,
        flows: &mut [FlowSpec],
        signal: Option<(Needs, &Neighbours)>,
    ) -> Vec<String> {
        let range_m = self.radio.receive_range_m;
        let joined = signal.map(|(_, carried)| self.wired(carried.clone()));
        let mut graph = joined.map(|joined| Graph::of(&joined, joined.nodes()));
        let mut warnings = Vec::new();
        for (number, flow) in flows.iter_mut().enumerate() {
            if signal.is_none() && flow.shortest_hops.is_some() {
                continue;
            }
            let [a, b] = [flow.source, flow.destination].map(|end| self.topology.names.told(end));
            let called = flow.called(number);
            let never = format!("{called}: node {a} can never reach node {b}: no path");
            let (Some((needs, _)), Some(graph)) = (signal, &mut graph) else {
                warnings.push(match *self.topology {
                    Topology::Links(_) => format!("{never} of the links in topology.links"),
                    _ => format!("{never} of links of at most {range_m:.1} m"),
                });
                continue;
            };
            match graph.hops_between(flow.source, flow.destination) {
                None => {
                    let dbm = 10.0 * libm::log10(needs.carried_w) + 30.0;
                    warnings.push(format!("{never} of links of {dbm:.1} dBm or more"));
                }
                Some(_) if flow.shortest_hops.is_some() => {}
                Some(_) if self.routing.is_planned() => warnings.push(format!(
                    "{called}: routing.scheme {:?} has no path from node {a} to node {b}: it takes links only \
                     where the mean power is that of radio.receive_range_m, {range_m:.1} m, or more",
                    self.routing.name()
                )),
                hops => (flow.shortest_hops, flow.least_hops) = (hops, hops),
            }
        }
        warnings
    }
}
