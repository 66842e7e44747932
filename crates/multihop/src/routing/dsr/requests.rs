//! The request table (RFC 4728 section 4.3): when this node last searched for a node, and which requests of
//! that node it has seen.

use crate::kernel::{Duration, Instant};
use crate::profile::Profile;
use crate::wire::NodeId;

/// The table of one node; a new entry replaces the least recently used one.
#[derive(Debug)]
pub struct RequestTable {
    capacity: usize,
    entries: Vec<Entry>,
    uses: u64,
}

/// The entry of one node.
#[derive(Clone, Debug)]
pub struct Entry {
    node: NodeId,
    last_use: u64,
    /// Newest request seen from the node.
    newest_seen: Option<u32>,
    /// Searches for the node without a reply so far.
    pub searches: u32,
    /// When the last of them began.
    pub last_search: Instant,
    /// Whether only a ring-zero request has been sent so far.
    pub only_ring_zero: bool,
}

impl Entry {
    /// When the next search may begin: after `period`, doubled with every search (section 8.2), at most
    /// `longest`. In ns-2 the first wait is four times `period`, and each next one four times as long.
    pub fn next_search(&self, period: Duration, longest: Duration, profile: Profile) -> Instant {
        let Some(earlier) = self.searches.checked_sub(1) else { return Instant::ZERO };
        let factor = match profile {
            Profile::Ns2 => 4u64.saturating_pow(self.searches),
            Profile::Standard => 2u64.saturating_pow(earlier),
        };
        let wait = period.as_nanos().saturating_mul(factor).min(longest.as_nanos());
        self.last_search + Duration::from_nanos(wait)
    }
}

impl RequestTable {
    /// An empty table for `capacity` nodes.
    pub fn new(capacity: usize) -> RequestTable {
        RequestTable { capacity, entries: Vec::new(), uses: 0 }
    }

    /// The entry of `node`.
    pub fn entry(&mut self, node: NodeId) -> &mut Entry {
        self.uses += 1;
        let fresh = Entry {
            node,
            last_use: self.uses,
            newest_seen: None,
            searches: 0,
            last_search: Instant::ZERO,
            only_ring_zero: false,
        };
        let place = match self.entries.iter().position(|entry| entry.node == node) {
            Some(place) => place,
            None if self.entries.len() < self.capacity => {
                self.entries.push(fresh);
                self.entries.len() - 1
            }
            None => {
                let oldest = self.entries.iter().enumerate().min_by_key(|(_, e)| e.last_use);
                let place = oldest.map_or(0, |(place, _)| place);
                self.entries[place] = fresh;
                place
            }
        };
        self.entries[place].last_use = self.uses;
        &mut self.entries[place]
    }

    /// Whether request `id` of `originator` is no newer than one seen before.
    pub fn has_seen(&self, originator: NodeId, id: u32) -> bool {
        let entry = self.entries.iter().find(|entry| entry.node == originator);
        entry.and_then(|entry| entry.newest_seen).is_some_and(|newest| id <= newest)
    }

    /// Records request `id` of `originator`. Returns whether it is newer than all seen before.
    pub fn see(&mut self, originator: NodeId, id: u32) -> bool {
        let entry = self.entry(originator);
        let is_new = entry.newest_seen.is_none_or(|newest| id > newest);
        if is_new {
            entry.newest_seen = Some(id);
        }
        is_new
    }

    /// A reply with a route to `node` has arrived.
    pub fn clear_searches(&mut self, node: NodeId) {
        if let Some(entry) = self.entries.iter_mut().find(|entry| entry.node == node) {
            entry.searches = 0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_wait_doubles_or_in_ns2_grows_fourfold_up_to_the_longest() {
        let mut table = RequestTable::new(4);
        let (period, longest) = (Duration::from_millis(500), Duration::from_secs(10));
        let entry = table.entry(NodeId(1));
        for (profile, expected) in [
            (Profile::Ns2, [2.0, 8.0, 10.0, 10.0, 10.0]),
            (Profile::Standard, [0.5, 1.0, 2.0, 8.0, 10.0]),
        ] {
            entry.searches = 0;
            assert_eq!(entry.next_search(period, longest, profile), Instant::ZERO);
            let waits = [1, 2, 3, 5, 40].map(|searches| {
                entry.searches = searches;
                entry.next_search(period, longest, profile).as_secs_f64()
            });
            assert_eq!(waits, expected);
        }
    }

    #[test]
    fn only_newer_requests_are_new() {
        let mut table = RequestTable::new(4);
        assert!(table.see(NodeId(1), 5) && !table.see(NodeId(1), 5) && !table.see(NodeId(1), 4));
        assert!(table.has_seen(NodeId(1), 5) && !table.has_seen(NodeId(1), 6));
        assert!(!table.has_seen(NodeId(2), 1));
    }

    #[test]
    fn the_least_recently_used_entry_is_replaced() {
        let mut table = RequestTable::new(2);
        for node in [1, 2, 1, 3] {
            table.see(NodeId(node), 7);
        }
        assert_eq!([1, 2, 3].map(|n| table.has_seen(NodeId(n), 7)), [true, false, true]);
    }
}
