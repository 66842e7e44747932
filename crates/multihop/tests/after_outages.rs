//! After every outage the flows go on: no scheme waits for what will not come.

use multihop::kernel::Instant;
use multihop::profile::Profile;
use multihop::scenario::Scenario;
use multihop::schemes::Schemes;
use multihop::simulation::{Recording, Simulation};

/// Once a path is there again, something has to arrive within this time \[s\]: longer than the
/// largest retransmission timeout, a search that was given up, and the pause after it.
const PATIENCE_S: f64 = 120.0;
/// No path is there from this time on, by the latest \[s\].
const BEGIN_S: f64 = 10.0;
/// There is one again from this time on, by the latest \[s\]. Packets have expired in all buffers
/// by then.
const END_S: f64 = 75.0;

/// Two paths of three hops from node 0 to node 5.
const NETWORK: &str = "[topology]\nkind = \"grid\"\nrows = 2\ncolumns = 3\nspacing_m = 200\n\
     [[flows]]\nkind = \"ftp\"\nsource = 0\ndestination = 5\nstart_s = 1\n";

/// Node 5 goes out of reach and comes back.
const MOVEMENT: &str = "$ns_ at 9.0 \"$node_(5) setdest 1400.0 250.0 500.0\"\n\
     $ns_ at 72.0 \"$node_(5) setdest 400.0 200.0 500.0\"\n";

/// The outages: what separates the ends, and the tables that do it.
fn outages(movement: &str) -> [(&'static str, String); 4] {
    let from_to = |begin: &str, end: &str, about: &[&str]| -> String {
        let table = |kind: &str, at_s: f64, about: &str| {
            format!("[[events]]\nkind = \"{kind}\"\nat_s = {at_s}\n{about}\n")
        };
        let pair = |about: &&str| table(begin, BEGIN_S, about) + &table(end, END_S, about);
        about.iter().map(pair).collect()
    };
    let relays = ["node = 2\nneighbour = 5", "node = 4\nneighbour = 5"];
    [
        ("the destination is off", from_to("node-kill", "node-restore", &["node = 5"])),
        ("the relays are off", from_to("node-kill", "node-restore", &["node = 2", "node = 4"])),
        ("the last links are cut", from_to("link-cut", "link-restore", &relays)),
        (
            "the destination moves",
            format!("[mobility]\nkind = \"setdest\"\nfile = \"{movement}\"\n"),
        ),
    ]
}

/// Segments that arrive in order once a path is there again; none if the scheme does not take such
/// a network.
fn progress(text: &str, scheme: &[(String, String)]) -> Option<u64> {
    let scenario = match Scenario::from_toml(text, scheme) {
        Err(error) if error.to_string().contains("if nodes move") => return None,
        scenario => scenario.unwrap_or_else(|error| panic!("{error}")),
    };
    let simulation = Simulation::new(&scenario, None, &Recording::default());
    let mut simulation = simulation.expect("a network");
    let delivered = |simulation: &Simulation| simulation.result().flows[0].delivered_segments;
    simulation.run_until(Instant::from_secs_f64(END_S));
    let before = delivered(&simulation);
    simulation.run_until(simulation.end());
    Some(delivered(&simulation) - before)
}

#[test]
fn whatever_the_scheme_something_arrives_once_a_path_is_there_again() {
    let file = std::env::temp_dir().join(format!("away-and-back-{}.tcl", std::process::id()));
    std::fs::write(&file, MOVEMENT).expect("a temporary file can be written");
    let outages = outages(file.to_str().expect("a path in UTF-8"));
    let mut silent = Vec::new();
    let schemes = Schemes::standard();
    // A QUIC connection ends when it has been idle for 30 s.
    let lasting = schemes.named().iter().filter(|named| !named.name.starts_with("quic"));
    for (number, named) in lasting.enumerate() {
        let pair = |&(key, value): &(&str, &str)| (key.to_owned(), value.to_owned());
        let mut scheme: Vec<(String, String)> = named.keys.iter().map(pair).collect();
        // Slow, so that there is less to simulate.
        for key in ["mac.data_rate_bps", "mac.basic_rate_bps"] {
            scheme.push((key.to_owned(), "5e5".to_owned()));
        }
        for (place, (outage, tables)) in outages.iter().enumerate() {
            let mut profiles = vec![Profile::Ns2];
            if place == number % outages.len() {
                profiles.push(Profile::Standard);
            }
            for profile in profiles {
                let name = if profile == Profile::Ns2 { "ns2" } else { "standard" };
                let duration_s = END_S + PATIENCE_S;
                let text = format!(
                    "duration_s = {duration_s}\nseed = 3\nprofile = \"{name}\"\n{tables}{NETWORK}"
                );
                if progress(&text, &scheme) == Some(0) {
                    silent.push(format!("{} ({name}): {outage}", named.name));
                }
            }
        }
    }
    std::fs::remove_file(&file).expect("the file is there");
    assert!(silent.is_empty(), "nothing arrives after\n{}", silent.join("\n"));
}

/// Under semi-TCP a node whose send buffer holds a packet sends none of its transport's.
#[test]
fn what_expired_in_the_send_buffer_does_not_keep_semi_tcp_from_going_on() {
    for seed in [2, 4] {
        let text = format!(
            "duration_s = 140\nseed = {seed}\n[topology]\nkind = \"grid\"\nrows = 3\n\
             columns = 3\nspacing_m = 200\n[mac]\nscheme = \"semi-tcp\"\n\
             [transport]\nscheme = \"semi-tcp\"\n\
             [[flows]]\nkind = \"ftp\"\nsource = 0\ndestination = 8\n\
             [[events]]\nkind = \"node-kill\"\nnode = 8\nat_s = 20\n\
             [[events]]\nkind = \"node-restore\"\nnode = 8\nat_s = 80\n"
        );
        let scenario = Scenario::from_toml(&text, &[]).expect("a valid scenario");
        let result = Simulation::new(&scenario, None, &Recording::default()).unwrap().run();
        // In the first 20 s about 500 arrive.
        let delivered = result.flows[0].delivered_segments;
        assert!(delivered > 1_000, "seed {seed}: {delivered}");
    }
}
