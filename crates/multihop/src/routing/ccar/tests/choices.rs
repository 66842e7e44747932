//! Weights and paths against the paper's networks and against exhaustive search.

use proptest::prelude::*;

use crate::kernel::{Instant, Purpose, Rng};
use crate::radio::{Neighbours, PathLoss, Position, RadioConfig, Reach};
use crate::routing::ccar::Connection;
use crate::routing::ccar::orders::{self, Demand};
use crate::routing::ccar::paths::Search;
use crate::routing::ccar::weights::{PARTS, Passing, Weight, Weights, in_units, parts};
use crate::routing::ccar::{CcarConfig, Centre, Demanded, Variant};
use crate::wire::NodeId;

fn radio() -> PathLoss {
    RadioConfig::default().path_loss()
}

fn rng(seed: u64) -> Rng {
    Rng::stream(seed, Purpose::Centre, 0)
}

fn nodes(path: &[u32]) -> Vec<NodeId> {
    path.iter().map(|&node| NodeId(node)).collect()
}

/// The grid of Fig. 5: 10 columns, 6 rows, 240 m apart.
fn grid() -> Neighbours {
    let place =
        |i: u32| Position { x_m: f64::from(i % 10) * 240.0, y_m: f64::from(i / 10) * 240.0 };
    let places: Vec<Position> = (0..60).map(place).collect();
    Neighbours::of_static(&places, Reach { receive_m: 250.0, sense_m: 550.0 }, &radio())
}

/// The grid with connection II of Fig. 5 on its row.
fn with_connection_ii(neighbours: &Neighbours) -> Weights {
    let mut passing = Passing::nowhere(60);
    passing.add(&nodes(&[21, 22, 23, 24]), PARTS);
    passing.weights(neighbours, PARTS)
}

#[test]
fn the_weights_of_fig_5_within_sensing_range() {
    let weights = with_connection_ii(&grid());
    let row = |row: u32| -> Vec<Weight> {
        (0..10).map(|column| weights.node(NodeId(10 * row + column)) / PARTS).collect()
    };
    let beside = vec![2, 3, 4, 4, 3, 2, 1, 0, 0, 0];
    let further = vec![1, 2, 3, 3, 2, 1, 0, 0, 0, 0];
    assert_eq!([row(1), row(2), row(3)], [beside.clone(), beside.clone(), beside]);
    assert_eq!([row(0), row(4)], [further.clone(), further]);
    assert_eq!(row(5), [0; 10]);
}

#[test]
fn the_routes_of_fig_5_weigh_20_30_and_31() {
    let neighbours = grid();
    let weights = with_connection_ii(&neighbours);
    let weigh = |path: &[NodeId]| in_units(weights.path(path));
    let straight: Vec<u32> = (20..30).collect();
    let along = |row: u32| {
        let down = (3..=row).map(|r| 10 * r);
        let across = (1..10).map(move |column| 10 * row + column);
        let up = (2..row).rev().map(|r| 10 * r + 9);
        nodes(&[20].into_iter().chain(down).chain(across).chain(up).collect::<Vec<_>>())
    };
    assert_eq!(weigh(&nodes(&straight)), 30.0);
    assert_eq!(weigh(&along(4)), 31.0);
    assert_eq!((along(5).len() - 1, weigh(&along(5))), (15, 20.0));
    let best = Search::new(&neighbours, &weights, 60).lightest(NodeId(20), NodeId(29), &mut rng(1));
    assert_eq!(weigh(&best.unwrap()), 20.0);
}

#[test]
fn the_weight_of_a_link_is_its_heavier_end_plus_the_penalty() {
    let weights = with_connection_ii(&grid());
    let link = |a, b| in_units(weights.link(NodeId(a), NodeId(b)));
    assert_eq!([link(20, 21), link(21, 20), link(25, 26), link(58, 59)], [4.0, 4.0, 3.0, 1.0]);
}

#[test]
fn shares_of_every_length_up_to_thirty_are_whole() {
    assert!((1..=30).all(|length| PARTS.is_multiple_of(length)));
    assert_eq!(in_units(parts(0.25)), 0.25);
}

/// A small network: links, and the connections through its nodes.
#[derive(Clone, Debug)]
struct Small {
    nodes: u32,
    links: Vec<(u32, u32)>,
    sensed: Vec<(u32, u32)>,
    through: Vec<(u32, u64)>,
    penalty: u64,
}

