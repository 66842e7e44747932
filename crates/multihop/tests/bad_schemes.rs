//! Invalid keys of schemes, and the one-line error for each.

use crate::spoilt::{Case, check, message, spoilt};
use multihop::schemes::Schemes;

#[test]
fn a_scheme_that_is_none_is_answered_with_those_that_are() {
    let text = spoilt("[mac]", "[routing]\nscheme = \"ospf\"\n[mac]");
    let names = Schemes::standard().routing_names().join("\", \"");
    let expected = format!("line 10: routing.scheme: must be one of \"{names}\" (got \"ospf\")");
    assert_eq!(message(&text, &[]), expected);
}

#[test]
fn wrong_keys_of_copas() {
    let cases: &[(&str, &str)] = &[
        ("t_backof_s = 1", "t_backof_s: unknown key; did you mean `t_backoff_s`?"),
        ("salvagin = true", "salvagin: unknown key; did you mean `salvaging`?"),
        ("t_backoff_s = 0", "t_backoff_s: must be 0.001 to 1000000 (got 0)"),
        ("alpha = 0", "alpha: must be above 0 and at most 1 (got 0)"),
        ("alpha = 1.5", "alpha: must be above 0 and at most 1 (got 1.5)"),
        ("t_collect_s = nan", "t_collect_s: must be 0 to 1000000 (got NaN)"),
        ("backoff_thres = -1", "backoff_thres: must be 0 to 1000000 (got -1)"),
        ("similar_hops = 256", "similar_hops: must be a whole number, at most 255 (got 256)"),
        ("replacement_spacing_s = -1", "replacement_spacing_s: must be 0 to 2000000 (got -1)"),
        ("paths = \"two\"", "paths: must be one of \"disjoint\", \"common\" (got \"two\")"),
        (
            "path_metric = \"load\"",
            "path_metric: must be one of \"contention\", \"hops\" (got \"load\")",
        ),
        (
            "copas_adjacent = \"both\"",
            "copas_adjacent: must be one of \"direct\", \"split\" (got \"both\")",
        ),
        ("repair = \"both\"", "repair: must be one of \"pair\", \"broken\" (got \"both\")"),
        (
            "repair = \"broken\"\npaths = \"common\"",
            "repair: must be \"pair\" with paths = \"common\", of which none is left",
        ),
        ("reply_jitter_s = -1", "reply_jitter_s: must be 0 to 1000000 (got -1)"),
        (
            "path_metric = \"hops\"",
            "replacement: must be false with path_metric = \"hops\", which ignores contention",
        ),
        (
            "cached_replies = \"all\"",
            "cached_replies: must be \"none\": with COPAS only the target of a request replies",
        ),
        (
            "flow_state = true",
            "flow_state: must be false: COPAS adds contention to the source route of each packet",
        ),
        ("max_route_nodes = 1", "max_route_nodes: must be 2 to 255 (got 1)"),
    ];
    for &(keys, expected) in cases {
        let text = spoilt("[mac]", &format!("[routing]\nscheme = \"copas\"\n{keys}\n[mac]"));
        let line =
            if expected.starts_with(keys.split(' ').next().expect("a key")) { 11 } else { 9 };
        assert_eq!(message(&text, &[]), format!("line {line}: routing.{expected}"));
    }
}

