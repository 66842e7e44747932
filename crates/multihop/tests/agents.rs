//! Agents: policies of a scenario, and the same decisions from outside.

use crate::common::run;
use multihop::agents::Of;
use multihop::kernel::{Duration, Instant};
use multihop::scenario::Scenario;
use multihop::simulation::{Recording, Simulation, Steering};

const CHAIN: &str = "duration_s = 5\n[topology]\nkind = \"chain\"\nhops = 4\n\
                     [transport]\nwindow_segments = 32\n\
                     [[flows]]\nkind = \"ftp\"\nsource = 0\ndestination = 4\n";

/// The chain with agents of `of` that set `sets` by what `observes` says and this bias.
fn with_agents(of: &str, observes: &str, sets: &str, bias: f64) -> String {
    format!(
        "{CHAIN}[[agents]]\nof = \"{of}\"\nevery_s = 0.3\nobserves = [\"{observes}\"]\n\
         sets = [\"{sets}\"]\n[[agents.layers]]\nweights = [[1.5]]\nbiases = [{bias:?}]\n"
    )
}

#[test]
fn a_policy_decides_as_whoever_keeps_the_time_would() {
    for (of, observes, sets, bias) in [
        (Of::Flow, "smoothed_rtt_s", "pacing_s", -0.5),
        (Of::Flow, "acked_per_s", "window_segments", -0.5),
        (Of::Flow, "hops", "cwnd_segments", -0.5),
        (Of::Node, "queue_packets", "least_window_slots", -0.5),
        (Of::Node, "sending_share", "queue_packets", -3.0),
    ] {
        let text = with_agents(of.name(), observes, sets, bias);
        let within = run(&text, 1, &Recording::default());
        let scenario = Scenario::from_toml(CHAIN, &[]).expect("a scenario");
        let recording = Recording::default();
        let mut simulation = Simulation::new(&scenario, Some(1), &recording).expect("a network");
        let names = (&[observes.to_owned()][..], &[sets.to_owned()][..]);
        let mut steering = Steering::new(&simulation, of, None, names).expect("agents");
        let (mut at, every) = (Instant::ZERO, Duration::from_millis(300));
        loop {
            at += every;
            simulation.run_until(at);
            if simulation.now() >= simulation.end() {
                break;
            }
            let mut observed = Vec::new();
            steering.observe(&simulation, &mut observed, &mut Vec::new());
            let decide = |share: f32| (1.5 * f64::from(share) + bias).clamp(-1.0, 1.0) as f32;
            let wanted: Vec<f32> = observed.into_iter().map(decide).collect();
            steering.set(&mut simulation, &wanted);
        }
        let outside = simulation.result();
        assert_eq!(within.engine.fingerprint, outside.engine.fingerprint, "{observes}, {sets}");
        let plain = run(CHAIN, 1, &Recording::default());
        assert_ne!(within.engine.fingerprint, plain.engine.fingerprint, "{observes}, {sets}");
    }
}

#[test]
fn whoever_keeps_the_time_hears_of_the_next_decision() {
    let text = with_agents("flow", "hops", "pacing_s", 0.0).replace("0.3", "1e-6");
    let scenario = Scenario::from_toml(&text, &[]).expect("a scenario");
    let mut simulation =
        Simulation::new(&scenario, None, &Recording::default()).expect("a network");
    let at = |micros: u64| Instant::from_nanos(1000 * micros);
    simulation.run_until(at(2));
    assert_eq!(simulation.next_event_at(), at(3));
}

