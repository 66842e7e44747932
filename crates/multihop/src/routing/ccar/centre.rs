//! The centre: knows the network and every connection's path, and chooses paths.

use std::collections::BTreeMap;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::config::{CcarConfig, Variant};
use super::orders::{self, Best, Demand};
use super::paths::Search;
use super::weights::{PARTS, Passing, Weight, Weights, in_units, parts};
use crate::kernel::{Instant, Purpose, Rng};
use crate::radio::Neighbours;
use crate::wire::NodeId;
use crate::wire::dsr::{Header, Path};

/// A connection: its two end nodes, in either direction. Data and acknowledgments belong to one
/// connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Connection {
    /// The end with the smaller number.
    pub low: NodeId,
    /// The end with the larger number.
    pub high: NodeId,
}

impl Connection {
    /// The connection between `a` and `b`.
    pub fn between(a: NodeId, b: NodeId) -> Connection {
        Connection { low: a.min(b), high: a.max(b) }
    }
}

/// A flow that the network will carry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Demanded {
    /// Its end nodes.
    pub connection: Connection,
    /// When it starts.
    pub start: Instant,
    /// When it stops.
    pub stop: Instant,
}

/// The centre of a run.
#[derive(Debug)]
pub struct Centre {
    config: CcarConfig,
    nodes: usize,
    flows: Vec<Demanded>,
    routed: BTreeMap<Connection, Routed>,
    /// Heuristic II's paths, once they are chosen.
    joint: Option<BTreeMap<Connection, Vec<NodeId>>>,
    rng: Rng,
    report: CentreReport,
}

/// A connection that has a path.
#[derive(Debug)]
struct Routed {
    /// Incremented whenever a discovery after a failure gives a new path.
    version: u32,
    /// Whether an end node has learned that it is broken.
    is_broken: bool,
    /// From the low end to the high end.
    upwards: Arc<Header>,
    /// From the high end to the low end.
    downwards: Arc<Header>,
}

/// What the centre chose, for the result.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CentreReport {
    /// Every choice of a path, in order of time.
    pub choices: Vec<Choice>,
    /// Heuristic II: orders tried.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub orders_tried: Option<u32>,
    /// Heuristic II: total weight of all nodes in the order that was kept.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub total_weight: Option<f64>,
}

/// One choice of a path.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Choice {
    /// When \[s\].
    pub time_s: f64,
    /// The nodes of the path chosen.
    pub path: Vec<u32>,
    /// Hops of a shortest path.
    pub shortest_hops: u32,
    /// Weight of the path.
    pub weight: f64,
    /// Weight of the heaviest link of each candidate path, the lightest path first.
    pub bottlenecks: Vec<f64>,
    /// Index of the path chosen.
    pub chosen: usize,
}

impl Centre {
    /// The centre of a network of `nodes` with these `flows`.
    pub fn new(config: &CcarConfig, nodes: usize, flows: Vec<Demanded>, seed: u64) -> Centre {
        Centre {
            config: config.clone(),
            nodes,
            flows,
            routed: BTreeMap::new(),
            joint: None,
            rng: Rng::stream(seed, Purpose::Centre, 0),
            report: CentreReport::default(),
        }
    }

    /// A reply has reached an end node of `connection`: chooses a path unless it has one that is
    /// not broken.
    pub fn on_reply(&mut self, now: Instant, connection: Connection, neighbours: &Neighbours) {
        let version = match self.routed.get(&connection) {
            Some(routed) if !routed.is_broken => return,
            Some(routed) => routed.version + 1,
            None => 1,
        };
        let path = match self.config.variant {
            Variant::H1 | Variant::H1Mod => self.choose(now, connection, neighbours),
            Variant::H2 => self.jointly(now, connection, neighbours),
        };
        let Some(path) = path else { return };
        let backwards: Path = path.iter().rev().copied().collect();
        let header = |path| Arc::new(Header::along(0, path));
        let (upwards, downwards) = (header(path.into()), header(backwards));
        let routed = Routed { version, is_broken: false, upwards, downwards };
        self.routed.insert(connection, routed);
    }

    /// An end node of `connection` has learned that its path is broken.
    pub fn on_failure(&mut self, connection: Connection) {
        if let Some(routed) = self.routed.get_mut(&connection) {
            routed.is_broken = true;
        }
    }

    /// The version of the path of `connection`, incremented after failures: 0 before the first.
    pub fn version(&self, connection: Connection) -> u32 {
        self.routed.get(&connection).map_or(0, |routed| routed.version)
    }

    /// The source route of `connection` from its end `source`.
    pub fn route(&self, connection: Connection, source: NodeId) -> Option<&Arc<Header>> {
        let routed = self.routed.get(&connection)?;
        Some(if source == connection.low { &routed.upwards } else { &routed.downwards })
    }

    /// The choices so far.
    pub fn report(&self) -> &CentreReport {
        &self.report
    }