#[test]
fn wrong_keys_of_dcar() {
    let cases: &[(&str, &str)] = &[
        ("ideal = 4", "ideal: must be 0 to 3 (got 4)"),
        ("wide_helo = true", "wide_helo: unknown key; did you mean `wide_hello`?"),
        ("local_repai = true", "local_repai: unknown key; did you mean `local_repair`?"),
        (
            "ideal = 1\nwide_hello = true",
            "wide_hello: must be false with an ideal version, which sends no HELLOs (got true)",
        ),
        (
            "intermediate_replies = true",
            "intermediate_replies: must be false: only the destination answers in DCAR (got true)",
        ),
        ("hello_interval_s = 0", "hello_interval_s: must be above 0 without ideal 2 or 3 (got 0)"),
        (
            "rreq_collect = \"best\"",
            "rreq_collect: must be one of \"fixed\", \"proportional\", \"improve\" (got \"best\")",
        ),
        ("w_p = -1", "w_p: must be 0 to 1000 (got -1)"),
        ("w_tcp = nan", "w_tcp: must be 0 to 1000 (got NaN)"),
        ("relay_collection_s = 0", "relay_collection_s: must be above 0 and at most 1000 (got 0)"),
        (
            "destination_collection_s = 0",
            "destination_collection_s: must be above 0 and at most 1000 (got 0)",
        ),
        ("hello_jitter = 1.5", "hello_jitter: must be 0 to 1 (got 1.5)"),
        ("alive_max_s = 0.4", "alive_max_s: must be 0.5 to 1000000 (got 0.4)"),
        ("interval_weight = 2", "interval_weight: must be above 0 and at most 1 (got 2)"),
        ("ring_start_ttl = 0", "ring_start_ttl: must be 1 to 255 (got 0)"),
    ];
    for (keys, expected) in cases {
        let text = spoilt("[mac]", &format!("[routing]\nscheme = \"dcar\"\n{keys}\n[mac]"));
        let line = 11 + keys.matches('\n').count();
        let key = expected.split_once(':').expect("a key").0;
        let line = if key == "wide_hello" { line } else { 11 };
        assert_eq!(message(&text, &[]), format!("line {line}: routing.{expected}"), "{keys}");
    }
}

#[test]
fn wrong_keys_of_etx() {
    let cases: &[(&str, &str)] = &[
        (
            "probe_intervall_s = 1",
            "probe_intervall_s: unknown key; did you mean `probe_interval_s`?",
        ),
        ("local_repai = true", "local_repai: unknown key; did you mean `local_repair`?"),
        ("probe_interval_s = 0", "probe_interval_s: must be 0.001 to 1000 (got 0)"),
        ("probe_jitter = 1.5", "probe_jitter: must be 0 to 1 (got 1.5)"),
        ("probe_bytes = 19", "probe_bytes: must be 20 to 2000 (got 19)"),
        ("probe_bytes = -1", "probe_bytes: must be a whole number, 0 or more (got -1)"),
        ("window_s = 0.5", "window_s: must be 1 to 1000 (got 0.5)"),
        ("window_s = nan", "window_s: must be 1 to 1000 (got NaN)"),
        ("improve_limit = 1.5", "improve_limit: must be a whole number, 0 or more (got 1.5)"),
        ("hello_interval_s = 1", "hello_interval_s: must be 0: probes measure the links (got 1)"),
        (
            "intermediate_replies = true",
            "intermediate_replies: must be false: only the node sought answers with ETX (got true)",
        ),
        ("ring_start_ttl = 0", "ring_start_ttl: must be 1 to 255 (got 0)"),
        ("metric = \"hops\"", "metric: must be one of \"etx\", \"airtime\" (got \"hops\")"),
    ];
    wrong_keys_of("aodv-etx", cases);
}

#[test]
fn wrong_keys_of_routes_by_whom_they_disturb() {
    let cases: &[(&str, &str)] = &[
        ("hop_costs = 1", "hop_costs: unknown key; did you mean `hop_cost`?"),
        ("hop_cost = -1", "hop_cost: must be a whole number, 0 or more (got -1)"),
        ("hop_cost = 1000001", "hop_cost: must be 0 to 1000000 (got 1000001)"),
        ("neighbour_life_s = 0", "neighbour_life_s: must be 0.001 to 1000000 (got 0)"),
        (
            "intermediate_replies = true",
            "intermediate_replies: must be false: only the node sought answers, to the best copy (got true)",
        ),
    ];
    wrong_keys_of("aodv-iru", cases);
}

