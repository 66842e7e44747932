//! The heaviest set of things of which no two exclude each other: links that can be in use
//! together, for bounds on what a network can carry.
//!
//! Branch and bound over bit sets, as for heaviest cliques (San Segundo et al., "An exact
//! bit-parallel algorithm for the maximum clique problem", Computers & OR 38, 2011; with weights
//! Tavares, "Algoritmos para o problema da clique máxima ponderada", 2016). Of things that all
//! exclude each other only one can be chosen, so a partition into such groups bounds what is left;
//! a thing may be in several groups, with part of its weight in each.

/// Things from which sets are grown where a thing is lifted.
const STARTS: usize = 40;
/// Less than this is not worth a weight.
const LEAST_LIFT: f64 = 1e-4;

/// Things, and which of them go together.
#[derive(Clone, Debug)]
pub struct Packing {
    things: usize,
    words: usize,
    compatible: Vec<u64>,
}

/// What a search has found.
#[derive(Clone, Debug, PartialEq)]
pub struct Heaviest {
    /// The heaviest set found.
    pub set: Vec<usize>,
    /// Its weight.
    pub weight: f64,
    /// No set is heavier than this.
    pub bound: f64,
}

impl Packing {
    /// Of `things`, where `compatible` has a byte for each two, row by row: not 0 if they go
    /// together.
    pub fn new(things: usize, compatible: &[u8]) -> Packing {
        assert_eq!(compatible.len(), things * things, "a byte for each two");
        let words = things.div_ceil(64);
        let mut bits = vec![0; things * words];
        for (row, own) in bits.chunks_mut(words.max(1)).enumerate() {
            for other in (0..things).filter(|&other| other != row) {
                if compatible[row * things + other] != 0 {
                    own[other / 64] |= 1 << (other % 64);
                }
            }
        }
        Packing { things, words, compatible: bits }
    }

    fn goes(&self, a: usize, b: usize) -> bool {
        self.compatible[a * self.words + b / 64] >> (b % 64) & 1 == 1
    }

    /// Sets that grow from each of the `starts` heaviest things by the heaviest that fits; heaviest
    /// set first.
    pub fn grown(&self, weights: &[f64], starts: usize) -> Vec<(f64, Vec<usize>)> {
        let order = by_weight(weights);
        let mut found: Vec<(f64, Vec<usize>)> = order
            .iter()
            .take(starts)
            .map(|&start| {
                let set = self.grow(&order, vec![start]);
                (set.iter().map(|&thing| weights[thing]).sum(), set)
            })
            .collect();
        found.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
        found.dedup();
        found
    }

    /// `set` with everything added that fits, in the order of weights.
    pub fn completed(&self, weights: &[f64], set: Vec<usize>) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.things).collect();
        order.sort_by(|&a, &b| weights[b].total_cmp(&weights[a]).then(a.cmp(&b)));
        self.grow(&order, set)
    }

    fn grow(&self, order: &[usize], mut set: Vec<usize>) -> Vec<usize> {
        for &thing in order {
            if set.iter().all(|&chosen| self.goes(chosen, thing)) {
                set.push(thing);
            }
        }
        set.sort_unstable();
        set
    }

    /// The heaviest set, but for those heavier by less than the share `slack`; at most `most_steps`
    /// branches.
    pub fn heaviest(&self, weights: &[f64], slack: f64, most_steps: u64) -> Heaviest {
        self.heaviest_from(weights, usize::MAX, slack, most_steps)
    }

    /// `weights`, by which no set weighs more than 1, with as much for each thing without weight as
    /// they leave, one after the other in this `order`. So an inequality on some things becomes one
    /// on all ("lifting": Padberg, Math. Programming 5, 1973). Sets of `full` weigh 1; each thing
    /// takes at most `most_steps` branches.
    pub fn lifted(
        &self,
        weights: &[f64],
        order: &[usize],
        full: &[Vec<usize>],
        most_steps: u64,
    ) -> Vec<f64> {
        let mut lifted = weights.to_vec();
        let mut open: Vec<bool> = weights.iter().map(|&weight| weight <= 0.0).collect();
        let close = |open: &mut [bool], set: &[usize]| {
            for (thing, is_open) in open.iter_mut().enumerate() {
                *is_open &= set.iter().any(|&other| !self.goes(thing, other));
            }
        };
        for set in full {
            close(&mut open, set);
        }
        for &thing in order {
            if !open[thing] {
                continue;
            }
            let beside: Vec<f64> = lifted
                .iter()
                .enumerate()
                .map(|(other, &weight)| if self.goes(thing, other) { weight } else { 0.0 })
                .collect();
            let mut found = self.heaviest_from(&beside, STARTS, LEAST_LIFT, most_steps);
            if found.bound < 1.0 - LEAST_LIFT {
                lifted[thing] = 1.0 - found.bound;
                found.set.push(thing);
            }
            open[thing] = false;
            if found.weight + lifted[thing] >= 1.0 - LEAST_LIFT {
                close(&mut open, &found.set);
            }
        }
        lifted
    }

    fn heaviest_from(
        &self,
        weights: &[f64],
        starts: usize,
        slack: f64,
        most_steps: u64,
    ) -> Heaviest {
        let order = by_weight(weights);
        let (weight, set) = self.grown(weights, starts).into_iter().next().unwrap_or_default();
        let words = order.len().div_ceil(64);
        let mut compatible = vec![0; order.len() * words];
        for (row, &a) in order.iter().enumerate() {
            for (column, &b) in order.iter().enumerate() {
                if self.goes(a, b) {
                    compatible[row * words + column / 64] |= 1 << (column % 64);
                }
            }
        }
        let mut search = Search {
            words,
            compatible: &compatible,
            weights: order.iter().map(|&thing| weights[thing]).collect(),
            factor: 1.0 + slack,
            best: weight,
            best_set: None,
            chosen: Vec::new(),
            steps_left: most_steps,
            cut_off: 0.0,
        };
        let mut all = vec![u64::MAX; words];
        if !order.len().is_multiple_of(64) {
            all[words - 1] = (1 << (order.len() % 64)) - 1;
        }
        search.branch(&all, 0.0);
        let set = match &search.best_set {
            Some(found) => {
                let mut set: Vec<usize> = found.iter().map(|&place| order[place]).collect();
                set.sort_unstable();
                set
            }
            None => set,
        };
        let bound = (search.best * search.factor).max(search.cut_off);
        Heaviest { set, weight: search.best, bound }
    }
}

