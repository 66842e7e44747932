//! The nine nodes of Fig. 4: a connection from N0 to N4 over N1, N2, N3, and a way round of five hops
//! over N5, N6, N7, N8.

use super::harness::Dcars;
use crate::routing::dcar::DcarTable;

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

/// The link fails for one packet, though it is there.
fn false_failure(network: &mut Dcars, link: (u32, u32)) {
    network.fail_next.push(link);
    network.data_of(1, 4.03, 0, 4);
    network.run_to(4.1);
    assert_eq!(network.path(0, 4), [0], "the source knows");
}

/// What `path` costs by the nodes' weights now (eq. 2, each link 1).
fn cost(network: &Dcars, path: &[u32]) -> u32 {
    let weights = network.weights(path.iter().copied());
    weights.windows(2).map(|ends| ends[0].max(ends[1]) + 1).sum()
}

#[test]
fn weights_count_the_connection_once_for_each_node_nearby() {
    let network = nine(&DcarTable::default());
    assert_eq!(network.weights(0..9), [2, 3, 3, 3, 2, 1, 0, 0, 1]);
}

#[test]
fn stale_weights_send_the_connection_the_long_way_round() {
    let mut network = nine(&DcarTable::default());
    false_failure(&mut network, (0, 1));
    assert_eq!(network.weights(0..9), [1, 3, 3, 3, 2, 1, 0, 0, 1], "only N0 knows");
    assert_eq!((cost(&network, &SHORT), cost(&network, &ROUND)), (16, 10));
    network.data_of(1, 4.1, 0, 4);
    network.run_to(4.8);
    assert_eq!(network.path(0, 4), ROUND);
    assert_eq!(network.path_weight(4), Some(10));
}

#[test]
fn a_route_error_goes_up_the_path_only() {
    let mut network = nine(&DcarTable::default());
    let through = |network: &Dcars| -> Vec<u32> {
        (0..9).map(|node| network.policy(node).own_connections(network.now)).collect()
    };
    assert_eq!(through(&network), [1, 1, 1, 1, 1, 0, 0, 0, 0]);
    false_failure(&mut network, (1, 2));
    assert_eq!(through(&network), [0, 0, 1, 1, 1, 0, 0, 0, 0]);
    let later = through(&{
        network.run_to(4.5);
        network
    });
    assert_eq!(later, [0, 0, 1, 1, 1, 0, 0, 0, 0], "until the alive timer");
}

#[test]
fn nodes_behind_a_break_count_the_connection_until_their_alive_timer() {
    let mut network = nine(&DcarTable::default());
    false_failure(&mut network, (1, 2));
    // Segments came about every 0.1 s, the last at 4.0 s.
    network.run_to(4.5);
    assert_eq!(network.policy(3).own_connections(network.now), 1);
    network.run_to(4.65);
    assert_eq!(network.policy(3).own_connections(network.now), 0);
}

#[test]
fn nodes_behind_a_break_count_the_connection_until_the_source_asks_again() {
    let mut network = nine(&DcarTable::default());
    false_failure(&mut network, (1, 2));
    network.data_of(1, 4.1, 0, 4);
    network.run_to(4.4);
    assert!(network.requests(2).iter().any(|request| request.0 > 4.1), "N2 saw the request");
    assert_eq!(network.policy(2).own_connections(network.now), 0);
    assert_eq!(network.policy(3).own_connections(network.now), 0);
    // For this discovery their weights were the old ones.
    let of_2 = network.requests(2).last().unwrap().2;
    assert_eq!(of_2.transmitter_metric, 3 * super::harness::ONE);
}

#[test]
fn a_request_of_another_connection_changes_no_count() {
    let mut network = nine(&DcarTable::default());
    network.data_of(2, 4.1, 6, 2);
    network.run_to(4.4);
    assert_eq!(network.policy(3).own_connections(network.now), 1);
}
