//! What parts of a stack from outside the engine count stands in the result, by their names.

use std::sync::atomic::{AtomicU64, Ordering};

use multihop::api::kernel::{Duration, Instant, Rng};
use multihop::api::link::{self, Backlog, QueueRule, Verdict};
use multihop::api::mac::rates::{self, RateRule};
use multihop::api::measure::Counts;
use multihop::api::routing::{Context, aodv, dsr};
use multihop::api::scenario::Scenario;
use multihop::api::schemes::{OutsidePolicy, Schemes};
use multihop::api::simulation::{Recording, Simulation};
use multihop::api::transport::congestion::{self, Ack, CongestionControl, Loss, Window};
use multihop::api::transport::link_failure::{self, LinkFailureReaction};
use multihop::api::transport::sack::{self, Circumstances, Detected, LossDetection, Scoreboard};
use multihop::api::transport::{Acknowledgment, LinkFailureCounters};
use multihop::api::wire::Packet;
use multihop::api::wire::aodv::Request;
use multihop::api::wire::dsr::{Direction, Path};
use serde_json::{Value, json};

/// The slowest rate, and how often it failed.
#[derive(Debug, Default)]
struct Slowest {
    frames: u64,
}

impl RateRule for Slowest {
    fn first(&mut self, _: Instant, _: &mut Rng) -> usize {
        0
    }

    fn again(&mut self) -> usize {
        0
    }

    fn on_result(&mut self, _: usize, _: bool) {
        self.frames += 1;
    }

    fn report(&self, counts: &mut Counts) {
        counts.add("frames", self.frames);
    }
}

/// A queue that drops what has waited too long.
#[derive(Debug, Default)]
struct Stale {
    drops: u64,
}

impl QueueRule for Stale {
    fn on_departure(&mut self, _: Instant, _: &Packet, waited: Duration, _: Backlog) -> Verdict {
        if waited < Duration::from_millis(50) {
            return Verdict::Pass;
        }
        self.drops += 1;
        Verdict::Drop
    }

    fn report(&self, counts: &mut Counts) {
        counts.add("stale", self.drops);
    }
}

/// A loss detection that waits for the timer.
#[derive(Debug, Default)]
struct Patient {
    timeouts: u64,
}

impl LossDetection for Patient {
    fn detect(&mut self, _: &Scoreboard, _: Circumstances) -> Detected {
        Detected::default()
    }

    fn on_timeout(&mut self, board: &Scoreboard, _: Circumstances) -> Vec<u32> {
        self.timeouts += 1;
        (board.first()..board.end()).collect()
    }

    fn report(&self, counts: &mut Counts) {
        counts.add("timeouts", self.timeouts);
    }
}

/// A window that only a timeout changes.
#[derive(Debug, Default)]
struct Steady {
    timeouts: u64,
}

impl CongestionControl for Steady {
    fn on_ack(&mut self, window: &mut Window, _: &Ack) {
        window.cwnd = 8.0;
    }

    fn on_loss(&mut self, _: &mut Window, _: &Loss) {}

    fn on_timeout(&mut self, window: &mut Window, _: &Loss) {
        self.timeouts += 1;
        window.cwnd = 1.0;
    }

    fn report(&self, counts: &mut Counts) {
        counts.add("timeouts", self.timeouts);
    }
}

/// A reaction to broken routes, and how often it had to be.
#[derive(Debug, Default)]
struct Reaction {
    times: AtomicU64,
}

impl LinkFailureReaction for Reaction {
    fn probe_interval(&self, _: Duration) -> Duration {
        Duration::from_millis(500)
    }

    fn marks_probes(&self) -> bool {
        false
    }

    fn ends_with(&self, _: &Acknowledgment) -> bool {
        true
    }

    fn count(&self, counters: &mut LinkFailureCounters) {
        self.times.fetch_add(1, Ordering::Relaxed);
        counters.freezes += 1;
    }

