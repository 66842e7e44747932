//! Broken routes in a network: how the source learns of them, and how its sender reacts.

use crate::common::run;
use multihop::simulation::{FlowReport, Recording};

/// A movement file of this name, deleted at the end.
struct Moves(std::path::PathBuf);

impl Moves {
    /// Node `node` moves out of range at `away_s` and returns at `back_s`, if ever.
    fn new(name: &str, node: u32, home_m: f64, away_s: f64, back_s: Option<f64>) -> Moves {
        let file = format!("link-failure-{name}-{}.tcl", std::process::id());
        let path = std::env::temp_dir().join(file);
        let leave = |at: f64, x_m: f64| {
            format!("$ns_ at {at} \"$node_({node}) setdest {x_m} 8000.0 8000.0\"\n")
        };
        let back = back_s
            .map(|at| format!("$ns_ at {at} \"$node_({node}) setdest {home_m} 1.0 8000.0\"\n"));
        let text = format!("{}{}", leave(away_s, home_m), back.unwrap_or_default());
        std::fs::write(&path, text).expect("a temporary file can be written");
        Moves(path)
    }
}

impl Drop for Moves {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

/// One flow from the first to the last of `hops` + 1 nodes in a row.
fn flow(hops: u32, moves: &Moves, routing: &str, transport: &str, stop_s: f64) -> FlowReport {
    let places: Vec<String> = (0..=hops).map(|i| format!("[{}, 1]", 1 + 200 * i)).collect();
    let text = format!(
        "duration_s = {stop_s}\n[topology]\nkind = \"positions\"\npositions_m = [{}]\n\
         [mobility]\nkind = \"setdest\"\nfile = {:?}\n[routing]\n{routing}\n\
         [transport]\n{transport}\n[[flows]]\nkind = \"ftp\"\nsource = 0\ndestination = {hops}\n\
         start_s = 1\n",
        places.join(", "),
        moves.0.to_str().expect("a path in UTF-8"),
    );
    run(&text, 1, &Recording::default()).flows.remove(0)
}

const ROUTING: [&str; 3] =
    ["scheme = \"aodv\"", "scheme = \"dsr\"\ncached_replies = \"none\"", "scheme = \"static\""];

#[test]
fn a_link_that_fails_at_the_source_freezes_it_until_a_probe_comes_through() {
    let moves = Moves::new("source", 1, 201.0, 5.0, Some(20.0));
    for routing in ROUTING {
        for control in ["reno", "newreno"] {
            let elfn = format!("scheme = \"{control}\"\nlink_failure = \"elfn\"");
            let stopped = flow(1, &moves, routing, &elfn, 19.0);
            let flow = flow(1, &moves, routing, &elfn, 40.0);
            assert_eq!(flow.freezes, 1, "{routing} {control}");
            assert_eq!((flow.standbys, stopped.timeouts), (0, 0), "{routing} {control}");
            // One probe at once and one every two seconds.
            assert!((7..=13).contains(&flow.probes), "{routing} {control}: {}", flow.probes);
            assert!((14.5..=26.0).contains(&flow.suspended_s), "{routing}: {}", flow.suspended_s);
            assert!(
                flow.delivered_segments > 2 * stopped.delivered_segments,
                "{routing} {control}"
            );
            assert!(stopped.suspended_s > 13.0, "counted up to the flow's stop");
        }
    }
}

#[test]
fn a_route_error_from_a_relay_freezes_the_source() {
    let moves = Moves::new("relay", 2, 401.0, 5.0, Some(20.0));
    for routing in &ROUTING[..2] {
        let flow = flow(2, &moves, routing, "link_failure = \"elfn\"", 40.0);
        assert!(flow.freezes > 0 && flow.probes >= 8, "{routing}: {flow:?}");
        assert!((14.0..=26.0).contains(&flow.suspended_s), "{routing}: {}", flow.suspended_s);
    }
}

#[test]
fn standby_sends_until_any_acknowledgment_comes() {
    let moves = Moves::new("standby", 1, 201.0, 5.0, Some(20.0));
    for routing in ROUTING {
        let flow = flow(1, &moves, routing, "link_failure = \"standby\"", 40.0);
        assert_eq!((flow.standbys, flow.freezes), (1, 0), "{routing}");
        assert!(flow.timeouts <= 1, "{routing}: {}, for lost segments", flow.timeouts);
        // One every 0.2 s, the minimum timeout.
        assert!((60..=140).contains(&flow.probes), "{routing}: {}", flow.probes);
    }
}

#[test]
fn an_address_that_cannot_be_resolved_is_a_route_error_at_the_source() {
    let moves = Moves::new("address", 1, 201.0, 0.5, None);
    let stop_s = 22.5;
    let elfn = "link_failure = \"elfn\"";
    // The SYNs at 1, 4 and 10 s trigger ARP requests; the one at 22 s finds the address
    // unreachable.
    let flow = flow(1, &moves, "scheme = \"static\"", elfn, stop_s);
    assert_eq!((flow.timeouts, flow.freezes, flow.probes), (3, 1, 1));
    // Both the SYN that waited for the address and the new one have failed.
    assert_eq!((flow.route_errors, flow.route_errors_suspended), (2, 1));
    assert!((flow.suspended_s - 0.5).abs() < 1e-3, "{}", flow.suspended_s);
}

#[test]
fn a_sender_that_ignores_route_errors_times_out() {
    let moves = Moves::new("ignore", 1, 201.0, 5.0, Some(20.0));
    for routing in ROUTING {
        let flow = flow(1, &moves, routing, "", 40.0);
        assert!(flow.route_errors > 0 && flow.timeouts > 0, "{routing}");
        assert_eq!((flow.freezes, flow.standbys, flow.probes), (0, 0, 0), "{routing}");
        assert_eq!(flow.suspended_s, 0.0, "{routing}");
    }
}

/// Packets of a constant stream over two hops that arrive in each second, with these events.
fn arrivals(events: &str) -> Vec<u64> {
    let text = format!(
        "duration_s = 8\n[topology]\nkind = \"chain\"\nhops = 2\n[routing]\nscheme = \"static\"\n\
         [[flows]]\nkind = \"cbr\"\nsource = 0\ndestination = 2\npacket_bytes = 200\n\
         rate_bps = 16000\nstart_s = 0\n{events}"
    );
    let recording = Recording { series_interval_s: Some(1.0), ..Recording::default() };
    let result = run(&text, 1, &recording);
    let received = result.series.expect("series").flows.sequence;
    received.windows(2).map(|pair| pair[1] - pair[0]).collect()
}

#[test]
fn events_cut_and_restore_links_and_nodes() {
    let event = |kind: &str, ends: &str, at_s: u32| {
        format!("[[events]]\nkind = \"{kind}\"\n{ends}\nat_s = {at_s}\n")
    };
    let whole = arrivals("");
    for (cut, restore, ends) in [
        ("link-cut", "link-restore", "node = 2\nneighbour = 1"),
        ("node-kill", "node-restore", "node = 1"),
        ("node-kill", "node-restore", "node = 2"),
    ] {
        // In any order in the file.
        let events = [event(restore, ends, 5), event(cut, ends, 2)].concat();
        let found = arrivals(&events);
        assert_eq!(found[..2], whole[..2], "{cut}: until then nothing differs");
        assert!(found[2] <= 1 && found[3..5] == [0, 0], "{cut}: {found:?}");
        assert!(found[6] >= whole[6], "{cut}: {found:?}");
    }
}
