//! The route cache: a path cache, as in ns-2.35 (RFC 4728 section 4.1).
//!
//! Two tables: `primary` for routes that this node asked for or used, `secondary` for routes seen
//! in forwarded and overheard packets. Paths have no lifetime: they are removed when one of their
//! links breaks or others replace them.

use crate::wire::NodeId;
use crate::wire::dsr::Path;

/// One node's routes.
#[derive(Debug)]
pub struct PathCache {
    node: NodeId,
    primary: Table,
    secondary: Table,
}

#[derive(Debug)]
struct Table {
    /// Those that were ever used, of `size`.
    slots: Vec<Option<Path>>,
    /// Of each slot: by its filter most paths are passed over without reading their nodes.
    filters: Vec<Filter>,
    size: usize,
    /// The next slot to be overwritten.
    victim: usize,
}

/// A path's nodes in a Bloom filter of 64 bits and one hash function (B. Bloom, Communications of
/// the ACM 13(7), 1970); empty without a path.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Filter(u64);

impl Filter {
    fn of(nodes: &[NodeId]) -> Filter {
        Filter(nodes.iter().fold(0, |bits, node| bits | 1 << (node.0 % u64::BITS)))
    }

    /// Whether all nodes of `other` may be among these.
    fn may_hold(self, other: Filter) -> bool {
        self.0 & other.0 == other.0
    }

    /// Whether one of the two may hold the other.
    fn may_nest(self, other: Filter) -> bool {
        let common = self.0 & other.0;
        common == self.0 || common == other.0
    }
}

/// A path found in the cache, from the node to the destination.
#[derive(Clone, Debug, PartialEq)]
pub struct Found {
    whole: Path,
    length: usize,
}

impl From<Path> for Found {
    fn from(whole: Path) -> Found {
        Found { length: whole.len(), whole }
    }
}

impl Found {
    /// The nodes from this one to the destination.
    pub fn nodes(&self) -> &[NodeId] {
        &self.whole[..self.length]
    }

    /// An owned copy of the path.
    pub fn path(&self) -> Path {
        if self.length == self.whole.len() { self.whole.clone() } else { self.nodes().into() }
    }
}

impl PathCache {
    /// The empty cache of `node`; the sizes of its two tables are in paths.
    pub fn new(node: NodeId, primary: usize, secondary: usize) -> PathCache {
        PathCache { node, primary: Table::new(primary), secondary: Table::new(secondary) }
    }

    /// Adds a path, which starts at this node, to the primary table.
    pub fn learn(&mut self, path: &[NodeId]) {
        if self.is_route(path) {
            self.primary.insert(path);
        }
    }

    /// Adds a path, which starts at this node, to the secondary table.
    pub fn notice(&mut self, path: &[NodeId]) {
        if self.is_route(path) {
            self.secondary.insert(path);
        }
    }

    /// The shortest path to `destination`, the earliest entry of several; one of the secondary
    /// table only if it is shorter than all primary ones. With `keep`, a secondary path that is
    /// found moves to the primary table.
    pub fn find(&mut self, destination: NodeId, keep: bool) -> Option<Found> {
        let learned = self.primary.find(destination);
        let shortest = learned.map_or(usize::MAX, |(_, length)| length);
        match self.secondary.find(destination).filter(|&(_, length)| length < shortest) {
            Some((slot, length)) => {
                let whole = self.secondary.slots[slot].clone()?;
                if keep {
                    self.secondary.set(slot, None);
                    self.primary.insert(&whole);
                }
                Some(Found { whole, length })
            }
            None => {
                let (slot, length) = learned?;
                Some(Found { whole: self.primary.slots[slot].clone()?, length })
            }
        }
    }

    /// The path to `destination` with the least `cost`, primary ones first and then earliest of
    /// equals; paths without a cost do not count.
    pub fn cheapest(
        &self,
        destination: NodeId,
        cost: impl Fn(&[NodeId]) -> Option<u64>,
    ) -> Option<Found> {
        let to_destination = |whole: &Path| {
            let length = length_to(whole, destination)?;
            Some((cost(&whole[..length])?, Found { whole: whole.clone(), length }))
        };
        let found = self.paths().filter_map(to_destination).min_by_key(|(cost, _)| *cost);
        found.map(|(_, found)| found).filter(|found| found.length >= 2)
    }

