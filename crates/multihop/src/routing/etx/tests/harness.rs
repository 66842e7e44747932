//! Networks of ETX nodes.

use crate::kernel::Duration;
use crate::profile::Profile;
use crate::routing::aodv::{Aodv, ByMetric, Policy};
use crate::routing::etx::{EtxTable, Probing};
use crate::routing::harness::Network;
use crate::wire::NodeId;

/// How long an attempt at a test frame takes where the rate is fixed: a hundred units of airtime.
pub const ATTEMPT: Duration = Duration::from_micros(1024);

pub type Etxs = Network<Aodv<ByMetric<Probing>>>;

/// The defaults, with probes exactly an interval apart: the window then holds just ten.
pub fn steady() -> EtxTable {
    let mut table = EtxTable::default();
    table.etx.probe_jitter = 0.0;
    table
}

impl Etxs {
    pub(crate) fn etx(
        nodes: u32,
        links: &[(u32, u32)],
        table: &EtxTable,
        profile: Profile,
    ) -> Self {
        let node = |i| Aodv::with_policy(NodeId(i), &table.aodv, profile, table.policy(&[ATTEMPT]));
        Network::of((0..nodes).map(node).collect(), links)
    }

    /// What `node` holds the link to `neighbour` for.
    pub fn link(&mut self, node: u32, neighbour: u32) -> Option<u32> {
        let mut link = None;
        self.call(node, |node, cx| link = node.policy().measure.link(cx, NodeId(neighbour)));
        link
    }

    /// The metric of the route of `node` to `destination`.
    pub fn metric(&self, node: u32, destination: u32) -> Option<u32> {
        let route = self.nodes[node as usize].routes().get(NodeId(destination));
        route.map(|route| route.metric)
    }
}

/// The route from `source` to `destination` by the route tables; ends where there is no next hop.
pub fn path<P: Policy>(network: &Network<Aodv<P>>, source: u32, destination: u32) -> Vec<u32> {
    let mut path = vec![source];
    let mut here = source;
    while let Some(next) = network.nodes[here as usize].next_hop(NodeId(destination)) {
        here = next.0;
        path.push(here);
        assert!(path.len() <= network.nodes.len(), "a loop: {path:?}");
    }
    path
}
