//! Arrivals recorded at each node and not yet processed.
//!
//! Recording an arrival is the engine's most frequent operation, so it is one write to contiguous
//! memory and one increment.

use super::arrival::{Arrival, Traits};
use super::neighbours::Neighbour;
use crate::kernel::Instant;
use crate::wire::NodeId;

/// Initial slots per node, a power of two. A node that is not queried otherwise makes room when all
/// but one are in use: the more, the less often, as what is over then need not be processed. Of few
/// nodes 64 fit into the nearer caches, of many only 32 do.
fn places_for(nodes: usize) -> usize {
    if nodes <= 1000 { 64 } else { 32 }
}

/// The arrivals of all nodes.
#[derive(Debug)]
pub struct Arrivals {
    /// Slots per node, a power of two. A node is full when one is left.
    places: usize,
    slots: Vec<Arrival>,
    lists: Vec<List>,
    /// The latest start of any arrival so far.
    last_start: Instant,
}

/// One node's slots.
#[derive(Clone, Copy, Debug)]
struct List {
    /// The first free one.
    free: u32,
    /// From this slot on, no arrival is a broadcast that the node ignores.
    uncounted: u32,
}

impl List {
    fn empty(node: usize, places: usize) -> List {
        let first = (node * places) as u32;
        List { free: first, uncounted: first }
    }
}

impl Arrivals {
    /// No arrivals, for this many nodes.
    pub fn new(nodes: usize) -> Arrivals {
        let places = places_for(nodes);
        Arrivals {
            places,
            slots: vec![Arrival::default(); nodes * places],
            lists: (0..nodes).map(|node| List::empty(node, places)).collect(),
            last_start: Instant::ZERO,
        }
    }

    /// Records a transmission at each of `hearers`: `arrival` with each one's own delay and power.
    /// Nodes that must catch up now are added to `full`.
    // Not inlined: the loop needs all the registers.
    #[inline(never)]
    pub fn note_all(&mut self, hearers: &[Neighbour], arrival: &Arrival, full: &mut Vec<NodeId>) {
        for hearer in hearers {
            self.note(hearer, arrival, full);
        }
    }

    /// Records a transmission at one hearer.
    #[inline]
    pub fn note(&mut self, hearer: &Neighbour, arrival: &Arrival, full: &mut Vec<NodeId>) {
        let free = &mut self.lists[hearer.node.index()].free;
        let place = *free as usize;
        *free += 1;
        self.slots[place] = Arrival {
            start: arrival.start + hearer.delay(),
            end: arrival.end + hearer.delay(),
            power_w: hearer.power_w,
            ..*arrival
        };
        if (place + 2) & (self.places - 1) == 0 {
            full.push(hearer.node);
        }
    }

    /// Sets the traits of the last arrival recorded at `node`.
    #[inline]
    pub fn mark_last(&mut self, node: NodeId, traits: Traits) {
        if let Some(last) = self.slots_of(node).last_mut() {
            last.traits = traits;
        }
    }

    /// The last arrival recorded at `node` is a broadcast that it ignores: the end of the frame is
    /// no event there, but its collision counts.
    #[inline]
    pub fn count_last(&mut self, node: NodeId) {
        let list = &mut self.lists[node.index()];
        list.uncounted = list.free;
    }

    /// How many of the arrivals at `node`, from the first on, must be processed to count the
    /// collisions of ignored broadcasts.
    #[inline]
    pub fn counted(&self, node: NodeId) -> usize {
        self.lists[node.index()].uncounted as usize - node.index() * self.places
    }

    /// Restores the order of arrivals after a transmission that starts `now` was recorded at all of
    /// `near` and `far`, nearest first. It can arrive before earlier ones from farther away, but
    /// rarely does.
    #[inline]
    pub fn put_in_order(&mut self, near: &[Neighbour], far: &[Neighbour], now: Instant) {
        let overtakes = now < self.last_start;
        if let Some(farthest) = far.last().or(near.last()) {
            self.last_start = self.last_start.max(now + farthest.delay());
        }
        if overtakes {
            near.iter().chain(far).for_each(|hearer| self.put_last_in_order(hearer.node));
        }
    }

    /// The same where hearers are in any order.
    pub fn put_all_in_order(&mut self, hearers: &[Neighbour], now: Instant) {
        let overtakes = now < self.last_start;
        if let Some(delay) = hearers.iter().map(Neighbour::delay).max() {
            self.last_start = self.last_start.max(now + delay);
        }
        if overtakes {
            hearers.iter().for_each(|hearer| self.put_last_in_order(hearer.node));
        }
    }

