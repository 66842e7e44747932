//! Fixed routes: a shortest path between source and destination of each flow, over links that work
//! both ways, known to its nodes from the start and never changed. Without routing packets or
//! repair, only MAC and transport remain.

use rustc_hash::FxHashMap;
use schemars::JsonSchema;
use serde::Serialize;
use toml::Table;

use super::shortest_paths::ShortestPaths;
use super::{Context, DropReason, FlowPlan, Layer, Nodes, Protocol, Scheme, Setting, Timer, World};
use crate::config::table::only_keys;
use crate::config::{ConfigError, Error, Named};
use crate::kernel::Duration;
use crate::radio::Neighbours;
use crate::wire::{Body, IP_HEADER_BYTES, NodeId, Packet};

/// IP time to live of a packet at its source (RFC 1700).
const TIME_TO_LIVE: u8 = 64;

/// Fixed routes have no parameters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct Static {}

impl Scheme for Static {
    const NAME: &'static str = "static";
    const ABOUT: &'static str = "Shortest paths known from the start; no routing packets.";
    const NAMED: &'static [Named] = &[Named::new(
        "static",
        "shortest paths known from the start, TCP NewReno",
        &[("routing", "{scheme = \"static\"}"), ("transport.scheme", "\"newreno\"")],
    )];

    fn read(table: Table) -> Result<Static, Error> {
        only_keys(&table, "routing", &["scheme"]).map(|()| Static {})
    }

    fn check(&self, _: &Setting) -> Result<(), ConfigError> {
        Ok(())
    }

    fn is_planned(&self) -> bool {
        true
    }

    fn build(&self, world: &World) -> Box<dyn Layer> {
        let both_ways =
            |trip: &FlowPlan| [(trip.source, trip.destination), (trip.destination, trip.source)];
        let trips = world.flows.iter().flat_map(both_ways);
        if world.is_open {
            return Box::new(Nodes::of(FixedRoutes::between_all(world.nodes, world.neighbours)));
        }
        Box::new(Nodes::of(FixedRoutes::of_network(world.nodes, world.neighbours, trips)))
    }
}

/// One node's fixed next hops, by destination.
#[derive(Clone, Debug, Default)]
pub struct FixedRoutes {
    next_hops: FxHashMap<NodeId, NodeId>,
}

impl FixedRoutes {
    /// The next hops of all `nodes` nodes along a path with the fewest hops for each pair of
    /// `trips`. Among such paths, each node's next hop is the neighbour that a search from the
    /// destination finds first.
    pub fn of_network(
        nodes: usize,
        neighbours: &Neighbours,
        trips: impl IntoIterator<Item = (NodeId, NodeId)>,
    ) -> Vec<FixedRoutes> {
        let mut routes = vec![FixedRoutes::default(); nodes];
        let mut paths = ShortestPaths::new(nodes);
        for (source, destination) in trips {
            search(&mut paths, neighbours, destination, Some(source));
            let mut node = source;
            while let Some(next_hop) = paths.previous(node) {
                routes[node.index()].next_hops.insert(destination, next_hop);
                node = next_hop;
            }
        }
        routes
    }

    /// As [`FixedRoutes::of_network`], for every two nodes.
    fn between_all(nodes: usize, neighbours: &Neighbours) -> Vec<FixedRoutes> {
        let mut routes = vec![FixedRoutes::default(); nodes];
        let mut paths = ShortestPaths::new(nodes);
        for destination in (0..nodes as u32).map(NodeId) {
            search(&mut paths, neighbours, destination, None);
            for &node in paths.reached() {
                let next_hop = paths.previous(node);
                routes[node.index()].next_hops.extend(next_hop.map(|hop| (destination, hop)));
            }
        }
        routes
    }
}

impl Protocol for FixedRoutes {
    fn may_overhear(&self) -> bool {
        false
    }

    fn on_send(&mut self, cx: &mut Context, mut packet: Packet) {
        if let Body::Udp(_) = packet.body {
            packet.size_bytes += IP_HEADER_BYTES;
        }
        packet.ttl = TIME_TO_LIVE;
        self.forward(cx, packet);
    }

