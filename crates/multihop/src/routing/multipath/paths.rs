//! What a node knows of paths: as a relay, the next hops of packets with a ROUTE_ID; as an end
//! node, the paths to the other end.

use std::collections::VecDeque;

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::scheduler::Turn;
use crate::kernel::Duration;
use crate::wire::{DiscoveryId, NodeId, RouteId};

/// Forwarding entries of a node; a new one replaces the oldest.
const MAX_ENTRIES: usize = 4096;

/// Forwarding entry of one path in one direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ForwardingEntry {
    /// The neighbour that packets go to.
    pub next_hop: NodeId,
    /// The neighbour that packets come from; at an end node the node itself.
    pub previous: NodeId,
    /// The end node that packets come from.
    pub from: NodeId,
}

/// Key of a forwarding entry: destination and ROUTE_ID.
pub type ForwardingKey = (NodeId, RouteId);

/// The forwarding entries of one node. An entry whose link breaks is removed.
#[derive(Debug, Default)]
pub struct ForwardingTable {
    entries: FxHashMap<ForwardingKey, ForwardingEntry>,
    /// The keys in order of insertion, the oldest first.
    order: VecDeque<ForwardingKey>,
}

impl ForwardingTable {
    /// The entry for `destination` on path `id`.
    pub fn get(&self, destination: NodeId, id: RouteId) -> Option<&ForwardingEntry> {
        self.entries.get(&(destination, id))
    }

    /// Adds the entry for `destination` on path `id`.
    pub fn insert(&mut self, destination: NodeId, id: RouteId, entry: ForwardingEntry) {
        if self.order.len() == MAX_ENTRIES
            && let Some(oldest) = self.order.pop_front()
        {
            self.entries.remove(&oldest);
        }
        self.order.push_back((destination, id));
        self.entries.insert((destination, id), entry);
    }

    /// Removes the entry for `destination` on path `id`.
    pub fn remove(&mut self, destination: NodeId, id: RouteId) -> Option<ForwardingEntry> {
        self.entries.remove(&(destination, id))
    }

    /// Removes all entries over the link to `neighbour`, the oldest first.
    pub fn break_link(&mut self, neighbour: NodeId) -> Vec<(ForwardingKey, ForwardingEntry)> {
        let over = |key: &ForwardingKey| {
            self.entries.get(key).is_some_and(|entry| entry.next_hop == neighbour)
        };
        let broken: Vec<ForwardingKey> = self.order.iter().copied().filter(over).collect();
        broken.into_iter().filter_map(|key| Some((key, self.entries.remove(&key)?))).collect()
    }
}

/// What a path has carried for its end node.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PathLoad {
    /// Packets of this node's transport.
    pub packets: u64,
    /// Round-trip times measured.
    pub rtt_samples: u64,
    /// Their sum.
    pub rtt_total: Duration,
}

/// A path as seen from one of its end nodes.
#[derive(Clone, Debug)]
pub struct Path {
    /// Its ROUTE_ID.
    pub id: RouteId,
    /// The first node on it.
    pub next_hop: NodeId,
    /// Its length in hops.
    pub hops: u8,
    /// Its mean round-trip time, once measured.
    pub rtt: Option<Duration>,
    /// What it has carried.
    pub load: PathLoad,
}

impl Path {
    /// A path that has carried nothing.
    pub fn new(id: RouteId, next_hop: NodeId, hops: u8) -> Path {
        Path { id, next_hop, hops, rtt: None, load: PathLoad::default() }
    }

    /// Adds a round-trip time to the mean, with `weight` from 0 to 1.
    pub fn add_rtt(&mut self, sample: Duration, weight: f64) {
        self.load.rtt_samples += 1;
        self.load.rtt_total += sample;
        self.rtt = Some(match self.rtt {
            None => sample,
            Some(mean) => Duration::from_secs_f64(
                mean.as_secs_f64() * (1.0 - weight) + sample.as_secs_f64() * weight,
            ),
        });
    }
}

/// The usable paths that one discovery found, shortest first.
#[derive(Debug, Default)]
pub struct PathSet {
    /// The discovery that found them.
    pub discovery: Option<DiscoveryId>,
    /// Hops of the shortest path it found.
    pub shortest_hops: u8,
    paths: SmallVec<[Path; 3]>,
}

impl PathSet {
    /// The set of a discovery that has found nothing yet.
    pub fn of(discovery: DiscoveryId) -> PathSet {
        PathSet { discovery: Some(discovery), shortest_hops: u8::MAX, paths: SmallVec::new() }
    }

    /// Adds a path after those of the same length.
    pub fn add(&mut self, path: Path) {
        self.shortest_hops = self.shortest_hops.min(path.hops);
        let place = self.paths.partition_point(|other| other.hops <= path.hops);
        self.paths.insert(place, path);
    }

    /// Removes the path `id`.
    pub fn remove(&mut self, id: RouteId) -> Option<Path> {
        let place = self.paths.iter().position(|path| path.id == id)?;
        Some(self.paths.remove(place))
    }

    /// Whether no path is left.
    pub fn is_empty(&self) -> bool {
        self.paths.is_empty()
    }

    /// Removes the longest path if it has more than `hops` hops.
    pub fn remove_longer(&mut self, hops: u8) -> Option<Path> {
        if self.paths.last()?.hops > hops { self.paths.pop() } else { None }
    }
}

/// The other end of paths from this node.
#[derive(Debug, Default)]
pub struct Peer {
    /// Paths that this node's own discovery found.
    pub found: PathSet,
    /// Reverse paths of those that the peer's discovery found, once a packet has arrived over them.
    pub given: PathSet,
    /// The path whose turn it is.
    pub turn: Turn,
}

impl Peer {
    /// The usable paths, shortest first; reverse paths are a last resort.
    pub fn usable(&mut self) -> &mut [Path] {
        if self.found.paths.is_empty() { &mut self.given.paths } else { &mut self.found.paths }
    }

    /// The path `id`, if it can be used.
    pub fn path_mut(&mut self, id: RouteId) -> Option<&mut Path> {
        self.found.paths.iter_mut().chain(&mut self.given.paths).find(|path| path.id == id)
    }

    /// The usable path whose turn it is to carry the next packet.
    pub fn next_by_turn(&mut self, weights: &super::scheduler::Weights) -> Option<&mut Path> {
        let mut turn = self.turn;
        let paths = self.usable();
        let place = turn.next(paths, weights);
        self.turn = turn;
        self.usable().get_mut(place?)
    }

    /// All usable paths.
    pub fn paths(&self) -> impl Iterator<Item = &Path> {
        self.found.paths.iter().chain(&self.given.paths)
    }

    /// Removes the path `id`.
    pub fn remove(&mut self, id: RouteId) -> Option<Path> {
        self.found.remove(id).or_else(|| self.given.remove(id))
    }
}