#[test]
fn wrong_keys_of_dsr_by_etx() {
    let cases: &[(&str, &str)] = &[
        ("metrik = \"etx\"", "metrik: unknown key; did you mean `metric`?"),
        ("probe_interval_s = 0", "probe_interval_s: must be 0.001 to 1000 (got 0)"),
        ("max_route_nodes = 1", "max_route_nodes: must be 2 to 255 (got 1)"),
        (
            "cached_replies = \"ring-zero\"",
            "cached_replies: must be \"none\": only the node sought answers with ETX",
        ),
        (
            "ring_zero_search = true",
            "ring_zero_search: must be false: neighbours too are sought over all paths (got true)",
        ),
        (
            "gratuitous_replies = true",
            "gratuitous_replies: must be false: a shorter path may be a worse one (got true)",
        ),
        (
            "flow_state = true",
            "flow_state: must be false: every packet carries its route and the links' metrics (got true)",
        ),
    ];
    wrong_keys_of("dsr-etx", cases);
}

#[test]
fn wrong_keys_of_babel() {
    let cases: &[(&str, &str)] = &[
        ("helo_interval_s = 1", "helo_interval_s: unknown key; did you mean `hello_interval_s`?"),
        ("metric = \"hops\"", "metric: must be one of \"etx\", \"k-out-of-j\" (got \"hops\")"),
        ("hello_interval_s = 0", "hello_interval_s: must be 0.01 to 200 (got 0)"),
        ("hello_interval_s = 201", "hello_interval_s: must be 0.01 to 200 (got 201)"),
        (
            "hello_interval_s = 180",
            "hello_interval_s: must be at most 163.75 without update_interval_s, whose default is 4 times as long (got 180)",
        ),
        ("update_interval_s = 656", "update_interval_s: must be 0.01 to 655 (got 656)"),
        ("update_interval_s = nan", "update_interval_s: must be 0.01 to 655 (got NaN)"),
        ("jitter = 0.6", "jitter: must be 0 to 0.5 (got 0.6)"),
        ("ihu_interval_hellos = 4", "ihu_interval_hellos: must be 1 to 3 (got 4)"),
        ("ihu_hold_intervals = 0.5", "ihu_hold_intervals: must be 1 to 100 (got 0.5)"),
        ("route_expiry_intervals = 0", "route_expiry_intervals: must be 1 to 100 (got 0)"),
        ("request_timeout_s = inf", "request_timeout_s: must be 0.01 to 1000 (got inf)"),
        ("request_retries = 11", "request_retries: must be 0 to 10 (got 11)"),
        ("request_hop_count = 0", "request_hop_count: must be 1 to 255 (got 0)"),
        ("urgent_timeout_s = 0", "urgent_timeout_s: must be 0.01 to 10 (got 0)"),
        ("urgent_copies = 6", "urgent_copies: must be 1 to 5 (got 6)"),
        ("source_gc_s = 0", "source_gc_s: must be 1 to 1000000 (got 0)"),
        ("significant_change = 0", "significant_change: must be 1 to 65535 (got 0)"),
        ("smoothing_hellos = -1", "smoothing_hellos: must be 0 to 100 (got -1)"),
        ("etx_window = 17", "etx_window: must be 1 to 16 (got 17)"),
        ("sensing_k = 4", "sensing_k: must be at most sensing_j, 3 (got 4)"),
        ("sensing_j = 0", "sensing_j: must be 1 to 16 (got 0)"),
        ("nominal_cost = 0", "nominal_cost: must be 1 to 65534 (got 0)"),
        ("mtu_bytes = 500", "mtu_bytes: must be 1280 to 2304 (got 500)"),
        ("packet_spacing_s = 2", "packet_spacing_s: must be 0 to 1 (got 2)"),
    ];
    wrong_keys_of("babel", cases);
}

fn wrong_keys_of(scheme: &str, cases: &[(&str, &str)]) {
    for (keys, expected) in cases {
        let text = spoilt("[mac]", &format!("[routing]\nscheme = \"{scheme}\"\n{keys}\n[mac]"));
        assert_eq!(message(&text, &[]), format!("line 11: routing.{expected}"), "{keys}");
    }
}

