//! The grid of Fig. 5: ten columns and six rows, connection I N20 to N29, connection II N21 to N24.

use super::harness::Dcars;
use crate::routing::dcar::{Collect, DcarTable};

const COLUMNS: u32 = 10;
const ROWS: u32 = 6;

/// Connection II alone, long enough for its weights to be known.
fn grid(table: &DcarTable, seed: u64) -> Dcars {
    let across = (0..COLUMNS * ROWS).filter(|i| i % COLUMNS > 0).map(|i| (i - 1, i));
    let down = (COLUMNS..COLUMNS * ROWS).map(|i| (i - COLUMNS, i));
    let links: Vec<_> = across.chain(down).collect();
    let mut network = Dcars::dcar(COLUMNS * ROWS, &links, table, seed);
    network.stream(2, 1.0, 5.0, 21, 24);
    network
}

/// Lengths and weights of connection I's first route in many networks.
fn routes(table: &DcarTable, count: u64) -> Vec<(usize, u32)> {
    let route = |seed| {
        let mut network = grid(table, seed);
        network.data_of(1, 5.05, 20, 29);
        network.stream(2, 5.1, 7.0, 21, 24);
        let path = network.path(20, 29);
        assert_eq!(path.last(), Some(&29), "{path:?}");
        (path.len() - 1, network.path_weight(29).unwrap())
    };
    (0..count).map(route).collect()
}

fn with(collect: Collect, relay_s: f64, destination_s: f64) -> DcarTable {
    let mut table = DcarTable::default();
    table.dcar.rreq_collect = collect;
    table.dcar.relay_collection_s = relay_s;
    table.dcar.destination_collection_s = Some(destination_s);
    table
}

#[test]
fn table() {
    for (collect, relay, destination) in [
        (Collect::Fixed, 0.02, 0.02),
        (Collect::Fixed, 0.005, 0.005),
        (Collect::Fixed, 0.02, 0.5),
        (Collect::Fixed, 0.1, 0.5),
        (Collect::Fixed, 0.02, 0.1),
        (Collect::Proportional, 0.02, 0.02),
        (Collect::Proportional, 0.02, 0.1),
        (Collect::Proportional, 0.02, 0.5),
        (Collect::Improve, 0.02, 0.5),
    ] {
        let mut histogram = std::collections::BTreeMap::<(usize, u32), u32>::new();
        for route in routes(&with(collect, relay, destination), 300) {
            *histogram.entry(route).or_default() += 1;
        }
        println!("{collect:?} {relay} {destination}: {histogram:?}");
    }
}
