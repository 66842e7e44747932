//! Queue managements, loss recoveries and rate controls from outside the engine: what another crate
//! writes to add its own.

use multihop::api::kernel::{Duration, Instant, Rng};
use multihop::api::link::{self, Backlog, QueueRule, Verdict};
use multihop::api::mac::rates::{self, RateRule};
use multihop::api::scenario::{Error, Scenario};
use multihop::api::schemes::{Schemes, choices};
use multihop::api::simulation::{Recording, Simulation};
use multihop::api::transport::sack::{self, Circumstances, Detected, LossDetection, Scoreboard};
use multihop::api::wire::Packet;
use serde_json::Value;

/// Drops or marks what arrives behind so many packets.
#[derive(Debug)]
struct Short(usize, Verdict);

impl QueueRule for Short {
    fn on_arrival(&mut self, _: Instant, _: &Packet, backlog: Backlog) -> Verdict {
        if backlog.packets >= self.0 { self.1 } else { Verdict::Pass }
    }
}

/// Drops what has waited too long.
#[derive(Debug)]
struct Stale(Duration);

impl QueueRule for Stale {
    fn on_departure(&mut self, _: Instant, _: &Packet, waited: Duration, _: Backlog) -> Verdict {
        if waited > self.0 { Verdict::Drop } else { Verdict::Pass }
    }
}

/// A segment is lost once so many behind it have arrived, and its retransmission never.
#[derive(Debug)]
struct Behind(usize);

impl LossDetection for Behind {
    fn detect(&mut self, board: &Scoreboard, _: Circumstances) -> Detected {
        let arrived: Vec<u32> =
            board.iter().filter(|(_, segment)| segment.sacked).map(|(number, _)| number).collect();
        let is_lost =
            |number: u32| arrived.iter().filter(|&&other| other > number).count() >= self.0;
        let missing = board.iter().filter(|(_, segment)| !segment.sacked && !segment.retransmitted);
        let lost = missing.map(|(number, _)| number).filter(|&number| is_lost(number)).collect();
        Detected { lost, ..Detected::default() }
    }
}

/// Always the slowest rate.
#[derive(Debug)]
struct Slowest;

impl RateRule for Slowest {
    fn first(&mut self, _: Instant, _: &mut Rng) -> usize {
        0
    }

    fn again(&mut self) -> usize {
        0
    }

    fn on_result(&mut self, _: usize, _: bool) {}
}

fn schemes() -> Schemes {
    let queue =
        |name, most, verdict| link::Outside::new(name, move |_| Box::new(Short(most, verdict)));
    let stale = link::Outside::new("stale", |_| Box::new(Stale(Duration::from_millis(50))));
    let recovery = |name, behind| sack::Outside::new(name, move || Box::new(Behind(behind)));
    Schemes::standard()
        .with_queue(queue("endless", usize::MAX, Verdict::Drop))
        .with_queue(queue("short", 2, Verdict::Drop))
        .with_queue(queue("marking", 2, Verdict::Mark))
        .with_queue(stale)
        .with_loss_recovery(recovery("behind-three", 3))
        .with_loss_recovery(recovery("never", usize::MAX))
        .with_rate_control(rates::Outside::new("slowest", |_| Box::new(Slowest)))
}

/// Two flows that meet at a relay, with queues that fill.
const CROSS: &str = "duration_s = 20\n[topology]\nkind = \"chain\"\nhops = 4\n\
                     [transport]\nwindow_segments = 40\nrecovery.scheme = \"sack\"\n\
                     [[flows]]\nkind = \"ftp\"\nsource = 0\ndestination = 4\n\
                     [[flows]]\nkind = \"ftp\"\nsource = 4\ndestination = 0\n";

fn read(overrides: &[(&str, &str)]) -> Result<Scenario, Error> {
    let overrides: Vec<(String, String)> =
        overrides.iter().map(|&(key, value)| (key.to_owned(), value.to_owned())).collect();
    Scenario::with_schemes(&schemes(), CROSS, &overrides)
}

fn run(overrides: &[(&str, &str)]) -> Value {
    let scenario = read(overrides).unwrap();
    let simulation = Simulation::new(&scenario, Some(1), &Recording::default()).expect("a network");
    serde_json::to_value(simulation.run()).expect("numbers")
}