#[test]
fn hop_by_hop_rate_control() {
    check(HOP_BY_HOP);
}

#[rustfmt::skip]
const HOP_BY_HOP: &[Case] = &[
    ("[transport]", "[link]\npacing = \"hop\"\n\n[transport]",
     "line 13: link.pacing: must be one of \"none\", \"hop-by-hop\" (got \"hop\")"),
    ("[transport]", "[link.hop_by_hop]\npackets = 2\n\n[transport]",
     "line 13: link.hop_by_hop.packets: unknown key; did you mean `packets_ahead`?"),
    ("[transport]", "[link.hop_by_hop]\npackets_ahead = 0\n\n[transport]",
     "line 13: link.hop_by_hop.packets_ahead: must be 1 to 1000 (got 0)"),
    ("[transport]", "[link.hop_by_hop]\nrest = -1.0\n\n[transport]",
     "line 13: link.hop_by_hop.rest: must be 0 to 100 (got -1)"),
    ("[transport]", "[link.hop_by_hop]\npatience = 0.5\n\n[transport]",
     "line 13: link.hop_by_hop.patience: must be 1 to 1000 (got 0.5)"),
    ("[transport]", "[link.hop_by_hop]\npatience_s = [1.0, 0.5]\n\n[transport]",
     "line 13: link.hop_by_hop.patience_s: must be 1 to 3600 (got 0.5)"),
    ("[transport]", "[link.hop_by_hop]\ninitial_patience_s = 3.0\n\n[transport]",
     "line 13: link.hop_by_hop.initial_patience_s: must be above 0 and at most 2 (got 3)"),
    ("[transport]", "[link.hop_by_hop]\nkeep_s = -1.0\n\n[transport]",
     "line 13: link.hop_by_hop.keep_s: must be 0 to 3600 (got -1)"),
    ("[transport]", "[link.hop_by_hop]\nlead = -1.0\n\n[transport]",
     "line 13: link.hop_by_hop.lead: must be 0 to 1000 (got -1)"),
    ("[transport]", "[link.hop_by_hop]\nmemory_s = 0.0\n\n[transport]",
     "line 13: link.hop_by_hop.memory_s: must be above 0 and at most 3600 (got 0)"),
    ("[mac]\nshort_retry_limit = 7\n\n[transport]", "[mac]\nscheme = \"semi-tcp\"\n\n[link]\npacing = \"hop-by-hop\"\n\n[transport]",
     "line 13: link.pacing: must be \"none\" with mac.scheme \"semi-tcp\", which holds packets back itself"),
    ("window_segments = 8", "scheme = \"semi-tcp\"\necn = true",
     "line 14: transport.ecn: must be false with scheme \"semi-tcp\", which has no window to reduce"),
    ("window_segments = 8", "scheme = \"semi-tcp\"\nrecovery.scheme = \"sack\"",
     "line 14: transport.recovery.scheme: can't be set with scheme \"semi-tcp\", which repairs losses its own way"),
    ("window_segments = 8", "scheme = \"semi-tcp\"\nfree_acks = true",
     "line 14: transport.free_acks: must be false with scheme \"semi-tcp\", whose acknowledgments are selective"),
    ("window_segments = 8", "scheme = \"semi-tcp\"\npacing.scheme = \"rate\"",
     "line 14: transport.pacing.scheme: must be \"none\" with scheme \"semi-tcp\", whose segments leave as the node has room"),
    ("window_segments = 8", "scheme = \"tcp-ap\"\npacing.scheme = \"none\"",
     "line 14: transport.pacing.scheme: must be \"tcp-ap\" with scheme \"tcp-ap\", which is newreno with that pacing"),
    ("window_segments = 8", "pacing.scheme = \"fast\"",
     "line 13: transport.pacing.scheme: must be one of \"none\", \"tcp-ap\", \"rate\" (got \"fast\")"),
];

