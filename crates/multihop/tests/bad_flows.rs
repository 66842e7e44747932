//! Flows that cannot be run, and the one-line error for each.

use crate::spoilt::{Case, check, message, spoilt};
use multihop::scenario::Scenario;

const FLOWS: &str =
    "[[flows]]\nkind = \"ftp\"\nsource = 0\ndestination = 2\nstart_s = 1\nstop_s = 9\n";

#[test]
fn unknown_keys() {
    check(UNKNOWN_KEYS);
}

#[rustfmt::skip]
const UNKNOWN_KEYS: &[Case] = &[
    ("start_s = 1", "start = 1",
     "line 19: flows.0.start: unknown key; did you mean `start_s`?"),
    ("stop_s = 9", "stop_s = 9\ntransport = { window = 3 }",
     "line 21: flows.0.transport.window: unknown key; did you mean `window_segments`?"),
    ("stop_s = 9", "stop_s = 9\n[flows.transport]\nwindow_segments = 0",
     "line 22: flows.0.transport.window_segments: must be 1 to 1000000 (got 0)"),
    ("stop_s = 9", "stop_s = 9\nrate_bps = 3",
     "line 21: flows.0.rate_bps: unknown key; allowed: name, source, destination, start_s, stop_s, count, arrivals_per_s, start_spacing_s, start_spread_s, lifetime_s, distinct_ends, class, min_hops, max_hops, transport"),
];

#[test]
fn wrong_types() {
    check(WRONG_TYPES);
}