#[test]
fn agents_that_cannot_be_are_refused_by_name() {
    let fault = |text: &str| match Scenario::from_toml(text, &[]) {
        Err(error) => error.to_string(),
        Ok(scenario) => {
            let built = Simulation::new(&scenario, None, &Recording::default());
            built.map(|_| ()).unwrap_err().to_string()
        }
    };
    let right = with_agents("flow", "hops", "pacing_s", -0.5);
    let only = right.replace("of = \"flow\"", "of = \"flow\"\nonly = [1]");
    let said = "agents.0.only: must be different flows, 0 to 0 (got 1)";
    assert_eq!(fault(&only), said);
    let said = "line 13: agents.0.every_s: must be 0.000001 to 1000000 (got 0)";
    assert_eq!(fault(&right.replace("0.3", "0.0")), said);
    let wide = right.replace("[[1.5]]", "[[1.5, 2.0]]");
    assert!(fault(&wide).ends_with("layers.0.weights: must be rows of 1 numbers (got 2)"));
    let semi = right.replace("[transport]", "[transport]\nscheme = \"semi-tcp\"");
    let semi = semi.replace("[[flows]]", "[mac]\nscheme = \"semi-tcp\"\n[[flows]]");
    let said = "must be flows whose sender has a congestion window (flow 0 has none)";
    assert!(fault(&semi).ends_with(said), "{}", fault(&semi));
    let twice = format!("{right}[[agents]]\npolicy = \"pace\"\n");
    let said = "agents.1.sets: \"pacing_s\" of flow 0 is set by agents.0 already";
    assert_eq!(fault(&twice), said);
}

#[test]
fn a_policy_comes_along_or_is_a_file_or_stands_there() {
    for (table, said) in [
        ("policy = \"pace\"\nfile = \"pace.json\"", ": must have one of `policy`"),
        ("only = [0]", ": must have a `policy`"),
        ("policy = \"pace\"\nsets = []", "0.sets: may not stand beside `policy`; allowed: only, "),
        (
            "file = \"a.json\"\nlayers = []",
            "0.layers: may not stand beside `file`; allowed: only, ",
        ),
        ("policy = \"pace\"\nevry_s = 1", "0.evry_s: unknown key; did you mean `every_s`?"),
    ] {
        let text = format!("{CHAIN}[[agents]]\n{table}\n");
        let error = Scenario::from_toml(&text, &[]).expect_err(table).to_string();
        assert!(error.contains(said), "{error}");
    }
}

#[test]
fn flows_without_a_window_go_their_own_way_unless_named() {
    let datagrams = "[[flows]]\nkind = \"cbr\"\nsource = 4\ndestination = 0\n\
                     packet_bytes = 100\nrate_bps = 8000\n";
    let scenario = Scenario::from_toml(&format!("{CHAIN}{datagrams}"), &[]).expect("a scenario");
    let simulation = Simulation::new(&scenario, None, &Recording::default()).expect("a network");
    let names = (&["hops".to_owned()][..], &["pacing_s".to_owned()][..]);
    let all = Steering::new(&simulation, Of::Flow, None, names).expect("agents");
    assert_eq!(all.numbers().collect::<Vec<_>>(), [0]);
    let named = Steering::new(&simulation, Of::Flow, Some(&[0, 1]), names);
    assert!(named.unwrap_err().to_string().contains("(flow 1 has none)"));
}

#[test]
fn a_run_by_decisions_is_the_run() {
    let scenario = Scenario::from_toml(CHAIN, &[]).expect("a scenario");
    let new = || Simulation::new(&scenario, Some(2), &Recording::default()).expect("a network");
    let mut stepped = new();
    let names = (&["hops".to_owned()][..], &["pacing_s".to_owned()][..]);
    let steering = Steering::new(&stepped, Of::Flow, None, names).expect("agents");
    let mut decisions = 0;
    while stepped.now() < stepped.end() {
        stepped.run_until_decision(&steering, stepped.end());
        decisions += 1;
    }
    let whole = new().run();
    let stepped = stepped.result();
    assert_eq!(whole.engine.fingerprint, stepped.engine.fingerprint);
    // The SYN's acknowledgment too, and the end. One may acknowledge several, and duplicates do not
    // decide.
    let acked = whole.flows[0].acked_segments.expect("a TCP flow");
    assert!(decisions <= acked + 2 && decisions * 2 > acked, "{decisions} of {acked}");
}