fn small() -> impl Strategy<Value = Small> {
    (3u32..8).prop_flat_map(|nodes| {
        let pair = (0..nodes, 0..nodes).prop_filter("two nodes", |(a, b)| a != b);
        let pairs = |most| prop::collection::vec(pair.clone(), 0..most);
        let through = prop::collection::vec((0..nodes, 0u64..4), 0..8);
        (Just(nodes), pairs(20), pairs(10), through, 0u64..3).prop_map(
            |(nodes, links, sensed, through, penalty)| Small {
                nodes,
                links,
                sensed,
                through,
                penalty,
            },
        )
    })
}

impl Small {
    fn neighbours(&self) -> Neighbours {
        let reach = Reach { receive_m: 200.0, sense_m: 400.0 };
        Neighbours::of_links(self.nodes as usize, &self.links, &self.sensed, reach, &radio())
    }

    fn weights(&self, neighbours: &Neighbours) -> Weights {
        let mut passing = Passing::nowhere(self.nodes as usize);
        for &(node, times) in &self.through {
            passing.add(&[NodeId(node)], Weight::from(times) * PARTS);
        }
        passing.weights(neighbours, Weight::from(self.penalty) * PARTS)
    }

    /// All paths from `source` to `destination` that visit no node twice.
    fn paths(&self, neighbours: &Neighbours, source: u32, destination: u32) -> Vec<Vec<NodeId>> {
        let mut found = Vec::new();
        let mut open = vec![vec![NodeId(source)]];
        while let Some(path) = open.pop() {
            let last = path[path.len() - 1];
            if last == NodeId(destination) {
                found.push(path);
                continue;
            }
            for next in neighbours.decoding(last) {
                if !path.contains(&next.node) {
                    open.push(path.iter().copied().chain([next.node]).collect());
                }
            }
        }
        found
    }
}

fn cost(weights: &Weights, path: &[NodeId]) -> (Weight, usize) {
    (weights.path(path), path.len())
}

proptest! {
    #[test]
    fn the_lightest_path_is_the_lightest_of_all(small in small(), seed in 0u64..5) {
        let neighbours = small.neighbours();
        let weights = small.weights(&neighbours);
        let all = small.paths(&neighbours, 0, 1);
        let search = Search::new(&neighbours, &weights, small.nodes as usize);
        let found = search.lightest(NodeId(0), NodeId(1), &mut rng(seed));
        let least = all.iter().map(|path| cost(&weights, path)).min();
        prop_assert_eq!(found.as_ref().map(|path| cost(&weights, path)), least);
        if let Some(path) = found {
            prop_assert!(all.contains(&path));
            prop_assert_eq!(search.hops(NodeId(0), NodeId(1)), Some(path.len() as u32 - 1));
        }
    }

    #[test]
    fn disjoint_paths_are_lightest_first_and_share_no_link(small in small(), seed in 0u64..5) {
        let neighbours = small.neighbours();
        let weights = small.weights(&neighbours);
        let search = Search::new(&neighbours, &weights, small.nodes as usize);
        let paths = search.disjoint(NodeId(0), NodeId(1), 3, &mut rng(seed));
        let links = |path: &[NodeId]| -> Vec<(NodeId, NodeId)> {
            path.windows(2).map(|link| (link[0].min(link[1]), link[0].max(link[1]))).collect()
        };
        let mut taken = Vec::new();
        for path in &paths {
            let rest = small.paths(&neighbours, 0, 1).into_iter()
                .filter(|other| links(other).iter().all(|link| !taken.contains(link)));
            let least = rest.map(|other| cost(&weights, &other)).min();
            prop_assert_eq!(Some(cost(&weights, path)), least);
            taken.extend(links(path));
        }
        let left = small.paths(&neighbours, 0, 1).into_iter()
            .any(|other| links(&other).iter().all(|link| !taken.contains(link)));
        prop_assert!(paths.len() == 3 || !left, "no path is left out");
    }

    #[test]
    fn scaling_all_weights_changes_no_choice(
        small in small(),
        w_tcp in 0.1..10.0f64,
        w_p in 0.0..10.0f64,
        scale in 0.01..100.0f64,
        inverse_length: bool,
    ) {
        let neighbours = small.neighbours();
        let choose = |scale: f64| {
            let config = CcarConfig {
                w_p: w_p * scale, w_tcp: w_tcp * scale, inverse_length, ..CcarConfig::default()
            };
            let flows = [(0, 1), (2, 1), (0, 2)].map(|(a, b)| always(a, b)).to_vec();
            let mut centre = Centre::new(&config, small.nodes as usize, flows, 7);
            for (a, b) in [(0, 1), (2, 1), (0, 2)] {
                centre.on_reply(Instant::ZERO, between(a, b), &neighbours);
            }
            centre.report().choices.iter().map(|choice| choice.path.clone()).collect::<Vec<_>>()
        };
        prop_assert_eq!(choose(1.0), choose(scale));
    }

    #[test]
    fn the_order_kept_is_the_lightest_of_all(small in small()) {
        // The totals of all orders, by exhaustive search.
        let neighbours = small.neighbours();
        let penalty = Weight::from(small.penalty) * PARTS;
        let ends = [(0, 1), (1, 2), (2, 0)];
        let demands: Vec<Demand> = ends.iter().map(|&(a, b)| Demand {
            source: NodeId(a), destination: NodeId(b), connections: 1,
        }).collect();
        let share = |_: usize, connections: u32| PARTS * Weight::from(connections);
        let nodes = small.nodes as usize;
        let best = orders::best_order(&neighbours, nodes, &demands, (penalty, &share), 6, &mut rng(3));
        prop_assert_eq!(best.orders, 6);
        let mut passing = Passing::nowhere(nodes);
        for path in best.paths.iter().flatten() {
            passing.add(path, PARTS);
        }
        prop_assert_eq!(best.total, passing.weights(&neighbours, penalty).total());
        let all = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]];
        let totals = all.map(|order| least_total(&small, &neighbours, penalty, &demands, &order));
        // Ties are broken at random: an order's total lies between its best and its worst.
        prop_assert!(best.total >= totals.iter().map(|t| t.0).min().unwrap());
        prop_assert!(best.total <= totals.iter().map(|t| t.1).min().unwrap());
    }
}

