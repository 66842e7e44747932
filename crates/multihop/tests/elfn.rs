//! Statements of the TCP-ELFN paper about routing and losses.

use crate::common::run;
use multihop::simulation::{Recording, RunResult};

const ROUTING: &str = "[routing]\nscheme = \"dsr\"\ncached_replies = \"none\"\n\
                       ring_zero_search = false\nflow_state = false\n";

/// One Reno flow from the first to the last node of a chain with links of 250 m.
fn chain(hops: u32, duration_s: u32, more: &str, transport: &str, seed: u64) -> RunResult {
    let text = format!(
        "duration_s = {duration_s}\n[topology]\nkind = \"chain\"\nhops = {hops}\n\
         spacing_m = 250\n{ROUTING}[transport]\nscheme = \"reno\"\nwindow_segments = 20\n\
         {transport}[[flows]]\nkind = \"ftp\"\nsource = 0\ndestination = {hops}\n{more}"
    );
    let recording = Recording { series_interval_s: Some(0.5), ..Recording::default() };
    run(&text, seed, &recording)
}

#[test]
fn routing_traffic_continues_in_static_networks() {
    for hops in [4, 5] {
        let sent = |duration_s| chain(hops, duration_s, "", "", 1).routing;
        let (early, late) = (sent(100), sent(200));
        // The longer run starts like the shorter one, so the difference is the traffic after it.
        assert!(late.packets_sent > early.packets_sent);
        assert!(late.false_link_failures > early.false_link_failures);
        assert_eq!(late.false_link_failures, late.link_failures);
    }
}

#[test]
fn a_broken_link_loses_at_most_a_window() {
    for (seed, window) in [(1, 4), (2, 8), (3, 20), (4, 32)] {
        let window_key = format!("window_segments = {window}\n");
        let breaks = "[[events]]\nkind = \"link-failure\"\nnode = 1\nnext_hop = 2\nat_s = 20\n";
        let text = format!(
            "duration_s = 21\n[topology]\nkind = \"chain\"\nhops = 3\nspacing_m = 200\n{ROUTING}\
             salvaging = false\n[transport]\nscheme = \"reno\"\n{window_key}[[flows]]\n\
             kind = \"ftp\"\nsource = 0\ndestination = 3\nstart_s = 1\n"
        );
        let dropped = |text: &str| {
            let result = run(text, seed, &Recording::default());
            (result.data.counters.dropped_packets, result.flows[0].route_errors)
        };
        let (before, _) = dropped(&text);
        let (after, errors) = dropped(&format!("{text}{breaks}"));
        assert!(errors >= 1, "the source learned of the break");
        assert!((1..=window).contains(&(after - before)), "{before} and {after} of {window}");
    }
}

#[test]
fn free_acknowledgments_use_no_airtime() {
    let real = chain(3, 60, "", "", 1);
    let free = chain(3, 60, "", "free_acks = true\n", 1);
    let data = |result: &RunResult| result.flows[0].delivered_segments;
    assert_eq!(free.flows[0].acked_segments, Some(data(&free)));
    assert!(data(&free) > data(&real), "{} and {}", data(&free), data(&real));
    // Only data crosses each link.
    assert!(free.mac.data_sent < 2 * 3 * data(&free));
}

#[test]
fn series_record_the_window() {
    let flow = &chain(4, 100, "start_s = 10\n", "", 1).flows[0];
    let cwnd = flow.mean_cwnd_segments.unwrap();
    assert!((1.0..=40.0).contains(&cwnd), "{cwnd}");
}
