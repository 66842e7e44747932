//! Whatever was lost, repeated, overtaken or cut: once it is calm every node that can be reached
//! is, and no route goes round. B.A.T.M.A.N. IV promises no more: averages may lag.
//!
//! `BATMAN_CASES` sets the number of cases, `BATMAN_CASES_FIRST` the first.

use std::sync::Arc;

use crate::kernel::Instant;
use crate::routing::batman::{Batman, BatmanConfig};
use crate::routing::storm::{Routes, STORMY_S, Storm, Weather, cases};
use crate::wire::NodeId;

impl Routes for Batman {
    fn next_hop_to(&self, _: Instant, to: NodeId) -> Option<NodeId> {
        self.next_hop(to)
    }

    fn changes(&self) -> u64 {
        self.originators.changes
    }
}

#[test]
fn once_it_is_calm_all_are_reached_without_going_round() {
    // Links that are gone are forgotten with the windows, then with the purge.
    let config = Arc::new(BatmanConfig { purge_timeout_s: 80.0, ..BatmanConfig::default() });
    for seed in cases("BATMAN_CASES", 12) {
        let until_s = STORMY_S + 170.0;
        let weather = Weather { until_s, data_s: None, one_way: seed % 3 == 0, may_loop: true };
        let mut storm = Storm::new(seed, weather, |node, _, before| {
            let mut batman = Batman::new(node, &config);
            batman.sequence = before.wrapping_mul(20).wrapping_neg();
            batman
        });
        storm.run();
        assert_eq!(storm.loops(), [] as [Vec<NodeId>; 0], "case {seed}");
        storm.check_all_are_reached(seed);
    }
}
