//! The routing of a whole network: one protocol per node, with its type erased.

use std::fmt;

use serde::Serialize;
use serde_json::{Map, Value};

use super::{Protocol, Shared, World};
use crate::kernel::{Duration, Instant};
use crate::radio::{Neighbour, StationLayout};
use crate::wire::{NodeId, Packet};

/// Who of those that a signal reaches has use for what it brings.
pub trait Listeners {
    /// [`Protocol::will_ignore`] of `node`.
    fn will_ignore(&self, node: NodeId, packet: &Packet, at: Instant) -> bool;

    /// Appends the places in `near` of the nodes that overhear `packet`. One call for all of them:
    /// most protocols overhear nothing.
    fn overhearers(&self, packet: &Packet, near: &[Neighbour], places: &mut Vec<u32>);
}

/// The nodes' protocols as the engine sees them.
///
/// ```
/// use multihop::api::profile::Profile;
/// use multihop::api::routing::aodv::{Aodv, AodvConfig};
/// use multihop::api::routing::{Layer, Nodes};
/// use multihop::api::wire::NodeId;
///
/// let node = |i| Aodv::new(NodeId(i), &AodvConfig::default(), Profile::Ns2);
/// let layer: Box<dyn Layer> = Box::new(Nodes::of((0..3).map(node).collect()));
/// assert_eq!(layer.waiting_packets(NodeId(2)), 0);
/// ```
pub trait Layer: Listeners + fmt::Debug + Send + Sync {
    /// The protocol of `node`, and what it shares with the others.
    fn node(&mut self, node: NodeId) -> (&mut dyn Protocol, &mut Shared);

    /// [`Protocol::overhears`] of `node`.
    fn overhears(&self, node: NodeId, packet: &Packet) -> bool;

    /// [`Protocol::may_overhear`] of any node.
    fn may_overhear(&self) -> bool;

    /// [`Protocol::sweep_interval`] of all nodes.
    fn sweep_interval(&self) -> Option<Duration>;

    /// The first node from `node` on that needs a sweep.
    fn next_to_sweep(&self, node: NodeId) -> Option<NodeId>;

    /// [`Protocol::sees_deliveries`] of `node`.
    fn sees_deliveries(&self, node: NodeId) -> bool;

    /// [`Protocol::waiting_packets`] of `node`.
    fn waiting_packets(&self, node: NodeId) -> usize;

    /// [`Protocol::record`].
    fn record(&mut self, now: Instant);

    /// What the scheme adds to the result of a run that ends at `end`.
    fn report(&self, end: Instant) -> Option<Value>;
}

/// Makes a scheme's report from its nodes, their shared state, and the end of the run.
type Report<N> = Box<dyn Fn(&[N], &Shared, Instant) -> Value + Send + Sync>;

/// Nodes that run the same protocol.
pub struct Nodes<N> {
    nodes: Vec<N>,
    shared: Shared,
    report: Option<Report<N>>,
}

impl<N: Protocol> Nodes<N> {
    /// One protocol for each node of `world`.
    pub fn new(world: &World, node: impl Fn(NodeId) -> N) -> Nodes<N> {
        Nodes::of((0..world.nodes as u32).map(NodeId).map(node).collect())
    }

    /// The layer of these nodes.
    pub fn of(nodes: Vec<N>) -> Nodes<N> {
        Nodes { nodes, shared: Shared::default(), report: None }
    }

    /// Starts with the shared state `shared`.
    pub fn sharing(self, shared: Shared) -> Nodes<N> {
        Nodes { shared, ..self }
    }

    /// Adds a report to the result.
    pub fn reporting<R: Serialize>(
        self,
        report: impl Fn(&[N], &Shared, Instant) -> R + Send + Sync + 'static,
    ) -> Nodes<N> {
        let to_value = move |nodes: &[N], shared: &Shared, end| {
            serde_json::to_value(report(nodes, shared, end)).expect("a report is plain data")
        };
        Nodes { report: Some(Box::new(to_value)), ..self }
    }