/// The least and greatest total weight of all nodes for `order`, over all ways of breaking ties.
fn least_total(
    small: &Small,
    neighbours: &Neighbours,
    penalty: Weight,
    demands: &[Demand],
    order: &[usize],
) -> (Weight, Weight) {
    fn go(
        small: &Small,
        neighbours: &Neighbours,
        penalty: Weight,
        demands: &[Demand],
        order: &[usize],
        passing: &Passing,
    ) -> (Weight, Weight) {
        let weights = passing.weights(neighbours, penalty);
        let Some((&first, rest)) = order.split_first() else {
            return (weights.total(), weights.total());
        };
        let Demand { source, destination, .. } = demands[first];
        let all = small.paths(neighbours, source.0, destination.0);
        let Some(least) = all.iter().map(|path| cost(&weights, path)).min() else {
            return go(small, neighbours, penalty, demands, rest, passing);
        };
        let ways = all.iter().filter(|path| cost(&weights, path) == least).map(|path| {
            let mut passing = passing.clone();
            passing.add(path, PARTS);
            go(small, neighbours, penalty, demands, rest, &passing)
        });
        ways.reduce(|a, b| (a.0.min(b.0), a.1.max(b.1))).unwrap()
    }
    go(small, neighbours, penalty, demands, order, &Passing::nowhere(small.nodes as usize))
}

fn between(a: u32, b: u32) -> Connection {
    Connection::between(NodeId(a), NodeId(b))
}

fn always(a: u32, b: u32) -> Demanded {
    let stop = Instant::from_secs_f64(1000.0);
    Demanded { connection: between(a, b), start: Instant::ZERO, stop }
}

#[test]
fn equally_good_paths_are_chosen_equally_often() {
    // From 0 to 5 in three links, over 1, 2 or 3 and then 4: three equally good paths.
    let links = [(0, 1), (0, 2), (0, 3), (1, 4), (2, 4), (3, 4), (4, 5)];
    let reach = Reach { receive_m: 200.0, sense_m: 400.0 };
    let neighbours = Neighbours::of_links(6, &links, &[], reach, &radio());
    let weights = Passing::nowhere(6).weights(&neighbours, PARTS);
    let search = Search::new(&neighbours, &weights, 6);
    let mut rng = rng(1);
    let mut counts = [0; 6];
    for _ in 0..3000 {
        let path = search.lightest(NodeId(0), NodeId(5), &mut rng).unwrap();
        counts[path[1].index()] += 1;
    }
    assert!(counts[1..4].iter().all(|&count| (900..1100).contains(&count)), "{counts:?}");
}

