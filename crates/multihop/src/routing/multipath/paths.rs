//! What a node knows of paths as an end node: those to the other end.

use smallvec::SmallVec;

use super::path::Path;
use super::scheduler::{Turn, Weights};
use crate::wire::{DiscoveryId, RouteId};

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
    pub fn next_by_turn(&mut self, weights: &Weights) -> Option<&mut Path> {
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
