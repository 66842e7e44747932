//! Fixed and random flows.

use std::collections::BTreeSet;

use super::*;

/// Forty connected nodes.
const PLACE: &str = "duration_s = 200\n[topology]\nkind = \"random\"\nnodes = 40\n\
                     area_m = [800, 500]\n";

fn random_flows(keys: &str) -> String {
    format!("[[flows]]\nkind = \"ftp\"\nsource = \"random\"\ndestination = \"random\"\n{keys}\n")
}

fn network(text: &str, seed: u64) -> Network {
    scenario(text).network(seed).unwrap()
}

fn ends(flows: &[FlowSpec]) -> Vec<(u32, u32)> {
    flows.iter().map(|flow| (flow.source.0, flow.destination.0)).collect()
}

fn times(flows: &[FlowSpec]) -> Vec<(f64, f64)> {
    flows.iter().map(|flow| (flow.start.as_secs_f64(), flow.stop.as_secs_f64())).collect()
}

#[test]
fn a_flow_runs_to_the_end_unless_told_otherwise() {
    let text =
        format!("{CHAIN}{FTP}{FTP}start_s = 3\nstop_s = 40\n{FTP}start_s = 5\nlifetime_s = 7");
    assert_eq!(times(&network(&text, 1).flows), [(0.0, 100.0), (3.0, 40.0), (5.0, 12.0)]);
}

#[test]
fn the_last_node_goes_with_the_topology() {
    let last = FTP.replace("destination = 4", "destination = \"last\"");
    let ends = |topology| {
        let scenario = with(&format!("{CHAIN}{last}"), &[("topology", topology)]).unwrap();
        ends(&scenario.network(1).unwrap().flows)
    };
    assert_eq!(ends("{kind = \"chain\", hops = 4}"), [(0, 4)]);
    assert_eq!(ends("{kind = \"grid\", columns = 3, rows = 2}"), [(0, 5)]);
    let back = last.replace("source = 0", "source = \"last\"");
    let same = with(&format!("{CHAIN}{back}"), &[]).unwrap_err();
    assert_eq!(
        same.to_string(),
        "line 8: flows.0.destination: must differ from source: a flow to itself"
    );
}

/// Whoever reads a resolved scenario, such as the store of a study, sees no difference.
#[test]
fn the_last_node_is_resolved_to_its_number() {
    let last = FTP.replace("destination = 4", "destination = \"last\"");
    assert_eq!(scenario(&format!("{CHAIN}{last}")), scenario(&format!("{CHAIN}{FTP}")));
}

#[test]
fn random_flows_start_spaced_and_run_for_their_lifetime() {
    let keys = "count = 3\nstart_s = 1\nstart_spacing_s = 2.5\nlifetime_s = 100";
    let flows = network(&format!("{PLACE}{}", random_flows(keys)), 1).flows;
    assert_eq!(times(&flows), [(1.0, 101.0), (3.5, 103.5), (6.0, 106.0)]);
    let flows = network(&format!("{PLACE}{}", random_flows(&keys.replace("lifetime", "stop"))), 1);
    assert_eq!(times(&flows.flows), [(1.0, 100.0), (3.5, 102.5), (6.0, 105.0)]);
}

#[test]
fn start_spread_draws_starts_and_leaves_endpoints_unchanged() {
    let keys = "count = 50\nstart_s = 2\nstart_spread_s = 30\n";
    let with = |keys: &str, seed| network(&format!("{PLACE}{}", random_flows(keys)), seed).flows;
    let flows = with(&format!("{keys}stop_s = 90"), 1);
    let starts: Vec<f64> = times(&flows).iter().map(|(start, _)| *start).collect();
    assert!(starts.iter().all(|start| (2.0..32.0).contains(start)));
    let mean = starts.iter().sum::<f64>() / 50.0;
    assert!((12.0..22.0).contains(&mean), "{mean}");
    assert!(times(&flows).iter().all(|(_, stop)| *stop == 90.0));
    assert_eq!(ends(&flows), ends(&with("count = 50\nstop_s = 90", 1)));
    assert_ne!(times(&flows), times(&with(&format!("{keys}stop_s = 90"), 2)));
    let lives = times(&with(&format!("{keys}lifetime_s = 5"), 1));
    assert!(lives.iter().all(|(start, stop)| (stop - start - 5.0).abs() < 1e-6));
}