#[rustfmt::skip]
const WRONG_TYPES: &[Case] = &[
    ("source = 0", r#"source = "`length 3`, expected""#,
     r#"line 17: flows.0.source: must be a node number, "random" or "last" (got "`length 3`, expected")"#),
    ("source = 0", r#"source = "zero""#,
     r#"line 17: flows.0.source: must be a node number, "random" or "last" (got "zero")"#),
    ("source = 0", "source = -1",
     r#"line 17: flows.0.source: must be a node number, "random" or "last" (got -1)"#),
    ("source = 0", "source = 0.0",
     r#"line 17: flows.0.source: must be a node number, "random" or "last" (got 0.0)"#),
    ("stop_s = 9", "stop_s = 9\ntransport = 3",
     "line 21: flows.0.transport: must be a table (got 3)"),
];

#[test]
fn kinds_and_missing_keys() {
    check(KINDS_AND_MISSING_KEYS);
}

#[rustfmt::skip]
const KINDS_AND_MISSING_KEYS: &[Case] = &[
    (r#"kind = "ftp""#, r#"kind = "telnet""#,
     r#"line 16: flows.0.kind: must be one of "ftp", "cbr", "file", "on-off", "request-response", "web", "voice", "trace" (got "telnet")"#),
    ("kind = \"ftp\"\n", "",
     r#"line 15: flows.0.kind: is missing; must be one of "ftp", "cbr", "file", "on-off", "request-response", "web", "voice", "trace""#),
    ("source = 0\n", "",
     "line 15: flows.0.source: is missing"),
    (r#"kind = "ftp""#, "kind = \"cbr\"\npacket_bytes = 100",
     "line 15: flows.0.rate_bps: is missing"),
    (FLOWS, "",
     "flows: is missing: a scenario needs at least one flow"),
    (FLOWS, "[flows]\nkind = \"ftp\"",
     "line 15: flows: must be tables: [[flows]]"),
];

#[test]
fn keys_that_are_not_tables() {
    for (head, expected) in [
        ("flows = []", "line 1: flows: must hold at least one flow (got none)"),
        ("flows = 3", "line 1: flows: must be tables: [[flows]]"),
        ("flows = [3]", "line 1: flows.0: must be a table (got 3)"),
    ] {
        assert_eq!(message(&format!("{head}\n{}", spoilt(FLOWS, "")), &[]), expected);
    }
}

#[test]
fn bounds() {
    check(BOUNDS);
}

#[rustfmt::skip]
const BOUNDS: &[Case] = &[
    ("destination = 2", "destination = 3",
     "line 18: flows.0.destination: must be a node, 0 to 2 (got 3)"),
    ("source = 0", "source = 2",
     "line 18: flows.0.destination: must differ from source: a flow to itself"),
    ("stop_s = 9", "stop_s = 0.5",
     "line 20: flows.0.stop_s: must be after start_s, 1, and at most 10000000 (got 0.5)"),
    ("stop_s = 9", "stop_s = nan",
     "line 20: flows.0.stop_s: must be after start_s, 1, and at most 10000000 (got NaN)"),
    ("start_s = 1", "start_s = 10",
     "line 19: flows.0.start_s: must be 0 or more and before duration_s, 10 (got 10)"),
    ("start_s = 1", "start_s = -1",
     "line 19: flows.0.start_s: must be 0 or more and before duration_s, 10 (got -1)"),
    ("start_s = 1", "start_s = nan",
     "line 19: flows.0.start_s: must be 0 or more and before duration_s, 10 (got NaN)"),
    ("start_s = 1", "count = 2",
     "line 19: flows.0.count: can be above 1 only with a random end"),
    ("start_s = 1", "count = 0",
     "line 19: flows.0.count: must be 1 to 100000 (got 0)"),
    ("source = 0", "source = \"random\"\ncount = 100001",
     "line 18: flows.0.count: must be 1 to 100000 (got 100001)"),
    ("source = 0", "source = 0\nstart_spread_s = -1",
     "line 18: flows.0.start_spread_s: must be 0 or more, so that flows start before their end (got -1)"),
    ("source = 0", "source = 0\nstart_spread_s = 900",
     "line 18: flows.0.start_spread_s: must be 0 or more, so that flows start before their end (got 900)"),
    ("source = 0", "source = \"random\"\ncount = 3\nstart_spacing_s = 5",
     "line 19: flows.0.start_spacing_s: makes the last flow start at 11 s, after the end of the run"),
    ("source = 0", "source = \"random\"\nstart_spacing_s = nan",
     "line 18: flows.0.start_spacing_s: must be 0 to 10000000 seconds (got NaN)"),
    ("stop_s = 9", "stop_s = 9\nlifetime_s = 1",
     "line 21: flows.0.lifetime_s: cannot be given together with stop_s"),
    ("stop_s = 9", "lifetime_s = 0",
     "line 20: flows.0.lifetime_s: must be above 0 and at most 10000000 seconds (got 0)"),
    (r#"kind = "ftp""#, "kind = \"cbr\"\npacket_bytes = 0\nrate_bps = 1",
     "line 17: flows.0.packet_bytes: must be 1 to 65495 (got 0)"),
    (r#"kind = "ftp""#, "kind = \"cbr\"\npacket_bytes = 100\nrate_bps = nan",
     "line 18: flows.0.rate_bps: must be 1 to 800000000, 1000000 packets of 100 bytes a second (got NaN)"),
    ("stop_s = 9", "stop_s = 9\ntransport = { window_segments = 0 }",
     "line 21: flows.0.transport.window_segments: must be 1 to 1000000 (got 0)"),
];

#[test]
fn random_ends_that_cannot_be_found() {
    let ends = "source = \"random\"\ncount = 2\ndistinct_ends = true";
    let scenario = Scenario::from_toml(&spoilt("source = 0", ends), &[]).unwrap();
    scenario.network(1).unwrap();
    let ends = "source = \"random\"\ncount = 3\ndistinct_ends = true";
    let scenario = Scenario::from_toml(&spoilt("source = 0", ends), &[]).unwrap();
    assert_eq!(
        scenario.network(1).unwrap_err().to_string(),
        "flows.0.source: no two connected nodes are left to draw ends from"
    );
}

#[test]
fn applications_say_what_is_wrong_with_their_keys() {
    let file = "kind = \"file\"\nsource = 0\ndestination = 2\n";
    let ask = file.replace("file", "request-response");
    for (flow, error) in [
        (file.to_owned(), "line 15: flows.0.bytes: is missing"),
        (format!("{file}bytes = 0"), "line 19: flows.0.bytes: must be 1 to 1000000000 (got 0)"),
        (
            format!("{file}bytes = \"many\""),
            "line 19: flows.0.bytes: must be a number, or a table like { kind = \"exponential\", mean = 1 } (got \"many\")",
        ),
        (
            format!("{file}bytes = {{ kind = \"pareto\", shape = 1 }}"),
            "line 19: flows.0.bytes.least: is missing",
        ),
        (
            format!("{file}bytes = {{ kind = \"normal\", mean = 1 }}"),
            "line 19: flows.0.bytes.kind: must be one of \"exponential\", \"uniform\", \"pareto\", \"lognormal\" (got \"normal\")",
        ),
        (
            format!("{file}bytes = 9\narrivals_per_s = 1e6"),
            "line 20: flows.0.arrivals_per_s: must be above 0 and at most 10000.000000, 100000 flows (got 1000000)",
        ),
        (
            format!("{file}bytes = 9\narrivals_per_s = 1\nstart_spread_s = 2"),
            "line 21: flows.0.start_spread_s: cannot be given together with arrivals_per_s",
        ),
        (
            format!("{file}bytes = 9\narrivals_per_s = 1e-9"),
            "flows.0.arrivals_per_s: no flow arrives before the end with seed 1",
        ),
        (
            format!("{file}bytes = 9\nname = \"a.b\""),
            "line 20: flows.0.name: must be 1 to 60 characters without a full stop (got \"a.b\")",
        ),
        (
            format!("{file}bytes = 9\nname = \"7\""),
            "line 20: flows.0.name: must not be a number, which is a table's place",
        ),
        (
            format!("{ask}request_bytes = 1\nresponse_bytes = 1\nrequests = 0"),
            "line 21: flows.0.requests: must be 1 or more (got 0)",
        ),
        (
            file.replace("file", "voice") + "codec = \"opus\"",
            "line 19: flows.0.codec: must be one of \"g711\", \"g729\" (got \"opus\")",
        ),
        (
            file.replace("file", "on-off") + "packet_bytes = 1\nrate_bps = 9\non_s = 0\noff_s = 1",
            "line 21: flows.0.on_s: must be 0.000001 to 10000000 (got 0)",
        ),
        (
            file.replace("file", "trace") + "file = \"/no/such.csv\"",
            "line 19: flows.0.file: /no/such.csv does not exist",
        ),
        (
            file.replace("file", "trace") + "file = \"x\"\ntransport = {}",
            "line 20: flows.0.transport: can be given only with over = \"tcp\"",
        ),
    ] {
        let text = spoilt(FLOWS, &format!("[[flows]]\n{flow}\n"));
        let found =
            Scenario::from_toml(&text, &[]).and_then(|scenario| scenario.network(1).map(|_| ()));
        assert_eq!(found.unwrap_err().to_string(), error, "{flow}");
    }
}

#[test]
fn a_flow_is_set_by_its_name() {
    let text = spoilt(FLOWS, &format!("{FLOWS}{FLOWS}name = \"late one\"\n"));
    let set = |path: &str, value: &str| Scenario::from_toml(&text, &[(path.into(), value.into())]);
    let by_name = set("flows.late one.start_s", "3").unwrap();
    assert_eq!(by_name, set("flows.1.start_s", "3").unwrap());
    assert_ne!(by_name, set("flows.0.start_s", "3").unwrap());
    let error = set("flows.late one.start_s", "11").unwrap_err().to_string();
    assert!(error.starts_with("flows.1.start_s: must be 0 or more"), "no line: {error}");
    assert!(set("flows.another.start_s", "3").is_err());
}
