//! COPAS in whole networks, and its paper's statements about backoffs.

use crate::common::run;
use multihop::routing::copas::CopasCounters;
use multihop::scenario::Scenario;
use multihop::schemes::Schemes;
use multihop::simulation::{Recording, RunResult, Simulation};

/// 50 nodes in a square kilometre with `flows` connections between random nodes, under `scheme`.
fn square(scheme: &str, more: &[(&str, &str)], flows: u32, seed: u64) -> RunResult {
    let text = format!(
        "duration_s = 30\n[topology]\nkind = \"random\"\nnodes = 50\narea_m = [1000, 1000]\n\
         [[flows]]\nkind = \"ftp\"\nsource = \"random\"\ndestination = \"random\"\n\
         count = {flows}\nstart_spacing_s = 1\n"
    );
    let mut overrides = Schemes::standard().overrides(scheme).expect("a scheme");
    overrides.extend(more.iter().map(|&(key, value)| (key.to_owned(), value.to_owned())));
    let scenario = Scenario::from_toml(&text, &overrides).expect("a valid scenario");
    Simulation::new(&scenario, Some(seed), &Recording::default()).expect("a network").run()
}

/// COPAS's counters, if the scheme is COPAS.
fn copas(result: &RunResult) -> Option<CopasCounters> {
    result.scheme("copas")
}

#[test]
fn data_avoids_a_contended_middle_as_in_figure_2() {
    let file = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../python/multihop/scenarios/contended-middle.toml"
    );
    let text = std::fs::read_to_string(file).expect("the scenario");
    let relays_of_data = |set: &[(&str, &str)]| {
        let set: Vec<_> = set.iter().map(|&(key, value)| (key.into(), value.into())).collect();
        let scenario = Scenario::from_toml(&text, &set).expect("a valid scenario");
        let recording = Recording { links: true, ..Recording::default() };
        let result = Simulation::new(&scenario, Some(2), &recording).expect("a network").run();
        let mut relays: Vec<u32> =
            result.links.iter().filter(|l| l.flow == 0 && l.from != 0).map(|l| l.from).collect();
        relays.sort_unstable();
        (relays, copas(&result))
    };
    let (relays, copas) = relays_of_data(&[("duration_s", "20")]);
    assert!(relays == [1, 2, 3] || relays == [6, 7, 8], "{relays:?}");
    let copas = copas.expect("COPAS's counters");
    // Nodes 4 and 5 request each other at the same time, and one request serves both.
    assert_eq!((copas.pairs_chosen, copas.single_paths_chosen), (1, 1));
    let dsr = [("duration_s", "20"), ("routing", "{scheme = \"dsr\", flow_state = false}")];
    assert!(relays_of_data(&dsr).0.starts_with(&[4, 5]), "DSR takes the shortest");
}

#[test]
fn each_choice_can_be_recorded() {
    let file = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../python/multihop/scenarios/contended-middle.toml"
    );
    let text = std::fs::read_to_string(file).expect("the scenario");
    let scenario = Scenario::from_toml(&text, &[]).expect("a valid scenario");
    let with = |paths| {
        let recording = Recording { paths, ..Recording::default() };
        let result = Simulation::new(&scenario, Some(2), &recording).expect("a network").run();
        let counters = copas(&result).expect("COPAS's counters");
        (result.engine.fingerprint, counters)
    };
    let (fingerprint, copas) = with(true);
    let (asked, replacing): (Vec<_>, Vec<_>) = copas.choices.iter().partition(|c| !c.replaces);
    assert_eq!(asked.len() as u64, copas.pairs_chosen + copas.single_paths_chosen);
    let taken = replacing.iter().filter(|c| c.forward.or(c.reverse).is_some());
    assert_eq!(taken.count() as u64, copas.replacements);
    assert!(replacing.len() as u64 >= copas.replacements + copas.replacements_refused);
    assert!(copas.choices.is_sorted_by(|one, next| one.time_s <= next.time_s));
    let of_ends = asked.iter().find(|c| c.originator == 0).expect("node 0 asked for node 9");
    let taken: Vec<f32> = [of_ends.forward, of_ends.reverse]
        .iter()
        .map(|place| of_ends.candidates[place.expect("two paths")].contention.iter().sum())
        .collect();
    for candidate in &of_ends.candidates {
        assert_eq!((candidate.path[0], candidate.path.last()), (0, Some(&9)));
        assert_eq!(candidate.contention.len(), candidate.path.len() - 2);
        let middle = candidate.path == [0, 4, 5, 9];
        let sum: f32 = candidate.contention.iter().sum();
        assert!(!middle || taken.iter().all(|&other| other < sum), "the middle is avoided");
    }
    let (unrecorded, without) = with(false);
    assert_eq!((unrecorded, without.choices), (fingerprint, Vec::new()));
}

