//! No loops (section 2.4), whatever is lost, repeated, overtaken or cut; and in the end a shortest
//! route to every node that can be reached.
//!
//! `BABEL_CASES` sets the number of cases, `BABEL_CASES_FIRST` the first.

use super::super::seqno::Seqno;
use super::super::{Babel, BabelConfig};
use crate::kernel::Instant;
use crate::routing::storm::{Routes, STORMY_S, Storm, Weather, cases};
use crate::wire::NodeId;

/// When every route has to be there: a source that stands in the way is forgotten after three
/// minutes at the latest, and a route learnt with the next update.
const WEATHER: Weather =
    Weather { until_s: STORMY_S + 240.0, data_s: None, one_way: false, may_loop: false };

impl Routes for Babel {
    fn next_hop_to(&self, _: Instant, to: NodeId) -> Option<NodeId> {
        self.next_hop(to)
    }

    fn changes(&self) -> u64 {
        self.counts.route_changes
    }
}

#[test]
fn there_is_no_loop_at_any_time_and_in_the_end_every_route_is_a_shortest_one() {
    let cases = cases("BABEL_CASES", 200);
    let (count, mut looked) = (cases.end - cases.start, 0);
    for seed in cases {
        let mut storm = Storm::new(seed, WEATHER, |node, count, before| {
            let mut babel = Babel::new(node, count, &BabelConfig::default(), false);
            babel.seqno = Seqno(0).plus((before as u16).wrapping_neg());
            babel
        });
        storm.run();
        looked += storm.looked;
        for from in 0..storm.nodes.len() as u32 {
            for (to, hops) in (0..).zip(storm.hops(from)).filter(|&(to, _)| to != from) {
                let metric = storm.nodes[from as usize].metric(NodeId(to));
                assert_eq!(metric, hops.map(|hops| 256 * hops), "case {seed}: {from} to {to}");
            }
        }
    }
    assert!(looked > count, "routes changed {looked} times");
}