#[test]
fn random_endpoints_differ_and_can_reach_each_other() {
    let sparse = PLACE
        .replace("nodes = 40", "nodes = 40\nconnected = false")
        .replace("[800, 500]", "[2000, 1500]");
    let text = format!("{sparse}{}", random_flows("count = 200"));
    let network = network(&text, 1);
    assert_eq!(network.flows.len(), 200);
    assert!(network.flows.iter().all(|flow| flow.source != flow.destination));
    assert!(network.flows.iter().all(|flow| flow.shortest_hops.is_some_and(|hops| hops > 0)));
    assert!(network.warnings.is_empty());
}

#[test]
fn with_distinct_ends_no_node_is_an_endpoint_of_two_flows() {
    for seed in 0..20 {
        let with = |keys| ends(&network(&format!("{PLACE}{}", random_flows(keys)), seed).flows);
        let nodes = |ends: Vec<(u32, u32)>| -> BTreeSet<u32> {
            ends.into_iter().flat_map(|(source, destination)| [source, destination]).collect()
        };
        assert_eq!(nodes(with("count = 20\ndistinct_ends = true")).len(), 40);
        assert!(nodes(with("count = 20")).len() < 40);
    }
}

#[test]
fn one_endpoint_can_be_fixed() {
    let text = format!("{PLACE}{}", random_flows("count = 30\ndistinct_ends = true"))
        .replace("destination = \"random\"", "destination = 7");
    let ends = ends(&network(&text, 1).flows);
    assert!(ends.iter().all(|&(source, destination)| destination == 7 && source != 7));
    let sources: BTreeSet<u32> = ends.iter().map(|&(source, _)| source).collect();
    assert_eq!(sources.len(), 30);
}

#[test]
fn endpoints_depend_on_the_seed_even_if_the_placement_is_pinned() {
    let text = format!("{PLACE}seed = 1\n{}", random_flows("count = 5"));
    let (one, two) = (network(&text, 1), network(&text, 2));
    assert_eq!(one.flows, network(&text, 1).flows);
    assert_eq!(one.positions, two.positions);
    assert_ne!(ends(&one.flows), ends(&two.flows));
}

#[test]
fn an_added_flow_does_not_change_the_others() {
    let (three, four) = (random_flows("count = 3"), random_flows("count = 4"));
    let before = ends(&network(&format!("{PLACE}{three}{three}"), 1).flows);
    assert_ne!(before[..3], before[3..], "two tables draw differently");
    let appended = ends(&network(&format!("{PLACE}{three}{three}{four}"), 1).flows);
    assert_eq!(appended[..6], before);
    let longer = ends(&network(&format!("{PLACE}{four}{three}"), 1).flows);
    assert_eq!(longer[..3], before[..3]);
    assert_eq!(longer[4..], before[3..]);
}

#[test]
fn keys_of_other_layers_do_not_change_the_network() {
    let text = format!("{PLACE}{}", random_flows("count = 5"));
    let changed =
        with(&text, &[("routing.scheme", "static"), ("mac.cw_min", "63"), ("duration_s", "300")]);
    let (before, after) = (network(&text, 1), changed.unwrap().network(1).unwrap());
    assert_eq!(before.positions, after.positions);
    assert_eq!(ends(&before.flows), ends(&after.flows));
}

