//! Movement from the `[mobility]` table or from a file.

use super::*;
use crate::kernel::Instant;
use crate::radio::{Course, Leg, Position};

const RANDOM: &str = "duration_s = 100\n[topology]\nkind = \"random\"\nnodes = 30\n\
                      area_m = [900, 300]\n";
const FLOW: &str = "[[flows]]\nkind = \"ftp\"\nsource = 3\ndestination = 7\n";
const WAYPOINT: &str = "[mobility]\nkind = \"random-waypoint\"\n";

fn reference(name: &str) -> String {
    repository().join("python/multihop/validation/ns2").join(name).display().to_string()
}

fn setdest_topology() -> String {
    let file = reference("move-50n-20mps-001.setdest.tcl");
    format!(
        "duration_s = 100\n[topology]\nkind = \"setdest\"\nfile = \"{file}\"\nnodes = 50\n\
         area_m = [1500, 300]\n"
    )
}

fn network(text: &str, seed: u64) -> Network {
    scenario(text).network(seed).unwrap()
}

fn legs(network: &Network, node: usize) -> Vec<Leg> {
    network.movement.as_ref().unwrap().courses[node].clone().take(5).collect()
}

/// Whether each node ever moves.
fn moving(network: &Network) -> Vec<bool> {
    let nodes = 0..network.positions.len();
    nodes.map(|node| legs(network, node).iter().any(|leg| leg.speed_mps > 0.0)).collect()
}

#[test]
fn nothing_moves_by_default() {
    assert!(network(&format!("{RANDOM}{FLOW}"), 1).movement.is_none());
    let all: Vec<String> = (0..30).map(|node| node.to_string()).collect();
    let fixed = format!("{RANDOM}{WAYPOINT}fixed_nodes = [{}]\n{FLOW}", all.join(", "));
    assert!(network(&fixed, 1).movement.is_none());
}

#[test]
fn every_course_begins_at_the_nodes_initial_position() {
    for more in
        ["", "pause_s = 5\n", "steady_state = true\n", "steady_state = true\npause_s = 50\n"]
    {
        let network = network(&format!("{RANDOM}{WAYPOINT}{more}{FLOW}"), 3);
        for (node, position) in network.positions.iter().enumerate() {
            let first = legs(&network, node)[0];
            assert_eq!((first.start, first.from), (Instant::ZERO, *position), "{more}");
        }
        assert_eq!(network.movement.unwrap().max_speed_mps, 20.0);
    }
}

#[test]
fn without_steady_state_movement_starts_at_the_random_placement() {
    let moving = network(&format!("{RANDOM}{WAYPOINT}{FLOW}"), 3);
    assert_eq!(moving.positions, network(&format!("{RANDOM}{FLOW}"), 3).positions);
}

#[test]
fn movement_depends_on_the_seed_or_on_its_own_seed() {
    let text = format!("{RANDOM}seed = 5\n{WAYPOINT}{FLOW}");
    assert_eq!(legs(&network(&text, 1), 4), legs(&network(&text, 1), 4));
    assert_ne!(legs(&network(&text, 1), 4)[0].to, legs(&network(&text, 2), 4)[0].to);
    let pinned = format!("{RANDOM}seed = 5\n{WAYPOINT}seed = 1\n{FLOW}");
    assert_eq!(legs(&network(&pinned, 2), 4), legs(&network(&text, 1), 4));
}

#[test]
fn fixed_nodes_stay_and_others_move() {
    let with = |fixed: &str| {
        moving(&network(&format!("{RANDOM}{WAYPOINT}fixed_nodes = {fixed}\n{FLOW}"), 1))
    };
    let stay = |nodes: &[usize]| (0..30).map(|node| !nodes.contains(&node)).collect::<Vec<bool>>();
    assert_eq!(with("\"none\""), stay(&[]));
    assert_eq!(with("\"flow-ends\""), stay(&[3, 7]));
    assert_eq!(with("[0, 29, 3]"), stay(&[0, 3, 29]));
}

#[test]
fn fixed_flow_ends_do_not_move_in_the_steady_state_either() {
    let random = FLOW.replace(['3', '7'], "\"random\"");
    let text =
        format!("{RANDOM}{WAYPOINT}fixed_nodes = \"flow-ends\"\nsteady_state = true\n{random}");
    for seed in 0..5 {
        let network = network(&text, seed);
        let flow = &network.flows[0];
        let ends = [flow.source.index(), flow.destination.index()];
        let expected: Vec<bool> = (0..30).map(|node| !ends.contains(&node)).collect();
        assert_eq!(moving(&network), expected);
    }
}

#[test]
fn a_steady_state_starts_connected_if_required() {
    let sparse = RANDOM.replace("30", "14");
    let connected = |more: &str, seed| {
        let text = format!("{sparse}{more}{WAYPOINT}steady_state = true\n{FLOW}");
        crate::scenario::graph::Graph::new(&network(&text, seed).positions, 250.0).is_connected()
    };
    assert!((0..20).all(|seed| connected("", seed)));
    assert!((0..20).any(|seed| !connected("connected = false\n", seed)));
}

#[test]
fn endpoints_of_mobile_networks_need_no_path_at_the_start() {
    let apart =
        "duration_s = 9\n[topology]\nkind = \"positions\"\npositions_m = [[0, 0], [900, 0]]\n";
    let flow = "[[flows]]\nkind = \"ftp\"\nsource = \"random\"\ndestination = 1\n";
    assert!(scenario(&format!("{apart}{flow}")).network(1).is_err());
    let network = network(&format!("{apart}{WAYPOINT}area_m = [900, 300]\n{flow}"), 1);
    assert_eq!(network.warnings, Vec::<String>::new());
    assert_eq!((network.flows[0].source.0, network.flows[0].shortest_hops), (0, None));
}

