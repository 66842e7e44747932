"""TCP-ELFN and hop-by-hop rates by a second way; `python -m evidence.second elfn`.

Where the paper is silent: TCP is Reno with ns-2's own window of 20 over DSR as ns-2 ships it,
since section 3 lists silent caches among ELFN's mechanisms; DSR has no flow state, as the draft of
1999 had none. Probes begin at once. Single flows cross two hops at least, as over one hop no route
can be at fault. Hop-by-hop rates, which the paper argues for and does not build, are the
package's, with ELFN; Jain's index stands for fairness.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from evidence.second.measures import Settings

RENO = {"scheme": "reno", "segment_bytes": 1460, "window_segments": 20}
ELFN = RENO | {"link_failure": "elfn", "probe_interval_s": 2, "first_probe": "immediate"}
DSR = {"scheme": "dsr", "flow_state": False}
SILENT = DSR | {"cached_replies": "none", "ring_zero_search": False}
MOBILE = {"kind": "random-waypoint", "speed_mps": [0.1, 20], "pause_s": 0, "connected": True}


def strip(seed: int, flows: int, mobile: bool, least_hops: int, most_hops: int = 99) -> Settings:
    """Section 2: 50 nodes in 1500 m by 300 m, connected at all times."""
    flow = {"kind": "ftp", "source": "random", "destination": "random", "start_s": 1}
    return {
        "duration_s": 201,
        "topology": {"kind": "random", "nodes": 50, "area_m": [1500, 300], "seed": seed},
        "mobility": MOBILE if mobile else {"kind": "static"},
        "flows": [flow | {"count": flows, "min_hops": least_hops, "max_hops": most_hops}],
    }


def chain(seed: int) -> Settings:
    """Section 3.1: five nodes, or the five hops of the caption, 250 m apart."""
    return {
        "duration_s": 201,
        "topology": {"kind": "chain", "hops": 4 + seed % 2, "spacing_m": 250},
        "flows": [{"kind": "ftp", "source": 0, "destination": "last", "start_s": 1}],
    }


def delivered(run: Mapping[str, Any]) -> float:
    """Segments delivered in order, all flows together, and one, so that no ratio is infinite."""
    return 1.0 + sum(int(flow["delivered_segments"]) for flow in run["flows"])


def fairness(run: Mapping[str, Any]) -> float | None:
    """Jain's index of the flows' goodputs."""
    shares = [flow["goodput_bps"] for flow in run["flows"]]
    squares = sum(share * share for share in shares)
    return sum(shares) ** 2 / (len(shares) * squares) if squares else None


ARMS: dict[str, Settings] = {
    "tcp": {"routing": DSR, "transport": RENO},
    "tcp-elfn": {"routing": SILENT, "transport": ELFN},
    "hop-by-hop": {"routing": SILENT, "transport": ELFN, "link": {"pacing": "hop-by-hop"}},
    "tcp-elfn, rings": {
        "routing": DSR | {"cached_replies": "none"},
        "transport": ELFN,
    },
}
_ONE, _TEN = ("tcp", "tcp-elfn"), ("tcp-elfn", "hop-by-hop")
NETWORKS = {
    "mobile, one flow": (lambda seed: strip(seed, 1, True, 2), 80, _ONE),
    "static, one flow": (lambda seed: strip(seed, 1, False, 2), 100, _ONE),
    "chain": (chain, 20, _ONE),
    "mobile, 900 s": (lambda seed: strip(seed, 1, True, 2) | {"duration_s": 901}, 0, _ONE),
    "static, 4 to 6 hops": (lambda seed: strip(seed, 1, False, 4, 6), 0, _ONE),
    "mobile, ten flows": (lambda seed: strip(seed, 10, True, 1), 30, _TEN),
    "static, ten flows": (lambda seed: strip(seed, 10, False, 1), 30, _TEN),
}
MEASURES = {
    "delivered": delivered,
    "fairness": fairness,
    "queued": lambda run: run["queue"]["mean_packets"],
}

_FREEZE = "ELFN gains much where nodes move and costs about 5 % where they stand"
_RATE = "Hop-by-hop rates with ELFN suit such networks better than TCP's window with ELFN"
ROWS = [
    (
        _FREEZE,
        "mobile, mean of ratios",
        "mobile, one flow",
        "tcp-elfn",
        "tcp",
        "delivered",
        "paired",
    ),
    (
        _FREEZE,
        "mobile, ratio of sums",
        "mobile, one flow",
        "tcp-elfn",
        "tcp",
        "delivered",
        "pooled",
    ),
    (_FREEZE, "static", "static, one flow", "tcp-elfn", "tcp", "delivered", "paired"),
    (_FREEZE, "chain", "chain", "tcp-elfn", "tcp", "delivered", "paired"),
    *(
        (_RATE, f"{network}: {label}", network, "hop-by-hop", "tcp-elfn", what, way)
        for network in ("mobile, ten flows", "static, ten flows")
        for label, what, way in (
            ("delivered", "delivered", "pooled"),
            ("fairness", "fairness", "paired"),
            ("queues", "queued", "pooled"),
        )
    ),
]

REASONS_TAKE = {
    "chain": (20, ("tcp-elfn, rings",)),
    "static, one flow": (60, ("tcp-elfn, rings",)),
    "static, 4 to 6 hops": (40, (*_ONE, "tcp-elfn, rings")),
    "mobile, 900 s": (24, _ONE),
}
REASONS = [
    (
        "reason",
        f"ELFN with ring zero, {network}",
        network,
        "tcp-elfn, rings",
        "tcp",
        "delivered",
        "paired",
    )
    for network in ("chain", "static, one flow", "static, 4 to 6 hops")
] + [
    (
        "reason",
        "ELFN, 4 to 6 hops",
        "static, 4 to 6 hops",
        "tcp-elfn",
        "tcp",
        "delivered",
        "paired",
    ),
    ("reason", "ELFN, 900 s", "mobile, 900 s", "tcp-elfn", "tcp", "delivered", "pooled"),
]
