//! Networks that are too large are refused before they are built; those without traffic cost
//! nothing.

use multihop::scenario::Scenario;
use multihop::simulation::{Recording, Simulation};

fn crowd(nodes: u32, side_m: u32) -> Scenario {
    let text = format!(
        "duration_s = 1\n[topology]\nkind = \"random\"\nnodes = {nodes}\narea_m = [{side_m}, {side_m}]\n\
         [[flows]]\nkind = \"ftp\"\nsource = 0\ndestination = 1\n"
    );
    Scenario::from_toml(&text, &[]).expect("it can be read")
}

#[test]
fn a_crowd_within_everyones_reach_is_counted_without_being_built() {
    let load = crowd(6000, 100).load(1).unwrap().expect("it is large");
    assert_eq!((load.nodes, load.neighbours), (6000, 6000 * 5999));
    assert!(load.bytes > 16 * load.neighbours && load.build_s > 0.0, "{load:?}");
    assert_eq!(load.check(load.bytes), Ok(()));
    let refused = load.check(load.bytes - 1).unwrap_err().to_string();
    assert!(refused.contains("6000 nodes with 5999 others each"), "{refused}");
}

#[test]
fn a_sparse_network_is_estimated_from_a_sample() {
    // 550 m round a node in 30 km by 30 km: 20,000 * pi * 0.55^2 / 900 = 21 neighbours.
    let load = crowd(20_000, 30_000).load(1).unwrap().expect("it is large");
    let each = load.neighbours as f64 / 20_000.0;
    assert!((18.0..24.0).contains(&each), "{each}");
}

#[test]
fn what_no_memory_holds_is_an_error_of_the_topology() {
    let error = crowd(1_000_000, 100).network(1).unwrap_err();
    assert_eq!(error.key, "topology");
    assert!(crowd(4096, 100).load(1).unwrap().is_none());
}

#[test]
fn nodes_that_know_of_no_destination_have_no_events() {
    let text = "duration_s = 5\n[topology]\nkind = \"random\"\nnodes = 500\narea_m = [4000, 2000]\n\
                connected = false\n[routing]\nscheme = \"aodv\"\n\
                [[flows]]\nkind = \"ftp\"\nsource = 0\ndestination = 1\nstart_s = 4.999999\n";
    let scenario = Scenario::from_toml(text, &[]).expect("it can be read");
    let network = Simulation::new(&scenario, None, &Recording::default()).expect("a network");
    // A sweep of all nodes every half second, the flow's start and what becomes of its packet.
    assert_eq!(network.run().engine.events, 13);
}
