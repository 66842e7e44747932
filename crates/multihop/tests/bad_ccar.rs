//! Invalid keys of CCAR, given links and scheduled events, and the one-line error for each.

use crate::spoilt::{Case, check};

#[test]
fn each_fault_is_named_in_a_line() {
    check(CASES);
}

#[rustfmt::skip]
const CASES: &[Case] = &[
    ("[mac]", "[routing]\nscheme = \"ccar\"\nvariant = \"h3\"\n[mac]",
     "line 11: routing.variant: must be one of \"h1\", \"h2\", \"h1-mod\" (got \"h3\")"),
    ("[mac]", "[routing]\nscheme = \"ccar\"\nw_tcp = 0\n[mac]",
     "line 11: routing.w_tcp: must be 0.000001 to 1000000 (got 0)"),
    ("[mac]", "[routing]\nscheme = \"ccar\"\nw_p = -1\n[mac]",
     "line 11: routing.w_p: must be 0 to 1000000 (got -1)"),
    ("[mac]", "[routing]\nscheme = \"ccar\"\nk = 0\n[mac]",
     "line 11: routing.k: must be 1 to 1000 (got 0)"),
    ("[mac]", "[routing]\nscheme = \"ccar\"\nlocal_repai = true\n[mac]",
     "line 11: routing.local_repai: unknown key; did you mean `local_repair`?"),
    ("[mac]", "[routing]\nscheme = \"ccar\"\nlocal_repair = true\n[mac]",
     "line 11: routing.local_repair: must be false: only sources and destinations ask for paths"),
    ("[mac]", "[routing]\nscheme = \"ccar\"\nintermediate_replies = true\n[mac]",
     "line 11: routing.intermediate_replies: must be false: relays do not know the centre's paths"),
    ("[mac]", "[routing]\nscheme = \"ccar\"\nring_start_ttl = 0\n[mac]",
     "line 11: routing.ring_start_ttl: must be 1 to 255 (got 0)"),
    ("[mac]", "[routing]\nscheme = \"ccar\"\nvariant = \"h2\"\n[mobility]\nkind = \"random-waypoint\"\nspeed_mps = [1, 5]\narea_m = [500, 500]\n[mac]",
     "line 11: routing.variant: cannot be \"h2\" if nodes move: it never changes a path"),
    ("kind = \"chain\"\nhops = 2", "kind = \"links\"\nnodes = 3\nlinks = [[0, 1], [1, 3]]",
     "line 8: topology.links.1: must be two different nodes, 0 to 2 (got 1 and 3)"),
    ("kind = \"chain\"\nhops = 2", "kind = \"links\"\nnodes = 3\nlinks = [[0, 1]]\nsensed = [[2, 2]]",
     "line 9: topology.sensed.0: must be two different nodes, 0 to 2 (got 2 and 2)"),
    ("kind = \"chain\"\nhops = 2", "kind = \"links\"\nnodes = 3\nlinks = [[0, 1]]\nsensed_m = 100",
     "line 9: topology.sensed_m: must be link_m, 200, or more (got 100)"),
    ("kind = \"chain\"\nhops = 2", "kind = \"links\"\nnodes = 3000\nlinks = []",
     "line 7: topology.nodes: must be 1 to 2000 (got 3000)"),
    ("kind = \"chain\"\nhops = 2", "kind = \"links\"\nnodes = 3\nlinks = []\n[mobility]\nkind = \"random-waypoint\"\nspeed_mps = [1, 5]\narea_m = [500, 500]",
     "line 10: mobility.kind: must be \"static\": given links do not move"),
    ("stop_s = 9", "stop_s = 9\n[[events]]\nkind = \"quake\"",
     "line 22: events.0.kind: must be one of \"link-failure\", \"link-cut\", \"link-restore\", \"node-kill\", \"node-restore\" (got \"quake\")"),
    ("stop_s = 9", "stop_s = 9\n[[events]]\nkind = \"link-failure\"\nnode = 0\nnext_hop = 3\nat_s = 1",
     "line 24: events.0.next_hop: must be a node, 0 to 2 (got 3)"),
    ("stop_s = 9", "stop_s = 9\n[[events]]\nkind = \"link-failure\"\nnode = 1\nnext_hop = 1\nat_s = 1",
     "line 24: events.0.next_hop: must differ from node"),
    ("stop_s = 9", "stop_s = 9\n[[events]]\nkind = \"link-failure\"\nnode = 0\nnext_hop = 1\nat_s = 10",
     "line 25: events.0.at_s: must be 0 or more and before duration_s, 10 (got 10)"),
    ("stop_s = 9", "stop_s = 9\n[[events]]\nkind = \"link-failure\"\nnode = 0\nnext_hop = 1",
     "line 21: events.0.at_s: is missing"),
];
