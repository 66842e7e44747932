//! Fixed routes: a shortest path between source and destination of each flow, over links that work
//! both ways, known to its nodes from the start and never changed. Without routing packets or
//! repair, only MAC and transport remain.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toml::Table;

use super::relaying::{give_up, originated, relayed};
use super::shortest_paths::ShortestPaths;
use super::{
    Context, DropReason, FlowPlan, Layer, NextHops, Nodes, Protocol, Scheme, Setting, Timer, World,
};
use crate::config::document::read;
use crate::config::table::only_keys;
use crate::config::{ConfigError, Error, Named};
use crate::kernel::Duration;
use crate::radio::{Neighbours, StationLayout};
use crate::wire::{Interface, NodeId, Packet};

/// Parameters of fixed routes.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Static {
    /// Next hops in the place of those of the shortest paths.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub routes: Vec<Route>,
}

/// The next hop of a node for a destination.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Route {
    /// The node.
    pub node: u32,
    /// The destination.
    pub destination: u32,
    /// Its neighbour on the way there.
    pub next_hop: u32,
    /// The name of the interface that reaches it; the first that does unless given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub interface: Option<String>,
}

impl Scheme for Static {
    const NAME: &'static str = "static";
    const ABOUT: &'static str = "Shortest paths known from the start; no routing packets.";
    const NAMED: &'static [Named] = &[Named::new(
        "static",
        "shortest paths known from the start, TCP NewReno",
        &[("routing", "{scheme = \"static\"}"), ("transport.scheme", "\"newreno\"")],
    )];

    fn read(table: Table) -> Result<Static, Error> {
        only_keys(&table, "routing", &["scheme", "routes"])?;
        read("routing", table.into())
    }

    fn check(&self, setting: &Setting) -> Result<(), ConfigError> {
        let stations = setting.stations;
        for (i, route) in self.routes.iter().enumerate() {
            let wrong = |fault| Err(ConfigError::new("routes", format!("route {i}: {fault}")));
            let nodes = [route.node, route.destination, route.next_hop];
            if let Some(node) = nodes.into_iter().find(|&node| node as usize >= stations.nodes()) {
                let last = stations.nodes() - 1;
                return wrong(format!("must be of nodes, 0 to {last} (got {node})"));
            }
            if route.node == route.next_hop || route.node == route.destination {
                return wrong(format!("must lead away from its node (got {})", route.node));
            }
            let [node, next_hop] = [route.node, route.next_hop].map(NodeId);
            if let Some(name) = &route.interface {
                let Some(kind) = stations.named(name).filter(|&kind| stations.has(node, kind))
                else {
                    return wrong(format!("node {} has no interface {name:?}", route.node));
                };
                if stations.on_channel(kind, next_hop).is_none() {
                    return wrong(format!(
                        "node {} has no interface on the channel of {name:?}",
                        route.next_hop
                    ));
                }
            } else if stations.shared(node, next_hop).is_none() {
                let [a, b] = [route.node, route.next_hop];
                return wrong(format!("nodes {a} and {b} have no channel in common"));
            }
        }
        Ok(())
    }

    fn is_planned(&self) -> bool {
        true
    }

    fn carries_clients(&self) -> bool {
        true
    }

    fn needs_one_interface(&self) -> Option<&'static str> {
        None
    }

    fn build(&self, world: &World) -> Box<dyn Layer> {
        let both_ways =
            |flow: &FlowPlan| [(flow.source, flow.destination), (flow.destination, flow.source)];
        let pairs = world.flows.iter().flat_map(both_ways);
        let mut nodes = match world.is_open {
            true => FixedRoutes::between_all(world.stations, world.neighbours),
            false => FixedRoutes::of_network(world.stations, world.neighbours, pairs),
        };
        if world.stations.are_several() {
            for (node, routes) in (0..).map(NodeId).zip(&mut nodes) {
                for (next_hop, interface) in routes.next_hops.values_mut() {
                    *interface = world.stations.shared(node, *next_hop).unwrap_or_default();
                }
            }
        }
        for &Route { node: at, destination, next_hop, ref interface } in &self.routes {
            let named = interface.as_deref().and_then(|name| world.stations.named(name));
            let named = named.or_else(|| world.stations.shared(NodeId(at), NodeId(next_hop)));
            let hop = (NodeId(next_hop), named.unwrap_or_default());
            nodes[at as usize].next_hops.insert(NodeId(destination), hop);
        }
        Box::new(Nodes::of(nodes))
    }
}

/// One node's fixed routes.
#[derive(Clone, Debug, Default)]
pub struct FixedRoutes {
    next_hops: NextHops,
}