/// Things that weigh anything, heaviest first.
fn by_weight(weights: &[f64]) -> Vec<usize> {
    let most = weights.iter().copied().fold(0.0, f64::max);
    let mut order: Vec<usize> =
        (0..weights.len()).filter(|&thing| weights[thing] > 1e-12 * most).collect();
    order.sort_by(|&a, &b| weights[b].total_cmp(&weights[a]).then(a.cmp(&b)));
    order
}

struct Search<'a> {
    words: usize,
    compatible: &'a [u64],
    weights: Vec<f64>,
    factor: f64,
    best: f64,
    best_set: Option<Vec<usize>>,
    chosen: Vec<usize>,
    steps_left: u64,
    /// The highest bound of what was left out for want of steps.
    cut_off: f64,
}

impl Search<'_> {
    fn branch(&mut self, candidates: &[u64], weight: f64) {
        if weight > self.best {
            self.best = weight;
            self.best_set = Some(self.chosen.clone());
        }
        let needed = self.best * self.factor - weight;
        let (open, bound) = self.uncovered(candidates, needed);
        if open.is_empty() {
            return;
        }
        if self.steps_left == 0 {
            self.cut_off = self.cut_off.max(weight + bound);
            return;
        }
        let mut rest = candidates.to_vec();
        // Those that are left over are tried one after the other; without them nothing is heavy
        // enough.
        for &thing in &open {
            if self.steps_left == 0 {
                self.cut_off = self.cut_off.max(weight + bound);
                return;
            }
            self.steps_left -= 1;
            rest[thing / 64] &= !(1 << (thing % 64));
            let row = &self.compatible[thing * self.words..(thing + 1) * self.words];
            let next: Vec<u64> = rest.iter().zip(row).map(|(a, b)| a & b).collect();
            self.chosen.push(thing);
            self.branch(&next, weight + self.weights[thing]);
            self.chosen.pop();
        }
    }

    /// Puts candidates into groups that weigh no more than `needed` together. Returns those with
    /// weight left over, heaviest first, and what all weigh at most.
    fn uncovered(&self, candidates: &[u64], needed: f64) -> (Vec<usize>, f64) {
        let mut left = candidates.to_vec();
        let mut of = vec![0.0; self.weights.len()];
        for place in bits(candidates) {
            of[place] = self.weights[place];
        }
        let mut total = 0.0;
        let mut group: Vec<usize> = Vec::new();
        let mut fits = vec![0; self.words];
        loop {
            fits.copy_from_slice(&left);
            group.clear();
            while let Some(thing) = first(&fits) {
                group.push(thing);
                self.keep_excluded(&mut fits, thing);
            }
            if group.is_empty() {
                return (Vec::new(), total);
            }
            let least = group.iter().map(|&thing| of[thing]).fold(f64::INFINITY, f64::min);
            let part = least.min((needed - total).max(0.0));
            total += part;
            for &thing in &group {
                of[thing] -= part;
                if of[thing] <= 1e-15 {
                    of[thing] = 0.0;
                    left[thing / 64] &= !(1 << (thing % 64));
                }
            }
            if part < least {
                break;
            }
        }
        let open: Vec<usize> = bits(&left).collect();
        let more = self.rest(&left, &of);
        (open, total + more)
    }

    /// What the weight left over adds at most, group by group.
    fn rest(&self, left: &[u64], of: &[f64]) -> f64 {
        let mut left = left.to_vec();
        let mut fits = left.clone();
        let mut sum = 0.0;
        while first(&left).is_some() {
            let mut most = 0.0f64;
            while let Some(thing) = first(&fits) {
                most = most.max(of[thing]);
                left[thing / 64] &= !(1 << (thing % 64));
                self.keep_excluded(&mut fits, thing);
            }
            sum += most;
            fits.copy_from_slice(&left);
        }
        sum
    }

    /// Takes `thing` out of `fits`, and all that goes with it.
    fn keep_excluded(&self, fits: &mut [u64], thing: usize) {
        fits[thing / 64] &= !(1 << (thing % 64));
        let row = &self.compatible[thing * self.words..(thing + 1) * self.words];
        for (bits, together) in fits.iter_mut().zip(row) {
            *bits &= !together;
        }
    }
}