    /// The paths from this node to `destination`, primary ones first.
    pub fn paths_to(&self, destination: NodeId) -> impl Iterator<Item = &[NodeId]> {
        let to_destination =
            move |whole| length_to(whole, destination).map(|length| &whole[..length]);
        self.paths().filter_map(to_destination).filter(|path| path.len() >= 2)
    }

    /// The link from `from` to `to`, in this direction, is broken: truncates paths before it.
    pub fn remove_link(&mut self, from: NodeId, to: NodeId) {
        self.primary.remove_link(from, to);
        self.secondary.remove_link(from, to);
    }

    /// Every path, primary ones first.
    pub fn paths(&self) -> impl Iterator<Item = &Path> {
        self.primary.slots.iter().chain(&self.secondary.slots).flatten()
    }

    fn is_route(&self, path: &[NodeId]) -> bool {
        path.len() >= 2 && path[0] == self.node
    }
}

/// Nodes of `whole` up to `destination`, if that is on it.
fn length_to(whole: &Path, destination: NodeId) -> Option<usize> {
    whole.iter().position(|node| *node == destination).map(|place| place + 1)
}

impl Table {
    fn new(size: usize) -> Table {
        Table { slots: Vec::new(), filters: Vec::new(), size, victim: 0 }
    }

    fn set(&mut self, slot: usize, path: Option<Path>) {
        self.filters[slot] = path.as_deref().map(Filter::of).unwrap_or_default();
        self.slots[slot] = path;
    }

    fn insert(&mut self, path: &[NodeId]) {
        let filter = Filter::of(path);
        for (slot, other) in self.filters.iter().enumerate() {
            // Neither path is the beginning of the other if both have nodes that the other lacks.
            if !other.may_nest(filter) {
                continue;
            }
            if let Some(kept) = &self.slots[slot] {
                let common = kept.len().min(path.len());
                if kept[..common] != path[..common] {
                    continue;
                }
                if kept.len() >= path.len() {
                    return;
                }
            }
            return self.set(slot, Some(path.into()));
        }
        if self.slots.len() < self.size {
            self.slots.push(Some(path.into()));
            self.filters.push(filter);
        } else if self.size > 0 {
            self.set(self.victim, Some(path.into()));
            self.victim = (self.victim + 1) % self.size;
        }
    }

    /// The slot of the shortest path to `destination`, and the number of its nodes up to there.
    fn find(&self, destination: NodeId) -> Option<(usize, usize)> {
        let filter = Filter::of(&[destination]);
        let mut best: Option<(usize, usize)> = None;
        for (slot, other) in self.filters.iter().enumerate() {
            if !other.may_hold(filter) {
                continue;
            }
            let Some(path) = &self.slots[slot] else { continue };
            let within = best.map_or(path.len(), |(_, length)| path.len().min(length - 1));
            if let Some(place) = path[..within].iter().position(|node| *node == destination) {
                best = Some((slot, place + 1));
            }
        }
        best.filter(|&(_, length)| length >= 2)
    }