    fn timer_afterwards(&self, _: Duration, rto: Duration) -> Duration {
        rto
    }

    fn report(&self, counts: &mut Counts) {
        counts.add("times", self.times.load(Ordering::Relaxed));
    }
}

/// AODV, and how many requests it originates.
#[derive(Debug, Default)]
struct Asking {
    requests: u64,
}

impl aodv::Policy for Asking {
    fn originate(&mut self, _: &mut Context, _: &mut Request) {
        self.requests += 1;
    }

    fn report(&self, counts: &mut Counts) {
        counts.add("requests", self.requests);
    }
}

/// DSR, and how many paths its replies bring.
#[derive(Debug, Default)]
struct Told {
    paths: u64,
}

impl dsr::Policy for Told {
    fn on_reply(&mut self, _: Instant, _: &Path, _: Option<Direction>, _: &[f32]) {
        self.paths += 1;
    }

    fn report(&self, counts: &mut Counts) {
        counts.add("paths", self.paths);
    }
}

/// The policies above.
fn find(name: &str) -> Option<Result<OutsidePolicy, String>> {
    let asking = |name| aodv::OutsidePolicy::new(name, |_, _| Box::new(Asking::default()));
    let told = |name| dsr::OutsidePolicy::new(name, |_, _| Box::new(Told::default()));
    match name {
        "asking" => Some(Ok(OutsidePolicy::Aodv(asking(name)))),
        "told" => Some(Ok(OutsidePolicy::Dsr(told(name)))),
        _ => None,
    }
}

/// The result with these keys.
fn run_with(keys: &[(&str, &str)]) -> Value {
    let overrides: Vec<_> =
        keys.iter().map(|&(key, value)| (key.to_owned(), value.to_owned())).collect();
    let schemes = Schemes::standard().finding_policies(find);
    let scenario = Scenario::with_schemes(&schemes, CHAIN, &overrides).expect("a scenario");
    let simulation = Simulation::new(&scenario, Some(1), &Recording::default()).expect("nodes");
    serde_json::to_value(simulation.run()).expect("numbers")
}

#[test]
fn policies_count_for_all_nodes_together() {
    let result = run_with(&[("routing.scheme", "\"asking\"")]);
    let requests = &result["routing"]["requests_originated"];
    assert!(requests.as_u64() > Some(1), "{requests}");
    assert_eq!(result["schemes"], json!({ "asking": { "requests": requests } }));
    let result = run_with(&[("routing.scheme", "\"told\"")]);
    assert!(result["schemes"]["told"]["paths"].as_u64() > Some(0), "{}", result["schemes"]);
}

#[test]
fn pacing_counts_whether_a_sender_or_a_node_does_it() {
    let result = run_with(&[("transport.pacing.scheme", "\"tcp-ap\"")]);
    let counts = &result["schemes"]["tcp-ap"];
    let [taken, ignored] =
        ["delays_taken", "delays_ignored"].map(|name| counts[name].as_u64().expect("a count"));
    // Of each acknowledgment that arrives the delay is taken or not.
    let flows = result["flows"].as_array().expect("flows");
    let most: u64 = flows.iter().filter_map(|flow| flow["acks_sent"].as_u64()).sum();
    assert!(taken > 100 && taken + ignored <= most, "{taken} and {ignored} of {most}");
    let result = run_with(&[("link.pacing", "\"hop-by-hop\"")]);
    let counts = result["schemes"]["hop-by-hop"].as_object().expect("a table");
    assert_eq!(counts.keys().collect::<Vec<_>>(), ["heard", "holds", "kept", "unheard"]);
    assert!(counts["heard"].as_u64() > Some(1000), "{counts:?}");
}

