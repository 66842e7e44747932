"""CCAR and DCAR by a second way, from the paper's text; `python -m evidence.second ccar`.

Where the paper is silent: the baseline is AODV as ns-2 ships it, expanding ring included, but
without local repair, as the paper's route errors go to the source. CCAR's emulated requests
search in the same rings, so that a search costs both alike. DCAR floods: its relays hold copies
longer than a ring waits. Its collection timer grows with a node's weight, as equal timers cannot
give the routes that the paper prints.
"""

from __future__ import annotations

from evidence.second.measures import Settings, goodput

NEWRENO = {
    "scheme": "newreno",
    "link_failure": "standby",
    "segment_bytes": 1460,
    "window_segments": 8,
}


def random_network(seed: int) -> Settings:
    """Section III: 200 nodes, five connections that start a second apart and last 100 s."""
    flow = {"kind": "ftp", "source": "random", "destination": "random", "count": 5}
    return {
        "duration_s": 106,
        "topology": {"kind": "random", "nodes": 200, "area_m": [2500, 1000], "seed": seed},
        "flows": [flow | {"start_s": 1, "start_spacing_s": 1, "lifetime_s": 100}],
    }


ARMS: dict[str, Settings] = {
    "aodv": {"routing": {"scheme": "aodv", "local_repair": False}, "transport": NEWRENO},
    "ccar": {
        "routing": {"scheme": "ccar", "variant": "h1", "expanding_ring": True},
        "transport": NEWRENO,
    },
    "dcar": {
        "routing": {"scheme": "dcar", "rreq_collect": "proportional"},
        "transport": NEWRENO,
    },
}
PLAIN = {
    "scheme": "dcar",
    "rreq_collect": "fixed",
    "relay_collection_s": 0.005,
    "destination_collection_s": 0.05,
}
ARMS |= {
    "aodv, repair": ARMS["aodv"] | {"routing": {"scheme": "aodv"}},
    "dcar, repair": ARMS["dcar"] | {"routing": ARMS["dcar"]["routing"] | {"local_repair": True}},
    "dcar, 5 ms": {"routing": PLAIN | {"local_repair": False}, "transport": NEWRENO},
    "dcar, 5 ms, repair": {"routing": PLAIN | {"local_repair": True}, "transport": NEWRENO},
}
"""These four look for reasons: the first way's local repair, and its collection timer."""
NETWORKS = {"random": (random_network, 150, ("aodv", "ccar", "dcar"))}
MEASURES = {
    "within_4_hops": goodput(1, 4),
    "from_5_hops": goodput(5, 99),
    "from_7_hops": goodput(7, 99),
    "all": goodput(1, 99),
}

_CENTRAL = "With global knowledge long connections gain, those within four hops do not"
_SPREAD = "Distributed, long connections gain at the expense of short ones; little is left"
ROWS = [
    (_CENTRAL, "5 hops and more", "random", "ccar", "aodv", "from_5_hops", "pooled"),
    (_CENTRAL, "7 hops and more", "random", "ccar", "aodv", "from_7_hops", "pooled"),
    (_CENTRAL, "within 4 hops", "random", "ccar", "aodv", "within_4_hops", "pooled"),
    (_SPREAD, "within 4 hops", "random", "dcar", "aodv", "within_4_hops", "pooled"),
    (_SPREAD, "5 hops and more", "random", "dcar", "aodv", "from_5_hops", "pooled"),
    (_SPREAD, "all connections", "random", "dcar", "aodv", "all", "pooled"),
]

REASONS_TAKE = {
    "random": (60, ("aodv, repair", "dcar, repair", "dcar, 5 ms", "dcar, 5 ms, repair"))
}
REASONS = [
    ("reason", f"{label}, {what}", "random", over, under, what, "pooled")
    for what in ("within_4_hops", "from_5_hops")
    for label, over, under in (
        ("CCAR over AODV that repairs", "ccar", "aodv, repair"),
        ("DCAR, timer of 5 ms", "dcar, 5 ms", "aodv"),
        ("DCAR and AODV, both repair", "dcar, repair", "aodv, repair"),
        ("DCAR, timer of 5 ms, both repair", "dcar, 5 ms, repair", "aodv, repair"),
        ("AODV that repairs over AODV", "aodv, repair", "aodv"),
    )
]
