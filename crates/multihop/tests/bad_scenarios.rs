//! Scenarios that cannot be run, and the one-line error for each. Routing, movement and flows have
//! files of their own.

use crate::spoilt::{Case, GOOD, check, message, spoilt};
use multihop::scenario::Scenario;

#[test]
fn the_good_scenario_is_good() {
    Scenario::from_toml(GOOD, &[]).unwrap();
}

const CHAIN: &str = "kind = \"chain\"\nhops = 2";

#[test]
fn unknown_keys() {
    check(UNKNOWN_KEYS);
}

#[rustfmt::skip]
const UNKNOWN_KEYS: &[Case] = &[
    ("seed = 1", "sed = 1",
     "line 3: sed: unknown key; did you mean `seed`?"),
    ("duration_s = 10", "duration_ms = 10",
     "line 2: duration_ms: unknown key; did you mean `duration_s`?"),
    ("seed = 1", "zzzzzzzzzzzzzzzz = 1",
     "line 3: zzzzzzzzzzzzzzzz: unknown key; allowed: title, duration_s, seed, profile, topology, mobility, radio, mac, interfaces, wires, link, routing, transport, flows, events, agents"),
    ("short_retry_limit = 7", "retry_limit = 7",
     "line 10: mac.retry_limit: unknown key; did you mean `long_retry_limit`?"),
    ("hops = 2", "hops = 2\nspacing = 3",
     "line 8: topology.spacing: unknown key; did you mean `spacing_m`?"),
    ("hops = 2", "hops = 2\ncolumns = 3",
     "line 8: topology.columns: unknown key; allowed: hops, spacing_m"),
    ("window_segments = 8", "pacing.spreads = 3",
     "line 13: transport.pacing.spreads: unknown key; did you mean `spread`?"),
    ("stop_s = 9", "stop_s = 9\n[mac.semi]\ntransit_packet = 3",
     "line 22: mac.semi.transit_packet: unknown key; did you mean `transit_packets`?"),
    ("[mac]", "[mobility]\npause_s = 1\n[mac]",
     "line 10: mobility.pause_s: unknown key; allowed: kind"),
    ("seed = 1", "\"a\\nb\" = 1",
     "line 3: a b: unknown key; allowed: title, duration_s, seed, profile, topology, mobility, radio, mac, interfaces, wires, link, routing, transport, flows, events, agents"),
    ("hops = 2", "hops = 2\n\"a`b\" = 1",
     "line 8: topology.a`b: unknown key; allowed: hops, spacing_m"),
    ("seed = 1", r#""a.b" = 1"#,
     "line 3: a.b: unknown key; allowed: title, duration_s, seed, profile, topology, mobility, radio, mac, interfaces, wires, link, routing, transport, flows, events, agents"),
];

#[test]
fn wrong_types() {
    check(WRONG_TYPES);
}