#[test]
fn a_flow_over_more_hops_than_packets_can_go_gives_a_warning() {
    let text = |keys: &str| {
        format!(
            "duration_s = 5\n{keys}\n[topology]\nkind = \"chain\"\nhops = 31\n\
             [[flows]]\nkind = \"ftp\"\nsource = 0\ndestination = 31\n"
        )
    };
    let warnings = |keys: &str| network(&text(keys), 1).warnings;
    let expected = |scheme, most| {
        let ends = "flow 0: its ends are 31 hops apart";
        vec![format!("{ends}, and with {scheme} packets go {most} hops at most")]
    };
    assert_eq!(warnings("routing.scheme = \"aodv\""), expected("aodv", 30));
    assert_eq!(warnings("routing.scheme = \"dsr\""), expected("dsr", 16));
    assert!(warnings("profile = \"standard\"\nrouting.scheme = \"aodv\"").is_empty());
}

#[test]
fn a_flow_that_can_never_connect_gives_a_warning() {
    let text =
        format!("{CHAIN}spacing_m = 251\n{FTP}").replace("destination = 4", "destination = 1");
    let network = network(&text, 1);
    assert_eq!(
        network.warnings,
        ["flow 0: node 0 can never reach node 1: no path of links of at most 250.0 m"]
    );
    assert_eq!(network.flows[0].shortest_hops, None);
    let near = self::network(&text.replace("251", "250"), 1);
    assert!(near.warnings.is_empty());
    assert_eq!(near.flows[0].shortest_hops, Some(1));
}

#[test]
fn warnings_speak_of_links_where_metres_mean_nothing() {
    let measured = |scheme: &str, gain_db: f64| {
        let text = format!(
            "duration_s = 5\n[topology]\nkind = \"positions\"\npositions_m = [[0, 0], [9000, 0], [3, 0]]\n\
             [radio]\nreception = \"sinr\"\npropagation = \"measured\"\ntransmit_power_dbm = 20\n\
             gains_db = [[0, 1, {gain_db}], [1, 2, {gain_db}]]\n[mac]\nphy = \"802.11a\"\ndata_rate_bps = 6e6\n\
             coverage_m = 9000\n[routing]\nscheme = \"{scheme}\"\n[[flows]]\nkind = \"ftp\"\nsource = 0\n\
             destination = 2\n"
        );
        let network = network(&text, 1);
        (network.warnings, network.flows[0].shortest_hops)
    };
    // -82 dBm are both the standard's sensitivity at 6 Mbit/s and what is noticed.
    assert_eq!(measured("aodv", -101.9), (vec![], Some(2)));
    let never = "flow 0: node 0 can never reach node 2: no path of links of -82.0 dBm or more";
    assert_eq!(measured("aodv", -102.1), (vec![never.to_owned()], None));
    let links = "duration_s = 5\n[topology]\nkind = \"links\"\nnodes = 3\nlinks = [[0, 1]]\nsensed = [[1, 2]]\n\
                 [[flows]]\nkind = \"ftp\"\nsource = 0\ndestination = 2\n";
    let warning = "flow 0: node 0 can never reach node 2: no path of the links in topology.links";
    assert_eq!(network(links, 1).warnings, [warning]);
}

#[test]
fn hops_follow_links_that_work_one_way_in_their_direction() {
    // 0 -> 1 -> 2 -> 3 and, in the second network, 3 -> 0: the ways back are too weak.
    let hops = |closes: bool, source: u32, destination: u32| {
        let back = if closes { -70 } else { -140 };
        let text = format!(
            "duration_s = 5\n[topology]\nkind = \"grid\"\ncolumns = 2\nrows = 2\nspacing_m = 10\n\
             [radio]\nreception = \"sinr\"\npropagation = \"measured\"\ntransmit_power_dbm = 20\n\
             gains_db = [[0, 1, -70], [1, 0, -140], [1, 2, -70], [2, 1, -140], [2, 3, -70], [3, 2, -140], \
             [3, 0, {back}], [0, 3, -140]]\n[mac]\nphy = \"802.11g\"\n[routing]\nscheme = \"aodv\"\n\
             [[flows]]\nkind = \"ftp\"\nsource = {source}\ndestination = {destination}\n"
        );
        let network = network(&text, 1);
        (network.flows[0].shortest_hops, network.warnings.len())
    };
    assert_eq!([hops(false, 0, 3), hops(false, 3, 0)], [(Some(3), 0), (None, 1)]);
    assert_eq!([hops(false, 1, 2), hops(false, 2, 1)], [(Some(1), 0), (None, 1)]);
    assert_eq!([hops(true, 3, 0), hops(true, 3, 2)], [(Some(1), 0), (Some(3), 0)]);
}

