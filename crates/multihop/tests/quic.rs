//! QUIC over whole networks.

use multihop::scenario::Scenario;
use multihop::simulation::{Recording, RunResult, Simulation};

/// A chain of `hops` hops with this routing and one flow, which has these keys.
fn chain(hops: u32, routing: &str, flow: &str) -> String {
    format!(
        "duration_s = 60\nprofile = \"standard\"\n[topology]\nkind = \"chain\"\nhops = {hops}\n[routing]\nscheme = \"{routing}\"\n\
         [transport]\nscheme = \"quic\"\nwindow_segments = 100\n[[flows]]\nsource = 0\ndestination = {hops}\n{flow}\n"
    )
}

fn run(toml: &str, overrides: &[(&str, &str)]) -> RunResult {
    let own = |&(key, value): &(&str, &str)| (key.to_owned(), value.to_owned());
    let overrides: Vec<_> = overrides.iter().map(own).collect();
    let scenario = Scenario::from_toml(toml, &overrides).unwrap();
    Simulation::new(&scenario, None, &Recording::default()).unwrap().run()
}

#[test]
fn it_delivers_over_four_hops_with_every_routing() {
    for routing in ["aodv", "dsr", "static"] {
        let flow = &run(&chain(4, routing, "kind = \"ftp\""), &[]).flows[0];
        eprintln!("{flow:#?}");
        assert!(flow.delivered_bytes > 1_000_000, "{routing}: {}", flow.delivered_bytes);
    }
}
