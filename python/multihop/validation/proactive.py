"""Routing that stock ns-3.44 has run as well: OLSR, DSDV and HWMP on the same places and timers.

`evidence/proactive/beside_ns3.py` wrote the reference, `proactive.json`. Probes of 60 bytes, two a
second, go between pairs of nodes. Once routes have settled the hops of all probes are counted; then
a relay is killed, and routes have healed when the longest silence of a pair is over.

ns-3's rules that its traces show, and that a key of ours can have, ours has here: see ROUTING.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from multihop.results import Result
from multihop.validation import rules

REFERENCE = Path(__file__).with_suffix(".json")
"""Of each run of ns-3 the pairs, the relay that was killed, and its figures."""
QUICK_SEEDS = 3
BAR = 0.05
ALLOWED_ERRORS = 2.5
INTERVAL_S = 0.5
TIMES_S = {"olsr": (30.0, 40.0, 70.0), "dsdv": (80.0, 95.0, 165.0), "hwmp": (30.0, 40.0, 70.0)}
"""Hops are counted from the first on; the relay is killed at the second; the third is the end."""
ROUTING: dict[str, dict[str, Any]] = {
    # No hysteresis; a HELLO every 2 s and a TC every 5 s in the mean, where the RFC's jitter makes
    # that 1.75 and 4.75 s; their validity as by the RFC.
    "olsr": {
        "scheme": "olsr",
        "hysteresis": False,
        "max_jitter_s": 0.5,
        "hello_interval_s": 2.25,
        "tc_interval_s": 5.25,
        "neighb_hold_time_s": 6,
        "top_hold_time_s": 15,
    },
    # Every new number is told at once, and full updates come every 15 s without jitter.
    "dsdv": {
        "scheme": "dsdv",
        "settling_time_s": 0,
        "triggers_on_sequence": True,
        "trigger_spacing_s": 0.001,
        "update_jitter": 0,
    },
    # Traversal time and beacons as ns-3 has them; there use does not renew a path, so it is sought
    # anew as often as it would expire.
    "hwmp": {
        "scheme": "hwmp",
        "net_diameter_traversal_time_s": 0.1024,
        "beacon_interval_s": 0.512,
        "maintenance_interval_s": 5.12,
    },
}
MAC: dict[str, dict[str, Any]] = {
    "olsr": {},
    "dsdv": {},
    # ns-3's mesh is for 5 GHz alone.
    "hwmp": {"phy": "802.11a", "data_rate_bps": 6e6, "basic_rate_bps": 6e6},
}
KINDS = {
    "olsr": ("hellos_sent", "tcs_originated", "tcs_forwarded"),
    "dsdv": (),
    "hwmp": ("beacons_sent", "peering_frames_sent", "preqs", "preps", "perrs_sent"),
}
"""What is counted of messages, in ns-3's order."""
UDP_BYTES = {"olsr": 0, "dsdv": 8, "hwmp": 0}
"""What ns-3's packets have more: our updates of DSDV are those of ns-2.35, in IP alone."""
TOPOLOGIES: dict[str, dict[str, Any]] = {
    "chain, 3 hops": {"kind": "chain", "hops": 3, "spacing_m": 200},
    "chain, 6 hops": {"kind": "chain", "hops": 6, "spacing_m": 200},
    "grid, 4 × 4": {"kind": "grid", "columns": 4, "rows": 4, "spacing_m": 200},
    "random, 30": {"kind": "random", "nodes": 30, "area_m": [900, 600], "connected": True},
}


Figures = dict[str, float]
"""What a run showed. `settled_s`: when the last pair's first probe arrived; `hops`: the mean of the
pairs before the relay is killed; `healed_s`: the longest silence of a pair afterwards, none in a
chain, which cannot heal; `packets` and `bytes` of control, IP headers included; and its KINDS."""


@dataclass(frozen=True, slots=True)
class Case:
    """One run of ns-3."""

    scheme: str
    network: str
    seed: int
    pairs: list[tuple[int, int]]
    killed: int | None
    figures: Figures

    @property
    def name(self) -> str:
        """Scheme and network."""
        return f"{self.scheme}-{self.network}"

    @property
    def scenario(self) -> dict[str, Any]:
        """Ours."""
        return scenario(self.scheme, TOPOLOGIES[self.network], self.pairs, self.killed)