#[test]
fn a_setdest_topology_moves_as_its_file_says() {
    let text = format!("{}{FLOW}", setdest_topology());
    let scenario = scenario(&text);
    assert!(
        matches!(&scenario.mobility, Mobility::Setdest(t) if t.area_m == Some([1500.0, 300.0]))
    );
    let network = scenario.network(1).unwrap();
    assert_eq!(network.positions[0], Position { x_m: 13.428855872062, y_m: 201.623058467544 });
    let first = legs(&network, 0)[0];
    assert_eq!(first.to, Position { x_m: 505.746317723588, y_m: 221.756173280367 });
    assert_eq!(first.speed_mps, 2.403838506667);
    assert_eq!(read_back(&scenario), scenario);
}

#[test]
fn a_setdest_topology_can_be_static_or_move_differently() {
    let topology = setdest_topology();
    assert!(
        network(&format!("{topology}[mobility]\nkind = \"static\"\n{FLOW}"), 1).movement.is_none()
    );
    let network = network(&format!("{topology}{WAYPOINT}{FLOW}"), 1);
    assert!(matches!(network.movement.unwrap().courses[0], Course::RandomWaypoint(_)));
}

#[test]
fn a_file_moves_nodes_of_another_topology_from_their_positions() {
    let folder = std::env::temp_dir().join(format!("multihop-mobility-{}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    let file = folder.join("move.tcl");
    fs::write(&file, "$ns_ at 1.0 \"$node_(2) setdest 400.0 30.0 1.0\"\n").unwrap();
    let text =
        format!("{CHAIN}[mobility]\nkind = \"setdest\"\nfile = \"{}\"\n{FTP}", file.display());
    let network = network(&text, 1);
    assert_eq!(moving(&network), [false, false, true, false, false]);
    assert_eq!(legs(&network, 2)[1].from, Position { x_m: 400.0, y_m: 0.0 });
    fs::remove_dir_all(folder).unwrap();
}

#[test]
fn resolved_movement_is_movement() {
    for more in ["", "seed = 3\n", "fixed_nodes = [1, 2]\npause_s = 0.5\nsteady_state = true\n"] {
        let scenario = scenario(&format!("{RANDOM}{WAYPOINT}{more}{FLOW}"));
        assert_eq!(read_back(&scenario), scenario);
    }
}

#[test]
fn a_movement_stays_connected_if_required() {
    use crate::scenario::graph::Graph;
    let text = |more: &str| {
        format!("{RANDOM}{WAYPOINT}speed_mps = [1, 20]\n{more}{FLOW}").replace("= 30\n", "= 20\n")
    };
    // By the nodes' own legs, between the whole seconds too far to tell, at them exactly.
    let breaks = |network: &Network| {
        let movement = network.movement.as_ref().unwrap();
        let legs: Vec<Vec<Leg>> = movement
            .courses
            .iter()
            .map(|course| {
                course.clone().take_while(|leg| leg.start.as_secs_f64() <= 100.0).collect()
            })
            .collect();
        (0..=100)
            .filter(|&second| {
                let now = Instant::from_secs_f64(f64::from(second));
                let place = |legs: &Vec<Leg>| {
                    legs.iter().rfind(|leg| leg.start <= now).unwrap().position(now)
                };
                !Graph::new(&legs.iter().map(place).collect::<Vec<Position>>(), 250.0)
                    .is_connected()
            })
            .count()
    };
    let counts = |more: &str| -> Vec<usize> {
        (1..=12).map(|seed| breaks(&network(&text(more), seed))).collect()
    };
    for more in ["", "steady_state = true\n"] {
        let plain = counts(more);
        assert!(plain.iter().any(|&breaks| breaks > 0), "{plain:?}");
        assert_eq!(counts(&format!("{more}connected = true\n")), [0; 12]);
        let kept = plain.iter().position(|&breaks| breaks == 0).unwrap() as u64 + 1;
        let asked = network(&text(&format!("{more}connected = true\n")), kept);
        assert_eq!(legs(&asked, 4), legs(&network(&text(more), kept), 4));
    }
}

#[test]
fn the_least_hops_are_those_of_the_nearest_whole_second() {
    // Three hops, but two while node 4 is within 70 m of the line between source and destination:
    // for 1.4 s around a whole second at 100 m/s, for half a second between two whole seconds at
    // 300 m/s.
    let passing = |from_y_m: u32, speed_mps: u32| {
        let file = std::env::temp_dir()
            .join(format!("multihop-passing-{speed_mps}-{}.tcl", std::process::id()));
        let line = format!("$ns_ at 0.0 \"$node_(4) setdest 240.0 6000.0 {speed_mps}\"\n");
        fs::write(&file, line).unwrap();
        let flows = [1, 2, 5].map(|to| FLOW.replace('3', "0").replace('7', &to.to_string()));
        let text = format!(
            "duration_s = 30\n[topology]\nkind = \"positions\"\npositions_m = [[0, 3000], \
             [480, 3000], [160, 3000], [320, 3000], [240, {from_y_m}], [0, 1]]\n\
             [mobility]\nkind = \"setdest\"\nfile = \"{}\"\n{}",
            file.display(),
            flows.concat()
        );
        let flows = network(&text, 1).flows;
        fs::remove_file(file).unwrap();
        flows.iter().map(|flow| (flow.shortest_hops, flow.least_hops)).collect::<Vec<_>>()
    };
    let others = [(Some(1), Some(1)), (None, None)];
    assert_eq!(passing(750, 300), [&[(Some(3), Some(3))], &others[..]].concat());
    assert_eq!(passing(1000, 100), [&[(Some(3), Some(2))], &others[..]].concat());
}