/// Nodes 0 and 3, with 1 and 2 between them, which hear each other.
const DIAMOND: &str = "duration_s = 5\n[topology]\nkind = \"positions\"\n\
                       positions_m = [[0, 0], [150, 100], [150, -100], [300, 0]]\n\
                       [routing]\nscheme = \"static\"\n\
                       [[flows]]\nkind = \"ftp\"\nsource = 0\ndestination = 3\n";

/// What neighbours have acknowledged of each node of the diamond, as shares of a range, when the
/// `nodes` send by their next hop at `place`, and the receiver's bytes.
fn by_next_hop(nodes: &[u32], place: f32) -> (Vec<f32>, u64) {
    let scenario = Scenario::from_toml(DIAMOND, &[]).expect("a scenario");
    let mut simulation =
        Simulation::new(&scenario, Some(1), &Recording::default()).expect("a network");
    let delivered = &["delivered_bps".to_owned()][..];
    let names = (delivered, &["next_hop".to_owned()][..]);
    let mut chosen = Steering::new(&simulation, Of::Node, Some(nodes), names).expect("agents");
    chosen.set(&mut simulation, &vec![2.0 * place / 7.0 - 1.0; nodes.len()]);
    let names = (delivered, &["queue_packets".to_owned()][..]);
    let mut all = Steering::new(&simulation, Of::Node, None, names).expect("agents");
    simulation.run_until(simulation.end());
    let mut observed = Vec::new();
    all.observe(&simulation, &mut observed, &mut Vec::new());
    (observed, simulation.result().flows[0].delivered_bytes)
}

#[test]
fn packets_go_to_the_next_hop_that_an_agent_chooses() {
    let (first, got) = by_next_hop(&[0, 3], 0.0);
    let (second, got_by_other) = by_next_hop(&[0, 3], 1.0);
    assert!(first[1] > 0.3 && first[2] == 0.0, "{first:?}");
    assert!(second[2] > 0.3 && second[1] == 0.0, "{second:?}");
    assert!(got > 100_000 && got_by_other > 100_000);
    // There are two: the last stands for all beyond.
    assert_eq!(by_next_hop(&[0, 3], 7.0).0, second);
}

#[test]
fn a_circle_of_next_hops_ends_with_the_time_to_live() {
    // No payload follows a SYN that never arrives.
    assert_eq!(by_next_hop(&[1, 2], 1.0), (vec![0.0; 4], 0));
}

#[test]
fn next_hops_can_be_set_only_where_they_are_static() {
    let fault = |text: &str| {
        let scenario = Scenario::from_toml(text, &[]).expect("a scenario");
        let built = Simulation::new(&scenario, None, &Recording::default());
        built.map(|_| ()).unwrap_err().to_string()
    };
    let text = with_agents("node", "queue_packets", "next_hop", 0.0);
    let said = "agents.0.sets: \"next_hop\" needs routing.scheme \"static\", nodes that do not \
                move, one interface each";
    assert_eq!(fault(&text), said);
}

#[test]
fn a_policy_that_comes_along_is_named() {
    let named = |more: &str| format!("{CHAIN}[[agents]]\n{more}\n");
    let run_of = |more: &str| run(&named(more), 1, &Recording::default()).engine.fingerprint;
    let plain = run(CHAIN, 1, &Recording::default()).engine.fingerprint;
    assert_ne!(run_of("policy = \"pace\""), plain);
    assert_ne!(run_of("policy = \"pace\""), run_of("policy = \"pace\"\nevery_s = 2"));
    let fault = |more: &str| Scenario::from_toml(&named(more), &[]).unwrap_err().to_string();
    let said = "line 12: agents.0.policy: must be one of \"pace\", \"pace-chains\", \"slots\" \
                (got \"peace\")";
    assert_eq!(fault("policy = \"peace\""), said);
    let said = "line 12: agents.0.policy: must be a name";
    assert_eq!(fault("policy = 3"), said);
    assert!(
        fault("policy = \"pace\"\nlayers = []")
            .contains("agents.0.layers: may not stand beside `policy`")
    );
}