#[test]
fn a_link_that_works_one_way_is_no_part_of_a_path() {
    // 0 - 1 - 2, and 0 hears 2, which does not hear 0.
    let gains = [(0, 1, -70.0), (1, 2, -70.0), (2, 0, -70.0), (0, 2, -140.0)];
    let places = [0.0, 10.0, 20.0].map(|x_m| Position { x_m, y_m: 0.0 });
    let neighbours = Neighbours::of_gains(&places, &gains, 0.1, 1e-11, 1e-13);
    let weights = Passing::nowhere(3).weights(&neighbours, PARTS);
    let search = Search::new(&neighbours, &weights, 3);
    let lightest = |from, to| search.lightest(NodeId(from), NodeId(to), &mut rng(1));
    assert_eq!(
        [lightest(2, 0), lightest(0, 2)],
        [Some(nodes(&[2, 1, 0])), Some(nodes(&[0, 1, 2]))]
    );
}

#[test]
fn five_connections_have_120_orders_and_more_only_as_many_as_allowed() {
    let neighbours = grid();
    let tried = |pairs: &[(u32, u32)]| {
        let config = CcarConfig { variant: Variant::H2, max_orders: 130, ..CcarConfig::default() };
        let flows = pairs.iter().map(|&(a, b)| always(a, b)).collect();
        let mut centre = Centre::new(&config, 60, flows, 1);
        centre.on_reply(Instant::ZERO, between(pairs[0].0, pairs[0].1), &neighbours);
        assert_eq!(centre.report().choices.len(), pairs.len());
        centre.report().orders_tried
    };
    let pairs = [(0, 9), (10, 59), (20, 25), (50, 5), (31, 38), (7, 57)];
    assert_eq!(tried(&pairs[..5]), Some(120));
    assert_eq!(tried(&pairs), Some(130), "720 would be all");
}

#[test]
fn the_modified_heuristic_prefers_the_lightest_bottleneck() {
    // Straight over 1 and 2, where 2 is near a connection through 8 twice over; or five quiet
    // links.
    let links = [(0, 1), (1, 2), (2, 3), (0, 4), (4, 5), (5, 6), (6, 7), (7, 3)];
    let reach = Reach { receive_m: 200.0, sense_m: 400.0 };
    let neighbours =
        Neighbours::of_links(10, &[&links[..], &[(8, 9)]].concat(), &[(1, 8)], reach, &radio());
    let path = |variant, k| {
        let config = CcarConfig { variant, k, ..CcarConfig::default() };
        let mut centre = Centre::new(&config, 10, vec![always(8, 9), always(0, 3)], 1);
        centre.on_reply(Instant::ZERO, between(8, 9), &neighbours);
        centre.on_reply(Instant::ZERO, between(0, 3), &neighbours);
        let choice = centre.report().choices[1].clone();
        (choice.path, choice.weight, choice.bottlenecks, choice.shortest_hops)
    };
    // Weights: node 1 is near 8: 1. Straight: 2 + 2 + 1 = 5; around: 5, with more hops.
    let straight = (vec![0, 1, 2, 3], 5.0, vec![2.0], 3);
    assert_eq!(path(Variant::H1, 5), straight, "of equally light paths, the one with fewer hops");
    assert_eq!(path(Variant::H1Mod, 1), straight);
    let around = (vec![0, 4, 5, 6, 7, 3], 5.0, vec![2.0, 1.0], 3);
    assert_eq!(path(Variant::H1Mod, 5), around);
}

#[test]
fn short_connections_weigh_more_with_inverse_length() {
    let neighbours = grid();
    let config = CcarConfig { inverse_length: true, ..CcarConfig::default() };
    let mut centre = Centre::new(&config, 60, vec![always(21, 24), always(50, 52)], 1);
    centre.on_reply(Instant::ZERO, between(21, 24), &neighbours);
    let weights = centre.weights(Instant::ZERO, between(50, 52), &neighbours);
    assert_eq!(weights.node(NodeId(22)), 4 * PARTS / 3);
    let own = centre.weights(Instant::ZERO, between(21, 24), &neighbours);
    assert_eq!(own.node(NodeId(22)), 0, "a connection does not count itself");
}

#[test]
fn only_running_flows_weigh() {
    let neighbours = grid();
    let second = Instant::from_secs_f64(1.0);
    let flows = vec![Demanded { stop: second, ..always(21, 24) }, always(24, 21)];
    let mut centre = Centre::new(&CcarConfig::default(), 60, flows, 1);
    centre.on_reply(Instant::ZERO, between(21, 24), &neighbours);
    let weight = |now| in_units(centre.weights(now, between(0, 9), &neighbours).node(NodeId(22)));
    assert_eq!([weight(Instant::ZERO), weight(second)], [8.0, 4.0], "both flows, then one");
    centre.on_failure(between(24, 21));
    let broken = centre.weights(second, between(0, 9), &neighbours);
    assert_eq!(broken.total(), 0, "nor does a broken path");
}
