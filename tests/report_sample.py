"""A study with a figure of every kind, and its results: run, or made by hand."""

import copy
from collections.abc import Callable
from pathlib import Path
from typing import Any

import multihop
from multihop.study import Study, StudyResults
from multihop.study.store import Outcome, Store

SCENARIO: dict[str, Any] = {
    "duration_s": 3,
    "topology": {"kind": "chain", "hops": 2, "spacing_m": 200},
    "flows": [
        {"kind": "ftp", "source": 0, "destination": 2, "stop_s": 3},
        {"kind": "ftp", "source": 1, "destination": 0, "stop_s": 3},
    ],
}
FIGURES: list[dict[str, Any]] = [
    {"name": "line", "title": "Goodput", "x": "hops", "y": "goodput_bps", "where": "rts == on",
     "paper": "It falls <steeply> & then settles."},
    {"name": "ratio", "title": "Gain", "x": "hops", "y": "goodput_bps", "relative_to": "aodv",
     "facet": "rts"},
    {"name": "bar", "title": "Collisions", "x": "rts", "y": "collisions", "kind": "bar"},
    {"name": "lying", "title": "By scheme", "x": "scheme", "y": "goodput_bps", "kind": "bar"},
    {"name": "over-time", "title": "Window", "x": "time_s", "y": "cwnd", "kind": "series",
     "where": "hops == 2 and rts == on"},
    {"name": "heat", "title": "Map", "x": "hops", "over": "rts", "y": "goodput_bps",
     "kind": "heatmap"},
    {"name": "cdf", "title": "Shares", "x": "goodput_bps", "kind": "cdf", "x_scale": "log",
     "facet": "rts"},
    {"name": "box", "title": "Networks", "x": "hops", "y": "goodput_bps", "kind": "box",
     "facet": "rts", "free_y": True},
    {"name": "front", "title": "Both", "x": "total_goodput_bps", "y": "jain", "kind": "front",
     "over": "rts", "facet": "hops"},
    {"name": "nothing", "title": "Nothing", "x": "hops", "y": "goodput_bps", "where": "hops > 9"},
]  # fmt: skip


def study(**changes: Any) -> Study:
    """Three schemes over two axes, one of which one scheme alone is varied along."""
    points = [
        {"label": hops, "set": {"topology.hops": hops, "flows.0.destination": hops}}
        for hops in (1, 2, 3)
    ]
    tables: dict[str, Any] = {
        "title": "Chains </script> & more",
        "question": "How fast does goodput fall?",
        "scenario": SCENARIO,
        "schemes": [
            "aodv",
            {"name": "small window", "scheme": "aodv", "set": {"transport.window_segments": 1}},
            "static",
        ],
        "baseline": "aodv",
        "axes": {
            "hops": {"points": points},
            "rts": {
                "points": [
                    {"label": "on", "set": {"mac.rts_threshold_bytes": 0}},
                    {"label": "off", "set": {"mac.rts_threshold_bytes": 3000}},
                ],
                "schemes": ["aodv", "small window"],
                "default": "on",
            },
        },
        "scale": {"quick": {"networks": 3}, "full": {"networks": 9}},
        "record": {"series_interval_s": 0.5},
        "metrics": ["goodput_bps", "collisions"],
        "figures": FIGURES,
    }
    return Study(**{**tables, **changes})


def by_hand(
    folder: Path,
    found: Study,
    goodput_bps: Callable[[str, dict[str, Any], int, int], float],
    networks: Callable[[str, dict[str, Any]], int] | None = None,
) -> StudyResults:
    """Results whose goodputs are made up: of (scheme, point, seed, flow).

    `networks` gives the number of networks of each cell, by (scheme, point).
    """
    result = multihop.run(SCENARIO).json
    with Store(folder / "store") as store:
        for cell in found.cells("quick"):
            point = dict(cell.point)
            last = networks(cell.scheme, point) if networks else found.networks("quick")
            for seed in range(1, last + 1):
                made = copy.deepcopy(result)
                for number, flow in enumerate(made["flows"]):
                    flow["goodput_bps"] = goodput_bps(cell.scheme, point, seed, number)
                store.put(Outcome(cell.key(seed), seed, 1.0, result=made))
    return found.open(folder, scale="quick")


def claim_row(name: str, verdict: str, **fields: Any) -> dict[str, Any]:
    """A table of claims.json."""
    return {
        "id": name, "verdict": verdict, "grade": "", "measured": None, "interval": None, "runs": 0,
        "networks": 0, "study": "chains", "metric": None, "test": None, "reason": "",
        "reading": None, "depends_on": [], "beside": None, "by": "", "where": "Fig. 1",
        "statement": "A | B.",
    } | fields  # fmt: skip
