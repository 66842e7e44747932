//! Reproducibility: equal runs, one thread or many, independent random streams.

use crate::common::run;
use multihop::scenario::Scenario;
use multihop::simulation::{Recording, RunResult, Simulation};

/// Digests of runs, one per line: scenario file, duration \[s\], overrides, seed, digest. A change
/// of the model changes them; its commit says why. `UPDATE_FINGERPRINTS=1` rewrites the file.
const TABLE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fingerprints.csv");

fn scenario_file(name: &str) -> String {
    let path =
        format!("{}/../../python/multihop/scenarios/{name}.toml", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"))
}

fn digest(name: &str, duration_s: &str, set: &str, seed: u64) -> String {
    let mut overrides = vec![("duration_s".to_owned(), duration_s.to_owned())];
    overrides.extend(
        set.split(';')
            .filter_map(|pair| pair.split_once('='))
            .map(|(key, value)| (key.trim().to_owned(), value.trim().to_owned())),
    );
    let scenario = Scenario::from_toml(&scenario_file(name), &overrides).expect("a valid scenario");
    let simulation = Simulation::new(&scenario, Some(seed), &Recording::default());
    simulation.expect("a network").run().engine.fingerprint
}

#[test]
fn runs_match_the_table_of_fingerprints() {
    let table = std::fs::read_to_string(TABLE).expect("the table of digests");
    let mut lines = table.lines();
    let mut anew = format!("{}\n", lines.next().expect("a heading"));
    let mut wrong = Vec::new();
    for line in lines {
        let cells: Vec<&str> = line.split(',').collect();
        let &[name, duration_s, set, seed, expected] = cells.as_slice() else {
            panic!("not five cells: {line}");
        };
        let found = digest(name, duration_s, set, seed.parse().expect("a seed"));
        anew += &format!("{name},{duration_s},{set},{seed},{found}\n");
        if found != expected {
            wrong.push(format!("{name} ({set}), seed {seed}: {found}, expected {expected}"));
        }
    }
    if std::env::var_os("UPDATE_FINGERPRINTS").is_some() {
        std::fs::write(TABLE, anew).expect("the table can be written");
    } else {
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }
}

#[test]
fn many_threads_give_the_same_runs_as_one() {
    let seeds: Vec<u64> = (1..=8).collect();
    let one: Vec<String> = seeds.iter().map(|&seed| digest("six-hops", "11", "", seed)).collect();
    let many: Vec<String> = std::thread::scope(|scope| {
        let handles: Vec<_> = seeds
            .iter()
            .map(|&seed| scope.spawn(move || digest("six-hops", "11", "", seed)))
            .collect();
        handles.into_iter().map(|handle| handle.join().expect("a finished run")).collect()
    });
    assert_eq!(one, many);
    assert!(one.windows(2).all(|pair| pair[0] != pair[1]), "seeds matter");
}

#[test]
fn running_in_steps_changes_nothing() {
    let text = scenario_file("six-hops");
    let scenario = Scenario::from_toml(&text, &[("duration_s".into(), "11".into())]).unwrap();
    let new = || Simulation::new(&scenario, Some(5), &Recording::default()).unwrap();
    let whole = new().run().engine;
    let mut pieces = new();
    let mut last = 0.0;
    while !pieces.advance(997) {
        assert!(pieces.progress() >= last && pieces.progress() <= 1.0);
        last = pieces.progress();
    }
    let pieces = pieces.result().engine;
    assert_eq!((whole.fingerprint, whole.events), (pieces.fingerprint, pieces.events));
}

/// A chain of three nodes with one flow, and optionally more nodes and flows.
fn chain(more_nodes: &str, more_flows: &str) -> RunResult {
    let text = format!(
        "duration_s = 20\n[topology]\nkind = \"positions\"\n\
         positions_m = [[0, 0], [200, 0], [400, 0]{more_nodes}]\n\
         [[flows]]\nkind = \"ftp\"\nsource = 0\ndestination = 2\nstart_s = 1\n{more_flows}"
    );
    run(&text, 3, &Recording::default())
}

fn first_flow(result: &RunResult) -> String {
    serde_json::to_string(&result.flows[0]).expect("a report is plain data")
}

#[test]
fn nodes_and_flows_out_of_range_leave_a_flow_bit_identical() {
    let alone = first_flow(&chain("", ""));
    let far = ", [90000, 0], [90200, 0]";
    let flow = "[[flows]]\nkind = \"ftp\"\nsource = 3\ndestination = 4\nstart_s = 2\n";
    let cbr = "[[flows]]\nkind = \"cbr\"\nsource = 4\ndestination = 3\npacket_bytes = 500\n\
               rate_bps = 1e5\n";
    assert_eq!(alone, first_flow(&chain(far, "")), "more nodes");
    let with_flow = chain(far, flow);
    assert_eq!(alone, first_flow(&with_flow), "more nodes and a flow");
    assert!(with_flow.flows[1].delivered_segments > 100);
    assert_eq!(alone, first_flow(&chain(far, &format!("{flow}{cbr}"))), "and another");
}

#[test]
fn mobile_nodes_that_never_move_give_the_same_run_as_static_nodes() {
    let file = std::env::temp_dir().join(format!("standing-{}.tcl", std::process::id()));
    std::fs::write(&file, "$ns_ at 900.0 \"$node_(0) setdest 50.0 50.0 1.0\"\n")
        .expect("a temporary file can be written");
    let text = scenario_file("six-hops");
    let digest_with = |more: &[(&str, &str)]| {
        let set: Vec<(String, String)> = [("duration_s", "11")]
            .iter()
            .chain(more)
            .map(|&(key, value)| (key.to_owned(), value.to_owned()))
            .collect();
        let scenario = Scenario::from_toml(&text, &set).expect("a valid scenario");
        let result = Simulation::new(&scenario, None, &Recording::default()).unwrap().run();
        result.engine.fingerprint
    };
    let path = file.to_str().expect("a path in UTF-8");
    let moving = digest_with(&[("mobility.kind", "setdest"), ("mobility.file", path)]);
    assert_eq!(digest_with(&[]), moving);
    std::fs::remove_file(&file).expect("the file is there");
}
