//! The two choices of relays (RFC 7181 section 18): for messages to all and for data.

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;

use crate::routing::link_state::{Candidate, NEVER, select};
use crate::wire::NodeId;

/// A neighbour that always relays (section 5.6.2).
const ALWAYS: u8 = 15;

/// A symmetric neighbour of the neighbour graph (section 18.2).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Member {
    pub node: NodeId,
    pub willingness: u8,
    /// The metric of the link to it, d1.
    pub metric: u32,
    /// Its own neighbours, each with the metric of the link between them, d2.
    pub behind: Vec<(NodeId, u32)>,
}

/// Relays among `members`, by which every node two hops away, and every neighbour that is nearer
/// through another, is as near as through all of them (section 18.3).
pub fn choose(members: &[Member]) -> BTreeSet<NodeId> {
    let direct: FxHashMap<NodeId, u32> = members.iter().map(|one| (one.node, one.metric)).collect();
    let willing: Vec<&Member> = members.iter().filter(|one| one.willingness > NEVER).collect();
    let ways = |one: &Member| -> Vec<(NodeId, u32)> {
        one.behind.iter().map(|&(node, more)| (node, one.metric.saturating_add(more))).collect()
    };
    let ways: Vec<Vec<(NodeId, u32)>> = willing.iter().map(|one| ways(one)).collect();
    let mut least: FxHashMap<NodeId, u32> = FxHashMap::default();
    for &(node, metric) in ways.iter().flatten() {
        least.entry(node).and_modify(|least| *least = (*least).min(metric)).or_insert(metric);
    }
    least.retain(|node, metric| direct.get(node).is_none_or(|direct| *metric < *direct));
    let candidate = |(one, ways): (&&Member, &Vec<(NodeId, u32)>)| {
        let is_best = |way: &&(NodeId, u32)| least.get(&way.0) == Some(&way.1);
        let reaches = ways.iter().filter(is_best).map(|way| way.0).collect();
        Candidate { node: one.node, willingness: one.willingness, reaches }
    };
    let candidates: Vec<Candidate> = willing.iter().zip(&ways).map(candidate).collect();
    select(&candidates, 1, ALWAYS)
}
