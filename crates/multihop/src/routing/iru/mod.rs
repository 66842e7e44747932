//! AODV by whom a path disturbs: among the ways to a node it takes the one that the fewest nodes
//! have to be quiet for.
//!
//! Source: the interference-aware resource usage of MIC (Y. Yang, J. Wang, R. Kravets, "Designing
//! Routing Metrics for Mesh Networks", WiMesh 2005): a link costs what a packet takes on it, times
//! the nodes that it disturbs.
//!
//! Nothing is sent for it. A node counts the neighbours whose requests it has heard, which a flood
//! has each of them send; requests and replies gather the counts of the nodes that they pass.
//!
//! Deviation: a packet is taken to take the same time on all links, and a hop to disturb the
//! neighbours of the node that it leads to; the paper counts those of both ends.
//!
//! Deviation: a request has 4 bytes more than AODV's, a reply 4, for the metric.

mod config;
mod scheme;

pub use config::{IruConfig, IruTable};

use super::Context;
use super::aodv::Policy;
use super::aodv::policy::Copy;
use super::aodv::table::{Offer, Route};
use super::etx::{Copies, is_lighter, metric_bytes};
use super::neighbour_table::NeighbourTable;
use crate::kernel::Duration;
use crate::profile::Profile;
use crate::wire::NodeId;
use crate::wire::aodv::{Message, Reply, Request};

/// AODV's choices on one node.
#[derive(Debug)]
pub struct Iru {
    hop_cost: u32,
    neighbour_life: Duration,
    neighbours: NeighbourTable<()>,
    copies: Copies,
}

impl Iru {
    /// The choices with these keys.
    pub fn new(table: &IruTable) -> Iru {
        let IruTable { aodv, iru } = table;
        Iru {
            hop_cost: iru.hop_cost,
            neighbour_life: Duration::from_secs_f64(iru.neighbour_life_s),
            neighbours: NeighbourTable::default(),
            copies: Copies::new(iru.improve_limit, Duration::from_secs_f64(aodv.request_id_life_s)),
        }
    }

    /// What a message of `from` has gathered, and what the hop to this node costs.
    fn over(&mut self, cx: &Context, from: NodeId, metric: u32) -> u32 {
        self.neighbours.hear(cx.now, from, cx.now + self.neighbour_life);
        let around = self.neighbours.current(cx.now).count() as u32;
        metric.saturating_add(self.hop_cost + around)
    }
}

impl Policy for Iru {
    fn gather(&mut self, cx: &mut Context, request: &mut Request, from: NodeId) {
        request.metric = self.over(cx, from, request.metric);
    }

    fn originate_reply(&mut self, _: &mut Context, reply: &mut Reply) {
        reply.metric = 0;
    }

    fn gather_reply(&mut self, cx: &mut Context, reply: &mut Reply, from: NodeId) {
        reply.metric = self.over(cx, from, reply.metric);
    }

    fn ignores_copies(&self) -> bool {
        false
    }

    fn counts(&mut self, _: &Request, _: bool) -> bool {
        true
    }

    fn collect(&mut self, cx: &mut Context, copy: Copy) -> Option<Copy> {
        let Copy { request, .. } = copy;
        let id = (request.originator, request.id);
        self.copies.takes_up(cx.now, id, request.metric).then_some(copy)
    }

    fn may_answer(&self, _: &Route, _: &Request, _: Profile) -> bool {
        false
    }

    fn meets_neighbours(&self) -> bool {
        false
    }

    fn prefers(&self, route: &Route, offer: &Offer, profile: Profile) -> bool {
        is_lighter(route, offer, profile)
    }

    fn added_bytes(&self, message: &Message) -> u32 {
        metric_bytes(message)
    }
}

#[cfg(test)]
mod tests;
