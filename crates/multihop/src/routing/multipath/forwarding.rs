//! What a node knows of paths as a relay: the next hops of packets with a ROUTE_ID.

use std::collections::VecDeque;

use rustc_hash::FxHashMap;

use crate::wire::{NodeId, RouteId};

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
