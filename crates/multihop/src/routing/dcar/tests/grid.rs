//! The grid of Fig. 5: ten columns and six rows, connection I N20 to N29, connection II N21 to N24.

use super::harness::Dcars;
use crate::routing::dcar::{Collect, DcarTable};

const COLUMNS: u32 = 10;
const ROWS: u32 = 6;

/// Distance between nodes of the grid; neighbours are 240 m apart.
fn distance_m(i: u32, j: u32) -> f64 {
    let columns = f64::from((i % COLUMNS).abs_diff(j % COLUMNS));
    let rows = f64::from((i / COLUMNS).abs_diff(j / COLUMNS));
    240.0 * columns.hypot(rows)
}

/// Connection II alone, long enough for its weights to spread.
fn grid(table: &DcarTable, seed: u64) -> Dcars {
    let across = (0..COLUMNS * ROWS).filter(|i| i % COLUMNS > 0).map(|i| (i - 1, i));
    let down = (COLUMNS..COLUMNS * ROWS).map(|i| (i - COLUMNS, i));
    let links: Vec<_> = across.chain(down).collect();
    let mut network = Dcars::dcar(COLUMNS * ROWS, &links, table, seed);
    let pairs = (0..COLUMNS * ROWS).flat_map(|i| (0..i).map(move |j| (j, i)));
    network.sense(&pairs.filter(|&(i, j)| distance_m(i, j) <= 550.0).collect::<Vec<_>>());
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

/// The fraction of routes of each length.
fn shares(table: &DcarTable) -> impl Fn(usize) -> f64 + use<> {
    let routes = routes(table, 100);
    move |hops| routes.iter().filter(|route| route.0 == hops).count() as f64 / routes.len() as f64
}

#[test]
fn one_hop_weights_are_those_of_the_figure() {
    let mut network = grid(&DcarTable::default(), 1);
    network.run_to(5.1);
    assert_eq!(network.path(21, 24), [21, 22, 23, 24]);
    let mut row = |row| network.weights(row * COLUMNS..(row + 1) * COLUMNS);
    assert_eq!(row(2), [1, 2, 3, 3, 2, 1, 0, 0, 0, 0]);
    for beside in [1, 3] {
        assert_eq!(row(beside), [0, 1, 1, 1, 1, 0, 0, 0, 0, 0]);
    }
    for far in [0, 4, 5] {
        assert_eq!(row(far), [0; 10], "the connection is out of range");
    }
}

#[test]
fn equal_short_collections_find_the_straight_row() {
    assert!(shares(&with(Collect::Fixed, 0.02, 0.02))(9) >= 0.95);
    let short = shares(&with(Collect::Fixed, 0.005, 0.005));
    assert!((0.5..0.85).contains(&short(9)) && (0.15..0.5).contains(&short(11)));
}

#[test]
fn a_longer_collection_at_the_destination_finds_the_next_row() {
    for relay_s in [0.02, 0.1] {
        assert!(shares(&with(Collect::Fixed, relay_s, 0.5))(11) >= 0.95);
    }
}

#[test]
fn proportional_collections_find_the_lightest_route() {
    for destination_s in [0.02, 0.1, 0.5] {
        let routes = routes(&with(Collect::Proportional, 0.02, destination_s), 50);
        assert!(routes.iter().all(|&route| route == (13, 14)), "{routes:?}");
    }
}

#[test]
fn improving_finds_the_lightest_route_at_the_cost_of_more_requests() {
    let requests = |collect| -> usize {
        let mut network = grid(&with(collect, 0.02, 0.5), 7);
        network.data_of(1, 5.05, 20, 29);
        network.run_to(6.5);
        let of_i = |node: u32| {
            let all = network.requests(node);
            all.iter().filter(|(.., request)| request.originator.0 == 20).count()
        };
        (0..COLUMNS * ROWS).map(of_i).sum()
    };
    let improve = routes(&with(Collect::Improve, 0.02, 0.5), 50);
    assert!(improve.iter().all(|&route| route == (13, 14)), "{improve:?}");
    let more = requests(Collect::Improve) as f64 / requests(Collect::Proportional) as f64;
    assert!((1.1..2.0).contains(&more), "{more}");
}

#[test]
fn the_route_stays_two_rows_away_from_the_connection_on_either_side() {
    let sides: Vec<bool> = (0..40)
        .map(|seed| {
            let mut network = grid(&DcarTable::default(), seed);
            network.data_of(1, 5.05, 20, 29);
            network.stream(2, 5.1, 7.0, 21, 24);
            let path = network.path(20, 29);
            let rows: Vec<u32> = path
                .iter()
                .filter(|node| (1..5).contains(&(*node % COLUMNS)))
                .map(|node| node / COLUMNS)
                .collect();
            assert!(
                rows.iter().all(|row| *row == 0) || rows.iter().all(|row| *row == 4),
                "{path:?}"
            );
            rows[0] == 0
        })
        .collect();
    let above = sides.iter().filter(|above| **above).count();
    assert!((6..=34).contains(&above), "{above} of 40");
}

/// Ideal III with the default collection.
fn ideal_3() -> DcarTable {
    let mut table = DcarTable::default();
    table.dcar.ideal = 3;
    table
}

#[test]
fn sensing_range_weights_are_those_of_the_figure() {
    assert_eq!(distance_m(1, 21), 480.0);
    let mut network = grid(&ideal_3(), 1);
    assert_eq!(network.path(21, 24), [21, 22, 23, 24]);
    network.run_to(5.05);
    let mut row = |row| network.weights(row * COLUMNS..(row + 1) * COLUMNS);
    for near in [1, 2, 3] {
        assert_eq!(row(near), [2, 3, 4, 4, 3, 2, 1, 0, 0, 0]);
    }
    for two_off in [0, 4] {
        assert_eq!(row(two_off), [1, 2, 3, 3, 2, 1, 0, 0, 0, 0]);
    }
    assert_eq!(row(5), [0; 10]);
}

#[test]
fn ideal_3_stays_three_rows_away_for_a_weight_of_20() {
    for seed in 0..50 {
        let mut network = grid(&ideal_3(), seed);
        network.data_of(1, 5.05, 20, 29);
        network.stream(2, 5.1, 7.0, 21, 24);
        assert_eq!(network.path_weight(29), Some(20));
        let path = network.path(20, 29);
        assert_eq!(path.len() - 1, 15);
        assert!(
            path.iter()
                .filter(|node| (1..5).contains(&(*node % COLUMNS)))
                .all(|node| node / COLUMNS == 5),
            "{path:?}"
        );
    }
}

#[test]
fn ideal_3_with_equal_collections_stays_in_the_straight_row() {
    let mut table = with(Collect::Fixed, 0.02, 0.02);
    table.dcar.ideal = 3;
    assert!(shares(&table)(9) >= 0.9);
}

#[test]
fn ideal_3_improves_with_a_long_collection_at_the_destination() {
    let mut table = with(Collect::Improve, 0.02, 0.5);
    table.dcar.ideal = 3;
    let routes = routes(&table, 50);
    assert!(routes.iter().filter(|&&route| route == (15, 20)).count() >= 45, "{routes:?}");
}

#[test]
fn longer_detours_reduce_interference_between_the_connections() {
    let row = |row: u32, from: u32, to: u32| (from..=to).map(move |column| row * COLUMNS + column);
    let straight: Vec<u32> = row(2, 0, 9).collect();
    let two_off: Vec<u32> = [20, 30].into_iter().chain(row(4, 0, 9)).chain([39, 29]).collect();
    let three_off: Vec<u32> =
        [20, 30, 40].into_iter().chain(row(5, 0, 9)).chain([49, 39, 29]).collect();
    let second = [21, 22, 23, 24];
    let pairs = |first: &[u32]| -> Vec<(u32, u32)> {
        let all = first.iter().flat_map(|&i| second.iter().map(move |&j| (i, j)));
        all.filter(|&(i, j)| distance_m(i, j) <= 550.0).collect()
    };
    let [straight, two_off, three_off] = [straight, two_off, three_off].map(|path| pairs(&path));
    assert_eq!([straight.len(), two_off.len(), three_off.len()], [19, 16, 5]);
    let mut nodes: Vec<u32> = three_off.iter().flat_map(|&(i, j)| [i, j]).collect();
    nodes.sort_unstable();
    nodes.dedup();
    assert_eq!(nodes, [20, 21, 22, 30, 40]);
}