    #[inline(always)]
    fn put_last_in_order(&mut self, node: NodeId) {
        let slots = self.slots_of(node);
        let last = slots.len().saturating_sub(1);
        let mut place = last;
        while place > 0 && slots[place - 1].start > slots[place].start {
            slots.swap(place - 1, place);
            place -= 1;
        }
        if place < last {
            // One that counts may have moved.
            self.count_last(node);
        }
    }

    /// The arrivals at `node`, by start.
    #[inline]
    pub fn at(&self, node: NodeId) -> &[Arrival] {
        &self.slots[node.index() * self.places..self.lists[node.index()].free as usize]
    }

    /// Whether there are none at `node`.
    #[inline]
    pub fn is_empty(&self, node: NodeId) -> bool {
        self.lists[node.index()].free as usize == node.index() * self.places
    }

    #[inline]
    fn slots_of(&mut self, node: NodeId) -> &mut [Arrival] {
        &mut self.slots[node.index() * self.places..self.lists[node.index()].free as usize]
    }

    /// Drops the first `seen` arrivals at `node`, which have been processed.
    #[inline]
    pub fn forget(&mut self, node: NodeId, seen: usize) {
        let list = &mut self.lists[node.index()];
        if list.free as usize == node.index() * self.places + seen {
            *list = List::empty(node.index(), self.places);
        } else {
            self.keep_from(node, seen);
        }
    }

    /// The same where some are left.
    #[inline(never)]
    fn keep_from(&mut self, node: NodeId, seen: usize) {
        let slots = self.slots_of(node);
        let left = slots.len() - seen;
        slots.copy_within(seen.., 0);
        let first = (node.index() * self.places) as u32;
        let list = &mut self.lists[node.index()];
        list.free -= seen as u32;
        list.uncounted = list.uncounted.saturating_sub(seen as u32).max(first);
        if left + 1 == self.places {
            self.widen();
        }
    }

    /// Doubles the slots: very many nodes may start to send at the same instant.
    #[cold]
    fn widen(&mut self) {
        let places = 2 * self.places;
        let mut slots = vec![Arrival::default(); 2 * self.slots.len()];
        for (node, list) in self.lists.iter_mut().enumerate() {
            let (old, new) = (node * self.places, node * places);
            let arrivals = &self.slots[old..list.free as usize];
            slots[new..new + arrivals.len()].copy_from_slice(arrivals);
            list.free += (new - old) as u32;
            list.uncounted += (new - old) as u32;
        }
        (self.places, self.slots) = (places, slots);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::radio::RadioConfig;

    const N: NodeId = NodeId(1);

    /// Records an arrival at the node; returns whether it must catch up.
    fn note(arrivals: &mut Arrivals, start: u64) -> bool {
        let arrival = Arrival { start: Instant::from_nanos(start), ..Arrival::default() };
        let path_loss = RadioConfig::default().path_loss();
        let mut full = Vec::new();
        let hearers = [Neighbour::new(N, 0.0, &path_loss)];
        arrivals.note_all(&hearers, &arrival, &mut full);
        arrivals.put_in_order(&hearers, &[], arrival.start);
        !full.is_empty()
    }

    fn starts(arrivals: &Arrivals) -> Vec<u64> {
        arrivals.at(N).iter().map(|arrival| arrival.start.as_nanos()).collect()
    }

    #[test]
    fn arrivals_are_kept_by_start_however_signals_overtake_each_other() {
        let mut arrivals = Arrivals::new(3);
        [5, 9, 7, 6, 20].into_iter().for_each(|start| {
            note(&mut arrivals, start);
        });
        assert_eq!(starts(&arrivals), [5, 6, 7, 9, 20]);
        arrivals.forget(N, 3);
        assert_eq!(starts(&arrivals), [9, 20]);
        note(&mut arrivals, 8);
        assert_eq!(starts(&arrivals), [8, 9, 20]);
        arrivals.forget(N, 3);
        note(&mut arrivals, 1);
        assert_eq!(starts(&arrivals), [1]);
    }

    #[test]
    fn a_hearer_for_whom_nothing_was_recorded_is_left_alone() {
        let mut arrivals = Arrivals::new(3);
        note(&mut arrivals, 9);
        let other = Neighbour::new(NodeId(2), 0.0, &RadioConfig::default().path_loss());
        arrivals.put_all_in_order(&[other], Instant::from_nanos(5));
        assert!(arrivals.at(other.node).is_empty());
        assert_eq!(starts(&arrivals), [9]);
    }

    #[test]
    fn any_number_of_simultaneous_starts_fits() {
        let mut arrivals = Arrivals::new(2);
        for i in 0..100 {
            if note(&mut arrivals, 100 - i) {
                arrivals.forget(N, 0);
            }
        }
        assert_eq!(starts(&arrivals), (1..=100).collect::<Vec<_>>());
        assert!(arrivals.at(NodeId(0)).is_empty());
    }
}
