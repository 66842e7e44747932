//! What a node knows of paths: as a relay, where packets with a ROUTE_ID go next; as an end, which paths
//! lead to the other end.

use std::collections::VecDeque;

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::scheduler::Turn;
use crate::kernel::Duration;
use crate::wire::{DiscoveryId, NodeId, RouteId};

/// Ways that a node keeps; the oldest makes room for a new one.
const WAYS: usize = 4096;

/// Where packets of one path in one direction go next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Way {
    /// The neighbour they go to.
    pub next_hop: NodeId,
    /// The neighbour they come from; at an end the node itself.
    pub previous: NodeId,
    /// The end of the path that they come from.
    pub from: NodeId,
}

/// A way to a destination with a ROUTE_ID.
pub type WayKey = (NodeId, RouteId);

/// The ways through one node. A way that breaks is gone.
#[derive(Debug, Default)]
pub struct WayTable {
    ways: FxHashMap<WayKey, Way>,
    /// Every way put in, the oldest first.
    order: VecDeque<WayKey>,
}

impl WayTable {
    /// The way to `destination` on path `id`.
    pub fn get(&self, destination: NodeId, id: RouteId) -> Option<&Way> {
        self.ways.get(&(destination, id))
    }

    /// Puts in the way to `destination` on path `id`.
    pub fn insert(&mut self, destination: NodeId, id: RouteId, way: Way) {
        if self.order.len() == WAYS
            && let Some(oldest) = self.order.pop_front()
        {
            self.ways.remove(&oldest);
        }
        self.order.push_back((destination, id));
        self.ways.insert((destination, id), way);
    }

    /// Takes out the way to `destination` on path `id`.
    pub fn remove(&mut self, destination: NodeId, id: RouteId) -> Option<Way> {
        self.ways.remove(&(destination, id))
    }

    /// Takes out all ways over the link to `neighbour`, the oldest first.
    pub fn break_link(&mut self, neighbour: NodeId) -> Vec<(WayKey, Way)> {
        let over = |key: &WayKey| self.ways.get(key).is_some_and(|way| way.next_hop == neighbour);
        let broken: Vec<WayKey> = self.order.iter().copied().filter(over).collect();
        broken.into_iter().filter_map(|key| Some((key, self.ways.remove(&key)?))).collect()
    }
}

/// What a path has carried for its end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PathLoad {
    /// Packets of this node's transport.
    pub packets: u64,
    /// Round-trip times measured.
    pub rtt_samples: u64,
    /// Their sum.
    pub rtt_total: Duration,
}

/// A path from one of its ends.
#[derive(Clone, Debug)]
pub struct Path {
    /// Its name.
    pub id: RouteId,
    /// The first node on it.
    pub next_hop: NodeId,
    /// Its hops.
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

    /// A round trip took `sample`; it counts with `weight` from 0 to 1 in the mean.
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
    /// Which discovery.
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

    /// Adds a path behind those of the same length.
    pub fn add(&mut self, path: Path) {
        self.shortest_hops = self.shortest_hops.min(path.hops);
        let place = self.paths.partition_point(|other| other.hops <= path.hops);
        self.paths.insert(place, path);
    }

    /// Takes out the path `id`.
    pub fn remove(&mut self, id: RouteId) -> Option<Path> {
        let place = self.paths.iter().position(|path| path.id == id)?;
        Some(self.paths.remove(place))
    }

    /// Whether no path is left.
    pub fn is_empty(&self) -> bool {
        self.paths.is_empty()
    }

    /// Takes out the longest path if it has more than `hops` hops.
    pub fn remove_longer(&mut self, hops: u8) -> Option<Path> {
        if self.paths.last()?.hops > hops { self.paths.pop() } else { None }
    }
}

/// The other end of paths from this node.
#[derive(Debug, Default)]
pub struct Peer {
    /// Paths that this node's own discovery found.
    pub found: PathSet,
    /// Ways back on paths that the peer's discovery found, once a packet has come over them.
    pub given: PathSet,
    /// Whose turn it is.
    pub turn: Turn,
}

impl Peer {
    /// The usable paths, shortest first: the ways back are a last resort.
    pub fn usable(&mut self) -> &mut [Path] {
        if self.found.paths.is_empty() { &mut self.given.paths } else { &mut self.found.paths }
    }

    /// The path `id`, if it can be used.
    pub fn path_mut(&mut self, id: RouteId) -> Option<&mut Path> {
        self.found.paths.iter_mut().chain(&mut self.given.paths).find(|path| path.id == id)
    }

    /// Where path `id` stands among the usable ones.
    pub fn next_by_turn(&mut self, weights: &super::scheduler::Weights) -> Option<&mut Path> {
        let mut turn = self.turn;
        let paths = self.usable();
        let place = turn.next(paths, weights);
        self.turn = turn;
        self.usable().get_mut(place?)
    }

    /// All paths that can be used.
    pub fn paths(&self) -> impl Iterator<Item = &Path> {
        self.found.paths.iter().chain(&self.given.paths)
    }

    /// Takes out the path `id`.
    pub fn remove(&mut self, id: RouteId) -> Option<Path> {
        self.found.remove(id).or_else(|| self.given.remove(id))
    }
}
