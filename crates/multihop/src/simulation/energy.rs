//! What the nodes' radios use, and nodes whose batteries are empty.

use schemars::JsonSchema;
use serde::Serialize;

use super::Simulation;
use super::event::Event;
use super::outages::Outage;
use crate::kernel::{Duration, Instant};
use crate::radio::energy::{EnergyTable, Spent};
use crate::wire::NodeId;

/// What a node's radios have used.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct EnergyReport {
    /// The node.
    pub node: u32,
    /// All in all \[J\].
    pub used_j: f64,
    /// Time in which it sent \[s\]. This and the next two are sums over its radios.
    pub sending_s: f64,
    /// Time in which its medium was busy with others \[s\].
    pub receiving_s: f64,
    /// Time in which neither was the case \[s\].
    pub idle_s: f64,
    /// When its battery was empty \[s\], if it was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub empty_at_s: Option<f64>,
}

/// The nodes' batteries.
#[derive(Debug)]
pub struct Batteries {
    table: EnergyTable,
    /// When that of each node was empty.
    empty_at: Vec<Option<Instant>>,
}

/// An empty battery is noticed within this.
const CLOSEST_LOOK: Duration = Duration::from_millis(1);

impl Batteries {
    /// Full ones.
    pub fn new(table: &EnergyTable, nodes: usize) -> Batteries {
        Batteries { table: table.clone(), empty_at: vec![None; nodes] }
    }

    /// Whether that of `node` is empty.
    pub fn is_empty(&self, node: NodeId) -> bool {
        self.empty_at[node.index()].is_some()
    }

    fn used_j(&self, spent: &[Spent]) -> f64 {
        spent.iter().map(|spent| self.table.used_j(spent)).sum()
    }

    /// How long what is left of that of `node`, which has used `used_j` with `radios` radios, lasts
    /// at least; none if nothing is left.
    fn lasts(&self, node: NodeId, used_j: f64, radios: usize) -> Option<Duration> {
        let battery_j = self.table.battery_j.as_ref()?.of(node.index());
        let left_j = battery_j - used_j;
        let most_w = self.table.most_w() * radios as f64;
        (left_j > 0.0)
            .then(|| Duration::from_secs_f64((left_j / most_w).min(1e9)).max(CLOSEST_LOOK))
    }
}

impl Simulation {
    /// Looks at every battery for the first time.
    pub(super) fn start_batteries(&mut self) {
        let has_batteries =
            self.batteries.as_ref().is_some_and(|batteries| batteries.table.battery_j.is_some());
        if has_batteries {
            for node in (0..self.stations.layout.nodes() as u32).map(NodeId) {
                self.on_battery(node);
            }
        }
    }

    /// Looks at the battery of `node`.
    #[cold]
    pub(super) fn on_battery(&mut self, node: NodeId) {
        let now = self.clock.now();
        let radios: Vec<NodeId> = self.radios(node).collect();
        for &radio in &radios {
            self.stations.medium.catch_up(radio, now);
        }
        let spent = self.spent(node, now);
        let Some(batteries) = &mut self.batteries else { return };
        match batteries.lasts(node, batteries.used_j(&spent), radios.len()) {
            Some(least) => self.clock.schedule(now + least, Event::Battery(node)),
            None => {
                batteries.empty_at[node.index()] = Some(now);
                self.change(Outage::Node(node, true));
            }
        }
    }

    fn radios(&self, node: NodeId) -> impl Iterator<Item = NodeId> {
        let layout = &self.stations.layout;
        layout.all_of(node).filter(|&station| !layout.is_wire(station))
    }

    /// What each radio of `node` has spent by `now`.
    fn spent(&self, node: NodeId, now: Instant) -> Vec<Spent> {
        self.radios(node).filter_map(|radio| self.stations.medium.spent(radio, now)).collect()
    }

    /// What all nodes have used, if that is asked for.
    pub(super) fn energy_reports(&self) -> Vec<EnergyReport> {
        let Some(batteries) = &self.batteries else { return Vec::new() };
        let report = |node: u32| {
            let spent = self.spent(NodeId(node), self.end);
            let sum = |of: fn(&Spent) -> Duration| {
                spent.iter().map(|spent| of(spent).as_secs_f64()).sum::<f64>()
            };
            EnergyReport {
                node,
                used_j: batteries.used_j(&spent),
                sending_s: sum(|spent| spent.sent),
                receiving_s: sum(|spent| spent.received),
                idle_s: sum(|spent| spent.idle),
                empty_at_s: batteries.empty_at[node as usize].map(Instant::as_secs_f64),
            }
        };
        (0..self.stations.layout.nodes() as u32).map(report).collect()
    }
}
