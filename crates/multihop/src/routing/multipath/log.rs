//! The paths that discoveries found, for the result: totals for each pair of nodes, and every path
//! on request.
//!
//! A source notes here the paths that it finds and loses, and asks for `record`: which nodes a path
//! crosses is in the tables of all of them.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{MultipathAodv, PathLoad};
use crate::kernel::Instant;
use crate::routing::{Action, Context};
use crate::wire::{DiscoveryId, NodeId, RouteId};

/// One path of one discovery.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PathReport {
    /// The node that sent the request.
    pub source: u32,
    /// The destination of the request.
    pub destination: u32,
    /// Number of the source's request that found it.
    pub request: u32,
    /// Number of the path within the request, given by the destination, from 1.
    pub path: u32,
    /// Hops according to the reply.
    pub hops: u8,
    /// The nodes on it, source and destination included.
    pub nodes: Vec<u32>,
    /// When the source learned of it \[s\].
    pub found_s: f64,
    /// When the source learned of its failure \[s\].
    pub lost_s: Option<f64>,
    /// Packets of the source's transport sent on it.
    pub packets: u64,
    /// Mean round-trip time on it, measured by the packet-scheduling layer \[s\].
    pub mean_rtt_s: Option<f64>,
}

/// Totals of the discoveries between two nodes; all are sums, so those of several pairs or runs can
/// be added.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PathTotals {
    /// Number of discoveries that found one path, two, three, ...
    pub discoveries_by_paths: Vec<u64>,
    /// Paths found.
    pub paths_found: u64,
    /// Paths lost to route errors.
    pub paths_lost: u64,
    /// Total lifetime of the lost paths, from discovery to loss \[s\].
    pub life_total_s: f64,
    /// Hops of each discovery's shortest path, summed.
    pub shortest_hops_total: u64,
    /// Hops of all other (alternate) paths, summed.
    pub alternate_hops_total: u64,
    /// For each alternate path, the hops of its discovery's shortest path, summed.
    pub alternate_shortest_hops_total: u64,
    /// Packets sent on a discovery's shortest path, on the second shortest, ...
    pub packets_by_rank: Vec<u64>,
    /// Pairs of paths of one discovery with a link in common.
    pub shared_link_pairs: u64,
    /// Pairs of paths of one discovery with a relay in common.
    pub shared_node_pairs: u64,
}

impl PathTotals {
    /// Adds a discovery with these paths.
    fn add(&mut self, paths: &mut [PathReport]) {
        paths.sort_by_key(|path| path.hops);
        let Some(shortest) = paths.first() else { return };
        let shortest_hops = u64::from(shortest.hops);
        add_at(&mut self.discoveries_by_paths, paths.len() - 1, 1);
        self.paths_found += paths.len() as u64;
        self.shortest_hops_total += shortest_hops;
        for (rank, path) in paths.iter().enumerate() {
            add_at(&mut self.packets_by_rank, rank, path.packets);
            if let Some(lost_s) = path.lost_s {
                self.paths_lost += 1;
                self.life_total_s += lost_s - path.found_s;
            }
            if rank > 0 {
                self.alternate_hops_total += u64::from(path.hops);
                self.alternate_shortest_hops_total += shortest_hops;
            }
            for other in &paths[..rank] {
                self.shared_link_pairs += u64::from(share_link(&path.nodes, &other.nodes));
                self.shared_node_pairs += u64::from(share_node(&path.nodes, &other.nodes));
            }
        }
    }

    /// Adds what `other` has.
    fn merge(&mut self, other: &PathTotals) {
        let lists = [
            (&mut self.discoveries_by_paths, &other.discoveries_by_paths),
            (&mut self.packets_by_rank, &other.packets_by_rank),
        ];
        for (list, more) in lists {
            for (place, &value) in more.iter().enumerate() {
                add_at(list, place, value);
            }
        }
        self.paths_found += other.paths_found;
        self.paths_lost += other.paths_lost;
        self.life_total_s += other.life_total_s;
        self.shortest_hops_total += other.shortest_hops_total;
        self.alternate_hops_total += other.alternate_hops_total;
        self.alternate_shortest_hops_total += other.alternate_shortest_hops_total;
        self.shared_link_pairs += other.shared_link_pairs;
        self.shared_node_pairs += other.shared_node_pairs;
    }
}

/// Source and destination.
type Pair = (NodeId, NodeId);