#[test]
fn semi_tcp() {
    check(SEMI_TCP);
}

#[rustfmt::skip]
const SEMI_TCP: &[Case] = &[
    ("short_retry_limit = 7", "scheme = \"semi-tcp\"\nrts_threshold_bytes = 500",
     "line 11: mac.rts_threshold_bytes: must be 0 with scheme \"semi-tcp\", whose congestion control is in RTS and CTS"),
    ("short_retry_limit = 7", "semi.congestion_threshold_packets = 0",
     "line 10: mac.semi.congestion_threshold_packets: must be 1 to 49 (got 0)"),
    ("short_retry_limit = 7", "semi.congestion_threshold_packets = 4294967295",
     "line 10: mac.semi.congestion_threshold_packets: must be 1 to 49 (got 4294967295)"),
    ("short_retry_limit = 7", "semi.deadlock_packets = 48",
     "line 10: mac.semi.deadlock_packets: must leave T_c + m + g at most queue_packets - 1, 49 (T_c + m is 2)"),
    ("short_retry_limit = 7", "semi.release_frames = 0",
     "line 10: mac.semi.release_frames: must be 1 to 1000 (got 0)"),
    ("short_retry_limit = 7", "semi.mark_lifetime_s = 0",
     "line 10: mac.semi.mark_lifetime_s: must be above 0 and at most 60 (got 0)"),
    ("short_retry_limit = 7", "semi.profile = \"mine\"",
     "line 10: mac.semi.profile: must be one of \"paper\", \"author\" (got \"mine\")"),
    ("short_retry_limit = 7", "semi.other_rtsc = \"ctsc\"",
     "line 10: mac.semi.other_rtsc: must be one of \"silent\", \"rtsc\" (got \"ctsc\")"),
    ("short_retry_limit = 7", "semi.source_buffer_packets = 0",
     "line 10: mac.semi.source_buffer_packets: must be 1 to 1000000 (got 0)"),
    ("window_segments = 8", "scheme = \"semi-tcp\"\nlink_failure = \"standby\"",
     "line 14: transport.link_failure: must be \"ignore\" with scheme \"semi-tcp\", which has no window to keep"),
    ("window_segments = 8", "semi.stored_acks = 0",
     "line 13: transport.semi.stored_acks: must be 1 to 1000000 (got 0)"),
    ("window_segments = 8", "semi.max_unacknowledged_segments = 0",
     "line 13: transport.semi.max_unacknowledged_segments: must be 1 or more, or inf (got 0)"),
    ("window_segments = 8", "semi.repair = \"all\"",
     "line 13: transport.semi.repair: must be one of \"timeout\", \"partial\" (got \"all\")"),
    ("window_segments = 8", "semi.answer_every = 1000001",
     "line 13: transport.semi.answer_every: must be 0 to 1000000 (got 1000001)"),
    ("window_segments = 8", "semi.answer_every = 8\nsemi.out_of_order_acks = \"selective\"",
     "line 13: transport.semi.answer_every: must be 0 unless out_of_order_acks is \"silent\", as every segment is answered else (got 8)"),
    ("window_segments = 8", "semi.out_of_order_acks = \"sack\"",
     "line 13: transport.semi.out_of_order_acks: must be one of \"silent\", \"selective\", \"duplicate\" (got \"sack\")"),
];

