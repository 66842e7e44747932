//! Shapes, random placements, and the graph over them.

use super::*;
use crate::radio::Position;
use crate::scenario::graph::Graph;
use crate::wire::NodeId;

fn place(topology: &str, seed: u64) -> Vec<(f64, f64)> {
    let text = format!(
        "duration_s = 1\ntopology = {{{topology}}}\n[[flows]]\nkind = \"ftp\"\nsource = 0\n\
         destination = 1\n"
    );
    let network = scenario(&text).network(seed).unwrap();
    network.positions.iter().map(|p| (p.x_m, p.y_m)).collect()
}

#[test]
fn chain() {
    let expected = [(0.0, 0.0), (240.0, 0.0), (480.0, 0.0)];
    assert_eq!(place("kind = \"chain\", hops = 2, spacing_m = 240", 1), expected);
    assert_eq!(place("kind = \"chain\", hops = 1", 1), [(0.0, 0.0), (200.0, 0.0)]);
}

#[test]
fn grid_row_by_row() {
    let expected = [(0.0, 0.0), (10.0, 0.0), (20.0, 0.0), (0.0, 10.0), (10.0, 10.0), (20.0, 10.0)];
    assert_eq!(place("kind = \"grid\", columns = 3, rows = 2, spacing_m = 10", 1), expected);
}

#[test]
fn parallel_line_by_line() {
    let expected = [(0.0, 0.0), (10.0, 0.0), (0.0, 7.0), (10.0, 7.0), (0.0, 14.0), (10.0, 14.0)];
    let topology = "kind = \"parallel\", hops = 1, strings = 3, spacing_m = 10, separation_m = 7";
    assert_eq!(place(topology, 1), expected);
    assert_eq!(place("kind = \"parallel\", hops = 3", 1).len(), 8);
}

#[test]
fn cross_with_a_shared_middle() {
    let across = [(0.0, 20.0), (10.0, 20.0), (20.0, 20.0), (30.0, 20.0), (40.0, 20.0)];
    let down = [(20.0, 0.0), (20.0, 10.0), (20.0, 30.0), (20.0, 40.0)];
    let placed = place("kind = \"cross\", hops = 4, spacing_m = 10", 1);
    assert_eq!(placed, [&across[..], &down[..]].concat());
}

#[test]
fn spindle_with_a_shared_middle_link() {
    // Links of 10 m at 45 degrees: each step is 7.07 m along both axes.
    let d = 50f64.sqrt();
    let first = [(-2.0 * d, 2.0 * d), (-d, d), (0.0, 0.0), (10.0, 0.0), (10.0 + d, d)];
    let second = [(-2.0 * d, -2.0 * d), (-d, -d), (10.0 + d, -d)];
    let expected = [&first[..], &[(10.0 + 2.0 * d, 2.0 * d)], &second[..]].concat();
    let placed = place("kind = \"spindle\", hops = 5, spacing_m = 10", 1);
    assert_eq!(placed.len(), expected.len() + 1);
    let last = (10.0 + 2.0 * d, -2.0 * d);
    for (got, want) in placed.iter().zip(expected.iter().chain([&last])) {
        assert!((got.0 - want.0).abs() < 1e-9 && (got.1 - want.1).abs() < 1e-9, "{placed:?}");
    }
}

#[test]
fn both_paths_of_a_spindle_have_the_given_length() {
    for hops in 3..9 {
        let topology = format!("topology = {{kind = \"spindle\", hops = {hops}}}");
        let second = (hops + 1, 2 * hops - 1);
        let text = format!(
            "duration_s = 1\n{topology}\n[[flows]]\nkind = \"ftp\"\nsource = 0\ndestination = {hops}
            [[flows]]\nkind = \"ftp\"\nsource = {}\ndestination = {}",
            second.0, second.1
        );
        let lengths: Vec<Option<u32>> =
            scenario(&text).network(1).unwrap().flows.iter().map(|f| f.shortest_hops).collect();
        assert_eq!(lengths, [Some(hops), Some(hops)]);
    }
}

/// The networks of the ns-2 runs are 1 m further from both axes.
#[test]
fn cross_and_parallel_are_those_that_ns2_ran() {
    for shape in ["cross", "parallel"] {
        for hops in [2, 4, 6] {
            let file =
                format!("python/multihop/validation/ns2/{shape}-{hops}hop-aodv-w32-512B.json");
            let text = fs::read_to_string(repository().join(file)).unwrap();
            let case: serde_json::Value = serde_json::from_str(&text).unwrap();
            let metres =
                |place: &serde_json::Value, axis: usize| place[axis].as_f64().unwrap() - 1.0;
            let places = case["positions"].as_array().unwrap();
            let expected: Vec<(f64, f64)> =
                places.iter().map(|place| (metres(place, 0), metres(place, 1))).collect();
            let separation = if shape == "parallel" { ", separation_m = 400" } else { "" };
            let topology = format!("kind = \"{shape}\", hops = {hops}{separation}");
            assert_eq!(place(&topology, 1), expected);
        }
    }
}