    /// The weights at `now` for `connection`, which does not count itself.
    pub fn weights(
        &self,
        now: Instant,
        connection: Connection,
        neighbours: &Neighbours,
    ) -> Weights {
        let mut passing = Passing::nowhere(self.nodes);
        for (other, routed) in &self.routed {
            if *other == connection || routed.is_broken {
                continue;
            }
            let lives = |flow: &&Demanded| {
                flow.connection == *other && flow.start <= now && now < flow.stop
            };
            let connections = self.flows.iter().filter(lives).count() as u32;
            if let Some(route) = &routed.upwards.route {
                passing.add(&route.nodes, share(&self.config, route.nodes.len() - 1, connections));
            }
        }
        passing.weights(neighbours, self.link_penalty())
    }

    /// Heuristic I, or its modification.
    fn choose(
        &mut self,
        now: Instant,
        connection: Connection,
        neighbours: &Neighbours,
    ) -> Option<Vec<NodeId>> {
        let weights = self.weights(now, connection, neighbours);
        let Connection { low, high } = connection;
        let count = match self.config.variant {
            Variant::H1Mod => self.config.k,
            Variant::H1 | Variant::H2 => 1,
        };
        let search = Search::new(neighbours, &weights, self.nodes);
        let mut candidates = search.disjoint(low, high, count, &mut self.rng);
        let rank = |i: &usize| {
            let path = &candidates[*i];
            (weights.bottleneck(path), weights.path(path), path.len())
        };
        let chosen = (0..candidates.len()).min_by_key(rank)?;
        self.note(now, (neighbours, &weights), &candidates, chosen);
        Some(candidates.swap_remove(chosen))
    }

    /// Heuristic II: paths are chosen for all connections jointly the first time, and kept from
    /// then on.
    fn jointly(
        &mut self,
        now: Instant,
        connection: Connection,
        neighbours: &Neighbours,
    ) -> Option<Vec<NodeId>> {
        if self.joint.is_none() {
            self.joint = Some(self.choose_jointly(now, neighbours));
        }
        self.joint.as_ref()?.get(&connection).cloned()
    }

    fn choose_jointly(
        &mut self,
        now: Instant,
        neighbours: &Neighbours,
    ) -> BTreeMap<Connection, Vec<NodeId>> {
        let mut connections: Vec<Connection> = Vec::new();
        for flow in &self.flows {
            if !connections.contains(&flow.connection) {
                connections.push(flow.connection);
            }
        }
        let demands: Vec<Demand> = connections
            .iter()
            .map(|connection| Demand {
                source: connection.low,
                destination: connection.high,
                connections: self.flows.iter().filter(|f| f.connection == *connection).count()
                    as u32,
            })
            .collect();
        let config = &self.config;
        let share_of = |hops, connections| share(config, hops, connections);
        let rules = (self.link_penalty(), &share_of as orders::Share);
        let most = config.max_orders;
        let Best { paths, total, orders } =
            orders::best_order(neighbours, self.nodes, &demands, rules, most, &mut self.rng);
        self.report.orders_tried = Some(orders);
        self.report.total_weight = Some(in_units(total) * config.w_tcp);
        for place in 0..paths.len() {
            let mut others = Passing::nowhere(self.nodes);
            for (i, (path, demand)) in std::iter::zip(&paths, &demands).enumerate() {
                if let Some(path) = path.as_ref().filter(|_| i != place) {
                    others.add(path, share(&self.config, path.len() - 1, demand.connections));
                }
            }
            if let Some(path) = &paths[place] {
                let weights = others.weights(neighbours, self.link_penalty());
                self.note(now, (neighbours, &weights), std::slice::from_ref(path), 0);
            }
        }
        let chosen = std::iter::zip(connections, paths);
        chosen.filter_map(|(connection, path)| Some((connection, path?))).collect()
    }

    /// Records that `connection` took the path at `chosen` among `candidates`.
    fn note(
        &mut self,
        now: Instant,
        (neighbours, weights): (&Neighbours, &Weights),
        candidates: &[Vec<NodeId>],
        chosen: usize,
    ) {
        let unweighted = Passing::nowhere(self.nodes).weights(neighbours, 0);
        let search = Search::new(neighbours, &unweighted, self.nodes);
        let path = &candidates[chosen];
        let shortest_hops = search.hops(path[0], path[path.len() - 1]).unwrap_or(0);
        let in_keys = |weight| in_units(weight) * self.config.w_tcp;
        self.report.choices.push(Choice {
            time_s: now.as_secs_f64(),
            path: path.iter().map(|node| node.0).collect(),
            shortest_hops,
            weight: in_keys(weights.path(path)),
            bottlenecks: candidates.iter().map(|p| in_keys(weights.bottleneck(p))).collect(),
            chosen,
        });
    }

    fn link_penalty(&self) -> Weight {
        parts(self.config.w_p / self.config.w_tcp)
    }
}

/// What this many connections over `hops` links add at each node on their path.
fn share(config: &CcarConfig, hops: usize, connections: u32) -> Weight {
    let one = if config.inverse_length { PARTS / hops as Weight } else { PARTS };
    one * Weight::from(connections)
}
