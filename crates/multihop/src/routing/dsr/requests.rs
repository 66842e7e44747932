//! The request table (RFC 4728 section 4.3): when this node last searched for a node, and which
//! requests of that node it has seen.

use std::collections::VecDeque;

use crate::kernel::{Duration, Instant};
use crate::profile::Profile;
use crate::wire::NodeId;

/// RequestTableIds (section 9).
const IDENTIFICATIONS: usize = 16;

/// The table of one node; a new entry replaces the least recently used one.
#[derive(Debug)]
pub struct RequestTable {
    capacity: usize,
    profile: Profile,
    entries: Vec<Entry>,
    uses: u64,
}

/// The entry of one node.
#[derive(Clone, Debug)]
pub struct Entry {
    node: NodeId,
    last_use: u64,
    /// The last requests seen from the node, the newest last; in ns-2 that one alone. Their
    /// identifications suffice: a node numbers all its requests in one sequence, whatever their
    /// targets.
    seen: VecDeque<u32>,
    /// Searches for the node without a reply so far.
    pub searches: u32,
    /// When the last of them began.
    pub last_search: Instant,
    /// Whether only a ring-zero request has been sent so far.
    pub only_ring_zero: bool,
}

impl Entry {
    /// When the next search may begin: after `period`, doubled with every search (section 8.2), at
    /// most `longest`. In ns-2 the first wait is four times `period`, and each next one four times
    /// as long.
    pub fn next_search(&self, period: Duration, longest: Duration, profile: Profile) -> Instant {
        let Some(earlier) = self.searches.checked_sub(1) else { return Instant::ZERO };
        let factor = match profile {
            Profile::Ns2 => 4u64.saturating_pow(self.searches),
            Profile::Standard => 2u64.saturating_pow(earlier),
        };
        let wait = period.as_nanos().saturating_mul(factor).min(longest.as_nanos());
        self.last_search + Duration::from_nanos(wait)
    }

    /// Whether request `id` of the node has been seen. In ns-2, which knows the newest only, so
    /// have all before it.
    fn has_seen(&self, id: u32, profile: Profile) -> bool {
        match profile {
            Profile::Ns2 => self.seen.back().is_some_and(|newest| id <= *newest),
            Profile::Standard => self.seen.contains(&id),
        }
    }
}

impl RequestTable {
    /// An empty table for `capacity` nodes.
    pub fn new(capacity: usize, profile: Profile) -> RequestTable {
        RequestTable { capacity, profile, entries: Vec::new(), uses: 0 }
    }

    /// The entry of `node`.
    pub fn entry(&mut self, node: NodeId) -> &mut Entry {
        self.uses += 1;
        let fresh = Entry {
            node,
            last_use: self.uses,
            seen: VecDeque::new(),
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

    /// Whether request `id` of `originator` has been seen, as far as the table remembers.
    pub fn has_seen(&self, originator: NodeId, id: u32) -> bool {
        let entry = self.entries.iter().find(|entry| entry.node == originator);
        entry.is_some_and(|entry| entry.has_seen(id, self.profile))
    }

    /// Records request `id` of `originator`. Returns whether it had not been seen before.
    pub fn see(&mut self, originator: NodeId, id: u32) -> bool {
        let profile = self.profile;
        let kept = match profile {
            Profile::Ns2 => 1,
            Profile::Standard => IDENTIFICATIONS,
        };
        let entry = self.entry(originator);
        let is_new = !entry.has_seen(id, profile);
        if is_new {
            entry.seen.push_back(id);
            if entry.seen.len() > kept {
                entry.seen.pop_front();
            }
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
        let mut table = RequestTable::new(4, Profile::Ns2);
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
    fn only_newer_requests_are_new_in_ns2() {
        let mut table = RequestTable::new(4, Profile::Ns2);
        assert!(table.see(NodeId(1), 5) && !table.see(NodeId(1), 5) && !table.see(NodeId(1), 4));
        assert!(table.has_seen(NodeId(1), 5) && !table.has_seen(NodeId(1), 6));
        assert!(!table.has_seen(NodeId(2), 1));
    }

    #[test]
    fn the_last_sixteen_requests_of_a_node_are_known_in_whatever_order_they_came() {
        let mut table = RequestTable::new(4, Profile::Standard);
        assert!(table.see(NodeId(1), 5) && table.see(NodeId(1), 4), "4.3: each was new");
        assert!(!table.see(NodeId(1), 5) && !table.see(NodeId(1), 4));
        (6..20).for_each(|id| assert!(table.see(NodeId(1), id)));
        assert!(table.has_seen(NodeId(1), 5), "16 identifications");
        assert!(table.see(NodeId(1), 20) && !table.has_seen(NodeId(1), 5), "first in, first out");
        assert!(table.has_seen(NodeId(1), 4));
    }

    #[test]
    fn the_least_recently_used_entry_is_replaced() {
        let mut table = RequestTable::new(2, Profile::Ns2);
        for node in [1, 2, 1, 3] {
            table.see(NodeId(node), 7);
        }
        assert_eq!([1, 2, 3].map(|n| table.has_seen(NodeId(n), 7)), [true, false, true]);
    }
}
