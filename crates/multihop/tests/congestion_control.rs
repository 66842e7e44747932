//! Congestion controls and pacing in a network.

use crate::common::run;
use multihop::simulation::{Recording, RunResult};

/// A flow over a chain of `hops` hops, with these lines of `[transport]`.
fn chain(hops: u32, transport: &str, seed: u64) -> RunResult {
    let text = format!(
        "duration_s = 60\n[topology]\nkind = \"chain\"\nhops = {hops}\nspacing_m = 200\n\
         [routing]\nscheme = \"aodv\"\n[transport]\n{transport}\n\
         [[flows]]\nkind = \"ftp\"\nsource = 0\ndestination = {hops}\n"
    );
    run(&text, seed, &Recording { queue_classes: true, ..Recording::default() })
}

const CUBIC: &str = "scheme = \"cubic\"\nwindow_segments = 64";
const NEWRENO: &str = "scheme = \"newreno\"\nwindow_segments = 64";

#[test]
fn cubic_runs_the_same_twice_and_differs_from_newreno() {
    for profile in ["ns2", "standard"] {
        let fingerprint = |transport: &str, seed| {
            let text = format!(
                "duration_s = 40\nprofile = \"{profile}\"\n[topology]\nkind = \"chain\"\nhops = 4\n\
                 spacing_m = 200\n[transport]\n{transport}\n\
                 [[flows]]\nkind = \"ftp\"\nsource = 0\ndestination = 4\n\
                 [[flows]]\nkind = \"ftp\"\nsource = 4\ndestination = 1\n"
            );
            run(&text, seed, &Recording::default()).engine.fingerprint
        };
        assert_eq!(fingerprint(CUBIC, 1), fingerprint(CUBIC, 1), "{profile}");
        assert_ne!(fingerprint(CUBIC, 1), fingerprint(CUBIC, 2), "{profile}");
        assert_ne!(fingerprint(CUBIC, 1), fingerprint(NEWRENO, 1), "{profile}");
    }
}

#[test]
fn with_the_short_round_trips_of_a_chain_cubic_delivers_about_what_newreno_does() {
    for hops in [2, 6] {
        let delivered = |transport| {
            (1..=3)
                .map(|seed| chain(hops, transport, seed).flows[0].delivered_segments)
                .sum::<u64>()
        };
        let ratio = delivered(CUBIC) as f64 / delivered(NEWRENO) as f64;
        assert!((0.7..1.4).contains(&ratio), "{hops} hops: {ratio}");
    }
}

#[test]
fn tcp_ap_is_newreno_with_its_pacing_and_a_timeout_that_does_not_double() {
    let parts = "scheme = \"newreno\"\npacing.scheme = \"tcp-ap\"\nrto_backoff = false\nwindow_segments = 20";
    for seed in 1..=2 {
        let whole = chain(7, "scheme = \"tcp-ap\"\nwindow_segments = 20", seed);
        assert_eq!(chain(7, parts, seed).engine.fingerprint, whole.engine.fingerprint);
    }
}

#[test]
fn pacing_by_rate_works_over_every_congestion_control_and_shortens_queues() {
    for scheme in ["reno", "newreno", "cubic", "vegas", "westwood"] {
        let mean_at_source = |pacing: &str| {
            let keys =
                format!("scheme = \"{scheme}\"\nwindow_segments = 8\npacing.scheme = \"{pacing}\"");
            let result = chain(6, &keys, 1);
            assert!(result.flows[0].delivered_segments > 300, "{scheme}, {pacing}");
            result.queues[0].mean_data
        };
        let (free, paced) = (mean_at_source("none"), mean_at_source("rate"));
        assert!(paced < free, "{scheme}: {paced} packets wait at the source, {free} unpaced");
    }
}

#[test]
fn bbr_runs_the_same_twice_with_both_versions_and_keeps_queues_short() {
    for scheme in ["bbr", "bbr1"] {
        let keys = format!("scheme = \"{scheme}\"\nwindow_segments = 64");
        for hops in [2, 7] {
            let (result, again) = (chain(hops, &keys, 1), chain(hops, &keys, 1));
            assert_eq!(result.engine.fingerprint, again.engine.fingerprint, "{scheme}, {hops}");
            let other = chain(hops, CUBIC, 1);
            let delivered = [&result, &other].map(|run| run.flows[0].delivered_segments);
            let waiting = [&result, &other].map(|run| run.queues[0].mean_data);
            println!("{scheme}, {hops} hops: {delivered:?} delivered, {waiting:?} waiting");
            assert!(delivered[0] * 2 > delivered[1], "{scheme}, {hops} hops: {delivered:?}");
            // Over seven hops losses leave CUBIC no queue.
            assert!(hops > 2 || waiting[0] < 0.5 * waiting[1], "{scheme}: {waiting:?}");
        }
    }
}
