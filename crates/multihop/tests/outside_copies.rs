//! Rate controls, queues and loss recoveries written outside the engine that do as one of its own
//! does, through the public doors alone: the runs are equal.

use multihop::api::scenario::Scenario;
use multihop::api::simulation::{Recording, Simulation};
use serde_json::Value;

use crate::copies::schemes;

/// The result of `text` with `key` set to `choice`, but for the names of what was chosen.
fn run(text: &str, key: &str, choice: &str, seed: u64) -> Value {
    let overrides = [(key.to_owned(), format!("\"{choice}\""))];
    let scenario = Scenario::with_schemes(&schemes(), text, &overrides).expect("a scenario");
    let simulation = Simulation::new(&scenario, Some(seed), &Recording::default());
    let mut result = serde_json::to_value(simulation.expect("a network").run()).expect("numbers");
    for wall in ["build_s", "wall_s"] {
        result["engine"][wall] = Value::Null;
    }
    result["scenario"] = Value::Null;
    result
}

/// Asserts that runs with `ours` and with `theirs` are equal, and that one with `other` is not.
fn assert_equal(text: &str, key: &str, ours: &str, theirs: &str, other: &str) {
    for seed in [1, 2] {
        let own = run(text, key, ours, seed);
        assert_eq!(own, run(text, key, theirs, seed), "{theirs}, seed {seed}");
        assert_ne!(own, run(text, key, other, seed), "{other}, seed {seed}");
    }
}

/// Six nodes in a chain whose links are good for some of the rates and fail at others, with A-MPDUs
/// if the PHY has them.
fn fading(phy: &str) -> String {
    format!(
        "duration_s = 2\n[topology]\nkind = \"chain\"\nhops = 2\nspacing_m = 60\n\
         [radio]\nreception = \"sinr\"\n[mac]\nphy = \"{phy}\"\n\
         [transport]\nwindow_segments = 60\n\
         [[flows]]\nkind = \"ftp\"\nsource = 0\ndestination = 2\n"
    )
}

#[test]
fn a_rate_control_of_another_crate_can_be_arf() {
    for phy in ["802.11a", "802.11n"] {
        assert_equal(&fading(phy), "mac.rate", "arf", "own-arf", "ideal");
    }
}

#[test]
fn one_that_counts_the_frames_of_a_mpdus_can_be_minstrel() {
    let text = fading("802.11n").replace("[transport]", "streams = 2\n[transport]");
    assert_equal(&text, "mac.rate", "minstrel", "own-minstrel", "arf");
}

/// Flows that meet at a relay, where they wait for longer than they should.
fn crossing(ecn: bool) -> String {
    let flow = |source, destination| {
        format!("[[flows]]\nkind = \"ftp\"\nsource = {source}\ndestination = {destination}\n")
    };
    format!(
        "duration_s = 15\n[topology]\nkind = \"chain\"\nhops = 3\n\
         [transport]\nwindow_segments = 60\necn = {ecn}\n{}{}{}",
        flow(0, 3),
        flow(3, 0),
        flow(0, 2)
    )
}

#[test]
fn a_queue_of_another_crate_can_be_codel() {
    for ecn in [false, true] {
        assert_equal(&crossing(ecn), "link.queue", "codel", "own-codel", "drop-tail");
    }
}

#[test]
fn one_with_a_line_for_each_flow_can_be_fq_codel() {
    assert_equal(&crossing(false), "link.queue", "fq-codel", "own-fq-codel", "codel");
}

/// Two flows that lose segments in short queues.
const LOSSY: &str = "duration_s = 15\n[topology]\nkind = \"chain\"\nhops = 4\n\
                     [mac]\nqueue_packets = 5\n[transport]\nwindow_segments = 40\n\
                     [[flows]]\nkind = \"ftp\"\nsource = 0\ndestination = 4\n\
                     [[flows]]\nkind = \"ftp\"\nsource = 4\ndestination = 0\n";

#[test]
fn a_loss_recovery_of_another_crate_can_be_that_of_rfc_6675() {
    assert_equal(LOSSY, "transport.recovery.scheme", "sack", "own-sack", "rack-tlp");
}

#[test]
fn one_that_uses_probes_can_be_rack() {
    assert_equal(LOSSY, "transport.recovery.scheme", "rack-tlp", "own-rack", "sack");
}