/// The lowest place of a bit that is set.
fn first(words: &[u64]) -> Option<usize> {
    let place = words.iter().position(|&word| word != 0)?;
    Some(64 * place + words[place].trailing_zeros() as usize)
}

/// The places of the bits that are set, lowest first.
fn bits(words: &[u64]) -> impl Iterator<Item = usize> + '_ {
    words.iter().enumerate().flat_map(|(place, &word)| {
        std::iter::successors((word != 0).then_some(word), |&word| {
            let next = word & (word - 1);
            (next != 0).then_some(next)
        })
        .map(move |word| 64 * place + word.trailing_zeros() as usize)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn of(things: usize, together: impl Fn(usize, usize) -> bool) -> Packing {
        let bytes: Vec<u8> = (0..things * things)
            .map(|place| u8::from(together(place / things, place % things)))
            .collect();
        Packing::new(things, &bytes)
    }

    /// Every set of things of which each two go together.
    fn sets(things: usize, together: impl Fn(usize, usize) -> bool) -> Vec<Vec<usize>> {
        (0u32..1 << things)
            .map(|subset| (0..things).filter(|&thing| subset >> thing & 1 == 1).collect())
            .filter(|set: &Vec<usize>| {
                set.iter().all(|&a| set.iter().all(|&b| a == b || together(a, b)))
            })
            .collect()
    }

    #[test]
    fn the_hub_of_a_wheel_is_lifted_to_all_that_its_rim_may_have() {
        // Of a ring of five conflicts two can be in use; the hub excludes all: x1 + ... + x5 + 2
        // hub <= 2.
        let next = |a: usize, b: usize| (a + 1) % 5 == b || (b + 1) % 5 == a;
        let together = |a: usize, b: usize| a < 5 && b < 5 && a != b && !next(a, b);
        let packing = of(6, together);
        let lifted = packing.lifted(&[0.5, 0.5, 0.5, 0.5, 0.5, 0.0], &[5], &[], 1000);
        assert_eq!(lifted, [0.5, 0.5, 0.5, 0.5, 0.5, 1.0]);
    }

    proptest! {
        #[test]
        fn no_set_outweighs_lifted_weights(
            weights in prop::collection::vec(0.0..1.0f64, 4..11),
            pairs in prop::collection::vec(any::<bool>(), 11 * 11),
            most_steps in prop::sample::select(vec![0u64, 2, 10_000]),
        ) {
            let things = weights.len();
            let together = |a: usize, b: usize| a != b && pairs[11 * a.min(b) + a.max(b)];
            let packing = of(things, together);
            let half: Vec<f64> =
                (0..things).map(|thing| if thing % 2 == 0 { weights[thing] } else { 0.0 }).collect();
            let all = sets(things, together);
            let weight = |of: &[f64], set: &[usize]| set.iter().map(|&thing| of[thing]).sum::<f64>();
            let most = all.iter().map(|set| weight(&half, set)).fold(1e-9, f64::max);
            let scaled: Vec<f64> = half.iter().map(|each| each / most).collect();
            let full: Vec<Vec<usize>> =
                all.iter().filter(|set| weight(&scaled, set) > 1.0 - 1e-9).cloned().collect();
            let order: Vec<usize> = (0..things).rev().collect();
            let lifted = packing.lifted(&scaled, &order, &full, most_steps);
            for set in &all {
                prop_assert!(weight(&lifted, set) <= 1.0 + 1e-9);
            }
            prop_assert!(scaled.iter().zip(&lifted).all(|(before, after)| before <= after));
        }

        #[test]
        fn no_set_is_heavier_than_the_bound_and_one_weighs_what_is_said(
            weights in prop::collection::vec(0.0..1.0f64, 1..13),
            pairs in prop::collection::vec(any::<bool>(), 13 * 13),
            most_steps in prop::sample::select(vec![0u64, 2, 10_000]),
        ) {
            let things = weights.len();
            let together = |a: usize, b: usize| a != b && pairs[13 * a.min(b) + a.max(b)];
            let found = of(things, together).heaviest(&weights, 0.0, most_steps);
            let heaviest = sets(things, together)
                .iter()
                .map(|set| set.iter().map(|&thing| weights[thing]).sum())
                .fold(0.0f64, f64::max);
            prop_assert!(heaviest <= found.bound + 1e-9);
            prop_assert!(found.set.iter().all(|&a| found.set.iter().all(|&b| a == b || together(a, b))));
            let weight: f64 = found.set.iter().map(|&thing| weights[thing]).sum();
            prop_assert!((weight - found.weight).abs() < 1e-9);
            if most_steps > 2 {
                prop_assert!((heaviest - weight).abs() < 1e-9);
            }
        }
    }
}