#[test]
fn a_discovery_gets_one_or_two_replies_and_a_replacement_none() {
    let mut two_paths_s = 0.0;
    for seed in 1..=3 {
        let result = square("copas", &[], 5, seed);
        let copas = copas(&result).expect("COPAS's counters");
        let answers = 2 * copas.pairs_chosen + copas.single_paths_chosen;
        // A reply is repeated if its first link breaks.
        let again = result.routing.replies_originated - answers;
        assert!(again <= answers / 10, "{again} beyond {answers}");
        assert!(copas.pairs_chosen > 0, "{copas:?}");
        two_paths_s += copas.two_paths_s;
        assert!(copas.two_paths_s + copas.no_path_s <= copas.connection_s);
        assert!(result.flows.iter().map(|flow| flow.delivered_segments).sum::<u64>() > 200);
    }
    assert!(two_paths_s > 5.0, "{two_paths_s}");
}

#[test]
fn dsr_sends_more_than_two_replies_and_even_more_from_caches() {
    let replies = |scheme, more: &[(&str, &str)]| {
        let routing = square(scheme, more, 5, 1).routing;
        routing.replies_originated as f64 / routing.requests_originated as f64
    };
    let [cached, uncached, copas] = [
        replies("dsr", &[]),
        replies("dsr", &[("routing.cached_replies", "none")]),
        replies("copas", &[]),
    ];
    assert!(uncached > copas, "{uncached} against {copas}");
    assert!(cached > copas, "{cached} against {copas}");
}

#[test]
fn paths_are_replaced_while_connections_run_by_default() {
    let replacements = |scheme: &str| -> u64 {
        let of = |seed| copas(&square(scheme, &[], 5, seed)).expect("COPAS's counters");
        (1..=3).map(|seed| of(seed).replacements).sum()
    };
    assert!(replacements("copas") >= 1);
    assert!(replacements("copas-common-path") >= 1);
    assert_eq!(replacements("copas-no-replacement"), 0);
    assert_eq!(replacements("copas-contention-blind"), 0);
}

#[test]
fn a_common_path_carries_data_and_acknowledgments() {
    let result = square("copas-common-path", &[], 5, 1);
    let copas = copas(&result).expect("COPAS's counters");
    assert_eq!(copas.pairs_chosen, 0);
    assert!(copas.single_paths_chosen > 0);
}

/// Eight nodes, 200 m apart on a ring; a connection half way round has two disjoint paths.
fn ring(sense_range_m: f64) -> RunResult {
    let radius = 100.0 / (std::f64::consts::PI / 8.0).sin();
    let place = |i: i32| {
        let angle = f64::from(i) * std::f64::consts::PI / 4.0;
        format!("[{:.3}, {:.3}]", radius * (1.0 + angle.cos()), radius * (1.0 + angle.sin()))
    };
    let places: Vec<_> = (0..8).map(place).collect();
    let text = format!(
        "duration_s = 60\n[topology]\nkind = \"positions\"\npositions_m = [{}]\n\
         [radio]\nsense_range_m = {sense_range_m}\n\
         [[flows]]\nkind = \"ftp\"\nsource = 0\ndestination = 4\n",
        places.join(", ")
    );
    let overrides = Schemes::standard().overrides("copas").expect("a scheme");
    let scenario = Scenario::from_toml(&text, &overrides).expect("a valid scenario");
    Simulation::new(&scenario, Some(1), &Recording::default()).expect("a network").run()
}

