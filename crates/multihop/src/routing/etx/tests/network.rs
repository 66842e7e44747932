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

/// Nodes on a line every 25 m, over which most frames at 24 Mbit/s get in spite of fading, and half
/// of them twice as far. N0 sends to the last: how much arrives in three runs, and over how many
/// links.
fn line(routing: &str, mac: &str, profile: &str) -> (u64, f64) {
    let text = format!(
        "duration_s = 40\nprofile = \"{profile}\"\n[topology]\nkind = \"chain\"\nhops = 4\nspacing_m = 25\n\
         [radio]\nreception = \"sinr\"\npropagation = \"log-distance\"\npath_loss_exponent = 3\n\
         transmit_power_dbm = 20\nfading = \"rayleigh\"\ncoherence_s = 0.001\n[mac]\nphy = \"802.11a\"\n\
         rts_threshold_bytes = \"inf\"\n{mac}\n[routing]\n{routing}\n\
         [[flows]]\nkind = \"ftp\"\nsource = 0\ndestination = 4\nstart_s = 12\n"
    );
    let scenario = Scenario::from_toml(&text, &[]).expect("a valid scenario");
    let recording = Recording::default();
    let runs =
        (1..=3).map(|seed| Simulation::new(&scenario, Some(seed), &recording).unwrap().run());
    let (mut delivered, mut hops) = (0, 0.0);
    for run in runs {
        delivered += run.flows[0].delivered_segments;
        hops += run.flows[0].mean_hops.unwrap_or(0.0) / 3.0;
    }
    (delivered, hops)
}

#[test]
fn metrics_avoid_long_links_that_lose_data_and_carry_more() {
    let fixed = "data_rate_bps = 24e6\nbasic_rate_bps = 24e6";
    // Without answers of others, which `dsr-etx` has not either.
    let dsr = "scheme = \"dsr\"\nflow_state = false\ncached_replies = \"none\"\npromiscuous = false\n\
               ring_zero_search = false";
    let aodv = "scheme = \"aodv\"";
    // By their RFCs, AODV and DSR recover from a lossy route sooner: there is less to gain.
    for (profile, tenths) in [("ns2", 15), ("standard", 11)] {
        for (scheme, hops) in [("aodv-etx", aodv), ("dsr-etx", dsr)] {
            let by_hops = line(hops, fixed, profile);
            for keys in ["probe_bytes = 1024", "probe_bytes = 1024\nmetric = \"airtime\""] {
                let measured = line(&format!("scheme = \"{scheme}\"\n{keys}"), fixed, profile);
                let said = format!("{scheme}, {profile}: {measured:?} {by_hops:?}");
                assert!(measured.1 > by_hops.1 + 0.3, "{said}");
                assert!(measured.0 > by_hops.0 * tenths / 10, "{said}");
            }
        }
    }
}

#[test]
fn where_rates_are_chosen_airtime_prefers_fast_links() {
    for scheme in ["aodv-etx", "dsr-etx"] {
        let keys = |metric| format!("scheme = \"{scheme}\"\nmetric = \"{metric}\"");
        let of = |metric| line(&keys(metric), "rate = \"ideal\"", "standard");
        let (etx, airtime) = (of("etx"), of("airtime"));
        assert!(airtime.1 > etx.1 + 0.1, "{scheme}: {airtime:?} {etx:?}");
    }
}
