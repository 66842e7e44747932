//! CCAR in whole networks: the paper's two small networks, and a larger one.

use std::collections::BTreeSet;

use crate::common::run;
use multihop::radio::RadioConfig;
use multihop::routing::ccar::{CentreReport, Choice};
use multihop::scenario::Scenario;
use multihop::schemes::Schemes;
use multihop::simulation::{Recording, RunResult, Simulation};

/// Fig. 4: paths of four and of five links from 0 to 4. All nodes sense each other, so that only
/// the scheduled failures occur.
fn fig_4(variant: &str, events: &str) -> RunResult {
    let text = format!(
        "duration_s = 12\n[topology]\nkind = \"links\"\nnodes = 9\nall_sense = true\n\
         links = [[0, 1], [1, 2], [2, 3], [3, 4], [0, 5], [5, 6], [6, 7], [7, 8], [8, 4]]\n\
         [routing]\nscheme = \"ccar\"\nvariant = \"{variant}\"\n\
         [[flows]]\nkind = \"ftp\"\nsource = 0\ndestination = 4\nstart_s = 1\n{events}"
    );
    run(&text, 1, &Recording { links: true, ..Recording::default() })
}

/// The links that `flow` used.
fn links_of(result: &RunResult, flow: u32) -> BTreeSet<(u32, u32)> {
    let of_flow = result.links.iter().filter(|link| link.flow == flow);
    of_flow.map(|link| (link.from, link.to)).collect()
}

fn links_along(path: &[u32]) -> BTreeSet<(u32, u32)> {
    path.windows(2).map(|link| (link[0], link[1])).collect()
}

fn report(result: &RunResult) -> CentreReport {
    result.scheme("ccar").expect("a centre")
}

const SHORT_PATH: [u32; 5] = [0, 1, 2, 3, 4];

#[test]
fn without_failures_a_path_is_chosen_once() {
    let result = fig_4("h1", "");
    assert_eq!(result.routing.link_failures, 0);
    assert_eq!(report(&result).choices.len(), 1);
    assert_eq!(report(&result).choices[0].path, SHORT_PATH);
    assert_eq!(links_of(&result, 0), links_along(&SHORT_PATH));
}

#[test]
fn a_scheduled_failure_causes_a_discovery_and_a_new_choice() {
    let failure = "[[events]]\nkind = \"link-failure\"\nnode = 0\nnext_hop = 1\nat_s = 5\n";
    let result = fig_4("h1", failure);
    assert_eq!((result.routing.link_failures, result.mac.retry_drops), (1, 1));
    let quiet = fig_4("h1", "");
    assert_eq!(result.routing.discoveries, quiet.routing.discoveries + 1);
    assert_eq!(result.routing.requests_sent, 2 * quiet.routing.requests_sent, "a second flood");
    let choices = &report(&result).choices;
    assert_eq!(choices.len(), 2);
    assert!((5.0..6.0).contains(&choices[1].time_s), "{choices:?}");
    // The connection's old path does not count in the new choice: no stale weights as in the
    // distributed scheme.
    assert_eq!(choices[1].path, SHORT_PATH);
    assert_eq!((choices[1].weight, choices[1].shortest_hops), (4.0, 4));
}

#[test]
fn under_heuristic_ii_a_failure_causes_a_discovery_and_no_new_path() {
    let failure = "[[events]]\nkind = \"link-failure\"\nnode = 2\nnext_hop = 3\nat_s = 5\n";
    let result = fig_4("h2", failure);
    assert_eq!(result.routing.requests_sent, 2 * fig_4("h2", "").routing.requests_sent);
    assert_eq!(report(&result).choices.len(), 1);
    assert_eq!(links_of(&result, 0), links_along(&SHORT_PATH));
    assert!(result.flows[0].delivered_segments > 100);
}

/// Fig. 5: connection I along the row of connection II, on a grid of 10 by 6.
fn fig_5(routing: &str, seed: u64) -> RunResult {
    let text = format!(
        "duration_s = 20\n[topology]\nkind = \"grid\"\ncolumns = 10\nrows = 6\nspacing_m = 240\n\
         [routing]\nscheme = \"ccar\"\n{routing}\n\
         [[flows]]\nkind = \"ftp\"\nsource = 20\ndestination = 29\n\
         [[flows]]\nkind = \"ftp\"\nsource = 21\ndestination = 24\n"
    );
    run(&text, seed, &Recording { links: true, ..Recording::default() })
}

