//! Multipath AODV in whole networks, over the real MAC: the protocol's guarantees, and its two
//! smallest networks.

use std::collections::BTreeSet;

use crate::common::run;
use multihop::routing::multipath::{MultipathReport, PathReport};
use multihop::scenario::Scenario;
use multihop::schemes::Schemes;
use multihop::simulation::{Recording, RunResult, Simulation};
use multihop::wire::FrameKind;

const POLICIES: [&str; 3] = ["ap", "edm", "ndm"];

fn file(name: &str) -> String {
    let path =
        format!("{}/../../python/multihop/scenarios/{name}.toml", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// A run of scenario file `name` under `scheme`, with the keys `set`.
fn scheme_run(name: &str, scheme: &str, set: &[(&str, &str)], recording: &Recording) -> RunResult {
    let mut overrides = Schemes::standard().overrides(scheme).expect("a scheme");
    overrides.extend(set.iter().map(|&(key, value)| (key.to_owned(), value.to_owned())));
    let scenario = Scenario::from_toml(&file(name), &overrides).expect("a valid scenario");
    Simulation::new(&scenario, None, recording).expect("a network").run()
}

/// The scheme's report in `result`.
fn multipath(result: &RunResult) -> MultipathReport {
    result.scheme("multipath-aodv").expect("several paths")
}

fn paths() -> Recording {
    Recording { paths: true, ..Recording::default() }
}

fn links(path: &PathReport) -> BTreeSet<(u32, u32)> {
    path.nodes.windows(2).map(|pair| (pair[0].min(pair[1]), pair[0].max(pair[1]))).collect()
}

/// Whether two paths were in use at the same time.
fn overlap(a: &PathReport, b: &PathReport) -> bool {
    let end = |path: &PathReport| path.lost_s.unwrap_or(f64::INFINITY);
    a.found_s < end(b) && b.found_s < end(a)
}

/// The recorded paths, those of one discovery together.
fn discoveries(report: &MultipathReport) -> Vec<Vec<&PathReport>> {
    let key = |path: &PathReport| (path.source, path.destination, path.request);
    let mut all: Vec<&PathReport> = report.paths.iter().collect();
    all.sort_by_key(|path| key(path));
    all.chunk_by(|a, b| key(a) == key(b)).map(<[_]>::to_vec).collect()
}

#[test]
fn paths_are_disjoint_and_within_limits_in_a_congested_network() {
    for policy in POLICIES {
        let result = scheme_run("random-200", policy, &[("duration_s", "31")], &paths());
        let report = multipath(&result);
        let discoveries = discoveries(&report);
        assert!(discoveries.iter().filter(|paths| paths.len() > 1).count() > 5, "{policy}");
        for paths in discoveries {
            let numbers: BTreeSet<u32> = paths.iter().map(|path| path.path).collect();
            assert_eq!(numbers.len(), paths.len(), "{policy}: ROUTE_IDs differ");
            assert!(paths.len() <= 3, "{policy}: at most three");
            for (i, path) in paths.iter().enumerate() {
                assert_eq!(path.nodes.len(), usize::from(path.hops) + 1, "{policy}: {path:?}");
                assert_eq!(path.nodes.last(), Some(&path.destination), "{policy}: {path:?}");
                let distinct: BTreeSet<_> = path.nodes.iter().collect();
                assert_eq!(distinct.len(), path.nodes.len(), "{policy}: a loop in {path:?}");
                for other in &paths[..i] {
                    let [least, most] = [path.hops.min(other.hops), path.hops.max(other.hops)];
                    let fits = f64::from(most) <= 1.3 * f64::from(least) + 1e-9;
                    assert!(fits || !overlap(path, other), "{policy}: {path:?} {other:?}");
                    assert!(links(path).is_disjoint(&links(other)), "{policy}: {path:?} {other:?}");
                }
            }
        }
        let totals = &report.totals;
        assert_eq!(totals.shared_link_pairs, 0, "{policy}");
        assert_eq!(totals.shared_node_pairs == 0, policy == "ndm", "{policy}: {totals:?}");
        assert_eq!(totals.paths_found as usize, report.paths.len(), "{policy}");
        let sent: u64 = report.paths.iter().map(|path| path.packets).sum();
        assert_eq!(totals.packets_by_rank.iter().sum::<u64>(), sent, "{policy}");
    }
}

#[test]
fn one_path_is_plain_aodv() {
    let keys = "routing = {scheme = \"aodv\", expanding_ring = false, local_repair = false}\n";
    let head = "duration_s = 21\ntransport = {duplicate_ack_threshold = 5}\n";
    let rest = "[topology]\nkind = \"random\"\nnodes = 60\narea_m = [1000, 800]\n[[flows]]\n\
                kind = \"ftp\"\nsource = \"random\"\ndestination = \"random\"\ncount = 4\n";
    let sp = "routing = {scheme = \"multipath-aodv\", policy = \"sp\"}\n";
    let [plain, sp] = [keys, sp].map(|routing| {
        run(&format!("{head}{routing}{rest}"), 3, &Recording::default()).engine.fingerprint
    });
    assert_eq!(plain, sp);
}

#[test]
fn two_paths_on_one_medium_share_its_capacity() {
    let recording = Recording { frames: true, paths: true, ..Recording::default() };
    let set = [("duration_s", "31"), ("flows.0.stop_s", "31")];
    let result = scheme_run("two-paths", "edm", &set, &recording);
    let report = multipath(&result);
    let nodes: BTreeSet<Vec<u32>> = report.paths.iter().map(|path| path.nodes.clone()).collect();
    assert_eq!(nodes, BTreeSet::from([vec![0, 1, 2, 3, 4], vec![0, 5, 6, 7, 4]]));

    // All nodes sense each other: except for collisions, no two data frames are on the air at once.
    let mut exchanges: Vec<_> = result
        .frames
        .iter()
        .filter(|frame| frame.kind == FrameKind::Data && frame.receiver.is_some())
        .collect();
    exchanges.sort_by_key(|frame| frame.time_ns);
    let overlaps =
        exchanges.windows(2).filter(|pair| pair[1].time_ns < pair[0].time_ns + pair[0].airtime_ns);
    assert!(exchanges.len() > 1000);
    assert_eq!(overlaps.count(), 0, "only one link is active at a time");

    // Both are equally fast, so each carries half.
    let share: Vec<f64> = report
        .paths
        .iter()
        .map(|path| path.packets as f64 * path.mean_rtt_s.expect("measured"))
        .collect();
    assert!((0.9..1.1).contains(&(share[0] / share[1])), "{share:?}");
    let single = scheme_run("two-paths", "sp", &set, &Recording::default());
    let gain = result.flows[0].goodput_bps / single.flows[0].goodput_bps;
    assert!((0.9..1.1).contains(&gain), "a second path adds no capacity: {gain}");
}

#[test]
fn each_hop_of_a_segment_costs_a_transmission() {
    let set = [("duration_s", "11"), ("flows.0.stop_s", "11")];
    for scheme in ["sp", "ap", "edm", "ndm"] {
        let result = scheme_run("two-paths", scheme, &set, &Recording::default());
        let delivered = result.flows[0].delivered_segments;
        assert!(delivered > 100 && result.mac.data_sent >= 4 * delivered, "{scheme}");
    }
}

#[test]
fn link_failures_between_static_nodes_are_false() {
    let set = [("duration_s", "31")];
    for scheme in ["sp", "edm"] {
        let routing = scheme_run("random-200", scheme, &set, &Recording::default()).routing;
        assert!(routing.link_failures > 10, "{scheme}");
        assert_eq!(routing.false_link_failures, routing.link_failures, "{scheme}");
    }
}

#[test]
fn only_the_loss_of_the_last_path_is_a_route_error() {
    let set = [("duration_s", "31")];
    let result = scheme_run("random-200", "edm", &set, &Recording::default());
    let heard: u64 = result.flows.iter().map(|flow| flow.route_errors).sum();
    let lost: u64 = multipath(&result).flows.iter().map(|paths| paths.paths_lost).sum();
    assert!(0 < heard && heard < lost, "{heard} of {lost}");
    assert!(result.flows.iter().any(|flow| flow.standbys > 0));
}

#[test]
fn without_a_retry_limit_there_are_no_failures() {
    let set = [
        ("duration_s", "21"),
        ("mac.short_retry_limit", "inf"),
        ("mac.long_retry_limit", "inf"),
        ("link.arp", "false"),
    ];
    for policy in POLICIES {
        let result = scheme_run("random-200", policy, &set, &Recording::default());
        assert_eq!((result.routing.link_failures, result.mac.retry_drops), (0, 0), "{policy}");
        assert_eq!(multipath(&result).totals.paths_lost, 0, "{policy}");
    }
}

#[test]
fn flow_ends_stay_while_all_other_nodes_move() {
    let set = [
        ("duration_s", "21"),
        ("mobility.kind", "random-waypoint"),
        ("mobility.speed_mps", "[0.1, 20]"),
        ("mobility.fixed_nodes", "flow-ends"),
    ];
    let recording = Recording { routes_interval_s: Some(1.0), ..paths() };
    let result = scheme_run("random-200", "ndm", &set, &recording);
    let ends: BTreeSet<u32> =
        result.flows.iter().flat_map(|flow| [flow.source, flow.destination]).collect();
    assert_eq!(ends.len(), 20);
    let mut moving = 0;
    for (node, trail) in (0..).zip(&result.movement) {
        let first = &trail[0][1..];
        let stays = trail.iter().all(|point| &point[1..] == first);
        assert!(stays || !ends.contains(&node), "node {node} moved");
        moving += usize::from(!stays);
    }
    assert_eq!(moving, 180);
    assert!(result.flows.iter().map(|flow| flow.delivered_segments).sum::<u64>() > 100);
    let totals = multipath(&result).totals;
    assert!(totals.paths_lost > 0 && totals.shared_node_pairs == 0, "{totals:?}");
    assert!(result.routing.false_link_failures < result.routing.link_failures);
}