    fn on_receive(&mut self, cx: &mut Context, mut packet: Packet, _: NodeId) {
        packet.ttl -= 1;
        if packet.ttl == 0 {
            cx.drop(packet, DropReason::TimeToLive);
        } else {
            self.forward(cx, packet);
        }
    }

    /// The routes stay. The transport is told if this node is the source of `packet`.
    fn on_link_failure(&mut self, cx: &mut Context, packet: Packet, _: NodeId) {
        if packet.source == cx.node && packet.is_transport() {
            cx.report_broken_route(packet.destination);
        }
        cx.drop(packet, DropReason::LinkFailure);
    }

    fn on_timer(&mut self, _: &mut Context, _: Timer) {}
}

impl FixedRoutes {
    fn forward(&mut self, cx: &mut Context, packet: Packet) {
        match self.next_hops.get(&packet.destination) {
            Some(&next_hop) => cx.send(packet, next_hop, Duration::ZERO),
            None => cx.drop(packet, DropReason::NoRoute),
        }
    }
}

/// Searches by hops from `destination`, until `source` is reached if there is one.
fn search(
    paths: &mut ShortestPaths<u32>,
    neighbours: &Neighbours,
    destination: NodeId,
    source: Option<NodeId>,
) {
    paths.search(destination, source, |node, hops| {
        neighbours.linked(node).map(move |next| (next, hops + 1))
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::radio::{Position, RadioConfig, Reach};

    #[test]
    fn next_hops_lead_along_a_shortest_path() {
        // 0 - 1 - 2 - 3 in a row, 4 out of reach.
        let positions: Vec<Position> =
            [0.0, 200.0, 400.0, 600.0, 5000.0].map(|x_m| Position { x_m, y_m: 0.0 }).into();
        let reach = Reach { receive_m: 250.0, sense_m: 550.0 };
        let path_loss = RadioConfig::default().path_loss();
        let neighbours = Neighbours::of_static(&positions, reach, &path_loss);
        let trips = [(3, 0), (1, 3), (4, 0), (2, 4)].map(ends);
        let routes = FixedRoutes::of_network(5, &neighbours, trips);
        let hop = |at: usize, to| routes[at].next_hops.get(&NodeId(to)).map(|n| n.0);
        assert_eq!([hop(3, 0), hop(2, 0), hop(1, 0), hop(0, 0)], [Some(2), Some(1), Some(0), None]);
        assert_eq!([hop(1, 3), hop(2, 3), hop(0, 3)], [Some(2), Some(3), None]);
        assert_eq!([hop(4, 0), hop(2, 4)], [None, None], "out of reach");
        let all = FixedRoutes::between_all(5, &neighbours);
        let hop = |at: usize, to| all[at].next_hops.get(&NodeId(to)).map(|n| n.0);
        assert_eq!(
            [hop(3, 0), hop(2, 0), hop(0, 2), hop(1, 3)],
            [Some(2), Some(1), Some(1), Some(2)]
        );
        assert_eq!([hop(0, 0), hop(4, 0), hop(0, 4)], [None; 3], "to itself, and out of reach");
    }

    #[test]
    fn a_link_that_works_one_way_is_no_part_of_a_path() {
        // 0 - 1 - 2, and 0 hears 2, which does not hear 0.
        let gains = [(0, 1, -70.0), (1, 2, -70.0), (2, 0, -70.0), (0, 2, -140.0)];
        let positions = [0.0, 10.0, 20.0].map(|x_m| Position { x_m, y_m: 0.0 });
        let neighbours = Neighbours::of_gains(&positions, &gains, 0.1, 1e-11, 1e-13);
        let routes = FixedRoutes::of_network(3, &neighbours, [(0, 2), (2, 0)].map(ends));
        let hop = |at: usize, to| routes[at].next_hops.get(&NodeId(to)).map(|n| n.0);
        assert_eq!([hop(0, 2), hop(1, 2)], [Some(1), Some(2)]);
        assert_eq!([hop(2, 0), hop(1, 0)], [Some(1), Some(0)]);
    }

    fn ends((source, destination): (u32, u32)) -> (NodeId, NodeId) {
        (NodeId(source), NodeId(destination))
    }
}
