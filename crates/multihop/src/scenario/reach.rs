//! What a signal has to be for data to pass, and the flows whose ends no path joins.

use super::Scenario;
use super::flows::Flow;
use super::topology::Topology;
use crate::mac::Timing;
use crate::mac::config::RateChoice;
use crate::radio::config::Reception;
use crate::radio::sinr::{Needs, Rules};
use crate::radio::{Neighbours, Position, Reach};
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

    /// Warnings of flows whose ends no path joins, in a network of static nodes.
    pub(super) fn unjoined(
        &self,
        flows: &[Flow],
        positions: &[Position],
        needs: Option<Needs>,
        seed: u64,
    ) -> Vec<String> {
        let range_m = self.radio.receive_range_m;
        let neighbours = needs.map(|_| {
            let reach = Reach { receive_m: range_m, sense_m: self.radio.sense_range_m };
            self.neighbours(positions, reach, seed)
        });
        let mut reached = Reached::default();
        let warning = |(number, flow): (usize, &Flow)| {
            let &Flow { source, destination, shortest_hops, .. } = flow;
            let [a, b] = [source.0, destination.0];
            let never = format!("flow {number}: node {a} can never reach node {b}: no path");
            match (&neighbours, needs) {
                (Some(neighbours), Some(Needs { carried_w, .. })) => {
                    let dbm = 10.0 * libm::log10(carried_w) + 30.0;
                    if !reached.from(source, neighbours, carried_w)[destination.index()] {
                        return Some(format!("{never} of links of {dbm:.1} dBm or more"));
                    }
                    (self.routing.is_planned() && shortest_hops.is_none()).then(|| {
                        format!(
                            "flow {number}: routing.scheme {:?} has no path from node {a} to node {b}: it \
                             takes links only where the mean power is that of radio.receive_range_m, \
                             {range_m:.1} m, or more",
                            self.routing.name()
                        )
                    })
                }
                _ if shortest_hops.is_some() => None,
                _ => Some(match self.topology {
                    Topology::Links(_) => format!("{never} of the links in topology.links"),
                    _ => format!("{never} of links of at most {range_m:.1} m"),
                }),
            }
        };
        flows.iter().enumerate().filter_map(warning).collect()
    }
}

/// The nodes that a node can reach: of the last one that was asked for.
#[derive(Default)]
struct Reached {
    from: Option<NodeId>,
    nodes: Vec<bool>,
}

impl Reached {
    /// By node, whether a path of links of this mean power \[W\] or more leads there from `source`.
    fn from(&mut self, source: NodeId, neighbours: &Neighbours, least_w: f64) -> &[bool] {
        if self.from.replace(source) == Some(source) {
            return &self.nodes;
        }
        self.nodes = vec![false; neighbours.nodes()];
        self.nodes[source.index()] = true;
        let mut waiting = vec![source];
        while let Some(node) = waiting.pop() {
            for other in neighbours.sensing(node).iter().filter(|other| other.power_w >= least_w) {
                if !std::mem::replace(&mut self.nodes[other.node.index()], true) {
                    waiting.push(other.node);
                }
            }
        }
        &self.nodes
    }
}