#[test]
fn ends_drawn_by_hops_have_as_many_in_the_direction_of_data_and_a_way_back() {
    // 0 -> 1 -> 2 -> 3 -> 0, or without the last: the ways back over a link are too weak.
    let drawn = |closes: bool, ends: &str| {
        let back = if closes { -70 } else { -140 };
        let text = format!(
            "duration_s = 5\n[topology]\nkind = \"grid\"\ncolumns = 2\nrows = 2\nspacing_m = 10\n\
             [radio]\nreception = \"sinr\"\npropagation = \"measured\"\ntransmit_power_dbm = 20\n\
             gains_db = [[0, 1, -70], [1, 0, -140], [1, 2, -70], [2, 1, -140], [2, 3, -70], [3, 2, -140], \
             [3, 0, {back}], [0, 3, -140]]\n[mac]\nphy = \"802.11g\"\n[routing]\nscheme = \"aodv\"\n\
             [[flows]]\nkind = \"ftp\"\n{ends}\n"
        );
        let network = scenario(&text).network(1).ok()?;
        let flow = &network.flows[0];
        Some((flow.source.0, flow.destination.0, flow.shortest_hops))
    };
    let to_3 = "source = \"random\"\ndestination = 3\nmin_hops = 3\nmax_hops = 3";
    assert_eq!(drawn(true, to_3), Some((0, 3, Some(3))), "from 2 it is one hop");
    let from_0 = "source = 0\ndestination = \"random\"\nmin_hops = 2\nmax_hops = 2";
    assert_eq!(drawn(true, from_0), Some((0, 2, Some(2))));
    assert_eq!(drawn(false, from_0), None, "there is no way back");
}

#[test]
fn links_that_carry_data_below_the_sensitivity_count_as_paths() {
    let text = |scheme: &str| {
        format!(
            "duration_s = 5\n[topology]\nkind = \"positions\"\npositions_m = [[0, 0], [10, 0]]\n\
             [radio]\nreception = \"sinr\"\npropagation = \"measured\"\ntransmit_power_dbm = 20\n\
             gains_db = [[0, 1, -89]]\n[mac]\nphy = \"802.11a\"\ndata_rate_bps = 54e6\n[routing]\n\
             scheme = \"{scheme}\"\n[[flows]]\nkind = \"ftp\"\nsource = 0\ndestination = 1\n"
        )
    };
    // -69 dBm, 25 dB over noise, at a sensitivity of -65 dBm.
    let found = network(&text("aodv"), 1);
    assert_eq!((found.warnings, found.flows[0].shortest_hops), (vec![], Some(1)));
    let planned = network(&text("static"), 1);
    assert!(planned.warnings[0].starts_with("flow 0: routing.scheme \"static\" has no path"));
    assert_eq!(planned.flows[0].shortest_hops, None);
}

#[test]
fn a_flow_with_its_own_transport_keeps_the_common_keys() {
    let text = format!(
        "{CHAIN}[transport]\nsegment_bytes = 512\nrto_min_s = 0.5\n{FTP}{FTP}[flows.transport]\n\
         window_segments = 4\nscheme = \"reno\"\n"
    );
    let scenario = scenario(&text);
    let flows = scenario.network(1).unwrap().flows;
    let Some(common) = &flows[0].tcp else { panic!("not TCP") };
    let Some(own) = &flows[1].tcp else { panic!("not TCP") };
    assert_eq!(common, &scenario.transport);
    let expected = TcpConfig {
        window_segments: 4,
        scheme: crate::transport::Flavour::Reno,
        ..scenario.transport.clone()
    };
    assert_eq!(own, &expected);
    assert_eq!((own.segment_bytes, own.rto_min_s), (512, Some(0.5)));
}
