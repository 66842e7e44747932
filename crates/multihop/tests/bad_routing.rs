//! Keys of routing that cannot be run, and the one-line error for each.

use crate::spoilt::{Case, check};

#[test]
fn keys_of_routing() {
    check(KEYS);
}

#[rustfmt::skip]
const KEYS: &[Case] = &[
    ("[mac]", "[routing]\nscheme = \"static\"\nlocal_repair = true\n[mac]",
     "line 11: routing.local_repair: unknown key; allowed: scheme, routes"),
    ("[mac]", "[routing]\nring_start_ttl = 256\n[mac]",
     "line 10: routing.ring_start_ttl: must be a whole number, at most 255 (got 256)"),
    ("[mac]", "[routing]\nscheme = \"dsr\"\ncached_replies = \"some\"\n[mac]",
     r#"line 11: routing.cached_replies: must be one of "all", "ring-zero", "none" (got "some")"#),
    ("[mac]", "[routing]\nscheme = \"dsr\"\nsalvagin = false\n[mac]",
     "line 11: routing.salvagin: unknown key; did you mean `salvaging`?"),
    ("[mac]", "[routing]\nscheme = \"dsr\"\nmax_route_nodes = 1\n[mac]",
     "line 11: routing.max_route_nodes: must be 2 to 255 (got 1)"),
    ("[mac]", "[routing]\nscheme = \"dsr\"\nbuffer_check_s = [0.06, 0.03]\n[mac]",
     "line 11: routing.buffer_check_s: must be 0.06 to 1000000 (got 0.03)"),
    ("[mac]", "[routing]\nscheme = \"dsr\"\nflow_life_s = nan\n[mac]",
     "line 11: routing.flow_life_s: must be 0 to 1000000 (got NaN)"),
    ("[mac]", "[routing]\nscheme = \"multipath-aodv\"\npolicy = \"mdm\"\n[mac]",
     r#"line 11: routing.policy: must be one of "sp", "ap", "edm", "ndm" (got "mdm")"#),
    ("[mac]", "[routing]\nscheme = \"multipath-aodv\"\nmax_path = 2\n[mac]",
     "line 11: routing.max_path: unknown key; did you mean `max_paths`?"),
    ("[mac]", "[routing]\nscheme = \"multipath-aodv\"\nring_start_tl = 2\n[mac]",
     "line 11: routing.ring_start_tl: unknown key; did you mean `ring_start_ttl`?"),
    ("[mac]", "[routing]\nscheme = \"multipath-aodv\"\nring_start_ttl = 256\n[mac]",
     "line 11: routing.ring_start_ttl: must be a whole number, at most 255 (got 256)"),
    ("[mac]", "[routing]\nscheme = \"multipath-aodv\"\nmax_paths = 16\n[mac]",
     "line 11: routing.max_paths: must be 1 to 15 (got 16)"),
    ("[mac]", "[routing]\nscheme = \"multipath-aodv\"\nlength_factor = 0.9\n[mac]",
     "line 11: routing.length_factor: must be 1 to 100 (got 0.9)"),
    ("[mac]", "[routing]\nscheme = \"multipath-aodv\"\nweight_factor = 0.5\n[mac]",
     "line 11: routing.weight_factor: must be 1 to 1000000 (got 0.5)"),
    ("[mac]", "[routing]\nscheme = \"multipath-aodv\"\nweight_bound = nan\n[mac]",
     "line 11: routing.weight_bound: must be 1 to 1000000 (got NaN)"),
    ("[mac]", "[routing]\nscheme = \"multipath-aodv\"\nrtt_weight = 0\n[mac]",
     "line 11: routing.rtt_weight: must be 0.000001 to 1 (got 0)"),
    ("[mac]", "[routing]\nscheme = \"multipath-aodv\"\nstandby_on = \"first\"\n[mac]",
     r#"line 11: routing.standby_on: must be one of "any", "last" (got "first")"#),
    ("[mac]", "[routing]\nscheme = \"multipath-aodv\"\npolicy = \"edm\"\nlocal_repair = true\n[mac]",
     r#"line 12: routing.local_repair: must be false with policy "edm": the source has other paths"#),
    ("[mac]", "[routing]\nscheme = \"multipath-aodv\"\npolicy = \"ap\"\nintermediate_replies = true\n[mac]",
     r#"line 12: routing.intermediate_replies: must be false with policy "ap": only the destination knows of copies"#),
    ("[mac]", "[routing]\nscheme = \"multipath-aodv\"\npolicy = \"ndm\"\nhello_interval_s = 1\n[mac]",
     r#"line 12: routing.hello_interval_s: must be 0 with policy "ndm": the MAC reports broken links (got 1)"#),
    ("[mac]", "[routing]\nring_start_ttl = 0\n[mac]",
     "line 10: routing.ring_start_ttl: must be 1 to 255 (got 0)"),
    ("[mac]", "[routing]\nactive_route_timeout_s = nan\n[mac]",
     "line 10: routing.active_route_timeout_s: must be above 0 and at most 1000000 seconds (got NaN)"),
];
