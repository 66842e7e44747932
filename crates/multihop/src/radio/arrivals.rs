//! Arrivals noted at each node and not yet looked at.
//!
//! Noting an arrival is what the engine does most often of all, so it is one write to memory that
//! lies together, and a count.

use super::receiver::Arrival;
use crate::kernel::Instant;
use crate::wire::NodeId;

/// Arrivals to gather before a node that nobody asks about is caught up: looking at many at once is
/// cheaper than at one after the other, and this many still lie close together in memory.
const GATHERED: usize = 24;

/// The arrivals of all nodes, each node's by start.
#[derive(Debug)]
pub struct Arrivals {
    /// Places for each node, more than it gathers.
    places: usize,
    slots: Vec<Arrival>,
    counts: Vec<Count>,
}

#[derive(Clone, Copy, Debug)]
struct Count {
    noted: u32,
    /// When the last arrival starts.
    last: Instant,
}

impl Arrivals {
    /// No arrivals at so many nodes.
    pub fn new(nodes: usize) -> Arrivals {
        let places = GATHERED;
        Arrivals {
            places,
            slots: vec![Arrival::default(); nodes * places],
            counts: vec![Count { noted: 0, last: Instant::ZERO }; nodes],
        }
    }

    /// Notes a transmission that will reach `node`. Returns whether it is time for the node to catch up.
    #[inline]
    pub fn note(&mut self, node: NodeId, arrival: Arrival) -> bool {
        let count = &mut self.counts[node.index()];
        let noted = count.noted as usize;
        let overtakes = arrival.start < count.last && noted > 0;
        self.slots[node.index() * self.places + noted] = arrival;
        count.noted += 1;
        if overtakes {
            self.sort_last(node);
        } else {
            count.last = arrival.start;
        }
        noted + 1 >= self.places
    }

    /// The arrivals at `node`.
    #[inline]
    pub fn at(&self, node: NodeId) -> &[Arrival] {
        let first = node.index() * self.places;
        &self.slots[first..first + self.counts[node.index()].noted as usize]
    }

    /// The first `seen` arrivals at `node` have been looked at.
    #[inline]
    pub fn forget(&mut self, node: NodeId, seen: usize) {
        let count = &mut self.counts[node.index()];
        let noted = count.noted as usize;
        if seen == noted {
            count.noted = 0;
        } else if seen > 0 {
            let first = node.index() * self.places;
            self.slots.copy_within(first + seen..first + noted, first);
            count.noted -= seen as u32;
        } else if noted >= self.places {
            self.widen();
        }
    }

    /// Puts the last arrival in its place: signals from different distances overtake each other.
    #[cold]
    fn sort_last(&mut self, node: NodeId) {
        let first = node.index() * self.places;
        let slots = &mut self.slots[first..first + self.counts[node.index()].noted as usize];
        let mut i = slots.len() - 1;
        while i > 0 && slots[i - 1].start > slots[i].start {
            slots.swap(i - 1, i);
            i -= 1;
        }
    }

    /// Makes room for more: very many nodes may begin to send at the same instant.
    #[cold]
    fn widen(&mut self) {
        let mut slots = vec![Arrival::default(); 2 * self.slots.len()];
        for (wide, narrow) in
            slots.chunks_exact_mut(2 * self.places).zip(self.slots.chunks_exact(self.places))
        {
            wide[..self.places].copy_from_slice(narrow);
        }
        self.slots = slots;
        self.places *= 2;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const N: NodeId = NodeId(1);

    fn arrival(start: u64) -> Arrival {
        Arrival { start: Instant::from_nanos(start), ..Arrival::default() }
    }

    fn starts(arrivals: &Arrivals) -> Vec<u64> {
        arrivals.at(N).iter().map(|arrival| arrival.start.as_nanos()).collect()
    }

    #[test]
    fn arrivals_are_kept_by_start_however_signals_overtake_each_other() {
        let mut arrivals = Arrivals::new(3);
        [5, 9, 7, 6, 20].map(|start| arrivals.note(N, arrival(start)));
        assert_eq!(starts(&arrivals), [5, 6, 7, 9, 20]);
        arrivals.forget(N, 3);
        assert_eq!(starts(&arrivals), [9, 20]);
        arrivals.note(N, arrival(8));
        assert_eq!(starts(&arrivals), [8, 9, 20]);
        arrivals.forget(N, 3);
        arrivals.note(N, arrival(1));
        assert_eq!(starts(&arrivals), [1]);
    }

    #[test]
    fn there_is_room_for_any_number_of_simultaneous_starts() {
        let mut arrivals = Arrivals::new(2);
        for i in 0..100 {
            if arrivals.note(N, arrival(100 - i)) {
                arrivals.forget(N, 0);
            }
        }
        assert_eq!(starts(&arrivals), (1..=100).collect::<Vec<_>>());
        assert!(arrivals.at(NodeId(0)).is_empty());
    }
}