#[test]
fn wrong_keys_of_olsr_and_dsdv() {
    let olsr: &[(&str, &str)] = &[
        (
            "hello_intervall_s = 1",
            "hello_intervall_s: unknown key; did you mean `hello_interval_s`?",
        ),
        ("hello_interval_s = 0", "hello_interval_s: must be 0.001 to 1000 (got 0)"),
        ("tc_interval_s = -5", "tc_interval_s: must be 0.001 to 1000 (got -5)"),
        ("neighb_hold_time_s = 1", "neighb_hold_time_s: must be 2 to 3968 (got 1)"),
        ("top_hold_time_s = 4", "top_hold_time_s: must be 5 to 3968 (got 4)"),
        ("dup_hold_time_s = -1", "dup_hold_time_s: must be 0 to 3968 (got -1)"),
        ("max_jitter_s = 2", "max_jitter_s: must be 0 to 1 (got 2)"),
        ("willingness = 8", "willingness: must be 0 to 7 (got 8)"),
        ("mpr_coverage = 0", "mpr_coverage: must be 1 to 1000 (got 0)"),
        ("tc_redundancy = 3", "tc_redundancy: must be 0 to 2 (got 3)"),
        ("hyst_scaling = 1.5", "hyst_scaling: must be 0 to 1 (got 1.5)"),
        ("hyst_threshold_low = 0.9", "hyst_threshold_low: must be 0 to 0.8 (got 0.9)"),
        ("metric = \"hop\"", "metric: must be one of \"hops\", \"etx\" (got \"hop\")"),
        ("link_quality_window = 10", "link_quality_window: has no effect unless metric = \"etx\""),
        (
            "metric = \"etx\"\nlink_quality_window = 65",
            "link_quality_window: must be 1 to 64 (got 65)",
        ),
    ];
    let dsdv: &[(&str, &str)] = &[
        (
            "update_intervals_s = 1",
            "update_intervals_s: unknown key; did you mean `update_interval_s`?",
        ),
        ("update_interval_s = 0", "update_interval_s: must be 0.001 to 10000 (got 0)"),
        ("update_jitter = 1", "update_jitter: must be 0 to 0.9 (got 1)"),
        ("missed_updates = 0", "missed_updates: must be 1 to 1000 (got 0)"),
        ("settling_weight = 2", "settling_weight: must be 0 to 1 (got 2)"),
        ("trigger_spacing_s = 0", "trigger_spacing_s: must be 0.001 to 10000 (got 0)"),
        ("buffer_packets = 100000", "buffer_packets: must be 0 to 10000 (got 100000)"),
    ];
    for (scheme, cases) in [("olsr", olsr), ("dsdv", dsdv)] {
        check_keys(scheme, cases);
    }
}

#[test]
fn wrong_keys_of_hwmp_and_batman() {
    let hwmp: &[(&str, &str)] = &[
        ("target_onli = true", "target_onli: unknown key; did you mean `target_only`?"),
        ("net_diameter = 0", "net_diameter: must be 1 to 255 (got 0)"),
        ("max_preq_retries = 256", "max_preq_retries: must be 0 to 255 (got 256)"),
        ("preq_min_interval_s = 0", "preq_min_interval_s: must be 0.001 to 100 (got 0)"),
        ("maintenance_interval_s = -1", "maintenance_interval_s: must be 0.001 to 100000 (got -1)"),
        ("beacon_interval_s = 68", "beacon_interval_s: must be 0.001 to 67 (got 68)"),
        ("peer_hold_s = 1", "peer_hold_s: must be 1.024 to 100000 (got 1)"),
        ("max_jitter_s = 2", "max_jitter_s: must be 0 to 1 (got 2)"),
        (
            "root_mode = \"tree\"",
            "root_mode: must be one of \"none\", \"preq\", \"preq-with-prep\", \"rann\" (got \"tree\")",
        ),
        ("root = 1", "root: has no effect unless root_mode is set"),
        ("root_mode = \"rann\"\nroot = 1000000", "root: must be a node, 0 to 2 (got 1000000)"),
    ];
    let batman: &[(&str, &str)] = &[
        ("hop_penalti = 1", "hop_penalti: unknown key; did you mean `hop_penalty`?"),
        ("hop_penalty = 256", "hop_penalty: must be a whole number, at most 255 (got 256)"),
        ("originator_interval_s = 0", "originator_interval_s: must be 0.001 to 1000 (got 0)"),
        ("jitter_s = 0.6", "jitter_s: must be 0 to 0.5 (got 0.6)"),
        ("local_window = 65", "local_window: must be 1 to 64 (got 65)"),
        ("global_window = 0", "global_window: must be 1 to 64 (got 0)"),
        ("ttl = 0", "ttl: must be 1 to 255 (got 0)"),
        ("aggregation_s = 2", "aggregation_s: must be 0 to 1 (got 2)"),
        ("purge_timeout_s = 0.5", "purge_timeout_s: must be 1 to 100000 (got 0.5)"),
    ];
    for (scheme, cases) in [("hwmp", hwmp), ("batman", batman)] {
        check_keys(scheme, cases);
    }
}

