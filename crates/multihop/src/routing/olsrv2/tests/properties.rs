//! Whatever was lost, repeated, overtaken or cut, and where numbers wrap: once it is calm every node
//! that can be reached is, no route goes round, and the relays of each node reach all that is two
//! hops away, by messages and by data.
//!
//! `OLSR2_CASES` sets the number of cases, `OLSR2_CASES_FIRST` the first.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::harness::RATE_BPS;
use crate::kernel::Instant;
use crate::routing::olsrv2::{Olsr2, Olsr2Config, Olsr2Metric};
use crate::routing::storm::{Routes, STORMY_S, Storm, Weather, cases};
use crate::wire::NodeId;

impl Routes for Olsr2 {
    fn next_hop_to(&self, _: Instant, to: NodeId) -> Option<NodeId> {
        self.routes.next_hop(to)
    }

    fn changes(&self) -> u64 {
        self.counts.route_changes
    }
}

/// Those of `nodes`' neighbours' neighbours that no relay of `node` reaches.
fn unreached(nodes: &[Olsr2], node: usize, relays: &BTreeSet<NodeId>) -> Vec<NodeId> {
    let near = |at: NodeId| nodes[at.index()].symmetric_neighbours();
    let of = |through: &BTreeSet<NodeId>| -> BTreeSet<NodeId> {
        through.iter().flat_map(|&at| near(at)).copied().collect()
    };
    let own = near(NodeId(node as u32));
    let far = of(own).into_iter().filter(|far| far.index() != node && !own.contains(far));
    let reached = of(relays);
    far.filter(|far| !reached.contains(far)).collect()
}

#[test]
fn once_it_is_calm_all_are_reached_without_going_round() {
    for seed in cases("OLSR2_CASES", 16) {
        let metric = [Olsr2Metric::Hops, Olsr2Metric::Dat][seed as usize % 2];
        let (hyst_accept, hyst_reject) = if seed % 4 < 2 { (1.0, 0.0) } else { (0.8, 0.3) };
        let config = Olsr2Config { metric, hyst_accept, hyst_reject, ..Olsr2Config::default() };
        let config = Arc::new(config.resolved());
        // Losses are forgotten 64 s after it is calm.
        let until_s = STORMY_S + 90.0;
        let weather =
            Weather { until_s, data_s: Some(2.0), one_way: seed % 3 == 0, may_loop: true };
        let mut storm = Storm::new(seed, weather, |node, nodes, before| {
            let mut olsr = Olsr2::new(node, nodes, &config, RATE_BPS);
            let before = (before as u16).wrapping_mul(5).wrapping_neg();
            (olsr.ansn, olsr.messages, olsr.packets) = (before, before, before);
            olsr
        });
        storm.run();
        storm.find_all(|olsr, cx| {
            olsr.next_hop(cx, NodeId(0));
        });
        assert_eq!(storm.loops(), [] as [Vec<NodeId>; 0], "case {seed}");
        storm.check_all_are_reached(seed);
        for (node, olsr) in storm.nodes.iter().enumerate() {
            for relays in [olsr.flooding_mprs(), olsr.routing_mprs()] {
                assert_eq!(unreached(&storm.nodes, node, relays), [], "case {seed}: {node}");
            }
        }
    }
}