#[rustfmt::skip]
const WRONG_TYPES: &[Case] = &[
    ("duration_s = 10", r#"duration_s = "10 s""#,
     r#"line 2: duration_s: must be a number (got "10 s")"#),
    ("seed = 1", "seed = 1.5",
     "line 3: seed: must be a whole number (got 1.5)"),
    ("seed = 1", r#"seed = "one""#,
     r#"line 3: seed: must be a whole number (got "one")"#),
    (r#"title = "good""#, "title = 3",
     "line 1: title: must be text (got 3)"),
    ("hops = 2", r#"hops = "2""#,
     r#"line 7: topology.hops: must be a whole number, 0 or more (got "2")"#),
    ("hops = 2", "hops = 2.5",
     "line 7: topology.hops: must be a whole number, 0 or more (got 2.5)"),
    ("hops = 2", "hops = true",
     "line 7: topology.hops: must be a whole number, 0 or more (got true)"),
    ("hops = 2", "hops = -2",
     "line 7: topology.hops: must be a whole number, 0 or more (got -2)"),
    ("hops = 2", "hops = 5000000000",
     "line 7: topology.hops: must be a whole number, at most 4294967295 (got 5000000000)"),
    ("hops = 2", "hops = 99999999999999999999",
     "line 7: not TOML: 99999999999999999999 is too large a number"),
    ("hops = 2", "hops = [2]",
     "line 7: topology.hops: must be a whole number, 0 or more (got a list)"),
    ("hops = 2", "hops = {a = 2}",
     "line 7: topology.hops: must be a whole number, 0 or more (got a table)"),
    ("hops = 2", "hops = 1979-05-27",
     r#"line 7: topology.hops: must be a whole number, 0 or more (got "1979-05-27")"#),
    (CHAIN, "kind = 3",
     r#"line 6: topology.kind: must be one of "chain", "grid", "random", "positions", "parallel", "cross", "spindle", "setdest", "links" (got 3)"#),
    ("seed = 1", r#"profile = "ns3""#,
     r#"line 3: profile: must be one of "ns2", "standard" (got "ns3")"#),
    ("seed = 1", "profile = 3",
     "line 3: profile: must be text"),
    ("seed = 1", "profile = {a = 1}",
     r#"line 3: profile: must be one of "ns2", "standard" (got "a")"#),
    ("short_retry_limit = 7", "short_retry_limit = -7",
     "line 10: mac.short_retry_limit: must be a whole number, 0 to 4294967295, or inf (got -7)"),
    ("short_retry_limit = 7", "short_retry_limit = 7.5",
     "line 10: mac.short_retry_limit: must be a whole number, 0 to 4294967295, or inf (got 7.5)"),
    ("short_retry_limit = 7", r#"short_retry_limit = "seven""#,
     r#"line 10: mac.short_retry_limit: must be a whole number, 0 to 4294967295, or inf (got "seven")"#),
    ("window_segments = 8", r#"scheme = "ve`gas""#,
     r#"line 13: transport.scheme: must be one of "reno", "newreno", "cubic", "vegas", "westwood", "bbr", "bbr1", "tcp-ap", "semi-tcp", "quic" (got "ve`gas")"#),
    ("[mac]", "[link]\narp = 1\n[mac]",
     "line 10: link.arp: must be true or false (got 1)"),
    ("[mac]", "[[events]]\nkind = \"link-cut\"\nnode = 0\nneighbour = 0\nat_s = 1\n[mac]",
     "line 12: events.0.neighbour: must differ from node"),
    ("[mac]", "[[events]]\nkind = \"node-kill\"\nnode = 9\nat_s = 1\n[mac]",
     "line 11: events.0.node: must be a node, 0 to 2 (got 9)"),
    ("[mac]", "[radio]\ncapture_db = \"x\"\n[mac]",
     r#"line 10: radio.capture_db: must be a number or inf (got "x")"#),
    (CHAIN, "kind = \"random\"\nnodes = 3\narea_m = [100]",
     "line 8: topology.area_m: must be a list of two numbers (got a list of 1)"),
    (CHAIN, "kind = \"random\"\nnodes = 3\narea_m = [100, 100, 100]",
     "line 8: topology.area_m: must be a list of two numbers (got a list of 3)"),
    (CHAIN, "kind = \"random\"\nnodes = 3\narea_m = 100",
     "line 8: topology.area_m: must be a list of two numbers (got 100)"),
    (CHAIN, "kind = \"positions\"\npositions_m = [[0, 0], [200]]",
     "line 7: topology.positions_m.1: must be a list of two numbers (got a list of 1)"),
    (CHAIN, "kind = \"positions\"\npositions_m = [[0, 0],\n  [200, \"x\"]]",
     r#"line 8: topology.positions_m.1.1: must be a number (got "x")"#),
    ("window_segments = 8", r#"scheme = "illinois""#,
     r#"line 13: transport.scheme: must be one of "reno", "newreno", "cubic", "vegas", "westwood", "bbr", "bbr1", "tcp-ap", "semi-tcp", "quic" (got "illinois")"#),
    ("window_segments = 8", "scheme = \"bbr\"\nrecovery.scheme = \"duplicate-acks\"",
     r#"line 14: transport.recovery.scheme: must be "rack-tlp" or "sack" with this scheme (got "duplicate-acks")"#),
    ("window_segments = 8", "window_validation = \"rfc2861\"",
     r#"line 13: transport.window_validation: must be one of "none", "rfc7661" (got "rfc2861")"#),
    ("window_segments = 8", "profile = \"linux\"\nwindow_validation = \"rfc7661\"",
     r#"line 14: transport.window_validation: must be "none" with profile "linux", which has a rule of its own (got "rfc7661")"#),
    ("window_segments = 8", "scheme = \"bbr\"\nwindow_validation = \"rfc7661\"",
     r#"line 14: transport.window_validation: must be "none" with this scheme, whose window does not grow by acknowledgments (got "rfc7661")"#),
    ("window_segments = 8", r#"link_failure = "freeze""#,
     r#"line 13: transport.link_failure: must be one of "ignore", "standby", "elfn" (got "freeze")"#),
    ("window_segments = 8", r#"first_probe = "later""#,
     r#"line 13: transport.first_probe: must be one of "immediate", "after_interval" (got "later")"#),
    ("window_segments = 8", r#"limited_transmit = "yes""#,
     r#"line 13: transport.limited_transmit: must be true or false (got "yes")"#),
    ("short_retry_limit = 7", r#"scheme = "tdma""#,
     r#"line 10: mac.scheme: must be one of "dcf", "semi-tcp" (got "tdma")"#),
    ("[mac]", "[radio]\npropagation = \"shadowing\"\n[mac]",
     r#"line 10: radio.propagation: must be one of "two-ray-ground", "free-space", "log-distance", "measured" (got "shadowing")"#),
];

#[test]
fn not_toml() {
    check(NOT_TOML);
}

#[rustfmt::skip]
const NOT_TOML: &[Case] = &[
    ("hops = 2", "hops = 2 3",
     "line 7: not TOML: string values must be quoted, expected literal string"),
    ("hops = 2", "hops = ",
     "line 7: not TOML: string values must be quoted, expected literal string"),
    ("hops = 2", "hops",
     "line 7: not TOML: key with no value, expected `=`"),
    ("hops = 2", "hops = 2\nhops = 3",
     "line 8: not TOML: duplicate key"),
    ("[mac]", "[mac",
     "line 9: not TOML: unclosed table, expected `]`"),
    (r#"title = "good""#, r#"title = "good"#,
     r#"line 1: not TOML: invalid basic string, expected `"`"#),
    (GOOD, r#"{"duration_s": 10}"#,
     "line 1: not TOML: invalid key-value pair, expected key"),
    (GOOD, "",
     "topology: is missing: a scenario needs a topology"),
    (GOOD, "<html>",
     "line 1: not TOML: key with no value, expected `=`"),
];

#[test]
fn kinds_and_missing_keys() {
    check(KINDS_AND_MISSING_KEYS);
}

#[rustfmt::skip]
const KINDS_AND_MISSING_KEYS: &[Case] = &[
    (r#"kind = "chain""#, r#"kind = "ring""#,
     r#"line 6: topology.kind: must be one of "chain", "grid", "random", "positions", "parallel", "cross", "spindle", "setdest", "links" (got "ring")"#),
    ("kind = \"chain\"\n", "",
     r#"line 5: topology.kind: is missing; must be one of "chain", "grid", "random", "positions", "parallel", "cross", "spindle", "setdest", "links""#),
    ("hops = 2\n", "",
     "line 5: topology.hops: is missing"),
    ("duration_s = 10\n", "",
     "duration_s: is missing; must be a number of seconds"),
    ("[topology]\nkind = \"chain\"\nhops = 2", "",
     "topology: is missing: a scenario needs a topology"),
    ("[mac]", "[link]\nqueue = \"red\"\n[mac]",
     r#"line 10: link.queue: must be one of "routing-first", "drop-tail", "priority-classes", "codel", "fq-codel" (got "red")"#),
    ("[mac]", "[link.codel]\ntarget = 0.01\n[mac]",
     "line 10: link.codel.target: unknown key; did you mean `target_s`?"),
    ("[mac]", "[link.codel]\ntarget_s = 0\n[mac]",
     "line 10: link.codel.target_s: must be above 0 and at most 60 (got 0)"),
    ("[mac]", "[link.codel]\ntarget_s = 0.2\n[mac]",
     "line 9: link.codel.interval_s: must be 0.2 to 3600 (got 0.1)"),
    ("[mac]", "[link.codel]\nquantum_bytes = 0\n[mac]",
     "line 10: link.codel.quantum_bytes: must be 1 to 1000000 (got 0)"),
    ("[mac]", "[link.codel]\nflows = 100000\n[mac]",
     "line 10: link.codel.flows: must be 1 to 65536 (got 100000)"),
    ("[mac]", "[mobility]\nkind = \"brownian\"\n[mac]",
     r#"line 10: mobility.kind: must be one of "static", "random-waypoint", "setdest" (got "brownian")"#),
];

#[test]
fn keys_that_are_not_tables() {
    let cases = [
        ("radio = 3", "line 1: radio: must be a table (got 3)"),
        ("routing = true", "line 1: routing: must be a table (got true)"),
        ("link = 1979-05-27", "line 1: link: must be a table (got a date or time)"),
        ("mobility = [1]", "line 1: mobility: must be a table (got a list)"),
    ];
    for (head, expected) in cases {
        assert_eq!(message(&format!("{head}\n{GOOD}"), &[]), expected);
    }
}

#[test]
fn bounds() {
    check(BOUNDS);
}

#[rustfmt::skip]
const BOUNDS: &[Case] = &[
    ("duration_s = 10", "duration_s = nan",
     "line 2: duration_s: must be above 0 and at most 10000000 seconds (got NaN)"),
    ("duration_s = 10", "duration_s = inf",
     "line 2: duration_s: must be above 0 and at most 10000000 seconds (got inf)"),
    ("duration_s = 10", "duration_s = 0",
     "line 2: duration_s: must be above 0 and at most 10000000 seconds (got 0)"),
    ("duration_s = 10", "duration_s = -1",
     "line 2: duration_s: must be above 0 and at most 10000000 seconds (got -1)"),
    ("duration_s = 10", "duration_s = 1e8",
     "line 2: duration_s: must be above 0 and at most 10000000 seconds (got 100000000)"),
    ("seed = 1", "seed = -1",
     "line 3: seed: must be 0 to 9007199254740991 (got -1)"),
    ("seed = 1", "seed = 9007199254740992",
     "line 3: seed: must be 0 to 9007199254740991 (got 9007199254740992)"),
    ("hops = 2", "hops = 0",
     "line 7: topology.hops: must be 1 or more (got 0)"),
    ("hops = 2", "hops = 1000000",
     "line 7: topology.hops: makes 1000001 nodes; at most 1000000 are possible"),
    ("hops = 2", "hops = 2\nspacing_m = nan",
     "line 8: topology.spacing_m: must be above 0 and at most 10000000 metres (got NaN)"),
    ("hops = 2", "hops = 2\nspacing_m = 0",
     "line 8: topology.spacing_m: must be above 0 and at most 10000000 metres (got 0)"),
    (CHAIN, "kind = \"random\"\nnodes = 0\narea_m = [100, 100]",
     "line 7: topology.nodes: must be 1 or more (got 0)"),
    (CHAIN, "kind = \"random\"\nnodes = 4000000000\narea_m = [100, 100]",
     "line 7: topology.nodes: makes 4000000000 nodes; at most 1000000 are possible"),
    (CHAIN, "kind = \"random\"\nnodes = 3\narea_m = [100, 0]",
     "line 8: topology.area_m: must be above 0 and at most 10000000 metres (got 0)"),
    (CHAIN, "kind = \"random\"\nnodes = 3\narea_m = [100, 100]\nseed = -1",
     "line 9: topology.seed: must be a whole number, 0 or more (got -1)"),
    (CHAIN, "kind = \"random\"\nnodes = 3\narea_m = [100, 100]\nseed = 9007199254740992",
     "line 9: topology.seed: must be 0 to 9007199254740991 (got 9007199254740992)"),
    (CHAIN, "kind = \"grid\"\ncolumns = 70000\nrows = 70000",
     "line 7: topology.columns: makes 4900000000 nodes; at most 1000000 are possible"),
    (CHAIN, "kind = \"grid\"\ncolumns = 4294967295\nrows = 4294967295",
     "line 7: topology.columns: makes 18446744065119617025 nodes; at most 1000000 are possible"),
    (CHAIN, "kind = \"cross\"\nhops = 3",
     "line 7: topology.hops: must be even: 2, 4, 6, ... (got 3)"),
    (CHAIN, "kind = \"spindle\"\nhops = 2",
     "line 7: topology.hops: must be 3 or more (got 2)"),
    (CHAIN, "kind = \"parallel\"\nhops = 2\nstrings = 0",
     "line 8: topology.strings: must be 1 or more (got 0)"),
    (CHAIN, "kind = \"parallel\"\nhops = 2\nseparation_m = -1",
     "line 8: topology.separation_m: must be above 0 and at most 10000000 metres (got -1)"),
    (CHAIN, "kind = \"positions\"",
     "line 5: topology: must have positions_m or file"),
    (CHAIN, "kind = \"positions\"\npositions_m = [[0, 0]]\nfile = \"nodes.csv\"",
     "line 8: topology.file: cannot be given together with positions_m"),
    (CHAIN, "kind = \"positions\"\nfile = \"no/nodes.csv\"",
     "line 7: topology.file: no/nodes.csv does not exist"),
    (CHAIN, "kind = \"positions\"\nfile = \"Cargo.toml\"",
     "line 7: topology.file: Cargo.toml: line 1: must name columns x_m and y_m, or lat and lon, separated by commas (got other text)"),
    (CHAIN, "kind = \"positions\"\npositions_m = []",
     "line 7: topology.positions_m: must hold at least one position (got none)"),
    (CHAIN, "kind = \"positions\"\npositions_m = [[0, 0], [200, nan]]",
     "line 7: topology.positions_m.1: must be two numbers of at most 10000000 metres (got [200.0, NaN])"),
    (CHAIN, "kind = \"positions\"\npositions_m = [\n[0, 0],\n[200, inf]]",
     "line 9: topology.positions_m.1: must be two numbers of at most 10000000 metres (got [200.0, inf])"),
    ("short_retry_limit = 7", "short_retry_limit = 0",
     "line 10: mac.short_retry_limit: must be 1 or more, or inf (got 0)"),
    ("short_retry_limit = 7", "basic_rate_bps = 3e6",
     "line 10: mac.basic_rate_bps: must be at most data_rate_bps, 2000000 (got 3000000)"),
    ("short_retry_limit = 7", "data_rate_bps = 0",
     "line 10: mac.data_rate_bps: must be 1 to 1000000000000 (got 0)"),
    ("short_retry_limit = 7", "cw_min = 63\ncw_max = 31",
     "line 11: mac.cw_max: must be 63 to 1000000 (got 31)"),
    ("short_retry_limit = 7", "slot_s = 1e-10",
     "line 10: mac.slot_s: must be 0.000001 to 0.01 (got 0.0000000001)"),
    ("short_retry_limit = 7", "plcp_rate_bps = 0.5",
     "line 10: mac.plcp_rate_bps: must be 1 to 1000000000000 (got 0.5)"),
    ("short_retry_limit = 7", "phy = \"802.11b\"\ndata_rate_bps = 54e6",
     r#"line 11: mac.data_rate_bps: must be one of 1000000, 2000000, 5500000, 11000000 with phy "802.11b" (got 54000000)"#),
    ("short_retry_limit = 7", "phy = \"802.11b\"\nbasic_rate_bps = 3e6",
     r#"line 11: mac.basic_rate_bps: must be one of 1000000, 2000000, 5500000, 11000000 with phy "802.11b" (got 3000000)"#),
    ("short_retry_limit = 7", "phy = \"802.11b\"\nplcp_rate_bps = 1e6",
     r#"line 11: mac.plcp_rate_bps: can be given only with phy "dsss-1999" (got "802.11b")"#),
    ("short_retry_limit = 7", "phy = \"802.11b\"\npreamble_bits = 72",
     r#"line 11: mac.preamble_bits: can be given only with phy "dsss-1999" (got "802.11b")"#),
    ("short_retry_limit = 7", "preamble = \"short\"",
     r#"line 10: mac.preamble: can be given only with phy "802.11b" or "802.11g" (got "dsss-1999")"#),
    ("short_retry_limit = 7", "phy = \"802.11x\"",
     r#"line 10: mac.phy: must be one of "dsss-1999", "802.11b", "802.11a", "802.11g", "802.11n", "802.11ac", "802.11ax" (got "802.11x")"#),
    ("short_retry_limit = 7", "phy = \"802.11g\"\nchannel_mhz = 40",
     r#"line 11: mac.channel_mhz: can be given only with phy "802.11n" or "802.11ac" or "802.11ax" (got "802.11g")"#),
    ("short_retry_limit = 7", "phy = \"802.11a\"\ndata_rate_bps = 11e6",
     r#"line 11: mac.data_rate_bps: must be one of 6000000, 9000000, 12000000, 18000000, 24000000, 36000000, 48000000, 54000000 with phy "802.11a" (got 11000000)"#),
    ("short_retry_limit = 7", "phy = \"802.11a\"\npreamble = \"short\"",
     r#"line 11: mac.preamble: can be given only with phy "802.11b" or "802.11g" (got "802.11a")"#),
    ("short_retry_limit = 7", "phy = \"802.11a\"\nprotection = \"cts-to-self\"",
     r#"line 11: mac.protection: can be given only with phy "802.11g" (got "802.11a")"#),
    ("short_retry_limit = 7", "phy = \"802.11g\"\nprotection = \"rts\"",
     r#"line 11: mac.protection: must be one of "none", "cts-to-self" (got "rts")"#),
    ("short_retry_limit = 7", "phy = \"802.11g\"\nprotection = \"cts-to-self\"\nbasic_rate_bps = 6e6",
     r#"line 12: mac.basic_rate_bps: must be a rate of 802.11b with protection "cts-to-self" (got 6000000)"#),
    ("short_retry_limit = 7", "phy = \"802.11n\"\nchannel_mhz = 80",
     "line 11: mac.channel_mhz: must be 20 or 40 (got 80)"),
    ("short_retry_limit = 7", "phy = \"802.11n\"\nstreams = 3",
     "line 11: mac.streams: must be 1 or 2 (got 3)"),
    ("short_retry_limit = 7", "phy = \"802.11n\"\nband_ghz = 60",
     "line 11: mac.band_ghz: must be 2.4 or 5 (got 60)"),
    ("short_retry_limit = 7", "phy = \"802.11a\"\naggregate = 8",
     r#"line 11: mac.aggregate: can be given only with phy "802.11n" or "802.11ac" or "802.11ax" (got "802.11a")"#),
    ("short_retry_limit = 7", "aggregate_bytes = 8000",
     r#"line 10: mac.aggregate_bytes: can be given only with phy "802.11n" or "802.11ac" or "802.11ax" (got "dsss-1999")"#),
    ("short_retry_limit = 7", "phy = \"802.11g\"\naggregate_s = 1e-3",
     r#"line 11: mac.aggregate_s: can be given only with phy "802.11n" or "802.11ac" or "802.11ax" (got "802.11g")"#),
    ("short_retry_limit = 7", "phy = \"802.11n\"\naggregate = 0",
     "line 11: mac.aggregate: must be 1 to 64 (got 0)"),
    ("short_retry_limit = 7", "phy = \"802.11n\"\naggregate = 65",
     "line 11: mac.aggregate: must be 1 to 64 (got 65)"),
    ("short_retry_limit = 7", "phy = \"802.11n\"\naggregate = 8\naggregate_bytes = 65536",
     "line 12: mac.aggregate_bytes: must be 120 to 65535 (got 65536)"),
    ("short_retry_limit = 7", "phy = \"802.11n\"\naggregate = 8\naggregate_bytes = 119",
     "line 12: mac.aggregate_bytes: must be 120 to 65535 (got 119)"),
    ("short_retry_limit = 7", "phy = \"802.11n\"\naggregate = 8\naggregate_s = 0.01",
     "line 12: mac.aggregate_s: must be 0.000001 to 0.005484 (got 0.01)"),
    ("short_retry_limit = 7", "phy = \"802.11n\"\naggregate = 8\nscheme = \"semi-tcp\"",
     r#"line 11: mac.aggregate: must be 1 with scheme "semi-tcp", which admits packets one by one (got 8)"#),
    ("short_retry_limit = 7", "phy = \"802.11n\"\nmcs = 9",
     "line 11: mac.mcs: must be 0 to 7 with streams = 1 (got 9)"),
    ("short_retry_limit = 7", "phy = \"802.11n\"\nmcs = 3\ndata_rate_bps = 65e6",
     "line 11: mac.mcs: is 26000000 bit/s, but data_rate_bps is 65000000: give one of the two"),
    ("short_retry_limit = 7", "phy = \"802.11g\"\nmcs = 3",
     r#"line 11: mac.mcs: can be given only with phy "802.11n" or "802.11ac" or "802.11ax" (got "802.11g")"#),
    ("short_retry_limit = 7", "phy = \"802.11n\"\nbasic_rate_bps = 6.5e6",
     r#"line 11: mac.basic_rate_bps: must be one of 6000000, 9000000, 12000000, 18000000, 24000000, 36000000, 48000000, 54000000 with phy "802.11n" (got 6500000)"#),
    ("short_retry_limit = 7", "phy = \"802.11a\"\nbasic_rates_bps = [12e6]",
     "line 11: mac.basic_rates_bps: must contain basic_rate_bps, 6000000"),
    ("short_retry_limit = 7", "phy = \"802.11a\"\nbasic_rates_bps = [6e6, 11e6]",
     r#"line 11: mac.basic_rates_bps: must be one of 6000000, 9000000, 12000000, 18000000, 24000000, 36000000, 48000000, 54000000 with phy "802.11a" (got 11000000)"#),
    ("short_retry_limit = 7", "rate = \"fastest\"",
     r#"line 10: mac.rate: must be one of "fixed", "arf", "minstrel", "ideal" (got "fastest")"#),
    ("short_retry_limit = 7", "rate = \"minstrel\"",
     r#"line 10: mac.rate: must be "fixed" with phy "dsss-1999", which has one rate for data"#),
    ("short_retry_limit = 7", "phy = \"802.11a\"\nrate = \"ideal\"",
     r#"line 11: mac.rate: "ideal" can be given only with radio.reception "sinr" (got "threshold")"#),
    ("[mac]", "[radio]\nreception = \"sinr\"\n[mac]",
     r#"line 10: radio.reception: "sinr" needs a mac.phy with known error rates: "802.11b", "802.11a", "802.11g", "802.11n", "802.11ac" or "802.11ax""#),
    ("[mac]", "[radio]\nreception = \"both\"\n[mac]",
     r#"line 10: radio.reception: must be one of "threshold", "sinr" (got "both")"#),
    ("[mac]", "[radio]\ngains_db = [[0, 1, -80]]\n[mac]",
     r#"line 10: radio.gains_db: can be given only with propagation "measured" (got "two-ray-ground")"#),
    ("[mac]", "[radio]\nfile = \"gains.csv\"\n[mac]",
     r#"line 10: radio.file: can be given only with propagation "measured" (got "two-ray-ground")"#),
    ("[mac]", "[radio]\npropagation = \"measured\"\ngains_db = [[0, 1, -80]]\n[mac]",
     r#"line 10: radio.propagation: "measured" can be given only with reception "sinr" (got "threshold")"#),
    ("[mac]", "[radio]\npropagation = \"measured\"\nreception = \"sinr\"\n[mac]\nphy = \"802.11a\"",
     r#"line 9: radio.gains_db: must list at least one link with propagation "measured""#),
    ("[mac]", "[radio]\npropagation = \"measured\"\nreception = \"sinr\"\ngains_db = [[0, 700, -80]]\n[mac]\nphy = \"802.11a\"",
     "line 12: radio.gains_db: must join two nodes of 0 to 2 (got 0 and 700)"),
    ("[mac]", "[radio]\npropagation = \"measured\"\nreception = \"sinr\"\ngains_db = [[0, 1, 80]]\n[mac]\nphy = \"802.11a\"",
     "line 12: radio.gains_db: gain_db must be -300 to 30 (got 80 from 0 to 1)"),
    ("[mac]", "[radio]\npropagation = \"measured\"\nreception = \"sinr\"\ngains_db = [[0, 1, -80], [0, 1, -81]]\n[mac]\nphy = \"802.11a\"",
     "line 12: radio.gains_db: the link 0 to 1 is listed twice"),
    ("[mac]", "[radio]\npropagation = \"measured\"\nreception = \"sinr\"\nfile = \"no.csv\"\n[mac]\nphy = \"802.11a\"",
     "line 12: radio.file: no.csv does not exist"),
    ("[mac]", "[radio]\nshadowing_db = 6\n[mac]",
     r#"line 10: radio.shadowing_db: can be given only with reception "sinr" (got "threshold")"#),
    ("[mac]", "[radio]\nfading = \"rayleigh\"\n[mac]",
     r#"line 10: radio.fading: can be given only with reception "sinr" (got "threshold")"#),
    ("[mac]", "[radio]\nnoise_figure_db = 7\n[mac]",
     r#"line 10: radio.noise_figure_db: can be given only with reception "sinr" (got "threshold")"#),
    ("[mac]", "[radio]\ntransmit_power_dbm = 15\ntransmit_power_w = 0.1\n[mac]",
     "line 10: radio.transmit_power_dbm: cannot be given together with transmit_power_w"),
    ("[mac]", "[radio]\nreception = \"sinr\"\nfading = \"rice\"\n[mac]\nphy = \"802.11a\"",
     r#"line 11: radio.fading: must be one of "none", "rayleigh", "rician", "nakagami" (got "rice")"#),
    ("[mac]", "[radio]\nreception = \"sinr\"\nnakagami_m = 2\n[mac]\nphy = \"802.11a\"",
     r#"line 11: radio.nakagami_m: can be given only with fading "nakagami" (got "none")"#),
    ("[mac]", "[radio]\nreception = \"sinr\"\nfading = \"nakagami\"\nnakagami_m = 0.4\n[mac]\nphy = \"802.11a\"",
     "line 12: radio.nakagami_m: must be 0.5 to 100 (got 0.4)"),
    ("[mac]", "[radio]\nreception = \"sinr\"\nfading = \"rayleigh\"\nrician_k_db = 3\n[mac]\nphy = \"802.11a\"",
     r#"line 12: radio.rician_k_db: can be given only with fading "rician" (got "rayleigh")"#),
    ("[mac]", "[radio]\nreception = \"sinr\"\ncoherence_s = 0.1\n[mac]\nphy = \"802.11a\"",
     r#"line 11: radio.coherence_s: can be given only with fading (got "none")"#),
    ("[mac]", "[radio]\nreception = \"sinr\"\nfading = \"rayleigh\"\ncoherence_s = 0\n[mac]\nphy = \"802.11a\"",
     "line 12: radio.coherence_s: must be 0.000001 to 1000000 (got 0)"),
    ("[mac]", "[radio]\nreception = \"sinr\"\nshadowing_db = -1\n[mac]\nphy = \"802.11a\"",
     "line 11: radio.shadowing_db: must be 0 to 30 (got -1)"),
    ("short_retry_limit = 7", "preamble_bits = 4294967295",
     "line 10: mac.preamble_bits: must be 0 to 1000000 (got 4294967295)"),
    ("window_segments = 8", "clock_granularity_s = 0",
     "line 13: transport.clock_granularity_s: must be 0.000000001 to 10 (got 0)"),
    ("short_retry_limit = 7", "queue_packets = 1",
     "line 10: mac.queue_packets: must be 2 to 1000000 (got 1)"),
    ("[mac]", "[radio]\npath_loss_exponent = 3\n[mac]",
     r#"line 10: radio.path_loss_exponent: can be given only with propagation "log-distance" (got "two-ray-ground")"#),
    ("[mac]", "[radio]\npropagation = \"free-space\"\npath_loss_exponent = 2\n[mac]",
     r#"line 11: radio.path_loss_exponent: can be given only with propagation "log-distance" (got "free-space")"#),
    ("[mac]", "[radio]\npropagation = \"log-distance\"\nantenna_height_m = 1.5\n[mac]",
     r#"line 11: radio.antenna_height_m: can be given only with propagation "two-ray-ground" (got "log-distance")"#),
    ("[mac]", "[radio]\npropagation = \"log-distance\"\npath_loss_exponent = 0.5\n[mac]",
     "line 11: radio.path_loss_exponent: must be 1 to 10 (got 0.5)"),
    ("[mac]", "[radio]\nsense_range_m = 200\n[mac]",
     "line 10: radio.sense_range_m: must be at least receive_range_m, 250 (got 200)"),
    ("[mac]", "[radio]\nreceive_range_m = 600\n[mac]",
     "line 9: radio.sense_range_m: must be at least receive_range_m, 600 (got 550)"),
    ("[mac]", "[radio]\ncapture_db = nan\n[mac]",
     "line 10: radio.capture_db: must be 0 or more, or inf (got NaN)"),
    ("[mac]", "[radio]\ncapture_db = -inf\n[mac]",
     "line 10: radio.capture_db: must be 0 or more, or inf (got -inf)"),
    ("window_segments = 8", "pacing.rate_bps = 0",
     "line 13: transport.pacing.rate_bps: must be 1 to 1000000000000 (got 0)"),
    ("window_segments = 8", "pacing.history_samples = 0",
     "line 13: transport.pacing.history_samples: must be 1 to 1000000 (got 0)"),
    ("window_segments = 8", "probe_interval_s = 0",
     "line 13: transport.probe_interval_s: must be 0.001 to 3600 (got 0)"),
    ("window_segments = 8", "probe_backoff = 0.5",
     "line 13: transport.probe_backoff: must be 1 to 100 (got 0.5)"),
    ("window_segments = 8", "window_segments = 0",
     "line 13: transport.window_segments: must be 1 to 1000000 (got 0)"),
    ("window_segments = 8", "rto_min_s = 100",
     "line 13: transport.rto_min_s: must be above 0 and at most 60 (got 100)"),
    ("window_segments = 8", "window_segments = 0\n[[flows]]\nkind = \"ftp\"\nsource = 0\ndestination = 1\ntransport = { segment_bytes = 9 }",
     "line 13: transport.window_segments: must be 1 to 1000000 (got 0)"),
];

#[test]
fn an_error_in_an_override_has_no_line() {
    let cases = [
        ("duration_s", "-1", "duration_s: must be above 0 and at most 10000000 seconds (got -1)"),
        ("", "1", "is not a key path like mac.short_retry_limit"),
        ("mac.", "1", "mac.: is not a key path like mac.short_retry_limit"),
        (
            "mac.short_retry_limit.x",
            "1",
            "mac.short_retry_limit.x: there is no `x` in the scenario to set a value in",
        ),
        ("mac.short_retry_limit", "0", "mac.short_retry_limit: must be 1 or more, or inf (got 0)"),
        (
            "mac.shot_retry_limit",
            "1",
            "mac.shot_retry_limit: unknown key; did you mean `short_retry_limit`?",
        ),
        (
            "flows.7.source",
            "1",
            "flows.7.source: there is no `7` in the scenario to set a value in, only `0`",
        ),
        (
            "flows.x.source",
            "1",
            "flows.x.source: there is no `x` in the scenario to set a value in, only `0`",
        ),
        ("flows.1", "3", "flows.1: there is no `1` in the scenario to set a value in, only `0`"),
        (
            "flows.0.source",
            "nine",
            "flows.0.source: must be a node number, \"random\" or \"last\" (got \"nine\")",
        ),
        (
            "flows.0.stop_s",
            "0.5",
            "flows.0.stop_s: must be after start_s, 1, and at most 10000000 (got 0.5)",
        ),
        ("topology", "3", "topology: must be a table (got 3)"),
        ("topology", "{kind = \"chain\", hops = 0}", "topology.hops: must be 1 or more (got 0)"),
        ("radio.capture_db", "nan", "radio.capture_db: must be 0 or more, or inf (got NaN)"),
    ];
    for (path, value, expected) in cases {
        assert_eq!(message(GOOD, &[(path, value)]), expected);
    }
}

#[test]
fn an_error_in_a_table_of_which_an_override_has_set_a_part_has_no_line() {
    let overrides = [
        ("transport.scheme", "quic"),
        ("transport.segment_bytes", "1460"),
        ("transport.acks.delayed", "true"),
    ];
    let expected = "transport.acks: has no effect with scheme \"quic\": QUIC acknowledges by RFC 9000, section 13.2";
    assert_eq!(message(GOOD, &overrides), expected);
}

#[test]
fn an_override_does_not_change_the_lines_of_other_keys() {
    let got = message(&spoilt("stop_s = 9", "stop_s = 0"), &[("mac.short_retry_limit", "3")]);
    assert_eq!(
        got,
        "line 20: flows.0.stop_s: must be after start_s, 1, and at most 10000000 (got 0)"
    );
}

#[test]
fn a_placement_that_is_never_connected() {
    let random = "kind = \"random\"\nnodes = 5\narea_m = [100000, 100000]";
    let scenario = Scenario::from_toml(&spoilt(CHAIN, random), &[]).unwrap();
    assert_eq!(
        scenario.network(1).unwrap_err().to_string(),
        "topology.nodes: none of 1000 placements of 5 nodes was connected; use more nodes, a \
         smaller area, or connected = false"
    );
}

#[test]
fn tables_of_slots_that_give_no_turns() {
    check(SLOTS);
}

/// In place of `[mac]` and its first key.
const MAC: &str = "[mac]\nshort_retry_limit = 7";

#[rustfmt::skip]
const SLOTS: &[Case] = &[
    (MAC, "[mac]\naccess = \"tdma\"",
     "line 10: mac.access: \"tdma\" needs a table of slots: [mac.tdma]"),
    (MAC, "[mac.tdma]\nslot_s = 0.01\nslots = [0, 1, 2]",
     "line 9: mac.tdma: can be given only with access \"tdma\" (got \"dcf\")"),
    (MAC, "[mac]\naccess = \"tdma\"\n[mac.tdma]\nslot_s = 0.01",
     "line 11: mac.tdma.slots: is missing"),
    (MAC, "[mac]\naccess = \"tdma\"\n[mac.tdma]\nslot_s = 0.01\nslots = []",
     "line 13: mac.tdma.slots: must be 1 to 10000 slots (got 0)"),
    (MAC, "[mac]\naccess = \"tdma\"\n[mac.tdma]\nslot_s = 0.01\nslots = [0, 1]",
     "line 13: mac.tdma.slots: must give every node a slot (none for node 2)"),
    (MAC, "[mac]\naccess = \"tdma\"\n[mac.tdma]\nslot_s = 0.01\nslots = [0, 1, 2, 3]",
     "line 13: mac.tdma.slots: must be nodes, 0 to 2 (got 3 in slot 3)"),
    (MAC, "[mac]\naccess = \"tdma\"\n[mac.tdma]\nslot_s = 0.01\nslots = [0, \"x\", 2]",
     "line 13: mac.tdma.slots.1: must be a node or a list of nodes (got \"x\")"),
    (MAC, "[mac]\naccess = \"tdma\"\n[mac.tdma]\nslot_s = 0.01\nslots = 3",
     "line 13: mac.tdma.slots: must be a list (got 3)"),
    (MAC, "[mac]\naccess = \"tdma\"\n[mac.tdma]\nslot_s = 0.01\nslots = [0, [1, -2]]",
     "line 13: mac.tdma.slots.1: must be a node or a list of nodes (got [1, -2])"),
    (MAC, "[mac]\naccess = \"tdma\"\n[mac.tdma]\nslot_s = 0\nslots = [0, 1, 2]",
     "line 12: mac.tdma.slot_s: must be 0.00001 to 10 (got 0)"),
    (MAC, "[mac]\naccess = \"tdma\"\n[mac.tdma]\nslot_s = 0.01\nguard_s = 0.01\nslots = [0, 1, 2]",
     "line 13: mac.tdma.guard_s: must be 0 to 0.005 (got 0.01)"),
    (MAC, "[mac]\naccess = \"tdma\"\n[mac.tdma]\nslot_s = 0.005\nslots = [0, 1, 2]",
     "line 12: mac.tdma.slot_s: must hold a packet of flow 0: 1500 bytes and their ACK take 0.006642 s, and the slot leaves 0.004980 s before guard_s"),
    (MAC, "[mac]\naccess = \"tdma\"\nscheme = \"semi-tcp\"\n[mac.tdma]\nslot_s = 0.01\nslots = [0, 1, 2]",
     "line 11: mac.scheme: must be \"dcf\" with access \"tdma\""),
    (MAC, "[mac]\naccess = \"tdma\"\nphy = \"802.11a\"\nrate = \"arf\"\n[mac.tdma]\nslot_s = 0.01\nslots = [0, 1, 2]",
     "line 12: mac.rate: must be \"fixed\" with access \"tdma\""),
    (MAC, "[mac]\naccess = \"csma\"",
     "line 10: mac.access: must be one of \"dcf\", \"adaptive-csma\", \"ez-flow\", \"diffq\", \"tdma\", \"slot-reservation\" (got \"csma\")"),
    (MAC, "[mac.slot_reservation]",
     "line 9: mac.slot_reservation: can be given only with access \"slot-reservation\" (got \"dcf\")"),
    (MAC, "[mac]\naccess = \"slot-reservation\"\n[mac.slot_reservation]\nrounds = 0",
     "line 12: mac.slot_reservation.rounds: must be 1 to 16 (got 0)"),
    (MAC, "[mac]\naccess = \"slot-reservation\"\n[mac.slot_reservation]\npackets = 17",
     "line 12: mac.slot_reservation.packets: must be 1 to 16 (got 17)"),
    (MAC, "[mac]\naccess = \"slot-reservation\"\n[mac.slot_reservation]\nreturns = 17",
     "line 12: mac.slot_reservation.returns: must be 0 to 16 (got 17)"),
    (MAC, "[mac]\naccess = \"slot-reservation\"\n[mac.slot_reservation]\nbacklog_s = 0",
     "line 12: mac.slot_reservation.backlog_s: must be 0.001 to 1000000 (got 0)"),
    (MAC, "[mac]\naccess = \"slot-reservation\"\n[mac.slot_reservation]\nclock_error_s = 0.1",
     "line 12: mac.slot_reservation.clock_error_s: must be 0 to 0.001 (got 0.1)"),
    ("short_retry_limit = 7\n\n[transport]",
     "access = \"slot-reservation\"\n\n[transport]\ntimestamps = true",
     "line 10: mac.access: must not be \"slot-reservation\" for packets of flow 0: they have 1512 bytes, and a slot has room for 1500"),
    (MAC, "[mac]\naccess = \"slot-reservation\"\nscheme = \"semi-tcp\"",
     "line 11: mac.scheme: must be \"dcf\" with access \"slot-reservation\""),
    (MAC, "[mac.ez_flow]",
     "line 9: mac.ez_flow: can be given only with access \"ez-flow\" (got \"dcf\")"),
    (MAC, "[mac]\naccess = \"diffq\"\n[mac.adaptive_csma]\nweight = 1",
     "line 11: mac.adaptive_csma: can be given only with access \"adaptive-csma\" (got \"diffq\")"),
    (MAC, "[mac]\naccess = \"ez-flow\"\nscheme = \"semi-tcp\"",
     "line 11: mac.scheme: must be \"dcf\" with access \"ez-flow\""),
    (MAC, "[mac]\naccess = \"ez-flow\"\nphy = \"802.11n\"\naggregate = 8",
     "line 12: mac.aggregate: must be 1 with access \"ez-flow\""),
    (MAC, "[mac]\naccess = \"ez-flow\"\n[mac.ez_flow]\nleast_packets = 30",
     "line 12: mac.ez_flow.least_packets: must be 0 to 20 (got 30)"),
    (MAC, "[mac]\naccess = \"ez-flow\"\n[mac.ez_flow]\nmost_exponent = 16",
     "line 12: mac.ez_flow.most_exponent: must be 0 to 15 (got 16)"),
    (MAC, "[mac]\naccess = \"adaptive-csma\"\n[mac.adaptive_csma]\ngiven = [1.0, 2.0]",
     "line 12: mac.adaptive_csma.given: must have one number a node, 3 (got 2)"),
    (MAC, "[mac]\naccess = \"adaptive-csma\"\n[mac.adaptive_csma]\nwait = 1",
     "line 12: mac.adaptive_csma.wait: unknown key; allowed: vary, weight, most, given, unit_s, doubling"),
    (MAC, "[mac]\naccess = \"diffq\"\n[mac.diffq]\nwindows = []",
     "line 12: mac.diffq.windows: must be 1 to 16 windows (got 0)"),
    (MAC, "[mac]\naccess = \"diffq\"\n[link]\npacing = \"hop-by-hop\"",
     "line 12: link.pacing: must be \"none\" with mac.access \"diffq\", which orders packets itself"),
];
