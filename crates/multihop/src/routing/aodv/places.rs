//! Where a destination's entry is in a list: open addressing with linear probing in one array, so
//! that a look-up mostly reads one line of the cache.

use crate::wire::NodeId;

/// Of an empty slot.
const NONE: u32 = u32::MAX;
/// The slots of a table with any entries at all, a power of two as ever after.
const FIRST_SLOTS: usize = 8;

/// Places by destination; none is ever removed.
#[derive(Debug, Default)]
pub struct Places {
    slots: Vec<(NodeId, u32)>,
    count: usize,
}

impl Places {
    /// The place of `node`.
    #[inline]
    pub fn get(&self, node: NodeId) -> Option<u32> {
        let mut slot = self.first(node);
        loop {
            let &(other, place) = self.slots.get(slot)?;
            match place {
                NONE => return None,
                _ if other == node => return Some(place),
                _ => slot = (slot + 1) & (self.slots.len() - 1),
            }
        }
    }

    /// `node`, which has no place so far, is at `place`.
    pub fn insert(&mut self, node: NodeId, place: u32) {
        // At most three quarters are in use, so that probes end soon.
        if 4 * (self.count + 1) > 3 * self.slots.len() {
            let more = (2 * self.slots.len()).max(FIRST_SLOTS);
            let old = std::mem::replace(&mut self.slots, vec![(NodeId(0), NONE); more]);
            old.into_iter().filter(|slot| slot.1 != NONE).for_each(|(node, at)| self.put(node, at));
        }
        self.count += 1;
        self.put(node, place);
    }

    fn put(&mut self, node: NodeId, place: u32) {
        let mut slot = self.first(node);
        while self.slots[slot].1 != NONE {
            slot = (slot + 1) & (self.slots.len() - 1);
        }
        self.slots[slot] = (node, place);
    }

    /// Where probing begins: numbers that follow each other lie far apart (Fibonacci hashing:
    /// Knuth, The Art of Computer Programming, volume 3, section 6.4).
    fn first(&self, node: NodeId) -> usize {
        let hash = node.0.wrapping_mul(0x9E37_79B9);
        // The high bits, which depend on all of the number's.
        ((u64::from(hash) * self.slots.len() as u64) >> 32) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    proptest! {
        /// Against a map, with numbers close together and far apart.
        #[test]
        fn each_destination_is_found_where_it_was_put(
            nodes in prop::collection::vec(prop_oneof![0u32..60, any::<u32>()], 0..200),
        ) {
            let (mut places, mut map) = (Places::default(), BTreeMap::new());
            for (place, &node) in (0..).zip(&nodes) {
                prop_assert_eq!(places.get(NodeId(node)), map.get(&node).copied());
                map.entry(node).or_insert_with(|| {
                    places.insert(NodeId(node), place);
                    place
                });
            }
            for node in nodes.iter().copied().chain(0..100) {
                prop_assert_eq!(places.get(NodeId(node)), map.get(&node).copied());
            }
        }
    }
}