/// Two flows over four hops, one link of which is reported broken once.
const CHAIN: &str = "duration_s = 20\n[topology]\nkind = \"chain\"\nhops = 4\n\
                     [mac]\nphy = \"802.11g\"\nbasic_rate_bps = 6e6\n\
                     [transport]\nwindow_segments = 40\n\
                     [[flows]]\nkind = \"ftp\"\nsource = 0\ndestination = 4\n\
                     [[flows]]\nkind = \"ftp\"\nsource = 4\ndestination = 0\n\
                     [[events]]\nkind = \"link-failure\"\nnode = 0\nnext_hop = 1\nat_s = 10\n";

/// The result with these choices, whose parts have the name `name_of` gives their key.
fn run(name_of: impl Fn(&str) -> String, choices: &[&str]) -> Value {
    let name = |key| name_of(key);
    let schemes = Schemes::standard()
        .with_rate_control(rates::Outside::new(&name("mac.rate"), |_| Box::new(Slowest::default())))
        .with_queue(link::Outside::new(&name("link.queue"), |_| Box::new(Stale::default())))
        .with_loss_recovery(sack::Outside::new(&name("transport.recovery.scheme"), || {
            Box::new(Patient::default())
        }))
        .with_congestion_control(congestion::Outside::new(&name("transport.scheme"), || {
            Box::new(Steady::default())
        }))
        .with_link_failure(link_failure::Outside::new(&name("transport.link_failure"), |_| {
            Box::new(Reaction::default())
        }));
    let chosen = |key: &&str| ((*key).to_owned(), format!("\"{}\"", name_of(key)));
    let overrides: Vec<_> = choices.iter().map(chosen).collect();
    let scenario = Scenario::with_schemes(&schemes, CHAIN, &overrides).expect("a scenario");
    let simulation = Simulation::new(&scenario, Some(1), &Recording::default()).expect("nodes");
    serde_json::to_value(simulation.run()).expect("numbers")
}

const ALL: [&str; 5] = [
    "link.queue",
    "mac.rate",
    "transport.link_failure",
    "transport.recovery.scheme",
    "transport.scheme",
];

fn sum(result: &Value, key: &str) -> u64 {
    let flows = result["flows"].as_array().expect("flows");
    flows.iter().filter_map(|flow| flow[key].as_u64()).sum()
}

#[test]
fn each_part_counts_under_its_name() {
    let result = run(|key| format!("own-{}", key.replace('.', "-")), &ALL);
    let schemes = result["schemes"].as_object().expect("a table");
    let timeouts = sum(&result, "timeouts");
    assert!(timeouts > 0);
    assert_eq!(schemes["own-transport-recovery-scheme"], json!({ "timeouts": timeouts }));
    assert_eq!(schemes["own-transport-scheme"], json!({ "timeouts": timeouts }));
    assert_eq!(schemes["own-link-queue"], json!({ "stale": result["queue"]["codel_drops"] }));
    assert!(sum(&result, "freezes") > 0);
    let freezes = sum(&result, "freezes");
    assert_eq!(schemes["own-transport-link_failure"], json!({ "times": freezes }));
    // Broadcasts have no result, nor have the frames under way at the end.
    let frames = schemes["own-mac-rate"]["frames"].as_u64().expect("a count");
    let sent = result["mac"]["data_sent"].as_u64().expect("a count");
    assert!(frames > 1000 && frames <= sent, "{frames} of {sent}");
    assert_eq!(schemes.len(), 5, "{schemes:?}");
}

#[test]
fn a_name_that_several_parts_have_is_followed_by_the_key() {
    let result = run(|_| "own".to_owned(), &ALL);
    let names: Vec<&String> = result["schemes"].as_object().expect("a table").keys().collect();
    let with_key = |key: &&str| format!("own ({key})");
    let expected: Vec<String> =
        ["own".to_owned()].into_iter().chain(ALL[1..].iter().map(with_key)).collect();
    assert_eq!(names, expected.iter().collect::<Vec<_>>());
}

#[test]
fn a_part_that_counts_nothing_is_not_in_the_result() {
    let result = run(|key| format!("own-{key}"), &[]);
    assert_eq!(result["schemes"], json!({}));
}
