//! AODV by whom a path disturbs: among the ways to a node it takes the one that the fewest nodes
//! have to be quiet for.
//!
//! Source: the interference-aware resource usage of MIC (Y. Yang, J. Wang, R. Kravets, "Designing
//! Routing Metrics for Mesh Networks", WiMesh 2005): a link costs what a packet takes on it, times
//! the nodes that it disturbs.
//!
//! Nothing is sent for it. A node counts the neighbours whose requests it has heard, which a flood
//! has each of them send; requests and replies gather the counts of the nodes that they pass
//! (`aodv/by_metric.rs`).
//!
//! Deviation: a packet is taken to take the same time on all links, and a hop to disturb the
//! neighbours of the node that it leads to; the paper counts those of both ends.

mod config;
mod scheme;

pub use config::{IruConfig, IruTable};

use super::Context;
use super::aodv::{ByMetric, Measure};
use super::neighbour_table::NeighbourTable;
use crate::kernel::{Duration, seconds};
use crate::wire::NodeId;

/// The neighbours that a node has heard.
#[derive(Debug)]
pub struct Crowd {
    hop_cost: u32,
    neighbour_life: Duration,
    neighbours: NeighbourTable<()>,
}

impl IruTable {
    /// One node's choices.
    fn policy(&self) -> ByMetric<Crowd> {
        let IruTable { aodv, iru } = self;
        let crowd = Crowd {
            hop_cost: iru.hop_cost,
            neighbour_life: seconds(iru.neighbour_life_s),
            neighbours: NeighbourTable::default(),
        };
        ByMetric::new(crowd, iru.improve_limit, aodv)
    }
}

impl Measure for Crowd {
    fn over(&mut self, cx: &mut Context, from: NodeId, metric: u32) -> u32 {
        self.neighbours.hear(cx.now, from, cx.now + self.neighbour_life);
        let around = self.neighbours.current(cx.now).count() as u32;
        metric.saturating_add(self.hop_cost + around)
    }
}

#[cfg(test)]
mod tests;
