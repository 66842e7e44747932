//! The choice of multipoint relays (RFC 3626 sections 8.3.1 and 16.2; RFC 7181 appendix B).

use std::collections::{BTreeMap, BTreeSet};

use crate::wire::NodeId;

/// A neighbour that never relays.
pub const NEVER: u8 = 0;

/// A symmetric neighbour with a willingness above never, and the nodes two hops away that it has to
/// reach: by RFC 3626 those with a symmetric link to it that are neither this node nor its
/// neighbours, by RFC 7181 those that no way through another neighbour reaches at less cost.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// The neighbour.
    pub node: NodeId,
    /// Its willingness.
    pub willingness: u8,
    /// Whom it reaches.
    pub reaches: Vec<NodeId>,
}

/// The relays among `candidates`, so that `coverage` of them reach each node two hops away, or all
/// that reach it if they are fewer. Who is as willing as `always` is one.
pub fn select(candidates: &[Candidate], coverage: u32, always: u8) -> BTreeSet<NodeId> {
    let mut chosen: Vec<bool> = candidates.iter().map(|one| one.willingness == always).collect();
    let mut reached_by: BTreeMap<NodeId, u32> = BTreeMap::new();
    for &node in candidates.iter().flat_map(|one| &one.reaches) {
        *reached_by.entry(node).or_default() += 1;
    }
    // Those who reach a node that few reach (step 3).
    for (is_chosen, one) in chosen.iter_mut().zip(candidates) {
        *is_chosen |= one.reaches.iter().any(|node| reached_by[node] <= coverage);
    }
    let mut wanting: BTreeMap<NodeId, u32> =
        reached_by.iter().map(|(&node, &by)| (node, by.min(coverage))).collect();
    let cover = |wanting: &mut BTreeMap<NodeId, u32>, one: &Candidate| {
        for node in &one.reaches {
            if let Some(left) = wanting.get_mut(node) {
                *left -= 1;
                if *left == 0 {
                    wanting.remove(node);
                }
            }
        }
    };
    for (_, one) in chosen.iter().zip(candidates).filter(|(is_chosen, _)| **is_chosen) {
        cover(&mut wanting, one);
    }
    // The most willing, then the one that reaches the most, then the one of highest degree (step
    // 4).
    while !wanting.is_empty() {
        let worth = |place: &usize| {
            let one = &candidates[*place];
            let new = one.reaches.iter().filter(|node| wanting.contains_key(node)).count();
            (new > 0, one.willingness, new, one.reaches.len(), std::cmp::Reverse(one.node))
        };
        let left = (0..candidates.len()).filter(|&place| !chosen[place]);
        let best = left.max_by_key(worth).expect("who reaches a node is chosen or left");
        chosen[best] = true;
        cover(&mut wanting, &candidates[best]);
    }
    drop_needless(candidates, (coverage, always), &mut chosen, &reached_by);
    let chosen = chosen.iter().zip(candidates).filter(|(is_chosen, _)| **is_chosen);
    chosen.map(|(_, one)| one.node).collect()
}

/// Leaves out, the least willing first, those without whom every node is still reached (step 5).
fn drop_needless(
    candidates: &[Candidate],
    (coverage, always): (u32, u8),
    chosen: &mut [bool],
    reached_by: &BTreeMap<NodeId, u32>,
) {
    let mut covered: BTreeMap<NodeId, u32> = BTreeMap::new();
    for (_, one) in chosen.iter().zip(candidates).filter(|(is_chosen, _)| **is_chosen) {
        for &node in &one.reaches {
            *covered.entry(node).or_default() += 1;
        }
    }
    let mut order: Vec<usize> = (0..candidates.len()).filter(|&place| chosen[place]).collect();
    order.sort_by_key(|&place| (candidates[place].willingness, candidates[place].node));
    for place in order {
        let one = &candidates[place];
        let spare = |node: &NodeId| covered[node] > reached_by[node].min(coverage);
        if one.willingness < always && one.reaches.iter().all(spare) {
            chosen[place] = false;
            for node in &one.reaches {
                *covered.get_mut(node).expect("it was counted") -= 1;
            }
        }
    }
}