def cases(pattern: str = "*", *, quick: bool = False) -> list[Case]:
    """The runs of the cases that match `pattern`."""
    rows = json.loads(REFERENCE.read_text(encoding="utf-8"))
    found = [Case(**{**row, "pairs": [tuple(pair) for pair in row["pairs"]]}) for row in rows]
    return [
        case
        for case in found
        if fnmatch(case.name, pattern) and (not quick or case.seed <= QUICK_SEEDS)
    ]


def judge(
    chosen: Sequence[Case], results: Iterable[Result], *, widening: float = 0.0
) -> list[rules.Check]:
    """Every figure within 5 %, or 2.5 standard errors; `results` are ours of one case's runs."""
    runs = [
        (of_ours(result, case.killed), case.figures)
        for case, result in zip(chosen, results, strict=True)
    ]
    checks = []
    for figure in chosen[0].figures if chosen else ():
        ours, theirs = ([run[side][figure] for run in runs] for side in (0, 1))
        if max(theirs) > 0:
            allowed = ALLOWED_ERRORS + widening
            name = chosen[0].name
            checks.append(rules.relative_or_errors(name, figure, ours, theirs, BAR, allowed))
    return checks


def scenario(
    scheme: str, topology: dict[str, Any], pairs: Sequence[tuple[int, int]], killed: int | None
) -> dict[str, Any]:
    """Probes between `pairs`, and the relay that is killed."""
    _, killed_s, end_s = TIMES_S[scheme]
    return {
        "duration_s": end_s,
        "topology": topology,
        "routing": ROUTING[scheme],
        "mac": MAC[scheme],
        "flows": [
            {
                "kind": "cbr", "source": a, "destination": b, "packet_bytes": 60,
                "rate_bps": 60 * 8 / INTERVAL_S, "start_s": 1 + INTERVAL_S * place / len(pairs),
            }
            for place, (a, b) in enumerate(pairs)
        ],
        "events": [] if killed is None else [
            {"kind": "node-kill", "node": killed, "at_s": killed_s}
        ],
    }  # fmt: skip


def figures(
    arrivals: Iterable[tuple[int, float, int]],
    control: Sequence[float],
    kinds: Mapping[str, float],
    scheme: str,
    flows: int,
    killed: int | None,
) -> Figures:
    """The same of arrivals (flow, time, hops) on both sides."""
    settled_s, killed_s, end_s = TIMES_S[scheme]
    times: dict[int, list[float]] = defaultdict(list)
    hops: dict[int, list[int]] = defaultdict(list)
    for flow, time_s, count in arrivals:
        times[flow].append(time_s)
        if settled_s <= time_s < killed_s:
            hops[flow].append(count)
    silences = []
    for flow in range(flows):
        after = [time_s for time_s in times[flow] if time_s >= killed_s]
        silences.append(float(np.diff([killed_s, *after, end_s]).max()))
    known = {
        "settled_s": max(times[flow][0] if times[flow] else end_s for flow in range(flows)),
        "hops": float(np.mean([np.mean(hops[flow]) for flow in hops])) if hops else np.nan,
        "packets": control[0],
        "bytes": control[1],
        **kinds,
    }
    return known if killed is None else {**known, "healed_s": max(silences)}


def of_ours(result: Result, killed: int | None) -> Figures:
    """Hops are the times that a probe was sent by a node, retries left out."""
    kept = result.events.filter(pl.col("flow").is_not_null())
    hops = (
        kept.filter(pl.col("event") == "serve")
        .group_by("flow", "number").agg(pl.col("node").n_unique().alias("hops"))
    )  # fmt: skip
    came = kept.filter(pl.col("event") == "deliver").join(hops, on=["flow", "number"], how="left")
    rows = came.select("flow", pl.col("time_ns") / 1e9, "hops").rows()
    scheme = result.scenario["routing"]["scheme"]
    sent = result.json["routing"]["messages"][scheme]
    own: Any = dict(result.json["schemes"])[scheme]
    for name in ("preq", "prep"):
        own[f"{name}s"] = own.get(f"{name}s_originated", 0) + own.get(f"{name}s_forwarded", 0)
    kinds = {name: own[name] for name in KINDS[scheme]}
    control = [sent["packets"], sent["bytes"] + UDP_BYTES[scheme] * sent["packets"]]
    return figures(rows, control, kinds, scheme, len(result.json["flows"]), killed)