/// A source's note about one of its paths.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum PathNote {
    /// It was found.
    Found {
        /// Hops according to the reply.
        hops: u8,
    },
    /// It is too long compared with one found since, and does not count.
    Withdrawn,
    /// It broke.
    Lost {
        /// What it had carried.
        load: PathLoad,
    },
}

/// The paths of a run.
#[derive(Clone, Debug, Default)]
pub struct PathLog {
    /// Notes not yet recorded: source and destination, path, note.
    notes: Vec<(Pair, RouteId, PathNote)>,
    /// All notes so far.
    #[cfg(test)]
    pub history: Vec<(Pair, RouteId, PathNote)>,
    /// The last discovery of each pair that found a path.
    open: BTreeMap<Pair, (DiscoveryId, Vec<PathReport>)>,
    /// Paths of earlier discoveries, if they are recorded.
    closed: Option<Vec<PathReport>>,
    totals: BTreeMap<Pair, PathTotals>,
}

impl PathLog {
    /// An empty log that keeps every path if `recorded`.
    pub fn new(recorded: bool) -> PathLog {
        PathLog { closed: recorded.then(Vec::new), ..PathLog::default() }
    }

    /// Notes `note` about path `id` of this node to `destination`.
    pub fn note(cx: &mut Context, destination: NodeId, id: RouteId, note: PathNote) {
        if let Some(log) = cx.oracle.shared.get_mut::<PathLog>() {
            log.notes.push(((cx.node, destination), id, note));
            #[cfg(test)]
            log.history.push(((cx.node, destination), id, note));
        }
        cx.actions.push(Action::Record);
    }

    /// Records the notes.
    pub fn record(&mut self, nodes: &[MultipathAodv], now: Instant) {
        for (pair, id, note) in std::mem::take(&mut self.notes) {
            match note {
                PathNote::Found { hops } => {
                    let on_path = nodes_on_path(nodes, pair, id);
                    self.found(pair, id, PathReport::found(now, pair, id, hops, on_path));
                }
                PathNote::Withdrawn => self.withdrawn(pair, id),
                PathNote::Lost { load } => self.lost(now, pair, id, load),
            }
        }
    }

    /// The log as if the run ended now.
    pub fn closed(&self, nodes: &[MultipathAodv]) -> PathLog {
        let mut log = self.clone();
        for (i, node) in (0u32..).zip(nodes) {
            for (destination, id, load) in node.paths() {
                if let Some(path) = log.open_path((NodeId(i), destination), id) {
                    path.carried(load);
                }
            }
        }
        let pairs: Vec<Pair> = log.open.keys().copied().collect();
        pairs.into_iter().for_each(|pair| log.close(pair));
        log
    }

    fn found(&mut self, pair: Pair, id: RouteId, path: PathReport) {
        let discovery = id.discovery();
        if self.open.get(&pair).is_some_and(|(open, _)| *open != discovery) {
            self.close(pair);
        }
        let (_, paths) = self.open.entry(pair).or_insert_with(|| (discovery, Vec::new()));
        paths.push(path);
    }

    fn lost(&mut self, now: Instant, pair: Pair, id: RouteId, load: PathLoad) {
        if let Some(path) = self.open_path(pair, id) {
            path.lost_s = Some(now.as_secs_f64());
            path.carried(load);
        }
    }

    fn withdrawn(&mut self, pair: Pair, id: RouteId) {
        if let Some((discovery, paths)) = self.open.get_mut(&pair)
            && *discovery == id.discovery()
        {
            paths.retain(|path| path.path != id.path());
        }
    }

    fn open_path(&mut self, pair: Pair, id: RouteId) -> Option<&mut PathReport> {
        let (discovery, paths) = self.open.get_mut(&pair)?;
        let paths = (*discovery == id.discovery()).then_some(paths)?;
        paths.iter_mut().find(|path| path.path == id.path())
    }

    /// Adds the pair's last discovery to its totals.
    fn close(&mut self, pair: Pair) {
        let Some((_, mut paths)) = self.open.remove(&pair) else { return };
        self.totals.entry(pair).or_default().add(&mut paths);
        if let Some(closed) = &mut self.closed {
            closed.append(&mut paths);
        }
    }

    /// The totals between `source` and `destination`, after all discoveries are closed.
    pub fn totals(&self, source: NodeId, destination: NodeId) -> PathTotals {
        self.totals.get(&(source, destination)).cloned().unwrap_or_default()
    }