#[test]
fn the_examples_have_the_endpoints_that_ns2_ran() {
    for shape in ["cross", "parallel"] {
        let file = format!("python/multihop/validation/ns2/{shape}-4hop-aodv-w32-512B.json");
        let text = fs::read_to_string(repository().join(file)).unwrap();
        let case: serde_json::Value = serde_json::from_str(&text).unwrap();
        let expected: Vec<[Option<u64>; 2]> = case["flows"]
            .as_array()
            .unwrap()
            .iter()
            .map(|flow| [flow[0].as_u64(), flow[1].as_u64()])
            .collect();
        let text = fs::read_to_string(
            repository().join(format!("python/multihop/scenarios/{shape}.toml")),
        )
        .unwrap();
        let flows = scenario(&text).network(1).unwrap().flows;
        let ends = flows.iter().map(|f| [f.source, f.destination].map(|n| Some(n.0.into())));
        assert_eq!(ends.collect::<Vec<_>>(), expected);
    }
}

const RANDOM: &str = "kind = \"random\", nodes = 40, area_m = [800, 500]";

#[test]
fn a_random_placement_depends_on_the_seed_alone() {
    assert_eq!(place(RANDOM, 3), place(RANDOM, 3));
    assert_ne!(place(RANDOM, 3), place(RANDOM, 4));
}

#[test]
fn its_own_seed_pins_the_placement() {
    let pinned = format!("{RANDOM}, seed = 3");
    assert_eq!(place(&pinned, 4), place(&pinned, 5));
    assert_eq!(place(&pinned, 4), place(RANDOM, 3));
}

#[test]
fn a_random_placement_fills_its_area() {
    let places = place("kind = \"random\", nodes = 1000, area_m = [900, 300]", 1);
    assert!(places.iter().all(|&(x, y)| (0.0..900.0).contains(&x) && (0.0..300.0).contains(&y)));
    let mean = |axis: fn(&(f64, f64)) -> f64| places.iter().map(axis).sum::<f64>() / 1000.0;
    // Five standard errors of the mean of uniform values.
    assert!((mean(|p| p.0) - 450.0).abs() < 5.0 * 900.0 / 12_000f64.sqrt());
    assert!((mean(|p| p.1) - 150.0).abs() < 5.0 * 300.0 / 12_000f64.sqrt());
}

#[test]
fn a_placement_is_connected_if_required() {
    let sparse = "kind = \"random\", nodes = 12, area_m = [900, 300]";
    let connected = |topology: &str, seed| {
        let positions: Vec<Position> =
            place(topology, seed).iter().map(|&(x_m, y_m)| Position { x_m, y_m }).collect();
        brute_force_hops(&positions, 250.0, 0).iter().all(Option::is_some)
    };
    assert!((0..20).all(|seed| connected(sparse, seed)));
    let as_drawn = format!("{sparse}, connected = false");
    assert!((0..20).any(|seed| !connected(&as_drawn, seed)));
}

/// Hops from `source` by relaxing every pair until nothing changes.
fn brute_force_hops(positions: &[Position], range_m: f64, source: usize) -> Vec<Option<u32>> {
    let mut hops = vec![None; positions.len()];
    hops[source] = Some(0);
    for distance in 0..positions.len() as u32 {
        for i in 0..positions.len() {
            for j in 0..positions.len() {
                let (dx, dy) =
                    (positions[i].x_m - positions[j].x_m, positions[i].y_m - positions[j].y_m);
                if hops[i] == Some(distance) && hops[j].is_none() && dx.hypot(dy) <= range_m {
                    hops[j] = Some(distance + 1);
                }
            }
        }
    }
    hops
}

proptest! {
    #[test]
    fn hops_are_those_of_brute_force(
        places in prop::collection::vec((-900i32..900, -400i32..400), 1..40),
        range_m in 50u32..400,
        (least, greatest) in (1u32..4, 0u32..6),
    ) {
        // Distances are roots of whole numbers: none is this close above a whole range.
        let positions: Vec<Position> = places
            .iter()
            .map(|&(x, y)| Position { x_m: f64::from(x), y_m: f64::from(y) })
            .collect();
        let range_m = f64::from(range_m) + 0.000_05;
        let mut graph = Graph::new(&positions, range_m);
        let node = |i: usize| NodeId(i as u32);
        let mut connected = true;
        for i in 0..places.len() {
            let hops = brute_force_hops(&positions, range_m, i);
            for (j, &expected) in hops.iter().enumerate() {
                prop_assert_eq!(graph.hops_between(node(i), node(j)), expected);
            }
            let mut found = graph.nodes_at(node(i), least, greatest);
            prop_assert!(found.is_sorted_by_key(|&(_, hops)| hops));
            found.sort_unstable();
            let near = (0..places.len()).filter_map(|j| Some((node(j), hops[j]?)));
            let near = near.filter(|&(_, hops)| least <= hops && hops <= greatest);
            prop_assert_eq!(found, near.collect::<Vec<_>>());
            connected &= hops.iter().all(Option::is_some);
        }
        prop_assert_eq!(graph.is_connected(), connected);
    }
}
