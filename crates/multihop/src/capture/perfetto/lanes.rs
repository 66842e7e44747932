//! Lanes for slices that may overlap: the slices of one track must not.

use rustc_hash::FxHashMap;

/// Until when each lane is taken.
#[derive(Debug)]
pub struct Lanes<K>(FxHashMap<K, Vec<u64>>);

impl<K> Default for Lanes<K> {
    fn default() -> Lanes<K> {
        Lanes(FxHashMap::default())
    }
}

impl<K: Eq + std::hash::Hash> Lanes<K> {
    /// The first lane of `of` that is free from `begin_ns`, and then taken until `end_ns`.
    pub fn take(&mut self, of: K, begin_ns: u64, end_ns: u64) -> u32 {
        let lanes = self.0.entry(of).or_default();
        let lane = lanes.iter().position(|&until| until <= begin_ns).unwrap_or(lanes.len());
        match lanes.get_mut(lane) {
            Some(until) => *until = end_ns,
            None => lanes.push(end_ns),
        }
        lane as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn overlapping_slices_are_on_lanes_of_their_own() {
        let mut lanes = Lanes::default();
        let taken = [("a", 0, 10), ("a", 5, 12), ("b", 6, 8), ("a", 10, 20), ("a", 11, 15)];
        let taken = taken.map(|(of, begin, end)| lanes.take(of, begin, end));
        assert_eq!(taken, [0, 1, 0, 0, 2]);
    }
}
