//! No loops, whatever is lost, repeated, overtaken or cut, where only the target answers and where
//! others do; and in the end every node that can be reached is.
//!
//! `HWMP_CASES` sets the number of cases, `HWMP_CASES_FIRST` the first.

use std::sync::Arc;

use super::harness::ATTEMPT;
use crate::kernel::Instant;
use crate::routing::hwmp::{Hwmp, HwmpConfig, RootMode};
use crate::routing::storm::{Routes, STORMY_S, Storm, Weather, cases};
use crate::wire::NodeId;
use crate::wire::aodv::SequenceNumber;

impl Routes for Hwmp {
    fn next_hop_to(&self, now: Instant, to: NodeId) -> Option<NodeId> {
        self.paths().active(now, to).map(|path| path.next_hop)
    }

    fn changes(&self) -> u64 {
        self.paths().changes
    }
}

#[test]
fn there_is_no_loop_at_any_time() {
    let cases = cases("HWMP_CASES", 40);
    let (count, mut looked) = (cases.end - cases.start, 0);
    for seed in cases {
        let config = Arc::new(HwmpConfig {
            target_only: seed % 2 == 0,
            root_mode: [RootMode::None, RootMode::PreqWithPrep, RootMode::Rann][seed as usize % 3],
            maintenance_interval_s: if seed % 5 == 0 { 3.0 } else { 0.0 },
            ..HwmpConfig::default()
        });
        let weather = Weather {
            until_s: STORMY_S + 60.0,
            data_s: Some(0.3),
            one_way: seed % 7 == 0,
            may_loop: false,
        };
        let mut storm = Storm::new(seed, weather, |node, _, before| {
            let mut hwmp = Hwmp::new(node, &config, &[ATTEMPT], 8);
            hwmp.sequence = SequenceNumber(0).plus(before.wrapping_neg());
            hwmp
        });
        storm.run();
        looked += storm.looked;
    }
    assert!(looked > count, "paths changed {looked} times");
}

#[test]
fn in_the_end_every_node_reaches_the_root_and_it_reaches_them() {
    for seed in cases("HWMP_CASES", 30) {
        let root_mode = [RootMode::PreqWithPrep, RootMode::Rann][seed as usize % 2];
        let config = Arc::new(HwmpConfig { root_mode, ..HwmpConfig::default() });
        let until_s = STORMY_S + 60.0;
        let weather = Weather { until_s, data_s: None, one_way: false, may_loop: false };
        let mut storm =
            Storm::new(seed, weather, |node, _, _| Hwmp::new(node, &config, &[ATTEMPT], 8));
        storm.run();
        for (node, hops) in (0..).zip(storm.hops(0)).filter(|&(node, _)| node != 0) {
            for (from, to) in [(0, node), (node, 0)] {
                let path = storm.path(NodeId(from), NodeId(to));
                let is_reached = path.last() == Some(&NodeId(to));
                assert_eq!(is_reached, hops.is_some(), "case {seed}: {from} to {to}: {path:?}");
            }
        }
    }
}