    fn remove_link(&mut self, from: NodeId, to: NodeId) {
        let filter = Filter::of(&[from, to]);
        for slot in 0..self.slots.len() {
            if !self.filters[slot].may_hold(filter) {
                continue;
            }
            let Some(path) = &self.slots[slot] else { continue };
            let Some(place) = path.windows(2).position(|link| link == [from, to]) else { continue };
            let left = if place == 0 { None } else { Some(path[..=place].into()) };
            self.set(slot, left);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn path(nodes: &[u32]) -> Path {
        nodes.iter().map(|&node| NodeId(node)).collect()
    }

    fn cache() -> PathCache {
        PathCache::new(NodeId(0), 3, 3)
    }

    fn found(cache: &mut PathCache, destination: u32, keep: bool) -> Option<Vec<u32>> {
        let found = cache.find(NodeId(destination), keep)?;
        assert_eq!(found.path()[..], *found.nodes());
        Some(found.nodes().iter().map(|node| node.0).collect())
    }

    #[test]
    fn the_shortest_path_wins_and_of_equals_the_primary_one() {
        let mut cache = cache();
        cache.learn(&path(&[0, 1, 2, 3, 4]));
        cache.learn(&path(&[0, 5, 6, 4]));
        cache.notice(&path(&[0, 7, 8, 4]));
        assert_eq!(found(&mut cache, 4, false), Some(vec![0, 5, 6, 4]));
        assert_eq!(found(&mut cache, 2, false), Some(vec![0, 1, 2]));
        assert_eq!(found(&mut cache, 9, false), None);
        cache.notice(&path(&[0, 9, 4]));
        assert_eq!(found(&mut cache, 4, false), Some(vec![0, 9, 4]));
    }

    #[test]
    fn a_longer_path_replaces_its_prefix_and_a_prefix_adds_nothing() {
        let mut cache = cache();
        cache.learn(&path(&[0, 1, 2]));
        cache.learn(&path(&[0, 1, 2, 3]));
        cache.learn(&path(&[0, 1]));
        assert_eq!(cache.paths().map(|p| p.len()).collect::<Vec<_>>(), [4]);
    }

    #[test]
    fn full_tables_overwrite_in_turn() {
        let mut cache = cache();
        (1..=4).for_each(|i| cache.learn(&path(&[0, i])));
        assert_eq!([1, 2, 4].map(|i| found(&mut cache, i, true).is_some()), [false, true, true]);
        cache.learn(&path(&[0, 5]));
        assert_eq!([2, 3, 5].map(|i| found(&mut cache, i, true).is_some()), [false, true, true]);
    }

    #[test]
    fn a_secondary_path_that_is_used_moves_to_the_primary_table() {
        let mut cache = cache();
        cache.notice(&path(&[0, 1, 2]));
        found(&mut cache, 2, false);
        assert_eq!(cache.secondary.slots.iter().flatten().count(), 1);
        found(&mut cache, 1, true);
        assert_eq!(cache.secondary.slots.iter().flatten().count(), 0);
        assert_eq!(found(&mut cache, 2, false), Some(vec![0, 1, 2]));
    }

    #[test]
    fn a_broken_link_truncates_paths_in_one_direction_only() {
        let mut cache = cache();
        cache.learn(&path(&[0, 1, 2, 3]));
        cache.notice(&path(&[0, 4, 2, 1]));
        cache.notice(&path(&[0, 5]));
        cache.remove_link(NodeId(1), NodeId(2));
        assert_eq!(cache.paths().map(|p| p.len()).collect::<Vec<_>>(), [2, 4, 2]);
        cache.remove_link(NodeId(0), NodeId(5));
        assert_eq!(found(&mut cache, 5, false), None);
    }

    /// Some of which have the same bit in a filter.
    const NODES: [u32; 8] = [1, 2, 3, 4, 5, 65, 66, 67];

    fn node() -> impl Strategy<Value = u32> {
        prop::sample::select(&NODES[..])
    }

    proptest! {
        #[test]
        fn the_path_found_is_a_shortest_cached_path_without_broken_links(
            paths in prop::collection::vec(prop::collection::vec(node(), 1..6), 1..20),
            links in prop::collection::vec((prop_oneof![Just(0), node()], node()), 0..4),
        ) {
            let mut cache = PathCache::new(NodeId(0), 64, 64);
            for (i, nodes) in paths.iter().enumerate() {
                let mut nodes = nodes.clone();
                let mut seen = std::collections::HashSet::new();
                nodes.retain(|node| seen.insert(*node));
                let path: Path = path(&[&[0], nodes.as_slice()].concat());
                if i % 2 == 0 { cache.learn(&path) } else { cache.notice(&path) }
            }
            for &(a, b) in &links {
                cache.remove_link(NodeId(a), NodeId(b));
            }
            for destination in NODES {
                let shortest = cache
                    .paths()
                    .filter_map(|path| path.iter().position(|node| node.0 == destination))
                    .min();
                let found = found(&mut cache, destination, false);
                prop_assert_eq!(found.as_ref().map(|nodes| nodes.len() - 1), shortest);
                for link in found.unwrap_or_default().windows(2) {
                    prop_assert!(!links.contains(&(link[0], link[1])));
                }
            }
        }
    }
}