#[test]
fn wrong_keys_of_olsrv2() {
    let cases: &[(&str, &str)] = &[
        (
            "hello_intervall_s = 1",
            "hello_intervall_s: unknown key; did you mean `hello_interval_s`?",
        ),
        ("hello_interval_s = 0", "hello_interval_s: must be 0.001 to 1000 (got 0)"),
        ("tc_interval_s = -5", "tc_interval_s: must be 0.001 to 1000 (got -5)"),
        (
            "hello_min_interval_s = 1",
            "hello_min_interval_s: has no effect unless responsive_hellos = true",
        ),
        ("hello_min_interval_s = 3", "hello_min_interval_s: must be 0 to 2 (got 3)"),
        ("h_hold_time_s = 1", "h_hold_time_s: must be 2 to 100000 (got 1)"),
        ("l_hold_time_s = -1", "l_hold_time_s: must be 0 to 100000 (got -1)"),
        ("tc_min_interval_s = 6", "tc_min_interval_s: must be 0 to 5 (got 6)"),
        ("t_hold_time_s = 4", "t_hold_time_s: must be 5 to 100000 (got 4)"),
        ("a_hold_time_s = -1", "a_hold_time_s: must be 0 to 100000 (got -1)"),
        ("rx_hold_time_s = -1", "rx_hold_time_s: must be 0 to 100000 (got -1)"),
        ("max_jitter_s = 2", "max_jitter_s: must be 0 to 1 (got 2)"),
        ("tc_hop_limit = 0", "tc_hop_limit: must be 1 to 255 (got 0)"),
        ("will_flooding = 16", "will_flooding: must be 0 to 15 (got 16)"),
        ("will_routing = 16", "will_routing: must be 0 to 15 (got 16)"),
        ("hyst_accept = 2", "hyst_accept: must be 0 to 1 (got 2)"),
        ("hyst_accept = 0.5\nhyst_reject = 0.6", "hyst_reject: must be 0 to 0.5 (got 0.6)"),
        ("hyst_scaling = 1.5", "hyst_scaling: must be 0 to 1 (got 1.5)"),
        (
            "hyst_reject = 0.5\ninitial_quality = 0.4",
            "initial_quality: must be at least hyst_reject = 0.5 unless links begin pending (got 0.4)",
        ),
        (
            "initial_pending = true",
            "initial_quality: must be below hyst_accept = 1 where links begin pending (got 1)",
        ),
        (
            "link_layer_notification = true",
            "link_layer_notification: has no effect unless hyst_reject is above 0",
        ),
        ("metric = \"airtime\"", "metric: must be one of \"hops\", \"dat\" (got \"airtime\")"),
        ("dat_memory_length = 10", "dat_memory_length: has no effect unless metric = \"dat\""),
        (
            "dat_refresh_interval_s = 2",
            "dat_refresh_interval_s: has no effect unless metric = \"dat\"",
        ),
        ("metric = \"dat\"\ndat_memory_length = 0", "dat_memory_length: must be 1 to 1000 (got 0)"),
    ];
    check_keys("olsrv2", cases);
}

fn check_keys(scheme: &str, cases: &[(&str, &str)]) {
    for &(keys, expected) in cases {
        let text = spoilt("[mac]", &format!("[routing]\nscheme = \"{scheme}\"\n{keys}\n[mac]"));
        let fault = message(&text, &[]);
        assert!(fault.ends_with(&format!(": routing.{expected}")), "{keys}: {fault}");
    }
}