impl FixedRoutes {
    /// The next hops of all nodes along a path with the fewest hops for each pair of `pairs`, over
    /// links whose ends have a channel in common. Among such paths, each node's next hop is the
    /// neighbour that a search from the destination finds first.
    pub fn of_network(
        stations: &StationLayout,
        neighbours: &Neighbours,
        pairs: impl IntoIterator<Item = (NodeId, NodeId)>,
    ) -> Vec<FixedRoutes> {
        let mut routes = vec![FixedRoutes::default(); stations.nodes()];
        let mut paths = ShortestPaths::new(stations.nodes());
        for (source, destination) in pairs {
            search(&mut paths, (neighbours, stations), destination, Some(source));
            let mut node = source;
            while let Some(next_hop) = paths.previous(node) {
                let hop = (next_hop, Interface::default());
                routes[node.index()].next_hops.insert(destination, hop);
                node = next_hop;
            }
        }
        routes
    }

    /// As [`FixedRoutes::of_network`], for every two nodes.
    fn between_all(stations: &StationLayout, neighbours: &Neighbours) -> Vec<FixedRoutes> {
        let nodes = stations.nodes();
        let mut routes = vec![FixedRoutes::default(); nodes];
        let mut paths = ShortestPaths::new(nodes);
        for destination in (0..nodes as u32).map(NodeId) {
            search(&mut paths, (neighbours, stations), destination, None);
            for &node in paths.reached() {
                let next_hop = paths.previous(node);
                let hop = |next_hop| (destination, (next_hop, Interface::default()));
                routes[node.index()].next_hops.extend(next_hop.map(hop));
            }
        }
        routes
    }
}

impl Protocol for FixedRoutes {
    fn may_overhear(&self) -> bool {
        false
    }

    fn on_send(&mut self, cx: &mut Context, packet: Packet) {
        self.forward(cx, originated(packet));
    }

    fn on_receive(&mut self, cx: &mut Context, packet: Packet, _: NodeId) {
        if let Ok(packet) = relayed(cx, packet) {
            self.forward(cx, packet);
        }
    }

    /// The routes stay.
    fn on_link_failure(&mut self, cx: &mut Context, packet: Packet, _: NodeId) {
        give_up(cx, packet);
    }

    fn on_timer(&mut self, _: &mut Context, _: Timer) {}

    fn next_hops(&mut self) -> Option<&mut NextHops> {
        Some(&mut self.next_hops)
    }
}

impl FixedRoutes {
    fn forward(&mut self, cx: &mut Context, packet: Packet) {
        match self.next_hops.get(&packet.destination) {
            Some(&(next_hop, interface)) => cx.send_by(interface, packet, next_hop, Duration::ZERO),
            None => cx.drop(packet, DropReason::NoRoute),
        }
    }
}

/// Searches by hops from `destination`, until `source` is reached if there is one.
fn search(
    paths: &mut ShortestPaths<u32>,
    (neighbours, stations): (&Neighbours, &StationLayout),
    destination: NodeId,
    source: Option<NodeId>,
) {
    paths.search(destination, source, |node, hops| {
        let meets = move |next: &NodeId| stations.shared(node, *next).is_some();
        neighbours.linked(node).filter(meets).map(move |next| (next, hops + 1))
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
        let pairs = [(3, 0), (1, 3), (4, 0), (2, 4)].map(ends);
        let routes = FixedRoutes::of_network(&StationLayout::alike(5), &neighbours, pairs);
        let hop = |at: usize, to| routes[at].next_hops.get(&NodeId(to)).map(|hop| hop.0.0);
        assert_eq!([hop(3, 0), hop(2, 0), hop(1, 0), hop(0, 0)], [Some(2), Some(1), Some(0), None]);
        assert_eq!([hop(1, 3), hop(2, 3), hop(0, 3)], [Some(2), Some(3), None]);
        assert_eq!([hop(4, 0), hop(2, 4)], [None, None], "out of reach");
        let all = FixedRoutes::between_all(&StationLayout::alike(5), &neighbours);
        let hop = |at: usize, to| all[at].next_hops.get(&NodeId(to)).map(|hop| hop.0.0);
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
        let routes = FixedRoutes::of_network(
            &StationLayout::alike(3),
            &neighbours,
            [(0, 2), (2, 0)].map(ends),
        );
        let hop = |at: usize, to| routes[at].next_hops.get(&NodeId(to)).map(|hop| hop.0.0);
        assert_eq!([hop(0, 2), hop(1, 2)], [Some(1), Some(2)]);
        assert_eq!([hop(2, 0), hop(1, 0)], [Some(1), Some(0)]);
    }

    fn ends((source, destination): (u32, u32)) -> (NodeId, NodeId) {
        (NodeId(source), NodeId(destination))
    }
}
