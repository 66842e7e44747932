"""SP, AP and EDM by a second way, from the paper's text; `python -m evidence.second multipath`.

Where the paper is silent: the single path is AODV with the flood that section II describes, whose
relays answer from their routes (the paper forbids that to the multipath protocol alone) and
repair nothing themselves, as its route errors go to the source. Distance is that of the placement.
"""

from __future__ import annotations

from evidence.second.measures import Settings, goodput

NEWRENO = {
    "scheme": "newreno",
    "link_failure": "standby",
    "segment_bytes": 1460,
    "window_segments": 8,
    "duplicate_ack_threshold": 5,
}


def random_network(seed: int) -> Settings:
    """Section IV: 200 nodes, ten connections that start a second apart and last 100 s."""
    flow = {"kind": "ftp", "source": "random", "destination": "random", "count": 10}
    return {
        "duration_s": 111,
        "topology": {"kind": "random", "nodes": 200, "area_m": [2500, 1000], "seed": seed},
        "flows": [flow | {"start_s": 1, "start_spacing_s": 1, "lifetime_s": 100}],
        "transport": NEWRENO,
    }


def multipath(policy: str) -> Settings:
    """Section II and III: three paths at most, 1.3 times the shortest, R = 1 and U = 5."""
    return {
        "routing": {
            "scheme": "multipath-aodv",
            "policy": policy,
            "max_paths": 3,
            "length_factor": 1.3,
            "weight_factor": 1,
            "weight_bound": 5,
        }
    }


ARMS: dict[str, Settings] = {
    "sp": {"routing": {"scheme": "aodv", "expanding_ring": False, "local_repair": False}},
    "ap": multipath("ap"),
    "edm": multipath("edm"),
    "sp, rings": {"routing": {"scheme": "aodv", "local_repair": False}},
    "sp, repair": {"routing": {"scheme": "aodv", "expanding_ring": False}},
}
"""The last two look for reasons: one each of what the first way's single path has besides."""
NETWORKS = {"random": (random_network, 90, ("sp", "ap", "edm"))}
MEASURES = {
    "below_5_hops": goodput(1, 4),
    "beyond_5_hops": goodput(6, 99),
    "all": goodput(1, 99),
}

_GAIN = "Several paths at once help long connections and cost short ones a little"
_ALTERNATE = "One path after the other does almost the same as all at once"
ROWS = [
    (_GAIN, "beyond 5 hops", "random", "edm", "sp", "beyond_5_hops", "pooled"),
    (_GAIN, "below 5 hops", "random", "edm", "sp", "below_5_hops", "pooled"),
    (_ALTERNATE, "beyond 5 hops", "random", "ap", "edm", "beyond_5_hops", "pooled"),
    (_ALTERNATE, "all connections", "random", "ap", "edm", "all", "pooled"),
]

REASONS_TAKE = {"random": (60, ("sp, rings", "sp, repair"))}
REASONS = [
    ("reason", f"EDM over {under}, {what}", "random", "edm", under, what, "pooled")
    for what in ("below_5_hops", "beyond_5_hops")
    for under in ("sp, rings", "sp, repair")
]
