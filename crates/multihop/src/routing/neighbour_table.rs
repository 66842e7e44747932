//! The neighbours that a node hears, each until it has been silent for too long: the neighbour
//! table of RFC 8966 section 3.2.4, the link set of RFC 3626 section 4.2.1, what RFC 3561 section
//! 6.10 keeps of HELLOs.
//!
//! When to send, how long to wait and what to keep of a neighbour is the protocol's own: nothing
//! (AODV), the load that it announced (DCAR), which of its probes came and how many of this node's
//! it counts (ETX).

use std::collections::BTreeMap;

use crate::kernel::Instant;
use crate::wire::NodeId;

/// One node's neighbours, in the order of their addresses, with what the protocol keeps of each.
#[derive(Debug, Default)]
pub struct NeighbourTable<T> {
    neighbours: BTreeMap<NodeId, Neighbour<T>>,
}

/// A neighbour.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Neighbour<T> {
    /// When it was last heard.
    pub heard: Instant,
    /// When it ceases to count unless it is heard again.
    pub until: Instant,
    /// What the protocol keeps of it.
    pub known: T,
}

impl<T: Default> NeighbourTable<T> {
    /// A message of `neighbour` has come, which counts from now on, until `until`. Returns what is
    /// known of it, to be brought up to date: the default of one that is new, or that had ceased to
    /// count.
    pub fn hear(&mut self, now: Instant, neighbour: NodeId, until: Instant) -> &mut T {
        let anew = || Neighbour { heard: now, until, known: T::default() };
        let entry = self.neighbours.entry(neighbour).or_insert_with(anew);
        if entry.until <= now {
            *entry = anew();
        }
        (entry.heard, entry.until) = (now, until);
        &mut entry.known
    }

    /// The neighbour, if it counts, does so until `until`.
    pub fn set_until(&mut self, neighbour: NodeId, until: Instant) {
        if let Some(entry) = self.neighbours.get_mut(&neighbour) {
            entry.until = until;
        }
    }

    /// The neighbour, if it counts.
    pub fn get(&self, now: Instant, neighbour: NodeId) -> Option<&Neighbour<T>> {
        self.neighbours.get(&neighbour).filter(|neighbour| neighbour.until > now)
    }

    /// What is known of the neighbour, if it counts.
    pub fn get_mut(&mut self, now: Instant, neighbour: NodeId) -> Option<&mut T> {
        let entry = self.neighbours.get_mut(&neighbour).filter(|entry| entry.until > now)?;
        Some(&mut entry.known)
    }

    /// Every neighbour that counts, with what is known of it.
    pub fn current_mut(&mut self, now: Instant) -> impl Iterator<Item = (NodeId, &mut T)> {
        let all = self.neighbours.iter_mut().filter(move |(_, entry)| entry.until > now);
        all.map(|(&node, entry)| (node, &mut entry.known))
    }

    /// Every neighbour that counts.
    pub fn current(&self, now: Instant) -> impl Iterator<Item = (NodeId, &Neighbour<T>)> {
        let all = self.neighbours.iter().map(|(&node, neighbour)| (node, neighbour));
        all.filter(move |(_, neighbour)| neighbour.until > now)
    }

