//! ETX over the real MAC.

use crate::routing::etx::EtxReport;
use crate::scenario::Scenario;
use crate::simulation::{Recording, RunResult, Simulation};

/// Two flows that cross on a grid of four by three, from 5 s on.
fn grid(scheme: &str, seed: u64) -> RunResult {
    let text = format!(
        "duration_s = 40\n[topology]\nkind = \"grid\"\ncolumns = 4\nrows = 3\nspacing_m = 200\n\
         [routing]\nscheme = \"{scheme}\"\n[transport]\nwindow_segments = 8\n\
         [[flows]]\nkind = \"ftp\"\nsource = 4\ndestination = 7\nstart_s = 5\n\
         [[flows]]\nkind = \"ftp\"\nsource = 1\ndestination = 9\nstart_s = 5\n"
    );
    let scenario = Scenario::from_toml(&text, &[]).expect("a valid scenario");
    Simulation::new(&scenario, Some(seed), &Recording::default()).expect("a network").run()
}

#[test]
fn it_delivers_and_says_what_it_measured() {
    let result = grid("aodv-etx", 1);
    assert!(result.flows.iter().all(|flow| flow.delivered_segments > 50));
    let report: EtxReport = result.scheme("aodv-etx").expect("the report of ETX");
    // Twelve nodes, one probe a second each, the first within a second; no node has 15 neighbours.
    assert!((12 * 36..=12 * 44).contains(&report.probes_sent), "{report:?}");
    assert_eq!(report.probe_bytes, report.probes_sent * 134);
    // 250 m reach the neighbours in the row and the column: 9 + 8 links, each known at both ends.
    assert_eq!(report.links_known, 34, "{report:?}");
    // Two long flows collide with broadcasts: links are worse than perfect and better than half.
    let mean = report.mean_etx.expect("known links");
    assert!((1.01..4.0).contains(&mean), "{mean}");
    assert!(result.routing.packets_sent > report.probes_sent);
    assert!(grid("aodv", 1).schemes.is_empty());
}

#[test]
fn equal_seeds_give_equal_runs() {
    let fingerprints = [1, 1, 2].map(|seed| grid("aodv-etx", seed).engine.fingerprint);
    assert_eq!(fingerprints[0], fingerprints[1]);
    assert_ne!(fingerprints[0], fingerprints[2]);
}
