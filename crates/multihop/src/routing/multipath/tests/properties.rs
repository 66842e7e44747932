//! Properties of every discovery on random graphs with a perfect medium.

use std::collections::BTreeSet;

use proptest::prelude::*;

use super::harness::{Multipath, keys};
use crate::kernel::{Duration, Instant};
use crate::routing::multipath::discovery::reply_next_hop;
use crate::routing::multipath::requests::RequestTable;
use crate::routing::multipath::requests::tests::copy;
use crate::routing::multipath::{PathPolicy, PathsConfig};
use crate::wire::{DiscoveryId, NodeId, RouteId};

/// A graph that may have several paths: a random tree with extra links.
fn graph() -> impl Strategy<Value = (u32, Vec<(u32, u32)>)> {
    (4u32..16).prop_flat_map(|n| {
        let tree: Vec<_> = (1..n).map(|node| (0..node).prop_map(move |p| (p, node))).collect();
        let more = prop::collection::vec((0..n, 0..n), 4..24);
        (Just(n), tree, more).prop_map(|(n, mut links, more)| {
            links.extend(more.into_iter().filter(|(a, b)| a != b));
            let links: BTreeSet<_> = links.iter().map(|&(a, b)| (a.min(b), a.max(b))).collect();
            (n, links.into_iter().collect())
        })
    })
}

fn found(
    (n, links): &(u32, Vec<(u32, u32)>),
    paths: PathsConfig,
    source: u32,
    destination: u32,
) -> (Multipath, Vec<Vec<u32>>) {
    let mut network = Multipath::multipath(*n, links, paths);
    network.send(1.0, source, destination, 1);
    network.run_to(2.0);
    // The paths that remain: one too long compared with a later one is withdrawn.
    let paths = network.nodes[source as usize].paths();
    let paths = paths.map(|(to, id, _)| network.nodes_on(source, to, id)).collect();
    (network, paths)
}

/// Number of edge-disjoint paths in the graph, by augmenting paths.
fn edge_disjoint(links: &[(u32, u32)], source: u32, destination: u32) -> usize {
    let mut free: BTreeSet<(u32, u32)> =
        links.iter().flat_map(|&(a, b)| [(a, b), (b, a)]).collect();
    let mut count = 0;
    loop {
        let mut before = std::collections::BTreeMap::from([(source, source)]);
        let mut queue = std::collections::VecDeque::from([source]);
        while let Some(here) = queue.pop_front() {
            for &(_, next) in free.iter().filter(|arc| arc.0 == here) {
                if let std::collections::btree_map::Entry::Vacant(place) = before.entry(next) {
                    place.insert(here);
                    queue.push_back(next);
                }
            }
        }
        if !before.contains_key(&destination) {
            return count;
        }
        let mut here = destination;
        while here != source {
            let previous = before[&here];
            free.remove(&(previous, here));
            free.insert((here, previous));
            here = previous;
        }
        count += 1;
    }
}

fn check_disjoint(paths: &[Vec<u32>], policy: PathPolicy) -> Result<(), TestCaseError> {
    for (i, a) in paths.iter().enumerate() {
        let distinct: BTreeSet<_> = a.iter().collect();
        prop_assert_eq!(distinct.len(), a.len(), "a loop: {:?}", a);
        for b in &paths[..i] {
            let link = |pair: &[u32]| (pair[0].min(pair[1]), pair[0].max(pair[1]));
            let links: BTreeSet<_> = a.windows(2).map(link).collect();
            prop_assert!(!b.windows(2).any(|pair| links.contains(&link(pair))), "{a:?} {b:?}");
            if policy == PathPolicy::Ndm {
                let inner = |path: &[u32]| path[1..path.len() - 1].to_vec();
                prop_assert!(!inner(a).iter().any(|node| inner(b).contains(node)), "{a:?} {b:?}");
            }
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn discovered_paths_are_disjoint_loop_free_and_within_limits(
        graph in graph(),
        ends in (any::<u32>(), any::<u32>()),
        max_paths in 1u32..5,
        length_factor in prop_oneof![Just(1.0), Just(1.3), 1.0..3.0f64],
        replies_go_back in any::<bool>(),
    ) {
        let source = ends.0 % graph.0;
        let destination = (source + 1 + ends.1 % (graph.0 - 1)) % graph.0;
        let possible = edge_disjoint(&graph.1, source, destination);
        for policy in [PathPolicy::Ap, PathPolicy::Edm, PathPolicy::Ndm] {
            let keys =
                PathsConfig { max_paths, length_factor, replies_go_back, ..keys(policy) };
            let (network, paths) = found(&graph, keys, source, destination);
            prop_assert!(!paths.is_empty());
            prop_assert!(paths.len() <= (max_paths as usize).min(possible));
            check_disjoint(&paths, policy)?;
            let ends_right = |path: &Vec<u32>| {
                path.first() == Some(&source) && path.last() == Some(&destination)
            };
            prop_assert!(paths.iter().all(ends_right), "{paths:?}");
            let lengths: Vec<usize> = paths.iter().map(|path| path.len() - 1).collect();
            let shortest = lengths.iter().min().copied().unwrap_or(0) as f64;
            let longest = lengths.iter().max().copied().unwrap_or(0) as f64;
            prop_assert!(longest <= length_factor * shortest + 1e-6, "{lengths:?}");
            prop_assert!((0..graph.0).all(|node| network.requests_of(node) <= 1));
            prop_assert_eq!(network.arrived(), vec![1]);
        }
    }

    #[test]
    fn without_limits_most_of_the_possible_paths_are_found(graph in graph()) {
        let possible = edge_disjoint(&graph.1, 0, graph.0 - 1);
        for policy in [PathPolicy::Edm, PathPolicy::Ndm] {
            let keys = PathsConfig { max_paths: 15, length_factor: 100.0, ..keys(policy) };
            let (_, paths) = found(&graph, keys, 0, graph.0 - 1);
            check_disjoint(&paths, policy)?;
            let enough = policy == PathPolicy::Ndm || 2 * paths.len() + 1 >= possible;
            prop_assert!(enough, "{} of {possible}", paths.len());
        }
    }

    #[test]
    fn no_link_is_used_twice_in_any_order_of_replies(
        heard in prop::collection::btree_map(1u32..7, 1u8..9, 1..7),
        replies in Just((1u32..7).collect::<Vec<_>>()).prop_shuffle(),
    ) {
        let mut table = RequestTable::new(Duration::from_secs(10));
        for (from, hops) in heard {
            table.record(Instant::ZERO, &copy(7, hops), NodeId(from));
        }
        let discovery = DiscoveryId::of(&copy(7, 1));
        let config = keys(PathPolicy::Edm);
        let mut used = BTreeSet::new();
        for (number, &from) in (1..).zip(&replies) {
            let Some(known) = table.get_mut(Instant::ZERO, discovery) else { break };
            let id = RouteId::new(discovery, number);
            if let Some(to) = reply_next_hop(known, id, NodeId(from), &config) {
                prop_assert_ne!(to, NodeId(from));
                for neighbour in [NodeId(from), to] {
                    prop_assert!(used.insert(neighbour), "{neighbour:?} again");
                }
                prop_assert_eq!(reply_next_hop(known, id, NodeId(99), &config), None, "a loop");
            }
        }
    }
}
