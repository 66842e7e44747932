//! Properties over random networks. `DSDV_NETWORKS` sets the number of cases.

use proptest::prelude::*;

use super::harness::{network, path};
use crate::routing::dsdv::Dsdv;
use crate::routing::harness::Network;
use crate::routing::shortest_paths::ShortestPaths;
use crate::wire::NodeId;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(
        std::env::var("DSDV_NETWORKS").ok().and_then(|cases| cases.parse().ok()).unwrap_or(30)
    ))]

    /// The paper's claim: routes are free of loops at every instant. Links come and go, updates are
    /// lost.
    #[test]
    fn tables_never_lead_in_circles_and_in_the_end_all_that_can_be_is_reached(
        pairs in prop::collection::btree_set((0u32..8, 0u32..8), 5..20),
        cuts in prop::collection::vec((0usize..20, 20.0f64..60.0), 0..5),
        losses in prop::collection::vec((0u32..8, 0u32..8), 0..6),
    ) {
        let mut links: Vec<(u32, u32)> = pairs.iter().filter(|(a, b)| a < b).copied().collect();
        let mut network = network(8, &links);
        for (from, to) in losses {
            network.lose(from, to, 1, 3);
        }
        let mut cuts: Vec<(f64, usize)> = cuts.into_iter().map(|(link, at)| (at, link)).collect();
        cuts.sort_by(|a, b| a.0.total_cmp(&b.0));
        let mut times: Vec<f64> = (1..30).map(|step| f64::from(step) * 7.0).collect();
        times.extend(cuts.iter().map(|cut| cut.0));
        times.sort_by(f64::total_cmp);
        for at in times {
            network.run_to(at);
            if cuts.first().is_some_and(|cut| cut.0 <= at) && !links.is_empty() {
                let (_, link) = cuts.remove(0);
                let (a, b) = links.remove(link % links.len());
                network.cut(a, b);
            }
            for (source, destination) in (0..8).flat_map(|a| (0..8).map(move |b| (a, b))) {
                prop_assert!(path(&network, source, destination).len() <= 8);
            }
        }
        let mut search = ShortestPaths::new(8);
        let reachable: Vec<(u32, u32, bool)> = (0..8)
            .flat_map(|source| {
                search.search(NodeId(source), None, |node, hops: u32| {
                    let ends = links.iter().flat_map(|&(a, b)| [(a, b), (b, a)]);
                    let own = ends.filter(move |link| link.0 == node.0);
                    own.map(move |(_, to)| (NodeId(to), hops + 1)).collect::<Vec<_>>()
                });
                let to = (0..8).filter(move |&node| node != source);
                to.map(|node| (source, node, search.cost(NodeId(node)).is_some()))
                    .collect::<Vec<_>>()
            })
            .collect();
        let differs = |network: &Network<Dsdv>| {
            reachable.iter().copied().find(|&(source, destination, is_reachable)| {
                (path(network, source, destination).last() == Some(&destination)) != is_reachable
            })
        };
        // A full update leaves out what has not settled, and a change is told once. Where every
        // third update of a node is lost to a neighbour, a route may miss both for minutes.
        let mut until = 203.0;
        while differs(&network).is_some() && until < 1500.0 {
            until += 50.0;
            network.run_to(until);
        }
        prop_assert_eq!(differs(&network), None);
    }
}
