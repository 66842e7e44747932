//! The paths that discoveries found, where routing finds several at once: a log of them if it is asked
//! for, and totals for each pair of nodes.

use std::collections::BTreeMap;

use serde::Serialize;

use super::Simulation;
use crate::kernel::Instant;
use crate::routing::Agent;
use crate::routing::multipath::PathLoad;
use crate::wire::{DiscoveryId, NodeId, RouteId};

/// One path of one discovery.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PathReport {
    /// The node that asked.
    pub source: u32,
    /// The node that it asked for.
    pub destination: u32,
    /// Which request of the source found it.
    pub request: u32,
    /// Which of the request's paths it is, numbered by the destination from 1.
    pub path: u32,
    /// Hops that the source was told.
    pub hops: u8,
    /// The nodes on it, both ends included.
    pub nodes: Vec<u32>,
    /// When the source heard of it \[s\].
    pub found_s: f64,
    /// When the source heard of its failure \[s\].
    pub lost_s: Option<f64>,
    /// Packets of the source's transport sent on it.
    pub packets: u64,
    /// Mean round-trip time on it as the packet-scheduling layer measured it \[s\].
    pub mean_rtt_s: Option<f64>,
}

/// What the discoveries between two nodes found; sums, so that those of several pairs or runs add up.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct PathTotals {
    /// Discoveries that found one path, two, three, ...
    pub discoveries_by_paths: Vec<u64>,
    /// Paths found.
    pub paths_found: u64,
    /// Paths lost to route errors.
    pub paths_lost: u64,
    /// Time from finding to losing these, added up \[s\].
    pub life_total_s: f64,
    /// Hops of each discovery's shortest path, added up.
    pub shortest_hops_total: u64,
    /// Hops of all other paths, added up.
    pub alternate_hops_total: u64,
    /// For each of these other paths the hops of its discovery's shortest path, added up.
    pub alternate_shortest_hops_total: u64,
    /// Packets sent on a discovery's shortest path, on the next, ...
    pub packets_by_rank: Vec<u64>,
    /// Pairs of paths of one discovery with a link in common.
    pub shared_link_pairs: u64,
    /// Pairs of paths of one discovery with a node between the ends in common.
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

/// The paths of a run.
#[derive(Clone, Debug, Default)]
pub struct PathLog {
    /// The last discovery of each pair that found any.
    open: BTreeMap<Pair, (DiscoveryId, Vec<PathReport>)>,
    /// Earlier ones, if they are recorded.
    closed: Option<Vec<PathReport>>,
    totals: BTreeMap<Pair, PathTotals>,
}

impl PathLog {
    /// An empty log that keeps every path if `recorded`.
    pub fn new(recorded: bool) -> PathLog {
        PathLog { closed: recorded.then(Vec::new), ..PathLog::default() }
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

    /// The totals between `source` and `destination`, once all is closed.
    pub fn totals(&self, source: NodeId, destination: NodeId) -> PathTotals {
        self.totals.get(&(source, destination)).cloned().unwrap_or_default()
    }

    /// The totals of all pairs, once all is closed.
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
    fn carried(&mut self, load: PathLoad) {
        self.packets = load.packets;
        self.mean_rtt_s =
            (load.rtt_samples > 0).then(|| load.rtt_total.as_secs_f64() / load.rtt_samples as f64);
    }
}

impl Simulation {
    /// Routing at `source` has found path `id` to `destination`.
    pub(super) fn on_path_found(
        &mut self,
        source: NodeId,
        destination: NodeId,
        id: RouteId,
        hops: u8,
    ) {
        let path = PathReport {
            source: source.0,
            destination: destination.0,
            request: id.discovery().request,
            path: id.path(),
            hops,
            nodes: self.nodes_on_path(source, destination, id),
            found_s: self.queue.now().as_secs_f64(),
            lost_s: None,
            packets: 0,
            mean_rtt_s: None,
        };
        self.paths.found((source, destination), id, path);
    }

    /// Routing at `source` no longer has path `id` to `destination`.
    pub(super) fn on_path_lost(
        &mut self,
        source: NodeId,
        destination: NodeId,
        id: RouteId,
        load: PathLoad,
    ) {
        self.paths.lost(self.queue.now(), (source, destination), id, load);
    }

    /// Routing at `source` has found a path too short for path `id` to `destination` to count.
    pub(super) fn on_path_withdrawn(&mut self, source: NodeId, destination: NodeId, id: RouteId) {
        self.paths.withdrawn((source, destination), id);
    }

    /// Whether routing finds several paths at once.
    pub(super) fn finds_several_paths(&self) -> bool {
        self.nodes.first().is_some_and(|node| matches!(node.routing, Agent::Multipath(_)))
    }

    /// The log as it would be if the run ended now.
    pub(super) fn path_log(&self) -> PathLog {
        let mut log = self.paths.clone();
        for (i, node) in (0u32..).zip(&self.nodes) {
            for (destination, id, load) in node.routing.paths() {
                if let Some(path) = log.open_path((NodeId(i), destination), id) {
                    path.carried(load);
                }
            }
        }
        let pairs: Vec<Pair> = log.open.keys().copied().collect();
        pairs.into_iter().for_each(|pair| log.close(pair));
        log
    }

    /// The nodes on path `id`, as far as it leads.
    fn nodes_on_path(&self, source: NodeId, destination: NodeId, id: RouteId) -> Vec<u32> {
        let mut nodes = vec![source.0];
        let mut here = source;
        while here != destination && nodes.len() <= self.nodes.len() {
            let Some(next) = self.nodes[here.index()].routing.next_hop_on(destination, id) else {
                break;
            };
            nodes.push(next.0);
            here = next;
        }
        nodes
    }
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
    fn paths_of_a_discovery_are_added_up_by_length() {
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
    fn what_paths_share_is_counted() {
        let mut totals = PathTotals::default();
        // The first two meet in node 2, the last runs back over a link of the first.
        totals.add(&mut [
            path(&[0, 1, 2, 9], 0, None),
            path(&[0, 3, 2, 4, 9], 0, None),
            path(&[0, 5, 2, 1, 6, 9], 0, None),
        ]);
        assert_eq!((totals.shared_link_pairs, totals.shared_node_pairs), (1, 3));
        assert!(!share_node(&[0, 9], &[0, 1, 9]) && !share_node(&[0], &[0]));
    }
}