    /// Forgets the neighbours that have ceased to count, and returns them.
    pub fn expire(&mut self, now: Instant) -> Vec<(NodeId, T)> {
        let mut silent = Vec::new();
        self.neighbours.retain(|&node, neighbour| {
            let counts = neighbour.until > now;
            if !counts {
                silent.push((node, std::mem::take(&mut neighbour.known)));
            }
            counts
        });
        silent
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::Duration;

    fn at(seconds: f64) -> Instant {
        Instant::from_secs_f64(seconds)
    }

    fn current<T: Default>(table: &NeighbourTable<T>, seconds: f64) -> Vec<u32> {
        table.current(at(seconds)).map(|(node, _)| node.0).collect()
    }

    #[test]
    fn a_neighbour_counts_until_it_has_been_silent_for_its_time() {
        let mut table = NeighbourTable::<()>::default();
        table.hear(at(1.0), NodeId(7), at(3.0));
        table.hear(at(1.5), NodeId(4), at(9.0));
        assert_eq!(current(&table, 2.9), [4, 7], "by address");
        assert_eq!(table.get(at(2.9), NodeId(7)).map(|neighbour| neighbour.heard), Some(at(1.0)));
        assert_eq!(current(&table, 3.0), [4]);
        assert_eq!(table.get(at(3.0), NodeId(7)), None);
        table.hear(at(2.9), NodeId(7), at(4.9));
        assert_eq!(current(&table, 4.0), [4, 7]);
        // A neighbour may say that it counts for less than it said before.
        table.hear(at(4.0), NodeId(4), at(4.5));
        assert_eq!(current(&table, 4.5), [7]);
    }

    #[test]
    fn those_that_have_ceased_to_count_are_told_once_by_address() {
        let mut table = NeighbourTable::default();
        for (node, until) in [(9, 3.0), (2, 2.0), (5, 4.0)] {
            *table.hear(at(1.0), NodeId(node), at(until)) = 10 * node;
        }
        assert_eq!(table.expire(at(1.9)), []);
        assert_eq!(table.expire(at(3.0)), [(NodeId(2), 20), (NodeId(9), 90)]);
        assert_eq!(table.expire(at(3.0)), []);
        assert_eq!(current(&table, 3.0), [5]);
    }

    #[test]
    fn what_is_known_of_a_neighbour_lasts_as_long_as_it_counts() {
        let mut table = NeighbourTable::<Vec<u32>>::default();
        table.hear(at(1.0), NodeId(3), at(3.0)).push(1);
        table.hear(at(2.0), NodeId(3), at(4.0)).push(2);
        assert_eq!(table.get(at(3.9), NodeId(3)).map(|found| &*found.known), Some(&[1, 2][..]));
        // Nobody looked in between: it starts afresh all the same.
        table.hear(at(4.0), NodeId(3), at(6.0)).push(3);
        assert_eq!(table.get(at(4.0), NodeId(3)).map(|found| &*found.known), Some(&[3][..]));
    }

    /// What OLSR's link hysteresis keeps of a neighbour (RFC 3626 section 14.3).
    #[derive(Default)]
    struct Hysteresis {
        next: u16,
        quality: f64,
        is_established: bool,
    }

    impl Hysteresis {
        fn hear(&mut self, sequence: u16) {
            let lost = if self.next == 0 { 0 } else { sequence - self.next };
            self.next = sequence + 1;
            for came in std::iter::repeat_n(false, lost.into()).chain([true]) {
                self.quality = 0.5 * self.quality + if came { 0.5 } else { 0.0 };
                self.is_established |= self.quality > 0.8;
                self.is_established &= self.quality >= 0.3;
            }
        }
    }

    #[test]
    fn the_table_holds_links_with_hysteresis_by_sequence_number() {
        let mut table = NeighbourTable::<Hysteresis>::default();
        let hold = Duration::from_secs(6);
        let established = [(1, false), (2, false), (3, true), (5, true), (8, false), (9, false)];
        // Quality: 1/2, 3/4, 7/8; 7/16 and 23/32; 23/64, 23/128 and 151/256; 407/512, still below
        // 0.8.
        for (sequence, expected) in established {
            let now = at(f64::from(sequence));
            let link = table.hear(now, NodeId(1), now + hold);
            link.hear(sequence);
            assert_eq!(link.is_established, expected, "after {sequence}: {}", link.quality);
        }
        let quality = table.get(at(9.0), NodeId(1)).map(|link| link.known.quality);
        assert_eq!(quality, Some(407.0 / 512.0));
        assert_eq!(current(&table, 15.0), [] as [u32; 0], "NEIGHB_HOLD_TIME after the last");
    }

    /// The last sixteen HELLOs of a neighbour, the latest in the lowest bit (RFC 8966 appendix
    /// A.1).
    #[derive(Default)]
    struct History {
        next: u16,
        came: u16,
    }

    #[test]
    fn the_table_holds_histories_of_hellos_numbered_and_timed() {
        let (interval, life) = (Duration::from_secs(4), Duration::from_secs(16 * 4));
        let mut table = NeighbourTable::<History>::default();
        for (seconds, sequence) in [(0.0, 1), (4.2, 2), (12.1, 4), (15.9, 5)] {
            let history = table.hear(at(seconds), NodeId(1), at(seconds) + life);
            let missed = if history.next == 0 { 0 } else { sequence - history.next };
            history.came = history.came << (missed + 1) | 1;
            history.next = sequence + 1;
        }
        // Two of the last three came (A.2.1). The first that fails to come is missed 6 s after the
        // last came, 1.5 intervals, and each further one an interval later.
        let is_up = |seconds: f64| {
            let link = table.get(at(seconds), NodeId(1))?;
            let silent = at(seconds).saturating_since(link.heard);
            let late = silent.saturating_sub(interval / 2).as_nanos() / interval.as_nanos();
            Some((link.known.came << late & 0b111).count_ones() >= 2)
        };
        assert_eq!(table.get(at(16.0), NodeId(1)).map(|link| link.known.came), Some(0b11011));
        let up = [16.0, 21.8, 22.0, 25.8, 26.0].map(is_up);
        assert_eq!(up, [true, true, true, true, false].map(Some));
        assert_eq!(is_up(15.9 + 64.0), None, "the history is empty");
    }
}