#[test]
fn data_takes_only_the_paths_of_the_centre() {
    for routing in ["", "variant = \"h1-mod\"", "inverse_length = true"] {
        let result = fig_5(routing, 1);
        let choices = &report(&result).choices;
        for (flow, ends) in [(0, [20, 29]), (1, [21, 24])] {
            let paths = choices.iter().map(|choice| &choice.path);
            let own = paths.filter(|path| [path[0], path[path.len() - 1]] == ends);
            let allowed: BTreeSet<_> = own.flat_map(|path| links_along(path)).collect();
            let used = links_of(&result, flow);
            assert!(!used.is_empty() && used.is_subset(&allowed), "{routing}: {used:?}");
        }
        assert!(choices.len() as u64 <= result.routing.discoveries, "each follows a search");
        assert!(
            result.routing.link_failures > 0,
            "two flows within sensing range cause false failures"
        );
    }
}

#[test]
fn a_long_connection_keeps_away_from_a_short_one() {
    let result = fig_5("", 1);
    let chosen = report(&result);
    let outer = chosen.choices.iter().find(|choice| choice.path.len() == 16);
    let outer = outer.expect("the outer route, while connection II is on its row");
    assert_eq!((outer.weight, outer.shortest_hops), (20.0, 9));
    let heavy = fig_5("w_p = 1000", 1);
    let is_shortest = |c: &Choice| c.path.len() as u32 == c.shortest_hops + 1;
    assert!(report(&heavy).choices.iter().all(is_shortest));
}

#[test]
fn five_flows_under_heuristic_ii_keep_one_path_each() {
    let text = "duration_s = 14\n[topology]\nkind = \"random\"\nnodes = 100\narea_m = [1500, 800]\n\
                [routing]\nscheme = \"ccar\"\nvariant = \"h2\"\n\
                [[flows]]\nkind = \"ftp\"\nsource = \"random\"\ndestination = \"random\"\ncount = 5\n\
                start_spacing_s = 1\nlifetime_s = 10\n";
    let result = run(text, 2, &Recording { links: true, ..Recording::default() });
    let CentreReport { choices, orders_tried, total_weight } = report(&result);
    assert_eq!((choices.len(), orders_tried), (5, Some(120)));
    assert!(total_weight.is_some_and(|total| total > 0.0));
    assert!(result.routing.link_failures > 0);
    for flow in &result.flows {
        let ends = [flow.source.min(flow.destination), flow.source.max(flow.destination)];
        let choice = choices.iter().find(|c| [c.path[0], c.path[c.path.len() - 1]] == ends);
        let mut path = choice.expect("a path for every flow").path.clone();
        if flow.source > flow.destination {
            path.reverse();
        }
        let (used, path) = (links_of(&result, flow.id), links_along(&path));
        assert!(used.is_subset(&path), "{used:?} {path:?}");
        assert_eq!(used == path, flow.delivered_segments > 0);
    }
    assert!(result.flows.iter().filter(|flow| flow.delivered_segments > 0).count() >= 3);
}

/// Five flows in a network of 100 nodes.
fn five_flows(scheme: &str, seed: u64) -> RunResult {
    let text = "duration_s = 14\n[topology]\nkind = \"random\"\nnodes = 100\narea_m = [1500, 800]\n\
                [link]\narp = false\n[transport]\nwindow_segments = 8\n\
                [[flows]]\nkind = \"ftp\"\nsource = \"random\"\ndestination = \"random\"\ncount = 5\n\
                start_spacing_s = 1\nlifetime_s = 10\n";
    let overrides = Schemes::standard().overrides(scheme).expect("a scheme");
    let scenario = Scenario::from_toml(text, &overrides).expect("a valid scenario");
    Simulation::new(&scenario, Some(seed), &Recording::default()).expect("a network").run()
}

#[test]
fn failures_are_false_and_cost_as_many_requests_as_with_aodv() {
    let requests_per_failure = |scheme| {
        let runs: Vec<RunResult> = (1..=4).map(|seed| five_flows(scheme, seed)).collect();
        let sum = |count: fn(&RunResult) -> u64| runs.iter().map(count).sum::<u64>();
        let failures = sum(|run| run.routing.link_failures);
        assert!(failures > 20, "{scheme}: {failures}");
        assert_eq!(
            failures,
            sum(|run| run.routing.false_link_failures),
            "{scheme}: all nodes are static"
        );
        assert!(failures <= sum(|run| run.mac.retry_drops), "{scheme}: at a retry limit");
        sum(|run| run.routing.requests_sent) as f64 / failures as f64
    };
    let ratio = requests_per_failure("ccar-h1") / requests_per_failure("shortest-path-aodv");
    assert!((0.8..1.25).contains(&ratio), "{ratio}");
}

#[test]
fn the_sensing_range_is_more_than_twice_the_receiving_range() {
    let radio = RadioConfig::default();
    assert_eq!(radio.sense_range_m / radio.receive_range_m, 2.2);
}
