//! Arrivals noted at each node and not yet looked at.
//!
//! Noting an arrival is what the engine does most often of all, so it is one write to memory that
//! lies together, and a count.

use super::neighbours::Neighbour;
use super::receiver::Arrival;
use crate::wire::NodeId;

/// Places for each node at first, a power of two: arrivals to gather before a node that nobody asks
/// about is caught up. Looking at many at once is cheaper than at one after the other, and this many
/// still lie close together in memory.
const PLACES_BITS: u32 = 5;

/// The arrivals of all nodes.
#[derive(Debug)]
pub struct Arrivals {
    /// Each node has 2 to this power places.
    places_bits: u32,
    slots: Vec<Arrival>,
    counts: Vec<u32>,
}

impl Arrivals {
    /// No arrivals at so many nodes.
    pub fn new(nodes: usize) -> Arrivals {
        Arrivals {
            places_bits: PLACES_BITS,
            slots: vec![Arrival::default(); nodes << PLACES_BITS],
            counts: vec![0; nodes],
        }
    }

    /// Notes a transmission at each of `hearers`, `arrival` but for delay and power. Those for whom it is
    /// time to catch up join `full`.
    // Not inlined, so that the loop has all registers to itself.
    #[inline(never)]
    pub fn note_all(&mut self, hearers: &[Neighbour], arrival: &Arrival, full: &mut Vec<NodeId>) {
        for hearer in hearers {
            self.note(hearer, arrival, full);
        }
    }

    /// Notes a transmission at one hearer.
    #[inline]
    pub fn note(&mut self, hearer: &Neighbour, arrival: &Arrival, full: &mut Vec<NodeId>) {
        let node = hearer.node.index();
        let count = &mut self.counts[node];
        let place = (node << self.places_bits) + *count as usize;
        *count += 1;
        let is_full = *count >> self.places_bits != 0;
        self.slots[place] = Arrival {
            start: arrival.start + hearer.delay(),
            end: arrival.end + hearer.delay(),
            power_w: hearer.power_w,
            ..*arrival
        };
        if is_full {
            full.push(hearer.node);
        }
    }

    /// The arrivals at `node`, by start.
    #[inline]
    pub fn at(&mut self, node: NodeId) -> &[Arrival] {
        let first = node.index() << self.places_bits;
        let slots = &mut self.slots[first..first + self.counts[node.index()] as usize];
        // Signals from different distances overtake each other, if seldom.
        if !slots.is_sorted_by(|a, b| a.start <= b.start) {
            slots.sort_by_key(|arrival| arrival.start);
        }
        slots
    }

    /// The first `seen` arrivals at `node` have been looked at.
    #[inline]
    pub fn forget(&mut self, node: NodeId, seen: usize) {
        let count = self.counts[node.index()] as usize;
        if seen < count {
            let first = node.index() << self.places_bits;
            self.slots.copy_within(first + seen..first + count, first);
        }
        self.counts[node.index()] = (count - seen) as u32;
        if (count - seen) >> self.places_bits != 0 {
            self.widen();
        }
    }

    /// Makes room for more: very many nodes may begin to send at the same instant.
    #[cold]
    fn widen(&mut self) {
        let places = 1 << self.places_bits;
        let mut slots = vec![Arrival::default(); 2 * self.slots.len()];
        for (wide, narrow) in
            slots.chunks_exact_mut(2 * places).zip(self.slots.chunks_exact(places))
        {
            wide[..places].copy_from_slice(narrow);
        }
        self.slots = slots;
        self.places_bits += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::Instant;
    use crate::radio::TwoRayGround;

    const N: NodeId = NodeId(1);

    /// Notes an arrival at the node; whether it is time to catch up.
    fn note(arrivals: &mut Arrivals, start: u64) -> bool {
        let arrival = Arrival { start: Instant::from_nanos(start), ..Arrival::default() };
        let path = TwoRayGround::new(1.0, 1e9, 1.0);
        let mut full = Vec::new();
        arrivals.note_all(&[Neighbour::new(N, 0.0, &path)], &arrival, &mut full);
        !full.is_empty()
    }

    fn starts(arrivals: &mut Arrivals) -> Vec<u64> {
        arrivals.at(N).iter().map(|arrival| arrival.start.as_nanos()).collect()
    }

    #[test]
    fn arrivals_are_kept_by_start_however_signals_overtake_each_other() {
        let mut arrivals = Arrivals::new(3);
        [5, 9, 7, 6, 20].into_iter().for_each(|start| {
            note(&mut arrivals, start);
        });
        assert_eq!(starts(&mut arrivals), [5, 6, 7, 9, 20]);
        arrivals.forget(N, 3);
        assert_eq!(starts(&mut arrivals), [9, 20]);
        note(&mut arrivals, 8);
        assert_eq!(starts(&mut arrivals), [8, 9, 20]);
        arrivals.forget(N, 3);
        note(&mut arrivals, 1);
        assert_eq!(starts(&mut arrivals), [1]);
    }

    #[test]
    fn there_is_room_for_any_number_of_simultaneous_starts() {
        let mut arrivals = Arrivals::new(2);
        for i in 0..100 {
            if note(&mut arrivals, 100 - i) {
                arrivals.forget(N, 0);
            }
        }
        assert_eq!(starts(&mut arrivals), (1..=100).collect::<Vec<_>>());
        assert!(arrivals.at(NodeId(0)).is_empty());
    }
}