fn sum(result: &Value, key: &str) -> u64 {
    let flows = result["flows"].as_array().expect("flows");
    flows.iter().filter_map(|flow| flow[key].as_u64()).sum()
}

#[test]
fn a_queue_without_a_rule_is_codels_that_never_drops() {
    let patient = run(&[
        ("link.queue", "codel"),
        ("link.codel.target_s", "60"),
        ("link.codel.interval_s", "60"),
    ]);
    let endless = run(&[("link.queue", "endless")]);
    assert_eq!(endless["engine"]["fingerprint"], patient["engine"]["fingerprint"]);
    assert_eq!(endless["queue"], patient["queue"]);
}

#[test]
fn a_queue_drops_and_marks_what_its_rule_says() {
    let managed = |result: &Value, key: &str| result["queue"][key].as_u64().expect("a count");
    let endless = run(&[("link.queue", "endless")]);
    assert_eq!(managed(&endless, "codel_drops"), 0);
    for queue in ["short", "stale"] {
        let dropping = run(&[("link.queue", queue)]);
        assert!(managed(&dropping, "codel_drops") > 0, "{queue}");
        assert_eq!(managed(&dropping, "ecn_marks"), 0, "{queue}");
    }
    let marking = run(&[("link.queue", "marking"), ("transport.ecn", "true")]);
    assert!(managed(&marking, "ecn_marks") > 0);
    assert!(sum(&marking, "ecn_reductions") > 0, "{}", marking["flows"]);
}

#[test]
fn losses_are_what_the_rule_says() {
    let recovery = |name| {
        let result = run(&[("transport.recovery.scheme", name), ("mac.queue_packets", "5")]);
        (sum(&result, "fast_retransmits"), sum(&result, "timeouts"))
    };
    assert_eq!(recovery("never").0, 0);
    assert!(recovery("never").1 > 0);
    assert!(recovery("behind-three").0 > 0);
}

#[test]
fn frames_go_at_the_rate_that_the_rule_says() {
    let keys =
        [("mac.phy", "802.11g"), ("mac.data_rate_bps", "54e6"), ("mac.basic_rate_bps", "6e6")];
    let run_with = |rate| run(&[&keys[..], &[("mac.rate", rate)]].concat());
    let slowest = run_with("slowest");
    assert!(sum(&slowest, "delivered_bytes") > 0);
    let fixed =
        run(&[("mac.phy", "802.11g"), ("mac.data_rate_bps", "6e6"), ("mac.basic_rate_bps", "6e6")]);
    assert_eq!(slowest["flows"][0]["delivered_bytes"], fixed["flows"][0]["delivered_bytes"]);
}

#[test]
fn a_scenario_tells_what_it_chooses() {
    let text = "[mac]\nrate = \"slowest\"\n[link]\nqueue = \"short\"\n[[flows]]\nkind = \"ftp\"\n\
                [flows.transport.recovery]\nscheme = \"never\"\n";
    let document = multihop::api::config::document::Document::from_toml(text).expect("TOML");
    let chosen: Vec<_> = choices(&document);
    for (key, name) in
        [("mac.rate", "slowest"), ("link.queue", "short"), ("transport.recovery.scheme", "never")]
    {
        assert!(chosen.contains(&(key, name.to_owned())), "{chosen:?}");
        assert!(schemes().names().contains(&(key, name)), "{key}");
    }
    assert_eq!(chosen.len(), 3);
}

#[test]
fn the_schema_and_the_faults_know_them() {
    let schema = multihop::api::scenario::schema(&schemes());
    for (definition, name) in
        [("QueueDiscipline", "short"), ("RecoveryScheme", "never"), ("RateChoice", "slowest")]
    {
        let choices = schema["$defs"][definition]["oneOf"].as_array().expect("a choice");
        assert!(choices.iter().any(|choice| choice["const"] == name), "{definition}: {choices:?}");
    }
    let fault = |key, name| read(&[(key, name)]).unwrap_err().to_string();
    for (key, last) in
        [("link.queue", "stale"), ("transport.recovery.scheme", "never"), ("mac.rate", "slowest")]
    {
        let fault = fault(key, "nothing");
        assert!(fault.starts_with(&format!("{key}: must be one of ")), "{fault}");
        assert!(fault.ends_with(&format!("\"{last}\" (got \"nothing\")")), "{fault}");
    }
}