    /// Adds to the result what each node counts, summed over all: a table of whole numbers, or
    /// nothing if it is empty.
    pub fn summing<R: Serialize>(
        self,
        counts: impl Fn(&N) -> R + Send + Sync + 'static,
    ) -> Nodes<N> {
        self.reporting(move |nodes, _, _| {
            let mut sums: Map<String, Value> = Map::new();
            for node in nodes {
                let table = serde_json::to_value(counts(node)).expect("counts are plain data");
                for (name, count) in table.as_object().expect("counts have names") {
                    let count = count.as_u64().expect("counts are whole numbers");
                    let sum = sums.entry(name).or_insert_with(|| 0.into());
                    *sum = (sum.as_u64().unwrap_or(0) + count).into();
                }
            }
            sums
        })
    }
}

impl<N: Protocol> Listeners for Nodes<N> {
    fn will_ignore(&self, node: NodeId, packet: &Packet, at: Instant) -> bool {
        self.nodes[node.index()].will_ignore(packet, at)
    }

    fn overhearers(&self, packet: &Packet, near: &[Neighbour], places: &mut Vec<u32>) {
        let overhears = |other: &Neighbour| self.nodes[other.node.index()].overhears(packet);
        places
            .extend((0..).zip(near).filter(|(_, other)| overhears(other)).map(|(place, _)| place));
    }
}

/// The same for signals between the nodes' stations.
#[derive(Clone, Copy, Debug)]
pub struct ByStation<'a> {
    /// The nodes' protocols.
    pub layer: &'a dyn Layer,
    /// Whose stations they are.
    pub stations: &'a StationLayout,
}

impl Listeners for ByStation<'_> {
    fn will_ignore(&self, station: NodeId, packet: &Packet, at: Instant) -> bool {
        self.layer.will_ignore(self.stations.node(station), packet, at)
    }

    fn overhearers(&self, packet: &Packet, near: &[Neighbour], places: &mut Vec<u32>) {
        let overhears =
            |other: &Neighbour| self.layer.overhears(self.stations.node(other.node), packet);
        places
            .extend((0..).zip(near).filter(|(_, other)| overhears(other)).map(|(place, _)| place));
    }
}

impl<N: Protocol> Layer for Nodes<N> {
    fn node(&mut self, node: NodeId) -> (&mut dyn Protocol, &mut Shared) {
        (&mut self.nodes[node.index()], &mut self.shared)
    }

    fn overhears(&self, node: NodeId, packet: &Packet) -> bool {
        self.nodes[node.index()].overhears(packet)
    }

    fn may_overhear(&self) -> bool {
        self.nodes.iter().any(Protocol::may_overhear)
    }

    fn sweep_interval(&self) -> Option<Duration> {
        self.nodes.first().and_then(Protocol::sweep_interval)
    }

    fn next_to_sweep(&self, node: NodeId) -> Option<NodeId> {
        let place = self.nodes[node.index()..].iter().position(Protocol::needs_sweep)?;
        Some(NodeId(node.0 + place as u32))
    }

    fn sees_deliveries(&self, node: NodeId) -> bool {
        self.nodes[node.index()].sees_deliveries()
    }

    fn waiting_packets(&self, node: NodeId) -> usize {
        self.nodes[node.index()].waiting_packets()
    }

    fn record(&mut self, now: Instant) {
        N::record(&self.nodes, now, &mut self.shared);
    }

    fn report(&self, end: Instant) -> Option<Value> {
        let report = self.report.as_ref().map(|report| report(&self.nodes, &self.shared, end))?;
        let is_empty = report.as_object().is_some_and(Map::is_empty);
        (!is_empty).then_some(report)
    }
}

impl<N: fmt::Debug> fmt::Debug for Nodes<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Nodes { nodes, shared, .. } = self;
        f.debug_struct("Nodes").field("nodes", nodes).field("shared", shared).finish()
    }
}
