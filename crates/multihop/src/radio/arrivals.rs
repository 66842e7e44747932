//! Arrivals noted at each node and not yet looked at.
//!
//! Noting an arrival is what the engine does most often of all, so it is one write to memory that
//! lies together, and a count.

use super::neighbours::Neighbour;
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

    /// Notes a transmission at each of `hearers`, `arrival` but for delay and power. Those for whom it is
    /// time to catch up join `full`.
    #[inline]
    pub fn note_all(&mut self, hearers: &[Neighbour], arrival: Arrival, full: &mut Vec<NodeId>) {
        for hearer in hearers {
            self.note(hearer, arrival, full);
        }
    }

    /// Notes a transmission at one of its hearers.
    #[inline]
    pub fn note(&mut self, hearer: &Neighbour, arrival: Arrival, full: &mut Vec<NodeId>) {
        let node = hearer.node.index();
        let count = &mut self.counts[node];
        let noted = count.noted as usize;
        let start = arrival.start + hearer.delay();
        let overtakes = start < count.last && noted > 0;
        count.noted += 1;
        count.last = count.last.max(start);
        self.slots[node * self.places + noted] = Arrival {
            start,
            end: arrival.end + hearer.delay(),
            power_w: hearer.power_w,
            ..arrival
        };
        if overtakes || noted + 1 >= self.places {
            self.settle(hearer.node, overtakes, full);
        }
    }

    /// Does what is seldom to be done after an arrival was noted.
    #[cold]
    fn settle(&mut self, node: NodeId, overtakes: bool, full: &mut Vec<NodeId>) {
        if overtakes {
            self.sort_last(node);
        }
        if self.counts[node.index()].noted as usize >= self.places {
            full.push(node);
        }
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
    use crate::radio::TwoRayGround;

    const N: NodeId = NodeId(1);

    /// Notes an arrival at the node; whether it is time to catch up.
    fn note(arrivals: &mut Arrivals, start: u64) -> bool {
        let arrival = Arrival { start: Instant::from_nanos(start), ..Arrival::default() };
        let path = TwoRayGround::new(1.0, 1e9, 1.0);
        let mut full = Vec::new();
        arrivals.note(&Neighbour::new(N, 0.0, &path), arrival, &mut full);
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
    fn there_is_room_for_any_number_of_simultaneous_starts() {
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
