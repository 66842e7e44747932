//! The nine nodes of Fig. 4: a connection from N0 to N4 over N1, N2, N3, and a detour of five hops
//! over N5, N6, N7, N8.

use super::harness::Dcars;
use crate::routing::dcar::DcarTable;
use crate::routing::dcar::Ledger;

const LINKS: [(u32, u32); 9] =
    [(0, 1), (1, 2), (2, 3), (3, 4), (0, 5), (5, 6), (6, 7), (7, 8), (8, 4)];
const SHORT: [u32; 5] = [0, 1, 2, 3, 4];
const ROUND: [u32; 6] = [0, 5, 6, 7, 8, 4];

/// The connection has run for three seconds.
fn nine(table: &DcarTable) -> Dcars {
    let mut network = Dcars::dcar(9, &LINKS, table, 1);
    network.stream(1, 1.0, 4.0, 0, 4);
    network.run_to(4.02);
    assert_eq!(network.path(0, 4), SHORT);
    network
}

/// The link fails for one packet, although it works.
fn false_failure(network: &mut Dcars, link: (u32, u32)) {
    network.fail_next.push(link);
    network.data_of(1, 4.03, 0, 4);
    network.run_to(4.1);
    assert_eq!(network.path(0, 4), [0], "the source knows");
}

/// The weight of `path` by the nodes' weights now (eq. 2, each link 1).
fn cost(network: &mut Dcars, path: &[u32]) -> u32 {
    let weights = network.weights(path.iter().copied());
    weights.windows(2).map(|ends| ends[0].max(ends[1]) + 1).sum()
}

#[test]
fn weights_count_the_connection_once_for_each_node_nearby() {
    let mut network = nine(&DcarTable::default());
    assert_eq!(network.weights(0..9), [2, 3, 3, 3, 2, 1, 0, 0, 1]);
}

#[test]
fn stale_weights_send_the_connection_over_the_longer_path() {
    let mut network = nine(&DcarTable::default());
    false_failure(&mut network, (0, 1));
    assert_eq!(network.weights(0..9), [1, 3, 3, 3, 2, 1, 0, 0, 1], "only N0 knows");
    assert_eq!((cost(&mut network, &SHORT), cost(&mut network, &ROUND)), (16, 10));
    network.data_of(1, 4.1, 0, 4);
    network.run_to(4.8);
    assert_eq!(network.path(0, 4), ROUND);
    assert_eq!(network.path_weight(4), Some(10));
}

#[test]
fn a_route_error_travels_only_upstream() {
    let mut network = nine(&DcarTable::default());
    assert_eq!(network.through(0..9), [1, 1, 1, 1, 1, 0, 0, 0, 0]);
    false_failure(&mut network, (1, 2));
    let behind = [0, 0, 1, 1, 1, 0, 0, 0, 0];
    assert_eq!(network.through(0..9), behind);
    network.run_to(4.5);
    assert_eq!(network.through(0..9), behind, "until the alive timer");
}

#[test]
fn nodes_behind_a_break_count_the_connection_until_their_alive_timer() {
    let mut network = nine(&DcarTable::default());
    false_failure(&mut network, (1, 2));
    // Segments came about every 0.1 s, the last at 4.0 s.
    network.run_to(4.5);
    assert_eq!(network.through([3]), [1]);
    network.run_to(4.65);
    assert_eq!(network.through([3]), [0]);
}

#[test]
fn nodes_behind_a_break_count_the_connection_until_the_next_request() {
    let mut network = nine(&DcarTable::default());
    false_failure(&mut network, (1, 2));
    network.data_of(1, 4.1, 0, 4);
    network.run_to(4.4);
    assert!(network.requests(2).iter().any(|request| request.0 > 4.1), "N2 saw the request");
    assert_eq!(network.through([2]), [0]);
    assert_eq!(network.through([3]), [0]);
    // In this discovery they used their old weights.
    let of_2 = network.requests(2).last().unwrap().2;
    assert_eq!(of_2.transmitter_metric, 3 * super::harness::ONE);
}

#[test]
fn a_request_of_another_connection_changes_no_count() {
    let mut network = nine(&DcarTable::default());
    network.data_of(2, 4.1, 6, 2);
    network.run_to(4.4);
    assert_eq!(network.through([3]), [1]);
}

/// An idealised version.
fn ideal(ideal: u8) -> DcarTable {
    let mut table = DcarTable::default();
    table.dcar.ideal = ideal;
    table
}

#[test]
fn free_hellos_leave_the_same_weights_stale() {
    let mut network = nine(&ideal(1));
    assert_eq!(network.weights(0..9), [2, 3, 3, 3, 2, 1, 0, 0, 1]);
    false_failure(&mut network, (0, 1));
    network.data_of(1, 4.1, 0, 4);
    network.run_to(4.8);
    assert_eq!(network.path(0, 4), ROUND);
}

#[test]
fn instant_knowledge_keeps_the_connection_on_the_short_path() {
    let mut network = nine(&ideal(2));
    assert_eq!(network.weights(0..9), [2, 3, 3, 3, 2, 1, 0, 0, 1]);
    false_failure(&mut network, (0, 1));
    assert_eq!(network.weights(0..9), [0; 9], "nodes behind the break know, too");
    assert_eq!((cost(&mut network, &SHORT), cost(&mut network, &ROUND)), (4, 5));
    network.data_of(1, 4.1, 0, 4);
    network.run_to(4.8);
    assert_eq!(network.path(0, 4), SHORT);
    assert_eq!(network.path_weight(4), Some(4));
    assert_eq!(network.weights(0..9), [2, 3, 3, 3, 2, 1, 0, 0, 1], "and at once again");
}

#[test]
fn packets_of_a_broken_route_do_not_restore_the_connection() {
    for (version, through) in [(1, [1; 3]), (2, [0; 3])] {
        let mut network = nine(&ideal(version));
        false_failure(&mut network, (0, 1));
        // An acknowledgment in flight arrives at N1 on its old route.
        network.ack_of(1, 4.1, 3, 0);
        network.run_to(4.11);
        assert_eq!(network.through([3, 2, 1]), through);
    }
}

/// Weights given to requests so far, and the connections by which they differed from the truth.
fn weighed(network: &mut Dcars) -> (u64, u64) {
    let report = &Ledger::within(&mut network.shared).report;
    (report.weights_used, report.weights_stale_connections)
}

#[test]
fn the_staleness_of_weights_is_reported() {
    for (version, sum) in [(0, 2), (1, 2), (2, 0), (3, 0)] {
        let mut network = nine(&ideal(version));
        false_failure(&mut network, (0, 1));
        let (used_before, stale_before) = weighed(&mut network);
        network.data_of(1, 4.1, 0, 4);
        network.run_to(4.3);
        let (used, stale) = weighed(&mut network);
        assert_eq!(used - used_before, 8, "every node but the source has one weight");
        // N1 and N5 still believe N0.
        let stale = stale - stale_before;
        assert!(stale >= sum && (sum > 0 || stale == 0), "{stale}");
    }
}