#[test]
fn both_paths_of_a_ring_last_unless_hidden_nodes_make_links_seem_broken() {
    let share = |result: &RunResult| {
        let copas = copas(result).expect("COPAS's counters");
        copas.two_paths_s / copas.connection_s
    };
    let sensed = ring(550.0);
    assert_eq!(sensed.routing.link_failures, 0);
    assert!(share(&sensed) > 0.95, "{}", share(&sensed));
    let hidden = ring(250.0);
    assert!(hidden.routing.link_failures > 30, "{}", hidden.routing.link_failures);
    assert!(share(&hidden) < 0.2, "{}", share(&hidden));
}

#[test]
fn bytes_that_relays_add_to_packets_are_counted() {
    let text = |scheme: &str| {
        format!(
            "duration_s = 10\n[topology]\nkind = \"chain\"\nhops = 3\n[routing]\n{scheme}\n\
             [[flows]]\nkind = \"cbr\"\nsource = 0\ndestination = 3\nstart_s = 5\n\
             packet_bytes = 512\nrate_bps = 4096\n"
        )
    };
    let copas = run(&text("scheme = \"copas\""), 1, &Recording::default());
    // Four bytes on the second link, eight on the third.
    let received = copas.flows[0].received_packets.expect("a CBR flow");
    assert!(received >= 4);
    assert_eq!(copas.routing.piggyback_bytes, 12 * received);
    let dsr = run(&text("scheme = \"dsr\""), 1, &Recording::default());
    assert_eq!(dsr.routing.piggyback_bytes, 0);
    assert_eq!(dsr.schemes.get("copas"), None);
}

/// Two pairs of neighbours, each with a CBR flow; the second pair is `gap_m` away from the first.
fn two_pairs(gap_m: f64) -> RunResult {
    let [third, fourth] = [200.0 + gap_m, 400.0 + gap_m];
    let text = format!(
        "duration_s = 20\n[topology]\nkind = \"positions\"\n\
         positions_m = [[0, 0], [200, 0], [{third}, 0], [{fourth}, 0]]\n\
         [routing]\nscheme = \"static\"\n[link]\narp = false\n\
         [[flows]]\nkind = \"cbr\"\nsource = 0\ndestination = 1\npacket_bytes = 512\n\
         rate_bps = 2e5\n\
         [[flows]]\nkind = \"cbr\"\nsource = 2\ndestination = 3\npacket_bytes = 512\n\
         rate_bps = 1.9e5\n"
    );
    run(&text, 1, &Recording::default())
}

#[test]
fn a_node_backs_off_for_one_that_it_senses_but_cannot_decode() {
    // Node 2 is 500 m from node 0, or out of sensing range.
    let near = two_pairs(300.0).mac;
    let far = two_pairs(90_000.0).mac;
    assert!(near.backoffs_busy > 50, "{near:?}");
    assert_eq!((far.backoffs_busy, far.backoffs_retry, far.backoff_freezes), (0, 0, 0));
}

#[test]
fn every_backoff_has_one_cause() {
    let mac = square("dsr", &[], 3, 1).mac;
    let sum = mac.backoffs_busy + mac.backoffs_retry + mac.backoffs_post + mac.backoffs_idle;
    assert_eq!(sum, mac.backoffs);
    assert!([mac.backoffs_busy, mac.backoffs_retry, mac.backoffs_post].iter().all(|&n| n > 100));
    // A lone sender finds the medium idle, and backs off after each packet.
    let far = two_pairs(90_000.0).mac;
    assert!(far.backoffs_idle > 500 && far.backoffs_idle.abs_diff(far.backoffs_post) <= 2);
}