    /// The totals of all pairs, after all discoveries are closed.
    pub fn all_totals(&self) -> PathTotals {
        let mut all = PathTotals::default();
        self.totals.values().for_each(|totals| all.merge(totals));
        all
    }

    /// Every path that was recorded, in the order of discovery.
    pub fn into_paths(self) -> Vec<PathReport> {
        let mut paths = self.closed.unwrap_or_default();
        paths.sort_by(|a, b| a.found_s.total_cmp(&b.found_s));
        paths
    }
}

impl PathReport {
    fn found(now: Instant, pair: Pair, id: RouteId, hops: u8, nodes: Vec<u32>) -> PathReport {
        PathReport {
            source: pair.0.0,
            destination: pair.1.0,
            request: id.discovery().request,
            path: id.path(),
            hops,
            nodes,
            found_s: now.as_secs_f64(),
            lost_s: None,
            packets: 0,
            mean_rtt_s: None,
        }
    }

    fn carried(&mut self, load: PathLoad) {
        self.packets = load.packets;
        self.mean_rtt_s =
            (load.rtt_samples > 0).then(|| load.rtt_total.as_secs_f64() / load.rtt_samples as f64);
    }
}

/// The nodes on path `id`, as far as forwarding entries lead.
pub fn nodes_on_path(
    nodes: &[MultipathAodv],
    (source, destination): Pair,
    id: RouteId,
) -> Vec<u32> {
    let mut on_path = vec![source.0];
    let mut here = source;
    while here != destination && on_path.len() <= nodes.len() {
        let Some(next) = nodes[here.index()].next_hop(destination, id) else { break };
        on_path.push(next.0);
        here = next;
    }
    on_path
}

fn add_at(list: &mut Vec<u64>, place: usize, value: u64) {
    if list.len() <= place {
        list.resize(place + 1, 0);
    }
    list[place] += value;
}

fn share_link(a: &[u32], b: &[u32]) -> bool {
    let link = |pair: &[u32]| (pair[0].min(pair[1]), pair[0].max(pair[1]));
    a.windows(2).any(|one| b.windows(2).any(|other| link(one) == link(other)))
}

fn share_node(a: &[u32], b: &[u32]) -> bool {
    let between = |nodes: &[u32]| nodes.get(1..nodes.len().max(2) - 1).unwrap_or_default().to_vec();
    between(a).iter().any(|node| between(b).contains(node))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(nodes: &[u32], packets: u64, lost_s: Option<f64>) -> PathReport {
        PathReport {
            source: nodes[0],
            destination: nodes[nodes.len() - 1],
            request: 1,
            path: 1,
            hops: nodes.len() as u8 - 1,
            nodes: nodes.to_vec(),
            found_s: 2.0,
            lost_s,
            packets,
            mean_rtt_s: None,
        }
    }

    #[test]
    fn paths_of_a_discovery_are_summed_by_length() {
        let mut totals = PathTotals::default();
        totals.add(&mut [path(&[0, 3, 4, 9], 5, None), path(&[0, 1, 9], 7, Some(6.0))]);
        totals.add(&mut [path(&[0, 9], 1, None)]);
        assert_eq!(totals.discoveries_by_paths, [1, 1]);
        assert_eq!(totals.packets_by_rank, [8, 5]);
        assert_eq!((totals.paths_found, totals.paths_lost, totals.life_total_s), (3, 1, 4.0));
        assert_eq!((totals.shortest_hops_total, totals.alternate_hops_total), (3, 3));
        assert_eq!(totals.alternate_shortest_hops_total, 2);
        assert_eq!((totals.shared_link_pairs, totals.shared_node_pairs), (0, 0));
        let mut twice = totals.clone();
        twice.merge(&totals);
        assert_eq!((twice.paths_found, twice.packets_by_rank), (6, vec![16, 10]));
    }

    #[test]
    fn shared_links_and_nodes_are_counted() {
        let mut totals = PathTotals::default();
        // The first two share node 2, the last crosses a link of the first in reverse.
        totals.add(&mut [
            path(&[0, 1, 2, 9], 0, None),
            path(&[0, 3, 2, 4, 9], 0, None),
            path(&[0, 5, 2, 1, 6, 9], 0, None),
        ]);
        assert_eq!((totals.shared_link_pairs, totals.shared_node_pairs), (1, 3));
        assert!(!share_node(&[0, 9], &[0, 1, 9]) && !share_node(&[0], &[0]));
    }
}
